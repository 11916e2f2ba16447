"""The cells of one row of a table, read as an item of a suite or as the two of a minimal pair."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Final

from numbat.gradience.suites.reading.columns import SENTENCES
from numbat.gradience.suites.suite import SIGNS, Item, Rating
from numbat.words.typed import RATINGS, leading_mark, plain_marks

NumberedCells = tuple[int, Sequence[str]]
"""The number of a line and its cells."""

NO_RATING: Final = ("", "-", "NA", "N/A", "NAN", "NONE")
"""What stands where there is no rating, in any case of letters."""
NO_VALUE: Final = frozenset(
    ("#N/A", "#NV", "#N/D", "#N/DISP", "#VALUE!", "#WERT!", "#DIV/0!", "#REF!", "#NAME?", "#NUM!", "#NULL!")
)
"""What spreadsheets write where there is no value."""
BETWEEN_RATINGS: Final = re.compile(r"\s*[;|]\s*|,\s+|\s+")
"""What stands between the ratings of several people in a cell."""

LARGEST: Final = 1e100
"""Ratings are not larger, so that their squares are numbers too."""


def cell_text(field: str, text: str) -> str:
    """A cell without blanks around it, and without several in a row: a sentence with its lines, all else on one."""
    return SEVERAL_BLANKS.sub(" ", text.strip()) if field in SENTENCES else " ".join(text.split())


SEVERAL_BLANKS: Final = re.compile(r"[^\S\r\n]{2,}")


def is_no_rating(text: str) -> bool:
    """Whether a cell says that there is no rating."""
    return text.strip().upper() in NO_RATING or text.strip().upper() in NO_VALUE


class CellError(ValueError):
    """A cell of the column `field` that cannot be understood."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def is_marked(table: Iterable[NumberedCells], columns: dict[str, int]) -> bool:
    """Whether marks before sentences are all that says what is thought of them."""
    if "sentence" not in columns or "judgement" in columns or "rating" in columns:
        return False
    place = columns["sentence"]
    return any(leading_mark(cells[place])[0] for _, cells in table if place < len(cells))


def unmark(row: dict[str, str], marked: bool) -> dict[str, str]:
    """Takes the marks off the sentences of a row, and gives them by column; `marked`: they are their judgement."""
    marks = {}
    for field in sorted(SENTENCES & set(row)):
        marks[field], row[field] = leading_mark(row[field])
        if marked and field == "sentence":
            row["judgement"] = marks[field] or "ok"
    return marks


def check_marks(row: dict[str, str], marks: dict[str, str]) -> None:
    """Raises CellError for a mark before a sentence that says the contrary of what the column says of it."""
    judged = {"sentence": row.get("judgement"), "good": "ok", "bad": "*"}
    for field, mark in marks.items():
        sign = judged[field]
        if mark and sign is not None and {RATINGS[mark], SIGNS.get(plain_marks(sign).lower())} == {0.0, 1.0}:
            said = f'the judgement is "{sign}"' if field == "sentence" else f'the column is "{field}"'
            where = f'the mark "{mark}" stands before the sentence, but {said}'
            raise CellError(field, f"{where}\nremove one of the two")


def items_of(row: dict[str, str], line: int) -> list[Item]:
    """The item of a row, or the two of a minimal pair. Raises ValueError."""
    if row.get("good") or row.get("bad"):
        name = row.get("pair") or row.get("id") or row.get("item") or str(line)
        sides = (("good", "ok", 1.0), ("bad", "*", 0.0))
        found = []
        for side, sign, value in sides:
            if not row.get(side):
                raise ValueError(f"the pair lacks its {side} sentence\na pair has a good and a bad sentence")
            phenomenon, group = row.get("phenomenon", ""), row.get("group", "")
            found.append(
                Item(f"{name}-{side}", row[side], value, sign, phenomenon, (), name, 1, line, group=group, by_sign=True)
            )
        return found
    sentence = row.get("sentence", "")
    if not sentence:
        raise ValueError("no sentence\nevery line has one, or leave the line out")
    judgement, rating, values = _judged(row)
    relations = tuple(part for part in row.get("relation", "").replace(",", "|").split("|") if part.strip(" -"))
    return [
        Item(
            row.get("id") or row.get("item") or str(line),
            sentence,
            rating,
            judgement,
            row.get("phenomenon", ""),
            tuple(part.strip() for part in relations),
            row.get("pair", ""),
            line=line,
            group=row.get("group") or row.get("item", ""),
            by_sign=judgement is not None and is_no_rating(row.get("rating", "")),
            judges=max(1, len(values)),
            ratings=tuple(Rating(value, row.get("participant", "")) for value in values),
        )
    ]


def _judged(row: dict[str, str]) -> tuple[str | None, float | None, list[float]]:
    """The sign and the rating of a row, and the ratings that this is the mean of.

    A number that is no sign counts as a rating.
    """
    sign, number = row.get("judgement"), row.get("rating", "")
    sign = None if sign is None else plain_marks(sign)
    values = [] if is_no_rating(number) else _numbers(number)
    rating = fmean(values) if values else None
    if sign is None:
        return None, rating, values
    if sign.lower() in SIGNS:
        return sign, SIGNS[sign.lower()] if rating is None else rating, values
    if sign.upper() in ("NA", "-", "NONE") or sign.upper() in NO_VALUE:
        return None, rating, values
    raise CellError("judgement", f'"{sign}" is no judgement\nwrite ok, ?, ??, * or a number')


def is_graded(table: Iterable[NumberedCells], place: int) -> bool:
    """Whether a judgement is a number other than 0 and 1, so that all of its column are ratings and no signs."""
    return any(_is_grade(cells[place]) for _, cells in table if place < len(cells))


def _is_grade(sign: str) -> bool:
    try:
        return float(sign) not in (0.0, 1.0)
    except ValueError:
        return False


DECIMAL_COMMA: Final = re.compile(r"([+-]?\d+),(\d+)")
"""A number as it is written in much of Europe: 2,5."""


def is_rating(value: float) -> bool:
    """Whether a number can be a rating; `nan` cannot."""
    return abs(value) <= LARGEST


def _numbers(text: str) -> list[float]:
    """The ratings in a cell: one, or those of several people with blanks, `;` or `|` between, in brackets or not."""
    parts = BETWEEN_RATINGS.split(text.strip("[](){} "))
    if len(parts) == 1 and text.count(",") > 1:
        parts = text.split(",")
    if len(parts) == 1:
        return [_number(text)]
    return [_number(part) for part in parts if not is_no_rating(part)]


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not is_rating(value):
        comma = DECIMAL_COMMA.fullmatch(text)
        hint = f"write {comma[1]}.{comma[2]}" if comma else "leave the cell empty where there is none"
        raise CellError("rating", f'"{text}" is no rating\na rating is a number; {hint}')
    return value
