"""A model's interaction on people's scale, and the verdict on how it differs from people's.

A straight line through all rated sentences of a suite, people's values by scores, turns differences of scores into
differences of people's values. Items are left out in turn, each from the line and from both interactions, and so are
participants; the intervals therefore include the uncertainty of the line.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from math import fsum, hypot
from statistics import fmean
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from numbat.acceptability.suite import Item, units_of
from numbat.acceptability.verdicts import ScoredItem, comparable, ratings_of
from numbat.records import frozen
from numbat.statistics.distributions import t_quantile
from numbat.statistics.intervals import LEVEL, Estimate, jackknife_error

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

Verdict = Literal["alike", "stronger", "weaker", "opposite", "cannot tell"]


@frozen
class InteractionEstimate:
    """An interaction: computed from the means of conditions, and as the mean over items and over participants."""

    value: float | None
    by_items: Estimate
    by_participants: Estimate | None = None

    @property
    def sign(self) -> int | None:
        """The sign, 1 or -1, if no interval contains 0; 0 if all do; None if the intervals disagree or are missing."""
        signs = {_sign(interval) for interval in self._intervals}
        return signs.pop() if len(signs) == 1 else None

    def is_within(self, bound: float) -> bool:
        """True if the intervals lie between -bound and bound."""
        ends = [end for interval in self._intervals for end in (interval.low, interval.high)]
        return bool(ends) and all(end is not None and abs(end) < bound for end in ends)

    @property
    def _intervals(self) -> list[Estimate]:
        both = (self.by_items, self.by_participants)
        return [interval for interval in both if interval is not None and interval.value is not None]


def _sign(interval: Estimate) -> int | None:
    if interval.low is None or interval.high is None:
        return None
    return 1 if interval.low > 0 else -1 if interval.high < 0 else 0


# The line from scores to people's values


@frozen
class Link:
    """The slope of the line, over a number of sentences; a slope below 0 counts as 0, as then scores predict nothing.

    `without_items` has the slope without the sentences of each item (a unit of `units_of`), `without_participants` the
    slope without the ratings of each participant.
    """

    slope: float
    sentences: int
    without_items: Mapping[Hashable, float]
    without_participants: Mapping[Hashable, float]

    @property
    def by_items(self) -> Estimate:
        """The slope with its interval over items."""
        return _jackknifed(lambda unit: self.without_items.get(unit, self.slope), self.without_items, ())


def link_of(scored: Sequence[ScoredItem]) -> Link:
    """Return the line through the sentences that have a score and a rating."""
    import numpy as np

    items = comparable(scored)
    scores, ratings = [item.value or 0.0 for item in items], ratings_of(items)
    middle = (fmean(scores), fmean(ratings)) if items else (0.0, 0.0)
    whole = np.zeros(5)
    of_item: dict[Hashable, Sums] = {}
    of_participant: dict[Hashable, Sums] = {}
    units = units_of([item.item for item in items])
    for item, unit, score, rating in zip(items, units, scores, ratings, strict=True):
        sums = _sums(score - middle[0], rating - middle[1])
        whole += sums
        of_item[unit] = of_item.get(unit, 0.0) + sums
        for name, rest in _without_each(item.item):
            left = 0.0 if rest is None else _sums(score - middle[0], rest - middle[1])
            of_participant[name] = of_participant.get(name, 0.0) + sums - left
    without_items, without_participants = (
        {unit: _slope(whole - part) for unit, part in parts.items()} for parts in (of_item, of_participant)
    )
    return Link(_slope(whole), len(items), without_items, without_participants)


Sums: TypeAlias = "NDArray[float64]"
"""Sums over sentences: of 1, the score, the rating, the square of the score, and the product of score and rating."""


def _sums(score: float, rating: float) -> Sums:
    import numpy as np

    return np.array([1.0, score, rating, score * score, score * rating])


def _slope(sums: Sums) -> float:
    number, scores, ratings, squares, products = sums.tolist()
    spread = number * squares - scores * scores
    return max(0.0, (number * products - scores * ratings) / spread) if spread > 1e-9 else 0.0


def _without_each(item: Item) -> Iterator[tuple[str, float | None]]:
    """Yield each known participant of an item, and the mean of the other participants' ratings, None without any."""
    of: dict[str, list[float]] = {}
    for rating in item.ratings:
        of.setdefault(rating.participant, []).append(rating.value)
    total, number = fsum(rating.value for rating in item.ratings), len(item.ratings)
    for name, values in of.items():
        if name:
            left = number - len(values)
            yield name, (total - fsum(values)) / left if left else None


