"""A model that learns the costs of properties from rated sentences, by relation and construction.

Ridge regression of the rating on the terms of a parse (`terms`): property instances satisfied and violated,
fragments, unknown words and, with a second grammar, the likelihood of the sentence by a treebank. The penalty is
chosen, and the model evaluated, on held-out sentences (`statistics.regression.ridge`, `folds_of`). The model is kept
as a readable table.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from math import fsum, log, sqrt
from operator import mul
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from numbat.acceptability.scores import Score
from numbat.acceptability.suite import Item, Suite, units_of
from numbat.acceptability.summary import Experiment
from numbat.acceptability.terms import OF_ALL, Terms, counts_of, group_of, size_of, totals_of
from numbat.acceptability.verdicts import ScoredItem, comparable, ratings_of
from numbat.errors import DataError, Problem, Span, UsageError, counted, data_error
from numbat.files import cells_of, lines_of, table_row
from numbat.grammar.model import Grammar
from numbat.records import frozen
from numbat.statistics.intervals import affordable, estimate_from, numbered, parts_of
from numbat.statistics.regression import ridge, solutions, sums_of

if TYPE_CHECKING:
    from numbat.parsing.result import Parse


FOLDS: Final = 5
MIN_FOLDS: Final = 3
"""Minimum number of folds: the penalty of a fold is chosen by models that leave out a second fold, too."""
LEAST_ITEMS: Final = 3
LEAST_SHARE: Final = 0.01
"""Minimum number and share of sentences in which a term is not 0; rarer terms are left out."""
FURTHEST: Final = 3.0
"""Distance from the mean, in standard deviations, at which a term is clipped against outliers."""
MAX_SIZE: Final = 1e100
"""Largest number in the file of a model."""
HEADER: Final = ("feature", "weight", "mean", "scale", "items", "low", "high")
"""Columns of the table of a model; older tables lack the last two, the ends of the weight's interval."""
WEIGHT_PARTS: Final = 40
"""Maximum number of parts left out in turn for the intervals of weights, as each part needs a regression."""
FOR: Final = "fitted model for the grammar "
"""The beginning of the first comment in the file of a model."""
TRIVIAL: Final = ("length", "unknown words")
"""The groups of terms that need no grammar; the number of punctuation marks counts under length."""
ALSO: Final = "also "
"""The beginning of the comments that name the files of a second grammar."""

More = Callable[["Parse"], Terms]
"""A function from a parse to further terms of its sentence."""
Each = Callable[[Callable[[ScoredItem], Terms], Sequence[ScoredItem]], Iterable[Terms]]
"""A function like `map`; it may run in parallel, as further terms need a second parse of each item."""


@frozen
class Feature:
    """The contribution of one term to the score: weight * (value - mean) / scale, the quotient clipped to -3 and 3.

    `items` is the number of training items that had the term. `low` and `high` are the ends of the 95 % interval of the
    weight, under the penalty of the model; None if there were too few independent sentences.
    """

    name: str
    weight: float
    mean: float
    scale: float
    items: int
    low: float | None = None
    high: float | None = None

    def distance(self, value: float) -> float:
        """Return the distance of a value from the mean, in standard deviations, up to `FURTHEST`."""
        return max(-FURTHEST, min(FURTHEST, (value - self.mean) / self.scale))


@frozen
class Fitted:
    """The model, a `Scorer`. `about` describes its training and its results out of fold; `also` has the kind and path
    of each file of a second grammar, and `more` returns the terms of a sentence under that grammar."""

    name: str
    grammar: str
    intercept: float
    features: tuple[Feature, ...]
    about: tuple[str, ...] = ()
    also: tuple[tuple[str, str], ...] = ()
    more: More | None = field(default=None, compare=False, repr=False)

    def score(self, parse: Parse) -> Score:
        """Return the predicted rating; `parts` has the intercept and what each term adds, the largest first."""
        terms = terms_of(parse, self.more)
        parts = [(f.name, f.weight * f.distance(terms.get(f.name, 0.0))) for f in self.features]
        value = self.intercept + fsum(part for _, part in parts)
        ordered = sorted(parts, key=lambda part: (-abs(part[1]), part[0]))
        return Score(self.name, value, (), (("intercept", self.intercept), *ordered), stopped_by=parse.stopped_by)

    def __call__(self, parse: Parse) -> Score:
        return self.score(parse)


