"""Predictions of a trained perceptron: the best classes of each token and their confidences.

The best few labels of each of the three places are put together to classes; the confidence of a class is the softmax of
its score among these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from numbat.sequence.class_trigrams import EDGE, Prediction
from numbat.sequence.features import feature_keys
from numbat.sequence.perceptron import WIDTH, Perceptron, edges_of, feature_rows
from numbat.sequence.token_files import TokenColumns

if TYPE_CHECKING:
    from numpy import float32, int64, uint8
    from numpy.typing import NDArray

BATCH: Final = 2_000
"""Tokens that are scored at once."""
TEMPERATURE: Final = 16.0
"""Scores, in the units of the weights, are divided by it before the softmax."""


class BestClasses(NamedTuple):
    """The best labels of the three places of each token (tokens x 3 x width), and the scores of the classes that they
    make (tokens x width^3)."""

    labels: NDArray[int64]
    scores: NDArray[float32]


def best_classes(perceptron: Perceptron, sentences: Sequence[Sequence[TokenColumns]]) -> BestClasses:
    """The scores of the best classes of every token, before the softmax."""
    import numpy as np

    rows = feature_rows(perceptron.keys, feature_keys(sentences, perceptron.forms))
    edges = edges_of([len(sentence) for sentence in sentences])
    size = len(perceptron.labels)
    width = min(WIDTH, size)
    few = np.empty((len(rows), 3, width), np.int64)
    scores = np.empty((len(rows), width, width, width), np.float32)
    flat = perceptron.rows.reshape(len(perceptron.keys), 3 * size)
    for start in range(0, len(rows), BATCH):
        part = slice(start, min(start + BATCH, len(rows)))
        total = np.zeros((part.stop - start, 3 * size), np.float32)
        for template in range(rows.shape[1]):
            total += flat[rows[part, template]]
        by_place = total.reshape(-1, 3, size)
        _mask(by_place, edges[part])
        few[part] = np.argpartition(-by_place, width - 1, axis=2)[:, :, :width]
        scores[part] = _classes(perceptron, few[part], np.take_along_axis(by_place, few[part], axis=2))
    return BestClasses(few, scores.reshape(len(rows), -1))


_IMPOSSIBLE: Final = -1e9
"""The score of a label that a place cannot have."""


def _mask(by_place: NDArray[float32], edges: NDArray[uint8]) -> None:
    """Only the edge is before the first and after the last token, and it is nowhere else."""
    for place in range(3):
        outside = edges[:, place] > 0
        by_place[~outside, place, 0] = _IMPOSSIBLE
        by_place[outside, place, 1:] = _IMPOSSIBLE


def _classes(perceptron: Perceptron, few: NDArray[int64], of_labels: NDArray[float32]) -> NDArray[float32]:
    """The scores of the classes that the best labels of each place, with their own scores, make: tokens x width^3."""
    import numpy as np

    size = len(perceptron.labels)
    x, y, z = few[:, 0, :, None, None], few[:, 1, None, :, None], few[:, 2, None, None, :]
    one, two, three = (of_labels[:, place] for place in range(3))
    left = one[:, :, None] + two[:, None, :] + perceptron.pairs[0][few[:, 0, :, None], few[:, 1, None, :]]
    right = three[:, None, :] + perceptron.pairs[1][few[:, 1, :, None], few[:, 2, None, :]]
    value: NDArray[float32] = left[:, :, :, None] + right[:, None, :, :]
    code = (x * size + y) * size + z
    at = np.minimum(np.searchsorted(perceptron.codes, code), len(perceptron.codes) - 1)
    value += np.where(perceptron.codes[at] == code, perceptron.trigrams[at], np.float32(0))
    return value


def confidences(best: BestClasses) -> NDArray[float32]:
    """The softmax of the scores at the temperature: tokens x width x width x width."""
    import numpy as np

    sharp = best.scores / np.float32(TEMPERATURE)
    sharp -= sharp.max(axis=1, keepdims=True)
    np.exp(sharp, out=sharp)
    sharp /= sharp.sum(axis=1, keepdims=True)
    width = best.labels.shape[2]
    result: NDArray[float32] = sharp.reshape(-1, width, width, width)
    return result


def predictions(perceptron: Perceptron, sentences: Sequence[Sequence[TokenColumns]]) -> list[Prediction]:
    """The best class of each token with the confidences of its parts."""
    import numpy as np

    found = best_classes(perceptron, sentences)
    shares = confidences(found)
    tokens, width = shares.shape[0], shares.shape[1]
    best = shares.reshape(tokens, -1).argmax(axis=1)
    i, j, k = best // (width * width), best // width % width, best % width
    row = np.arange(tokens)
    first, second = shares.sum(axis=3), shares.sum(axis=1)
    ones = (first.sum(axis=2)[row, i], first.sum(axis=1)[row, j], second.sum(axis=1)[row, k])
    numbers = [found.labels[row, place, at].tolist() for place, at in enumerate((i, j, k))]
    parts = [p.tolist() for p in (shares[row, i, j, k], first[row, i, j], second[row, j, k], *ones)]
    names = perceptron.labels
    return [
        Prediction((names[a], names[b], names[c]), whole, (left, right), (x, y, z))
        for a, b, c, whole, left, right, x, y, z in zip(*numbers, *parts, strict=True)
    ]


def marginals(perceptron: Perceptron, sentences: Sequence[Sequence[TokenColumns]]) -> list[dict[str, float]]:
    """For each token the confidence of its likely labels: the mean of its and of its neighbours' predictions."""
    found = best_classes(perceptron, sentences)
    shares = confidences(found)
    by_place = [shares.sum(axis=axes).tolist() for axes in ((2, 3), (1, 3), (1, 2))]
    few = found.labels.tolist()
    result = []
    first = 0
    for sentence in sentences:
        last = first + len(sentence)
        for token in range(first, last):
            sums: dict[str, float] = {}
            for at, place in ((token, 1), (token - 1, 2), (token + 1, 0)):
                if first <= at < last:
                    for label, share in zip(few[at][place], by_place[place][at], strict=True):
                        sums[perceptron.labels[label]] = sums.get(perceptron.labels[label], 0.0) + share
            sums.pop(EDGE, None)
            total = sum(sums.values())
            result.append({label: share / total for label, share in sums.items()})
        first = last
    return result
