"""The compiled properties of a construction: a lazily built deterministic automaton that reads daughters in order.

States count the daughters of each class, so that instances are counted exactly (ruling 11). If the grammar counts by
property, states also record which local properties were satisfied and which violated; of a property with the scope
`whole` they record its own state. A step evaluates the local properties of the daughter and of its pairs with
earlier daughters; deferred properties (obligation, requirement, ...) are evaluated when the phrase is accepted, and
charged as soon as a violation is irreparable.

The automaton holds structure only: next states, kinds of accepted phrases, numbers of satisfied and violated instances.
`WeightedAutomaton` computes costs and gains under a vector of weights. Except if it counts by property, `_automata.c`
builds the same states for the compiled search.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from numbat.automata.daughter_classes import DaughterClasses
from numbat.automata.property_automaton import BoundProperty, PropertyAutomata
from numbat.automata.records import (
    INFINITE,
    AwaitedCosts,
    DeferredCounts,
    FinalCounts,
    Kinds,
    Licensing,
    Memo,
    OperandCosts,
    PairEffect,
    State,
)
from numbat.evaluation.evaluator import Evaluator
from numbat.words.lattice import MAX_TOKENS


class Transition(NamedTuple):
    """A step: the next state, and the effects of local properties, each with the number of pairs that have this effect.

    `fresh` is a bit set: the local properties violated for the first time, if violations are counted by property.
    """

    to: int
    effects: tuple[tuple[PairEffect, int], ...]
    fresh: int


class ConstructionAutomaton:
    """The automaton of one construction: it reads daughters by their types; in state 0 it has read nothing."""

    def __init__(self, classes: DaughterClasses) -> None:
        self.classes = classes
        self._states = [State(recent=(-1,) * classes.reach, ordered=(0,) * len(classes.ordered))]
        self._numbers: dict[State, int] = {self._states[0]: 0}
        self._property_states: list[tuple[int, ...]] = [(0,) * len(classes.deferred)]
        initial = [classes.initial_counts(i) for i in range(len(classes.deferred))]
        self._counts: list[DeferredCounts] = [_sum(initial)]
        self._unsettled: list[tuple[int, ...]] = [
            tuple([i for i, counts in enumerate(initial) if counts.violated > counts.irreparable])
        ]

    def __len__(self) -> int:
        """Return the number of states built so far."""
        return len(self._states)

    def step(self, state: int, daughter_type: int) -> Transition | None:
        """Read a daughter of a type; None if that violates a hard property permanently."""
        classes, before = self.classes, self._states[state]
        read, contribution = classes.parts_of(daughter_type)
        effects = self.pair_effects(state, read)
        if any(effect.forbidden for effect, _ in effects):
            return None
        violated, satisfied = before.violated, before.satisfied
        for effect, _ in effects:
            violated |= effect.violated
            satisfied |= effect.satisfied
        after = State(
            _incremented(before.counts, read),
            self._recent(before.recent, read),
            classes.features.with_contribution(before.contributions, contribution),
            violated if classes.by_property else 0,
            satisfied if classes.by_property else int(bool(satisfied)),
            self._ordered(before.ordered, read),
            before.retrieved or any(effect.retrieved for effect, _ in effects),
        )
        following = self._number(after, state, read)
        if self._counts[following].hard_irreparable:
            return None
        return Transition(following, effects, violated & ~before.violated)

    def _recent(self, before: tuple[int, ...], read: int) -> tuple[int, ...]:
        """Return the classes read last after one more; -1 replaces each that is now beyond its reach."""
        daughter_class = self.classes.daughter_class
        classes = (read, *before[:-1]) if before else ()
        return tuple(
            [number if number >= 0 and at < daughter_class(number).reach else -1 for at, number in enumerate(classes)]
        )

    def _ordered(self, before: tuple[int, ...], read: int) -> tuple[int, ...]:
        """Return the states of the properties for which order matters after one more class."""
        symbols, step = self.classes.daughter_class(read).deferred, self.classes.property_step
        return tuple([step(i, state, symbols[i])[0] for i, state in zip(self.classes.ordered, before, strict=True)])

    def pair_effects(self, state: int, read: int) -> tuple[tuple[PairEffect, int], ...]:
        """Return the effects of local properties when a class is read: alone, then in pairs with the classes before it.

        Each effect comes with the number of pairs that have it.
        """
        effect = self.classes.pair_effect
        return tuple([(effect(before, read, between), times) for before, between, times in self.pairs(state, 0)])

    def pairs(self, state: int, skipped: int) -> list[tuple[int, int, int]]:
        """Return the pairs of a class with the classes read up to a state, if `skipped` other daughters come between.

        A pair is given as the earlier class, the number of daughters between (at most the reach), and how many such
        pairs there are. In the first, which stands for the class alone, the earlier class is -1.
        """
        seen, reach = self._states[state], self.classes.reach
        pairs = [(-1, reach, 1)]
        for before, times in seen.counts:
            near = [
                (before, at, 1) for at, number in enumerate(seen.recent[: reach - skipped], skipped) if number == before
            ]
            pairs += near
            if times > len(near):
                pairs.append((before, reach, times - len(near)))
        return pairs

    def _number(self, state: State, before: int, read: int) -> int:
        """Return the number of the state reached from `before` by reading a class; register it if it is new."""
        number = self._numbers.get(state)
        if number is None:
            counts, unsettled, property_states = self._after(before, read)
            number = len(self._states)
            self._counts[number:] = [counts]  # an interrupt may have left one without a state
            self._unsettled[number:] = [unsettled]
            self._property_states[number:] = [property_states]
            self._states.append(state)
            self._numbers[state] = number  # last, so that an interrupt leaves nothing incomplete
        return number

    def _after(self, before: int, read: int) -> tuple[DeferredCounts, tuple[int, ...], tuple[int, ...]]:
        """Return what the deferred properties record after reading a class: counts, unsettled properties, states."""
        total, unsettled = self._counts[before], set(self._unsettled[before])
        states = list(self._property_states[before])
        for i, symbol in self.classes.daughter_class(read).deferred.items():
            old = self.classes.deferred[i].automaton.counts(states[i])
            states[i], new = self.classes.property_step(i, states[i], symbol)
            if old != new:
                total = DeferredCounts(*(a + b - c for a, b, c in zip(total, new, old, strict=True)))
            (unsettled.add if new.violated > new.irreparable else unsettled.discard)(i)
        return total, tuple(sorted(unsettled)), tuple(states)

    # properties of a state

    def state(self, number: int) -> State:
        """Return the state with this number."""
        return self._states[number]

    def counts(self, state: int) -> DeferredCounts:
        """Return the sum of the counts of the deferred properties if the phrase ends in this state."""
        return self._counts[state]

    def property_states(self, state: int) -> tuple[int, ...]:
        """Return the state of each deferred property, in order."""
        return self._property_states[state]

    def unsettled(self, state: int) -> tuple[int, ...]:
        """Return the indexes of the violated deferred properties that further daughters may still repair."""
        return self._unsettled[state]

    def is_licensed(self, state: int) -> bool:
        """True if the phrase is triggered and H4 holds, whatever daughters follow."""
        seen = self._states[state]
        triggered = seen.retrieved or bool(self._counts[state].retrieved)
        return bool(seen.satisfied) or (not self.classes.needs_satisfied and triggered)

    def phrase(self, state: int) -> int | None:
        """Return the number of the kind of phrase that the daughters read so far form.

        None if no property triggers the construction (ruling 8), H4 fails or a hard property is violated.
        """
        seen, counts = self._states[state], self._counts[state]
        if counts.hard or not (counts.retrieved or seen.retrieved):
            return None
        holds = counts.satisfied_by_operands or seen.satisfied & ~seen.violated
        return self.classes.features.phrase(seen.contributions) if holds or not self.classes.needs_satisfied else None


def _incremented(counts: tuple[tuple[int, int], ...], read: int) -> tuple[tuple[int, int], ...]:
    times = dict(counts)
    times[read] = times.get(read, 0) + 1
    return tuple(sorted(times.items()))


def _sum(counts: list[DeferredCounts]) -> DeferredCounts:
    return DeferredCounts(*map(sum, zip(*counts, strict=True))) if counts else DeferredCounts()


# The automata of all constructions of a grammar, which share the automata of properties.

LICENSED: Licensing = Licensing(covers_all=False, needs_satisfied=True)
"""The paper's rules: H3 and H4 are on."""


