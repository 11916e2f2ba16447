"""SyntaxGym suites, in JSON and CSV: items in conditions, whose sentences are given region by region.

A JSON document has `items`, each with an `item_number` and `conditions`; a condition has a `condition_name` and
`regions`, each with a `region_number` and `content`. The table has a line for each region, with these columns.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, Final, NamedTuple

from numbat.acceptability.suite import Item, Suite
from numbat.acceptability.suite_tables import NumberedCells, by_item, finished
from numbat.errors import DataError, Problem, Span, counted, data_error, half_escaped, shortened

COLUMNS: Final = ("item_number", "condition_name", "region_number", "content")
"""The required columns of the table."""
WRITTEN: Final = 'a suite of SyntaxGym has "items"; items have "conditions", conditions "regions", regions "content"'
"""Hint for a document that is not a suite."""


def is_document(lines: Sequence[str]) -> bool:
    """True if a text that begins with a brace is a JSON document of several lines, or a suite on one line."""
    first, second = _first_lines(lines)
    if second.startswith("{"):
        return False
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        return not first.endswith("}") and (bool(second) or '"items"' in first)
    return isinstance(value, dict) and isinstance(value.get("items"), list)


def _first_lines(lines: Iterable[str]) -> tuple[str, str]:
    written = (line.strip() for line in lines)
    lines_there = (line for line in written if line)
    return next(lines_there, ""), next(lines_there, "")


def read_document(lines: Sequence[str], path: str) -> Suite:
    """Return the suite of a JSON document. Raises DataError with all mistakes in it."""
    document = JsonDocument("\n".join(lines), path)
    document.problems += filter(None, (half_escaped(line, path, at) for at, line in enumerate(lines, start=1)))
    whole = document.first()
    parts = {member.key: member for member in document.members(whole)} if isinstance(whole.value, dict) else {}
    sentences: list[Sentence] = []
    items = parts.get("items")
    if items is None or not isinstance(items.value, list):
        raise DataError(f'{path}: this JSON document has no list of "items"\n  {WRITTEN}; or write one object per line')
    for item in document.members(items):
        sentences += _sentences_of(item, document)
    suite = _suite(sentences, document.problems, path)
    predictions = parts.get("predictions")
    if predictions is None or not predictions.value:
        return suite
    formulas = tuple(_formulas_of(predictions.value))
    notes = (*suite.notes, *([NOT_EVALUATED] if any(map(OF_REGIONS.search, formulas)) or not formulas else []))
    return replace(suite, notes=notes, formulas=formulas)


def _formulas_of(predictions: Any) -> Iterator[str]:
    for prediction in predictions if isinstance(predictions, list) else ():
        formula = prediction.get("formula") if isinstance(prediction, dict) else None
        if isinstance(formula, str):
            yield formula


NOT_EVALUATED: Final = "predictions about regions are not evaluated: sentences, items and conditions were read"
OF_REGIONS: Final = re.compile(r"\(\s*\d+\s*;")


def regions_of(names: Sequence[str]) -> dict[str, int]:
    """Return the index of each column of a table of regions, by name; empty for other tables."""
    written = [name.strip().lower().replace(" ", "_") for name in names]
    return {name: written.index(name) for name in COLUMNS} if set(COLUMNS) <= set(written) else {}


def read_regions(rows: Iterable[NumberedCells], names: Sequence[str], path: str) -> Suite:
    """Return the suite in a table of regions with columns `names`; `rows` are without the header. Raises DataError."""
    columns = regions_of(names)
    sentences: dict[tuple[str, str], Sentence] = {}
    problems: list[Problem] = []
    for line, cells in rows:
        if len(cells) != len(names):
            wrong = f"{counted(len(cells), 'cell')}, but {counted(len(names), 'column')}"
            problems.append(Problem(wrong, Span(path, line), hint="separate cells as in the first line; quote in CSV"))
            continue
        item, condition, number, content = (cells[columns[name]].strip() for name in COLUMNS)
        sentence = sentences.setdefault((item, condition), Sentence(item, condition, line, []))
        if any(number == known for known, _ in sentence.regions):
            problems.append(_twice(number, sentence, Span(path, line)))
        sentence.regions.append((number, content))
    return _suite([*sentences.values()], problems, path)


class Sentence(NamedTuple):
    """A condition of an item: its line, and its regions in order, each with its number."""

    item: str
    condition: str
    line: int
    regions: list[tuple[str, str]]

    @property
    def text(self) -> str:
        """The contents of the regions, joined by blanks except before punctuation."""
        text = ""
        for content in (" ".join(content.split()) for _, content in self.regions):
            text += " " * bool(text and content and content[0] not in ",.;:!?") + content
        return text


def _suite(sentences: Sequence[Sentence], problems: list[Problem], path: str) -> Suite:
    items: list[Item] = []
    known: dict[tuple[str, str], int] = {}
    for sentence in sentences:
        place = Span(path, sentence.line)
        name = (sentence.item, sentence.condition)
        if name in known:
            said = f'the condition "{shortened(sentence.condition)}" of item {shortened(sentence.item)}'
            message = f"{said} repeats that of line {known[name]}"
            problems.append(Problem(message, place, hint="give each condition of an item its own name"))
        elif not sentence.text:
            problems.append(Problem("a condition without words", place, hint="fill its regions, or leave it out"))
        known.setdefault(name, sentence.line)
        items.append(
            Item(sentence.item, sentence.text, None, None, sentence.condition, line=sentence.line, group=sentence.item)
        )
    if problems:
        raise data_error(*sorted(problems, key=lambda problem: problem.span))
    return finished(by_item(items, ("item",)), [], path)


def _twice(number: str, sentence: Sentence, place: Span) -> Problem:
    said = f'region {shortened(number)} of the condition "{shortened(sentence.condition)}" is repeated'
    return Problem(f"{said} in item {shortened(sentence.item)}", place, hint="give each region its own number")


def _sentences_of(item: JsonMember, document: JsonDocument) -> Iterator[Sentence]:
    """Yield the conditions of an item; its mistakes are added to the problems of the document."""
    parts = {member.key: member for member in document.members(item)} if isinstance(item.value, dict) else {}
    conditions, number = parts.get("conditions"), parts.get("item_number")
    if conditions is None or not isinstance(conditions.value, list) or not _is_name(number):
        document.complain(item, 'not an item with an "item_number" and a list of "conditions"')
        return
    for condition in document.members(conditions):
        named = {part.key: part for part in document.members(condition)} if isinstance(condition.value, dict) else {}
        name, regions = named.get("condition_name"), named.get("regions")
        if regions is None or not isinstance(regions.value, list) or not _is_name(name):
            document.complain(condition, 'not a condition with a "condition_name" and a list of "regions"')
            continue
        sentence = Sentence(str(number.value), str(name.value), document.line(condition.start), [])  # type: ignore[union-attr]
        for region in document.members(regions):
            _add_region(region, sentence, document)
        yield sentence


def _add_region(region: JsonMember, sentence: Sentence, document: JsonDocument) -> None:
    value = region.value if isinstance(region.value, dict) else {}
    number, content = value.get("region_number"), value.get("content")
    if not isinstance(number, int | str) or not isinstance(content, str):
        document.complain(region, 'not a region with a "region_number" and a text as its "content"')
    elif any(str(number) == known for known, _ in sentence.regions):
        document.problems.append(_twice(str(number), sentence, document.place(region.start)))
    else:
        sentence.regions.append((str(number), content))


def _is_name(member: JsonMember | None) -> bool:
    return member is not None and isinstance(member.value, int | str) and str(member.value).strip() != ""


# JSON with positions


_BLANKS: Final = re.compile(r"[ \t\n\r]*")


class JsonMember(NamedTuple):
    """A value in a JSON document: its key (empty in a list), its value, and the offset where it begins."""

    key: str
    value: Any
    start: int


class JsonDocument:
    """A JSON document that is read level by level, so that the position of each value is known."""

    def __init__(self, text: str, path: str) -> None:
        self.problems: list[Problem] = []
        self._text, self._path = text, path
        self._starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        self._decoder = json.JSONDecoder(parse_float=str)  # as written, since it may be an id

    def first(self) -> JsonMember:
        """Return the value of the whole document. Raises DataError if it is not JSON, or if text follows it."""
        start = self._behind_blanks(0)
        value, end = self._value(start)
        if (after := self._behind_blanks(end)) < len(self._text):
            raise self._error("Extra data", after)
        return JsonMember("", value, start)

    def members(self, of: JsonMember) -> Iterator[JsonMember]:
        """Yield the members of a list or of an object."""
        at, is_object = self._behind_blanks(of.start + 1), isinstance(of.value, dict)
        while self._text[at] not in "]}":
            key = ""
            if is_object:
                key, at = self._value(at)
                at = self._behind_blanks(self._behind_blanks(at) + 1)
            value, end = self._value(at)
            yield JsonMember(key, value, at)
            at = self._behind_blanks(end)
            if self._text[at] == ",":
                at = self._behind_blanks(at + 1)

    def line(self, at: int) -> int:
        """Return the line number of an offset."""
        return bisect_right(self._starts, at)

    def place(self, at: int) -> Span:
        line = self.line(at)
        return Span(self._path, line, at - self._starts[line - 1] + 1)

    def complain(self, member: JsonMember, message: str) -> None:
        """Add a problem at the place of a member."""
        self.problems.append(Problem(message, self.place(member.start), hint=WRITTEN))

    def _behind_blanks(self, at: int) -> int:
        match = _BLANKS.match(self._text, at)
        return match.end() if match else at

    def _value(self, at: int) -> tuple[Any, int]:
        try:
            return self._decoder.raw_decode(self._text, at)
        except json.JSONDecodeError as error:
            raise self._error(error.msg, error.pos) from None
        except (ValueError, RecursionError):
            deep = "this JSON is nested too deeply, or a number in it is too long"
            problem = Problem(deep, self.place(at), hint=WRITTEN)
            raise DataError(str(problem), [problem]) from None
        except StopIteration:
            raise self._error("Expecting value", at) from None

    def _error(self, message: str, at: int) -> DataError:
        is_end = not self._text[at:].strip()
        hint = "the document is cut off: get it whole" if is_end else "correct the document there"
        problem = Problem(f"not JSON: {message}", self.place(min(at, len(self._text))), hint=hint)
        return DataError(str(problem), [problem])
