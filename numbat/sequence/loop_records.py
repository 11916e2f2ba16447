"""Arrays and numbers that the inner loops of the learners take and give, in Python and in C.

`_kernels.c` has a struct with the same fields for each of these records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from numpy import float32, float64, int32, int64, uint8
    from numpy.typing import NDArray


class TokenArrays(NamedTuple):
    """The tokens that the perceptron learns from.

    `features` are rows of the weights, tokens x templates; row 0 stands for an unknown feature and is never used.
    `gold` are the numbers of the right labels, tokens x 3; label 0 stands before and after a sentence. `edges`, tokens
    x 3, say which of the three places are before or after the sentence.
    """

    features: NDArray[int32]
    gold: NDArray[int32]
    edges: NDArray[uint8]


class WeightArrays(NamedTuple):
    """The weights of the perceptron, and for each the sum of its changes, each times the step in which it came.

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
        """The weights before the first step."""
        import numpy as np

        shapes = ((features, 3, labels), (2, labels, labels), (codes,))
        return cls(*(np.zeros(shape, kind) for shape in shapes for kind in (np.float32, np.float64)))

    def means(self, steps: int) -> tuple[NDArray[float32], NDArray[float32], NDArray[float32]]:
        """The means of the weights, the pairs and the trigrams over all steps, in place of what they were."""
        for now, sums in zip(self[::2], self[1::2], strict=True):
            sums /= max(steps, 1)
            now -= sums
        return self.weights, self.pairs, self.trigrams


class Epoch(NamedTuple):
    """One round of the perceptron over its tokens in an `order`; it changes the weights in place.

    `codes` are the seen trigrams in order, as numbers to the base of the labels. The best `width` labels of each of the
    three places are put together to classes; the right class is to win by the `margin`. `steps` were made before.
    """

    order: NDArray[int32]
    tokens: TokenArrays
    codes: NDArray[int64]
    weights: WeightArrays
    width: int
    margin: float
    steps: int


class EpochResult(NamedTuple):
    """How many tokens were wrong or within the margin, and how many steps were made in all."""

    mistakes: int
    steps: int


class NearestQuery(NamedTuple):
    """A question for the instances at the k nearest distances from a focus.

    `values` is features x instances, sorted by the first feature, then the second, and so on; `ends` says of each place
    where the run of instances that are equal up to this feature ends. A mismatch costs the weight of the feature, or,
    where there are `distances` of all its values from the focus, the distance of the value. `least` is what all
    features from one on cost in the best case, 0 at the end; it only saves time. Only features from `feature` on
    count, and instances from `low` to before `high`.
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
    """Instances and their distances, in no order."""

    instances: NDArray[int32]
    distances: NDArray[int64]
