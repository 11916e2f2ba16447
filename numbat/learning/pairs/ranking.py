"""Max-margin ranking of pairs, solved in the dual by coordinate ascent with exact steps.

For rows i with a sparse difference vector d_i, a margin m_i and a cap c_i the problem is

    minimise over w:  1/2 |w|^2 + sum over i of c_i max(0, m_i - w . d_i)

and its dual, with w = sum over i of a_i d_i,

    maximise over a:  sum over i of a_i m_i - 1/2 |w|^2   with 0 <= a_i <= c_i.

One step maximises the dual over one a_i and clips it to its bounds (Hsieh et al. 2008, "A dual coordinate descent
method for large-scale linear SVM"). The dual never falls, and the duality gap, primal minus dual, bounds how far each
of them is from the optimum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from random import Random
from typing import Final

PASSES: Final = 1_000
GAP: Final = 1e-3
"""The duality gap at which learning ends, as a part of the primal objective."""
SMALLEST: Final = 1e-12

Vector = Mapping[int, float]
"""A sparse vector: values by the number of the feature."""


@dataclass(frozen=True, slots=True)
class Row:
    """A pair: the difference vector whose product with the weights should reach `margin`; `cap` is what each unit by
    which it falls short costs."""

    difference: tuple[tuple[int, float], ...]
    margin: float
    cap: float


@dataclass(frozen=True, slots=True)
class Objectives:
    """Primal and dual objective after a pass over the rows."""

    primal: float
    dual: float

    @property
    def gap(self) -> float:
        """How far each of the two is from the optimum at most."""
        return self.primal - self.dual


@dataclass(frozen=True, slots=True)
class Solved:
    """The weights with their certificate: the objectives after each pass. `converged`: the gap is as asked."""

    weights: tuple[float, ...]
    duals: tuple[float, ...]
    passes: tuple[Objectives, ...]
    converged: bool


def merged(rows: Iterable[tuple[Vector, float, float]]) -> list[Row]:
    """Rows of difference vector, margin and cap; those that agree in the first two become one with the sum of caps."""
    caps: dict[tuple[tuple[tuple[int, float], ...], float], float] = {}
    for vector, margin, cap in rows:
        key = tuple(sorted((i, value) for i, value in vector.items() if value)), margin
        caps[key] = caps.get(key, 0.0) + cap
    return [Row(difference, margin, cap) for (difference, margin), cap in caps.items()]


def solve(
    rows: Sequence[Row],
    features: int,
    gap: float = GAP,
    passes: int = PASSES,
    seed: int = 0,
    told: Callable[[Objectives], None] = lambda _: None,
) -> Solved:
    """The weights of `features` features. `gap` is a part of the primal objective; rows are taken in a drawn order.

    `told` is called with the objectives after each pass.
    """
    weights = [0.0] * features
    duals = [0.0] * len(rows)
    squares = [fsum(value * value for _, value in row.difference) for row in rows]
    moving = [i for i, square in enumerate(squares) if square > SMALLEST]
    for i, square in enumerate(squares):
        if square <= SMALLEST and rows[i].margin > 0:
            duals[i] = rows[i].cap  # no weight makes a difference: the loss of this row is a constant
    found: list[Objectives] = []
    random = Random(seed)
    while len(found) < passes:
        random.shuffle(moving)
        for i in moving:
            _step(rows[i], i, duals, weights, squares[i])
        weights = _weights(rows, duals, features)
        found.append(objectives(rows, duals, weights))
        told(found[-1])
        if found[-1].gap <= gap * abs(found[-1].primal) + SMALLEST:
            return Solved(tuple(weights), tuple(duals), tuple(found), True)
    return Solved(tuple(weights), tuple(duals), tuple(found), False)


def _step(row: Row, i: int, duals: list[float], weights: list[float], square: float) -> None:
    """Maximise the dual over one variable."""
    short = row.margin
    for feature, value in row.difference:
        short -= weights[feature] * value
    before = duals[i]
    after = min(max(before + short / square, 0.0), row.cap)
    if after != before:
        duals[i] = after
        change = after - before
        for feature, value in row.difference:
            weights[feature] += change * value


def _weights(rows: Sequence[Row], duals: Sequence[float], features: int) -> list[float]:
    """The weights of dual variables, added up afresh so that no rounding of the steps is left in them."""
    weights = [0.0] * features
    for row, dual in zip(rows, duals, strict=True):
        if dual:
            for feature, value in row.difference:
                weights[feature] += dual * value
    return weights


def objectives(rows: Sequence[Row], duals: Sequence[float], weights: Sequence[float]) -> Objectives:
    """The primal objective at the weights and the dual one at the dual variables that the weights are made of."""
    norm = fsum(weight * weight for weight in weights) / 2
    losses = (
        row.cap * max(0.0, row.margin - sum(weights[feature] * value for feature, value in row.difference))
        for row in rows
    )
    gains = fsum(dual * row.margin for dual, row in zip(duals, rows, strict=True))
    return Objectives(norm + fsum(losses), gains - norm)
