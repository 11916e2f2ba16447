"""Records that engines share: the cells in which constituents compete, solutions, the documented order of ties."""

from __future__ import annotations

from collections.abc import Sequence

from numbat.evaluation.constituents import Constituent
from numbat.grammar.model import Grammar, remembered
from numbat.grammar.properties import Bundle
from numbat.records import frozen


@frozen
class Cell:
    """What one constituent competes for under the `per-construction` election (ruling 4)."""

    cover: int
    construction: str
    features: Bundle
    depth: int


def cell_of(constituent: Constituent) -> Cell:
    """The cell that a constituent competes for."""
    return Cell(constituent.cover, constituent.construction, constituent.features, constituent.depth)


@frozen
class Solution:
    """A covering combination of constituents (H5), with what its fragments cost."""

    constituents: tuple[Constituent, ...]
    fragment_cost: int


def is_full(tops: Sequence[Constituent], tokens: int, grammar: Grammar) -> bool:
    """Whether these top-level constituents are one root over the whole input (ruling 2)."""
    if len(tops) != 1:
        return False
    (top,) = tops
    return top.cover == (1 << tokens) - 1 and grammar.is_root(top.construction, top.features)


def fragment_cost_of(tops: Sequence[Constituent], tokens: int, grammar: Grammar) -> int:
    """What top-level constituents cost as fragments: one root over the whole input is free (ruling 2)."""
    return 0 if is_full(tops, tokens, grammar) else len(tops) * grammar.fragment_cost


FeatureRank = tuple[tuple[str, int, str], ...]
"""The place of a feature bundle in the order of ties: names by the alphabet, values as the grammar declares them."""
Rank = tuple[int, str, FeatureRank, int]
"""The place of a constituent in the order of ties, its daughters aside."""


class TieOrder:
    """The documented order of equally good constituents (ruling 1), by the features that a grammar declares."""

    def __init__(self, grammar: Grammar) -> None:
        self._values = {name: {value: i for i, value in enumerate(values)} for name, values in grammar.features}
        self._known: dict[Bundle, FeatureRank] = {}

    def features(self, bundle: Bundle) -> FeatureRank:
        """The place of a bundle; values that the grammar does not declare come last, by the alphabet."""
        found = self._known.get(bundle)
        if found is None:
            places = ((name, self._values.get(name, {}), value) for name, value in bundle)
            found = tuple((name, values.get(value, len(values)), value) for name, values, value in places)
            self._known[bundle] = found
        return found

    def rank(self, constituent: Constituent) -> Rank:
        """The larger comes first, then the alphabet of constructions, then features, then the shorter unary chain."""
        size, features = constituent.cover.bit_count(), self.features(constituent.features)
        return -size, constituent.construction, features, constituent.depth

    def preference(self, constituent: Constituent) -> tuple[Rank, ...]:
        """The order of equally good constituents of one cell: compare the daughters from the left by `rank`."""
        return tuple(map(self.rank, constituent.daughters))

    def tree(self, constituent: Constituent) -> tuple[object, ...]:
        """The order of equally good trees, from the top and from the left."""
        return (self.rank(constituent), *map(self.preference, constituent.walk()))


@remembered
def tie_order(grammar: Grammar) -> TieOrder:
    """The order of ties of a grammar."""
    return TieOrder(grammar)
