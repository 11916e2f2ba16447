"""What stands at a constituent, and how wide a text is: in a terminal, also in a table, and roughly in a drawing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final
from unicodedata import category, east_asian_width

from numbat.errors import visible
from numbat.evaluation.constituents import Constituent
from numbat.grammar.model import Grammar
from numbat.grammar.properties import format_bundle

MARK: Final = "✗"
"""Stands by each constituent with violated properties, with their number if there are several."""
NARROW: Final = frozenset("iljtfrI.,:;'’|!()[] ·")
BROAD: Final = frozenset("mwMW@%&…—✗")


def label(constituent: Constituent) -> str:
    """The name of the construction, with the mark of violated properties: `NP`, `NP ✗`, `NP ✗2`."""
    number = len(constituent.characterization.violated)
    mark = f" {MARK}{number if number > 1 else ''}" if number else ""
    return visible(constituent.construction) + mark


def shown_features(grammar: Grammar, all_features: bool = False) -> frozenset[str] | None:
    """The features that drawn trees show: those that the grammar's `tree_features` name; None: all."""
    return frozenset(grammar.tree_features) if grammar.tree_features and not all_features else None


def bundle(constituent: Constituent, shown: frozenset[str] | None) -> str:
    """The features at a constituent, as far as they are shown: `[case=nom]`, or nothing."""
    return visible(format_bundle(tuple([p for p in constituent.features if shown is None or p[0] in shown])))


def columns(text: str) -> int:
    """The columns that a terminal needs: two for a Chinese character or an emoji, none for an accent of its own."""
    return sum(_columns_of(char) for char in text)


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The rows of a table with columns of equal width."""
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = zip(row, widths, strict=True)
        yield "  ".join(cell + " " * (width - columns(cell)) for cell, width in cells).rstrip()


def shortened(text: str, room: int) -> str:
    """The text if it fits into so many columns, else its beginning and a `…`."""
    if columns(text) <= room:
        return text
    used = 0
    for i, char in enumerate(text):
        used += _columns_of(char)
        if used > room - 1:
            return text[:i] + "…"
    return text


def ems(text: str) -> float:
    """About how wide a text is in a sans-serif font, in units of the font size, rather too wide than too narrow."""
    return sum(_ems_of(char) for char in text)


def _columns_of(char: str) -> int:
    if category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def _ems_of(char: str) -> float:
    match _columns_of(char):
        case 0:
            return 0.0
        case 2:
            return 1.3 if category(char) == "So" else 1.05
    if char in NARROW:
        return 0.4
    if char in BROAD:
        return 1.0
    return 0.74 if char.isupper() else 0.64
