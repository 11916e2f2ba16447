"""Chart of the exact search: optimal solutions, in polynomial time, for profiles with contiguous constituents.

The search, compiled or in `python_search`, settles items (`items` explains the terms); solutions are read off these,
and the evaluator characterizes the trees that win.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import lru_cache, partial
from math import inf
from struct import Struct
from typing import Final, NamedTuple

from numbat import native
from numbat.derivations import Derivation, Derivations, Hyperedge
from numbat.evaluation.constituents import Assignment, Constituent, lexical_costs, word
from numbat.grammar.model import Construction, Grammar
from numbat.grammar.profiles import Profile
from numbat.grammar.properties import UNIT, Bundle
from numbat.parsing.analysis import Analysis, Rank, Solution, fragment_cost_of, tie_order
from numbat.parsing.exact.compiled_grammar import WeightedGrammar
from numbat.parsing.exact.items import (
    CHECK_EVERY,
    EDGES_AN_ITEM,
    ITEMS_PER_STATE,
    MIN_STATES,
    RISE_DIVISOR,
    Edge,
    SearchItems,
    WordItem,
    collection_suspended,
    least_ceiling,
)
from numbat.parsing.policies import COST_SHIFT, Limits, Overdue, Valuation, Value, never
from numbat.words.lattice import Arc, Lattice

Node = int
"""Number of an item; -1 - p stands for the rest of the input from position p on, `GOAL` for the whole input."""
GOAL: Final[Node] = -1
Label = Constituent | Construction | int | None
"""Label of an edge: a word, the construction of a phrase, a fragment cost in a cover, None for an active item."""

Planned = tuple[Node, Derivation | None]
"""An item and its derivation; None stands for the first of the best derivations."""

FIRST_PART: Final = 5
"""A first search, with a rising ceiling, gets 1 / this number of items; the rest is for searches under a known cost."""
FIRST_BEAM_STATES: Final = 16
"""Number of states per span in the first beam search, if the limit of items seems to allow it.

