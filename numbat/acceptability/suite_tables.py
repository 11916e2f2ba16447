"""Tables of judged sentences: their columns, and their cells and rows read as items of a suite."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from types import MappingProxyType
from typing import Any, Final

from numbat.acceptability.suite import SIGNS, Item, Rating, Suite, on_one_scale
from numbat.errors import DataError, Problem, Span, UsageError, close_match, counted, data_error, first_of, shortened
from numbat.records import frozen
from numbat.words.judgement_marks import (
    MEANINGS,
    RATINGS,
    leading_mark,
    like_a_mark,
    marked_parts,
    marked_sentence,
    plain_marks,
    variants,
)

COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "id": ("id", "sentence id", "pairid"),
    "item": ("item", "item id", "item number"),
    "sentence": ("sentence", "text", "phrase", "string"),
    "judgement": ("judgement", "judgment", "label", "acceptable", "mark"),
    "rating": ("rating", "mean_rating", "average", "mean", "z", "zscore", "score", "mean_z"),
    "phenomenon": ("phenomenon", "construction", "category", "type", "uid", "subcat", "condition"),
    "relation": ("relation", "violates"),
    "property": ("property",),
    "pair": ("pair", "pair_id"),
    "group": ("group", "source", "original"),
    "participant": (
        "participant",
        "participant id",
        "subject",
        "worker",
        "workerid",
        "worker id",
        "rater",
        "informant",
    ),
    "good": ("good", "sentence_good", "good sentence", "grammatical", "sen"),
    "bad": ("bad", "sentence_bad", "bad sentence", "ungrammatical", "wrong_sen"),
}
"""Usual names of columns by field, in upper or lower case, with _ or blanks; the first that a file has counts."""

SENTENCES: Final = frozenset({"sentence", "good", "bad"})
"""The columns with sentences."""

NOTHING_RENAMED: Final[Mapping[str, str]] = MappingProxyType({})

FIRST_LINE: Final = "the first line names the columns: sentence, and judgement or rating, or good and bad"
"""Hint for a table without column names."""
OTHER_NAMES: Final = (
    "--columns sentence=Satz,rating=Note translates column names, --columns rating,sentence names the columns of a "
    "file without names, --columns sentence reads a plain list"
)
"""Hint for a table whose columns have other names, or none."""


@frozen
class SuiteLayout:
    """Layout of a table of sentences, if the table does not state it.

    `names` are the names of its columns if its first line does not have them; `renamed` gives, by field, the name of
    the column in the file. With `adjacent`, every two lines are a pair; with `hash_lines`, lines that begin with `#`
    are not comments. `separator` separates cells; it is empty if the first line shows it.
    """

    names: tuple[str, ...] | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)
    adjacent: bool = False
    hash_lines: bool = False
    separator: str = ""


def layout_of(columns: str | None, adjacent: bool = False, hash_lines: bool = False) -> SuiteLayout:
    """Return the layout for names (`judgement,sentence`) or renamed columns (`sentence=Satz`). Raises UsageError."""
    if not columns:
        return SuiteLayout(None, adjacent=adjacent, hash_lines=hash_lines)
    parts = columns.split(",")
    if not any("=" in part for part in parts):
        return SuiteLayout(tuple(parts), adjacent=adjacent, hash_lines=hash_lines)
    renamed = {}
    for part in parts:
        field, is_renamed, name = (text.strip() for text in part.partition("="))
        field = "phenomenon" if field == "condition" else field
        if not is_renamed or not name:
            raise UsageError(
                f'"{part.strip()}" does not say what a column is called\n  write --columns {field or "sentence"}=NAME'
            )
        if field not in COLUMNS:
            hint = close_match(field, COLUMNS) or f"the columns of a suite are: {', '.join(COLUMNS)}"
            raise UsageError(f'"{field}" is not a column of a suite\n  {hint}')
        renamed[field] = name
    return SuiteLayout(None, renamed, adjacent, hash_lines)


def fields_of(names: Sequence[str], renamed: Mapping[str, str] = NOTHING_RENAMED) -> dict[str, int]:
    """Return the index of each field of `COLUMNS` among names of columns or keys; of equal names the first counts."""
    lower = [*map(_lowered, names)]
    called = {field: _lowered(name) for field, name in renamed.items() if _lowered(name) in lower}
    by_alias = {
        field: next((n for n in map(_lowered, aliases) if n in lower and n not in called.values()), None)
        for field, aliases in COLUMNS.items()
    }
    return {field: lower.index(name) for field, name in {**by_alias, **called}.items() if name is not None}


def _lowered(name: str) -> str:
    return " ".join(name.lower().lstrip("\ufeff").replace("_", " ").split())


def columns_of(
    names: Sequence[str], path: str, line: int, renamed: Mapping[str, str] = NOTHING_RENAMED
) -> dict[str, int]:
    """Return the index of each field. Raises DataError for a repeated or missing column, or if none has sentences."""
    lower = [*map(_lowered, names)]
    where = f"{path}:{line}" if line else path
    check_renamed(names, renamed, where)
    columns = fields_of(names, renamed)
    for name in (lower[place] for place in columns.values()):
        if lower.count(name) > 1:
            raise DataError(f'{where}: the column "{name}" is repeated\n  give each column its own name')
    if "sentence" not in columns and not {"good", "bad"} <= set(columns):
        known = [*COLUMNS["sentence"], *COLUMNS["good"], *COLUMNS["bad"]]
        unread = [name for place, name in enumerate(lower) if place not in columns.values()]
        near = next(filter(None, (close_match(name, known) for name in unread)), "")
        hint = f"{near} " if near else f"{FIRST_LINE}; "
        raise DataError(f"{where}: no column of sentences among {_listed(names)}\n  {hint}{OTHER_NAMES}")
    return columns


def check_renamed(names: Sequence[str], renamed: Mapping[str, str], where: str) -> None:
    """Raise DataError if the file lacks one of the names in `renamed`."""
    lower = [*map(_lowered, names)]
    for name in renamed.values():
        if _lowered(name) not in lower:
            hint = close_match(name, names) or "use the names in the file"
            raise DataError(f'{where}: no column "{name}" among {_listed(names)}\n  {hint}')


def _listed(names: Sequence[str]) -> str:
    return shortened(", ".join(map(repr, names))) or "none"


# Reading the cells of a row as an item of a suite, or as the two items of a minimal pair.

NumberedCells = tuple[int, Sequence[str]]
"""A line number and the cells of the line."""

NO_SENTENCE: Final = ("NA", "N/A", "NaN", "nan")
"""Ways in which other programs write an empty cell."""
NO_RATING: Final = ("", "-", "NA", "N/A", "NAN", "NONE")
"""Cells without a rating, in upper case."""
NO_VALUE: Final = frozenset(
    ("#N/A", "#NV", "#N/D", "#N/DISP", "#VALUE!", "#WERT!", "#DIV/0!", "#REF!", "#NAME?", "#NUM!", "#NULL!")
)
"""Cells of spreadsheets without a value."""
BETWEEN_RATINGS: Final = re.compile(r"\s*[;|]\s*|,\s+|\s+")
"""Separators of several ratings in a cell."""

MAX_SIZE: Final = 1e100
"""Largest absolute rating, so that squares are finite."""


def cell_text(field: str, text: str) -> str:
    """Return a cell with single blanks and none around it; sentences keep their line breaks."""
    return SEVERAL_BLANKS.sub(" ", text.strip()) if field in SENTENCES else " ".join(text.split())


SEVERAL_BLANKS: Final = re.compile(r"[^\S\r\n]{2,}")


def is_no_rating(text: str) -> bool:
    """True if a cell states that there is no rating."""
    return text.strip().upper() in NO_RATING or text.strip().upper() in NO_VALUE


class CellError(ValueError):
    """A cell of the column `field` that cannot be understood."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def is_marked(table: Iterable[NumberedCells], columns: dict[str, int]) -> bool:
    """True if marks before sentences are their only judgements."""
    if "sentence" not in columns or "judgement" in columns or "rating" in columns:
        return False
    place = columns["sentence"]
    return any(has_marks(cells[place]) for _, cells in table if place < len(cells))


