"""Answers of verbs: lines of text, a JSON value with a named and versioned schema, the record of the run.

`answers.schema.json` beside this module has the schemas under `$defs`, by the name in the `schema` of a value, such as
`numbat.coverage/1`. Parses in answers follow `numbat.parse/2`, traces `numbat.trace/1`.
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
"""JSON Schemas of all answers."""


@frozen
class Answer:
    """A report as text and as JSON; both end with the `record` of the run, if there is one.

    `where` names the input in an error about a tree that is too deep for JSON.
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
    """Return a value as JSON; `compact`: without blanks.

    Raises DataError for nesting that `json.loads` could not read, with `instead` as the option that can write it.
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
"""Columns of properties of a grammar, with strength and place."""


def property_json(prop: Property) -> dict[str, Any]:
    """Return a property of a grammar with its strength and place."""
    (row,) = Table(PROPERTY, (prop,)).objects()
    return row


# Problems of a file: as JSON, and as commands that annotate lines in a GitHub workflow


def problem_json(problem: Problem) -> dict[str, Any]:
    """Return an error or warning with its place; line 0 is the file as a whole."""
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
    """Return a problem as an annotation of GitHub: `::warning file=mine.pg,line=3,col=5::message`."""
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
    """Output of a verb: results, optional notes, errors, progress."""

    def write(self, text: str, painted: bool = False) -> None:
        """Print a part of the result."""

    def answer(self, form: str, answer: Answer, **documents: Callable[[], str]) -> None:
        """Print an answer as text, as JSON, or as one of the documents, which are complete files."""

    def put(self, path: str | None, text: str) -> None:
        """Write a file, or print its text if `path` is None. Raises UnwritableError."""

    def save(self, path: str, text: str) -> None:
        """Write a file and report it. Raises UnwritableError."""

    def say(self, text: str) -> None:
        """Print a note."""

    def tell(self, text: str) -> None:
        """Print an error, or a text that an option requests, beside the results."""

    def complain(self, error: NumbatError) -> None:
        """Report an error in one of the inputs."""

    def begin(self, what: str, total: int | None = None) -> None:
        """Start the progress of a task; `what` it counts, in the plural."""

    def advance(self) -> None:
        """Count one more as done."""

    def clear(self) -> None:
        """Remove the progress display."""

    def over(self, executor: Executor, runs: int = 1) -> Executor:
        """Return the executor with its progress shown; `runs` of equal length share one display."""
