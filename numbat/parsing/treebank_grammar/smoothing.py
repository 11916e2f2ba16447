"""The probabilities of daughters, estimated from counted expansions and smoothed.

A phrase is read from the left: the probability of a daughter depends on the phrase and on its history, the daughters
just before it. A context is what of the two is looked at; contexts go from the most to the least specific. Witten &
Bell's smoothing mixes the relative frequencies in each context with those in the next, so that no sequence of daughters
known under a label is impossible.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from math import log
from typing import Final

from numbat.grammar.properties import UNIT
from numbat.parsing.treebank_grammar.expansions import Symbol
from numbat.parsing.treebank_grammar.search_tables import IMPOSSIBLE
from numbat.records import frozen

START: Final = Symbol("<start>")
"""What the history of a first daughter consists of."""
STOP: Final = Symbol("<stop>")
"""What is read after the last daughter."""

History = tuple[Symbol, ...]
Context = Callable[[Symbol, History], Hashable]
"""What a distribution depends on, of a phrase and its history."""
Observation = tuple[Symbol, History, Symbol, int]
"""A phrase, a history in it, the daughter that came next (or `STOP`), how often."""


# Functions with names, so that what is made of them can be sent to other processes.
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
"""Contexts of refined phrases: the history is shortened, then details and the label above are left out."""
BARE: Final[tuple[Context, ...]] = (_label_and_last, _label)
"""Contexts of bare labels: the last daughter counts."""
BAG: Final[tuple[Context, ...]] = (_label_and_start,)
"""The coarsest contexts: all that counts of the history is whether there is none yet."""


@frozen
class Smoothing:
    """How distributions are smoothed.

    `memory` is how many daughters a history has at most. `types` is the weight of the next context for each sort of
    daughter that was seen in a context (Witten & Bell: 1); `rest` is the share of what was never seen under a label,
    in the last context. A daughter that begins a phrase at a higher cost than `costliest_start`, a natural logarithm,
    does not begin it at all.
    """

    memory: int = 2
    types: float = 2.0
    rest: float = 1e-4
    costliest_start: float = 18.0

    def longer(self, history: History, daughter: Symbol) -> History:
        """The history after one more daughter, whose detail is not remembered."""
        return (*history, daughter.plain)[-self.memory :] if self.memory else ()


class SmoothedDistributions:
    """The distributions over the daughters of each label (`columns`, in their order), and over stopping last."""

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
        self.column = {label: {each: i for i, each in enumerate(found)} for label, found in columns.items()}
        """By label and daughter: the daughter's column."""
        self._counts: list[dict[Hashable, Counter[Symbol]]] = [defaultdict(Counter) for _ in contexts]
        for phrase, history, daughter, count in observations:
            for counts, context in zip(self._counts, contexts, strict=True):
                counts[context(phrase, history)][daughter] += count
        self._totals = [{context: c.total() for context, c in counts.items()} for counts in self._counts]
        self._mixtures: dict[tuple[Hashable, ...], list[float]] = {}
        self._mixture_costs: dict[tuple[Hashable, ...], list[int]] = {}

    def distribution(self, phrase: Symbol, history: History) -> list[float]:
        """The probability of each daughter, by its column, and that of stopping last."""
        return self._mixture(self._contexts(phrase, history), phrase, keep=False)

    def stop_probability(self, phrase: Symbol, history: History) -> float:
        """The last of `distribution`, without the others."""
        found = 1.0 / (len(self.columns[phrase.label]) + 1)
        for depth in range(len(self.contexts) - 1, -1, -1):
            context = self.contexts[depth](phrase, history)
            counts = self._counts[depth].get(context)
            if counts:
                total, share = self._weights(depth, context, counts)
                found = counts[STOP] / total + share * found
        return found

    def costs(self, phrase: Symbol, history: History) -> list[int]:
        """The cost of each daughter, by its column.

        What was not seen in the most specific context costs what it does in the next one and a constant more.
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
        costs = [min(each + more, IMPOSSIBLE) for each in costs]
        for daughter, count in counts.items():
            if daughter is not STOP:
                at = column[daughter]
                costs[at] = cost_of(count / total + share * likely[at])
        return costs

    def _contexts(self, phrase: Symbol, history: History) -> list[Hashable]:
        return [context(phrase, history) for context in self.contexts]

    def _mixture(self, contexts: list[Hashable], phrase: Symbol, keep: bool = True) -> list[float]:
        """The distribution by the last of the contexts, as many as are given; uniform without any."""
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
                known = [share * each for each in known]
                column = self.column[phrase.label]
                for daughter, count in counts.items():
                    known[-1 if daughter is STOP else column[daughter]] += count / total
            if keep:
                self._mixtures[key] = known
        return known

    def _costs(self, contexts: list[Hashable], phrase: Symbol) -> list[int]:
        """The costs by the last of the contexts."""
        key = (phrase.label, *contexts)
        known = self._mixture_costs.get(key)
        if known is None:
            known = self._mixture_costs[key] = list(map(cost_of, self._mixture(contexts, phrase)[:-1]))
        return known

    def _weights(self, depth: int, context: Hashable, counts: Counter[Symbol]) -> tuple[float, float]:
        """What the counts in a context are divided by, and the weight of the distribution in the next context."""
        total = self._totals[depth][context]
        last = depth == len(self.contexts) - 1
        rest = self.smoothing.rest * total if last else self.smoothing.types * len(counts)
        return total + rest, rest / (total + rest)


def cost_of(probability: float) -> int:
    """-log P in fixed-point units; `IMPOSSIBLE` for what is next to impossible."""
    return round(-log(probability) * UNIT) if probability > 1e-12 else IMPOSSIBLE
