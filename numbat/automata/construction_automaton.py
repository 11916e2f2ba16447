"""The properties of a construction, compiled: a lazily built deterministic automaton that reads daughters in order.

A step tells the next state and the change of value; acceptance adds what only the whole assignment decides (obligation,
requirement). What properties say is asked of the construction's `alphabet`, which asks each question once.

A property is compiled by what the expressions of its relation ask for:

- *local*: only about the tuple itself (order, adjacency, features), of at most two daughters: settled when the second
  one is read;
- *global*: only about what is present and how often: settled at acceptance, but counted as soon as it is doomed;
- anything else: the state remembers the whole sequence and the property is settled at acceptance.

States hold counts, not flags, so that instances are counted exactly (ruling 11). Where counts are all that they hold,
`_automata.c` builds the same states for the compiled kernel.
"""

from __future__ import annotations

from numbat.automata.daughter_classes import Alphabet
from numbat.automata.records import INFINITE, Acceptance, Memo, Standing, State, Step, Verdict


class Automaton:
    """The states over the alphabet of a construction."""

    def __init__(self, alphabet: Alphabet) -> None:
        self.alphabet = alphabet
        self._states = [State()]
        self._numbers: dict[State, int] = {self._states[0]: 0}
        self._sums: list[Verdict] = [Verdict()]
        self._pending: list[tuple[int, ...]] = [()]
        self._standings: Memo[tuple[int], Standing] = Memo(self._stands)
        self._reads: list[tuple[int, ...]] = [(0,) * len(alphabet.deferred)]
        for i in range(len(alphabet.deferred)):
            verdict = alphabet.nothing_read(i)
            self._sums[0] = self._sums[0].changed(Verdict(), verdict)
            self._pending[0] += (i,) * (verdict.cost > verdict.doomed)

    def __len__(self) -> int:
        """The number of states built so far."""
        return len(self._states)

    # reading a daughter

    def step(self, number: int, look: int) -> Step | None:
        """Read a daughter that looks so (`Alphabet.look`); None where a hard property is violated."""
        alphabet, state = self.alphabet, self._states[number]
        read, notes = alphabet.seen(look)
        pair, neighbours = alphabet.pair, self.neighbours(number, is_next=True)
        outcomes = [(pair(before, read, adjacent), times) for before, adjacent, times in neighbours]
        if any(outcome.dead for outcome, _ in outcomes):
            return None
        violated, satisfied = state.violated, state.satisfied
        cost = weight = 0
        for outcome, times in outcomes:
            if alphabet.by_property:
                cost += self._fresh_cost(outcome.violated & ~violated)
            else:
                cost += outcome.cost * times
                weight += outcome.weight * times
            violated |= outcome.violated
            satisfied |= outcome.satisfied
        after = State(
            _incremented(state.counts, read),
            read if alphabet.letters[read].adjoins else -1,
            alphabet.firsts_with(state.firsts, notes),
            violated if alphabet.by_property else 0,
            satisfied if alphabet.by_property else int(bool(satisfied)),
            (*state.sequence, read) if alphabet.whole else (),
            state.retrieved or any(outcome.retrieved for outcome, _ in outcomes),
        )
        following = self._number(after, number, read)
        if self._sums[following].hopeless:
            return None
        charged = self._sums[number].doomed if number else 0
        return following, cost + self._sums[following].doomed - charged, weight

    def _fresh_cost(self, violated: int) -> int:
        return sum(matter.prop.cost for i, matter in enumerate(self.alphabet.local) if violated >> i & 1)

    def _number(self, state: State, before: int, read: int) -> int:
        """The number of a state that follows another one when a letter is read."""
        number = self._numbers.get(state)
        if number is None:
            verdict, pending, reads = self._judged(before, read)
            number = len(self._states)
            self._sums[number:] = [verdict]  # an interrupt may have left one that has no state
            self._pending[number:] = [pending]
            self._reads[number:] = [reads]
            self._states.append(state)
            self._numbers[state] = number  # last, so that an interrupt leaves nothing half known
        return number

    def _judged(self, before: int, read: int) -> tuple[Verdict, tuple[int, ...], tuple[int, ...]]:
        """What the deferred properties say of a new state: what they said before, but for those concerned."""
        verdict, pending, reads = self._sums[before], set(self._pending[before]), list(self._reads[before])
        for i, sight in self.alphabet.letters[read].deferred.items():
            old = self.alphabet.deferred[i].witness.verdict(reads[i])
            reads[i], new = self.alphabet.after(i, reads[i], sight)
            verdict = verdict.changed(old, new)
            (pending.add if new.cost > new.doomed else pending.discard)(i)
        return verdict, tuple(sorted(pending)), tuple(reads)

    # what is still to come

    def ahead(self, number: int, view: int) -> int:
        """At least how much more an unfinished constituent will cost, by the view that it has of what can come.

        A bound that never falls by more than what a step costs: operands that cannot come any more leave their
        properties violated; of those that can come the dearest is charged once, with what its order costs.
        """
        certain = dearest = 0
        for i in self._pending[number]:
            fixed, least = self._bound(number, i, view)
            certain += fixed
            dearest = max(dearest, least - fixed)
        return min(certain + dearest, INFINITE)

    def is_lost(self, number: int, view: int) -> bool:
        """Whether a hard property is violated that nothing mends of what can still come, by that view."""
        if not self._sums[number].hard:
            return False
        hard = [
            i for i in self._pending[number] if self.alphabet.deferred[i].witness.verdict(self._reads[number][i]).hard
        ]
        return any(self._bound(number, i, view)[0] >= INFINITE for i in hard)

    def _bound(self, number: int, i: int, view: int) -> tuple[int, int]:
        """`Alphabet.bound` of a deferred property, by what its operands cost that can still come."""
        if self.alphabet.deferred[i].witness.sort == "whole":
            return 0, 0
        own, state = self.alphabet.own_levels(i, view), self._states[number]
        dues = tuple([(place, min(level + self._crossing(state, place), INFINITE)) for place, level in own])
        return self.alphabet.bound(i, self._reads[number][i], dues)

    def _crossing(self, state: State, place: int) -> int:
        """At least what the order of a daughter that is this operand costs after the daughters read."""
        if self.alphabet.by_property:
            return 0
        return sum(times * self.alphabet.least_pair(before, place) for before, times in state.counts)

    # beside others

    def standing(self, number: int) -> Standing:
        """What tells how a state compares with others."""
        return self._standings[number,]

    def _stands(self, number: int) -> Standing:
        state, verdict = self._states[number], self._sums[number]
        is_sure = state.satisfied or (not self.alphabet.needs_held and (state.retrieved or verdict.retrieved))
        return Standing(number, state.firsts, verdict.doomed, self._reads[number], bool(is_sure))

    def neighbours(self, number: int, is_next: bool) -> list[tuple[int, bool, int]]:
        """What a letter comes after, be it the next one or a later one: letters that were read, whether that is the
        last one, and how many times; first -1, for what is said of the letter alone."""
        state, found = self._states[number], [(-1, False, 1)]
        for before, times in state.counts:
            neighbour = is_next and before == state.last
            if neighbour:
                found.append((before, True, 1))
            if times - neighbour:
                found.append((before, False, times - neighbour))
        return found

    # acceptance

    def accept(self, number: int) -> Acceptance | None:
        """The kind of phrase that the daughters read so far make, and what the whole assignment adds.

        None where no property triggers the construction, H4 fails or a hard property is violated.
        """
        state, verdict = self._states[number], self._sums[number]
        if verdict.hard or not (verdict.retrieved or state.retrieved):
            return None
        weight = verdict.weight
        if self.alphabet.by_property:
            alone = state.satisfied & ~state.violated
            weight += sum(matter.prop.weight for i, matter in enumerate(self.alphabet.local) if alone >> i & 1)
        if self.alphabet.needs_held and not (verdict.held or state.satisfied & ~state.violated):
            return None
        return self.alphabet.phrase(state.firsts), verdict.cost - verdict.doomed, weight


def _incremented(counts: tuple[tuple[int, int], ...], read: int) -> tuple[tuple[int, int], ...]:
    found = dict(counts)
    found[read] = found.get(read, 0) + 1
    return tuple(sorted(found.items()))
