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

from numbat.automata.construction_automaton import WeightedAutomaton
from numbat.automata.daughter_classes import DaughterClasses
from numbat.automata.records import INFINITE, AwaitedCosts
from numbat.evaluation.constituents import union
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
        categories = [operand.category for operand in operands]
        number = {name: i for i, name in enumerate(names)}
        of_category = dict.fromkeys(names, 0)
        for place, category in enumerate(categories):
            if category in of_category:
                of_category[category] |= 1 << place
        self.bits = [each.awaited_operands for each in classes]
        """The operands that each construction awaits, as bit sets of their places."""
        self.phrases = [
            [(number[name], bits & awaited) for name, bits in of_category.items() if bits & awaited]
            for awaited in self.bits
        ]
        """The phrases that each construction awaits: their constructions, and the operands that they may be."""
        self._phrase_numbers = [[j for j, _ in phrases] for phrases in self.phrases]
        self.all_awaited = union(self.bits)
        """The operands, as a bit set of their places, that any construction awaits."""
        self.any_word = 1 << len(categories)
        """Behind the bits of operands: that there is a word at all."""
        self.obliged = [each.obliged_operands for each in classes]
        """The operands that each construction cannot do without."""
        self._numbers: list[dict[AwaitedCosts, int]] = [{} for _ in names]
        self._known: list[dict[tuple[int, ...], int]] = [{} for _ in names]

    def number(self, construction: int, left: int, least: Sequence[int]) -> int:
        """The lookahead number of what each operand that a construction awaits costs.

        It costs nothing where it is among those that are `left`, a bit set, and else what a phrase costs at `least`.
        """
        key = left & self.bits[construction], *[least[phrase] for phrase in self._phrase_numbers[construction]]
        known = self._known[construction].get(key)
        if known is None:
            known = self._known[construction][key] = self._number_of(construction, left, least)
        return known

    def _number_of(self, construction: int, left: int, least: Sequence[int]) -> int:
        free, dearer = left & self.bits[construction], []
        for phrase, bits in self.phrases[construction]:
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
            self._numbers[construction][costs] = number  # last, so that an interrupt leaves nothing half known
        return number


class Lookahead:
    """The lookahead numbers of the ends of sentences under one vector of weights.

    `operands_matched` says which operands a kind of constituent is, as a bit set of their places.
    """

    def __init__(
        self,
        of_costs: LookaheadNumbers,
        operands_matched: Callable[[int], int],
        automata: Sequence[WeightedAutomaton],
    ) -> None:
        self._of_costs = of_costs
        self._operands_matched = operands_matched
        self._automata = automata
        obliged = of_costs.obliged
        self._obliged = [
            (bits, [j for j, of in phrases if of & bits])
            for bits, phrases in zip(obliged, of_costs.phrases, strict=True)
        ]
        """What decides the least cost of a phrase of each construction: operands, and the constructions of phrases that
        may be these."""
        self._concerned = [[i for i, (_, of) in enumerate(self._obliged) if j in of] for j in range(len(automata))]
        """Those of which the least cost may rise with that of a construction."""
        self._deciding = union(obliged) | of_costs.any_word
        self._costs: dict[tuple[int, ...], int] = {}
        self._least: dict[int, tuple[int, ...]] = {}
        """The least costs of phrases of all constructions, by the operands left that decide them."""
        self._under: dict[tuple[int, ...], list[dict[int, int]]] = {}
        """By such costs, the numbers of each construction, by the operands left that it awaits."""
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
        """The number of each construction."""
        deciding, bits = left & self._deciding, self._of_costs.bits
        least = self._least.get(deciding)
        if least is None:
            least = self._least[deciding] = self._least_costs(deciding)
        under = self._under.get(least)
        if under is None:
            under = self._under[least] = [{} for _ in bits]
        numbers = [known.get(left & own, -1) for known, own in zip(under, bits, strict=True)]
        for i in [i for i, number in enumerate(numbers) if number < 0]:
            numbers[i] = under[i][left & bits[i]] = self._of_costs.number(i, left, least)
        found = self._numbers[left] = array("i", numbers).tobytes()
        return found

    def _least_costs(self, left: int) -> tuple[int, ...]:
        """At least what a phrase of each construction costs: 0 at first, then by what its parts cost.

        No phrase comes where no word does.
        """
        every = range(len(self._automata))
        least = [0 if left else INFINITE for _ in every]
        concerned: Iterable[int] = every if left else ()
        for _ in range(MOST_ROUNDS - 1):
            costs = [(i, self._least_cost(i, left, least)) for i in concerned]
            risen = [(i, cost) for i, cost in costs if cost != least[i]]
            for i, cost in risen:
                least[i] = cost
            concerned = sorted({j for i, _ in risen for j in self._concerned[i]})
        return tuple(least)

    def _least_cost(self, i: int, left: int, least: Sequence[int]) -> int:
        bits, phrases = self._obliged[i]
        key = i, left & bits, *[least[phrase] for phrase in phrases]
        known = self._costs.get(key)
        if known is None:
            number = self._of_costs.number(i, left, least)
            known = self._costs[key] = self._automata[i].cost_to_complete(0, number)
        return known
