"""Answers that verbs (commands) print: lines of text, a JSON value with a named and versioned schema, the run record.

The file `answers.schema.json` beside this module has the schemas under `$defs`, by the name that a value has under
`schema`, such as `numbat.coverage/1`. Parses in answers have the schema `numbat.parse/2`, traces `numbat.trace/1`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from numbat.errors import DataError, NumbatError, Problem
from numbat.grammar.properties import Property, format_number, format_property
from numbat.records import frozen
from numbat.reports.report import Column, Report, Table
from numbat.reports.run_notes import run_part
from numbat.runs.record import RunRecord

if TYPE_CHECKING:
    from numbat.runs.loop import Executor

SCHEMA_FILE: Final = Path(__file__).with_name("answers.schema.json")
"""File with the JSON Schemas of all answers."""


@frozen
class Answer:
    """A report as text and as JSON; both end with the `record` of the run, if there is one.

    `where` is what an error about a tree that is too deep for JSON calls the input.
    """

    report: Report
    record: RunRecord | None = None
    where: str = "<sentence>"

    def text(self) -> str:
        """Return the answer as text, without a final newline."""
        return self._whole().text()

    def json(self, indent: int | None = 2) -> str:
        """Return the answer as JSON, on one line if `indent` is None. Raises DataError for a tree that is too deep."""
        return json_text(self._whole().value(), self.where, "-f text", indent)

    def _whole(self) -> Report:
        return replace(self.report, parts=(*self.report.parts, run_part(self.record)))


def json_text(value: Any, where: str, instead: str, indent: int | None = None, compact: bool = False) -> str:
    """Return a value as JSON text; if `compact`, without blanks.

    Raises DataError if the value is nested too deeply for `json.loads`; the message begins with `where` and proposes
    the option `instead`.
    """
    try:
        if compact:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        text = json.dumps(value, ensure_ascii=False)  # fails at once for deep nesting, the indented form only late
        return text if indent is None else json.dumps(value, ensure_ascii=False, indent=indent)
    except RecursionError:
        raise DataError(f"{where}: this tree is too deep for JSON\n  {instead} writes any depth") from None


PROPERTY: Final[Sequence[Column[Property]]] = (
    Column(key="construction"),
    Column("relation", "", "relation", attrgetter("type")),
    Column("property", format_property, "property"),
    Column("weight", lambda prop: format_number(prop.weight_units), "weight", lambda prop: prop.weight),
    Column("cost", lambda prop: format_number(prop.cost_units), "cost", lambda prop: prop.cost),
    Column("hard", lambda prop: "hard" if prop.hard else "", "hard", attrgetter("hard")),
    Column("line", "", "place"),
)
"""Columns for the properties of a grammar, with their strength and their place in its files."""


def property_json(prop: Property) -> dict[str, Any]:
    """Return a property of a grammar as JSON, with its strength and its place in the grammar's files."""
    (row,) = Table(PROPERTY, (prop,)).objects()
    return row


# Problems in a file: as JSON, and as commands that annotate lines in a GitHub workflow


def problem_json(problem: Problem) -> dict[str, Any]:
    """Return an error or warning as JSON, with its place; line 0 means the file as a whole."""
    span = problem.span
    return {
        "severity": problem.severity,
        "message": problem.message,
        "file": span.path,
        "line": span.line,
        "column": span.column,
        "end_column": span.end_column,
        "expected": problem.expected,
        "found": problem.found,
        "hint": problem.hint,
    }


def annotation(problem: Problem) -> str:
    """Return a problem as an annotation for GitHub: `::warning file=mine.pg,line=3,col=5::message`."""
    span = problem.span
    place = [("file", span.path)]
    if span.line:
        place += [("line", str(span.line)), ("col", str(span.column))]
        place += [("endColumn", str(span.end_column))] if span.end_column > span.column else []
    named = ",".join(f"{name}={_escaped(text, ':,')}" for name, text in place)
    lines = [problem.message]
    lines += [f"{what}: {text}" for what, text in (("expected", problem.expected), ("found", problem.found)) if text]
    lines += [problem.hint] if problem.hint else []
    kind = "notice" if problem.severity == "note" else problem.severity
    return f"::{kind} {named}::{_escaped(chr(10).join(lines))}"


def _escaped(text: str, signs: str = "") -> str:
    for sign in ("%", "\r", "\n", *signs):
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text


class Console(Protocol):
    """Output of a verb (command): results, optional notes, errors, progress."""

    def write(self, text: str, painted: bool = False) -> None:
        """Print a part of the result, which is in colour if `painted`."""

    def answer(self, form: str, answer: Answer, **documents: Callable[[], str]) -> None:
        """Print an answer in the format `form`: as text, as JSON, or as the document of that name, a complete file."""

    def put(self, path: str | None, text: str) -> None:
        """Write a file, or print its text if `path` is None. Raises UnwritableError."""

    def save(self, path: str, text: str) -> None:
        """Write a file and print that it was written. Raises UnwritableError."""

    def say(self, text: str) -> None:
        """Print a note on standard error, unless notes are switched off."""

    def tell(self, text: str) -> None:
        """Print on standard error an error, or a text that was requested by an option."""

    def complain(self, error: NumbatError) -> None:
        """Report an error in one of the inputs."""

    def begin(self, what: str, total: int | None = None) -> None:
        """Start to show the progress of a task; `what` is counted, as a plural noun, up to `total` if known."""

    def advance(self) -> None:
        """Count one more thing as done."""

    def clear(self) -> None:
        """Remove what is shown of the progress."""

    def over(self, executor: Executor, runs: int = 1) -> Executor:
        """Return an executor that also shows its progress; a number of `runs` of equal length are counted together."""