# The two interactions on one scale


@frozen
class Contrasts:
    """The interaction of each item by people and by the model, and of each participant; only units in all conditions.

    Participants are None if they are unknown.
    """

    people: Mapping[Hashable, float]
    model: Mapping[Hashable, float]
    participants: Mapping[Hashable, float] | None


class OnOneScale(NamedTuple):
    """The model's interaction on people's scale, its difference from people's (model minus people), and their sum."""

    model: InteractionEstimate
    difference: InteractionEstimate
    total: InteractionEstimate


def on_one_scale(link: Link, contrasts: Contrasts, people: float | None, model: float | None) -> OnOneScale:
    """Bring both interactions on people's scale; `people` and `model` are those of the means of conditions."""
    of_people, of_model = _mean_without(contrasts.people), _mean_without(contrasts.model)
    both = {**contrasts.people, **contrasts.model} if contrasts.people and contrasts.model else {}
    participants = contrasts.participants if contrasts.model else {}
    of_participants, middle = _mean_without(participants or {}), of_model(None)

    def plus(times: int) -> InteractionEstimate:
        """Return the model's interaction plus `times` people's."""

        def without_item(unit: Hashable) -> float:
            return link.without_items.get(unit, link.slope) * of_model(unit) + times * of_people(unit)

        def without_participant(name: Hashable) -> float:
            return link.without_participants.get(name, link.slope) * middle + times * of_participants(name)

        value = None if model is None or (times and people is None) else link.slope * model + times * (people or 0.0)
        return InteractionEstimate(
            value,
            _jackknifed(without_item, both if times else contrasts.model, link.without_items),
            None if participants is None else _jackknifed(without_participant, participants, link.without_participants),
        )

    return OnOneScale(plus(0), plus(-1), plus(1))


def _mean_without(values: Mapping[Hashable, float]) -> Callable[[Hashable], float]:
    """Return a function from a unit to the mean of the values of all other units."""
    total, number = fsum(values.values()), len(values)
    return lambda unit: (total - values.get(unit, 0.0)) / max(1, number - (unit in values))


def _jackknifed(value: Callable[[Hashable], float], inside: Iterable[Hashable], others: Iterable[Hashable]) -> Estimate:
    """Return `value(None)` with its interval by the jackknife; `value` returns the statistic without a unit.

    The units `inside` a design and all `others`, which only bear on the line, are strata; t has one degree of freedom
    less than there are units inside.
    """
    within = dict.fromkeys(inside)
    outside = [unit for unit in others if unit not in within]
    if not within:
        return Estimate(None, None, None, 0, missing="no unit in all conditions")
    middle = value(None)
    if len(within) < 2:
        return Estimate(middle, None, None, 1, missing="one value only")
    errors = [jackknife_error([value(unit) for unit in stratum]) for stratum in (within, outside) if stratum]
    reach = t_quantile((1 + LEVEL) / 2, len(within) - 1) * hypot(*errors)
    return Estimate(middle, middle - reach, middle + reach, len(within), len(within))


# The verdict

MOST_ALIKE: Final = 0.5
"""Default bound of differences that count as none, in standard deviations of people's ratings."""


def verdict_of(people: InteractionEstimate, both: OnOneScale, bound: float) -> Verdict:
    """Return the verdict on the model's interaction.

    The model's is weaker if it is less on the side of people's, and stronger if it is more on that side; if it is not
    certain that people have one, stronger if it is farther from 0: the difference and the sum are on one side.
    """
    if both.difference.is_within(bound):
        return "alike"
    if (people.sign or 0) * (both.model.sign or 0) < 0:
        return "opposite"
    side = people.sign or both.total.sign
    if not both.difference.sign or not side:
        return "cannot tell"
    if both.difference.sign == side:
        return "stronger"
    return "weaker" if people.sign else "cannot tell"


def doubt_of(people: InteractionEstimate, both: OnOneScale, bound: float) -> str:
    """Return the reason why a verdict cannot be told."""
    if people.value is None or both.model.value is None:
        return "some condition has no ratings" if people.value is None else "some condition has no score"
    intervals = (both.difference.by_items, both.difference.by_participants)
    if any(interval is not None and interval.low is None for interval in intervals):
        return "too few items or participants are in all conditions"
    if both.difference.sign:
        return "they differ, but which is farther from 0 is not certain"
    if both.difference.sign is None:
        return f"they differ for certain only over {'items' if _sign(both.difference.by_items) else 'participants'}"
    return f"their difference may be 0, or more than {bound:.2f}"
