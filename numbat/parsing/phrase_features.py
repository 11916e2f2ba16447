"""Where the features of a phrase come from (ruling 10): its head, then the rules of its construction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from numbat.grammar.features import Bundle, value_of
from numbat.grammar.model import Construction, Operand
from numbat.parsing.chart import Assignment


class Decider(NamedTuple):
    """An operand on whose first match features of the phrase depend, and the features that matter (None: all)."""

    operand: Operand
    features: frozenset[str] | None

    def noted(self, bundle: Bundle) -> Bundle:
        return bundle if self.features is None else tuple([pair for pair in bundle if pair[0] in self.features])


class Rule(NamedTuple):
    """A `FeatureRule`, its operands by their places among the deciders."""

    feature: str
    value: str | None
    condition: int | None
    absent: bool
    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Origins:
    """Where the features of the phrases of a construction come from.

    `deciders` are asked for by their places; the first `only_heads` of them matter as heads only. `heads` are the
    places of those who may be head, first choice first.
    """

    deciders: tuple[Decider, ...]
    only_heads: int
    heads: tuple[int, ...]
    inherit: tuple[str, ...] | None
    rules: tuple[Rule, ...]

    def features(self, firsts: Sequence[Bundle | None]) -> Bundle:
        """The features of a phrase, by those of the leftmost daughter that is each decider, None where none is.

        The first rule of a feature that applies decides; where none does, the feature stays as the head has it.
        """
        bundle = dict(next((found for place in self.heads if (found := firsts[place]) is not None), ()))
        if self.inherit is not None:
            bundle = {feature: value for feature, value in bundle.items() if feature in self.inherit}
        settled: set[str] = set()
        for feature, value, condition, absent, sources in self.rules:
            if feature in settled:
                continue
            if condition is not None and (firsts[condition] is None) != absent:
                value = None
            if sources:
                found_in = (firsts[place] for place in sources)
                value = next(filter(None, (value_of(found or (), feature) for found in found_in)), None)
            if value is not None:
                bundle[feature] = value
                settled.add(feature)
        return tuple(sorted(bundle.items()))


def features_of(origins: Origins, assignment: Assignment) -> Bundle:
    """The features of a phrase over an assignment: its head's, then what the construction's rules say (ruling 10)."""
    return origins.features([_first(decider.operand, assignment) for decider in origins.deciders])


def _first(operand: Operand, assignment: Assignment) -> Bundle | None:
    return next((c.features for c in assignment if operand.matches(c.construction, c.features)), None)


def origins_of(construction: Construction) -> Origins:
    """Where the features of the phrases of a construction come from."""
    heads = tuple(dict.fromkeys(_heads(construction)))
    deciders, only_heads = _deciders(construction, heads)
    places = {decider.operand: place for place, decider in enumerate(deciders)}
    rules = [
        Rule(
            rule.feature,
            rule.value,
            None if rule.condition is None else places[rule.condition],
            rule.absent,
            tuple([places[operand] for operand in rule.sources]),
        )
        for rule in construction.feature_rules
    ]
    return Origins(deciders, only_heads, tuple([places[head] for head in heads]), construction.inherit, tuple(rules))


def _heads(construction: Construction) -> Iterable[Operand]:
    """Who may be head, first choice first: what the construction names, else its obligation operands."""
    return construction.head or (
        joint[0]
        for prop in construction.properties
        if prop.relation == "obligation"
        for joint in prop.operands[0]
        if len(joint) == 1
    )


def _deciders(construction: Construction, heads: tuple[Operand, ...]) -> tuple[tuple[Decider, ...], int]:
    """What decides the features of a phrase, and how many of these, the first, matter only as heads."""
    inherited = None if construction.inherit is None else frozenset(construction.inherit)
    wanted: dict[Operand, frozenset[str] | None] = {}
    for rule in construction.feature_rules:
        for operand in rule.sources:
            wanted[operand] = (wanted.get(operand) or frozenset()) | {rule.feature}
        if rule.condition is not None:
            wanted.setdefault(rule.condition, frozenset())
    for operand in heads:
        if operand in wanted:
            wanted[operand] = None if inherited is None else (wanted[operand] or frozenset()) | inherited
    only_heads = [operand for operand in heads if operand not in wanted]
    if len(only_heads) < len(heads):
        return tuple(Decider(o, f) for o, f in (dict.fromkeys(only_heads, inherited) | wanted).items()), 0
    return (*(Decider(o, inherited) for o in heads), *(Decider(o, f) for o, f in wanted.items())), len(heads)
