"""Lookup and matching of properties (phases 4 and 6, ruling 6): lookup table, matched tuples, satisfaction.

Indexes are built from a grammar on first use and never change. The second index lists the properties about absence by
construction: no operand retrieves them; they are pertinent whenever the construction is built.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations, product
from math import prod
from operator import or_
from types import MappingProxyType
from typing import NamedTuple

from numbat.evaluation.constituents import Assignment, Instance
from numbat.evaluation.feature_inheritance import Origins, origins_of
from numbat.grammar.expressions import permanently_false, permanently_true
from numbat.grammar.model import Construction, Grammar, relations_of
from numbat.grammar.properties import Bundle, Operand, Parameter, Property, unify, value_of
from numbat.grammar.relations import PRICES, Clause, Relation
from numbat.records import cached_property, frozen

Key = tuple[str, ...]
"""Sorted categories of the operands that must be present: ("Det", "N") for Det < N, ("N",) for N => Det."""


@dataclass(frozen=True)
class LookupTable:
    """The properties of a grammar by their pertinence operands and, for those about absence, by construction.

    Prices are listed with the properties about absence: no operand retrieves them.

    `covered` maps each construction to the categories of its possible daughters, each with the operands of `const` that
    restrict its features (none: any features); `origins` maps it to the sources of its phrases' features.
    """

    grammar: Grammar
    relations: Mapping[str, Relation]
    constructions: Mapping[str, Construction]
    covered: Mapping[str, Mapping[str, tuple[Operand, ...]]]
    origins: Mapping[str, Origins]

    @cached_property
    def by_operands(self) -> Mapping[Key, tuple[Property, ...]]:
        """Properties by the categories of their pertinence operands."""
        by_key: dict[Key, list[Property]] = {}
        for prop in self.grammar.properties:
            for key in dict.fromkeys(keys(prop, self.relations[prop.relation])):
                by_key.setdefault(key, []).append(prop)
        return MappingProxyType({key: tuple(properties) for key, properties in by_key.items()})

    @cached_property
    def by_construction(self) -> Mapping[str, tuple[Property, ...]]:
        """Properties about absence, by construction."""
        by_name: dict[str, list[Property]] = {}
        prices = sorted(self.grammar.prices, key=lambda price: price.type == PRICES[0].name)
        for prop in (*self.grammar.properties, *prices):
            if prop.is_price or any(not clause.matched for clause in self.relations[prop.relation].clauses):
                by_name.setdefault(prop.construction, []).append(prop)
        return MappingProxyType({name: tuple(properties) for name, properties in by_name.items()})

    @cached_property
    def order(self) -> Mapping[int, int]:
        """Position of each property in the grammar, by its `id`."""
        return MappingProxyType({id(prop): i for i, prop in enumerate(self.grammar.rules)})

    @cached_property
    def largest(self) -> int:
        """Length of the longest key in `by_operands`."""
        return max(map(len, self.by_operands), default=0)

    def lookup(self, categories: Collection[str]) -> tuple[Property, ...]:
        """Return the properties whose pertinence operands are all present, in the order of the grammar."""
        counts = Counter(categories)
        present = sorted([name for name, number in counts.items() for _ in range(min(number, self.largest))])
        keys = {key for size in range(1, self.largest + 1) for key in combinations(present, size)}
        properties = {id(prop): prop for key in keys for prop in self.by_operands.get(key, ())}
        return tuple(sorted(properties.values(), key=lambda prop: self.order[id(prop)]))

    def covers(self, construction: Construction, category: str, features: Bundle) -> bool:
        """True if a constituent can be a daughter of the construction (heuristic H3, ruling 7)."""
        operands = self.covered[construction.name].get(category)
        return operands is not None and (
            not operands or any(operand.matches(category, features) for operand in operands)
        )


Slots = tuple[tuple[str, Operand], ...]
"""The parameters and operands that a clause matches with daughters; a joint operand has a slot for each member."""


def slots(prop: Property, relation: Relation, clause: Clause) -> list[Slots]:
    """Return the slots of a clause for each choice among the alternatives of its parameters."""
    places = dict(zip(relation.parameters, prop.operands, strict=True))
    choices = product(*(places[name] for name in clause.matched))
    return [
        tuple([(name, operand) for name, joint in zip(clause.matched, joints, strict=True) for operand in joint])
        for joints in choices
    ]


def keys(prop: Property, relation: Relation) -> Iterator[Key]:
    """Return the keys under which the lookup table lists a property; none if the property is only about absence."""
    for clause in relation.clauses:
        for wanted in slots(prop, relation, clause) if clause.matched else ():
            yield tuple(sorted(operand.category for _, operand in wanted))
    for joint in found_by(prop, relation):
        yield tuple(sorted(operand.category for operand in joint))


def found_by(prop: Property, relation: Relation) -> Parameter:
    """Return the alternatives of which one must be present to retrieve a property whose clauses match no daughter."""
    return prop.operands[relation.parameters.index(relation.found_by)] if relation.found_by else ()


def _covered(construction: Construction) -> dict[str, tuple[Operand, ...]]:
    by_category: dict[str, list[Operand]] = {}
    for operand in construction.daughters:
        by_category.setdefault(operand.category, []).append(operand)
    return {
        category: tuple(operands) if all(one.features for one in operands) else ()
        for category, operands in by_category.items()
    }


def build_table(grammar: Grammar) -> LookupTable:
    """Return the lookup table of a grammar (phase 4, ruling 6)."""
    return LookupTable(
        grammar,
        MappingProxyType(relations_of(grammar)),
        MappingProxyType({construction.name: construction for construction in grammar.constructions}),
        MappingProxyType({c.name: _covered(c) for c in grammar.constructions}),
        MappingProxyType({c.name: origins_of(c, bool(grammar.marks)) for c in grammar.constructions}),
    )


# Matching of clauses to daughters: operands are bits, and the mask of a daughter is the set of operands it matches.


@frozen
class Match:
    """A clause with the parameter and the operand (as a bit) of each slot; `every` is the set of all operands.

    `groups` are the ranges of slots of each parameter, empty if no two tuples can consist of the same daughters. If
    `symmetric`, the relation is, so parameters may be exchanged.
    """

    clause: Clause
    names: tuple[str, ...]
    bits: tuple[int, ...]
    every: int
    groups: tuple[tuple[int, int], ...]
    symmetric: bool


@frozen
class Plan:
    """Plan for matching a property: its matches, and the operands (as bits) of the alternatives of each parameter.

    If no clause of the property matches a daughter, `finders` match the operands that retrieve it (`found_by`).
    """

    prop: Property
    relation: Relation
    matches: tuple[Match, ...]
    parameters: dict[str, tuple[tuple[int, ...], ...]]
    finders: tuple[Match, ...] = ()


def plan_of(prop: Property, relation: Relation, bit: Callable[[Operand], int]) -> Plan:
    """Return the plan of a property; `bit` returns the bit of an operand."""
    matches = []
    choices = [(clause, wanted) for clause in relation.clauses for wanted in slots(prop, relation, clause)]
    for clause, wanted in choices:
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
    finders = []
    for joint in found_by(prop, relation):
        bits = tuple([bit(operand) for operand in joint])
        names = (relation.found_by,) * len(bits)
        finders.append(Match(relation.clauses[0], names, bits, reduce(or_, bits, 0), (), False))
    return Plan(prop, relation, tuple(matches), parameters, tuple(finders))


@dataclass(slots=True)
class DaughterRow:
    """The daughters of an assignment with their masks, for one property; counts of operands are cached.

    `attainable` are the operands, as bits, that daughters still to come may match.
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
                known = len({daughters for joint in joints for daughters in _sets(joint, self.masks)})
            self._counts[parameter] = known
        return known

    def present(self, parameter: str, attainable: int = 0) -> bool:
        """True if distinct daughters match the operands of an alternative, except those that are `attainable` later."""
        key = parameter, attainable
        known = self._present.get(key)
        if known is None:
            joints = self.plan.parameters[parameter]
            known = any(_all_found([bit for bit in joint if not bit & attainable], self.masks) for joint in joints)
            self._present[key] = known
        return known

    def is_found(self) -> bool:
        """True if the property is retrieved because an alternative of `Relation.found_by` is present."""
        found_by = self.plan.relation.found_by
        return bool(found_by) and self.present(found_by)

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
    """One matched tuple of daughters; implements `TupleContext`."""

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
    """Yield the ways to match a clause to distinct daughters, as indexes in the assignment.

    Some tuples differ only in the order of the daughters of a joint operand, or of the parameters of a symmetric
    relation: only the first of these is yielded.
    """
    choices = [[i for i, mask in enumerate(masks) if mask & bit] for bit in match.bits]
    if not all(choices):
        return
    seen: set[Hashable] = set()
    for indexes in product(*choices):
        if len(indexes) > 1 and len(set(indexes)) < len(indexes):
            continue
        if match.groups:
            daughters = [frozenset(indexes[start:end]) for start, end in match.groups]
            key = frozenset(daughters) if match.symmetric else tuple(daughters)
            if key in seen:
                continue
            seen.add(key)
        yield indexes


