"""What a property needs to be compiled, told by what the expressions of its relation ask for."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from numbat.evaluation.lookup_table import slots
from numbat.grammar.expressions import (
    Adjacent,
    Agree,
    Always,
    And,
    Count,
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

LOCAL: Final = (Always, Precedes, Adjacent, Agree, SameValue, HasValue, Not, And, Or)
GLOBAL: Final = (Always, Count, Present, Not, And, Or)
POSITIONAL: Final = (Always, Precedes, Adjacent, Not, And, Or)
"""What only the order of daughters decides, whatever their features."""


class Traits(NamedTuple):
    """What the expressions of a relation ask for: when it holds, and the guards of its clauses.

    `features` are those whose values they compare; `most` is the largest number that counts are held against.
    """

    is_local: bool
    is_global: bool
    is_positional: bool
    is_adjoining: bool
    features: frozenset[str]
    most: int


@lru_cache(maxsize=256)
def traits_of(relation: Relation) -> Traits:
    """The traits of a relation, worked out once."""
    roots = (relation.holds, *(clause.guard for clause in relation.clauses))
    nodes = [node for root in roots for node in walk(root)]
    features: set[str] = set()
    for node in nodes:
        match node:
            case HasValue(_, feature):
                features.add(feature)
            case SameValue(_, left, _, right):
                features |= {left, right}
    return Traits(
        all(isinstance(node, LOCAL) for node in nodes),
        all(isinstance(node, GLOBAL) for node in nodes),
        all(isinstance(node, POSITIONAL) for node in nodes),
        any(isinstance(node, Adjacent) for node in nodes),
        frozenset(features),
        max((node.number for node in nodes if isinstance(node, Count)), default=0),
    )


def sort_of(prop: Property, relation: Relation) -> str:
    """`local`, `global` or `whole`: see `automata`."""
    traits = traits_of(relation)
    if traits.is_local and all(1 <= len(slots(prop, relation, clause)) <= 2 for clause in relation.clauses):
        return "local"
    return "global" if traits.is_global else "whole"
