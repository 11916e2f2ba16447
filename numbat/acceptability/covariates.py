"""What scores say of ratings beyond the length of sentences, unknown words and how frequent their words are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum, log10, sqrt
from operator import mul
from typing import Final

from numbat.acceptability.suite import Suite, units_of
from numbat.acceptability.suite_tables import value_of
from numbat.acceptability.verdicts import Predictor, ScoredItem, comparable, ratings_of
from numbat.errors import DataError, Problem, Span, UsageError, data_error
from numbat.files import cells_of, lines_of
from numbat.records import frozen
from numbat.statistics import Estimate, Scale, estimate_of, pearson

LENGTH: Final = "length"
UNKNOWN: Final = "unknown words"
FREQUENCY: Final = "word frequency"
MANY_MORE: Final = 4
"""There are so many more sentences than covariates at least."""


@frozen
class BeyondLength:
    """What the scores of a predictor say beyond `covariates`: the correlation of what these leave of both (`partial`;
    `over_length`: of what length alone leaves), the share of the variance of ratings that these explain (`explained`),
    and by how much more is explained with the score (`increase`).
    """

    predictor: str
    covariates: tuple[str, ...]
    over_length: Estimate
    partial: Estimate
    explained: float | None
    increase: Estimate


def beyond_length(
    predictors: Mapping[str, Predictor],
    items: Sequence[ScoredItem],
    frequency: Predictor | None = None,
    seed: int = 0,
) -> tuple[BeyondLength, ...]:
    """Return for each predictor what it says beyond length, unknown words and, where it is given, word frequency; empty
    for too few sentences, or where lengths are all the same.
    """
    compared = comparable(items)
    known: dict[str, Predictor] = {LENGTH: lambda each: float(each.length), UNKNOWN: lambda each: float(each.unknown)}
    if frequency is not None:
        known[FREQUENCY] = frequency
    columns = {name: [of(each) for each in compared] for name, of in known.items()}
    columns = {name: column for name, column in columns.items() if len(set(column)) > 1}
    ratings = ratings_of(compared)
    if LENGTH not in columns or len(compared) < MANY_MORE * (len(columns) + 2) or len(set(ratings)) < 2:
        return ()
    units, covariates = units_of([each.item for each in compared]), list(columns.values())

    def estimated(value: Callable[[Sequence[int]], float | None], scale: Scale) -> Estimate:
        return estimate_of(value, len(compared), units, seed, scale)

    def taken(rows: Sequence[Sequence[float]], places: Sequence[int]) -> list[list[float]]:
        return [[row[place] for place in places] for row in rows]

    found = []
    for name, predictor in predictors.items():
        scores = [predictor(each) for each in compared]

        def partial(of: Sequence[Sequence[float]], scores: Sequence[float] = scores) -> Estimate:
            return estimated(
                lambda places: partial_correlation(
                    [scores[i] for i in places], [ratings[i] for i in places], taken(of, places)
                ),
                "correlation",
            )

        def increase(places: Sequence[int], scores: Sequence[float] = scores) -> float | None:
            rated, of = [ratings[i] for i in places], taken(covariates, places)
            alone, both = explained(rated, of), explained(rated, [*of, [scores[i] for i in places]])
            return None if alone is None or both is None else both - alone

        found.append(
            BeyondLength(
                name,
                tuple(columns),
                partial([columns[LENGTH]]),
                partial(covariates),
                explained(ratings, covariates),
                estimated(increase, "difference"),
            )
        )
    return tuple(found)


def partial_correlation(
    scores: Sequence[float], ratings: Sequence[float], covariates: Sequence[Sequence[float]]
) -> float | None:
    """Return the correlation of what the covariates leave of scores and ratings; None where they leave nothing."""
    axes = _axes(covariates)
    one, other = (_rest(_centred(row), axes) for row in (scores, ratings))
    for whole, rest in ((scores, one), (ratings, other)):
        if fsum(map(mul, rest, rest)) <= 1e-12 * (1 + fsum(map(mul, whole, whole))):
            return None
    return pearson(one, other)


def explained(ratings: Sequence[float], covariates: Sequence[Sequence[float]]) -> float | None:
    """Return the share of the variance of ratings that a linear regression on the covariates explains."""
    whole = _centred(ratings)
    variance = fsum(map(mul, whole, whole))
    if variance <= 1e-12 * (1 + fsum(map(mul, ratings, ratings))):
        return None
    rest = _rest(whole, _axes(covariates))
    return 1 - fsum(map(mul, rest, rest)) / variance


def _centred(row: Sequence[float]) -> list[float]:
    middle = fsum(row) / len(row)
    return [each - middle for each in row]


def _axes(rows: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return rows of length 1 at right angles that span what the centred rows do (Gram & Schmidt)."""
    found: list[list[float]] = []
    for row in rows:
        centred = _centred(row)
        rest = _rest(centred, found)
        size = sqrt(fsum(map(mul, rest, rest)))
        if size > 1e-9 * (1 + sqrt(fsum(map(mul, centred, centred)))):
            found.append([each / size for each in rest])
    return found


