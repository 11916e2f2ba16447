"""What JSON, rows and graph say of constituents and property instances, by the same names and numbers.

Token positions count from 0, ends are exclusive. Constituents are numbered from 0 as `Constituent.walk` meets them.
"""

from __future__ import annotations

from typing import Any

from numbat.grammar.model import Grammar, remembered
from numbat.grammar.properties import UNIT, format_property
from numbat.parsing.analysis import Analysis, Evaluated


def number(units: int) -> int | float:
    """Fixed-point units as a number for other programs, whole where it can be."""
    return units // UNIT if units % UNIT == 0 else units / UNIT


def constituent_numbers(analysis: Analysis) -> dict[int, int]:
    """The number of each constituent by its identity, for hashing one by value would walk all of its tree."""
    return {id(constituent): i for i, constituent in enumerate(analysis.walk())}


@remembered
def _notations(grammar: Grammar) -> dict[int, str]:
    """The properties of a grammar in its notation, by identity, as far as they were asked for."""
    return {}


def instance_fields(evaluated: Evaluated, numbers: dict[int, int], grammar: Grammar) -> dict[str, Any]:
    """What is said of a property instance: its property, its constituent and elements by number, costs, place."""
    prop = evaluated.property
    notations = _notations(grammar)
    notation = notations.get(id(prop)) or notations.setdefault(id(prop), format_property(prop))
    spoken_of = evaluated.elements or (evaluated.constituent,)
    return {
        "relation": prop.relation,
        "property": notation,
        "construction": prop.construction,
        "constituent": numbers[id(evaluated.constituent)],
        "start": min(element.start for element in spoken_of),
        "end": max(element.end for element in spoken_of),
        "elements": [numbers[id(element)] for element in evaluated.elements],
        "cost": number(prop.cost),
        "weight": number(prop.weight),
        "hard": prop.hard,
        "place": prop.place,
    }
