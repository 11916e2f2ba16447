"""Decoding under constraints: the labelling with the best score minus the costs of violated constraints.

Tromble & Eisner 2006, equation 1: the labelling y that maximises L(y) plus the sum of C(y), where C(y) is minus the
cost of a violated soft constraint, and minus infinity for a violated hard one.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from numbat import native
from numbat.errors import DataError
from numbat.grammar.properties import UNIT
from numbat.labels import python_relaxation
from numbat.labels.constraints import (
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
from numbat.labels.label_lattice import LabelArc, LabelLattice
from numbat.labels.sequence_files import PlaceConstraint
from numbat.words.lattice import Lattice

MAX_ITEMS: Final = 5_000_000
"""Default maximum number of items (states of a product, each with a path to it) that a search may make."""
MAX_LIMIT: Final = 2_000_000_000
"""Largest possible limit on items: their numbers have 32 bits."""


class Violation(NamedTuple):
    """A violated constraint, how many times it is violated (1 unless instances are counted), and what this costs."""

    constraint: Constraint
    times: int
    cost: float


class BestLabels(NamedTuple):
    """The best labelling of a lattice under constraints.

    `score` is the score of the labels minus the costs of the `violated` constraints. `added` names the constraints that
    the search had to enforce, because a better labelling violates them. `intersections` counts intersected constraints,
    `branches` the branches on soft constraints. `sizes` counts the arcs expanded in the lattice alone, then in each
    product with constraints.
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
        """The labels in order, one for each arc (a token or a segment)."""
        return tuple([arc.label for arc in self.arcs])


class InfeasibleError(DataError):
    """No labelling satisfies the hard constraints; `conflict` names constraints that cannot hold together.

    The conflict is irreducible: if any one of these constraints is left out, some labelling satisfies the others. It is
    empty if the lattice has no labelling at all.
    """

    def __init__(self, conflict: Sequence[str]) -> None:
        self.conflict = tuple(conflict)
        if not conflict:
            super().__init__("the lattice has no labelling\n  give each token at least one label")
        elif len(conflict) == 1:
            super().__init__(f"no labelling satisfies {conflict[0]}\n  give it a cost, or allow more labels")
        else:
            super().__init__(
                f"no labelling satisfies all of these: {'; '.join(conflict)}\n"
                "  if any one of them is left out, the others can hold: give one a cost, or allow more labels"
            )

    def __reduce__(self) -> tuple[type[InfeasibleError], tuple[tuple[str, ...]]]:
        return InfeasibleError, (self.conflict,)


def decode(
    lattice: LabelLattice | Lattice,
    constraints: Constraints | None = None,
    extra: Sequence[PlaceConstraint] = (),
    *,
    soft: bool | None = None,
    relaxed: bool = True,
    limit: int = MAX_ITEMS,
) -> BestLabels:
    """Return the best labelling of a lattice under the properties of a construction and `extra` constraints.

    By default hard constraints must hold and others have costs; with `soft=True` hard properties only cost, too, with
    `soft=False` everything must hold. `relaxed=False` intersects all constraints before the search, with the same
    result but slower. Raises InfeasibleError, and DataError if the search makes more items than `limit`.
    """
    if isinstance(lattice, Lattice):
        lattice = LabelLattice.of(lattice)
    for one in extra:
        one.check_length(lattice.length)
    packs = packs_of(lattice, constraints, extra, soft)
    initial: tuple[int, ...] = ()
    if not relaxed:
        packs = tuple([pack._replace(tables=_all_charged(pack.tables)) for pack in packs])
        initial = tuple(range(sum(pack.tables.size for pack in packs)))
    result = relax(DecodingProblem(lattice, packs, initial, min(limit, MAX_LIMIT)))
    if result.status == INFEASIBLE:
        raise InfeasibleError(_conflict(lattice, constraints, extra, soft, limit))
    if result.status != FOUND:
        raise DataError(
            f"the search for the best labels stopped at its limit of {limit:,} items\n"
            "  raise the limit (--max-items), make constraints soft, or leave out unlikely labels"
        )
    return _solution(lattice, constraints, extra, packs, result)


def relax(problem: DecodingProblem) -> Found:
    """Return the best labelling of a lattice under constraints, by the compiled search or the same search in Python."""
    if native.load(native.DECODING) is None:
        return python_relaxation.relax(problem)
    from numbat.labels import _relaxation

    lattice = problem.lattice
    arrays = lattice.first, lattice.targets, lattice.numbers, lattice.scores, lattice.ends, lattice.places
    packs = [
        (pack.tables.header, pack.tables.cells, pack.columns, pack.kinds, pack.width, pack.mixed)
        for pack in problem.packs
    ]
    return Found(*_relaxation.relax(arrays, packs, problem.initial, problem.limit))


