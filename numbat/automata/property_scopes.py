"""The scope of a property, what of a phrase it takes to decide its instances, read off the expressions of its relation.

- `local`: they ask only about the tuple itself (order, adjacency, features), of one daughter or two; an instance is
  decided as soon as the last of these is read.
- `global`: they ask only what is present and how often; the property is decided at the end, from counts.
- `whole`: anything else; the property is decided at the end, from the whole sequence.

A property that is not local is *deferred*.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from numbat.evaluation.matching import slots
from numbat.grammar.expressions import (
    Adjacent,
    Agree,
    Always,
    And,
    Count,
    Distance,
    Expression,
    HasValue,
    Last,
    Not,
    Or,
    Place,
    Precedes,
    Present,
    SameValue,
    walk,
)
from numbat.grammar.properties import Property
from numbat.grammar.relations import Relation

LOCAL: Final = (Always, Precedes, Adjacent, Distance, Agree, SameValue, HasValue, Not, And, Or)
"""Expressions about the matched tuple itself."""
GLOBAL: Final = (Always, Count, Present, Not, And, Or)
"""Expressions about what is present and how often."""
POSITIONAL: Final = (Always, Precedes, Adjacent, Distance, Not, And, Or)
"""Expressions that only the order of daughters decides, whatever their features."""


PLACED: Final = (*GLOBAL, Place, Last, Agree, SameValue, HasValue)
"""Expressions for which it matters how far from either end a daughter stands, and not how others stand to it."""


class RelationTraits(NamedTuple):
    """What the expressions of a relation ask for: when it holds, and the guards of its clauses.

    `reach`: they tell up to so many daughters how many stand between two; 1 where they only ask for neighbours.
    `margin`: a daughter that has more than so many before it and one behind is like any other of its kind, wherever it
    stands; None where the whole order matters. `asks_places`: where daughters stand decides, `asks_end`: whether others
    follow.
    `features` are those whose values they compare; `largest_count` is the largest number that a count is compared with.
    """

    is_local: bool
    is_global: bool
    is_positional: bool
    reach: int
    margin: int | None
    asks_places: bool
    asks_end: bool
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
            *(node.number for node in nodes if isinstance(node, Distance)),
        ),
        max((node.number for node in nodes if isinstance(node, Place)), default=0)
        if _is_placed(relation, nodes)
        else None,
        any(isinstance(node, Place | Last) for node in nodes),
        any(isinstance(node, Last) for node in nodes),
        any(isinstance(node, Count | Present) for node in nodes),
        frozenset(features),
        max((node.number for node in nodes if isinstance(node, Count)), default=0),
    )


def _is_placed(relation: Relation, nodes: Sequence[Expression]) -> bool:
    """Whether a margin is all that matters of the order. Of a tuple of a symmetric relation the order that begins
    furthest left is evaluated."""
    if relation.violated_by is not None or (relation.symmetric and len(relation.matched) > 1):
        return False
    return all(isinstance(node, PLACED) for node in nodes)


def scope_of(prop: Property, relation: Relation) -> str:
    """The scope of a property: `local`, `global` or `whole`."""
    traits = traits_of(relation)
    if traits.is_local and all(1 <= len(slots(prop, relation, clause)) <= 2 for clause in relation.clauses):
        return "local"
    return "global" if traits.is_global else "whole"
