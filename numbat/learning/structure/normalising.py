"""Weights of events as probabilities, under which a sentence's trees have the same shares (Smith & Johnson 2007)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from numbat.learning.structure.estimation import shares_of
from numbat.parsing.dependency_model.model import HAS_CHILD, NO_CHILD, Weights

if TYPE_CHECKING:
    from numbat.parsing.dependency_model.model import Numbers

CLOSE: Final = 1e-13
ROUNDS: Final = 1_000


def as_probabilities(weights: Weights) -> Weights:
    """The probabilities of the model that a tree of these weights is drawn from.

    The trees of one sentence all have as many words as it, so a factor for each word changes no share: it is made so
    small that the sums over all trees of all sentences are finite.
    """
    import numpy as np

    factor = 1.0
    while True:
        sums = _sums(weights, factor)
        if sums is not None:
            break
        factor /= 2
    child = weights.child * (factor * sums)[None, None, :]
    more = child.sum(axis=2)
    one = weights.go * more[..., None]
    rest = weights.stop[..., HAS_CHILD] / (1.0 - one[..., HAS_CHILD])
    stop = np.empty_like(weights.stop)
    stop[..., HAS_CHILD] = 1.0 - one[..., HAS_CHILD]
    goes = one[..., NO_CHILD] * rest
    stop[..., NO_CHILD] = weights.stop[..., NO_CHILD] / (weights.stop[..., NO_CHILD] + goes)
    return Weights(stop, 1.0 - stop, shares_of(child, 0.0), shares_of(weights.root * sums, 0.0))


def _sums(weights: Weights, factor: float) -> Numbers | None:
    """By tag the sum over trees below such a word, each other word counting `factor`; None where it is infinite."""
    import numpy as np

    found: Numbers = np.ones(len(weights.root))
    for _ in range(ROUNDS):
        more = (weights.child * (factor * found)[None, None, :]).sum(axis=2)
        one = weights.go * more[..., None]
        if (one[..., HAS_CHILD] > 0.9).any() or not np.isfinite(one).all():
            return None
        rest = weights.stop[..., HAS_CHILD] / (1.0 - one[..., HAS_CHILD])
        half = weights.stop[..., NO_CHILD] + one[..., NO_CHILD] * rest
        before, found = found, half.prod(axis=1)
        if (np.abs(found - before) <= CLOSE * found).all():
            return found
    return None
