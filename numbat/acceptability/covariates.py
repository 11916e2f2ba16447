"""Correlation of scores with ratings beyond sentence length, unknown words and word frequency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum, log10
from typing import Any, Final

from numbat.acceptability.suite import Suite, units_of
from numbat.acceptability.suite_tables import value_of
from numbat.acceptability.verdicts import Predictor, ScoredItem, comparable, ratings_of
from numbat.errors import DataError, Problem, Span, UsageError, data_error
from numbat.files import cells_of, lines_of
from numbat.records import frozen
from numbat.statistics.correlations import Numbers, explained, less, partial_correlation
from numbat.statistics.intervals import Estimate, Kept, estimate_of

LENGTH: Final = "length"
UNKNOWN: Final = "unknown words"
FREQUENCY: Final = "word frequency"
MANY_MORE: Final = 4
"""Minimum number of sentences for each covariate."""


@frozen
class BeyondLength:
    """The correlation of a predictor's scores with ratings, controlled for `covariates` (`partial`) or for length alone
    (`over_length`); the share of the variance of ratings that the covariates explain (`explained`), and how much the
    score adds to it (`increase`).
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
    """Return for each predictor what it predicts beyond length, unknown words and word frequency (if given).

    The result is empty if there are too few sentences or all have the same length.
    """
    compared = comparable(items)
    known: dict[str, Predictor] = {LENGTH: lambda item: float(item.length), UNKNOWN: lambda item: float(item.unknown)}
    if frequency is not None:
        known[FREQUENCY] = frequency
    columns = {name: [of(item) for item in compared] for name, of in known.items()}
    columns = {name: column for name, column in columns.items() if len(set(column)) > 1}
    ratings = ratings_of(compared)
    if LENGTH not in columns or len(compared) < MANY_MORE * (len(columns) + 2) or len(set(ratings)) < 2:
        return ()
    return _beyond({name: [of(item) for item in compared] for name, of in predictors.items()}, compared, columns, seed)


def _beyond(
    scored: Mapping[str, Sequence[float]],
    compared: Sequence[ScoredItem],
    columns: Mapping[str, Sequence[float]],
    seed: int,
) -> tuple[BeyondLength, ...]:
    """Return for each predictor what its scores predict beyond the covariates in `columns`."""
    import numpy as np

    units, number = units_of([item.item for item in compared]), len(compared)
    ratings, length, covariates = (
        np.asarray(of) for of in (ratings_of(compared), [columns[LENGTH]], [*columns.values()])
    )

    def partial(scores: Numbers, of: Any) -> Estimate:
        row = np.asarray(scores)
        return estimate_of(
            lambda kept: partial_correlation(row[kept], ratings[kept], of[:, kept]), number, units, seed, "correlation"
        )

    def increase(scores: Numbers) -> Estimate:
        both = np.vstack([covariates, scores])

        def more(kept: Kept) -> float | None:
            return less(explained(ratings[kept], both[:, kept]), explained(ratings[kept], covariates[:, kept]))

        return estimate_of(more, number, units, seed)

    whole = explained(ratings, covariates)
    return tuple(
        BeyondLength(
            name, tuple(columns), partial(scores, length), partial(scores, covariates), whole, increase(scores)
        )
        for name, scores in scored.items()
    )


# Word frequencies: a column of the suite, or a list of words with counts


def frequency_of(name: str, suite: Suite) -> Predictor:
    """Return a predictor: the column `name` of the suite, or mean Zipf frequency by the word list in the file `name`.

    Raises UsageError, MissingFileError and DataError.
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
                f'{suite.place(item)}: "{value_of(item, name)}" in the column {name} is not a number\n'
                "  write a frequency"
            ) from None
    return lambda scored_item: known[scored_item.id]


def _of_words(words: WordFrequencies) -> Predictor:
    def mean_zipf(item: ScoredItem) -> float:
        forms = item.parse.lattice.tokens
        return fsum(map(words.zipf, forms)) / max(1, len(forms))

    return mean_zipf


@frozen
class WordFrequencies:
    """Counts of lower-case word forms, and their sum."""

    counts: Mapping[str, float]
    total: float

    def zipf(self, word: str) -> float:
        """Return the log10 frequency per billion words, smoothed by adding one (van Heuven et al. 2014)."""
        millions = (self.total + len(self.counts)) / 1e6
        return log10((self.counts.get(word.lower(), 0.0) + 1) / millions) + 3


def read_frequencies(path: str) -> WordFrequencies:
    """Read a word list: on each line a word and its count, separated by a TAB, comma, semicolon or blank.

    A first line without a number is a header. Raises MissingFileError, and DataError with the lines at fault.
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
            problems.append(
                Problem("not a word with its count", Span(path, number), hint="write a word, a TAB and its count")
            )
    if problems:
        raise data_error(*problems)
    if not sum(counts.values()):
        raise DataError(f"{path}: no word counts\n  write a word and its count per line, with a TAB between")
    return WordFrequencies(counts, sum(counts.values()))
