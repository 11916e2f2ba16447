"""What several people say of the same sentences: their ratings on one scale, and how far they agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random
from statistics import fmean, median, stdev
from typing import Final

from numbat.errors import DataError, UsageError, counted, first_of
from numbat.gradience.suites.reading.rows import rated_by
from numbat.gradience.suites.statistics import pearson
from numbat.gradience.suites.suite import Item, Rating, Suite
from numbat.records import frozen

SPLITS: Final = 100
"""So many times people are split into halves."""
NAMED: Final = 3
"""So many ratings are named where more are outside the scale."""
MANY: Final = 20
"""Of so many ratings one is far from the others if the gap is wider than these span, of fewer five times as wide."""
MOST_OUTSIDE: Final = 0.1
"""A larger share of ratings that are far from the others is no mistake."""

Scale = tuple[float, float]
"""The least and the greatest rating that there is."""


def scale_of(text: str) -> Scale:
    """The scale that is written `1-7` or `-3:3`. Raises UsageError."""
    for sign in (":", "-"):
        low, found, high = text.rpartition(sign)
        try:
            ends = float(low), float(high)
        except ValueError:
            continue
        if found and ends[0] < ends[1]:
            return ends
    raise UsageError(f'"{text}" is no scale\n  write the least and the greatest rating: --scale 1-7, or --scale=-3:3')


def scale_option(scale: Scale) -> str:
    """The option that asks for a scale: `--scale 1-7`, or `--scale=-3:3`, for a minus sign would begin an option."""
    low, high = scale
    return f"--scale={low:g}:{high:g}" if low < 0 else f"--scale {low:g}-{high:g}"


def within(suite: Suite, scale: Scale) -> Suite:
    """The suite without ratings outside the scale, which are told."""
    low, high = scale
    outside = _outside(suite, scale)
    if not outside:
        return suite
    items = [_kept(item, lambda rating: low <= rating.value <= high) for item in suite.items]
    told = f"{counted(len(outside), 'rating')} outside the scale from {low:g} to {high:g}, and left out"
    return replace(suite, items=tuple(items), notes=(*suite.notes, f"{told}: {_named(outside)}"))


def _outside(suite: Suite, scale: Scale) -> list[tuple[Item, float]]:
    low, high = scale
    every = ((item, rating.value) for item in suite.items for rating in item.ratings)
    return [(item, value) for item, value in every if not low <= value <= high]


def _kept(item: Item, is_kept: Callable[[Rating], bool]) -> Item:
    kept = tuple(filter(is_kept, item.ratings))
    return item if kept == item.ratings else rated_by(item, kept)


def _named(outside: Sequence[tuple[Item, float]]) -> str:
    return first_of([f"{value:g} ({item.id})" for item, value in outside], NAMED)


def far_from_others(suite: Suite) -> Suite:
    """The suite, which tells ratings that seem to be outside its scale: what parts them from the others is wider than
    all that the others span."""
    every = sorted(rating.value for item in suite.items for rating in item.ratings)
    most = max(1, int(MOST_OUTSIDE * len(every)))
    for low, high in ((0, most), (most, 0)):
        inner = _without_far(every, low, high)
        if inner is None:
            continue
        outside = _outside(suite, inner)
        told = f"{counted(len(outside), 'rating')} far from the others, which lie from {inner[0]:g} to {inner[1]:g}"
        which = f"{told}: {_named(outside)}; {scale_option(inner)} leaves such ratings out"
        return replace(suite, notes=(*suite.notes, which))
    return suite


def _without_far(every: Sequence[float], below: int, above: int) -> Scale | None:
    """The span of ordered ratings without up to so many `below` and `above` that are far from it; None for none."""
    farther = 1 if len(every) >= MANY else 5  # few ratings may well leave out most of their scale
    gaps = [(i + 1, high - low) for i, (low, high) in enumerate(pairwise(every))]
    for cut, gap in gaps:
        if cut <= below and 0 < farther * (every[-1] - every[cut]) < gap:
            return every[cut], every[-1]
        if len(every) - cut <= above and 0 < farther * (every[cut - 1] - every[0]) < gap:
            return every[0], every[cut - 1]
    return None


def standardized(suite: Suite) -> Suite:
    """The suite with z-scores for ratings: each less the mean of its participant, in that one's standard deviations.

    Participants who gave less than two different ratings are left out, and told. Raises DataError where it is not said
    who rated.
    """
    by_participant: dict[str, list[float]] = {}
    for item in suite.items:
        for rating in item.ratings:
            by_participant.setdefault(rating.participant, []).append(rating.value)
    if not by_participant or "" in by_participant:
        hint = "add a column participant with a line for each rating, or name it: --columns participant=NAME"
        raise DataError(f"{suite.path}: not every rating says whose it is, as z-scores need\n  {hint}")
    spread = {name: stdev(values) if len(values) > 1 else 0.0 for name, values in by_participant.items()}
    means = {name: fmean(values) for name, values in by_participant.items()}

    def z(rating: Rating) -> Rating:
        name = rating.participant
        return Rating((rating.value - means[name]) / spread[name], name)

    items = [
        rated_by(item, tuple(z(rating) for rating in item.ratings if spread[rating.participant]))
        if item.ratings
        else item
        for item in suite.items
    ]
    flat = [name for name, value in spread.items() if not value]
    notes = [f"participants who rated all alike, so that they have no z-scores: {len(flat)} ({first_of(flat, NAMED)})"]
    about = [f"ratings are z-scores within each of {counted(len(by_participant), 'participant')}"]
    return replace(suite, items=tuple(items), notes=(*suite.notes, *about, *(notes if flat else ())))


@frozen
class Ceiling:
    """How well one half of the people predicts all of them: the mean correlation of two halves, stepped up to the whole
    by Spearman-Brown. `items` have ratings of two people at least, `judges` is the median number of these."""

    value: float
    items: int
    judges: float
    participants: int


def split_half(items: Sequence[Item], seed: int = 0) -> Ceiling | None:
    """The ceiling of correlations with the ratings of the items; None where too few have several ratings.

    Participants are split where they are known, else the ratings of each item are.
    """
    several = [item for item in items if len(item.ratings) > 1]
    if len(several) < 3:
        return None
    people = sorted({rating.participant for item in several for rating in item.ratings})
    known = "" not in people
    random = Random(seed)
    found = []
    for _ in range(SPLITS):
        chosen = set(random.sample(people, len(people) // 2)) if known else None
        halves = [_halved(item, chosen, random) for item in several]
        both = [(fmean(one), fmean(other)) for one, other in halves if one and other]
        r = pearson([one for one, _ in both], [other for _, other in both]) if len(both) > 2 else None
        if r is not None and r > -1:
            found.append(2 * r / (1 + r))
    if not found:
        return None
    return Ceiling(
        fmean(found), len(several), median(len(item.ratings) for item in several), len(people) if known else 0
    )


def _halved(item: Item, chosen: set[str] | None, random: Random) -> tuple[list[float], list[float]]:
    if chosen is None:
        values = [rating.value for rating in item.ratings]
        random.shuffle(values)
        return values[: len(values) // 2], values[len(values) // 2 :]
    one = [rating.value for rating in item.ratings if rating.participant in chosen]
    return one, [rating.value for rating in item.ratings if rating.participant not in chosen]
