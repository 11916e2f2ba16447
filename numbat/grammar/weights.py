"""Weights and costs of a grammar apart from its structure, as a vector by numbered property.

A property's number is its place in `Grammar.properties`. Learning changes a vector many times over; everything that
depends on the structure alone (relations, operands, lexicon) is made once and shared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from numbat.errors import UsageError, counted, shortened
from numbat.grammar.properties import LARGEST, UNIT, Property, Strength, format_named, format_number
from numbat.records import frozen


@frozen
class PropertyWeights:
    """Weights and costs in fixed-point units; entry i of both belongs to the property `grammar.properties[i]`."""

    weights: tuple[int, ...]
    costs: tuple[int, ...]


def check_weights(weights: PropertyWeights, properties: Sequence[Property]) -> None:
    """Raise UsageError unless there is a weight and a cost for each property that the notation could state."""
    if not isinstance(weights, PropertyWeights):
        raise UsageError(
            f"the weights of a grammar are PropertyWeights, not a value of type {type(weights).__name__}\n"
            "  give PropertyWeights(weights, costs)"
        )
    if {len(weights.weights), len(weights.costs)} != {len(properties)}:
        found = f"{counted(len(weights.weights), 'weight')} and {counted(len(weights.costs), 'cost')}"
        several = counted(len(properties), "property", "properties")
        hint = "give one of each for every property, in the order of grammar.properties"
        raise UsageError(f"{found} for a grammar of {several}\n  {hint}")
    for number, (weight, cost) in enumerate(zip(weights.weights, weights.costs, strict=True)):
        for what, value, smallest in (("weight", weight, -LARGEST), ("cost", cost, 0)):
            if type(value) is not int or not smallest * UNIT <= value <= LARGEST * UNIT:
                where = f"the {what} of property {number} ({format_named(properties[number])}) is"
                raise UsageError(f"{where} {_wrong_number(what, value, smallest)}")


def _wrong_number(what: str, value: object, smallest: int) -> str:
    """The end of the message about a weight or cost that is no int or out of bounds."""
    if type(value) is not int:
        shown = shortened(f"{value!r}")
        return f"{shown}, which is no int\n  give fixed-point units, of which {UNIT} stand for 1: round(x * {UNIT})"
    bounds = f"a {what} lies between {smallest} and {LARGEST}, in fixed-point units {smallest * UNIT} and"
    return f"{format_number(value)} ({value} units)\n  {bounds} {LARGEST * UNIT}"


def with_weights(
    properties: Iterable[Property], numbers: Iterator[tuple[int, int]], levels: Sequence[Mapping[str, Strength]]
) -> tuple[Property, ...]:
    """The properties of one construction, each with the next pair of weight and cost; one that has them is shared.

    `levels` are the strengths that the construction and the grammar state for whole relations, the nearest first: what
    they give anyway is not stated at the property, so that it is printed as a person would write it.
    """
    names = {name for level in levels for name in level}
    usual = {name: _usual([level[name] for level in levels if name in level]) for name in names}
    changed = []
    for prop, (weight, cost) in zip(properties, numbers, strict=False):
        if weight == prop.weight and cost == prop.cost:
            changed.append(prop)
            continue
        usual_weight, usual_cost = usual.get(prop.relation, (UNIT, None))
        stated = Strength(
            None if weight == usual_weight else weight,
            None if cost == (weight if usual_cost is None else usual_cost) else cost,
            prop.stated.hard,
        )
        what = prop.construction, prop.relation, prop.operands, prop.features
        changed.append(Property(*what, weight, cost, prop.hard, stated, prop.span))
    return tuple(changed)


def _usual(levels: Sequence[Strength]) -> tuple[int, int | None]:
    """The weight and the cost of a property that states none; its cost is its weight where no level states one."""
    weight = next((each.weight for each in levels if each.weight is not None), UNIT)
    return weight, next((each.cost for each in levels if each.cost is not None), None)