def compile_constructions(
    evaluator: Evaluator,
    kinds: Kinds,
    licensing: Licensing = LICENSED,
    all_hard: bool = False,
    lookaheads: Sequence[AwaitedCosts] = (),
    longest: int = MAX_TOKENS,
) -> tuple[ConstructionAutomaton, ...]:
    """Return an automaton for each construction, in the order of the lookup table.

    `kinds` numbers the kinds of constituents; `lookaheads` has the costs of awaited operands by lookahead number; no
    phrase has more daughters than `longest`.
    """
    of_properties = PropertyAutomata(evaluator, all_hard)
    return tuple(
        [
            ConstructionAutomaton(
                DaughterClasses(construction, evaluator, licensing, of_properties, kinds, lookaheads, longest)
            )
            for construction in evaluator.table.constructions.values()
        ]
    )


# Costs and gains of the moves of a construction's automaton under a vector of weights, and bounds for what follows.
#
# The automaton counts instances; weights and costs are looked up by the number of the property in the grammar. Many
# vectors of weights share one automaton: only the values here are computed for each.

LOST: Final = -INFINITE
"""Gain of an impossible move; any gain below it counts as impossible, too."""
NEVER: Final = LOST << 64
"""A gain so low that any sum that contains it stays impossible."""


class WeightedStep(NamedTuple):
    """The next state; the cost of violated instances and the weight of satisfied instances that the step adds."""

    to: int
    cost: int
    weight: int


