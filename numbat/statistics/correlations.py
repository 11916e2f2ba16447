"""Association of two rows of numbers: correlations, the area under the ROC curve, partial correlations.

All functions take the scores first, then the ratings. An undefined value, such as a correlation with constant ratings,
is None.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

Numbers: TypeAlias = "Sequence[float] | NDArray[float64]"
Rows: TypeAlias = "Sequence[Numbers] | NDArray[float64]"
Statistic: TypeAlias = "Callable[[Numbers, Numbers], float | None]"


def pearson(scores: Numbers, ratings: Numbers) -> float | None:
    """Return the product-moment correlation, or None if one side does not vary."""
    import numpy as np

    if not (_vary(scores) and _vary(ratings)):
        return None
    x, y = (np.asarray(row) - np.mean(row) for row in (scores, ratings))
    return float(np.clip(x @ y / np.sqrt((x @ x) * (y @ y)), -1.0, 1.0))


def _vary(numbers: Numbers) -> bool:
    import numpy as np

    # rounding errors of constant numbers are not variation
    return len(numbers) > 1 and bool(np.ptp(numbers) > 1e-12 * np.max(np.abs(numbers)))


def spearman(scores: Numbers, ratings: Numbers) -> float | None:
    """Return Spearman's rank correlation, or None if one side does not vary; ties have their mean rank."""
    return pearson(ranks(scores), ranks(ratings))


def ranks(numbers: Numbers) -> NDArray[float64]:
    """Return the rank of each number, from 1; ties have their mean rank."""
    import numpy as np

    _, places, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    mean_ranks: NDArray[float64] = (np.cumsum(counts) - (counts - 1) / 2)[places]
    return mean_ranks


def kendall(scores: Numbers, ratings: Numbers) -> float | None:
    """Return Kendall's tau-b, which corrects for ties, or None if one side does not vary."""
    from scipy.stats import kendalltau

    if not (_vary(scores) and _vary(ratings)):
        return None
    return float(kendalltau(scores, ratings).statistic)


def auc(scores: Numbers, good: Numbers) -> float | None:
    """Return the area under the ROC curve: how often a good item (`good` above 0) scores above a bad one, ties half.

    None if all items are good or all are bad.
    """
    import numpy as np

    is_good = np.asarray(good) > 0
    number = int(is_good.sum())
    if number in (0, len(is_good)):
        return None
    return float((ranks(scores)[is_good].sum() - number * (number + 1) / 2) / (number * (len(is_good) - number)))


def won(better: float, worse: float) -> float:
    """Return the outcome of a minimal pair: 1 if the better sentence scores higher, ½ for a tie, else 0."""
    return 1.0 if better > worse else 0.5 if better == worse else 0.0


def paired(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return the share of pairs whose better item scores higher, ties counting half; None without pairs."""
    return sum(won(*pair) for pair in pairs) / len(pairs) if pairs else None


def pooled(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return the area under the ROC curve of all better against all worse items; None without pairs.

    It works without numpy, as `numbat check` reports it.
    """
    worse = sorted(score for _, score in pairs)
    above = sum(bisect_left(worse, better) + bisect_right(worse, better) for better, _ in pairs)
    return above / (2 * len(pairs) ** 2) if pairs else None


def mean(scores: Numbers, ratings: Numbers) -> float | None:
    """Return the mean of the scores (the accuracy, for outcomes of pairs), or None without any; ignore the ratings."""
    import numpy as np

    return float(np.mean(scores)) if len(scores) else None


def less(one: float | None, other: float | None) -> float | None:
    """Return the difference of two values of a statistic, or None if either is None."""
    return None if one is None or other is None else one - other


def roc(scores: Sequence[float], good: Sequence[float]) -> list[tuple[float, float]]:
    """Return points (false positive rate, true positive rate) from (0, 0) to (1, 1); [] if all are good or all bad."""
    number = sum(1 for rating in good if rating > 0)
    if number in (0, len(good)):
        return []
    points = [(0.0, 0.0)]
    true = false = 0
    ordered = sorted(zip(scores, good, strict=True), key=lambda pair: -pair[0])
    for i, (value, rating) in enumerate(ordered):
        true, false = true + (rating > 0), false + (rating <= 0)
        if i + 1 == len(ordered) or ordered[i + 1][0] != value:
            points.append((false / (len(good) - number), true / number))
    return points


# Partial correlation: of the residuals of a linear regression on covariates


def partial_correlation(scores: Numbers, ratings: Numbers, covariates: Rows) -> float | None:
    """Return the partial correlation given the covariates, or None if they explain one side completely."""
    import numpy as np

    rests = [_rest(row, covariates) for row in (scores, ratings)]
    for whole, rest in zip((scores, ratings), rests, strict=True):
        if rest @ rest <= 1e-12 * (1 + np.dot(whole, whole)):
            return None
    return pearson(*rests)


def explained(ratings: Numbers, covariates: Rows) -> float | None:
    """Return the share of the variance of ratings that a linear regression on the covariates explains, or None."""
    import numpy as np

    whole, rest = _rest(ratings, ()), _rest(ratings, covariates)
    variance = whole @ whole
    if variance <= 1e-12 * (1 + np.dot(ratings, ratings)):
        return None
    return float(1 - rest @ rest / variance)


def _rest(row: Numbers, covariates: Rows) -> NDArray[float64]:
    """Return the residuals of a linear regression of a row on the covariates, with an intercept."""
    import numpy as np

    design = np.column_stack([np.ones(len(row)), *covariates])
    residuals: NDArray[float64] = row - design @ np.linalg.lstsq(design, row, rcond=None)[0]
    return residuals
