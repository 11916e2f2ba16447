"""The items of a suite, parsed and scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from numbat.errors import DataError
from numbat.gradience.models.scores import Score, Scorer, scorer
from numbat.gradience.suites.suite import Item, Suite
from numbat.parsing.parser import Parser
from numbat.parsing.result import Parse
from numbat.words.lattice import Lattice
from numbat.words.plain_text import read_text

DEFAULT_MODEL: Final = "cost"


@dataclass(frozen=True, slots=True)
class Scored:
    """An item with its best parse and score; no score where the sentence has no words.

    `length` counts tokens, `unknown` those that neither the lexicon has nor the tagged input names.
    """

    item: Item
    parse: Parse
    score: Score | None

    @property
    def value(self) -> float | None:
        return None if self.score is None else self.score.value

    @property
    def length(self) -> int:
        return len(self.parse.lattice.tokens)

    @property
    def unknown(self) -> int:
        return len(self.parse.guessed)

    @property
    def cost(self) -> int:
        """What the sentence violates and its fragments cost; the choice of readings does not count."""
        return self.parse.violation_cost + self.parse.fragment_cost

    @property
    def faults(self) -> tuple[str, ...]:
        """The relations that are violated, and last `fragments` where it is no full parse."""
        return (*violated_relations(self.parse), *(() if self.parse.is_full else ("fragments",)))


Reader = Callable[[str, Parser], Lattice]
"""How a sentence is read: plain, with tags, with a tagger for unknown words."""


def plain(sentence: str, parser: Parser) -> Lattice:
    """A sentence without tags, read by the lexicon of the parser."""
    return read_text(sentence, parser.words)


def run(suite: Suite, parser: Parser, score: Scorer | None = None, read: Reader = plain) -> Iterator[Scored]:
    """The items one by one, in their order; by default scored by `DEFAULT_MODEL`. What occurs again is parsed once.

    A sentence that cannot be read is a DataError with the place of its item.
    """
    by = score or scorer(DEFAULT_MODEL)
    often = Counter(item.sentence for item in suite.items)
    known: dict[str, Scored] = {}
    for item in suite.items:
        before = known.get(item.sentence)
        if before is None:
            found = scored(item, parse_of(item, suite, parser, read), by)
            if often[item.sentence] > 1:
                known[item.sentence] = found
            yield found
        else:
            yield replace(before, item=item)


def parse_of(item: Item, suite: Suite, parser: Parser, read: Reader = plain) -> Parse:
    """The best parse of an item. Raises DataError with its place."""
    try:
        return parser.parse(read(item.sentence, parser))
    except DataError as error:
        raise DataError(f"{suite.place(item)}: {error}") from None


def scored(item: Item, parse: Parse, score: Scorer) -> Scored:
    """An item with its parse and score; punctuation alone has none."""
    return Scored(item, parse, score(parse) if parse.constituents else None)


def violated_relations(parse: Parse) -> tuple[str, ...]:
    """The relations of which a property is violated, in the order of the alphabet."""
    return tuple(sorted({each.property.relation for each in parse.violated}))


def comparable(items: Sequence[Scored]) -> tuple[Scored, ...]:
    """Those that have both a score and a rating."""
    return tuple(each for each in items if each.score is not None and each.item.rating is not None)


Predictor = Callable[[Scored], float]


def predicted(each: Scored) -> float:
    """The score of an item that has one."""
    return each.value or 0.0


def ratings_of(compared: Sequence[Scored]) -> list[float]:
    """The ratings of items that have one."""
    return [each.item.rating or 0.0 for each in compared]


def score_pairs(items: Sequence[Scored], suite: Suite, predictor: Predictor = predicted) -> list[tuple[float, float]]:
    """The scores of the minimal pairs among the items, that of the better sentence first."""
    by_id = {each.item.id: predictor(each) for each in items if each.score is not None}
    return [(by_id[one.id], by_id[other.id]) for one, other in suite.pairs if one.id in by_id and other.id in by_id]
