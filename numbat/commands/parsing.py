"""Parses many sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from numbat.errors import DataError
from numbat.parsing.limits import Overdue, never
from numbat.parsing.sentence_parser import SentenceParser
from numbat.runs.loop import BatchRun
from numbat.runs.parsing import ParsedSentence, ParseJob
from numbat.runs.sources import InputSentence


def parse_sentences(
    parser: SentenceParser,
    sentences: Iterable[InputSentence | DataError],
    n: int = 1,
    tell: Callable[[str], object] | None = None,
    overdue: Overdue = never,
) -> BatchRun[InputSentence, ParsedSentence]:
    """Up to `n` parses of each sentence, as `preparing.sentences_of` gives them; `overdue` is one clock for all.

    With `tell` the phases engine runs, and tells each round when it ends.
    """
    return BatchRun(ParseJob(parser, n, tell), sentences, overdue)
