"""Markov grammars: counted expansions as automata that read the daughters of a phrase, each step at its cost.

A state is a phrase and what is remembered of its daughters so far, the longest end of the history that was seen in such
a phrase (Collins 1997; Klein & Manning 2003); it says what each possible next daughter costs, which state follows, and
what stopping costs. Costs are -log P of the smoothed distributions (`smoothing`) in fixed-point units.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from numbat.grammar.properties import UNIT
from numbat.parsing.treebank_grammar.expansions import Expansions, Symbol
from numbat.parsing.treebank_grammar.search_tables import IMPOSSIBLE, Lists, SearchTables
from numbat.parsing.treebank_grammar.smoothing import (
    START,
    STOP,
    Context,
    History,
    Observation,
    SmoothedDistributions,
    Smoothing,
    cost_of,
)

UNKNOWN: Final = Symbol("<unknown>")
"""The symbol of words whose category no expansion has."""


class MarkovGrammar:
    """An estimated grammar of counted expansions.

    `symbols` are its refined phrases and words, in the order of their numbers; `labels` those of phrases, numbered
    alike in all grammars of one search; `columns` the possible daughters of each label; `states` the numbers of states.
    """

    def __init__(self, expansions: Expansions, contexts: Sequence[Context], smoothing: Smoothing | None = None) -> None:
        self.smoothing = smoothing or Smoothing()
        self._made_of = expansions, contexts, self.smoothing
        self.labels = expansions.labels
        self.phrases = sorted(expansions.phrases)
        self.symbols = (*self.phrases, *expansions.leaves, UNKNOWN)
        self.number = {symbol: i for i, symbol in enumerate(self.symbols)}
        self.columns = _columns(expansions)
        observed = list(_observations(expansions, self.smoothing))
        self.probabilities = SmoothedDistributions(self.columns, observed, contexts, self.smoothing)
        self.states = _states(self.phrases, observed)
        self._by_number = tuple(self.states)
        self._forgetting: dict[Symbol, array[int]] = {}
        """By phrase: the states after each daughter where nothing before it is remembered."""
        self._continued: dict[tuple[Symbol, History], dict[Symbol, int]] = defaultdict(dict)
        """By phrase and history: the states that remember it and one daughter more."""
        for (phrase, history), state in self.states.items():
            if len(history) > 1:
                self._continued[phrase, history[:-1]][history[-1]] = state
        self._columns_of_plain: dict[str, dict[Symbol, list[int]]] = {}
        for label, columns in self.columns.items():
            places = self._columns_of_plain[label] = defaultdict(list)
            for at, each in enumerate(columns):
                places[each.plain].append(at)
        self.tables = self._tables(expansions)

    def __reduce__(self) -> tuple[type[MarkovGrammar], tuple[object, ...]]:
        # It is pickled as what it was made of: the tables are made anew.
        return type(self), self._made_of

    def row(self, state: int) -> tuple[array[int], array[int]]:
        """The cost of each next daughter in a state, by its column, and the state after it."""
        phrase, history = self._by_number[state]
        return array("i", self.probabilities.costs(phrase, history)), self._next_states(phrase, history)

    def next_state(self, phrase: Symbol, history: History, daughter: Symbol) -> int:
        """The state after one more daughter: of the longest end of the history that was seen in such a phrase."""
        longer = self.smoothing.longer(history, daughter)
        for known in (longer, longer[-1:]):
            found = self.states.get((phrase, known))
            if found is not None:
                return found
        return self.states[phrase, ()]

    def _next_states(self, phrase: Symbol, history: History) -> array[int]:
        """`next_state` of all daughters, by their columns."""
        memory, nexts = self.smoothing.memory, self._forgetting.get(phrase)
        if nexts is None:
            found = (self.next_state(phrase, (), each) for each in self.columns[phrase.label])
            nexts = self._forgetting[phrase] = array("i", found)
        continued = self._continued.get((phrase, history[1 - memory :])) if memory > 1 else None
        if continued is None:
            return nexts
        nexts = nexts[:]
        for daughter, state in continued.items():
            for at in self._columns_of_plain[phrase.label][daughter]:
                nexts[at] = state
        return nexts

    def _tables(self, expansions: Expansions) -> SearchTables:
        label = {name: i for i, name in enumerate(self.labels)}
        uses: dict[Symbol, list[tuple[int, int]]] = defaultdict(list)
        for name, columns in self.columns.items():
            for i, each in enumerate(columns):
                uses[each].append((label[name], i))
        accept = array("i", [self._accept_cost(*state) for state in self._by_number])
        starts, unaries = self._starts(accept)
        roots = dict(expansions.roots)
        total = sum(roots.values())
        return SearchTables(
            array("i", [label[phrase.label] for phrase, _ in self._by_number]),
            array("i", [self.number[phrase] for phrase, _ in self._by_number]),
            accept,
            Lists.of(uses[symbol] for symbol in self.symbols),
            Lists.of(starts[symbol] for symbol in self.symbols),
            Lists.of(unaries[symbol] for symbol in self.symbols),
            array("i", [label[symbol.label] if symbol.is_phrase else -1 for symbol in self.symbols]),
            array("i", [cost_of(roots[symbol] / total) if symbol in roots else IMPOSSIBLE for symbol in self.symbols]),
        )

    def _accept_cost(self, phrase: Symbol, history: History) -> int:
        return IMPOSSIBLE if history == (START,) else cost_of(self.probabilities.stop_probability(phrase, history))

    def _starts(self, accept: array[int]) -> tuple[dict[Symbol, list[tuple[int, int]]], ...]:
        """By symbol what it begins, and of what it may be the only daughter (not of its own label: ruling 4)."""
        starts: dict[Symbol, list[tuple[int, int]]] = defaultdict(list)
        unaries: dict[Symbol, list[tuple[int, int]]] = defaultdict(list)
        for phrase in self.phrases:
            likely = zip(self.columns[phrase.label], self.probabilities.distribution(phrase, (START,)), strict=False)
            for daughter, probability in likely:
                cost = cost_of(probability)
                if cost > self.smoothing.costliest_start * UNIT:
                    continue
                state = self.next_state(phrase, (START,), daughter)
                starts[daughter].append((state, cost))
                if accept[state] != IMPOSSIBLE and not (daughter.is_phrase and daughter.label == phrase.label):
                    unaries[daughter].append((self.number[phrase], cost + accept[state]))
        return starts, unaries


def _columns(expansions: Expansions) -> dict[str, tuple[Symbol, ...]]:
    """The possible daughters of each label, sorted: those seen under it, and all words."""
    daughters: dict[str, set[Symbol]] = {label: set(expansions.leaves) for label in expansions.labels}
    for (phrase, sequence), _ in expansions.counts:
        daughters[phrase.label].update(sequence)
    return {label: tuple(sorted(found)) for label, found in daughters.items()}


def _observations(expansions: Expansions, smoothing: Smoothing) -> Iterator[Observation]:
    """Each step of reading each expansion."""
    for (phrase, sequence), count in expansions.counts:
        history: History = (START,)
        for daughter in (*sequence, STOP):
            yield phrase, history, daughter, count
            history = smoothing.longer(history, daughter)


def _states(phrases: Sequence[Symbol], observed: Sequence[Observation]) -> dict[tuple[Symbol, History], int]:
    """The number of each state: the start of each phrase, nothing remembered, every history and its last daughter."""
    found: dict[tuple[Symbol, History], int] = {}
    for phrase in phrases:
        found.setdefault((phrase, (START,)), len(found))
        found.setdefault((phrase, ()), len(found))
    for phrase, history, _, _ in observed:
        found.setdefault((phrase, history), len(found))
        found.setdefault((phrase, history[-1:]), len(found))
    return found
