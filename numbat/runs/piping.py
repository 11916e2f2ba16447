"""`parser.pipe(texts)`: parses of many texts on demand, and how results travel between processes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Generic, Protocol, Self, TypeVar

from numbat.errors import UsageError
from numbat.grammar.model import Grammar
from numbat.parsing.analysis import ParseRecord, analysis_of
from numbat.parsing.explanation.json_format import PARSE_TYPES, data_frame, to_dict
from numbat.parsing.result import Parse
from numbat.parsing.sentence_parser import SentenceParser
from numbat.records import frozen
from numbat.runs.loop import BatchRun, Executor, Failure, Record, in_this_process
from numbat.runs.pool import DEFAULT_LIMITS, Pool, WorkerLimits
from numbat.runs.sentences import NamedText
from numbat.words.lattice import Arc

COLUMNS: Final = (
    "id", "text", "full", "well_formed", "cost", "violation_cost", "fragment_cost", "weight", "fragments", "satisfied",
    "violated", "unknown", "trees", "stopped_by", "error",
)  # fmt: skip
"""The names of the columns of a pipe. Costs and weights are those of the grammar's notation."""


@frozen
class PipedText:
    """A text with its parse, or with why it has none: one of `parse` and `error` is None. `id` counts from 1."""

    id: int
    text: str
    parse: Parse | None
    error: str | None = None

    def row(self) -> tuple[Any, ...]:
        """Return the cells under `COLUMNS`; None where there is no parse."""
        found = {} if self.parse is None else to_dict(self.parse, "", "")
        found |= {"id": self.id, "text": self.text, "error": self.error}
        return tuple(found.get(column) for column in COLUMNS)


@frozen
class ParseText:
    """Parses a text."""

    parser: SentenceParser

    def __call__(self, given: NamedText) -> Transferable[Parse]:
        return Local(self.parser.parse(given.text), WireParse)


class Pipe:
    """Texts on their way through a parser: iterate over it, or take all as columns or as a data frame."""

    def __init__(self, parser: SentenceParser, texts: Iterable[str], jobs: int, limits: WorkerLimits | None) -> None:
        if isinstance(texts, str):
            raise UsageError("pipe takes many texts, not one\n  a list of sentences, or parser.parse for one sentence")
        if jobs < 1:
            raise UsageError(f"jobs must be 1 or more, found {jobs}\n  1 works in this process")
        self._parser = parser
        self._texts: dict[int, str] = {}
        executor: Executor = in_this_process if jobs == 1 else Pool(jobs, limits or DEFAULT_LIMITS)
        self._run = BatchRun(ParseText(parser), self._named(texts), executor=executor)

    def _named(self, texts: Iterable[str]) -> Iterator[NamedText]:
        for number, text in enumerate(texts, start=1):
            if not isinstance(text, str):
                raise UsageError(f"pipe takes texts, found {text!r} as number {number}")
            self._texts[number] = text
            yield NamedText(str(number), text)

    def __iter__(self) -> Iterator[PipedText]:
        for number, record in enumerate(self._run, start=1):
            yield self._piped(number, self._texts.pop(number), record)
        self._run.check_whole()

    def _piped(self, number: int, text: str, record: Record[Transferable[Parse]]) -> PipedText:
        if isinstance(record, Failure):
            return PipedText(number, text, None, record.reason)
        return PipedText(number, text, record.value.by(self._parser.grammar))

    def to_columns(self) -> Mapping[str, list[Any]]:
        """Return all remaining records as a list for each of `COLUMNS`."""
        rows = [each.row() for each in self]
        return {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}

    def to_frame(self, library: str | None = None) -> Any:
        """Return the same as a data frame of pandas or polars, whichever is there. Raises as `data_frame`."""
        rows = [dict(zip(COLUMNS, each.row(), strict=True)) for each in self]
        types = {column: PARSE_TYPES.get(column, str) for column in COLUMNS} | {"id": int}
        return data_frame(rows, types, library)


def pipe(parser: SentenceParser, texts: Iterable[str], jobs: int = 1, limits: WorkerLimits | None = None) -> Pipe:
    """Return the texts on their way through a parser, in `jobs` processes, each with `limits` for one text."""
    return Pipe(parser, texts, jobs, limits)


# Parses on their way between processes: they go without their grammar, which is there at both ends.
#
# A parse that is pickled takes an excerpt of its grammar with it, and what refers to its constituents takes these once
# more; that would be most of what is sent. So a job gives back a `Local` value, which has the value itself in the
# process where it was made; pickled it becomes what the value is built of again (`WireParse`, `WireItem`,
# `WireVerdict`).

Value = TypeVar("Value")
Value_co = TypeVar("Value_co", covariant=True)


class Transferable(Protocol[Value_co]):
    """What gives a value by the grammar of the parser: the value itself, or what came of it from another process."""

    def by(self, grammar: Grammar) -> Value_co: ...


class Wire(Transferable[Value], Protocol[Value]):
    """What is sent of a value."""

    @classmethod
    def from_value(cls, value: Value) -> Self: ...


@frozen
class Local(Generic[Value]):
    """A value in the process where it was made; it is pickled as what is `sent` of it."""

    value: Value
    sent: type[Wire[Value]]

    def by(self, grammar: Grammar) -> Value:
        """Return the value itself."""
        return self.value

    def __reduce__(self) -> tuple[Any, ...]:
        return _received, (self.sent.from_value(self.value),)


def _received(sent: Transferable[Value]) -> Transferable[Value]:
    return sent


@frozen
class WireParse:
    """A parse without its grammar, with all readings of its words."""

    record: ParseRecord
    arcs: tuple[Arc, ...]

    @classmethod
    def from_value(cls, value: Parse) -> WireParse:
        """What is sent of a parse."""
        return cls(value.record, value.lattice.arcs)

    def by(self, grammar: Grammar) -> Parse:
        """Return the parse again. Raises DataError for another grammar."""
        return analysis_of(Parse, self.record, grammar, self.arcs)
