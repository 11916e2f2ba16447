"""Intervals of statistics: by the jackknife, by t for means, by Wilson for shares, by percentiles for samples.

The jackknife leaves out the independent units part by part and recomputes the statistic. Items of one unit are left out
together: variants of one sentence, or the two items of a minimal pair, say less than as many unrelated sentences. The
interval is symmetric on a scale on which the statistic is nearly normal, Fisher's z for correlations and the logit for
shares, and uses t with one degree of freedom less than there are parts. With few units it has the right coverage where
a percentile bootstrap is too narrow (docs/measured.md).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from numbat.records import frozen
from numbat.statistics.correlations import Numbers, Statistic, auc, kendall, less, mean, pearson, spearman
from numbat.statistics.distributions import t_quantile

if TYPE_CHECKING:
    from numpy import bool_
    from numpy.typing import NDArray

Units = Sequence[Hashable]
"""Unit of each item: items of the same unit are left out together."""
Kept: TypeAlias = "NDArray[bool_]"
"""Mask of the items that are not left out."""

LEVEL: Final = 0.95
LEFT_OUT: Final = 2_000_000
"""Bound on the sum of items over all recomputations: large suites have fewer parts, but at least `MIN_PARTS`."""
LEFT_OUT_FOR_KENDALL: Final = 400_000
MIN_PARTS: Final = 100
MIN_UNITS: Final = 20
"""Minimum number of units for an interval, unless they are groups of several items."""
MIN_GROUPS: Final = 8
MIN_GROUPED: Final = 32
"""Minimum number of groups, and of items in them, for an interval."""
TOO_FEW_UNITS: Final = (
    f"fewer than {MIN_UNITS} independent items or pairs, and fewer than {MIN_GROUPS} groups with {MIN_GROUPED} items"
)
HANGS_ON_ONE: Final = "without one of the items, pairs or groups all scores or all judgements are the same"
NO_SCALE: Final = "a perfect correlation has no interval"


@frozen
class Estimate:
    """A statistic with its interval; `value` is None if it is undefined, `number` counts the items.

    `units` counts the independent units of the interval, 0 without one; `missing` says why a value has no interval.
    """

    value: float | None
    low: float | None
    high: float | None
    number: int
    units: int = 0
    missing: str = ""

    def __str__(self) -> str:
        if self.value is None:
            return "none"
        interval = f" [{self.low:.3f}, {self.high:.3f}]" if self.low is not None and self.high is not None else ""
        return f"{self.value:.3f}{interval}"


def estimate(
    statistic: Statistic, scores: Numbers, ratings: Numbers, seed: int = 0, units: Units | None = None
) -> Estimate:
    """Return a statistic with its interval; without `units` all items are independent.

    `seed` decides how the units of large suites are divided into parts.
    """
    import numpy as np

    x, y, unit_of = np.asarray(scores), np.asarray(ratings), numbered(units, len(scores))
    scale = SCALES.get(statistic, "difference")
    independent = disjoint(ratings, unit_of) if statistic is auc else 0
    return estimate_of(
        lambda kept: statistic(x[kept], y[kept]), len(x), unit_of, seed, scale, _most(statistic), independent
    )


def difference(
    statistic: Statistic,
    one: Numbers,
    other: Numbers,
    ratings: Numbers,
    seed: int = 0,
    units: Units | None = None,
) -> Estimate:
    """Return the advantage of one row of scores over another on the same items, by a paired jackknife."""
    import numpy as np

    x, y, z = (np.asarray(row) for row in (one, other, ratings))

    def advantage(kept: Kept) -> float | None:
        return less(statistic(x[kept], z[kept]), statistic(y[kept], z[kept]))

    return estimate_of(advantage, len(x), numbered(units, len(x)), seed, most=_most(statistic))


def estimate_of(
    value: Callable[[Kept], float | None],
    number: int,
    units: Units,
    seed: int = 0,
    scale: Scale = "difference",
    most: int = LEFT_OUT,
    independent: int = 0,
) -> Estimate:
    """Return a statistic of `number` items with its interval; `value` computes it on the items of a mask."""
    import numpy as np

    unit_of = numbered(units, number)
    whole = value(np.ones(number, dtype=bool))
    again = [] if whole is None else [value(kept) for kept in without_parts(unit_of, seed, most)]
    return estimate_from(whole, again, number, len(set(unit_of)), scale, independent)


def _most(statistic: Statistic) -> int:
    return LEFT_OUT_FOR_KENDALL if statistic is kendall else LEFT_OUT


def negated_if_better(statistic: Statistic, scores: Sequence[float], ratings: Sequence[float]) -> Sequence[float]:
    """Return the scores, or their opposites (1 - score for the mean) if the statistic is better for these."""
    value = statistic(scores, ratings)
    if statistic is mean:
        return [1 - score for score in scores] if value is not None and value < 0.5 else scores
    chance = 0.5 if statistic is auc else 0.0
    return [-score for score in scores] if value is not None and value < chance else scores


Scale = Literal["correlation", "share", "difference"]
"""Kind of a statistic, which decides the scale of its interval: Fisher's z, the logit, the statistic itself."""


