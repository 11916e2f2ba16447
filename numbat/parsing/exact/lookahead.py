"""Admissible lower bounds on what the daughters still to come cost an unfinished constituent, by position.

From each position on only some words are left. So an operand that a construction awaits (a verb, a noun) either costs
something or cannot come at all, and an unfinished constituent that needs it costs at least as much more. The bounds
never overestimate, and rise no more along a step than the step costs, so that a search in their order stays exact.

What the words that are left cost does not depend on weights, and is kept in `Suffixes`, which all vectors of weights
share; what phrases of them cost at least does, and is kept in a `Lookahead` for one vector.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from numbat.automata.daughter_classes import DaughterClasses
from numbat.automata.records import INFINITE, OperandCosts
from numbat.automata.weighted_automaton import WeightedAutomaton
from numbat.grammar.properties import Operand

MOST_ROUNDS = 4
"""How often the least costs of phrases are improved by those of their parts; each round alone is a valid bound."""

UNKNOWN = -1
"""A least cost that was not computed yet."""

WordCosts = tuple[tuple[int, int], ...]
"""The kinds of the words that begin at a position, by their numbers, with their costs."""

Words = frozenset[tuple[int, int]]
"""Kinds of words with the least cost of each."""


@dataclass(frozen=True, slots=True, eq=False)
class Suffix:
    """The end of a sentence from a position on.

    `words` are those that are left; `costs` is the number of the least costs of such words for each operand. `before`
    are the suffixes that begin one position earlier, by the words that begin there with their costs.
    """

    words: Words
    costs: int
    before: dict[WordCosts, Suffix] = field(default_factory=dict)


class Suffixes:
    """The suffixes of all sentences, without weights.

    A *lookahead number* stands for the costs of the operands that a construction awaits; these are put into
    `lookaheads`. `operand_places` says which operands a kind of constituent is.
    """

    def __init__(
        self,
        names: Sequence[str],
        classes: Sequence[DaughterClasses],
        operands: Iterable[Operand],
        operand_places: Callable[[int], Sequence[int]],
        lookaheads: list[OperandCosts],
    ) -> None:
        self._operand_places = operand_places
        self.lookaheads = lookaheads
        self._category = [operand.category for operand in operands]
        places = range(len(self._category))
        self._awaited = [tuple(p for p in places if each.awaited_operands >> p & 1) for each in classes]
        self._costs_of = list(map(_picker, self._awaited))
        self.places_of = [[p for p in places if self._category[p] == name] for name in names]
        """The places of the operands that each construction may be."""
        awaiting: dict[str, list[int]] = {name: [] for name in names}
        for i, awaited in enumerate(self._awaited):
            for name in {self._category[place] for place in awaited} & awaiting.keys():
                awaiting[name].append(i)
        self.awaiting = [awaiting[name] for name in names]
        """The constructions that await an operand which each construction may be."""
        self._phrase_places = [place for found in self.places_of for place in found]
        self._numbers: list[dict[tuple[int, ...], int]] = [{} for _ in classes]
        self._costs_known: dict[tuple[tuple[int, int], ...], int] = {}
        self.of_words: list[Mapping[int, int]] = []
        """The least cost of a word for each operand, by its place, that has one: by the number of these costs."""
        self.initial: list[tuple[list[int], array[int]]] = []
        """The costs of all operands where phrases cost nothing, and the lookahead number of each construction then."""
        self._known: dict[Words, Suffix] = {}
        self._steps = 0
        self._empty = Suffix(frozenset(), self._costs_number({}, INFINITE))

    def __len__(self) -> int:
        """The number of steps kept, each from a suffix to the one that begins a position before it."""
        return self._steps

    def of(self, words: Sequence[WordCosts]) -> list[int]:
        """The number of the operand costs from each position on, that of the end last."""
        suffix = self._empty
        found = [suffix.costs]
        for here in reversed(words):
            suffix = suffix.before.get(here) or self._before(here, suffix)
            found.append(suffix.costs)
        found.reverse()
        return found

    def number(self, construction: int, costs: Sequence[int]) -> int:
        """The lookahead number of what each operand that a construction awaits costs: as a word or as a phrase."""
        awaited = self._costs_of[construction](costs)
        number = self._numbers[construction].get(awaited)
        if number is None:
            number = len(self.lookaheads)
            self.lookaheads.append(tuple(zip(self._awaited[construction], awaited, strict=True)))
            self._numbers[construction][awaited] = number  # last, so that an interrupt leaves nothing half known
        return number

    def _before(self, here: WordCosts, after: Suffix) -> Suffix:
        least, of_words = dict(after.words), dict(self.of_words[after.costs])
        for kind, cost in here:
            least[kind] = min(cost, least.get(kind, cost))
            for place in self._operand_places(kind):
                of_words[place] = min(cost, of_words.get(place, cost))
        words = frozenset(least.items())
        found = self._known.get(words) or Suffix(words, self._costs_number(of_words, 0))
        after.before[here] = self._known[words] = found
        self._steps += 1
        return found

    def _costs_number(self, of_words: Mapping[int, int], of_phrases: int) -> int:
        """The number of these costs of words, where phrases may cost so little."""
        key = tuple(sorted(of_words.items()))
        known = self._costs_known.get(key)
        if known is None:
            costs = [INFINITE] * len(self._category)
            for place, cost in of_words.items():
                costs[place] = cost
            for place in self._phrase_places:
                costs[place] = of_phrases
            numbers = array("i", [self.number(i, costs) for i in range(len(self._awaited))])
            known = len(self.of_words)
            self.initial[known:] = [(costs, numbers)]  # an interrupt may have left one that has no number
            self.of_words[known:] = [of_words]
            self._costs_known[key] = known  # last, so that an interrupt leaves nothing half known
        return known


class Lookahead:
    """The lookahead numbers of suffixes under one vector of weights."""

    def __init__(self, suffixes: Suffixes, automata: Sequence[WeightedAutomaton]) -> None:
        self._suffixes = suffixes
        self._automata = automata
        self._least: list[int] = []
        """At least what a phrase costs, by the lookahead number of its construction; `UNKNOWN` until it is asked."""
        self._numbers: dict[int, bytes] = {}
        """The lookahead numbers of all constructions, by the number of the operand costs of words."""

    def numbers(self, words: Sequence[WordCosts]) -> bytes:
        """The lookahead number of each construction at each position, one position after the other, that of the end
        last: the bytes of an `array("i")`."""
        known = self._numbers
        return b"".join([known.get(costs) or self._computed(costs) for costs in self._suffixes.of(words)])

    def _computed(self, number: int) -> bytes:
        """The number of each construction. Bounds for phrases start at 0 and rise with those of their parts."""
        suffixes = self._suffixes
        of_words, (initial, first) = suffixes.of_words[number], suffixes.initial[number]
        numbers, least = first[:], self._least_costs(first)
        risen = [i for i, own in enumerate(numbers) if least[own]] if of_words else []
        costs = initial.copy() if risen else initial
        for _ in range(MOST_ROUNDS - 1):
            for i in risen:
                bound = least[numbers[i]]
                for place in suffixes.places_of[i]:
                    costs[place] = min(bound, of_words.get(place, bound))
            concerned, risen = {j for i in risen for j in suffixes.awaiting[i]}, []
            for i in sorted(concerned):
                before, after = numbers[i], suffixes.number(i, costs)
                if after != before:
                    numbers[i] = after
                    if self._least_cost(i, after) != least[before]:
                        risen.append(i)
        found = self._numbers[number] = numbers.tobytes()
        return found

    def _least_costs(self, numbers: Sequence[int]) -> list[int]:
        """At least what phrases cost, by lookahead number, known for the numbers of all constructions."""
        least = self._least
        if len(least) < len(self._suffixes.lookaheads):
            least += [UNKNOWN] * (len(self._suffixes.lookaheads) - len(least))
        for number in [number for number in numbers if least[number] < 0]:
            self._least_cost(numbers.index(number), number)
        return least

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
