"""Packed forests as hypergraphs: best derivation, k best, number of best, inside and outside weights.

A packed forest holds very many trees in little space. It is a hypergraph: each node (a constituent, an item of a chart)
is derived by one of its hyperedges, from other nodes. `Derivations` reads off derivations; `inside` and `outside`
add up weights over all of them, in any `Semiring`. Two readings of a sentence, the second one more costly:

>>> edges = {
...     "S": [Hyperedge(("NP", "VP"), 1, "S")],
...     "NP": [Hyperedge((), 0, "she")],
...     "VP": [Hyperedge((), 2, "saw [her duck]"), Hyperedge((), 5, "saw [her] duck")],
... }
>>> forest = Derivations(edges.__getitem__)
>>> forest.best("S")
['S', 'she', 'saw [her duck]']
>>> [forest.derivation("S", rank).value for rank in range(2)]
[3, 6]
>>> inside(forest, "S", COUNTING, lambda edge: 1)["S"]
2

Begin with `Derivations`; this module does not depend on grammars or sentences.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, inf, log1p
from operator import add, mul
from typing import Final, Generic, NamedTuple, TypeVar

from numbat.records import frozen

__all__ = [
    "BEST_COUNT",
    "COUNTING",
    "LEAST_COST",
    "LOG_PROBABILITY",
    "Derivation",
    "Derivations",
    "Derived",
    "Hyperedge",
    "Hypergraph",
    "Semiring",
    "build_bottom_up",
    "inside",
    "outside",
]


# Packed forests as hypergraphs: nodes and the ways to derive each.

Value = int
"""Quantity to minimize; values add up over a derivation."""

Node = TypeVar("Node", bound=Hashable)
Label = TypeVar("Label")


class Hyperedge(NamedTuple, Generic[Node, Label]):
    """One way to derive a node: its parts, the value added to theirs, and a label."""

    parts: tuple[Node, ...]
    value: Value
    label: Label


class Hypergraph(Generic[Node, Label]):
    """Packed forest, given by the hyperedges of each node; it must be acyclic."""

    def __init__(self, hyperedges: Callable[[Node], Sequence[Hyperedge[Node, Label]]]) -> None:
        self._make = hyperedges
        self._hyperedges: dict[Node, Sequence[Hyperedge[Node, Label]]] = {}

    def hyperedges(self, node: Node) -> Sequence[Hyperedge[Node, Label]]:
        """Return the hyperedges of a node, computed on first use."""
        if node not in self._hyperedges:
            self._hyperedges[node] = self._make(node)
        return self._hyperedges[node]

    def bottom_up(self, root: Node) -> Iterator[Node]:
        """Yield every node below a root, parts before wholes; the root comes last."""
        seen: set[Node] = set()
        waiting = [(root, False)]
        while waiting:
            node, ready = waiting.pop()
            if ready:
                yield node
            elif node not in seen:
                seen.add(node)
                waiting.append((node, True))
                waiting += [(part, False) for edge in self.hyperedges(node) for part in edge.parts]


# The derivations of a packed forest: the best, the k best, how many are best.

Tree = TypeVar("Tree")
Built = TypeVar("Built")


class Derivation(NamedTuple):
    """One derivation of a node: its value, the number of its hyperedge, and the rank of the derivation of each part.

    Derivations of equal value come in the order of their hyperedges, then of their ranks.
    """

    value: Value
    hyperedge: int
    ranks: tuple[int, ...]


Derived = tuple[Node, Derivation | None]
"""A node with one of its derivations; None stands for the first hyperedge, all the way down."""


class Derivations(Hypergraph[Node, Label]):
    """Best, k best and number of derivations of a packed forest.

    The derivations of a node are ranked lazily (Huang & Chiang 2005, algorithm 3): only those needed for the requested
    ranks are made. `tied`: all hyperedges of a node are equally good, so that counting needs no comparison.
    """

    def __init__(self, hyperedges: Callable[[Node], Sequence[Hyperedge[Node, Label]]], tied: bool = False) -> None:
        super().__init__(hyperedges)
        self._tied = tied
        self._rankings: dict[Node, _Ranking] = {}
        self._counts: dict[Node, int] = {}

    # The best and their number

    def best(self, root: Node) -> list[Label]:
        """Return the labels of the best derivation in preorder; empty if the node cannot be derived."""
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
        """Return the exact number of best derivations (ruling 16)."""
        if node not in self._counts:
            if self._tied:
                self._counts[node] = inside(self, node, COUNTING, lambda edge: 1)[node]
            else:
                self._counts[node] = inside(self, node, BEST_COUNT, lambda edge: (edge.value, 1))[node][1]
        return self._counts[node]

    # The k best

    def derivation(self, node: Node, rank: int) -> Derivation | None:
        """Return the derivation of this rank (0 is the best); None if there are fewer."""
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
        """Return the (node, rank) pairs that must be known before the next derivation of a node."""
        ranking = self._rankings.get(node)
        if ranking is None:
            return [(part, 0) for edge in self.hyperedges(node) for part in edge.parts]
        last = ranking.ranked[-1]
        parts = self.hyperedges(node)[last.hyperedge].parts
        return [(part, taken + 1) for part, taken in zip(parts, last.ranks, strict=True)]

    def _advance(self, node: Node) -> None:
        """Rank one more derivation of a node: pop the best proposal after proposing the neighbours of the last one."""
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
        """Return a heap of each hyperedge with the best derivations of its parts."""
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
        """Propose a hyperedge with derivations of these ranks, if they exist and the proposal is new."""
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
        """Return the label of a derivation's hyperedge, and its parts with their derivations.

        Without a derivation these are the first hyperedge, and None for each part.
        """
        if derivation is None:
            first = self.hyperedges(node)[0]
            return first.label, [(part, None) for part in first.parts]
        edge = self.hyperedges(node)[derivation.hyperedge]
        parts: list[Derived[Node]] = []
        for part, rank in zip(edge.parts, derivation.ranks, strict=True):
            known = self.derivation(part, rank)
            assert known is not None
            parts.append((part, known))
        return edge.label, parts

    def right_spine(self, node: Node, derivation: Derivation | None) -> tuple[list[Label], list[Derived[Node]]]:
        """Return the labels and first parts along a right-branching list (first part, rest)."""
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
        """Return the parts of a left-branching list (beginning, last part), in order; `is_single` recognizes a part."""
        inner = node, derivation
        parts: list[Derived[Node]] = []
        while not is_single(inner[0]):
            _, (*before, last) = self.expand(*inner)
            parts.append(last)
            if not before:
                break
            (inner,) = before
        else:
            parts.append(inner)
        return parts[::-1]


@dataclass(slots=True)
class _Ranking:
    """State of a node's ranking: heap of proposals, ranked derivations, and proposals already made."""

    proposed: list[Derivation]
    ranked: list[Derivation] = field(default_factory=list)
    seen: set[tuple[int, tuple[int, ...]]] = field(default_factory=set)
    exhausted: bool = False


