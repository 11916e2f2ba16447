"""The licences of what a page has in it, as one text that the page shows."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from importlib.resources import files
from typing import Final

DISTRIBUTIONS: Final = ("numbat-pg", "lark", "PyYAML")
"""Whose modules are in a page; that of Numbat has the licences of the editor and of the grammars too."""
RULE: Final = "\n\n" + "-" * 40 + "\n\n"


def licences() -> str:
    """The texts of all licences, each below the name of what it is for."""
    own = files("numbat.web").joinpath("site", "pyodide.txt").read_text(encoding="utf-8")
    return RULE.join([*(text for name in DISTRIBUTIONS for text in _of(name)), f"Pyodide\n\n{own}"])


def _of(name: str) -> Iterator[str]:
    installed = list(distributions(name=name))  # a folder of sources may stand before what was installed of it
    for found in installed:
        if texts := list(_texts(found)):
            yield from (f"{name} {found.version}\n\n{text.strip()}" for text in texts)
            return
    yield f"{name}: see the licence in its sources"


def _texts(found: Distribution) -> Iterator[str]:
    for path in found.files or ():
        is_licence = "licenses" in path.parts or path.name.upper().startswith(("LICENSE", "LICENCE", "COPYING"))
        if is_licence and path.parts[0].endswith(".dist-info"):
            yield path.read_text(encoding="utf-8")
