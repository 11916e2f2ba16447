"""Diagnoses: the sets of properties that parses violate which cost little more than the best one.

One mistake often has several explanations that cost about the same: in *the cats sleeps*, the noun or the verb may be
wrong. A diagnosis is a set of reasons, minimal by inclusion among the parses within a margin of the best. A reason is a
kind of violation at a place: violations with the same gloss, or of the same relation, that are about the same words are
one reason.

The packed forest of these parses (`Chart`, `only_within`) is folded from the words up. Each item has its partial
analyses, of which one is dropped if another one has no reason that it lacks, and costs no more: whatever the rest of
the sentence is, the other one is at least as good. So the diagnoses are exact, unless an item has more than `MOST`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from numbat.evaluation.constituents import Constituent, lexical_costs, word
from numbat.grammar.model import Construction
from numbat.grammar.properties import UNIT
from numbat.parsing.analysis import Analysis, Diagnosis, Evaluated, Solution
from numbat.parsing.exact.chart import GOAL, Chart, Node
from numbat.parsing.explanation.text import brackets
from numbat.parsing.explanation.violations import bearer, explain_prices, explain_violation
from numbat.parsing.parser import Parser
from numbat.parsing.policies import Overdue, Value, never
from numbat.parsing.result import Parse, Parses

MARGIN: Final = 0.3
"""Default margin: less than the usual cost of a violation, as much as many a price."""
MOST_TOLD: Final = 8
"""Maximum number of other diagnoses in the outcome of a parse."""
MOST: Final = 64
"""Maximum number of partial analyses kept for an item."""

Reason = tuple[str, tuple[int, ...]]
"""Kind of a violation, and the positions of the words that it is about."""
FRAGMENTS: Final[Reason] = ("fragments", ())
"""Reason of a parse that is not one root."""


class Partial(NamedTuple):
    """One analysis of a part of a sentence: its value, its reasons, its constituents and their items.

    An unfinished constituent has several constituents, its daughters so far.
    """

    value: Value
    reasons: frozenset[Reason]
    constituents: tuple[Constituent, ...]
    nodes: tuple[Node, ...]
    fragment_cost: int = 0


def diagnosed(parser: Parser, parse: Parse, margin: float, overdue: Overdue = never) -> Parse:
    """Return a parse with the best of the other diagnoses within a margin of its cost in its outcome."""
    others = diagnoses(parser, parse, margin, overdue)[1 : MOST_TOLD + 1]
    if not others:
        return parse
    diagnoses_ = tuple(
        Diagnosis(
            other.cost_units,
            other.violation_cost_units,
            explain_violation(other),
            explain_prices(other),
            brackets(other),
        )
        for other in others
    )
    return replace(parse, outcome=replace(parse.outcome, diagnoses=diagnoses_))


def diagnoses(parser: Parser, parse: Parse, margin: float = MARGIN, overdue: Overdue = never) -> Parses:
    """Return a best parse of a sentence, then one parse for each other diagnosis within the margin, by rising cost.

    The order is by the cost of violations and fragments, then by total cost, then by weight. There are no others if the
    parse is well-formed, if its search met a limit, if the grammar is shallow, or if the parser does not search by cost
    with the exact engine.
    """
    searches_by_cost = parser.engine == "exact" and parser.valuation.lexicographic
    if (
        not searches_by_cost
        or parser.grammar.is_shallow
        or parse.stopped_by is not None
        or not (parse.violated or parse.fragment_cost_units)
    ):
        return Parses([parse])
    limit = parse.cost_units + round(margin * UNIT)
    with parser.lock:
        chart = parser.chart(parse.lattice, True, limit, overdue, only_within=True)
        if chart.stopped_by is not None:
            return Parses([parse])
        analyses = _Folding(parser, parse, chart, limit).minimal()
    solutions = [Solution(one.constituents, one.fragment_cost) for one in analyses]
    others = parser.parses_of(parse.lattice, solutions, parse.count, 1, "exact", None)
    others.sort(key=lambda one: (one.violation_cost_units + one.fragment_cost_units, one.cost_units, -one.weight_units))
    return Parses([parse, *others])


class _Folding:
    """Partial analyses of all items of a chart, from the words up."""

    def __init__(self, parser: Parser, parse: Parse, chart: Chart, limit: int) -> None:
        self._chart, self._limit = chart, limit
        self._level = parser.valuation.level
        self._value = parser.valuation.value
        self._readings = lexical_costs(parse.lattice)
        self._constructions = parser.evaluator.table.constructions
        self._best = reasons_of(parse, self._constructions)
        self._known: dict[Node, list[Partial]] = {}

    def minimal(self) -> list[Partial]:
        """Return the best analysis for each minimal set of reasons other than that of the parse."""
        for node in self._chart.forest.bottom_up(GOAL):
            self._known[node] = self._unbeaten(node, list(self._ways(node)))
        every = [one for one in self._known[GOAL] if self._level(one.value) <= self._limit]
        sets = {one.reasons for one in every} | {self._best}
        return [one for one in every if one.reasons != self._best and not any(few < one.reasons for few in sets)]

    def _ways(self, node: Node) -> Iterator[Partial]:
        if node < 0:
            yield from self._covers(node)
            return
        items, known = self._chart.items, self._known
        for left, right, value, label in items.edges[node]:
            if left < 0:
                leaf = word(*self._readings[label])
                yield Partial(value, frozenset(), (leaf,), (node,))
                continue
            for begun in known[left]:
                for added in known[right] if right >= 0 else (NONE,):
                    nodes, parts = begun.nodes + added.nodes, begun.constituents + added.constituents
                    total, reasons = value + begun.value + added.value, begun.reasons | added.reasons
                    if items.kinds[node] < 0:
                        yield Partial(total, reasons, parts, nodes)
                    else:
                        made = self._chart.phrase(label, nodes, parts)
                        yield Partial(total, reasons | self._reasons(made), (made,), (node,))

    def _covers(self, node: Node) -> Iterator[Partial]:
        """Yield the analyses of the rest of the sentence from a position on."""
        for edge in self._chart.forest.hyperedges(node):
            assert isinstance(edge.label, int)
            fragment = frozenset((FRAGMENTS,)) if edge.label else frozenset()
            head, *rest = edge.parts
            for first in self._known[head]:
                for others in self._known[rest[0]] if rest else (NONE,):
                    yield Partial(
                        edge.value + first.value + others.value,
                        first.reasons | others.reasons | fragment,
                        first.constituents + others.constituents,
                        first.nodes + others.nodes,
                        edge.label + others.fragment_cost,
                    )

    def _unbeaten(self, node: Node, ways: Sequence[Partial]) -> list[Partial]:
        """Return the cheapest analyses within the limit that no other one beats.

        One beats another of the same daughters, or with the same bearer of features, on which reasons may depend.
        """
        if len(ways) == 1:
            return list(ways)
        is_open = node >= 0 and self._chart.items.kinds[node] < 0
        rest = self._chart.items.counts[node] if node >= 0 else 0
        kept: dict[object, list[Partial]] = {}
        number = 0
        for one in sorted(ways, key=lambda one: one.value):
            if number == MOST or self._level(one.value) + rest > self._limit:
                break
            bearers = tuple(bearer(part, self._constructions).start for part in one.constituents) if node >= 0 else ()
            rivals = kept.setdefault((one.nodes, bearers) if is_open else bearers, [])
            if not any(other.reasons <= one.reasons for other in rivals):
                rivals.append(one)
                number += 1
        return sorted((one for rivals in kept.values() for one in rivals), key=lambda one: one.value)

    def _reasons(self, made: Constituent) -> frozenset[Reason]:
        """Return the reasons that a phrase adds to those of its daughters."""
        both, daughter = made.characterization, made.daughters.__getitem__
        return frozenset(
            reason(Evaluated(one.property, made, tuple(map(daughter, one.elements)), False), self._constructions)
            for one in both.violated
        )


NONE: Final = Partial(0, frozenset(), (), ())


def reason(violated: Evaluated, constructions: Mapping[str, Construction]) -> Reason:
    """Return the reason that a violation is: its gloss or relation, and the words that bear the features.

    A violation about no element, as of an obligation, is about its constituent.
    """
    prop, constituent = violated.property, violated.constituent
    kind = prop.title or prop.type
    if not violated.elements:
        return kind, (constituent.start, constituent.end)
    return kind, tuple(sorted(bearer(element, constructions).start for element in violated.elements))


def reasons_of(analysis: Analysis, constructions: Mapping[str, Construction]) -> frozenset[Reason]:
    """Return the reasons of a whole parse."""
    fragments: Sequence[Reason] = (FRAGMENTS,) if analysis.fragment_cost_units else ()
    return frozenset((*(reason(one, constructions) for one in analysis.violated), *fragments))
