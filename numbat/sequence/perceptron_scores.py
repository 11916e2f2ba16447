"""What a trained perceptron says of sentences: the best classes of each token and their confidences.

A confidence is the softmax of the scores of the classes that the best few labels of each place make.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from numbat.sequence.classes import EDGE, Prediction
from numbat.sequence.columns import Row
from numbat.sequence.features import Seen, feature_keys
from numbat.sequence.model_file import MOST_BYTES
from numbat.sequence.perceptron import WIDTH, Weights, edges_of, row_numbers

if TYPE_CHECKING:
    from numpy import float32, int64, uint8
    from numpy.typing import NDArray

BATCH: Final = 2_000
"""Tokens that are scored at once."""
TEMPERATURE: Final = 16.0
"""Scores are divided by it before the softmax, in the steps of the weights."""


class Scored(NamedTuple):
    """The best classes of each token: labels of the places (tokens x 3 x width) and confidences (tokens x width^3)."""

    few: NDArray[int64]
    logits: NDArray[float32]


def scores(weights: Weights, sentences: Sequence[Sequence[Row]]) -> Scored:
    """The scores of the best classes of every token, before the softmax."""
    import numpy as np

    rows = row_numbers(weights.keys, feature_keys(sentences, weights.seen))
    edges = edges_of([len(sentence) for sentence in sentences])
    size = len(weights.labels)
    width = min(WIDTH, size)
    few = np.empty((len(rows), 3, width), np.int64)
    logits = np.empty((len(rows), width, width, width), np.float32)
    flat = weights.rows.reshape(len(weights.keys), 3 * size)
    for start in range(0, len(rows), BATCH):
        part = slice(start, min(start + BATCH, len(rows)))
        total = np.zeros((part.stop - start, 3 * size), np.float32)
        for template in range(rows.shape[1]):
            total += flat[rows[part, template]]
        by_place = total.reshape(-1, 3, size)
        _mask(by_place, edges[part])
        few[part] = np.argpartition(-by_place, width - 1, axis=2)[:, :, :width]
        logits[part] = _classes(weights, few[part], np.take_along_axis(by_place, few[part], axis=2))
    return Scored(few, logits.reshape(len(rows), -1))


_NEVER: Final = -1e9


def _mask(by_place: NDArray[float32], edges: NDArray[uint8]) -> None:
    """Only the edge is before the first and after the last token, and it is nowhere else."""
    for place in range(3):
        outside = edges[:, place] > 0
        by_place[~outside, place, 0] = _NEVER
        by_place[outside, place, 1:] = _NEVER


def _classes(weights: Weights, few: NDArray[int64], of_labels: NDArray[float32]) -> NDArray[float32]:
    import numpy as np

    size = len(weights.labels)
    x, y, z = few[:, 0, :, None, None], few[:, 1, None, :, None], few[:, 2, None, None, :]
    one, two, three = (of_labels[:, place] for place in range(3))
    left = one[:, :, None] + two[:, None, :] + weights.pairs[0][few[:, 0, :, None], few[:, 1, None, :]]
    right = three[:, None, :] + weights.pairs[1][few[:, 1, :, None], few[:, 2, None, :]]
    value: NDArray[float32] = left[:, :, :, None] + right[:, None, :, :]
    code = (x * size + y) * size + z
    at = np.minimum(np.searchsorted(weights.codes, code), len(weights.codes) - 1)
    value += np.where(weights.codes[at] == code, weights.trigrams[at], np.float32(0))
    return value


def confidences(scored: Scored) -> NDArray[float32]:
    """The softmax of the scores at the temperature: tokens x width x width x width."""
    import numpy as np

    sharp = scored.logits / np.float32(TEMPERATURE)
    sharp -= sharp.max(axis=1, keepdims=True)
    np.exp(sharp, out=sharp)
    sharp /= sharp.sum(axis=1, keepdims=True)
    width = scored.few.shape[2]
    result: NDArray[float32] = sharp.reshape(-1, width, width, width)
    return result


def predictions(weights: Weights, sentences: Sequence[Sequence[Row]]) -> list[Prediction]:
    """The best class of each token with the confidences of its parts."""
    import numpy as np

    scored = scores(weights, sentences)
    shares = confidences(scored)
    tokens, width = shares.shape[0], shares.shape[1]
    best = shares.reshape(tokens, -1).argmax(axis=1)
    i, j, k = best // (width * width), best // width % width, best % width
    row = np.arange(tokens)
    first, second = shares.sum(axis=3), shares.sum(axis=1)
    ones = (first.sum(axis=2)[row, i], first.sum(axis=1)[row, j], second.sum(axis=1)[row, k])
    numbers = [scored.few[row, place, at].tolist() for place, at in enumerate((i, j, k))]
    parts = [p.tolist() for p in (shares[row, i, j, k], first[row, i, j], second[row, j, k], *ones)]
    names = weights.labels
    return [
        Prediction((names[a], names[b], names[c]), whole, (left, right), (x, y, z))
        for a, b, c, whole, left, right, x, y, z in zip(*numbers, *parts, strict=True)
    ]


def marginals(weights: Weights, sentences: Sequence[Sequence[Row]]) -> list[dict[str, float]]:
    """For each token the confidence of its likely labels: the mean of what it and its neighbours say of it."""
    scored = scores(weights, sentences)
    shares = confidences(scored)
    by_place = [shares.sum(axis=axes).tolist() for axes in ((2, 3), (1, 3), (1, 2))]
    few = scored.few.tolist()
    result = []
    first = 0
    for sentence in sentences:
        last = first + len(sentence)
        for token in range(first, last):
            sums: dict[str, float] = {}
            for at, place in ((token, 1), (token - 1, 2), (token + 1, 0)):
                if first <= at < last:
                    for label, share in zip(few[at][place], by_place[place][at], strict=True):
                        sums[weights.labels[label]] = sums.get(weights.labels[label], 0.0) + share
            sums.pop(EDGE, None)
            total = sum(sums.values())
            result.append({label: share / total for label, share in sums.items()})
        first = last
    return result


def packed(weights: Weights) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The weights as a header and arrays of a model file; of the rows, what is not zero."""
    import numpy as np

    flat = weights.rows.reshape(len(weights.rows), -1)
    filled = np.flatnonzero(flat)
    seen = weights.seen
    header = {"labels": weights.labels, "unit": seen.unit, "further": seen.further}
    labels = sorted(seen.labels.items())
    arrays = {
        "known": _steps(np.array(sorted(seen.known), np.uint32)),
        "forms": _steps(np.array([form for form, _ in labels], np.uint32)),
        "form_labels": np.array([value for _, value in labels], np.uint32),
        "keys": _steps(weights.keys),
        "counts": (flat != 0).sum(axis=1).astype(np.int32),
        "places": (filled % flat.shape[1]).astype(np.uint16),
        "values": flat.ravel()[filled],
        "pairs": weights.pairs,
        "codes": weights.codes,
        "trigrams": weights.trigrams,
    }
    return header, arrays


