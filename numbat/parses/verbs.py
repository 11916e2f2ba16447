"""Makes parsers, sentences, suites and scorers of settings, and parses many sentences with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from numbat.errors import DataError, UsageError
from numbat.parses.formats import FORMATS, TreeStyle, asides
from numbat.parses.job import ParsedSentence, ParseFacts, ParseJob, Tracing
from numbat.parses.sentences import Reading
from numbat.parsing.policies import Overdue, never
from numbat.parsing.sentence_parser import SentenceParser
from numbat.records import frozen
from numbat.reports.run_notes import SentenceRemarks, remarks_on
from numbat.runs.loop import BatchRun, Executor, Failure, Record, in_this_process
from numbat.runs.sentences import InputSentence, NamedText
from numbat.settings import record_of
from numbat.treebanks.scores import SentenceScore

if TYPE_CHECKING:
    from numbat.runs.journal import Resumable
    from numbat.treebanks.scores import EvalbParameters


# Executors and limits of a run


# Parsing many sentences


def parse_sentences(
    parser: SentenceParser,
    sentences: Iterable[InputSentence | DataError],
    n: int = 1,
    tracing: Tracing | None = None,
    overdue: Overdue = never,
    executor: Executor = in_this_process,
) -> BatchRun[InputSentence, ParsedSentence]:
    """Up to `n` parses of each sentence, as `parses.sentences.sentences_of` gives them; `overdue` is one clock for all.

    With `tracing` the phases are told of each sentence.
    """
    return BatchRun(ParseJob(parser, n, tracing), sentences, overdue, executor)


@frozen
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


@frozen
class PrintJob:
    """Reads a sentence, parses it and writes its parses in the format `form`.

    `names_guessed`: the format does not show which words were guessed, and they are to be remarked on. With `gold`, the
    best parse of a sentence that came with a tree is scored against it, and its dependencies against those of CoNLL-U.
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
            ParseFacts.from_parsed(parsed, self.parse.parser.states),
            remarks_on(sentence.id, sentence.lattice, best.guessed, self.names_guessed),
            self._score(parsed),
        )

    def _score(self, parsed: ParsedSentence) -> SentenceScore | None:
        sentence, best = parsed.sentence, parsed.parses[0]
        source = sentence.source if sentence.source is not None and sentence.source.has_heads else None
        if self.gold is None or (sentence.gold is None and source is None):
            return None
        from numbat.treebanks.converting import score_parse
        from numbat.treebanks.dependencies import dependency_tree
        from numbat.treebanks.link_scores import characters_of, count_links, uncounted

        if sentence.gold is None:
            score = SentenceScore(sentence.id, len(sentence.lattice.tokens), error="no brackets: dependencies cross")
        else:
            score = score_parse(sentence.id, sentence.gold, best, self.gold)
        if source is None:
            return score
        found = dependency_tree(best, sentence.id, self.style.ud, source)
        count = count_links if characters_of([source]) == characters_of([found]) else uncounted
        return replace(score, links=count([source], [found]))


@frozen
class NotedSentence:
    """The journal's entry on a sentence: all that is counted and reported at the end of its run.

    It `failed` if it could not be read or written, and is `lost` if it was given up; without `facts` none was parsed.
    """

    id: str
    failed: bool = False
    lost: bool = False
    facts: ParseFacts | None = None
    remarks: SentenceRemarks | None = None
    score: SentenceScore | None = None


def noted_of(record: Record[PrintedSentence]) -> NotedSentence:
    """Return the journal's entry for a record."""
    if isinstance(record, Failure):
        return NotedSentence(record.id, True, record.lost)
    printed = record.value
    if printed.is_cut and not printed.pieces:
        return NotedSentence(printed.id, True, False)
    return NotedSentence(printed.id, printed.is_cut, False, printed.facts, printed.remarks, printed.score)


def noted_in(journal: Resumable) -> Iterator[NotedSentence]:
    """Return the sentences of an earlier run. Raises UsageError for a line of the journal that tells of none."""
    from numbat.runs.journal import damaged, unread

    for number, done in enumerate(journal.done, start=2):
        try:
            found = record_of(NotedSentence, done.kept, "its sentence")
        except UsageError as error:
            raise unread(journal.path, number, error, journal.record.version) from None
        if (found.facts is None) != (found.remarks is None) or any(each < 0 for each in _numbers(done.kept)):
            raise damaged(journal.path, number, "no run notes such numbers")
        yield found


def _numbers(value: object) -> Iterator[float]:
    """Return every number in a value of JSON that was read as a record, so that it is not deep."""
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _numbers(each)
