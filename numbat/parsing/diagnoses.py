"""Diagnoses: the sets of properties that parses violate which cost little more than the best one.

One mistake often has several explanations that cost about the same: in *the cats sleeps*, the noun or the verb may be
wrong. A diagnosis is a set of reasons, minimal by inclusion among the parses within a margin of the best. A reason is a
kind of violation at a place: violations with the same gloss, or of the same relation, that are about the same words are
one reason.

The exact search cuts the forest of these parses out of its chart (`margin`): a typical sentence has some tens of items
in it. Partial analyses of each item are made from the words up. One is dropped if another one has no reason that it
lacks, and costs no more: whatever the rest of the sentence is, the other one is at least as good. So the diagnoses are
exact, unless an item has more than `MOST` analyses.
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
from numbat.parsing.parser import Nearby, Parser
from numbat.parsing.policies import MARGIN, Overdue, Value, never
from numbat.parsing.result import Parse, Parses

MOST_TOLD: Final = 8
"""Maximum number of other diagnoses in the outcome of a parse."""
MOST: Final = 64
"""Maximum number of analyses kept for an item."""

Reason = tuple[str, tuple[int, ...]]
"""Kind of a violation, and the positions of the words that it is about."""
Reasons = frozenset[Reason]
FRAGMENTS: Final[Reason] = ("fragments", ())
"""Reason of a parse that is not one root."""


class Partial(NamedTuple):
    """One analysis of a part of a sentence: its value, its reasons, its constituents and their items.

    An unfinished constituent has several constituents, its daughters so far.
    """

    value: Value
    reasons: Reasons
    constituents: tuple[Constituent, ...]
    nodes: tuple[Node, ...]
    fragment_cost: int = 0


NOTHING: Final = Partial(0, frozenset(), (), ())


def diagnosed(
    parser: Parser, parse: Parse, margin: float, overdue: Overdue = never, nearby: Nearby | None = None
) -> Parse:
    """Return a parse with the best of the other diagnoses within a margin in its outcome."""
    others = diagnoses(parser, parse, margin, overdue, nearby)[1 : MOST_TOLD + 1]
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


def diagnoses(
    parser: Parser,
    parse: Parse,
    margin: float = MARGIN,
    overdue: Overdue = never,
    nearby: Nearby | None = None,
) -> Parses:
    """Return a parse of a sentence, then one for each other diagnosis within a margin of a best one, by rising cost.

    The order is by the cost of violations and fragments, then by total cost, then by weight. There are no others if the
    parse is well-formed, if its search met a limit, if the grammar is shallow, or if the parser does not search by cost
    with the exact engine.
    """
    is_wrong = bool(parse.violated or parse.fragment_cost_units)
    if not is_wrong or parser.grammar.is_shallow:
        return Parses([parse])
    first = reasons_of(parse, parser.evaluator.table.constructions)
    if nearby is None and parse.stopped_by is None and parser.searches_by_cost:
        nearby = parser.n_best_nearby(parse.lattice, 1, margin, overdue)[1]
    if nearby is None:
        return Parses([parse])
    with parser.lock:
        analyses = _Analyses(parser, parse, nearby.least + round(margin * UNIT)).of_sentence(nearby.chart)
    cheapest: dict[Reasons, Partial] = {}
    for one in analyses:
        cheapest.setdefault(one.reasons, one)
    sets = {*cheapest, first}
    minimal = [reasons for reasons in cheapest if reasons != first and not any(few < reasons for few in sets)]
    solutions = [Solution(cheapest[reasons].constituents, cheapest[reasons].fragment_cost) for reasons in minimal]
    others = parser.parses_of(parse.lattice, solutions, parse.count, 1, "exact", None)
    others.sort(key=lambda one: (one.violation_cost_units + one.fragment_cost_units, one.cost_units, -one.weight_units))
    return Parses([parse, *others])


class _Analyses:
    """Partial analyses of all items of the forest within `limit`, of which none has all reasons of a cheaper one."""

    def __init__(self, parser: Parser, parse: Parse, limit: int) -> None:
        self._constructions = parser.evaluator.table.constructions
        self._limit, self._level = limit, parser.valuation.level
        self._readings = lexical_costs(parse.lattice)
        self._known: dict[Node, list[Partial]] = {}

    def of_sentence(self, chart: Chart) -> list[Partial]:
        """Return the analyses of the sentence that are kept."""
        items = chart.items
        for node in chart.forest.bottom_up(GOAL):
            ways = list(self._covers(chart, node) if node < 0 else self._built(chart, node))
            rest = items.rests[node] if node >= 0 else 0
            self._known[node] = self._kept(ways, rest, node >= 0 and items.kinds[node] < 0)
        return [one for one in self._known[GOAL] if self._level(one.value) <= self._limit]

    def _built(self, chart: Chart, node: Node) -> Iterator[Partial]:
        """Yield the analyses of an item by its edges and the analyses of its parts."""
        known, is_open = self._known, chart.items.kinds[node] < 0
        for left, right, value, label in chart.items.edges[node]:
            if left < 0:
                yield Partial(value, frozenset(), (word(*self._readings[label]),), (node,))
                continue
            for begun in known[left]:
                for added in known[right] if right >= 0 else (NOTHING,):
                    nodes, parts = begun.nodes + added.nodes, begun.constituents + added.constituents
                    total, reasons = value + begun.value + added.value, begun.reasons | added.reasons
                    if is_open:
                        yield Partial(total, reasons, parts, nodes)
                    else:
                        made = chart.phrase(node, label, nodes, parts)
                        yield Partial(total, reasons | self._reasons(made), (made,), (node,))

    def _covers(self, chart: Chart, node: Node) -> Iterator[Partial]:
        """Yield the analyses of the rest of the sentence from a position on."""
        for edge in chart.forest.hyperedges(node):
            cost, (head, *rest) = edge.label, edge.parts
            assert isinstance(cost, int)
            fragments: Reasons = frozenset((FRAGMENTS,)) if cost else frozenset()
            for first in self._known[head]:
                for others in self._known[rest[0]] if rest else (NOTHING,):
                    yield Partial(
                        edge.value + first.value + others.value,
                        first.reasons | others.reasons | fragments,
                        first.constituents + others.constituents,
                        first.nodes + others.nodes,
                        cost + others.fragment_cost,
                    )

    def _reasons(self, phrase: Constituent) -> Reasons:
        both, daughter = phrase.characterization, phrase.daughters.__getitem__
        return frozenset(
            reason(Evaluated(one.property, phrase, tuple(map(daughter, one.elements)), False), self._constructions)
            for one in both.violated
        )

    def _kept(self, ways: Sequence[Partial], rest: int, is_open: bool) -> list[Partial]:
        """Return the cheapest analyses of an item that no other one beats; `rest` is the least cost around the item.

        One beats another of the same daughters, or with the same bearer of features, on which reasons may depend.
        """
        if len(ways) == 1:
            return list(ways)
        kept: dict[object, list[Partial]] = {}
        number = 0
        for one in sorted(ways, key=lambda one: one.value):
            if number == MOST or self._level(one.value) + rest > self._limit:
                break
            bearers = tuple(bearer(part, self._constructions).start for part in one.constituents)
            rivals = kept.setdefault((one.nodes, bearers) if is_open else bearers, [])
            if not any(other.reasons <= one.reasons for other in rivals):
                rivals.append(one)
                number += 1
        return sorted((one for rivals in kept.values() for one in rivals), key=lambda one: one.value)


def reason(violated: Evaluated, constructions: Mapping[str, Construction]) -> Reason:
    """Return the reason that a violation is: its gloss or relation, and the words that bear the features.

    A violation about no element, as of an obligation, is about its constituent.
    """
    prop, constituent = violated.property, violated.constituent
    kind = prop.title or prop.type
    if not violated.elements:
        return kind, (constituent.start, constituent.end)
    return kind, tuple(sorted(bearer(element, constructions).start for element in violated.elements))


def reasons_of(analysis: Analysis, constructions: Mapping[str, Construction]) -> Reasons:
    """Return the reasons of a whole parse."""
    fragments: Sequence[Reason] = (FRAGMENTS,) if analysis.fragment_cost_units else ()
    return frozenset((*(reason(one, constructions) for one in analysis.violated), *fragments))
