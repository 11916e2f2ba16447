"""Exact search over compiled constructions: the optimum in polynomial time for contiguous profiles.

Passive items are cells (start, end, kind, chain depth), active items are (start, end, construction, state of its
automaton). Items are settled in the order of (cost, length, chain): under `relaxation` this is growing relaxation, first
all that is possible without any violation, then with more and more cost, until a covering combination is known that
nothing cheaper can beat; under `net` the cost in that order is 0 and the whole chart is filled by length. Whatever an
item is built from was settled before it, so each is settled once, with its best value and all ties.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from numbat.grammar.model import Construction
from numbat.lattice import Lattice
from numbat.parsing.automata import Automaton, Kind
from numbat.parsing.chart import Characterization, Constituent
from numbat.parsing.evaluation import Evaluator
from numbat.parsing.forest import Solution, rank
from numbat.parsing.hypergraph import Alternative, Derivation, Hypergraph
from numbat.parsing.phases import building_site, candidate
from numbat.parsing.policies import Limits, Profile, Valuation, Value

Node = int
"""The number of an item; -1 - p is the rest of the input from position p on, `GOAL` a covering combination."""
GOAL: Final[Node] = -1
Label = Constituent | Construction | int | None
"""A word, the construction of a phrase, the fragment cost that a cover adds, or nothing for an active item."""

MOST_TIES_ORDERED: Final = 100
"""Up to so many equally good trees come in the documented order; beyond, in the order in which they were found."""


def allows(profile: Profile) -> bool:
    """Whether the exact engine computes what the profile asks for; the phases engine runs the others."""
    return profile.election == "per-construction" and all(profile.has(h) for h in ("H1", "H2", "H5"))


@dataclass(slots=True)
class Machine:
    """The automata of a grammar's constructions for one profile, shared between sentences."""

    evaluator: Evaluator
    profile: Profile
    valuation: Valuation
    automata: list[Automaton] = field(init=False)
    constructions: list[Construction] = field(init=False)

    def __post_init__(self) -> None:
        self.constructions = list(self.evaluator.table.constructions.values())
        self.automata = [Automaton(form, self.evaluator, self.profile) for form in self.constructions]

    @property
    def states(self) -> int:
        """The number of automaton states built so far."""
        return sum(map(len, self.automata))


