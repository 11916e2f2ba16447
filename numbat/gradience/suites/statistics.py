"""Statistics of scores against people's judgements, each with a bootstrap interval.

All take the scores first, then the ratings. What has no value, such as a correlation with ratings that are all the
same, is None and never a number. Intervals are percentile intervals over resampled items (pairs for pair accuracy),
seeded, so that a run can be repeated; resamples in which the statistic has no value do not count.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from operator import itemgetter, mul
from random import Random
from typing import Final

Numbers = Sequence[float]
Statistic = Callable[[Numbers, Numbers], float | None]

RESAMPLES: Final = 1000
DRAWN: Final = 2_000_000
"""Of large suites fewer resamples are drawn: so many items in all, but at least `FEWEST` resamples."""
DRAWN_FOR_KENDALL: Final = 400_000
FEWEST: Final = 100
LEVEL: Final = 0.95
LEAST_VALUED: Final = 0.9
"""An interval is given if the statistic has a value in at least this share of the resamples."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic with the ends of its interval; `value` is None where it has none, `number` counts the items."""

    value: float | None
    low: float | None
    high: float | None
    number: int

    def __str__(self) -> str:
        if self.value is None:
            return "none"
        interval = f" [{self.low:.3f}, {self.high:.3f}]" if self.low is not None and self.high is not None else ""
        return f"{self.value:.3f}{interval}"


def pearson(scores: Numbers, ratings: Numbers) -> float | None:
    """The product-moment correlation; None where one side does not vary."""
    number = len(scores)
    if number < 2 or min(scores) == max(scores) or min(ratings) == max(ratings):
        return None
    mean_x, mean_y = fsum(scores) / number, fsum(ratings) / number
    return _correlation([x - mean_x for x in scores], [y - mean_y for y in ratings])


def _correlation(x: Numbers, y: Numbers) -> float | None:
    """The correlation of numbers whose means are about 0: sums of products then lose no digits."""
    number = len(x)
    sum_x, sum_y = sum(x), sum(y)
    xx = number * sum(map(mul, x, x)) - sum_x * sum_x
    yy = number * sum(map(mul, y, y)) - sum_y * sum_y
    # What rounding leaves of numbers that are all the same is no variance.
    if xx <= 1e-12 * number * sum(map(mul, x, x)) or yy <= 1e-12 * number * sum(map(mul, y, y)):
        return None
    xy = number * sum(map(mul, x, y)) - sum_x * sum_y
    return float(max(-1.0, min(1.0, xy / sqrt(xx) / sqrt(yy))))


def spearman(scores: Numbers, ratings: Numbers) -> float | None:
    """The correlation of the ranks, ties having the mean of theirs."""
    return pearson(ranks(scores), ranks(ratings))


def ranks(numbers: Numbers) -> list[float]:
    """The rank of each number from 1; ties have the mean of theirs."""
    counts = Counter(numbers)
    mean: dict[float, float] = {}
    end = 0
    for number in sorted(counts):
        mean[number] = end + (counts[number] + 1) / 2
        end += counts[number]
    return [mean[number] for number in numbers]


def dense(numbers: Numbers) -> tuple[int, list[int]]:
    """How many different numbers there are, and the place of each among them from 0."""
    different = sorted(set(numbers))
    place = {number: i for i, number in enumerate(different)}
    return len(different), [place[number] for number in numbers]


