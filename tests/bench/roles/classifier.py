"""A log-linear classifier: the probabilities of labels given hashed features, trained by AdaGrad in minibatches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tests.bench.roles.hashing import SPACE

Matrix = NDArray[np.float32]
UNKNOWN: Final = 0


@dataclass(frozen=True)
class Settings:
    """`rare`: features that occur less often are left out; `prior` pulls weights to 0 (L2)."""

    epochs: int = 6
    batch: int = 512
    rate: float = 0.05
    prior: float = 1.0
    rare: int = 1
    seed: int = 1


class Classifier:
    """`weights` has a row a feature that was kept, row 0 for all others, and a column a label."""

    def __init__(self, rows: NDArray[np.int32], weights: Matrix) -> None:
        self._rows = rows
        self.weights = weights

    @classmethod
    def train(cls, features: NDArray[np.int32], labels: NDArray[np.int64], size: int, chosen: Settings) -> Classifier:
        """The classifier of `size` labels; `features` has a row an example, `labels` the right one of each."""
        counts = np.bincount(features.ravel(), minlength=SPACE)
        kept = counts >= chosen.rare
        rows = np.where(kept, np.cumsum(kept), UNKNOWN).astype(np.int32)
        weights = _adagrad(rows[features], labels, int(kept.sum()) + 1, size, chosen)
        return cls(rows, weights)

    def log_probabilities(self, features: NDArray[np.int32]) -> NDArray[np.float64]:
        """A row an example, a column a label."""
        parts = [features[i : i + 4096] for i in range(0, len(features), 4096)]
        scores = [self.weights[self._rows[part]].sum(axis=1, dtype=np.float64) for part in parts]
        return _log_softmax(np.concatenate(scores))


def _log_softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    scores = scores - scores.max(axis=1, keepdims=True)
    result: NDArray[np.float64] = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return result


def _adagrad(known: NDArray[np.int32], labels: NDArray[np.int64], height: int, size: int, chosen: Settings) -> Matrix:
    """The weights, averaged over the ends of the later half of the epochs."""
    random = np.random.default_rng(chosen.seed)
    weights = np.zeros((height, size), np.float32)
    squares = np.full((height, size), 1.0, np.float32)
    averaged = np.zeros_like(weights)
    counts = np.maximum(np.bincount(known.ravel(), minlength=height), 1)
    for epoch in range(chosen.epochs):
        order = random.permutation(len(known))
        for begin in range(0, len(order), chosen.batch):
            batch = order[begin : begin + chosen.batch]
            touched, inverse, times = np.unique(known[batch], return_inverse=True, return_counts=True)
            local = weights[touched]
            slope = np.exp(_log_softmax(local[inverse.reshape(len(batch), -1)].sum(axis=1, dtype=np.float64)))
            slope[np.arange(len(batch)), labels[batch]] -= 1.0
            columns = [
                np.bincount(inverse.ravel(), np.repeat(slope[:, c], known.shape[1]), len(touched)) for c in range(size)
            ]
            # The prior is shared out over the occurrences of a feature, so that an epoch has all of it.
            gradient = np.stack(columns, axis=1) + (chosen.prior * times / counts[touched])[:, None] * local
            gradient[touched == UNKNOWN] = 0.0
            sums = squares[touched] + gradient**2
            squares[touched] = sums
            weights[touched] = local - chosen.rate * gradient / np.sqrt(sums)
        if epoch >= chosen.epochs // 2:
            averaged += weights
    averaged /= chosen.epochs - chosen.epochs // 2
    return averaged
