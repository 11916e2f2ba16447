"""Test suites of DELPH-IN: the file `item` of an [incr tsdb()] profile, whose fields the file `relations` names.

10@none@formal@none@1@S@The cats sleep.@1@3@@@
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from numbat.acceptability.suite import SIGNS, Item, Suite
from numbat.acceptability.suite_tables import finished
from numbat.errors import Problem, Span, counted, data_error
from numbat.files import lines_of

ESCAPED: Final = {"\\s": "@", "\\n": " ", "\\\\": "\\"}
CLASSIC: Final = ("i-id", "i-origin", "i-register", "i-format", "i-difficulty", "i-category", "i-input", "i-wf")
"""The first fields of an item where no file names them."""


def is_profile(lines: Sequence[str]) -> bool:
    """Return True if every line begins with a number and has at least eight fields separated by @."""
    rows = [line.split("@") for line in lines if line.strip()]
    return bool(rows) and all(len(row) >= len(CLASSIC) and row[0].isdecimal() for row in rows)


def read_profile(lines: Sequence[str], path: str) -> Suite:
    """Return the suite in the items of a profile: `i-input`, judged good if `i-wf` is 1, bad if it is 0.

    Raises DataError if the fields cannot be found.
    """
    names = _fields_of_items(path)
    items = []
    for number, line in enumerate(lines, start=1):
        cells = [re.sub(r"\\[sn\\]", lambda match: ESCAPED[match[0]], cell) for cell in line.split("@")]
        if not line.strip():
            continue
        at = names.index("i-input") if names else _place_of_input(cells)
        wf = names.index("i-wf") if names else at + 1
        if max(at, wf) >= len(cells):
            place = Span(path, number)
            raise data_error(Problem("an item without i-input and i-wf", place, found=counted(len(cells), "field")))
        sign = {"1": "ok", "0": "*"}.get(cells[wf])
        rating = None if sign is None else SIGNS[sign]
        items.append(Item(cells[0], cells[at], rating, sign, line=number, by_sign=sign is not None))
    return finished(items, [], path)


def _fields_of_items(path: str) -> list[str]:
    """Return the names of the fields of `item` by the file `relations` beside it; none without that file."""
    relations = Path(path).with_name("relations")
    if not relations.is_file():
        return []
    section = re.search(r"^item:\s*\n((?:[ \t]+\S.*\n?)+)", "\n".join(lines_of(str(relations))), re.MULTILINE)
    names = [line.split()[0] for line in section[1].splitlines()] if section else []
    return names if {"i-input", "i-wf"} <= {*names} else []


def _place_of_input(cells: Sequence[str]) -> int:
    """Return the index of the sentence: the field before the first 0, 1 or 2 that follows a text with a blank."""
    for at in range(1, len(cells) - 1):
        if " " in cells[at].strip() and cells[at + 1] in ("0", "1", "2"):
            return at
    return CLASSIC.index("i-input")


# Writing

FIELDS: Final = {
    "i-id": "integer :key",
    "i-origin": "string",
    "i-register": "string",
    "i-format": "string",
    "i-difficulty": "integer",
    "i-category": "string",
    "i-input": "string",
    "i-wf": "integer",
    "i-length": "integer",
    "i-comment": "string",
    "i-author": "string",
    "i-date": "date",
}
NO_NUMBER: Final = "-1"
"""Value of a number that is not known."""


def profile_of(suite: Suite) -> tuple[dict[str, str], list[str]]:
    """Return the files `relations` and `item` of a profile by name, and notes on what they cannot express.

    Items are numbered if their ids are not different numbers; their ids are then in `i-comment`.
    """
    ids = [item.id for item in suite.items]
    has_numbers = len(set(ids)) == len(ids) and all(id.isascii() and id.isdecimal() for id in ids)
    rows = []
    for number, item in enumerate(suite.items, start=1):
        values = {
            "i-id": item.id if has_numbers else str(number),
            "i-difficulty": NO_NUMBER,
            "i-input": item.sentence,
            "i-wf": NO_NUMBER if item.is_good is None else str(int(item.is_good)),
            "i-length": str(len(item.sentence.split())),
            "i-comment": "" if has_numbers else item.id,
        }
        rows.append("@".join(_escaped(values.get(name, "")) for name in FIELDS) + "\n")
    other = sum(item.is_good is None for item in suite.items)
    named = 0 if has_numbers else len(ids)
    phenomena = len({item.phenomenon for item in suite.items if item.phenomenon})
    pairs = len({item.pair for item in suite.items if item.pair})
    lost = (
        (other, "judgement other than good or bad", "judgements other than good or bad"),
        (named, "id that is no number, which is in i-comment", "ids that are no numbers, which are in i-comment"),
        (phenomena, "phenomenon", "phenomena"),
        (pairs, "minimal pair", "minimal pairs"),
    )
    notes = [f"a profile has no place for {counted(*part)}" for part in lost if part[0]]
    fields = "".join(f"  {name} :{kind}\n" for name, kind in FIELDS.items())
    return {"relations": f"item:\n{fields}", "item": "".join(rows)}, notes


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("@", "\\s").replace("\n", "\\n")
