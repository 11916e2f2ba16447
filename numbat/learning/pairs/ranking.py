"""Max-margin ranking of pairs, solved in the dual by exact steps over two variables of a pair at a time.

A pair i has one or several alternatives j (the parses of the worse sentence), each with a sparse difference vector d_ij
and a margin m_ij, and a cap c_i. The problem is

    minimise over w:  1/2 |w|^2 + sum over i of c_i max(0, max over j of m_ij - w . d_ij)

and its dual, with w = sum over i and j of a_ij d_ij,

    maximise over a:  sum over i and j of a_ij m_ij - 1/2 |w|^2
    with a_ij >= 0 and, for each i, sum over j of a_ij <= c_i.

One step takes the alternative of a pair that gains most and the one that gains least of those that have a share of the
cap, the slack among them, and moves share from one to the other as far as the dual rises (sequential minimal
optimisation: Platt 1998; of structures: Taskar et al. 2004). With one alternative it is dual coordinate descent (Hsieh
et al. 2008). The dual never falls, and the duality gap, primal minus dual, bounds how far each is from the optimum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from random import Random
from typing import Final

from numbat.records import frozen

PASSES: Final = 1_000
GAP: Final = 1e-3
"""The duality gap at which learning ends, as a part of the primal objective."""
SMALLEST: Final = 1e-12
AGAIN: Final = 5
"""After a pass over all pairs, those that moved in it are gone through so many times more."""

Vector = Mapping[int, float]
"""A sparse vector: values by the number of the feature."""
Sparse = tuple[tuple[int, float], ...]
"""The same in the order of the features, without zeros."""


@frozen
class Pair:
    """Difference vectors, each with the margin that its product with the weights should reach; `cap` is what each unit
    costs by which the worst of them falls short."""

    alternatives: tuple[tuple[Sparse, float], ...]
    cap: float

    def loss(self, weights: Sequence[float]) -> float:
        """By how much the worst alternative falls short of its margin."""
        return max(0.0, max((_short(each, weights) for each in self.alternatives), default=0.0))


@frozen
class Objectives:
    """Primal and dual objective after a pass over the pairs."""

    primal: float
    dual: float

    @property
    def gap(self) -> float:
        """How far each of the two is from the optimum at most."""
        return self.primal - self.dual


@frozen
class Solved:
    """The weights with their certificate: the dual variables of each pair, the objectives after each pass.
    `converged`: the gap is as asked."""

    weights: tuple[float, ...]
    duals: tuple[tuple[float, ...], ...]
    passes: tuple[Objectives, ...]
    converged: bool


def merged(pairs: Iterable[tuple[Iterable[tuple[Vector, float]], float]]) -> list[Pair]:
    """Pairs of alternatives and caps; those that have the same alternatives become one with the sum of their caps."""
    caps: dict[tuple[tuple[Sparse, float], ...], float] = {}
    for alternatives, cap in pairs:
        key = tuple(dict.fromkeys((_sparse(vector), margin) for vector, margin in alternatives))
        caps[key] = caps.get(key, 0.0) + cap
    return [Pair(alternatives, cap) for alternatives, cap in caps.items()]


def _sparse(vector: Vector) -> Sparse:
    return tuple(sorted((i, value) for i, value in vector.items() if value))


def solve(
    pairs: Sequence[Pair],
    features: int,
    gap: float = GAP,
    passes: int = PASSES,
    seed: int = 0,
    told: Callable[[Objectives], None] = lambda _: None,
) -> Solved:
    """The weights of `features` features. `gap` is a part of the primal objective; pairs are taken in a drawn order.

    `told` is called with the objectives after each pass.
    """
    weights = [0.0] * features
    duals = [[0.0] * len(pair.alternatives) for pair in pairs]
    order = list(range(len(pairs)))
    found: list[Objectives] = []
    random = Random(seed)
    while len(found) < passes and not (found and _is_closed(found[-1], gap)):
        random.shuffle(order)
        moved = [i for i in order if _step(pairs[i], duals[i], weights)]
        for _ in range(AGAIN):
            moved = [i for i in moved if _step(pairs[i], duals[i], weights)]
        weights = _weights(pairs, duals, features)
        found.append(objectives(pairs, duals, weights))
        told(found[-1])
    return Solved(tuple(weights), tuple(map(tuple, duals)), tuple(found), bool(found) and _is_closed(found[-1], gap))


def _is_closed(found: Objectives, gap: float) -> bool:
    return found.gap <= gap * abs(found.primal) + SMALLEST


def _short(alternative: tuple[Sparse, float], weights: Sequence[float]) -> float:
    """By how much an alternative falls short of its margin; below 0 where it does not."""
    difference, short = alternative
    for feature, value in difference:
        short -= weights[feature] * value
    return short


def _step(pair: Pair, shares: list[float], weights: list[float]) -> bool:
    """Maximise the dual over two variables of a pair, of which one may be its slack; whether anything moved."""
    slack = pair.cap - sum(shares)
    best, highest = -1, 0.0  # -1 is the slack, which loses and gains nothing
    worst, lowest = -1, 0.0 if slack > SMALLEST else float("inf")
    for j, alternative in enumerate(pair.alternatives):
        short = _short(alternative, weights)
        if short > highest:
            best, highest = j, short
        if short < lowest and shares[j] > 0:
            worst, lowest = j, short
    if best == worst or highest - lowest <= SMALLEST:
        return False
    change: dict[int, float] = {}
    for j, sign in ((best, 1.0), (worst, -1.0)):
        for feature, value in pair.alternatives[j][0] if j >= 0 else ():
            change[feature] = change.get(feature, 0.0) + sign * value
    square = sum(value * value for value in change.values())
    most = shares[worst] if worst >= 0 else slack
    share = most if square <= SMALLEST else min(most, (highest - lowest) / square)
    if best >= 0:
        shares[best] += share
    if worst >= 0:
        shares[worst] = shares[worst] - share if share < most else 0.0
    for feature, value in change.items():
        weights[feature] += share * value
    return share > SMALLEST


def _weights(pairs: Sequence[Pair], duals: Sequence[Sequence[float]], features: int) -> list[float]:
    """The weights of dual variables, added up afresh so that no rounding of the steps is left in them."""
    weights = [0.0] * features
    for pair, shares in zip(pairs, duals, strict=True):
        for (difference, _), share in zip(pair.alternatives, shares, strict=True):
            for feature, value in difference if share else ():
                weights[feature] += share * value
    return weights


def objectives(pairs: Sequence[Pair], duals: Sequence[Sequence[float]], weights: Sequence[float]) -> Objectives:
    """The primal objective at the weights and the dual one at the dual variables that the weights are made of."""
    norm = fsum(weight * weight for weight in weights) / 2
    gains = fsum(
        share * margin
        for pair, shares in zip(pairs, duals, strict=True)
        for (_, margin), share in zip(pair.alternatives, shares, strict=True)
    )
    return Objectives(primal(pairs, weights), gains - norm)


def primal(pairs: Sequence[Pair], weights: Sequence[float]) -> float:
    """The objective that is minimised."""
    norm = fsum(weight * weight for weight in weights) / 2
    return norm + fsum(pair.cap * pair.loss(weights) for pair in pairs)
