"""The packed forest of everything that was elected, and what is read off it: the best, the n best, how many are best.

A node of the forest is a constituent (the best of its cell), the rest of the input that a cover has to fill (a bit set
of token positions), or the goal. Each alternative of a node adds a value of its own to the values of its parts.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from numbat.grammar.model import Grammar
from numbat.parsing.chart import Constituent
from numbat.parsing.policies import Valuation, Value

Node = tuple[str, int]
"""("constituent", identity), ("rest", bit set) or ("goal", 0)."""
GOAL: Node = ("goal", 0)


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to fill a node: the parts, its own value, and the constituent that it builds, if it builds one."""

    parts: tuple[Node, ...]
    own: Value
    constituent: Constituent | None = None
    fragment_cost: int = 0


@dataclass(frozen=True, slots=True)
class Solution:
    """A covering combination of constituents (H5)."""

    constituents: tuple[Constituent, ...]
    fragment_cost: int
    value: Value


@dataclass(frozen=True, slots=True, order=True)
class _Derivation:
    value: Value
    choice: tuple[int, ...]
    """The alternative, and of each part the rank that was taken: equal values come in this order."""


def preference(constituent: Constituent) -> tuple[object, ...]:
    """The tie order of equally good constituents and covers, the least first.

    Compare the daughters from the left: the larger comes first, then the earlier in the alphabet of constructions and
    features, then the shorter unary chain; then the daughters of the first daughter in the same way, and so on.
    """
    return tuple(_rank(daughter) for daughter in constituent.daughters)


def _rank(constituent: Constituent) -> tuple[object, ...]:
    return -constituent.cover.bit_count(), constituent.construction, constituent.features, constituent.depth


