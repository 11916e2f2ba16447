"""Tabular search with Markov grammars, in passes from coarse to fine (Charniak et al. 2006).

Each pass fills a chart. A coarse pass keeps a label over a span for the next pass if the cheapest tree with it costs no
more than the cheapest tree of all plus a threshold; without coarse passes, the result is the optimum.

This is the reference for the compiled search (`_module.c`), which gives equal results, and runs if that is missing.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from numbat.parsing.policies import Overdue
from numbat.parsing.treebank_grammar.items import (
    MAX_NOTED,
    ActiveItem,
    EdgeKind,
    Forest,
    PassiveItem,
    ScoredWord,
    SearchResult,
    Stage,
    TreeNode,
    Viable,
    categories,
)
from numbat.parsing.treebank_grammar.markov import IMPOSSIBLE, MarkovGrammar


def search(
    stages: Sequence[Stage],
    tokens: int,
    unary_limit: int,
    fragment: int,
    slack: int = -1,
    most_items: int | None = None,
    overdue: Overdue | None = None,
) -> SearchResult:
    """Return the best tree by the last stage, built of labels that earlier stages keep; else the cheapest fragments.

    Each fragment costs `fragment` more. If `slack` is 0 or more, `viable` has all items in trees that cost at most this
    much more than the best. When all passes have built `most_items`, or the clock is `overdue`, the search stops; the
    result is then a sequence of fragments: what was built so far, and the remaining words.
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
    """Return the spans and labels of passive items, and of active items."""
    of_symbol, of_state = chart.tables.label_of_symbol, chart.tables.label_of_state
    return (
        {(start, end, of_symbol[symbol]) for start, end, symbol, _ in viable.passive if of_symbol[symbol] >= 0},
        {(start, end, of_state[state]) for start, end, state, _ in viable.active},
    )


# The chart of one pass over a sentence: the reference for `_chart.c`. For each span, active items (beginnings of
# phrases, in a state of the grammar) are combined with passive items (complete words or phrases, by the depth of their
# unary chains: ruling 4); of equal items, the best is kept with its parts.

INFINITE: Final = (2**63 - 1) // 4
SpanLabels = set[tuple[int, int, int]]
"""Start, end and label of the spans that a pass keeps for the next."""
StateRow = tuple[Sequence[int], Sequence[int]]
"""By column: the cost of each next daughter in a state, and the state after it."""


@dataclass(slots=True)
class LimitCheck:
    """Counts the items that all passes build, and checks the limits; `stopped_by` names the one that was met."""

    most_items: int | None
    overdue: Overdue | None
    items: int = 0
    stopped_by: Literal["items", "seconds"] | None = None

    def is_met(self) -> bool:
        """True if too many items were built or time is up, or if this was so at an earlier call."""
        if self.stopped_by is None and self.most_items is not None and self.items >= self.most_items:
            self.stopped_by = "items"
        return self.is_late()

    def is_late(self) -> bool:
        if self.stopped_by is None and self.overdue is not None and self.overdue():
            self.stopped_by = "seconds"
        return self.stopped_by is not None


@dataclass(slots=True, eq=False)
class Active:
    """Active item: its last daughter, and the active item that this daughter extended (None for a first daughter)."""

    state: int
    before: Active | None
    last: Passive
    cost: int
    outside: int = INFINITE
    accepted_outside: int = INFINITE
    """Outside cost as a complete phrase."""


@dataclass(slots=True, eq=False)
class Passive:
    """Passive item; `below` is the active item that was accepted as a phrase, the only daughter, or a word's number."""

    symbol: int
    depth: int
    cost: int
    below: Active | Passive | int
    outside: int = INFINITE


@dataclass(slots=True)
class SpanItems:
    """Items over a span: active ones with several daughters; by state, those that may be extended; passive ones.

    `uses` has, by the label of a phrase, the best passive items that may be its daughters, with their columns.
    """

    combined: list[Active] = field(default_factory=list)
    extendable: dict[int, Active] = field(default_factory=dict)
    passive: list[Passive] = field(default_factory=list)
    uses: dict[int, list[tuple[int, Passive]]] = field(default_factory=dict)


