"""Tabular search with Markov grammars of expansions: span by span, coarse grammars first (Charniak et al. 2006).

Over each span there are open items (a state of a grammar) and done ones (a symbol, by the depth of its unary chain:
ruling 4). A pass over bare labels leaves out of the next one the labels whose cheapest tree with such an item costs
more than the cheapest tree by a threshold; without coarse passes the result is the optimum. The functions here are the
reference for, and stand-in of, the compiled `_tabular`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from weakref import WeakKeyDictionary, ref

from numbat import native
from numbat.parsing.treebank_grammar.markov import NONE, Markov

Word = tuple[int, int, int, int, int]
"""Start, end, symbol, cost, its number among the words of the sentence."""
Node = tuple[int, int, int]
"""Symbol, word (-1 for a phrase), number of daughters."""
Mask = set[tuple[int, int, int]]
"""Start, end, label."""
Kept = tuple[int, int, int, int, int]
"""Start, end, kind (`DONE`, `GOING`, `BUILT`), symbol or state, depth of the unary chain."""
DONE, GOING, BUILT = range(3)
"""A done item; an open one, to go on with; an open one of several daughters, to go on with or to be accepted."""
INFINITE = (2**63 - 1) // 4


class Stage(NamedTuple):
    """A pass: a grammar, the words in its symbols, and by how much what it leaves to the next may cost more."""

    grammar: Markov
    words: list[Word]
    threshold: int = 0


class Found(NamedTuple):
    """The cost of the best tree, or of the best row of fragments; its nodes, each before its daughters; how many
    items the last pass built; those that trees have which cost little more, if they were asked for."""

    cost: int
    is_tree: bool
    nodes: list[Node]
    items: int
    kept: list[Kept]


class Constants(NamedTuple):
    """The numbers that mean the same here and in `_tabular.c`: costs that are none, kinds of items."""

    none: int = NONE
    infinite: int = INFINITE
    done: int = DONE
    going: int = GOING
    built: int = BUILT


class GrammarTables(NamedTuple):
    """A grammar as the compiled search takes it: how many symbols, labels and states it has; what gives the row of a
    state, costs and next states; its `Tables` in their order, all of them 32-bit integers in bytes."""

    symbols: int
    labels: int
    states: int
    row: Callable[[int], tuple[bytes, bytes]]
    tables: tuple[bytes, ...]
    constants: Constants


class CompiledStage(NamedTuple):
    """A `Stage` whose grammar is what the compiled search made of its tables."""

    grammar: object
    words: list[Word]
    threshold: int


_grammars: WeakKeyDictionary[Markov, object] = WeakKeyDictionary()


def search(stages: Sequence[Stage], tokens: int, unary_limit: int, fragment: int, slack: int = -1) -> Found:
    """The best tree by the last of the stages, within what those before it leave; else the least row of fragments.

    With a `slack` of 0 or more, `kept` is all that trees have which cost no more than that above the best.
    """
    if native.load(native.TREEBANK_SEARCH) is None:
        return twin(stages, tokens, unary_limit, fragment, slack)
    from numbat.parsing.treebank_grammar import _tabular

    passes = [CompiledStage(_compiled(stage.grammar), stage.words, stage.threshold) for stage in stages]
    return Found(*_tabular.search(passes, tokens, unary_limit, fragment, slack))


def _compiled(grammar: Markov) -> object:
    from numbat.parsing.treebank_grammar import _tabular

    known = _grammars.get(grammar)
    if known is None:
        flat = tuple(each.tobytes() for each in grammar.tables.flat())
        sizes = len(grammar.symbols), len(grammar.labels), len(grammar.tables.label_of_state)

        behind = ref(grammar)  # what the kernel keeps must not keep the grammar

        def row(state: int) -> tuple[bytes, bytes]:
            of = behind()
            assert of is not None
            costs, nexts = of.row(state)
            return costs.tobytes(), nexts.tobytes()

        known = _grammars[grammar] = _tabular.new_grammar(GrammarTables(*sizes, row, flat, Constants()))
    return known


def twin(stages: Sequence[Stage], tokens: int, unary_limit: int, fragment: int, slack: int = -1) -> Found:
    """`search` in Python."""
    done: Mask | None = None
    going: Mask | None = None
    for stage in stages[:-1]:
        chart = _Chart(stage, tokens, unary_limit, done, going)
        root, cost = chart.best_root()
        if root is not None:
            done, going = chart.masks(cost + stage.threshold)
    chart = _Chart(stages[-1], tokens, unary_limit, done, going)
    root, cost = chart.best_root()
    if root is not None:
        kept = list(chart.kept(cost + slack)) if slack >= 0 else []
        return Found(cost, True, list(chart.nodes(root)), chart.items, kept)
    cost, tops = chart.cover(fragment)
    return Found(cost, False, [node for top in tops for node in chart.nodes(top)], chart.items, [])


def _has(mask: Mask | None, place: tuple[int, int, int]) -> bool:
    return mask is None or place in mask


@dataclass(slots=True, eq=False)
class _Open:
    state: int
    before: _Open | None
    last: _Done
    cost: int
    around: int = INFINITE
    accepted: int = INFINITE
    """What is around it as a whole phrase."""


@dataclass(slots=True, eq=False)
class _Done:
    symbol: int
    depth: int
    cost: int
    below: _Open | _Done | int
    around: int = INFINITE


@dataclass(slots=True)
class _Cell:
    built: list[_Open] = field(default_factory=list)
    going: dict[int, _Open] = field(default_factory=dict)
    done: list[_Done] = field(default_factory=list)
    uses: dict[int, list[tuple[int, _Done]]] = field(default_factory=dict)


class _Chart:
    """One pass over a sentence."""

    def __init__(self, stage: Stage, tokens: int, unary_limit: int, done: Mask | None, going: Mask | None) -> None:
        self.grammar, self.tables = stage.grammar, stage.grammar.tables
        self.tokens, self.unary_limit = tokens, unary_limit
        self.may_be_done, self.may_be_going = done, going
        self.rows: dict[int, tuple[Sequence[int], Sequence[int]]] = {}
        self.cells: dict[tuple[int, int], _Cell] = {}
        self.items = 0
        for length in range(1, tokens + 1):
            for start in range(tokens - length + 1):
                span = start, start + length
                cell = self.cells[span] = _Cell()
                self._combine(cell, *span)
                self._finish(cell, *span, [word for word in stage.words if word[:2] == span])
                self._offer_up(cell, *span)

    def _row(self, state: int) -> tuple[Sequence[int], Sequence[int]]:
        if state not in self.rows:
            self.rows[state] = self.grammar.row(state)
        return self.rows[state]

    def _steps(self, start: int, end: int) -> Iterator[tuple[_Open, _Done, int, int]]:
        """Each open item followed by each done one: both, the cost of the step, the next state."""
        for middle in range(start + 1, end):
            uses = self.cells[middle, end].uses
            for before in self.cells[start, middle].going.values():
                label = self.tables.label_of_state[before.state]
                if label not in uses:
                    continue
                costs, nexts = self._row(before.state)
                for column, done in uses[label]:
                    if costs[column] != NONE:
                        yield before, done, costs[column], nexts[column]

    def _combine(self, cell: _Cell, start: int, end: int) -> None:
        best: dict[int, _Open] = {}
        for before, done, step, state in self._steps(start, end):
            place = start, end, self.tables.label_of_state[state]
            if not (_has(self.may_be_done, place) or _has(self.may_be_going, place)):
                continue
            cost = before.cost + done.cost + step
            if state not in best or cost < best[state].cost:
                best[state] = _Open(state, before, done, cost)
        cell.built = list(best.values())
        self.items += len(best)

    def _finish(self, cell: _Cell, start: int, end: int, words: Sequence[Word]) -> None:
        """Words, phrases of several daughters, phrases of one, depth by depth."""
        layer: dict[int, _Done] = {}

        def offer(symbol: int, depth: int, cost: int, below: _Open | _Done | int) -> None:
            label = self.tables.label_of_symbol[symbol]
            if label >= 0 and not _has(self.may_be_done, (start, end, label)):
                return
            if symbol not in layer or cost < layer[symbol].cost:
                layer[symbol] = _Done(symbol, depth, cost, below)

        for _, _, symbol, cost, number in words:
            offer(symbol, 0, cost, number)
        for depth in range(1, self.unary_limit + 1):
            if depth > 1 and not layer:
                break
            cell.done += layer.values()
            below, layer = layer, {}
            for item in cell.built if depth == 1 else ():
                if self.tables.accept_cost[item.state] != NONE:
                    offer(self.tables.accepted[item.state], 1, item.cost + self.tables.accept_cost[item.state], item)
            at, phrases, costs = self.tables.unaries
            for done in below.values():
                for i in range(at[done.symbol], at[done.symbol + 1]):
                    offer(phrases[i], depth, done.cost + costs[i], done)
        cell.done += layer.values()
        self.items += len(cell.done)

    def _offer_up(self, cell: _Cell, start: int, end: int) -> None:
        """What larger spans need: the best done items by the labels that take them, and what they begin."""
        best: dict[int, _Done] = {}
        for done in cell.done:
            if done.symbol not in best or done.cost < best[done.symbol].cost:
                best[done.symbol] = done
        going = {item.state: item for item in cell.built}
        use_at, use_labels, columns = self.tables.uses
        start_at, states, costs = self.tables.starts
        for done in (each for each in cell.done if best[each.symbol] is each):
            for i in range(use_at[done.symbol], use_at[done.symbol + 1]):
                cell.uses.setdefault(use_labels[i], []).append((columns[i], done))
            for i in range(start_at[done.symbol], start_at[done.symbol + 1]) if end < self.tokens else ():
                if not _has(self.may_be_going, (start, end, self.tables.label_of_state[states[i]])):
                    continue
                known = going.get(states[i])
                if known is None or done.cost + costs[i] < known.cost:
                    if known is not None and known.before is not None:
                        del going[states[i]]
                    self.items += states[i] not in going
                    going[states[i]] = _Open(states[i], None, done, done.cost + costs[i])
        if end < self.tokens:
            cell.going = {
                state: item
                for state, item in going.items()
                if _has(self.may_be_going, (start, end, self.tables.label_of_state[state]))
            }

    def best_root(self) -> tuple[_Done | None, int]:
        """The best root over all with its cost."""
        best, least = None, INFINITE
        for done in self.cells[0, self.tokens].done:
            root = self.tables.root_cost[done.symbol]
            if root != NONE and done.cost + root < least:
                best, least = done, done.cost + root
        return best, least

    def masks(self, most: int) -> tuple[Mask, Mask]:
        """The labels of done and of open items, span by span, that some tree has which costs no more than that."""
        label_of_state, label_of_symbol = self.tables.label_of_state, self.tables.label_of_symbol
        found: tuple[Mask, Mask] = set(), set()
        for start, end, kind, what, _ in self.kept(most):
            label = label_of_symbol[what] if kind == DONE else label_of_state[what]
            if kind != BUILT and label >= 0:
                found[kind].add((start, end, label))
        return found

    def kept(self, most: int) -> Iterator[Kept]:
        """The items that some tree has which costs no more than that, from the largest spans to the smallest."""
        for done in self.cells[0, self.tokens].done:
            if self.tables.root_cost[done.symbol] != NONE:
                done.around = self.tables.root_cost[done.symbol]
        for length in range(self.tokens, 0, -1):
            for start in range(self.tokens - length + 1):
                end = start + length
                cell = self.cells[start, end]
                self._around_done(cell)
                self._around_parts(cell, start, end)
                for item in cell.built:
                    going = cell.going[item.state].around if item.state in cell.going else INFINITE
                    if min(going, item.accepted) + item.cost <= most:
                        yield start, end, BUILT, item.state, 0
                for done in cell.done:
                    if done.around + done.cost <= most:
                        yield start, end, DONE, done.symbol, done.depth
                for state, item in cell.going.items():
                    if item.around + item.cost <= most:
                        yield start, end, GOING, state, 0

    def _around_done(self, cell: _Cell) -> None:
        """What is around done items: all of one symbol stand in the same places, and below unary phrases."""
        base: dict[int, int] = {}
        at, states, costs = self.tables.starts
        for done in cell.done:
            least = min(base.get(done.symbol, INFINITE), done.around)
            for i in range(at[done.symbol], at[done.symbol + 1]):
                if states[i] in cell.going:
                    least = min(least, cell.going[states[i]].around + costs[i])
            base[done.symbol] = least
        at, phrases, costs = self.tables.unaries
        for done in reversed(cell.done):
            done.around = min(done.around, base[done.symbol])
            for below in cell.done if isinstance(done.below, _Done) else ():
                if below.depth == done.depth - 1:
                    for i in range(at[below.symbol], at[below.symbol + 1]):
                        if phrases[i] == done.symbol:
                            below.around = min(below.around, done.around + costs[i])

    def _around_parts(self, cell: _Cell, start: int, end: int) -> None:
        """What is around open items of several daughters, and around their parts."""
        phrase = {done.symbol: done for done in reversed(cell.done)}
        phrase |= {done.symbol: done for done in cell.done if done.depth == 1}
        around: dict[int, int] = {}
        for item in cell.built:
            least = cell.going[item.state].around if item.state in cell.going else INFINITE
            cost = self.tables.accept_cost[item.state]
            accepted = phrase.get(self.tables.accepted[item.state])
            if cost != NONE and accepted is not None:
                item.accepted = accepted.around + cost
                least = min(least, item.accepted)
            around[item.state] = least
        for before, done, step, state in self._steps(start, end):
            whole = around.get(state, INFINITE) + step
            if whole < INFINITE:
                before.around = min(before.around, whole + done.cost)
                done.around = min(done.around, whole + before.cost)

    def cover(self, fragment: int) -> tuple[int, list[_Done]]:
        """The least row of done items that covers all; each costs `fragment` more."""
        best: list[tuple[int, _Done | None, int]] = [(0, None, 0)] * (self.tokens + 1)
        for start in range(self.tokens - 1, -1, -1):
            best[start] = INFINITE, None, 0
            for end in range(start + 1, self.tokens + 1):
                for done in self.cells[start, end].done:
                    if best[end][0] < INFINITE and done.cost + fragment + best[end][0] < best[start][0]:
                        best[start] = done.cost + fragment + best[end][0], done, end
        tops, at = [], 0
        while (top := best[at][1]) is not None:
            tops.append(top)
            at = best[at][2]
        return best[0][0], tops

    def nodes(self, top: _Done) -> Iterator[Node]:
        """The nodes of a tree, each before its daughters."""
        waiting = [top]
        while waiting:
            item = waiting.pop()
            daughters: list[_Done] = []
            below = item.below
            if isinstance(below, _Done):
                daughters = [below]
            while isinstance(below, _Open):
                daughters.append(below.last)
                below = below.before  # type: ignore[assignment]
            yield item.symbol, item.below if isinstance(item.below, int) else -1, len(daughters)
            waiting += daughters
