"""The summary of a scored suite: statistics with trivial baselines, phenomena, residuals, ratings, cautions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random
from statistics import fmean, median, stdev
from typing import Any, ClassVar, Final, NamedTuple, Protocol

from numbat.acceptability.covariates import BeyondLength, beyond_length
from numbat.acceptability.models import Scorer
from numbat.acceptability.suite import Item, Rating, Suite, name_of_units, too_few, units_of
from numbat.acceptability.suite_tables import rated_by
from numbat.acceptability.verdicts import (
    Predictor,
    ScoredItem,
    another_grammar,
    comparable,
    is_undecided,
    predicted,
    ratings_of,
    score_pairs,
    scored_pairs,
    unknown_in_all,
)
from numbat.errors import DataError, UsageError, counted, first_of
from numbat.markup import Displayed
from numbat.records import frozen
from numbat.reports.report import Part
from numbat.settings import Range
from numbat.statistics.correlations import Statistic, auc, kendall, mean, pearson, ranks, roc, spearman, won
from numbat.statistics.intervals import (
    Estimate,
    Units,
    affordable,
    difference,
    estimate,
    estimate_from,
    negated_if_better,
    parts_of,
)

MAX_RESIDUALS: Final = 20


@frozen
class PhenomenonSummary:
    """The items of one phenomenon: their number, mean rating and score, and the main statistic within them."""

    name: str
    number: int
    rating: float | None
    score: float | None
    estimate: Estimate


@frozen
class Residual:
    """The rank of an item by its rating minus its rank by the model, both scaled to 0 ... 1."""

    scored: ScoredItem
    value: float


@frozen
class RelationCounts:
    """Counts of satisfied and violated instances of the properties of a relation in a construction."""

    construction: str
    relation: str
    satisfied: int
    violated: int


class Section(Protocol):
    """A section that another package adds to the report on a suite and to its page."""

    def part(self, model: str) -> Part:
        """Return the section as part of the report."""

    def on_page(self, model: str) -> dict[str, Any]:
        """Return the section's data for the script of the page."""


@frozen
class Experiment(Displayed):
    """A suite scored by a model. `main` names its main statistic, `units` the independent units over which
    intervals are computed; `notes` are cautions.

    `grammar` is the title of the grammar; `others` are the models to compare with, by name. `ceiling` is the agreement
    between people, if items have several ratings. `reaches` are the populations to which statistics generalise,
    `beyond` is the prediction beyond length; other packages add `sections`.
    """

    SHOWN_BY: ClassVar = "numbat.acceptability.displays"

    suite: Suite
    grammar: str
    model: str
    weights: str
    items: tuple[ScoredItem, ...]
    main: str
    lines: tuple[PredictorStatistics, ...]
    phenomena: tuple[PhenomenonSummary, ...]
    residuals: tuple[Residual, ...]
    tallies: tuple[RelationCounts, ...]
    curve: tuple[tuple[float, float], ...]
    notes: tuple[str, ...]
    units: str
    others: tuple[tuple[str, Predictor], ...] = ()
    ceiling: Ceiling | None = None
    sections: tuple[Section, ...] = ()
    reaches: tuple[Reach, ...] = ()
    beyond: tuple[BeyondLength, ...] = ()
    frequency: Predictor | None = None

    @property
    def full(self) -> int:
        return sum(item.parse.is_full for item in self.items)

    @property
    def well_formed(self) -> int:
        return sum(item.parse.is_well_formed for item in self.items)

    @property
    def foremost(self) -> tuple[str, ...]:
        """The note that comes first: the grammar may be the wrong one."""
        note = another_grammar([item.parse for item in self.items], self.items[0].parse.grammar)
        return (note,) if note else ()

    @property
    def stopped(self) -> int:
        return sum(item.parse.stopped_by is not None for item in self.items)


def summarize(
    suite: Suite,
    items: Sequence[ScoredItem],
    grammar: str,
    model: str,
    weights: str,
    seed: int = 0,
    others: Mapping[str, Predictor] | None = None,
    frequency: Predictor | None = None,
) -> Experiment:
    """Return the summary of the scored items of a suite. Raises DataError if there are none.

    `others` are models to compare with, `frequency` is the word frequency of a sentence.
    """
    if not items:
        raise DataError(f"{suite.path}: no items\n  a report needs at least one sentence")
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
        _phenomena(items, suite, seed),
        _largest(residuals(compared)),
        _tallies(items),
        tuple(roc([predicted(item) for item in compared], good)),
        tuple(cautions(suite, items, compared)),
        name_of_units([item.item for item in compared]),
        tuple((others or {}).items()),
        split_half([item.item for item in compared], seed),
        reaches=tuple(reaches_of(items, suite, seed)),
        beyond=() if suite.pairs else beyond_length({model: predicted, **(others or {})}, items, frequency, seed),
        frequency=frequency,
    )


