"""Statistics of scores against people's judgements, with bootstrap intervals.

All take the scores first, then the ratings. What has no value, such as a correlation with ratings that are all the
same, is None and never a number.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, chain
from math import fsum, sqrt
from operator import itemgetter, mul
from random import Random
from typing import Any, Final

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


# Bootstrap intervals: what is independent of each other is drawn anew, and the statistic taken again.
#
# Items that share a unit (`independence`) are drawn together: variants of one sentence, or the two of a minimal pair,
# say less than as many sentences that have nothing in common. Intervals are percentile intervals, seeded, so that a run
# can be repeated; resamples in which the statistic has no value do not count.

Units = Sequence[Hashable]
"""The unit of each item: items with the same unit are drawn together."""

RESAMPLES: Final = 1000
DRAWN: Final = 2_000_000
"""Of large suites fewer resamples are drawn: so many items in all, but at least `MIN_NUMBER` resamples."""
DRAWN_FOR_KENDALL: Final = 400_000
MIN_NUMBER: Final = 100
LEVEL: Final = 0.95
LEAST_VALUED: Final = 0.9
"""An interval is given if the statistic has a value in at least this share of the resamples."""
MIN_UNITS: Final = 3
"""Fewer units have no interval."""
TOO_FEW_UNITS: Final = f"fewer than {MIN_UNITS} items, pairs or groups to draw"
TOO_FEW_VALUED: Final = "in too many draws all scores or all judgements are the same"


@frozen
class Estimate:
    """A statistic with the ends of its interval; `value` is None where it has none, `number` counts the items.

    The interval is from so many `resamples`, 0 where there is none; `missing` says why a value has none.
    """

    value: float | None
    low: float | None
    high: float | None
    number: int
    resamples: int = 0
    missing: str = ""

    def __str__(self) -> str:
        if self.value is None:
            return "none"
        interval = f" [{self.low:.3f}, {self.high:.3f}]" if self.low is not None and self.high is not None else ""
        return f"{self.value:.3f}{interval}"


def estimate(
    statistic: Statistic,
    scores: Numbers,
    ratings: Numbers,
    seed: int = 0,
    resamples: int = RESAMPLES,
    units: Units | None = None,
) -> Estimate:
    """Return a statistic with its bootstrap interval; without `units` each item is one by itself."""
    value = statistic(scores, ratings)
    if value is None:
        return Estimate(None, None, None, len(scores))
    again = map(of_draws(statistic, scores, ratings), _draws(statistic, len(scores), seed, units, resamples))
    return estimate_from(value, [*again], len(scores))


def difference(
    statistic: Statistic,
    one: Numbers,
    other: Numbers,
    ratings: Numbers,
    seed: int = 0,
    units: Units | None = None,
    resamples: int = RESAMPLES,
) -> Estimate:
    """Return the advantage of one row of scores over another on the same items, by paired resamples."""
    value = less(statistic(one, ratings), statistic(other, ratings))
    if value is None:
        return Estimate(None, None, None, len(one))
    draws = _draws(statistic, len(one), seed, units, resamples)
    again = (map(of_draws(statistic, scores, ratings), draws) for scores in (one, other))
    return estimate_from(value, [*map(less, *again)], len(one))


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


def estimate_from(value: float | None, drawn: Sequence[float | None], number: int) -> Estimate:
    """Return the value of a statistic of so many items, with the interval of its values in resamples."""
    if value is None:
        return Estimate(None, None, None, number)
    low, high = interval([again for again in drawn if again is not None], len(drawn))
    if low is None:
        return Estimate(value, None, None, number, missing=TOO_FEW_VALUED if drawn else TOO_FEW_UNITS)
    return Estimate(value, low, high, number, len(drawn))


def affordable(resamples: int, items: int, units: int, drawn: int = DRAWN) -> int:
    """Return the number of resamples of the items: fewer of many items, none of too few units."""
    return min(resamples, max(MIN_NUMBER, drawn // max(1, items))) if units >= MIN_UNITS else 0


def _draws(
    statistic: Statistic, number: int, seed: int, units: Units | None, resamples: int
) -> Sequence[Callable[[Numbers], Numbers]]:
    members = _members(units, number)
    drawn = DRAWN_FOR_KENDALL if statistic is kendall else DRAWN
    return _drawn(members, seed, affordable(resamples, number, len(members), drawn))


def _members(units: Units | None, number: int) -> tuple[tuple[int, ...], ...]:
    """Return the places of the items of each unit, in the order in which units come."""
    if units is None:
        return tuple([(place,) for place in range(number)])
    found: dict[Hashable, list[int]] = {}
    for place, unit in enumerate(units):
        found.setdefault(unit, []).append(place)
    return tuple(map(tuple, found.values()))


@lru_cache(maxsize=4)
def _drawn(members: tuple[tuple[int, ...], ...], seed: int, resamples: int) -> list[Callable[[Numbers], Numbers]]:
    """Resamples: each is a function that takes the numbers of the items that were drawn from a row of numbers.

    Remembered, for a report asks for a dozen statistics of the same items.
    """
    random = Random(seed)
    drawn = (random.choices(members, k=len(members)) for _ in range(resamples))
    return [itemgetter(*chain.from_iterable(chosen)) for chosen in drawn]  # of three units at least: it gives a row


def interval(found: Sequence[float], resamples: int) -> tuple[float | None, float | None]:
    """Return the middle `LEVEL` of the values that resamples gave; no interval where too few of them had one."""
    if not found or len(found) < LEAST_VALUED * resamples:
        return None, None
    ordered = sorted(found)
    tail = (1 - LEVEL) / 2
    return _quantile(ordered, tail), _quantile(ordered, 1 - tail)


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Return a quantile, linear between neighbours, as numpy's default."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


# Statistics of resamples: made ready once for two rows of numbers, then taken of each draw of their items.
#
# What is the same in every draw is worked out before: products, and the order of the different numbers.

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
