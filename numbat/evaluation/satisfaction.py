"""Phase 6 for one property: each matching tuple of a row of daughters is SATISFIED or VIOLATED; or only counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from numbat.evaluation.constituents import Instance
from numbat.evaluation.matching import DaughterRow, Match, TupleView, number_of_tuples, tuples
from numbat.grammar.expressions import permanently_false, permanently_true
from numbat.grammar.relations import Relation

MatchedTuple = tuple[Match, tuple[int, ...], TupleView]
"""A matched tuple: by which match, the indexes of its daughters, and what expressions see of it."""


class InstanceCounts(NamedTuple):
    """How many instances of a property are satisfied and how many violated; whether operands retrieve a satisfied one,
    and any."""

    satisfied: int
    violated: int
    satisfied_by_operands: bool
    retrieved: bool


def matched_tuples(row: DaughterRow, matches: Iterable[Match]) -> Iterator[MatchedTuple]:
    """Every tuple matched in one of these ways."""
    for match in matches:
        for indexes in tuples(match, row.masks):
            yield match, indexes, TupleView(row, dict(zip(match.names, indexes, strict=True)))


def evaluated_tuples(of: Iterable[MatchedTuple]) -> tuple[list[Instance], list[Instance]]:
    """The satisfied and the violated instances among matched tuples."""
    satisfied: list[Instance] = []
    violated: list[Instance] = []
    for match, indexes, context in of:
        if match.clause.guard.holds(context):
            plan = context.row.plan
            if plan.relation.holds.holds(context):
                satisfied.append(Instance(plan.prop, indexes))
            else:
                violated += [Instance(plan.prop, elements) for elements in _violated(plan.relation, indexes, context)]
    return satisfied, violated


def _violated(relation: Relation, indexes: tuple[int, ...], context: TupleView) -> list[tuple[int, ...]]:
    """The elements of each instance of a violated tuple: one, or one for each daughter that violates it."""
    if relation.violated_by is None:
        return [indexes]
    return [(*indexes, each) for each in relation.violated_by.daughters(context)] or [indexes]


def counted(
    satisfied: list[Instance], violated: list[Instance], by_property: bool
) -> tuple[list[Instance], list[Instance]]:
    """The instances that count: by property one that stands for all, violated if any of them is (ruling 11)."""
    if not by_property:
        return satisfied, violated
    return ([], violated[:1]) if violated else (satisfied[:1], [])


def evaluate_row(row: DaughterRow, by_property: bool) -> tuple[list[Instance], list[Instance], bool]:
    """All pertinent instances, satisfied and violated, and whether operands retrieve the property."""
    found = list(matched_tuples(row, row.plan.matches))
    return *counted(*evaluated_tuples(found), by_property), any(match.names for match, _, _ in found)


def count_instances(row: DaughterRow, by_property: bool) -> InstanceCounts:
    """The same in numbers, of a property that asks what there is and how often only: all tuples are alike."""
    context = TupleView(row, {})
    numbers = [(match, number_of_tuples(match, row.masks)) for match in row.plan.matches]
    found = [(match, number) for match, number in numbers if number and match.clause.guard.holds(context)]
    counting = found[:1] if by_property else found
    total = len(counting) if by_property else sum(number for _, number in counting)
    holds = row.plan.relation.holds.holds(context)
    return InstanceCounts(
        total * holds,
        total * (not holds),
        holds and any(match.names for match, _ in counting),
        any(match.names and number for match, number in numbers),
    )


def number_irreparable(row: DaughterRow, by_property: bool) -> int:
    """How many instances of such a property are violated already and stay so whatever follows of what is attainable."""
    context = TupleView(row, {})
    if not permanently_false(row.plan.relation.holds, context):
        return 0
    sure = (match for match in row.plan.matches if permanently_true(match.clause.guard, context))
    number = sum(number_of_tuples(match, row.masks) for match in sure)
    return min(number, 1) if by_property else number
