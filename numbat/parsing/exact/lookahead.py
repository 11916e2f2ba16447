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

from numbat.automata.daughter_classes import DaughterClasses
from numbat.automata.records import INFINITE, AwaitedCosts
from numbat.automata.weighted_automaton import WeightedAutomaton
from numbat.evaluation.evaluator import union
from numbat.grammar.properties import Operand

MOST_ROUNDS = 4
"""How often the least costs of phrases are improved by those of their parts; each round alone is a valid bound."""


class LookaheadNumbers:
    """Numbers for the costs of the operands that constructions await, whatever the weights: put into `lookaheads`."""

    def __init__(
        self,
        names: Sequence[str],
        classes: Sequence[DaughterClasses],
        operands: Iterable[Operand],
        lookaheads: list[AwaitedCosts],
    ) -> None:
        self.lookaheads = lookaheads
        self.construction: list[int] = []
        """The construction of each lookahead number."""
        categories = [operand.category for operand in operands]
        number = {name: i for i, name in enumerate(names)}
        of_category = dict.fromkeys(names, 0)
        for place, category in enumerate(categories):
            if category in of_category:
                of_category[category] |= 1 << place
        self._bits = [each.awaited_operands for each in classes]
        self._phrases = [
            [(number[name], bits & awaited) for name, bits in of_category.items() if bits & awaited]
            for awaited in self._bits
        ]
        """The phrases that each construction awaits: their constructions, and the operands that they may be."""
        self._phrase_numbers = [[j for j, _ in phrases] for phrases in self._phrases]
        self.awaiting = [[i for i, found in enumerate(self._phrase_numbers) if j in found] for j in range(len(names))]
        """The constructions that await a phrase of each construction."""
        self.all_awaited = union(self._bits)
        """The operands, as a bit set of their places, that any construction awaits."""
        self.any_word = 1 << len(categories)
        """Behind the bits of operands: that there is a word at all."""
        self._numbers: list[dict[AwaitedCosts, int]] = [{} for _ in names]
        self._known: list[dict[tuple[int, ...], int]] = [{} for _ in names]

    def number(self, construction: int, left: int, least: Sequence[int]) -> int:
        """The lookahead number of what each operand that a construction awaits costs.

        It costs nothing where it is among those that are `left`, a bit set, and else what a phrase costs at `least`.
        """
        key = left & self._bits[construction], *[least[phrase] for phrase in self._phrase_numbers[construction]]
        known = self._known[construction].get(key)
        if known is None:
            known = self._known[construction][key] = self._number_of(construction, left, least)
        return known

    def _number_of(self, construction: int, left: int, least: Sequence[int]) -> int:
        free, dearer = left & self._bits[construction], []
        for phrase, bits in self._phrases[construction]:
            cost = least[phrase]
            if not cost:
                free |= bits
            elif cost < INFINITE and bits & ~left:
                dearer.append((bits & ~left, cost))
        costs = (free, 0), *dearer
        number = self._numbers[construction].get(costs)
        if number is None:
            number = len(self.lookaheads)
            self.lookaheads.append(costs)
            self.construction.append(construction)
            self._numbers[construction][costs] = number  # last, so that an interrupt leaves nothing half known
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
        """At least what a phrase costs, by the lookahead number of its construction."""
        self._numbers: dict[int, bytes] = {}
        """The lookahead numbers of all constructions, by the operands that words which are left may be."""

    def numbers(self, kinds: Sequence[Sequence[int]]) -> bytes:
        """The lookahead number of each construction at each position, one position after the other, that of the end
        last: the bytes of an `array("i")`. `kinds` are those of the words that begin at each position."""
        left, sets = 0, [0]
        awaited, any_word = self._of_costs.all_awaited, self._of_costs.any_word
        for here in reversed(kinds):
            for kind in here:
                left |= self._operands_matched(kind) & awaited | any_word
            sets.append(left)
        sets.reverse()
        known = self._numbers
        return b"".join([known.get(each) or self._computed(each) for each in sets])

    def _computed(self, left: int) -> bytes:
        """The number of each construction. Bounds for phrases start at 0 and rise with those of their parts.

        No phrase comes where no word does.
        """
        of_costs, every = self._of_costs, range(len(self._automata))
        least = [0 if left else INFINITE] * len(every)
        numbers = [of_costs.number(i, left, least) for i in every]
        least_of = self._least_costs()
        risen = [i for i in every if least_of[numbers[i]]] if left else []
        for _ in range(MOST_ROUNDS - 1):
            for i in risen:
                least[i] = least_of[numbers[i]]
            concerned = sorted({j for i in risen for j in of_costs.awaiting[i]})
            before = [numbers[i] for i in concerned]
            for i in concerned:
                numbers[i] = of_costs.number(i, left, least)
            least_of = self._least_costs()
            risen = [i for i, was in zip(concerned, before, strict=True) if least_of[numbers[i]] != least_of[was]]
        found = self._numbers[left] = array("i", numbers).tobytes()
        return found

    def _least_costs(self) -> Sequence[int]:
        """At least what a phrase costs, by the lookahead number of its construction, for all numbers that there are."""
        construction = self._of_costs.construction
        for number in range(len(self._least), len(construction)):
            self._least.append(self._automata[construction[number]].cost_to_complete(0, number))
        return self._least
