"""The items of a suite, parsed and scored."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from numbat.gradience.models.scores import Score, Scorer
from numbat.gradience.suites.suite import Item, Suite
from numbat.parsing.result import Parse
from numbat.records import frozen


@frozen
class ScoredItem:
    """An item with its best parse and score; no score where nobody asked for one or the sentence has no words.

    `length` counts tokens, `unknown` those that neither the lexicon has nor the tagged input names.
    """

    item: Item
    parse: Parse
    score: Score | None

    @property
    def id(self) -> str:
        """The name of the item."""
        return self.item.id

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


@frozen
class LostItem:
    """An item that is in no figure, for it could not be parsed, with the reason; `where` names one of several runs."""

    item: Item
    reason: str
    where: str = ""

    def __str__(self) -> str:
        return f"{self.item.id}{' ' * bool(self.where)}{self.where}: {self.reason}"


def scored_item(item: Item, parse: Parse, score: Scorer) -> ScoredItem:
    """An item with its parse and score; punctuation alone has none."""
    return ScoredItem(item, parse, score(parse) if parse.constituents else None)


def violated_relations(parse: Parse) -> tuple[str, ...]:
    """The relations of which a property is violated, in the order of the alphabet."""
    return tuple(sorted({each.property.relation for each in parse.violated}))


def comparable(items: Sequence[ScoredItem]) -> tuple[ScoredItem, ...]:
    """Those that have both a score and a rating."""
    return tuple(each for each in items if each.score is not None and each.item.rating is not None)


Predictor = Callable[[ScoredItem], float]


def predicted(each: ScoredItem) -> float:
    """The score of an item that has one."""
    return each.value or 0.0


def ratings_of(compared: Sequence[ScoredItem]) -> list[float]:
    """The ratings of items that have one."""
    return [each.item.rating or 0.0 for each in compared]


def score_pairs(
    items: Sequence[ScoredItem], suite: Suite, predictor: Predictor = predicted
) -> list[tuple[float, float]]:
    """The scores of the minimal pairs among the items, that of the better sentence first."""
    by_id = {each.item.id: predictor(each) for each in items if each.score is not None}
    return [(by_id[one.id], by_id[other.id]) for one, other in scored_pairs(items, suite)]


def scored_pairs(items: Sequence[ScoredItem], suite: Suite) -> list[tuple[Item, Item]]:
    """The minimal pairs of which both sentences have a score, the better sentence first."""
    known = {each.item.id for each in items if each.score is not None}
    return [(one, other) for one, other in suite.pairs if one.id in known and other.id in known]
