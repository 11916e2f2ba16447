"""From the rows of a table to the items of a suite.

The columns of a table are `id`, `item`, `judgement`, `sentence`, `phenomenon`, `relation`, `rating`, `pair`, `group`,
or the names by which published data sets call these (`COLUMNS`); a minimal pair may be one row with `good` and `bad`.
The files that hold such tables are read by `suite_files`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Final

from numbat.errors import DataError, data_error
from numbat.gradience.suites.judgement_marks import leading_mark, plain_marks
from numbat.gradience.suites.suite import SIGNS, Item, Suite, on_one_scale
from numbat.source import Problem, Span, close_match, counted, shortened

COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "id": ("id", "sentence id", "pairid"),
    "item": ("item", "item id", "item number"),
    "sentence": ("sentence", "text", "phrase", "string"),
    "judgement": ("judgement", "judgment", "label", "acceptable", "mark"),
    "rating": ("rating", "mean_rating", "average", "mean", "z", "zscore", "score", "mean_z"),
    "phenomenon": ("phenomenon", "construction", "category", "type", "uid", "subcat", "condition"),
    "relation": ("relation", "violates"),
    "pair": ("pair", "pair_id"),
    "group": ("group", "source", "original"),
    "good": ("good", "sentence_good", "good sentence", "grammatical"),
    "bad": ("bad", "sentence_bad", "bad sentence", "ungrammatical"),
}
"""What a column may be called, in any case of letters, with _ or blanks; the first name that a file has counts."""

SENTENCES: Final = frozenset({"sentence", "good", "bad"})
"""The columns that hold sentences."""

NO_RATING: Final = ("", "-", "NA", "N/A", "NAN", "NONE")
"""What stands where there is no rating, in any case of letters."""

LARGEST: Final = 1e100
"""Squares of what people judge must be numbers too."""

Row = tuple[int, Sequence[str]]
"""The number of a line and its cells."""


def read_rows(rows: Iterable[Row], path: str, names: Sequence[str] | None = None, adjacent: bool = False) -> Suite:
    """The suite of a table. `names` are those of its columns where its first line does not have them.

    `adjacent`: the lines come in pairs, one that is rated higher than the other. Where no column says what is thought
    of the sentences, the marks before them do, if any has one: one without is good. Where nothing says it, the first
    of a pair is the good one. Raises DataError with every line that cannot be read, and where there is no item.
    """
    rows = (row for row in rows if any(cell.strip() for cell in row[1]))
    first = None
    if names is None:
        first = next(rows, None)
        if first is None:
            raise DataError(f"{path}: no items: the file is empty\n  {FIRST_LINE}")
        names = first[1]
    columns = _columns(names, path, first[0] if first else 0)
    items: list[Item] = []
    problems: list[Problem] = []
    table = list(rows)
    marked = _is_marked(table, columns)
    graded = "judgement" in columns and _is_graded(table, columns["judgement"])
    for line, cells in table:
        if len(cells) != len(names):
            wrong = f"{counted(len(cells), 'cell')}, but {counted(len(names), 'column')}"
            hint = f"separate cells as {'in the first line' if first else '--columns says'}; quote in CSV"
            problems.append(Problem(wrong, Span(path, line), hint=hint))
            continue
        row = {field: _cell(field, cells[column]) for field, column in columns.items()}
        _unmark(row, marked)
        if graded and row.get("rating", "").upper() in NO_RATING and row["judgement"] not in ("", "-"):
            row["rating"] = row.pop("judgement")
        try:
            items += _items(row, line)
        except ValueError as error:
            message, _, hint = str(error).partition("\n")
            if first is None and line == table[0][0] and isinstance(error, _CellError):
                hint += "; --columns is for a file without a line of names: leave that line out"
            at = columns.get(error.field, columns.get("judgement", 0)) if isinstance(error, _CellError) else 0
            where = Span(path, line, 1 + sum(len(cell) + 1 for cell in cells[:at]))
            problems.append(Problem(message, where, hint=hint))
    unread = tuple(name.strip() for place, name in enumerate(names) if name.strip() and place not in columns.values())
    items = _by_item(_averaged(items), columns)
    if adjacent:
        if not marked and not unread and not {"judgement", "rating"} & set(columns):
            items = [_judged_by_place(item, place) for place, item in enumerate(items)]
        problems += _pair_up(items, path)
    return replace(finished(items, problems, path), unread=unread)


FIRST_LINE: Final = "the first line names the columns: sentence, and judgement or rating, or good and bad"


def finished(items: Sequence[Item], problems: Sequence[Problem], path: str) -> Suite:
    """The suite, if it has items and no problems. Ids that occur twice are problems."""
    problems = [*problems, *_repeated(items, path)]
    if problems:
        raise data_error(*sorted(problems, key=lambda problem: problem.span))
    if not items:
        raise DataError(f"{path}: no items\n  give it one line for each sentence below the names of the columns")
    return Suite(path, on_one_scale(items))


def fields_of(names: Sequence[str]) -> dict[str, int]:
    """Where each field of `COLUMNS` stands among the names of columns or keys; of equal names the first counts."""
    lower = [*map(_lowered, names)]
    found = {
        field: next(filter(lower.__contains__, map(_lowered, aliases)), None) for field, aliases in COLUMNS.items()
    }
    return {field: lower.index(name) for field, name in found.items() if name is not None}


def _lowered(name: str) -> str:
    return name.strip().lower().lstrip("\ufeff").replace("_", " ")


def _columns(names: Sequence[str], path: str, line: int) -> dict[str, int]:
    """Where each field stands. Raises DataError where there are no sentences, or a column stands twice."""
    lower = [*map(_lowered, names)]
    where = f"{path}:{line}" if line else path
    found = fields_of(names)
    for name in (lower[place] for place in found.values()):
        if lower.count(name) > 1:
            raise DataError(f'{where}: the column "{name}" stands twice\n  give each column a name of its own')
    if "sentence" not in found and not {"good", "bad"} <= set(found):
        known = [*COLUMNS["sentence"], *COLUMNS["good"], *COLUMNS["bad"]]
        unread = [name for place, name in enumerate(lower) if place not in found.values()]
        near = next(filter(None, (close_match(name, known) for name in unread)), "")
        hint = f"{near} " if near else f"{FIRST_LINE}; "
        raise DataError(
            f"{where}: no column of sentences among {shortened(', '.join(map(repr, names))) or 'none'}\n"
            f"  {hint}--columns names the columns of a file that does not, --columns sentence those of a plain list"
        )
    return found


def _cell(field: str, text: str) -> str:
    """A cell without blanks around it: a sentence as it was typed, all else on one line, as tables want it."""
    return text.strip() if field in SENTENCES else " ".join(text.split())


class _CellError(ValueError):
    """A cell of the column `field` that cannot be understood."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def _is_marked(table: Iterable[Row], columns: dict[str, int]) -> bool:
    """Whether marks before sentences are all that says what is thought of them."""
    if "sentence" not in columns or "judgement" in columns or "rating" in columns:
        return False
    place = columns["sentence"]
    return any(leading_mark(cells[place])[0] for _, cells in table if place < len(cells))