def estimate_from(
    value: float | None,
    left_out: Sequence[float | None],
    number: int,
    units: int,
    scale: Scale = "difference",
    independent: int = 0,
) -> Estimate:
    """Return a statistic of `number` items in `units` units, with its interval by the jackknife.

    `left_out` are its values without each part; if empty, there is no interval. A share of 0 or 1 has the exact
    interval (Clopper & Pearson 1934) for a number of `independent` trials, by default that of units.
    """
    if value is None:
        return Estimate(None, None, None, number)
    if not left_out:
        return Estimate(value, None, None, number, missing=TOO_FEW_UNITS)
    if any(again is None for again in left_out):
        return Estimate(value, None, None, number, missing=HANGS_ON_ONE)
    if scale == "share" and value in (0.0, 1.0):
        end = ((1 - LEVEL) / 2) ** (1 / max(1, independent or units))
        low, high = (end, 1.0) if value else (0.0, 1 - end)
        return Estimate(value, low, high, number, units)
    if scale == "correlation" and abs(value) > 1 - 1e-12:
        return Estimate(value, None, None, number, missing=NO_SCALE)
    low, high = _interval(value, [again for again in left_out if again is not None], scale)
    return Estimate(value, low, high, number, units)


def _interval(value: float, left_out: Numbers, scale: Scale) -> tuple[float, float]:
    """Return the ends of the interval around a value, from the values without each part.

    Correlations are transformed by Fisher's z one by one; for shares, which are often 0 or 1 with a part left out, the
    error is divided by the derivative of the logit.
    """
    import numpy as np
    from scipy.special import expit, logit

    times = t_quantile((1 + LEVEL) / 2, len(left_out) - 1)
    if scale == "correlation":
        nearly = np.arctanh(np.clip(left_out, -NEARLY_1, NEARLY_1))
        middle, reach = np.arctanh(value), times * jackknife_error(nearly)
        return float(np.tanh(middle - reach)), float(np.tanh(middle + reach))
    reach = times * jackknife_error(left_out)
    if scale == "share":
        middle, reach = logit(value), reach / (value * (1 - value))
        return float(expit(middle - reach)), float(expit(middle + reach))
    return value - reach, value + reach


NEARLY_1: Final = 1 - 1e-6


def jackknife_error(left_out: Numbers) -> float:
    """Return the jackknife standard error of a statistic, from its values without each part."""
    import numpy as np

    return float(sqrt(len(left_out) - 1) * np.std(left_out))


def mean_interval(values: Sequence[float]) -> Estimate:
    """Return the mean of independent values with its interval by t, which needs two values."""
    if not values:
        return Estimate(None, None, None, 0)
    middle, number = fmean(values), len(values)
    if number < 2:
        return Estimate(middle, None, None, number, missing="one value only")
    reach = t_quantile((1 + LEVEL) / 2, number - 1) * stdev(values) / sqrt(number)
    return Estimate(middle, middle - reach, middle + reach, number, number)


def affordable(items: int, units: int, left_out: int = LEFT_OUT) -> int:
    """Return the number of parts to leave out: one per unit if there are few items, 0 if there are too few units."""
    if units < MIN_UNITS and (units < MIN_GROUPS or items < MIN_GROUPED):
        return 0
    return min(units, max(MIN_PARTS, left_out // max(1, items)))


def parts_of(units: int, number: int, seed: int) -> list[list[int]]:
    """Divide units into `number` parts of about the same size, at random if there are more units than parts."""
    if number == units:
        return [[unit] for unit in range(units)]
    order = list(range(units))
    Random(seed).shuffle(order)
    return [order[first::number] for first in range(number)]


def numbered(units: Units | None, number: int) -> list[int]:
    """Return the number of each item's unit; units are numbered in order of appearance."""
    if units is None:
        return [*range(number)]
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(unit, len(numbers)) for unit in units]


def without_parts(unit_of: Sequence[int], seed: int, most: int = LEFT_OUT) -> Iterator[Kept]:
    """Yield, for each part of the units, the mask of the items outside it; nothing for too few units."""
    import numpy as np

    units = len(set(unit_of))
    number = affordable(len(unit_of), units, most)
    part_of = np.zeros(units, dtype=int)
    for place, part in enumerate(parts_of(units, number, seed) if number else ()):
        part_of[part] = place
    part_of_item = part_of[np.asarray(unit_of, dtype=int)]
    for place in range(number):
        yield part_of_item != place


def disjoint(good: Numbers, unit_of: Sequence[int]) -> int:
    """Return the maximum number of disjoint pairs of a good and a bad item, whose comparisons are independent."""
    kinds = [
        {unit for unit, rating in zip(unit_of, good, strict=True) if (rating > 0) == kind} for kind in (True, False)
    ]
    return min(*map(len, kinds), len(set(unit_of)) // 2)


SCALES: Final[dict[Statistic, Scale]] = {
    pearson: "correlation",
    spearman: "correlation",
    kendall: "correlation",
    auc: "share",
    mean: "share",
}


# Other intervals


def wilson(share: float, number: float, z: float) -> tuple[float, float]:
    """Return the ends of Wilson's interval for a share of `number` occurrences, which may be fractional."""
    middle = share + z * z / (2 * number)
    half = z * sqrt(share * (1 - share) / number + z * z / (4 * number * number))
    below = 1 + z * z / number
    # rounding must not move an end beyond a share of 0 or 1
    return max(0.0, (middle - half) / below) if share else 0.0, (middle + half) / below if share < 1 else 1.0


def ratio_error(ratio: float, whole: float, number: int, squared: float, product: float, whole_squared: float) -> float:
    """Return the standard error of a ratio: the sum of parts divided by the sum of wholes (`whole`) over `number` rows.

    `squared`, `product` and `whole_squared` are sums over rows: of part², of part times whole, and of whole².
    """
    squares = max(0.0, squared - 2 * ratio * product + ratio * ratio * whole_squared)
    return sqrt(squares * number / (number - 1)) / whole


def percentiles(values: Iterable[float], level: float = LEVEL) -> tuple[float, float]:
    """Return the percentile interval of sampled values, which has the share `level` of them in its middle."""
    ordered = sorted(values)
    cut = round((1 - level) / 2 * (len(ordered) - 1))
    return ordered[cut], ordered[len(ordered) - 1 - cut]
