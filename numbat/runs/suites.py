"""The job of parsing and scoring one item of a suite, and the run over all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from numbat.errors import DataError, joined_error
from numbat.gradience.models import Scorer
from numbat.gradience.suite import Item, Suite
from numbat.gradience.verdicts import LostItem, ScoredItem, scored_item
from numbat.parsing.parser import Parser
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.runs.loop import BatchRun, Executor, Failure, Success, in_this_process
from numbat.runs.sending import Made, Sendable, SentItem
from numbat.words.lattice import Lattice
from numbat.words.lexical_lookup import read_text

Reader = Callable[[str, Parser], Lattice]
"""How a sentence is read: plain, with tags, with a tagger for unknown words."""


def plain(sentence: str, parser: Parser) -> Lattice:
    """A sentence without tags, read by the lexicon of the parser."""
    return read_text(sentence, parser.words)


def read_and_parsed(sentence: str, parser: Parser, read: Reader) -> Parse:
    """The parse of a sentence; the time to read it counts for the limit of seconds, too."""
    overdue = parser.limits.clock()
    return parser.parse(read(sentence, parser), overdue=overdue)


@frozen
class ScoreJob:
    """Parses an item of a suite and scores the parse; without a scorer it is parsed only.

    A DataError of the item begins with its place.
    """

    suite: Suite
    parser: Parser
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
    """The job `score`, which gives an item in the form in which it may go to another process."""

    score: ScoreJob

    def __call__(self, item: Item) -> Sendable[ScoredItem]:
        return Made(self.score(item), SentItem)


@dataclass
class LostItems:
    """The items that runs over a suite have lost; `complain` is called with the reason, once for a sentence."""

    complain: Callable[[DataError], object]
    items: list[LostItem] = field(default_factory=list)


def run_suite(
    suite: Suite,
    parser: Parser,
    score: Scorer | None,
    read: Reader = plain,
    executor: Executor = in_this_process,
    lost: LostItems | None = None,
    where: str = "",
) -> Iterator[ScoredItem]:
    """The items one by one, in their order. A sentence that occurs again is parsed once.

    An item that is lost (`Failure.lost`) is left out and kept in `lost`, under the name `where` of this run. Raises
    DataError for all sentences that cannot be read, for one that is lost where nobody keeps it, and for the last one
    where all are lost.
    """
    often = Counter(item.sentence for item in suite.items)
    first = {item.sentence: item for item in reversed(suite.items)}
    different = (item for item in suite.items if first[item.sentence] is item)
    run = BatchRun(SendJob(ScoreJob(suite, parser, score, read)), different, executor=executor, total=len(often))
    records = run.whole()
    known: dict[str, ScoredItem] = {}
    gone: dict[str, str] = {}
    for item in suite.items:
        found = known.get(item.sentence)
        if found is None and item.sentence not in gone:
            record = next(records)
            if isinstance(record, Success):
                found = record.value.by(parser.grammar)
            else:
                if not record.lost:
                    raise _unreadable(suite, parser, read) or record.as_error()
                gone[item.sentence] = record.reason
                _lose(record, suite.place(item), lost, is_last=len(gone) == len(often))
        if found is None:
            assert lost is not None
            lost.items.append(LostItem(item, gone[item.sentence], where))
            continue
        if often[item.sentence] > 1:
            known[item.sentence] = found
        yield found if found.item is item else replace(found, item=item)
    next(records, None)  # ends the run


def _unreadable(suite: Suite, parser: Parser, read: Reader) -> DataError | None:
    """What is wrong with the sentences that cannot be read, each once; None where all can be."""
    errors: dict[str, DataError] = {}
    for item in suite.items:
        try:
            if item.sentence not in errors:
                read(item.sentence, parser)
        except DataError as error:
            errors[item.sentence] = DataError(f"{suite.place(item)}: {error}")
    return joined_error([*errors.values()]) if errors else None


def _lose(failure: Failure, place: str, lost: LostItems | None, is_last: bool) -> None:
    """Complain of a sentence that is lost. Raises the error where nobody keeps it."""
    error = DataError(f"{place}: lost: {failure.reason}")
    if lost is None or is_last:
        raise error
    lost.complain(error)
