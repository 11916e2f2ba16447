"""Outside costs: what is around each item of a chart in the cheapest whole tree. `_outside.c` does the same.

The cost of an item and its outside cost are together the cost of the cheapest tree that has it.
"""

from __future__ import annotations

from numbat.parsing.treebank_grammar.items import ActiveItem, PassiveItem, Viable
from numbat.parsing.treebank_grammar.python_chart import INFINITE, Passive, SpanItems, TabularChart
from numbat.parsing.treebank_grammar.search_tables import IMPOSSIBLE


def viable_items(chart: TabularChart, most: int) -> Viable:
    """The items of trees that cost no more than that, from the largest spans to the smallest.

    Only those of the largest spans where the time is up before the end.
    """
    passive: list[PassiveItem] = []
    active: list[ActiveItem] = []
    combined: list[ActiveItem] = []
    for root in chart.cells[0, chart.tokens].passive:
        if chart.tables.root_cost[root.symbol] != IMPOSSIBLE:
            root.outside = chart.tables.root_cost[root.symbol]
    for length in range(chart.tokens, 0, -1):
        if chart.limit.is_late():
            break
        for start in range(chart.tokens - length + 1):
            end = start + length
            cell = chart.cells[start, end]
            _around_passive(chart, cell)
            _around_combined(chart, cell, start, end)
            for item in cell.combined:
                extended = cell.extendable[item.state].outside if item.state in cell.extendable else INFINITE
                around = min(extended, item.accepted_outside)
                if around + item.cost <= most:
                    combined.append(ActiveItem(start, end, item.state, around))
            for whole in cell.passive:
                if whole.outside + whole.cost <= most:
                    passive.append(PassiveItem(start, end, whole.symbol, whole.depth))
            for state, item in cell.extendable.items():
                if item.outside + item.cost <= most:
                    active.append(ActiveItem(start, end, state, item.outside))
    return Viable(tuple(passive), tuple(active), tuple(combined))


def _around_passive(chart: TabularChart, cell: SpanItems) -> None:
    """Passive items: those of one symbol stand in the same places as the cheapest, and below unary phrases."""
    of_symbol: dict[int, int] = {}
    for item in cell.passive:
        least = min(of_symbol.get(item.symbol, INFINITE), item.outside)
        for state, cost in chart.tables.starts.pairs(item.symbol):
            if state in cell.extendable:
                least = min(least, cell.extendable[state].outside + cost)
        of_symbol[item.symbol] = least
    for item in reversed(cell.passive):
        item.outside = min(item.outside, of_symbol[item.symbol])
        # Every passive item of the depth below may be the only daughter, not just the best.
        for below in cell.passive if isinstance(item.below, Passive) else ():
            if below.depth == item.depth - 1:
                for phrase, cost in chart.tables.unaries.pairs(below.symbol):
                    if phrase == item.symbol:
                        below.outside = min(below.outside, item.outside + cost)


def _around_combined(chart: TabularChart, cell: SpanItems, start: int, end: int) -> None:
    """Active items of several daughters, which may be extended or accepted as a phrase, and their two parts."""
    phrases = {item.symbol: item for item in reversed(cell.passive)}
    phrases |= {item.symbol: item for item in cell.passive if item.depth == 1}
    around: dict[int, int] = {}
    for item in cell.combined:
        least = cell.extendable[item.state].outside if item.state in cell.extendable else INFINITE
        cost = chart.tables.accept_cost[item.state]
        phrase = phrases.get(chart.tables.accepted[item.state])
        if cost != IMPOSSIBLE and phrase is not None:
            item.accepted_outside = phrase.outside + cost
            least = min(least, item.accepted_outside)
        around[item.state] = least
    for before, passive, step, state in chart.steps(start, end):
        whole = around.get(state, INFINITE) + step
        if whole < INFINITE:
            before.outside = min(before.outside, whole + passive.cost)
            passive.outside = min(passive.outside, whole + before.cost)