On English web text, this search finds the optimum for half of the sentences that need a beam; the next search finds it
for most others.
"""
BEAM_GROWTH: Final = 4
"""Factor by which states per span grow from one beam search to the next, and expected items from the third on."""
COST_EXPONENT: Final = 2.3
"""Items grow with this power of the cost up to which they are made: twice the cost means some five times as many."""
MAX_TIES_ORDERED: Final = 100
"""Maximum number of equally good solutions that are sorted; if there are more, they come as the search found them."""


def allows(profile: Profile) -> bool:
    """True if the exact search supports a profile; the phases engine runs all others.

    H1 is not required, because contiguous constituents (H2) never share a word.
    """
    is_exhaustive = profile.election == "per-construction" and profile.termination == "exhausted"
    return is_exhaustive and profile.has("H2") and profile.has("H5")


class Chart:
    """Chart of one sentence: the items of its search, and their solutions.

    `ceiling` is the maximum cost, if given. With `keep_all_edges`, all alternatives up to this cost are kept, not only
    the best ones; with a `margin` instead, all that are in a solution which costs at most so much more than the best.
    """

    def __init__(
        self,
        readings: Sequence[tuple[Arc, int]],
        tokens: int,
        weighted: WeightedGrammar,
        limits: Limits,
        keep_all_edges: bool = False,
        ceiling: int | None = None,
        overdue: Overdue = never,
        margin: int | None = None,
    ) -> None:
        self._weighted = weighted
        self._limits, self._overdue = limits, overdue
        self._order = tie_order(weighted.grammar)
        self._tokens = tokens
        self.readings = readings
        number = weighted.kinds.number
        numbered = [
            (start, end, number((name, features)), cost) for (start, end, _, name, features, _, _, _), cost in readings
        ]
        keep_all_edges = keep_all_edges or margin is not None
        self.items = search(tokens, numbered, weighted, ceiling, keep_all_edges, limits, overdue, margin)
        self.stopped_by: str | None = None
        self.at_least = 0 if limits.states is not None else self.items.at_least
        if self.items.stopped:
            is_full = limits.items is not None and self.items.built >= limits.items
            self.stopped_by = limits.describe("items" if is_full else "seconds")
        elif self.items.hit_budget:
            self.stopped_by = limits.describe("items")
        elif self.items.hit_state_limit:
            self.stopped_by = limits.describe("states")
        self._begin(None if keep_all_edges else self.items.covers)

    def _begin(self, best_from: Sequence[Value] | None) -> None:
        """Begin to read solutions off the items; `best_from` has the best covers if the items are only in these."""
        self._best_from = best_from
        self._built: dict[Planned, Constituent] = {}
        self._number: int | None = None
        self._sequences: dict[Node, tuple[Rank, ...]] = {}
        self._ranks: dict[Node, Rank] = {}
        self.forest: Derivations[Node, Label] = Derivations(self.made_of, tied=best_from is not None)

    def of_the_best(self) -> Chart:
        """Return the chart of the best solutions alone, given one of all solutions within a margin."""
        items, beside = self.items, self._weighted.valuation.value
        values, covers, ends = items.values, items.covers, items.ends
        starting = [
            [
                top
                for top in tops
                if beside(self._as_fragment(top), 0) + values[top] + covers[ends[top]] == covers[start]
            ]
            for start, tops in enumerate(map(items.starting.__getitem__, range(self._tokens)))
        ]
        best = copy(self)
        best.items = replace(items, edges=_BestEdges(items.edges, values), starting=starting)
        best._begin(items.covers)
        return best

    def made_of(self, node: Node) -> Sequence[Hyperedge[Node, Label]]:
        """Return the ways to build an item, or (for a negative number) to cover the rest of the input."""
        if node < 0:
            return tuple(self._filling(-1 - node))
        edges = self.items.edges[node]
        if len(edges) > 1 and self._best_from is not None:
            edges = sorted(edges, key=self._daughters)
        return [
            Hyperedge(tuple(part for part in (left, right) if part >= 0), value, self._label(left, label))
            for left, right, value, label in edges
        ]

    def _daughters(self, edge: Edge) -> tuple[Rank, ...]:
        """Return the ranks of an edge's daughters; if several sequences are equally good, those of the first."""
        left, right, _, _ = edge
        if left < 0:
            return ()
        return (*self._sequence(left), *((self._rank(right),) if right >= 0 else ()))

    def _sequence(self, item: Node) -> tuple[Rank, ...]:
        """Return the ranks of the daughters of an active item, or the rank of a passive item; without recursion."""
        if self.items.kinds[item] >= 0:
            return (self._rank(item),)
        waiting = [item]
        while item not in self._sequences:
            edges = self.items.edges[waiting[-1]]
            open_ends = [e[0] for e in edges if self.items.kinds[e[0]] < 0 and e[0] not in self._sequences]
            if open_ends:
                waiting += open_ends
            else:
                self._sequences[waiting.pop()] = min(map(self._daughters, edges))
        return self._sequences[item]

    def _rank(self, item: Node) -> Rank:
        """Return the `TieOrder.rank` that an item's constituent would have, without building its tree."""
        known = self._ranks.get(item)
        if known is not None:
            return known
        construction, features = self._weighted.kinds[self.items.kinds[item]]
        length = self.items.ends[item] - self.items.starts[item]
        rank = self._ranks[item] = -length, construction, self._order.features(features), self.depth(item)
        return rank

    def depth(self, item: Node) -> int:
        """Return the depth of an item's constituent, in its unary chain (ruling 4)."""
        depth, below = 0, self.items.edges[item][0][0]
        while below >= 0 and self.items.kinds[below] >= 0:
            depth, below = depth + 1, self.items.edges[below][0][0]
        return depth + (below >= 0)

    def _label(self, left: int, label: int) -> Label:
        if label < 0:
            return None
        return word(*self.readings[label]) if left < 0 else self._weighted.constructions[label]

    def _filling(self, position: int) -> Iterator[Hyperedge[Node, Label]]:
        """Yield the ways to cover the input from a position on (H5)."""
        hyperedges: list[Hyperedge[Node, Label]] = []
        for node in self.items.starting[position]:
            end = self.items.ends[node]
            cost = self._as_fragment(node)
            value = self._weighted.valuation.value(cost, 0)
            hyperedges.append(Hyperedge((node,) if end == self._tokens else (node, -1 - end), value, cost))
        yield from sorted(hyperedges, key=lambda alternative: self._rank(alternative.parts[0]))

    def _as_fragment(self, top: Node) -> int:
        """Return the cost of an item at the top; a root over the whole input is free (ruling 2)."""
        return 0 if top in self.items.roots else self._weighted.grammar.fragment_cost_units

    def best(self, n: int) -> list[Solution]:
        """Return up to n solutions, best first; equally good ones are in the order of ruling 1.

        For n above 1, at most `MAX_TIES_ORDERED` equally good ones are ordered so. When time is up, the solutions found
        by then are returned, at least one.
        """
        if n == 1 and self._best_from is not None:
            return [self._cover(None)]
        ties = self.count()
        solutions: list[tuple[Value, Solution]] = []
        for number in range(max(n, min(ties, MAX_TIES_ORDERED))):
            if number and self._overdue():
                self.stopped_by = self.stopped_by or self._limits.describe("seconds")
                break
            derivation = self.forest.derivation(GOAL, number)
            if derivation is None:
                break
            solutions.append((derivation.value, self._cover(derivation)))
        solutions.sort(key=lambda pair: (pair[0], [self._order.tree(top) for top in pair[1].constituents]))
        return [solution for _, solution in solutions[:n]]

    @property
    def least_cost(self) -> int | None:
        """Lower bound on the cost of any solution; None if the search met no limit, or was not led by costs."""
        is_known = self.stopped_by is not None and self._weighted.valuation.lexicographic
        return min(self.at_least, self.level) if is_known else None

    @property
    def is_proven(self) -> bool:
        """True if the best solution is known to be the best, though the search for others may have met a limit."""
        return self.stopped_by is None or self.level <= self.at_least

    @property
    def level(self) -> int:
        """Cost of the best solution."""
        value = self._best_from[0] if self._best_from else self.value_of(0)
        return self._weighted.valuation.level(value or 0)

    def check(self, solution: Solution) -> None:
        """Raise AssertionError if the evaluator's sums for the best solution differ from the value of the search."""
        value = self._weighted.valuation.value(solution.cost, solution.gain)
        assert value == self.value_of(0), f"the search found {self.value_of(0)}, the evaluator {value}"

    def value_of(self, number: int) -> Value | None:
        """Return the value of the solution with this number, counted from 0, or None."""
        derivation = self.forest.derivation(GOAL, number)
        return None if derivation is None else derivation.value

    def count(self) -> int:
        """Return the exact number of equally good solutions (ruling 16)."""
        if self._number is None:
            self._number = self._count_covers() if self._best_from else self.of_the_best().count()
        return self._number

    def _count_covers(self) -> int:
        """Count the covers of the input; each has as many trees as its members have together."""
        waiting: list[int] = [0]
        nodes: dict[int, list[int]] = {}
        while waiting:
            position = waiting.pop()
            if position not in nodes:
                tops = nodes[position] = [edge.parts[0] for edge in self.forest.hyperedges(-1 - position)]
                waiting += {self.items.ends[node] for node in tops} - {self._tokens}
        trees = self._trees([node for tops in nodes.values() for node in tops])
        ways = {self._tokens: 1}
        for position in sorted(nodes, reverse=True):
            ways[position] = sum(trees[node] * ways[self.items.ends[node]] for node in nodes[position])
        return ways[0]

    def _trees(self, items: list[int]) -> dict[int, int]:
        """Return the number of equally good trees for each item, counting those that the search did not count."""
        numbers: dict[int, int] = {}
        waiting = items
        while waiting:
            item = waiting[-1]
            if item not in numbers and self.items.counts[item] > 0:
                numbers[item] = self.items.counts[item]
            if item in numbers:
                waiting.pop()
                continue
            edges = self.items.edges[item]
            unknown = {
                part for left, right, _, _ in edges for part in (left, right) if part >= 0 and part not in numbers
            }
            if unknown:
                waiting += unknown
            else:
                numbers[item] = sum(
                    (numbers[left] if left >= 0 else 1) * (numbers[right] if right >= 0 else 1)
                    for left, right, _, _ in edges
                )
        return numbers

    def _cover(self, derivation: Derivation | None) -> Solution:
        """Return the top-level constituents of a derivation of the goal, with their fragment cost."""
        costs, tops = self.forest.right_spine(GOAL, derivation)
        return Solution(tuple(self._tree(*top) for top in tops), sum(cost for cost in costs if isinstance(cost, int)))

    def _tree(self, node: Node, derivation: Derivation | None) -> Constituent:
        """Return the constituent that a derivation builds (None: the best); without recursion, as trees may be deep.

        Equal parts of trees are built once.
        """
        waiting = [(node, derivation)]
        plan: list[tuple[Planned, Constituent | int, list[Node]]] = []
        while waiting:
            place = waiting.pop()
            label, parts = self._opened(*place)
            plan.append((place, label, [part for part, _ in parts]))
            waiting += parts
        built: list[Constituent] = []
        for place, label, below in reversed(plan):
            if isinstance(label, int):
                made = self.phrase(place[0], label, below, tuple(built[-len(below) :]))
                del built[-len(below) :]
                if place[1] is not None:
                    self._built[place] = made
            else:
                made = label
            built.append(made)
        return built[0]

    def _opened(self, node: Node, derivation: Derivation | None) -> tuple[Constituent | int, list[Planned]]:
        """Return either a finished constituent, or the number of a construction, with the daughters yet to be built."""
        if derivation is None:
            return self._best_parts(node)
        ready = self._built.get((node, derivation))
        if ready is not None:
            return ready, []
        label, parts = self.forest.expand(node, derivation)
        if isinstance(label, Constituent):
            return label, []
        assert isinstance(label, Construction)
        daughters = self.forest.left_spine(*parts[0], lambda item: self.items.kinds[item] >= 0)
        return self._weighted.compiled.evaluator.number[label.name], daughters

    def _best_parts(self, node: Node) -> tuple[Constituent | int, list[Planned]]:
        """Return the label and the parts of the best way to build an item, of several the first."""
        left, _, _, label = self._best_edge(node)
        if left < 0:
            return word(*self.readings[label]), []
        parts: list[Planned] = []
        while self.items.kinds[left] < 0:
            left, right, _, _ = self._best_edge(left)
            if right >= 0:
                parts.append((right, None))
        parts.append((left, None))
        parts.reverse()
        return label, parts

    def phrase(self, node: Node, number: int, parts: Sequence[Node], daughters: Assignment) -> Constituent:
        """Return the constituent of an item: of the construction with this number, over daughters with these items."""
        kinds = self.items.kinds
        return self._weighted.phrase(number, kinds[node], tuple([kinds[part] for part in parts]), daughters)

    def _best_edge(self, item: Node) -> Edge:
        """Return the best edge of an item; of equally good ones, the first in the order of ruling 1."""
        edges = self.items.edges[item]
        return edges[0] if len(edges) == 1 else min(edges, key=self._daughters)


