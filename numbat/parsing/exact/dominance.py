"""Unfinished constituents that another one over the same span beats, whatever follows: nothing is built on them.

Under `net` no cost leads the search, and states hold counts: over long spans there are very many. What comes from a
span that begins further right is complete when it is asked for, so it is known which daughters may follow. The lead of
one unfinished constituent over another is then at least what is left of it after the worst daughters that may begin at
each position, each with all that it changes by its order, and after the worst ones for each property about the whole.
What is beaten by any amount is in no optimal tree; equals stay, so that ties are counted exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import sub
from typing import NamedTuple

from numbat.automata.records import LOST, NEVER, Standing
from numbat.parsing.exact.compiled_grammar import CompiledGrammar
from numbat.parsing.policies import Value

Following = Sequence[Mapping[int, Mapping[int, list[int]]]]
"""The settled passive items that begin at each position, for each construction, by their looks."""


class Future(NamedTuple):
    """What may follow an unfinished constituent: the letters that may begin where it ends, those that may come after
    that, each once, and the numbers of what may come to each property about the whole.

    `rows` are the places in `later` of the letters that may begin at a position, and at how many positions these may.
    """

    here: tuple[int, ...]
    later: tuple[int, ...]
    rows: tuple[tuple[tuple[int, ...], int], ...]
    comings: tuple[int, ...]


class Gained(NamedTuple):
    """What the order of each of some letters gains, `NEVER` where it cannot come; as a bit set those that satisfy
    something."""

    sums: tuple[int, ...]
    holds: int


class Rival(NamedTuple):
    """An unfinished constituent: how its state stands, its value but for what it stays with."""

    standing: Standing
    value: Value


class Dominance:
    """The unfinished constituents of a search that nothing beats, span by span."""

    def __init__(self, machine: CompiledGrammar, tokens: int, following: Following) -> None:
        self._machine, self._automata = machine, machine.automata
        self._tokens = tokens
        self._following = following
        self._futures: dict[tuple[int, int], Future] = {}
        self._rows: dict[tuple[int, int, bool, tuple[int, ...]], Gained] = {}
        """By construction, the letter before, whether that is the last one, and letters."""
        self._gained: dict[tuple[int, int, int], tuple[Gained, Gained]] = {}
        """What the next and what later letters gain, by construction, end and state."""
        self._losses: dict[tuple[int, int, int, int], int] = {}
        """By construction, end and the states of the one that leads and the other one."""
        self._unbeaten: dict[tuple[int, int, int, int], list[Rival]] = {}
        """By span and construction and what decides the features: of others none beats another."""
        self._ended: dict[tuple[int, int], Value] = {}
        """The best value of a phrase to the end of the sentence, by its start and kind."""

    def ends_worse(self, start: int, number: int, state: int, value: Value) -> bool:
        """Whether what ends with the sentence makes no phrase there, or a worse one than something else made."""
        accepted = self._machine.accepted[number, state]
        if accepted is None:
            return True
        kind, _, change = accepted
        best = self._ended.get((start, kind), value + change)
        self._ended[start, kind] = min(best, value + change)
        return value + change > best

    def is_beaten(self, start: int, end: int, number: int, state: int, value: Value) -> bool:
        """Whether another one over the span beats it; if none does it is one of those that may beat others.

        Those that may end there come before those of one daughter, which only go on.
        """
        automaton = self._automata[number]
        if not automaton.alphabet.is_countable or end == self._tokens:
            return False
        standing = automaton.standing(state)
        rival = Rival(standing, value - standing.doomed)
        unbeaten = self._unbeaten.setdefault((start, end, number, standing.firsts), [])
        for other in unbeaten:
            if self._beats(other, rival, number, end):
                return True
        unbeaten.append(rival)
        return False

    def _beats(self, one: Rival, other: Rival, number: int, end: int) -> bool:
        """Whether one leads the other by more than it can lose, and is a phrase wherever the other one is.

        One that is not sure to be one is, under H4, if whatever satisfies something of the other one does so of it.
        """
        mine, yours, lead = one.standing, other.standing, other.value - one.value
        if not mine.is_sure and (yours.is_sure or not self._automata[number].alphabet.needs_held):
            return False
        if mine.reads != yours.reads:
            lead += self._lead_by_reads(mine, yours, number, end)
        if lead <= 0:
            return False
        key = number, end, mine.state, yours.state
        loss = self._losses.get(key)
        if loss is None:
            loss = self._losses[key] = self._loss(mine, yours, number, end)
        return lead > loss

    def _lead_by_reads(self, mine: Standing, yours: Standing, number: int, end: int) -> int:
        """The lead by what properties about the whole have read, with what may come to them."""
        lead, comings = 0, self._future(number, end).comings
        deferred = self._automata[number].alphabet.deferred
        for i, (own, other) in enumerate(zip(mine.reads, yours.reads, strict=True)):
            if own != other:
                lead += deferred[i].witness.lead(own, other, comings[i], mine.is_sure)
        return lead

    def _loss(self, mine: Standing, yours: Standing, number: int, end: int) -> int:
        """What a lead loses at the most by the order of what follows."""
        here, later = self._gains(number, end, mine.state)
        others, others_later = self._gains(number, end, yours.state)
        if not mine.is_sure and (others.holds & ~here.holds or others_later.holds & ~later.holds):
            return -NEVER
        loss = -min(0, *map(sub, here.sums, others.sums)) if here.sums else 0
        leads = tuple(map(sub, later.sums, others_later.sums))
        if min(leads, default=0) < 0:
            for places, times in self._future(number, end).rows:
                loss -= times * min([0, *[leads[place] for place in places]])
        return loss

    def _gains(self, number: int, end: int, state: int) -> tuple[Gained, Gained]:
        key = number, end, state
        known = self._gained.get(key)
        if known is None:
            future = self._future(number, end)
            here, later = self._sum(number, state, future.here, True), self._sum(number, state, future.later, False)
            known = self._gained[key] = here, later
        return known

    def _sum(self, number: int, state: int, letters: tuple[int, ...], is_next: bool) -> Gained:
        """What letters gain after a state, whether they are the next ones or come later."""
        sums, holds = [0] * len(letters), 0
        for before, adjacent, times in self._automata[number].neighbours(state, is_next):
            row = self._row(number, before, adjacent, letters)
            sums = [total + times * gain for total, gain in zip(sums, row.sums, strict=True)]
            holds |= row.holds
        if min(sums, default=0) > LOST:
            return Gained(tuple(sums), holds)
        can = _bits(total > LOST for total in sums)
        return Gained(tuple([total if total > LOST else NEVER for total in sums]), holds & can)

    def _row(self, number: int, before: int, adjacent: bool, letters: tuple[int, ...]) -> Gained:
        """What letters gain after one that was read; alone where that is -1."""
        key = number, before, adjacent, letters
        known = self._rows.get(key)
        if known is None:
            pair = self._automata[number].alphabet.pair
            outcomes = [pair(before, letter, adjacent) for letter in letters]
            sums = tuple([NEVER if each.dead else each.weight - each.cost for each in outcomes])
            known = self._rows[key] = Gained(sums, _bits(bool(each.satisfied) for each in outcomes))
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
        looks = self._following[position].get(number, ())
        return tuple(sorted({self._automata[number].alphabet.seen(look)[0] for look in looks}))


def _bits(flags: Iterable[bool]) -> int:
    return sum(1 << place for place, flag in enumerate(flags) if flag)
