"""Totals of the scores of sentences: precision, recall and F1 of brackets, and intervals for them."""

from __future__ import annotations

from random import Random
from typing import Final

from numbat.records import frozen
from numbat.treebank.bracket_scores import SentenceScore

LEVEL: Final = 0.95
"""The share of the resamples that lie in an interval."""
STEP: Final = 10
"""Sentences of so many lengths have a row of their own in a table by length."""


@frozen
class Measure:
    """Precision, recall and F1 from counts of brackets; 0 where there is nothing to count."""

    gold: int
    predicted: int
    matched: int

    @property
    def precision(self) -> float:
        return self.matched / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        return self.matched / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        both = self.gold + self.predicted
        return 2 * self.matched / both if both else 0.0


@frozen
class TreebankScores:
    """All sentences of a run; those with an error count in `coverage` only."""

    sentences: tuple[SentenceScore, ...]

    @property
    def scored(self) -> tuple[SentenceScore, ...]:
        """The sentences that could be compared."""
        return tuple(each for each in self.sentences if not each.error)

    @property
    def labelled(self) -> Measure:
        """Brackets with their labels."""
        return self._measure(sum(each.matched for each in self.scored))

    @property
    def unlabelled(self) -> Measure:
        """Brackets without their labels."""
        return self._measure(sum(each.unlabelled for each in self.scored))

    def _measure(self, matched: int) -> Measure:
        return Measure(sum(each.gold for each in self.scored), sum(each.predicted for each in self.scored), matched)

    @property
    def exact(self) -> float:
        """The share of sentences whose brackets are all right."""
        return _share(sum(each.is_exact for each in self.scored), len(self.scored))

    @property
    def crossing(self) -> float:
        """Crossing brackets per sentence."""
        return _share(sum(each.crossing for each in self.scored), len(self.scored))

    @property
    def uncrossed(self) -> float:
        """The share of the sentences without crossing brackets."""
        return _share(sum(not each.crossing for each in self.scored), len(self.scored))

    @property
    def coverage(self) -> float:
        """The share of all sentences whose prediction is one tree over all words."""
        return _share(sum(each.full for each in self.scored), len(self.sentences))

    @property
    def tagging(self) -> float:
        """The share of words with the right tag."""
        return _share(sum(each.tags for each in self.scored), sum(each.words for each in self.scored))

    def by_label(self) -> dict[str, Measure]:
        """The measure of each label, the most frequent in gold first."""
        counts: dict[str, list[int]] = {}
        for each in self.scored:
            for label, *numbers in each.labels:
                seen = counts.setdefault(label, [0, 0, 0])
                for i, number in enumerate(numbers):
                    seen[i] += number
        return {label: Measure(*counts[label]) for label in sorted(counts, key=lambda each: (-counts[each][0], each))}

    def by_length(self) -> dict[tuple[int, int], TreebankScores]:
        """The sentences by their number of words, 1 to 10, 11 to 20 and so on."""
        bins: dict[tuple[int, int], list[SentenceScore]] = {}
        for each in self.sentences:
            low = max(0, each.words - 1) // STEP * STEP
            bins.setdefault((low + 1, low + STEP), []).append(each)
        return {key: TreebankScores(tuple(bins[key])) for key in sorted(bins)}

    def up_to(self, longest: int) -> TreebankScores:
        """The sentences of so many words at most."""
        return TreebankScores(tuple(each for each in self.sentences if each.words <= longest))


def _share(part: float, whole: int) -> float:
    return part / whole if whole else 0.0


def intervals(scores: TreebankScores, seed: int = 0, samples: int = 1_000) -> dict[str, tuple[float, float]]:
    """Percentile bootstrap over sentences (Efron 1979) of labelled precision, recall and F1 and of exact match."""
    rng = Random(seed)
    rows = [(each.gold, each.predicted, each.matched, int(each.is_exact)) for each in scores.scored]
    if not rows:
        return {}
    found: dict[str, list[float]] = {"precision": [], "recall": [], "f1": [], "exact": []}
    for _ in range(samples):
        drawn = rng.choices(rows, k=len(rows))
        gold, predicted, matched, exact = (sum(column) for column in zip(*drawn, strict=True))
        measure = Measure(gold, predicted, matched)
        for name, value in zip(found, (measure.precision, measure.recall, measure.f1, exact / len(rows)), strict=True):
            found[name].append(value)
    return {name: _percentiles(values) for name, values in found.items()}


def _percentiles(values: list[float]) -> tuple[float, float]:
    ordered = sorted(values)
    cut = round((1 - LEVEL) / 2 * (len(ordered) - 1))
    return ordered[cut], ordered[len(ordered) - 1 - cut]