def number_of_tuples(match: Match, masks: Sequence[int]) -> int:
    """Count `tuples`, without building them if no daughter matches two of the operands."""
    if match.every.bit_count() < len(match.bits) or any((mask & match.every).bit_count() > 1 for mask in masks):
        return sum(1 for _ in tuples(match, masks))
    return prod(sum(bool(mask & bit) for mask in masks) for bit in match.bits)


def _sets(bits: Sequence[int], masks: Sequence[int]) -> Iterator[frozenset[int]]:
    """Return sets of daughters that match these operands jointly; a set may occur more than once."""
    choices = [[i for i, mask in enumerate(masks) if mask & bit] for bit in bits]
    return (indexes for indexes in map(frozenset, product(*choices)) if len(indexes) == len(bits))


def _all_found(bits: Sequence[int], masks: Sequence[int]) -> bool:
    """True if distinct daughters match all of the operands."""
    if not bits:
        return True
    fitting = [i for i, mask in enumerate(masks) if mask & bits[0]]
    if len(bits) == 1:
        return bool(fitting)
    return any(_all_found(bits[1:], [*masks[:i], *masks[i + 1 :]]) for i in fitting)


# Satisfaction (phase 6): evaluate, or only count, the matching tuples.

MatchedTuple = tuple[Match, tuple[int, ...], TupleView]
"""A matched tuple: its match, the indexes of its daughters, and its view for expressions."""


