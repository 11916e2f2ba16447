"""The k best trees of a tabular search: the least costly, one after the other, each once.

The search says which items occur in trees that cost little more than the best (`Viable`); here they become a packed
forest, spans from the smallest to the largest, and its derivations are ranked (`numbat.derivations`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

from numbat.derivations import Derivation, Derivations, Hyperedge
from numbat.grammar.properties import UNIT
from numbat.parsing.limits import Overdue, never
from numbat.parsing.treebank_grammar.items import ScoredWord, SearchResult, TreeNode, Viable
from numbat.parsing.treebank_grammar.markov import MarkovGrammar
from numbat.parsing.treebank_grammar.search_tables import IMPOSSIBLE

SLACKS: Final = (3, 6, 12)
"""How much more trees may cost, as natural logarithms: the next where there are too few."""
MOST_DERIVATIONS: Final = 8
"""So many derivations are ranked at first for each tree that is asked for, as several may be the same over bare labels;
twice as many where there are too few trees."""

ItemNode = int
TreeEdge = Hyperedge[ItemNode, tuple[int, int] | None]
"""Labelled with symbol and word (-1 for a phrase) where a passive item of some depth is derived, else None."""
Span = tuple[int, int]


def k_best(
    grammar: MarkovGrammar,
    words: Sequence[ScoredWord],
    tokens: int,
    n: int,
    find: Callable[[int], SearchResult],
    overdue: Overdue = never,
) -> list[SearchResult]:
    """Up to n results, the best first; trees that are the same over bare labels count as one.

    `find` searches with a slack. Where no tree covers the sentence there is one result. Fewer than n come back where
    the passes before the last leave no more, or none that costs at most the last of `SLACKS` more, or where a limit
    was met, which the results then name.
    """
    most = n * MOST_DERIVATIONS
    found: list[SearchResult] = []
    for slack in (each * UNIT for each in SLACKS):
        best = find(slack)
        if best.stopped_by is None or not found:
            others = islice(_others(grammar, words, tokens, best, slack, most, overdue), n - 1)
            found = max([best, *others], found, key=len)
        if len(found) == n:
            break
        stopped_by = best.stopped_by or ("seconds" if overdue() else None)
        if stopped_by is not None:
            found = [each._replace(stopped_by=stopped_by) for each in found]
        if stopped_by is not None or not best.is_tree:
            break
        most *= 2
    return [each._replace(viable=Viable()) for each in found]


def _others(
    grammar: MarkovGrammar,
    words: Sequence[ScoredWord],
    tokens: int,
    best: SearchResult,
    slack: int,
    most: int,
    overdue: Overdue,
) -> Iterator[SearchResult]:
    """The different trees but for the best, of so many derivations at most, while there is time."""
    if not best.viable.passive:
        return
    forest = _ViableForest(grammar, words, best.viable, overdue)
    if not forest.is_complete:
        return
    root = forest.root(tokens)
    graph: Derivations[ItemNode, tuple[int, int] | None] = Derivations(forest.edges.__getitem__)
    seen = {_bare(grammar, best.nodes)}
    for rank in range(most):
        derivation = graph.derivation(root, rank)
        if derivation is None or derivation.value > best.cost + slack or overdue():
            return
        nodes = list(_nodes(graph, root, derivation))
        bare = _bare(grammar, nodes)
        if bare not in seen:
            seen.add(bare)
            yield best._replace(cost=derivation.value, nodes=nodes)


def _bare(grammar: MarkovGrammar, nodes: Sequence[TreeNode]) -> tuple[tuple[int, int, int], ...]:
    """A tree over bare labels."""
    label = grammar.tables.label_of_symbol
    return tuple([(label[symbol], word, size) for symbol, word, size in nodes])


def _nodes(
    graph: Derivations[ItemNode, tuple[int, int] | None], root: ItemNode, derivation: Derivation | None
) -> Iterator[TreeNode]:
    """The nodes of a tree, each before its daughters: of a phrase the parts are taken from the right."""
    waiting = [(root, derivation)]
    while waiting:
        label, parts = graph.expand(*waiting.pop())
        if label is None:
            waiting += parts
            continue
        daughters = []
        while parts:
            part = parts.pop()
            inner, below = graph.expand(*part)
            if inner is None:
                parts += below
            else:
                daughters.append(part)
        symbol, word = label
        yield TreeNode(symbol, word, len(daughters))
        waiting += daughters


class _ViableForest:
    """The viable items as nodes, numbered from the smallest spans to the largest, with the `edges` of each.

    It is not complete where the clock was overdue before all were there.
    """

    def __init__(
        self, grammar: MarkovGrammar, words: Sequence[ScoredWord], viable: Viable, overdue: Overdue = never
    ) -> None:
        self.edges: list[list[TreeEdge]] = []
        self._grammar, self._tables = grammar, grammar.tables
        self._rows: dict[int, tuple[Sequence[int], Sequence[int]]] = {}
        self._words: dict[Span, list[ScoredWord]] = defaultdict(list)
        for word in words:
            self._words[word.start, word.end].append(word)
        passive, active, combined = (_by_span(items) for items in viable)
        self._extendable: dict[Span, dict[int, ItemNode]] = {}
        """By state: the active items that may be extended."""
        self._passive: dict[Span, dict[int, ItemNode]] = {}
        """By symbol: the passive items of any depth."""
        self._uses: dict[Span, dict[int, list[tuple[int, ItemNode]]]] = {}
        """By label: the same, with their column in the rows of its states."""
        self.is_complete = False
        for span in sorted({*passive, *active, *combined}, key=lambda span: (span[1] - span[0], span)):
            if overdue():
                return
            built = self._combine(span, [state for (state,) in combined.get(span, ())])
            self._passive[span] = self._complete(span, built, passive.get(span, ()))
            self._uses[span] = self._index(self._passive[span])
            self._extendable[span] = self._extend(span, built, [state for (state,) in active.get(span, ())])
        self.is_complete = True

    def root(self, tokens: int) -> ItemNode:
        """A node of the whole trees."""
        costs, over_all = self._tables.root_cost, self._passive[0, tokens]
        roots = [(node, costs[symbol]) for symbol, node in over_all.items() if costs[symbol] != IMPOSSIBLE]
        edges: list[TreeEdge] = [Hyperedge((node,), cost, None) for node, cost in roots]
        return self._node(edges)

    def _node(self, edges: list[TreeEdge]) -> ItemNode:
        self.edges.append(edges)
        return len(self.edges) - 1

    def _nodes(self, edges: dict[int, list[TreeEdge]]) -> dict[int, ItemNode]:
        """A node for each that has an edge."""
        return {key: self._node(found) for key, found in edges.items() if found}

    def _row(self, state: int) -> tuple[Sequence[int], Sequence[int]]:
        if state not in self._rows:
            self._rows[state] = self._grammar.row(state)
        return self._rows[state]

    def _combine(self, span: Span, states: Sequence[int]) -> dict[int, ItemNode]:
        """By state: an active item followed by a passive one."""
        start, end = span
        edges: dict[int, list[TreeEdge]] = {state: [] for state in states}
        for middle in range(start + 1, end) if edges else ():
            uses = self._uses.get((middle, end), {})
            for state, before in self._extendable.get((start, middle), {}).items():
                label = self._tables.label_of_state[state]
                if label not in uses:
                    continue
                costs, nexts = self._row(state)
                for column, passive in uses[label]:
                    if costs[column] != IMPOSSIBLE and nexts[column] in edges:
                        edges[nexts[column]].append(Hyperedge((before, passive), costs[column], None))
        return self._nodes(edges)

    def _complete(
        self, span: Span, built: dict[int, ItemNode], items: Sequence[tuple[int, ...]]
    ) -> dict[int, ItemNode]:
        """By symbol: a passive item of any depth; those of one depth are built on those of the depth below."""
        by_depth: dict[int, list[int]] = defaultdict(list)
        for symbol, depth in items:
            by_depth[depth].append(symbol)
        every: dict[int, list[TreeEdge]] = defaultdict(list)
        below: dict[int, ItemNode] = {}
        tables = self._tables
        for depth in range(max(by_depth, default=-1) + 1):
            edges: dict[int, list[TreeEdge]] = {symbol: [] for symbol in by_depth[depth]}
            for word in self._words.get(span, ()) if depth == 0 else ():
                if word.symbol in edges:
                    edges[word.symbol].append(Hyperedge((), word.cost, (word.symbol, word.number)))
            for state, node in built.items() if depth == 1 else ():
                symbol = tables.accepted[state]
                if tables.accept_cost[state] != IMPOSSIBLE and symbol in edges:
                    edges[symbol].append(Hyperedge((node,), tables.accept_cost[state], (symbol, -1)))
            for symbol, node in below.items():
                for phrase, cost in tables.unaries.pairs(symbol):
                    if phrase in edges:
                        edges[phrase].append(Hyperedge((node,), cost, (phrase, -1)))
            below = self._nodes(edges)
            for symbol, node in below.items():
                every[symbol].append(Hyperedge((node,), 0, None))
        return self._nodes(every)

    def _index(self, passive: dict[int, ItemNode]) -> dict[int, list[tuple[int, ItemNode]]]:
        """By label: in which column of its rows which passive item is a daughter."""
        found: dict[int, list[tuple[int, ItemNode]]] = defaultdict(list)
        for symbol, node in passive.items():
            for label, column in self._tables.uses.pairs(symbol):
                found[label].append((column, node))
        return found

    def _extend(self, span: Span, built: dict[int, ItemNode], states: Sequence[int]) -> dict[int, ItemNode]:
        """By state: active items of several daughters, and those that one daughter begins."""
        edges: dict[int, list[TreeEdge]] = {state: [] for state in states}
        for state, node in built.items():
            if state in edges:
                edges[state].append(Hyperedge((node,), 0, None))
        for symbol, node in self._passive[span].items():
            for state, cost in self._tables.starts.pairs(symbol):
                if state in edges:
                    edges[state].append(Hyperedge((node,), cost, None))
        return self._nodes(edges)


def _by_span(items: Sequence[tuple[int, ...]]) -> dict[Span, list[tuple[int, ...]]]:
    """What items are beside their span, in order."""
    found: dict[Span, list[tuple[int, ...]]] = defaultdict(list)
    for start, end, *rest in sorted(items):
        found[start, end].append(tuple(rest))
    return found
