"""Lookup and matching of properties (phases 4 and 6, ruling 6): lookup table, matched tuples, satisfaction.

Each index is built from a grammar when it is first needed, and never changed. A second one holds, by construction, what
is pertinent whenever the construction is built: the properties about absence, which no present operand retrieves.
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
from numbat.grammar.relations import Clause, Relation
from numbat.records import cached_property, frozen

Key = tuple[str, ...]
"""Categories of the operands that must be present, sorted: ("Det", "N") for Det < N, ("N",) for N => Det."""


@dataclass(frozen=True)
class Table:
    """The properties of a grammar by their pertinence operands and, for those about absence, by construction.

    `covered` are the categories of the possible daughters of each construction, with the operands of its `const` that
    restrict them, if any does; `origins` say where the features of its phrases come from.
    """

    grammar: Grammar
    relations: Mapping[str, Relation]
    constructions: Mapping[str, Construction]
    covered: Mapping[str, Mapping[str, tuple[Operand, ...]]]
    origins: Mapping[str, Origins]

    @cached_property
    def by_operands(self) -> Mapping[Key, tuple[Property, ...]]:
        """The properties by the categories of their pertinence operands."""
        found: dict[Key, list[Property]] = {}
        for prop in self.grammar.properties:
            for key in dict.fromkeys(keys(prop, self.relations[prop.relation])):
                found.setdefault(key, []).append(prop)
        return MappingProxyType({key: tuple(properties) for key, properties in found.items()})

    @cached_property
    def by_construction(self) -> Mapping[str, tuple[Property, ...]]:
        """The properties about absence by construction."""
        found: dict[str, list[Property]] = {}
        for prop in self.grammar.properties:
            if any(not clause.matched for clause in self.relations[prop.relation].clauses):
                found.setdefault(prop.construction, []).append(prop)
        return MappingProxyType({name: tuple(properties) for name, properties in found.items()})

    @cached_property
    def order(self) -> Mapping[int, int]:
        """The number of each property, by its `id`, as the grammar lists them."""
        return MappingProxyType({id(prop): i for i, prop in enumerate(self.grammar.properties)})

    @cached_property
    def largest(self) -> int:
        """The length of the longest key."""
        return max(map(len, self.by_operands), default=0)

    def lookup(self, categories: Collection[str]) -> tuple[Property, ...]:
        """Return the properties whose pertinence operands are all present, in the order of the grammar."""
        counts = Counter(categories)
        present = sorted([each for each, number in counts.items() for _ in range(min(number, self.largest))])
        keys = {key for size in range(1, self.largest + 1) for key in combinations(present, size)}
        found = {id(prop): prop for key in keys for prop in self.by_operands.get(key, ())}
        return tuple(sorted(found.values(), key=lambda prop: self.order[id(prop)]))

    def covers(self, construction: Construction, category: str, features: Bundle) -> bool:
        """True if a constituent can be a daughter of the construction (heuristic H3, ruling 7)."""
        operands = self.covered[construction.name].get(category)
        return operands is not None and (
            not operands or any(operand.matches(category, features) for operand in operands)
        )


Slots = tuple[tuple[str, Operand], ...]
"""The operands that a clause matches with their parameters; a joint operand has a slot per member."""


def slots(prop: Property, relation: Relation, clause: Clause) -> list[Slots]:
    """Return the slots of a clause for each choice among the alternatives of its parameters."""
    places = dict(zip(relation.parameters, prop.operands, strict=True))
    choices = product(*(places[name] for name in clause.matched))
    return [
        tuple([(name, operand) for name, joint in zip(clause.matched, joints, strict=True) for operand in joint])
        for joints in choices
    ]


def keys(prop: Property, relation: Relation) -> Iterator[Key]:
    """Return the keys under which a property is found; none if it is only about absence."""
    for clause in relation.clauses:
        for wanted in slots(prop, relation, clause) if clause.matched else ():
            yield tuple(sorted(operand.category for _, operand in wanted))
    for joint in found_by(prop, relation):
        yield tuple(sorted(operand.category for operand in joint))


def found_by(prop: Property, relation: Relation) -> Parameter:
    """Return the alternatives of which each, wholly there, retrieves a property that matches no daughter."""
    return prop.operands[relation.parameters.index(relation.found_by)] if relation.found_by else ()


def _covered(construction: Construction) -> dict[str, tuple[Operand, ...]]:
    found: dict[str, list[Operand]] = {}
    for operand in construction.daughters:
        found.setdefault(operand.category, []).append(operand)
    return {
        category: tuple(operands) if all(one.features for one in operands) else ()
        for category, operands in found.items()
    }


def build_table(grammar: Grammar) -> Table:
    """Return the lookup table of a grammar (phase 4, ruling 6)."""
    return Table(
        grammar,
        MappingProxyType(relations_of(grammar)),
        MappingProxyType({construction.name: construction for construction in grammar.constructions}),
        MappingProxyType({c.name: _covered(c) for c in grammar.constructions}),
        MappingProxyType({c.name: origins_of(c) for c in grammar.constructions}),
    )


# Matching of daughters by clauses.
#
# Operands are bits; a daughter's mask is the bit set of operands that it matches.


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
    """Plan of matching a property: its matches, and for each parameter the operands of its alternatives as bits.

    `finders` match what retrieves a property that matches no daughter.
    """

    prop: Property
    relation: Relation
    matches: tuple[Match, ...]
    parameters: dict[str, tuple[tuple[int, ...], ...]]
    finders: tuple[Match, ...] = ()


def plan_of(prop: Property, relation: Relation, bit: Callable[[Operand], int]) -> Plan:
    """Return the plan of a property whose operands have these bits."""
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
        """True if some joint has a daughter for each of its operands, but for those that are `attainable` later."""
        key = parameter, attainable
        known = self._present.get(key)
        if known is None:
            joints = self.plan.parameters[parameter]
            known = any(_all_found([bit for bit in joint if not bit & attainable], self.masks) for joint in joints)
            self._present[key] = known
        return known

    def is_found(self) -> bool:
        """True if an alternative is there that retrieves the property, though it matches no daughter."""
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
    """Yield the ways to match a clause by distinct daughters, as indexes in the assignment.

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
    """Count `tuples`, without making them if no daughter matches two of the operands."""
    if match.every.bit_count() < len(match.bits) or any((mask & match.every).bit_count() > 1 for mask in masks):
        return sum(1 for _ in tuples(match, masks))
    return prod(sum(bool(mask & bit) for mask in masks) for bit in match.bits)


