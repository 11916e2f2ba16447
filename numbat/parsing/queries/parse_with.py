"""The best parse in which a constituent of the user's choice exists: exact, by the same search.

A second forest is laid over the one of the search: each node occurs twice, with and without the duty to contain the
constituent. The duty goes down to the one part that spans it, and ends where a constituent of that construction over
that span is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from numbat.derivations import Derivation, Derivations, Hyperedge, build_bottom_up
from numbat.errors import UsageError
from numbat.evaluation.constituents import Constituent
from numbat.evaluation.phrase_templates import evaluated_phrase
from numbat.evaluation.readings import lexical_costs
from numbat.grammar.model import Construction
from numbat.grammar.properties import UNIT
from numbat.parsing.exact.chart import GOAL, Chart, Label, Node
from numbat.parsing.parser import Parser
from numbat.parsing.records import Solution
from numbat.parsing.result import Parse
from numbat.words.lattice import Lattice

Duty = tuple[Node, bool]
"""A node of the search, and whether the constituent has to be in it."""
Place = tuple[Duty, Derivation | None]
"""A node with the way through the search that is taken there."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A constituent: its category over the tokens from `start` to `end` (exclusive)."""

    start: int
    end: int
    category: str

    def __str__(self) -> str:
        return f"{self.start}-{self.end}:{self.category}"


@dataclass(frozen=True, slots=True)
class Forced:
    """The best parse, and the best one with the constituent, None where no analysis has it.

    `stopped_by` names a limit that the search for the second met.
    """

    best: Parse
    parse: Parse | None
    stopped_by: str | None = None


def parse_with(parser: Parser, lattice: Lattice, wanted: Wanted) -> Forced:
    """The best parse of a lattice in which the constituent exists. Raises UsageError where that cannot be asked.

    The limit of seconds is one for the best parse and for the one with the constituent.
    """
    if parser.engine != "exact":
        raise UsageError(
            "a constituent can be asked for with the exact engine only\n  take the profile default or loose"
        )
    if not 0 <= wanted.start < wanted.end <= len(lattice.tokens):
        raise UsageError(
            f"{wanted.start}-{wanted.end} is no span of this sentence\n"
            f"  it has the token positions 0 to {len(lattice.tokens)}, the end is exclusive"
        )
    weighted = parser.weighted
    lexicographic = weighted.valuation.lexicographic
    readings, tokens = lexical_costs(lattice), len(lattice.tokens)
    overdue = parser.limits.clock()
    best = parser.parse(lattice)
    budget = best.cost if lexicographic else None
    with weighted.compiled.lock:
        while True:
            chart = Chart(readings, tokens, weighted, parser.limits, everything=True, budget=budget, overdue=overdue)
            forest = _Forest(chart, wanted, parser)
            found = forest.best()
            within = found is not None and (budget is None or weighted.valuation.level(found.value) <= budget)
            if within or chart.stopped_by or budget is None or not chart.items.pruned:
                parse = None if found is None else forest.parse(lattice, found)
                return Forced(best, parse, chart.stopped_by)
            budget += max(budget, weighted.grammar.fragment_cost, UNIT)


class _Forest:
    """The forest of a search, its nodes with and without the duty."""

    def __init__(self, chart: Chart, wanted: Wanted, parser: Parser) -> None:
        self._chart = chart
        self._wanted = wanted
        self._parser = parser
        self._kinds = parser.weighted.kinds
        self._graph: Derivations[Duty, Label] = Derivations(lambda node: tuple(self._alternatives(node)))

    def best(self) -> Derivation | None:
        return self._graph.derivation((GOAL, True), 0)

    def parse(self, lattice: Lattice, derivation: Derivation) -> Parse:
        costs, tops = self._graph.right_spine((GOAL, True), derivation)
        fragment_cost = sum(cost for cost in costs if isinstance(cost, int))
        trees = tuple(build_bottom_up(top, self._opened, self._constituent) for top in tops)
        solution = Solution(trees, fragment_cost)
        count = self._graph.count((GOAL, True))
        (parse,) = self._parser.parses_of(lattice, [solution], count, 1, "exact", self._chart.stopped_by)
        return parse

    def _alternatives(self, duty: Duty) -> Iterator[Hyperedge[Duty, Label]]:
        node, due = duty
        due = due and not self._is_wanted(node)
        for alternative in self._chart.made_of(node):
            place = next((i for i, part in enumerate(alternative.parts) if due and self._spans(part)), None)
            if due and place is None:
                continue
            parts = tuple((part, i == place) for i, part in enumerate(alternative.parts))
            yield Hyperedge(parts, alternative.value, alternative.label)

    def _is_wanted(self, node: Node) -> bool:
        items, wanted = self._chart.items, self._wanted
        return (
            node >= 0
            and items.kinds[node] >= 0
            and (items.starts[node], items.ends[node]) == (wanted.start, wanted.end)
            and self._kinds[items.kinds[node]][0] == wanted.category
        )

    def _spans(self, node: Node) -> bool:
        """Whether the constituent may be in a node; the rest of the input spans it from its position on."""
        if node < 0:
            return -1 - node <= self._wanted.start
        items = self._chart.items
        return items.starts[node] <= self._wanted.start and self._wanted.end <= items.ends[node]

    def _opened(self, place: Place) -> tuple[Label, list[Place]]:
        """What stands at a place of the tree, and the places of its daughters."""
        label, parts = self._graph.expand(*place)
        if isinstance(label, Constituent):
            return label, []
        return label, self._graph.left_spine(*parts[0], lambda duty: self._chart.items.kinds[duty[0]] >= 0)

    def _constituent(self, label: Label, daughters: tuple[Constituent, ...]) -> Constituent:
        if isinstance(label, Constituent):
            return label
        assert isinstance(label, Construction)
        return evaluated_phrase(label, daughters, self._parser.evaluator)