class Forest:
    """Reads solutions off elected constituents; `packed` gives all valid candidates for those that stand for a cell."""

    def __init__(
        self,
        constituents: Sequence[Constituent],
        packed: Mapping[int, Sequence[Constituent]],
        tokens: int,
        grammar: Grammar,
        valuation: Valuation,
        full_span: bool = True,
    ) -> None:
        self._packed = packed
        self._grammar = grammar
        self._valuation = valuation
        self._full = (1 << tokens) - 1
        self._by_id = {id(constituent): constituent for constituent in constituents}
        self._starting: dict[int, list[Constituent]] = {}
        for constituent in sorted(constituents, key=_rank):
            self._starting.setdefault(constituent.start, []).append(constituent)
        self._full_span = full_span
        self._alternatives: dict[Node, tuple[Alternative, ...]] = {}
        self._found: dict[Node, _Ranking] = {}
        self._counts: dict[Node, int] = {}

    # what a node is made of

    def alternatives(self, node: Node) -> tuple[Alternative, ...]:
        if node not in self._alternatives:
            kind, number = node
            if kind == "constituent":
                made = tuple(self._building(number))
            elif kind == "rest":
                made = tuple(self._filling(number))
            else:
                made = tuple(self._goal())
            self._alternatives[node] = made
        return self._alternatives[node]

    def _building(self, identity: int) -> Iterable[Alternative]:
        candidates = self._packed.get(identity) or (self._by_id[identity],)
        for constituent in candidates:
            parts = tuple(("constituent", id(daughter)) for daughter in constituent.daughters)
            cost = constituent.cost - sum(daughter.cost for daughter in constituent.daughters)
            gain = constituent.gain - sum(daughter.gain for daughter in constituent.daughters)
            yield Alternative(parts, self._valuation.value(cost, gain), constituent)

    def _filling(self, rest: int) -> Iterable[Alternative]:
        """The constituents that fill the first open position, and what then is left (H5)."""
        fragment = self._grammar.fragment_cost
        first = (rest & -rest).bit_length() - 1
        for constituent in self._starting.get(first, ()):
            if constituent.cover & rest == constituent.cover:
                left = rest & ~constituent.cover
                parts: tuple[Node, ...] = (("constituent", id(constituent)),)
                yield Alternative(
                    (*parts, ("rest", left)) if left else parts,
                    self._valuation.value(fragment, 0),
                    fragment_cost=fragment,
                )

    def _goal(self) -> Iterable[Alternative]:
        """One root over the whole input is free; any other combination pays for each of its members (ruling 2)."""
        if not self._full_span:
            yield from self._largest()
            return
        for alternative in self._filling(self._full):
            constituent = self._by_id[alternative.parts[0][1]]
            root = len(alternative.parts) == 1 and self._is_root(constituent)
            yield replace(alternative, own=self._valuation.value(0, 0), fragment_cost=0) if root else alternative

    def _largest(self) -> Iterable[Alternative]:
        """Without H5: one constituent of the largest size, whatever it leaves out."""
        every = [constituent for group in self._starting.values() for constituent in group]
        size = max((constituent.cover.bit_count() for constituent in every), default=0)
        for constituent in every:
            if constituent.cover.bit_count() == size:
                cost = 0 if self._is_root(constituent) else self._grammar.fragment_cost
                own = self._valuation.value(cost, 0)
                yield Alternative((("constituent", id(constituent)),), own, fragment_cost=cost)

    def _is_root(self, constituent: Constituent) -> bool:
        return self._grammar.is_root(constituent.construction, constituent.features)

    # the n best

    def best(self, n: int = 1) -> list[Solution]:
        """Up to n solutions, the best first; equal ones in the documented order. Exact over what was elected."""
        solutions = []
        for rank in range(n):
            self._prepare(rank)
            derivation = self._kth(GOAL, rank)
            if derivation is None:
                break
            constituents, fragment_cost = self._cover(GOAL, derivation)
            solutions.append(Solution(constituents, fragment_cost, derivation.value))
        return solutions

    def _prepare(self, rank: int) -> None:
        """Fill the rests of the input from the right, so that a long input needs no deep recursion."""
        for start in sorted(self._starting, reverse=True):
            if start and self._full_span:
                self._kth(("rest", self._full >> start << start), rank)

    def _kth(self, node: Node, k: int) -> _Derivation | None:
        """The derivation of rank k of a node, found lazily (Huang & Chiang 2005, algorithm 3)."""
        ranking = self._found.get(node)
        if ranking is None:
            ranking = self._found[node] = _Ranking()
            for i, alternative in enumerate(self.alternatives(node)):
                self._propose(ranking, node, (i, *(0 for _ in alternative.parts)))
        while len(ranking.ranked) <= k:
            if ranking.ranked:
                last = ranking.ranked[-1].choice
                for j in range(1, len(last)):
                    self._propose(ranking, node, (*last[:j], last[j] + 1, *last[j + 1 :]))
            if not ranking.proposed:
                return None
            ranking.ranked.append(heapq.heappop(ranking.proposed))
        return ranking.ranked[k]

    def _propose(self, ranking: _Ranking, node: Node, choice: tuple[int, ...]) -> None:
        if choice in ranking.seen:
            return
        ranking.seen.add(choice)
        alternative = self.alternatives(node)[choice[0]]
        value = alternative.own
        for part, rank in zip(alternative.parts, choice[1:], strict=True):
            derivation = self._kth(part, rank)
            if derivation is None:
                return
            value = tuple(a + b for a, b in zip(value, derivation.value, strict=True))
        heapq.heappush(ranking.proposed, _Derivation(value, choice))

    def _cover(self, node: Node, derivation: _Derivation) -> tuple[tuple[Constituent, ...], int]:
        """The top-level constituents of a derivation of the goal or of a rest, and their fragment cost."""
        alternative = self.alternatives(node)[derivation.choice[0]]
        constituents: tuple[Constituent, ...] = ()
        cost = alternative.fragment_cost
        for part, rank in zip(alternative.parts, derivation.choice[1:], strict=True):
            found = self._kth(part, rank)
            assert found is not None
            if part[0] == "rest":
                more, more_cost = self._cover(part, found)
                constituents, cost = constituents + more, cost + more_cost
            else:
                constituents = (*constituents, self._tree(part, found))
        return constituents, cost

    def _tree(self, node: Node, derivation: _Derivation) -> Constituent:
        constituent = self.alternatives(node)[derivation.choice[0]].constituent
        assert constituent is not None
        alternative = self.alternatives(node)[derivation.choice[0]]
        daughters = []
        for part, rank in zip(alternative.parts, derivation.choice[1:], strict=True):
            found = self._kth(part, rank)
            assert found is not None
            daughters.append(self._tree(part, found))
        if all(new is old for new, old in zip(daughters, constituent.daughters, strict=True)):
            return constituent
        new, old = daughters, constituent.daughters
        return replace(
            constituent,
            daughters=tuple(daughters),
            cost=constituent.cost + sum(d.cost for d in new) - sum(d.cost for d in old),
            gain=constituent.gain + sum(d.gain for d in new) - sum(d.gain for d in old),
            lexical_cost=sum(d.lexical_cost for d in new),
        )

    # how many are best

    def count(self, node: Node = GOAL) -> int:
        """The exact number of equally good solutions (ruling 16)."""
        if node not in self._counts:
            best = self._kth(node, 0)
            self._counts[node] = (
                0
                if best is None
                else sum(
                    prod(self.count(part) for part in alternative.parts)
                    for alternative in self.alternatives(node)
                    if self._value(alternative) == best.value
                )
            )
        return self._counts[node]

    def _value(self, alternative: Alternative) -> Value | None:
        value = alternative.own
        for part in alternative.parts:
            derivation = self._kth(part, 0)
            if derivation is None:
                return None
            value = tuple(a + b for a, b in zip(value, derivation.value, strict=True))
        return value


@dataclass(slots=True)
class _Ranking:
    """The derivations of one node that are ranked already, those proposed next, and all that were ever proposed."""

    ranked: list[_Derivation] = field(default_factory=list)
    proposed: list[_Derivation] = field(default_factory=list)
    seen: set[tuple[int, ...]] = field(default_factory=set)
