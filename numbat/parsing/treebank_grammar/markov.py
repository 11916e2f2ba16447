"""Probabilities of expansions as tables for the tabular search: Markov grammars over refined categories.

A phrase is read from the left; each daughter depends on the phrase and on the daughters just before it (Collins 1997;
Klein & Manning 2003). Witten & Bell's smoothing mixes the counts of each context with those of a shorter or less
refined one, so that no sequence of known daughters is impossible. A state is a phrase and the longest known end of
what was read; costs are -log P in fixed-point units.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import log
from typing import Final

from numbat.grammar.properties import UNIT
from numbat.parsing.treebank_grammar.expansions import Expansions, Symbol

NONE: Final = 2**31 - 1
"""A cost: not possible."""
START: Final = Symbol("<start>")
STOP: Final = Symbol("<stop>")
UNKNOWN: Final = Symbol("<unknown>")

History = tuple[Symbol, ...]
Context = Callable[[Symbol, History], Hashable]
"""What of a phrase and its last daughters a distribution depends on."""


@dataclass(frozen=True, slots=True)
class Smoothing:
    """How much a shorter context counts: `types` for each sort of daughter seen in the longer one, and the share
    `rest` that daughters never seen in a phrase of that label have together. `memory`: daughters remembered."""

    memory: int = 2
    types: float = 2.0
    rest: float = 1e-4
    costliest_start: float = 18.0


REFINED: Final[tuple[Context, ...]] = (
    lambda phrase, history: (phrase, history),
    lambda phrase, history: (phrase, history[-1:]),
    lambda phrase, history: (phrase.plain, history[-1:]),
    lambda phrase, history: (phrase.label, history[-1:]),
    lambda phrase, history: phrase.plain,
    lambda phrase, history: phrase.label,
)
BARE: Final[tuple[Context, ...]] = (
    lambda phrase, history: (phrase.label, history[-1:]),
    lambda phrase, history: phrase.label,
)
BAG: Final[tuple[Context, ...]] = (lambda phrase, history: (phrase.label, history == (START,)),)


@dataclass(frozen=True, slots=True)
class Tables:
    """What a search needs, as arrays. By state: its label, the phrase that it accepts, the cost of that. By symbol:
    the labels in which it is a daughter with its column there; the states that it begins, with costs; the phrases of
    which it is the only daughter, with costs; its label, -1 for a word; its cost as a root. Lists by symbol are arrays
    of where they begin and of what they hold."""

    label_of_state: array[int]
    accepted: array[int]
    accept_cost: array[int]
    uses: tuple[array[int], array[int], array[int]]
    starts: tuple[array[int], array[int], array[int]]
    unaries: tuple[array[int], array[int], array[int]]
    label_of_symbol: array[int]
    root_cost: array[int]

    def flat(self) -> tuple[array[int], ...]:
        """All arrays in the order in which the kernel takes them."""
        first = self.label_of_state, self.accepted, self.accept_cost
        return *first, *self.uses, *self.starts, *self.unaries, self.label_of_symbol, self.root_cost


class Markov:
    """A grammar of counted expansions, estimated. `labels` are numbered alike in all grammars of one search."""

    def __init__(self, expansions: Expansions, contexts: Sequence[Context], how: Smoothing | None = None) -> None:
        self.how = how or Smoothing()
        self.contexts = contexts
        self.labels = expansions.labels
        self.phrases = sorted(expansions.phrases)
        self.symbols = (*self.phrases, *expansions.leaves, UNKNOWN)
        self.number = {symbol: i for i, symbol in enumerate(self.symbols)}
        self._counts: list[dict[Hashable, Counter[Symbol]]] = [defaultdict(Counter) for _ in contexts]
        daughters: dict[str, set[Symbol]] = {label: set(expansions.leaves) for label in self.labels}
        histories: dict[tuple[Symbol, History], None] = {}
        for (phrase, sequence), count in expansions.counts:
            daughters[phrase.label].update(sequence)
            history: History = (START,)
            for daughter in (*sequence, STOP):
                for counts, context in zip(self._counts, contexts, strict=True):
                    counts[context(phrase, history)][daughter] += count
                histories[phrase, history] = None
                history = self._longer(history, daughter)
        self.columns = {label: tuple(sorted(found)) for label, found in daughters.items()}
        self._column = {label: {each: i for i, each in enumerate(found)} for label, found in self.columns.items()}
        self._totals = [{context: c.total() for context, c in counts.items()} for counts in self._counts]
        self._known: dict[tuple[Hashable, ...], list[float]] = {}
        self._costs: dict[tuple[Hashable, ...], list[int]] = {}
        self.states: dict[tuple[Symbol, History], int] = {}
        for phrase in self.phrases:
            self._state(phrase, (START,))
            self._state(phrase, ())
        for phrase, history in histories:
            self._state(phrase, history)
            self._state(phrase, history[-1:])
        self._by_number = tuple(self.states)
        self._shortest: dict[Symbol, array[int]] = {}
        self._after: dict[tuple[Symbol, History], dict[Symbol, int]] = defaultdict(dict)
        for (phrase, history), state in self.states.items():
            if len(history) > 1:
                self._after[phrase, history[:-1]][history[-1]] = state
        self._plain: dict[str, dict[Symbol, list[int]]] = {}
        for label, columns in self.columns.items():
            places = self._plain[label] = defaultdict(list)
            for at, each in enumerate(columns):
                places[each.plain].append(at)
        self.tables = self._tables(expansions)

    def _state(self, phrase: Symbol, history: History) -> int:
        return self.states.setdefault((phrase, history), len(self.states))

    def _longer(self, history: History, daughter: Symbol) -> History:
        return (*history, daughter.plain)[-self.how.memory :] if self.how.memory else ()

    def _next(self, phrase: Symbol, history: History, daughter: Symbol) -> int:
        longer = self._longer(history, daughter)
        for known in (longer, longer[-1:]):
            found = self.states.get((phrase, known))
            if found is not None:
                return found
        return self.states[phrase, ()]

    def distribution(self, phrase: Symbol, history: History) -> list[float]:
        """The probability of each daughter, by its column, and that of stopping last."""
        return self._known_in([context(phrase, history) for context in self.contexts], phrase, keep=False)

    def _known_in(self, contexts: list[Hashable], phrase: Symbol, keep: bool = True) -> list[float]:
        """The distribution by the last of the contexts, these and shorter ones."""
        size = len(self.columns[phrase.label]) + 1
        if not contexts:
            return [1.0 / size] * size
        key = (phrase.label, *contexts)
        known = self._known.get(key)
        if known is None:
            known = self._known_in(contexts[1:], phrase)
            depth = len(self.contexts) - len(contexts)
            counts = self._counts[depth].get(contexts[0])
            if counts:
                total, share = self._mixed(depth, contexts[0], counts)
                known = [share * each for each in known]
                column = self._column[phrase.label]
                for daughter, count in counts.items():
                    known[-1 if daughter is STOP else column[daughter]] += count / total
            if keep:
                self._known[key] = known
        return known

    def _mixed(self, depth: int, context: Hashable, counts: Counter[Symbol]) -> tuple[float, float]:
        """What counts are divided by, and the share of the shorter context."""
        total = self._totals[depth][context]
        last = depth == len(self.contexts) - 1
        rest = self.how.rest * total if last else self.how.types * len(counts)
        return total + rest, rest / (total + rest)

    def stop_probability(self, phrase: Symbol, history: History) -> float:
        """The last of `distribution`, without the others."""
        found = 1.0 / (len(self.columns[phrase.label]) + 1)
        for depth in range(len(self.contexts) - 1, -1, -1):
            context = self.contexts[depth](phrase, history)
            counts = self._counts[depth].get(context)
            if counts:
                total, share = self._mixed(depth, context, counts)
                found = counts[STOP] / total + share * found
        return found

    def row(self, state: int) -> tuple[array[int], array[int]]:
        """The cost of each daughter, by its column, and the state after it.

        What was not seen in the longest context costs what it does in the next shorter one and a constant more.
        """
        phrase, history = self._by_number[state]
        whole = [context(phrase, history) for context in self.contexts]
        counts = self._counts[0].get(whole[0])
        costs = self._costs_in(whole[1:], phrase)
        if counts:
            total, share = self._mixed(0, whole[0], counts)
            more = cost_of(share)
            likely = self._known_in(whole[1:], phrase)
            column = self._column[phrase.label]
            costs = [min(each + more, NONE) for each in costs]
            for daughter, count in counts.items():
                if daughter is not STOP:
                    at = column[daughter]
                    costs[at] = cost_of(count / total + share * likely[at])
        return array("i", costs), self._nexts(phrase, history)

    def _costs_in(self, contexts: list[Hashable], phrase: Symbol) -> list[int]:
        key = (phrase.label, *contexts)
        known = self._costs.get(key)
        if known is None:
            known = self._costs[key] = list(map(cost_of, self._known_in(contexts, phrase)[:-1]))
        return known

    def _nexts(self, phrase: Symbol, history: History) -> array[int]:
        """The state after each daughter: the longest known end of what was read."""
        nexts = self._shortest.get(phrase)
        if nexts is None:
            nothing = self.states[phrase, ()]
            found = (self.states.get((phrase, self._longer((), each)), nothing) for each in self.columns[phrase.label])
            nexts = self._shortest[phrase] = array("i", found)
        longer = self._after.get((phrase, history[1 - self.how.memory :])) if self.how.memory > 1 else None
        if longer is None:
            return nexts
        nexts = nexts[:]
        for daughter, state in longer.items():
            for at in self._plain[phrase.label][daughter]:
                nexts[at] = state
        return nexts

    def _tables(self, expansions: Expansions) -> Tables:
        label = {name: i for i, name in enumerate(self.labels)}
        uses: dict[Symbol, list[tuple[int, int]]] = defaultdict(list)
        for name, columns in self.columns.items():
            for i, each in enumerate(columns):
                uses[each].append((label[name], i))
        accept = array("i", [self._accept_cost(*state) for state in self._by_number])
        starts, unaries = self._starts(accept)
        roots = dict(expansions.roots)
        total = sum(roots.values())
        return Tables(
            array("i", [label[phrase.label] for phrase, _ in self._by_number]),
            array("i", [self.number[phrase] for phrase, _ in self._by_number]),
            accept,
            _rows(uses[symbol] for symbol in self.symbols),
            _rows(starts[symbol] for symbol in self.symbols),
            _rows(unaries[symbol] for symbol in self.symbols),
            array("i", [label[symbol.label] if symbol.is_phrase else -1 for symbol in self.symbols]),
            array("i", [cost_of(roots[symbol] / total) if symbol in roots else NONE for symbol in self.symbols]),
        )

    def _accept_cost(self, phrase: Symbol, history: History) -> int:
        return NONE if history == (START,) else cost_of(self.stop_probability(phrase, history))

    def _starts(self, accept: array[int]) -> tuple[dict[Symbol, list[tuple[int, int]]], ...]:
        """By symbol what it begins, and of what it may be the only daughter (not of its own label: ruling 4)."""
        starts: dict[Symbol, list[tuple[int, int]]] = defaultdict(list)
        unaries: dict[Symbol, list[tuple[int, int]]] = defaultdict(list)
        for phrase in self.phrases:
            likely = zip(self.columns[phrase.label], self.distribution(phrase, (START,)), strict=False)
            for daughter, probability in likely:
                cost = cost_of(probability)
                if cost > self.how.costliest_start * UNIT:
                    continue
                state = self._next(phrase, (START,), daughter)
                starts[daughter].append((state, cost))
                if accept[state] != NONE and not (daughter.is_phrase and daughter.label == phrase.label):
                    unaries[daughter].append((self.number[phrase], cost + accept[state]))
        return starts, unaries


def cost_of(probability: float) -> int:
    """-log P in fixed-point units; `NONE` for what is next to impossible."""
    return round(-log(probability) * UNIT) if probability > 1e-12 else NONE


def _rows(lists: Iterable[Sequence[tuple[int, int]]]) -> tuple[array[int], array[int], array[int]]:
    at, first, second = array("i", [0]), array("i"), array("i")
    for each in lists:
        first.extend(a for a, _ in each)
        second.extend(b for _, b in each)
        at.append(len(first))
    return at, first, second
