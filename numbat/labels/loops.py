"""Inner loops of the learners: compiled if the kernels are available, else in Python; `numbat.native` reports which."""

from __future__ import annotations

from itertools import product
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from numbat import native

if TYPE_CHECKING:
    from numpy import float32, float64, int32, int64, uint8
    from numpy.typing import NDArray


def train_epoch(epoch: Epoch) -> EpochResult:
    """Run one epoch of perceptron training; the weights in `epoch` are updated in place."""
    if native.load(native.TAGGER_LOOPS) is None:
        return train_epoch_in_python(epoch)
    import numpy as np

    from numbat.labels import _kernels

    labels = epoch.weights.pairs.shape[1]
    spare = np.zeros(3 * labels, np.float32)
    return EpochResult(*_kernels.train_epoch(epoch, spare, epoch.tokens.features.shape[1], labels))


def nearest_instances(query: NearestQuery) -> Neighbours:
    """Return the instances at the k smallest distances from a focus, with all instances at the same distance."""
    if native.load(native.TAGGER_LOOPS) is None:
        return nearest_instances_in_python(query)
    import numpy as np

    from numbat.labels import _kernels

    instances, distances = _kernels.nearest_instances(query)
    return Neighbours(np.frombuffer(instances, np.int32), np.frombuffer(distances, np.int64))


# Arguments and results of the loops; for each record `_kernels.c` has a struct with the same fields.


class TokenArrays(NamedTuple):
    """Training tokens of the perceptron.

    `features` (tokens x templates) has the row of the weights for each feature; row 0 is for unknown features and is
    never used. `gold` (tokens x 3) has the numbers of the right labels of the token before, the token and the token
    after; number 0 is the label beyond the ends of a sentence. `edges` (tokens x 3) is 1 where that is the case.
    """

    features: NDArray[int32]
    gold: NDArray[int32]
    edges: NDArray[uint8]


class WeightArrays(NamedTuple):
    """Weights of the perceptron and, for averaging, sums of their updates, each times the number of its step.

    `weights` is features x 3 x labels, `pairs` is 2 x labels x labels; `trigrams` has a weight for each of
    `Epoch.codes`.
    """

    weights: NDArray[float32]
    weight_sums: NDArray[float64]
    pairs: NDArray[float32]
    pair_sums: NDArray[float64]
    trigrams: NDArray[float32]
    trigram_sums: NDArray[float64]

    @classmethod
    def zeros(cls, features: int, labels: int, codes: int) -> WeightArrays:
        """Return weights of 0, as before the first step; `codes` is the number of trigrams."""
        import numpy as np

        shapes = ((features, 3, labels), (2, labels, labels), (codes,))
        return cls(*(np.zeros(shape, kind) for shape in shapes for kind in (np.float32, np.float64)))

    def means(self, steps: int) -> tuple[NDArray[float32], NDArray[float32], NDArray[float32]]:
        """Replace weights, pairs and trigrams by their means over all steps, in place, and return them."""
        for now, sums in zip(self[::2], self[1::2], strict=True):
            sums /= max(steps, 1)
            now -= sums
        return self.weights, self.pairs, self.trigrams


class Epoch(NamedTuple):
    """Arguments of one perceptron epoch over tokens in `order`; the loop updates the weights in place.

    `codes` are the trigrams seen in training, sorted, each written as a number of three digits whose base is the number
    of labels. The best `width` labels for the token before, the token and the token after are combined to classes; the
    right class must win by the `margin`. `steps` is the number of steps before this epoch.
    """

    order: NDArray[int32]
    tokens: TokenArrays
    codes: NDArray[int64]
    weights: WeightArrays
    width: int
    margin: float
    steps: int


class EpochResult(NamedTuple):
    """Number of tokens whose class was wrong or did not win by the margin, and number of steps so far."""

    mistakes: int
    steps: int


class NearestQuery(NamedTuple):
    """Query for the instances at the k smallest distances from a `focus`, an instance with a value for each feature.

    `values` is features x instances, sorted by the first feature, then the second, and so on; `ends` has, for each
    value, the end of the run of instances that are equal up to this feature. Where an instance differs from the focus,
    the distance grows by the weight of the feature or, if the feature has `distances` from the focus to all its values,
    by that of the value. `least[i]` is the smallest possible distance in the features from i on, the last one 0; it
    only saves time. Only features from `feature` on count, and instances from `low` to before `high`.
    """

    values: NDArray[int32]
    ends: NDArray[int32]
    focus: NDArray[int32]
    weights: NDArray[int64]
    least: NDArray[int64]
    distances: list[NDArray[int32] | None]
    feature: int
    low: int
    high: int
    k: int


