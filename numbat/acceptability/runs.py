"""Runs over a suite: the job that parses and scores an item, lost items, and readers of sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from numbat.acceptability.models import Scorer
from numbat.acceptability.scores import PropertyCounts, Score, Term
from numbat.acceptability.settings import SuiteSettings
from numbat.acceptability.suite import Item, Suite
from numbat.acceptability.verdicts import LostItem, ScoredItem, scored_item
from numbat.errors import DataError, UsageError, joined_error
from numbat.grammar.model import Grammar
from numbat.parsing.sentence_parser import SentenceParser
from numbat.records import frozen
from numbat.runs import sentences as sources
from numbat.runs.loop import BatchRun, Executor, Failure, Success, in_this_process
from numbat.runs.sentences import Reader, plain, read_and_parsed
from numbat.runs.wire import Local, Transferable, WireParse
from numbat.words.lattice import Lattice


@frozen
class ScoreJob:
    """Parses an item of a suite and, with a scorer, scores the parse. A DataError begins with the item's place."""

    suite: Suite
    parser: SentenceParser
    score: Scorer | None
    read: Reader = plain

    def __call__(self, item: Item) -> ScoredItem:
        try:
            parse = read_and_parsed(item.sentence, self.parser, self.read)
        except DataError as error:
            raise DataError(f"{self.suite.place(item)}: {error}") from None
        return ScoredItem(item, parse, None) if self.score is None else scored_item(item, parse, self.score)


@frozen
class SendJob:
    """The job `score`, whose results can be sent to another process."""

    score: ScoreJob

    def __call__(self, item: Item) -> Transferable[ScoredItem]:
        return Local(self.score(item), WireItem)


@dataclass
class LostItems:
    """Items that could not be parsed in runs over a suite; `complain` is told the reason, once for each sentence.

    `is_evaluated` is True once a property has been evaluated in a sentence.
    """

    complain: Callable[[DataError], object]
    items: list[LostItem] = field(default_factory=list)
    is_evaluated: bool = False


def run_suite(
    suite: Suite,
    parser: SentenceParser,
    score: Scorer | None,
    read: Reader = plain,
    executor: Executor = in_this_process,
    lost: LostItems | None = None,
    where: str = "",
) -> Iterator[ScoredItem]:
    """Yield the items, scored, in their order; a repeated sentence is parsed once.

    A lost item (`Failure.lost`) is not yielded but added to `lost`, with the name `where` of this run. Raises DataError
    for sentences that cannot be read, for a lost item if `lost` is None, and if all items are lost.
    """
    often = Counter(item.sentence for item in suite.items)
    first = {item.sentence: item for item in reversed(suite.items)}
    different = (item for item in suite.items if first[item.sentence] is item)
    run = BatchRun(SendJob(ScoreJob(suite, parser, score, read)), different, executor=executor, total=len(often))
    records = run.whole()
    known: dict[str, ScoredItem] = {}
    gone: dict[str, str] = {}
    for item in suite.items:
        scored = known.get(item.sentence)
        if scored is None and item.sentence not in gone:
            record = next(records)
            if isinstance(record, Success):
                scored = record.value.by(parser.grammar)
            else:
                if not record.lost:
                    raise _unreadable(suite, parser, read) or record.as_error()
                gone[item.sentence] = record.reason
                _lose(record, suite.place(item), lost, is_last=len(gone) == len(often))
        if scored is None:
            assert lost is not None
            lost.items.append(LostItem(item, gone[item.sentence], where))
            continue
        if lost is not None:
            lost.is_evaluated = lost.is_evaluated or scored.parse.is_evaluated
        if often[item.sentence] > 1:
            known[item.sentence] = scored
        yield scored if scored.item is item else replace(scored, item=item)
    next(records, None)  # ends the run


def _unreadable(suite: Suite, parser: SentenceParser, read: Reader) -> DataError | None:
    """Return the problems of all unreadable sentences; None if all can be read."""
    errors: dict[str, DataError] = {}
    for item in suite.items:
        try:
            if item.sentence not in errors:
                read(item.sentence, parser)
        except DataError as error:
            errors[item.sentence] = DataError(f"{suite.place(item)}: {error}")
    return joined_error([*errors.values()]) if errors else None


def _lose(failure: Failure, place: str, lost: LostItems | None, is_last: bool) -> None:
    """Complain about a lost sentence. Raises the error if `lost` is None, or if all sentences are lost now."""
    error = DataError(f"{place}: lost: {failure.reason}")
    if lost is None or is_last:
        raise error
    lost.complain(error)


def reader_of(settings: SuiteSettings) -> Reader:
    """Return a reader for the sentences of a suite. Raises UsageError for settings that would have no effect."""
    if settings.tagged and settings.tagger:
        raise UsageError("--tagged and --tagger exclude each other\n  words carry tags already: leave one of them out")
    if settings.tag_map is not None and not settings.tagger:
        raise UsageError("--tag-map needs tags\n  add --tagger MODEL")
    if settings.tagged:
        return read_with_tags
    if not settings.tagger:
        return plain
    from numbat.labels.guesser import ReadingWithTagger

    return ReadingWithTagger(settings.tagger, settings.tag_map, settings.cuts)


def read_with_tags(sentence: str, parser: SentenceParser) -> Lattice:
    """Return the lattice of a sentence whose words carry categories."""
    return sources.lattice_of(sentence, parser.words, tagged=True)


class NumberedTerm(NamedTuple):
    """A term of a score; its constituent is given by its number in the walk over the parse."""

    constituent: int
    counts: PropertyCounts
    local: float
    value: float


@frozen
class WireItem:
    """A scored item in the form sent between processes; `score` is without its `terms`."""

    item: Item
    parse: WireParse
    score: Score | None
    terms: tuple[NumberedTerm, ...]

    @classmethod
    def from_value(cls, value: ScoredItem) -> WireItem:
        """Return a scored item in the form that is sent between processes."""
        parse, score = value.parse, value.score
        terms: tuple[NumberedTerm, ...] = ()
        if score is not None and score.terms:
            number = {id(constituent): i for i, constituent in enumerate(parse.walk())}
            terms = tuple(NumberedTerm(number[id(t.constituent)], t.counts, t.local, t.value) for t in score.terms)
            score = replace(score, terms=())
        return cls(value.item, WireParse.from_value(parse), score, terms)

    def by(self, grammar: Grammar) -> ScoredItem:
        """Return the scored item that was sent; `grammar` is the grammar that parsed it."""
        parse, score = self.parse.by(grammar), self.score
        if score is not None and self.terms:
            nodes = list(parse.walk())
            score = replace(score, terms=tuple(Term(nodes[t[0]], *t[1:]) for t in self.terms))
        return ScoredItem(self.item, parse, score)


def notes_on_lost(lost: LostItems | None) -> Iterator[str]:
    """Return notes on the items that are left out of the figures of a report."""
    return (f"lost, and left out of all figures: {item}" for item in (lost.items if lost is not None else ()))
