"""The daughters that the clauses of a property match, and what the expressions of its relation ask of them.

Operands are bits: of each daughter one knows by a bit set (its mask) which of them it is.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import product
from math import prod
from operator import or_

from numbat.evaluation.constituents import Assignment
from numbat.evaluation.lookup_table import slots
from numbat.grammar.properties import Operand, Property, unify, value_of
from numbat.grammar.relations import Clause, Relation
from numbat.records import frozen


@frozen
class Match:
    """A clause with the parameter and the operand (by its bit) of each slot; `every` operand together.

    `groups` are where the slots of each parameter begin and end, none where no two tuples can be the same. In a
    `symmetric` one, of a symmetric relation, the parameters may change places.
    """

    clause: Clause
    names: tuple[str, ...]
    bits: tuple[int, ...]
    every: int
    groups: tuple[tuple[int, int], ...]
    symmetric: bool


@frozen
class Plan:
    """How a property is matched: its matches, and for each parameter the operands of its alternatives as bits."""

    prop: Property
    relation: Relation
    matches: tuple[Match, ...]
    parameters: dict[str, tuple[tuple[int, ...], ...]]


def plan_of(prop: Property, relation: Relation, bit: Callable[[Operand], int]) -> Plan:
    """The plan of a property whose operands have these bits."""
    matches = []
    for clause in relation.clauses:
        wanted = slots(prop, relation, clause)
        names = tuple(name for name, _ in wanted)
        symmetric = relation.symmetric and len(clause.matched) > 1
        groups = [(names.index(name), names.index(name) + names.count(name)) for name in clause.matched]
        repeated = groups if symmetric or len(groups) < len(names) else ()
        bits = tuple([bit(operand) for _, operand in wanted])
        matches.append(Match(clause, names, bits, reduce(or_, bits, 0), tuple(repeated), symmetric))
    parameters = {
        name: tuple(tuple(map(bit, joint)) for joint in parameter)
        for name, parameter in zip(relation.parameters, prop.operands, strict=True)
    }
    return Plan(prop, relation, tuple(matches), parameters)


@dataclass(slots=True)
class DaughterRow:
    """The daughters of one assignment as a property sees them; how many are operands is computed once.

    `attainable` are the operands, as bits, that daughters still to come may be.
    """

    assignment: Assignment
    masks: Sequence[int]
    plan: Plan
    attainable: int = -1
    _counts: dict[str, int] = field(default_factory=dict)
    _present: dict[tuple[str, int], bool] = field(default_factory=dict)

    def count(self, parameter: str) -> int:
        known = self._counts.get(parameter)
        if known is None:
            joints = self.plan.parameters[parameter]
            if all(len(joint) == 1 for joint in joints):
                wanted = self._wanted(parameter)
                known = sum(bool(mask & wanted) for mask in self.masks)
            else:
                known = len({each for joint in joints for each in _sets(joint, self.masks)})
            self._counts[parameter] = known
        return known

    def present(self, parameter: str, attainable: int = 0) -> bool:
        """Whether some joint has a daughter for each of its operands, but for those that are `attainable` later."""
        key = parameter, attainable
        known = self._present.get(key)
        if known is None:
            joints = self.plan.parameters[parameter]
            known = any(_all_found([bit for bit in joint if not bit & attainable], self.masks) for joint in joints)
            self._present[key] = known
        return known

    def may_grow(self, parameter: str) -> bool:
        return bool(self._wanted(parameter) & self.attainable)

    def _wanted(self, parameter: str) -> int:
        wanted = 0
        for joint in self.plan.parameters[parameter]:
            for bit in joint:
                wanted |= bit
        return wanted


@dataclass(slots=True)
class TupleView:
    """One tuple of daughters matched by the parameters of a property, as the expressions of relations see it."""

    row: DaughterRow
    matched: dict[str, int]

    def precedes(self, left: str, right: str) -> bool:
        assignment = self.row.assignment
        return assignment[self.matched[left]].end <= assignment[self.matched[right]].start

    def adjacent(self, left: str, right: str) -> bool:
        return abs(self.matched[left] - self.matched[right]) == 1

    def place(self, parameter: str) -> int:
        return self.matched[parameter] + 1

    def is_last(self, parameter: str) -> bool:
        return self.matched[parameter] + 1 == len(self.row.assignment)

    def between(self, left: str, right: str) -> range:
        first, last = sorted((self.matched[left], self.matched[right]))
        return range(first + 1, last)

    def count(self, parameter: str) -> int:
        return self.row.count(parameter)

    def present(self, parameter: str) -> bool:
        return self.row.present(parameter)

    def attainable(self, parameter: str) -> bool:
        return self.row.present(parameter, self.row.attainable)

    def may_grow(self, parameter: str) -> bool:
        return self.row.may_grow(parameter)

    def agree(self, left: str, right: str, missing_unifies: bool) -> bool:
        one, other = self.row.assignment[self.matched[left]], self.row.assignment[self.matched[right]]
        return unify(one.features, other.features, self.row.plan.prop.features, missing_unifies)

    def value(self, parameter: str, feature: str) -> str | None:
        return value_of(self.row.assignment[self.matched[parameter]].features, feature)


def tuples(match: Match, masks: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The ways to match a clause by distinct daughters, as their indexes in the assignment.

    The daughters of a joint operand count once, in whatever order they are its members; so do the tuples of a symmetric
    relation that give the same daughters to its parameters in another order. The one that begins further left counts.
    """
    choices = [[i for i, mask in enumerate(masks) if mask & bit] for bit in match.bits]
    if not all(choices):
        return
    found: set[Hashable] = set()
    for indexes in product(*choices):
        if len(indexes) > 1 and len(set(indexes)) < len(indexes):
            continue
        if match.groups:
            daughters = [frozenset(indexes[start:end]) for start, end in match.groups]
            key = frozenset(daughters) if match.symmetric else tuple(daughters)
            if key in found:
                continue
            found.add(key)
        yield indexes


def number_of_tuples(match: Match, masks: Sequence[int]) -> int:
    """How many `tuples` there are: without making them, where no daughter is two of the operands."""
    if match.every.bit_count() < len(match.bits) or any((mask & match.every).bit_count() > 1 for mask in masks):
        return sum(1 for _ in tuples(match, masks))
    return prod(sum(bool(mask & bit) for mask in masks) for bit in match.bits)


def _sets(bits: Sequence[int], masks: Sequence[int]) -> Iterator[frozenset[int]]:
    """The sets of daughters, by their indexes, that are these operands together; a set may come more than once."""
    choices = [[i for i, mask in enumerate(masks) if mask & bit] for bit in bits]
    return (found for each in product(*choices) if len(found := frozenset(each)) == len(bits))


def _all_found(bits: Sequence[int], masks: Sequence[int]) -> bool:
    """Whether there is a daughter for each operand, and another one for each."""
    if not bits:
        return True
    fitting = [i for i, mask in enumerate(masks) if mask & bits[0]]
    if len(bits) == 1:
        return bool(fitting)
    return any(_all_found(bits[1:], [*masks[:i], *masks[i + 1 :]]) for i in fitting)
