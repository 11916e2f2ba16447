"""The hot loop of the exact search, on integers only: reference for, and stand-in of, the compiled `_kernel`.

Passive items are cells (start, end, kind, chain depth), active items are (start, end, construction, state of its
automaton). They are settled in the order of (level, length, place, value). The level is the cost under `relaxation`,
and 0 under `net`. This is growing relaxation: nothing may cost anything at first; what costs more is postponed, and
taken up where the best solution is beyond the ceiling, which then rises. The place puts an active item with several
daughters before the phrases that it makes, these in the order of their unary chains, and active items with one
daughter last. Under `net` what begins further right comes first, for `dominance` asks what may follow, and the value
counts: it decides what is left out where states are limited. Whatever an item is built from was settled before it, so
each is settled once, with its best value and all ties.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Sequence
from math import inf

from numbat.parsing.dominance import Dominance
from numbat.parsing.items import PATIENCE, TOO_MANY, Edge, Items, Word
from numbat.parsing.machine import Machine
from numbat.parsing.policies import Limits, Overdue, Value, never
from numbat.parsing.rations import Rations
from numbat.parsing.states import INFINITE

Offer = tuple[int, int, int, int, int, int, Value, int, int, int]
"""A way to build an item: its level, start, end, kind, construction, detail, the value that it adds, two parts, a
label."""
Groups = defaultdict[int, list[int]]
"""Items that meet at a position and that a move treats alike: active ones by state, passive ones by look."""


def _no_groups() -> Groups:
    return defaultdict(list)


def search(
    tokens: int,
    words: Sequence[Word],
    machine: Machine,
    ceiling: int | None,
    everything: bool,
    limits: Limits,
    overdue: Overdue = never,
) -> Items:
    """Build and settle the items of a sentence.

    `ceiling`: nothing costlier is built. `everything`: keep all edges and not only the best, up to that ceiling from
    the start. `limits`: how many items are built, and how many active ones over one span. `overdue` is asked every
    `PATIENCE` items whether to stop.
    """
    return _Search(tokens, machine, ceiling, everything, limits).run(words, overdue)


class _Search:
    def __init__(self, tokens: int, machine: Machine, ceiling: int | None, everything: bool, limits: Limits) -> None:
        self.tokens, self.machine, self.everything = tokens, machine, everything
        self.valuation, self.lexicographic = machine.valuation, machine.valuation.lexicographic
        self.leads = int(self.lexicographic)
        """What a unit of cost counts in levels."""
        self.steps = [automaton.step for automaton in machine.automata]
        self.ahead = machine.ahead
        self.room: float = inf if limits.items is None else limits.items
        self.unary_limit, self.fragment_cost = machine.grammar.unary_limit, machine.grammar.fragment_cost
        self.grows = self.lexicographic and not everything
        self.most: float = inf if ceiling is None else ceiling
        self.ceiling: float = 0 if self.grows else self.most
        self.late = self.unary_limit + 2
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.kinds: list[int] = []
        self.numbers: list[int] = []
        self.details: list[int] = []
        self.values: list[Value] = []
        self.levels: list[int] = []
        self.edges: list[list[Edge]] = []
        self.is_settled: list[bool] = []
        self.counts: list[int] = []
        self.known: dict[tuple[int, int, int, int, int], int] = {}
        self.postponed: list[tuple[int, Offer]] = []
        self.rivals: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
        self.starting: list[list[int]] = [[] for _ in range(tokens)]
        self.ending: defaultdict[tuple[int, int], Groups] = defaultdict(_no_groups)
        self.following: defaultdict[tuple[int, int], Groups] = defaultdict(_no_groups)
        self.words_at: list[list[int]] = [[] for _ in range(tokens)]
        self.roots: set[int] = set()
        self.agenda: list[tuple[int, int, int, Value, int]] = []
        self.settled, self.pruned, self.stopped = 0, False, False
        self.views: Sequence[int] = ()
        keeps_best = not (self.lexicographic or everything)
        self.dominance = Dominance(machine, tokens, self.following) if keeps_best else None
        self.far = tokens + 1 if keeps_best else 0
        self.rations = Rations(tokens, limits, in_turn=keeps_best)

    def run(self, words: Sequence[Word], overdue: Overdue) -> Items:
        self.views = self.machine.views(self.tokens, words)
        for i, (start, end, kind, cost) in enumerate(words):
            known = len(self.values)
            own = self.valuation.value(cost, 0)
            self.offer(self.leads * cost, start, end, kind, -1, 0, own, -1, -1, i)
            if len(self.values) > known:
                self.words_at[start].append(known)
        self.settle(overdue)
        while not self.stopped and self.grow(overdue):
            self.settle(overdue)
        covers = self.best_covers()
        return Items(
            self.starts,
            self.ends,
            self.kinds,
            [self.covering(position, covers) for position in range(self.tokens)],
            self.roots,
            covers,
            self.settled,
            self.pruned,
            self.stopped,
            self.rations.is_crowded,
            self.rations.is_rationed,
            self.edges,
            self.values,
            self.counts,
        )

    def settle(self, overdue: Overdue) -> None:
        """Settle everything on the agenda."""
        watched = -1
        while self.agenda:
            level, _, _, _, item = heapq.heappop(self.agenda)
            if self.is_settled[item]:
                continue
            if level > watched:
                watched = self.watch(level)
            if level > self.ceiling:
                self.pruned = True
                break
            if len(self.values) >= self.room or (self.settled % PATIENCE == PATIENCE - 1 and overdue()):
                self.stopped = True
                break
            self.is_settled[item] = True
            if self.kinds[item] < 0 and self.is_left_out(item):
                continue
            if not self.everything:
                self.counts[item] = self.count(item)
            self.settled += 1
            if self.kinds[item] < 0:
                self.settle_active(item)
            else:
                self.settle_passive(item, level)

    def grow(self, overdue: Overdue) -> bool:
        """Whether the ceiling has to rise, for the best solution is beyond it: then to that or to twice as much, at
        first to what a violation usually costs. What was too costly before is taken up."""
        best = self.valuation.level(self.best_covers()[0])
        if not (self.grows and self.pruned) or best <= self.ceiling:
            return False
        before = self.ceiling
        self.ceiling = min(best, max(2 * self.ceiling, self.machine.usual_cost), self.most)
        if self.ceiling <= before:
            return False
        self.pruned = False
        postponed, self.postponed, kept = self.postponed, [], []
        for level, offer in postponed:
            if len(self.values) >= self.room:
                self.stopped = True
                return False
            if self.is_too_costly(level):
                kept.append((level, offer))
            else:
                self.offer(*offer)
        self.postponed = kept + self.postponed
        for position in range(self.tokens):
            self.stopped = self.stopped or (position % 16 == 0 and overdue())
            self.extend_postponed(position, before)
        return not self.stopped

    def extend_postponed(self, position: int, before: float) -> None:
        """Extend the pairs that meet at a position and that the ceiling left out."""
        for number in range(len(self.machine.constructions)):
            for state, actives in self.ending[position, number].items():
                for look, passives in self.following[position, number].items():
                    self.stopped = self.stopped or len(self.values) >= self.room
                    if self.stopped:
                        return
                    self.extend(number, state, look, actives, passives, before)

    def is_beaten(self, item: int) -> bool:
        """Whether another active item over the span is better whatever follows."""
        if self.dominance is None:
            return False
        return self.dominance.is_beaten(
            self.starts[item], self.ends[item], self.numbers[item], self.details[item], self.values[item]
        )

    def is_left_out(self, item: int) -> bool:
        """Whether nothing is built on an active item; nobody asks what beats it where it would be one too many."""
        is_full = self.rations.is_full(self.starts[item], self.ends[item])
        return is_full or self.is_beaten(item) or self.is_crowded(item)

    def is_crowded(self, item: int) -> bool:
        """Whether an active item is one too many over its span."""
        return self.rations.has_enough(self.starts[item], self.ends[item], len(self.values))

    def count(self, item: int) -> int:
        """The equally good trees of an item: its edges are complete when it is settled, its parts were before."""
        total = 0
        for left, right, _, _ in self.edges[item]:
            trees = self.counts[left] if left >= 0 else 1
            others = self.counts[right] if right >= 0 else 1
            if TOO_MANY in (trees, others):
                return TOO_MANY
            total += trees * others
        return total if total < 1 << 63 else TOO_MANY

    def offer(
        self,
        level: int,
        start: int,
        end: int,
        kind: int,
        number: int,
        detail: int,
        own: Value,
        left: int,
        right: int,
        label: int,
    ) -> None:
        """One more way to build an item: kept if it is the best so far or as good."""
        ahead = 0
        if number >= 0 and level <= self.ceiling:
            ahead = self.ahead(number, detail, self.views[end * len(self.steps) + number])
            if ahead >= INFINITE:
                return
        if self.is_too_costly(level + ahead):
            if self.grows:
                offered = level, start, end, kind, number, detail, own, left, right, label
                self.postponed.append((level + ahead, offered))
            return
        value = own + (self.values[left] if left >= 0 else 0) + (self.values[right] if right >= 0 else 0)
        is_last = number >= 0 and end == self.tokens
        if is_last and self.dominance and self.dominance.ends_worse(start, number, detail, value):
            return
        key = start, end, kind, number, detail
        fresh = len(self.values)
        item = self.known.setdefault(key, fresh)
        if item == fresh:
            self.starts.append(start)
            self.ends.append(end)
            self.kinds.append(kind)
            self.numbers.append(number)
            self.details.append(detail)
            self.values.append(value)
            self.levels.append(level)
            self.edges.append([(left, right, own, label)])
            self.is_settled.append(False)
            self.counts.append(0)
        elif value < self.values[item]:
            if not self.everything:
                self.edges[item].clear()
            self.edges[item].append((left, right, own, label))
            as_cheap = level == self.levels[item]
            self.values[item], self.levels[item] = value, level
            if as_cheap and self.lexicographic:
                return
        else:
            if value == self.values[item] or self.everything:
                self.edges[item].append((left, right, own, label))
            return
        place = detail + 1 if number < 0 else 0 if right >= 0 else self.late
        later = 0 if self.lexicographic else value
        heapq.heappush(self.agenda, (level + ahead, end - start - self.far * start, place, later, item))

    def is_too_costly(self, level: int) -> bool:
        """Whether the ceiling leaves something out."""
        if level > self.ceiling:
            self.pruned = True
            return True
        return False

    def watch(self, level: int) -> int:
        """Lower the ceiling to the cost of the best covering combination that is known; say when to look again."""
        if self.everything or not self.lexicographic:
            return 1 << 62
        known = self.valuation.level(self.best_covers()[0])
        self.ceiling = min(self.ceiling, known)
        return level + max(level, self.fragment_cost) // 4

    def best_covers(self) -> list[Value]:
        """The values of the best covers of what follows each position: of what is settled, of words at worst.

        One root over everything is no fragment (ruling 2).
        """
        best = [0] * (self.tokens + 1)
        for position in range(self.tokens - 1, -1, -1):
            choices = self.starting[position] or self.words_at[position]
            best[position] = min(self.cover_from(item, best) for item in choices)
        return best

    def cover_from(self, item: int, best: Sequence[Value]) -> Value:
        """The value of the best cover of what follows a position that begins with that item there."""
        cost = 0 if item in self.roots else self.fragment_cost
        return self.values[item] + self.valuation.value(cost, 0) + best[self.ends[item]]

    def covering(self, position: int, best: Sequence[Value]) -> list[int]:
        """What may cover the input from a position on: in the best covers only, or everything."""
        choices = self.starting[position] or self.words_at[position]
        return [item for item in choices if self.everything or self.cover_from(item, best) == best[position]]

    def settle_passive(self, item: int, level: int) -> None:
        """Start every construction that covers it, put it behind the active items that wait for it.

        One that is beaten by another of its kind and span is of use only below a unary phrase that the winner, higher
        in its own chain, can no longer reach.
        """
        start, end, kind, depth = self.starts[item], self.ends[item], self.kinds[item], self.details[item]
        rivals = self.rivals.setdefault((start, end, kind), [])
        cheaper = [] if self.everything else [rival for other, rival in rivals if other < level]
        rivals.append((level, depth))
        if cheaper and min(cheaper) <= depth:
            return
        own_construction = self.machine.construction_of(kind)
        for number, look, state, cost, gain in self.machine.openings(kind):
            if end < self.tokens and not cheaper:
                own = self.valuation.value(cost, gain)
                self.offer(level + self.leads * cost, start, end, -1, number, state, own, item, -1, -1)
            if depth < self.unary_limit and number != own_construction:
                self.accept(start, end, number, state, depth + 1, cost, gain, item)
            if not cheaper and self.follows(item, self.following[start, number][look]):
                for waiting, actives in self.ending[start, number].items():
                    self.extend(number, waiting, look, actives, (item,))
        if cheaper:
            return
        self.starting[start].append(item)
        if end - start == self.tokens and self.machine.is_root(kind):
            self.roots.add(item)
            if self.lexicographic and not self.everything:
                self.ceiling = min(self.ceiling, level)

    def follows(self, item: int, group: list[int]) -> bool:
        """Whether a passive item is put behind active ones, with those that look like it.

        Of those over one span only the best are, where nothing is asked of them before the next span.
        """
        if self.dominance is not None:
            end, value = self.ends[item], self.values[item]
            while group and self.ends[group[-1]] == end and self.values[group[-1]] > value:
                group.pop()
            if group and self.ends[group[-1]] == end and self.values[group[-1]] < value:
                return False
        group.append(item)
        return True

    def settle_active(self, item: int) -> None:
        """Accept it where it has several daughters, put the settled passive items that follow behind it."""
        end, number, state = self.ends[item], self.numbers[item], self.details[item]
        if self.edges[item][0][1] >= 0:
            self.accept(self.starts[item], end, number, state, 1, 0, 0, item)
        if end < self.tokens:
            self.ending[end, number][state].append(item)
            for look, passives in self.following[end, number].items():
                self.extend(number, state, look, (item,), passives)

    def extend(
        self, number: int, state: int, look: int, actives: Sequence[int], passives: Sequence[int], above: float = -1
    ) -> None:
        """Put passive items that look alike behind active ones in a state: what costs more than `above` together.

        Both come in the order of their costs: where one is too costly, the others are too.
        """
        starts, ends, levels, ceiling = self.starts, self.ends, self.levels, self.ceiling
        if levels[actives[0]] + levels[passives[0]] > ceiling:
            self.pruned = True
            return
        move = self.steps[number](state, look)
        if move is None:
            return
        state, cost, gain = move
        own = self.valuation.value(cost, gain)
        for before in actives:
            so_far = levels[before] + self.leads * cost
            for behind in passives:
                level = so_far + levels[behind]
                if level > ceiling:
                    self.pruned = True
                    break
                if level > above:
                    self.offer(level, starts[before], ends[behind], -1, number, state, own, before, behind, -1)

    def accept(
        self, start: int, end: int, number: int, state: int, depth: int, cost: int, gain: int, item: int
    ) -> None:
        move = self.machine.accept(number, state)
        if move is not None:
            kind, more_cost, more_gain = move
            own = self.valuation.value(cost + more_cost, gain + more_gain)
            level = self.levels[item] + self.leads * (cost + more_cost)
            self.offer(level, start, end, kind, -1, depth, own, item, -1, number)
