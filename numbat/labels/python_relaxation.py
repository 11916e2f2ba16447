"""Finite-state constraint relaxation in Python; it makes the same items in the same order as `_relaxation.c`.

After Tromble & Eisner 2006: find the best labelling of the lattice, intersect the lattice with the constraints that
this labelling violates, and search the product again (Figure 2). A violated soft constraint leads to two branches: it
holds, or its cost is paid (Figure 7; branch and bound, the most promising branch first). Soft constraints are
intersected one at a time, hard ones all at once: a further hard constraint hardly enlarges what a best-first search
visits, and saves a search.

Products are never built but searched by A*: the value of an item (a state of the product, with a path to it) is its
score plus the best score from its state in the lattice to the end, computed once for all products. Only items that may
beat the best known labelling are made; this bound is tighter than the max-marginals of the lattice (footnote 4), and
needs no pass of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Final, NamedTuple

from numbat.labels.constraints import (
    CHARGED,
    FOUND,
    HARD,
    INFEASIBLE,
    SOFT,
    STOPPED,
    Automaton,
    DecodingProblem,
    Found,
)
from numbat.labels.label_lattice import NO_END

NOTHING: Final = NO_END
"""Score if there is no labelling; it is below every other score."""


class Branch(NamedTuple):
    """A branch of the search: constraints intersected (`added`) and `decided` (intersected or paid), and the cost paid.

    `more` counts the constraints intersected since the parent branch. `path` has the score of the best labelling of the
    product and its arcs, None before the search.
    """

    added: tuple[int, ...]
    more: int
    decided: frozenset[int]
    paid: int
    path: tuple[int, tuple[int, ...]] | None


class LimitError(Exception):
    """The search has made the maximum number of items."""


def relax(problem: DecodingProblem) -> Found:
    """Return the best labelling of a lattice under constraints; see `relaxation.relax`."""
    return Relaxation(problem).run()


CONSTRAINTS_AN_ITEM: Final = 8
"""An item counts once more for each such number of constraints, because it holds the states of all constraints."""


class Relaxation:
    """The search for the best labelling in one problem."""

    def __init__(self, problem: DecodingProblem) -> None:
        lattice = problem.lattice
        self.first, self.targets = lattice.first.tolist(), lattice.targets.tolist()
        self.scores, self.ends = lattice.scores.tolist(), lattice.ends.tolist()
        self.automata = automata_of(problem)
        self.initial, self.room = problem.initial, problem.limit
        self.to_end = self._to_end()
        self.best_score = NOTHING
        self.best_arcs: tuple[int, ...] = ()
        self.best_added: tuple[int, ...] = ()
        self.intersections = self.branches = self.inserted = 0
        self.sizes = [len(self.targets)]
        self.agenda: list[tuple[int, int, Branch]] = []

    def run(self) -> Found:
        """Return the result of branch and bound, with the most promising branch first."""
        if self.to_end[0] == NOTHING:
            return self._ended(INFEASIBLE)
        path = None if self.initial else (self.to_end[0], self._best_of_lattice())
        self._insert(self.to_end[0], Branch(self.initial, len(self.initial), frozenset(self.initial), 0, path))
        tried: tuple[int, ...] = ()
        while self.agenda:
            bound, _, branch = heappop(self.agenda)
            if -bound <= self.best_score:
                break
            if branch.path is None:
                tried = branch.added
                self.intersections += branch.more
                try:
                    is_first = self.best_score == NOTHING
                    path = self._search(branch.added, NOTHING if is_first else self.best_score + branch.paid)
                except LimitError:
                    return self._ended(STOPPED, tried)
                if path is None:
                    continue
                branch = branch._replace(path=path)
                if self.agenda and path[0] - branch.paid < -self.agenda[0][0]:
                    self._insert(path[0] - branch.paid, branch)
                    continue
            self._branch(branch)
        return self._ended(FOUND if self.best_score > NOTHING else INFEASIBLE, tried)

    def _insert(self, bound: int, branch: Branch) -> None:
        heappush(self.agenda, (-bound, self.inserted, branch))
        self.inserted += 1

    def _branch(self, branch: Branch) -> None:
        """Add branches for the constraints that the best labelling of a branch violates: each holds, or is paid."""
        assert branch.path is not None
        score, arcs = branch.path
        counts = [violations(automaton, arcs) for automaton in self.automata]
        true_score = self._true_score(score, counts, branch.added)
        if true_score > self.best_score:
            self.best_score, self.best_arcs, self.best_added = true_score, arcs, branch.added
        decided, paid = branch.decided, branch.paid
        violated = [number for number, times in enumerate(counts) if times and number not in decided]
        violated.sort(key=self._urgency)
        without_choice = tuple([number for number in violated if self.automata[number].mode != SOFT])
        if without_choice:
            decided = decided.union(without_choice)
            self._insert(
                score - paid, Branch((*branch.added, *without_choice), len(without_choice), decided, paid, None)
            )
            return
        for number in violated:
            decided = decided | {number}
            self._insert(score - paid, Branch((*branch.added, number), 1, decided, paid, None))
            self.branches += 1
            paid += self.automata[number].cost
            if score - paid <= self.best_score:
                return

    def _true_score(self, score: int, counts: list[int], added: tuple[int, ...]) -> int:
        """Return a labelling's score under all constraints from its `score` in a product; `NOTHING` if it is forbidden.

        `counts` has its violations of each constraint, `added` the constraints of the product.
        """
        for number, times in enumerate(counts):
            if times and number not in added:
                automaton = self.automata[number]
                if automaton.mode == HARD:
                    return NOTHING
                score -= automaton.cost * times
        return score

    def _urgency(self, number: int) -> tuple[int, int, int, int]:
        """Return a sort key of violated constraints: hard ones first, then costly ones, then those with few states."""
        automaton = self.automata[number]
        return automaton.mode == SOFT, -automaton.cost if automaton.mode == SOFT else 0, automaton.states, number

    def _to_end(self) -> list[int]:
        """Return for each state of the lattice the best score from there to the end."""
        first, targets, scores = self.first, self.targets, self.scores
        best = list(self.ends)
        for state in range(len(best) - 1, -1, -1):
            value = best[state]
            for arc in range(first[state], first[state + 1]):
                rest = best[targets[arc]]
                if rest != NOTHING and rest + scores[arc] > value:
                    value = rest + scores[arc]
            best[state] = value
        return best

    def _best_of_lattice(self) -> tuple[int, ...]:
        """Return the best labelling of the lattice; among equals, the shortest, then the one with the first arc."""
        state, arcs = 0, []
        while self.to_end[state] != self.ends[state]:
            for arc in range(self.first[state], self.first[state + 1]):
                rest = self.to_end[self.targets[arc]]
                if rest != NOTHING and rest + self.scores[arc] == self.to_end[state]:
                    arcs.append(arc)
                    state = self.targets[arc]
                    break
        return tuple(arcs)

    def _search(self, added: tuple[int, ...], cutoff: int) -> tuple[int, tuple[int, ...]] | None:
        """Return the best labelling of the product with the `added` constraints, if it scores more than `cutoff`.

        Among items of equal value, the one that is further on in the lattice comes first, then the one made first.
        """
        self.sizes.append(0)
        automata = [self.automata[number] for number in added]
        start = (0,) * len(added)
        made: list[tuple[int, tuple[int, ...], int, int, int]] = [(0, start, 0, -1, -1)]
        known = {(0, start): 0}
        agenda = [(-self.to_end[0], 0, 0)] if self.to_end[0] > cutoff else []
        while agenda:
            _, place, item = heappop(agenda)
            state, inner, score, _, _ = made[item]
            if place == -len(self.ends):
                return score, _traced(made, item)
            if known[state, inner] > score:
                continue
            if self.ends[state] != NOTHING:
                total = _ended(automata, inner, score + self.ends[state])
                if total > cutoff:
                    made.append((state, inner, total, item, -1))
                    self._use_room(len(added))
                    heappush(agenda, (-total, -len(self.ends), len(made) - 1))
            for arc in range(self.first[state], self.first[state + 1]):
                self.sizes[-1] += 1
                target = self.targets[arc]
                rest = self.to_end[target]
                if rest == NOTHING:
                    continue
                after, total = _stepped(automata, inner, arc, score + self.scores[arc])
                if total == NOTHING or total + rest <= cutoff or known.get((target, after), NOTHING) >= total:
                    continue
                known[target, after] = total
                made.append((target, after, total, item, arc))
                self._use_room(len(added))
                heappush(agenda, (-total - rest, -target, len(made) - 1))
        return None

    def _use_room(self, constraints: int) -> None:
        """Count an item, more than once if there are many constraints. Raises LimitError beyond the maximum."""
        self.room -= 1 + constraints // CONSTRAINTS_AN_ITEM
        if self.room < 0:
            raise LimitError

    def _ended(self, status: int, tried: tuple[int, ...] = ()) -> Found:
        is_found = self.best_score > NOTHING
        counts = [violations(automaton, self.best_arcs) for automaton in self.automata] if is_found else []
        added = self.best_added if is_found else tried
        return Found(
            status,
            self.best_score if is_found else 0,
            self.best_arcs,
            tuple([(number, times) for number, times in enumerate(counts) if times]),
            added,
            self.intersections,
            self.branches,
            tuple(self.sizes),
        )


def automata_of(problem: DecodingProblem) -> list[Automaton]:
    """Return the constraints of all packs of a problem as automata, in order."""
    lattice = problem.lattice
    automatons: list[Automaton] = []
    for pack in problem.packs:
        columns = [pack.columns[number] for number in lattice.numbers]
        if pack.kinds is not None:
            for state, place in enumerate(lattice.places):
                for arc in range(lattice.first[state], lattice.first[state + 1]):
                    end = lattice.places[lattice.targets[arc]] if pack.mixed else place + 1
                    columns[arc] += _kind(pack.kinds[place:end], pack.mixed) * pack.width
        automatons += [automaton._replace(columns=columns) for automaton in pack.tables.unpacked]
    return automatons


def _kind(kinds: Sequence[int], mixed: int) -> int:
    """Return the kind of an arc whose tokens have these kinds; `mixed` as in `Pack`."""
    several = {kind for kind in kinds if kind}
    return several.pop() if len(several) == 1 else mixed if several else 0


def violations(automaton: Automaton, arcs: tuple[int, ...]) -> int:
    """Return how often a labelling, given by its arcs, violates a constraint."""
    return automaton.violations(map(automaton.columns.__getitem__, arcs))


def _stepped(automata: list[Automaton], inner: tuple[int, ...], arc: int, total: int) -> tuple[tuple[int, ...], int]:
    """Return the states of the constraints after an arc, and `total` minus their charges, `NOTHING` if forbidden."""
    after = []
    for automaton, state in zip(automata, inner, strict=True):
        at = state * automaton.width + automaton.columns[arc]
        to = automaton.next[at]
        if automaton.mode != CHARGED:
            if automaton.dead[to]:
                return (), NOTHING
        else:
            total -= automaton.losses[at] * automaton.cost
        after.append(to)
    return tuple(after), total


def _ended(automata: list[Automaton], inner: tuple[int, ...], total: int) -> int:
    """Return `total` minus the charges of the constraints if a labelling ends here, `NOTHING` if it may not."""
    for automaton, state in zip(automata, inner, strict=True):
        if automaton.mode == CHARGED:
            total -= automaton.ends[state] * automaton.cost
        elif automaton.ends[state]:
            return NOTHING
    return total


def _traced(made: list[tuple[int, tuple[int, ...], int, int, int]], item: int) -> tuple[int, ...]:
    """Return the arcs on the path to an item of `made`."""
    arcs = []
    while item >= 0:
        _, _, _, before, arc = made[item]
        if arc >= 0:
            arcs.append(arc)
        item = before
    return tuple(reversed(arcs))
