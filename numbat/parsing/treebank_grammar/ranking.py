"""The k best trees of a tabular search (Huang & Chiang 2005): the least costly, one after the other, each once.

The search says which items the trees have that cost little more than the best (`tabular.Kept`); here the items are put
together again, spans from the smallest to the largest, with the k best ways to build each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import islice
from typing import Final, NamedTuple

from numbat.grammar.properties import UNIT
from numbat.parsing.treebank_grammar.markov import NONE, Markov
from numbat.parsing.treebank_grammar.tabular import BUILT, DONE, GOING, Found, Kept, Node, Word

SLACKS: Final = (3, 6, 12)
"""How much more trees may cost, as natural logarithms: the next where there are too few."""
MOST_WAYS: Final = 8
"""Ways to build an item that are kept at first for each tree that is asked for, as several may be the same over bare
labels; twice as many where there are too few."""


class _Edge(NamedTuple):
    """A way to build an item from others: what it adds to their costs; `word` is that of a leaf, -1 for others."""

    cost: int
    parts: tuple[_Item, ...]
    word: int = -1


class _Item:
    """An item with its best ways to be built: the cost, the edge, which way of each part. `symbol` is -1 for a part of
    a phrase, and for done items of one symbol and any depth, which are their only daughter."""

    __slots__ = ("symbol", "ways")

    def __init__(self, symbol: int, edges: list[_Edge], most: int, slack: int) -> None:
        self.symbol = symbol
        self.ways: list[tuple[int, _Edge, tuple[int, ...]]] = []
        waiting = [
            (edge.cost + sum(part.ways[0][0] for part in edge.parts), number, (0,) * len(edge.parts))
            for number, edge in enumerate(edges)
        ]
        heapify(waiting)
        seen = {(number, ranks) for _, number, ranks in waiting}
        costliest = waiting[0][0] + slack
        while waiting and len(self.ways) < most and waiting[0][0] <= costliest:
            cost, number, ranks = heappop(waiting)
            edge = edges[number]
            self.ways.append((cost, edge, ranks))
            for i, part in enumerate(edge.parts):
                more = (*ranks[:i], ranks[i] + 1, *ranks[i + 1 :])
                if more[i] < len(part.ways) and (number, more) not in seen:
                    seen.add((number, more))
                    heappush(waiting, (cost - part.ways[ranks[i]][0] + part.ways[more[i]][0], number, more))


def ranked(grammar: Markov, words: Sequence[Word], tokens: int, n: int, find: Callable[[int], Found]) -> list[Found]:
    """Up to n results, the best first; trees that are the same over bare labels count as one.

    `find` searches with a slack. Where no tree covers the sentence there is one result. Fewer than n come back where
    the passes before the last leave no more, or none that costs at most the last of `SLACKS` more.
    """
    most = n * MOST_WAYS
    for slack in (each * UNIT for each in SLACKS):
        best = find(slack)
        if not best.is_tree:
            return [best]
        root = _Forest(grammar, words, best.kept, most, slack).root(tokens)
        found = [best, *islice(_others(grammar, root, best), n - 1)]
        if len(found) == n:
            break
        most *= 2
    return [each._replace(kept=[]) for each in found]


def _others(grammar: Markov, root: _Item, best: Found) -> Iterator[Found]:
    """The different trees of an item but for the best."""
    seen = {_bare(grammar, best.nodes)}
    for rank, (cost, _, _) in enumerate(root.ways):
        nodes = list(_nodes(root, rank))
        bare = _bare(grammar, nodes)
        if bare not in seen:
            seen.add(bare)
            yield best._replace(cost=cost, nodes=nodes)


def _bare(grammar: Markov, nodes: Sequence[Node]) -> tuple[tuple[int, int, int], ...]:
    label = grammar.tables.label_of_symbol
    return tuple((label[symbol], word, size) for symbol, word, size in nodes)


def _nodes(root: _Item, rank: int) -> Iterator[Node]:
    """The nodes of a tree, each before its daughters: of a phrase the parts are taken from the right."""
    waiting = [(root, rank)]
    while waiting:
        item, rank = waiting.pop()
        _, edge, ranks = item.ways[rank]
        if item.symbol < 0:
            waiting += zip(edge.parts, ranks, strict=True)
            continue
        daughters: list[tuple[_Item, int]] = []
        parts = list(zip(edge.parts, ranks, strict=True))
        while parts:
            part, which = parts.pop()
            if part.symbol >= 0:
                daughters.append((part, which))
            else:
                _, inner, inner_ranks = part.ways[which]
                parts += zip(inner.parts, inner_ranks, strict=True)
        yield item.symbol, edge.word, len(daughters)
        waiting += daughters


class _Forest:
    """The kept items, put together again."""

    def __init__(self, grammar: Markov, words: Sequence[Word], kept: Sequence[Kept], most: int, slack: int) -> None:
        self.grammar, self.tables = grammar, grammar.tables
        self.most, self.slack = most, slack
        self.words = words
        self.kept: dict[tuple[int, int], tuple[list[Kept], ...]] = defaultdict(lambda: ([], [], []))
        for item in sorted(kept):
            self.kept[item[0], item[1]][item[2]].append(item)
        self.rows: dict[int, tuple[Sequence[int], Sequence[int]]] = {}
        self.going: dict[tuple[int, int], dict[int, _Item]] = {}
        self.any_depth: dict[tuple[int, int], dict[int, _Item]] = {}
        self.uses: dict[tuple[int, int], dict[int, list[tuple[int, _Item]]]] = {}
        for span in sorted(self.kept, key=lambda span: (span[1] - span[0], span)):
            built = self._built(*span)
            self.any_depth[span] = self._done(span, built)
            self.uses[span] = self._uses(self.any_depth[span])
            self.going[span] = self._going(span, built)

    def root(self, tokens: int) -> _Item:
        costs = self.tables.root_cost
        over_all = self.any_depth[0, tokens]
        return self._item(-1, [_Edge(costs[each], (item,)) for each, item in over_all.items() if costs[each] != NONE])

    def _item(self, symbol: int, edges: list[_Edge]) -> _Item:
        return _Item(symbol, edges, self.most, self.slack)

    def _row(self, state: int) -> tuple[Sequence[int], Sequence[int]]:
        if state not in self.rows:
            self.rows[state] = self.grammar.row(state)
        return self.rows[state]

    def _built(self, start: int, end: int) -> dict[int, _Item]:
        """By state: an open item followed by a done one."""
        edges: dict[int, list[_Edge]] = {item[3]: [] for item in self.kept[start, end][BUILT]}
        for middle in range(start + 1, end) if edges else ():
            uses = self.uses.get((middle, end), {})
            for state, before in self.going.get((start, middle), {}).items():
                label = self.tables.label_of_state[state]
                if label not in uses:
                    continue
                costs, nexts = self._row(state)
                for column, done in uses[label]:
                    if costs[column] != NONE and nexts[column] in edges:
                        edges[nexts[column]].append(_Edge(costs[column], (before, done)))
        return {state: self._item(-1, found) for state, found in edges.items() if found}

    def _done(self, span: tuple[int, int], built: dict[int, _Item]) -> dict[int, _Item]:
        """By symbol: the items of all depths; those of one depth are built on those of the depth below."""
        by_depth: dict[int, list[int]] = defaultdict(list)
        for _, _, _, symbol, depth in self.kept[span][DONE]:
            by_depth[depth].append(symbol)
        every: dict[int, list[_Edge]] = defaultdict(list)
        below: dict[int, _Item] = {}
        at, phrases, costs = self.tables.unaries
        for depth in range(max(by_depth, default=-1) + 1):
            edges: dict[int, list[_Edge]] = {symbol: [] for symbol in by_depth[depth]}
            for start, end, symbol, cost, number in self.words if depth == 0 else ():
                if (start, end) == span and symbol in edges:
                    edges[symbol].append(_Edge(cost, (), number))
            for state, item in built.items() if depth == 1 else ():
                if self.tables.accept_cost[state] != NONE and self.tables.accepted[state] in edges:
                    edges[self.tables.accepted[state]].append(_Edge(self.tables.accept_cost[state], (item,)))
            for symbol, item in below.items():
                for i in range(at[symbol], at[symbol + 1]):
                    if phrases[i] in edges:
                        edges[phrases[i]].append(_Edge(costs[i], (item,)))
            below = {symbol: self._item(symbol, found) for symbol, found in edges.items() if found}
            for symbol, item in below.items():
                every[symbol].append(_Edge(0, (item,)))
        return {symbol: self._item(-1, found) for symbol, found in every.items()}

    def _uses(self, done: dict[int, _Item]) -> dict[int, list[tuple[int, _Item]]]:
        """By label: in which column of its rows which item is a daughter."""
        found: dict[int, list[tuple[int, _Item]]] = defaultdict(list)
        at, labels, columns = self.tables.uses
        for symbol, item in done.items():
            for i in range(at[symbol], at[symbol + 1]):
                found[labels[i]].append((columns[i], item))
        return found

    def _going(self, span: tuple[int, int], built: dict[int, _Item]) -> dict[int, _Item]:
        """By state: items of several daughters, and those that one daughter begins."""
        edges: dict[int, list[_Edge]] = {item[3]: [] for item in self.kept[span][GOING]}
        for state, item in built.items():
            if state in edges:
                edges[state].append(_Edge(0, (item,)))
        at, states, costs = self.tables.starts
        for symbol, item in self.any_depth[span].items():
            for i in range(at[symbol], at[symbol + 1]):
                if states[i] in edges:
                    edges[states[i]].append(_Edge(costs[i], (item,)))
        return {state: self._item(-1, found) for state, found in edges.items() if found}
