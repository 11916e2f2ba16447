"""What a model loses without each of its parts: differences of a statistic with paired bootstrap intervals.

An item (a rated sentence, a pair, a tree) has an outcome under the whole model and one without each part. A statistic
is a function of how often each item counts, so that it has one meaning for all items and for a resample of them. Items
of one group are drawn together. Intervals are percentile intervals, seeded as in `gradience.suites.bootstrap`;
resamples in which the statistic has no value do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import accumulate
from math import fsum, sqrt
from operator import add, itemgetter, mul
from random import Random
from typing import Final

from numbat.gradience.statistics import DRAWN, FEWEST, RESAMPLES, Estimate, interval
from numbat.records import frozen

Outcome = tuple[float, ...]
"""What happened with one item; what the numbers are is known to the statistic."""
Counted = Callable[[Sequence[int]], float | None]
"""The value of a statistic where each item counts so often; None where it has none."""
Statistic = Callable[[Sequence[Outcome]], Counted]

FEWEST_GROUPS: Final = 3
"""Fewer groups (items, where they have no groups) have no interval."""


@frozen
class Part:
    """A part of a model that can be left out: its weight, how many terms it has, and each item's outcome without it."""

    name: str
    weight: float
    count: int
    without: Sequence[Outcome]


@frozen
class ImportanceRow:
    """What one part of `count` terms matters: the statistic without it, and what is lost, whole less without.

    The interval of `lost` is that of the difference on the same resamples.
    """

    name: str
    weight: float
    count: int
    without: Estimate
    lost: Estimate


@frozen
class Importance:
    """The statistic `measure` under the whole model, and a row for each part, the greatest loss first.

    Intervals are over so many `groups` of items.
    """

    measure: str
    whole: Estimate
    groups: int
    rows: tuple[ImportanceRow, ...]


@frozen
class ImportanceReport:
    """An importance with what a reader must know: the `model`, the data it was measured `on`, what the items are, what
    a `weight` is, what is left out; `notes` say what to beware of."""

    model: str
    on: str
    items: str
    weight: str
    left_out: str
    importance: Importance
    notes: tuple[str, ...] = ()


