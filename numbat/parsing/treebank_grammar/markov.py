"""Markov grammars: counted expansions as automata that read the daughters of a phrase, with a cost for each step.

A state is a phrase with its last daughters, the longest suffix that was seen in such a phrase (Collins 1997; Klein &
Manning 2003). It determines the cost of each possible next daughter, the next state, and the cost of stopping. Costs
are -log P of the smoothed distributions (`Smoothing`) in fixed-point units.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from math import log
from typing import Final

from numbat.grammar.properties import UNIT
from numbat.parsing.treebank_grammar.expansions import Expansions, Symbol
from numbat.records import frozen

UNKNOWN: Final = Symbol("<unknown>")
"""Symbol of words whose category is in no expansion."""


class MarkovGrammar:
    """Markov grammar estimated from counted expansions.

    `symbols` are the refined categories of phrases and words, in the order of their numbers; `labels` are the labels of
    phrases, with the same numbers in all grammars of a search; `columns` has the possible daughters under each label;
    `states` the number of each state.
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
        """By phrase: the state after each daughter, if no earlier daughter is remembered."""
        self._continued: dict[tuple[Symbol, History], dict[Symbol, int]] = defaultdict(dict)
        """By phrase and history: for each further daughter, the state that remembers this history and the daughter."""
        for (phrase, history), state in self.states.items():
            if len(history) > 1:
                self._continued[phrase, history[:-1]][history[-1]] = state
        self._columns_of_plain: dict[str, dict[Symbol, list[int]]] = {}
        for label, columns in self.columns.items():
            places = self._columns_of_plain[label] = defaultdict(list)
            for at, symbol in enumerate(columns):
                places[symbol.plain].append(at)
        self.tables = self._tables(expansions)

    def __reduce__(self) -> tuple[type[MarkovGrammar], tuple[object, ...]]:
        # It is pickled as its arguments; the tables are rebuilt.
        return type(self), self._made_of

    def row(self, state: int) -> tuple[array[int], array[int]]:
        """Return the cost of each next daughter in a state, by its column, and the state after it."""
        phrase, history = self._by_number[state]
        return array("i", self.probabilities.costs(phrase, history)), self._next_states(phrase, history)

    def next_state(self, phrase: Symbol, history: History, daughter: Symbol) -> int:
        """Return the state after another daughter: the one with the longest known suffix of the history."""
        longer = self.smoothing.longer(history, daughter)
        for suffix in (longer, longer[-1:]):
            state = self.states.get((phrase, suffix))
            if state is not None:
                return state
        return self.states[phrase, ()]

    def _next_states(self, phrase: Symbol, history: History) -> array[int]:
        """Return `next_state` for all daughters, by their columns."""
        memory, nexts = self.smoothing.memory, self._forgetting.get(phrase)
        if nexts is None:
            states = (self.next_state(phrase, (), symbol) for symbol in self.columns[phrase.label])
            nexts = self._forgetting[phrase] = array("i", states)
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
            for i, symbol in enumerate(columns):
                uses[symbol].append((label[name], i))
        accept = array("i", [self._accept_cost(*state) for state in self._by_number])
        starts, unaries = self._starts(accept)
        roots = dict(expansions.roots)
        total = sum(roots.values())
        return SearchTables(
            array("i", [label[phrase.label] for phrase, _ in self._by_number]),
            array("i", [self.number[phrase] for phrase, _ in self._by_number]),
            accept,
            Lists.from_rows(uses[symbol] for symbol in self.symbols),
            Lists.from_rows(starts[symbol] for symbol in self.symbols),
            Lists.from_rows(unaries[symbol] for symbol in self.symbols),
            array("i", [label[symbol.label] if symbol.is_phrase else -1 for symbol in self.symbols]),
            array("i", [cost_of(roots[symbol] / total) if symbol in roots else IMPOSSIBLE for symbol in self.symbols]),
        )

    def _accept_cost(self, phrase: Symbol, history: History) -> int:
        return IMPOSSIBLE if history == (START,) else cost_of(self.probabilities.stop_probability(phrase, history))

    def _starts(self, accept: array[int]) -> tuple[dict[Symbol, list[tuple[int, int]]], ...]:
        """Return, by symbol, the states that it begins and the phrases over it alone (not with its label: ruling 4)."""
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
    """Return the possible daughters under each label, sorted: the phrases seen under it, and all words."""
    daughters: dict[str, set[Symbol]] = {label: set(expansions.leaves) for label in expansions.labels}
    for (phrase, sequence), _ in expansions.counts:
        daughters[phrase.label].update(sequence)
    return {label: tuple(sorted(symbols)) for label, symbols in daughters.items()}


def _observations(expansions: Expansions, smoothing: Smoothing) -> Iterator[Observation]:
    """Yield the steps by which the daughters of each expansion are read."""
    for (phrase, sequence), count in expansions.counts:
        history: History = (START,)
        for daughter in (*sequence, STOP):
            yield phrase, history, daughter, count
            history = smoothing.longer(history, daughter)


