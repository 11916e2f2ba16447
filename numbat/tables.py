"""Cells of tables: written so that no spreadsheet takes a text for a formula, and read again.

A spreadsheet calculates what begins with `=`, `+`, `-` or `@`, and some of what it calculates starts programs or sends
data away. An apostrophe before it makes it text. Readers of tables take that apostrophe off again.
"""

from __future__ import annotations

import re
from typing import Final

APOSTROPHE: Final = "'"
FORMULA: Final = re.compile(r"\"*[=+\-@\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}"
                            r"\N{FULLWIDTH HYPHEN-MINUS}\N{FULLWIDTH COMMERCIAL AT}\t\r]")  # fmt: skip
"""How a cell begins that may be taken for a formula, in quotation marks too, which spreadsheets leave out."""
NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def guarded(cell: str) -> str:
    """The cell, behind an apostrophe if a spreadsheet may take it for a formula; numbers stay.

    >>> [guarded(cell) for cell in ("=1+1", "-ing", "-1.5", "'=1", "'s")]
    ["'=1+1", "'-ing", '-1.5', "''=1", "'s"]
    """
    return APOSTROPHE + cell if _is_formula(cell) else cell


def unguarded(cell: str) -> str:
    """What the cell was before it was `guarded`; any other cell as it is."""
    return cell[1:] if cell.startswith(APOSTROPHE) and _is_formula(cell) else cell


def guarded_table(text: str) -> str:
    """A text whose lines are cells with TABs between them, with every cell `guarded`."""
    return "\n".join("\t".join(map(guarded, line.split("\t"))) for line in text.split("\n"))


def cells_of(line: str) -> list[str]:
    """The cells of a line of a table with TABs, as they were before they were `guarded`."""
    return [unguarded(cell) for cell in line.split("\t")]


def _is_formula(cell: str) -> bool:
    """Whether a cell may be taken for a formula, whatever apostrophes stand before it."""
    bare = cell.lstrip(APOSTROPHE)
    return FORMULA.match(bare) is not None and NUMBER.fullmatch(bare) is None
