"""Reading solutions off a packed forest: the best, the n best, and how many are best.

A node has alternatives; each adds a value of its own to the values of its parts, and the least value is the best.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Generic, NamedTuple, TypeVar

Value = int
"""What is minimised; values add up over a derivation."""

Node = TypeVar("Node", bound=Hashable)
Label = TypeVar("Label")


class Alternative(NamedTuple, Generic[Node, Label]):
    """One way to fill a node: its parts, its own value, and what it stands for."""

    parts: tuple[Node, ...]
    own: Value
    label: Label


@dataclass(frozen=True, slots=True, order=True)
class Derivation:
    """A way through the forest from one node: its value, the alternative taken and the rank taken of each part.

    Derivations of equal value come in the order of their alternatives, then of their ranks.
    """

    value: Value
    alternative: int
    ranks: tuple[int, ...]


class Hypergraph(Generic[Node, Label]):
    """The derivations of every node, ranked lazily (Huang & Chiang 2005, algorithm 3), and counted.

    `tied`: all alternatives of a node are equally good, so that nothing needs to be compared.
    """

    def __init__(self, alternatives: Callable[[Node], Sequence[Alternative[Node, Label]]], tied: bool = False) -> None:
        self._make = alternatives
        self._tied = tied
        self._alternatives: dict[Node, Sequence[Alternative[Node, Label]]] = {}
        self._rankings: dict[Node, _Ranking] = {}
        self._counts: dict[Node, int] = {}

    def alternatives(self, node: Node) -> Sequence[Alternative[Node, Label]]:
        """The ways to fill a node, made when they are first asked for."""
        if node not in self._alternatives:
            self._alternatives[node] = self._make(node)
        return self._alternatives[node]

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
            return [(part, 0) for alternative in self.alternatives(node) for part in alternative.parts]
        last = ranking.ranked[-1]
        parts = self.alternatives(node)[last.alternative].parts
        return [(part, taken + 1) for part, taken in zip(parts, last.ranks, strict=True)]

    def _advance(self, node: Node) -> None:
        """Rank one more derivation of a node: the best first, then the neighbours of the last one are proposed."""
        ranking = self._rankings.get(node)
        if ranking is None:
            ranking = self._rankings[node] = _Ranking()
            for i, alternative in enumerate(self.alternatives(node)):
                self._propose(ranking, node, i, (0,) * len(alternative.parts))
        else:
            last = ranking.ranked[-1]
            for j, taken in enumerate(last.ranks):
                ranks = (*last.ranks[:j], taken + 1, *last.ranks[j + 1 :])
                self._propose(ranking, node, last.alternative, ranks)
        if ranking.proposed:
            ranking.ranked.append(heapq.heappop(ranking.proposed))
        else:
            ranking.exhausted = True

    def _propose(self, ranking: _Ranking, node: Node, alternative: int, ranks: tuple[int, ...]) -> None:
        if (alternative, ranks) in ranking.seen:
            return
        ranking.seen.add((alternative, ranks))
        value = self._value(self.alternatives(node)[alternative], ranks)
        if value is not None:
            heapq.heappush(ranking.proposed, Derivation(value, alternative, ranks))

    def _value(self, alternative: Alternative[Node, Label], ranks: Sequence[int]) -> Value | None:
        value = alternative.own
        for part, rank in zip(alternative.parts, ranks, strict=True):
            derivation = self._known(part, rank)
            if derivation is None:
                return None
            value += derivation.value
        return value

    def in_order(self, root: Node) -> Iterator[Node]:
        """Every node below one, its parts before it, so that nothing needs deep recursion."""
        seen: set[Node] = set()
        waiting = [(root, False)]
        while waiting:
            node, ready = waiting.pop()
            if ready:
                yield node
            elif node not in seen:
                seen.add(node)
                waiting.append((node, True))
                waiting += [(part, False) for alternative in self.alternatives(node) for part in alternative.parts]

    def best(self, root: Node) -> list[Label]:
        """What the best derivation of a node is made of, itself first; nothing where it has none."""
        found = self.derivation(root, 0)
        waiting: list[tuple[Node, Derivation | None]] = [] if found is None else [(root, found)]
        labels: list[Label] = []
        while waiting:
            label, parts = self.taken(*waiting.pop())
            labels.append(label)
            waiting += reversed(parts)
        return labels

    def taken(self, node: Node, derivation: Derivation | None) -> tuple[Label, list[tuple[Node, Derivation | None]]]:
        """What the alternative of a derivation stands for, and its parts with their derivations.

        No derivation stands for the first alternative, all the way down.
        """
        if derivation is None:
            first = self.alternatives(node)[0]
            return first.label, [(part, None) for part in first.parts]
        alternative = self.alternatives(node)[derivation.alternative]
        parts: list[tuple[Node, Derivation | None]] = []
        for part, rank in zip(alternative.parts, derivation.ranks, strict=True):
            found = self.derivation(part, rank)
            assert found is not None
            parts.append((part, found))
        return alternative.label, parts

    def spine(
        self, node: Node, derivation: Derivation | None
    ) -> tuple[list[Label], list[tuple[Node, Derivation | None]]]:
        """What stands for a node that is a first part and then a rest of the same sort: the labels, the first parts."""
        labels: list[Label] = []
        heads: list[tuple[Node, Derivation | None]] = []
        rest = [(node, derivation)]
        while rest:
            label, (head, *rest) = self.taken(*rest[0])
            labels.append(label)
            heads.append(head)
        return labels, heads

    def row(
        self, node: Node, derivation: Derivation | None, is_one: Callable[[Node], bool]
    ) -> list[tuple[Node, Derivation | None]]:
        """What stands in a row in a node that is a row and one more part, or one part; what `is_one` is its own row."""
        inner = node, derivation
        found: list[tuple[Node, Derivation | None]] = []
        while not is_one(inner[0]):
            _, (*before, last) = self.taken(*inner)
            found.append(last)
            if not before:
                break
            (inner,) = before
        else:
            found.append(inner)
        return found[::-1]

    def count(self, node: Node) -> int:
        """The exact number of best derivations (ruling 16)."""
        if node not in self._counts:
            for below in self.in_order(node):
                self._counts[below] = sum(
                    prod(self._counts[part] for part in alternative.parts) for alternative in self._best_of(below)
                )
        return self._counts[node]

    def _best_of(self, node: Node) -> Sequence[Alternative[Node, Label]]:
        if self._tied:
            return self.alternatives(node)
        best = self.derivation(node, 0)
        return [
            alternative
            for alternative in self.alternatives(node)
            if best is not None and self._value(alternative, (0,) * len(alternative.parts)) == best.value
        ]


Whole = TypeVar("Whole")
Made = TypeVar("Made")


def made_from_below(
    top: Whole,
    opened: Callable[[Whole], tuple[Label, Sequence[Whole]]],
    made: Callable[[Label, tuple[Made, ...]], Made],
) -> Made:
    """What is made of a label and of what is made of its parts; without recursion, for trees may be deep.

    `opened` gives the label and the parts of a whole.
    """
    plan: list[tuple[Label, int]] = []
    waiting = [top]
    while waiting:
        label, parts = opened(waiting.pop())
        plan.append((label, len(parts)))
        waiting += parts
    ready: list[Made] = []
    for label, size in reversed(plan):
        first = len(ready) - size
        ready[first:] = [made(label, tuple(ready[first:]))]
    return ready[0]


@dataclass(slots=True)
class _Ranking:
    """The derivations of one node that are ranked already, those proposed next, and all that were ever proposed."""

    ranked: list[Derivation] = field(default_factory=list)
    proposed: list[Derivation] = field(default_factory=list)
    seen: set[tuple[int, tuple[int, ...]]] = field(default_factory=set)
    exhausted: bool = False