def terms_of(parse: Parse, more: More | None = None) -> Terms:
    """Return all terms of the sentence of a parse."""
    return size_of(parse) | counts_of(parse) | ({} if more is None else more(parse))


@frozen
class TermsJob:
    """A function from an item to all terms of its sentence: counts of its parse, and those that `more` returns."""

    more: More | None

    def __call__(self, scored: ScoredItem) -> Terms:
        return terms_of(scored.parse, self.more)


@frozen
class Fit:
    """A fitted model with its penalty, and the scores of each sentence by the models of the other folds (`held_out`).

    `variants` is the share of words at which sentences count as variants of each other (`folds_of`). `trivial` are the
    scores, on the same folds, of a regression on the terms that need no grammar: length, unknown words, marks.
    `new_conditions` are the scores by models that saw no sentence of the same condition, None if conditions do not
    repeat across folds.
    """

    model: Fitted
    held_out: tuple[float, ...]
    penalty: float
    variants: float | None
    trivial: tuple[float, ...]
    new_conditions: tuple[float, ...] | None = None


def fit(
    items: Sequence[ScoredItem],
    name: str,
    grammar: str,
    seed: int = 0,
    folds: int = FOLDS,
    more: More | None = None,
    each_item: Each = map,
    conditions: Sequence[str] = (),
) -> Fit:
    """Train on items that have a rating and words; `conditions` has the condition of each item.

    The penalty of each fold is chosen by the other folds alone, so that `held_out` does not depend on the ratings of
    its own fold; means and standard deviations of terms are those of all sentences. If conditions repeat across folds,
    models that saw no sentence of the condition are evaluated, too. Raises UsageError for fewer folds than `MIN_FOLDS`;
    DataError for too few items, equal ratings, or fewer groups of variants than folds.
    """
    ratings = ratings_of(items)
    _check_number(len(items), len(set(ratings)), folds)
    divided = folds_of([item.item for item in items], [item.parse.lattice.tokens for item in items], seed, folds)
    groups = len(set(divided.of))
    if groups < folds:
        raise DataError(
            f"{len(items)} rated sentences in {groups} groups: too few for {folds} folds\n"
            "  a group stays in one fold: use fewer --folds, or add other sentences"
        )
    terms = list(each_item(TermsJob(more), items))
    features = [_measured(name, number, terms) for name, number in _frequent(terms)]
    rows = [[feature.distance(row.get(feature.name, 0.0)) for feature in features] for row in terms]
    fitted = ridge(rows, ratings, divided.of)
    slopes = fitted.solved.slopes.tolist()
    intercept = fitted.solved.intercept - fsum(map(mul, slopes, fitted.solved.means.tolist()))
    ends = _slope_intervals(rows, ratings, slopes, fitted.penalty, units_of([item.item for item in items]), seed)
    weighed = tuple(
        replace(feature, weight=slope, low=low, high=high)
        for feature, slope, (low, high) in zip(features, slopes, ends, strict=True)
    )
    model = Fitted(name, grammar, intercept, weighed, more=more)
    trivial = [place for place, feature in enumerate(features) if group_of(feature.name).name in TRIVIAL]
    alone = ridge([[row[place] for place in trivial] for row in rows], ratings, divided.of)
    apart = folds_of_conditions(conditions, divided.of, seed, folds)
    new = None if apart is None else tuple(ridge(rows, ratings, apart).held_out)
    return Fit(model, tuple(fitted.held_out), fitted.penalty, divided.variants, tuple(alone.held_out), new)


