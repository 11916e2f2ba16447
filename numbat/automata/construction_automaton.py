"""The properties of a construction, compiled: a lazily built deterministic automaton that reads daughters in order.

States hold how many daughters of each class were read, so that instances are counted exactly (ruling 11). Where the
grammar counts by property they also hold which local properties were satisfied and which violated, and where a property
has the scope `whole`, all classes in order. A step decides what local properties say of the daughter and of each pair
with a daughter before it; deferred properties (obligation, requirement, ...) are decided when the phrase is accepted,
and charged as soon as a violation is irreparable.

The automaton knows structure only: which state follows, what kind of phrase it accepts, how many instances are
satisfied and violated. What these are worth under a vector of weights is computed by `weighted_automaton`. Where counts
are all that states hold, `_automata.c` builds the same states for the compiled search.
"""

from __future__ import annotations

from typing import NamedTuple

from numbat.automata.daughter_classes import DaughterClasses
from numbat.automata.records import DeferredCounts, PairEffect, State


class Transition(NamedTuple):
    """A step of the automaton: the state that it leads to, and what local properties count in it, each with how many
    times; `fresh` are the local properties that are violated for the first time, where counting is by property."""

    to: int
    effects: tuple[tuple[PairEffect, int], ...]
    fresh: int


class ConstructionAutomaton:
    """The states of one construction over its daughter classes; state 0 has read nothing."""

    def __init__(self, classes: DaughterClasses) -> None:
        self.classes = classes
        self._states = [State(recent=(-1,) * classes.reach)]
        self._numbers: dict[State, int] = {self._states[0]: 0}
        self._property_states: list[tuple[int, ...]] = [(0,) * len(classes.deferred)]
        initial = [classes.initial_counts(i) for i in range(len(classes.deferred))]
        self._counts: list[DeferredCounts] = [_sum(initial)]
        self._unsettled: list[tuple[int, ...]] = [
            tuple([i for i, counts in enumerate(initial) if counts.violated > counts.irreparable])
        ]

    def __len__(self) -> int:
        """The number of states built so far."""
        return len(self._states)

    def step(self, state: int, daughter_type: int) -> Transition | None:
        """Read a daughter of a type; None where a hard property is violated for good."""
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
            (*before.sequence, read) if classes.needs_sequence else (),
            before.retrieved or any(effect.retrieved for effect, _ in effects),
        )
        following = self._number(after, state, read)
        if self._counts[following].hard_irreparable:
            return None
        return Transition(following, effects, violated & ~before.violated)

    def _recent(self, before: tuple[int, ...], read: int) -> tuple[int, ...]:
        """The classes read last when one more is; those that are beyond their reach now are forgotten."""
        daughter_class = self.classes.daughter_class
        found = (read, *before[:-1]) if before else ()
        return tuple([each if each >= 0 and at < daughter_class(each).reach else -1 for at, each in enumerate(found)])

    def pair_effects(self, state: int, read: int) -> tuple[tuple[PairEffect, int], ...]:
        """What local properties count in a class after a state: in it alone, then in each pair with a class that was
        read, with how many such pairs there are."""
        effect = self.classes.pair_effect
        return tuple([(effect(before, read, between), times) for before, between, times in self.pairs(state, 0)])

    def pairs(self, state: int, skipped: int) -> list[tuple[int, int, int]]:
        """What a class comes after if so many others come before it: the classes that were read, how many daughters
        stand between, at the most the reach, and how many times; first -1, for the class alone."""
        found, reach = self._states[state], self.classes.reach
        pairs = [(-1, reach, 1)]
        for before, times in found.counts:
            near = [
                (before, at, 1) for at, each in enumerate(found.recent[: reach - skipped], skipped) if each == before
            ]
            pairs += near
            if times > len(near):
                pairs.append((before, reach, times - len(near)))
        return pairs

    def _number(self, state: State, before: int, read: int) -> int:
        """The number of a state that follows another one when a class is read."""
        number = self._numbers.get(state)
        if number is None:
            counts, unsettled, property_states = self._after(before, read)
            number = len(self._states)
            self._counts[number:] = [counts]  # an interrupt may have left one that has no state
            self._unsettled[number:] = [unsettled]
            self._property_states[number:] = [property_states]
            self._states.append(state)
            self._numbers[state] = number  # last, so that an interrupt leaves nothing half known
        return number

    def _after(self, before: int, read: int) -> tuple[DeferredCounts, tuple[int, ...], tuple[int, ...]]:
        """What the deferred properties count in a new state: as before, but for those that the class concerns."""
        total, unsettled = self._counts[before], set(self._unsettled[before])
        states = list(self._property_states[before])
        for i, symbol in self.classes.daughter_class(read).deferred.items():
            old = self.classes.deferred[i].automaton.counts(states[i])
            states[i], new = self.classes.property_step(i, states[i], symbol)
            if old != new:
                total = DeferredCounts(*(a + b - c for a, b, c in zip(total, new, old, strict=True)))
            (unsettled.add if new.violated > new.irreparable else unsettled.discard)(i)
        return total, tuple(sorted(unsettled)), tuple(states)

    # what is known of a state

    def state(self, number: int) -> State:
        """What matters of the daughters read."""
        return self._states[number]

    def counts(self, state: int) -> DeferredCounts:
        """What the deferred properties count if the phrase ends in a state, summed over them."""
        return self._counts[state]

    def property_states(self, state: int) -> tuple[int, ...]:
        """The states of the deferred properties."""
        return self._property_states[state]

    def unsettled(self, state: int) -> tuple[int, ...]:
        """The deferred properties that are violated, but that further daughters may still repair."""
        return self._unsettled[state]

    def is_licensed(self, state: int) -> bool:
        """Whether a phrase can be built in this state whatever follows: its trigger and H4 hold for good."""
        found = self._states[state]
        triggered = found.retrieved or bool(self._counts[state].retrieved)
        return bool(found.satisfied) or (not self.classes.needs_satisfied and triggered)

    def phrase(self, state: int) -> int | None:
        """The kind of phrase that the daughters read so far make.

        None where no property triggers the construction (ruling 8), H4 fails or a hard property is violated.
        """
        found, counts = self._states[state], self._counts[state]
        if counts.hard or not (counts.retrieved or found.retrieved):
            return None
        holds = counts.satisfied_by_operands or found.satisfied & ~found.violated
        return self.classes.features.phrase(found.contributions) if holds or not self.classes.needs_satisfied else None


def _incremented(counts: tuple[tuple[int, int], ...], read: int) -> tuple[tuple[int, int], ...]:
    found = dict(counts)
    found[read] = found.get(read, 0) + 1
    return tuple(sorted(found.items()))


def _sum(counts: list[DeferredCounts]) -> DeferredCounts:
    return DeferredCounts(*map(sum, zip(*counts, strict=True))) if counts else DeferredCounts()
