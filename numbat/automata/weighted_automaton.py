"""What the moves of a construction's automaton cost and gain under a vector of weights, and bounds of what is to come.

The automaton counts instances; weights and costs are looked up by the number of the property in the grammar. Many
vectors of weights share one automaton: only what is here is computed anew for another vector.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from numbat.automata.bound_properties import BoundProperty
from numbat.automata.construction_automaton import ConstructionAutomaton
from numbat.automata.records import INFINITE, FinalCounts, Memo, OperandCosts, PairEffect

LOST: Final = -INFINITE
"""The gain below which a move counts as impossible."""
NEVER: Final = LOST << 64
"""A gain so low that any sum which contains it stays impossible."""


class WeightedStep(NamedTuple):
    """The next state, and what the step adds to the cost and to the weight of satisfied instances."""

    to: int
    cost: int
    weight: int


class WeightedPhrase(NamedTuple):
    """The kind of the phrase, and what its acceptance adds to cost and weight; the node cost is not counted."""

    kind: int
    cost: int
    weight: int


class PairGain(NamedTuple):
    """The weights less the costs that local properties count in a pair, `NEVER` where it is forbidden; whether any
    property is satisfied."""

    sum: int
    holds: bool


class StateSummary(NamedTuple):
    """What tells how a state compares with other states of the construction: the contributions to the features of the
    phrase, the cost of irreparable violations, the states of the deferred properties, and whether a phrase is licensed
    whatever follows."""

    state: int
    contributions: int
    irreparable_cost: int
    property_states: tuple[int, ...]
    is_licensed: bool


class WeightedAutomaton:
    """The automaton of a construction under a vector of weights and costs, by the numbers of properties."""

    def __init__(
        self,
        automaton: ConstructionAutomaton,
        weights: Sequence[int],
        costs: Sequence[int],
    ) -> None:
        self.automaton = automaton
        self.classes = automaton.classes
        self.local_weights, self.local_costs = _of(self.classes.local, weights, costs)
        self.deferred_weights, self.deferred_costs = _of(self.classes.deferred, weights, costs)
        self._pair_gains: Memo[tuple[int, int, int], PairGain] = Memo(self._pair_gain)
        self._summaries: Memo[tuple[int], StateSummary] = Memo(self._summary)
        self._order_costs: Memo[tuple[int, int], int] = Memo(self._least_order_cost)
        self._bounds: dict[tuple[int, int, OperandCosts], tuple[int, int]] = {}
        self._gaps: Memo[tuple[int, int, int, int, bool], int] = Memo(self._gap)

    # moves

    def step(self, state: int, daughter_type: int) -> WeightedStep | None:
        """Read a daughter of a type; None where a hard property is violated for good."""
        step = self.automaton.step(state, daughter_type)
        if step is None:
            return None
        cost = weight = 0
        if self.classes.by_property:
            cost = _total(self.local_costs, step.fresh)
        else:
            for effect, times in step.effects:
                for i, satisfied, violated in effect.instances:
                    cost += self.local_costs[i] * violated * times
                    weight += self.local_weights[i] * satisfied * times
        charged = self.irreparable_cost(state) if state else 0
        return WeightedStep(step.to, cost + self.irreparable_cost(step.to) - charged, weight)

    def accept(self, state: int) -> WeightedPhrase | None:
        """The phrase over the daughters read so far; None where there is none (`ConstructionAutomaton.phrase`)."""
        kind = self.automaton.phrase(state)
        if kind is None:
            return None
        cost = weight = 0
        for i, found in enumerate(self.automaton.property_states(state)):
            counts = self.classes.deferred[i].automaton.counts(found)
            cost += self.deferred_costs[i] * (counts.violated - counts.irreparable)
            weight += self.deferred_weights[i] * counts.satisfied
        if self.classes.by_property:
            read = self.automaton.state(state)
            weight += _total(self.local_weights, read.satisfied & ~read.violated)
        return WeightedPhrase(kind, cost, weight)

    def irreparable_cost(self, state: int) -> int:
        """The cost of the violations of deferred properties that stay whatever follows."""
        return self._summaries[state,].irreparable_cost

    # what is still to come

    def cost_to_complete(self, state: int, lookahead: int) -> int:
        """At least how much more an unfinished constituent will cost, given what can still come.

        A bound that never falls by more than what a step costs: properties whose operands cannot come any more stay
        violated; of the operands that can come the dearest is charged once, with what its order costs.
        """
        certain = dearest = 0
        for i in self.automaton.unsettled(state):
            fixed, least = self._bound_in(state, i, lookahead)
            certain += fixed
            dearest = max(dearest, least - fixed)
        return min(certain + dearest, INFINITE)

    def cannot_complete(self, state: int, lookahead: int) -> bool:
        """Whether a hard property is violated that nothing can repair of what can still come."""
        if not self.automaton.counts(state).hard:
            return False
        hard = [i for i in self.automaton.unsettled(state) if self.classes.deferred[i].automaton.is_hard]
        return any(self._bound_in(state, i, lookahead)[0] >= INFINITE for i in hard)

    def _bound_in(self, state: int, i: int, lookahead: int) -> tuple[int, int]:
        """`completion_bound` of a deferred property in a state, its operands with what their order costs there."""
        if self.classes.deferred[i].automaton.scope == "whole":
            return 0, 0
        costs = self.classes.operand_costs(i, lookahead)
        with_order = tuple([(place, min(cost + self._order_cost(state, place), INFINITE)) for place, cost in costs])
        return self.completion_bound(i, self.automaton.property_states(state)[i], with_order)

    def _order_cost(self, state: int, place: int) -> int:
        """At least what the order of a daughter that is this operand costs after the daughters read."""
        if self.classes.by_property:
            return 0
        read = self.automaton.state(state).counts
        return sum(times * self._order_costs[before, place] for before, times in read)

    def _least_order_cost(self, before: int, place: int) -> int:
        """At least what the order of a daughter costs after one of a class, if it is the operand of that place."""
        return min(INFINITE if e.forbidden else self._cost(e) for e in self.classes.least_effects(before, place))

    def completion_bound(self, i: int, property_state: int, costs: OperandCosts) -> tuple[int, int]:
        """What more a deferred property costs for certain, and at least, with what its operands cost that can come.

        The second counts the cheapest operands that help.
        """
        key = i, property_state, costs
        known = self._bounds.get(key)
        if known is None:
            known = self._bounds[key] = self._completion_bound(*key)
        return known

    def _completion_bound(self, i: int, property_state: int, costs: OperandCosts) -> tuple[int, int]:
        bound, certain, least = self.classes.deferred[i], INFINITE, INFINITE
        automaton, cost_of_one = bound.automaton, self.deferred_costs[i]
        if not (cost_of_one or automaton.is_hard):
            return 0, 0
        charged = automaton.counts(property_state).irreparable
        for level in sorted({0, *(cost for _, cost in costs if cost < INFINITE)}):
            attainable = bound.own_places(place for place, cost in costs if cost <= level)
            stay = automaton.irreparable(property_state, attainable)
            lost = INFINITE if stay and automaton.is_hard else cost_of_one * (stay - charged)
            certain = min(certain, lost)
            least = min(least, level + lost)
        return certain, least

    # beside other states

    def summary(self, state: int) -> StateSummary:
        """What tells how a state compares with others."""
        return self._summaries[state,]

    def _summary(self, state: int) -> StateSummary:
        states = self.automaton.property_states(state)
        irreparable = (
            bound.automaton.counts(s).irreparable for bound, s in zip(self.classes.deferred, states, strict=True)
        )
        return StateSummary(
            state,
            self.automaton.state(state).contributions,
            sum(cost * number for cost, number in zip(self.deferred_costs, irreparable, strict=True)),
            states,
            self.automaton.is_licensed(state),
        )

    def pair_gain(self, before: int, read: int, between: int) -> PairGain:
        """What a class gains after another one by local properties; alone where `before` is -1."""
        return self._pair_gains[before, read, between]

    def _pair_gain(self, before: int, read: int, between: int) -> PairGain:
        effect = self.classes.pair_effect(before, read, between)
        if effect.forbidden:
            return PairGain(NEVER, bool(effect.satisfied))
        weight = sum(self.local_weights[i] * satisfied for i, satisfied, _ in effect.instances)
        return PairGain(weight - self._cost(effect), bool(effect.satisfied))

    def _cost(self, effect: PairEffect) -> int:
        return sum(self.local_costs[i] * violated for i, _, violated in effect.instances)

    def gap(self, i: int, mine: int, yours: int, continuation: int, is_licensed: bool) -> int:
        """The dominance gap by a deferred property: how much more it gains at least after one of two of its states,
        whatever of the continuation follows.

        `NEVER` where that is not possible, or where the property may hold after the second state alone and no phrase
        is licensed yet.
        """
        return self._gaps[i, mine, yours, continuation, is_licensed]

    def _gap(self, i: int, mine: int, yours: int, continuation: int, is_licensed: bool) -> int:
        own, others = (self.classes.final_counts(i, state, continuation) for state in (mine, yours))
        if not own:
            return NEVER
        both = [(one, other) for one, other in zip(own, others, strict=True) if not other.is_forbidden]
        if any(one.is_forbidden or (other.holds > one.holds and not is_licensed) for one, other in both):
            return NEVER
        return min([self._gain(i, one) - self._gain(i, other) for one, other in both], default=0)

    def _gain(self, i: int, counts: FinalCounts) -> int:
        return self.deferred_weights[i] * counts.satisfied - self.deferred_costs[i] * counts.violated


def _of(
    bound: Iterable[BoundProperty], weights: Sequence[int], costs: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The weights and the costs of these properties, in their order."""
    numbers = [each.number for each in bound]
    return tuple([weights[number] for number in numbers]), tuple([costs[number] for number in numbers])


def _total(values: Sequence[int], places: int) -> int:
    """The sum of the values at the places of a bit set."""
    return sum(value for place, value in enumerate(values) if places >> place & 1)