class WeightedPhrase(NamedTuple):
    """The number of the phrase's kind; the cost and weight that its acceptance adds, without the node cost."""

    kind: int
    cost: int
    weight: int


class PairGain(NamedTuple):
    """Weights minus costs of local properties in a pair, `NEVER` if the pair is forbidden; whether any is satisfied."""

    sum: int
    holds: bool


class StateSummary(NamedTuple):
    """The facts that decide whether a state dominates another one of its construction.

    These are: contributions to the features of the phrase, cost of irreparable violations, states of the deferred
    properties, and whether a phrase is licensed whatever daughters follow.
    """

    state: int
    contributions: int
    irreparable_cost: int
    property_states: tuple[int, ...]
    is_licensed: bool


class WeightedAutomaton:
    """The automaton of a construction with weights and costs, two sequences indexed by the number of a property."""

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
        """Read a daughter of a type; None if that violates a hard property permanently."""
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
        """Return the phrase that the daughters read so far form, or None (`ConstructionAutomaton.phrase`)."""
        kind = self.automaton.phrase(state)
        if kind is None:
            return None
        cost = weight = 0
        for i, property_state in enumerate(self.automaton.property_states(state)):
            counts = self.classes.deferred[i].automaton.counts(property_state)
            cost += self.deferred_costs[i] * (counts.violated - counts.irreparable)
            weight += self.deferred_weights[i] * counts.satisfied
        if self.classes.by_property:
            read = self.automaton.state(state)
            weight += _total(self.local_weights, read.satisfied & ~read.violated)
        return WeightedPhrase(kind, cost, weight)

    def irreparable_cost(self, state: int) -> int:
        """Return the cost of violations of deferred properties that no further daughter can repair."""
        return self._summaries[state,].irreparable_cost

    # bounds for what follows

    def cost_to_complete(self, state: int, lookahead: int) -> int:
        """Return a lower bound on the further cost of an unfinished constituent, given the costs of operands to come.

        `lookahead` is a number of such costs. A step never lowers the bound by more than its own cost: properties whose
        operands can no longer come stay violated; of the operands that are needed and can come, only the most expensive
        one is charged, with the cost of its order.
        """
        certain = dearest = 0
        for i in self.automaton.unsettled(state):
            fixed, least = self._bound_in(state, i, lookahead)
            certain += fixed
            dearest = max(dearest, least - fixed)
        return min(certain + dearest, INFINITE)

    def cannot_complete(self, state: int, lookahead: int) -> bool:
        """True if a hard property is violated and none of the operands that can still come repairs it."""
        if not self.automaton.counts(state).hard:
            return False
        hard = [i for i in self.automaton.unsettled(state) if self.classes.deferred[i].automaton.is_hard]
        return any(self._bound_in(state, i, lookahead)[0] >= INFINITE for i in hard)

    def _bound_in(self, state: int, i: int, lookahead: int) -> tuple[int, int]:
        """Return the `completion_bound` of deferred property i, including what the order of its operands costs."""
        costs = self.classes.operand_costs(i, lookahead)
        with_order = tuple([(place, min(cost + self._order_cost(state, place), INFINITE)) for place, cost in costs])
        return self.completion_bound(i, self.automaton.property_states(state)[i], with_order)

    def _order_cost(self, state: int, place: int) -> int:
        """Return the least cost of order that a daughter matching this operand adds after the daughters read."""
        if self.classes.by_property:
            return 0
        read = self.automaton.state(state).counts
        return sum(times * self._order_costs[before, place] for before, times in read)

    def _least_order_cost(self, before: int, place: int) -> int:
        """Return the least cost of order between a class and a later daughter, given one operand that it matches."""
        return min(INFINITE if e.forbidden else self._cost(e) for e in self.classes.least_effects(before, place))

    def completion_bound(self, i: int, property_state: int, costs: OperandCosts) -> tuple[int, int]:
        """Return two lower bounds on the further cost of deferred property i, given the costs of operands to come.

        The first counts only violations that remain; the second also the cost of the operands that repair the others.
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

    # comparison with other states

    def summary(self, state: int) -> StateSummary:
        """Return the facts that decide whether a state dominates others."""
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
        """Return the gain from local properties when a class follows another one (for the class alone: -1)."""
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
        """Return the dominance gap due to deferred property i: the least gain in state `mine` minus that in `yours`.

        The least difference over all daughters that the continuation allows counts. `NEVER` if `mine` may be forbidden,
        or if the property may hold only after `yours` and no phrase is licensed yet.
        """
        return self._gaps[i, mine, yours, continuation, is_licensed]

    def _gap(self, i: int, mine: int, yours: int, continuation: int, is_licensed: bool) -> int:
        ours, others = (self.classes.final_counts(i, state, continuation) for state in (mine, yours))
        if not ours:
            return NEVER
        both = [(one, other) for one, other in zip(ours, others, strict=True) if not other.is_forbidden]
        if any(one.is_forbidden or (other.holds > one.holds and not is_licensed) for one, other in both):
            return NEVER
        return min([self._gain(i, one) - self._gain(i, other) for one, other in both], default=0)

    def _gain(self, i: int, counts: FinalCounts) -> int:
        return self.deferred_weights[i] * counts.satisfied - self.deferred_costs[i] * counts.violated


def _of(
    bound: Iterable[BoundProperty], weights: Sequence[int], costs: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the weights of these properties and their costs, in order."""
    numbers = [prop.number for prop in bound]
    return tuple([weights[number] for number in numbers]), tuple([costs[number] for number in numbers])


def _total(values: Sequence[int], places: int) -> int:
    """Return the sum of the values whose indexes are in a bit set."""
    return sum(value for place, value in enumerate(values) if places >> place & 1)