def _sets(bits: Sequence[int], masks: Sequence[int]) -> Iterator[frozenset[int]]:
    """Yield sets of daughters that match these operands jointly; a set may occur more than once."""
    choices = [[i for i, mask in enumerate(masks) if mask & bit] for bit in bits]
    return (found for each in product(*choices) if len(found := frozenset(each)) == len(bits))


def _all_found(bits: Sequence[int], masks: Sequence[int]) -> bool:
    """True if distinct daughters match all operands."""
    if not bits:
        return True
    fitting = [i for i, mask in enumerate(masks) if mask & bits[0]]
    if len(bits) == 1:
        return bool(fitting)
    return any(_all_found(bits[1:], [*masks[:i], *masks[i + 1 :]]) for i in fitting)


# Satisfaction (phase 6): evaluates, or only counts, each matching tuple.

MatchedTuple = tuple[Match, tuple[int, ...], TupleView]
"""A matched tuple: by which match, the indexes of its daughters, and what expressions see of it."""


class InstanceCounts(NamedTuple):
    """Numbers of satisfied and violated instances; flags for retrieval of a satisfied and of any instance."""

    satisfied: int
    violated: int
    satisfied_by_operands: bool
    retrieved: bool


def matched_tuples(row: DaughterRow, matches: Iterable[Match]) -> Iterator[MatchedTuple]:
    """Yield every tuple matched in one of these ways."""
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
    """Yield the elements of each instance of a violated tuple: one, or one per violating daughter."""
    if relation.violated_by is None:
        return [indexes]
    return [(*indexes, daughter) for daughter in relation.violated_by.daughters(context)] or [indexes]


def counted(
    satisfied: list[Instance], violated: list[Instance], by_property: bool
) -> tuple[list[Instance], list[Instance]]:
    """Return the instances that count: by property a single one, violated if any is (ruling 11)."""
    if not by_property:
        return satisfied, violated
    return ([], violated[:1]) if violated else (satisfied[:1], [])


def evaluate_row(row: DaughterRow, by_property: bool) -> tuple[list[Instance], list[Instance], bool]:
    """Return all pertinent instances, satisfied and violated, and whether operands retrieve the property."""
    found = list(matched_tuples(row, row.plan.matches))
    retrieved = row.is_found() or any(match.names for match, _, _ in found)
    return *counted(*evaluated_tuples(found), by_property), retrieved


def count_instances(row: DaughterRow, by_property: bool) -> InstanceCounts:
    """Count instances of a property that depends only on presence and counts: all tuples are alike."""
    context = TupleView(row, {})
    numbers = [(match, number_of_tuples(match, row.masks)) for match in row.plan.matches]
    found = [(match, number) for match, number in numbers if number and match.clause.guard.holds(context)]
    counting = found[:1] if by_property else found
    total = len(counting) if by_property else sum(number for _, number in counting)
    holds = row.plan.relation.holds.holds(context)
    return InstanceCounts(
        total * holds,
        total * (not holds),
        holds and bool(counting) and (row.is_found() or any(match.names for match, _ in counting)),
        row.is_found() or any(match.names and number for match, number in numbers),
    )


def number_irreparable(row: DaughterRow, by_property: bool) -> int:
    """Return the number of instances of such a property that are violated already and stay so whatever follows."""
    context = TupleView(row, {})
    if not permanently_false(row.plan.relation.holds, context):
        return 0
    sure = (match for match in row.plan.matches if permanently_true(match.clause.guard, context))
    number = sum(number_of_tuples(match, row.masks) for match in sure)
    return min(number, 1) if by_property else number
