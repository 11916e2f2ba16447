"""Which items of a suite are independent of each other: those that share no group and no minimal pair."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

from numbat.errors import counted
from numbat.gradience.suites.suite import Item

ENOUGH: Final = 30
"""Intervals over fewer units are too narrow to be trusted."""


def units_of(items: Sequence[Item]) -> list[Hashable]:
    """The unit of each item: its group, else its minimal pair, else itself.

    The item number of an experiment is the group of its conditions already. A pair of which one sentence has a group
    belongs to that group.
    """
    of_pair = {item.pair: item.group for item in reversed(items) if item.pair and item.group}
    found: list[Hashable] = []
    for place, item in enumerate(items):
        if group := item.group or of_pair.get(item.pair, ""):
            found.append(("group", group))
        else:
            found.append(("pair", item.pair) if item.pair else place)
    return found


def name_of_units(items: Sequence[Item], what: str = "sentence") -> str:
    """What is drawn anew where intervals of the items are taken: `2,400 sentences`, `300 groups`, `725 pairs`."""
    units = set(units_of(items))
    kinds = {unit[0] for unit in units if isinstance(unit, tuple)}
    if len(units) == len(items):
        return counted(len(items), what)
    if kinds == {"pair"} and len(units) * 2 == len(items):
        return counted(len(units), "pair")
    if kinds == {"group"}:
        return counted(len(units), "group")
    return f"{counted(len(units), 'group')}, pairs and single {what}s"


def too_few(items: Sequence[Item]) -> str:
    """What to say where so few units are drawn that intervals mean little; nothing where there are enough."""
    if len(set(units_of(items))) >= ENOUGH:
        return ""
    return f"{name_of_units(items, 'item')} only: the intervals are too narrow to be trusted"
