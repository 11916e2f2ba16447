"""Features of phrases (ruling 10): inherited from the head, then set by the rules of the construction.

If the grammar declares marks, `before` and `after` come from the first and the last daughter instead (ruling 49).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import takewhile
from typing import NamedTuple

from numbat.evaluation.constituents import Assignment, Constituent
from numbat.grammar.marks import AFTER, BEFORE, with_marks, without_marks
from numbat.grammar.model import Construction
from numbat.grammar.properties import Bundle, Operand, value_of
from numbat.records import frozen

Contributions = tuple[tuple[int, Bundle], ...]
"""Sources of a phrase's features: indexes of the contributors matched, each with the features of its first match."""

Shape = tuple[tuple[int, tuple[str, ...]], ...]
"""Contributions without values: indexes of the contributors matched, each with the names of its features."""


class Contributor(NamedTuple):
    """An operand whose first match affects the features of the phrase, and the relevant features (None: all).

    With `leaves_marks`, these are all but those of marks.
    """

    operand: Operand
    features: frozenset[str] | None
    leaves_marks: bool = False

    def contribution(self, bundle: Bundle) -> Bundle:
        if self.features is None:
            return without_marks(bundle) if self.leaves_marks else bundle
        return tuple([pair for pair in bundle if pair[0] in self.features])


class Rule(NamedTuple):
    """A `FeatureRule` whose operands are indexes of contributors; True in a condition means that it must be absent."""

    feature: str
    value: str | None
    conditions: tuple[tuple[int, bool], ...]
    sources: tuple[int, ...]


@frozen
class Origins:
    """Sources of the features of a construction's phrases.

    `heads` are the indexes of the possible heads among the `contributors`, first choice first. `inherit` names the
    features inherited from the head (None: all). `rules_at` has, for each contributor, the indexes of the rules that
    refer to it; its last item has the rules that refer to no contributor. `rules_without` are the indexes of the rules
    that may apply if no contributor is matched. `has_marks`: the grammar declares marks.
    """

    contributors: tuple[Contributor, ...]
    heads: tuple[int, ...]
    inherit: tuple[str, ...] | None
    rules: tuple[Rule, ...]
    rules_at: tuple[tuple[int, ...], ...]
    rules_without: tuple[int, ...]
    has_marks: bool = False

    def features(self, contributions: Mapping[int, Bundle]) -> Bundle:
        """Return the features of a phrase, given the features of the leftmost match of each contributor.

        Those of marks are not among them; `beside` adds them.

        The first applicable rule for a feature decides; without one, the feature is inherited from the head.
        """
        bundle = dict(next((contributions[place] for place in self.heads if place in contributions), ()))
        if self.inherit is not None:
            bundle = {feature: value for feature, value in bundle.items() if feature in self.inherit}
        settled: set[str] = set()
        applying = {*self.rules_without, *(i for place in contributions for i in self.rules_at[place])}
        for i in sorted(applying):
            feature, value, conditions, sources = self.rules[i]
            if feature in settled or not all((place in contributions) != absent for place, absent in conditions):
                continue
            if sources:
                bundles = (contributions.get(place, ()) for place in sources)
                value = next(filter(None, (value_of(source, feature) for source in bundles)), None)
            if value is not None:
                bundle[feature] = value
                settled.add(feature)
        made = tuple(sorted(bundle.items()))
        return without_marks(made) if self.has_marks else made

    def beside(self, features: Bundle, assignment: Assignment) -> Bundle:
        """Return features of a phrase with those of the marks beside its first and its last word."""
        if not self.has_marks:
            return features
        last = max(assignment, key=_end)
        return with_marks(features, value_of(assignment[0].features, BEFORE), value_of(last.features, AFTER))

    def awaited(self, shape: Shape) -> frozenset[int]:
        """Return the indexes of the contributors that have not been matched and may still decide a feature."""
        had = dict(shape)
        needed, _ = self._asked(had, range(len(self.rules)))
        heads = takewhile(lambda place: place not in had, self.heads)
        return frozenset({*needed, *heads}.difference(had))

    def deciding(self, shape: Shape) -> dict[int, set[str]]:
        """Return, for each contributor, its features that may decide those of the phrase, depending on what follows.

        All other features are superseded by an earlier rule for the same feature, or by a better head.
        """
        had = dict(shape)
        needed, settled = self._asked(had, sorted({i for place in (-1, *had) for i in self.rules_at[place]}))
        head = next((place for place in self.heads if place in had), None)
        if head is not None:
            needed.setdefault(head, set()).update(set(had[head]) - settled)
        return needed

    def _asked(self, had: Mapping[int, tuple[str, ...]], rules: Iterable[int]) -> tuple[dict[int, set[str]], set[str]]:
        """Return the contributors that these rules need, each with the features needed; then the features settled."""
        needed: dict[int, set[str]] = {}
        settled: set[str] = set()
        for i in rules:
            feature, value, conditions, sources = self.rules[i]
            if feature in settled:
                continue
            is_met = all(place in had and not absent for place, absent in conditions)
            has_value = value is not None
            for place, _ in conditions:
                needed.setdefault(place, set())
            for place in sources:
                needed.setdefault(place, set()).add(feature)
                if feature in had.get(place, ()):
                    has_value = True
                    break
            if is_met and has_value:
                settled.add(feature)
        return needed, settled


