"""The lookup table: from the operands that are present to the properties that speak of them (phase 4, ruling 6).

Built once from a grammar and never changed. A second index holds, by construction, what is pertinent whenever the
construction is built: the properties about absence, which no present operand retrieves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import combinations
from types import MappingProxyType

from numbat.evaluation.feature_inheritance import Origins, origins_of
from numbat.grammar.model import Construction, Grammar, relations_of
from numbat.grammar.properties import Bundle, Operand, Property
from numbat.grammar.relations import Clause, Relation
from numbat.records import frozen

Key = tuple[str, ...]
"""Categories of the operands that must be present, sorted: ("Det", "N") for Det < N, ("N",) for N => Det."""


@frozen
class Table:
    """The properties of a grammar by their pertinence operands and, for those about absence, by construction.

    `covered` are the categories of the possible daughters of each construction, with the operands of its `const` that
    restrict them, if any does; `origins` say where the features of its phrases come from; `order` numbers the
    properties as the grammar lists them, `largest` is the length of the longest key.
    """

    grammar: Grammar
    relations: Mapping[str, Relation]
    constructions: Mapping[str, Construction]
    by_operands: Mapping[Key, tuple[Property, ...]]
    by_construction: Mapping[str, tuple[Property, ...]]
    covered: Mapping[str, Mapping[str, tuple[Operand, ...]]]
    origins: Mapping[str, Origins]
    order: Mapping[int, int]
    largest: int

    def lookup(self, categories: Collection[str]) -> tuple[Property, ...]:
        """The properties whose pertinence operands are all among the categories, in the order of the grammar."""
        counts = Counter(categories)
        present = sorted([each for each, number in counts.items() for _ in range(min(number, self.largest))])
        keys = {key for size in range(1, self.largest + 1) for key in combinations(present, size)}
        found = {id(prop): prop for key in keys for prop in self.by_operands.get(key, ())}
        return tuple(sorted(found.values(), key=lambda prop: self.order[id(prop)]))

    def covers(self, construction: Construction, category: str, features: Bundle) -> bool:
        """Whether a constituent can be a daughter of the construction at all (heuristic H3, ruling 7)."""
        operands = self.covered[construction.name].get(category)
        return operands is not None and (not operands or any(each.matches(category, features) for each in operands))


def slots(prop: Property, relation: Relation, clause: Clause) -> tuple[tuple[str, Operand], ...]:
    """The operands that a clause matches, each with its parameter; a joint operand has a slot for each member."""
    places = dict(zip(relation.parameters, prop.operands, strict=True))
    return tuple([(name, operand) for name in clause.matched for operand in places[name][0]])


def keys(prop: Property, relation: Relation) -> Iterator[Key]:
    """The keys under which a property is found; none for one that is only about absence."""
    for clause in relation.clauses:
        if clause.matched:
            yield tuple(sorted(operand.category for _, operand in slots(prop, relation, clause)))


def _covered(construction: Construction) -> dict[str, tuple[Operand, ...]]:
    found: dict[str, list[Operand]] = {}
    for operand in construction.daughters:
        found.setdefault(operand.category, []).append(operand)
    return {category: tuple(each) if all(one.features for one in each) else () for category, each in found.items()}


def build_table(grammar: Grammar) -> Table:
    """The lookup table of a grammar (phase 4, ruling 6)."""
    relations = relations_of(grammar)
    by_operands: dict[Key, list[Property]] = {}
    by_construction: dict[str, list[Property]] = {}
    for prop in grammar.properties:
        relation = relations[prop.relation]
        for key in dict.fromkeys(keys(prop, relation)):
            by_operands.setdefault(key, []).append(prop)
        if any(not clause.matched for clause in relation.clauses):
            by_construction.setdefault(prop.construction, []).append(prop)
    return Table(
        grammar,
        MappingProxyType(relations),
        MappingProxyType({construction.name: construction for construction in grammar.constructions}),
        MappingProxyType({key: tuple(found) for key, found in by_operands.items()}),
        MappingProxyType({name: tuple(found) for name, found in by_construction.items()}),
        MappingProxyType({c.name: _covered(c) for c in grammar.constructions}),
        MappingProxyType({c.name: origins_of(c) for c in grammar.constructions}),
        MappingProxyType({id(prop): i for i, prop in enumerate(grammar.properties)}),
        max(map(len, by_operands), default=0),
    )
