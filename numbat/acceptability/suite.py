"""The records of a suite: judged, rated and paired sentences; their groups, and the independent units among them."""

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
"""Signs, the judgements in words or marks such as `*` and `?`, as ratings; rank statistics use only their order."""

NAMED: Final = 8
"""Maximum number of unread columns named in a message."""


class Rating(NamedTuple):
    """A rating by a participant; `z` is its z-score among the participant's ratings in the whole experiment."""

    value: float
    participant: str = ""
    z: float | None = None


SuiteKind = Literal["judged", "rated", "pairs", "unrated"]


@frozen
class Item:
    """A sentence with its judgements. `rating` grows with acceptability; None without a judgement.

    `judgement` is the sign as written (see `SIGNS`). With `by_sign` there is only a sign; `rating` is then that of the
    sign, or None if other items of the suite have numbers. A bad sentence should violate one of the `relations` and one
    of the properties that the text `named_property` names; these begin in the columns `relation_column` and
    `named_column` of the item's `line` in the file of the suite, or in `path` if the suite is a folder. `pair` is the
    name of its minimal pair, `group` that of its group of variants. `rating` is the mean of `judges` ratings, which are
    in `ratings` if they are numbers. `others` are the names and cells of further columns, if they are the same in all
    lines of the item.
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
        """The standard error of the rating; None if it is not a mean of several."""
        values = [rating.value for rating in self.ratings]
        return stdev(values) / sqrt(len(values)) if len(values) > 1 else None

    @property
    def is_good(self) -> bool | None:
        """True if the sign is a good one, False if bad; None for `?` and the like, and without a sign."""
        value = None if self.judgement is None else SIGNS.get(self.judgement.lower())
        return None if value is None or 0.0 < value < 1.0 else value == 1.0

    @property
    def star(self) -> str:
        """Return the mark `*` of a bad sentence; else an empty text."""
        return "*" if self.is_good is False else ""

    @property
    def worth(self) -> float | None:
        """The sort key of the sentences of a minimal pair: the rating or, without one, the number of the sign."""
        return SIGNS.get((self.judgement or "").lower()) if self.by_sign else self.rating


@frozen
class Suite:
    """The items of a file, in the order of the file; `unread` are the names of columns that are not understood.

    `notes` report what was left out of the items, and doubtful ratings. `formulas` are predictions about conditions.
    If `is_exercise`, the sentences are used to mark a student's work.
    """

    path: str
    items: tuple[Item, ...]
    unread: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    is_exercise: bool = False
    formulas: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the file, without folders."""
        return os.path.basename(os.path.normpath(self.path)) or self.path

    @property
    def by_participant(self) -> dict[str, list[float]]:
        """The ratings of each participant, in the order of the items; "" stands for unnamed participants."""
        by_name: dict[str, list[float]] = {}
        for item in self.items:
            for rating in item.ratings:
                by_name.setdefault(rating.participant, []).append(rating.value)
        return by_name

    @property
    def rated(self) -> tuple[Item, ...]:
        """The items that have a rating."""
        return tuple(item for item in self.items if item.rating is not None)

    @property
    def means(self) -> str:
        """A text with the number of ratings that were averaged; empty if there is one for each item."""
        number = sum(item.judges for item in self.rated)
        return f", means of {number:,} ratings" if number > len(self.rated) else ""

    @property
    def kind(self) -> SuiteKind:
        """The kind of judgements: "pairs" if there is a pair, else "judged" if there is a sign."""
        if any(item.pair for item in self.items):
            return "pairs"
        if any(item.judgement is not None for item in self.items):
            return "judged"
        return "rated" if self.rated else "unrated"

    @property
    def pairs(self) -> tuple[tuple[Item, Item], ...]:
        """The minimal pairs, the better sentence first; without pairs whose sentences are rated the same."""
        by_name: dict[str, list[Item]] = {}
        for item in self.items:
            if item.pair and item.worth is not None:
                by_name.setdefault(item.pair, []).append(item)
        pairs = []
        for items in by_name.values():
            ordered = sorted(items, key=lambda item: -(item.worth or 0.0))
            if len(ordered) > 1 and ordered[0].worth != ordered[-1].worth:
                pairs.append((ordered[0], ordered[-1]))
        return tuple(pairs)

    def place(self, item: Item) -> str:
        """Return the file and line of an item."""
        return f"{item.path or self.path}:{item.line}"

    def lacking(self, field: str) -> str:
        """Return what to add to the message that the column `field` is missing: columns that may be it."""
        if not self.unread:
            return ""
        return f'; columns not understood: {", ".join(self.unread)}; name one "{field}", or use --columns'


