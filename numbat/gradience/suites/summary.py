"""What a whole suite says of a model: statistics against people beside trivial baselines, phenomena, residuals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Final

from numbat.errors import DataError
from numbat.gradience.suites import statistics
from numbat.gradience.suites.bootstrap import Estimate, estimate
from numbat.gradience.suites.cautions import cautions
from numbat.gradience.suites.independence import name_of_units, units_of
from numbat.gradience.suites.known_words import another_grammar
from numbat.gradience.suites.predictors import (
    PredictorStatistics,
    main_statistic,
    pair_accuracy,
    split,
    statistics_of,
)
from numbat.gradience.suites.ratings import Ceiling, split_half
from numbat.gradience.suites.scored_items import Predictor, ScoredItem, comparable, predicted, ratings_of
from numbat.gradience.suites.suite import Suite
from numbat.records import frozen

MOST_RESIDUALS: Final = 20
RESAMPLES_OF_A_PHENOMENON: Final = 200


@frozen
class Phenomenon:
    """The items of one phenomenon: their number, mean rating and score, and the main statistic within them."""

    name: str
    number: int
    rating: float | None
    score: float | None
    estimate: Estimate


@frozen
class Residual:
    """An item that people rank higher (above 0) or lower than the model does; ranks scaled to 0 ... 1."""

    scored: ScoredItem
    value: float


@frozen
class RelationCounts:
    """How often the properties of a relation in a construction were satisfied and violated."""

    construction: str
    relation: str
    satisfied: int
    violated: int


@frozen
class Experiment:
    """A suite under a model. `main` names the statistic that suits the suite, `units` what intervals draw anew;
    `notes` say what to beware of.

    `grammar` is the title of the grammar; `others` are what the model is compared with, by name. `ceiling` is how well
    half of the people predicts all of them, where there are several ratings of each item.
    """

    suite: Suite
    grammar: str
    model: str
    weights: str
    items: tuple[ScoredItem, ...]
    main: str
    lines: tuple[PredictorStatistics, ...]
    phenomena: tuple[Phenomenon, ...]
    residuals: tuple[Residual, ...]
    tallies: tuple[RelationCounts, ...]
    curve: tuple[tuple[float, float], ...]
    notes: tuple[str, ...]
    units: str
    others: tuple[tuple[str, Predictor], ...] = ()
    ceiling: Ceiling | None = None

    @property
    def full(self) -> int:
        return sum(each.parse.is_full for each in self.items)

    @property
    def well_formed(self) -> int:
        return sum(each.parse.is_well_formed for each in self.items)

    @property
    def foremost(self) -> tuple[str, ...]:
        """What is said before all else: that the grammar may be another one than was meant."""
        found = another_grammar([each.parse for each in self.items], self.items[0].parse.grammar)
        return (found,) if found else ()

    @property
    def stopped(self) -> int:
        return sum(each.parse.stopped_by is not None for each in self.items)


def summarize(
    suite: Suite,
    items: Sequence[ScoredItem],
    grammar: str,
    model: str,
    weights: str,
    seed: int = 0,
    others: Mapping[str, Predictor] | None = None,
) -> Experiment:
    """All that a report says of the scored items of a suite; `others` are what to compare the model with.

    Raises DataError where there is no item.
    """
    if not items:
        raise DataError(f"{suite.path}: no items\n  a report needs one sentence at least")
    compared = comparable(items)
    main = main_statistic(suite)
    lines = statistics_of(model, items, suite, seed, others or {})
    good, _ = split(compared)
    return Experiment(
        suite,
        grammar,
        model,
        weights,
        tuple(items),
        main,
        lines,
        _phenomena(items, suite, main, seed),
        _largest(residuals(compared)),
        _tallies(items),
        tuple(statistics.roc([predicted(each) for each in compared], good)),
        tuple(cautions(suite, items, compared)),
        name_of_units([each.item for each in compared]),
        tuple((others or {}).items()),
        split_half([each.item for each in compared], seed),
    )


def _phenomena(items: Sequence[ScoredItem], suite: Suite, main: str, seed: int) -> tuple[Phenomenon, ...]:
    by_name: dict[str, list[ScoredItem]] = {}
    for each in items:
        by_name.setdefault(each.item.phenomenon, []).append(each)
    if set(by_name) == {""}:
        return ()
    return tuple(_phenomenon(name, group, suite, main, seed) for name, group in sorted(by_name.items()))


def _phenomenon(name: str, group: Sequence[ScoredItem], suite: Suite, main: str, seed: int) -> Phenomenon:
    compared = comparable(group)
    scores = [predicted(each) for each in compared]
    ratings = ratings_of(compared)
    resamples, units = RESAMPLES_OF_A_PHENOMENON, units_of([each.item for each in compared])
    if main == "pair accuracy":
        found = pair_accuracy(predicted, group, suite, seed, resamples)
    elif main == "AUC":
        found = estimate(statistics.auc, scores, ratings, seed, resamples, units)
    else:
        found = estimate(statistics.spearman, scores, ratings, seed, resamples, units)
    values = [each.value for each in group if each.value is not None]
    mean_rating = fmean(ratings) if ratings else None
    return Phenomenon(name or "(none)", len(group), mean_rating, fmean(values) if values else None, found)


def residuals(compared: Sequence[ScoredItem]) -> list[Residual]:
    """By how much the rank of the rating of each item is above that of its score, as a share of all: what people say
    less what the model says."""
    scores = statistics.ranks([predicted(each) for each in compared])
    ratings = statistics.ranks(ratings_of(compared))
    both = zip(compared, scores, ratings, strict=True)
    return [Residual(each, (rating - score) / len(compared)) for each, score, rating in both]


def _largest(found: Iterable[Residual]) -> tuple[Residual, ...]:
    """Those of the items on which the ranks of score and rating differ most."""
    return tuple(sorted((each for each in found if each.value), key=lambda each: -abs(each.value))[:MOST_RESIDUALS])


def _tallies(items: Sequence[ScoredItem]) -> tuple[RelationCounts, ...]:
    counts = Counter(
        (each.property.construction, each.property.relation, each.satisfied)
        for scored in items
        for each in scored.parse.evaluated
    )
    keys = sorted({(construction, relation) for construction, relation, _ in counts})
    return tuple(RelationCounts(c, r, counts[c, r, True], counts[c, r, False]) for c, r in keys)
