"""The one evaluator: it reads the rows of relations and knows none by name (phases 4 and 6).

Whether a constituent is an operand depends on its construction and features only, so each such *kind* is matched once
against every operand of the grammar and kept as a bit set; and what an assignment without holes retrieves and ticks
depends on the kinds of its elements only, so it is evaluated once for each sequence of kinds.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Final, TypeVar

from numbat.grammar.expressions import assured, doomed
from numbat.grammar.features import Bundle, unify, value_of
from numbat.grammar.model import Operand, Property
from numbat.grammar.relations import Clause, Relation
from numbat.parsing.chart import Assignment, Characterization, Instance
from numbat.parsing.table import Table, slots

K = TypeVar("K")
V = TypeVar("V")

MOST_REMEMBERED: Final = 200_000
"""Evaluations kept; when there are more, all are forgotten."""


@dataclass(frozen=True, slots=True)
class _Match:
    """A clause with the parameter and the operand (by its bit) of each slot.

    `groups` are where the slots of each parameter begin and end, none where no two tuples can be the same; in a
    `mirrored` one, of a symmetric relation, the two may change places.
    """

    clause: Clause
    names: tuple[str, ...]
    bits: tuple[int, ...]
    groups: tuple[tuple[int, int], ...]
    mirrored: bool


@dataclass(frozen=True, slots=True)
class _Plan:
    """A property made ready: its matches, and the operands of each parameter as bits, alternative by alternative."""

    prop: Property
    relation: Relation
    matches: tuple[_Match, ...]
    parameters: dict[str, tuple[tuple[int, ...], ...]]


@dataclass(slots=True)
class _Tuple:
    """One tuple of daughters matched by the parameters of a property, as the expressions of relations see it.

    `coming` are the operands that daughters to follow may be.
    """

    assignment: Assignment
    masks: Sequence[int]
    plan: _Plan
    matched: dict[str, int]
    coming: int = -1

    def precedes(self, left: str, right: str) -> bool:
        return self.assignment[self.matched[left]].end <= self.assignment[self.matched[right]].start

    def adjacent(self, left: str, right: str) -> bool:
        return abs(self.matched[left] - self.matched[right]) == 1

    def count(self, parameter: str) -> int:
        wanted = self._wanted(parameter)
        return sum(bool(mask & wanted) for mask in self.masks)

    def present(self, parameter: str) -> bool:
        return self._among(parameter, 0)

    def attainable(self, parameter: str) -> bool:
        return self._among(parameter, self.coming)

    def may_grow(self, parameter: str) -> bool:
        return bool(self._wanted(parameter) & self.coming)

    def _wanted(self, parameter: str) -> int:
        wanted = 0
        for joint in self.plan.parameters[parameter]:
            for bit in joint:
                wanted |= bit
        return wanted

    def _among(self, parameter: str, coming: int) -> bool:
        """Whether daughters are all operands of some joint, each another one, but for those that are `coming`."""
        joints = self.plan.parameters[parameter]
        return any(_placed([bit for bit in joint if not bit & coming], self.masks) for joint in joints)

    def agree(self, left: str, right: str, missing_unifies: bool) -> bool:
        one, other = self.assignment[self.matched[left]], self.assignment[self.matched[right]]
        return unify(one.features, other.features, self.plan.prop.features, missing_unifies)

    def value(self, parameter: str, feature: str) -> str | None:
        return value_of(self.assignment[self.matched[parameter]].features, feature)


View = tuple[_Match, tuple[int, ...], _Tuple]
"""A matched tuple: by which match, the indexes of its daughters, and what expressions see of it."""


class Evaluator:
    """Retrieves and ticks the properties of a table for assignments."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.number = {name: i for i, name in enumerate(table.constructions)}
        self._by_property = table.grammar.semantics.counting == "property"
        self._bits: dict[Operand, int] = {}
        self._of_category: dict[str, list[tuple[Operand, int]]] = {}
        self._plans: dict[int, _Plan] = {}
        self._kinds: dict[tuple[str, object], tuple[int, int]] = {}
        self._coverage: dict[tuple[str, object], int] = {}
        self._retrieved: dict[tuple[str | None, tuple[int, ...]], tuple[Property, ...]] = {}
        self._ticked: dict[tuple[str, bool, tuple[int, ...]], Characterization] = {}
        for prop in table.grammar.properties:
            for operand in prop.leaves():
                self._bit(operand)

    def _bit(self, operand: Operand) -> int:
        known = self._bits.get(operand)
        if known is None:
            known = self._bits[operand] = 1 << len(self._bits)
            self._of_category.setdefault(operand.category, []).append((operand, known))
        return known

    def _plan(self, prop: Property) -> _Plan:
        known = self._plans.get(id(prop))
        if known is None:
            known = self._plans[id(prop)] = self._planned(prop)
        return known

    def _planned(self, prop: Property) -> _Plan:
        relation = self.table.relations[prop.relation]
        matches = []
        for clause in relation.clauses:
            wanted = slots(prop, relation, clause)
            names = tuple(name for name, _ in wanted)
            mirrored = relation.symmetric and len(clause.matched) == 2
            groups = [(names.index(name), names.index(name) + names.count(name)) for name in clause.matched]
            repeated = groups if mirrored or len(groups) < len(names) else ()
            bits = tuple(self._bit(operand) for _, operand in wanted)
            matches.append(_Match(clause, names, bits, tuple(repeated), mirrored))
        parameters = {
            name: tuple(tuple(map(self._bit, joint)) for joint in parameter)
            for name, parameter in zip(relation.parameters, prop.operands, strict=True)
        }
        return _Plan(prop, relation, tuple(matches), parameters)

    def _kind(self, construction: str, features: Bundle) -> tuple[int, int]:
        """The number of a kind, and the operands that its constituents are, as a bit set."""
        key = construction, features
        known = self._kinds.get(key)
        if known is None:
            operands = self._of_category.get(construction, ())
            bits = sum(bit for operand, bit in operands if operand.matches(*key))
            known = self._kinds[key] = len(self._kinds), bits
        return known

    def operands_matched(self, construction: str, features: Bundle) -> int:
        """The operands of the grammar that a constituent of this kind is, as a bit set."""
        return self._kind(construction, features)[1]

    def operand_bits(self, properties: Iterable[Property]) -> int:
        """The operands that the properties speak of, as a bit set."""
        bits = 0
        for prop in properties:
            for operand in prop.leaves():
                bits |= self._bits[operand]
        return bits

    @property
    def operands(self) -> Mapping[Operand, int]:
        """Every operand of the grammar with its bit."""
        return self._bits

    def covering(self, assignment: Assignment) -> int:
        """The constructions that cover every element (heuristic H3), as a bit set in the order of the grammar."""
        covering = -1
        for constituent in assignment:
            key = constituent.construction, constituent.features
            known = self._coverage.get(key)
            if known is None:
                forms = enumerate(self.table.constructions.values())
                known = self._coverage[key] = sum(1 << i for i, form in forms if self.table.covers(form, *key))
            covering &= known
        return covering

    def retrieve(self, assignment: Assignment, construction: str | None = None) -> tuple[Property, ...]:
        """The properties that operands in the assignment retrieve: some clause matches, its guard aside (ruling 8).

        Of one `construction`, where it is named.
        """
        kinds, masks = self._seen(assignment)
        key = construction, kinds
        found = self._retrieved.get(key)
        if found is None:
            candidates: Iterable[Property] = self.table.lookup([member.construction for member in assignment])
            if construction is not None:
                candidates = (prop for prop in candidates if prop.construction == construction)
            found = tuple(prop for prop in candidates if self._is_retrieved(self._plan(prop), masks))
            _remember(self._retrieved, key, found)
        return found

    def tick(
        self, construction: str, properties: Sequence[Property], assignment: Assignment, absence: bool = False
    ) -> Characterization:
        """Tick every matching tuple of the construction's retrieved properties SATISFIED or VIOLATED.

        `absence` evaluates only what no operand has to match, else only the rest. Where the grammar counts by
        property, one instance stands for all of a property, violated if any of them is (ruling 11).
        """
        kinds, masks = self._seen(assignment)
        key = construction, absence, kinds
        ordered = all(left.end <= right.start for left, right in pairwise(assignment))
        found = self._ticked.get(key) if ordered else None
        if found is None:
            satisfied: list[Instance] = []
            violated: list[Instance] = []
            for prop in properties:
                views = self._views(self._plan(prop), assignment, masks)
                ticked = _ticked(view for view in views if bool(view[0].names) != absence)
                yes, no = _counted(*ticked, self._by_property)
                satisfied += yes
                violated += no
            found = Characterization(tuple(satisfied), tuple(violated))
            if ordered:
                _remember(self._ticked, key, found)
        return found

    def characterize(self, construction: str, assignment: Assignment) -> Characterization:
        """All that one construction's properties say of an assignment: those retrieved, then those about absence."""
        present = self.tick(construction, self.retrieve(assignment, construction), assignment)
        absence = self.tick(construction, self.table.by_construction.get(construction, ()), assignment, absence=True)
        return Characterization(present.satisfied + absence.satisfied, present.violated + absence.violated)

    def _seen(self, assignment: Assignment) -> tuple[tuple[int, ...], list[int]]:
        seen = [self._kind(constituent.construction, constituent.features) for constituent in assignment]
        return tuple([number for number, _ in seen]), [bits for _, bits in seen]

    def _is_retrieved(self, plan: _Plan, masks: Sequence[int]) -> bool:
        return any(match.names and any(True for _ in _tuples(match, masks)) for match in plan.matches)

    def answers(
        self, prop: Property, assignment: Assignment, by_property: bool
    ) -> tuple[Sequence[Instance], Sequence[Instance], bool]:
        """All pertinent instances of a property, satisfied and violated, and whether operands retrieve it.

        `by_property` as in `tick`.
        """
        views = list(self._views(self._plan(prop), assignment, self._seen(assignment)[1]))
        return *_counted(*_ticked(views), by_property), any(match.names for match, _, _ in views)

    def doomed(self, prop: Property, assignment: Assignment, coming: int = -1) -> int:
        """How many instances are violated already and stay so whatever follows, each counted as the grammar counts.

        `coming` are the operands that daughters to follow may be, as a bit set; anything by default.
        """
        _, masks = self._seen(assignment)
        plan = self._plan(prop)
        number = sum(
            assured(match.clause.guard, view) and doomed(plan.relation.holds, view)
            for match, _, view in self._views(plan, assignment, masks, coming)
        )
        return min(number, 1) if self._by_property else number

    def _views(self, plan: _Plan, assignment: Assignment, masks: Sequence[int], coming: int = -1) -> Iterator[View]:
        for match in plan.matches:
            for indexes in _tuples(match, masks):
                matched = dict(zip(match.names, indexes, strict=True))
                yield match, indexes, _Tuple(assignment, masks, plan, matched, coming)


