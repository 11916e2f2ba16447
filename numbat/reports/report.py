"""Reports declared once: text, tables and JSON are made of the same parts.

A report is a sequence of parts. Each part has lines of text, members of the JSON object, or both. A `Table` has columns
that define its cells once: the text aligns the columns, JSON lists an object for each row. Lines and values that are
slow to compute are given as functions, which are called only when needed.

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
    """Part of a report; by default without text and JSON."""

    __slots__ = ()

    def lines(self) -> Iterable[str]:
        """Return the lines of text."""
        return ()

    def members(self) -> Iterable[tuple[str, Any]]:
        """Return the part's members of the JSON object, as keys and values."""
        return ()


@frozen
class Line(Part):
    """Line of text, not in JSON."""

    text: str = ""

    def lines(self) -> Iterable[str]:
        return (self.text,)


@frozen
class Lines(Part):
    """Lines of text, not in JSON."""

    texts: Sequence[str] | Callable[[], Iterable[str]]

    def lines(self) -> Iterable[str]:
        return self.texts() if callable(self.texts) else self.texts


@frozen
class Member(Part):
    """Member of the JSON object, with a line or lines of `text`, if any. `value` may be a function that returns it."""

    key: str
    value: Any
    text: str | Sequence[str] = ()

    def lines(self) -> Iterable[str]:
        return (self.text,) if isinstance(self.text, str) else self.text

    def members(self) -> Iterable[tuple[str, Any]]:
        return ((self.key, self.value() if callable(self.value) else self.value),)


@frozen
class Members(Part):
    """Members of the JSON object, not in the text."""

    values: Mapping[str, Any] | Callable[[], Mapping[str, Any]]

    def members(self) -> Iterable[tuple[str, Any]]:
        return (self.values() if callable(self.values) else self.values).items()


@frozen
class Items(Part):
    """List of objects under a `key`. Each object is made of parts, whose lines make up the text."""

    key: str
    items: Sequence[Sequence[Part]]

    def lines(self) -> Iterator[str]:
        return (line for parts in self.items for part in parts for line in part.lines())

    def members(self) -> Iterable[tuple[str, Any]]:
        return ((self.key, list(map(object_of, self.items))),)


@frozen
class Object(Part):
    """Object under a `key`, made of parts, whose lines make up the text."""

    key: str
    parts: Sequence[Part]

    def lines(self) -> Iterator[str]:
        return (line for part in self.parts for line in part.lines())

    def members(self) -> Iterable[tuple[str, Any]]:
        return ((self.key, object_of(self.parts)),)


def object_of(parts: Iterable[Part]) -> dict[str, Any]:
    """Return parts as a JSON object."""
    return {key: value for part in parts for key, value in part.members()}


@frozen
class Column(Generic[Row]):
    """Column of a table: `text` writes the cell of a row, `value` is the JSON value under the `key`.

    A column without a `key` is only in the text, one without a `text` only in JSON. `text` may be a format of the
    value, such as `.2f`. Without a `value`, JSON has the text if it is a function, else the attribute named like the
    key.
    """

    title: str = ""
    text: Callable[[Row], str] | str | None = None
    key: str = ""
    value: Callable[[Row], Any] | None = None

    def cell(self, row: Row) -> str:
        """Return the text of a row; empty for a value of None."""
        if callable(self.text):
            return self.text(row)
        return "" if (value := self.of(row)) is None else format(value, self.text or "")

    def of(self, row: Row) -> Any:
        """Return the value of a row."""
        if self.value is not None:
            return self.value(row)
        return self.text(row) if callable(self.text) else getattr(row, self.key)


@frozen
class Table(Part, Generic[Row]):
    """Table with a row for each of `rows`; JSON has a list of objects under `key`, if there is one.

    The text has the rows `shown` instead, if given, and the lines `below` each row under its last cell; the last
    `numbers` columns are aligned to the right. Without any title there is no line of titles.
    """

    columns: Sequence[Column[Row]]
    rows: Sequence[Row]
    key: str = ""
    indent: str = ""
    shown: Sequence[Row] | None = None
    below: Callable[[Row], Iterable[str]] | None = None
    numbers: int = 0

    def cells(self) -> Iterator[list[str]]:
        """Yield the titles, if there are any, then the cells of each row as text."""
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
        """Return the table with TABs between cells, titles first."""
        return "".join(f"{table_row(cells)}\n" for cells in self.cells())

    def objects(self) -> list[dict[str, Any]]:
        """Return an object for each row."""
        return [{column.key: column.of(row) for column in self.columns if column.key} for row in self.rows]

    def members(self) -> Iterable[tuple[str, Any]]:
        return ((self.key, self.objects()),) if self.key else ()


@frozen
class Report:
    """Report with a `schema` for its JSON; text and JSON have its parts in order."""

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
    """Decorate a function that yields parts, so that it returns their report with this schema."""

    def of(parts: Callable[Given, Iterable[Part]]) -> Callable[Given, Report]:
        @wraps(parts)
        def made(*given: Given.args, **named: Given.kwargs) -> Report:
            return Report(schema, tuple(parts(*given, **named)))

        return made

    return of


def attributes(of: Any, *names: str) -> dict[str, Any] | None:
    """Return attributes of a record as a JSON object; None for None."""
    return None if of is None else {name: getattr(of, name) for name in names}


def keys(*names: str) -> list[Column[Any]]:
    """Return JSON-only columns, each with the attribute of that name."""
    return [Column(key=name) for name in names]


def cautions(notes: Iterable[str]) -> list[str]:
    """Return cautions as lines of text."""
    return [f"! {note}" for note in notes]
