"""How much better a model does than something else: a baseline, another model, a regression on what is trivial.

What it is compared with makes no claim about a direction: it is taken by its absolute value, that is turned round where
that does better.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from numbat.gradience.suites import statistics
from numbat.gradience.suites.bootstrap import RESAMPLES, Estimate, Units, difference
from numbat.gradience.suites.independence import units_of
from numbat.gradience.suites.predictors import BASELINES, CORRELATIONS, main_statistic, split
from numbat.gradience.suites.scored_items import (
    Predictor,
    ScoredItem,
    comparable,
    predicted,
    ratings_of,
    score_pairs,
    scored_pairs,
)
from numbat.gradience.suites.statistics import Statistic
from numbat.gradience.suites.suite import Suite

GAINS: Final = ("pearson", "spearman")
RESAMPLES_BESIDE_LENGTH: Final = 200
FEWEST_BESIDE_LENGTH: Final = 10
"""With fewer items nothing is said of whether a model is better than length."""


class Columns(NamedTuple):
    """A statistic with what it is taken of: scores, ratings, and the unit of each. A pair counts as one row: its score
    is 1 if it is won, .5 if tied, 0 if lost."""

    statistic: Statistic
    scores: Sequence[float]
    ratings: Sequence[float]
    units: Units

    def over(self, other: Sequence[float], seed: int = 0, resamples: int = RESAMPLES) -> Estimate:
        """How much better the scores do than other ones, which are turned round where that is better."""
        found = turned_round(self.statistic, other, self.ratings)
        return difference(self.statistic, self.scores, found, self.ratings, seed, self.units, resamples)


def main_columns(items: Sequence[ScoredItem], suite: Suite, predictor: Predictor = predicted) -> Columns:
    """The statistic that suits the suite, and what it is taken of."""
    main = main_statistic(suite)
    if main == "pair accuracy":
        both = score_pairs(items, suite, predictor)
        ends = [1.0 if good > bad else 0.5 if good == bad else 0.0 for good, bad in both]
        return Columns(statistics.mean, ends, ends, units_of([better for better, _ in scored_pairs(items, suite)]))
    return _columns("AUC" if main == "AUC" else "spearman", items, predictor)


def _columns(name: str, items: Sequence[ScoredItem], predictor: Predictor = predicted) -> Columns:
    compared = comparable(items)
    scores, units = [predictor(each) for each in compared], units_of([each.item for each in compared])
    if name == "AUC":
        return Columns(statistics.auc, scores, split(compared)[0] if compared else [], units)
    return Columns(CORRELATIONS[name], scores, ratings_of(compared), units)


def gains(items: Sequence[ScoredItem], main: str, other: Predictor, seed: int = 0) -> dict[str, Estimate]:
    """How much better the scores of items do than others, by paired resamples: correlations of ratings, AUC of signs
    and pairs."""
    names = GAINS if main == "spearman" else ("AUC",)
    return {name: _columns(name, items).over(_columns(name, items, other).scores, seed) for name in names}


def turned_round(statistic: Statistic, scores: Sequence[float], ratings: Sequence[float]) -> Sequence[float]:
    """The scores as they are, or as they are the other way round where that does better by the statistic."""
    value = statistic(scores, ratings)
    if statistic is statistics.mean:
        return [1 - each for each in scores] if value is not None and value < 0.5 else scores
    chance = 0.5 if statistic is statistics.auc else 0.0
    return [-each for each in scores] if value is not None and value < chance else scores


def is_better(found: Estimate) -> bool:
    """Whether a difference is above 0, with all of its interval."""
    return found.low is not None and found.low > 0


def notes_on_models(
    model: str, items: Sequence[ScoredItem], suite: Suite, others: Mapping[str, Predictor], seed: int
) -> Iterator[str]:
    """What to beware of in the figures of models: those that are not better than length, and that one of many was
    chosen by them."""
    predictors = {model: predicted, **others}
    if not suite.rated and not suite.pairs:
        return
    if len(predictors) > 2:
        yield (
            f"{len(predictors)} models are judged on the same sentences: the best of them is chosen by these figures, "
            "and will do less well on other sentences; choose it on one half and report it on the other"
        )
    length = main_columns(items, suite, BASELINES["length"]).scores
    if len(length) < FEWEST_BESIDE_LENGTH:
        return
    not_better = []
    for name, predictor in predictors.items():
        columns = main_columns(items, suite, predictor)
        found = columns.over(length, seed, RESAMPLES_BESIDE_LENGTH)
        if found.value is not None and not is_better(found):
            not_better.append(name)
    if not_better:
        yield (
            f"not better than the length of the sentences, by {main_statistic(suite)} (the 95 % interval of the "
            f"difference is not above 0): {', '.join(not_better)}"
        )
