"""What is learned of a property, tied to what is learned of others: its relation, its relation in a construction,
itself.

The cost of a property is that which it has in the grammar, plus a part of its relation, plus a part of its relation in
its construction, plus its own; the sum of the squares of the parts is held small, so that a property of which little is
known goes with its like, and one of which nothing is known keeps its cost. No cost falls below 0. The same holds of
weights, where these are learned.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median_low
from typing import Final, NamedTuple

from numbat.gradience.terms import levels_of
from numbat.grammar.model import Grammar, PropertyWeights
from numbat.grammar.properties import LARGEST, UNIT, Property
from numbat.learning.pairs.ranking import Pair
from numbat.parsing.policies import Valuation
from numbat.parsing.result import Parse

LEVELS: Final = {
    "relation": "one part for each relation",
    "construction": "a second one for each relation in each construction",
    "property": "a third one for each property",
}
STEP: Final = UNIT // 1000
"""Learned numbers are multiples of this: a grammar file can be read, and what makes no difference changes nothing."""
BOUND: Final = 100.0
"""How much dearer it is to leave the bounds of a cost than to lose all pairs that ask for it."""


class Counted(NamedTuple):
    """What a parse violates and satisfies, by the numbers of the properties, what else it costs (fragments and, under
    `net`, nodes), in units. `final`: it costs nothing, and so is the best one whatever violations cost."""

    violated: tuple[tuple[int, float], ...]
    satisfied: tuple[tuple[int, float], ...]
    fixed: float
    final: bool


NOTHING: Final = Counted((), (), 0.0, True)


def counted(parse: Parse, valuation: Valuation) -> Counted:
    """The counts of a parse: as they are where costs lead the search, per word under `net`, as the models do that have
    the names of the two (`cost`, `net`)."""
    violated: dict[int, float] = {}
    satisfied: dict[int, float] = {}
    words = 1 if valuation.lexicographic else max(1, len(parse.lattice.tokens))
    for each in parse.evaluated:
        if each.satisfied and valuation.lexicographic:
            continue
        number = parse.number_of(each.property)
        counts = satisfied if each.satisfied else violated
        counts[number] = counts.get(number, 0.0) + 1 / words
    fixed = parse.fragment_cost + (0 if valuation.lexicographic else parse.nodes * parse.grammar.node_cost)
    final = valuation.lexicographic and parse.cost == 0
    return Counted(tuple(sorted(violated.items())), tuple(sorted(satisfied.items())), fixed / words, final)


def cost_of(parse: Counted, weights: PropertyWeights) -> float:
    """What a parse costs under some weights and costs, in units; under `net`, less what it satisfies."""
    violated = sum(count * weights.costs[number] for number, count in parse.violated)
    return violated + parse.fixed - sum(count * weights.weights[number] for number, count in parse.satisfied)


@dataclass(frozen=True)
class Tying:
    """The parts of which the costs of a grammar's properties are made, and with `weights` their weights.

    All numbers of parts are in terms of the usual cost, the median over the properties, so that what is learned does
    not depend on whether a grammar counts in ones or in tens. Hard properties keep what they have.
    """

    grammar: Grammar
    level: str = "construction"
    weights: bool = False

    @cached_property
    def usual(self) -> int:
        """The usual cost of a property, in units."""
        return median_low([prop.cost for prop in self.grammar.properties if prop.cost] or [UNIT])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The parts by name: `violated linearity`, `violated NP linearity`, `violated NP Det < N linearity`."""
        return tuple(self._numbered)

    @cached_property
    def _numbered(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for kind in self._kinds:
            for prop in self.grammar.properties:
                for name in self._names(kind, prop):
                    found.setdefault(name, len(found))
        return found

    @property
    def _kinds(self) -> tuple[str, ...]:
        return ("violated", "satisfied") if self.weights else ("violated",)

    def _names(self, kind: str, prop: Property) -> Iterator[str]:
        if prop.hard:
            return
        number = list(LEVELS).index(self.level) + 1
        yield from (f"{kind} {name}" for name in levels_of(prop)[:number])

    @cached_property
    def parts(self) -> Mapping[str, tuple[tuple[int, ...], ...]]:
        """The numbers of the parts of each property: of its cost (`violated`) and of its weight (`satisfied`)."""
        properties = self.grammar.properties
        return {
            kind: tuple(tuple(self._numbered[name] for name in self._names(kind, prop)) for prop in properties)
            for kind in self._kinds
        }

    @cached_property
    def _before(self) -> PropertyWeights:
        return self.grammar.weights

    def gap(self, better: Counted, worse: Counted) -> tuple[dict[int, float], float]:
        """By how much more the worse parse costs: as a vector over the parts, and under the grammar's own costs."""
        vector: dict[int, float] = {}
        own = worse.fixed - better.fixed
        for parse, sign in ((worse, 1.0), (better, -1.0)):
            for number, count in parse.violated:
                own += sign * count * self._before.costs[number]
                _add(vector, self.parts["violated"][number], sign * count)
            for number, count in parse.satisfied if self.weights else ():
                own -= sign * count * self._before.weights[number]
                _add(vector, self.parts["satisfied"][number], -sign * count)
        return vector, own / self.usual

    def cost(self, parse: Counted, values: Sequence[float]) -> float:
        """What a parse costs under values of the parts, in usual costs."""
        vector, own = self.gap(NOTHING, parse)
        return own + sum(values[part] * value for part, value in vector.items())

    def bounds(self, used: Collection[int], cap: float) -> list[Pair]:
        """Pairs that hold costs and weights above 0, for those that any part in `used` belongs to."""
        least: dict[tuple[int, ...], int] = {}
        for kind, before in zip(self._kinds, (self._before.costs, self._before.weights), strict=False):
            for parts, value in zip(self.parts[kind], before, strict=True):
                if any(part in used for part in parts):
                    least[parts] = min(least.get(parts, value), value)
        return [
            Pair(((tuple((part, 1.0) for part in parts), -value / self.usual),), BOUND * cap)
            for parts, value in sorted(least.items())
        ]

    def learned(self, values: Sequence[float]) -> PropertyWeights:
        """The weights and costs of the properties, of the values of the parts."""

        def all_of(kind: str, before: Sequence[int]) -> tuple[int, ...]:
            if kind not in self.parts:
                return tuple(before)
            both = zip(self.parts[kind], before, strict=True)
            return tuple(_legal(value, sum(values[part] for part in parts) * self.usual) for parts, value in both)

        return PropertyWeights(all_of("satisfied", self._before.weights), all_of("violated", self._before.costs))


def _add(vector: dict[int, float], parts: Sequence[int], value: float) -> None:
    for part in parts:
        vector[part] = vector.get(part, 0.0) + value


def _legal(before: int, change: float) -> int:
    """A number that the notation can state; one that hardly changes stays as it was."""
    if abs(change) < STEP / 2:
        return before
    return min(max(round((before + change) / STEP) * STEP, 0), LARGEST * UNIT)
