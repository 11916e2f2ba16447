"""Reports that are declared once: text, tables and JSON are made from the same parts.

A report is a sequence of parts. Each part has lines of text, members of the JSON object, or both. A `Table` has columns
that define its cells both for the text, which aligns the columns, and for JSON, which lists an object for each row.
Lines and values that are slow to compute are given as functions, which are called only when needed.

>>> table = Table((Column("part", ".1f", "real"), Column("size", ".1f", value=abs)), [3 + 4j, 1j], "numbers")
>>> list(table.lines())
['part  size', '3.0   5.0', '0.0   1.0']
>>> Report("example/1", [table, Line("sizes are absolute values")]).value()
{'schema': 'example/1', 'numbers': [{'real': 3.0}, {'real': 0.0}]}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any, Generic, ParamSpec, TypeVar

from numbat.files import table_row
from numbat.markup import aligned
from numbat.records import frozen

Row = TypeVar("Row")
Given = ParamSpec("Given")


class Part:
    """A part of a report; this base class has neither text nor JSON."""

    __slots__ = ()

    def lines(self) -> Iterable[str]:
        """Return the lines of text."""
        return ()

    def members(self) -> Iterable[tuple[str, Any]]:
        """Return the members that the part adds to the JSON object, as pairs of key and value."""
        return ()


@frozen
class Line(Part):
    """A line of text, which is not in JSON."""

    text: str = ""

    def lines(self) -> Iterable[str]:
        return (self.text,)


@frozen
class Lines(Part):
    """Lines of text, which are not in JSON."""

    texts: Sequence[str] | Callable[[], Iterable[str]]

    def lines(self) -> Iterable[str]:
        return self.texts() if callable(self.texts) else self.texts


@frozen
class Member(Part):
    """A member of the JSON object, with lines of `text` if there are any. `value` may be a function that returns it."""

    key: str
    value: Any
    text: str | Sequence[str] = ()

    def lines(self) -> Iterable[str]:
        return (self.text,) if isinstance(self.text, str) else self.text

    def members(self) -> Iterable[tuple[str, Any]]:
        return ((self.key, self.value() if callable(self.value) else self.value),)


@frozen
class Members(Part):
    """Members of the JSON object, which are not in the text."""

    values: Mapping[str, Any] | Callable[[], Mapping[str, Any]]

    def members(self) -> Iterable[tuple[str, Any]]:
        return (self.values() if callable(self.values) else self.values).items()


@frozen
class Items(Part):
    """A list of objects under a `key` in JSON. Each object is made from parts, whose lines are the text."""

    key: str
    items: Sequence[Sequence[Part]]

    def lines(self) -> Iterator[str]:
        return (line for parts in self.items for part in parts for line in part.lines())

    def members(self) -> Iterable[tuple[str, Any]]:
        return ((self.key, list(map(object_of, self.items))),)


@frozen
class Object(Part):
    """An object under a `key` in JSON, made from parts, whose lines are the text."""

    key: str
    parts: Sequence[Part]

    def lines(self) -> Iterator[str]:
        return (line for part in self.parts for line in part.lines())

    def members(self) -> Iterable[tuple[str, Any]]:
        return ((self.key, object_of(self.parts)),)


def object_of(parts: Iterable[Part]) -> dict[str, Any]:
    """Return the JSON object that has the members of all parts."""
    return {key: value for part in parts for key, value in part.members()}


@frozen
class Column(Generic[Row]):
    """A column of a table: `text` returns the cell for a row, `value` the value that JSON has under the `key`.

    A column without a `key` is only in the text, one without `text` only in JSON. `text` may be a format for the value,
    such as `.2f`. Without `value`, the value is what `text` returns if it is a function, else the attribute of the row
    called `key`.
    """

    title: str = ""
    text: Callable[[Row], str] | str | None = None
    key: str = ""
    value: Callable[[Row], Any] | None = None

    def cell(self, row: Row) -> str:
        """Return the text of the cell for a row; it is empty if the value is None."""
        if callable(self.text):
            return self.text(row)
        return "" if (value := self.of(row)) is None else format(value, self.text or "")

    def of(self, row: Row) -> Any:
        """Return the value in a row."""
        if self.value is not None:
            return self.value(row)
        return self.text(row) if callable(self.text) else getattr(row, self.key)


@frozen
class Table(Part, Generic[Row]):
    """A table with a row for each of `rows`; JSON has a list of objects under `key`, unless `key` is empty.

    The text has only the rows in `shown`, if it is given. Under the last cell of a row, the text has the lines that
    `below` returns; the last `numbers` columns are aligned to the right. A line of titles is left out if all are empty.
    """

    columns: Sequence[Column[Row]]
    rows: Sequence[Row]
    key: str = ""
    indent: str = ""
    shown: Sequence[Row] | None = None
    below: Callable[[Row], Iterable[str]] | None = None
    numbers: int = 0

    def cells(self) -> Iterator[list[str]]:
        """Yield the titles, unless all are empty, then the cells of each row as text."""
        printed = [column for column in self.columns if column.text is not None]
        if any(column.title for column in printed):
            yield [column.title for column in printed]
        for row in self._shown():
            yield [column.cell(row) for column in printed]

    def _shown(self) -> Sequence[Row]:
        return self.rows if self.shown is None else self.shown

    def lines(self) -> Iterator[str]:
        cells, shown = list(self.cells()), self._shown()
        if not cells or not cells[0]:
            return
        lines = [self.indent + line for line in aligned(cells, self.numbers)]
        under = " " * (len(lines[0]) - len(cells[0][-1]) + 2)
        titles = len(lines) - len(shown)
        yield from lines[:titles]
        for line, row in zip(lines[titles:], shown, strict=True):
            yield line
            if self.below is not None:
                yield from (under + text for text in self.below(row))

    def tsv(self) -> str:
        """Return the table as text with TABs between cells, titles first."""
        return "".join(f"{table_row(cells)}\n" for cells in self.cells())

    def objects(self) -> list[dict[str, Any]]:
        """Return the JSON object for each row."""
        return [{column.key: column.of(row) for column in self.columns if column.key} for row in self.rows]

    def members(self) -> Iterable[tuple[str, Any]]:
        return ((self.key, self.objects()),) if self.key else ()


@frozen
class Report:
    """A report: its parts, in order, and the name of the `schema` for its JSON."""

    schema: str
    parts: Sequence[Part]

    def lines(self) -> Iterator[str]:
        """Yield the report as lines of text."""
        for part in self.parts:
            yield from part.lines()

    def text(self) -> str:
        """Return the report as text, without a final newline."""
        return "\n".join(self.lines())

    def value(self) -> dict[str, Any]:
        """Return the report as a JSON object, with its schema first."""
        return {"schema": self.schema, **object_of(self.parts)}


def report(schema: str) -> Callable[[Callable[Given, Iterable[Part]]], Callable[Given, Report]]:
    """Return a decorator for functions that yield parts: they then return a report of these parts with this schema."""

    def of(parts: Callable[Given, Iterable[Part]]) -> Callable[Given, Report]:
        @wraps(parts)
        def made(*given: Given.args, **named: Given.kwargs) -> Report:
            return Report(schema, tuple(parts(*given, **named)))

        return made

    return of


def attributes(of: Any, *names: str) -> dict[str, Any] | None:
    """Return the attributes with these names of a record as a JSON object; None if `of` is None."""
    return None if of is None else {name: getattr(of, name) for name in names}


def keys(*names: str) -> list[Column[Any]]:
    """Return columns that are only in JSON, each with the attribute of this name."""
    return [Column(key=name) for name in names]


def cautions(notes: Iterable[str]) -> list[str]:
    """Return notes that call for caution as lines of text, each after an exclamation mark."""
    return [f"! {note}" for note in notes]
