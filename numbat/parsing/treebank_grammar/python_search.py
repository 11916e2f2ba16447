"""Tabular search with Markov grammars, in passes from coarse to fine (Charniak et al. 2006).

Each pass fills a chart. A pass over bare labels leaves for the next those labels over a span whose cheapest tree costs
at most a threshold more than the cheapest of all; without coarse passes the result is the optimum.

This is the reference for the compiled search (`_module.c`), which does the same, and what runs where that could not be
built.
"""

from __future__ import annotations

from collections.abc import Sequence

from numbat.parsing.limits import Overdue
from numbat.parsing.treebank_grammar.items import SearchResult, Stage, Viable
from numbat.parsing.treebank_grammar.python_chart import LimitCheck, SpanLabels, TabularChart
from numbat.parsing.treebank_grammar.python_outside import viable_items


def search(
    stages: Sequence[Stage],
    tokens: int,
    unary_limit: int,
    fragment: int,
    slack: int = -1,
    most_items: int | None = None,
    overdue: Overdue | None = None,
) -> SearchResult:
    """The best tree by the last of the stages, within what those before it leave; else the cheapest fragments.

    Each fragment costs `fragment` more. With a `slack` of 0 or more, `viable` is all that occurs in trees which cost
    no more than that above the best. Where `most_items` are built in all passes, or the clock is `overdue`, nothing is
    combined any more: what there is by then and the words of the rest are the fragments.
    """
    limit = LimitCheck(most_items, overdue)
    passive: SpanLabels | None = None
    active: SpanLabels | None = None
    for stage in stages[:-1]:
        if limit.stopped_by:
            break
        chart = TabularChart(stage, tokens, unary_limit, passive, active, limit)
        root, cost = chart.best_root()
        if root is not None:
            passive, active = _labels(chart, viable_items(chart, cost + stage.threshold))
    chart = TabularChart(stages[-1], tokens, unary_limit, passive, active, limit)
    root, cost = chart.best_root()
    if root is None:
        cost, tops = chart.cheapest_cover(fragment)
        nodes = [node for top in tops for node in chart.nodes(top)]
        return SearchResult(cost, False, nodes, limit.items, stopped_by=limit.stopped_by)
    viable = viable_items(chart, cost + slack) if slack >= 0 else Viable()
    kept = Viable() if limit.stopped_by else viable
    return SearchResult(cost, True, list(chart.nodes(root)), limit.items, kept, limit.stopped_by)


def _labels(chart: TabularChart, viable: Viable) -> tuple[SpanLabels, SpanLabels]:
    """The labels of passive and of active items, span by span."""
    of_symbol, of_state = chart.tables.label_of_symbol, chart.tables.label_of_state
    return (
        {(start, end, of_symbol[symbol]) for start, end, symbol, _ in viable.passive if of_symbol[symbol] >= 0},
        {(start, end, of_state[state]) for start, end, state, _ in viable.active},
    )
