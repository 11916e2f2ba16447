"""What decoding many sequences took and changed: the tables of Tromble & Eisner 2006, section 5.2."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from numbat.decoding.constraints import Constraints
from numbat.decoding.label_lattice import LabelArc, LabelLattice
from numbat.decoding.place_constraints import PlaceConstraint
from numbat.decoding.problem import Problem
from numbat.decoding.python_relaxation import automata_of, violations
from numbat.decoding.relaxation import Solution, decode, named_constraints, packs_of
from numbat.decoding.sequence_files import LabelSequence
from numbat.records import frozen


@frozen
class Comparison:
    """What of a sequence its solution is compared with: the best labelling without constraints, and the right one.

    `local` and `gold` name the constraints that these violate; `gold` is None where the right labels are not known,
    and `right` is how many tokens have theirs, without constraints and with them.
    """

    local: tuple[str, ...]
    gold: tuple[str, ...] | None = None
    right: tuple[int, int] = (0, 0)


def compared(sequence: LabelSequence, constraints: Constraints | None, solution: Solution) -> Comparison:
    """The solution of a sequence beside its best labelling without constraints, and the right one."""
    local = decode(sequence.lattice)
    of_local = violated_names(local.arcs, sequence.lattice.length, constraints, sequence.own)
    if sequence.gold is None:
        return Comparison(of_local)
    of_gold = violated_names(sequence.gold, sequence.lattice.length, constraints, sequence.own)
    gold = labels_of_tokens(sequence.gold)
    right = [
        sum(one == other for one, other in zip(gold, labels_of_tokens(found), strict=False))
        for found in (local.arcs, solution.arcs)
    ]
    return Comparison(of_local, of_gold, (right[0], right[1]))


def violated_names(
    arcs: Sequence[LabelArc], length: int, constraints: Constraints | None, own: Sequence[PlaceConstraint]
) -> tuple[str, ...]:
    """The names of the constraints that a labelling violates, whether its lattice has it or not."""
    if not arcs:
        return ()
    path = LabelLattice.from_arcs(length, ((arc.start, arc.end, arc.label, 0.0) for arc in arcs))
    automata = automata_of(Problem(path, packs_of(path, constraints, own, False), (), 0))
    names = [each.name for each in named_constraints(constraints, own)]
    every = tuple(range(len(path.targets)))
    return tuple([name for name, automaton in zip(names, automata, strict=True) if violations(automaton, every)])


def labels_of_tokens(arcs: Sequence[LabelArc]) -> list[str]:
    """The label of each token."""
    return [arc.label for arc in arcs for _ in range(arc.start, arc.end)]


@dataclass
class Tally:
    """Counts over sequences.

    `local`, `gold` and `final` say how many labellings violate each constraint: the best without constraints, the right
    ones, the solutions. `violations` counts sequences by how many constraints the best labelling without them violates,
    `sizes` has for each number of products that were searched the sums of the sizes, step by step.
    """

    sequences: int = 0
    with_gold: int = 0
    tokens: int = 0
    right: tuple[int, int] = (0, 0)
    intersections: int = 0
    branches: int = 0
    local: Counter[str] = field(default_factory=Counter)
    gold: Counter[str] = field(default_factory=Counter)
    final: Counter[str] = field(default_factory=Counter)
    violations: Counter[int] = field(default_factory=Counter)
    solved_after: Counter[int] = field(default_factory=Counter)
    sizes: dict[int, list[int]] = field(default_factory=dict)

    def add(self, sequence: LabelSequence, solution: Solution, comparison: Comparison) -> None:
        """One more sequence."""
        self.sequences += 1
        self.intersections += solution.intersections
        self.branches += solution.branches
        self.local.update(comparison.local)
        self.violations[len(comparison.local)] += 1
        self.final.update(each.constraint.name for each in solution.violated)
        if comparison.gold is not None:
            self.with_gold += 1
            self.tokens += sequence.lattice.length
            self.gold.update(comparison.gold)
            self.right = self.right[0] + comparison.right[0], self.right[1] + comparison.right[1]
        steps = len(solution.sizes) - 1
        self.solved_after[steps] += 1
        sums = self.sizes.setdefault(steps, [0] * (steps + 1))
        self.sizes[steps] = [total + size for total, size in zip(sums, solution.sizes, strict=True)]

    def mean_sizes(self) -> Iterator[tuple[int, int, list[float]]]:
        """For each number of products that were searched how many sequences needed it, and the mean sizes."""
        for steps, number in sorted(self.solved_after.items()):
            yield steps, number, [total / number for total in self.sizes[steps]]


def by_frequency(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Names with how often, the most frequent first."""
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
