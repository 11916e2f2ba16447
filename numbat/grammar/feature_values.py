"""Finds the features and values that constituents of each category may have, given a grammar's words and rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from numbat.grammar.cache import kinds_of
from numbat.grammar.marks import features_of
from numbat.grammar.model import Construction, FeatureRule, Grammar, Reading, remembered
from numbat.grammar.properties import Operand

Values = dict[str, set[str]]
"""The possible values of each feature that constituents of a category may have."""


@remembered
def possible_features(grammar: Grammar) -> dict[str, Values]:
    """Return the features that a constituent of each category may have, with their values.

    Leaves without words in the lexicon or guess rules are missing, because a tagger may give them any features.
    """
    given: dict[str, Values] = {construction.name: {} for construction in grammar.constructions}
    of_rules = ((word.category, word.features) for word in words_of_rules(grammar))
    for category, features in dict.fromkeys(chain(kinds_of(grammar.lexicon), of_rules)):
        _add(given.setdefault(category, {}), dict(features))
    every = {feature: set(values) for feature, values in grammar.features}
    before = -1
    while before != (before := sum(len(values) for features in given.values() for values in features.values())):
        for construction in grammar.constructions:
            for head in construction.heads:
                _add(given[construction.name], _inherited(construction, given.get(head.category, every)))
            for rule in construction.feature_rules:
                _add(given[construction.name], {rule.feature: _set_by(rule, given, every)})
    for values in given.values():
        _add(values, dict(features_of(name for name, _ in grammar.marks)))
    return given


def words_of_rules(grammar: Grammar) -> Iterator[Reading | Operand]:
    """Yield the readings that guess rules, name rules and spelling rules may give."""
    return chain(
        (reading for rule in (*grammar.guesses, *grammar.names) for reading in rule.readings),
        (operand for rule in grammar.spelling for operand in rule.operands),
    )


def _add(values: Values, more: Mapping[str, tuple[str, ...] | set[str]]) -> None:
    for feature, more_values in more.items():
        if more_values:
            values.setdefault(feature, set()).update(more_values)


def _inherited(construction: Construction, head: Values) -> Values:
    """Return the features that a phrase takes from a head with these values."""
    if construction.inherit is None:
        return head
    return {feature: values for feature, values in head.items() if feature in construction.inherit}


def _set_by(rule: FeatureRule, given: Mapping[str, Values], every: Values) -> set[str]:
    """Return the values that a rule of a construction can give to its feature."""
    if rule.value is not None:
        return {rule.value}
    return set().union(*(given.get(source.category, every).get(rule.feature, set()) for source in rule.sources))
