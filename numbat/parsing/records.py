"""Records that engines share: the cells in which constituents compete, solutions, the documented order of ties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from numbat.evaluation.constituents import Constituent
from numbat.grammar.features import Bundle
from numbat.grammar.model import Grammar


@dataclass(frozen=True, slots=True)
class Cell:
    """What one constituent competes for under the `per-construction` election (ruling 4)."""

    cover: int
    construction: str
    features: Bundle
    depth: int


def cell_of(constituent: Constituent) -> Cell:
    """The cell that a constituent competes for."""
    return Cell(constituent.cover, constituent.construction, constituent.features, constituent.depth)


@dataclass(frozen=True, slots=True)
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


def preference(constituent: Constituent) -> tuple[object, ...]:
    """The tie order of equally good constituents, the least first: compare the daughters from the left by `rank`."""
    return tuple(map(rank, constituent.daughters))


def rank(constituent: Constituent) -> tuple[object, ...]:
    """The larger comes first, then the alphabet of constructions and features, then the shorter unary chain."""
    return -constituent.cover.bit_count(), constituent.construction, constituent.features, constituent.depth
