"""Dominance between unfinished constituents over one span: nothing is built on one that another beats for certain.

Under `net` no cost leads the search, and states hold counts: over long spans there are very many. What begins further
right is complete when it is asked for, so it is known which daughters may follow. The *dominance gap* of one unfinished
constituent over another is its advantage after the worst daughters that may begin at each position, each with all that
it changes by its order, and after the worst ones for each deferred property. What is beaten by any amount is in no
optimal tree; equals stay, so that ties are counted exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import sub
from typing import NamedTuple

from numbat.automata.construction_automaton import LOST, NEVER, StateSummary
from numbat.parsing.exact.weighted_grammar import WeightedGrammar
from numbat.parsing.policies import Value

Following = Sequence[Mapping[int, Mapping[int, list[int]]]]
"""The settled passive items that begin at each position, for each construction, by their daughter types."""


class Future(NamedTuple):
    """What may follow an unfinished constituent: the daughter classes that may begin where it ends (`here`), those that
    may come after that, each once (`later`), and the continuation of each deferred property, by number.

    `rows` are the places in `later` of the classes that may begin at a position, and at how many positions these may.
    """

    here: tuple[int, ...]
    later: tuple[int, ...]
    rows: tuple[tuple[tuple[int, ...], int], ...]
    continuations: tuple[int, ...]


class OrderGains(NamedTuple):
    """What the order of each of some classes gains, `NEVER` where it cannot come; as a bit set those that satisfy a
    property."""

    sums: tuple[int, ...]
    holds: int


class Contender(NamedTuple):
    """An unfinished constituent: the summary of its state, and its value but for irreparable violations."""

    summary: StateSummary
    value: Value


class Dominance:
    """The unfinished constituents of a search that no other one beats, span by span."""

    def __init__(self, weighted: WeightedGrammar, tokens: int, following: Following) -> None:
        self._weighted, self._automata = weighted, weighted.automata
        self._tokens = tokens
        self._following = following
        self._futures: dict[tuple[int, int], Future] = {}
        self._rows: dict[tuple[int, int, int, tuple[int, ...]], OrderGains] = {}
        """By construction, the class before, how many daughters stand between, and classes."""
        self._gains_known: dict[tuple[int, int, int], tuple[OrderGains, ...]] = {}
        """What the next class gains and, by how many others come before it, what later ones gain; by construction, end
        and state."""
        self._losses: dict[tuple[int, int, int, int], int] = {}
        """By construction, end and the states of the one that is better and of the other one."""
        self._unbeaten: dict[tuple[int, int, int, int], list[Contender]] = {}
        """By span, construction and contributions: of others none beats another."""
        self._ended: dict[tuple[int, int], Value] = {}
        """The best value of a phrase to the end of the sentence, by its start and kind."""

    def record_end_and_compare(self, start: int, number: int, state: int, value: Value) -> bool:
        """Record what ends with the sentence; True where it makes no phrase there, or a worse one than was recorded."""
        accepted = self._weighted.accepted[number, state]
        if accepted is None:
            return True
        kind, _, change = accepted
        best = self._ended.get((start, kind), value + change)
        self._ended[start, kind] = min(best, value + change)
        return value + change > best

    def beaten_or_recorded(self, start: int, end: int, number: int, state: int, value: Value) -> bool:
        """True where another one over the span beats it; if none does, it is recorded and may beat others.

        Those that may end there come before those of one daughter, which only go on.
        """
        weighted = self._automata[number]
        if not weighted.classes.is_countable or end == self._tokens:
            return False
        summary = weighted.summary(state)
        contender = Contender(summary, value - summary.irreparable_cost)
        unbeaten = self._unbeaten.setdefault((start, end, number, summary.contributions), [])
        for other in unbeaten:
            if self._beats(other, contender, number, end):
                return True
        unbeaten.append(contender)
        return False

    def _beats(self, one: Contender, other: Contender, number: int, end: int) -> bool:
        """Whether the gap of one over the other is more than it can lose, and it is a phrase wherever the other one is.

        One that is not yet licensed is, under H4, if whatever satisfies something of the other one does so of it.
        """
        mine, yours, gap = one.summary, other.summary, other.value - one.value
        if not mine.is_licensed and (yours.is_licensed or not self._automata[number].classes.needs_satisfied):
            return False
        if mine.property_states != yours.property_states:
            gap += self._gap_by_properties(mine, yours, number, end)
        if gap <= 0:
            return False
        key = number, end, mine.state, yours.state
        loss = self._losses.get(key)
        if loss is None:
            loss = self._losses[key] = self._loss(mine, yours, number, end)
        return gap > loss

    def _gap_by_properties(self, mine: StateSummary, yours: StateSummary, number: int, end: int) -> int:
        """The gap by the states of the deferred properties, with what may follow for them."""
        gap, continuations, weighted = 0, self._future(number, end).continuations, self._automata[number]
        for i, (own, other) in enumerate(zip(mine.property_states, yours.property_states, strict=True)):
            if own != other:
                gap += weighted.gap(i, own, other, continuations[i], mine.is_licensed)
        return gap

    def _loss(self, mine: StateSummary, yours: StateSummary, number: int, end: int) -> int:
        """What a gap loses at the most by the order of what follows."""
        gains = list(zip(self._gains(number, end, mine.state), self._gains(number, end, yours.state), strict=True))
        if not mine.is_licensed and any(others.holds & ~own.holds for own, others in gains):
            return -NEVER
        here, *later = [tuple(map(sub, own.sums, others.sums)) for own, others in gains]
        loss = -min(0, *here) if here else 0
        gaps = list(map(min, *later)) if len(later) > 1 else later[0]
        if min(gaps, default=0) < 0:
            for places, times in self._future(number, end).rows:
                loss -= times * min([0, *[gaps[place] for place in places]])
        return loss

    def _gains(self, number: int, end: int, state: int) -> tuple[OrderGains, ...]:
        key = number, end, state
        known = self._gains_known.get(key)
        if known is None:
            future = self._future(number, end)
            most = max(1, self._automata[number].classes.reach)
            later = [self._sum(number, state, future.later, skipped) for skipped in range(1, most + 1)]
            known = self._gains_known[key] = self._sum(number, state, future.here, 0), *later
        return known

    def _sum(self, number: int, state: int, classes: tuple[int, ...], skipped: int) -> OrderGains:
        """What classes gain after a state if so many others come before them."""
        sums, holds = [0] * len(classes), 0
        for before, between, times in self._automata[number].automaton.pairs(state, skipped):
            row = self._row(number, before, between, classes)
            sums = [total + times * gain for total, gain in zip(sums, row.sums, strict=True)]
            holds |= row.holds
        if min(sums, default=0) > LOST:
            return OrderGains(tuple(sums), holds)
        can = _bits(total > LOST for total in sums)
        return OrderGains(tuple([total if total > LOST else NEVER for total in sums]), holds & can)

    def _row(self, number: int, before: int, between: int, classes: tuple[int, ...]) -> OrderGains:
        """What classes gain after one that was read; alone where that is -1."""
        key = number, before, between, classes
        known = self._rows.get(key)
        if known is None:
            gain = self._automata[number].pair_gain
            gains = [gain(before, read, between) for read in classes]
            sums = tuple([each.sum for each in gains])
            known = self._rows[key] = OrderGains(sums, _bits(each.holds for each in gains))
        return known

    def _future(self, number: int, position: int) -> Future:
        known = self._futures.get((number, position))
        if known is None:
            classes = self._automata[number].classes
            here, *rest = [self._classes(number, each) for each in range(position, self._tokens)]
            later = tuple(sorted({read for each in rest for read in each}))
            every = tuple(sorted({*here, *later}))
            places = {read: place for place, read in enumerate(later)}
            rows = Counter(tuple([places[read] for read in each]) for each in rest)
            continuations = classes.continuation(every, self._tokens - position)
            known = self._futures[number, position] = Future(here, later, tuple(rows.items()), continuations)
        return known

    def _classes(self, number: int, position: int) -> tuple[int, ...]:
        types = self._following[position].get(number, ())
        return tuple(sorted({self._automata[number].classes.parts_of(each)[0] for each in types}))


def _bits(flags: Iterable[bool]) -> int:
    return sum(1 << place for place, flag in enumerate(flags) if flag)
