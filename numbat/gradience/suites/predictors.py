"""What predicts people's judgements: models, and trivial baselines that they have to beat, each with its statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Final

from numbat.gradience.models.scores import Scorer
from numbat.gradience.suites import statistics
from numbat.gradience.suites.bootstrap import RESAMPLES, Estimate, estimate
from numbat.gradience.suites.independence import units_of
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
from numbat.records import frozen

BASELINES: Final[dict[str, Predictor]] = {
    "length": lambda each: -float(each.length),
    "unknown words": lambda each: -float(each.unknown),
}
"""What a model has to beat: the shorter the better, the fewer unknown words the better."""

CORRELATIONS: Final[dict[str, Statistic]] = {
    "pearson": statistics.pearson,
    "spearman": statistics.spearman,
    "kendall": statistics.kendall,
}
COSTS: Final = ("cost", "margin")
"""The models whose scores are minus a cost, which has no ceiling."""
BOUNDED: Final = "{}, as 1/(1 + cost)"


@frozen
class PredictorStatistics:
    """The statistics of one predictor, a model or a trivial baseline, by name."""

    predictor: str
    statistics: dict[str, Estimate]
    is_baseline: bool = False


def statistics_of(
    model: str, items: Sequence[ScoredItem], suite: Suite, seed: int, others: Mapping[str, Predictor]
) -> tuple[PredictorStatistics, ...]:
    """The statistics of the scores of the items, of other models, and of the baselines, in this order."""
    predictors: dict[str, Predictor] = {model: predicted, **{k: v for k, v in others.items() if k != model}}
    found = []
    for name, predictor in predictors.items():
        found.append(PredictorStatistics(name, _statistics(predictor, items, suite, seed)))
        if name in COSTS:
            found.append(_bounded(name, predictor, found[-1].statistics, items, seed))
    baselines = ((name, _statistics(predictor, items, suite, seed)) for name, predictor in BASELINES.items())
    return (*found, *(PredictorStatistics(name, estimates, is_baseline=True) for name, estimates in baselines))


def predictor_of(scorer: Scorer) -> Predictor:
    """A model as a function of scored items."""
    return lambda each: scorer(each.parse).value


def bounded(predictor: Predictor) -> Predictor:
    """Of minus a cost 1/(1 + cost): 1 where nothing is violated, and near 0 for all costs that are large."""
    return lambda each: 1 / (1 + max(0.0, -predictor(each)))


def _bounded(
    name: str, predictor: Predictor, own: dict[str, Estimate], items: Sequence[ScoredItem], seed: int
) -> PredictorStatistics:
    """The statistics of a cost in its bounded form: Pearson's correlation is another one, for the order is the same."""
    compared = comparable(items)
    scores = [*map(bounded(predictor), compared)]
    units = units_of([each.item for each in compared])
    pearson = estimate(statistics.pearson, scores, ratings_of(compared), seed, units=units)
    return PredictorStatistics(BOUNDED.format(name), {**own, "pearson": pearson})


def main_statistic(suite: Suite) -> str:
    """Pair accuracy for minimal pairs, AUC for signs, Spearman's correlation for ratings."""
    if suite.pairs:
        return "pair accuracy"
    return "AUC" if {0.0, 1.0} == {item.rating for item in suite.rated} else "spearman"


def split(compared: Sequence[ScoredItem]) -> tuple[list[float], str]:
    """Good items as 1 and bad ones as 0, and the words for those that count as good.

    By the signs if all are plainly good or bad, else above the median rating, which then is the best split there is.
    """
    ratings = ratings_of(compared)
    if set(ratings) <= {0.0, 1.0}:
        return ratings, "good sentences"
    middle = median(ratings)
    above = middle if middle < max(ratings) else max((r for r in ratings if r < middle), default=middle)
    return [float(rating > above) for rating in ratings], f"sentences rated above {above:g}"


def _statistics(predictor: Predictor, items: Sequence[ScoredItem], suite: Suite, seed: int) -> dict[str, Estimate]:
    compared = comparable(items)
    scores = [predictor(each) for each in compared]
    ratings, units = ratings_of(compared), units_of([each.item for each in compared])
    found = {name: estimate(statistic, scores, ratings, seed, units=units) for name, statistic in CORRELATIONS.items()}
    found["AUC"] = estimate(statistics.auc, scores, split(compared)[0] if compared else [], seed, units=units)
    if suite.pairs:
        found["pair accuracy"] = pair_accuracy(predictor, items, suite, seed)
    return found


def pair_accuracy(
    predictor: Predictor, items: Sequence[ScoredItem], suite: Suite, seed: int, resamples: int = RESAMPLES
) -> Estimate:
    """The accuracy of the minimal pairs among the items; pairs of one group are drawn together."""
    both = score_pairs(items, suite, predictor)
    units = units_of([better for better, _ in scored_pairs(items, suite)])
    return estimate(statistics.pair_accuracy, [p[0] for p in both], [p[1] for p in both], seed, resamples, units)
