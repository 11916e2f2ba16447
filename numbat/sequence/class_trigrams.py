"""Class trigrams: the labels of a token and of its two neighbours as one class, and a learner's predictions of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from numbat.records import frozen

EDGE: Final = ""
"""Stands for the label before the first and after the last token; no label of a file is empty."""

Trigram = tuple[str, str, str]
"""The labels of the token before, of the token itself and of the token after."""

Distribution = Mapping[Trigram, float]
"""The confidence of each class for one token, as a learner predicts it; they add up to 1."""


@frozen
class Prediction:
    """The predicted trigram of one token with the confidence of the class and of its parts.

    A part has the summed confidence of all classes of the distribution that agree on it, so that it is never less than
    the confidence of the trigram.
    """

    labels: Trigram
    trigram: float
    pairs: tuple[float, float]
    singles: tuple[float, float, float]


def trigrams(labels: Sequence[str]) -> list[Trigram]:
    """The class of each token of a labelled sentence."""
    padded = (EDGE, *labels, EDGE)
    return list(zip(padded, padded[1:], padded[2:], strict=False))


def predict(distribution: Distribution, frequency: Mapping[Trigram, int] | None = None) -> Prediction:
    """The most confident class and the confidence of its parts.

    Of several equally confident classes the one that is most frequent in training counts, then the first in the
    alphabet.
    """
    if not distribution:
        raise ValueError("a distribution has at least one class")
    often = frequency or {}
    best = min(distribution, key=lambda trigram: (-distribution[trigram], -often.get(trigram, 0), trigram))
    left, focus, right = best
    pairs, singles = [0.0, 0.0], [0.0, 0.0, 0.0]
    for (one, two, three), share in distribution.items():
        pairs[0] += share * (one == left and two == focus)
        pairs[1] += share * (two == focus and three == right)
        singles[0] += share * (one == left)
        singles[1] += share * (two == focus)
        singles[2] += share * (three == right)
    return Prediction(best, distribution[best], (pairs[0], pairs[1]), (singles[0], singles[1], singles[2]))


def domains(predictions: Sequence[Prediction]) -> list[tuple[str, ...]]:
    """The candidate labels of each token, at most three: first its own prediction, then those of its neighbours."""
    found = []
    for i, own in enumerate(predictions):
        labels = [own.labels[1]]
        if i:
            labels.append(predictions[i - 1].labels[2])
        if i + 1 < len(predictions):
            labels.append(predictions[i + 1].labels[0])
        found.append(tuple(dict.fromkeys(label for label in labels if label != EDGE)))
    return found


def marginals_of(distributions: Iterable[Distribution]) -> list[dict[str, float]]:
    """For each token the confidence of each label: the mean of the predictions of the token and of its neighbours.

    What a neighbour predicts to be outside the sentence is left out; the rest is scaled to add up to 1.
    """
    every = list(distributions)
    result = []
    for i in range(len(every)):
        sums: dict[str, float] = {}
        for position, part in ((i - 1, 2), (i, 1), (i + 1, 0)):
            for trigram, share in every[position].items() if 0 <= position < len(every) else ():
                if trigram[part] != EDGE:
                    sums[trigram[part]] = sums.get(trigram[part], 0.0) + share
        total = sum(sums.values())
        result.append({label: share / total for label, share in sums.items()})
    return result
