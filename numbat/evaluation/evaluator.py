"""The one evaluator: it reads the rows of relations and knows none by name (phases 4 and 6).

Whether a constituent is an operand depends on its construction and features only, so each such *kind* is matched once
against every operand of the grammar and kept as a bit set; and what an assignment without holes retrieves and evaluates
depends on the kinds of its elements only, so it is evaluated once for each sequence of kinds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, pairwise
from typing import Final, TypeVar

from numbat.evaluation.bit_sets import union
from numbat.evaluation.constituents import Assignment, Characterization, Instance
from numbat.evaluation.lookup_table import Table
from numbat.evaluation.match_index import MatchIndex
from numbat.evaluation.matching import DaughterRow, Match, Plan, plan_of, tuples
from numbat.evaluation.operand_masks import OperandMasks
from numbat.evaluation.satisfaction import counted, evaluated_tuples, matched_tuples
from numbat.grammar.properties import Bundle, Operand, Property

K = TypeVar("K")
V = TypeVar("V")

Retrieving = tuple[int, Property, Match]
"""The operands that must be there, as a bit set, for a clause of a property to match, then both."""

MOST_REMEMBERED: Final = 200_000
"""Evaluations kept; when there are more, all are forgotten."""


class Evaluator:
    """Retrieves and evaluates the properties of a table for assignments. Threads may share it: each of its memories is
    keyed by all that a value depends on, and a number is given once."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.number = {name: i for i, name in enumerate(table.constructions)}
        self._by_property = table.grammar.semantics.by_property
        self._bits: dict[Operand, int] = {}
        self._masks: dict[str, OperandMasks] = {}
        self._plans: dict[int, Plan] = {}
        self._retrieving_of: dict[str, list[Retrieving]] = {}
        self._indexes: dict[str, MatchIndex] = {}
        self._kinds: dict[tuple[str, object], tuple[int, int]] = {}
        self._fresh = count()
        self._coverage: dict[tuple[str, object], int] = {}
        self._retrieved: dict[tuple[str | None, tuple[int, ...]], tuple[Property, ...]] = {}
        self._evaluated: dict[tuple[str, bool, tuple[int, ...]], Characterization] = {}
        for operand in _every_operand(table):
            self._bits.setdefault(operand, 1 << len(self._bits))
        self._at = list(self._bits)
        self._contributors = {
            name: [(place, self._bits[each.operand]) for place, each in enumerate(origins.contributors)]
            for name, origins in table.origins.items()
        }
        self._of_category: dict[str, list[tuple[Operand, int]]] = {}
        for operand, bit in self._bits.items():
            self._of_category.setdefault(operand.category, []).append((operand, bit))

    def _plan(self, prop: Property) -> Plan:
        known = self._plans.get(id(prop))
        if known is None:
            known = self._plans[id(prop)] = plan_of(prop, self.table.relations[prop.relation], self._bits.__getitem__)
        return known

    def _kind(self, construction: str, features: Bundle) -> tuple[int, int]:
        """The number of a kind, and the operands that its constituents are, as a bit set."""
        key = construction, features
        known = self._kinds.get(key)
        if known is None:
            masks = self._masks.get(construction)
            if masks is None:
                masks = self._masks[construction] = OperandMasks(self._of_category.get(construction, ()))
            bits = masks.matched(features)
            known = self._kinds.setdefault(key, (next(self._fresh), bits))
        return known

    def forget_kinds(self) -> None:
        """Forget the kinds that were seen: one that comes again gets another number, so that nothing else is wrong."""
        self._kinds.clear()

    def operands_matched(self, construction: str, features: Bundle) -> int:
        """The operands of the grammar that a constituent of this kind is, as a bit set."""
        return self._kind(construction, features)[1]

    def features_named(self, category: str, operands: int) -> frozenset[str]:
        """The features that these operands demand of a constituent of a category."""
        of_category = self._of_category.get(category, ())
        return frozenset(feature for operand, bit in of_category if bit & operands for feature, _ in operand.features)

    @property
    def operands(self) -> Mapping[Operand, int]:
        """Every operand of the grammar with its bit: those of properties first."""
        return self._bits

    def operand_at(self, place: int) -> Operand:
        """The operand of which that place is the bit."""
        return self._at[place]

    def features(self, construction: str, assignment: Assignment) -> Bundle:
        """The features of a phrase over an assignment (ruling 10)."""
        origins, (_, masks) = self.table.origins[construction], self._seen(assignment)
        here, contributions = union(masks), dict[int, Bundle]()
        for place, bit in self._contributors[construction]:
            if here & bit:
                first = next(i for i, mask in enumerate(masks) if mask & bit)
                contributions[place] = assignment[first].features
        return origins.features(contributions)

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
            if construction is None:
                retrieving = self._retrieving(self.table.lookup([member.construction for member in assignment]))
            else:
                retrieving = self._retrieved_by(construction)
            absent = ~union(masks)
            fitting = [(prop, match) for every, prop, match in retrieving if not every & absent]
            found = tuple(
                {id(prop): prop for prop, match in fitting if any(True for _ in tuples(match, masks))}.values()
            )
            _remember(self._retrieved, key, found)
        return found

    def evaluate(
        self, construction: str, properties: Sequence[Property], assignment: Assignment, absence: bool = False
    ) -> Characterization:
        """Evaluate every matching tuple of the construction's retrieved properties: SATISFIED or VIOLATED.

        `absence` evaluates only what no operand has to match, else only the rest. Where the grammar counts by
        property, one instance stands for all of a property, violated if any of them is (ruling 11).
        """
        kinds, masks = self._seen(assignment)
        key = construction, absence, kinds
        ordered = all(left.end <= right.start for left, right in pairwise(assignment))
        found = self._evaluated.get(key) if ordered else None
        if found is None:
            satisfied: list[Instance] = []
            violated: list[Instance] = []
            for prop in properties:
                plan = self._plan(prop)
                matches = [match for match in plan.matches if bool(match.names) != absence]
                found_in = matched_tuples(DaughterRow(assignment, masks, plan), matches)
                yes, no = counted(*evaluated_tuples(found_in), self._by_property)
                satisfied += yes
                violated += no
            found = Characterization(tuple(satisfied), tuple(violated))
            if ordered:
                _remember(self._evaluated, key, found)
        return found

    def characterize(self, construction: str, assignment: Assignment) -> Characterization:
        """All that one construction's properties say of an assignment: those retrieved, then those about absence."""
        masks = [self._kind(each.construction, each.features)[1] for each in assignment]
        satisfied: list[Instance] = []
        violated: list[Instance] = []
        for plan, matches in self._matching(construction).of(union(masks)):
            found_in = matched_tuples(DaughterRow(assignment, masks, plan), matches)
            yes, no = counted(*evaluated_tuples(found_in), self._by_property)
            satisfied += yes
            violated += no
        return Characterization(tuple(satisfied), tuple(violated))

    def completed(self, construction: str, present: Characterization, assignment: Assignment) -> Characterization:
        """What retrieved properties say, and from the second index what those about absence do (ruling 8)."""
        absence = self.evaluate(
            construction, self.table.by_construction.get(construction, ()), assignment, absence=True
        )
        return Characterization(present.satisfied + absence.satisfied, present.violated + absence.violated)

    def _seen(self, assignment: Assignment) -> tuple[tuple[int, ...], list[int]]:
        seen = [self._kind(constituent.construction, constituent.features) for constituent in assignment]
        return tuple([number for number, _ in seen]), [bits for _, bits in seen]

    def _matching(self, construction: str) -> MatchIndex:
        known = self._indexes.get(construction)
        if known is None:
            plans = [self._plan(prop) for prop in self.table.constructions[construction].properties]
            known = self._indexes[construction] = MatchIndex(plans)
        return known

    def _retrieved_by(self, construction: str) -> list[Retrieving]:
        """How operands can retrieve the properties of a construction."""
        known = self._retrieving_of.get(construction)
        if known is None:
            properties = self.table.constructions[construction].properties
            known = self._retrieving_of[construction] = self._retrieving(properties)
        return known

    def _retrieving(self, properties: Iterable[Property]) -> list[Retrieving]:
        of_each = ((prop, match) for prop in properties for match in self._plan(prop).matches)
        return [(match.every, prop, match) for prop, match in of_each if match.names]


def _every_operand(table: Table) -> Iterator[Operand]:
    for prop in table.grammar.properties:
        yield from prop.all_operands()
    for name, origins in table.origins.items():
        yield from (contributor.operand for contributor in origins.contributors)
        for operands in table.covered[name].values():
            yield from operands


def _remember(memory: dict[K, V], key: K, value: V) -> None:
    if len(memory) >= MOST_REMEMBERED:
        memory.clear()
    memory[key] = value