def _phenomena(items: Sequence[ScoredItem], suite: Suite, seed: int) -> tuple[PhenomenonSummary, ...]:
    by_name: dict[str, list[ScoredItem]] = {}
    for item in items:
        by_name.setdefault(item.item.phenomenon, []).append(item)
    if set(by_name) == {""}:
        return ()
    return tuple(_phenomenon(name, group, suite, seed) for name, group in sorted(by_name.items()))


def _phenomenon(name: str, group: Sequence[ScoredItem], suite: Suite, seed: int) -> PhenomenonSummary:
    ratings = ratings_of(comparable(group))
    values = [item.value for item in group if item.value is not None]
    rating, score = (fmean(row) if row else None for row in (ratings, values))
    statistic = main_columns(group, suite).estimate(seed)
    return PhenomenonSummary(name or "(none)", len(group), rating, score, statistic)


def residuals(compared: Sequence[ScoredItem]) -> list[Residual]:
    """Return for each item the rank of its rating minus the rank of its score, with ranks from 0 to 1."""
    if not compared:
        return []
    above = ranks(ratings_of(compared)) - ranks([predicted(item) for item in compared])
    return [Residual(item, value) for item, value in zip(compared, (above / len(compared)).tolist(), strict=True)]


def _largest(residuals_: Iterable[Residual]) -> tuple[Residual, ...]:
    """Return the items on which the ranks of score and rating differ most."""
    return tuple(
        sorted((residual for residual in residuals_ if residual.value), key=lambda residual: -abs(residual.value))[
            :MAX_RESIDUALS
        ]
    )


def _tallies(items: Sequence[ScoredItem]) -> tuple[RelationCounts, ...]:
    counts = Counter(
        (evaluated.property.construction, evaluated.property.type, evaluated.satisfied)
        for scored in items
        for evaluated in scored.parse.evaluated
    )
    keys = sorted({(construction, relation) for construction, relation, _ in counts})
    return tuple(RelationCounts(c, r, counts[c, r, True], counts[c, r, False]) for c, r in keys)


# Statistics of predictors of people's judgements: models, and trivial baselines that they have to beat.

BASELINES: Final[dict[str, Predictor]] = {
    "length": lambda item: -float(item.length),
    "unknown words": lambda item: -float(item.unknown),
}
"""Baselines that a model has to beat: fewer words, or fewer unknown words, are better."""

CORRELATIONS: Final[dict[str, Statistic]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
}
COSTS: Final = ("cost", "margin")
"""The models whose scores are negative costs, which are unbounded."""
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
    """Return the statistics of the scores of the items, of other models, and of the baselines, in this order."""
    predictors: dict[str, Predictor] = {model: predicted, **{k: v for k, v in others.items() if k != model}}
    statistics = []
    for name, predictor in predictors.items():
        statistics.append(PredictorStatistics(name, _statistics(predictor, items, suite, seed)))
        if name in COSTS:
            statistics.append(_bounded(name, predictor, statistics[-1].statistics, items, seed))
    baselines = ((name, _statistics(predictor, items, suite, seed)) for name, predictor in BASELINES.items())
    return (*statistics, *(PredictorStatistics(name, estimates, is_baseline=True) for name, estimates in baselines))


def predictor_of(scorer: Scorer) -> Predictor:
    """Return a scorer as a function of scored items."""
    return lambda item: scorer(item.parse).value


def bounded(predictor: Predictor) -> Predictor:
    """Return 1/(1 + cost) for a predictor that is a negative cost: 1 for cost 0, near 0 for all large costs."""
    return lambda item: 1 / (1 + max(0.0, -predictor(item)))


def _bounded(
    name: str, predictor: Predictor, statistics: dict[str, Estimate], items: Sequence[ScoredItem], seed: int
) -> PredictorStatistics:
    """Return the statistics of a cost in its bounded form; only Pearson's correlation differs, as the order is kept."""
    pearson = columns_of("pearson", items, bounded(predictor)).estimate(seed)
    return PredictorStatistics(BOUNDED.format(name), {**statistics, "pearson": pearson})


