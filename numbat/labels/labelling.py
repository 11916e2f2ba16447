"""The job of labelling a sequence under constraints, and its result."""

from __future__ import annotations

from dataclasses import dataclass, replace

from numbat.errors import DataError
from numbat.labels.constraints import Constraints
from numbat.labels.penalties import ReferenceLabellings, compared, explain
from numbat.labels.relaxation import BestLabels, decode
from numbat.labels.sequence_files import LabelSequence
from numbat.records import frozen


@frozen
class Decoded:
    """A sequence with its best labelling, the sentences about what it violates, and what it is compared with."""

    sequence: LabelSequence
    solution: BestLabels
    explained: tuple[str, ...] = ()
    comparison: ReferenceLabellings | None = None


@dataclass(frozen=True)
class DecodeJob:
    """Finds the best labelling of a sequence; `compares` it with the one without constraints and the right one.

    Constraints of the sequence alone have the costs that the others were given for their names.

    Raises DataError that begins with the name of the sequence.
    """

    constraints: Constraints
    soft: bool | None
    limit: int
    compares: bool = False

    def __call__(self, sequence: LabelSequence) -> Decoded:
        costs = self.constraints.costs
        own = [one.with_cost(costs[one.name]) if one.name in costs else one for one in sequence.own]
        sequence = replace(sequence, own=tuple(own))
        try:
            solution = decode(sequence.lattice, self.constraints, own, soft=self.soft, limit=self.limit)
        except DataError as error:
            raise DataError(f"{sequence.id}: {error}") from None
        explained = explain(solution.arcs, self.constraints, own, sequence.lattice.tokens) if solution.violated else ()
        comparison = compared(sequence, self.constraints, solution) if self.compares else None
        return Decoded(sequence, solution, explained, comparison)
