"""Association of two rows of numbers: correlations, the area under the ROC curve, partial correlations.

All take the scores first, then the ratings. What has no value, such as a correlation with ratings that are all the
same, is None and never a number.
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
    """Return the product-moment correlation; None where one side does not vary."""
    import numpy as np

    if not (_vary(scores) and _vary(ratings)):
        return None
    x, y = (np.asarray(row) - np.mean(row) for row in (scores, ratings))
    return float(np.clip(x @ y / np.sqrt((x @ x) * (y @ y)), -1.0, 1.0))


def _vary(numbers: Numbers) -> bool:
    import numpy as np

    # What rounding leaves of numbers that are all the same is no variation.
    return len(numbers) > 1 and bool(np.ptp(numbers) > 1e-12 * np.max(np.abs(numbers)))


def spearman(scores: Numbers, ratings: Numbers) -> float | None:
    """Return the correlation of the ranks, ties having the mean of theirs."""
    return pearson(ranks(scores), ranks(ratings))


def ranks(numbers: Numbers) -> NDArray[float64]:
    """Return the rank of each number from 1; ties have the mean of theirs."""
    import numpy as np

    _, places, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    found: NDArray[float64] = (np.cumsum(counts) - (counts - 1) / 2)[places]
    return found


def kendall(scores: Numbers, ratings: Numbers) -> float | None:
    """Return Kendall's tau-b, which corrects for ties; None where one side does not vary."""
    from scipy.stats import kendalltau

    if not (_vary(scores) and _vary(ratings)):
        return None
    return float(kendalltau(scores, ratings).statistic)


def auc(scores: Numbers, good: Numbers) -> float | None:
    """Return the share of pairs in which a good item (above 0) scores above a bad one, ties half: the area under the
    ROC curve.
    """
    import numpy as np

    is_good = np.asarray(good) > 0
    number = int(is_good.sum())
    if number in (0, len(is_good)):
        return None
    return float((ranks(scores)[is_good].sum() - number * (number + 1) / 2) / (number * (len(is_good) - number)))


def won(better: float, worse: float) -> float:
    """Return the outcome of a minimal pair from its scores: 1 where the better sentence scores above the worse, ties
    ½.
    """
    return 1.0 if better > worse else 0.5 if better == worse else 0.0


def paired(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return how often the better one of a pair scores above the worse, ties half; None without pairs."""
    return sum(won(*pair) for pair in pairs) / len(pairs) if pairs else None


def pooled(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return the area under the ROC curve of all better ones against all worse ones; None without pairs.

    It needs no library, for `numbat check` says it.
    """
    worse = sorted(each for _, each in pairs)
    above = sum(bisect_left(worse, better) + bisect_right(worse, better) for better, _ in pairs)
    return above / (2 * len(pairs) ** 2) if pairs else None


def mean(scores: Numbers, ratings: Numbers) -> float | None:
    """Return the mean of the scores alone, None where there is none: of outcomes of pairs it is their accuracy."""
    import numpy as np

    return float(np.mean(scores)) if len(scores) else None


def less(one: float | None, other: float | None) -> float | None:
    """Return the difference of two values of a statistic; None where one of them has none."""
    return None if one is None or other is None else one - other


def roc(scores: Sequence[float], good: Sequence[float]) -> list[tuple[float, float]]:
    """Return the points (false positive rate, true positive rate) from (0, 0) to (1, 1); empty where all are good or
    bad.
    """
    number = sum(1 for each in good if each > 0)
    if number in (0, len(good)):
        return []
    points = [(0.0, 0.0)]
    true = false = 0
    ordered = sorted(zip(scores, good, strict=True), key=lambda pair: -pair[0])
    for i, (value, each) in enumerate(ordered):
        true, false = true + (each > 0), false + (each <= 0)
        if i + 1 == len(ordered) or ordered[i + 1][0] != value:
            points.append((false / (len(good) - number), true / number))
    return points


# Beside covariates: what a linear regression on them leaves


def partial_correlation(scores: Numbers, ratings: Numbers, covariates: Rows) -> float | None:
    """Return the correlation of what the covariates leave of scores and ratings; None where they leave nothing."""
    import numpy as np

    rests = [_rest(row, covariates) for row in (scores, ratings)]
    for whole, rest in zip((scores, ratings), rests, strict=True):
        if rest @ rest <= 1e-12 * (1 + np.dot(whole, whole)):
            return None
    return pearson(*rests)


def explained(ratings: Numbers, covariates: Rows) -> float | None:
    """Return the share of the variance of ratings that a linear regression on the covariates explains."""
    import numpy as np

    whole, rest = _rest(ratings, ()), _rest(ratings, covariates)
    variance = whole @ whole
    if variance <= 1e-12 * (1 + np.dot(ratings, ratings)):
        return None
    return float(1 - rest @ rest / variance)


def _rest(row: Numbers, covariates: Rows) -> NDArray[float64]:
    """Return what a linear regression with an intercept leaves of a row."""
    import numpy as np

    design = np.column_stack([np.ones(len(row)), *covariates])
    found: NDArray[float64] = row - design @ np.linalg.lstsq(design, row, rcond=None)[0]
    return found