def _slope_intervals(
    rows: Sequence[Sequence[float]],
    ratings: Sequence[float],
    slopes: Sequence[float],
    penalty: float,
    units: Sequence[Hashable],
    seed: int,
) -> list[tuple[float | None, float | None]]:
    """Return the 95 % interval of each weight, from regressions that each leave out a part of the independent units."""
    import numpy as np

    unit_of = numbered(units, len(rows))
    number = min(WEIGHT_PARTS, affordable(len(rows), len(set(unit_of))))
    if not number:
        return [(None, None)] * len(slopes)
    terms, rated, whole = np.asarray(rows), np.asarray(ratings), sums_of(rows, ratings)
    again = []
    for part in parts_of(len(set(unit_of)), number, seed):
        out = np.isin(unit_of, part)
        again.append(solutions(whole - sums_of(terms[out], rated[out]), (penalty,))[0].slopes)
    estimates = (
        estimate_from(slope, row, len(rows), len(set(unit_of)))
        for slope, row in zip(slopes, np.transpose(again).tolist(), strict=True)
    )
    return [(estimate.low, estimate.high) for estimate in estimates]


def folds_of_conditions(conditions: Sequence[str], fold_of: Sequence[int], seed: int, folds: int) -> list[int] | None:
    """Return the fold of each item, with no condition divided; None if `fold_of` divides none, or there are too few."""
    sizes = Counter(conditions)
    if len(sizes) < MIN_FOLDS or "" in sizes:
        return None
    in_folds = Counter(condition for condition, _ in set(zip(conditions, fold_of, strict=True)))
    if max(in_folds.values()) < 2:
        return None
    order = sorted(sizes)
    Random(seed).shuffle(order)
    order.sort(key=lambda condition: -sizes[condition])
    filled = [0] * min(folds, len(order))
    fold: dict[str, int] = {}
    for condition in order:
        least = min(range(len(filled)), key=filled.__getitem__)
        fold[condition] = least
        filled[least] += sizes[condition]
    return [fold[condition] for condition in conditions]


def _check_number(items: int, ratings: int, folds: int) -> None:
    """Raise UsageError for too few folds, DataError for too few items or too few different ratings."""
    if folds < MIN_FOLDS:
        raise UsageError(f"{folds} folds are too few\n  use --folds {MIN_FOLDS} or more")
    if items < 2 * folds or ratings < 2:
        raise DataError(
            f"{counted(items, 'rated sentence')}, {counted(ratings, 'different rating')}: "
            "too few to learn from\n"
            f"  a fitted model needs at least {2 * folds} sentences that are not all rated the same"
            + (", or fewer --folds" if folds > FOLDS else "")
        )


def _frequent(terms: Sequence[Terms]) -> list[tuple[str, int]]:
    """Return the terms that are not 0 in enough sentences, sorted by name, with the number of these sentences."""
    frequency = Counter(name for row in terms for name, value in row.items() if value)
    least = max(LEAST_ITEMS, LEAST_SHARE * len(terms))
    return sorted((name, number) for name, number in frequency.items() if number >= least)


def _measured(name: str, number: int, terms: Sequence[Terms]) -> Feature:
    """Return a term with its mean and standard deviation, and with weight 0."""
    values = [row.get(name, 0.0) for row in terms]
    mean = fsum(values) / len(values)
    scale = sqrt(fsum((value - mean) ** 2 for value in values) / len(values))
    return Feature(name, 0.0, mean, scale if scale > 1e-9 else 1.0, number)


def format_fitted(model: Fitted) -> str:
    """Return the model as a readable table, in the format of `read_fitted`."""
    also = [f"{ALSO}{what}: {path}" for what, path in model.also]
    lines = [f"# {line}" for line in (FOR + model.grammar, *also, *model.about)]
    rows = [(f.name, f.weight, f.mean, f.scale, f.items, f.low, f.high) for f in model.features]
    lines += map(table_row, (HEADER, ("intercept", model.intercept, 0.0, 1.0, 0, None, None), *rows))
    return "\n".join(lines) + "\n"


