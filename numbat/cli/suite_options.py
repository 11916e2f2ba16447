"""Options on tables: how that of a suite is read, and that cells of those written are no formulas to a spreadsheet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from numbat.cli.verbs import INPUT, OUTPUT, option
from numbat.errors import UsageError
from numbat.files import guarded_table

HASH_LINES_OPTION: Final[Callable[[Any], Any]] = option(
    INPUT,
    "--hash-lines",
    is_flag=True,
    advanced=True,
    help="Read lines that begin with #, which are comments otherwise.",
)
TABLE_OPTIONS: Final[tuple[Callable[[Any], Any], ...]] = (
    HASH_LINES_OPTION,
    option(INPUT, "--scale", metavar="LOW-HIGH", help="Scale of the ratings: others are told and left out."),
    option(INPUT, "--z-scores", is_flag=True, help="Take each rating as a z-score within its participant."),
)
SPREADSHEETS_OPTION: Final[Callable[[Any], Any]] = option(
    OUTPUT,
    "--for-spreadsheets",
    is_flag=True,
    advanced=True,
    help="Tables: an apostrophe before cells that spreadsheets take for formulas. Numbat reads them without it.",
)


def as_table(text: str, for_spreadsheets: bool) -> str:
    """A table with TABs as it is asked for."""
    return guarded_table(text) if for_spreadsheets else text


def check_spreadsheets(asked: bool, is_table: bool, hint: str) -> None:
    """Raises UsageError, with what to add, where `--for-spreadsheets` is given and no table is written."""
    if asked and not is_table:
        raise UsageError(f"--for-spreadsheets is about tables, and none would be written\n  {hint}")
