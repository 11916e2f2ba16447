"""The files of the page: what each is, by the name under which a browser asks for it."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

KINDS: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""What a file is, by the ending of its name."""
INDEX: Final = "index.html"


@cache
def names() -> frozenset[str]:
    """The names of the files of the page."""
    folder = files("numbat.web").joinpath("page")
    return frozenset(each.name for each in folder.iterdir() if each.name[each.name.rfind(".") :] in KINDS)


def content(name: str) -> tuple[str, bytes] | None:
    """What kind a file is, and what it holds; None for a name that is none of the page's."""
    name = name or INDEX
    if name not in names():
        return None
    return KINDS[name[name.rfind(".") :]], files("numbat.web").joinpath("page", name).read_bytes()