def has_marks(sentence: str) -> bool:
    """True if a sentence has a mark before or inside it."""
    return bool(leading_mark(sentence)[0] or marked_parts(sentence))


def unmark(row: dict[str, str], marked: bool) -> dict[str, str]:
    """Remove the marks from the sentences in a row and return these by column; if `marked`, they are the judgements.

    A property after the mark of a sentence fills an empty cell of the column `property`.
    """
    marks = {}
    for column in sorted(SENTENCES & set(row)):
        marks[column], named, row[column] = marked_sentence(row[column])
        if named and column == "sentence" and is_empty(row.get("property", "")):
            row["property"] = named
        if marked and column == "sentence":
            row["judgement"] = marks[column] or "ok"
    return marks


def is_empty(cell: str) -> bool:
    """True if a cell of names is empty or has only dashes."""
    return not cell.strip(" -")


def check_marks(row: dict[str, str], marks: dict[str, str]) -> None:
    """Raise CellError for a mark before a sentence that contradicts its column or judgement."""
    judged = {"sentence": row.get("judgement"), "good": "ok", "bad": "*"}
    for column, mark in marks.items():
        sign = judged[column]
        if mark and sign is not None and {RATINGS[mark], SIGNS.get(plain_marks(sign).lower())} == {0.0, 1.0}:
            said = f'the judgement is "{sign}"' if column == "sentence" else f'the column is "{column}"'
            where = f'the mark "{mark}" stands before the sentence, but {said}'
            raise CellError(column, f"{where}\nremove one of the two")