def _steps(numbers: NDArray[Any]) -> NDArray[Any]:
    """Ascending numbers as differences, which pack better."""
    import numpy as np

    return np.diff(numbers, prepend=numbers.dtype.type(0)).astype(numbers.dtype)


def unpacked(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Weights:
    """The weights of a model file. Raises ValueError or KeyError for arrays that do not fit."""
    import numpy as np

    a: dict[str, NDArray[Any]] = {
        name: np.cumsum(array, dtype=np.uint32) if name in ("known", "forms", "keys") else array
        for name, array in arrays.items()
    }
    labels = tuple(str(label) for label in header["labels"])
    across = 3 * len(labels)
    if len(a["keys"]) * across > MOST_BYTES or header["unit"] not in ("words", "letters"):
        raise ValueError("the features do not fit")
    rows = np.zeros(len(a["keys"]) * across, np.int8)
    starts = np.repeat(np.arange(len(a["keys"]), dtype=np.int64) * across, a["counts"])
    if len(starts) != len(a["values"]) or (len(starts) and int(a["places"].max()) >= across):
        raise ValueError("the rows do not fit")
    rows[starts + a["places"]] = a["values"]
    of_forms = dict(zip(a["forms"].tolist(), a["form_labels"].tolist(), strict=True))
    seen = Seen(frozenset(a["known"].tolist()), of_forms, header["unit"], int(header["further"]))
    pairs = a["pairs"].reshape(2, len(labels), len(labels))
    if len(a["codes"]) != len(a["trigrams"]) or not len(a["codes"]):
        raise ValueError("the trigrams do not fit")
    return Weights(seen, labels, a["keys"], rows.reshape(-1, 3, len(labels)), pairs, a["codes"], a["trigrams"])
