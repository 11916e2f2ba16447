"""What a property needs to be compiled, told by what the expressions of its relation ask for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from numbat.grammar.expressions import (
    Adjacent,
    Agree,
    Always,
    And,
    Count,
    Expression,
    HasValue,
    Not,
    Or,
    Precedes,
    Present,
    SameValue,
    walk,
)
from numbat.grammar.model import Property
from numbat.grammar.relations import Relation
from numbat.parsing.table import slots

LOCAL: Final = (Always, Precedes, Adjacent, Agree, SameValue, HasValue, Not, And, Or)
GLOBAL: Final = (Always, Count, Present, Not, And, Or)
POSITIONAL: Final = (Always, Precedes, Adjacent, Not, And, Or)
"""What only the order of daughters decides, whatever their features."""


def sort_of(prop: Property, relation: Relation) -> str:
    """`local`, `global` or `whole`: see `automata`."""
    nodes = [node for root in expressions(relation) for node in walk(root)]
    sizes = [len(slots(prop, relation, clause)) for clause in relation.clauses]
    if all(isinstance(node, LOCAL) for node in nodes) and all(1 <= size <= 2 for size in sizes):
        return "local"
    return "global" if all(isinstance(node, GLOBAL) for node in nodes) else "whole"


def expressions(relation: Relation) -> list[Expression]:
    """All expressions of a relation: when it holds, and the guards of its clauses."""
    return [relation.holds, *(clause.guard for clause in relation.clauses)]


def asks(relation: Relation, node: type) -> bool:
    """Whether the relation's expressions have a node of that type."""
    return any(isinstance(found, node) for root in expressions(relation) for found in walk(root))


def values_asked(properties: Iterable[Property], relations: Mapping[str, Relation]) -> set[str]:
    """The features whose values the expressions of the properties compare."""
    asked: set[str] = set()
    for prop in properties:
        asked |= set(prop.features)
        for root in expressions(relations[prop.relation]):
            for node in walk(root):
                match node:
                    case HasValue(_, feature):
                        asked.add(feature)
                    case SameValue(_, left, _, right):
                        asked |= {left, right}
    return asked
