"""Results of experiments by PCIbex (PennController) and Ibex (AcceptabilityJudgment)."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from numbat.errors import DataError, whole_of
from numbat.gradience.suites.reading.cells import is_rating
from numbat.gradience.suites.reading.delimited import too_long
from numbat.gradience.suites.reading.rows import by_item, finished, rated_by
from numbat.gradience.suites.suite import Item, Rating, Suite
from numbat.records import frozen

IBEX_FIRST: Final = "results reception time"
"""The first column of the results of Ibex and PCIbex, named in a comment."""
ASKED: Final = ("choice", "answer", "final", "selection", "pressed", "keypress", "score")
"""What PennController calls the parameter that holds a rating."""
IBEX_SENTENCE: Final = "sentence (or sentence md5)"


@frozen
class _Shown:
    """What a trial showed: the sentence, and the item, condition and group that the experiment logged of it."""

    sentence: str
    item: str = ""
    condition: str = ""
    group: str = ""


@dataclass
class _Trials:
    """The ratings of each sentence that was shown, and where it was first met with which label."""

    ratings: dict[_Shown, list[Rating]] = field(default_factory=dict)
    places: dict[_Shown, tuple[int, str]] = field(default_factory=dict)

    def add(self, shown: _Shown, rating: Rating, line: int, label: str) -> None:
        self.ratings.setdefault(shown, []).append(rating)
        self.places.setdefault(shown, (line, label))


def is_ibex(lines: Sequence[str]) -> bool:
    """Whether these are such results, by the comments at their beginning."""
    start = "\n".join(lines[:200]).lstrip()
    return start.startswith("#") and IBEX_FIRST in start[:4000].lower()


def read_ibex(lines: Sequence[str], path: str) -> Suite:
    """The mean rating of each sentence in results of PCIbex or Ibex.

    The comments name the columns. In PennController a column `sentence` was added by the experiment, and the rating is
    the value of a scale's choice; columns `item`, `condition` and `group` that it added are those of a table. In Ibex
    the sentence is logged in a line before the one with the answer.
    """
    columns: dict[str, int] = {}
    trials = _Trials()
    seen: dict[tuple[str, ...], str] = {}
    for number, written in enumerate(lines, start=1):
        if written.startswith("#"):
            _name_column(written, columns)
        elif written.strip():
            try:
                cells = [cell.replace("%2C", ",") for cell in next(csv.reader([written]))]
            except csv.Error:
                raise too_long(path, number) from None
            _trial(cells, columns, number, seen, trials)
    if not trials.ratings:
        raise DataError(
            f"{path}: no rated sentences in these results\n"
            '  log the sentence of each trial as a column: newTrial(...).log("sentence", row.sentence)'
        )
    return finished(_items(trials), [], path)


def _items(trials: _Trials) -> list[Item]:
    """An item for each sentence, with its ratings. A `group` in which an item varies is one of participants."""
    groups: dict[str, set[str]] = {}
    for shown in trials.ratings:
        groups.setdefault(shown.item, set()).add(shown.group)
    of_participants = any(item and len(found) > 1 for item, found in groups.items())
    items = []
    for i, (shown, ratings) in enumerate(trials.ratings.items(), start=1):
        line, label = trials.places[shown]
        group = "" if of_participants else shown.group
        item = Item(shown.item or str(i), shown.sentence, None, None, shown.condition or label, line=line)
        items.append(rated_by(replace(item, group=group or shown.item), tuple(ratings)))
    if not any(shown.item for shown in trials.ratings):
        return items
    has_groups = not of_participants and any(shown.group for shown in trials.ratings)
    return by_item(items, ("item", "group") if has_groups else ("item",))


def _name_column(comment: str, columns: dict[str, int]) -> None:
    """`# 3. Label.` names the third column of the lines below."""
    number, dot, name = comment.lstrip("# ").partition(". ")
    if dot and number.isdecimal():
        place = whole_of(number) - 1
        for old in [key for key, value in columns.items() if value == place]:
            del columns[old]
        columns[name.strip().rstrip(".").lower()] = place


def _trial(
    cells: list[str], columns: dict[str, int], line: int, seen: dict[tuple[str, ...], str], trials: _Trials
) -> None:
    """What one line of results says: a sentence that was shown, or a rating."""

    def cell(*names: str) -> str:
        return next((cells[columns[n]].strip() for n in names if n in columns and columns[n] < len(cells)), "")

    label = cell("label", "type")
    who = cell(IBEX_FIRST), cell("md5 hash of participant's ip address", "md5 hash of ip address"), label, cell(
        "item number", "order number of item", "latin square group"
    )  # fmt: skip
    sentence, answer = cell("sentence", "text", "item_text"), ""
    if "parameter" in columns:
        answer = cell("value") if cell("parameter").lower() in ASKED else ""
    else:
        logged = cell(IBEX_SENTENCE)
        if cell("controller name").lower() in ("flashsentence", "message", "acceptabilityjudgment") and logged:
            seen.setdefault(who, logged)
        sentence, answer = seen.get(who, ""), cell("answer")
    try:
        rating = float(answer)
    except ValueError:
        return
    if sentence and is_rating(rating):
        # Only PennController has columns that the experiment named: in Ibex a group is one of its own.
        logged_as = (cell("item"), cell("condition"), cell("group")) if "parameter" in columns else ()
        trials.add(_Shown(" ".join(sentence.split()), *logged_as), Rating(rating, " ".join(who[:2])), line, label)
