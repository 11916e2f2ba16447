"""The best parse in which a constituent of the user's choice exists: exact, by the same search.

A second forest is laid over that of the search: each node occurs twice, required to contain the constituent or not.
The requirement goes down to the one part whose span includes that of the constituent, and is met by a constituent of
that category over that span.
"""

from __future__ import annotations

from collections.abc import Iterator

from numbat.derivations import Derivation, Derivations, Derived, Hyperedge, build_bottom_up
from numbat.errors import UsageError
from numbat.evaluation.constituents import Constituent
from numbat.evaluation.evaluator import evaluated_phrase
from numbat.grammar.model import Construction
from numbat.grammar.properties import UNIT, Bundle, Demand, format_demand, subsumes
from numbat.parsing.exact.chart import GOAL, Chart, Label, Node
from numbat.parsing.parser import Parser
from numbat.parsing.records import Solution
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.words.lattice import Lattice

RequiringNode = tuple[Node, bool]
"""A node of the search, and whether the constituent is required to be in it."""


@frozen
class GivenConstituent:
    """A constituent that a parse is to have: its category over the tokens from `start` to `end` (exclusive).

    `features` are values that it is to have, none by default.
    """

    start: int
    end: int
    category: str
    features: Demand = ()

    def __str__(self) -> str:
        return f"{self.start}-{self.end}:{self.category}{format_demand(self.features)}"

    def matches(self, start: int, end: int, category: str, features: Bundle) -> bool:
        """Whether a constituent is the one that is meant."""
        return (start, end, category) == (self.start, self.end, self.category) and subsumes(self.features, features)


@frozen
class ConstrainedParse:
    """The best parse of all, and the best one with the constituent, None where no analysis has it.

    `stopped_by` names a limit that the search for the second met. Where no analysis has the constituent and no limit
    was met, `within` are all words and phrases that can be made of its words, without their daughters.
    """

    best: Parse
    parse: Parse | None
    stopped_by: str | None = None
    within: tuple[Constituent, ...] = ()


def parse_with(parser: Parser, lattice: Lattice, given: GivenConstituent) -> ConstrainedParse:
    """The best parse of a lattice in which the constituent exists. Raises UsageError where that cannot be asked.

    The limit of seconds is one for the best parse and for the one with the constituent.
    """
    if parser.engine != "exact":
        raise UsageError(
            "a constituent can be asked for with the exact engine only\n  take the profile default or loose"
        )
    if not 0 <= given.start < given.end <= len(lattice.tokens):
        raise UsageError(
            f"{given.start}-{given.end} is no span of this sentence\n"
            f"  it has the token positions 0 to {len(lattice.tokens)}, the end is exclusive"
        )
    overdue = parser.limits.clock()
    best = parser.parse(lattice)
    ceiling = best.cost if parser.valuation.lexicographic else None
    with parser.lock:
        while True:
            chart = parser.chart(lattice, keep_all_edges=True, ceiling=ceiling, overdue=overdue)
            forest = _ForestWith(chart, given, parser)
            found = forest.best()
            within = found is not None and (ceiling is None or parser.valuation.level(found.value) <= ceiling)
            if within or chart.stopped_by or ceiling is None or not chart.items.pruned:
                parse = None if found is None else forest.parse(lattice, found)
                lacking = parse is None and not chart.stopped_by
                return ConstrainedParse(best, parse, chart.stopped_by, forest.within() if lacking else ())
            ceiling += max(ceiling, parser.scaled_grammar.fragment_cost, UNIT)


class _ForestWith:
    """The forest of a search, each of its nodes with and without the requirement to contain the constituent."""

    def __init__(self, chart: Chart, given: GivenConstituent, parser: Parser) -> None:
        self._chart = chart
        self._given = given
        self._parser = parser
        self._kinds = parser.weighted.kinds
        self._derivations: Derivations[RequiringNode, Label] = Derivations(lambda node: tuple(self._hyperedges(node)))

    def best(self) -> Derivation | None:
        """The best derivation with the constituent, None where there is none."""
        return self._derivations.derivation((GOAL, True), 0)

    def parse(self, lattice: Lattice, derivation: Derivation) -> Parse:
        """A derivation as a parse, its characterizations made by the one evaluator."""
        costs, tops = self._derivations.right_spine((GOAL, True), derivation)
        fragment_cost = sum(cost for cost in costs if isinstance(cost, int))
        trees = tuple(build_bottom_up(top, self._expand, self._constituent) for top in tops)
        solution = Solution(trees, fragment_cost)
        count = self._derivations.count((GOAL, True))
        (parse,) = self._parser.parses_of(lattice, [solution], count, 1, "exact", self._chart.stopped_by)
        return parse

    def within(self) -> tuple[Constituent, ...]:
        """All that the search built of the words of the constituent, without daughters."""
        items, given = self._chart.items, self._given
        found = {}
        for node in (node for start in range(given.start, given.end) for node in items.starting[start]):
            if items.ends[node] <= given.end:
                start, end = items.starts[node], items.ends[node]
                category, features = self._kinds[items.kinds[node]]
                depth, cover = self._chart.depth(node), (1 << end) - (1 << start)
                found[start, end, category, features, depth] = Constituent(category, cover, features, depth)
        return tuple(found[key] for key in sorted(found))

    def _hyperedges(self, requiring: RequiringNode) -> Iterator[Hyperedge[RequiringNode, Label]]:
        node, is_required = requiring
        is_required = is_required and not self._is_given(node)
        for edge in self._chart.made_of(node):
            place = next((i for i, part in enumerate(edge.parts) if is_required and self._includes(part)), None)
            if is_required and place is None:
                continue
            parts = tuple((part, i == place) for i, part in enumerate(edge.parts))
            yield Hyperedge(parts, edge.value, edge.label)

    def _is_given(self, node: Node) -> bool:
        """Whether a node is the constituent."""
        items, given = self._chart.items, self._given
        return (
            node >= 0
            and items.kinds[node] >= 0
            and given.matches(items.starts[node], items.ends[node], *self._kinds[items.kinds[node]])
        )

    def _includes(self, node: Node) -> bool:
        """Whether the span of a node includes that of the constituent; the rest of the input begins at its position."""
        if node < 0:
            return -1 - node <= self._given.start
        items = self._chart.items
        return items.starts[node] <= self._given.start and self._given.end <= items.ends[node]

    def _expand(self, node: Derived[RequiringNode]) -> tuple[Label, list[Derived[RequiringNode]]]:
        """What a constituent is, and its daughters."""
        label, parts = self._derivations.expand(*node)
        if isinstance(label, Constituent):
            return label, []
        return label, self._derivations.left_spine(*parts[0], lambda part: self._chart.items.kinds[part[0]] >= 0)

    def _constituent(self, label: Label, daughters: tuple[Constituent, ...]) -> Constituent:
        if isinstance(label, Constituent):
            return label
        assert isinstance(label, Construction)
        return evaluated_phrase(label, daughters, self._parser.evaluator)
