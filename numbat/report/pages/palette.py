"""The colours of pages and drawings, light and dark, as `assets/colors.css` names them."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Final

DARK: Final = "@media screen and (prefers-color-scheme: dark)"


def read(name: str) -> str:
    """A style, script or body of a page as text."""
    return files("numbat.report.pages").joinpath("assets", name).read_text(encoding="utf-8")


@cache
def stand_alone(name: str) -> str:
    """A style for a drawing that stands alone, where names of colours mean nothing: it has the colours themselves.

    First the light ones, then, for where these are preferred, the same rules in dark ones.
    """
    light, dark = map(_colours, read("colors.css").split(DARK))
    rules = read(name).strip()
    coloured = "\n".join(line for line in rules.splitlines() if "var(" in line)
    return f"{_filled(rules, light)}\n{DARK} {{\n{_filled(coloured, light | dark)}\n}}"


def _colours(sheet: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): ([^;]+);", sheet))


def _filled(rules: str, colours: dict[str, str]) -> str:
    return re.sub(r"var\(--([\w-]+)\)", lambda found: colours[found[1]], rules)
