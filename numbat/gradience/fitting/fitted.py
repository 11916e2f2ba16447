"""A model that learns from rated sentences what a property costs, by relation and construction.

Ridge regression of the rating on the terms of a parse (`terms`): property instances satisfied and violated, fragments,
unknown words and, with a second grammar, how usual a treebank finds the sentence. The penalty is chosen, and the model
judged, on sentences that it was not trained on (`ridge`, `folds`). The model is kept as a readable table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from math import fsum, sqrt
from operator import mul
from typing import TYPE_CHECKING, Final

from numbat.errors import DataError, Problem, Span, UsageError, counted, data_error
from numbat.files import cells_of, lines_of
from numbat.gradience.fitting.folds import folds_of
from numbat.gradience.fitting.ridge import ridge
from numbat.gradience.fitting.term_groups import group_of
from numbat.gradience.fitting.terms import OF_ALL, Terms, counts_of, size_of, totals_of
from numbat.gradience.models.scores import Score
from numbat.gradience.suites.scored_items import ScoredItem, ratings_of
from numbat.grammar.model import Grammar
from numbat.records import frozen

if TYPE_CHECKING:
    from numbat.parsing.result import Parse

FOLDS: Final = 5
FEWEST_FOLDS: Final = 3
"""The penalty of a fold is chosen by models that leave out another one too, which must learn from what is left."""
LEAST_ITEMS: Final = 3
LEAST_SHARE: Final = 0.01
"""A term that is not 0 in fewer sentences, or in less than this share of them, is left out."""
FURTHEST: Final = 3.0
"""A term counts at most so many standard deviations from its mean, so that no odd sentence runs away with a score."""
LARGEST: Final = 1e100
"""Numbers in the file of a model are not larger."""
HEADER: Final = ("feature", "weight", "mean", "scale", "items")
FOR: Final = "fitted model for the grammar "
"""The beginning of the first comment in the file of a model."""
TRIVIAL: Final = ("length", "unknown words")
"""The groups of terms that no grammar is needed for; marks belong to length."""
ALSO: Final = "also "
"""The beginning of the comments that name the files of a second grammar."""

More = Callable[["Parse"], Terms]
"""Further terms of the sentence of a parse."""
Each = Callable[[Callable[[ScoredItem], Terms], Sequence[ScoredItem]], Iterable[Terms]]
"""A function that goes through items as `map` does: where there are further terms, each is parsed another time."""


@frozen
class Feature:
    """What one term adds to the score: weight * (value - mean) / scale, the quotient being -3 at least and 3 at most.
    `items` had it when the model was trained."""

    name: str
    weight: float
    mean: float
    scale: float
    items: int

    def distance(self, value: float) -> float:
        """How far a value is from the mean, in standard deviations, up to `FURTHEST`."""
        return max(-FURTHEST, min(FURTHEST, (value - self.mean) / self.scale))


@frozen
class Fitted:
    """The model, a `Scorer`. `about` says what it was trained on and how well it did out of its folds; `also` are the
    files of a second grammar by what they are, and `more` gives the terms of that."""

    name: str
    grammar: str
    intercept: float
    features: tuple[Feature, ...]
    about: tuple[str, ...] = ()
    also: tuple[tuple[str, str], ...] = ()
    more: More | None = field(default=None, compare=False, repr=False)

    def score(self, parse: Parse) -> Score:
        """The predicted rating; `parts` are what each term adds to the intercept, the largest first."""
        terms = terms_of(parse, self.more)
        parts = [(f.name, f.weight * f.distance(terms.get(f.name, 0.0))) for f in self.features]
        value = self.intercept + fsum(part for _, part in parts)
        ordered = sorted(parts, key=lambda part: (-abs(part[1]), part[0]))
        return Score(self.name, value, (), (("intercept", self.intercept), *ordered), stopped_by=parse.stopped_by)

    def __call__(self, parse: Parse) -> Score:
        return self.score(parse)


def terms_of(parse: Parse, more: More | None = None) -> Terms:
    """All terms of the sentence of a parse."""
    return size_of(parse) | counts_of(parse) | ({} if more is None else more(parse))


@frozen
class TermsJob:
    """Gives all terms of an item."""

    more: More | None

    def __call__(self, scored: ScoredItem) -> Terms:
        return terms_of(scored.parse, self.more)


@frozen
class Fit:
    """A fitted model, for each sentence the score by the model of the other folds, the penalty, and the part of their
    words by which sentences counted as variants of each other (`folds`).

    `trivial` are the scores, by models of the same other folds, of a regression on the terms that no grammar is needed
    for: length, unknown words, marks.
    """

    model: Fitted
    held_out: tuple[float, ...]
    penalty: float
    variants: float | None
    trivial: tuple[float, ...]


def fit(
    items: Sequence[ScoredItem],
    name: str,
    grammar: str,
    seed: int = 0,
    folds: int = FOLDS,
    more: More | None = None,
    each_item: Each = map,
) -> Fit:
    """Train on items that have a rating and words. Raises DataError where there are too few or all are rated the same,
    or all are variants of fewer sentences than there are folds; UsageError for fewer folds than `FEWEST_FOLDS`.

    The penalty of each fold is chosen by the other folds alone, so that `held_out` owes nothing to the ratings of its
    own fold; means and standard deviations of the terms are those of all sentences.
    """
    ratings = ratings_of(items)
    _check_number(len(items), len(set(ratings)), folds)
    divided = folds_of([each.item for each in items], [each.parse.lattice.tokens for each in items], seed, folds)
    groups = len(set(divided.of))
    if groups < folds:
        raise DataError(
            f"{len(items)} rated sentences in {groups} groups: too few for {folds} folds\n"
            "  what belongs together shares its fold: take fewer --folds, or add other sentences"
        )
    terms = list(each_item(TermsJob(more), items))
    features = [_measured(name, number, terms) for name, number in _frequent(terms)]
    rows = [[feature.distance(row.get(feature.name, 0.0)) for feature in features] for row in terms]
    found = ridge(rows, ratings, divided.of)
    slopes = [weight / scale for weight, scale in zip(found.solved.weights, found.solved.scales, strict=True)]
    intercept = found.solved.intercept - fsum(map(mul, slopes, found.solved.means))
    weighed = tuple(replace(feature, weight=slope) for feature, slope in zip(features, slopes, strict=True))
    model = Fitted(name, grammar, intercept, weighed, more=more)
    trivial = [place for place, feature in enumerate(features) if group_of(feature.name).name in TRIVIAL]
    alone = ridge([[row[place] for place in trivial] for row in rows], ratings, divided.of)
    return Fit(model, tuple(found.held_out), found.penalty, divided.variants, tuple(alone.held_out))


def _check_number(items: int, ratings: int, folds: int) -> None:
    """Raises UsageError for too few folds, DataError for too few items or too few different ratings."""
    if folds < FEWEST_FOLDS:
        raise UsageError(f"{folds} folds are too few\n  a fitted model needs at least {FEWEST_FOLDS}")
    if items < 2 * folds or ratings < 2:
        raise DataError(
            f"{counted(items, 'rated sentence')}, {counted(ratings, 'different rating')}: "
            "too few to learn from\n"
            f"  a fitted model needs at least {2 * folds} sentences that are not all rated the same"
            + (", or fewer --folds" if folds > FOLDS else "")
        )


def _frequent(terms: Sequence[Terms]) -> list[tuple[str, int]]:
    """The terms that enough sentences have, by name, and how many have them."""
    frequency = Counter(name for row in terms for name, value in row.items() if value)
    least = max(LEAST_ITEMS, LEAST_SHARE * len(terms))
    return sorted((name, number) for name, number in frequency.items() if number >= least)


def _measured(name: str, number: int, terms: Sequence[Terms]) -> Feature:
    """A term with its mean and standard deviation, without weight."""
    values = [row.get(name, 0.0) for row in terms]
    mean = fsum(values) / len(values)
    scale = sqrt(fsum((value - mean) ** 2 for value in values) / len(values))
    return Feature(name, 0.0, mean, scale if scale > 1e-9 else 1.0, number)


def format_fitted(model: Fitted) -> str:
    """The model as a table that can be read, by people and by `read_fitted`."""
    also = [f"{ALSO}{what}: {path}" for what, path in model.also]
    lines = [f"# {line}" for line in (FOR + model.grammar, *also, *model.about)]
    lines.append("\t".join(HEADER))
    lines.append(f"intercept\t{model.intercept!r}\t0.0\t1.0\t0")
    lines += [f"{f.name}\t{f.weight!r}\t{f.mean!r}\t{f.scale!r}\t{f.items}" for f in model.features]
    return "\n".join(lines) + "\n"


def read_fitted(path: str, grammar: Grammar) -> Fitted:
    """Read a model back. Raises MissingFileError, DataError with the line, UsageError for one of another grammar."""
    lines = lines_of(path, "write the model again with numbat learn costs")
    told = [line.removeprefix("# ") for line in lines if line.startswith("#")]
    if not told or not told[0].startswith(FOR):
        raise DataError(f"{path}: no fitted model\n  write one with numbat learn costs")
    of = told[0].removeprefix(FOR)
    if of != grammar.name:
        raise UsageError(
            f'{path} was fitted for the grammar "{of}", not for "{grammar.name}"\n  fit one with numbat learn costs'
        )
    features = list(_features(lines, path))
    if not features or features[0].name != "intercept":
        raise DataError(f"{path}: no fitted model\n  write one with numbat learn costs")
    also = [line.removeprefix(ALSO).partition(": ") for line in told[1:] if line.startswith(ALSO)]
    about = tuple(line for line in told[1:] if not line.startswith(ALSO))
    files = tuple((what, file) for what, _, file in also)
    totals = any(f.name.startswith("violated ") and f.name.endswith(OF_ALL) for f in features)
    return Fitted("fitted", of, features[0].weight, tuple(features[1:]), about, files, totals_of if totals else None)


def _features(lines: Sequence[str], path: str) -> Iterator[Feature]:
    problems: list[Problem] = []
    for number, line in enumerate(lines, start=1):
        cells = cells_of(line)
        if not line or line.startswith("#") or tuple(cells) == HEADER:
            continue
        try:
            name, weight, mean, scale, items = cells
            feature = Feature(name, float(weight), float(mean), float(scale), int(items))
            wrong = _wrong(feature)
        except ValueError:
            wrong = "no line of a fitted model: feature, weight, mean, scale, items"
        if wrong:
            problems.append(Problem(wrong, Span(path, number), hint="write the model anew with numbat learn costs"))
        else:
            yield feature
    if problems:
        raise data_error(*problems)


def _wrong(feature: Feature) -> str:
    """What keeps the numbers of a feature from being added up; empty where nothing does."""
    for what in ("weight", "mean", "scale"):
        number = getattr(feature, what)
        if not abs(number) <= LARGEST:
            return f'the {what} of "{feature.name}" is {number}: it must be a number from -{LARGEST:g} to {LARGEST:g}'
    return "" if feature.scale > 0 else f'the scale of "{feature.name}" is {feature.scale}: it must be above 0'
