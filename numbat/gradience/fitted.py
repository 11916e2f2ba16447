"""A model that learns from rated sentences what a property costs, by relation and construction.

Ridge regression of the rating on counts of property instances: violated ones, satisfied ones per word, and fragments.
The penalty is chosen, and the model judged, on sentences that it was not trained on: the folds keep minimal pairs and
repeated sentences together. The model is kept as a readable table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

from numbat.errors import DataError, MissingFileError, UsageError
from numbat.gradience.experiment import Scored
from numbat.gradience.models import Score
from numbat.grammar.model import Grammar
from numbat.source import Problem, Span

if TYPE_CHECKING:
    from numbat.parsing.result import Parse

FOLDS: Final = 5
PENALTIES: Final = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
LEAST_ITEMS: Final = 3
"""A count that is above 0 in fewer sentences is left out."""
FRAGMENTS: Final = "fragments"
HEADER: Final = ("feature", "weight", "mean", "scale", "items")


@dataclass(frozen=True, slots=True)
class Feature:
    """What one count adds to the score: weight * (count - mean) / scale. `items` had it when the model was trained."""

    name: str
    weight: float
    mean: float
    scale: float
    items: int


@dataclass(frozen=True, slots=True)
class Fitted:
    """The model. `about` says what it was trained on and how well it did out of its folds."""

    name: str
    grammar: str
    intercept: float
    features: tuple[Feature, ...]
    about: tuple[str, ...] = ()

    def score(self, parse: Parse) -> Score:
        """The predicted rating; `parts` are what each count adds to the intercept, the largest first."""
        counts = counts_of(parse)
        parts = [(f.name, f.weight * (counts.get(f.name, 0.0) - f.mean) / f.scale) for f in self.features]
        value = self.intercept + fsum(part for _, part in parts)
        ordered = sorted(parts, key=lambda part: (-abs(part[1]), part[0]))
        return Score(self.name, value, (), (("intercept", self.intercept), *ordered), stopped_by=parse.stopped_by)


def counts_of(parse: Parse) -> dict[str, float]:
    """The counts of a parse by name: `violated NP linearity`, `violated linearity` and `violated`, the same of
    `satisfied` (per word), and `fragments`: sums over constructions let rare violations learn from frequent ones.
    """
    words = max(1, len(parse.lattice.tokens))
    counts: Counter[str] = Counter()
    for each in parse.evaluated:
        truth, relation = "satisfied" if each.satisfied else "violated", each.property.relation
        for name in (truth, f"{truth} {relation}", f"{truth} {each.constituent.construction} {relation}"):
            counts[name] += 1
    found = {name: count / words if name.startswith("satisfied") else float(count) for name, count in counts.items()}
    found[FRAGMENTS] = 0.0 if parse.is_full else float(len(parse.constituents))
    return found


@dataclass
class _Moments:
    """Sums over sentences from which a regression is solved; those of a fold can be taken off those of all."""

    number: int
    x: list[float]
    xx: list[list[float]]
    y: float
    xy: list[float]

    @classmethod
    def of(cls, rows: Sequence[dict[int, float]], ratings: Sequence[float], size: int) -> _Moments:
        sums = cls(len(rows), [0.0] * size, [[0.0] * size for _ in range(size)], fsum(ratings), [0.0] * size)
        for row, rating in zip(rows, ratings, strict=True):
            for i, value in row.items():
                sums.x[i] += value
                sums.xy[i] += value * rating
                line = sums.xx[i]
                for j, other in row.items():
                    line[j] += value * other
        return sums

    def without(self, other: _Moments) -> _Moments:
        return _Moments(
            self.number - other.number,
            [a - b for a, b in zip(self.x, other.x, strict=True)],
            [[a - b for a, b in zip(one, two, strict=True)] for one, two in zip(self.xx, other.xx, strict=True)],
            self.y - other.y,
            [a - b for a, b in zip(self.xy, other.xy, strict=True)],
        )


@dataclass(frozen=True)
class _Solved:
    intercept: float
    weights: list[float]
    means: list[float]
    scales: list[float]

    def predict(self, row: dict[int, float]) -> float:
        everywhere = self.intercept - fsum(
            w * m / s for w, m, s in zip(self.weights, self.means, self.scales, strict=True)
        )
        return everywhere + fsum(self.weights[i] * value / self.scales[i] for i, value in row.items())


def _solve(sums: _Moments, penalty: float) -> _Solved:
    """(R + penalty) b = r, R and r being correlations of standardised counts; counts that do not vary weigh nothing."""
    number = sums.number
    means = [x / number for x in sums.x]
    variances = [sums.xx[i][i] / number - mean * mean for i, mean in enumerate(means)]
    scales = [sqrt(variance) if variance > 1e-12 else 0.0 for variance in variances]
    used = [i for i, scale in enumerate(scales) if scale]
    rating = sums.y / number
    matrix = [
        [
            (sums.xx[i][j] / number - means[i] * means[j]) / (scales[i] * scales[j]) + (penalty if i == j else 0.0)
            for j in used
        ]
        for i in used
    ]
    right = [(sums.xy[i] / number - means[i] * rating) / scales[i] for i in used]
    weights = [0.0] * len(means)
    for i, weight in zip(used, cholesky_solve(matrix, right), strict=True):
        weights[i] = weight
    return _Solved(rating, weights, means, [scale or 1.0 for scale in scales])


def cholesky_solve(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Solve a symmetric, positive definite system."""
    size = len(right)
    lower: list[list[float]] = []
    for i in range(size):
        row: list[float] = []
        for j in range(i):
            row.append((matrix[i][j] - sum(a * b for a, b in zip(row, lower[j], strict=False))) / lower[j][j])
        row.append(sqrt(max(1e-12, matrix[i][i] - sum(a * a for a in row))))
        lower.append(row)
    half: list[float] = []
    for i in range(size):
        half.append((right[i] - sum(a * b for a, b in zip(lower[i], half, strict=False))) / lower[i][i])
    found = [0.0] * size
    for i in range(size - 1, -1, -1):
        below = sum(lower[k][i] * found[k] for k in range(i + 1, size))
        found[i] = (half[i] - below) / lower[i][i]
    return found


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted model, and for each sentence the score by the model of the other folds."""

    model: Fitted
    held_out: tuple[float, ...]
    penalty: float


def fit(items: Sequence[Scored], name: str, grammar: str, seed: int = 0, folds: int = FOLDS) -> Fit:
    """Train on items that have a rating and words. Raises DataError where there are too few or all are rated the same.

    The penalty of each fold is chosen by the other folds alone, so that `held_out` owes nothing to its own fold.
    """
    ratings = [each.item.rating or 0.0 for each in items]
    if len(items) < 2 * folds or len(set(ratings)) < 2:
        raise DataError(
            f"{len(items)} rated sentences, {len(set(ratings))} different ratings: too few to learn from\n"
            f"  a fitted model needs at least {2 * folds} sentences that are not all rated the same"
        )
    counts = [counts_of(each.parse) for each in items]
    frequency = Counter(name for row in counts for name, value in row.items() if value)
    names = sorted(name for name, number in frequency.items() if number >= LEAST_ITEMS)
    place = {name: i for i, name in enumerate(names)}
    rows = [{place[name]: value for name, value in row.items() if name in place and value} for row in counts]
    fold_of = _folds(items, seed, folds)
    sums = [_Moments.of(*_chosen(rows, ratings, fold_of, fold), len(names)) for fold in range(folds)]
    whole = _Moments.of(rows, ratings, len(names))
    held_out = [0.0] * len(items)
    for fold in range(folds):
        others = [other for other in range(folds) if other != fold]
        rest = whole.without(sums[fold])
        solved = _solve(rest, _best_penalty(rest, sums, others, rows, ratings, fold_of))
        for i in (i for i, own in enumerate(fold_of) if own == fold):
            held_out[i] = solved.predict(rows[i])
    penalty = _best_penalty(whole, sums, list(range(folds)), rows, ratings, fold_of)
    final = _solve(whole, penalty)
    features = tuple(
        Feature(name, final.weights[i], final.means[i], final.scales[i], frequency[name])
        for i, name in enumerate(names)
    )
    return Fit(Fitted(name, grammar, final.intercept, features), tuple(held_out), penalty)


def _folds(items: Sequence[Scored], seed: int, folds: int) -> list[int]:
    """The fold of each item; those of one pair, or with the same words, share theirs."""
    groups = [each.item.pair or " ".join(each.parse.lattice.tokens) for each in items]
    order = sorted(set(groups))
    Random(seed).shuffle(order)
    fold = {group: i % folds for i, group in enumerate(order)}
    return [fold[group] for group in groups]


def _chosen(
    rows: Sequence[dict[int, float]], ratings: Sequence[float], fold_of: Sequence[int], fold: int
) -> tuple[list[dict[int, float]], list[float]]:
    kept = [i for i, own in enumerate(fold_of) if own == fold]
    return [rows[i] for i in kept], [ratings[i] for i in kept]


def _best_penalty(
    whole: _Moments,
    sums: Sequence[_Moments],
    folds: Sequence[int],
    rows: Sequence[dict[int, float]],
    ratings: Sequence[float],
    fold_of: Sequence[int],
) -> float:
    """The penalty with the least squared error on each of some folds by a model of the others."""
    errors = []
    for penalty in PENALTIES:
        error = 0.0
        for fold in folds:
            solved = _solve(whole.without(sums[fold]), penalty)
            error += sum(
                (solved.predict(row) - rating) ** 2
                for row, rating in zip(*_chosen(rows, ratings, fold_of, fold), strict=True)
            )
        errors.append((error, penalty))
    return min(errors)[1]


def format_fitted(model: Fitted) -> str:
    """The model as a table that can be read, by people and by `read_fitted`."""
    lines = [f"# {line}" for line in (f"fitted model for the grammar {model.grammar}", *model.about)]
    lines.append("\t".join(HEADER))
    lines.append(f"intercept\t{model.intercept!r}\t0.0\t1.0\t0")
    lines += [f"{f.name}\t{f.weight!r}\t{f.mean!r}\t{f.scale!r}\t{f.items}" for f in model.features]
    return "\n".join(lines) + "\n"


def read_fitted(path: str, grammar: Grammar) -> Fitted:
    """Read a model back. Raises MissingFileError, DataError with the line, UsageError for one of another grammar."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise MissingFileError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    lines = text.split("\n")
    told = [line.removeprefix("# ") for line in lines if line.startswith("#")]
    of = told[0].rpartition("grammar ")[2] if told else ""
    if of != grammar.name:
        raise UsageError(
            f'{path} was fitted for the grammar "{of}", not for "{grammar.name}"\n  fit one with numbat fit'
        )
    features = list(_features(lines, path))
    if not features or features[0].name != "intercept":
        raise DataError(f"{path}: no fitted model\n  write one with numbat fit")
    return Fitted("fitted", of, features[0].weight, tuple(features[1:]), tuple(told[1:]))


def _features(lines: Sequence[str], path: str) -> Iterator[Feature]:
    for number, line in enumerate(lines, start=1):
        cells = line.split("\t")
        if not line or line.startswith("#") or tuple(cells) == HEADER:
            continue
        try:
            name, weight, mean, scale, items = cells
            feature = Feature(name, float(weight), float(mean), float(scale), int(items))
        except ValueError:
            hint = "write the model anew with numbat fit"
            raise DataError(
                str(
                    Problem(
                        "no line of a fitted model: feature, weight, mean, scale, items", Span(path, number), hint=hint
                    )
                )
            ) from None
        yield feature