class InstanceCounts(NamedTuple):
    """Numbers of satisfied and violated instances; whether operands retrieve a satisfied one, or any at all."""

    satisfied: int
    violated: int
    satisfied_by_operands: bool
    retrieved: bool


def matched_tuples(row: DaughterRow, matches: Iterable[Match]) -> Iterator[MatchedTuple]:
    """Yield the tuples of these matches."""
    for match in matches:
        for indexes in tuples(match, row.masks):
            yield match, indexes, TupleView(row, dict(zip(match.names, indexes, strict=True)))


def evaluated_tuples(of: Iterable[MatchedTuple]) -> tuple[list[Instance], list[Instance]]:
    """Return the satisfied and the violated instances among matched tuples."""
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
    """Return the elements of each instance of a violated tuple: one instance, or one for each violating daughter."""
    if relation.violated_by is None:
        return [indexes]
    return [(*indexes, daughter) for daughter in relation.violated_by.daughters(context)] or [indexes]


def counted(
    satisfied: list[Instance], violated: list[Instance], by_property: bool
) -> tuple[list[Instance], list[Instance]]:
    """Return the instances that count: all, or if `by_property` only one, violated if any of them is (ruling 11)."""
    if not by_property:
        return satisfied, violated
    return ([], violated[:1]) if violated else (satisfied[:1], [])


def evaluate_row(row: DaughterRow, by_property: bool) -> tuple[list[Instance], list[Instance], bool]:
    """Return the satisfied instances, the violated ones, and whether operands retrieve the property."""
    matched = list(matched_tuples(row, row.plan.matches))
    retrieved = row.is_found() or any(match.names for match, _, _ in matched)
    return *counted(*evaluated_tuples(matched), by_property), retrieved


def count_instances(row: DaughterRow, by_property: bool) -> InstanceCounts:
    """Count the instances of a property that depends only on presence and counts, so that all tuples are alike."""
    context = TupleView(row, {})
    numbers = [(match, number_of_tuples(match, row.masks)) for match in row.plan.matches]
    pertinent = [(match, number) for match, number in numbers if number and match.clause.guard.holds(context)]
    counting = pertinent[:1] if by_property else pertinent
    total = len(counting) if by_property else sum(number for _, number in counting)
    holds = row.plan.relation.holds.holds(context)
    return InstanceCounts(
        total * holds,
        total * (not holds),
        holds and bool(counting) and (row.is_found() or any(match.names for match, _ in counting)),
        row.is_found() or any(match.names and number for match, number in numbers),
    )


def number_irreparable(row: DaughterRow, by_property: bool) -> int:
    """Return how many instances of a property about presence and counts stay violated whatever daughters follow."""
    context = TupleView(row, {})
    if not permanently_false(row.plan.relation.holds, context):
        return 0
    sure = (match for match in row.plan.matches if permanently_true(match.clause.guard, context))
    number = sum(number_of_tuples(match, row.masks) for match in sure)
    return min(number, 1) if by_property else number
