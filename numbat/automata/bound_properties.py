"""The properties of a grammar, each bound to the automaton of its shape; the compiled search asks these by number."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from numbat.automata.property_automaton import PropertyAutomaton, named_operands
from numbat.automata.records import DeferredCounts, PairCounts
from numbat.evaluation.constituents import Constituent, union
from numbat.evaluation.evaluator import Evaluator
from numbat.grammar.properties import Property


class BoundProperty(NamedTuple):
    """A property of a construction, and the automaton of its shape.

    `number` is the property's index in `Grammar.properties`, `shape` that of the automaton among all. `bits` and
    `places` are those of its operands among all operands of the grammar, `places` in the order in which the automaton
    knows them.
    """

    prop: Property
    number: int
    shape: int
    automaton: PropertyAutomaton
    bits: int
    places: tuple[int, ...]

    def symbol(self, daughter: Constituent, operands: int) -> int:
        """The number of the symbol observed of a daughter that is these operands of the grammar."""
        own = sum(1 << i for i, place in enumerate(self.places) if operands >> place & 1)
        return self.automaton.symbol(own, daughter.features)

    def own_places(self, places: Iterable[int]) -> int:
        """Operands of the grammar, by their places there, as a bit set of their places in the property."""
        return sum(1 << self.places.index(place) for place in places)


class PropertyAutomata:
    """The property automata of a grammar, one for each shape; `all_hard`: every property counts as hard."""

    def __init__(self, evaluator: Evaluator, all_hard: bool) -> None:
        self._evaluator = evaluator
        self._all_hard = all_hard
        self._numbers = {id(prop): i for i, prop in enumerate(evaluator.table.grammar.properties)}
        self._known: dict[Hashable, int] = {}
        self._automata: list[PropertyAutomaton] = []

    def bind(self, prop: Property) -> BoundProperty:
        """A property of the grammar with the automaton of its shape."""
        operands = named_operands(prop)
        bits = [self._evaluator.operands[operand] for operand in operands]
        named = tuple([tuple([tuple(map(operands.index, joint)) for joint in each]) for each in prop.operands])
        is_hard = prop.hard or self._all_hard
        shape = prop.relation, named, prop.features, is_hard
        known = self._known.setdefault(shape, len(self._automata))
        if known == len(self._automata):
            table = self._evaluator.table
            relation, by_property = table.relations[prop.relation], table.grammar.semantics.by_property
            self._automata.append(PropertyAutomaton(prop, relation, is_hard, by_property))
        places = tuple([bit.bit_length() - 1 for bit in bits])
        return BoundProperty(prop, self._numbers[id(prop)], known, self._automata[known], union(bits), places)

    # what the compiled search asks, by the number of a shape

    def pair_counts(self, shape: int, before: int, symbol: int, between: int) -> PairCounts:
        """`PropertyAutomaton.pair` of a local property."""
        return self._automata[shape].pair(before, symbol, between)

    def state_after(self, shape: int, state: int, symbol: int) -> tuple[int, DeferredCounts]:
        """The state of a deferred property after one more symbol (-1: that state itself), and what it counts there."""
        automaton = self._automata[shape]
        after = state if symbol < 0 else automaton.step(state, symbol)
        return after, automaton.counts(after)

    def irreparable(self, shape: int, state: int, attainable: bytes) -> int:
        """`PropertyAutomaton.irreparable` of a deferred property; the operands are a bit set, the lowest byte first."""
        return self._automata[shape].irreparable(state, int.from_bytes(attainable, "little"))
