"""Exact search in Python, on integers only: it equals the compiled search, and runs if that is missing.

Items (`items` explains the terms) are settled in the order of (bound, length, place, value), the least first. The bound
is the level of an item plus, if the item is active, the least cost of completing it; under `net` it is 0. The place is
a number that puts active items with several daughters first, then phrases in the order of their unary chains, then
active items with one daughter. Under `net`, items that begin further right come first, whatever their length, because
dominance depends on what may follow; the value matters there, because it decides which items are left out if states are
limited. The parts of an item are settled before it, so each item is settled only once.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from operator import sub
from typing import Final, NamedTuple

from numbat.automata.construction_automaton import LOST, NEVER, StateSummary
from numbat.automata.records import INFINITE
from numbat.parsing.exact.compiled_grammar import WeightedGrammar
from numbat.parsing.exact.items import (
    CHECK_EVERY,
    EDGES_AN_ITEM,
    RISE_DIVISOR,
    TOO_MANY,
    BeamBudget,
    Edge,
    SearchItems,
    WordItem,
    collection_suspended,
    least_ceiling,
)
from numbat.parsing.policies import Limits, Overdue, Value, never

Key = tuple[int, int, int, int, int]
"""Key of an item: start, end, kind, number, detail.

The kind of an active item is -1, its number that of the construction, its detail the state. A passive item has the
number -1, and as detail the depth of its unary chain.
"""
Offer = tuple[int, Key, Value, int, int, int]
"""Edge offered to an item: level, key of the item, the value that the edge adds, two parts, a label."""
Groups = defaultdict[int, list[int]]
"""Items that begin or end at a position, grouped for moves: active items by state, passive ones by daughter type."""


def _no_groups() -> Groups:
    return defaultdict(list)


def search(
    tokens: int,
    words: Sequence[WordItem],
    weighted: WeightedGrammar,
    ceiling: int | None,
    keep_all_edges: bool,
    limits: Limits,
    overdue: Overdue = never,
    margin: int | None = None,
) -> SearchItems:
    """Build and settle the items of a sentence.

    `ceiling` is the maximum cost, if given. With `keep_all_edges`, all ways to build an item are kept, not only the
    best ones. The search then explores costs up to the ceiling from the start; with a `margin`, too, it returns all
    items and edges that are in a solution which costs at most so much more than the best one, and no others. `limits`
    bound the number of all items, and of active items over each span. `overdue` is called every `CHECK_EVERY` items; if
    it returns True, the search stops.
    """
    with collection_suspended():
        floor = least_ceiling(words)
        most = None if ceiling is None else max(ceiling, floor)
        if not (keep_all_edges and weighted.valuation.lexicographic):
            margin = None
        return _Search(tokens, weighted, most, floor, keep_all_edges, limits, margin).run(words, overdue)


_SLOTS: Final = """
agenda at_least budget ceiling counts dominance edges edges_made end_if_net ending following fragment
fragment_cost_units grows is_settled is_top keep_all_edges keys known last_place leaves_out levels lexicographic
lookaheads margin marks max_ceiling max_items postponed pruned rests right_first_stride rivals roots settled starting
steps stopped to_complete tokens unary_limit valuation values weighted width words_at
"""
"""Attributes of `_Search`, as slots for fast access."""


class _Search:
    """State of one search."""

    __slots__ = tuple(_SLOTS.split())

    def __init__(
        self,
        tokens: int,
        weighted: WeightedGrammar,
        ceiling: int | None,
        floor: int,
        keep_all_edges: bool,
        limits: Limits,
        margin: int | None,
    ) -> None:
        self.tokens, self.weighted, self.keep_all_edges, self.margin = tokens, weighted, keep_all_edges, margin
        self.valuation, self.lexicographic = weighted.valuation, weighted.valuation.lexicographic
        self.steps, self.to_complete, self.width = weighted.steps, weighted.to_complete, len(weighted.automata)
        self.max_items: float = inf if limits.items is None else limits.items
        self.unary_limit, self.fragment_cost_units = weighted.grammar.unary_limit, weighted.grammar.fragment_cost_units
        self.fragment = weighted.valuation.value(self.fragment_cost_units, 0)
        self.is_top = weighted.compiled.is_top
        self.grows = self.lexicographic and (not keep_all_edges or margin is not None)
        self.max_ceiling: float = inf if ceiling is None else ceiling
        self.ceiling: float = floor if self.grows else self.max_ceiling
        self.last_place = self.unary_limit + 2  # that of active items with one daughter
        self.keys: list[Key] = []
        self.values: list[Value] = []
        self.levels: list[int] = []
        self.edges: list[list[Edge]] = []
        self.edges_made = 0
        self.is_settled: list[bool] = []
        self.counts: list[int] = []
        self.known: dict[Key, int] = {}
        self.postponed: list[tuple[int, Offer]] = []
        self.rivals: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
        self.starting: list[list[int]] = [[] for _ in range(tokens)]
        self.ending: list[defaultdict[int, Groups]] = [defaultdict(_no_groups) for _ in range(tokens)]
        self.following: list[defaultdict[int, Groups]] = [defaultdict(_no_groups) for _ in range(tokens)]
        self.words_at: list[list[int]] = [[] for _ in range(tokens)]
        self.roots: set[int] = set()
        self.agenda: list[tuple[int, int, int, Value, int]] = []
        self.settled, self.pruned, self.stopped, self.at_least = 0, False, False, 0
        self.lookaheads: Sequence[int] = ()
        self.marks: Sequence[int] = ()
        keeps_best = not (self.lexicographic or keep_all_edges)
        self.dominance = Dominance(weighted, tokens, self.following) if keeps_best else None
        self.right_first_stride = tokens + 1 if keeps_best else 0  # one position further right counts more than length
        self.end_if_net = tokens if keeps_best else -1  # phrases that end there are compared as soon as offered
        self.leaves_out = keeps_best or limits.states is not None
        self.budget = BeamBudget(tokens, limits, in_turn=keeps_best)

    def run(self, words: Sequence[WordItem], overdue: Overdue) -> SearchItems:
        self.lookaheads = memoryview(self.weighted.lookahead_numbers(self.tokens, words)).cast("i")
        self.marks = self.weighted.compiled.marks_between(self.tokens, words)
        for i, (start, end, kind, cost) in enumerate(words):
            known = len(self.values)
            value = self.valuation.value(cost, 0)
            self.offer(self.valuation.level(value), (start, end, kind, -1, 0), value, -1, -1, i)
            if len(self.values) > known:
                self.words_at[start].append(known)
        self.settle(overdue)
        while not self.stopped and self.grow(overdue):
            self.settle(overdue)
        covers = self.best_covers()
        starting = [self.covering(position, covers) for position in range(self.tokens)]
        self.rests = [0] * len(self.values)
        if self.margin is not None:
            self.cut(starting, covers)
        return SearchItems(
            self.built(),
            [start for start, _, _, _, _ in self.keys],
            [end for _, end, _, _, _ in self.keys],
            [kind for _, _, kind, _, _ in self.keys],
            starting,
            self.roots,
            covers,
            self.settled,
            self.pruned,
            self.stopped,
            self.at_least,
            self.budget.hit_state_limit,
            self.budget.hit_budget,
            self.edges,
            self.counts,
            self.values,
            self.rests,
        )

    def settle(self, overdue: Overdue) -> None:
        """Settle everything on the agenda."""
        watched = -1
        while self.agenda:
            entry = heapq.heappop(self.agenda)
            level, item = entry[0], entry[-1]
            if self.is_settled[item]:
                continue
            if level > watched:
                watched = self.watch(level)
            if level > self.ceiling:
                self.pruned = True
                heapq.heappush(self.agenda, entry)  # it is settled if the ceiling rises
                break
            if self.built() >= self.max_items or (self.settled % CHECK_EVERY == CHECK_EVERY - 1 and overdue()):
                self.stopped, self.at_least = True, level
                break
            self.is_settled[item] = True
            start, end, kind, number, detail = self.keys[item]
            if kind < 0 and self.leaves_out and self.leave_out(item):
                continue
            self.counts[item] = self.count(item)
            self.settled += 1
            if kind < 0:
                self.settle_active(item, start, end, number, detail)
            else:
                self.settle_passive(item, level, start, end, kind, detail)

    def grow(self, overdue: Overdue) -> bool:
        """Raise the ceiling if the best solution is beyond it, and offer the postponed edges again; True if it rose.

        The ceiling rises by a part of itself (`RISE_DIVISOR`), at first to the usual cost of a violation, but never
        above the cost of the best solution; then up to the margin above that.
        """
        best = self.valuation.level(self.best_covers()[0])
        if best <= self.ceiling:
            best += self.margin or 0
        if not (self.grows and self.pruned) or best <= self.ceiling:
            return False
        before = self.ceiling
        risen = self.ceiling - -self.ceiling // RISE_DIVISOR
        self.ceiling = min(best, max(risen, self.weighted.usual_cost), self.max_ceiling)
        if self.ceiling <= before:
            return False
        self.pruned, self.at_least = False, int(before)
        postponed, self.postponed, kept = self.postponed, [], []
        for bound, offer in postponed:
            if self.built() >= self.max_items:
                self.stopped = True
                return False
            if bound > self.ceiling:
                self.pruned = True
                kept.append((bound, offer))
            else:
                self.offer(*offer)
        self.postponed = kept + self.postponed
        for position in range(self.tokens):
            self.stopped = self.stopped or (position % 16 == 0 and overdue())
            self.extend_postponed(position, before)
        return not self.stopped

    def extend_postponed(self, position: int, before: float) -> None:
        """Combine the pairs of items that meet at a position and cost more than the previous ceiling (`before`)."""
        for number, ending in sorted(self.ending[position].items()):
            for state, actives in ending.items():
                for daughter_type, passives in self.following[position].get(number, {}).items():
                    self.stopped = self.stopped or self.built() >= self.max_items
                    if self.stopped:
                        return
                    self.extend(number, state, daughter_type, actives, passives, before)

    def leave_out(self, item: int) -> bool:
        """True if an active item is left out because its span is full or because another item dominates it.

        Otherwise the item is counted and recorded.
        """
        start, end, _, number, state = self.keys[item]
        value, dominance = self.values[item], self.dominance
        return (
            self.budget.is_full(start, end)
            or (dominance is not None and dominance.beaten_or_recorded(start, end, number, state, value))
            or self.budget.count_and_refuse(start, end, self.built())
        )

    def built(self) -> int:
        """Return the number of items, or the number for which their edges count (`EDGES_AN_ITEM`) if that is larger."""
        return max(len(self.values), self.edges_made // EDGES_AN_ITEM)

    def count(self, item: int) -> int:
        """Return the number of equally good trees for an item that is being settled, whose edges are complete."""
        total, counts, values = 0, self.counts, self.values
        for left, right, value, _ in self.edges[item]:
            whole = value + (values[left] if left >= 0 else 0) + (values[right] if right >= 0 else 0)
            if self.keep_all_edges and whole > values[item]:
                continue
            trees = counts[left] if left >= 0 else 1
            others = counts[right] if right >= 0 else 1
            if trees == TOO_MANY or others == TOO_MANY:
                return TOO_MANY
            total += trees * others
        return total if total < 1 << 63 else TOO_MANY

    def offer(self, level: int, key: Key, added: Value, left: int, right: int, label: int) -> None:
        """Add an edge to an item, unless the item has a better one."""
        start, end, _, number, detail = key
        bound = level
        if number >= 0 and level <= self.ceiling:
            to_complete = self.to_complete[number, detail, self.lookaheads[end * self.width + number]]
            if to_complete >= INFINITE:
                return
            bound += to_complete
        if bound > self.ceiling:
            self.pruned = True
            if self.grows:
                self.postponed.append((bound, (level, key, added, left, right, label)))
            return
        values = self.values
        value = added
        if left >= 0:
            value += values[left]
        if right >= 0:
            value += values[right]
        is_last = end == self.end_if_net and number >= 0
        if is_last and self.dominance and self.dominance.record_end_and_compare(start, number, detail, value):
            return
        fresh = len(values)
        item = self.known.setdefault(key, fresh)
        if item == fresh:
            self.keys.append(key)
            values.append(value)
            self.levels.append(level)
            self.edges.append([(left, right, added, label)])
            self.edges_made += 1
            self.is_settled.append(False)
            self.counts.append(0)
        elif value < values[item]:
            if not self.keep_all_edges:
                self.edges[item].clear()
            self.edges[item].append((left, right, added, label))
            self.edges_made += 1
            as_cheap = level == self.levels[item]
            values[item], self.levels[item] = value, level
            if as_cheap and self.lexicographic:
                return
        else:
            if value == values[item] or self.keep_all_edges:
                self.edges[item].append((left, right, added, label))
                self.edges_made += 1
            return
        place = detail + 1 if number < 0 else 0 if right >= 0 else self.last_place
        later = 0 if self.lexicographic else value
        heapq.heappush(self.agenda, (bound, end - start - self.right_first_stride * start, place, later, item))

    def watch(self, level: int) -> int:
        """Lower the ceiling to the cost of the best cover known; return the level at which to do this again."""
        if not self.grows:
            return 1 << 62
        self.ceiling = min(self.ceiling, self.most(self.best_covers()[0]))
        return level + max(level, self.fragment_cost_units) // 4

    def most(self, best: Value) -> int:
        """Return the most that a solution may cost that is kept, if the best one has this value."""
        return self.valuation.level(best) + (self.margin or 0)

    def best_covers(self) -> list[Value]:
        """Return, for each position, the value of the best cover to the end, made of settled items or else of words.

        A root over the whole input is not a fragment (ruling 2).
        """
        best = [0] * (self.tokens + 1)
        for position in range(self.tokens - 1, -1, -1):
            best[position] = min(self.covers_from(position, best))
        return best

    def covers_from(self, position: int, best: Sequence[Value]) -> list[Value]:
        """Return, for each item that may begin a cover at a position, the value of the best such cover to the end."""
        values, keys, roots, fragment = self.values, self.keys, self.roots, self.fragment
        return [
            values[item] + best[keys[item][1]] + (0 if item in roots else fragment) for item in self.choices(position)
        ]

    def choices(self, position: int) -> list[int]:
        return self.starting[position] or self.words_at[position]

    def covering(self, position: int, best: Sequence[Value]) -> list[int]:
        """Return the items that may begin a cover at a position: those in best covers, or all if all edges are kept."""
        if self.keep_all_edges:
            return self.choices(position)
        values = self.covers_from(position, best)
        return [item for item, value in zip(self.choices(position), values, strict=True) if value == best[position]]

    def cut(self, starting: list[list[int]], best: Sequence[Value]) -> None:
        """Leave out what is in no solution within the margin; `rests` gets the least cost of the rest around items.

        Wholes come before their parts. Items that are in no such solution keep no edges.
        """
        self.ceiling = min(self.max_ceiling, self.most(best[0]))
        level, ceiling, edges = self.valuation.level, self.ceiling, self.edges
        before: list[float] = [0.0, *[inf] * self.tokens]
        rest: list[float] = [inf] * len(self.values)
        for position, choices in enumerate(starting):
            totals = [before[position] + level(value) for value in self.covers_from(position, best)]
            starting[position] = [item for item, total in zip(choices, totals, strict=True) if total <= ceiling]
            for item, total in zip(choices, totals, strict=True):
                if total > ceiling:
                    self.pruned = True
                    continue
                end, inside = self.keys[item][1], level(self.values[item])
                before[end] = min(before[end], before[position] + inside + self.fragment_cost_units)
                rest[item] = total - inside
        for item in sorted(range(len(rest)), key=self.place, reverse=True):
            kept = []
            for edge in edges[item]:
                parts = [part for part in edge[:2] if part >= 0]
                total = rest[item] + level(edge[2]) + sum(level(self.values[part]) for part in parts)
                if total <= ceiling:
                    kept.append(edge)
                    for part in parts:
                        rest[part] = min(rest[part], total - level(self.values[part]))
                elif rest[item] < inf:
                    self.pruned = True
            edges[item] = kept
            self.rests[item] = 0 if rest[item] == inf else int(rest[item])

    def place(self, item: int) -> tuple[int, int]:
        """Return the length and place of an item, by which parts come before wholes."""
        start, end, _, number, detail = self.keys[item]
        is_longer = number >= 0 and self.edges[item][0][1] >= 0
        return end - start, detail + 1 if number < 0 else 0 if is_longer else self.last_place

    def settle_passive(self, item: int, level: int, start: int, end: int, kind: int, depth: int) -> None:
        """Start every construction that admits a passive item, and extend the active items that end where it begins.

        An item that another one of its kind and span beats is only useful as the daughter of a unary phrase that the
        winner cannot form, because the winner is higher in a unary chain.
        """
        rivals = self.rivals.setdefault((start, end, kind), [])
        cheaper = [] if self.keep_all_edges else [rival for other, rival in rivals if other < level]
        rivals.append((level, depth))
        if cheaper and min(cheaper) <= depth:
            return
        following, ending = self.following[start], self.ending[start]
        for number, daughter_type, (state, rise, value), phrase in self.weighted.first_moves[kind,]:
            if end < self.tokens and not cheaper:
                beside = self.cost_beside(number, start, self.tokens)
                self.offer(level + rise + beside, (start, end, -1, number, state), value, item, -1, -1)
            if phrase is not None and depth < self.unary_limit:
                made, rise, value = phrase
                made = self.marked(made, start, end)
                beside = self.cost_beside(number, start, end)
                self.offer(level + rise + beside, (start, end, made, -1, depth + 1), value, item, -1, number)
            if not cheaper and self.append_if_best(item, following[number][daughter_type]):
                for waiting, actives in ending.get(number, {}).items():
                    self.extend(number, waiting, daughter_type, actives, (item,))
        if cheaper:
            return
        self.starting[start].append(item)
        if end - start == self.tokens and self.weighted.compiled.is_root(kind):
            self.roots.add(item)
            if self.grows:
                self.ceiling = min(self.ceiling, level + (self.margin or 0))

    def marked(self, kind: int, start: int, end: int) -> int:
        """Return the kind of a phrase over a span, with the features of the marks beside it."""
        marks = self.marks
        return self.weighted.compiled.marked(kind, marks[start], marks[end]) if marks else kind

    def cost_beside(self, number: int, start: int, end: int) -> int:
        """Return the cost of two fragments for a phrase that cannot be a daughter and is not the whole sentence."""
        is_apart = self.is_top[number] and (start > 0 or end < self.tokens)
        return 2 * self.fragment_cost_units if is_apart and self.lexicographic else 0

    def append_if_best(self, item: int, group: list[int]) -> bool:
        """Add a passive item to the group of its type, which may follow active items; False if it is not added.

        If no active item is extended by the group before the next span, only the best items over one span are kept.
        """
        if self.dominance is not None:
            end, value = self.keys[item][1], self.values[item]
            while group and self.keys[group[-1]][1] == end and self.values[group[-1]] > value:
                group.pop()
            if group and self.keys[group[-1]][1] == end and self.values[group[-1]] < value:
                return False
        group.append(item)
        return True

    def settle_active(self, item: int, start: int, end: int, number: int, state: int) -> None:
        """Accept an active item as a phrase if it has several daughters; extend it by settled items that follow."""
        if self.edges[item][0][1] >= 0:
            phrase = self.weighted.accepted[number, state]
            if phrase is not None:
                made, rise, value = phrase
                made = self.marked(made, start, end)
                rise += self.cost_beside(number, start, end) - self.cost_beside(number, start, self.tokens)
                self.offer(self.levels[item] + rise, (start, end, made, -1, 1), value, item, -1, number)
        if end < self.tokens:
            self.ending[end][number][state].append(item)
            for daughter_type, passives in self.following[end].get(number, {}).items():
                self.extend(number, state, daughter_type, (item,), passives)

    def extend(
        self,
        number: int,
        state: int,
        daughter_type: int,
        actives: Sequence[int],
        passives: Sequence[int],
        above: float = -1,
    ) -> None:
        """Extend active items in a state by passive ones of one daughter type, if the pair costs more than `above`.

        Both groups are sorted by cost: if one item is too costly, so are those after it.
        """
        levels, keys, ceiling = self.levels, self.keys, self.ceiling
        if levels[actives[0]] + levels[passives[0]] > ceiling:
            self.pruned = True
            return
        move = self.steps[number, state, daughter_type]
        if move is None:
            return
        state, rise, value = move
        for before in actives:
            so_far = levels[before] + rise
            for behind in passives:
                level = so_far + levels[behind]
                if level > ceiling:
                    self.pruned = True
                    break
                if level > above:
                    key = keys[before][0], keys[behind][1], -1, number, state
                    self.offer(level, key, value, before, behind, -1)


# Dominance between active items over one span: an item that is dominated by another one is not extended.
#
# Under `net`, no cost leads the search, and states hold counts, so that long spans have very many states. When active
# items over a span are settled, all items that begin further right are complete, so it is known which daughters may
# follow. The *dominance gap* of one unfinished constituent over another is what remains of its advantage after the
# worst daughters that may begin at each position, with all effects of their order, and after the worst ones for each
# deferred property. An item that is beaten by any amount is in no optimal tree; equal items are kept, so that ties are
# counted exactly.

Following = Sequence[Mapping[int, Mapping[int, list[int]]]]
"""Settled passive items, by start position, then construction, then daughter type."""


class Future(NamedTuple):
    """The possible continuations of an unfinished constituent.

    `here` are the daughter classes that may begin where the constituent ends, `later` all that may follow after that,
    each once; `continuations` has the number of the continuation for each deferred property. Each of `rows` is a set of
    classes that may begin at the same position, as indexes in `later`, with the number of positions that have this set.
    """

    here: tuple[int, ...]
    later: tuple[int, ...]
    rows: tuple[tuple[tuple[int, ...], int], ...]
    continuations: tuple[int, ...]


class OrderGains(NamedTuple):
    """Gain of each of some classes due to order (`NEVER`: it cannot follow); `holds`: those that satisfy a property."""

    sums: tuple[int, ...]
    holds: int


class Contender(NamedTuple):
    """An active item: the summary of its state, and its value without the cost of irreparable violations."""

    summary: StateSummary
    value: Value


class Dominance:
    """For each span, the active items of a search that no other item dominates."""

    def __init__(self, weighted: WeightedGrammar, tokens: int, following: Following) -> None:
        self._weighted, self._automata = weighted, weighted.automata
        self._tokens = tokens
        self._following = following
        self._futures: dict[tuple[int, int], Future] = {}
        self._rows: dict[tuple[int, int, int, tuple[int, ...]], OrderGains] = {}
        """By construction, earlier class, number of daughters between, and later classes: the gains of the latter."""
        self._gains_known: dict[tuple[int, int, int], tuple[OrderGains, ...]] = {}
        """By construction, end and state: gains of the next class, then those of later classes, by their distance."""
        self._losses: dict[tuple[int, int, int, int], int] = {}
        """By construction, end, and the states of the better item and the other: what the gap may lose due to order."""
        self._unbeaten: dict[tuple[int, int, int, int], list[Contender]] = {}
        """By span, construction and contributions: the items so far, none of which beats another."""
        self._ended: dict[tuple[int, int], Value] = {}
        """By start and kind: the best value of a phrase that ends with the sentence."""

    def record_end_and_compare(self, start: int, number: int, state: int, value: Value) -> bool:
        """Record the phrase of an item that ends with the sentence; True if it has none or a better one is recorded."""
        accepted = self._weighted.accepted[number, state]
        if accepted is None:
            return True
        kind, _, change = accepted
        best = self._ended.get((start, kind), value + change)
        self._ended[start, kind] = min(best, value + change)
        return value + change > best

    def beaten_or_recorded(self, start: int, end: int, number: int, state: int, value: Value) -> bool:
        """True if another item over the span dominates this one; otherwise it is recorded and may dominate others."""
        weighted = self._automata[number]
        if not weighted.classes.is_countable or end == self._tokens:
            return False
        summary = weighted.summary(state)
        contender = Contender(summary, value - summary.irreparable_cost)
        unbeaten = self._unbeaten.setdefault((start, end, number, summary.contributions), [])
        for other in unbeaten:
            if self._beats(other, contender, number, end):
                return True
        unbeaten.append(contender)
        return False

    def _beats(self, one: Contender, other: Contender, number: int, end: int) -> bool:
        """True if `one` dominates: its gap exceeds what it may lose, and it forms a phrase whenever `other` does.

        If `one` is not yet licensed (H4), every class that satisfies a property of `other` must satisfy one of its own.
        """
        mine, yours, gap = one.summary, other.summary, other.value - one.value
        if not mine.is_licensed and (yours.is_licensed or not self._automata[number].classes.needs_satisfied):
            return False
        if mine.property_states != yours.property_states:
            gap += self._gap_by_properties(mine, yours, number, end)
        if gap <= 0:
            return False
        key = number, end, mine.state, yours.state
        loss = self._losses.get(key)
        if loss is None:
            loss = self._losses[key] = self._loss(mine, yours, number, end)
        return gap > loss

    def _gap_by_properties(self, mine: StateSummary, yours: StateSummary, number: int, end: int) -> int:
        """Return the gap that is due to deferred properties: their states, and what may follow."""
        gap, continuations, weighted = 0, self._future(number, end).continuations, self._automata[number]
        for i, (state, other) in enumerate(zip(mine.property_states, yours.property_states, strict=True)):
            if state != other:
                gap += weighted.gap(i, state, other, continuations[i], mine.is_licensed)
        return gap

    def _loss(self, mine: StateSummary, yours: StateSummary, number: int, end: int) -> int:
        """Return the most by which the gap may shrink due to the order of what follows."""
        gains = list(zip(self._gains(number, end, mine.state), self._gains(number, end, yours.state), strict=True))
        if not mine.is_licensed and any(others.holds & ~ours.holds for ours, others in gains):
            return -NEVER
        here, *later = [tuple(map(sub, order_gains.sums, others.sums)) for order_gains, others in gains]
        loss = -min(0, *here) if here else 0
        gaps = list(map(min, *later)) if len(later) > 1 else later[0]
        if min(gaps, default=0) < 0:
            for places, times in self._future(number, end).rows:
                loss -= times * min([0, *[gaps[place] for place in places]])
        return loss

    def _gains(self, number: int, end: int, state: int) -> tuple[OrderGains, ...]:
        key = number, end, state
        known = self._gains_known.get(key)
        if known is None:
            future = self._future(number, end)
            most = max(1, self._automata[number].classes.reach)
            later = [self._sum(number, state, future.later, skipped) for skipped in range(1, most + 1)]
            known = self._gains_known[key] = self._sum(number, state, future.here, 0), *later
        return known

    def _sum(self, number: int, state: int, classes: tuple[int, ...], skipped: int) -> OrderGains:
        """Return the gain of each of some classes after a state, if `skipped` other daughters come before it."""
        sums, holds = [0] * len(classes), 0
        for before, between, times in self._automata[number].automaton.pairs(state, skipped):
            row = self._row(number, before, between, classes)
            sums = [total + times * gain for total, gain in zip(sums, row.sums, strict=True)]
            holds |= row.holds
        if min(sums, default=0) > LOST:
            return OrderGains(tuple(sums), holds)
        can = _bits(total > LOST for total in sums)
        return OrderGains(tuple([total if total > LOST else NEVER for total in sums]), holds & can)

    def _row(self, number: int, before: int, between: int, classes: tuple[int, ...]) -> OrderGains:
        """Return the gains of classes due to one class read before them, or (for -1) of the classes alone."""
        key = number, before, between, classes
        known = self._rows.get(key)
        if known is None:
            gain = self._automata[number].pair_gain
            gains = [gain(before, read, between) for read in classes]
            sums = tuple([pair_gain.sum for pair_gain in gains])
            known = self._rows[key] = OrderGains(sums, _bits(pair_gain.holds for pair_gain in gains))
        return known

    def _future(self, number: int, position: int) -> Future:
        known = self._futures.get((number, position))
        if known is None:
            classes = self._automata[number].classes
            here, *rest = [self._classes(number, at) for at in range(position, self._tokens)]
            later = tuple(sorted({read for classes_at in rest for read in classes_at}))
            every = tuple(sorted({*here, *later}))
            places = {read: place for place, read in enumerate(later)}
            rows = Counter(tuple([places[read] for read in classes_at]) for classes_at in rest)
            continuations = classes.continuation(every, self._tokens - position)
            known = self._futures[number, position] = Future(here, later, tuple(rows.items()), continuations)
        return known

    def _classes(self, number: int, position: int) -> tuple[int, ...]:
        types = self._following[position].get(number, ())
        return tuple(sorted({self._automata[number].classes.parts_of(daughter_type)[0] for daughter_type in types}))


def _bits(flags: Iterable[bool]) -> int:
    return sum(1 << place for place, flag in enumerate(flags) if flag)
