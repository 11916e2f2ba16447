"""The job of parsing and scoring one item of a suite, and the run over all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from numbat.errors import DataError
from numbat.gradience.models.scores import Scorer
from numbat.gradience.suites.scored_items import ScoredItem, scored_item
from numbat.gradience.suites.suite import Item, Suite
from numbat.parsing.parser import Parser
from numbat.runs.loop import BatchRun
from numbat.words.lattice import Lattice
from numbat.words.plain_text import read_text

Reader = Callable[[str, Parser], Lattice]
"""How a sentence is read: plain, with tags, with a tagger for unknown words."""


def plain(sentence: str, parser: Parser) -> Lattice:
    """A sentence without tags, read by the lexicon of the parser."""
    return read_text(sentence, parser.words)


@dataclass(frozen=True, slots=True)
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
            parse = self.parser.parse(self.read(item.sentence, self.parser))
        except DataError as error:
            raise DataError(f"{self.suite.place(item)}: {error}") from None
        return ScoredItem(item, parse, None) if self.score is None else scored_item(item, parse, self.score)


def run_suite(suite: Suite, parser: Parser, score: Scorer | None, read: Reader = plain) -> Iterator[ScoredItem]:
    """The items one by one, in their order. A sentence that occurs again is parsed once.

    Raises the DataError of the first sentence that cannot be read.
    """
    often = Counter(item.sentence for item in suite.items)
    first = {item.sentence: item for item in reversed(suite.items)}
    different = (item for item in suite.items if first[item.sentence] is item)
    made = BatchRun(ScoreJob(suite, parser, score, read), different).values()
    known: dict[str, ScoredItem] = {}
    for item in suite.items:
        found = known.get(item.sentence) or next(made)
        if often[item.sentence] > 1:
            known[item.sentence] = found
        yield found if found.item is item else replace(found, item=item)
