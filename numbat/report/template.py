"""Pages that need no network: a template with the style that all pages share, its title, and data for its script."""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from typing import Any

from numbat.parsing.explanation.wording import visible


def read(name: str) -> str:
    """A template or style of this folder as text."""
    return files("numbat.report").joinpath(name).read_text(encoding="utf-8")


def fill(template: str, title: str, content: dict[str, Any]) -> str:
    """A template with its style, title and data, which no sign in them can end before its end."""
    written = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    safe = written.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    styled = template.replace("@STYLE@", read("page.css"))
    return styled.replace("@TITLE@", escape(visible(title))).replace("@DATA@", safe)
