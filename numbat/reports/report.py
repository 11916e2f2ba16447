"""Reports that are declared once: text, tables and JSON follow from the same parts.

A report is a row of parts. Each part is written as lines of text, as members of the JSON object, or as both. A `Table`
has columns that say once what a cell is: the text form aligns the columns, the JSON form lists an object for each row.
Lines and values that take time are given as functions, which are called when their form is asked for.

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
    """Part of a report. By default it has neither text nor JSON."""

    __slots__ = ()

    def lines(self) -> Iterable[str]:
        """Return the lines of text."""
        return ()

    def members(self) -> Iterable[tuple[str, Any]]:
        """Return the members that the part adds to the JSON object, as keys and values."""
        return ()


@frozen
class Line(Part):
    """Line of text, which JSON does not have."""

    text: str = ""

    def lines(self) -> Iterable[str]:
        return (self.text,)


@frozen
class Lines(Part):
    """Lines of text, which JSON does not have."""

    texts: Sequence[str] | Callable[[], Iterable[str]]

    def lines(self) -> Iterable[str]:
        return self.texts() if callable(self.texts) else self.texts


@frozen
class Member(Part):
    """Member of the JSON object; `text` is its line or its lines, if it has any.

    `value` may be a function that returns it.
    """

    key: str
    value: Any
    text: str | Sequence[str] = ()

    def lines(self) -> Iterable[str]:
        return (self.text,) if isinstance(self.text, str) else self.text

    def members(self) -> Iterable[tuple[str, Any]]:
        return ((self.key, self.value() if callable(self.value) else self.value),)


@frozen
class Members(Part):
    """Members of the JSON object, which the text does not have."""

    values: Mapping[str, Any] | Callable[[], Mapping[str, Any]]

    def members(self) -> Iterable[tuple[str, Any]]:
        return (self.values() if callable(self.values) else self.values).items()


@frozen
class Items(Part):
    """List of objects under a `key`. Each object is made of parts, and the text has the lines of these parts."""

    key: str
    items: Sequence[Sequence[Part]]

    def lines(self) -> Iterator[str]:
        return (line for parts in self.items for part in parts for line in part.lines())

    def members(self) -> Iterable[tuple[str, Any]]:
        return ((self.key, list(map(object_of, self.items))),)


@frozen
class Object(Part):
    """Object under a `key`. It is made of parts, and the text has the lines of these parts."""

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
    """Column of a table: `text` writes the cell of a row, `value` is what JSON has under the `key`.

    A column without a `key` stands in the text alone, one without a `text` in JSON alone. `text` may be a format of the
    value, as `.2f`. Without a `value` JSON has the text, or else the attribute of the row that is called as the key.
    """

    title: str = ""
    text: Callable[[Row], str] | str | None = None
    key: str = ""
    value: Callable[[Row], Any] | None = None

    def cell(self, row: Row) -> str:
        """Return the text of a row, which is empty where there is no value."""
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

    The text has the rows that are `shown`, if these are others, and the lines `below` a row under its last cell; the
    last `numbers` columns are set to the right. It has no line of titles where no column has one.
    """

    columns: Sequence[Column[Row]]
    rows: Sequence[Row]
    key: str = ""
    indent: str = ""
    shown: Sequence[Row] | None = None
    below: Callable[[Row], Iterable[str]] | None = None
    numbers: int = 0

    def cells(self) -> Iterator[list[str]]:
        """Return the titles, where there are any, then the cells of each row as text."""
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
        """Return the table with TABs between its cells, the titles first."""
        return "".join(f"{table_row(cells)}\n" for cells in self.cells())

    def objects(self) -> list[dict[str, Any]]:
        """Return an object for each row."""
        return [{column.key: column.of(row) for column in self.columns if column.key} for row in self.rows]

    def members(self) -> Iterable[tuple[str, Any]]:
        return ((self.key, self.objects()),) if self.key else ()


@frozen
class Report:
    """Report with a `schema` for its JSON, as parts in the order in which both forms have them."""

    schema: str
    parts: Sequence[Part]

    def lines(self) -> Iterator[str]:
        """Return the report as lines of text."""
        for part in self.parts:
            yield from part.lines()

    def text(self) -> str:
        """Return the report as text, without the end of the last line."""
        return "\n".join(self.lines())

    def value(self) -> dict[str, Any]:
        """Return the report as a JSON object, which begins with its schema."""
        return {"schema": self.schema, **object_of(self.parts)}


def report(schema: str) -> Callable[[Callable[Given, Iterable[Part]]], Callable[Given, Report]]:
    """Make a function that yields parts return the report of them, with this schema."""

    def of(parts: Callable[Given, Iterable[Part]]) -> Callable[Given, Report]:
        @wraps(parts)
        def made(*given: Given.args, **named: Given.kwargs) -> Report:
            return Report(schema, tuple(parts(*given, **named)))

        return made

    return of


def attributes(of: Any, *names: str) -> dict[str, Any] | None:
    """Return attributes of a record as a JSON object, None where there is no record."""
    return None if of is None else {name: getattr(of, name) for name in names}


def keys(*names: str) -> list[Column[Any]]:
    """Return columns that JSON alone has, each with the attribute of that name."""
    return [Column(key=name) for name in names]


def cautions(notes: Iterable[str]) -> list[str]:
    """Return notes on what to beware of as lines of text."""
    return [f"! {note}" for note in notes]