def _unmark(row: dict[str, str], marked: bool) -> None:
    """Takes the mark off the sentences of a row; `marked`: it is their judgement."""
    for field in SENTENCES & set(row):
        mark, row[field] = leading_mark(row[field])
        if marked and field == "sentence":
            row["judgement"] = mark or "ok"


def _items(row: dict[str, str], line: int) -> list[Item]:
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
    judgement, rating = _judged(row)
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
            by_sign=judgement is not None and row.get("rating", "").upper() in NO_RATING,
        )
    ]


def _judged(row: dict[str, str]) -> tuple[str | None, float | None]:
    """The sign and the rating of a row; a number that is no sign counts as a rating."""
    sign, number = row.get("judgement"), row.get("rating", "")
    sign = None if sign is None else plain_marks(sign)
    rating = None if number.upper() in NO_RATING else _number(number)
    if sign is None:
        return None, rating
    if sign.lower() in SIGNS:
        return sign, SIGNS[sign.lower()] if rating is None else rating
    if sign.upper() in ("NA", "-", "NONE"):
        return None, rating
    raise _CellError("judgement", f'"{sign}" is no judgement\nwrite ok, ?, ??, * or a number')


def _is_graded(table: Iterable[Row], place: int) -> bool:
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


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not is_rating(value):
        comma = DECIMAL_COMMA.fullmatch(text)
        hint = f"write {comma[1]}.{comma[2]}" if comma else "leave the cell empty where there is none"
        raise _CellError("rating", f'"{text}" is no rating\na rating is a number; {hint}')
    return value


