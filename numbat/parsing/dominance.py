"""Unfinished constituents that another one over the same span beats, whatever follows: nothing is built on them.

Under `net` no cost leads the search, and states hold counts: over long spans there are very many. What comes from a
span that begins further right is complete when it is asked for, so it is known which daughters may follow. The lead of
one unfinished constituent over another is then at least what is left of it after the worst daughters that may begin at
each position, each with all that it changes by its order, and after the worst ones for each property about the whole.
What is beaten by any amount is in no optimal tree; equals stay, so that ties are counted exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from numbat.parsing.alphabet import Alphabet
from numbat.parsing.automata import Automaton
from numbat.parsing.machine import Machine
from numbat.parsing.policies import Value
from numbat.parsing.states import LOST, Gain

Following = Mapping[tuple[int, int], Mapping[int, list[int]]]
"""The settled passive items that begin at a position, for each construction, by their looks."""


class Future(NamedTuple):
    """What may follow an unfinished constituent: the letters that may begin where it ends, and at each position after
    that, and the numbers of what may come to each property about the whole."""

    here: tuple[int, ...]
    later: tuple[tuple[int, ...], ...]
    comings: tuple[int, ...]


class Rival:
    """An unfinished constituent: its value but for what it stays with, and what each letter gains after it."""

    def __init__(self, automaton: Automaton, state: int, value: Value) -> None:
        self.standing = automaton.standing(state)
        self.value = value - self.standing.doomed
        self.is_sure = automaton.is_sure(state)
        self._automaton, self._state = automaton, state
        self._gains: dict[tuple[int, bool], Gain] = {}

    def gain(self, letter: int, is_next: bool) -> Gain:
        known = self._gains.get((letter, is_next))
        if known is None:
            known = self._gains[letter, is_next] = self._automaton.gain(self._state, letter, is_next)
        return known


class Dominance:
    """The unfinished constituents of a search that nothing beats, span by span."""

    def __init__(self, machine: Machine, tokens: int, following: Following) -> None:
        self._machine, self._automata = machine, machine.automata
        self._tokens = tokens
        self._following = following
        self._futures: dict[tuple[int, int], Future] = {}
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
        future, rival = self._future(number, end), Rival(automaton, state, value)
        unbeaten = self._unbeaten.setdefault((start, end, number, rival.standing.firsts), [])
        if any(_beats(other, rival, future, automaton.alphabet) for other in unbeaten):
            return True
        unbeaten.append(rival)
        return False

    def _future(self, number: int, position: int) -> Future:
        known = self._futures.get((number, position))
        if known is None:
            alphabet = self._automata[number].alphabet
            here, *later = [self._letters(number, each) for each in range(position, self._tokens)]
            every = tuple(sorted({letter for each in (here, *later) for letter in each}))
            comings = alphabet.future(every, self._tokens - position)
            known = self._futures[number, position] = Future(here, tuple(later), comings)
        return known

    def _letters(self, number: int, position: int) -> tuple[int, ...]:
        looks = self._following.get((position, number), ())
        return tuple(sorted({self._automata[number].alphabet.seen(look)[0] for look in looks}))


def _beats(one: Rival, other: Rival, future: Future, alphabet: Alphabet) -> bool:
    """Whether one leads the other by more than it can lose, and is a phrase wherever the other one is.

    One that is not sure to be a phrase is, under H4, if whatever satisfies something of the other one does so of it.
    """
    sure, lead = one.is_sure, other.value - one.value
    if not sure and (other.is_sure or not alphabet.needs_held):
        return False
    reads = enumerate(zip(one.standing.reads, other.standing.reads, strict=True))
    for i, (mine, yours) in reads:
        if mine != yours:
            coming = future.comings[i]
            outlooks = alphabet.outlook(i, mine, coming), alphabet.outlook(i, yours, coming)
            lead = _with(lead, _least(zip(*outlooks, strict=True), sure, 0 if outlooks[0] else LOST))
    for i, letters in enumerate((future.here, *future.later)):
        if lead <= 0:
            return False
        pairs = [(one.gain(letter, i == 0), other.gain(letter, i == 0)) for letter in letters]
        lead = _with(lead, min(0, _least(pairs, sure, 0)))
    return lead > 0


def _with(lead: int, change: int) -> int:
    return LOST if LOST in (lead, change) else lead + change


def _least(pairs: Iterable[tuple[Gain, Gain]], sure: bool, otherwise: int) -> int:
    """By how much the first of such gains is better at least, wherever the second can be; `LOST` where only that can,
    or only that holds and there must be something that does."""
    leads = [
        LOST if mine.sum <= LOST or (yours.holds > mine.holds and not sure) else mine.sum - yours.sum
        for mine, yours in pairs
        if yours.sum > LOST
    ]
    return min(leads, default=otherwise)
