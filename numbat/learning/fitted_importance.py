"""What the relations of a fitted model matter on a suite: its statistic without what their instances add to the scores.

A relation adds by the terms of its own and by its share in the sums over all relations: `violated` is a sum of
`violated linearity`, `violated obligation` and so on, and so is the cost of a parse.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import fsum
from statistics import pstdev
from typing import Final, NamedTuple

from numbat.gradience.fitting import Fitted
from numbat.gradience.suite import Suite, units_of
from numbat.gradience.summary import main_statistic
from numbat.gradience.terms import ALL_RELATIONS, TermGroup, Terms, grouped
from numbat.gradience.verdicts import ScoredItem
from numbat.grammar.properties import UNIT
from numbat.learning.importance import Importance, Outcome, Part, Statistic, auc, importance, mean, pearson

WEIGHT: Final = "the standard deviation of what the part adds to the scores here, in points of rating"
LEFT_OUT: Final = (
    "the part's terms at their means, and a relation's share in the sums over all relations at the mean of that; "
    "nothing is fitted anew"
)
COUNTED: Final = ("satisfied", "violated")
"""The sums whose shares by relation are terms themselves."""


def fitted_importance(
    model: Fitted, suite: Suite, items: Sequence[ScoredItem], terms: Sequence[Terms], seed: int = 0
) -> Importance:
    """Measure what each relation matters by the statistic that suits the suite: accuracy of pairs, AUC of signs, else
    Pearson's correlation with the ratings.

    `terms` are those of the items. Items of one group or one pair are drawn together. The parts are groups of
    terms; `all relations` has everything that counts instances of properties or their costs.
    """
    measure, scores = _measure(suite, items), _Scores(model, items, terms)
    parts = []
    for group, places in scores.groups.items():
        less = scores.without(group)
        weight = pstdev(map(float.__sub__, scores.whole, less)) if less else 0.0
        parts.append(Part(str(group), weight, len(places), measure.outcomes(less)))
    return importance(measure.name, measure.statistic, measure.outcomes(scores.whole), parts, measure.groups, seed)


class _Scores:
    """The scores of items, whole and without a group of terms."""

    def __init__(self, model: Fitted, items: Sequence[ScoredItem], terms: Sequence[Terms]) -> None:
        self._model, self._items, self._terms = model, items, terms
        self._added = [[f.weight * f.distance(row.get(f.name, 0.0)) for f in model.features] for row in terms]
        self.whole = [model.intercept + fsum(row) for row in self._added]
        found = grouped(feature.name for feature in model.features)
        self._sums = {group.grammar: places for group, places in found.items() if group.name == ALL_RELATIONS}
        self.groups = {group: places for group, places in found.items() if group.name != ALL_RELATIONS}
        for grammar in dict.fromkeys(group.grammar for group in found):
            of = [places for group, places in found.items() if group.grammar == grammar and _counts(group)]
            if of:
                self.groups[TermGroup(ALL_RELATIONS, grammar)] = [place for places in of for place in places]

    def without(self, group: TermGroup) -> list[float]:
        """The scores without what a group of terms adds."""
        added = [row.copy() for row in self._added]
        for place in self.groups[group]:
            for row in added:
                row[place] = 0.0
        for place in self._sums.get(group.grammar, ()) if group.is_relation else ():
            feature = self._model.features[place]
            shares = self._shares(feature.name, group)
            middle = fsum(shares) / max(1, len(shares))
            for row, terms, share in zip(added, self._terms, shares, strict=True):
                row[place] = feature.weight * feature.distance(terms.get(feature.name, 0.0) - share + middle)
        return [self._model.intercept + fsum(row) for row in added]

    def _shares(self, term: str, group: TermGroup) -> list[float]:
        """What a relation adds to a sum over all relations, for each item; costs of a second grammar have no shares."""
        for counted in COUNTED:
            if term == group.term(counted):
                return [row.get(f"{term} {group.name}", 0.0) for row in self._terms]
        if group.grammar:
            return [0.0] * len(self._items)
        costs = [_cost(each, group.name) for each in self._items]
        if term == "cost":
            return [cost / max(1, each.length) for cost, each in zip(costs, self._items, strict=True)]
        return costs


def _counts(group: TermGroup) -> bool:
    return group.is_relation or group.name == ALL_RELATIONS


def _cost(each: ScoredItem, relation: str) -> float:
    violated = (instance.property for instance in each.parse.violated)
    return sum(violation.cost for violation in violated if violation.relation == relation) / UNIT


class _Measure(NamedTuple):
    """A statistic with its name, the items or pairs that it is about, by their places, and the group of each."""

    name: str
    statistic: Statistic
    items: Sequence[tuple[int, ...]]
    groups: Sequence[Hashable]
    ratings: Sequence[float]

    def outcomes(self, scores: Sequence[float]) -> list[Outcome]:
        """What scores of all items come to: of a pair 1, ½ or 0, of an item its score and its rating."""
        if self.name == "pair accuracy":
            return [(_won(scores[better], scores[worse]),) for better, worse in self.items]
        return [(scores[place], self.ratings[place]) for (place,) in self.items]


def _won(better: float, worse: float) -> float:
    return 1.0 if better > worse else 0.5 if better == worse else 0.0


def _measure(suite: Suite, items: Sequence[ScoredItem]) -> _Measure:
    ratings = [each.item.rating or 0.0 for each in items]
    name = main_statistic(suite)
    if name == "pair accuracy":
        place = {each.item.id: i for i, each in enumerate(items)}
        pairs = [(place[a.id], place[b.id]) for a, b in suite.pairs if a.id in place and b.id in place]
        return _Measure(name, mean, pairs, units_of([items[better].item for better, _ in pairs]), ratings)
    rated = [i for i, each in enumerate(items) if each.item.rating is not None]
    name, statistic = (name, auc) if name == "AUC" else ("pearson", pearson)
    return _Measure(name, statistic, [(i,) for i in rated], units_of([items[i].item for i in rated]), ratings)