def _judged_by_place(item: Item, place: int) -> Item:
    """The good sentence of each pair comes first."""
    sign = "*" if place % 2 else "ok"
    return item if item.pair else replace(item, judgement=sign, rating=SIGNS[sign], by_sign=True)


def _pair_up(items: list[Item], path: str) -> list[Problem]:
    """Give every two items that follow each other the name of a pair."""
    problems = []
    for i in range(0, len(items) - 1, 2):
        both = items[i : i + 2]
        ratings = [item.rating for item in both]
        if None in ratings or ratings[0] == ratings[1]:
            wrong = "are not both judged" if None in ratings else "are judged the same"
            where = Span(path, both[0].line)
            problems.append(Problem(f"no pair: this line and the next {wrong}", where, hint=PAIRS_HINT))
        for j, item in enumerate(both):
            items[i + j] = replace(item, pair=str(both[0].line))
    if len(items) % 2:
        problems.append(Problem("the last line is left over", Span(path, items[-1].line), hint=PAIRS_HINT))
    return problems


PAIRS_HINT: Final = "with --pairs each good sentence stands next to its bad one"


def _averaged(items: Iterable[Item]) -> list[Item]:
    """The items with one for all lines that rate the same sentence under the same id: its rating is their mean."""
    alike: dict[Item, list[Item]] = {}
    for item in items:
        alike.setdefault(replace(item, rating=None, line=0, by_sign=False), []).append(item)
    found: list[Item] = []
    for first, *others in alike.values():
        ratings = [item.rating for item in (first, *others) if item.rating is not None and not item.by_sign]
        if ratings:
            found.append(replace(first, rating=fmean(ratings), judges=len(ratings), by_sign=False))
        else:
            found += (first, *others) if first.by_sign else (first,)
    return found


def _by_item(items: list[Item], columns: dict[str, int]) -> list[Item]:
    """The items of an experiment, where a number in the column `item` is what its conditions have in common.

    It is the group of the sentences that share it. Where no column has ids, it is the id too; where that does not tell
    sentences apart the condition stands behind it, or else the line.
    """
    if "item" not in columns:
        return items
    if "group" not in columns:
        sharing = Counter(item.group for item in items)
        items = [item if sharing[item.group] > 1 else replace(item, group="") for item in items]
    for detail in () if "id" in columns else ("phenomenon", "line"):
        bearing = Counter(item.id for item in items)
        items = [
            replace(item, id=f"{item.id}-{more}") if bearing[item.id] > 1 and (more := getattr(item, detail)) else item
            for item in items
        ]
    return items


def _repeated(items: Sequence[Item], path: str) -> list[Problem]:
    """What is wrong with ids that stand again: one problem for all of a kind, for they may be most lines."""
    first: dict[str, Item] = {}
    again = [item for item in items if first.setdefault(item.id, item) is not item]
    judged = [item for item in again if item.sentence == first[item.id].sentence]
    others = [item for item in again if item.sentence != first[item.id].sentence]
    found = []
    for lines, which, hint in (
        (judged, " and the sentence are those", "judge each sentence once, or leave the column out"),
        (others, " is that", NO_ID_TWICE),
    ):
        if lines:
            times = f" ({len(lines):,} such lines)" if len(lines) > 1 else ""
            message = f'the id "{lines[0].id}"{which} of line {first[lines[0].id].line}{times}'
            found.append(Problem(message, Span(path, lines[0].line), hint=hint))
    return found


NO_ID_TWICE: Final = (
    "give every sentence an id of its own, or leave the column out; "
    'a number that the conditions of an experiment share stands in a column "item"'
)