def items_of(row: dict[str, str], line: int) -> list[Item]:
    """Return the item of a row, or the two items of a minimal pair. Raises ValueError."""
    if row.get("good") or row.get("bad"):
        name = row.get("pair") or row.get("id") or row.get("item") or str(line)
        sides = (("good", "ok", 1.0), ("bad", "*", 0.0))
        items = []
        for side, sign, value in sides:
            if row.get(side, "") in ("", *NO_SENTENCE):
                raise ValueError(f"the pair lacks its {side} sentence\nwrite it in its column, or leave out the line")
            phenomenon, group = row.get("phenomenon", ""), row.get("group", "")
            items.append(
                Item(f"{name}-{side}", row[side], value, sign, phenomenon, (), name, 1, line, group=group, by_sign=True)
            )
        return items
    sentence = row.get("sentence", "")
    if sentence in ("", *NO_SENTENCE):
        raise ValueError("no sentence\nwrite one, or leave out the line")
    judgement, rating, values = _judged(row)
    relations = tuple(part for part in row.get("relation", "").replace(",", "|").split("|") if not is_empty(part))
    named = row.get("property", "")
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
            named_property="" if is_empty(named) else named,
        )
    ]


def _judged(row: dict[str, str]) -> tuple[str | None, float | None, list[float]]:
    """Return the sign of a row, its mean rating, and its single ratings."""
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
    raise CellError("judgement", f'"{sign}" is not a judgement\nwrite ok, ?, ??, * or a number')


def is_graded(table: Iterable[NumberedCells], place: int) -> bool:
    """True if a judgement is a number other than 0 and 1, so that the column has ratings and not signs."""
    return any(_is_grade(cells[place]) for _, cells in table if place < len(cells))


def _is_grade(sign: str) -> bool:
    try:
        return float(sign) not in (0.0, 1.0)
    except ValueError:
        return False


DECIMAL_COMMA: Final = re.compile(r"([+-]?\d+),(\d+)")
"""A number with a decimal comma: 2,5."""


def is_rating(value: float) -> bool:
    """True if a number can be a rating; infinity and `nan` cannot."""
    return abs(value) <= MAX_SIZE


def _numbers(text: str) -> list[float]:
    """Return the ratings in a cell: one or several, separated by blanks, `;` or `|`, with or without brackets."""
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
        hint = f"write {comma[1]}.{comma[2]}" if comma else "leave the cell empty if there is none"
        raise CellError("rating", f'"{text}" is not a rating\na rating is a number; {hint}')
    return value


