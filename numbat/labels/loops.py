"""Inner loops of the learners: compiled kernels if available, else Python; `numbat.native` reports which."""

from __future__ import annotations

from itertools import product
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from numbat import native

if TYPE_CHECKING:
    from numpy import float32, float64, int32, int64, uint8
    from numpy.typing import NDArray


def train_epoch(epoch: Epoch) -> EpochResult:
    """Run one perceptron epoch; update the weights in place."""
    if native.load(native.TAGGER_LOOPS) is None:
        return train_epoch_in_python(epoch)
    import numpy as np

    from numbat.labels import _kernels

    labels = epoch.weights.pairs.shape[1]
    spare = np.zeros(3 * labels, np.float32)
    return EpochResult(*_kernels.train_epoch(epoch, spare, epoch.tokens.features.shape[1], labels))


def nearest_instances(query: NearestQuery) -> Neighbours:
    """Return the instances at the k nearest distances from a focus; equal distances count once."""
    if native.load(native.TAGGER_LOOPS) is None:
        return nearest_instances_in_python(query)
    import numpy as np

    from numbat.labels import _kernels

    instances, distances = _kernels.nearest_instances(query)
    return Neighbours(np.frombuffer(instances, np.int32), np.frombuffer(distances, np.int64))


# Arguments and results of the loops; `_kernels.c` has a struct with the same fields for each record.


class TokenArrays(NamedTuple):
    """Training tokens of the perceptron.

    `features` are row numbers of the weights, tokens x templates; row 0 stands for an unknown feature and is never
    used. `gold` are the numbers of the right labels, tokens x 3; label 0 stands before and after a sentence. `edges`,
    tokens x 3, marks places before or after the sentence.
    """

    features: NDArray[int32]
    gold: NDArray[int32]
    edges: NDArray[uint8]


class WeightArrays(NamedTuple):
    """Weights of the perceptron and, for averaging, sums of updates times their steps.

    `weights` are features x 3 x labels; `pairs` are 2 x labels x labels; `trigrams` go by the sorted codes of seen
    trigrams.
    """

    weights: NDArray[float32]
    weight_sums: NDArray[float64]
    pairs: NDArray[float32]
    pair_sums: NDArray[float64]
    trigrams: NDArray[float32]
    trigram_sums: NDArray[float64]

    @classmethod
    def zeros(cls, features: int, labels: int, codes: int) -> WeightArrays:
        """Return the weights before the first step."""
        import numpy as np

        shapes = ((features, 3, labels), (2, labels, labels), (codes,))
        return cls(*(np.zeros(shape, kind) for shape in shapes for kind in (np.float32, np.float64)))

    def means(self, steps: int) -> tuple[NDArray[float32], NDArray[float32], NDArray[float32]]:
        """Average weights, pairs and trigrams over all steps, in place."""
        for now, sums in zip(self[::2], self[1::2], strict=True):
            sums /= max(steps, 1)
            now -= sums
        return self.weights, self.pairs, self.trigrams


class Epoch(NamedTuple):
    """Arguments of one perceptron epoch over tokens in `order`; the loop updates the weights in place.

    `codes` are the seen trigrams, sorted, as numbers to the base of the number of labels. The best `width` labels of
    each of the three places are combined to classes; the right class must win by the `margin`. `steps` counts earlier
    updates.
    """

    order: NDArray[int32]
    tokens: TokenArrays
    codes: NDArray[int64]
    weights: WeightArrays
    width: int
    margin: float
    steps: int


class EpochResult(NamedTuple):
    """Number of tokens wrong or within the margin, and total steps."""

    mistakes: int
    steps: int


class NearestQuery(NamedTuple):
    """Query for the instances at the k nearest distances from a focus.

    `values` is features x instances, sorted by the first feature, then the second, and so on; `ends` has, for each
    value, the end of the run of instances that are equal up to this feature. A mismatch costs the weight of the
    feature, or the distance of the value if there are `distances` of all its values from the focus. `least` is the
    minimum cost of all features from one on, 0 at the end; it only saves time. Only features from `feature` on count,
    and instances from `low` to before `high`.
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
    """Instances and their distances, unordered."""

    instances: NDArray[int32]
    distances: NDArray[int64]


# Python loops, bit-identical to `_kernels.c`.

if TYPE_CHECKING:
    from numpy import float32, int32
    from numpy.typing import NDArray

    Class = tuple[int, int, int]
    """Numbers of the labels before, of and after a token."""


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
    """Return the best labels of one place, ties by number; at an edge only 0."""
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
    """Move the weights towards the gold class and away from the predicted one."""
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
    """Return the instances at the k nearest distances; see `nearest_instances`."""
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
