"""Records of evaluation: constituents, property instances, characterizations; costs of readings; bit sets.

Token positions count from 0. A set of positions is an int used as a bit set (`cover`), so that discontinuous
constituents need no special records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_
from typing import NamedTuple

from numbat.grammar.properties import UNIT, Bundle, Property, format_bundle
from numbat.records import frozen
from numbat.words.lattice import Arc, Lattice


@frozen
class Instance:
    """One evaluated tuple of a property: `elements` are the indexes of its daughters in the assignment.

    If the property is violated by daughters between those of the tuple (`Relation.violated_by`), there is one instance
    for each of them, with that daughter as its last element.
    """

    property: Property
    elements: tuple[int, ...]


@frozen
class Characterization:
    """The satisfied instances (P+) and the violated ones (P-) of an assignment, with the sums of weights and costs.

    `priced` are the instances of prices, which are in neither set (ruling 48).
    """

    satisfied: tuple[Instance, ...] = ()
    violated: tuple[Instance, ...] = ()
    priced: tuple[Instance, ...] = ()

    @property
    def parts(self) -> tuple[tuple[Instance, ...], ...]:
        """The satisfied instances, the violated ones and those of prices, as a triple."""
        return self.satisfied, self.violated, self.priced

    @property
    def cost_units(self) -> int:
        """Sum of the costs of the violated instances and of the prices, in fixed-point units."""
        return sum(instance.property.cost_units for instance in (*self.violated, *self.priced))

    @property
    def weight_units(self) -> int:
        """Sum of the weights of the satisfied instances, in fixed-point units."""
        return sum(instance.property.weight_units for instance in self.satisfied)

    @property
    def cost(self) -> float:
        """Sum of the costs of the violated instances and of the prices, as a float."""
        return self.cost_units / UNIT

    @property
    def weight(self) -> float:
        """Sum of the weights of the satisfied instances, as a float."""
        return self.weight_units / UNIT


NOTHING = Characterization()


class Constituent(NamedTuple):
    """An occurrence of a construction over token positions, with its daughters; a word has a `form` instead.

    `depth` is the number of phrases in the unary chain with this constituent on top: 0 for a word, 1 for a phrase with
    several daughters. The fields in `_units` are fixed-point sums over the whole tree: the cost, the gain (weights of
    satisfied instances minus node costs), and the part of the cost that the readings of the words cause.
    """

    construction: str
    cover: int
    features: Bundle
    depth: int = 0
    form: str = ""
    guessed: bool = False
    daughters: tuple[Constituent, ...] = ()
    characterization: Characterization = NOTHING
    cost_units: int = 0
    gain_units: int = 0
    lexical_cost_units: int = 0

    def __repr__(self) -> str:
        words = " ".join(word.form for word in self.words())
        return f"<{self.construction}{format_bundle(self.features)} {self.start}-{self.end} {words!r}>"

    @property
    def cost(self) -> float:
        """Cost of the whole tree, as a float."""
        return self.cost_units / UNIT

    @property
    def lexical_cost(self) -> float:
        """Cost of the readings chosen for the words, as a float."""
        return self.lexical_cost_units / UNIT

    @property
    def start(self) -> int:
        """First token position."""
        return (self.cover & -self.cover).bit_length() - 1

    @property
    def end(self) -> int:
        """One past the last token position."""
        return self.cover.bit_length()

    @property
    def is_word(self) -> bool:
        return not self.daughters

    def walk(self) -> Iterator[Constituent]:
        """Yield this constituent and all below it, in pre-order."""
        waiting = [self]
        while waiting:
            constituent = waiting.pop()
            yield constituent
            waiting += reversed(constituent.daughters)

    def words(self) -> Iterator[Constituent]:
        """Return the words below this constituent (or the word itself), from left to right in the tree."""
        return (constituent for constituent in self.walk() if constituent.is_word)


Assignment = tuple[Constituent, ...]
"""A list of constituents, in the order of their first words."""


# Readings of words with lexical costs, relative to the likeliest reading (ruling 3).


def lexical_costs(lattice: Lattice) -> list[tuple[Arc, int]]:
    """Return the likeliest arc for each combination of span, category and features, each with its lexical cost.

    The cost of a reading is the log weight of the likeliest reading of the same tokens minus its own, plus the cost of
    joining these tokens to a word, which is 0 except in text without blanks (rulings 3 and 36).
    """
    readings: dict[tuple[int, ...], list[Arc]] = {}
    for arc in lattice.arcs:
        readings.setdefault(arc[:2], []).append(arc)
    costs: list[tuple[Arc, int]] = []
    for arcs in readings.values():
        costs += _lexical_costs(arcs) if len(arcs) > 1 else [(arcs[0], round(arcs[0].cost * UNIT))]
    return costs


def _lexical_costs(arcs: list[Arc]) -> list[tuple[Arc, int]]:
    """Return the likeliest arc for each category and features over one span, each with its cost."""
    if len({arc.category for arc in arcs}) < len(arcs):
        likeliest: dict[tuple[str, Bundle], Arc] = {}
        for arc in arcs:
            if likeliest.setdefault(arc[3:5], arc).log_weight < arc.log_weight:
                likeliest[arc.category, arc.features] = arc
        arcs = list(likeliest.values())
    best = max([arc.log_weight for arc in arcs])
    return [(arc, round(loss * UNIT) if (loss := best - arc.log_weight + arc.cost) else 0) for arc in arcs]


def word(arc: Arc, cost: int) -> Constituent:
    """Return the word constituent for an arc with this lexical cost."""
    cover = (1 << arc.end) - (1 << arc.start)
    return Constituent(
        arc.category, cover, arc.features, form=arc.form, guessed=arc.guessed, cost_units=cost, lexical_cost_units=cost
    )


# Sets of operands as bit sets in an int.


def union(bits: Iterable[int]) -> int:
    """Return the union of bit sets."""
    return reduce(or_, bits, 0)


def members(bits: int) -> list[int]:
    """Return the members of a bit set as single bits, lowest first."""
    singles = []
    while bits:
        lowest = bits & -bits
        singles.append(lowest)
        bits ^= lowest
    return singles


def stretches(cover: int) -> list[tuple[int, int]]:
    """Return the unbroken runs of token positions in a cover, as pairs (start, end), ends exclusive."""
    runs = []
    position = 0
    while cover >> position:
        rest = cover >> position
        start = position + (rest & -rest).bit_length() - 1
        run = cover >> start
        position = start + (~run & (run + 1)).bit_length() - 1
        runs.append((start, position))
    return runs