# From the rows of a table to the items of a suite.
#
# The columns of a table are `id`, `item`, `judgement`, `sentence`, `phenomenon`, `relation`, `property`, `rating`,
# `pair`, `group`, or the names of these in published data sets; a minimal pair may be one row with `good` and `bad`.
# `columns_of` finds them, `items_of` reads a row, and `suite_files` reads files with such tables.


def read_rows(
    rows: Iterable[NumberedCells],
    path: str,
    names: Sequence[str] | None = None,
    adjacent: bool = False,
    renamed: Mapping[str, str] = NOTHING_RENAMED,
) -> Suite:
    """Return the suite of a table; `names` and `renamed` are as in `SuiteLayout`, `adjacent` lines are pairs.

    Without a column of judgements the marks before sentences count; if any sentence has one, those without are good.
    Without any judgements the first of a pair is the good one. Raises DataError with all unreadable lines, and if there
    are no items.
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
    divided = DividedLines(in_pairs=adjacent)
    items, problems = _read(table, columns, names, marked, path, first is not None, divided)
    unread = tuple(name.strip() for place, name in enumerate(names) if name.strip() and place not in columns.values())
    items = by_item(_averaged(items), columns)
    if adjacent:
        if not marked and not unread and not {"judgement", "rating"} & set(columns):
            items = [_judged_by_place(item, place) for place, item in enumerate(items)]
        problems += _pair_up(items, path)
    suite = finished(items, problems, path)
    return replace(suite, unread=unread, notes=(*suite.notes, *divided.notes(path)))


def _read(
    table: Sequence[NumberedCells],
    columns: dict[str, int],
    names: Sequence[str],
    marked: bool,
    path: str,
    titled: bool,
    divided: DividedLines,
) -> tuple[list[Item], list[Problem]]:
    """Return the items of rows, and the problems of others; if `titled`, the first line names the columns.

    Lines with marks inside sentences are added to `divided`.
    """
    items: list[Item] = []
    problems: list[Problem] = []
    met: dict[tuple[str, ...], int] = {}
    graded = "judgement" in columns and is_graded(table, columns["judgement"])
    unread = [(name.strip(), place) for place, name in enumerate(names) if name.strip()]
    unread = [(name, place) for name, place in unread if place not in columns.values()]
    for line, cells in table:
        if len(cells) != len(names):
            wrong = f"{counted(len(cells), 'cell')}, but {counted(len(names), 'column')}"
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
            places = _column(cells, columns, "relation"), _column_of_property(cells, columns, row.get("property", ""))
            for item in items_of(row, line):
                others = tuple((name, " ".join(cells[place].split())) for name, place in unread)
                placed = replace(item, relation_column=places[0], named_column=places[1], others=others)
                items += (
                    divided.by_variant(placed, marked) if "*" in item.sentence or "?" in item.sentence else [placed]
                )
        except ValueError as error:
            message, _, hint = str(error).partition("\n")
            if not titled and line == table[0][0] and isinstance(error, CellError):
                hint += "; --columns is for a file without a line of names: leave that line out"
            where = Span(path, line, _column(cells, columns, error.field) if isinstance(error, CellError) else 1)
            problems.append(Problem(message, where, hint=hint))
    return items, problems


@dataclass
class DividedLines:
    """The lines with marks inside sentences: those whose `variants` are separate items, and those with only the `best`
    variant, because they belong to a pair or have ratings. If `in_pairs`, all lines are pairs.
    """

    in_pairs: bool = False
    variants: list[int] = field(default_factory=list)
    best: list[int] = field(default_factory=list)

    def by_variant(self, item: Item, marked: bool) -> list[Item]:
        """Return the items of the variants of a sentence with marks inside; if `marked`, marks are the only judgements.

        Raises CellError if a sentence is judged good but has only bad variants.
        """
        if not marked_parts(item.sentence):
            return [item]
        if self.in_pairs or not item.by_sign or item.pair or item.judgement is None:
            self.best.append(item.line)
            return [item]
        parts_ = list(variants(item.sentence))
        if not marked and item.is_good and RATINGS.get(parts_[0].mark) == 0.0:
            where = f'the mark "{parts_[0].mark}" stands inside the sentence, but the judgement is "{item.judgement}"'
            raise CellError("sentence", f"{where}\nremove one of the two")
        self.variants.append(item.line)
        named = item.group or item.id
        return [
            replace(
                item,
                id=f"{item.id}/{number}" if len(parts_) > 1 else item.id,
                sentence=variant.sentence,
                group=named if len(parts_) > 1 else item.group,
                **_judged_worse(item, variant.mark),
            )
            for number, variant in enumerate(parts_, start=1)
        ]

    def notes(self, path: str) -> Iterator[str]:
        """Yield notes on the reading of sentences with marks inside."""
        if lines := self.variants:
            which = f"{path}:{first_of(list(map(str, lines)), 3)}"
            said = f"marks inside {counted(len(lines), 'sentence')}"
            yield f"{said}: each variant is read as a separate sentence ({which})"
        if lines := self.best:
            which = f"{path}:{first_of(list(map(str, lines)), 3)}"
            said = f"marks inside {counted(len(lines), 'sentence')} of pairs or with ratings"
            yield f"{said}: only the best variant was read ({which})"


def _judged_worse(item: Item, mark: str) -> dict[str, Any]:
    """Return the fields of an item that a mark inside it changes: a worse judgement and rating."""
    rating = SIGNS.get(mark, 1.0)
    return {} if item.rating is None or item.rating <= rating else {"judgement": mark, "rating": rating}


def _column(cells: Sequence[str], columns: dict[str, int], field: str) -> int:
    """Return the column in the line where the cell of a field begins."""
    place = columns.get(field, columns.get("judgement", 0) if field == "rating" else 0)
    return 1 + sum(len(cell) + 1 for cell in cells[:place])


def _column_of_property(cells: Sequence[str], columns: dict[str, int], named: str) -> int:
    """Return the column in the line where a property begins: in its cell, or after the mark of the sentence."""
    for column in ("property", "sentence"):
        if named and column in columns and named in cells[columns[column]]:
            return _column(cells, columns, column) + cells[columns[column]].index(named)
    return 1


def finished(items: Sequence[Item], problems: Sequence[Problem], path: str) -> Suite:
    """Return the suite. Raises DataError for problems, repeated ids, and if there are no items."""
    problems = [*problems, *_repeated(items, path)]
    if problems:
        raise data_error(*sorted(problems, key=lambda problem: problem.span))
    if not items:
        raise DataError(f"{path}: no items\n  write one line for each sentence below the column names")
    twins = _of_same_sentence(items)
    kept = [item for item in items if item.pair not in twins]
    same = same_sentences([f"{path}:{line}" for line in twins.values()]) if twins else ""
    if not kept:
        raise DataError(f"{path}: no items: {same}\n  give each pair a good sentence and a bad one that differ")
    return Suite(path, on_one_scale(kept), notes=tuple(filter(None, (same, _no_marks(kept, path)))))


def _no_marks(items: Sequence[Item], path: str) -> str:
    """Return a note on signs before sentences that only look like marks."""
    signs = {item.line: like_a_mark(item.sentence) for item in items}
    read_as_words = [f'"{sign}" ({path}:{line})' for line, sign in signs.items() if sign]
    if not read_as_words:
        return ""
    return f"read as words, not marks: {first_of(read_as_words, 3)}; marks are {' '.join(MEANINGS)}"


def _of_same_sentence(items: Sequence[Item]) -> dict[str, int]:
    """Return the names of pairs whose two sentences are the same, with their first lines."""
    pairs: dict[str, list[Item]] = {}
    for item in items:
        if item.pair:
            pairs.setdefault(item.pair, []).append(item)
    return {
        name: both[0].line for name, both in pairs.items() if len(both) == 2 and both[0].sentence == both[1].sentence
    }


def same_sentences(places: Sequence[str]) -> str:
    """Return the message that pairs at these places, given as file and line, have two equal sentences."""
    number = counted(len(places), "pair")
    return f"the two sentences of a pair are the same: {number} left out ({first_of(places, 3)})"


def _judged_by_place(item: Item, place: int) -> Item:
    """Return the item judged by its line in the pair: the first sentence is the good one."""
    sign = "*" if place % 2 else "ok"
    return item if item.pair else replace(item, judgement=sign, rating=SIGNS[sign], by_sign=True)


def _pair_up(items: list[Item], path: str) -> list[Problem]:
    """Pair every two adjacent items; return the problems of pairs that are not judged."""
    problems = []
    for i in range(0, len(items) - 1, 2):
        both = items[i : i + 2]
        ratings = [item.rating for item in both]
        if None in ratings or ratings[0] == ratings[1]:
            wrong = "are not both judged" if None in ratings else "are judged the same"
            where = Span(path, both[0].line)
            problems.append(Problem(f"not a pair: this line and the next {wrong}", where, hint=PAIRS_HINT))
        for j, item in enumerate(both):
            items[i + j] = replace(item, pair=str(both[0].line))
    if len(items) % 2:
        problems.append(Problem("the last line has no partner", Span(path, items[-1].line), hint=PAIRS_HINT))
    return problems


PAIRS_HINT: Final = "with --pairs every two lines are a pair: put each good sentence next to its bad one"


def _averaged(items: Iterable[Item]) -> list[Item]:
    """Return the items; those with the same id and sentence are merged into one, rated by the mean of their ratings."""
    items = list(items)
    if all(item.by_sign for item in items):
        return items
    alike: dict[Item, list[Item]] = {}
    for item in items:
        known = replace(item, rating=None, line=0, by_sign=False, ratings=(), judges=1, others=())
        alike.setdefault(known, []).append(item)
    averaged: list[Item] = []
    for first, *others in alike.values():
        if others and first.others:
            shared = set(first.others).intersection(*(item.others for item in others))
            first = replace(first, others=tuple(cell for cell in first.others if cell in shared))
        ratings = tuple(rating for item in (first, *others) for rating in item.ratings)
        if ratings:
            averaged.append(rated_by(first, ratings))
        else:
            averaged += (first, *others) if first.by_sign else (first,)
    return averaged


def rated_by(item: Item, ratings: tuple[Rating, ...]) -> Item:
    """Return the item with these ratings, and their mean as its rating (None if there are none)."""
    mean = fmean(rating.value for rating in ratings) if ratings else None
    return replace(item, rating=mean, judges=max(1, len(ratings)), by_sign=False, ratings=ratings)


def by_item(items: list[Item], columns: Container[str]) -> list[Item]:
    """Return the items of an experiment, grouped by the number in the column `item` that their conditions share.

    Without a column of ids it is also the id; to make ids unique, the condition is added, or else the line.
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
    """Return the problems of repeated ids: one of each kind, as there may be many such lines."""
    first: dict[str, Item] = {}
    again = [item for item in items if first.setdefault(item.id, item) is not item]
    judged = [item for item in again if item.sentence == first[item.id].sentence]
    others = [item for item in again if item.sentence != first[item.id].sentence]
    problems = []
    for lines, which, hint in (
        (judged, " and the sentence are those", "judge each sentence once, or leave the column out"),
        (others, " is that", NO_ID_TWICE),
    ):
        if lines:
            times = f" ({len(lines):,} such lines)" if len(lines) > 1 else ""
            message = f'the id "{lines[0].id}"{which} of line {first[lines[0].id].line}{times}'
            problems.append(Problem(message, Span(path, lines[0].line), hint=hint))
    return problems


NO_ID_TWICE: Final = (
    "give every sentence its own id, or leave out the column; "
    'a number that the conditions of an experiment share belongs in a column "item"'
)


def value_of(item: Item, column: str) -> str:
    """Return the cell of an item in one of its further columns, or its phenomenon; else an empty text."""
    lower = column.lower()
    cell = next((value for name, value in item.others if name.lower() == lower), None)
    if cell is None:
        return item.phenomenon if lower in COLUMNS["phenomenon"] else ""
    return cell
