"""The chart of one pass of the tabular search over a sentence: the reference for `_chart.c`, which does the same.

Over each span active items (the beginning of a phrase, in a state of the grammar) are combined with passive ones (a
whole word or phrase, by the depth of its unary chain: ruling 4); the best of each is kept, with what it is made of.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from numbat.parsing.limits import Overdue
from numbat.parsing.treebank_grammar.items import ScoredWord, Stage, TreeNode
from numbat.parsing.treebank_grammar.search_tables import IMPOSSIBLE

INFINITE: Final = (2**63 - 1) // 4
SpanLabels = set[tuple[int, int, int]]
"""Start and end of spans with the labels that a pass left for the next."""
StateRow = tuple[Sequence[int], Sequence[int]]
"""By column: the costs of the next daughters in a state, and the states after them."""


@dataclass(slots=True)
class LimitCheck:
    """How many items were built in all passes, and which limit was met."""

    most_items: int | None
    overdue: Overdue | None
    items: int = 0
    stopped_by: Literal["items", "seconds"] | None = None

    def is_met(self) -> bool:
        """Whether too many items were built, or the time is up. What was met once stays so."""
        if self.stopped_by is None and self.most_items is not None and self.items >= self.most_items:
            self.stopped_by = "items"
        return self.is_late()

    def is_late(self) -> bool:
        if self.stopped_by is None and self.overdue is not None and self.overdue():
            self.stopped_by = "seconds"
        return self.stopped_by is not None


@dataclass(slots=True, eq=False)
class Active:
    """An active item: the one that it extends (None for a first daughter) by its last daughter."""

    state: int
    before: Active | None
    last: Passive
    cost: int
    outside: int = INFINITE
    accepted_outside: int = INFINITE
    """What is around it as a whole phrase."""


@dataclass(slots=True, eq=False)
class Passive:
    """A passive item: the active one that it was accepted from, its only daughter, or the number of its word."""

    symbol: int
    depth: int
    cost: int
    below: Active | Passive | int
    outside: int = INFINITE


@dataclass(slots=True)
class SpanItems:
    """The items over a span: active ones of several daughters, those that may be extended, by state, passive ones; and
    the best passive ones by the labels in whose phrases they are a daughter, with their column there."""

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
        """Each active item followed by each passive one: both, the cost of the step, the next state."""
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
        """The active items of several daughters."""
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
        """The passive items, depth by depth: words, phrases of several daughters, phrases of one."""
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
        """The words alone: what there is after a limit was met."""
        best: dict[int, Passive] = {}
        for word in words:
            if word.symbol not in best or word.cost < best[word.symbol].cost:
                best[word.symbol] = Passive(word.symbol, 0, word.cost, word.number)
        cell.passive = list(best.values())
        self.limit.items += len(best)

    def _index(self, cell: SpanItems, start: int, end: int) -> None:
        """What larger spans need: the best passive items by the labels that take them, and what they begin."""
        best: dict[int, Passive] = {}
        for passive in cell.passive:
            if passive.symbol not in best or passive.cost < best[passive.symbol].cost:
                best[passive.symbol] = passive
        extendable = {item.state: item for item in cell.combined}
        for passive in (each for each in cell.passive if best[each.symbol] is each):
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
        """The best root over all with its cost."""
        best, least = None, INFINITE
        for passive in self.cells[0, self.tokens].passive:
            root = self.tables.root_cost[passive.symbol]
            if root != IMPOSSIBLE and passive.cost + root < least:
                best, least = passive, passive.cost + root
        return best, least

    def cheapest_cover(self, fragment: int) -> tuple[int, list[Passive]]:
        """The cheapest sequence of passive items that covers all; each costs `fragment` more."""
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
        """The nodes of a tree, each before its daughters."""
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
