"""Admissible lower bounds on what the daughters still to come cost an unfinished constituent, by position.

From each position on only some words are left. So an operand that a construction awaits (a verb, a noun) either costs
something or cannot come at all, and an unfinished constituent that needs it costs at least as much more. The bounds
never overestimate, and rise no more along a step than the step costs, so that a search in their order stays exact.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from numbat.automata.weighted_automaton import INFINITE, OperandCosts, WeightedAutomaton
from numbat.parsing.exact.compiled_grammar import CompiledGrammar

MOST_ROUNDS = 4
"""How often the least costs of phrases are improved by those of their parts; each round alone is a valid bound."""

WordCosts = tuple[tuple[int, int], ...]
"""The kinds of the words that begin at a position, by their numbers, with their costs."""

Words = frozenset[tuple[int, int]]
"""Kinds of words with the least cost of each."""


@dataclass(frozen=True, slots=True, eq=False)
class Suffix:
    """The end of a sentence from a position on.

    `words` are those that are left; `operand_costs` the least cost of such a word for each operand, by its place, that
    has one; `numbers` the lookahead number of each construction. `before` are the suffixes that begin one position
    earlier, by the words that begin there with their costs.
    """

    words: Words
    operand_costs: Mapping[int, int]
    numbers: array[int]
    before: dict[WordCosts, Suffix] = field(default_factory=dict)


class Lookahead:
    """The lookahead numbers of the suffixes of sentences, shared between sentences.

    A lookahead number stands for the costs of the operands that a construction awaits; these are put into `lookaheads`.
    """

    def __init__(
        self, compiled: CompiledGrammar, automata: Sequence[WeightedAutomaton], lookaheads: list[OperandCosts]
    ) -> None:
        self._compiled = compiled
        self._automata = automata
        self._names = tuple([construction.name for construction in compiled.constructions])
        self._category = [operand.category for operand in compiled.evaluator.operands]
        places = range(len(self._category))
        self._awaited = [tuple(p for p in places if automaton.classes.awaited >> p & 1) for automaton in automata]
        self._costs_of = list(map(_picker, self._awaited))
        self._categories = [{self._category[place] for place in awaited} for awaited in self._awaited]
        self._places_of = {name: [p for p in places if self._category[p] == name] for name in self._names}
        self._phrase_places = [place for found in self._places_of.values() for place in found]
        self._numbers: list[dict[tuple[int, ...], int]] = [{} for _ in automata]
        self._lookaheads = lookaheads
        self._least: dict[int, int] = {}
        """At least what a phrase costs, by the lookahead number of its construction."""
        self._numbers_by_costs: dict[tuple[tuple[int, int], ...], array[int]] = {}
        """The lookahead numbers of all constructions, by the least costs of words."""
        self._known: dict[Words, Suffix] = {}
        self._steps = 0
        nothing = [INFINITE] * len(self._category)  # there is no phrase without words
        at_end = array("i", [self._number(i, nothing) for i in range(len(self._names))])
        self._numbers_by_costs[()] = at_end
        self._empty = Suffix(frozenset(), {}, at_end)

    def __len__(self) -> int:
        """The number of steps kept, each from a suffix to the one that begins a position before it."""
        return self._steps

    def numbers(self, words: Sequence[WordCosts]) -> bytes:
        """The lookahead number of each construction at each position, one position after the other, that of the end
        last: the bytes of an `array("i")`."""
        suffix, found = self._empty, [self._empty.numbers]
        for here in reversed(words):
            suffix = suffix.before.get(here) or self._before(here, suffix)
            found.append(suffix.numbers)
        found.reverse()
        return b"".join(found)

    def _before(self, here: WordCosts, after: Suffix) -> Suffix:
        least, operand_costs = dict(after.words), dict(after.operand_costs)
        for kind, cost in here:
            least[kind] = min(cost, least.get(kind, cost))
            for place in self._compiled.operand_places(kind):
                operand_costs[place] = min(cost, operand_costs.get(place, cost))
        words, key = frozenset(least.items()), tuple(sorted(operand_costs.items()))
        if key not in self._numbers_by_costs:
            self._numbers_by_costs[key] = self._all_numbers(operand_costs)
        made = Suffix(words, operand_costs, self._numbers_by_costs[key])
        found = after.before[here] = self._known.setdefault(words, made)
        self._steps += 1
        return found

    def _all_numbers(self, of_words: Mapping[int, int]) -> array[int]:
        """The number of each construction. Bounds for phrases start at 0 and rise with those of their parts."""
        costs = [INFINITE] * len(self._category)
        for place, cost in of_words.items():
            costs[place] = cost
        for place in self._phrase_places:
            costs[place] = 0
        phrases = dict.fromkeys(self._names, 0)
        numbers = [0] * len(self._names)
        concerned: Iterable[int] = range(len(self._names))
        for _ in range(MOST_ROUNDS):
            for i in concerned:
                numbers[i] = self._number(i, costs)
            least = {self._names[i]: self._least[numbers[i]] for i in concerned}
            risen = {name: bound for name, bound in least.items() if bound != phrases[name]}
            if not risen:
                break
            phrases |= risen
            for name, bound in risen.items():
                for place in self._places_of[name]:
                    costs[place] = min(of_words.get(place, INFINITE), bound)
            concerned = [i for i, categories in enumerate(self._categories) if not categories.isdisjoint(risen)]
        return array("i", numbers)

    def _number(self, construction: int, costs: Sequence[int]) -> int:
        """The number of what each operand that a construction awaits costs: as a word or as a phrase."""
        awaited = self._costs_of[construction](costs)
        number = self._numbers[construction].get(awaited)
        if number is None:
            number = len(self._lookaheads)
            self._lookaheads.append(tuple(zip(self._awaited[construction], awaited, strict=True)))
            self._least[number] = self._automata[construction].cost_to_complete(0, number)
            self._numbers[construction][awaited] = number  # last, so that an interrupt leaves nothing half known
        return number


def _picker(places: Sequence[int]) -> Callable[[Sequence[int]], tuple[int, ...]]:
    """What takes the entries at these places out of a list."""
    return itemgetter(*places) if len(places) > 1 else lambda costs: tuple([costs[place] for place in places])
