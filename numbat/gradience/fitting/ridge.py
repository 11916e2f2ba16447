"""Ridge regression of ratings on terms, its penalty chosen on sentences that it was not trained on.

Terms are standardised, so that one penalty suits all. With R and r the correlations of the standardised terms with
each other and with the ratings, the weights b solve (R + penalty) b = r (Hoerl & Kennard 1970).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from math import fsum, sqrt
from operator import mul
from typing import Final

PENALTIES: Final = (0.01, 0.03, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0)

TermValues = Sequence[float]
"""The terms of a sentence, in the order of their names."""


@dataclass(frozen=True)
class Moments:
    """Sums over sentences from which a regression is solved; those of a fold can be taken off those of all.

    `xx` has what is left of its diagonal and the diagonal.
    """

    number: int
    x: list[float]
    xx: list[list[float]]
    y: float
    xy: list[float]

    @classmethod
    def of(cls, rows: Sequence[TermValues], ratings: Sequence[float]) -> Moments:
        """The sums over some sentences."""
        columns = list(zip(*rows, strict=True))
        return cls(
            len(rows),
            [fsum(column) for column in columns],
            [[sum(map(mul, one, other)) for other in columns[: i + 1]] for i, one in enumerate(columns)],
            fsum(ratings),
            [sum(map(mul, column, ratings)) for column in columns],
        )

    def with_(self, other: Moments, sign: int = 1) -> Moments:
        """The sums over both; with the sign -1 those without the other."""
        return Moments(
            self.number + sign * other.number,
            [a + sign * b for a, b in zip(self.x, other.x, strict=True)],
            [[a + sign * b for a, b in zip(one, two, strict=True)] for one, two in zip(self.xx, other.xx, strict=True)],
            self.y + sign * other.y,
            [a + sign * b for a, b in zip(self.xy, other.xy, strict=True)],
        )

    def without(self, other: Moments) -> Moments:
        return self.with_(other, -1)


@dataclass(frozen=True)
class Solved:
    """The weight, the mean and the scale of each term, and the rating where all terms have their means."""

    intercept: float
    weights: list[float]
    means: list[float]
    scales: list[float]

    def predict(self, rows: Sequence[TermValues]) -> list[float]:
        """The rating that the regression says each sentence has."""
        slopes = [weight / scale for weight, scale in zip(self.weights, self.scales, strict=True)]
        everywhere = self.intercept - sum(map(mul, slopes, self.means))
        return [everywhere + sum(map(mul, slopes, row)) for row in rows]


@dataclass(frozen=True)
class Ridge:
    """The regression on all sentences with the penalty chosen for it, and for each sentence what that on the other
    folds says, whose penalty was chosen by them alone."""

    solved: Solved
    penalty: float
    held_out: list[float]


def ridge(rows: Sequence[TermValues], ratings: Sequence[float], fold_of: Sequence[int]) -> Ridge:
    """Fit the terms of sentences to their ratings. The models that leave two folds out choose the penalties: each is
    judged on both."""
    folds = sorted(set(fold_of))
    members = {fold: [i for i, own in enumerate(fold_of) if own == fold] for fold in folds}
    terms = {fold: [rows[i] for i in places] for fold, places in members.items()}
    rated = {fold: [ratings[i] for i in places] for fold, places in members.items()}
    part = {fold: Moments.of(terms[fold], rated[fold]) for fold in folds}
    whole = reduce(Moments.with_, part.values())
    rest = {fold: whole.without(part[fold]) for fold in folds}

    def errors(solved: Sequence[Solved], fold: int) -> list[float]:
        predicted = [each.predict(terms[fold]) for each in solved]
        return [fsum((a - b) ** 2 for a, b in zip(one, rated[fold], strict=True)) for one in predicted]

    inner: dict[int, list[list[float]]] = {fold: [] for fold in folds}
    for one, other in combinations(folds, 2):
        solved = solutions(rest[one].without(part[other]))
        inner[one].append(errors(solved, other))
        inner[other].append(errors(solved, one))
    held_out = [0.0] * len(rows)
    outer = []
    for fold in folds:
        solved = solutions(rest[fold])
        outer.append(errors(solved, fold))
        said = solved[_least(inner[fold])].predict(terms[fold])
        for i, value in zip(members[fold], said, strict=True):
            held_out[i] = value
    best = _least(outer)
    return Ridge(solutions(whole, PENALTIES[best : best + 1])[0], PENALTIES[best], held_out)


def _least(errors: Sequence[Sequence[float]]) -> int:
    """The number of the penalty with the least sum of errors."""
    sums = [fsum(column) for column in zip(*errors, strict=True)]
    return min(range(len(sums)), key=sums.__getitem__)


def solutions(sums: Moments, penalties: Sequence[float] = PENALTIES) -> list[Solved]:
    """The regression with each of the penalties; terms that do not vary weigh nothing."""
    number, rating = sums.number, sums.y / sums.number
    means = [x / number for x in sums.x]
    variances = [sums.xx[i][i] / number - mean * mean for i, mean in enumerate(means)]
    scales = [sqrt(variance) if variance > 1e-12 else 0.0 for variance in variances]
    used = [i for i, scale in enumerate(scales) if scale]
    correlations = [
        [(sums.xx[i][j] / number - means[i] * means[j]) / (scales[i] * scales[j]) for j in used[: at + 1]]
        for at, i in enumerate(used)
    ]
    right = [(sums.xy[i] / number - means[i] * rating) / scales[i] for i in used]
    found = []
    for penalty in penalties:
        matrix = [[*row[:-1], row[-1] + penalty] for row in correlations]
        weights = [0.0] * len(means)
        for i, weight in zip(used, cholesky_solve(matrix, right), strict=True):
            weights[i] = weight
        found.append(Solved(rating, weights, means, [scale or 1.0 for scale in scales]))
    return found


def cholesky_solve(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Solve a symmetric, positive definite system; what is right of the diagonal is not looked at."""
    size = len(right)
    lower: list[list[float]] = []
    for i in range(size):
        row: list[float] = []
        for j in range(i):
            row.append((matrix[i][j] - sum(map(mul, row, lower[j]))) / lower[j][j])
        row.append(sqrt(max(1e-12, matrix[i][i] - sum(map(mul, row, row)))))
        lower.append(row)
    half: list[float] = []
    for i in range(size):
        half.append((right[i] - sum(map(mul, half, lower[i]))) / lower[i][i])
    found = [0.0] * size
    for i in range(size - 1, -1, -1):
        below = sum(lower[k][i] * found[k] for k in range(i + 1, size))
        found[i] = (half[i] - below) / lower[i][i]
    return found
