"""The derivations of a packed forest: the best, the k best, how many are best."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from numbat.derivations.hypergraph import Hyperedge, Hypergraph, Value
from numbat.derivations.semirings import BEST_COUNT, COUNTING, LEAST_COST, inside

Node = TypeVar("Node", bound=Hashable)
Label = TypeVar("Label")
Tree = TypeVar("Tree")
Built = TypeVar("Built")


class Derivation(NamedTuple):
    """A way through the forest from one node: its value, the number of the hyperedge that it takes, and the rank of the
    derivation that it takes of each part.

    Derivations of equal value come in the order of their hyperedges, then of their ranks.
    """

    value: Value
    hyperedge: int
    ranks: tuple[int, ...]


Derived = tuple[Node, Derivation | None]
"""A node with one of its derivations; None stands for the first hyperedge, all the way down."""


class Derivations(Hypergraph[Node, Label]):
    """Reads derivations off a packed forest.

    The derivations of a node are ranked lazily (Huang & Chiang 2005, algorithm 3): no more of them are made than the
    ranks that are asked for need. `tied`: all hyperedges of a node are equally good, so that counting compares nothing.
    """

    def __init__(self, hyperedges: Callable[[Node], Sequence[Hyperedge[Node, Label]]], tied: bool = False) -> None:
        super().__init__(hyperedges)
        self._tied = tied
        self._rankings: dict[Node, _Ranking] = {}
        self._counts: dict[Node, int] = {}

    # The best and their number

    def best(self, root: Node) -> list[Label]:
        """The labels of the best derivation of a node, its own first; none where the node cannot be derived."""
        values = inside(self, root, LEAST_COST, lambda edge: edge.value)
        labels: list[Label] = []
        waiting = [] if values[root] == LEAST_COST.zero else [root]
        while waiting:
            node = waiting.pop()
            edge = next(
                edge
                for edge in self.hyperedges(node)
                if LEAST_COST.product(edge.value, [values[part] for part in edge.parts]) == values[node]
            )
            labels.append(edge.label)
            waiting += reversed(edge.parts)
        return labels

    def count(self, node: Node) -> int:
        """The exact number of best derivations (ruling 16)."""
        if node not in self._counts:
            if self._tied:
                self._counts[node] = inside(self, node, COUNTING, lambda edge: 1)[node]
            else:
                self._counts[node] = inside(self, node, BEST_COUNT, lambda edge: (edge.value, 1))[node][1]
        return self._counts[node]

    # The k best

    def derivation(self, node: Node, rank: int) -> Derivation | None:
        """The derivation of that rank, 0 the best; None where there are fewer."""
        waiting = [(node, rank)]
        while waiting:
            if self._is_known(*waiting[-1]):
                waiting.pop()
                continue
            wanted = [part for part in self._wanted(waiting[-1][0]) if not self._is_known(*part)]
            if wanted:
                waiting += wanted
            else:
                self._advance(waiting[-1][0])
        return self._known(node, rank)

    def _is_known(self, node: Node, rank: int) -> bool:
        ranking = self._rankings.get(node)
        return ranking is not None and (len(ranking.ranked) > rank or ranking.exhausted)

    def _known(self, node: Node, rank: int) -> Derivation | None:
        ranked = self._rankings[node].ranked
        return ranked[rank] if rank < len(ranked) else None

    def _wanted(self, node: Node) -> list[tuple[Node, int]]:
        """What must be known before the next derivation of a node can be."""
        ranking = self._rankings.get(node)
        if ranking is None:
            return [(part, 0) for edge in self.hyperedges(node) for part in edge.parts]
        last = ranking.ranked[-1]
        parts = self.hyperedges(node)[last.hyperedge].parts
        return [(part, taken + 1) for part, taken in zip(parts, last.ranks, strict=True)]

    def _advance(self, node: Node) -> None:
        """Rank one more derivation of a node: the best first, then the neighbours of the last one are proposed."""
        ranking = self._rankings.get(node)
        if ranking is None:
            ranking = self._rankings[node] = _Ranking(self._first_proposals(node))
        else:
            last = ranking.ranked[-1]
            for j, taken in enumerate(last.ranks):
                ranks = (*last.ranks[:j], taken + 1, *last.ranks[j + 1 :])
                self._propose(ranking, node, last.hyperedge, ranks)
        if ranking.proposed:
            ranking.ranked.append(heapq.heappop(ranking.proposed))
        else:
            ranking.exhausted = True

    def _first_proposals(self, node: Node) -> list[Derivation]:
        """Each hyperedge with the best derivations of its parts, as a heap."""
        rankings, proposed = self._rankings, []
        for number, edge in enumerate(self.hyperedges(node)):
            value = edge.value
            for part in edge.parts:
                ranked = rankings[part].ranked
                if not ranked:
                    break
                value += ranked[0].value
            else:
                proposed.append(Derivation(value, number, (0,) * len(edge.parts)))
        heapq.heapify(proposed)
        return proposed

    def _propose(self, ranking: _Ranking, node: Node, number: int, ranks: tuple[int, ...]) -> None:
        """Propose a hyperedge with derivations of those ranks of its parts, if there are such and it is new."""
        if (number, ranks) in ranking.seen:
            return
        ranking.seen.add((number, ranks))
        edge = self.hyperedges(node)[number]
        value = edge.value
        for part, rank in zip(edge.parts, ranks, strict=True):
            derivation = self._known(part, rank)
            if derivation is None:
                return
            value += derivation.value
        heapq.heappush(ranking.proposed, Derivation(value, number, ranks))

    # What derivations are made of

    def expand(self, node: Node, derivation: Derivation | None) -> tuple[Label, list[Derived[Node]]]:
        """The label of the hyperedge that a derivation takes, and its parts with their derivations.

        No derivation stands for the first hyperedge, all the way down.
        """
        if derivation is None:
            first = self.hyperedges(node)[0]
            return first.label, [(part, None) for part in first.parts]
        edge = self.hyperedges(node)[derivation.hyperedge]
        parts: list[Derived[Node]] = []
        for part, rank in zip(edge.parts, derivation.ranks, strict=True):
            found = self.derivation(part, rank)
            assert found is not None
            parts.append((part, found))
        return edge.label, parts

    def right_spine(self, node: Node, derivation: Derivation | None) -> tuple[list[Label], list[Derived[Node]]]:
        """The labels along a node that is a first part and a rest of the same sort, and the first parts."""
        labels: list[Label] = []
        heads: list[Derived[Node]] = []
        rest = [(node, derivation)]
        while rest:
            label, (head, *rest) = self.expand(*rest[0])
            labels.append(label)
            heads.append(head)
        return labels, heads

    def left_spine(
        self, node: Node, derivation: Derivation | None, is_single: Callable[[Node], bool]
    ) -> list[Derived[Node]]:
        """The parts in a row of a node that is a beginning of the same sort and one more part, or one part alone.

        A node that `is_single` is such a part itself.
        """
        inner = node, derivation
        found: list[Derived[Node]] = []
        while not is_single(inner[0]):
            _, (*before, last) = self.expand(*inner)
            found.append(last)
            if not before:
                break
            (inner,) = before
        else:
            found.append(inner)
        return found[::-1]


@dataclass(slots=True)
class _Ranking:
    """Of one node: the derivations proposed next (a heap), those ranked already, and all that were proposed, but for
    the best of each hyperedge."""

    proposed: list[Derivation]
    ranked: list[Derivation] = field(default_factory=list)
    seen: set[tuple[int, tuple[int, ...]]] = field(default_factory=set)
    exhausted: bool = False


def build_bottom_up(
    top: Tree,
    expand: Callable[[Tree], tuple[Label, Sequence[Tree]]],
    build: Callable[[Label, tuple[Built, ...]], Built],
) -> Built:
    """What `build` makes of the label of a tree and of what it makes of the parts; `expand` gives the two.

    Without recursion, for trees may be deep.
    """
    plan: list[tuple[Label, int]] = []
    waiting = [top]
    while waiting:
        label, parts = expand(waiting.pop())
        plan.append((label, len(parts)))
        waiting += parts
    ready: list[Built] = []
    for label, size in reversed(plan):
        first = len(ready) - size
        ready[first:] = [build(label, tuple(ready[first:]))]
    return ready[0]