def read_fitted(path: str, grammar: Grammar) -> Fitted:
    """Read a model. Raises MissingFileError, DataError with the line, UsageError for a model of another grammar."""
    lines = lines_of(path, "write the model again with numbat learn costs")
    comments = [line.removeprefix("# ") for line in lines if line.startswith("#")]
    if not comments or not comments[0].startswith(FOR):
        raise DataError(f"{path}: not a fitted model\n  write one with numbat learn costs")
    of = comments[0].removeprefix(FOR)
    if of != grammar.name:
        raise UsageError(
            f'{path} was fitted for the grammar "{of}", not for "{grammar.name}"\n  fit one with numbat learn costs'
        )
    features = list(_features(lines, path))
    if not features or features[0].name != "intercept":
        raise DataError(f"{path}: not a fitted model\n  write one with numbat learn costs")
    also = [line.removeprefix(ALSO).partition(": ") for line in comments[1:] if line.startswith(ALSO)]
    about = tuple(line for line in comments[1:] if not line.startswith(ALSO))
    files = tuple((what, file) for what, _, file in also)
    totals = any(f.name.startswith("violated ") and f.name.endswith(OF_ALL) for f in features)
    return Fitted("fitted", of, features[0].weight, tuple(features[1:]), about, files, totals_of if totals else None)


def _features(lines: Sequence[str], path: str) -> Iterator[Feature]:
    problems: list[Problem] = []
    met: set[str] = set()
    for number, line in enumerate(lines, start=1):
        cells = cells_of(line)
        if not line or line.startswith("#") or tuple(cells) in (HEADER, HEADER[:-2]):
            continue
        try:
            name, weight, mean, scale, items, *ends = cells
            low, high = (float(end) if end else None for end in (ends or ("", "")))
            feature = Feature(name, float(weight), float(mean), float(scale), int(items), low, high)
            wrong = f'the feature "{name}" is repeated' if name in met else _wrong(feature)
            met.add(name)
        except ValueError:
            wrong = "not a line of a fitted model: feature, weight, mean, scale, items"
        if wrong:
            problems.append(Problem(wrong, Span(path, number), hint="write the model again with numbat learn costs"))
        else:
            yield feature
    if problems:
        raise data_error(*problems)


def _wrong(feature: Feature) -> str:
    """Return what is wrong with the numbers of a feature; empty if nothing is."""
    for what in ("weight", "mean", "scale"):
        number = getattr(feature, what)
        if not abs(number) <= MAX_SIZE:
            return f'the {what} of "{feature.name}" is {number}: it must be a number from -{MAX_SIZE:g} to {MAX_SIZE:g}'
    return "" if feature.scale > 0 else f'the scale of "{feature.name}" is {feature.scale}: it must be above 0'


# Folds: parts of a suite that are scored by models of the other parts.
#
# Sentences of one group, of one minimal pair, and variants of each other (translations of one original, the same
# example with a word changed) share a fold: a model that saw one of them knows something about the others.

VARIANTS: Final = (0.35, 0.5, 0.7, 0.9)
"""Shares of word weight that two sentences must have in common to be variants; the first share that makes no
group larger than a fold is used. If none does, as with a small vocabulary, only the same words make variants."""
RARE: Final = 0.02
"""Words in more than this share of the sentences (and in more than 20) do not make them variants."""


class Folds(NamedTuple):
    """The fold of each item, and the share of common words that makes sentences variants (None: all words)."""

    of: list[int]
    variants: float | None