def _states(phrases: Sequence[Symbol], observed: Sequence[Observation]) -> dict[tuple[Symbol, History], int]:
    """Number the states: for each phrase its start, the empty history, the histories seen, and their last daughters."""
    states: dict[tuple[Symbol, History], int] = {}
    for phrase in phrases:
        states.setdefault((phrase, (START,)), len(states))
        states.setdefault((phrase, ()), len(states))
    for phrase, history, _, _ in observed:
        states.setdefault((phrase, history), len(states))
        states.setdefault((phrase, history[-1:]), len(states))
    return states


# Smoothed probabilities of daughters, estimated from counted expansions. Daughters are read from the left: the
# probability of a daughter depends on the phrase and on its history, the daughters just before it. A context is
# computed from phrase and history; contexts are ordered from the most to the least specific. Witten & Bell's smoothing
# mixes the relative frequencies in each context with those in the next one, so that every sequence of daughters that
# occur under a label is possible.

START: Final = Symbol("<start>")
"""Symbol that is the history of a first daughter."""
STOP: Final = Symbol("<stop>")
"""Symbol read after the last daughter."""

History = tuple[Symbol, ...]
Context = Callable[[Symbol, History], Hashable]
"""Function from a phrase and its history to the context on which a distribution is conditioned."""
Observation = tuple[Symbol, History, Symbol, int]
"""Phrase, history, next daughter (or `STOP`), count."""


# Named functions, so that objects that hold them can be pickled.
def _all(phrase: Symbol, history: History) -> Hashable:
    return phrase, history


def _phrase_and_last(phrase: Symbol, history: History) -> Hashable:
    return phrase, history[-1:]


def _plain_and_last(phrase: Symbol, history: History) -> Hashable:
    return phrase.plain, history[-1:]


def _label_and_last(phrase: Symbol, history: History) -> Hashable:
    return phrase.label, history[-1:]


def _plain(phrase: Symbol, history: History) -> Hashable:
    return phrase.plain


def _label(phrase: Symbol, history: History) -> Hashable:
    return phrase.label


def _label_and_start(phrase: Symbol, history: History) -> Hashable:
    return phrase.label, history == (START,)


REFINED: Final[tuple[Context, ...]] = (
    _all,
    _phrase_and_last,
    _plain_and_last,
    _label_and_last,
    _plain,
    _label,
)
"""Contexts for refined phrases: the history is shortened, then details and the label above are dropped."""
BARE: Final[tuple[Context, ...]] = (_label_and_last, _label)
"""Contexts for bare labels: the label and the last daughter, then the label alone."""
BAG: Final[tuple[Context, ...]] = (_label_and_start,)
"""Coarsest contexts: labels, and whether the history is empty."""


@frozen
class Smoothing:
    """Settings by which distributions are smoothed.

    `memory` is the maximum number of daughters in a history. `types` is the weight that the next context gets for each
    type of daughter seen in a context (Witten & Bell: 1); `rest` is the share of unseen daughters in the last context.
    A daughter cannot begin a phrase if its -log P there is above `costliest_start`.
    """

    memory: int = 2
    types: float = 2.0
    rest: float = 1e-4
    costliest_start: float = 18.0

    def longer(self, history: History, daughter: Symbol) -> History:
        """Return the history after another daughter; the daughter is remembered without its details."""
        return (*history, daughter.plain)[-self.memory :] if self.memory else ()


