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
"""Matrix of sums over rows: of the products of any two of 1, the terms, and the rating."""

# Ridge regression of ratings on terms; the penalty is chosen on rows that the regression was not trained on.
#
# Terms are standardised, so that one penalty suits all. The weights b solve (R + penalty) b = r, where R and r are the
# correlations of the standardised terms with each other and with the ratings (Hoerl & Kennard 1970).

PENALTIES: Final = (0.01, 0.03, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0)


def sums_of(rows: ArrayLike, ratings: Numbers) -> Sums:
    """Return the matrix `Sums` of rows; that of some rows can be subtracted from that of all."""
    import numpy as np

    columns = np.column_stack([np.ones(len(ratings)), np.reshape(rows, (len(ratings), -1)), ratings])
    sums: Sums = columns.T @ columns
    return sums


@dataclass(frozen=True)
class Regression:
    """A solved regression: weight, mean and scale of each term, and the rating at the means of all terms."""

    intercept: float
    weights: NDArray[float64]
    means: NDArray[float64]
    scales: NDArray[float64]

    @property
    def slopes(self) -> NDArray[float64]:
        """Change of the rating per unit of each term."""
        return self.weights / self.scales

    def predict(self, rows: ArrayLike) -> NDArray[float64]:
        """Return the predicted rating of each row."""
        import numpy as np

        predicted: NDArray[float64] = self.intercept + (np.asarray(rows) - self.means) @ self.slopes
        return predicted


def solutions(sums: Sums, penalties: Sequence[float] = PENALTIES) -> list[Regression]:
    """Return the regression with each of the penalties; constant terms have weight 0."""
    import numpy as np

    means, covariances = _covariances(sums)
    variances = np.diag(covariances)[:-1]
    used = np.flatnonzero(variances > 1e-12)
    scales = np.ones(len(variances))
    scales[used] = np.sqrt(variances[used])
    correlations = covariances[np.ix_(used, used)] / np.outer(scales[used], scales[used])
    right = covariances[used, -1] / scales[used]
    solved = []
    for penalty in penalties:
        weights = np.zeros(len(variances))
        weights[used] = np.linalg.solve(correlations + penalty * np.eye(len(used)), right)
        solved.append(Regression(float(means[-1]), weights, means[:-1], scales))
    return solved


def squares_left(sums: Sums, solved: Regression) -> float:
    """Return the residual sum of squares of a regression."""
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
    """Regression on all rows with its chosen penalty, and for each row the prediction of a regression on other folds.

    `held_out` has these predictions; the penalty of each is chosen on those other folds alone.
    """

    solved: Regression
    penalty: float
    held_out: list[float]


def ridge(rows: Sequence[Sequence[float]], ratings: Sequence[float], fold_of: Sequence[int]) -> Ridge:
    """Fit ratings by the terms of rows; nested cross-validation chooses the penalties.

    To choose the penalty of a fold, models that leave out this fold and another one are evaluated on the other one.
    """
    import numpy as np

    values, rated = np.reshape(rows, (len(ratings), -1)), np.asarray(ratings)
    members = {fold: np.asarray(fold_of) == fold for fold in sorted(set(fold_of))}
    part = {fold: sums_of(values[rows_of], rated[rows_of]) for fold, rows_of in members.items()}
    whole = np.sum([*part.values()], axis=0)

    def errors(solved: Sequence[Regression], fold: int) -> list[float]:
        held = members[fold]
        return [float(np.sum((model.predict(values[held]) - rated[held]) ** 2)) for model in solved]

    inner: dict[int, list[list[float]]] = {fold: [] for fold in members}
    for one, other in combinations(members, 2):
        solved = solutions(whole - part[one] - part[other])
        inner[one].append(errors(solved, other))
        inner[other].append(errors(solved, one))
    held_out = np.zeros(len(rated))
    outer = []
    for fold, held in members.items():
        solved = solutions(whole - part[fold])
        outer.append(errors(solved, fold))
        held_out[held] = solved[_least(inner[fold])].predict(values[held])
    best = _least(outer)
    return Ridge(solutions(whole, PENALTIES[best : best + 1])[0], PENALTIES[best], held_out.tolist())


def _least(errors: Sequence[Sequence[float]]) -> int:
    """Return the index of the penalty with the smallest sum of errors."""
    sums = [fsum(column) for column in zip(*errors, strict=True)]
    return min(range(len(sums)), key=sums.__getitem__)


# Isotonic regression, and linear equations that may be underdetermined


def falling(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the nonincreasing row of numbers that is nearest to the values by weighted squares."""
    from scipy.optimize import isotonic_regression

    fitted: list[float] = isotonic_regression(values, weights=weights, increasing=False).x.tolist()
    return fitted


def determined(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Return one solution of linear equations; each free unknown is 0."""
    import numpy as np

    rows = np.asarray(matrix)
    least = 1e-10 * np.max(np.abs(rows))
    used: list[int] = []
    for column in range(len(right)):
        if np.linalg.matrix_rank(rows[:, [*used, column]], tol=least) > len(used):
            used.append(column)
    solution = np.zeros(len(right))
    solution[used] = np.linalg.lstsq(rows[:, used], right, rcond=None)[0]
    return [float(number) for number in solution]


# Logistic regression with a quadratic penalty

STRENGTH: Final = 1e-3
"""Strength of the penalty on weights, for features of equal spread."""
NEWTON_STEPS: Final = 25


def logistic(rows: Any, outcomes: Any, shares: Any) -> Any:
    """Return the weights of a logistic regression with a quadratic penalty, by Newton's method; `shares` weigh rows."""
    import numpy as np

    weights = np.zeros(rows.shape[1])
    for _ in range(NEWTON_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        curvature = (rows * (shares * chance * (1 - chance))[:, None]).T @ rows + STRENGTH * np.eye(len(weights))
        weights += np.linalg.solve(curvature, rows.T @ (shares * (outcomes - chance)) - STRENGTH * weights)
    return weights