class Chart:
    """One sentence: its items, and the solutions that they make.

    `everything` keeps all alternatives up to a cost `budget`, not only the best and its ties: the n best need them.
    """

    def __init__(
        self, lattice: Lattice, machine: Machine, limits: Limits, everything: bool = False, budget: int | None = None
    ) -> None:
        self._machine = machine
        self._valuation = machine.valuation
        self._grammar = machine.evaluator.table.grammar
        self._tokens = len(lattice.tokens)
        self._everything = everything
        self._most = limits.assignments
        self.stopped_by: str | None = None
        self.exhausted = True
        self._values: list[Value] = []
        self._alternatives: list[list[Alternative[Node, Label]]] = []
        self._passive: dict[tuple[int, int, Kind, int], Node] = {}
        self._active: dict[tuple[int, int, int, int], Node] = {}
        self._about: list[tuple[int, int, int, int, Kind | None]] = []
        self._agenda: list[tuple[int, int, int, Node]] = []
        self._settled: list[bool] = []
        self._starting: list[list[Node]] = [[] for _ in range(self._tokens + 1)]
        self._ending: list[list[Node]] = [[] for _ in range(self._tokens + 1)]
        self._rivals: dict[tuple[int, int, Kind], list[tuple[int, int]]] = {}
        self._roots: set[Node] = set()
        self._words: list[list[Node]] = [[] for _ in lattice.tokens]
        self._late = self._machine.evaluator.table.grammar.unary_limit + 2
        self._ceiling = budget
        self._offer_words(lattice)
        self._graph: Hypergraph[Node, Label] = Hypergraph(self._made_of)
        self.count_settled = 0
        self._search()

    # items

    def _offer_words(self, lattice: Lattice) -> None:
        for word in building_site(lattice).new:
            kind = word.construction, word.features
            self._words[word.start].append(len(self._values))
            self._offer_passive(word.start, word.end, kind, 0, self._valuation.value(word.cost, 0), (), word)

    def _offer_passive(
        self, start: int, end: int, kind: Kind, depth: int, own: Value, parts: tuple[Node, ...], label: Label
    ) -> None:
        self._offer(
            self._passive, (start, end, kind, depth), (start, end, -1, depth, kind), depth + 1, own, parts, label
        )

    def _offer_active(self, start: int, end: int, number: int, state: int, own: Value, parts: tuple[Node, ...]) -> None:
        place = 0 if len(parts) > 1 else self._late
        self._offer(
            self._active, (start, end, number, state), (start, end, number, state, None), place, own, parts, None
        )

    def _offer(
        self,
        known: dict[tuple[int, int, int, int], Node] | dict[tuple[int, int, Kind, int], Node],
        key: tuple[int, int, object, int],
        about: tuple[int, int, int, int, Kind | None],
        place: int,
        own: Value,
        parts: tuple[Node, ...],
        label: Label,
    ) -> None:
        """One more way to build an item: kept if it is the best so far or as good."""
        value = own
        for part in parts:
            value += self._values[part]
        level = self._valuation.level(value)
        if self._ceiling is not None and level > self._ceiling:
            self.exhausted = False
            return
        node = known.get(key)  # type: ignore[call-overload]
        if node is None:
            node = known[key] = len(self._values)  # type: ignore[index]
            self._values.append(value)
            self._alternatives.append([Alternative(parts, own, label)])
            self._about.append(about)
            self._settled.append(False)
            heapq.heappush(self._agenda, (level, about[1] - about[0], place, node))
        elif value < self._values[node]:
            if not self._everything:
                self._alternatives[node].clear()
            self._alternatives[node].append(Alternative(parts, own, label))
            if level < self._valuation.level(self._values[node]):
                heapq.heappush(self._agenda, (level, about[1] - about[0], place, node))
            self._values[node] = value
        elif value == self._values[node] or self._everything:
            self._alternatives[node].append(Alternative(parts, own, label))

    # the search

    def _search(self) -> None:
        watched = -1
        while self._agenda:
            level, _, _, node = heapq.heappop(self._agenda)
            if self._settled[node]:
                continue
            if level > watched:
                watched = self._watch(level)
                if self._ceiling is not None and level > self._ceiling:
                    break
            if self._most is not None and self.count_settled >= self._most:
                self.stopped_by = f"items ({self._most:,})"
                break
            self._settled[node] = True
            self.count_settled += 1
            start, end, number, detail, kind = self._about[node]
            if kind is None:
                self._settle_active(node, start, end, number, detail)
            else:
                self._settle_passive(node, start, end, kind, detail, level)

    def _watch(self, level: int) -> int:
        """Lower the ceiling to the cost of the best covering combination that is known; say when to look again."""
        if self._everything or not self._valuation.lexicographic:
            return level if self._everything else 1 << 200
        known = self._valuation.level(self._best_cover())
        self._ceiling = known if self._ceiling is None else min(self._ceiling, known)
        return level + max(level, self._grammar.fragment_cost) // 4

    def _best_cover(self) -> Value:
        """The value of the best covering combination of what is settled, words at worst."""
        fragment = self._valuation.value(self._grammar.fragment_cost, 0)
        best: list[Value | None] = [None] * self._tokens + [0]
        for position in range(self._tokens - 1, -1, -1):
            for node in self._covering(position):
                below = best[self._about[node][1]]
                value = None if below is None else self._values[node] + fragment + below
                if value is not None and (best[position] is None or value < best[position]):  # type: ignore[operator]
                    best[position] = value
        whole = [self._values[node] for node in self._roots]
        found = [value for value in (*whole, best[0]) if value is not None]
        return min(found) if found else self._valuation.value(self._tokens * self._grammar.fragment_cost * 2, 0)

    def _covering(self, position: int) -> list[Node]:
        """The settled passive items that begin at a position; its words where a limit left none."""
        return self._starting[position] or self._words[position]

    def _settle_passive(self, node: Node, start: int, end: int, kind: Kind, depth: int, level: int) -> None:
        """Start every construction that covers it, put it behind the active items that wait for it.

        One that is beaten by another of its kind and span is of use only below a unary phrase that the winner, higher
        in its own chain, can no longer reach.
        """
        rivals = self._rivals.setdefault((start, end, kind), [])
        cheaper = [rival for other, rival in rivals if other < level and not self._everything]
        rivals.append((level, depth))
        if cheaper and min(cheaper) <= depth:
            return
        for number, automaton in enumerate(self._machine.automata):
            step = automaton.step(0, kind)
            if step is None:
                continue
            state, cost, weight = step
            if end < self._tokens and not cheaper:
                self._offer_active(start, end, number, state, self._valuation.value(cost, weight), (node,))
            form = self._machine.constructions[number]
            if depth < self._grammar.unary_limit and form.name != kind[0]:
                self._accept(start, end, number, state, depth + 1, cost, weight, node)
        if cheaper:
            return
        self._starting[start].append(node)
        for before in self._ending[start]:
            self._extend(before, node)
        if end - start == self._tokens and self._grammar.is_root(*kind):
            self._roots.add(node)
            if self._valuation.lexicographic and not self._everything:
                self._ceiling = level if self._ceiling is None else min(self._ceiling, level)

    def _settle_active(self, node: Node, start: int, end: int, number: int, state: int) -> None:
        """Accept it where it has several daughters, put the settled passive items that follow behind it."""
        if len(self._alternatives[node][0].parts) > 1:
            self._accept(start, end, number, state, 1, 0, 0, node)
        if end < self._tokens:
            self._ending[end].append(node)
            for behind in self._starting[end]:
                self._extend(node, behind)

    def _extend(self, before: Node, behind: Node) -> None:
        start, _, number, state, _ = self._about[before]
        _, end, _, _, kind = self._about[behind]
        assert kind is not None
        step = self._machine.automata[number].step(state, kind)
        if step is not None:
            following, cost, weight = step
            own = self._valuation.value(cost, weight)
            self._offer_active(start, end, number, following, own, (before, behind))

    def _accept(
        self, start: int, end: int, number: int, state: int, depth: int, cost: int, weight: int, node: Node
    ) -> None:
        accepted = self._machine.automata[number].accept(state)
        if accepted is not None:
            kind, more_cost, more_weight = accepted
            gain = weight + more_weight - self._grammar.node_cost
            own = self._valuation.value(cost + more_cost, gain)
            self._offer_passive(start, end, kind, depth, own, (node,), self._machine.constructions[number])

    # solutions

    def _made_of(self, node: Node) -> Sequence[Alternative[Node, Label]]:
        return self._alternatives[node] if node >= 0 else tuple(self._filling(-1 - node))

    def _filling(self, position: int) -> Iterator[Alternative[Node, Label]]:
        """What may cover the input from a position on (H5); one root over the whole input is free (ruling 2)."""
        fragment = self._grammar.fragment_cost
        for node in self._covering(position):
            end = self._about[node][1]
            free = position == 0 and node in self._roots
            cost = 0 if free else fragment
            parts = (node,) if end == self._tokens else (node, -1 - end)
            yield Alternative(parts, self._valuation.value(cost, 0), cost)

    def best(self, n: int) -> list[Solution]:
        """Up to n solutions, the best first. Equal ones come in the documented order up to `MOST_TIES_ORDERED`."""
        ties = min(self.count(), MOST_TIES_ORDERED)
        found: list[tuple[Value, Solution]] = []
        for number in range(max(n, ties)):
            derivation = self._graph.derivation(GOAL, number)
            if derivation is None:
                break
            found.append((derivation.value, self._cover(GOAL, derivation)))
        found.sort(key=lambda pair: (pair[0], [tree_order(top) for top in pair[1].constituents]))
        return [solution for _, solution in found[:n]]

    def value_of(self, number: int) -> Value | None:
        """The value of the solution of that rank."""
        derivation = self._graph.derivation(GOAL, number)
        return None if derivation is None else derivation.value

    def count(self) -> int:
        """The exact number of equally good solutions (ruling 16)."""
        return self._graph.count(GOAL)

    def _cover(self, node: Node, derivation: Derivation) -> Solution:
        constituents: list[Constituent] = []
        cost, waiting = 0, [(node, derivation)]
        while waiting:
            fragment_cost, parts = self._graph.taken(*waiting.pop())
            assert isinstance(fragment_cost, int)
            cost += fragment_cost
            constituents.append(self._tree(*parts[0]))
            waiting += parts[1:]
        return Solution(tuple(constituents), cost)

    def _tree(self, node: Node, derivation: Derivation) -> Constituent:
        """The constituent of a derivation, its characterization made by the one evaluator."""
        label, parts = self._graph.taken(node, derivation)
        if isinstance(label, Constituent):
            return label
        assert isinstance(label, Construction)
        (inner,) = parts
        daughters: list[Constituent] = []
        while self._about[inner[0]][4] is None:
            _, parts = self._graph.taken(*inner)
            daughters.append(self._tree(*parts[-1]))
            if len(parts) == 1:
                break
            inner = parts[0]
        else:
            daughters.append(self._tree(*inner))
        return characterized(label, tuple(reversed(daughters)), self._machine.evaluator)