class Solved(NamedTuple):
    """The best solutions, exact unless the chart of the best one says that a limit was met.

    `within` is the chart of all solutions within a margin of the best, if it was asked for and no limit was met.
    """

    solutions: list[Solution]
    best: Chart
    within: Chart | None = None


@collection_suspended()
def solve(
    lattice: Lattice,
    weighted: WeightedGrammar,
    limits: Limits,
    n: int,
    overdue: Overdue | None = None,
    margin: int | None = None,
) -> Solved:
    """Return the n best solutions; with a `margin`, also all within it of the best, found by the same search.

    `overdue` is a running clock; by default, a new clock starts now.
    """
    weighted.prepare(len(lattice.tokens))
    overdue = overdue or limits.clock()
    search = partial(Chart, lexical_costs(lattice), len(lattice.tokens), weighted, overdue=overdue)
    by_cost, step, more = weighted.valuation.lexicographic, max(weighted.usual_cost, 1), 0
    wide = None
    if by_cost and limits.states is None and (n > 1 or margin is not None):
        more = max(margin or 0, step if n > 1 else 0)
        wide = search(_at_first(limits), margin=more)
    if wide is None:
        best = _grow_then_beam(search, limits) if by_cost else search(limits)
    else:
        best = wide.of_the_best()
        if best.is_proven:
            best.stopped_by = None
        elif best.items.stopped:
            best = _grow_then_beam(search, limits, best if n == 1 else None)
        if wide.stopped_by:
            wide, more = None, 0
    within = None if margin is None else wide
    if n == 1 or best.stopped_by:
        return Solved(_put_single_best_first(best, best.best(n)), best, within)
    best.at_least = best.level  # it met no limit
    while True:
        wide = wide or search(limits, keep_all_edges=True, margin=more if by_cost else None)
        wide.at_least = best.at_least
        if wide.stopped_by and (wide.value_of(0) or 0) > best.items.covers[0]:
            best.stopped_by = wide.stopped_by
            return Solved(_put_single_best_first(best, best.best(n)), best)
        last = wide.value_of(n - 1)
        is_enough = not by_cost or (last is not None and weighted.valuation.level(last) <= best.level + more)
        if is_enough or wide.stopped_by or not wide.items.pruned:
            return Solved(_put_single_best_first(best, wide.best(n)), wide if wide.stopped_by else best, within)
        wide, more, step = None, more + step, 2 * step