def importance(
    measure: str,
    statistic: Statistic,
    whole: Sequence[Outcome],
    parts: Sequence[Part],
    groups: Sequence[Hashable] | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Importance:
    """Measure what each part matters. `groups` has the group of each item; without it each is one by itself.

    Of many items fewer resamples are drawn (`DRAWN`).
    """
    of = _numbered(range(len(whole)) if groups is None else groups)
    number = max(of, default=-1) + 1
    every = [statistic(whole), *(statistic(part.without) for part in parts)]
    everything = [1] * len(whole)
    values = [value_of(everything) for value_of in every]
    drawn: list[list[float | None]] = [[] for _ in every]
    resamples = min(resamples, max(FEWEST, DRAWN // max(1, len(whole)))) if number >= FEWEST_GROUPS else 0
    for counts in _resampled(of, number, seed, resamples):
        for found, value_of in zip(drawn, every, strict=True):
            found.append(value_of(counts))
    rows = []
    for part, value, again in zip(parts, values[1:], drawn[1:], strict=True):
        pairs = zip(drawn[0], again, strict=True)
        differences = [_less(one, other) for one, other in pairs]
        lost = _estimate(_less(values[0], value), differences, len(whole))
        rows.append(ImportanceRow(part.name, part.weight, part.count, _estimate(value, again, len(whole)), lost))
    rows.sort(key=lambda row: (row.lost.value is None, -(row.lost.value or 0.0), -row.weight, row.name))
    return Importance(measure, _estimate(values[0], drawn[0], len(whole)), number, tuple(rows))


def _numbered(groups: Sequence[Hashable]) -> list[int]:
    """The number of the group of each item, in the order in which groups come."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(group, len(numbers)) for group in groups]


def _resampled(of: Sequence[int], number: int, seed: int, resamples: int) -> Iterator[list[int]]:
    """Resamples of as many groups as there are: how often each item was drawn."""
    random = Random(seed)
    for _ in range(resamples):
        counts = [0] * number
        for chosen in random.choices(range(number), k=number):
            counts[chosen] += 1
        yield [counts[group] for group in of]


def _less(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _estimate(value: float | None, drawn: Sequence[float | None], number: int) -> Estimate:
    if value is None:
        return Estimate(None, None, None, number)
    low, high = interval([each for each in drawn if each is not None], len(drawn))
    return Estimate(value, low, high, number, 0 if low is None else len(drawn))


# Statistics


def of_sums(value: Callable[..., float | None]) -> Statistic:
    """A statistic that is a function of the sums of the numbers of the outcomes."""

    def statistic(outcomes: Sequence[Outcome]) -> Counted:
        columns = list(zip(*outcomes, strict=True))
        return lambda counts: value(*(sum(map(mul, counts, column)) for column in columns)) if columns else None

    return statistic


def _f1(gold: float, predicted: float, matched: float) -> float | None:
    return 2 * matched / (gold + predicted) if gold + predicted else None


bracket_f1: Final = of_sums(_f1)
"""F1; outcomes are the numbers of gold, predicted and matched brackets."""


def mean(outcomes: Sequence[Outcome]) -> Counted:
    """The mean of outcomes of one number: accuracy where that is 1 or 0, ties half."""
    values = [value for (value,) in outcomes]

    def counted(counts: Sequence[int]) -> float | None:
        number = sum(counts)
        return sum(map(mul, counts, values)) / number if number else None

    return counted


def pearson(outcomes: Sequence[Outcome]) -> Counted:
    """The product-moment correlation; outcomes are a score and a rating. None where one of them does not vary."""
    if not outcomes:
        return lambda counts: None
    scores, ratings = (_centred(column) for column in zip(*outcomes, strict=True))
    products = [list(map(mul, *both)) for both in ((scores, scores), (ratings, ratings), (scores, ratings))]

    def counted(counts: Sequence[int]) -> float | None:
        x, y, xx, yy, xy = (sum(map(mul, counts, column)) for column in (scores, ratings, *products))
        number = sum(counts)
        of_scores, of_ratings = number * xx - x * x, number * yy - y * y
        # What rounding leaves of numbers that are all the same is no variance.
        if of_scores <= 1e-12 * number * xx or of_ratings <= 1e-12 * number * yy:
            return None
        return float(max(-1.0, min(1.0, (number * xy - x * y) / sqrt(of_scores) / sqrt(of_ratings))))

    return counted


def _centred(values: Sequence[float]) -> list[float]:
    """Numbers less their mean, so that sums of products lose no digits; 0 where they are the same but for rounding."""
    middle = fsum(values) / len(values)
    found = [value - middle for value in values]
    return found if max(map(abs, found)) > 1e-12 * max(1.0, abs(middle)) else [0.0] * len(found)


def auc(outcomes: Sequence[Outcome]) -> Counted:
    """How often a good item scores above a bad one, ties half; outcomes are a score, and 1 (good) or 0 (bad)."""
    order = sorted(range(len(outcomes)), key=lambda i: outcomes[i][0])
    scores, good = [outcomes[i][0] for i in order], [outcomes[i][1] for i in order]
    starts, ends = _ties(scores)
    if len(order) < 2:
        return lambda counts: None
    in_order, below, up_to = itemgetter(*order), itemgetter(*starts), itemgetter(*ends)

    def counted(counts: Sequence[int]) -> float | None:
        sorted_counts = in_order(counts)
        of_good = list(map(mul, sorted_counts, good))
        of_bad = [count - each for count, each in zip(sorted_counts, of_good, strict=True)]
        pairs = sum(of_good) * sum(of_bad)
        summed = [0.0, *accumulate(of_bad)]
        won = sum(map(mul, of_good, map(add, below(summed), up_to(summed)))) / 2
        return won / pairs if pairs else None

    return counted


def _ties(ordered: Sequence[float]) -> tuple[list[int], list[int]]:
    """For each of numbers in order, the first place of a number that is equal, and the place after the last one."""
    starts: list[int] = []
    for i, number in enumerate(ordered):
        starts.append(starts[-1] if i and number == ordered[i - 1] else i)
    ends = [0] * len(starts)
    for i in reversed(range(len(starts))):
        ends[i] = ends[i + 1] if i + 1 < len(starts) and starts[i + 1] == starts[i] else i + 1
    return starts, ends
