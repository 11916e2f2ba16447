"""Statistics of resamples: made ready once for two rows of numbers, then taken of each draw of their items.

What is the same in every draw is worked out before: products, and the order of the different numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import accumulate
from math import fsum, sqrt
from operator import mul
from typing import Any, Final

from numbat.gradience.suites.statistics import (
    Numbers,
    Statistic,
    auc,
    correlation,
    dense,
    kendall,
    pearson,
    spearman,
    tau,
)

Draw = Callable[[Sequence[Any]], Sequence[Any]]
"""Takes from a row with something for each item what belongs to the items that were drawn."""
OfDraw = Callable[[Draw], float | None]
CELLS: Final = 20
"""Kendall's pairs are counted level by level where a table of both sides has at most so many cells an item."""


def of_draws(statistic: Statistic, scores: Numbers, ratings: Numbers) -> OfDraw:
    """The statistic of two rows as a function of what is drawn of them."""
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