def main_statistic(suite: Suite) -> str:
    """Return the main statistic: pair accuracy for minimal pairs, AUC for signs, Spearman's correlation for ratings."""
    if suite.pairs:
        return "pair accuracy"
    return "AUC" if {0.0, 1.0} == {item.rating for item in suite.rated} else "spearman"


def split(compared: Sequence[ScoredItem]) -> tuple[list[float], str]:
    """Return 1 for good items and 0 for bad ones, and a description of the good ones.

    Items are good by their signs if all are plainly good or bad, else if they are rated above the median.
    """
    ratings = ratings_of(compared)
    if set(ratings) <= {0.0, 1.0}:
        return ratings, "good sentences"
    middle = median(ratings)
    above = middle if middle < max(ratings) else max((r for r in ratings if r < middle), default=middle)
    return [float(rating > above) for rating in ratings], f"sentences rated above {above:g}"


def _statistics(predictor: Predictor, items: Sequence[ScoredItem], suite: Suite, seed: int) -> dict[str, Estimate]:
    columns = {name: columns_of(name, items, predictor) for name in (*CORRELATIONS, "AUC")}
    if suite.pairs:
        columns["pair accuracy"] = columns_of_pairs(items, suite, predictor)
    return {name: column.estimate(seed) for name, column in columns.items()}


class Columns(NamedTuple):
    """A statistic with its data: scores, ratings and units. A pair is a row: 1 if won, .5 if tied, else 0."""

    statistic: Statistic
    scores: Sequence[float]
    ratings: Sequence[float]
    units: Units

    def estimate(self, seed: int) -> Estimate:
        """Return the statistic with its interval."""
        return estimate(self.statistic, self.scores, self.ratings, seed, self.units)

    def over(self, other: Sequence[float], seed: int = 0) -> Estimate:
        """Return by how much the scores predict better than `other` scores, which are negated if that improves them."""
        baseline = negated_if_better(self.statistic, other, self.ratings)
        return difference(self.statistic, self.scores, baseline, self.ratings, seed, self.units)


def main_columns(items: Sequence[ScoredItem], suite: Suite, predictor: Predictor = predicted) -> Columns:
    """Return the main statistic of the suite with its data."""
    if suite.pairs:
        return columns_of_pairs(items, suite, predictor)
    return columns_of(main_statistic(suite), items, predictor)


def columns_of_pairs(items: Sequence[ScoredItem], suite: Suite, predictor: Predictor) -> Columns:
    """Return the pair accuracy with its data; pairs of one group are one unit."""
    ends = [won(better, worse) for better, worse in score_pairs(items, suite, predictor)]
    return Columns(mean, ends, ends, units_of([better for better, _ in scored_pairs(items, suite)]))


def columns_of(name: str, items: Sequence[ScoredItem], predictor: Predictor = predicted) -> Columns:
    """Return a correlation by its name, or AUC, with the scores and ratings of items that have both."""
    compared = comparable(items)
    scores, units = [predictor(item) for item in compared], units_of([item.item for item in compared])
    if name == "AUC":
        return Columns(auc, scores, split(compared)[0], units)
    return Columns(CORRELATIONS[name], scores, ratings_of(compared), units)


# Intervals generalise to other items, conditions or people if these are left out in turn.

OTHER_ITEMS: Final = "other items of these conditions"
OTHER_CONDITIONS: Final = "other conditions"
OTHER_PEOPLE: Final = "other people, with these items"


@frozen
class Reach:
    """Statistics by name, with intervals that generalise to `what`; `units` describes the units left out."""

    what: str
    units: str
    statistics: dict[str, Estimate]


