"""The inner loops in Python: what `_kernels.c` does, number for number."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import float32, int32, int64
    from numpy.typing import NDArray

    from numbat.sequence.perceptron import Material, Numbers


def epoch(
    order: NDArray[int32],
    material: Material,
    codes: NDArray[int64],
    numbers: Numbers,
    width: int,
    margin: float,
    count: int,
) -> tuple[int, int]:
    """One round of the perceptron; see `compiled.epoch`."""
    size = numbers.pairs.shape[1]
    place = {int(code): i for i, code in enumerate(codes)}
    mistakes = 0
    for token in order:
        rows = material.rows[token]
        rows = rows[rows > 0]
        right = tuple(int(label) for label in material.gold[token])
        scores = numbers.weights[rows].sum(axis=0)
        for head in range(3):
            scores[head] += margin
            scores[head, right[head]] -= margin
        edges = (bool(material.ends[token] & 1), False, bool(material.ends[token] & 2))
        few = [_shortlist(scores[head], edges[head], width) for head in range(3)]
        said = _best(scores, few, place, numbers, size)
        count += 1
        if said == right:
            continue
        mistakes += 1
        for head in range(3):
            if said[head] != right[head]:
                for label, by in ((right[head], 1), (said[head], -1)):
                    numbers.weights[rows, head, label] += by
                    numbers.sums[rows, head, label] += by * count
        for pair in range(2):
            if said[pair : pair + 2] != right[pair : pair + 2]:
                for one, by in ((right, 1), (said, -1)):
                    numbers.pairs[pair, one[pair], one[pair + 1]] += by
                    numbers.pair_sums[pair, one[pair], one[pair + 1]] += by * count
        for one, by in ((right, 1), (said, -1)):
            at = place.get((one[0] * size + one[1]) * size + one[2], -1)
            if at >= 0:
                numbers.trigrams[at] += by
                numbers.trigram_sums[at] += by * count
    return mistakes, count


def _shortlist(scores: NDArray[float32], edge: bool, width: int) -> list[int]:
    if edge:
        return [0]
    return sorted(range(1, len(scores)), key=lambda label: (-scores[label], label))[:width]


def _best(
    scores: NDArray[float32], few: list[list[int]], place: dict[int, int], numbers: Numbers, size: int
) -> tuple[int, int, int]:
    best, said = -3e38, (0, 0, 0)
    for x, y, z in product(*few):
        value = scores[0, x] + scores[1, y] + scores[2, z] + numbers.pairs[0, x, y] + numbers.pairs[1, y, z]
        at = place.get((x * size + y) * size + z, -1)
        if at >= 0:
            value += numbers.trigrams[at]
        if value > best:
            best, said = value, (x, y, z)
    return said


def nearest(
    values: NDArray[int32],
    focus: NDArray[int32],
    weights: NDArray[int64],
    rows: Sequence[NDArray[int32] | None],
    feature: int,
    low: int,
    high: int,
    k: int,
) -> tuple[NDArray[int32], NDArray[int64]]:
    """The instances at the k nearest distances and their distances; see `compiled.nearest`."""
    import numpy as np

    distances = np.zeros(high - low, np.int64)
    for one in range(feature, len(values)):
        own, row = values[one, low:high], rows[one]
        distances += row[own] if row is not None else np.where(own == focus[one], 0, weights[one])
    bound = np.unique(distances)[:k][-1]
    near = np.flatnonzero(distances <= bound)
    return (near + low).astype(np.int32), distances[near]
