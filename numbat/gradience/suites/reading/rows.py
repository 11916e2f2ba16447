"""From the rows of a table to the items of a suite.

The columns of a table are `id`, `item`, `judgement`, `sentence`, `phenomenon`, `relation`, `rating`, `pair`, `group`,
or the names by which published data sets call these; a minimal pair may be one row with `good` and `bad`. `columns`
finds them, `cells` reads a row, and `files` reads the files that hold such tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Final

from numbat.errors import DataError, Problem, Span, counted, data_error, first_of
from numbat.gradience.suites.reading.cells import (
    CellError,
    NumberedCells,
    cell_text,
    check_marks,
    is_graded,
    is_marked,
    is_no_rating,
    items_of,
    unmark,
)
from numbat.gradience.suites.reading.columns import FIRST_LINE, NOTHING_RENAMED, columns_of
from numbat.gradience.suites.suite import SIGNS, Item, Rating, Suite, on_one_scale
from numbat.words.typed import MEANINGS, like_a_mark


def read_rows(
    rows: Iterable[NumberedCells],
    path: str,
    names: Sequence[str] | None = None,
    adjacent: bool = False,
    renamed: Mapping[str, str] = NOTHING_RENAMED,
) -> Suite:
    """The suite of a table. `names` are those of its columns where its first line does not have them.

    `renamed` says what columns are called there, by field. `adjacent`: the lines come in pairs, one that is
    rated higher than the other. Where no column says what is thought of the sentences, the marks before them do, if any
    has one: one without is good. Where nothing says it, the first of a pair is the good one. Raises DataError with
    every line that cannot be read, and where there is no item.
    """
    rows = (row for row in rows if any(cell.strip() for cell in row[1]))
    first = None
    if names is None:
        first = next(rows, None)
        if first is None:
            raise DataError(f"{path}: no items: the file is empty\n  {FIRST_LINE}")
        names = first[1]
    columns = columns_of(names, path, first[0] if first else 0, renamed)
    table = list(rows)
    marked = is_marked(table, columns)
    items, problems = _read(table, columns, len(names), marked, path, titled=first is not None)
    unread = tuple(name.strip() for place, name in enumerate(names) if name.strip() and place not in columns.values())
    items = by_item(_averaged(items), columns)
    if adjacent:
        if not marked and not unread and not {"judgement", "rating"} & set(columns):
            items = [_judged_by_place(item, place) for place, item in enumerate(items)]
        problems += _pair_up(items, path)
    return replace(finished(items, problems, path), unread=unread)


def _read(
    table: Sequence[NumberedCells], columns: dict[str, int], width: int, marked: bool, path: str, titled: bool
) -> tuple[list[Item], list[Problem]]:
    """The items of rows of `width` cells, and what is wrong with others; `titled`: a first line named the columns."""
    items: list[Item] = []
    problems: list[Problem] = []
    met: dict[tuple[str, ...], int] = {}
    graded = "judgement" in columns and is_graded(table, columns["judgement"])
    for line, cells in table:
        if len(cells) != width:
            wrong = f"{counted(len(cells), 'cell')}, but {counted(width, 'column')}"
            hint = f"separate cells as {'in the first line' if titled else '--columns says'}; quote in CSV"
            problems.append(Problem(wrong, Span(path, line), hint=hint))
            continue
        row = {field: cell_text(field, cells[column]) for field, column in columns.items()}
        mark = unmark(row, marked)
        if graded and is_no_rating(row.get("rating", "")) and not is_no_rating(row["judgement"]):
            row["rating"] = row.pop("judgement")
        if "participant" in row and not {"id", "item"} & set(row):
            row["id"] = str(met.setdefault((row.get("sentence", ""), row.get("phenomenon", "")), line))
        try:
            check_marks(row, mark)
            items += (
                replace(item, relation_column=_column(cells, columns, "relation")) for item in items_of(row, line)
            )
        except ValueError as error:
            message, _, hint = str(error).partition("\n")
            if not titled and line == table[0][0] and isinstance(error, CellError):
                hint += "; --columns is for a file without a line of names: leave that line out"
            where = Span(path, line, _column(cells, columns, error.field) if isinstance(error, CellError) else 1)
            problems.append(Problem(message, where, hint=hint))
    return items, problems


def _column(cells: Sequence[str], columns: dict[str, int], field: str) -> int:
    """Where the cell of a field begins in its line."""
    place = columns.get(field, columns.get("judgement", 0) if field == "rating" else 0)
    return 1 + sum(len(cell) + 1 for cell in cells[:place])


def finished(items: Sequence[Item], problems: Sequence[Problem], path: str) -> Suite:
    """The suite, if it has items and no problems. Ids that occur twice are problems."""
    problems = [*problems, *_repeated(items, path)]
    if problems:
        raise data_error(*sorted(problems, key=lambda problem: problem.span))
    if not items:
        raise DataError(f"{path}: no items\n  give it one line for each sentence below the names of the columns")
    twins = _of_same_sentence(items)
    kept = [item for item in items if item.pair not in twins]
    told = same_sentences([f"{path}:{line}" for line in twins.values()]) if twins else ""
    if not kept:
        raise DataError(f"{path}: no items: {told}\n  give each pair a good sentence and a bad one that differ")
    return Suite(path, on_one_scale(kept), notes=tuple(filter(None, (told, _no_marks(kept, path)))))


def _no_marks(items: Sequence[Item], path: str) -> str:
    """What to say of signs before sentences that only look like marks."""
    signs = {item.line: like_a_mark(item.sentence) for item in items}
    found = [f'"{sign}" ({path}:{line})' for line, sign in signs.items() if sign]
    if not found:
        return ""
    return f"read as words, for they are no marks: {first_of(found, 3)}; marks are {' '.join(MEANINGS)}"


def _of_same_sentence(items: Sequence[Item]) -> dict[str, int]:
    """The pairs of two items whose sentences are the same, with the lines of the first."""
    pairs: dict[str, list[Item]] = {}
    for item in items:
        if item.pair:
            pairs.setdefault(item.pair, []).append(item)
    return {
        name: both[0].line for name, both in pairs.items() if len(both) == 2 and both[0].sentence == both[1].sentence
    }


def same_sentences(places: Sequence[str]) -> str:
    """What to say of pairs of one sentence at these places."""
    number = counted(len(places), "pair")
    return f"the two sentences of a pair are the same: {number} left out ({first_of(places, 3)})"


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
        alike.setdefault(replace(item, rating=None, line=0, by_sign=False, ratings=(), judges=1), []).append(item)
    found: list[Item] = []
    for first, *others in alike.values():
        ratings = tuple(rating for item in (first, *others) for rating in item.ratings)
        if ratings:
            found.append(rated_by(first, ratings))
        else:
            found += (first, *others) if first.by_sign else (first,)
    return found


def rated_by(item: Item, ratings: tuple[Rating, ...]) -> Item:
    """The item with these ratings: its own is their mean, or nothing where there is none."""
    mean = fmean(each.value for each in ratings) if ratings else None
    return replace(item, rating=mean, judges=max(1, len(ratings)), by_sign=False, ratings=ratings)


def by_item(items: list[Item], columns: Container[str]) -> list[Item]:
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