def named_constraints(constraints: Constraints | None, extra: Sequence[PlaceConstraint]) -> list[Constraint]:
    """Return all constraints on a sequence: those of the grammar, then the extra ones."""
    return [*(constraints.constraints if constraints is not None else ()), *(one.constraint for one in extra)]


def packs_of(
    lattice: LabelLattice, constraints: Constraints | None, extra: Sequence[PlaceConstraint], soft: bool | None
) -> tuple[Pack, ...]:
    """Return all constraints on a sequence packed for the search, in the order of `named_constraints`."""
    if constraints is None:
        columns = array("i", range(len(lattice.labels)))
        return tuple([one.pack(lattice.labels, columns, soft) for one in extra])
    pack = constraints.pack(lattice.labels, lattice.length, soft)
    return (pack, *[one.pack(constraints.alphabet, pack.columns, soft) for one in extra])


def _solution(
    lattice: LabelLattice,
    constraints: Constraints | None,
    extra: Sequence[PlaceConstraint],
    packs: Sequence[Pack],
    result: Found,
) -> BestLabels:
    score, violated = result.score, result.violated
    if any(pack.tables.rewarded for pack in packs):
        score, violated = _rewarded(named_constraints(constraints, extra), packs, result)
    return BestLabels(
        lattice.path(result.arcs),
        score / UNIT,
        tuple([_violation(_constraint(number, constraints, extra), times) for number, times in violated]),
        tuple([_constraint(number, constraints, extra).name for number in result.added]),
        result.intersections,
        result.branches,
        result.sizes,
    )


def _violation(constraint: Constraint, times: int) -> Violation:
    return Violation(constraint, times, (constraint.cost or 0) * times / UNIT)


def _constraint(number: int, constraints: Constraints | None, extra: Sequence[PlaceConstraint]) -> Constraint:
    """Return the constraint that has this number in `named_constraints`."""
    of_grammar = constraints.constraints if constraints is not None else ()
    return of_grammar[number] if number < len(of_grammar) else extra[number - len(of_grammar)].constraint


def _rewarded(
    named: Sequence[Constraint], packs: Sequence[Pack], result: Found
) -> tuple[int, tuple[tuple[int, int], ...]]:
    """Return score and violations of a result whose tables charge satisfaction, with rewards for violation instead."""
    score, counts, first = result.score, dict(result.violated), 0
    for pack in packs:
        for number in pack.tables.rewarded:
            counts[first + number] = 1 - counts.get(first + number, 0)
            score -= named[first + number].cost or 0
        first += pack.tables.size
    return score, tuple([(number, times) for number, times in sorted(counts.items()) if times])


def _all_charged(tables: Tables) -> Tables:
    """Return the tables with soft constraints CHARGED: they are then intersected and lead to no branches."""
    header = tables.header[:]
    for at in range(0, len(header), HEADER):
        header[at] = CHARGED if header[at] == SOFT else header[at]
    return replace(tables, header=header)


def _conflict(
    lattice: LabelLattice,
    constraints: Constraints | None,
    extra: Sequence[PlaceConstraint],
    soft: bool | None,
    limit: int,
) -> list[str]:
    """Return the names of hard constraints in conflict, left over after leaving out every one that can be missed."""
    packs = packs_of(lattice, constraints, extra, soft)
    names = [constraint.name for constraint in named_constraints(constraints, extra)]
    modes = [mode for pack in packs for mode in pack.tables.header[::HEADER]]

    def tried_without_success(numbers: Sequence[int]) -> list[int] | None:
        """Return those of these constraints that leave no labelling when intersected; None if a labelling is left."""
        result = relax(DecodingProblem(lattice, _only(packs, sorted(numbers)), (), limit))
        return [sorted(numbers)[at] for at in result.added] if result.status == INFEASIBLE else None

    kept = tried_without_success([number for number, mode in enumerate(modes) if mode == HARD]) or []
    for number in list(kept):
        rest = [other for other in kept if other != number]
        if number in kept and (fewer := tried_without_success(rest)) is not None:
            kept = sorted(fewer)
    return [names[number] for number in sorted(kept)]


def _only(packs: Sequence[Pack], numbers: Sequence[int]) -> tuple[Pack, ...]:
    """Return the packs with only the constraints of these ascending numbers, counted over all packs."""
    selected, first = [], 0
    for pack in packs:
        header: array[int] = array("q")
        for number in numbers:
            if first <= number < first + pack.tables.size:
                at = (number - first) * HEADER
                header += pack.tables.header[at : at + HEADER]
        selected.append(pack._replace(tables=replace(pack.tables, header=header)))
        first += pack.tables.size
    return tuple(selected)
