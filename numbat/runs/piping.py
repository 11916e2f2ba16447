"""`parser.pipe(texts)`: parses of many texts on demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from numbat.errors import UsageError
from numbat.parsing.explanation.json_format import PARSE_TYPES, data_frame, to_dict
from numbat.parsing.result import Parse
from numbat.parsing.sentence_parser import SentenceParser
from numbat.records import frozen
from numbat.runs.loop import BatchRun, Executor, Failure, Record, in_this_process
from numbat.runs.pool import DEFAULT_LIMITS, Pool, WorkerLimits
from numbat.runs.sentences import NamedText
from numbat.runs.wire import Local, Transferable, WireParse

COLUMNS: Final = (
    "id", "text", "full", "well_formed", "cost", "violation_cost", "fragment_cost", "weight", "fragments", "satisfied",
    "violated", "unknown", "trees", "stopped_by", "error",
)  # fmt: skip
"""Names of the columns of a pipe; costs and weights are in the units of the grammar's notation."""


@frozen
class PipedText:
    """A text with its parse, or with the error: one of `parse` and `error` is None. `id` counts from 1."""

    id: int
    text: str
    parse: Parse | None
    error: str | None = None

    def row(self) -> tuple[Any, ...]:
        """Return the cells under `COLUMNS`; None if there is no parse."""
        values = {} if self.parse is None else to_dict(self.parse, "", "")
        values |= {"id": self.id, "text": self.text, "error": self.error}
        return tuple(values.get(column) for column in COLUMNS)


@frozen
class ParseText:
    """Parses a text."""

    parser: SentenceParser

    def __call__(self, given: NamedText) -> Transferable[Parse]:
        return Local(self.parser.parse(given.text), WireParse)


class Pipe:
    """Parses of texts on demand: iterate over them, or take all as columns or as a data frame."""

    def __init__(self, parser: SentenceParser, texts: Iterable[str], jobs: int, limits: WorkerLimits | None) -> None:
        if isinstance(texts, str):
            raise UsageError(
                "pipe takes many texts, not one\n  give a list of sentences, or use parser.parse for one sentence"
            )
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
        """Return all remaining records as lists by the names in `COLUMNS`."""
        rows = [text.row() for text in self]
        return {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}

    def to_frame(self, library: str | None = None) -> Any:
        """Return the same as a data frame of pandas or polars, whichever is installed. Raises as `data_frame`."""
        rows = [dict(zip(COLUMNS, text.row(), strict=True)) for text in self]
        types = {column: PARSE_TYPES.get(column, str) for column in COLUMNS} | {"id": int}
        return data_frame(rows, types, library)


def pipe(parser: SentenceParser, texts: Iterable[str], jobs: int = 1, limits: WorkerLimits | None = None) -> Pipe:
    """Return parses of texts on demand, from `jobs` processes, each with `limits` for one text."""
    return Pipe(parser, texts, jobs, limits)