def _ticked(views: Iterable[View]) -> tuple[list[Instance], list[Instance]]:
    """The satisfied and the violated instances among matched tuples."""
    satisfied: list[Instance] = []
    violated: list[Instance] = []
    for match, indexes, view in views:
        if match.clause.guard.holds(view):
            ticked = satisfied if view.plan.relation.holds.holds(view) else violated
            ticked.append(Instance(view.plan.prop, indexes))
    return satisfied, violated


def _counted(
    satisfied: list[Instance], violated: list[Instance], by_property: bool
) -> tuple[list[Instance], list[Instance]]:
    if not by_property:
        return satisfied, violated
    return ([], violated[:1]) if violated else (satisfied[:1], [])


def _tuples(match: _Match, masks: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The ways to match a clause by distinct daughters, as their indexes in the assignment.

    The daughters of a joint operand count once, in whatever order they are its members; so do two tuples of a symmetric
    relation that mirror each other. The one that begins further left counts.
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
            key = frozenset(daughters) if match.mirrored else tuple(daughters)
            if key in found:
                continue
            found.add(key)
        yield indexes


def _placed(bits: Sequence[int], masks: Sequence[int]) -> bool:
    """Whether there is a daughter for each operand, and another one for each."""
    if not bits:
        return True
    fitting = [i for i, mask in enumerate(masks) if mask & bits[0]]
    if len(bits) == 1:
        return bool(fitting)
    return any(_placed(bits[1:], [*masks[:i], *masks[i + 1 :]]) for i in fitting)


def _remember(memory: dict[K, V], key: K, value: V) -> None:
    if len(memory) >= MOST_REMEMBERED:
        memory.clear()
    memory[key] = value
