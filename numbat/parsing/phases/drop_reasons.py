"""Why a heuristic dropped an assignment or a candidate, as a record and in words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

from numbat.evaluation.constituents import Assignment, Characterization, Constituent, Instance
from numbat.evaluation.evaluator import Evaluator
from numbat.grammar.properties import Property, format_bundle, format_number, format_property
from numbat.records import frozen

NAMED = 3
"""So many constructions are named by a reason in words."""


@frozen
class Reason:
    """Why something was dropped, in words.

    `uncovered`, of H3: constructions that cover a part of the assignment, those that leave least uncovered first, each
    with the indexes of the elements that it leaves uncovered.
    """

    text: str
    uncovered: tuple[tuple[str, tuple[int, ...]], ...] = ()


@frozen
class Reasons:
    """Finds the reason of a drop. `bound` is the cost of the best solution, where it is known."""

    tokens: Sequence[str]
    evaluator: Evaluator
    all_hard: bool
    bound: int | None

    def of(self, heuristic: str, assignment: Assignment) -> Reason:
        """Why a heuristic dropped an assignment; of a candidate, `assignment` is the candidate alone."""
        if heuristic == "H1":
            return self._shared(assignment)
        if heuristic == "H2":
            left, right = next(pair for pair in pairwise(assignment) if pair[0].end != pair[1].start)
            return Reason(f"{named(right)} does not begin where {named(left)} ends")
        if heuristic == "H3":
            return self._uncovered(assignment)
        if heuristic == "no property":
            return Reason("no property speaks of what is in it")
        (candidate,) = assignment
        both = candidate.characterization
        if heuristic == "H4":
            return Reason(f"no property holds of any of its daughters: {counts_of(both)}")
        if heuristic == "hard property":
            hard = tuple(each for each in both.violated if self.all_hard or each.property.hard)
            return Reason(counts_of(Characterization((), hard)))
        return Reason(f"it costs {format_number(candidate.cost)}, the best solution {format_number(self.bound or 0)}")

    def _shared(self, assignment: Assignment) -> Reason:
        one, other = next(pair for pair in combinations(assignment, 2) if pair[0].cover & pair[1].cover)
        both = one.cover & other.cover
        words = " ".join(token for i, token in enumerate(self.tokens) if both >> i & 1)
        return Reason(f'{named(one)} and {named(other)} share "{words}"')

    def _uncovered(self, assignment: Assignment) -> Reason:
        covering = [self.evaluator.covering((constituent,)) for constituent in assignment]
        left: list[tuple[str, tuple[int, ...]]] = []
        for name, number in self.evaluator.number.items():
            uncovered = tuple(i for i, constructions in enumerate(covering) if not constructions >> number & 1)
            if len(uncovered) < len(assignment):
                left.append((name, uncovered))
        left.sort(key=lambda pair: len(pair[1]))
        told = [
            f"{name} leaves {_listed(assignment, at)} uncovered" if at else f"no property of {name} speaks of it"
            for name, at in left[:NAMED]
        ]
        if len(left) > NAMED:
            told.append(f"so do {len(left) - NAMED} more constructions")
        return Reason("; ".join(told) or "no construction covers any of it", tuple(left))


def _listed(assignment: Assignment, at: Sequence[int]) -> str:
    *others, last = [assignment[i].construction for i in at]
    return f"{', '.join(others)} and {last}" if others else last


def named(constituent: Constituent) -> str:
    """A constituent in a line of the trace: `NP[number=sg] 0-2`, a word with its form."""
    form = f' "{constituent.form}"' if constituent.is_word else ""
    bundle = format_bundle(constituent.features)
    return f"{constituent.construction}{bundle}{form} {constituent.start}-{constituent.end}"


def listed(assignment: Assignment) -> str:
    """An assignment in a line of the trace: `[Det, N] 0-2`."""
    span = f"{assignment[0].start}-{max(constituent.end for constituent in assignment)}"
    return "[" + ", ".join(constituent.construction for constituent in assignment) + f"] {span}"


def counts_of(both: Characterization) -> str:
    """Satisfied and violated instances with their lines in the grammar."""
    marks = [("✓", both.satisfied), ("✗", both.violated)]
    return "; ".join(f"{mark} {_stated(instance)}" for mark, instances in marks for instance in instances)


def _stated(instance: Instance) -> str:
    return format_property(instance.property) + line_of(instance.property)


def line_of(prop: Property) -> str:
    """Where a property stands in its file, in brackets; nothing where that is not known."""
    return f" ({prop.place})" if prop.place else ""
