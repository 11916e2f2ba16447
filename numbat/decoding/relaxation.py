"""Decoding under constraints: the best labelling of a lattice, less the costs of what it violates.

Tromble & Eisner 2006, equation 1: the labelling y that maximises L(y) + the sum of C(y), where C(y) is minus the cost
of a soft constraint that y violates, and of a hard one that it violates minus infinity.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from numbat import native
from numbat.decoding import python_relaxation
from numbat.decoding.constraints import (
    CHARGED,
    FOUND,
    HARD,
    HEADER,
    INFEASIBLE,
    SOFT,
    Constraint,
    Constraints,
    DecodingProblem,
    Found,
    Pack,
    Tables,
)
from numbat.decoding.label_lattice import LabelArc, LabelLattice
from numbat.decoding.sequence_files import PlaceConstraint
from numbat.errors import DataError
from numbat.grammar.properties import UNIT
from numbat.words.lattice import Lattice

MAX_ITEMS: Final = 5_000_000
"""A search may make so many items of products, if nobody says how many."""
LARGEST_LIMIT: Final = 2_000_000_000
"""Items are numbered in 32 bits."""


class Violation(NamedTuple):
    """A constraint that a labelling violates: how often (once, unless instances are counted), and what it costs."""

    constraint: Constraint
    times: int
    cost: float


class Solution(NamedTuple):
    """The best labelling of a lattice under constraints.

    `score` is that of the labels less the costs of what is `violated`. `added` names the constraints that had to be
    enforced: without them the best labelling violates them. `intersections` is the number of constraints that were
    intersected, `branches` the number of cases told apart because a soft constraint may be violated. `sizes` has the
    number of arcs that were looked at in the lattice alone and in each product.
    """

    arcs: tuple[LabelArc, ...]
    score: float
    violated: tuple[Violation, ...] = ()
    added: tuple[str, ...] = ()
    intersections: int = 0
    branches: int = 0
    sizes: tuple[int, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels in order, one for each arc: for each token, or for each segment."""
        return tuple([arc.label for arc in self.arcs])


class InfeasibleError(DataError):
    """No labelling satisfies all that is hard; `conflict` names constraints that cannot hold together.

    It is irreducible: without any one of them a labelling satisfies the others. It is empty where the lattice has no
    labelling at all.
    """

    def __init__(self, conflict: Sequence[str]) -> None:
        self.conflict = tuple(conflict)
        if not conflict:
            super().__init__("the lattice has no labelling\n  give each token at least one label")
        elif len(conflict) == 1:
            super().__init__(f"no labelling satisfies {conflict[0]}\n  give it a cost, or the lattice more labels")
        else:
            said = f"no labelling satisfies all of these: {'; '.join(conflict)}"
            super().__init__(
                f"{said}\n  without any one of them the others can hold: give one a cost, or the lattice more labels"
            )

    def __reduce__(self) -> tuple[type[InfeasibleError], tuple[tuple[str, ...]]]:
        return InfeasibleError, (self.conflict,)


def decode(
    lattice: LabelLattice | Lattice,
    constraints: Constraints | None = None,
    own: Sequence[PlaceConstraint] = (),
    *,
    soft: bool | None = None,
    relaxed: bool = True,
    limit: int = MAX_ITEMS,
) -> Solution:
    """The best labelling of a lattice under the properties of a construction and constraints of its own.

    Without `soft`, what is hard must hold and the rest has its cost. `soft=True`: hard properties have their costs too;
    `soft=False`: everything must hold. `relaxed=False` intersects all constraints before anything is searched, which
    finds the same and is slower. Raises InfeasibleError, and DataError where the search meets the `limit` on its items.
    """
    if isinstance(lattice, Lattice):
        lattice = LabelLattice.of(lattice)
    for one in own:
        one.check_length(lattice.length)
    packs = packs_of(lattice, constraints, own, soft)
    initial: tuple[int, ...] = ()
    if not relaxed:
        packs = tuple([pack._replace(tables=_all_charged(pack.tables)) for pack in packs])
        initial = tuple(range(sum(pack.tables.size for pack in packs)))
    found = relax(DecodingProblem(lattice, packs, initial, min(limit, LARGEST_LIMIT)))
    if found.status == INFEASIBLE:
        raise InfeasibleError(_conflict(lattice, constraints, own, soft, limit))
    if found.status != FOUND:
        raise DataError(
            f"the search stopped after {limit:,} items of products of the lattice and constraints\n"
            "  allow more, make constraints soft, or leave labels out that are unlikely"
        )
    return _solution(lattice, constraints, own, packs, found)


def relax(problem: DecodingProblem) -> Found:
    """The best labelling of a lattice under constraints: compiled, or the same in Python."""
    if native.load(native.DECODING) is None:
        return python_relaxation.relax(problem)
    from numbat.decoding import _relaxation

    lattice = problem.lattice
    arrays = lattice.first, lattice.targets, lattice.numbers, lattice.scores, lattice.ends, lattice.places
    packs = [
        (pack.tables.header, pack.tables.cells, pack.columns, pack.kinds, pack.width, pack.mixed)
        for pack in problem.packs
    ]
    return Found(*_relaxation.relax(arrays, packs, problem.initial, problem.limit))


