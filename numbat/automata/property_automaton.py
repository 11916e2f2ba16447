"""Property automata: one per property shape, bound to the properties of a grammar.

The scope of a property says when its instances are decided:

- `local`: conditions on the tuple itself (order, adjacency, features), of one daughter or two; an instance is decided
  as soon as its last daughter is read.
- `global`: conditions on presence and number; the property is decided at the end, from counts.
- `whole`: all other conditions; the property is decided at the end, from the whole sequence.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from itertools import chain, permutations
from typing import Final, NamedTuple

from numbat.automata.records import DeferredCounts, FinalCounts, Numbering, PairCounts
from numbat.evaluation.constituents import Constituent, union
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.matching import DaughterRow, count_instances, evaluate_row, number_irreparable, plan_of, slots
from numbat.grammar.expressions import (
    Adjacent,
    Agree,
    Always,
    And,
    Count,
    Distance,
    Expression,
    HasValue,
    Last,
    Not,
    Or,
    Place,
    Precedes,
    Present,
    SameValue,
    walk,
)
from numbat.grammar.properties import Bundle, Operand, Parameter, Property, value_of
from numbat.grammar.relations import Relation
from numbat.records import cached_property

LOCAL: Final = (Always, Precedes, Adjacent, Distance, Agree, SameValue, HasValue, Not, And, Or)
"""Expressions about the matched tuple itself."""
GLOBAL: Final = (Always, Count, Present, Not, And, Or)
"""Expressions about what is present and how often."""
POSITIONAL: Final = (Always, Precedes, Adjacent, Distance, Not, And, Or)
"""Expressions that depend only on the order of daughters, not on their features."""


PLACED: Final = (*GLOBAL, Place, Last, Agree, SameValue, HasValue)
"""Expressions that may depend on how far a daughter is from either end, but not on the order of other daughters."""


class RelationTraits(NamedTuple):
    """Traits of the expressions in a relation: those in its condition and in the guards of its clauses.

    `reach`: the maximum number of daughters between two that makes a difference; 1 if expressions only ask for
    neighbours. `gaps`: the numbers of daughters between two at which the truth of an expression may change. `margin`:
    daughters of one kind are alike if more than this number come before them and at least one after them; None if the
    whole order matters. `asks_places`: some expression depends on the places of daughters; `asks_end`: on whether
    others follow. `features`: the features whose values are compared; `largest_count`: the largest number that a count
    is compared with.
    """

    is_local: bool
    is_global: bool
    is_positional: bool
    reach: int
    gaps: tuple[int, ...]
    margin: int | None
    asks_places: bool
    asks_end: bool
    asks_counts: bool
    features: frozenset[str]
    largest_count: int


@lru_cache(maxsize=256)
def traits_of(relation: Relation) -> RelationTraits:
    """Return the traits of a relation, cached."""
    roots = (relation.holds, *(clause.guard for clause in relation.clauses))
    nodes = [node for root in roots for node in walk(root)]
    features: set[str] = set()
    for node in nodes:
        match node:
            case HasValue(_, feature):
                features.add(feature)
            case SameValue(_, left, _, right):
                features |= {left, right}
    return RelationTraits(
        all(isinstance(node, LOCAL) for node in nodes),
        relation.violated_by is None and all(isinstance(node, GLOBAL) for node in nodes),
        all(isinstance(node, POSITIONAL) for node in nodes),
        max(
            int(any(isinstance(node, Adjacent) for node in nodes)),
            relation.violated_by.most if relation.violated_by else 0,
            *(node.number for node in nodes if isinstance(node, Distance)),
        ),
        _gaps(relation, nodes),
        max((node.number for node in nodes if isinstance(node, Place)), default=0)
        if _is_placed(relation, nodes)
        else None,
        any(isinstance(node, Place | Last) for node in nodes),
        any(isinstance(node, Last) for node in nodes),
        any(isinstance(node, Count | Present) for node in nodes),
        frozenset(features),
        max((node.number for node in nodes if isinstance(node, Count)), default=0),
    )


def _gaps(relation: Relation, nodes: Sequence[Expression]) -> tuple[int, ...]:
    """Return the numbers of daughters between two at which the truth of a condition may change."""
    gaps = {0, 1, *range(relation.violated_by.most + 1 if relation.violated_by else 0)}
    for node in nodes:
        if isinstance(node, Distance):
            gaps |= {node.number - 1, node.number}
    return tuple(sorted(gap for gap in gaps if gap >= 0))


def _is_placed(relation: Relation, nodes: Sequence[Expression]) -> bool:
    """True if the order of daughters matters only within the margin (`RelationTraits`).

    Not for symmetric relations: their tuples are evaluated in the order that begins furthest left.
    """
    if relation.violated_by is not None or (relation.symmetric and len(relation.matched) > 1):
        return False
    return all(isinstance(node, PLACED) for node in nodes)


def scope_of(prop: Property, relation: Relation) -> str:
    """Return the scope of a property: `local`, `global` or `whole`."""
    traits = traits_of(relation)
    if traits.is_local and all(
        1 <= len(wanted) <= 2 for clause in relation.clauses for wanted in slots(prop, relation, clause)
    ):
        return "local"
    return "global" if traits.is_global else "whole"


# One automaton per property shape: it reads daughters left to right and counts satisfied and violated instances.
#
# A property only observes which of its operands a daughter matches, and the daughter's values of the features that the
# property compares: the *observed symbol*. Daughters of many kinds share a symbol, so the evaluator is asked few
# questions, each only once.
#
# A *state* of a deferred property is a number: 0 before anything was read, else the number of the sequence of symbols
# read, sorted if order does not matter. A local property needs no states: it counts in pairs of symbols.
#
# Most properties of a grammar differ only in their operands (Det < N, V < NP), or in their weights and costs. An
# automaton knows operands by their places in the property and counts instances without weights, so that one automaton
# serves all properties of the same shape (`BoundProperty`).

MAX_CONTINUATIONS: Final = 100
"""Maximum number of combinations of further daughters that `final_counts` examines."""
ANY_NUMBER: Final = 1 << 62
"""Value of `enough` for a property in which no number of daughters is enough."""

Symbol = tuple[int, Bundle]
"""A daughter as a property observes it: the property's operands that it matches, as a bit set of their places in the
property, and its values of the features that the property compares."""

_STRANGER: Final[Symbol] = 0, ()
"""A daughter that matches no operand, put between two daughters to separate them."""


class PropertyAutomaton:
    """Counts the instances of properties of one shape in the symbols that it reads; answers are cached."""

    def __init__(self, prop: Property, relation: Relation, is_hard: bool, by_property: bool) -> None:
        self.scope = scope_of(prop, relation)
        self.is_hard = is_hard
        self.traits = traits_of(relation)
        self.features = tuple(sorted(self.traits.features.union(prop.features)))
        self._prop = prop
        self._by_property = by_property
        self._retrieves = not relation.is_price
        bits = {operand: 1 << i for i, operand in enumerate(named_operands(prop))}
        self._plan = plan_of(prop, relation, bits.__getitem__)
        choices = [parameter for parameter in prop.operands if _is_choice(parameter)]
        self._any_of = [union(bits[operand] for (operand,) in parameter) for parameter in choices]
        others = (parameter for parameter in prop.operands if parameter not in choices)
        self._distinguished = union(bits[operand] for parameter in others for joint in parameter for operand in joint)
        self._symbols: dict[tuple[int, tuple[bool, ...], Bundle], int] = {}
        self.of_operands: dict[int, int] = {}
        """By operands: the number of the symbol of daughters whose features do not matter."""
        self._observed: list[Symbol] = []
        self._pairs: dict[tuple[int, int, int], PairCounts] = {}
        self._states: Numbering[tuple[int, ...]] = Numbering(())
        self._next: dict[tuple[int, int], int] = {}
        self._counts: dict[int, DeferredCounts] = {}
        self._irreparable: dict[tuple[int, int], int] = {}
        self._continuations: Numbering[tuple[tuple[int, ...], int]] = Numbering()
        self._final: dict[tuple[int, tuple[int, ...], int], tuple[FinalCounts, ...]] = {}

    def symbol(self, operands: int, features: Bundle) -> int:
        """Return the number of the symbol for a daughter that matches these operands of the property (a bit set)."""
        known = self.of_operands.get(operands)
        return self._observe(operands, features) if known is None else known

    def _observe(self, operands: int, features: Bundle) -> int:
        compared = self.features if operands else ()
        values = tuple([(f, v) for f in compared if (v := value_of(features, f)) is not None])
        key = operands & self._distinguished, tuple([bool(operands & bits) for bits in self._any_of]), values
        symbol = self._symbols.get(key)
        if symbol is None:
            symbol = len(self._observed)
            self._observed.append((operands, values))
            self._symbols[key] = symbol  # last, so that an interrupt leaves nothing incomplete
        if not compared:
            self.of_operands[operands] = symbol
        return symbol

    # local properties

    def pair(self, before: int, symbol: int, between: int) -> PairCounts:
        """Count the instances of a local property when a symbol follows another one (for the symbol alone: -1).

        `between` is the number of daughters between the two. Of several numbers that no condition distinguishes, only
        the smallest is evaluated: `distance(B, C) <= 20000` takes no longer than `distance(B, C) <= 2`.
        """
        gaps = self.traits.gaps
        key = before, symbol, gaps[bisect_right(gaps, between) - 1]
        known = self._pairs.get(key)
        if known is None:
            known = self._pairs[key] = self._pair(*key)
        return known

    def _pair(self, before: int, symbol: int, between: int) -> PairCounts:
        observed = [self._observed[symbol]]
        if before >= 0:
            observed = [self._observed[before], *[_STRANGER] * between, *observed]
        satisfied, violated, retrieved = evaluate_row(self._row(observed), by_property=False)
        of_both = before >= 0
        return PairCounts(
            sum((len(instance.elements) > 1) == of_both for instance in satisfied),
            sum((len(instance.elements) > 1) == of_both for instance in violated),
            retrieved and self._retrieves,
        )

    # deferred properties: global and whole ones

    def step(self, state: int, symbol: int) -> int:
        """Return the state after one more symbol."""
        key = state, symbol
        known = self._next.get(key)
        if known is None:
            known = self._next[key] = self._states.number(self.canonical((*self._states[state], symbol)))
        return known

    def canonical(self, symbols: tuple[int, ...]) -> tuple[int, ...]:
        """Return the canonical form of symbols: without any order that later symbols and the end cannot observe.

        If only places matter, the first symbols up to the margin and the last symbol are kept, and those between are
        sorted.
        """
        if self.scope == "global":
            return tuple(sorted(symbols))
        if not self.traits.asks_places:
            return self._without_strangers(symbols)
        margin = self.traits.margin
        if margin is None or len(symbols) <= margin + 2:
            return symbols
        inside = sorted(symbol for symbol in symbols[margin:-1] if self._observed[symbol][0])
        return (*symbols[:margin], *inside, symbols[-1])

    def _without_strangers(self, symbols: tuple[int, ...]) -> tuple[int, ...]:
        """Return the symbols of daughters that match operands, and between these as many others as are within reach."""
        if self.traits.margin == 0:
            return tuple(sorted(symbol for symbol in symbols if self._observed[symbol][0]))
        kept: list[int] = []
        strangers = self.traits.reach  # none counts before the first
        for symbol in symbols:
            strangers = 0 if self._observed[symbol][0] else strangers + 1
            if strangers <= self.traits.reach:
                kept.append(symbol)
        return tuple(kept)

    def counts(self, state: int) -> DeferredCounts:
        """Return the counts of a deferred property if the assignment ends in this state."""
        known = self._counts.get(state)
        if known is None:
            known = self._counts[state] = self._count(self._row(self._symbols_of(state)))
        return known

    def _count(self, row: DaughterRow) -> DeferredCounts:
        if self.scope == "global":
            satisfied, violated, satisfied_by_operands, retrieved = count_instances(row, self._by_property)
            irreparable = number_irreparable(row, self._by_property)
        else:
            satisfied_in, violated_in, retrieved = evaluate_row(row, self._by_property)
            satisfied, violated, irreparable = len(satisfied_in), len(violated_in), 0
            satisfied_by_operands = any(instance.elements or row.is_found() for instance in satisfied_in)
        return DeferredCounts(
            satisfied,
            violated,
            irreparable,
            int(violated > 0 and self.is_hard),
            int(irreparable > 0 and self.is_hard),
            int(satisfied_by_operands),
            int(retrieved and self._retrieves),
        )

    @cached_property
    def is_unsettled(self) -> bool:
        """True if a deferred property is violated before anything was read, but not permanently."""
        counts = self.counts(0)
        return counts.violated > counts.irreparable

    def irreparable(self, state: int, attainable: int) -> int:
        """Return how many instances of a property surely stay violated if only these operands (a bit set) may come."""
        if self.scope == "whole":
            return 0
        key = state, attainable
        known = self._irreparable.get(key)
        if known is None:
            row = self._row(self._symbols_of(state), attainable)
            known = self._irreparable[key] = number_irreparable(row, self._by_property)
        return known

    def continuation(self, symbols: tuple[int, ...], room: int) -> int:
        """Return the number of a continuation, in which up to `room` daughters with each of these symbols follow."""
        return self._continuations.number((symbols, room))

    def final_counts(self, state: int, continuation: int) -> tuple[FinalCounts, ...]:
        """Return the counts of a global property after the extreme continuations, for comparing two states.

        Empty if there are too many extreme continuations, or if their order matters. After `enough` daughters with a
        symbol, each further one adds the same counts and decides nothing; so of each symbol, the numbers up to `enough`
        and the largest number are examined. For a property that matches pairs of daughters, every number is examined.
        """
        symbols, room = self._continuations[continuation]
        is_short = self.scope == "global" and (min(self.enough, room) + 2) ** len(symbols) <= MAX_CONTINUATIONS
        return self._final_counts(state, symbols, room) if is_short else ()

    @cached_property
    def enough(self) -> int:
        """Number of daughters with the same symbol after which each further one adds the same counts.

        This number settles whether a global property is violated and whether it holds.
        """
        if any(len(match.names) > 1 for match in self._plan.matches):
            return ANY_NUMBER
        return self._enough_to_count

    @cached_property
    def largest_tuple(self) -> int:
        """Largest number of daughters of one instance."""
        return max((len(match.names) for match in self._plan.matches), default=0)

    @cached_property
    def enough_once(self) -> int:
        """Number of daughters with the same symbol after which more do not change whether there is a violation."""
        return max(self._enough_to_count, self.largest_tuple)

    @cached_property
    def _enough_to_count(self) -> int:
        """Number of daughters with the same symbol that exceeds each number that the relation compares a count with.

        Joint operands are counted as sets (ruling 27): each daughter beyond the number of members makes another set.
        """
        longest = max((len(joint) for operand in self._prop.operands for joint in operand), default=1)
        return self.traits.largest_count + longest

    def may_match(self, symbols: tuple[int, ...]) -> bool:
        """True if one instance may consist of daughters with these observed symbols, in any order."""
        masks = [self._observed[symbol][0] for symbol in symbols]
        return any(
            all(mask & bit for mask, bit in zip(masks, bits, strict=True))
            for match in self._plan.matches
            for bits in permutations(match.bits, len(symbols))
        )

    def _final_counts(self, state: int, symbols: tuple[int, ...], room: int) -> tuple[FinalCounts, ...]:
        key = state, symbols, room
        known = self._final.get(key)
        if known is None:
            known = self._final[key] = self._final_after(*key) if symbols else (self._final_in(state),)
        return known

    def _final_after(self, state: int, symbols: tuple[int, ...], room: int) -> tuple[FinalCounts, ...]:
        first, rest = symbols[0], symbols[1:]
        enough, room_of_rest = min(self.enough, room), room if rest else 0
        rows = []
        for _ in range(min(enough + 1, room) + 1):
            rows.append(self._final_counts(state, rest, room_of_rest))
            state = self.step(state, first)
        if room > enough:
            times, pairs = room - enough - 1, zip(*rows[-2:], strict=True)
            rows[-1] = tuple([_extrapolated(less, more, times) for less, more in pairs])
        return tuple(chain.from_iterable(rows))

    def _final_in(self, state: int) -> FinalCounts:
        counts = self.counts(state)
        return FinalCounts(counts.satisfied, counts.violated, bool(counts.satisfied_by_operands), bool(counts.hard))

    def _symbols_of(self, state: int) -> list[Symbol]:
        return [self._observed[symbol] for symbol in self._states[state]]

    def _row(self, observed: Sequence[Symbol], attainable: int = -1) -> DaughterRow:
        """Return a row of daughters with these observed symbols."""
        daughters = tuple([Constituent("", 1 << i, values) for i, (_, values) in enumerate(observed)])
        return DaughterRow(daughters, [operands for operands, _ in observed], self._plan, attainable)


def _extrapolated(less: FinalCounts, more: FinalCounts, times: int) -> FinalCounts:
    """Return the counts after `times` more steps of the same size as the one from `less` to `more`."""
    return more._replace(
        satisfied=more.satisfied + times * (more.satisfied - less.satisfied),
        violated=more.violated + times * (more.violated - less.violated),
    )


def named_operands(prop: Property) -> list[Operand]:
    """Return the operands that a property names, each once; their order gives their places in the property."""
    return list(dict.fromkeys(prop.all_operands()))


def _is_choice(parameter: Parameter) -> bool:
    """True if all alternatives are single operands, so that it only matters whether a daughter matches any of them."""
    return len(parameter) > 1 and all(len(joint) == 1 for joint in parameter)


# The properties of a grammar, each bound to the automaton of its shape; the compiled search asks these by number.


class BoundProperty(NamedTuple):
    """A property of a construction, and the automaton of its shape.

    `number` is the property's index in `Grammar.rules`, `shape` the number of its automaton. `bits` (a bit set)
    and `places` (in the automaton's order) are the property's operands among all operands of the grammar.
    """

    prop: Property
    number: int
    shape: int
    automaton: PropertyAutomaton
    bits: int
    places: tuple[int, ...]

    def symbol(self, daughter: Constituent, operands: int) -> int:
        """Return the number of the symbol for a daughter that matches these operands of the grammar (a bit set)."""
        in_property = sum(1 << i for i, place in enumerate(self.places) if operands >> place & 1)
        return self.automaton.symbol(in_property, daughter.features)

    def own_places(self, places: Iterable[int]) -> int:
        """Convert places of operands in the grammar to a bit set of their places in the property."""
        return sum(1 << self.places.index(place) for place in places)


class PropertyAutomata:
    """The property automata of a grammar, one per shape; with `all_hard`, every property is treated as hard."""

    def __init__(self, evaluator: Evaluator, all_hard: bool) -> None:
        self._evaluator = evaluator
        self._all_hard = all_hard
        self._known: dict[Hashable, int] = {}
        self._automata: list[PropertyAutomaton] = []

    def bind(self, prop: Property) -> BoundProperty:
        """Return a property of the grammar with the automaton of its shape."""
        named = self._evaluator.places_of(prop)
        places, bits = tuple(dict.fromkeys(named)), 0
        for place in places:
            bits |= 1 << place
        sizes = tuple([tuple([len(joint) for joint in parameter]) for parameter in prop.operands])
        is_hard = prop.hard or (self._all_hard and not prop.is_price)
        shape = prop.relation, sizes, tuple([places.index(place) for place in named]), prop.features, is_hard
        table = self._evaluator.table
        known = self._known.setdefault(shape, len(self._automata))
        if known == len(self._automata):
            relation, by_property = table.relations[prop.relation], table.grammar.semantics.by_property
            self._automata.append(PropertyAutomaton(prop, relation, is_hard, by_property))
        return BoundProperty(prop, table.order[id(prop)], known, self._automata[known], bits, places)

    # questions that the compiled search asks, by the number of a shape

    def pair_counts(self, shape: int, before: int, symbol: int, between: int) -> PairCounts:
        """Return `PropertyAutomaton.pair` for the local properties of a shape."""
        return self._automata[shape].pair(before, symbol, between)

    def state_after(self, shape: int, state: int, symbol: int) -> tuple[int, DeferredCounts]:
        """Return the state of a deferred property after one more symbol (-1: the same state), and the counts in it."""
        automaton = self._automata[shape]
        after = state if symbol < 0 else automaton.step(state, symbol)
        return after, automaton.counts(after)

    def irreparable(self, shape: int, state: int, attainable: bytes) -> int:
        """Return `PropertyAutomaton.irreparable` for a global property; `attainable` is a little-endian bit set."""
        return self._automata[shape].irreparable(state, int.from_bytes(attainable, "little"))
