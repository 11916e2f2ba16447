"""The records of a suite: judged, rated and paired sentences; their groups, and which of them are independent."""

from __future__ import annotations

import os
import re
from collections.abc import Hashable, Sequence
from dataclasses import field, replace
from math import sqrt
from statistics import stdev
from typing import Final, Literal, NamedTuple

from numbat.errors import UsageError, counted, first_of
from numbat.records import frozen
from numbat.statistics.intervals import affordable
from numbat.words.judgement_marks import RATINGS

SIGNS: Final[dict[str, float]] = {
    "ok": 1.0,
    "": 1.0,
    "good": 1.0,
    "true": 1.0,
    "1": 1.0,
    **RATINGS,
    "bad": 0.0,
    "false": 0.0,
    "0": 0.0,
}
"""The signs of the literature as ratings; only their order counts in the rank statistics."""

NAMED: Final = 8
"""So many columns are named where more are not read."""


class Rating(NamedTuple):
    """A person's rating of a sentence, and who the person is if that is known.

    `z` is the rating within that person's over a whole experiment, of which a suite may be a part.
    """

    value: float
    participant: str = ""
    z: float | None = None


SuiteKind = Literal["judged", "rated", "pairs", "unrated"]


@frozen
class Item:
    """A sentence with what people say of it. `rating` grows with acceptability; None where nobody said anything.

    `judgement` is the sign as it was written; `by_sign`: it is all there is, and `rating` that of the sign, or None
    where other items of the suite have numbers. `relations` are those of which a bad sentence violates one. `pair`
    names the minimal pair it belongs to, `group` what it is a variant of, `judges` counts the ratings that `rating` is
    the mean of; these are `ratings`, of numbers. `line` is its place in the file of the suite, or in `path` where the
    suite is a folder; `relation_column` is where its `relations` begin there. `named_property` is the text that names
    the properties of which a bad sentence violates one, and `named_column` where that begins. `others` are the cells of
    columns that nothing reads, by their names, if they are the same in all lines of the item.
    """

    id: str
    sentence: str
    rating: float | None = None
    judgement: str | None = None
    phenomenon: str = ""
    relations: tuple[str, ...] = ()
    pair: str = ""
    judges: int = 1
    line: int = 0
    path: str = ""
    group: str = ""
    by_sign: bool = False
    ratings: tuple[Rating, ...] = ()
    relation_column: int = field(default=1, compare=False)
    named_property: str = ""
    named_column: int = field(default=1, compare=False)
    others: tuple[tuple[str, str], ...] = ()

    @property
    def error(self) -> float | None:
        """The standard error of the rating; None where it is not the mean of several."""
        values = [rating.value for rating in self.ratings]
        return stdev(values) / sqrt(len(values)) if len(values) > 1 else None

    @property
    def is_good(self) -> bool | None:
        """True if a sign calls it good; None for `?` and the like, and where there is no sign."""
        value = None if self.judgement is None else SIGNS.get(self.judgement.lower())
        return None if value is None or 0.0 < value < 1.0 else value == 1.0

    @property
    def star(self) -> str:
        """Return the mark of a sentence that a sign calls bad, `*`; else nothing."""
        return "*" if self.is_good is False else ""

    @property
    def worth(self) -> float | None:
        """Return the sort key of the sentences of a minimal pair: the rating, else that of the sign."""
        return SIGNS.get((self.judgement or "").lower()) if self.by_sign else self.rating


