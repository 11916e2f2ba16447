"""The weights of a grammar under other costs and weights for some of its relations and properties."""

from __future__ import annotations

from collections.abc import Iterable

from numbat.errors import UsageError, close_match
from numbat.gradience.generate import property_named
from numbat.grammar.model import Grammar, PropertyWeights, relations_of
from numbat.grammar.properties import LARGEST, UNIT
from numbat.web.requests import Strength


def weights_under(strengths: Iterable[Strength], grammar: Grammar) -> PropertyWeights:
    """The weights and costs of all properties; of two strengths for one property the later one counts.

    Raises UsageError for a relation or property that the grammar does not have, and for a number out of bounds.
    """
    weights, costs = list(grammar.weights.weights), list(grammar.weights.costs)
    for strength in strengths:
        numbers = _meant(strength, grammar)
        for into, value in ((weights, strength.weight), (costs, strength.cost)):
            if value is not None:
                for number in numbers:
                    into[number] = _units(value)
    return PropertyWeights(tuple(weights), tuple(costs))


def _meant(strength: Strength, grammar: Grammar) -> list[int]:
    """The numbers of the properties that a strength is for."""
    properties = grammar.properties
    if (strength.relation is None) == (strength.property is None):
        raise UsageError("a strength is for one relation or for one property\n  name one of the two")
    if strength.property is not None:
        wanted = property_named(strength.property, grammar)
        return [number for number, each in enumerate(properties) if each is wanted]
    if strength.relation not in relations_of(grammar):
        names = relations_of(grammar)
        hint = close_match(str(strength.relation), names) or f"the relations are: {', '.join(names)}"
        raise UsageError(f'"{strength.relation}" is not a relation of the grammar\n  {hint}')
    return [number for number, each in enumerate(properties) if each.relation == strength.relation]


def _units(value: float) -> int:
    if not -LARGEST <= value <= LARGEST:
        raise UsageError(f"{value:g} is no cost or weight\n  they lie between {-LARGEST:,} and {LARGEST:,}")
    return round(value * UNIT)
