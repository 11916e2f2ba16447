"""`parser.pipe(texts)`: parses many texts, each when its parse is requested."""

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
"""Names of the columns in which a pipe returns its results; costs and weights are as written in grammars."""


@frozen
class PipedText:
    """A text with its parse or, if it has none, the error in words; the other is None. `id` counts texts from 1."""

    id: int
    text: str
    parse: Parse | None
    error: str | None = None

    def row(self) -> tuple[Any, ...]:
        """Return the values for `COLUMNS`; those that come from the parse are None if there is no parse."""
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
    """The parses of many texts: iterate to parse them one by one, or take all as columns or as a data frame."""

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
        """Parse all texts that are left, and return a list for each name in `COLUMNS`."""
        rows = [text.row() for text in self]
        return {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}

    def to_frame(self, library: str | None = None) -> Any:
        """Parse all texts that are left, and return a data frame of pandas or polars. Raises as `data_frame` does.

        Without a `library`, the one that is installed is used.
        """
        rows = [dict(zip(COLUMNS, text.row(), strict=True)) for text in self]
        types = {column: PARSE_TYPES.get(column, str) for column in COLUMNS} | {"id": int}
        return data_frame(rows, types, library)


def pipe(parser: SentenceParser, texts: Iterable[str], jobs: int = 1, limits: WorkerLimits | None = None) -> Pipe:
    """Return a pipe, which parses the texts in `jobs` processes; `limits` hold for each text in a process."""
    return Pipe(parser, texts, jobs, limits)