def reaches_of(
    items: Sequence[ScoredItem],
    suite: Suite,
    seed: int = 0,
    predictor: Predictor = predicted,
    condition: Callable[[Item], str] = lambda item: item.phenomenon,
) -> Iterator[Reach]:
    """Yield the statistics of a suite with intervals for other items, conditions and people.

    This needs several sentences of a condition, or ratings by several known people.
    """
    compared = comparable(items)
    if suite.pairs or len(compared) < 2:
        return
    names = ("pearson", "spearman") if main_statistic(suite) == "spearman" else (main_statistic(suite),)
    columns = {name: columns_of(name, items, predictor) for name in names}
    conditions = [condition(item.item) for item in compared]
    several = repeated(conditions)
    people = sorted({rating.participant for item in compared for rating in item.item.ratings})
    known = len(people) > 1 and "" not in people and "AUC" not in names
    if several or known:
        number = name_of_units([item.item for item in compared])
        yield Reach(OTHER_ITEMS, number, {name: column.estimate(seed) for name, column in columns.items()})
    if several:
        by_condition = {name: column._replace(units=conditions).estimate(seed) for name, column in columns.items()}
        yield Reach(OTHER_CONDITIONS, counted(len(set(conditions)), "condition"), by_condition)
    if known:
        by_people = {name: _over_people(column, compared, people, seed) for name, column in columns.items()}
        yield Reach(OTHER_PEOPLE, counted(len(people), "participant"), by_people)


def repeated(conditions: Sequence[str]) -> bool:
    """True if there are several conditions, and nearly all sentences share theirs with others."""
    sizes = Counter(conditions)
    alone = sum(size == 1 for size in sizes.values())
    return len(sizes) > 1 and "" not in sizes and alone * 10 <= len(conditions)


def _over_people(columns: Columns, compared: Sequence[ScoredItem], people: Sequence[str], seed: int) -> Estimate:
    """Return the statistic of mean ratings, with an interval from leaving out participants."""
    place = {name: number for number, name in enumerate(people)}
    rated = [[(place[rating.participant], rating.value) for rating in scored.item.ratings] for scored in compared]
    parts = affordable(len(compared), len(people))
    left_out = []
    for part in parts_of(len(people), parts, seed) if parts else ():
        out = set(part)
        kept = [[value for person, value in row if person not in out] for row in rated]
        both = [(score, fmean(row)) for score, row in zip(columns.scores, kept, strict=True) if row]
        left_out.append(columns.statistic([score for score, _ in both], [rating for _, rating in both]))
    value = columns.statistic(columns.scores, columns.ratings)
    return estimate_from(value, left_out, len(compared), len(people), "correlation")


# Ratings of the same sentences by several people: their scale, and their agreement.

SPLITS: Final = 100
"""Number of random splits of people into halves."""
NAMED: Final = 3
"""Maximum number of ratings outside the scale that are named in a note."""
MANY: Final = 20
"""With at least this number of ratings, one is far from the others if the gap to them is wider than their span; with
fewer, the gap must be five times as wide."""
MAX_OUTSIDE: Final = 0.1
"""Maximum share of ratings that count as mistakes because they are far from the others."""

Scale = tuple[float, float]
"""The least and the greatest possible rating."""


def scale_of(text: str) -> Scale:
    """Return the scale of a text such as `1-7` or `-3:3`. Raises UsageError."""
    for sign in (":", "-"):
        low, separator, high = text.rpartition(sign)
        try:
            ends = float(low), float(high)
        except ValueError:
            continue
        if separator and ends[0] < ends[1] and all(map(Range().has, ends)):
            return ends
    raise UsageError(
        f'"{text}" is not a scale\n  write the least and the greatest rating: --scale 1-7, or --scale=-3:3'
    )


def scale_option(scale: Scale) -> str:
    """Return the option for a scale: `--scale 1-7`, or `--scale=-3:3` as a minus sign would begin an option."""
    low, high = scale
    return f"--scale={low:g}:{high:g}" if low < 0 else f"--scale {low:g}-{high:g}"


def within(suite: Suite, scale: Scale) -> Suite:
    """Return the suite without ratings outside the scale, with a note on these."""
    low, high = scale
    outside = _outside(suite, scale)
    if not outside:
        return suite
    items = [_kept(item, lambda rating: low <= rating.value <= high) for item in suite.items]
    note = f"{counted(len(outside), 'rating')} outside the scale from {low:g} to {high:g}, and left out"
    return replace(suite, items=tuple(items), notes=(*suite.notes, f"{note}: {_named(outside)}"))


def _outside(suite: Suite, scale: Scale) -> list[tuple[Item, float]]:
    low, high = scale
    every = ((item, rating.value) for item in suite.items for rating in item.ratings)
    return [(item, value) for item, value in every if not low <= value <= high]


def _kept(item: Item, is_kept: Callable[[Rating], bool]) -> Item:
    kept = tuple(filter(is_kept, item.ratings))
    return item if kept == item.ratings else rated_by(item, kept)