def build_bottom_up(
    top: Tree,
    expand: Callable[[Tree], tuple[Label, Sequence[Tree]]],
    build: Callable[[Label, tuple[Built, ...]], Built],
) -> Built:
    """Fold a tree: `expand` gives label and parts, `build` combines the label with the built parts.

    Iterative, because trees may be deep.
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


# Weights of derivations, added up over a packed forest: semirings, inside and outside weights (Goodman 1999).

Weight = TypeVar("Weight")


@frozen
class Semiring(Generic[Weight]):
    """Combination of weights: `plus` over the ways to derive a node, `times` along a derivation.

    Both are associative and commutative, `times` distributes over `plus`. `zero` is the weight of an underivable node,
    `one` that of an empty derivation.
    """

    zero: Weight
    one: Weight
    plus: Callable[[Weight, Weight], Weight]
    times: Callable[[Weight, Weight], Weight]

    def product(self, weight: Weight, others: Iterable[Weight]) -> Weight:
        """Return a weight times all others."""
        for other in others:
            weight = self.times(weight, other)
        return weight


def _log_add(a: float, b: float) -> float:
    """Return log(exp(a) + exp(b))."""
    high, low = (a, b) if a >= b else (b, a)
    return high if low == -inf else high + log1p(exp(low - high))


def _best_of(a: tuple[float, int], b: tuple[float, int]) -> tuple[float, int]:
    if a[0] == b[0]:
        return a[0], a[1] + b[1]
    return min(a, b)


LEAST_COST: Final[Semiring[float]] = Semiring(inf, 0, min, add)
"""Cost of the best derivation (Viterbi)."""
COUNTING: Final[Semiring[int]] = Semiring(0, 1, add, mul)
"""Number of derivations, if each hyperedge weighs 1."""
BEST_COUNT: Final[Semiring[tuple[float, int]]] = Semiring(
    (inf, 0), (0, 1), _best_of, lambda a, b: (a[0] + b[0], a[1] * b[1])
)
"""Cost of the best derivation and number of equally good ones, if each hyperedge weighs its cost and 1."""
LOG_PROBABILITY: Final[Semiring[float]] = Semiring(-inf, 0.0, _log_add, add)
"""Logarithm of the sum of the probabilities of all derivations."""


def inside(
    forest: Hypergraph[Node, Label],
    root: Node,
    semiring: Semiring[Weight],
    weight_of: Callable[[Hyperedge[Node, Label]], Weight],
) -> dict[Node, Weight]:
    """Return the inside weight of each node below a root; `weight_of` weighs a hyperedge."""
    weights: dict[Node, Weight] = {}
    for node in forest.bottom_up(root):
        total = semiring.zero
        for edge in forest.hyperedges(node):
            total = semiring.plus(total, semiring.product(weight_of(edge), [weights[part] for part in edge.parts]))
        weights[node] = total
    return weights


def outside(
    forest: Hypergraph[Node, Label],
    root: Node,
    semiring: Semiring[Weight],
    weight_of: Callable[[Hyperedge[Node, Label]], Weight],
    insides: Mapping[Node, Weight],
) -> dict[Node, Weight]:
    """Return the outside weight of each node below a root; `insides` are from `inside`.

    The inside weight of a node times its outside weight is the sum over all derivations that contain it, each counted
    as often as the node occurs.
    """
    order = list(forest.bottom_up(root))
    weights = dict.fromkeys(order, semiring.zero)
    weights[root] = semiring.one
    for node in reversed(order):
        for edge in forest.hyperedges(node):
            around = semiring.times(weights[node], weight_of(edge))
            for i, part in enumerate(edge.parts):
                beside = [insides[other] for j, other in enumerate(edge.parts) if j != i]
                weights[part] = semiring.plus(weights[part], semiring.product(around, beside))
    return weights
