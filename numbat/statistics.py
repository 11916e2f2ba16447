"""Statistics of scores against people's judgements, with jackknife intervals.

All take the scores first, then the ratings. What has no value, such as a correlation with ratings that are all the
same, is None and never a number.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from math import atan, atanh, cos, exp, fsum, log, pi, sin, sqrt, tanh
from operator import itemgetter, mul
from random import Random
from statistics import NormalDist
from typing import Any, Final, Literal

from numbat.records import frozen

Numbers = Sequence[float]
Statistic = Callable[[Numbers, Numbers], float | None]


def pearson(scores: Numbers, ratings: Numbers) -> float | None:
    """Return the product-moment correlation; None where one side does not vary."""
    number = len(scores)
    if number < 2 or min(scores) == max(scores) or min(ratings) == max(ratings):
        return None
    mean_x, mean_y = fsum(scores) / number, fsum(ratings) / number
    x, y = [score - mean_x for score in scores], [rating - mean_y for rating in ratings]
    return correlation(number, sum(x), sum(y), sum(map(mul, x, x)), sum(map(mul, y, y)), sum(map(mul, x, y)))


def correlation(
    number: int, sum_x: float, sum_y: float, squares_x: float, squares_y: float, products: float
) -> float | None:
    """Return the correlation from the sums of two rows whose means are about 0: sums of products then lose no
    digits.
    """
    xx = number * squares_x - sum_x * sum_x
    yy = number * squares_y - sum_y * sum_y
    # What rounding leaves of numbers that are all the same is no variance.
    if xx <= 1e-12 * number * squares_x or yy <= 1e-12 * number * squares_y:
        return None
    xy = number * products - sum_x * sum_y
    return float(max(-1.0, min(1.0, xy / sqrt(xx) / sqrt(yy))))


def spearman(scores: Numbers, ratings: Numbers) -> float | None:
    """Return the correlation of the ranks, ties having the mean of theirs."""
    return pearson(ranks(scores), ranks(ratings))


def ranks(numbers: Numbers) -> list[float]:
    """Return the rank of each number from 1; ties have the mean of theirs."""
    counts = Counter(numbers)
    mean: dict[float, float] = {}
    end = 0
    for number in sorted(counts):
        mean[number] = end + (counts[number] + 1) / 2
        end += counts[number]
    return [mean[number] for number in numbers]


def dense(numbers: Numbers) -> tuple[int, list[int]]:
    """Return the number of different numbers, and the rank of each among them from 0."""
    different = sorted(set(numbers))
    place = {number: i for i, number in enumerate(different)}
    return len(different), [place[number] for number in numbers]


def kendall(scores: Numbers, ratings: Numbers) -> float | None:
    """Kendall's tau-b, which corrects for ties; None where one side does not vary."""
    pairs = sorted(zip(scores, ratings, strict=True))
    balance = 0
    sizes = []
    seen: list[float] = []
    start = 0
    while start < len(pairs):
        end = start
        while end < len(pairs) and pairs[end][0] == pairs[start][0]:
            end += 1
        for _, rating in pairs[start:end]:
            balance += bisect_left(seen, rating) + bisect_right(seen, rating) - start
        for _, rating in pairs[start:end]:
            insort(seen, rating)
        sizes.append(end - start)
        start = end
    return tau(balance, len(pairs), sizes, Counter(ratings).values())


def tau(balance: int, number: int, scores: Iterable[int], ratings: Iterable[int]) -> float | None:
    """Kendall's tau-b: `balance` is how many more pairs of items are concordant than discordant, the two rows say how
    many items share a score, and a rating.
    """
    whole, tied_scores, tied_ratings = (
        sum([size * (size - 1) for size in sizes]) // 2 for sizes in ((number,), scores, ratings)
    )
    if whole in (tied_scores, tied_ratings):
        return None
    return balance / sqrt((whole - tied_scores) * (whole - tied_ratings))