def _named(outside: Sequence[tuple[Item, float]]) -> str:
    return first_of([f"{value:g} ({item.id})" for item, value in outside], NAMED)


def far_from_others(suite: Suite) -> Suite:
    """Return the suite with a note on ratings that seem to be outside its scale, as they are far from all others."""
    inner = inner_scale([rating.value for item in suite.items for rating in item.ratings])
    if inner is not None:
        outside = _outside(suite, inner)
        note = f"{counted(len(outside), 'rating')} far from the others, which lie from {inner[0]:g} to {inner[1]:g}"
        which = f"{note}: {_named(outside)}; {scale_option(inner)} leaves such ratings out"
        return replace(suite, notes=(*suite.notes, which))
    return suite


def inner_scale(ratings: Iterable[float]) -> Scale | None:
    """Return the least and the greatest of most ratings if some others are far from these; else None."""
    every = sorted(ratings)
    most = max(1, int(MAX_OUTSIDE * len(every)))
    scales = (_without_far(every, low, high) for low, high in ((0, most), (most, 0)))
    return next((inner for inner in scales if inner is not None), None)


def _without_far(every: Sequence[float], below: int, above: int) -> Scale | None:
    """Return the span of sorted ratings without up to `below` far low ones or `above` far high ones, or None."""
    farther = 1 if len(every) >= MANY else 5  # few ratings may leave most of their scale unused
    gaps = [(i + 1, high - low) for i, (low, high) in enumerate(pairwise(every))]
    for cut, gap in gaps:
        if cut <= below and 0 < farther * (every[-1] - every[cut]) < gap:
            return every[cut], every[-1]
        if len(every) - cut <= above and 0 < farther * (every[cut - 1] - every[0]) < gap:
            return every[0], every[cut - 1]
    return None


def standardized(suite: Suite) -> Suite:
    """Return the suite with ratings as z-scores within each participant. Raises DataError if participants are unknown.

    Participants without two different ratings are left out, with a note.
    """
    by_participant = suite.by_participant
    if not by_participant or "" in by_participant:
        hint = "add a column participant with a line for each rating, or name it: --columns participant=NAME"
        raise DataError(f"{suite.path}: z-scores need the participant of every rating\n  {hint}")
    of_all = [rating for item in suite.items for rating in item.ratings]
    over_all = any(rating.z is not None for rating in of_all)
    spread = {name: stdev(values) if len(values) > 1 else 0.0 for name, values in by_participant.items()}
    if over_all:
        spread = {name: float(any(r.z is not None for r in of_all if r.participant == name)) for name in spread}
    means = {name: fmean(values) for name, values in by_participant.items()}

    def z(rating: Rating) -> Rating:
        name = rating.participant
        return Rating(rating.z if rating.z is not None else (rating.value - means[name]) / spread[name], name)

    items = [
        rated_by(item, tuple(z(rating) for rating in item.ratings if spread[rating.participant]))
        if item.ratings
        else item
        for item in suite.items
    ]
    flat = [name for name, value in spread.items() if not value]
    notes = [f"participants without z-scores, as all their ratings are equal: {len(flat)} ({first_of(flat, NAMED)})"]
    about = [f"ratings are z-scores within each of {counted(len(by_participant), 'participant')}"]
    return replace(suite, items=tuple(items), notes=(*suite.notes, *about, *(notes if flat else ())))


@frozen
class Ceiling:
    """Agreement between people: the mean correlation of two halves, corrected for length by Spearman-Brown.

    `items` is the number of items with at least two ratings, `judges` the median number of their ratings.
    """

    value: float
    items: int
    judges: float
    participants: int


