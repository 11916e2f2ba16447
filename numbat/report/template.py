"""Pages that need no network, with the style that all pages share: of a body, or of a template with a script's data."""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from typing import Any, Final

from numbat.source import visible

PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body>
<h1>{title}</h1>
{body}</body>
</html>
"""


def page(title: str, style: str, body: str) -> str:
    """A page without a script: its title, what its style adds to that of all pages, and its body as HTML."""
    return PAGE.format(title=safe(title), style=read("page.css") + style, body=body)


def safe(text: str) -> str:
    """Text as HTML, in which no sign is markup."""
    return escape(visible(text))


def read(name: str) -> str:
    """A template or style of this folder as text."""
    return files("numbat.report").joinpath(name).read_text(encoding="utf-8")


def fill(template: str, title: str, content: dict[str, Any]) -> str:
    """A template with its style, title and data, which no sign in them can end before its end."""
    written = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    inert = written.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    styled = template.replace("@STYLE@", read("page.css"))
    return styled.replace("@TITLE@", safe(title)).replace("@DATA@", inert)
