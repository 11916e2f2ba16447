"""The one evaluator: it reads the rows of relations and knows none by name (phases 4 and 6).

Whether a constituent is an operand depends on its construction and features only, so each such *kind* is matched once
against every operand of the grammar and kept as a bit set; and what an assignment without holes retrieves and evaluates
depends on the kinds of its elements only, so it is evaluated once for each sequence of kinds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from itertools import count, pairwise
from operator import or_
from typing import Final, TypeVar

from numbat.evaluation.constituents import Assignment, Characterization, Instance
from numbat.evaluation.lookup_table import Table
from numbat.evaluation.matching import DaughterRow, Plan, plan_of, tuples
from numbat.evaluation.satisfaction import counted, evaluated_tuples, matched_tuples
from numbat.grammar.features import Bundle, subsumes
from numbat.grammar.properties import Operand, Property

K = TypeVar("K")
V = TypeVar("V")

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
        self._of_category: dict[str, list[tuple[Operand, int]]] = {}
        self._plans: dict[int, Plan] = {}
        self._kinds: dict[tuple[str, object], tuple[int, int]] = {}
        self._fresh = count()
        self._coverage: dict[tuple[str, object], int] = {}
        self._retrieved: dict[tuple[str | None, tuple[int, ...]], tuple[Property, ...]] = {}
        self._evaluated: dict[tuple[str, bool, tuple[int, ...]], Characterization] = {}
        for prop in table.grammar.properties:
            for operand in prop.all_operands():
                self._bit(operand)

    def _bit(self, operand: Operand) -> int:
        known = self._bits.get(operand)
        if known is None:
            known = self._bits[operand] = 1 << len(self._bits)
            self._of_category.setdefault(operand.category, []).append((operand, known))
        return known

    def _plan(self, prop: Property) -> Plan:
        known = self._plans.get(id(prop))
        if known is None:
            known = self._plans[id(prop)] = plan_of(prop, self.table.relations[prop.relation], self._bit)
        return known

    def _kind(self, construction: str, features: Bundle) -> tuple[int, int]:
        """The number of a kind, and the operands that its constituents are, as a bit set."""
        key = construction, features
        known = self._kinds.get(key)
        if known is None:
            operands = self._of_category.get(construction, ())
            bits = sum([bit for operand, bit in operands if subsumes(operand.features, features)])
            known = self._kinds.setdefault(key, (next(self._fresh), bits))
        return known

    def operands_matched(self, construction: str, features: Bundle) -> int:
        """The operands of the grammar that a constituent of this kind is, as a bit set."""
        return self._kind(construction, features)[1]

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
                found_in = matched_tuples(DaughterRow(assignment, masks, self._plan(prop)))
                evaluated = evaluated_tuples(context for context in found_in if bool(context[0].names) != absence)
                yes, no = counted(*evaluated, self._by_property)
                satisfied += yes
                violated += no
            found = Characterization(tuple(satisfied), tuple(violated))
            if ordered:
                _remember(self._evaluated, key, found)
        return found

    def characterize(self, construction: str, assignment: Assignment) -> Characterization:
        """All that one construction's properties say of an assignment: those retrieved, then those about absence."""
        present = self.evaluate(construction, self.retrieve(assignment, construction), assignment)
        return self.completed(construction, present, assignment)

    def completed(self, construction: str, present: Characterization, assignment: Assignment) -> Characterization:
        """What retrieved properties say, and from the second index what those about absence do (ruling 8)."""
        absence = self.evaluate(
            construction, self.table.by_construction.get(construction, ()), assignment, absence=True
        )
        return Characterization(present.satisfied + absence.satisfied, present.violated + absence.violated)

    def _seen(self, assignment: Assignment) -> tuple[tuple[int, ...], list[int]]:
        seen = [self._kind(constituent.construction, constituent.features) for constituent in assignment]
        return tuple([number for number, _ in seen]), [bits for _, bits in seen]

    def _is_retrieved(self, plan: Plan, masks: Sequence[int]) -> bool:
        return any(match.names and any(True for _ in tuples(match, masks)) for match in plan.matches)


def union(bits: Iterable[int]) -> int:
    """The union of bit sets."""
    return reduce(or_, bits, 0)


def _remember(memory: dict[K, V], key: K, value: V) -> None:
    if len(memory) >= MOST_REMEMBERED:
        memory.clear()
    memory[key] = value