def telling_unread(suite: Suite) -> Suite:
    """Return the suite with a note on unread columns; if it has no judgements, another message names them instead."""
    if not suite.unread or suite.kind == "unrated":
        return suite
    return replace(suite, notes=(*suite.notes, f"{NOT_READ}{first_of(suite.unread, NAMED)}"))


NOT_READ: Final = "columns not read: "


def having_read(suite: Suite, names: Sequence[str]) -> Suite:
    """Return the suite with these columns no longer reported as unread."""
    lower = {name.lower() for name in names}
    if not lower.intersection(map(str.lower, suite.unread)):
        return suite
    unread = tuple(name for name in suite.unread if name.lower() not in lower)
    notes = tuple(note for note in suite.notes if not note.startswith(NOT_READ))
    return telling_unread(replace(suite, unread=unread, notes=notes))


def on_one_scale(items: Sequence[Item]) -> tuple[Item, ...]:
    """Return the items; if some have numbers as ratings, signs give no ratings, as the two do not share a scale."""
    if all(item.by_sign or item.rating is None for item in items):
        return tuple(items)
    return tuple(replace(item, rating=None) if item.by_sign else item for item in items)


# Groups by ids that begin alike, as `32.1.a.01` and `32.1.a.02`.
#
# Published data sets name examples by paper, type and number. Such sentences are variants of each other although no
# column says so: a model that has seen one of them knows something about the others.

SEPARATORS: Final = re.compile(r"[.\-_/:| ]+")
LETTER_BEHIND: Final = re.compile(r"(.*\d)([A-Za-z]{1,2})")
"""Pattern of a number with a letter, as in `12a`."""
MIN_GROUPS: Final = 3
LEAST_SIZE: Final = 1.5
"""Minimum number of sentences per group, on average, for a proposal of groups."""


class IdGroups(NamedTuple):
    """The number of groups if ids with the same first `parts` parts are one group, and the longest id as an example."""

    parts: int
    groups: int
    example: str


def parts_of(name: str) -> list[str]:
    """Return the parts of an id: `32`, `1`, `a`, `01` of `32.1.a.01`; `12`, `a` of `12a`."""
    parts = [part for part in SEPARATORS.split(name) if part]
    lettered = LETTER_BEHIND.fullmatch(name) if len(parts) == 1 else None
    return list(lettered.groups()) if lettered else parts


def proposed_groups(items: Sequence[Item]) -> list[IdGroups]:
    """Return possible groupings by ids, fewest groups first; none if items have groups or pairs, or ids no parts."""
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
    """Return the suite with items grouped by the first `parts` parts of their ids, unless they have a group.

    Raises UsageError for an id without further parts.
    """
    items = []
    for item in suite.items:
        name = parts_of(item.id)
        if not item.group and len(name) <= parts:
            raise UsageError(
                f'{suite.place(item)}: the id "{item.id}" has no more than {parts} parts\n'
                "  --group-by-id N takes the first N parts of ids such as 32.1.a.01, which must have more"
            )
        items.append(item if item.group else replace(item, group=".".join(name[:parts])))
    return replace(suite, items=tuple(items))


def proposal(items: Sequence[Item], harm: str) -> str | None:
    """Return a note on ids that look like groups, None if there are none; `harm` names the consequence."""
    proposed = proposed_groups(items)
    if not proposed:
        return None
    enough = next((way for way in proposed if way.groups >= ENOUGH), proposed[-1])
    ways = ", ".join(f"{way.groups:,} by {way.parts} part{'s' * (way.parts > 1)}" for way in proposed)
    return (
        f"no groups, but ids such as {proposed[0].example} begin alike ({ways}): if sentences with the same beginning "
        f"are variants of each other, {harm}; --group-by-id {enough.parts} keeps them together"
    )


# Independent units: items that share no group and no minimal pair.

ENOUGH: Final = 30
"""Number of groups that is enough for intervals when ids are grouped."""


def units_of(items: Sequence[Item]) -> list[Hashable]:
    """Return the unit of each item: its group, else its minimal pair, else itself.

    In experiments the group is the item number. A pair belongs to the group of either of its sentences.
    """
    of_pair = {item.pair: item.group for item in reversed(items) if item.pair and item.group}
    units: list[Hashable] = []
    for place, item in enumerate(items):
        if group := item.group or of_pair.get(item.pair, ""):
            units.append(("group", group))
        else:
            units.append(("pair", item.pair) if item.pair else place)
    return units


def name_of_units(items: Sequence[Item], what: str = "sentence") -> str:
    """Return the number and kind of the units resampled for intervals: `2,400 sentences`, `300 groups`, `725 pairs`."""
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