def auc(scores: Numbers, good: Numbers) -> float | None:
    """Return the share of pairs in which a good item (above 0) scores above a bad one, ties half: the area under the
    ROC curve.
    """
    number = sum(1 for each in good if each > 0)
    if number in (0, len(good)):
        return None
    summed = fsum(rank for rank, each in zip(ranks(scores), good, strict=True) if each > 0)
    return (summed - number * (number + 1) / 2) / (number * (len(good) - number))


def won(better: float, worse: float) -> float:
    """Return the outcome of a minimal pair from its scores: 1 where the better sentence scores above the worse, ties
    ½.
    """
    return 1.0 if better > worse else 0.5 if better == worse else 0.0


def paired(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return how often the better one of a pair scores above the worse, ties half; None without pairs."""
    return sum(won(*pair) for pair in pairs) / len(pairs) if pairs else None


def pooled(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Return the area under the ROC curve of all better ones against all worse ones; None without pairs."""
    return auc([score for pair in pairs for score in pair], [1.0, 0.0] * len(pairs))


def mean(scores: Numbers, ratings: Numbers) -> float | None:
    """Return the mean of the scores alone, None where there is none: of outcomes of pairs it is their accuracy."""
    return fsum(scores) / len(scores) if scores else None


def roc(scores: Numbers, good: Numbers) -> list[tuple[float, float]]:
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


# Intervals: what is independent of each other is left out part by part, and the statistic taken again (the jackknife).
#
# Items that share a unit are left out together: variants of one sentence, or the two of a minimal pair, say less than
# as many sentences that have nothing in common. The interval is symmetric on a scale on which the
# statistic is nearly normal, Fisher's z for correlations and the logit for shares: t with one degree of freedom less
# than there are parts. Of few units it holds where a percentile bootstrap is too narrow (docs/measured.md).

Units = Sequence[Hashable]
"""The unit of each item: items with the same unit are left out together."""

LEVEL: Final = 0.95
LEFT_OUT: Final = 2_000_000
"""Units of large suites are left out in parts, so that the statistic is taken of so many items in all, but at least
`MIN_PARTS` times."""
LEFT_OUT_FOR_KENDALL: Final = 400_000
MIN_PARTS: Final = 100
MIN_UNITS: Final = 20
"""Fewer units have no interval, unless they are groups."""
MIN_GROUPS: Final = 8
MIN_GROUPED: Final = 32
"""Groups have an interval if there are so many groups, of so many items."""
TOO_FEW_UNITS: Final = (
    f"fewer than {MIN_UNITS} independent items or pairs, or than {MIN_GROUPS} groups with {MIN_GROUPED} items"
)
HANGS_ON_ONE: Final = "without one of the items, pairs or groups all scores or all judgements are the same"
NO_SCALE: Final = "a perfect correlation has no interval"


@frozen
class Estimate:
    """A statistic with the ends of its interval; `value` is None where it has none, `number` counts the items.

    The interval is over so many independent `units`, 0 where there is none; `missing` says why a value has none.
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
    """Return a statistic with its interval; without `units` each item is one by itself. `seed` is of the parts in which
    the units of large suites are left out.
    """
    value = statistic(scores, ratings)
    if value is None:
        return Estimate(None, None, None, len(scores))
    members = _members(units, len(scores))
    again = map(of_draws(statistic, scores, ratings), _others(statistic, members, len(scores), seed))
    scale = SCALES.get(statistic, "difference")
    independent = 0
    if scale == "share" and value in (0.0, 1.0):
        independent = _disjoint(ratings, members) if statistic is auc else len(members)
    return estimate_from(value, [*again], len(scores), len(members), scale, independent)


def estimate_of(
    value: Callable[[Sequence[int]], float | None],
    number: int,
    units: Units,
    seed: int = 0,
    scale: Scale = "difference",
) -> Estimate:
    """Return a statistic of the items at given places, out of so many, with its interval."""
    members = _members(units, number)
    places = [*range(number)]
    again = [value(others(places)) for others in _others(value, members, number, seed)]
    return estimate_from(value(places), again, number, len(members), scale)


def difference(
    statistic: Statistic,
    one: Numbers,
    other: Numbers,
    ratings: Numbers,
    seed: int = 0,
    units: Units | None = None,
) -> Estimate:
    """Return the advantage of one row of scores over another on the same items, leaving out the same parts of both."""
    value = less(statistic(one, ratings), statistic(other, ratings))
    if value is None:
        return Estimate(None, None, None, len(one))
    members = _members(units, len(one))
    others = _others(statistic, members, len(one), seed)
    again = (map(of_draws(statistic, scores, ratings), others) for scores in (one, other))
    return estimate_from(value, [*map(less, *again)], len(one), len(members))


def negated_if_better(statistic: Statistic, scores: Sequence[float], ratings: Sequence[float]) -> Sequence[float]:
    """Return the scores as they are, or as they are the other way round where that does better by the statistic."""
    value = statistic(scores, ratings)
    if statistic is mean:
        return [1 - each for each in scores] if value is not None and value < 0.5 else scores
    chance = 0.5 if statistic is auc else 0.0
    return [-each for each in scores] if value is not None and value < chance else scores


def less(one: float | None, other: float | None) -> float | None:
    """Return the difference of two values of a statistic; None where one of them has none."""
    return None if one is None or other is None else one - other


Scale = Literal["correlation", "share", "difference"]
"""What a statistic is, by which the scale of its interval is chosen: Fisher's z, the logit, the statistic itself."""


def estimate_from(
    value: float | None,
    left_out: Sequence[float | None],
    number: int,
    units: int,
    scale: Scale = "difference",
    independent: int = 0,
) -> Estimate:
    """Return the value of a statistic of so many items in so many units, with an interval from its values where one
    part of them is `left_out` each: none if there are none.

    A share that is 0 or 1 has the exact interval (Clopper & Pearson 1934) of as many `independent` trials.
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
    """Return the ends of the interval: of a correlation from Fisher's z of the values that are left, of a share by the
    slope of the logit at it, for shares of what is left are often 0 or 1.
    """
    times = t_quantile((1 + LEVEL) / 2, len(left_out) - 1)
    if scale == "correlation":
        nearly = [max(-NEARLY_1, min(NEARLY_1, again)) for again in left_out]
        middle, reach = atanh(value), times * jackknife_error([*map(atanh, nearly)])
        return tanh(middle - reach), tanh(middle + reach)
    reach = times * jackknife_error(left_out)
    if scale == "share":
        middle, reach = log(value / (1 - value)), reach / (value * (1 - value))
        return _from_logit(middle - reach), _from_logit(middle + reach)
    return value - reach, value + reach


NEARLY_1: Final = 1 - 1e-6


def _from_logit(number: float) -> float:
    return 1 / (1 + exp(-number)) if number > -LARGEST_EXPONENT else 0.0


def jackknife_error(left_out: Numbers) -> float:
    """Return the standard error of a statistic from its values where one part of its items is left out each."""
    number = len(left_out)
    middle = fsum(left_out) / number
    return sqrt((number - 1) / number * fsum((each - middle) ** 2 for each in left_out))


def mean_interval(values: Numbers) -> Estimate:
    """Return the mean of independent values with its interval by t; none where there is one value only."""
    if not values:
        return Estimate(None, None, None, 0)
    middle, number = fsum(values) / len(values), len(values)
    if number < 2:
        return Estimate(middle, None, None, number, missing="one value only")
    error = sqrt(fsum((value - middle) ** 2 for value in values) / (number - 1) / number)
    reach = t_quantile((1 + LEVEL) / 2, number - 1) * error
    return Estimate(middle, middle - reach, middle + reach, number, number)


def t_quantile(share: float, degrees: int) -> float:
    """Return the quantile of Student's t with a whole number of degrees of freedom, for a share from .5 to 1.

    The distribution is summed as in Abramowitz & Stegun (1964), 26.7.3 and 26.7.4, and halved to the quantile.
    """
    return _t_quantile(round(share, 12), degrees)


@lru_cache(maxsize=1024)
def _t_quantile(share: float, degrees: int) -> float:
    normal = NormalDist().inv_cdf(share)
    if degrees > MANY_DEGREES:
        return normal + (normal**3 + normal) / (4 * degrees)
    low, high = 0.0, 2 * normal + 1
    while _t_inside(high, degrees) < 2 * share - 1:
        high *= 2
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if _t_inside(middle, degrees) < 2 * share - 1 else (low, middle)
    return (low + high) / 2


MANY_DEGREES: Final = 1000
LARGEST_EXPONENT: Final = 700.0


def _t_inside(t: float, degrees: int) -> float:
    """Return the probability that Student's t is nearer to 0 than this."""
    angle = atan(t / sqrt(degrees))
    odd = degrees % 2
    term, terms = (cos(angle) if odd else 1.0), []
    for k in range(2 + odd, degrees + 1, 2):
        terms.append(term)
        term *= (k - 1) / k * cos(angle) ** 2
    inside = sin(angle) * fsum(terms)
    return 2 / pi * (angle + inside) if odd else inside


def affordable(items: int, units: int, left_out: int = LEFT_OUT) -> int:
    """Return in how many parts units are left out: each by itself where there are few items, none of too few units."""
    if units < MIN_UNITS and (units < MIN_GROUPS or items < MIN_GROUPED):
        return 0
    return min(units, max(MIN_PARTS, left_out // max(1, items)))


def parts_of(units: int, number: int, seed: int) -> list[list[int]]:
    """Return the numbers of units in so many parts of about the same size: those of a seed, where they are not all by
    themselves.
    """
    if number == units:
        return [[unit] for unit in range(units)]
    order = list(range(units))
    Random(seed).shuffle(order)
    return [order[first::number] for first in range(number)]


def _others(
    statistic: Callable[..., float | None], members: tuple[tuple[int, ...], ...], number: int, seed: int
) -> Sequence[Draw]:
    left_out = LEFT_OUT_FOR_KENDALL if statistic is kendall else LEFT_OUT
    return _without_parts(members, seed, affordable(number, len(members), left_out))


def _members(units: Units | None, number: int) -> tuple[tuple[int, ...], ...]:
    """Return the places of the items of each unit, in the order in which units come."""
    if units is None:
        return tuple([(place,) for place in range(number)])
    found: dict[Hashable, list[int]] = {}
    for place, unit in enumerate(units):
        found.setdefault(unit, []).append(place)
    return tuple(map(tuple, found.values()))


@lru_cache(maxsize=4)
def _without_parts(members: tuple[tuple[int, ...], ...], seed: int, number: int) -> Sequence[Draw]:
    """Each of these functions takes from a row of numbers those of the items that are not in one part of the units.

    Remembered, for a report asks for a dozen statistics of the same items.
    """
    if not number:
        return ()
    every = [place for unit in members for place in unit]
    found = []
    for part in parts_of(len(members), number, seed):
        out = {place for unit in part for place in members[unit]}
        found.append(itemgetter(*[place for place in every if place not in out]))  # of several items: it gives a row
    return found


def _disjoint(good: Numbers, members: Sequence[Sequence[int]]) -> int:
    """Return how many pairs of a good and a bad item there are at most that share no unit: as many independent
    comparisons an AUC has at least.
    """
    kinds = [{good[place] > 0 for place in unit} for unit in members]
    return min(sum(True in kind for kind in kinds), sum(False in kind for kind in kinds), len(kinds) // 2)


# Statistics of some of the items: made ready once for two rows of numbers, then taken of those that are left.
#
# What is the same every time is worked out before: products, and the order of the different numbers.

Draw = Callable[[Sequence[Any]], Sequence[Any]]
"""Takes from a row with something for each item what belongs to the items that were drawn."""
OfDraw = Callable[[Draw], float | None]
CELLS: Final = 20
"""Kendall's pairs are counted level by level where a table of both sides has at most so many cells an item."""


def of_draws(statistic: Statistic, scores: Numbers, ratings: Numbers) -> OfDraw:
    """Return the statistic of two rows as a function of what is drawn of them."""
    ready = READY.get(statistic)
    if ready is None:
        return lambda drawn: statistic(drawn(scores), drawn(ratings))
    return ready(scores, ratings)


def _pearson(scores: Numbers, ratings: Numbers) -> OfDraw:
    """Of numbers less their means: sums of products then lose no digits."""
    middles = fsum(scores) / len(scores), fsum(ratings) / len(ratings)
    x, y = ([number - middle for number in row] for row, middle in zip((scores, ratings), middles, strict=True))
    rows = x, y, [*map(mul, x, x)], [*map(mul, y, y)], [*map(mul, x, y)]
    return lambda drawn: correlation(len(drawn(x)), *(sum(drawn(row)) for row in rows))


def _spearman(scores: Numbers, ratings: Numbers) -> OfDraw:
    """In whole numbers: twice the ranks, whose sum is known."""
    (levels, x), (order, y) = dense(scores), dense(ratings)

    def of(drawn: Draw) -> float | None:
        one, other = drawn(x), drawn(y)
        (of_one, xx), (of_other, yy) = _twice_the_ranks(levels, one), _twice_the_ranks(order, other)
        number = len(one)
        mean = number * (number + 1) ** 2
        if mean in (xx, yy):
            return None
        xy = sum(map(mul, map(of_one.__getitem__, one), map(of_other.__getitem__, other)))
        return float((xy - mean) / sqrt(xx - mean) / sqrt(yy - mean))

    return of


def _twice_the_ranks(levels: int, places: Sequence[int]) -> tuple[list[int], int]:
    """Twice the rank of each level, ties having the mean of theirs, and the sum of its squares over the places."""
    counts = Counter(places)
    found, squares, end = [], 0, 0
    for level in range(levels):
        count = counts.get(level, 0)
        rank = 2 * end + count + 1
        found.append(rank)
        squares += count * rank * rank
        end += count
    return found, squares


def _kendall(scores: Numbers, ratings: Numbers) -> OfDraw:
    """Level by level of the side that has fewer of them."""
    sides = sorted((dense(scores), dense(ratings)), key=lambda side: side[0])
    (levels, x), (order, y) = sides
    if levels * order > CELLS * len(x):
        return lambda drawn: kendall(drawn(x), drawn(y))

    def of(drawn: Draw) -> float | None:
        groups: list[list[int]] = [[] for _ in range(levels)]
        for level, place in zip(drawn(x), drawn(y), strict=True):
            groups[level].append(place)
        counts, balance, seen = [0] * order, 0, 0
        for group in groups:
            upto = [
                0,
                *accumulate(counts),
            ]  # of those seen, how many have a lower place, and at the next how many as low
            balance += sum([upto[place] + upto[place + 1] for place in group]) - seen * len(group)
            for place in group:
                counts[place] += 1
            seen += len(group)
        return tau(balance, seen, map(len, groups), counts)

    return of


def _auc(scores: Numbers, good: Numbers) -> OfDraw:
    """Level by level: a good item is above the bad ones of the levels below, and above half of those of its own."""
    levels, places = dense(scores)
    kinds = [2 * place + (each > 0) for place, each in zip(places, good, strict=True)]

    def of(drawn: Draw) -> float | None:
        counts = Counter(drawn(kinds))
        won = goods = bads = 0
        for kind in range(0, 2 * levels, 2):
            bad, above = counts.get(kind, 0), counts.get(kind + 1, 0)
            won += above * (2 * bads + bad)
            goods, bads = goods + above, bads + bad
        return won / (2 * goods * bads) if goods and bads else None

    return of


READY: Final[dict[Statistic, Callable[[Numbers, Numbers], OfDraw]]] = {
    pearson: _pearson,
    spearman: _spearman,
    kendall: _kendall,
    auc: _auc,
}

SCALES: Final[dict[Statistic, Scale]] = {
    pearson: "correlation",
    spearman: "correlation",
    kendall: "correlation",
    auc: "share",
    mean: "share",
}
