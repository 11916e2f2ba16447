"""What a whole suite says of a model: statistics against people beside trivial baselines, phenomena, residuals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Final

from numbat.errors import DataError
from numbat.gradience.models.scores import Scorer
from numbat.gradience.suites import statistics
from numbat.gradience.suites.scored_items import Predictor, ScoredItem, comparable, predicted, ratings_of, score_pairs
from numbat.gradience.suites.statistics import Estimate, Statistic, estimate
from numbat.gradience.suites.suite import Suite
from numbat.source import counted

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
GAINS: Final = ("pearson", "spearman")
MOST_RESIDUALS: Final = 20
RESAMPLES_OF_A_PHENOMENON: Final = 200


@dataclass(frozen=True, slots=True)
class PredictorStatistics:
    """The statistics of one predictor, a model or a trivial baseline, by name."""

    predictor: str
    statistics: dict[str, Estimate]
    is_baseline: bool = False


@dataclass(frozen=True, slots=True)
class Phenomenon:
    """The items of one phenomenon: their number, mean rating and score, and the main statistic within them."""

    name: str
    number: int
    rating: float | None
    score: float | None
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class Residual:
    """An item that the model ranks higher (above 0) or lower than people do; ranks scaled to 0 ... 1."""

    scored: ScoredItem
    value: float


@dataclass(frozen=True, slots=True)
class RelationCounts:
    """How often the properties of a relation in a construction were satisfied and violated."""

    construction: str
    relation: str
    satisfied: int
    violated: int


@dataclass(frozen=True, slots=True)
class Experiment:
    """A suite under a model. `main` names the statistic that suits the suite; `notes` say what to beware of."""

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

    @property
    def full(self) -> int:
        return sum(each.parse.is_full for each in self.items)

    @property
    def well_formed(self) -> int:
        return sum(each.parse.is_well_formed for each in self.items)

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
    others: Mapping[str, Scorer] | None = None,
) -> Experiment:
    """All that a report says of the scored items of a suite; `others` are models to compare the model with.

    Raises DataError where there is no item.
    """
    if not items:
        raise DataError(f"{suite.path}: no items\n  a report needs one sentence at least")
    compared = comparable(items)
    main = main_statistic(suite)
    predictors: dict[str, Predictor] = {model: predicted}
    for name, scorer in (others or {}).items():
        predictors.setdefault(name, _predictor(scorer))
    lines = tuple(
        PredictorStatistics(name, _statistics(predictor, items, suite, seed), name in BASELINES)
        for name, predictor in {**predictors, **BASELINES}.items()
    )
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
        tuple(_notes(suite, items, compared)),
    )


def _predictor(scorer: Scorer) -> Predictor:
    return lambda each: scorer(each.parse).value


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
    ratings = ratings_of(compared)
    found = {name: estimate(statistic, scores, ratings, seed) for name, statistic in CORRELATIONS.items()}
    found["AUC"] = estimate(statistics.auc, scores, split(compared)[0] if compared else [], seed)
    if suite.pairs:
        found["pair accuracy"] = _pair_accuracy(predictor, items, suite, seed)
    return found


def gains(made: Experiment, other: Predictor, seed: int = 0) -> dict[str, Estimate]:
    """How much better the scores of an experiment do than others, by paired resamples: correlations of ratings, AUC of
    signs and pairs."""
    compared = comparable(made.items)
    scores, others = [predicted(each) for each in compared], [other(each) for each in compared]
    ratings = ratings_of(compared)
    if made.main == "spearman":
        return {name: statistics.difference(CORRELATIONS[name], scores, others, ratings, seed) for name in GAINS}
    return {"AUC": statistics.difference(statistics.auc, scores, others, split(compared)[0], seed)}


def _pair_accuracy(
    predictor: Predictor, items: Sequence[ScoredItem], suite: Suite, seed: int, resamples: int = statistics.RESAMPLES
) -> Estimate:
    both = score_pairs(items, suite, predictor)
    return estimate(statistics.pair_accuracy, [p[0] for p in both], [p[1] for p in both], seed, resamples)


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
    resamples = RESAMPLES_OF_A_PHENOMENON
    if main == "pair accuracy":
        found = _pair_accuracy(predicted, group, suite, seed, resamples)
    elif main == "AUC":
        found = estimate(statistics.auc, scores, ratings, seed, resamples)
    else:
        found = estimate(statistics.spearman, scores, ratings, seed, resamples)
    values = [each.value for each in group if each.value is not None]
    mean_rating = fmean(ratings) if ratings else None
    return Phenomenon(name or "(none)", len(group), mean_rating, fmean(values) if values else None, found)


def residuals(compared: Sequence[ScoredItem]) -> list[Residual]:
    """By how much the rank of the score of each item is above that of its rating, as a share of all."""
    scores = statistics.ranks([predicted(each) for each in compared])
    ratings = statistics.ranks(ratings_of(compared))
    both = zip(compared, scores, ratings, strict=True)
    return [Residual(each, (score - rating) / len(compared)) for each, score, rating in both]


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


def _notes(suite: Suite, items: Sequence[ScoredItem], compared: Sequence[ScoredItem]) -> list[str]:
    """What keeps the figures from meaning what they seem to."""
    notes = []
    full = sum(each.parse.is_full for each in items)
    if not full:
        notes.append("no sentence has a full parse: the grammar does not fit this suite, and scores say little")
    elif full < len(items) / 2:
        notes.append(f"only {full} of {len(items)} sentences have a full parse: scores of the others are of fragments")
    if wordless := sum(each.score is None for each in items):
        notes.append(f"without words, and without a score: {wordless}")
    if stopped := sum(each.parse.stopped_by is not None for each in items):
        notes.append(f"sentences that met a limit, so that a better parse may exist: {stopped}")
    if guessed := [number for each in items if (number := each.unknown)]:
        where = f"{sum(guessed)} in {counted(len(guessed), 'sentence')}"
        notes.append(f"words that the lexicon does not have, so that they are guessed or unknown: {where}")
    rated = sum(each.item.rating is not None for each in items)
    if not rated:
        nothing = "no item is judged or rated: there are scores, but nothing to compare them with"
        notes.append(nothing + suite.lacking("rating"))
    else:
        signs = sum(each.item.rating is None and each.item.by_sign for each in items)
        if rated + signs < len(items):
            notes.append(f"without a rating, and left out of the statistics: {len(items) - rated - signs}")
        if signs:
            notes.append(f"with a sign instead of a number, and left out of correlations and AUC: {signs}")
    if compared and len({each.value for each in compared}) == 1 and len(compared) > 1:
        notes.append("all scores are equal: the model tells nothing apart here")
    if compared and len({each.item.rating for each in compared}) == 1 and len(compared) > 1:
        notes.append("all ratings are equal: there is nothing to tell apart")
    different = len({each.item.sentence for each in compared})
    if compared and 2 * different <= len(compared):
        few = f"{counted(different, 'sentence')} only in {len(compared)} items"
        notes.append(
            f"{few}: number the sentences in a column id, so that ratings are averaged, or the intervals are too narrow"
        )
    if len(compared) == 1:
        notes.append("one item only: no statistic has a value")
    elif 1 < len(compared) < 10:
        notes.append(f"{len(compared)} items only: the intervals are too narrow to be trusted")
    return notes
