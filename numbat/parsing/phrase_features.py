"""Where the features of a phrase come from (ruling 10): its head, then the rules of its construction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from numbat.grammar.features import Bundle, value_of
from numbat.grammar.model import Construction, Operand
from numbat.parsing.chart import Assignment


def features_of(construction: Construction, assignment: Assignment) -> Bundle:
    """The features of a phrase: its head's, then what the construction's rules say (ruling 10)."""

    def first(operand: Operand) -> Bundle | None:
        found = (c.features for c in assignment if operand.matches(c.construction, c.features))
        return next(found, None)

    return phrase_features(construction, first)


def phrase_features(construction: Construction, first: Callable[[Operand], Bundle | None]) -> Bundle:
    """The features of a phrase, given the features of the leftmost daughter that is an operand, None where none is.

    The first rule of a feature that applies decides; where none does, the feature stays as the head has it.
    """
    heads = (found for operand in heads_of(construction) if (found := first(operand)) is not None)
    bundle = dict(next(heads, ()))
    if construction.inherit is not None:
        bundle = {feature: value for feature, value in bundle.items() if feature in construction.inherit}
    settled: set[str] = set()
    for rule in construction.feature_rules:
        if rule.feature in settled:
            continue
        value = rule.value
        if rule.condition is not None and (first(rule.condition) is None) != rule.absent:
            value = None
        if rule.sources:
            sources = (value_of(found, rule.feature) for o in rule.sources if (found := first(o)) is not None)
            value = next(filter(None, sources), None)
        if value is not None:
            bundle[rule.feature] = value
            settled.add(rule.feature)
    return tuple(sorted(bundle.items()))


def heads_of(construction: Construction) -> tuple[Operand, ...]:
    """Who may be head, first choice first: what the construction names, else its obligation operands."""
    return construction.head or tuple(
        joint[0]
        for prop in construction.properties
        if prop.relation == "obligation"
        for joint in prop.operands[0]
        if len(joint) == 1
    )


@dataclass(frozen=True, slots=True)
class Decider:
    """An operand on whose first match features of the phrase depend, and the features that matter (None: all)."""

    operand: Operand
    features: frozenset[str] | None

    def noted(self, bundle: Bundle) -> Bundle:
        return bundle if self.features is None else tuple(pair for pair in bundle if pair[0] in self.features)


def deciders(construction: Construction) -> tuple[tuple[Decider, ...], int]:
    """What decides the features of a phrase, heads first, and how many of them matter only as heads."""
    inherited = None if construction.inherit is None else frozenset(construction.inherit)
    wanted: dict[Operand, frozenset[str] | None] = {}
    for rule in construction.feature_rules:
        for operand in rule.sources:
            wanted[operand] = (wanted.get(operand) or frozenset()) | {rule.feature}
        if rule.condition is not None:
            wanted.setdefault(rule.condition, frozenset())
    heads = dict.fromkeys(heads_of(construction))
    for operand in heads:
        if operand in wanted:
            wanted[operand] = None if inherited is None else (wanted[operand] or frozenset()) | inherited
    only_heads = [operand for operand in heads if operand not in wanted]
    if len(only_heads) < len(heads):
        return tuple(Decider(o, f) for o, f in (dict.fromkeys(only_heads, inherited) | wanted).items()), 0
    return (*(Decider(o, inherited) for o in heads), *(Decider(o, f) for o, f in wanted.items())), len(heads)
