"""The automata of a whole grammar behind numbers: what the kernels of the exact search run on.

Kinds (construction and features), constructions and states are numbers here: a kernel needs none of the records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median_low
from threading import Lock

from numbat.automata.construction_automaton import Automaton
from numbat.automata.daughter_classes import UNCOVERED, Alphabet
from numbat.automata.property_automaton import Witnesses
from numbat.automata.records import INFINITE, Kinds, Levels, Licensing, Memo
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.phrase_templates import PhraseTemplates
from numbat.grammar.model import UNIT, Grammar
from numbat.parsing.exact.lookahead import Costs, Prospects
from numbat.parsing.policies import Profile, Valuation, Value

Move = tuple[int, int, Value]
"""The next state, or the kind of the phrase, and the changes of level and value (of a phrase, with its node cost)."""

Opening = tuple[int, int, Move, Move | None]
"""A construction, how a daughter looks to it, its move when that comes first, and the phrase over that alone, unless it
would be of the same construction."""

MOST_STATES = 150_000
"""States and characterizations kept between sentences; when there are more, the machine starts afresh."""

MOST_PROSPECTS = 50_000
"""The same of what is left of sentences, from each word on."""


class CompiledGrammar:
    """The compiled constructions of a grammar for one profile and valuation, shared between sentences.

    What searches with it holds its `lock`: one sentence at a time fills its tables, whatever the threads.
    """

    def __init__(self, evaluator: Evaluator, profile: Profile, valuation: Valuation) -> None:
        self.evaluator = evaluator
        self.valuation = valuation
        self.grammar = evaluator.table.grammar
        self.constructions = tuple(evaluator.table.constructions.values())
        self.usual_cost = _usual_cost(self.grammar)
        self.lock = Lock()
        self._profile = profile
        self._of_construction = {construction.name: i for i, construction in enumerate(self.constructions)}
        self.refresh()

    def refresh_if_full(self) -> None:
        """Forget all states where more than `MOST_STATES` or `MOST_PROSPECTS` are kept."""
        if max(self.states, len(self.templates)) > MOST_STATES or len(self.prospects) > MOST_PROSPECTS:
            self.refresh()

    def refresh(self) -> None:
        """Forget all states."""
        views: list[Levels] = []
        self.kinds = Kinds()
        witnesses = Witnesses(self.evaluator, self._profile.all_hard)
        licensing = Licensing(not self._profile.has("H3"), self._profile.has("H4"))
        told = self.evaluator, licensing, witnesses, self.kinds, views
        self.automata = [Automaton(Alphabet(construction, *told)) for construction in self.constructions]
        self._may_have: dict[str, tuple[int, ...]] = {}
        self.templates = PhraseTemplates(self.evaluator)
        self.prospects = Prospects(self.evaluator, self.automata, self.kinds, views)
        self.openings: Mapping[tuple[int], tuple[Opening, ...]] = Memo(self._opening)
        """How each construction that can have a daughter of a kind begins with it."""
        self.steps: Mapping[tuple[int, int, int], Move | None] = Memo(self._step)
        """A construction in a state reads a daughter that looks so; None where that is not possible."""
        self.accepted: Mapping[tuple[int, int], Move | None] = Memo(self._accept)
        """A construction ends in a state; None where it cannot."""
        self.ahead: Mapping[tuple[int, int, int], int] = Memo(
            self._awaited if self.valuation.lexicographic else self._lost
        )
        """At least how much more an unfinished constituent costs, by construction, state and view.

        Where costs do not lead the search, 0, or `INFINITE` for what can never be completed.
        """
        self.tables: object | None = None
        """What the compiled kernel keeps between sentences, and how many states there are in it."""
        self.tabled = 0

    @property
    def states(self) -> int:
        """The number of automaton states built so far."""
        return self.tabled + sum(map(len, self.automata))

    def construction_of(self, kind: int) -> int:
        """The number of the construction of a kind, -1 for a leaf."""
        return self._of_construction.get(self.kinds[kind][0], -1)

    def is_root(self, kind: int) -> bool:
        return self.grammar.is_root(*self.kinds[kind])

    def looks(self, kind: int) -> tuple[tuple[int, int], ...]:
        """The constructions that can have a daughter of a kind, and how it looks to each."""
        category, _ = self.kinds[kind]
        if category not in self._may_have:
            automata = enumerate(self.automata)
            self._may_have[category] = tuple([i for i, each in automata if each.alphabet.may_cover(category)])
        looks = [(number, self.automata[number].alphabet.look(kind)) for number in self._may_have[category]]
        return tuple([(number, look) for number, look in looks if look != UNCOVERED])

    def _opening(self, kind: int) -> tuple[Opening, ...]:
        openings = []
        for number, look in self.looks(kind):
            move = self.steps[number, 0, look]
            if move is not None:
                state, level, value = move
                phrase = None if number == self.construction_of(kind) else self.accepted[number, state]
                if phrase is not None:
                    made, more_level, more_value = phrase
                    phrase = made, level + more_level, value + more_value
                openings.append((number, look, move, phrase))
        return tuple(openings)

    def _step(self, construction: int, state: int, look: int) -> Move | None:
        step = self.automata[construction].step(state, look)
        return None if step is None else self._move(*step)

    def _move(self, to: int, cost: int, gain: int) -> Move:
        return to, cost if self.valuation.lexicographic else 0, self.valuation.value(cost, gain)

    def views(self, tokens: int, words: Sequence[tuple[int, int, int, int]]) -> bytes:
        """What each construction has to look forward to at each position (`Prospects.of`), 0 to `tokens`."""
        starting: list[Costs] = [()] * tokens
        for start, _, kind, cost in words:
            starting[start] += ((kind, cost),)
        return self.prospects.of(starting)

    def _awaited(self, construction: int, state: int, view: int) -> int:
        return self.automata[construction].ahead(state, view)

    def _lost(self, construction: int, state: int, view: int) -> int:
        return INFINITE if self.automata[construction].is_lost(state, view) else 0

    def _accept(self, construction: int, state: int) -> Move | None:
        accepted = self.automata[construction].accept(state)
        if accepted is None:
            return None
        kind, cost, weight = accepted
        return self._move(kind, cost, weight - self.grammar.node_cost)


def _usual_cost(grammar: Grammar) -> int:
    """What a violation costs in the middle: the median of the soft properties' costs."""
    costs = [prop.cost for prop in grammar.properties if prop.cost > 0 and not prop.hard]
    return median_low(costs) if costs else UNIT
