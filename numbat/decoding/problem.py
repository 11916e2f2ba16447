"""What the search is given and what it gives: arrays and numbers, in Python and in C alike."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

from numbat.decoding.constraint_table import ConstraintTable
from numbat.decoding.label_lattice import LabelLattice

HARD, SOFT, CHARGED = range(3)
"""How a constraint counts: it must hold; it holds or its cost is paid; its cost is paid for each violation.

What is charged is intersected as a weighted automaton; it opens no second branch.
"""
HEADER: Final = 5
"""Numbers that a header has for each constraint: how it counts, cost, states, columns, where its table begins."""
FOUND, INFEASIBLE, STOPPED = range(3)
"""How a search ended: with the best labelling; no labelling is allowed; it made as many items as it may."""


class Automaton(NamedTuple):
    """A constraint of a pack, unpacked: how it counts, its cost, its table as in `ConstraintTable`.

    `columns` are those of the arcs of a lattice, once there is one.
    """

    mode: int
    cost: int
    states: int
    width: int
    next: list[int]
    losses: list[int]
    ends: list[int]
    dead: list[int]
    columns: Sequence[int] = ()

    def violations(self, columns: Iterable[int]) -> int:
        """How often labels with these columns violate the constraint."""
        state, total = 0, 0
        for column in columns:
            at = state * self.width + column
            total += self.losses[at]
            state = self.next[at]
        return total + self.ends[state]


@dataclass(frozen=True)
class Tables:
    """Constraints that see the same columns, in two arrays.

    Of each constraint `header` has `HEADER` numbers; its table is `next`, `losses`, `ends`, `dead` one after the other.
    `rewarded` are the numbers of those whose violation is rewarded: what the table charges is that they hold.
    """

    header: array[int]
    cells: array[int]
    rewarded: frozenset[int] = frozenset()

    @property
    def size(self) -> int:
        """The number of constraints."""
        return len(self.header) // HEADER

    @cached_property
    def unpacked(self) -> tuple[Automaton, ...]:
        """The constraints one by one."""
        found = []
        for at in range(0, len(self.header), HEADER):
            mode, cost, states, width, start = self.header[at : at + HEADER]
            sizes = (states * width, states * width, states, states)
            cuts = (start, *(start := start + size for size in sizes))
            parts = [self.cells[begin:end].tolist() for begin, end in pairwise(cuts)]
            found.append(Automaton(mode, cost, states, width, parts[0], parts[1], parts[2], parts[3]))
        return tuple(found)


class Pack(NamedTuple):
    """Constraints for one lattice.

    The column of an arc is that of its label, `columns[number]`; where constraints tell places apart, `kinds` has the
    kind of each place, and each further kind is `width` columns further. An arc is of the kind of its first place. With
    `mixed` it is of the kind of the places that it covers, kind 0 aside, and of that kind where these are several.
    """

    tables: Tables
    columns: array[int]
    kinds: array[int] | None = None
    width: int = 0
    mixed: int = 0


class Problem(NamedTuple):
    """A lattice, constraints, those that are intersected from the start, and how many items the search may make."""

    lattice: LabelLattice
    packs: tuple[Pack, ...]
    initial: tuple[int, ...]
    limit: int


class Found(NamedTuple):
    """What a search found.

    `score` is in units of 1e-6, `arcs` those of the best labelling; `violated` are pairs: a constraint that it violates
    and how often. `added` are the constraints that were intersected on the way to it, in that order; `intersections`
    how many were intersected in all cases that were searched; `branches` how many cases were told apart by a soft
    constraint; `sizes` how many arcs of each product were looked at, the lattice alone first.
    """

    status: int
    score: int
    arcs: tuple[int, ...]
    violated: tuple[tuple[int, int], ...]
    added: tuple[int, ...]
    intersections: int
    branches: int
    sizes: tuple[int, ...]


def tables_of(constraints: Iterable[tuple[ConstraintTable, int, int]], rewarded: Iterable[int] = ()) -> Tables:
    """Constraints, each with how it counts and its cost, in arrays."""
    header: list[int] = []
    cells: array[int] = array("i")
    for table, mode, cost in constraints:
        header += (mode, cost, table.states, table.columns, len(cells))
        for part in (table.next, table.losses, table.ends, table.dead):
            cells += part
    return Tables(array("q", header), cells, frozenset(rewarded))