def folds_of(items: Sequence[Item], words: Sequence[Sequence[str]], seed: int, folds: int) -> Folds:
    """Divide items into folds of similar size; groups, pairs and variants stay together. `words` is in items' order."""
    groups, variants = _groups(items, words, -(-len(items) // folds))
    size = Counter(groups)
    order = sorted(size)
    Random(seed).shuffle(order)
    order.sort(key=lambda group: -size[group])
    filled = [0] * folds
    fold: dict[int, int] = {}
    for group in order:
        least = min(range(folds), key=filled.__getitem__)
        fold[group] = least
        filled[least] += size[group]
    return Folds([fold[group] for group in groups], variants)


def _groups(items: Sequence[Item], words: Sequence[Sequence[str]], most: int) -> tuple[list[int], float | None]:
    """Return for each item the index of the first item in its group; groups of variants have at most `most` items.

    Groups of the suite take precedence: items that have one are not compared for variants.
    """
    said = list(range(len(items)))
    first: dict[Hashable, int] = {}
    for i, item in enumerate(items):
        keys = [("group", item.group) if item.group else ("words", *map(str.lower, words[i]))]
        for key in [*keys, *([("pair", item.pair)] if item.pair else [])]:
            _join(said, i, first.setdefault(key, i))
    free = [i for i, item in enumerate(items) if not item.group]
    pairs = _shared([{word.lower() for word in words[i]} for i in free])
    for least in VARIANTS if pairs else ():
        joined = said.copy()
        for one, other, share in pairs:
            if share >= least:
                _join(joined, free[one], free[other])
        groups = [_root(joined, i) for i in range(len(items))]
        if max(Counter(groups[i] for i in free).values()) <= most:
            return groups, least
    return [_root(said, i) for i in range(len(items))], None


def _shared(sentences: Sequence[set[str]]) -> list[tuple[int, int, float]]:
    """Return pairs of similar sentences, by index, with the share of word weight in common; rare words weigh more."""
    number = len(sentences)
    frequency = Counter(word for words in sentences for word in words)
    weight = {word: log(number / count) for word, count in frequency.items()}
    whole = [sum(weight[word] for word in sorted(words)) for words in sentences]
    before: dict[str, list[int]] = {word: [] for word, n in frequency.items() if 1 < n <= max(20, RARE * number)}
    pairs = []
    for i, words in enumerate(sentences):
        shared: dict[int, float] = {}
        for word in sorted(words & before.keys()):
            for j in before[word]:
                shared[j] = shared.get(j, 0.0) + weight[word]
            before[word].append(i)
        shares = ((j, both / min(whole[i], whole[j])) for j, both in shared.items() if both)
        pairs += [(j, i, share) for j, share in shares if share >= VARIANTS[0]]
    return pairs


def _root(joined: list[int], i: int) -> int:
    while joined[i] != i:
        joined[i] = joined[joined[i]]
        i = joined[i]
    return i


def _join(joined: list[int], one: int, other: int) -> None:
    low, high = sorted((_root(joined, one), _root(joined, other)))
    joined[high] = low


# Comments on training and results in the file of a fitted model.

FITTED_ON: Final = re.compile(r"suite (.+): (\d+) rated sentences")
OUT_OF_FOLD: Final = re.compile(r"out of fold: pearson ([^;]+)")
"""Patterns for lines of `about_fit`: the suite of a model with its size, and the result out of fold."""


def about_fit(fit_: Fit, suite: Suite, report: Experiment, folds: int, seed: int) -> tuple[str, ...]:
    """Return the comments on a model that was fitted on a suite; `report` is about the held-out scores."""
    statistics = "; ".join(f"{name} {value}" for name, value in report.lines[0].statistics.items())
    name = "AUC" if report.main == "AUC" else "pearson"
    beside = [f"{line.predictor} {name} {line.statistics[name]}" for line in report.lines[1:]]
    alike = "the same words" if fit_.variants is None else f"{fit_.variants:.0%} of the words by their rarity"
    return (
        f"suite {suite.name}: {len(report.items)} rated sentences",
        f"ridge regression, penalty {fit_.penalty:g}, {folds} folds, seed {seed}; in one fold: groups, pairs, {alike}",
        f"out of fold: {statistics}",
        f"on the same folds: {'; '.join(beside)}",
        "score = intercept + sum of weight * (value - mean) / scale, each quotient from -3 to 3; counts are per word",
    )


def seen_before(name: str, model: Fitted, judged: Suite, items: Sequence[ScoredItem]) -> Iterator[str]:
    """Yield a note if a model is evaluated on the suite it was fitted on, judging by the suite's name and size."""
    suite = next(filter(None, map(FITTED_ON.fullmatch, model.about)), None)
    size = str(len(comparable(items)))
    if suite is None or (Path(suite[1]).name, suite[2]) != (Path(judged.path).name, size):
        return
    apart = next(filter(None, map(OUT_OF_FOLD.match, model.about)), None)
    figure = f"; out of fold its pearson was {apart[1]}" if apart is not None else ""
    yield f"{name} was fitted on this suite, so its figures here are too good{figure}"
