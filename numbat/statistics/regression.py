"""Regressions: ridge with a penalty chosen out of sample, isotonic regression, logistic regression with penalties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from numbat.statistics.correlations import Numbers

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import ArrayLike, NDArray

Sums: TypeAlias = "NDArray[float64]"
"""Sums of products of 1, terms and rating over rows."""

# Ridge regression of ratings on terms, its penalty chosen on rows that it was not trained on.
#
# Terms are standardised, so that one penalty suits all. With R and r the correlations of the standardised terms with
# each other and with the ratings, the weights b solve (R + penalty) b = r (Hoerl & Kennard 1970).

PENALTIES: Final = (0.01, 0.03, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0)


def sums_of(rows: ArrayLike, ratings: Numbers) -> Sums:
    """Return the sums of the products of 1, terms and rating, from which a regression is solved: those of some rows can
    be taken off those of all.
    """
    import numpy as np

    columns = np.column_stack([np.ones(len(ratings)), np.reshape(rows, (len(ratings), -1)), ratings])
    found: Sums = columns.T @ columns
    return found


@dataclass(frozen=True)
class Solved:
    """The weight, the mean and the scale of each term, and the rating where all terms have their means."""

    intercept: float
    weights: NDArray[float64]
    means: NDArray[float64]
    scales: NDArray[float64]

    @property
    def slopes(self) -> NDArray[float64]:
        """Change of the rating for one more of each term."""
        return self.weights / self.scales

    def predict(self, rows: ArrayLike) -> NDArray[float64]:
        """Return the rating that the regression says each row has."""
        import numpy as np

        found: NDArray[float64] = self.intercept + (np.asarray(rows) - self.means) @ self.slopes
        return found


def solutions(sums: Sums, penalties: Sequence[float] = PENALTIES) -> list[Solved]:
    """Return the regression with each of the penalties; terms that do not vary weigh nothing."""
    import numpy as np

    means, covariances = _covariances(sums)
    variances = np.diag(covariances)[:-1]
    used = np.flatnonzero(variances > 1e-12)
    scales = np.ones(len(variances))
    scales[used] = np.sqrt(variances[used])
    correlations = covariances[np.ix_(used, used)] / np.outer(scales[used], scales[used])
    right = covariances[used, -1] / scales[used]
    solveds = []
    for penalty in penalties:
        weights = np.zeros(len(variances))
        weights[used] = np.linalg.solve(correlations + penalty * np.eye(len(used)), right)
        solveds.append(Solved(float(means[-1]), weights, means[:-1], scales))
    return solveds


def squares_left(sums: Sums, solved: Solved) -> float:
    """Return the sum of squares that a regression leaves of the ratings of these sums."""
    import numpy as np

    _, covariances = _covariances(sums)
    signed = np.append(-solved.slopes, 1.0)
    return float(sums[0, 0] * (signed @ covariances @ signed))


def _covariances(sums: Sums) -> tuple[NDArray[float64], NDArray[float64]]:
    """Return the means of terms and rating, and their covariances."""
    import numpy as np

    means = sums[0, 1:] / sums[0, 0]
    return means, sums[1:, 1:] / sums[0, 0] - np.outer(means, means)


@dataclass(frozen=True)
class Ridge:
    """The regression on all rows with the penalty chosen for it, and for each row what that on the other folds says,
    whose penalty was chosen by them alone."""

    solved: Solved
    penalty: float
    held_out: list[float]


def ridge(rows: Sequence[Sequence[float]], ratings: Sequence[float], fold_of: Sequence[int]) -> Ridge:
    """Fit the terms of rows to their ratings. The models that leave two folds out choose the penalties: each is judged
    on both.
    """
    import numpy as np

    values, rated = np.reshape(rows, (len(ratings), -1)), np.asarray(ratings)
    members = {fold: np.asarray(fold_of) == fold for fold in sorted(set(fold_of))}
    part = {fold: sums_of(values[own], rated[own]) for fold, own in members.items()}
    whole = np.sum([*part.values()], axis=0)

    def errors(solved: Sequence[Solved], fold: int) -> list[float]:
        own = members[fold]
        return [float(np.sum((each.predict(values[own]) - rated[own]) ** 2)) for each in solved]

    inner: dict[int, list[list[float]]] = {fold: [] for fold in members}
    for one, other in combinations(members, 2):
        solved = solutions(whole - part[one] - part[other])
        inner[one].append(errors(solved, other))
        inner[other].append(errors(solved, one))
    held_out = np.zeros(len(rated))
    outer = []
    for fold, own in members.items():
        solved = solutions(whole - part[fold])
        outer.append(errors(solved, fold))
        held_out[own] = solved[_least(inner[fold])].predict(values[own])
    best = _least(outer)
    return Ridge(solutions(whole, PENALTIES[best : best + 1])[0], PENALTIES[best], held_out.tolist())


def _least(errors: Sequence[Sequence[float]]) -> int:
    """Return the number of the penalty with the least sum of errors."""
    sums = [fsum(column) for column in zip(*errors, strict=True)]
    return min(range(len(sums)), key=sums.__getitem__)


# Isotonic regression, and linear equations that do not determine everything


def falling(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the nearest row of numbers that never rises, by weighted squares."""
    from scipy.optimize import isotonic_regression

    found: list[float] = isotonic_regression(values, weights=weights, increasing=False).x.tolist()
    return found


def determined(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Return the solution of linear equations; 0 for what they do not determine beside what comes before."""
    import numpy as np

    rows = np.asarray(matrix)
    least = 1e-10 * np.max(np.abs(rows))
    used: list[int] = []
    for column in range(len(right)):
        if np.linalg.matrix_rank(rows[:, [*used, column]], tol=least) > len(used):
            used.append(column)
    found = np.zeros(len(right))
    found[used] = np.linalg.lstsq(rows[:, used], right, rcond=None)[0]
    return [float(each) for each in found]


# Logistic regression with a quadratic penalty

STRENGTH: Final = 1e-3
"""Of the penalty on weights, which are of features of equal spread."""
NEWTON_STEPS: Final = 25


def logistic(rows: Any, outcomes: Any, shares: Any) -> Any:
    """Return the weights of a logistic regression with a quadratic penalty, by Newton's steps."""
    import numpy as np

    found = np.zeros(rows.shape[1])
    for _ in range(NEWTON_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(rows @ found, -30, 30)))
        curvature = (rows * (shares * chance * (1 - chance))[:, None]).T @ rows + STRENGTH * np.eye(len(found))
        found += np.linalg.solve(curvature, rows.T @ (shares * (outcomes - chance)) - STRENGTH * found)
    return found
