"""Parses many sentences, as parses or as they are to be printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from numbat.errors import DataError
from numbat.parsing.limits import Overdue, never
from numbat.parsing.sentence_parser import SentenceParser
from numbat.report.parse_formats import FORMATS, TreeStyle, asides
from numbat.report.run_notes import SentenceRemarks, remarks_on
from numbat.runs.loop import BatchRun, Executor, Failure, Record, in_this_process
from numbat.runs.parsing import ParsedSentence, ParseFacts, ParseJob, Tracing
from numbat.runs.sources import InputSentence, NamedText

if TYPE_CHECKING:
    from numbat.treebank.bracket_scores import EvalbParameters, SentenceScore

Reading = Callable[[NamedText | InputSentence], InputSentence]
"""Makes a text ready to be parsed. Raises DataError for one that cannot be read."""


def parse_sentences(
    parser: SentenceParser,
    sentences: Iterable[InputSentence | DataError],
    n: int = 1,
    tracing: Tracing | None = None,
    overdue: Overdue = never,
    executor: Executor = in_this_process,
) -> BatchRun[InputSentence, ParsedSentence]:
    """Up to `n` parses of each sentence, as `preparing.sentences_of` gives them; `overdue` is one clock for all.

    With `tracing` the phases are told of each sentence.
    """
    return BatchRun(ParseJob(parser, n, tracing), sentences, overdue, executor)


@dataclass(frozen=True, slots=True)
class PrintedSentence:
    """The parses of a sentence as they are to be printed, and what is to be said and counted of them.

    `asides` go to standard error; `is_cut`: they tell of parses that could not be written. `score` compares the best
    parse with a gold tree.
    """

    id: str
    pieces: tuple[str, ...]
    is_cut: bool
    asides: tuple[str, ...]
    facts: ParseFacts
    remarks: SentenceRemarks
    score: SentenceScore | None = None


@dataclass(frozen=True, slots=True)
class PrintJob:
    """Reads a sentence, parses it and writes its parses in the format `form`.

    `names_guessed`: the format does not show which words were guessed, and they are to be remarked on. With `gold`, the
    best parse of a sentence that came with a tree is scored against it.
    """

    read: Reading
    parse: ParseJob
    form: str
    style: TreeStyle
    names_guessed: bool = False
    gold: EvalbParameters | None = None

    def __call__(self, given: NamedText | InputSentence) -> PrintedSentence:
        overdue = self.parse.parser.limits.clock()
        sentence = self.read(given)
        parsed = self.parse(sentence, overdue)
        best = parsed.parses[0]
        pieces, unwritten = FORMATS[self.form].pieces_of(parsed, self.style)
        return PrintedSentence(
            sentence.id,
            tuple(pieces),
            bool(unwritten),
            (*(f"numbat: {each}" for each in unwritten), *asides(parsed, self.form)),
            ParseFacts.of(parsed, self.parse.parser.states),
            remarks_on(sentence.id, sentence.lattice, best.guessed, self.names_guessed),
            self._score(parsed),
        )

    def _score(self, parsed: ParsedSentence) -> SentenceScore | None:
        sentence = parsed.sentence
        if self.gold is None or sentence.gold is None:
            return None
        from numbat.treebank.parses import score_parse

        return score_parse(sentence.id, sentence.gold, parsed.parses[0], self.gold)


def kept_of(record: Record[PrintedSentence]) -> dict[str, Any]:
    """What a journal keeps of a record, as a value for JSON: all that is counted and said at the end of the run."""
    if isinstance(record, Failure):
        return {"id": record.id, "failed": True, "lost": record.lost, "facts": None}
    printed = record.value
    if printed.is_cut and not printed.pieces:
        return {"id": printed.id, "failed": True, "lost": False, "facts": None}
    return {
        "id": printed.id,
        "failed": printed.is_cut,
        "lost": False,
        "facts": printed.facts,
        "remarks": printed.remarks,
        "score": None if printed.score is None else asdict(printed.score),
    }


def facts_of(kept: Mapping[str, Any]) -> ParseFacts:
    """The facts of such a value."""
    return ParseFacts(*kept["facts"])


def remarks_of(kept: Mapping[str, Any]) -> SentenceRemarks:
    """The remarks of such a value."""
    return SentenceRemarks(*kept["remarks"])


def score_of(kept: Mapping[str, Any]) -> SentenceScore | None:
    """The score of such a value, if its sentence came with a tree."""
    score = kept["score"]
    if score is None:
        return None
    from numbat.treebank.bracket_scores import SentenceScore

    return SentenceScore(**{**score, "labels": tuple(map(tuple, score["labels"]))})