def characterized(form: Construction, daughters: tuple[Constituent, ...], evaluator: Evaluator) -> Constituent:
    """The constituent of a construction over daughters, all its properties ticked."""
    retrieved = [prop for prop in evaluator.retrieve(daughters) if prop.construction == form.name]
    present = evaluator.tick(form.name, retrieved, daughters)
    absence = evaluator.tick(form.name, evaluator.table.by_construction.get(form.name, ()), daughters, absence=True)
    both = Characterization(present.satisfied + absence.satisfied, present.violated + absence.violated)
    return candidate(evaluator.table, form, daughters, both)


def tree_order(constituent: Constituent) -> tuple[object, ...]:
    """The documented order of equally good trees, from the top and from the left."""
    return (rank(constituent), *_below(constituent))


def _below(constituent: Constituent) -> tuple[object, ...]:
    return tuple(map(rank, constituent.daughters)), *(_below(daughter) for daughter in constituent.daughters)


def solve(lattice: Lattice, machine: Machine, limits: Limits, n: int) -> tuple[list[Solution], Chart]:
    """The n best solutions and the chart that has the best: exact, unless a limit was met."""
    chart = Chart(lattice, machine, limits)
    solutions = chart.best(n)
    if n == 1 or chart.stopped_by:
        return solutions, chart
    if not machine.valuation.lexicographic:
        return Chart(lattice, machine, limits, everything=True).best(n), chart
    best = chart.value_of(0)
    budget = machine.valuation.level(best) if best is not None else 0
    while True:
        wide = Chart(lattice, machine, limits, everything=True, budget=budget)
        last = wide.value_of(n - 1)
        if wide.exhausted or wide.stopped_by or (last is not None and machine.valuation.level(last) <= budget):
            return wide.best(n), chart
        budget += max(budget, machine.evaluator.table.grammar.fragment_cost)