def split_half(items: Sequence[Item], seed: int = 0) -> Ceiling | None:
    """Return the ceiling of correlations with the ratings of the items; None if too few have several ratings.

    Known participants are split, else the ratings of each item.
    """
    several = [item for item in items if len(item.ratings) > 1]
    if len(several) < 3:
        return None
    people = sorted({rating.participant for item in several for rating in item.ratings})
    known = "" not in people
    random = Random(seed)
    correlations = []
    for _ in range(SPLITS):
        chosen = set(random.sample(people, len(people) // 2)) if known else None
        halves = [_halved(item, chosen, random) for item in several]
        both = [(fmean(one), fmean(other)) for one, other in halves if one and other]
        r = pearson([one for one, _ in both], [other for _, other in both]) if len(both) > 2 else None
        if r is not None and r > -1:
            correlations.append(2 * r / (1 + r))
    if not correlations:
        return None
    return Ceiling(
        fmean(correlations), len(several), median(len(item.ratings) for item in several), len(people) if known else 0
    )


def _halved(item: Item, chosen: set[str] | None, random: Random) -> tuple[list[float], list[float]]:
    if chosen is None:
        values = [rating.value for rating in item.ratings]
        random.shuffle(values)
        return values[: len(values) // 2], values[len(values) // 2 :]
    one = [rating.value for rating in item.ratings if rating.participant in chosen]
    return one, [rating.value for rating in item.ratings if rating.participant not in chosen]


# Cautions about the figures of a suite: parses, words and ratings that make them less meaningful.


def cautions(suite: Suite, items: Sequence[ScoredItem], compared: Sequence[ScoredItem]) -> Iterator[str]:
    """Yield cautions on the figures of the scored items; `compared` are those with score and rating."""
    yield from suite.notes
    yield from _on_parses(items)
    yield from _on_words(items)
    yield from _on_ratings(suite, items)
    yield from _on_compared(compared)


def on_left_out(suite: Suite, items: Sequence[ScoredItem]) -> Iterator[str]:
    """Yield notes on items of a rated suite that are left out of figures, and on doubtful ratings."""
    yield from suite.notes
    yield from _on_wordless(items)
    yield from _on_ratings(suite, items)


def on_ablated(suite: Suite, items: Sequence[ScoredItem]) -> Iterator[str]:
    """Yield cautions for a comparison of the scored items of a suite under weaker grammars."""
    yield from on_left_out(suite, items) if suite.rated else suite.notes
    compared = [item.item for item in comparable(items)]
    if len(compared) > 1 and (few := too_few(compared)):
        yield few


def _on_wordless(items: Sequence[ScoredItem]) -> Iterator[str]:
    if wordless := sum(item.score is None for item in items):
        yield f"without words, and without a score: {wordless}"


def _on_parses(items: Sequence[ScoredItem]) -> Iterator[str]:
    full = sum(item.parse.is_full for item in items)
    if not full:
        yield "no sentence has a full parse: the grammar does not fit this suite, and scores say little"
    elif full < len(items) / 2:
        yield f"only {full} of {len(items)} sentences have a full parse: scores of the others are of fragments"
    yield from _on_wordless(items)
    if stopped := sum(item.parse.stopped_by is not None for item in items):
        yield f"sentences that met a limit, so that a better parse may exist: {stopped}"


def _on_words(items: Sequence[ScoredItem]) -> Iterator[str]:
    yield from unknown_in_all([item.parse for item in items])
    if undecided := [item.id for item in items if is_undecided(item)]:
        which = f"{len(undecided):,} ({first_of(undecided, NAMED)})"
        yield f"bad sentences undecided, as all that is wrong may be due to words not in the lexicon: {which}"


def _on_ratings(suite: Suite, items: Sequence[ScoredItem]) -> Iterator[str]:
    rated = sum(item.item.rating is not None for item in items)
    if not rated:
        nothing = "no item is judged or rated: there are scores, but nothing to compare them with"
        yield nothing + suite.lacking("rating")
        return
    signs = sum(item.item.rating is None and item.item.by_sign for item in items)
    if rated + signs < len(items):
        yield f"without a rating, and left out of the statistics: {len(items) - rated - signs}"
    if signs:
        yield f"with a sign instead of a number, and left out of correlations and AUC: {signs}"


def _on_compared(compared: Sequence[ScoredItem]) -> Iterator[str]:
    if len(compared) > 1 and len({item.value for item in compared}) == 1:
        yield "all scores are equal: the model distinguishes nothing here"
    if len(compared) > 1 and len({item.item.rating for item in compared}) == 1:
        yield "all ratings are equal: there is nothing to distinguish"
    different = len({item.item.sentence for item in compared})
    if compared and 2 * different <= len(compared):
        few = f"only {counted(different, 'sentence')} in {len(compared)} items: number the sentences in a column id"
        yield f"{few}, so that ratings are averaged; otherwise the intervals are too narrow"
    if len(compared) == 1:
        yield "one item only: no statistic has a value"
    elif 2 * different > len(compared) and (few := too_few([item.item for item in compared])):
        yield few
