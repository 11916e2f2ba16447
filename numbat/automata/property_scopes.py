"""The scope of a property, what of a phrase it takes to decide its instances, read off the expressions of its relation.

- `local`: they ask only about the tuple itself (order, adjacency, features), of one daughter or two; an instance is
  decided as soon as the last of these is read.
- `global`: they ask only what is present and how often; the property is decided at the end, from counts.
- `whole`: anything else; the property is decided at the end, from the whole sequence.

A property that is not local is *deferred*.
"""

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
from numbat.grammar.properties import Property
from numbat.grammar.relations import Relation

LOCAL: Final = (Always, Precedes, Adjacent, Agree, SameValue, HasValue, Not, And, Or)
"""Expressions about the matched tuple itself."""
GLOBAL: Final = (Always, Count, Present, Not, And, Or)
"""Expressions about what is present and how often."""
POSITIONAL: Final = (Always, Precedes, Adjacent, Not, And, Or)
"""Expressions that only the order of daughters decides, whatever their features."""


class RelationTraits(NamedTuple):
    """What the expressions of a relation ask for: when it holds, and the guards of its clauses.

    `reach`: they tell up to so many daughters how many stand between two; 1 where they only ask for neighbours.
    `features` are those whose values they compare; `largest_count` is the largest number that a count is compared with.
    """

    is_local: bool
    is_global: bool
    is_positional: bool
    reach: int
    asks_counts: bool
    features: frozenset[str]
    largest_count: int


@lru_cache(maxsize=256)
def traits_of(relation: Relation) -> RelationTraits:
    """The traits of a relation, computed once."""
    roots = (relation.holds, *(clause.guard for clause in relation.clauses))
    nodes = [node for root in roots for node in walk(root)]
    features: set[str] = set()
    for node in nodes:
        match node:
            case HasValue(_, feature):
                features.add(feature)
            case SameValue(_, left, _, right):
                features |= {left, right}
    return RelationTraits(
        all(isinstance(node, LOCAL) for node in nodes),
        relation.violated_by is None and all(isinstance(node, GLOBAL) for node in nodes),
        all(isinstance(node, POSITIONAL) for node in nodes),
        max(
            int(any(isinstance(node, Adjacent) for node in nodes)),
            relation.violated_by.most if relation.violated_by else 0,
        ),
        any(isinstance(node, Count | Present) for node in nodes),
        frozenset(features),
        max((node.number for node in nodes if isinstance(node, Count)), default=0),
    )


def scope_of(prop: Property, relation: Relation) -> str:
    """The scope of a property: `local`, `global` or `whole`."""
    traits = traits_of(relation)
    if traits.is_local and all(1 <= len(slots(prop, relation, clause)) <= 2 for clause in relation.clauses):
        return "local"
    return "global" if traits.is_global else "whole"