def shape_of(contributions: Contributions) -> Shape:
    """Return contributions without their values (`Shape`)."""
    return tuple([(place, tuple([feature for feature, _ in bundle])) for place, bundle in contributions])


def still_deciding(contributions: Contributions, deciding: Mapping[int, Collection[str]]) -> Contributions:
    """Return the contributions without those that can no longer decide a feature."""
    return tuple(
        [
            (p, tuple([pair for pair in bundle if pair[0] in deciding[p]]))
            for p, bundle in contributions
            if p in deciding
        ]
    )


def features_of(origins: Origins, assignment: Assignment) -> Bundle:
    """Return the features of a phrase over an assignment: those of its head, changed by rules (ruling 10)."""
    contributions: dict[int, Bundle] = {}
    for place, (operand, _, _) in enumerate(origins.contributors):
        features = next((c.features for c in assignment if operand.matches(c.construction, c.features)), None)
        if features is not None:
            contributions[place] = features
    return origins.beside(origins.features(contributions), assignment)


def _end(constituent: Constituent) -> int:
    return constituent.end


def origins_of(construction: Construction, has_marks: bool = False) -> Origins:
    """Return the sources of the features of a construction's phrases."""
    heads = construction.heads
    contributors = _contributors(construction, heads, has_marks)
    places = {contributor.operand: place for place, contributor in enumerate(contributors)}
    rules = [
        Rule(
            rule.feature,
            rule.value,
            tuple([(places[occurrence.operand], occurrence.absent) for occurrence in rule.conditions]),
            tuple([places[operand] for operand in rule.sources]),
        )
        for rule in construction.feature_rules
    ]
    rules_at: list[list[int]] = [[] for _ in (*contributors, None)]
    for i, rule in enumerate(rules):
        for place in {*(place for place, _ in rule.conditions), *rule.sources} or {-1}:
            rules_at[place].append(i)
    of_heads = tuple([places[head] for head in heads])
    without = tuple(
        [i for i, rule in enumerate(rules) if not rule.sources and all(absent for _, absent in rule.conditions)]
    )
    at = tuple(map(tuple, rules_at))
    return Origins(contributors, of_heads, construction.inherit, tuple(rules), at, without, has_marks)


def _contributors(construction: Construction, heads: tuple[Operand, ...], has_marks: bool) -> tuple[Contributor, ...]:
    """Return the operands that affect the features of a phrase."""
    inherited = None if construction.inherit is None else frozenset(construction.inherit)
    wanted: dict[Operand, frozenset[str] | None] = {}
    for rule in construction.feature_rules:
        for operand in rule.sources:
            wanted[operand] = (wanted.get(operand) or frozenset()) | {rule.feature}
        for condition in rule.conditions:
            wanted.setdefault(condition.operand, frozenset())
    for operand in heads:
        wanted[operand] = None if inherited is None else (wanted.get(operand) or frozenset()) | inherited
    return tuple([Contributor(operand, features, has_marks) for operand, features in wanted.items()])
