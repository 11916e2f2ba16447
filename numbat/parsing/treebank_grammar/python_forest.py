"""Packed forests built in Python: the reference for `_forest.c`, loop for loop."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from numbat.parsing.treebank_grammar.forest import EdgeKind, Forest, categories
from numbat.parsing.treebank_grammar.items import ScoredWord, Viable
from numbat.parsing.treebank_grammar.markov import MarkovGrammar
from numbat.parsing.treebank_grammar.search_tables import IMPOSSIBLE

LARGEST_COST: Final = 2_000_000_000
"""Costs of edges have 32 bits; a reading that costs more is as good as none."""
Span = tuple[int, int]
Edge = tuple[int, int, int, EdgeKind, int, int, int]
"""All of an edge but its head: left, right, cost, kind, state, daughter, sequence."""
Beginning = tuple[int, int]
"""A state and the sequence of the daughters so far."""


def forest_of(grammar: MarkovGrammar, words: Sequence[ScoredWord], tokens: int, viable: Viable, most: int) -> Forest:
    """As `forest_building.forest_of`."""
    builder = _Builder(grammar, words, viable, most)
    for length in range(1, tokens + 1):
        for start in range(tokens - length + 1):
            builder.add_span((start, start + length))
    return builder.finished(tokens)


class _Builder:
    """The forest so far. By span: `wholes` has the node of each symbol, of any depth; `opens` the beginnings of phrases
    that may be extended, with their nodes."""

    def __init__(self, grammar: MarkovGrammar, words: Sequence[ScoredWord], viable: Viable, most: int) -> None:
        self.grammar, self.tables, self.most = grammar, grammar.tables, most
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
        """The nodes over a span, those over smaller ones being there."""
        combined = self._combine(span)
        self.wholes[span] = self._complete(span, combined)
        self._open(span, combined)
        uses: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for symbol, node in self.wholes[span].items():
            for label, column in self.tables.uses.pairs(symbol):
                uses[label].append((column, symbol, node))
        self.uses[span] = uses

    def finished(self, tokens: int) -> Forest:
        """The forest with its root."""
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

    def _kept(
        self, span: Span, found: dict[Beginning, list[Edge]], around: dict[int, int]
    ) -> list[tuple[Beginning, int]]:
        """A node for each beginning that some tree has which does not cost too much."""
        return [
            (key, self._node(span, -1, edges))
            for key, edges in found.items()
            if min(map(self._cost, edges)) + around[key[0]] <= self.most
        ]

    def _combine(self, span: Span) -> list[tuple[Beginning, int]]:
        """Beginnings of several daughters."""
        start, end = span
        around = self.combined.get(span, {})
        found: dict[Beginning, list[Edge]] = defaultdict(list)
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
                        found[key].append((left, right, costs[column], EdgeKind.COMBINE, state, symbol, -1))
        return self._kept(span, found, around)

    def _complete(self, span: Span, combined: Sequence[tuple[Beginning, int]]) -> dict[int, int]:
        """By symbol: a node of any depth; those of one depth are built on those of the depth below."""
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
                        edges.append((-1, -1, min(word.cost, LARGEST_COST), EdgeKind.WORD, symbol, word.number, -1))
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
        """One node for those of several depths."""
        if len(nodes) == 1:
            return nodes[0]
        return self._node(span, -1, [(node, -1, 0, EdgeKind.SAME, -1, -1, -1) for node in nodes])

    def _open(self, span: Span, combined: Sequence[tuple[Beginning, int]]) -> None:
        """What may be extended: beginnings of several daughters, and those that one daughter begins."""
        around = self.active.get(span, {})
        self.opens[span] = [
            (key, node)
            for key, node in combined
            if key[0] in around and self.inside[node] + around[key[0]] <= self.most
        ]
        found: dict[Beginning, list[Edge]] = defaultdict(list)
        for symbol, node in self.wholes[span].items() if around else ():
            for state, cost in self.tables.starts.pairs(symbol):
                if state in around:
                    key = state, self._sequence(-1, symbol)
                    found[key].append((node, -1, cost, EdgeKind.START, state, symbol, -1))
        self.opens[span] += self._kept(span, found, around)