def _put_single_best_first(chart: Chart, solutions: list[Solution]) -> list[Solution]:
    """Move the solution that would be returned for n = 1 to the front, however many are equally good."""
    if len(solutions) < 2:
        return solutions
    (first,) = chart.best(1)
    return [first, *(solution for solution in solutions if not is_same(solution, first))][: len(solutions)]


def is_same(one: Solution | Analysis, other: Solution | Analysis) -> bool:
    """True if two solutions of a sentence are the same."""
    return one is other or _shape(one) == _shape(other)


def _shape(solution: Solution | Analysis) -> list[tuple[str, int, Bundle, int]]:
    """Return a key by which equal solutions can be recognized; without recursion, as trees may be deep."""
    nodes = (constituent for top in solution.constituents for constituent in top.walk())
    return [(node.construction, node.cover, node.features, len(node.daughters)) for node in nodes]


def _grow_then_beam(search: Callable[..., Chart], limits: Limits, first: Chart | None = None) -> Chart:
    """Search with a rising ceiling, using a part of the items; if these do not suffice, run beam searches.

    `first` is the result of a rising ceiling that did not suffice, if there was one.

    A search that was stopped has few long constituents, so its parse is worthless; parses by a beam search are far
    better and take few items. Which number of states is best is unknown, so it grows as long as the items will probably
    suffice. The ceiling of each search is the cost of the best solution known so far. As soon as the items will
    probably suffice for everything up to that cost, an exact search uses them.
    """
    if limits.items is None:
        return search(limits)
    best = exact = first or search(_at_first(limits))
    if not best.items.stopped or best.stopped_by == limits.describe("seconds"):
        return best
    items, at_least = limits.items - best.items.built, best.at_least
    states = fewest = _first_states(items, len(best.items.covers) - 1)
    needed = 1
    while items >= needed and (limits.states is None or states < limits.states):
        rough = search(replace(limits, items=items, states=states), ceiling=best.level)
        best = min(best, rough, key=lambda chart: chart.items.covers[0])
        if rough.items.stopped:
            break
        items, needed = items - rough.items.built, BEAM_GROWTH * rough.items.built if states > fewest else 1
        states *= BEAM_GROWTH
        if _items_up_to(best.level, exact) <= items:
            exact = search(replace(limits, items=items), ceiling=best.level)
            if not exact.items.stopped:
                return exact
            best = min(best, exact, key=lambda chart: chart.items.covers[0])
            at_least = max(at_least, exact.at_least)
            break
    best.stopped_by, best.at_least = limits.describe("items"), at_least
    return best


