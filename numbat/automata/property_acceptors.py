"""The properties of a construction as acceptors of label sequences: each label stands for a daughter.

A hard property forbids labellings that violate it. A soft one charges its cost in the grammar for each violated
instance, or only once if the grammar counts by property (ruling 11). Satisfied instances gain nothing. Coverage and
licensing are ignored, because the labels need not be a phrase.

>>> import numbat
>>> from numbat.automata.property_acceptors import total_gain
>>> grammar = numbat.parse_grammar('''
... leaves: Det, Adj, N
... roots: NP
... NP:
...     uniq Det hard
...     Det < N cost 2
...     const {Det, Adj, N}
... ''')
>>> acceptors = property_acceptors(grammar, "NP")
>>> for labels in ("Det Adj N", "N Adj Det", "Det Det N"):
...     print(labels, [total_gain(acceptor, labels.split()) for acceptor in acceptors])
Det Adj N [0.0, 0.0]
N Adj Det [0.0, -2.0]
Det Det N [-inf, 0.0]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import chain
from typing import Any, Final, NamedTuple, Protocol

from numbat.automata.property_automaton import ANY_NUMBER, BoundProperty, PropertyAutomata
from numbat.automata.records import Kind
from numbat.errors import UsageError, close_match
from numbat.evaluation.constituents import Constituent
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.matching import build_table
from numbat.grammar.model import Grammar
from numbat.grammar.properties import UNIT, Property
from numbat.records import frozen

# The protocol of constraints on label sequences: automata that give each label a gain.
#
# `labels.csi` finds the best labelling under any acceptors: those made by `property_acceptors`, or others.

FORBIDDEN: Final = float("-inf")
"""Gain of a label, or of the end of a sequence, that a hard constraint forbids."""


class Acceptor(Protocol):
    """An automaton that gives each label of a sequence, and its end, a gain; states are hashable, and should be few."""

    @property
    def start(self) -> Hashable:
        """Return the state before anything was read."""

    def step(self, state: Any, position: int, label: str, /) -> tuple[Hashable, float]:
        """Return the state after one more label, and the gain of this label; its position counts from 0."""

    def finish(self, state: Any, /) -> float:
        """Return the gain at the end of the sequence in a state."""


@frozen
class FunctionAcceptor:
    """An acceptor made from functions: `step` and `finish` as in `Acceptor`; without `finish` the end gains nothing."""

    start: Hashable
    step: Callable[[Any, int, str], tuple[Hashable, float]]
    finish: Callable[[Any], float] = lambda _: 0.0


def total_gain(acceptor: Acceptor, labels: Iterable[str]) -> float:
    """Return the gain of an acceptor over a whole sequence of labels."""
    state, total = acceptor.start, 0.0
    for position, label in enumerate(labels):
        state, gain = acceptor.step(state, position, label)
        total += gain
        if total == FORBIDDEN:
            return FORBIDDEN
    return total + acceptor.finish(state)


NO_OPERAND: Final = -1
"""Instead of a symbol: the label is not an operand of the property."""


def property_acceptors(
    grammar: Grammar, construction: str, labels: Mapping[str, Kind] | None = None, all_hard: bool = False
) -> tuple[LocalAcceptor | DeferredAcceptor, ...]:
    """Return an acceptor for each property of a construction, in the order of the grammar.

    `labels` maps labels to categories with features; without it, a label is a category without features. `all_hard`
    treats every property as hard. Raises UsageError for a construction that the grammar does not have.
    """
    evaluator = Evaluator(build_table(grammar))
    constructions = evaluator.table.constructions
    if construction not in constructions:
        hint = close_match(construction, constructions) or f"the constructions are: {', '.join(constructions)}"
        raise UsageError(f'the grammar has no construction "{construction}"\n  {hint}')
    automata = PropertyAutomata(evaluator, all_hard)
    symbols = _Labels(evaluator, labels or {})
    by_property = grammar.semantics.by_property
    bound = map(automata.bind, constructions[construction].properties)
    return tuple(
        [
            LocalAcceptor(prop, symbols, by_property)
            if prop.automaton.scope == "local"
            else DeferredAcceptor(prop, symbols, by_property)
            for prop in bound
        ]
    )


class _Labels:
    """The symbols that properties observe for labels; each label stands for a daughter."""

    def __init__(self, evaluator: Evaluator, kinds: Mapping[str, Kind]) -> None:
        self._evaluator = evaluator
        self._kinds = kinds

    def symbol(self, bound: BoundProperty, label: str) -> int:
        """Return the symbol that a property observes for a label, `NO_OPERAND` if the label is none of its operands."""
        category, features = self._kinds.get(label, (label, ()))
        operands = self._evaluator.operands_matched(category, features) & bound.bits
        if not operands and bound.automaton.scope != "whole":
            return NO_OPERAND
        return bound.symbol(Constituent(category, 1, features), operands)

    def all_symbols(self, bound: BoundProperty) -> set[int]:
        """Return the set of symbols that a property observes for any label."""
        labels = {*self._kinds, *(operand.category for operand in bound.prop.all_operands())}
        return {self.symbol(bound, label) for label in labels} - {NO_OPERAND}


class LocalState(NamedTuple):
    """The state of a local property: all that later violations depend on.

    `read`: how often each symbol that can take part in a violation was read; `recent`: the last symbols, latest first,
    as far as their distance matters; `is_settled`: the property counts only one violation, and it was counted.
    """

    read: tuple[tuple[int, int], ...]
    recent: tuple[int, ...]
    is_settled: bool = False


class LocalAcceptor:
    """A property of single labels and pairs of labels; a pair is evaluated as soon as its second label is read."""

    def __init__(self, bound: BoundProperty, labels: _Labels, by_property: bool) -> None:
        self.property: Property = bound.prop
        self._reach = bound.automaton.traits.reach
        self.start = LocalState((), ())
        self._bound, self._labels = bound, labels
        self._by_property = by_property
        self._most = self._reach + 1 if bound.automaton.is_hard or by_property else None
        """Where counting a symbol stops if only the presence of a violation matters: one more than the reach holds."""
        symbols = labels.all_symbols(bound)
        violated = {
            (before, after): {bound.automaton.pair(before, after, at).violated for at in bound.automaton.traits.gaps}
            for before in symbols
            for after in symbols
        }
        self._counted = {before for (before, _), counts in violated.items() if any(counts)}
        self._asks_distance = {before for (before, _), counts in violated.items() if len(counts) > 1}
        self._symbols: dict[str, int] = {}
        self._steps: dict[tuple[LocalState, int], tuple[LocalState, float]] = {}

    def step(self, state: LocalState, position: int, label: str, /) -> tuple[LocalState, float]:
        """Return the state after one more label, and its gain: minus the cost of the violations that it completes."""
        symbol = self._symbols.get(label)
        if symbol is None:
            symbol = self._symbols[label] = self._labels.symbol(self._bound, label)
        known = self._steps.get((state, symbol))
        if known is None:
            known = self._steps[state, symbol] = self._step(state, symbol)
        return known

    def finish(self, state: LocalState, /) -> float:
        """Return 0: all violations were counted before."""
        return 0.0

    def _step(self, state: LocalState, symbol: int) -> tuple[LocalState, float]:
        if state.is_settled:
            return state, 0.0
        if symbol == NO_OPERAND:
            return state._replace(recent=self._recent(state, NO_OPERAND)), 0.0
        violated = self._violated(state, symbol)
        if violated and self._bound.automaton.is_hard:
            return state, FORBIDDEN
        if violated and self._by_property:
            return self.start._replace(is_settled=True), _loss(self.property, 1)
        read = dict(state.read)
        if symbol in self._counted:
            times = read.get(symbol, 0) + 1
            read[symbol] = times if self._most is None else min(times, self._most)
        recent = self._recent(state, symbol if symbol in self._asks_distance else NO_OPERAND)
        return LocalState(tuple(sorted(read.items())), recent), _loss(self.property, violated)

    def _recent(self, state: LocalState, symbol: int) -> tuple[int, ...]:
        recent = (symbol, *state.recent)[: self._reach]
        while recent and recent[-1] == NO_OPERAND:
            recent = recent[:-1]
        return recent

    def _violated(self, state: LocalState, symbol: int) -> int:
        """Return the number of violated instances of a symbol alone, and in pairs with earlier symbols."""
        pair = self._bound.automaton.pair
        total = pair(-1, symbol, 0).violated
        for before, times in state.read:
            near = [at for at, recent in enumerate(state.recent) if recent == before]
            total += sum(pair(before, symbol, at).violated for at in near)
            total += (times - len(near)) * pair(before, symbol, self._reach).violated
        return total


class Subsequence(NamedTuple):
    """Some of the symbols read, in order; `beside`: whether each, except the first, directly followed the one before.

    `is_last`: its last symbol was the last one read. Both stay False if the property does not ask for neighbours.
    """

    symbols: tuple[int, ...] = ()
    beside: tuple[bool, ...] = ()
    is_last: bool = False


class Read(NamedTuple):
    """The symbols read by a deferred property, as far as they matter.

    `counts` says how often each was read; `subsequences` are possible parts of instances if the property asks for
    order, and whole instances if counts decide whether they hold. If violations are counted and the property asks for
    order, the whole sequence is kept as one.
    """

    counts: tuple[tuple[int, int], ...] = ()
    subsequences: frozenset[Subsequence] = frozenset()


VIOLATED: Final = Read((), frozenset({Subsequence()}))
"""State, after a permanent violation, of a property that counts only one violation."""


class DeferredAcceptor:
    """A property that only the whole sequence decides; irreparable violations are charged at once.

    Its states are those of the property's automaton, which record how often each symbol was read, or in which order. If
    only the presence of a violation matters, sequences that further labels cannot distinguish share a state (`Read`).
    If violations are counted and the property asks for order and counts together, each sequence has its own state,
    which is practical only for short sequences.
    """

    def __init__(self, bound: BoundProperty, labels: _Labels, by_property: bool) -> None:
        self.property: Property = bound.prop
        self.start = 0
        self._bound, self._labels = bound, labels
        counts_once = bound.automaton.is_hard or by_property
        self._most = bound.automaton.enough_once if counts_once else ANY_NUMBER
        traits = bound.automaton.traits
        changes = traits.asks_counts or traits.asks_end
        self._stays_violated = bound.automaton.scope == "whole" and counts_once and not changes
        self._together = bound.automaton.largest_tuple + (not self._stays_violated)
        self._after = self._whole_sequence
        if bound.automaton.scope == "global":
            self._after = self._counted
        elif traits.asks_places and traits.margin is not None:
            self._after = self._in_places
        elif counts_once and not traits.asks_places and traits.reach <= 1:
            self._after = self._counted_in_order
        self._read: dict[int, Read] = {0: Read()}
        self._states: dict[Read, int] = {Read(): 0}
        self._symbols: dict[str, int] = {}
        self._steps: dict[tuple[int, int], tuple[int, float]] = {}

    def step(self, state: int, position: int, label: str, /) -> tuple[int, float]:
        """Return the state after one more label, and the gain: minus the cost of violations that became irreparable."""
        symbol = self._symbols.get(label)
        if symbol is None:
            symbol = self._symbols[label] = self._labels.symbol(self._bound, label)
        if symbol == NO_OPERAND:
            return state, 0.0
        known = self._steps.get((state, symbol))
        if known is None:
            known = self._steps[state, symbol] = self._step(state, symbol)
        return known

    def finish(self, state: int, /) -> float:
        """Return minus the cost of the violations that further labels could have repaired."""
        counts = self._bound.automaton.counts(state)
        return FORBIDDEN if counts.hard else _loss(self.property, counts.violated - self._charged(state))

    def _step(self, state: int, symbol: int) -> tuple[int, float]:
        automaton = self._bound.automaton
        if self._is_settled(state):
            return state, 0.0
        read = self._after(self._read[state], symbol)
        after = self._states.get(read)
        if after is None or self._stays_violated:
            longer = automaton.step(state, symbol)
            if self._stays_violated and automaton.counts(longer).violated:
                read = VIOLATED
            after = self._states.setdefault(read, longer)
            self._read.setdefault(after, read)
        if self._bound.automaton.counts(after).hard_irreparable:
            return after, FORBIDDEN
        return after, _loss(self.property, self._charged(after) - self._charged(state))

    def _is_settled(self, state: int) -> bool:
        """True if the property counts only one violation and is permanently violated."""
        return self._stays_violated and self._read[state] is VIOLATED

    def _counted(self, read: Read, symbol: int) -> Read:
        counts = dict(read.counts)
        counts[symbol] = min(counts.get(symbol, 0) + 1, self._most)
        return Read(tuple(sorted(counts.items())))

    def _counted_in_order(self, read: Read, symbol: int) -> Read:
        automaton = self._bound.automaton
        subsequences = {one._replace(is_last=False) for one in read.subsequences}
        asks_neighbours = automaton.traits.reach > 0
        for symbols, beside, is_last in (Subsequence(), *read.subsequences):
            longer = (*symbols, symbol)
            if len(longer) < self._together and automaton.may_match(longer):
                subsequences.add(Subsequence(longer, (*beside, is_last) if symbols else (), asks_neighbours))
        asks_counts = automaton.traits.asks_counts and automaton.may_match((symbol,))
        return Read(self._counted(read, symbol).counts if asks_counts else read.counts, frozenset(subsequences))

    def _in_places(self, read: Read, symbol: int) -> Read:
        (one,) = read.subsequences or {Subsequence()}
        symbols = self._bound.automaton.canonical((*one.symbols, symbol))
        margin = self._bound.automaton.traits.margin or 0
        inside = Counter(symbols[margin:-1])
        kept = chain.from_iterable([item] * min(times, self._most) for item, times in inside.items())
        return Read((), frozenset({Subsequence((*symbols[:margin], *kept, *symbols[margin:][-1:]))}))

    def _whole_sequence(self, read: Read, symbol: int) -> Read:
        (one,) = read.subsequences or {Subsequence()}
        return Read((), frozenset({Subsequence((*one.symbols, symbol))}))

    def _charged(self, state: int) -> int:
        """Return the number of violated instances that were charged up to a state, none in the first state."""
        return self._bound.automaton.counts(state).irreparable if state else 0


def _loss(prop: Property, violated: int) -> float:
    """Return the (negative) gain for a number of violated instances; for none it is 0.0, not -0.0."""
    return -(prop.cost_units * violated) / UNIT if violated else 0.0