@frozen
class Suite:
    """The items of a file, in its order; `unread` are the names of its columns that are not understood.

    `notes` say what of the file is in no item, or seems to be no rating. `formulas` are predictions about conditions.
    `is_exercise`: its sentences mark the work of
    a student.
    """

    path: str
    items: tuple[Item, ...]
    unread: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    is_exercise: bool = False
    formulas: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of its file, without folders."""
        return os.path.basename(os.path.normpath(self.path)) or self.path

    @property
    def by_participant(self) -> dict[str, list[float]]:
        """The ratings of each participant, in the order of the items; "" stands for who is not named."""
        found: dict[str, list[float]] = {}
        for item in self.items:
            for rating in item.ratings:
                found.setdefault(rating.participant, []).append(rating.value)
        return found

    @property
    def rated(self) -> tuple[Item, ...]:
        """The items that have a rating."""
        return tuple(item for item in self.items if item.rating is not None)

    @property
    def means(self) -> str:
        """Of how many ratings its ratings are the means; nothing where each is a rating itself."""
        number = sum(item.judges for item in self.rated)
        return f", means of {number:,} ratings" if number > len(self.rated) else ""

    @property
    def kind(self) -> SuiteKind:
        """Return the kind of judgement of its items: one pair makes it a suite of pairs, else one sign a judged one."""
        if any(item.pair for item in self.items):
            return "pairs"
        if any(item.judgement is not None for item in self.items):
            return "judged"
        return "rated" if self.rated else "unrated"

    @property
    def pairs(self) -> tuple[tuple[Item, Item], ...]:
        """The minimal pairs, the better sentence first; a pair that is rated the same twice is none."""
        by_name: dict[str, list[Item]] = {}
        for item in self.items:
            if item.pair and item.worth is not None:
                by_name.setdefault(item.pair, []).append(item)
        found = []
        for items in by_name.values():
            ordered = sorted(items, key=lambda item: -(item.worth or 0.0))
            if len(ordered) > 1 and ordered[0].worth != ordered[-1].worth:
                found.append((ordered[0], ordered[-1]))
        return tuple(found)

    def place(self, item: Item) -> str:
        """Return the file and line of an item."""
        return f"{item.path or self.path}:{item.line}"

    def lacking(self, field: str) -> str:
        """Return the addition to a complaint that the column `field` is empty: it may have another name here."""
        if not self.unread:
            return ""
        return f'; columns not understood: {", ".join(self.unread)}; name one "{field}", or use --columns'


def telling_unread(suite: Suite) -> Suite:
    """Return the suite, which tells columns that nothing reads; where there are no judgements, that complaint names
    them.
    """
    if not suite.unread or suite.kind == "unrated":
        return suite
    return replace(suite, notes=(*suite.notes, f"{NOT_READ}{first_of(suite.unread, NAMED)}"))


NOT_READ: Final = "columns not read: "


def having_read(suite: Suite, names: Sequence[str]) -> Suite:
    """Return the suite of which these columns are read after all, and not told to be unread."""
    lower = {name.lower() for name in names}
    if not lower.intersection(map(str.lower, suite.unread)):
        return suite
    unread = tuple(name for name in suite.unread if name.lower() not in lower)
    notes = tuple(note for note in suite.notes if not note.startswith(NOT_READ))
    return telling_unread(replace(suite, unread=unread, notes=notes))


def on_one_scale(items: Sequence[Item]) -> tuple[Item, ...]:
    """Return the items without the ratings of signs where others have numbers: the two are no scale together."""
    if all(item.by_sign or item.rating is None for item in items):
        return tuple(items)
    return tuple(replace(item, rating=None) if item.by_sign else item for item in items)


# Groups by the names of items: sentences whose ids begin alike, as those of `32.1.a.01` and `32.1.a.02` do.
#
# Published data sets name examples by paper, type and number. Such sentences are variants of each other, but nothing
# says so: a model that has seen one of them knows something of the others.

SEPARATORS: Final = re.compile(r"[.\-_/:| ]+")
LETTER_BEHIND: Final = re.compile(r"(.*\d)([A-Za-z]{1,2})")
"""The number of an example with a letter: `12a`."""
MIN_GROUPS: Final = 3
LEAST_SIZE: Final = 1.5
"""Groups of fewer sentences on average say nothing."""


class IdGroups(NamedTuple):
    """The number of groups by the first `parts` of ids, and the longest id as an example."""

    parts: int
    groups: int
    example: str


def parts_of(name: str) -> list[str]:
    """Return the parts of an id: `32`, `1`, `a`, `01` of `32.1.a.01`; `12`, `a` of `12a`."""
    found = [part for part in SEPARATORS.split(name) if part]
    lettered = LETTER_BEHIND.fullmatch(name) if len(found) == 1 else None
    return list(lettered.groups()) if lettered else found


def proposed_groups(items: Sequence[Item]) -> list[IdGroups]:
    """Return the groups that ids of items may stand for, the fewest first; none where items have groups or pairs, or
    where ids do not look as if they had parts.
    """
    if not items or any(item.group or item.pair for item in items):
        return []
    names = [parts_of(item.id) for item in items]
    proposed = []
    for parts in range(1, min(map(len, names))):
        groups = len({tuple(name[:parts]) for name in names})
        if MIN_GROUPS <= groups <= len(items) / LEAST_SIZE:
            proposed.append(IdGroups(parts, groups, max((item.id for item in items), key=len)))
    return proposed


def grouped_by_id(suite: Suite, parts: int) -> Suite:
    """Return the suite whose items have the first parts of their ids as their group, but for those that have one.

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
    """Return the message on ids that look like groups, if nothing else says so; `harm`: what follows."""
    proposed = proposed_groups(items)
    if not proposed:
        return None
    enough = next((way for way in proposed if way.groups >= ENOUGH), proposed[-1])
    ways = ", ".join(f"{way.groups:,} by {way.parts} part{'s' * (way.parts > 1)}" for way in proposed)
    return (
        f"no groups, but ids such as {proposed[0].example} begin alike ({ways}): if sentences with the same beginning "
        f"are variants of each other, {harm}; --group-by-id {enough.parts} keeps them together"
    )


# Which items of a suite are independent of each other: those that share no group and no minimal pair.

ENOUGH: Final = 30
"""So many groups by ids are enough."""


def units_of(items: Sequence[Item]) -> list[Hashable]:
    """Return the unit of each item: its group, else its minimal pair, else itself.

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
    """Return the name of the units that are drawn anew for intervals of the items: `2,400 sentences`, `300 groups`,
    `725 pairs`.
    """
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
    """Return the message that there are too few units for intervals; empty if there are enough."""
    if affordable(len(items), len(set(units_of(items)))):
        return ""
    return f"{name_of_units(items, 'item')} only: too few for intervals"
