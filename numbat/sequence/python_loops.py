"""The inner loops of the learners in Python: what `_kernels.c` does, number for number."""

from __future__ import annotations

from itertools import product
from math import inf
from typing import TYPE_CHECKING

from numbat.sequence.loop_records import Epoch, EpochResult, NearestQuery, Neighbours, WeightArrays

if TYPE_CHECKING:
    from numpy import float32, int32
    from numpy.typing import NDArray

    Class = tuple[int, int, int]
    """The numbers of the labels before, of and after a token."""


def train_epoch(epoch: Epoch) -> EpochResult:
    """One round of the perceptron; see `loops.train_epoch`."""
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
        found = _best(scores, few, place, weights)
        step += 1
        if found != right:
            mistakes += 1
            _learn(weights, rows, place, right, found, step)
    return EpochResult(mistakes, step)


def _shortlist(scores: NDArray[float32], is_edge: bool, width: int) -> list[int]:
    """The best labels of one place, the lower number where two are equal; at an edge only 0."""
    if is_edge:
        return [0]
    return sorted(range(1, len(scores)), key=lambda label: (-scores[label], label))[:width]


def _best(scores: NDArray[float32], few: list[list[int]], place: dict[int, int], weights: WeightArrays) -> Class:
    size = weights.pairs.shape[1]
    best, found = -inf, (0, 0, 0)
    for x, y, z in product(*few):
        value = scores[0, x] + scores[1, y] + scores[2, z] + weights.pairs[0, x, y] + weights.pairs[1, y, z]
        at = place.get((x * size + y) * size + z, -1)
        if at >= 0:
            value += weights.trigrams[at]
        if value > best:
            best, found = value, (x, y, z)
    return found


def _learn(
    weights: WeightArrays, rows: NDArray[int32], place: dict[int, int], right: Class, found: Class, step: int
) -> None:
    """Move the weights towards the right class and away from the one that was found."""
    size = weights.pairs.shape[1]
    both = ((right, 1), (found, -1))
    for head in range(3):
        if found[head] != right[head]:
            for labels, by in both:
                weights.weights[rows, head, labels[head]] += by
                weights.weight_sums[rows, head, labels[head]] += by * step
    for pair in range(2):
        if found[pair : pair + 2] != right[pair : pair + 2]:
            for labels, by in both:
                weights.pairs[pair, labels[pair], labels[pair + 1]] += by
                weights.pair_sums[pair, labels[pair], labels[pair + 1]] += by * step
    for labels, by in both:
        at = place.get((labels[0] * size + labels[1]) * size + labels[2], -1)
        if at >= 0:
            weights.trigrams[at] += by
            weights.trigram_sums[at] += by * step


def nearest_instances(query: NearestQuery) -> Neighbours:
    """The instances at the k nearest distances; see `loops.nearest_instances`."""
    import numpy as np

    low, high = query.low, query.high
    distances = np.zeros(high - low, np.int64)
    for feature in range(query.feature, len(query.values)):
        own, given = query.values[feature, low:high], query.distances[feature]
        mismatch = np.where(own == query.focus[feature], 0, query.weights[feature])
        distances += given[own] if given is not None else mismatch
    bound = np.unique(distances)[: query.k][-1]
    near = np.flatnonzero(distances <= bound)
    return Neighbours((near + low).astype(np.int32), distances[near])