class TabularChart:
    """One pass over a sentence."""

    def __init__(
        self,
        stage: Stage,
        tokens: int,
        unary_limit: int,
        passive: SpanLabels | None,
        active: SpanLabels | None,
        limit: LimitCheck,
    ) -> None:
        self.grammar, self.tables = stage.grammar, stage.grammar.tables
        self.tokens, self.unary_limit = tokens, unary_limit
        self.may_be_passive, self.may_be_active = passive, active
        self.limit = limit
        self.rows: dict[int, StateRow] = {}
        self.cells: dict[tuple[int, int], SpanItems] = {}
        words_over: dict[tuple[int, int], list[ScoredWord]] = {}
        for word in stage.words:
            words_over.setdefault((word.start, word.end), []).append(word)
        for length in range(1, tokens + 1):
            for start in range(tokens - length + 1):
                span = start, start + length
                cell = self.cells[span] = SpanItems()
                words = words_over.get(span, [])
                if limit.is_met():
                    self._complete_words(cell, words)
                else:
                    self._combine(cell, *span)
                    self._complete(cell, *span, words)
                    self._index(cell, *span)

    def _row(self, state: int) -> StateRow:
        if state not in self.rows:
            self.rows[state] = self.grammar.row(state)
        return self.rows[state]

    def steps(self, start: int, end: int) -> Iterator[tuple[Active, Passive, int, int]]:
        """Yield each active item with each passive one that may follow, the cost of the step, and the next state."""
        for middle in range(start + 1, end):
            uses = self.cells[middle, end].uses
            for before in self.cells[start, middle].extendable.values():
                label = self.tables.label_of_state[before.state]
                if label not in uses:
                    continue
                costs, nexts = self._row(before.state)
                for column, passive in uses[label]:
                    if costs[column] != IMPOSSIBLE:
                        yield before, passive, costs[column], nexts[column]

    def _combine(self, cell: SpanItems, start: int, end: int) -> None:
        """Build the active items of several daughters."""
        best: dict[int, Active] = {}
        for before, passive, step, state in self.steps(start, end):
            place = start, end, self.tables.label_of_state[state]
            if not (_may_be(self.may_be_passive, place) or _may_be(self.may_be_active, place)):
                continue
            cost = before.cost + passive.cost + step
            if state not in best or cost < best[state].cost:
                best[state] = Active(state, before, passive, cost)
        cell.combined = list(best.values())
        self.limit.items += len(best)

    def _complete(self, cell: SpanItems, start: int, end: int, words: Sequence[ScoredWord]) -> None:
        """Build the passive items by depth: words, phrases of several daughters, phrases of one daughter."""
        layer: dict[int, Passive] = {}

        def offer(symbol: int, depth: int, cost: int, below: Active | Passive | int) -> None:
            label = self.tables.label_of_symbol[symbol]
            if label >= 0 and not _may_be(self.may_be_passive, (start, end, label)):
                return
            if symbol not in layer or cost < layer[symbol].cost:
                layer[symbol] = Passive(symbol, depth, cost, below)

        for word in words:
            offer(word.symbol, 0, word.cost, word.number)
        for depth in range(1, self.unary_limit + 1):
            if depth > 1 and not layer:
                break
            cell.passive += layer.values()
            below, layer = layer, {}
            for item in cell.combined if depth == 1 else ():
                cost = self.tables.accept_cost[item.state]
                if cost != IMPOSSIBLE:
                    offer(self.tables.accepted[item.state], 1, item.cost + cost, item)
            for only in below.values():
                for phrase, cost in self.tables.unaries.pairs(only.symbol):
                    offer(phrase, depth, only.cost + cost, only)
        cell.passive += layer.values()
        self.limit.items += len(cell.passive)

    def _complete_words(self, cell: SpanItems, words: Sequence[ScoredWord]) -> None:
        """Add only the words, after a limit was met."""
        best: dict[int, Passive] = {}
        for word in words:
            if word.symbol not in best or word.cost < best[word.symbol].cost:
                best[word.symbol] = Passive(word.symbol, 0, word.cost, word.number)
        cell.passive = list(best.values())
        self.limit.items += len(best)

    def _index(self, cell: SpanItems, start: int, end: int) -> None:
        """Index the best passive items by the labels that admit them, and add the active items that they begin."""
        best: dict[int, Passive] = {}
        for passive in cell.passive:
            if passive.symbol not in best or passive.cost < best[passive.symbol].cost:
                best[passive.symbol] = passive
        extendable = {item.state: item for item in cell.combined}
        for passive in (item for item in cell.passive if best[item.symbol] is item):
            for label, column in self.tables.uses.pairs(passive.symbol):
                cell.uses.setdefault(label, []).append((column, passive))
            for state, cost in self.tables.starts.pairs(passive.symbol) if end < self.tokens else ():
                if not _may_be(self.may_be_active, (start, end, self.tables.label_of_state[state])):
                    continue
                known = extendable.get(state)
                if known is None or passive.cost + cost < known.cost:
                    if known is not None and known.before is not None:
                        del extendable[state]
                    self.limit.items += state not in extendable
                    extendable[state] = Active(state, None, passive, passive.cost + cost)
        if end < self.tokens:
            cell.extendable = {
                state: item
                for state, item in extendable.items()
                if _may_be(self.may_be_active, (start, end, self.tables.label_of_state[state]))
            }

    def best_root(self) -> tuple[Passive | None, int]:
        """Return the best root over the whole sentence (None if there is none), and its cost."""
        best, least = None, INFINITE
        for passive in self.cells[0, self.tokens].passive:
            root = self.tables.root_cost[passive.symbol]
            if root != IMPOSSIBLE and passive.cost + root < least:
                best, least = passive, passive.cost + root
        return best, least

    def cheapest_cover(self, fragment: int) -> tuple[int, list[Passive]]:
        """Return the cheapest sequence of passive items over the sentence, after its cost; each adds `fragment`."""
        best: list[tuple[int, Passive | None, int]] = [(0, None, 0)] * (self.tokens + 1)
        for start in range(self.tokens - 1, -1, -1):
            best[start] = INFINITE, None, 0
            for end in range(start + 1, self.tokens + 1):
                for passive in self.cells[start, end].passive:
                    if best[end][0] < INFINITE and passive.cost + fragment + best[end][0] < best[start][0]:
                        best[start] = passive.cost + fragment + best[end][0], passive, end
        tops, at = [], 0
        while (top := best[at][1]) is not None:
            tops.append(top)
            at = best[at][2]
        return best[0][0], tops

    def nodes(self, top: Passive) -> Iterator[TreeNode]:
        """Yield the nodes of a tree in pre-order."""
        waiting = [top]
        while waiting:
            item = waiting.pop()
            daughters: list[Passive] = []
            below = item.below
            if isinstance(below, Passive):
                daughters = [below]
            while isinstance(below, Active):
                daughters.append(below.last)
                below = below.before  # type: ignore[assignment]
            yield TreeNode(item.symbol, item.below if isinstance(item.below, int) else -1, len(daughters))
            waiting += daughters


