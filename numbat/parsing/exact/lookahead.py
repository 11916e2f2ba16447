"""Admissible lower bounds on what the daughters still to come cost an unfinished constituent, by position.

From each position on only some words are left. So an operand that a construction awaits (a verb, a noun) either can
come as a word, can come as a phrase alone and costs at least what such a phrase does, or cannot come at all; an
unfinished constituent that needs it costs at least as much more. The bounds never overestimate, and rise no more along
a step than the step costs, so that a search in their order stays exact.

What a word costs by itself is left out, so that all that is left of a sentence is a set of operands; with it the bounds
would be sharper, but the search of raw English text would build only .1 % fewer items.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter

from numbat.automata.daughter_classes import DaughterClasses
from numbat.automata.records import INFINITE, OperandCosts
from numbat.automata.weighted_automaton import WeightedAutomaton
from numbat.evaluation.evaluator import union
from numbat.grammar.properties import Operand

MOST_ROUNDS = 4
"""How often the least costs of phrases are improved by those of their parts; each round alone is a valid bound."""

UNKNOWN = -1
"""In place of a lookahead number or a least cost that was not asked for yet."""


class LookaheadNumbers:
    """Numbers for the costs of the operands that constructions await, whatever the weights: put into `lookaheads`."""

    def __init__(
        self,
        names: Sequence[str],
        classes: Sequence[DaughterClasses],
        operands: Iterable[Operand],
        lookaheads: list[OperandCosts],
    ) -> None:
        self.lookaheads = lookaheads
        categories = [operand.category for operand in operands]
        self.operands = len(categories)
        places = range(self.operands)
        self._awaited = [tuple(p for p in places if each.awaited_operands >> p & 1) for each in classes]
        self._costs_of = list(map(_picker, self._awaited))
        self.places_of = [[p for p in places if categories[p] == name] for name in names]
        """The places of the operands that each construction may be."""
        awaiting: dict[str, list[int]] = {name: [] for name in names}
        for i, awaited in enumerate(self._awaited):
            for name in {categories[place] for place in awaited} & awaiting.keys():
                awaiting[name].append(i)
        self.awaiting = [awaiting[name] for name in names]
        """The constructions that await an operand which each construction may be."""
        self._numbers: list[dict[tuple[int, ...], int]] = [{} for _ in classes]
        self._awaited_bits = [union(1 << place for place in awaited) for awaited in self._awaited]
        self.all_awaited = union(self._awaited_bits)
        """The operands, as a bit set of their places, that any construction awaits."""
        self._phrases = union(1 << place for found in self.places_of for place in found)
        self._initial: list[dict[int, int]] = [{} for _ in classes]

    def costs_of(self, left: int) -> list[int]:
        """What each operand costs where these, a bit set of their places, can come as words and phrases cost nothing.

        No phrase comes where no word does.
        """
        possible = self._possible(left)
        return [0 if possible >> place & 1 else INFINITE for place in range(self.operands)]

    def initial(self, left: int) -> array[int]:
        """The lookahead numbers of all constructions with those costs."""
        possible = self._possible(left)
        keys = [possible & bits for bits in self._awaited_bits]
        numbers = [known.get(key, UNKNOWN) for known, key in zip(self._initial, keys, strict=True)]
        if UNKNOWN in numbers:
            costs = self.costs_of(left)
            for i, number in enumerate(numbers):
                if number == UNKNOWN:
                    numbers[i] = self._initial[i][keys[i]] = self.number(i, costs)
        return array("i", numbers)

    def _possible(self, left: int) -> int:
        return left | self._phrases if left else 0

    def number(self, construction: int, costs: Sequence[int]) -> int:
        """The lookahead number of what each operand that a construction awaits costs: as a word or as a phrase."""
        awaited = self._costs_of[construction](costs)
        number = self._numbers[construction].get(awaited)
        if number is None:
            number = len(self.lookaheads)
            self.lookaheads.append(tuple(zip(self._awaited[construction], awaited, strict=True)))
            self._numbers[construction][awaited] = number  # last, so that an interrupt leaves nothing half known
        return number


class Lookahead:
    """The lookahead numbers of the ends of sentences under one vector of weights.

    `operands_matched` says which operands a kind of constituent is, as a bit set of their places.
    """

    def __init__(
        self,
        numbers: LookaheadNumbers,
        operands_matched: Callable[[int], int],
        automata: Sequence[WeightedAutomaton],
    ) -> None:
        self._of_costs = numbers
        self._operands_matched = operands_matched
        self._automata = automata
        self._least: list[int] = []
        """At least what a phrase costs, by the lookahead number of its construction; `UNKNOWN` until it is asked."""
        self._numbers: dict[int, bytes] = {}
        """The lookahead numbers of all constructions, by the operands that words which are left may be."""

    def numbers(self, kinds: Sequence[Sequence[int]]) -> bytes:
        """The lookahead number of each construction at each position, one position after the other, that of the end
        last: the bytes of an `array("i")`. `kinds` are those of the words that begin at each position."""
        left, sets = 0, [0]
        awaited, any_word = self._of_costs.all_awaited, 1 << self._of_costs.operands
        for here in reversed(kinds):
            for kind in here:
                left |= self._operands_matched(kind) & awaited | any_word
            sets.append(left)
        sets.reverse()
        known = self._numbers
        return b"".join([known.get(each) or self._computed(each) for each in sets])

    def _computed(self, left: int) -> bytes:
        """The number of each construction. Bounds for phrases start at 0 and rise with those of their parts."""
        of_costs = self._of_costs
        numbers = of_costs.initial(left)
        risen = [i for i, own in enumerate(numbers) if self._least_cost(i, own)] if left else []
        costs = of_costs.costs_of(left) if risen else []
        for _ in range(MOST_ROUNDS - 1):
            for i in risen:
                bound = self._least_cost(i, numbers[i])
                for place in of_costs.places_of[i]:
                    costs[place] = 0 if left >> place & 1 else bound
            concerned, risen = {j for i in risen for j in of_costs.awaiting[i]}, []
            for i in sorted(concerned):
                before, after = numbers[i], of_costs.number(i, costs)
                if after != before:
                    numbers[i] = after
                    if self._least_cost(i, after) != self._least_cost(i, before):
                        risen.append(i)
        found = self._numbers[left] = numbers.tobytes()
        return found

    def _least_cost(self, construction: int, number: int) -> int:
        """At least what a phrase of a construction costs with such a lookahead."""
        least = self._least
        if number >= len(least):
            least += [UNKNOWN] * (number + 1 - len(least))
        if least[number] < 0:
            least[number] = self._automata[construction].cost_to_complete(0, number)
        return least[number]


def _picker(places: Sequence[int]) -> Callable[[Sequence[int]], tuple[int, ...]]:
    """What takes the entries at these places out of a list."""
    return itemgetter(*places) if len(places) > 1 else lambda costs: tuple([costs[place] for place in places])
