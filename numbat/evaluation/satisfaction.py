"""Ticks the tuples of one property in a row of daughters SATISFIED or VIOLATED (phase 6), or counts them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from numbat.evaluation.constituents import Instance
from numbat.evaluation.matching import Match, Row, Tuple, number_of_tuples, tuples
from numbat.grammar.expressions import permanently_false, permanently_true

View = tuple[Match, tuple[int, ...], Tuple]
"""A matched tuple: by which match, the indexes of its daughters, and what expressions see of it."""


class Tally(NamedTuple):
    """How many instances of a property are satisfied and how many violated; whether operands retrieve a satisfied one,
    and any."""

    satisfied: int
    violated: int
    held: bool
    retrieved: bool


def views(row: Row) -> Iterator[View]:
    """Every matched tuple."""
    for match in row.plan.matches:
        for indexes in tuples(match, row.masks):
            yield match, indexes, Tuple(row, dict(zip(match.names, indexes, strict=True)))


def evaluated_tuples(of: Iterable[View]) -> tuple[list[Instance], list[Instance]]:
    """The satisfied and the violated instances among matched tuples."""
    satisfied: list[Instance] = []
    violated: list[Instance] = []
    for match, indexes, view in of:
        if match.clause.guard.holds(view):
            plan = view.row.plan
            (satisfied if plan.relation.holds.holds(view) else violated).append(Instance(plan.prop, indexes))
    return satisfied, violated


def counted(
    satisfied: list[Instance], violated: list[Instance], by_property: bool
) -> tuple[list[Instance], list[Instance]]:
    """The instances that count: by property one that stands for all, violated if any of them is (ruling 11)."""
    if not by_property:
        return satisfied, violated
    return ([], violated[:1]) if violated else (satisfied[:1], [])


def answers(row: Row, by_property: bool) -> tuple[list[Instance], list[Instance], bool]:
    """All pertinent instances, satisfied and violated, and whether operands retrieve the property."""
    found = list(views(row))
    return *counted(*evaluated_tuples(found), by_property), any(match.names for match, _, _ in found)


def tally(row: Row, by_property: bool) -> Tally:
    """The same in numbers, of a property that asks what there is and how often only: all tuples are alike."""
    view = Tuple(row, {})
    numbers = [(match, number_of_tuples(match, row.masks)) for match in row.plan.matches]
    found = [(match, number) for match, number in numbers if number and match.clause.guard.holds(view)]
    of_all = found[:1] if by_property else found
    total = len(of_all) if by_property else sum(number for _, number in of_all)
    holds = row.plan.relation.holds.holds(view)
    return Tally(
        total * holds,
        total * (not holds),
        holds and any(match.names for match, _ in of_all),
        any(match.names and number for match, number in numbers),
    )


def number_doomed(row: Row, by_property: bool) -> int:
    """How many instances of such a property are violated already and stay so whatever follows of what is coming."""
    view = Tuple(row, {})
    if not permanently_false(row.plan.relation.holds, view):
        return 0
    sure = (match for match in row.plan.matches if permanently_true(match.clause.guard, view))
    number = sum(number_of_tuples(match, row.masks) for match in sure)
    return min(number, 1) if by_property else number
