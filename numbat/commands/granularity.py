"""Parses the same sentences at several granularities."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import isfinite
from typing import TYPE_CHECKING, Any

from numbat.commands.parsing import Reading
from numbat.errors import DataError, UsageError
from numbat.parsing.parser import Parser
from numbat.records import frozen
from numbat.runs.curves import GranularityPoint, ParseAt, SweepJob, points_of
from numbat.runs.loop import BatchRun, Executor, Failure, in_this_process
from numbat.runs.sources import InputSentence, NamedText

if TYPE_CHECKING:
    from numbat.treebank.scores import EvalbParameters


@frozen
class ReadSweepJob:
    """Reads a sentence and parses it at each granularity."""

    read: Reading
    sweep: SweepJob

    def __call__(self, given: NamedText | InputSentence) -> tuple[ParseAt, ...]:
        return self.sweep(self.read(given))


def granularities_of(text: str) -> tuple[float, ...]:
    """The granularities that `0,.5,1` names, each once, the smallest first. Raises UsageError."""
    found = set()
    for part in text.split(","):
        try:
            number = float(part)
        except ValueError:
            number = -1.0
        if not isfinite(number) or number < 0:
            raise UsageError(
                f'"{part.strip()}" is no granularity\n  write numbers from 0 on with commas between them: 0,0.5,1,2'
            )
        found.add(number + 0.0)
    return tuple(sorted(found))


def sweep(
    parser: Parser,
    granularities: tuple[float, ...],
    sentences: Iterable[Any],
    read: Reading,
    gold: EvalbParameters | None = None,
    executor: Executor = in_this_process,
    complain: Callable[[DataError], object] = lambda error: None,
) -> list[GranularityPoint]:
    """What each granularity makes of the sentences of `preparing.inputs_of`, those that cannot be read left out.

    Raises UsageError where a granularity has no meaning, and DataError where no sentence can be read.
    """
    job = ReadSweepJob(read, SweepJob(parser, granularities, gold))
    found = []
    for record in BatchRun(job, sentences, executor=executor).whole():
        if isinstance(record, Failure):
            complain(record.as_error())
        else:
            found.append(record.value)
    if not found:
        raise DataError("no sentence to parse\n  type some in quotes, or give a file with -i")
    return points_of(granularities, found)
