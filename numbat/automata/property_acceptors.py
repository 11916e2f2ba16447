"""The properties of a construction as acceptors: its daughters are the labels of a sequence.

Under a hard property a labelling that violates it is forbidden; under a soft one each violated instance costs what the
grammar says, once in all where the grammar counts by property (ruling 11). Only P- counts: a satisfied instance gains
nothing. What a construction covers and what licenses it is not asked, for the labels need not be a phrase.

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
...     print(labels, [total_gain(each, labels.split()) for each in acceptors])
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

# The protocol of what constrains a sequence of labels: an automaton that says what each label gains.
#
# `labels.csi` finds the best labelling under any acceptors; `property_acceptors` makes them from the properties of a
# grammar, and a caller may bring others.

FORBIDDEN: Final = float("-inf")
"""The gain of a label, or of an end, that a hard constraint forbids."""


class Acceptor(Protocol):
    """An automaton with gains over sequences of labels; states are hashable, and the fewer there are the better."""

    @property
    def start(self) -> Hashable:
        """The state in which nothing was read."""

    def step(self, state: Any, position: int, label: str, /) -> tuple[Hashable, float]:
        """Return the state after one more label, at a position counted from 0, and what the label gains."""

    def finish(self, state: Any, /) -> float:
        """Return the gain at the end of the sequence in a state."""


@frozen
class FunctionAcceptor:
    """An acceptor made of functions: `step` and `finish` as in `Acceptor`; without `finish` the end gains nothing."""

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
"""Stands for the symbol of a label that is no operand of the property."""


def property_acceptors(
    grammar: Grammar, construction: str, labels: Mapping[str, Kind] | None = None, all_hard: bool = False
) -> tuple[LocalAcceptor | DeferredAcceptor, ...]:
    """Return an acceptor for each property of a construction, in the order of the grammar.

    A label is a category without features, or the category and the features that `labels` has for it. `all_hard`: every
    property counts as hard. Raises UsageError for a construction that the grammar does not have.
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
    """Observations of labels by properties: the daughter that a label stands for, and which operands it is."""

    def __init__(self, evaluator: Evaluator, kinds: Mapping[str, Kind]) -> None:
        self._evaluator = evaluator
        self._kinds = kinds

    def symbol(self, bound: BoundProperty, label: str) -> int:
        """Return the symbol that a property observes of a label, `NO_OPERAND` where that is none of its operands."""
        category, features = self._kinds.get(label, (label, ()))
        operands = self._evaluator.operands_matched(category, features) & bound.bits
        if not operands and bound.automaton.scope != "whole":
            return NO_OPERAND
        return bound.symbol(Constituent(category, 1, features), operands)

    def all_symbols(self, bound: BoundProperty) -> set[int]:
        """Return every symbol that the property observes of any label."""
        labels = {*self._kinds, *(operand.category for operand in bound.prop.all_operands())}
        return {self.symbol(bound, label) for label in labels} - {NO_OPERAND}


class LocalState(NamedTuple):
    """What a local property needs to know of the labels read: how many there were of each symbol that a later one may
    be violated with; the last symbols, the last one first, as far as it matters how many stand between, and none before
    the first that matters; whether a
    violation was counted that counts once."""

    read: tuple[tuple[int, int], ...]
    recent: tuple[int, ...]
    is_settled: bool = False


class LocalAcceptor:
    """A property that is decided in single labels and in pairs of labels, as soon as the second one is read."""

    def __init__(self, bound: BoundProperty, labels: _Labels, by_property: bool) -> None:
        self.property: Property = bound.prop
        self._reach = bound.automaton.traits.reach
        self.start = LocalState((), ())
        self._bound, self._labels = bound, labels
        self._by_property = by_property
        self._most = self._reach + 1 if bound.automaton.is_hard or by_property else None
        """Where it only matters whether a symbol was read: those in reach and another one."""
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
        """Return the state after one more label, and minus what the violations that it completes cost."""
        symbol = self._symbols.get(label)
        if symbol is None:
            symbol = self._symbols[label] = self._labels.symbol(self._bound, label)
        known = self._steps.get((state, symbol))
        if known is None:
            known = self._steps[state, symbol] = self._step(state, symbol)
        return known

    def finish(self, state: LocalState, /) -> float:
        """Nothing: all was counted before."""
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
        """Return the violated instances in a symbol alone, and in pairs of one read before and it."""
        pair = self._bound.automaton.pair
        total = pair(-1, symbol, 0).violated
        for before, times in state.read:
            near = [at for at, each in enumerate(state.recent) if each == before]
            total += sum(pair(before, symbol, at).violated for at in near)
            total += (times - len(near)) * pair(before, symbol, self._reach).violated
        return total


class Subsequence(NamedTuple):
    """Some of the symbols read, in order; of each but the first, whether it came directly after the one before it;
    whether the last one was the last symbol read. Where the property does not ask for neighbours these are False."""

    symbols: tuple[int, ...] = ()
    beside: tuple[bool, ...] = ()
    is_last: bool = False


class Read(NamedTuple):
    """The state of a deferred property after the symbols read.

    `counts` says how often each was read; `subsequences` are those that an instance may speak of, where the property
    asks for order: whole instances too where counts decide whether they hold. Where violations are counted and it asks
    for order, the whole sequence is kept as one.
    """

    counts: tuple[tuple[int, int], ...] = ()
    subsequences: frozenset[Subsequence] = frozenset()


VIOLATED: Final = Read((), frozenset({Subsequence()}))
"""An instance is violated for good, and the property counts once."""


class DeferredAcceptor:
    """A property that only the whole sequence decides; what no later label can repair is charged at once.

    Its states are those of the automaton of the property, which tell how often each symbol was read, or in which order.
    Where it only matters whether there is a violation, sequences that no further labels tell apart are one state
    (`Read`). Where violations are counted and the property asks for order and counts together, there is a state for
    each sequence read: such a property is for short sequences.
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
        """Return the state after one more label, and minus the cost of the violations that are irreparable now."""
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
        """Minus the cost of the violations that further labels could have repaired."""
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
        """True if a violation is permanent, in a property that counts once."""
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
        kept = chain.from_iterable([each] * min(times, self._most) for each, times in inside.items())
        return Read((), frozenset({Subsequence((*symbols[:margin], *kept, *symbols[margin:][-1:]))}))

    def _whole_sequence(self, read: Read, symbol: int) -> Read:
        (one,) = read.subsequences or {Subsequence()}
        return Read((), frozenset({Subsequence((*one.symbols, symbol))}))

    def _charged(self, state: int) -> int:
        """Return the violated instances that were charged on the way to a state; in the first one nothing is yet."""
        return self._bound.automaton.counts(state).irreparable if state else 0


def _loss(prop: Property, violated: int) -> float:
    """Return the gain of so many violated instances; 0.0 and not -0.0 for none."""
    return -(prop.cost * violated) / UNIT if violated else 0.0
