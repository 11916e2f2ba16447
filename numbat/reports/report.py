"""Reports that are declared once: text, tables and JSON follow from the same parts.

A report is a row of parts. Each part is written as lines of text, as a member of the JSON object, or as both. A `Table`
has columns that say once what a cell is: the text form aligns the columns, the JSON form lists an object for each row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from numbat.markup import aligned
from numbat.records import frozen

Row = TypeVar("Row")


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
class Member(Part):
    """Member of the JSON object; `text` is its line, if it has one."""

    key: str
    value: Any
    text: str | None = None

    def lines(self) -> Iterable[str]:
        return () if self.text is None else (self.text,)

    def members(self) -> Iterable[tuple[str, Any]]:
        return ((self.key, self.value),)


@frozen
class Column(Generic[Row]):
    """Column of a table: `text` writes the cell of a row, `value` is what JSON has under the `key`.

    A column without a `key` stands in the text alone, one without a `text` in JSON alone.
    """

    title: str = ""
    text: Callable[[Row], str] | None = None
    key: str = ""
    value: Callable[[Row], Any] | None = None


@frozen
class Table(Part, Generic[Row]):
    """Table with a row for each of `rows`; JSON has a list of objects under `key`, if there is one."""

    columns: Sequence[Column[Row]]
    rows: Sequence[Row]
    key: str = ""
    indent: str = ""

    def cells(self) -> Iterator[list[str]]:
        """Return the titles, then the cells of each row as text."""
        shown = [column for column in self.columns if column.text is not None]
        yield [column.title for column in shown]
        for row in self.rows:
            yield [column.text(row) for column in shown if column.text is not None]

    def lines(self) -> Iterable[str]:
        return (self.indent + line for line in aligned(list(self.cells())))

    def objects(self) -> list[dict[str, Any]]:
        """Return an object for each row."""
        kept = [(column.key, column.value or column.text) for column in self.columns if column.key]
        return [{key: value(row) for key, value in kept if value is not None} for row in self.rows]

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

    def value(self) -> dict[str, Any]:
        """Return the report as a JSON object, which begins with its schema."""
        members = (member for part in self.parts for member in part.members())
        return {"schema": self.schema, **dict(members)}
