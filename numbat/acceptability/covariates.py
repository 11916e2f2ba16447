"""What scores say of ratings beyond the length of sentences, unknown words and how frequent their words are."""

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
    known: dict[str, Predictor] = {LENGTH: lambda each: float(each.length), UNKNOWN: lambda item: float(item.unknown)}
    if frequency is not None:
        known[FREQUENCY] = frequency
    columns = {name: [of(scored_item) for scored_item in compared] for name, of in known.items()}
    columns = {name: column for name, column in columns.items() if len(set(column)) > 1}
    ratings = ratings_of(compared)
    if LENGTH not in columns or len(compared) < MANY_MORE * (len(columns) + 2) or len(set(ratings)) < 2:
        return ()
    return _beyond({name: [of(each) for each in compared] for name, of in predictors.items()}, compared, columns, seed)


def _beyond(
    scored: Mapping[str, Sequence[float]],
    compared: Sequence[ScoredItem],
    columns: Mapping[str, Sequence[float]],
    seed: int,
) -> tuple[BeyondLength, ...]:
    """Return for each predictor what its scores say beyond these columns."""
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
        BeyondLength(name, tuple(columns), partial(own, length), partial(own, covariates), whole, increase(own))
        for name, own in scored.items()
    )


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
    return lambda scored_item: known[scored_item.id]


def _of_words(words: WordFrequencies) -> Predictor:
    def mean_zipf(item: ScoredItem) -> float:
        forms = item.parse.lattice.tokens
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
