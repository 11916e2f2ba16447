"""Expectation maximisation for the dependency model with valence, with add-lambda smoothing and a structural bias."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from numbat.learning.structure.sentences import TagSentences
from numbat.parsing.dependency_model.inference import sums
from numbat.parsing.dependency_model.model import Bias, Weights, no_counts

if TYPE_CHECKING:
    from numbat.parsing.dependency_model.model import Numbers

MOST_ITERATIONS: Final = 100
TOLERANCE: Final = 1e-5
"""Learning has converged where the objective changes by less than this share of it."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """Probabilities, what the objective was before the last step, natural logarithm, and how many steps were made."""

    weights: Weights
    objective: float
    iterations: int


def expectation(sentences: TagSentences, weights: Weights, bias: Bias) -> tuple[float, Weights]:
    """The logarithm of the likelihood of all sentences, and the expected counts of all events (the E step)."""
    counts = no_counts(len(sentences.tags))
    found = 0.0
    for batch in sentences.batches:
        found += float(batch.shares @ sums(batch, weights, bias, counts))
    return found, counts


def maximized(counts: Weights, smoothing: float) -> Weights:
    """The probabilities of greatest likelihood for counts, `smoothing` (lambda) added to each (the M step).

    What was never seen, and has nothing added, is uniform.
    """
    stop = shares_of(_joined(counts.stop, counts.go), smoothing)[..., 0]
    return Weights(stop, 1.0 - stop, shares_of(counts.child, smoothing), shares_of(counts.root, smoothing))


def em(sentences: TagSentences, start: Weights, smoothing: float, bias: Bias, most: int = MOST_ITERATIONS) -> Estimate:
    """Learns until the objective changes by less than `TOLERANCE` of it, or for `most` steps.

    The objective is the logarithm of the likelihood under the bias, and of the smoothing as a prior; it never falls.
    """
    weights, before, steps = start, None, 0
    while steps < most:
        steps += 1
        likelihood, counts = expectation(sentences, weights, bias)
        objective = likelihood + prior(weights, smoothing)
        weights = maximized(counts, smoothing)
        if before is not None and abs(objective - before) < TOLERANCE * abs(before):
            break
        before = objective
    return Estimate(weights, objective, steps)


def prior(weights: Weights, smoothing: float) -> float:
    """The logarithm of the prior that adding `smoothing` to counts stands for, but for a constant."""
    import numpy as np

    if not smoothing:
        return 0.0
    return smoothing * sum(float(np.log(each).sum()) for each in weights)


def shares_of(counts: Numbers, smoothing: float) -> Numbers:
    """Counts as shares of the sums over the last axis."""
    import numpy as np

    added = counts + smoothing
    total = added.sum(axis=-1, keepdims=True)
    size = counts.shape[-1]
    return np.where(total > 0, added / np.where(total > 0, total, 1.0), 1.0 / size)


def _joined(first: Numbers, second: Numbers) -> Numbers:
    import numpy as np

    return np.stack([first, second], axis=-1)
