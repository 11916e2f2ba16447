"""Unfinished constituents that another one over the same span beats, whatever follows: nothing is built on them.

Under `net` no cost leads the search, and states hold counts: over long spans there are very many. What comes from a
span that begins further right is complete when it is asked for, so it is known which daughters may follow. The lead of
one unfinished constituent over another is then at least what is left of it after the worst daughters that may begin at
each position, each with all that it changes by its order, and after the worst ones for each property about the whole.
What is beaten by any amount is in no optimal tree; equals stay, so that ties are counted exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from numbat.parsing.automata import Automaton
from numbat.parsing.machine import Machine
from numbat.parsing.policies import Value
from numbat.parsing.states import LOST, Gain

Following = Mapping[tuple[int, int], Mapping[int, list[int]]]
"""The settled passive items that begin at a position, for each construction, by their looks."""


class Future(NamedTuple):
    """What may follow an unfinished constituent: the letters that may begin where it ends, those that may come after
    that, each once, and the numbers of what may come to each property about the whole.

    `rows` are the places in `later` of the letters that may begin at a position, and at how many positions these may.
    """

    here: tuple[int, ...]
    later: tuple[int, ...]
    rows: tuple[tuple[tuple[int, ...], int], ...]
    comings: tuple[int, ...]


class Gains(NamedTuple):
    """What each letter of a future gains after a state."""

    here: tuple[Gain, ...]
    later: tuple[Gain, ...]


class Rival:
    """An unfinished constituent: its value but for what it stays with."""

    def __init__(self, automaton: Automaton, state: int, value: Value) -> None:
        self.state = state
        self.standing = automaton.standing(state)
        self.value = value - self.standing.doomed
        self.is_sure = automaton.is_sure(state)


class Dominance:
    """The unfinished constituents of a search that nothing beats, span by span."""

    def __init__(self, machine: Machine, tokens: int, following: Following) -> None:
        self._machine, self._automata = machine, machine.automata
        self._tokens = tokens
        self._following = following
        self._futures: dict[tuple[int, int], Future] = {}
        self._lead_bys: dict[tuple[int, tuple[int, ...], tuple[int, ...], tuple[int, ...], bool], int] = {}
        self._gains: dict[tuple[int, int, int], Gains] = {}
        """By construction, end and state."""
        self._unbeaten: dict[tuple[int, int, int, int], list[Rival]] = {}
        """By span and construction and what decides the features: of others none beats another."""
        self._ended: dict[tuple[int, int], Value] = {}
        """The best value of a phrase to the end of the sentence, by its start and kind."""

    def ends_worse(self, start: int, number: int, state: int, value: Value) -> bool:
        """Whether what ends with the sentence makes no phrase there, or a worse one than something else made."""
        accepted = self._machine.accept(number, state)
        if accepted is None:
            return True
        kind, cost, gain = accepted
        best = self._ended.get((start, kind), value + cost - gain)
        self._ended[start, kind] = min(best, value + cost - gain)
        return value + cost - gain > best

    def is_beaten(self, start: int, end: int, number: int, state: int, value: Value) -> bool:
        """Whether another one over the span beats it; if none does it is one of those that may beat others.

        Those that may end there come before those of one daughter, which only go on.
        """
        automaton = self._automata[number]
        if not automaton.alphabet.is_countable or end == self._tokens:
            return False
        rival = Rival(automaton, state, value)
        unbeaten = self._unbeaten.setdefault((start, end, number, rival.standing.firsts), [])
        if any(self._beats(other, rival, number, end) for other in unbeaten):
            return True
        unbeaten.append(rival)
        return False

    def _beats(self, one: Rival, other: Rival, number: int, end: int) -> bool:
        """Whether one leads the other by more than it can lose, and is a phrase wherever the other one is.

        One that is not sure to be one is, under H4, if whatever satisfies something of the other one does so of it.
        """
        future, alphabet = self._future(number, end), self._automata[number].alphabet
        sure, lead = one.is_sure, other.value - one.value
        if not sure and (other.is_sure or not alphabet.needs_held):
            return False
        if one.standing.reads != other.standing.reads:
            lead = _with(lead, self._lead_by(number, future.comings, one.standing.reads, other.standing.reads, sure))
        if lead <= 0:
            return False
        ours, theirs = self._gains_of(number, end, one.state), self._gains_of(number, end, other.state)
        lead = _with(lead, min(0, min(_leads(ours.here, theirs.here, sure), default=0)))
        later = list(_leads(ours.later, theirs.later, sure, otherwise=0))
        for places, times in future.rows if lead > 0 else ():
            worst = min(0, min([later[place] for place in places], default=0))
            lead = _with(lead, LOST if worst == LOST else times * worst)
        return lead > 0

    def _lead_by(
        self, number: int, comings: tuple[int, ...], reads: tuple[int, ...], others: tuple[int, ...], sure: bool
    ) -> int:
        """The lead by what properties about the whole have read, with what may come to them."""
        key = number, comings, reads, others, sure
        known = self._lead_bys.get(key)
        if known is None:
            alphabet, known = self._automata[number].alphabet, 0
            for i, (mine, yours) in enumerate(zip(reads, others, strict=True)):
                if mine != yours:
                    outlooks = alphabet.outlook(i, mine, comings[i]), alphabet.outlook(i, yours, comings[i])
                    known = _with(known, min(_leads(*outlooks, sure), default=0 if outlooks[0] else LOST))
            self._lead_bys[key] = known
        return known

    def _gains_of(self, number: int, end: int, state: int) -> Gains:
        key = number, end, state
        known = self._gains.get(key)
        if known is None:
            future, gain = self._future(number, end), self._automata[number].gain
            here = tuple([gain(state, letter, True) for letter in future.here])
            known = self._gains[key] = Gains(here, tuple([gain(state, letter, False) for letter in future.later]))
        return known

    def _future(self, number: int, position: int) -> Future:
        known = self._futures.get((number, position))
        if known is None:
            alphabet = self._automata[number].alphabet
            here, *rest = [self._letters(number, each) for each in range(position, self._tokens)]
            later = tuple(sorted({letter for each in rest for letter in each}))
            every = tuple(sorted({*here, *later}))
            places = {letter: place for place, letter in enumerate(later)}
            rows = Counter(tuple([places[letter] for letter in each]) for each in rest)
            comings = alphabet.future(every, self._tokens - position)
            known = self._futures[number, position] = Future(here, later, tuple(rows.items()), comings)
        return known

    def _letters(self, number: int, position: int) -> tuple[int, ...]:
        looks = self._following.get((position, number), ())
        return tuple(sorted({self._automata[number].alphabet.seen(look)[0] for look in looks}))


def _with(lead: int, change: int) -> int:
    return LOST if LOST in (lead, change) else lead + change


def _leads(mine: Sequence[Gain], yours: Sequence[Gain], sure: bool, otherwise: int | None = None) -> Iterator[int]:
    """By how much the first of such gains is better, wherever the second can be; `LOST` where only that can, or only
    that holds and there must be something that does. Where the second cannot be, `otherwise` or nothing."""
    for own, other in zip(mine, yours, strict=True):
        if other.sum > LOST:
            yield LOST if own.sum <= LOST or (other.holds > own.holds and not sure) else own.sum - other.sum
        elif otherwise is not None:
            yield otherwise