def named_constraints(constraints: Constraints | None, own: Sequence[PlaceConstraint]) -> list[Constraint]:
    """All constraints of a sequence: those of the grammar, then its own."""
    return [*(constraints.constraints if constraints is not None else ()), *(one.constraint for one in own)]


def packs_of(
    lattice: LabelLattice, constraints: Constraints | None, own: Sequence[PlaceConstraint], soft: bool | None
) -> tuple[Pack, ...]:
    """All constraints of a sequence in the form that the search takes, in the order of `named_constraints`."""
    if constraints is None:
        own_columns = array("i", range(len(lattice.labels)))
        return tuple([one.pack(lattice.labels, own_columns, soft) for one in own])
    pack = constraints.pack(lattice.labels, lattice.length, soft)
    return (pack, *[one.pack(constraints.alphabet, pack.columns, soft) for one in own])


def _solution(
    lattice: LabelLattice,
    constraints: Constraints | None,
    own: Sequence[PlaceConstraint],
    packs: Sequence[Pack],
    found: Found,
) -> Solution:
    score, violated = found.score, found.violated
    if any(pack.tables.rewarded for pack in packs):
        score, violated = _rewarded(named_constraints(constraints, own), packs, found)
    return Solution(
        lattice.path(found.arcs),
        score / UNIT,
        tuple([_violation(_constraint(number, constraints, own), times) for number, times in violated]),
        tuple([_constraint(number, constraints, own).name for number in found.added]),
        found.intersections,
        found.branches,
        found.sizes,
    )


def _violation(constraint: Constraint, times: int) -> Violation:
    return Violation(constraint, times, (constraint.cost or 0) * times / UNIT)


def _constraint(number: int, constraints: Constraints | None, own: Sequence[PlaceConstraint]) -> Constraint:
    """A constraint of a sequence by its number in `named_constraints`."""
    of_grammar = constraints.constraints if constraints is not None else ()
    return of_grammar[number] if number < len(of_grammar) else own[number - len(of_grammar)].constraint


def _rewarded(
    named: Sequence[Constraint], packs: Sequence[Pack], found: Found
) -> tuple[int, tuple[tuple[int, int], ...]]:
    """The score and what is violated, where tables charge that some constraints hold, for violations are rewarded."""
    score, counts, first = found.score, dict(found.violated), 0
    for pack in packs:
        for number in pack.tables.rewarded:
            counts[first + number] = 1 - counts.get(first + number, 0)
            score -= named[first + number].cost or 0
        first += pack.tables.size
    return score, tuple([(number, times) for number, times in sorted(counts.items()) if times])


def _all_charged(tables: Tables) -> Tables:
    """Soft constraints as weighted automata that are intersected, without a case in which the cost is paid."""
    header = tables.header[:]
    for at in range(0, len(header), HEADER):
        header[at] = CHARGED if header[at] == SOFT else header[at]
    return replace(tables, header=header)


def _conflict(
    lattice: LabelLattice,
    constraints: Constraints | None,
    own: Sequence[PlaceConstraint],
    soft: bool | None,
    limit: int,
) -> list[str]:
    """The names of hard constraints that cannot hold together, none of which can be left out (a deletion filter)."""
    packs = packs_of(lattice, constraints, own, soft)
    names = [each.name for each in named_constraints(constraints, own)]
    modes = [mode for pack in packs for mode in pack.tables.header[::HEADER]]

    def tried_without_success(numbers: Sequence[int]) -> list[int] | None:
        """Which of these constraints were intersected before there was no labelling left; None where there is one."""
        found = relax(DecodingProblem(lattice, _only(packs, sorted(numbers)), (), limit))
        return [sorted(numbers)[at] for at in found.added] if found.status == INFEASIBLE else None

    kept = tried_without_success([number for number, mode in enumerate(modes) if mode == HARD]) or []
    for number in list(kept):
        rest = [each for each in kept if each != number]
        if number in kept and (fewer := tried_without_success(rest)) is not None:
            kept = sorted(fewer)
    return [names[number] for number in sorted(kept)]


def _only(packs: Sequence[Pack], numbers: Sequence[int]) -> tuple[Pack, ...]:
    """Some of the constraints, by their numbers in all packs one after the other, in ascending order."""
    found, first = [], 0
    for pack in packs:
        header: array[int] = array("q")
        for number in numbers:
            if first <= number < first + pack.tables.size:
                at = (number - first) * HEADER
                header += pack.tables.header[at : at + HEADER]
        found.append(pack._replace(tables=replace(pack.tables, header=header)))
        first += pack.tables.size
    return tuple(found)