def _rest(row: Sequence[float], axes: Sequence[Sequence[float]]) -> list[float]:
    rest = list(row)
    for axis in axes:
        along = fsum(map(mul, rest, axis))
        rest = [each - along * step for each, step in zip(rest, axis, strict=True)]
    return rest


# Word frequencies: a column of the suite, or a list of words with counts


def frequency_of(name: str, suite: Suite) -> Predictor:
    """Return the word frequency of sentences: the column of that name of the suite, or by the list in that file the
    mean of the words on Zipf's scale. Raises UsageError, MissingFileError and DataError.
    """
    if any(value_of(item, name) for item in suite.items):
        return _of_column(name, suite)
    return _of_words(read_frequencies(name))


def _of_column(name: str, suite: Suite) -> Predictor:
    known = {}
    for item in suite.items:
        try:
            known[item.id] = float(value_of(item, name))
        except ValueError:
            raise UsageError(
                f'{suite.place(item)}: "{value_of(item, name)}" in the column {name} is no frequency\n  write a number'
            ) from None
    return lambda each: known[each.id]


def _of_words(words: WordFrequencies) -> Predictor:
    def mean_zipf(each: ScoredItem) -> float:
        forms = each.parse.lattice.tokens
        return fsum(map(words.zipf, forms)) / max(1, len(forms))

    return mean_zipf


@frozen
class WordFrequencies:
    """Counts of word forms in small letters, and their sum."""

    counts: Mapping[str, float]
    total: float

    def zipf(self, word: str) -> float:
        """Return the logarithm of the frequency of a word in a thousand million, from the counts with one added (van
        Heuven et al. 2014).
        """
        millions = (self.total + len(self.counts)) / 1e6
        return log10((self.counts.get(word.lower(), 0.0) + 1) / millions) + 3


def read_frequencies(path: str) -> WordFrequencies:
    """Return the counts of a list of words: a word and its count a line, with a TAB, comma, semicolon or blank between.

    A first line without a number names the columns. Raises MissingFileError, DataError with the lines that are none.
    """
    counts: dict[str, float] = {}
    problems = []
    for number, line in enumerate(lines_of(path), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        separator = next((sign for sign in ("\t", ";", ",") if sign in line), None)
        cells = cells_of(line) if separator == "\t" else line.split(separator)
        try:
            word, count = cells[0].strip().lower(), float(cells[1])
        except (IndexError, ValueError):
            word, count = "", -1.0
        if word and 0 <= count < 1e15:
            counts[word] = counts.get(word, 0.0) + count
        elif number > 1:
            problems.append(Problem("no word with its count", Span(path, number), hint="write: the, a TAB, 1234"))
    if problems:
        raise data_error(*problems)
    if not sum(counts.values()):
        raise DataError(f"{path}: no counts of words\n  a line has a word and its count, with a TAB between")
    return WordFrequencies(counts, sum(counts.values()))
