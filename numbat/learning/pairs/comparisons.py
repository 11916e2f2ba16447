"""The comparisons that are learned from: which sentence should cost less than which, and by how much."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from numbat.gradience.suite import Item, Suite
from numbat.records import frozen

PARTNERS: Final = 10
"""A sentence is compared with at most so many better ones of its group, drawn from those of about its length."""
LENGTH: Final = 0.1
"""Sentences that are drawn together differ in length by this part of it at most, or by one word."""

Length = Callable[[str], int]
"""The number of words of a sentence."""


@frozen
class Comparison:
    """Two sentences, the better one first. `margin`: by how much more the worse one should cost, 1 for as much as the
    usual cost of a property."""

    better: str
    worse: str
    margin: float = 1.0


def comparisons_of(items: Sequence[Item], seed: int, length: Length) -> list[Comparison]:
    """The comparisons between rated items, without repetition, in the order of the items.

    Items of a minimal pair are compared, whatever their lengths. Other items are compared within their group, or
    where they have none with all that have none: the margin is the difference of the ratings, 1 for the largest there
    is. Length decides nothing there, for partners are of about the same length.
    """
    found: dict[Comparison, None] = {}
    paired = Suite("", tuple(items)).pairs
    for better, worse in paired:
        found[Comparison(better.sentence, worse.sentence)] = None
    in_pairs = {item.id for pair in paired for item in pair}
    rated = [item for item in items if item.rating is not None and item.id not in in_pairs]
    ratings = [item.rating or 0.0 for item in rated]
    widest = max(ratings, default=0.0) - min(ratings, default=0.0)
    groups: dict[str, list[Item]] = {}
    for item in rated:
        groups.setdefault(item.group, []).append(item)
    random = Random(seed)
    for group in groups.values():
        found |= dict.fromkeys(_within(group, widest, random, length))
    return [each for each in found if each.better != each.worse]


def _within(group: Sequence[Item], widest: float, random: Random, length: Length) -> list[Comparison]:
    """The comparisons of the items of one group, each with `PARTNERS` better ones at most."""
    by_length: dict[int, list[Item]] = {}
    for item in group:
        by_length.setdefault(length(item.sentence), []).append(item)
    found = []
    for worse in group:
        words = length(worse.sentence)
        about = range(words - max(1, int(LENGTH * words)), words + max(1, int(LENGTH * words)) + 1)
        better = [item for number in about for item in by_length.get(number, ()) if _above(item, worse)]
        for item in random.sample(better, min(PARTNERS, len(better))):
            margin = ((item.rating or 0.0) - (worse.rating or 0.0)) / widest
            found.append(Comparison(item.sentence, worse.sentence, margin))
    return found


def _above(one: Item, other: Item) -> bool:
    return (one.rating or 0.0) > (other.rating or 0.0)