class Neighbours(NamedTuple):
    """Numbers of instances and, in the same order, their distances; the order has no meaning."""

    instances: NDArray[int32]
    distances: NDArray[int64]


# The loops in Python; their results are bit-identical to those of `_kernels.c`.

if TYPE_CHECKING:
    from numpy import float32, int32
    from numpy.typing import NDArray

    Class = tuple[int, int, int]
    """Numbers of the labels of the token before, of the token itself, and of the token after."""


def train_epoch_in_python(epoch: Epoch) -> EpochResult:
    """Run one perceptron epoch; see `train_epoch`."""
    tokens, weights = epoch.tokens, epoch.weights
    place = {int(code): i for i, code in enumerate(epoch.codes)}
    mistakes, step = 0, epoch.steps
    for token in epoch.order:
        rows = tokens.features[token]
        rows = rows[rows > 0]
        right = (int(tokens.gold[token, 0]), int(tokens.gold[token, 1]), int(tokens.gold[token, 2]))
        scores = weights.weights[rows].sum(axis=0)
        for head in range(3):
            scores[head] += epoch.margin
            scores[head, right[head]] -= epoch.margin
        few = [_shortlist(scores[head], bool(tokens.edges[token, head]), epoch.width) for head in range(3)]
        predicted = _best(scores, few, place, weights)
        step += 1
        if predicted != right:
            mistakes += 1
            _learn(weights, rows, place, right, predicted, step)
    return EpochResult(mistakes, step)


def _shortlist(scores: NDArray[float32], is_edge: bool, width: int) -> list[int]:
    """Return the numbers of the `width` labels with the highest scores, the lower number first; at an edge only 0."""
    if is_edge:
        return [0]
    return sorted(range(1, len(scores)), key=lambda label: (-scores[label], label))[:width]


def _best(scores: NDArray[float32], few: list[list[int]], place: dict[int, int], weights: WeightArrays) -> Class:
    size = weights.pairs.shape[1]
    best, best_class = -inf, (0, 0, 0)
    for x, y, z in product(*few):
        value = scores[0, x] + scores[1, y] + scores[2, z] + weights.pairs[0, x, y] + weights.pairs[1, y, z]
        at = place.get((x * size + y) * size + z, -1)
        if at >= 0:
            value += weights.trigrams[at]
        if value > best:
            best, best_class = value, (x, y, z)
    return best_class


def _learn(
    weights: WeightArrays, rows: NDArray[int32], place: dict[int, int], right: Class, predicted: Class, step: int
) -> None:
    """Where the classes differ, add 1 to the weights of the `right` one, subtract 1 from those of the `predicted`."""
    size = weights.pairs.shape[1]
    both = ((right, 1), (predicted, -1))
    for head in range(3):
        if predicted[head] != right[head]:
            for labels, by in both:
                weights.weights[rows, head, labels[head]] += by
                weights.weight_sums[rows, head, labels[head]] += by * step
    for pair in range(2):
        if predicted[pair : pair + 2] != right[pair : pair + 2]:
            for labels, by in both:
                weights.pairs[pair, labels[pair], labels[pair + 1]] += by
                weights.pair_sums[pair, labels[pair], labels[pair + 1]] += by * step
    for labels, by in both:
        at = place.get((labels[0] * size + labels[1]) * size + labels[2], -1)
        if at >= 0:
            weights.trigrams[at] += by
            weights.trigram_sums[at] += by * step


def nearest_instances_in_python(query: NearestQuery) -> Neighbours:
    """Return the instances at the k smallest distances; see `nearest_instances`."""
    import numpy as np

    low, high = query.low, query.high
    distances = np.zeros(high - low, np.int64)
    for feature in range(query.feature, len(query.values)):
        column, given = query.values[feature, low:high], query.distances[feature]
        mismatch = np.where(column == query.focus[feature], 0, query.weights[feature])
        distances += given[column] if given is not None else mismatch
    bound = np.unique(distances)[: query.k][-1]
    near = np.flatnonzero(distances <= bound)
    return Neighbours((near + low).astype(np.int32), distances[near])