def kendall(scores: Numbers, ratings: Numbers) -> float | None:
    """Kendall's tau-b, which corrects for ties; None where one side does not vary."""
    pairs = sorted(zip(scores, ratings, strict=True))
    concordant = discordant = tied_scores = 0
    seen: list[float] = []
    start = 0
    while start < len(pairs):
        end = start
        while end < len(pairs) and pairs[end][0] == pairs[start][0]:
            end += 1
        for _, rating in pairs[start:end]:
            concordant += bisect_left(seen, rating)
            discordant += start - bisect_right(seen, rating)
        for _, rating in pairs[start:end]:
            insort(seen, rating)
        tied_scores += (end - start) * (end - start - 1) // 2
        start = end
    whole = len(pairs) * (len(pairs) - 1) // 2
    order, places = dense(ratings)
    counts = [0] * order
    for place in places:
        counts[place] += 1
    tied_ratings = sum(count * (count - 1) // 2 for count in counts)
    if whole in (tied_scores, tied_ratings):
        return None
    return (concordant - discordant) / sqrt((whole - tied_scores) * (whole - tied_ratings))


def auc(scores: Numbers, good: Numbers) -> float | None:
    """How often a good item (above 0) scores above a bad one, ties half: the area under the ROC curve."""
    number = sum(1 for each in good if each > 0)
    if number in (0, len(good)):
        return None
    summed = fsum(rank for rank, each in zip(ranks(scores), good, strict=True) if each > 0)
    return (summed - number * (number + 1) / 2) / (number * (len(good) - number))


def pair_accuracy(better: Numbers, worse: Numbers) -> float | None:
    """How often the better sentence of a pair scores above the worse, ties half. Takes the two rows of scores."""
    if not better:
        return None
    won = sum(1.0 if b > w else 0.5 if b == w else 0.0 for b, w in zip(better, worse, strict=True))
    return won / len(better)


def mean(scores: Numbers, ratings: Numbers) -> float | None:
    """The mean of the scores alone, None where there is none: of outcomes of pairs it is their accuracy."""
    return fsum(scores) / len(scores) if scores else None


def roc(scores: Numbers, good: Numbers) -> list[tuple[float, float]]:
    """The points (false positive rate, true positive rate) from (0, 0) to (1, 1); empty where all are good or bad."""
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


def estimate(
    statistic: Statistic, scores: Numbers, ratings: Numbers, seed: int = 0, resamples: int = RESAMPLES
) -> Estimate:
    """A statistic with its bootstrap interval."""
    value = statistic(scores, ratings)
    if value is None or len(scores) < 3:
        return Estimate(value, None, None, len(scores))
    if statistic in (spearman, kendall, auc):
        scores = dense(scores)[1]  # only the order counts, and small integers are quicker to rank again
        ratings = ratings if statistic is auc else dense(ratings)[1]
    if statistic is pearson:
        middles = fsum(scores) / len(scores), fsum(ratings) / len(ratings)
        scores, ratings = [x - middles[0] for x in scores], [y - middles[1] for y in ratings]
        statistic = _correlation
    resamples = min(resamples, _affordable(statistic, len(scores)))
    found = []
    for pick in _drawn(len(scores), seed, resamples):
        again = statistic(pick(scores), pick(ratings))
        if again is not None:
            found.append(again)
    low, high = interval(found, resamples)
    return Estimate(value, low, high, len(scores))


def _affordable(statistic: Statistic, number: int) -> int:
    """How many resamples of so many items are drawn at most."""
    return max(FEWEST, (DRAWN_FOR_KENDALL if statistic is kendall else DRAWN) // number)


def _drawn(number: int, seed: int, resamples: int) -> Iterator[Callable[[Numbers], Numbers]]:
    """Resamples: each is a function that takes the numbers of the items that were drawn from a row of numbers."""
    random = Random(seed)
    for _ in range(resamples):
        chosen = random.choices(range(number), k=number)
        yield itemgetter(*chosen) if number > 1 else tuple  # of one index an itemgetter gives no row


def interval(found: Sequence[float], resamples: int) -> tuple[float | None, float | None]:
    """The middle `LEVEL` of the values that resamples gave; no interval where too few of them had one."""
    if not found or len(found) < LEAST_VALUED * resamples:
        return None, None
    ordered = sorted(found)
    tail = (1 - LEVEL) / 2
    return _quantile(ordered, tail), _quantile(ordered, 1 - tail)


def _quantile(ordered: Sequence[float], share: float) -> float:
    """A quantile, linear between neighbours, as numpy's default."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def difference(statistic: Statistic, one: Numbers, other: Numbers, ratings: Numbers, seed: int = 0) -> Estimate:
    """How much better one row of scores does than another on the same items, by paired resamples."""
    values = statistic(one, ratings), statistic(other, ratings)
    if values[0] is None or values[1] is None:
        return Estimate(None, None, None, len(one))
    found = []
    resamples = min(RESAMPLES, _affordable(statistic, len(one)))
    for pick in _drawn(len(one), seed, resamples):
        people = pick(ratings)
        first, second = (statistic(pick(scores), people) for scores in (one, other))
        if first is not None and second is not None:
            found.append(first - second)
    low, high = interval(found, resamples)
    return Estimate(values[0] - values[1], low, high, len(one))
