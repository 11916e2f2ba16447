"""The small grammar cut down to the size that the asked figures are of: 6 constructions and 63 properties."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from numbat.grammar.model import Construction, Grammar
from numbat.grammar.properties import Property

LEFT_OUT: Final = {"GenP", "InfP", "Co", "Gen", "To", "Conj"}
"""Possessives, infinitives and coordination."""
FEATURES_LEFT_OUT: Final = {"form", "case"}
COST: Final = 5
"""Cost of a violation under `net`; the weight of a satisfied property is 1."""


def of_six_constructions(starter: Grammar) -> Grammar:
    """starter.pg without possessives, infinitives, coordination, verb forms and case. Violations cost five times as
    much, because with cheap violations `net` would put all words into one constituent."""
    return replace(
        starter,
        constructions=tuple([_cut(each) for each in starter.constructions if each.name not in LEFT_OUT]),
        fragment_cost_units=COST * starter.fragment_cost_units,
    )


def _cut(construction: Construction) -> Construction:
    kept = [replace(prop, cost_units=COST * prop.cost_units) for prop in construction.properties if _is_kept(prop)]
    return replace(construction, properties=tuple(kept))


def _is_kept(prop: Property) -> bool:
    named = {feature for operand in prop.all_operands() for feature, _ in operand.features}
    return not (named & FEATURES_LEFT_OUT or {operand.category for operand in prop.all_operands()} & LEFT_OUT)