class SmoothedDistributions:
    """Smoothed distributions over the daughters possible under a label, by its columns, and over stopping."""

    def __init__(
        self,
        columns: Mapping[str, Sequence[Symbol]],
        observations: Iterable[Observation],
        contexts: Sequence[Context],
        smoothing: Smoothing,
    ) -> None:
        self.contexts = contexts
        self.smoothing = smoothing
        self.columns = columns
        self.column = {label: {symbol: i for i, symbol in enumerate(symbols)} for label, symbols in columns.items()}
        """By label and daughter: the daughter's column."""
        self._counts: list[dict[Hashable, Counter[Symbol]]] = [defaultdict(Counter) for _ in contexts]
        for phrase, history, daughter, count in observations:
            for counts, context in zip(self._counts, contexts, strict=True):
                counts[context(phrase, history)][daughter] += count
        self._totals = [{context: c.total() for context, c in counts.items()} for counts in self._counts]
        self._mixtures: dict[tuple[Hashable, ...], list[float]] = {}
        self._mixture_costs: dict[tuple[Hashable, ...], list[int]] = {}

    def distribution(self, phrase: Symbol, history: History) -> list[float]:
        """Return the probability of each daughter, by its column, then the probability of stopping."""
        return self._mixture(self._contexts(phrase, history), phrase, keep=False)

    def stop_probability(self, phrase: Symbol, history: History) -> float:
        """Return the probability of stopping, without computing those of daughters."""
        probability = 1.0 / (len(self.columns[phrase.label]) + 1)
        for depth in range(len(self.contexts) - 1, -1, -1):
            context = self.contexts[depth](phrase, history)
            counts = self._counts[depth].get(context)
            if counts:
                total, share = self._weights(depth, context, counts)
                probability = counts[STOP] / total + share * probability
        return probability

    def costs(self, phrase: Symbol, history: History) -> list[int]:
        """Return the cost of each daughter, by its column.

        A daughter that was not seen in the most specific context costs as much as in the next one plus a constant.
        """
        first, *others = self._contexts(phrase, history)
        costs = self._costs(others, phrase)
        counts = self._counts[0].get(first)
        if not counts:
            return costs
        total, share = self._weights(0, first, counts)
        more = cost_of(share)
        likely = self._mixture(others, phrase)
        column = self.column[phrase.label]
        costs = [min(cost + more, IMPOSSIBLE) for cost in costs]
        for daughter, count in counts.items():
            if daughter is not STOP:
                at = column[daughter]
                costs[at] = cost_of(count / total + share * likely[at])
        return costs

    def _contexts(self, phrase: Symbol, history: History) -> list[Hashable]:
        return [context(phrase, history) for context in self.contexts]

    def _mixture(self, contexts: list[Hashable], phrase: Symbol, keep: bool = True) -> list[float]:
        """Return the distribution by these contexts, the least specific ones; it is uniform if there are none."""
        size = len(self.columns[phrase.label]) + 1
        if not contexts:
            return [1.0 / size] * size
        key = (phrase.label, *contexts)
        known = self._mixtures.get(key)
        if known is None:
            known = self._mixture(contexts[1:], phrase)
            depth = len(self.contexts) - len(contexts)
            counts = self._counts[depth].get(contexts[0])
            if counts:
                total, share = self._weights(depth, contexts[0], counts)
                known = [share * probability for probability in known]
                column = self.column[phrase.label]
                for daughter, count in counts.items():
                    known[-1 if daughter is STOP else column[daughter]] += count / total
            if keep:
                self._mixtures[key] = known
        return known

    def _costs(self, contexts: list[Hashable], phrase: Symbol) -> list[int]:
        """Return the costs of daughters by these contexts."""
        key = (phrase.label, *contexts)
        known = self._mixture_costs.get(key)
        if known is None:
            known = self._mixture_costs[key] = list(map(cost_of, self._mixture(contexts, phrase)[:-1]))
        return known

    def _weights(self, depth: int, context: Hashable, counts: Counter[Symbol]) -> tuple[float, float]:
        """Return the divisor for the counts in a context, and the weight of the distribution in the next context."""
        total = self._totals[depth][context]
        last = depth == len(self.contexts) - 1
        rest = self.smoothing.rest * total if last else self.smoothing.types * len(counts)
        return total + rest, rest / (total + rest)


def cost_of(probability: float) -> int:
    """Return -log P of a probability in fixed-point units, or `IMPOSSIBLE` if it is near 0."""
    return round(-log(probability) * UNIT) if probability > 1e-12 else IMPOSSIBLE


# The tables of a Markov grammar as flat arrays of numbers.

IMPOSSIBLE: Final = 2**31 - 1
"""Cost of an impossible step."""


@frozen
class Lists:
    """Lists of pairs by number: list i has `first[k]`, `second[k]` for k from `at[i]` to `at[i + 1]` (exclusive)."""

    at: array[int]
    first: array[int]
    second: array[int]

    @classmethod
    def from_rows(cls, lists: Iterable[Sequence[tuple[int, int]]]) -> Lists:
        """Make lists that get the numbers 0, 1 and so on."""
        at, first, second = array("i", [0]), array("i"), array("i")
        for row in lists:
            first.extend(a for a, _ in row)
            second.extend(b for _, b in row)
            at.append(len(first))
        return cls(at, first, second)

    def pairs(self, number: int) -> Iterable[tuple[int, int]]:
        """Return the list with this number."""
        begin, end = self.at[number], self.at[number + 1]
        return zip(self.first[begin:end], self.second[begin:end], strict=True)


@frozen
class SearchTables:
    """Tables of a grammar that a search needs in addition to the rows of its states.

    By state: the number of its label, the symbol of the phrase that is accepted in it, the cost of accepting. By
    symbol: `uses`, the labels of phrases in which it may be a daughter, with its column in the rows of their states;
    `starts`, the states of phrases that it may begin, with costs; `unaries`, the phrases over it alone, with costs; the
    number of its label, -1 for a word; its cost as the root of a tree.
    """

    label_of_state: array[int]
    accepted: array[int]
    accept_cost: array[int]
    uses: Lists
    starts: Lists
    unaries: Lists
    label_of_symbol: array[int]
    root_cost: array[int]

    def flat(self) -> tuple[array[int], ...]:
        """Return all arrays in the order in which the compiled search takes them."""
        lists = (self.uses, self.starts, self.unaries)
        inner = [column for one in lists for column in (one.at, one.first, one.second)]
        return self.label_of_state, self.accepted, self.accept_cost, *inner, self.label_of_symbol, self.root_cost
