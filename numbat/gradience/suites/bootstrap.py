"""Bootstrap intervals: what is independent of each other is drawn anew, and the statistic taken again.

Items that share a unit (`independence`) are drawn together: variants of one sentence, or the two of a minimal pair, say
less than as many sentences that have nothing in common. Intervals are percentile intervals, seeded, so that a run can
be repeated; resamples in which the statistic has no value do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from random import Random
from typing import Final

from numbat.gradience.suites.resampling import of_draws
from numbat.gradience.suites.statistics import Numbers, Statistic, kendall
from numbat.records import frozen

Units = Sequence[Hashable]
"""The unit of each item: items with the same unit are drawn together."""

RESAMPLES: Final = 1000
DRAWN: Final = 2_000_000
"""Of large suites fewer resamples are drawn: so many items in all, but at least `FEWEST` resamples."""
DRAWN_FOR_KENDALL: Final = 400_000
FEWEST: Final = 100
LEVEL: Final = 0.95
LEAST_VALUED: Final = 0.9
"""An interval is given if the statistic has a value in at least this share of the resamples."""
FEWEST_UNITS: Final = 3
"""Fewer units have no interval."""
TOO_FEW_UNITS: Final = f"fewer than {FEWEST_UNITS} items, pairs or groups to draw"
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
    """A statistic with its bootstrap interval; without `units` each item is one by itself."""
    value = statistic(scores, ratings)
    members = _members(units, len(scores))
    if value is None or len(members) < FEWEST_UNITS:
        return Estimate(value, None, None, len(scores), missing="" if value is None else TOO_FEW_UNITS)
    resamples = min(resamples, _affordable(statistic, len(scores)))
    values = map(of_draws(statistic, scores, ratings), _drawn(members, seed, resamples))
    found = [again for again in values if again is not None]
    return _estimate(value, found, len(scores), resamples)


def difference(
    statistic: Statistic,
    one: Numbers,
    other: Numbers,
    ratings: Numbers,
    seed: int = 0,
    units: Units | None = None,
    resamples: int = RESAMPLES,
) -> Estimate:
    """How much better one row of scores does than another on the same items, by paired resamples."""
    values = statistic(one, ratings), statistic(other, ratings)
    if values[0] is None or values[1] is None:
        return Estimate(None, None, None, len(one))
    members = _members(units, len(one))
    resamples = min(resamples, _affordable(statistic, len(one))) if len(members) >= FEWEST_UNITS else 0
    draws = _drawn(members, seed, resamples)
    pairs = zip(*(map(of_draws(statistic, scores, ratings), draws) for scores in (one, other)), strict=True)
    found = [first - second for first, second in pairs if first is not None and second is not None]
    return _estimate(values[0] - values[1], found, len(one), resamples)


def _estimate(value: float, found: Sequence[float], number: int, resamples: int) -> Estimate:
    low, high = interval(found, resamples)
    if low is None:
        return Estimate(value, None, None, number, missing=TOO_FEW_VALUED if resamples else TOO_FEW_UNITS)
    return Estimate(value, low, high, number, resamples)


def _affordable(statistic: Statistic, number: int) -> int:
    """How many resamples of so many items are drawn at most."""
    return max(FEWEST, (DRAWN_FOR_KENDALL if statistic is kendall else DRAWN) // max(1, number))


def _members(units: Units | None, number: int) -> tuple[tuple[int, ...], ...]:
    """The places of the items of each unit, in the order in which units come."""
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
