"""The automata of a whole grammar behind numbers: what the kernels of the exact search run on.

Kinds (construction and features), constructions and states are numbers here: a kernel needs none of the records.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from statistics import median_low
from threading import Lock

from numbat.grammar.model import UNIT, Grammar
from numbat.parsing.alphabet import UNCOVERED, Alphabet
from numbat.parsing.automata import Automaton
from numbat.parsing.evaluation import Evaluator
from numbat.parsing.molds import Molds
from numbat.parsing.policies import Profile, Valuation
from numbat.parsing.prospects import Costs, Prospects
from numbat.parsing.states import INFINITE, Kinds, Levels
from numbat.parsing.witnesses import Witnesses

Move = tuple[int, int, int]
"""The next state, or the kind of the phrase, and the changes of cost and gain (of a phrase, its node cost included)."""

Opening = tuple[int, int, int, int, int]
"""A construction, how a daughter looks to it, and its move when that comes first."""

MOST_STATES = 150_000
"""States and characterizations kept between sentences; when there are more, the machine starts afresh."""

MOST_PROSPECTS = 50_000
"""The same of what is left of sentences, from each word on."""


class Machine:
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
        if max(self.states, len(self.molds)) > MOST_STATES or len(self.prospects) > MOST_PROSPECTS:
            self.refresh()

    def refresh(self) -> None:
        """Forget all states."""
        views: list[Levels] = []
        self.kinds = Kinds()
        witnesses = Witnesses(self.evaluator, self._profile)
        told = self.evaluator, self._profile, witnesses, self.kinds, views
        self.automata = [Automaton(Alphabet(construction, *told)) for construction in self.constructions]
        self._openings: dict[int, tuple[Opening, ...]] = {}
        self._may_have: dict[str, tuple[int, ...]] = {}
        self._losses: dict[tuple[int, int, int], int] = {}
        self.molds = Molds(self.evaluator)
        self.prospects = Prospects(self.evaluator, self.automata, self.kinds, views)
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

    def openings(self, kind: int) -> tuple[Opening, ...]:
        """How each construction that can have a daughter of a kind begins with it."""
        if kind not in self._openings:
            moves = [(number, look, self.step(number, 0, look)) for number, look in self.looks(kind)]
            self._openings[kind] = tuple([(number, look, *move) for number, look, move in moves if move is not None])
        return self._openings[kind]

    def step(self, construction: int, state: int, look: int) -> Move | None:
        """Read a daughter that looks so; None where that is not possible."""
        return self.automata[construction].step(state, look)

    def views(self, tokens: int, words: Sequence[tuple[int, int, int, int]]) -> array[int]:
        """What each construction has to look forward to at each position (`Prospects.of`), 0 to `tokens`."""
        starting: list[Costs] = [()] * tokens
        for start, _, kind, cost in words:
            starting[start] += ((kind, cost),)
        return self.prospects.of(starting)

    @property
    def ahead(self) -> Callable[[int, int, int], int]:
        """What tells at least how much more an unfinished constituent costs, by construction, state and view.

        Where costs do not lead the search, 0, or `INFINITE` for what can never be completed.
        """
        return self.prospects.ahead if self.valuation.lexicographic else self._lost

    def _lost(self, construction: int, state: int, view: int) -> int:
        key = construction, state, view
        known = self._losses.get(key)
        if known is None:
            known = self._losses[key] = INFINITE if self.automata[construction].is_lost(state, view) else 0
        return known

    def accept(self, construction: int, state: int) -> Move | None:
        """End a phrase: its kind, the change of cost and gain; None where the phrase cannot be built."""
        accepted = self.automata[construction].accept(state)
        if accepted is None:
            return None
        kind, cost, weight = accepted
        return kind, cost, weight - self.grammar.node_cost


def _usual_cost(grammar: Grammar) -> int:
    """What a violation costs in the middle: the median of the soft properties' costs."""
    costs = [prop.cost for prop in grammar.properties if prop.cost > 0 and not prop.hard]
    return median_low(costs) if costs else UNIT
