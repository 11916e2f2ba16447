"""Groups by the names of items: sentences whose ids begin alike, as those of `32.1.a.01` and `32.1.a.02` do.

Published data sets name examples by paper, type and number. Such sentences are variants of each other, but nothing says
so: a model that has seen one of them knows something of the others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from numbat.errors import UsageError
from numbat.gradience.suites.independence import ENOUGH
from numbat.gradience.suites.suite import Item, Suite

SEPARATORS: Final = re.compile(r"[.\-_/:| ]+")
LETTER_BEHIND: Final = re.compile(r"(.*\d)([A-Za-z]{1,2})")
"""The number of an example with a letter: `12a`."""
FEWEST_GROUPS: Final = 3
LEAST_SIZE: Final = 1.5
"""Groups of fewer sentences on average say nothing."""


class IdGroups(NamedTuple):
    """How many groups there are by the first `parts` of ids, and the longest id as an example."""

    parts: int
    groups: int
    example: str


def parts_of(name: str) -> list[str]:
    """The parts of an id: `32`, `1`, `a`, `01` of `32.1.a.01`; `12`, `a` of `12a`."""
    found = [part for part in SEPARATORS.split(name) if part]
    lettered = LETTER_BEHIND.fullmatch(name) if len(found) == 1 else None
    return list(lettered.groups()) if lettered else found


def proposed_groups(items: Sequence[Item]) -> list[IdGroups]:
    """The groups that ids of items may stand for, the fewest first; none where items have groups or pairs, or where
    ids do not look as if they had parts."""
    if not items or any(item.group or item.pair for item in items):
        return []
    names = [parts_of(item.id) for item in items]
    found = []
    for parts in range(1, min(map(len, names))):
        groups = len({tuple(name[:parts]) for name in names})
        if FEWEST_GROUPS <= groups <= len(items) / LEAST_SIZE:
            found.append(IdGroups(parts, groups, max((item.id for item in items), key=len)))
    return found


def grouped_by_id(suite: Suite, parts: int) -> Suite:
    """The suite whose items have the first parts of their ids as their group, but for those that have one.

    Raises UsageError for an id that has no more than so many parts.
    """
    items = []
    for item in suite.items:
        name = parts_of(item.id)
        if not item.group and len(name) <= parts:
            raise UsageError(
                f'{suite.place(item)}: the id "{item.id}" has no more than {parts} parts\n'
                "  --group-by-id N takes the first N parts of ids such as 32.1.a.01, which have one more at least"
            )
        items.append(item if item.group else replace(item, group=".".join(name[:parts])))
    return replace(suite, items=tuple(items))


def proposal(items: Sequence[Item], harm: str) -> str | None:
    """What to say of ids that look as if they stood for groups, where nothing else says so; `harm`: what follows."""
    found = proposed_groups(items)
    if not found:
        return None
    enough = next((each for each in found if each.groups >= ENOUGH), found[-1])
    ways = ", ".join(f"{each.groups:,} by {each.parts} part{'s' * (each.parts > 1)}" for each in found)
    return (
        f"no groups, but ids such as {found[0].example} begin alike ({ways}): if sentences with the same beginning are "
        f"variants of each other, {harm}; --group-by-id {enough.parts} keeps them together"
    )