def _may_be(labels: SpanLabels | None, place: tuple[int, int, int]) -> bool:
    return labels is None or place in labels


# Outside cost of an item: what the rest of the cheapest complete tree with this item costs. `_outside.c` does the same.


def viable_items(chart: TabularChart, most: int) -> Viable:
    """Return the items in trees that cost at most `most`, from the largest spans to the smallest.

    If time is up before the end, only the items over the largest spans are returned.
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
    """Compute the outside costs of passive items; all items with one symbol can occur where the cheapest one does."""
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
    """Compute the outside costs of active items of several daughters, and of their two parts."""
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


# Packed forests: the reference for `_forest.c`, loop for loop.

MAX_COST: Final = 2_000_000_000
"""Maximum cost of a reading, because costs of edges have 32 bits."""
Span = tuple[int, int]
Edge = tuple[int, int, int, EdgeKind, int, int, int]
"""Edge without the node that it builds: left, right, cost, kind, state, daughter, sequence (see `Forest`)."""
Beginning = tuple[int, int]
"""Beginning of a phrase: its state, and the number of the sequence of its daughters so far."""


def forest_of(
    grammar: MarkovGrammar,
    words: Sequence[ScoredWord],
    tokens: int,
    viable: Viable,
    most: int,
    most_noted: int = MAX_NOTED,
) -> Forest | None:
    """Build the packed forest of viable items; see `search.forest_of`."""
    builder = _Builder(grammar, words, viable, most, most_noted)
    try:
        for length in range(1, tokens + 1):
            for start in range(tokens - length + 1):
                builder.add_span((start, start + length))
    except _TooLargeError:
        return None
    return builder.finished(tokens)


class _TooLargeError(Exception):
    """Raised if too many edges of beginnings are noted."""


class _Builder:
    """Forest under construction.

    By span, `wholes` has one node per symbol, for items of any depth; `opens` has the nodes of beginnings that may be
    extended.
    """

    def __init__(
        self, grammar: MarkovGrammar, words: Sequence[ScoredWord], viable: Viable, most: int, most_noted: int
    ) -> None:
        self.grammar, self.tables, self.most = grammar, grammar.tables, most
        self.left_to_note = most_noted
        self.category = categories(grammar)[1]
        self.nodes: list[tuple[int, int, int]] = []
        self.inside: list[int] = []
        self.edges: list[tuple[int, Edge]] = []
        self.sequences: dict[tuple[int, int], int] = {}
        self.words: dict[Span, list[ScoredWord]] = defaultdict(list)
        for word in words:
            self.words[word.start, word.end].append(word)
        self.passive: dict[Span, set[tuple[int, int]]] = defaultdict(set)
        for start, end, symbol, depth in viable.passive:
            self.passive[start, end].add((depth, symbol))
        self.active: dict[Span, dict[int, int]] = defaultdict(dict)
        for start, end, state, around in viable.active:
            self.active[start, end][state] = min(around, self.active[start, end].get(state, around))
        self.combined: dict[Span, dict[int, int]] = defaultdict(dict)
        for start, end, state, around in viable.combined:
            self.combined[start, end][state] = min(around, self.combined[start, end].get(state, around))
        self.wholes: dict[Span, dict[int, int]] = defaultdict(dict)
        self.opens: dict[Span, list[tuple[Beginning, int]]] = defaultdict(list)
        self.uses: dict[Span, dict[int, list[tuple[int, int, int]]]] = {}
        self.rows: dict[int, tuple[Sequence[int], Sequence[int]]] = {}

    def add_span(self, span: Span) -> None:
        """Add the nodes over a span, after those over all smaller spans."""
        combined = self._combine(span)
        self.wholes[span] = self._complete(span, combined)
        self._open(span, combined)
        uses: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for symbol, node in self.wholes[span].items():
            for label, column in self.tables.uses.pairs(symbol):
                uses[label].append((column, symbol, node))
        self.uses[span] = uses

    def finished(self, tokens: int) -> Forest:
        """Return the forest with its root."""
        costs = self.tables.root_cost
        roots = [(symbol, node) for symbol, node in self.wholes[0, tokens].items() if costs[symbol] != IMPOSSIBLE]
        self._node((0, tokens), -1, [(node, -1, costs[s], EdgeKind.ROOT, s, -1, -1) for s, node in roots])
        starts, ends, symbols = zip(*self.nodes, strict=True) if self.nodes else ((), (), ())
        heads = array("i", [head for head, _ in self.edges])
        columns = zip(*(edge for _, edge in self.edges), strict=True) if self.edges else ((),) * 7
        befores, lasts = zip(*self.sequences, strict=True) if self.sequences else ((), ())
        rest = (array("i", column) for column in (*columns, befores, lasts))
        return Forest(array("i", starts), array("i", ends), array("i", symbols), heads, *rest)

    def _node(self, span: Span, symbol: int, edges: Sequence[Edge]) -> int:
        number = len(self.nodes)
        self.nodes.append((*span, symbol))
        self.inside.append(min((self._cost(edge) for edge in edges), default=0))
        self.edges += [(number, edge) for edge in edges]
        return number

    def _cost(self, edge: Edge) -> int:
        return edge[2] + sum(self.inside[part] for part in edge[:2] if part >= 0)

    def _sequence(self, before: int, symbol: int) -> int:
        return self.sequences.setdefault((before, self.category[symbol]), len(self.sequences))

    def _note(self, edges: list[Edge], edge: Edge) -> None:
        """Note an edge that builds a beginning. Raises _TooLargeError after too many."""
        edges.append(edge)
        self.left_to_note -= 1
        if self.left_to_note < 0:
            raise _TooLargeError

    def _kept(
        self, span: Span, beginnings: dict[Beginning, list[Edge]], around: dict[int, int]
    ) -> list[tuple[Beginning, int]]:
        """Add a node for each beginning that occurs in a tree within the maximum cost; return beginnings and nodes."""
        return [
            (key, self._node(span, -1, edges))
            for key, edges in beginnings.items()
            if min(map(self._cost, edges)) + around[key[0]] <= self.most
        ]

    def _combine(self, span: Span) -> list[tuple[Beginning, int]]:
        """Add beginnings of several daughters."""
        start, end = span
        around = self.combined.get(span, {})
        beginnings: dict[Beginning, list[Edge]] = defaultdict(list)
        for middle in range(start + 1, end) if around else ():
            uses = self.uses[middle, end]
            for (state, before), left in self.opens[start, middle]:
                label = self.tables.label_of_state[state]
                if label not in uses:
                    continue
                if state not in self.rows:
                    self.rows[state] = self.grammar.row(state)
                costs, nexts = self.rows[state]
                for column, symbol, right in uses[label]:
                    if costs[column] != IMPOSSIBLE and nexts[column] in around:
                        key = nexts[column], self._sequence(before, symbol)
                        self._note(beginnings[key], (left, right, costs[column], EdgeKind.COMBINE, state, symbol, -1))
        return self._kept(span, beginnings, around)

    def _complete(self, span: Span, combined: Sequence[tuple[Beginning, int]]) -> dict[int, int]:
        """Return, by symbol, a node for any depth; nodes of one depth are built on nodes of the depth below."""
        tables = self.tables
        by_depth: dict[int, list[int]] = defaultdict(list)
        for depth, symbol in sorted(self.passive.get(span, ())):
            by_depth[depth].append(symbol)
        every: dict[int, list[int]] = defaultdict(list)
        below: dict[int, int] = {}
        for depth in range(max(by_depth, default=-1) + 1):
            layer: dict[int, int] = {}
            for symbol in by_depth[depth]:
                edges: list[Edge] = []
                for word in self.words.get(span, ()) if depth == 0 else ():
                    if word.symbol == symbol:
                        edges.append((-1, -1, min(word.cost, MAX_COST), EdgeKind.WORD, symbol, word.number, -1))
                for (state, sequence), node in combined if depth == 1 else ():
                    cost = tables.accept_cost[state]
                    if tables.accepted[state] == symbol and cost != IMPOSSIBLE:
                        edges.append((node, -1, cost, EdgeKind.ACCEPT, state, symbol, sequence))
                for only, node in below.items():
                    for phrase, cost in tables.unaries.pairs(only):
                        if phrase == symbol:
                            edges.append((node, -1, cost, EdgeKind.UNARY, symbol, only, self._sequence(-1, only)))
                if edges:
                    layer[symbol] = self._node(span, symbol, edges)
                    every[symbol].append(layer[symbol])
            below = layer
        return {symbol: self._any(span, every[symbol]) for symbol in sorted(every)}

    def _any(self, span: Span, nodes: Sequence[int]) -> int:
        """Return one node that stands for these nodes, which differ only in depth."""
        if len(nodes) == 1:
            return nodes[0]
        return self._node(span, -1, [(node, -1, 0, EdgeKind.SAME, -1, -1, -1) for node in nodes])

    def _open(self, span: Span, combined: Sequence[tuple[Beginning, int]]) -> None:
        """Index the beginnings that may be extended: those with several daughters, and those with one."""
        around = self.active.get(span, {})
        self.opens[span] = [
            (key, node)
            for key, node in combined
            if key[0] in around and self.inside[node] + around[key[0]] <= self.most
        ]
        beginnings: dict[Beginning, list[Edge]] = defaultdict(list)
        for symbol, node in self.wholes[span].items() if around else ():
            for state, cost in self.tables.starts.pairs(symbol):
                if state in around:
                    key = state, self._sequence(-1, symbol)
                    self._note(beginnings[key], (node, -1, cost, EdgeKind.START, state, symbol, -1))
        self.opens[span] += self._kept(span, beginnings, around)
