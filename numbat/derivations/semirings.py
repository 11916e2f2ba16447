"""Weights of derivations, added up over a packed forest: semirings, inside and outside weights (Goodman 1999)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from math import exp, inf, log1p
from operator import add, mul
from typing import Final, Generic, TypeVar

from numbat.derivations.hypergraph import Hyperedge, Hypergraph
from numbat.records import frozen

Weight = TypeVar("Weight")
Node = TypeVar("Node", bound=Hashable)
Label = TypeVar("Label")


@frozen
class Semiring(Generic[Weight]):
    """How weights combine: `plus` over the ways to derive a node, `times` along a derivation.

    Both are associative and commutative, `times` distributes over `plus`. `zero` is the weight of a node that cannot be
    derived, `one` that of a derivation of nothing.
    """

    zero: Weight
    one: Weight
    plus: Callable[[Weight, Weight], Weight]
    times: Callable[[Weight, Weight], Weight]

    def product(self, weight: Weight, others: Iterable[Weight]) -> Weight:
        """A weight times all others."""
        for other in others:
            weight = self.times(weight, other)
        return weight


def _log_add(a: float, b: float) -> float:
    """The logarithm of the sum of two probabilities that are given by theirs."""
    high, low = (a, b) if a >= b else (b, a)
    return high if low == -inf else high + log1p(exp(low - high))


def _best_of(a: tuple[float, int], b: tuple[float, int]) -> tuple[float, int]:
    if a[0] == b[0]:
        return a[0], a[1] + b[1]
    return min(a, b)


LEAST_COST: Final[Semiring[float]] = Semiring(inf, 0, min, add)
"""The cost of the best derivation (Viterbi)."""
COUNTING: Final[Semiring[int]] = Semiring(0, 1, add, mul)
"""The number of derivations, where each hyperedge weighs 1."""
BEST_COUNT: Final[Semiring[tuple[float, int]]] = Semiring(
    (inf, 0), (0, 1), _best_of, lambda a, b: (a[0] + b[0], a[1] * b[1])
)
"""The cost of the best derivation and the number of derivations that are as good, where each hyperedge weighs its cost
and 1."""
LOG_PROBABILITY: Final[Semiring[float]] = Semiring(-inf, 0.0, _log_add, add)
"""The logarithm of the summed probabilities of all derivations."""


def inside(
    forest: Hypergraph[Node, Label],
    root: Node,
    semiring: Semiring[Weight],
    weight_of: Callable[[Hyperedge[Node, Label]], Weight],
) -> dict[Node, Weight]:
    """The weights of all derivations of each node below a root, summed up; `weight_of` weighs a hyperedge."""
    found: dict[Node, Weight] = {}
    for node in forest.bottom_up(root):
        total = semiring.zero
        for edge in forest.hyperedges(node):
            total = semiring.plus(total, semiring.product(weight_of(edge), [found[part] for part in edge.parts]))
        found[node] = total
    return found


def outside(
    forest: Hypergraph[Node, Label],
    root: Node,
    semiring: Semiring[Weight],
    weight_of: Callable[[Hyperedge[Node, Label]], Weight],
    insides: Mapping[Node, Weight],
) -> dict[Node, Weight]:
    """The weights of what can be around each node in derivations of the root, summed up; `insides` are from `inside`.

    The inside weight of a node times its outside weight is the sum over all derivations that have it, each counted as
    often as the node occurs in it.
    """
    order = list(forest.bottom_up(root))
    found = dict.fromkeys(order, semiring.zero)
    found[root] = semiring.one
    for node in reversed(order):
        for edge in forest.hyperedges(node):
            around = semiring.times(found[node], weight_of(edge))
            for i, part in enumerate(edge.parts):
                beside = [insides[other] for j, other in enumerate(edge.parts) if j != i]
                found[part] = semiring.plus(found[part], semiring.product(around, beside))
    return found
