"""What the rest of a sentence can still give to an unfinished constituent, position by position.

From each position on only some words are left. So an operand that a construction awaits (a verb, a noun) either costs
something or cannot come at all, and an unfinished constituent that needs it costs at least as much more. The bounds
never overestimate, and rise no more along a step than the step costs, so that a search in their order stays exact.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from numbat.automata.construction_automaton import Automaton
from numbat.automata.records import INFINITE, Kinds, Levels
from numbat.evaluation.evaluator import Evaluator

MOST_ROUNDS = 4
"""How often the least costs of phrases are improved by those of their parts; each round alone is a valid bound."""

Costs = tuple[tuple[int, int], ...]
"""The kinds of the words that begin at a position, by their numbers, with their costs."""

Words = frozenset[tuple[int, int]]
"""Kinds of words with the least cost of each."""


@dataclass(frozen=True, slots=True, eq=False)
class Prospect:
    """What is left from a position on: the words, the least cost of a word for each operand, by its place, that
    has one, and for each construction the number of its view of that, its levels.

    `before` are the prospects from the position before, by the words that begin there with their costs.
    """

    words: Words
    of_words: Mapping[int, int]
    views: array[int]
    before: dict[Costs, Prospect] = field(default_factory=dict)


class Prospects:
    """The prospects of sentences, shared between them.

    `kinds` are those that words are numbered by; `views` is where the levels of each view are put.
    """

    def __init__(self, evaluator: Evaluator, automata: Sequence[Automaton], kinds: Kinds, views: list[Levels]) -> None:
        self._evaluator = evaluator
        self._automata = automata
        self._kinds = kinds
        self._names = tuple(evaluator.table.constructions)
        self._category = [operand.category for operand in evaluator.operands]
        places = range(len(self._category))
        self._awaited = [tuple(p for p in places if automaton.alphabet.awaited >> p & 1) for automaton in automata]
        self._costs_of = list(map(_picker, self._awaited))
        self._categories = [{self._category[place] for place in awaited} for awaited in self._awaited]
        self._places_of = {name: [p for p in places if self._category[p] == name] for name in self._names}
        self._phrase_places = [place for found in self._places_of.values() for place in found]
        self._operands_of: dict[int, tuple[int, ...]] = {}
        self._numbers: list[dict[tuple[int, ...], int]] = [{} for _ in automata]
        self._levels = views
        self._least: dict[int, int] = {}
        """At least what a phrase costs, by the view that its construction has of what can come."""
        self._viewed: dict[tuple[tuple[int, int], ...], array[int]] = {}
        """The views of constructions, by the least costs of words."""
        self._known: dict[Words, Prospect] = {}
        self._steps = 0
        nothing = [INFINITE] * len(self._category)  # there is no phrase without words
        self._viewed[()] = array("i", [self._view(i, nothing) for i in range(len(self._names))])
        self._empty = Prospect(frozenset(), {}, self._viewed[()])

    def __len__(self) -> int:
        """The number of steps kept, each from a prospect to the one before it."""
        return self._steps

    def of(self, words: Sequence[Costs]) -> bytes:
        """The view of each construction at each position, one position after the other, that of the end last: the
        bytes of an `array("i")`."""
        after, views = self._empty, [self._empty.views]
        for here in reversed(words):
            after = after.before.get(here) or self._before(here, after)
            views.append(after.views)
        views.reverse()
        return b"".join(views)

    def _before(self, here: Costs, after: Prospect) -> Prospect:
        least, of_words = dict(after.words), dict(after.of_words)
        for kind, cost in here:
            least[kind] = min(cost, least.get(kind, cost))
            for place in self._operands(kind):
                of_words[place] = min(cost, of_words.get(place, cost))
        words, key = frozenset(least.items()), tuple(sorted(of_words.items()))
        if key not in self._viewed:
            self._viewed[key] = self._views(of_words)
        found = after.before[here] = self._known.setdefault(words, Prospect(words, of_words, self._viewed[key]))
        self._steps += 1
        return found

    def _operands(self, kind: int) -> tuple[int, ...]:
        """The places of the operands that a kind of word is."""
        if kind not in self._operands_of:
            matched = self._evaluator.operands_matched(*self._kinds[kind])
            self._operands_of[kind] = tuple(place for place in range(len(self._category)) if matched >> place & 1)
        return self._operands_of[kind]

    def _views(self, of_words: Mapping[int, int]) -> array[int]:
        """The view of each construction. Bounds for phrases start at 0 and rise with those of their parts."""
        costs = [INFINITE] * len(self._category)
        for place, cost in of_words.items():
            costs[place] = cost
        for place in self._phrase_places:
            costs[place] = 0
        phrases = dict.fromkeys(self._names, 0)
        views = [0] * len(self._names)
        concerned: Iterable[int] = range(len(self._names))
        for _ in range(MOST_ROUNDS):
            for i in concerned:
                views[i] = self._view(i, costs)
            least = {self._names[i]: self._least[views[i]] for i in concerned}
            risen = {name: bound for name, bound in least.items() if bound != phrases[name]}
            if not risen:
                break
            phrases |= risen
            for name, bound in risen.items():
                for place in self._places_of[name]:
                    costs[place] = min(of_words.get(place, INFINITE), bound)
            concerned = [i for i, categories in enumerate(self._categories) if not categories.isdisjoint(risen)]
        return array("i", views)

    def _view(self, construction: int, costs: Sequence[int]) -> int:
        """The number of what each operand that a construction awaits costs: as a word or as a phrase."""
        awaited = self._costs_of[construction](costs)
        number = self._numbers[construction].get(awaited)
        if number is None:
            number = len(self._levels)
            self._levels.append(tuple(zip(self._awaited[construction], awaited, strict=True)))
            self._least[number] = self._automata[construction].ahead(0, number)
            self._numbers[construction][awaited] = number  # last, so that an interrupt leaves nothing half known
        return number


def _picker(places: Sequence[int]) -> Callable[[Sequence[int]], tuple[int, ...]]:
    """What takes the entries at these places out of a list."""
    return itemgetter(*places) if len(places) > 1 else lambda costs: tuple([costs[place] for place in places])