def _items_up_to(cost: int, stopped: Chart) -> float:
    """Return how many items an exact search probably makes up to a cost, given one that was stopped before."""
    more = 1 if cost <= stopped.at_least else cost / stopped.at_least if stopped.at_least else inf
    return stopped.items.built * float(more**COST_EXPONENT)


def _first_states(items: int, tokens: int) -> int:
    """Return a number of states per span for the first beam search for which this many items usually suffice."""
    spans = tokens * (tokens + 1) // 2
    return min(FIRST_BEAM_STATES, max(MIN_STATES, items // (ITEMS_PER_STATE * spans)))


@lru_cache
def _at_first(limits: Limits) -> Limits:
    """Return limits with the items of a first search; cached, because making limits takes as long as a short search."""
    return replace(limits, items=limits.items and -(-limits.items // FIRST_PART))


# The exact search, compiled if possible, else in Python: `search` hides the difference.
#
# C with CPython's limited API was chosen by measurement: it costs nothing at start-up, can be left out if there is no
# compiler (then `python_search` runs), and is the fastest option tested; a JIT compiler would take .7 s at each start.
# `numbat.native` reports whether the compiled code is in use.


class Request(NamedTuple):
    """Request to the compiled search; fields are in the order in which `_module.c` reads them. -1 stands for no limit.

    `marks` has the number of the mark at each position, if the grammar declares marks. `items` and `states` are limits.
    `ceiling`, used if `has_ceiling`, is the maximum cost; it is at least `floor`, where a rising ceiling begins.
    `keep_all_edges`, `margin`, `overdue` and `return_all_items` are arguments of `search`. The other five fields
    are constants in the module `items`.
    """

    tokens: int
    words: list[WordItem]
    lookaheads: bytes
    marks: bytes
    has_ceiling: bool
    ceiling: int
    floor: int
    keep_all_edges: bool
    margin: int
    items: int
    states: int
    overdue: Overdue
    items_between_checks: int
    edges_an_item: int
    items_a_state: int
    fewest_states: int
    rise_divisor: int
    return_all_items: bool


class SearchAnswer(NamedTuple):
    """Answer of the compiled search; fields are in the order in which `_module.c` writes them.

    `items` has start, end, kind and first edge of each item, `quantities` the two halves of its value, its number of
    trees and the least cost around it; `edges` the rows of `_Edges`; `starting` the offset for each position, then the
    items that begin there; `table_states` the number of states in the tables and of steps to states.
    """

    built: int
    items: bytes
    quantities: bytes
    edges: bytes
    starting: bytes
    roots: bytes
    covers: bytes
    settled: int
    pruned: bool
    stopped: bool
    at_least: int
    hit_state_limit: bool
    hit_budget: bool
    table_states: int


def search(
    tokens: int,
    words: list[WordItem],
    weighted: WeightedGrammar,
    ceiling: int | None,
    keep_all_edges: bool,
    limits: Limits,
    overdue: Overdue = never,
    margin: int | None = None,
    return_all_items: bool = False,
) -> SearchItems:
    """Run the search of `python_search.search`, compiled if possible; in Python if numbers exceed 64 bits.

    With `return_all_items`, the compiled search returns all items, as the Python search does, not only those in covers.
    """
    # `native.load` reads the environment, which takes a tenth of the time of a search: call it only without tables.
    if weighted.compiled.tables is not None or native.load(native.EXACT_SEARCH) is not None:
        try:
            return _by_compiled(
                tokens, words, weighted, ceiling, keep_all_edges, limits, overdue, margin, return_all_items
            )
        except BaseException as error:
            weighted.compiled.forget_tables()  # a state may be half built
            if not isinstance(error, OverflowError):
                raise
    from numbat.parsing.exact import python_search  # imported on use, as the compiled search does not need it

    return python_search.search(tokens, words, weighted, ceiling, keep_all_edges, limits, overdue, margin)


def _values(weighted: WeightedGrammar) -> object:
    """Return the values of moves under these weights, cached for as long as the tables with the states exist."""
    from numbat.parsing.exact import _search

    compiled, grammar = weighted.compiled, weighted.grammar
    if compiled.tables is None:
        shapes = next((automaton.classes.shapes for automaton in compiled.automata), None)
        compiled.tables = _search.new_tables(shapes, compiled.automata, bytes(compiled.is_top))
    made = compiled.values.get(weighted)
    if made is None:
        made = _search.new_values(
            compiled.tables,
            weighted.automata,
            weighted.valuation.lexicographic,
            grammar.unary_limit,
            grammar.node_cost_units,
            grammar.fragment_cost_units,
            weighted.usual_cost,
        )
        compiled.values[weighted] = made
    return made


def _by_compiled(
    tokens: int,
    words: list[WordItem],
    weighted: WeightedGrammar,
    ceiling: int | None,
    keep_all_edges: bool,
    limits: Limits,
    overdue: Overdue,
    margin: int | None,
    return_all_items: bool,
) -> SearchItems:
    from numbat.parsing.exact import _search

    floor = least_ceiling(words)
    request = Request(
        tokens,
        words,
        weighted.lookahead_numbers(tokens, words),
        array("i", weighted.compiled.marks_between(tokens, words)).tobytes(),
        ceiling is not None,
        max(ceiling or 0, floor),
        floor,
        keep_all_edges,
        -1 if margin is None else margin,
        -1 if limits.items is None else limits.items,
        -1 if limits.states is None else limits.states,
        overdue,
        CHECK_EVERY,
        EDGES_AN_ITEM,
        ITEMS_PER_STATE,
        MIN_STATES,
        RISE_DIVISOR,
        return_all_items,
    )
    answer = SearchAnswer._make(_search.search(_values(weighted), weighted.compiled, request))
    weighted.compiled.table_states = answer.table_states
    rows, quantities = memoryview(answer.items).cast("i"), memoryview(answer.quantities).cast("q")
    shift = COST_SHIFT if weighted.valuation.lexicographic else 0
    return SearchItems(
        answer.built,
        rows[0::4],
        rows[1::4],
        rows[2::4],
        _Starting(memoryview(answer.starting).cast("i")),
        memoryview(answer.roots).cast("i"),
        _Values(memoryview(answer.covers).cast("q"), shift),
        answer.settled,
        answer.pruned,
        answer.stopped,
        answer.at_least,
        answer.hit_state_limit,
        answer.hit_budget,
        _Edges(rows[3::4], answer.edges, shift),
        quantities[2::4],
        _Values(quantities, shift, 4),
        quantities[3::4],
        answer,
    )


class _Starting(Sequence[Sequence[int]]):
    """Items by start position, stored as the offset for each position, then the items."""

    __slots__ = ("_numbers",)

    def __init__(self, numbers: memoryview[int]) -> None:
        self._numbers = numbers

    def __len__(self) -> int:
        return self._numbers[0] - 1

    def __getitem__(self, position: int) -> Sequence[int]:  # type: ignore[override]
        if position >= len(self):
            raise IndexError(position)
        return self._numbers[self._numbers[position] : self._numbers[position + 1]]


class _Values(Sequence[int]):
    """Values, each stored as two halves of 64 bits, the first numbers of a row."""

    __slots__ = ("_numbers", "_shift", "_width")

    def __init__(self, numbers: memoryview[int], shift: int, width: int = 2) -> None:
        self._numbers, self._shift, self._width = numbers, shift, width

    def __len__(self) -> int:
        return len(self._numbers) // self._width

    def __getitem__(self, item: int) -> int:  # type: ignore[override]
        first = self._width * item
        return (self._numbers[first] << self._shift) + self._numbers[first + 1]


class _Edges(Sequence[list[Edge]]):
    """The edges of each item, created when they are asked for."""

    __slots__ = ("_offsets", "_rows", "_shift")
    _ROW: Final = Struct("qqiii4x")

    def __init__(self, offsets: memoryview[int], rows: bytes, shift: int) -> None:
        self._offsets, self._rows, self._shift = offsets, rows, shift

    def __len__(self) -> int:
        return len(self._offsets)

    def __getitem__(self, item: int) -> list[Edge]:  # type: ignore[override]
        size, shift = self._ROW.size, self._shift
        first = self._offsets[item]
        last = self._offsets[item + 1] if item + 1 < len(self._offsets) else len(self._rows) // size
        if last == first + 1:
            major, minor, left, right, label = self._ROW.unpack_from(self._rows, first * size)
            return [(left, right, (major << shift) + minor, label)]
        rows = self._ROW.iter_unpack(self._rows[first * size : last * size])
        return [(left, right, (major << shift) + minor, label) for major, minor, left, right, label in rows]


class _BestEdges(Sequence[list[Edge]]):
    """The best edges of each item, given all edges and the values of the items."""

    __slots__ = ("_edges", "_values")

    def __init__(self, edges: Sequence[list[Edge]], values: Sequence[Value]) -> None:
        self._edges, self._values = edges, values

    def __len__(self) -> int:
        return len(self._edges)

    def __getitem__(self, item: int) -> list[Edge]:  # type: ignore[override]
        edges, values = self._edges[item], self._values
        if len(edges) == 1:
            return edges
        sums = [edge[2] + sum(values[part] for part in edge[:2] if part >= 0) for edge in edges]
        return [edge for edge, value in zip(edges, sums, strict=True) if value == values[item]]


# Upper bounds on the costs of the best solutions, for profiles that the exact search does not support.

PROHIBITIVE_COST: Final = 10_000 * UNIT
"""Fragment cost that exceeds the violation cost of any constituent over a whole sentence."""


def has_bounds(profile: Profile, valuation: Valuation) -> bool:
    """True if candidates that cost more than a known solution can be dropped, because the least cost decides."""
    finds_the_best = profile.election in ("per-construction", "all") and profile.termination == "exhausted"
    return finds_the_best and valuation.lexicographic


def grammar_of_bounds(
    weighted: WeightedGrammar, grammar: Grammar, profile: Profile, valuation: Valuation
) -> WeightedGrammar:
    """Return the compiled grammar for finding bounds; without H5, fragments have a prohibitive cost in this grammar."""
    if profile.has("H5"):
        return weighted
    dear = replace(grammar, fragment_cost_units=max(PROHIBITIVE_COST, grammar.fragment_cost_units))
    return WeightedGrammar(weighted.compiled, dear, valuation)


def contiguous_solutions(
    lattice: Lattice,
    of: WeightedGrammar,
    grammar: Grammar,
    spans: bool,
    limits: Limits,
    n: int,
    overdue: Overdue | None,
) -> list[Solution]:
    """Return the n best contiguous solutions; unless `spans` (H5), each must be one constituent over the sentence.

    The list is empty if there are fewer than n, or if a limit was met.
    """
    solutions, chart, _ = solve(lattice, of, limits, n, overdue)
    has_rows = any(len(solution.constituents) > 1 for solution in solutions)
    if chart.stopped_by or len(solutions) < n or (has_rows and not spans):
        return []
    tokens = len(lattice.tokens)
    return [
        Solution(solution.constituents, fragment_cost_of(solution.constituents, tokens, grammar))
        for solution in solutions
    ]


def costliest(solutions: Sequence[Solution]) -> int | None:
    """Return the highest cost of these solutions, None if there are none."""
    return max((solution.cost for solution in solutions), default=None)
