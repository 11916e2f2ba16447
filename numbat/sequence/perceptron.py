"""The fast learner: an averaged perceptron over class trigrams.

The class of a token is the trigram of labels around it; its score is the sum of what the features of the window say of
each of its three labels, of its two bigrams, and of the trigram as a whole. A mistake of the best class moves the
weights towards the right class and away from the wrong one; what is used later is the mean of the weights over all
steps (Collins 2002).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from numbat.errors import UsageError
from numbat.sequence import compiled
from numbat.sequence.classes import EDGE
from numbat.sequence.columns import Sample
from numbat.sequence.features import Seen, Unit, feature_keys, seen_in

if TYPE_CHECKING:
    from numpy import float32, float64, int8, int32, int64, uint8, uint32
    from numpy.typing import NDArray

WIDTH: Final = 4
"""So many labels of each of the three places are put together to classes."""
UNKNOWN_FEATURE: Final = 0
STEP: Final = 0.5
"""The unit of the weights that are kept; smaller ones are none."""
MOST: Final = 127
MOST_MARGIN: Final = 1_000_000
"""Beyond, scores would lose the steps of the weights."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How the perceptron is trained: rounds over the material, the margin by which the right class is to win, how often
    a feature must be seen, and the seed of the order of tokens."""

    epochs: int = 10
    margin: float = 1.0
    least: int = 2
    seed: int = 1

    def __post_init__(self) -> None:
        if self.epochs < 1 or self.least < 1 or self.seed < 0:
            raise UsageError("epochs and least are at least 1, the seed is at least 0\n  give whole numbers")
        if not 0 <= self.margin <= MOST_MARGIN:
            raise UsageError(f"the margin is a number from 0 to {MOST_MARGIN:,}, not {self.margin}\n  1 is usual")


@dataclass(frozen=True, slots=True)
class Weights:
    """A trained perceptron. `labels[0]` is the edge.

    `keys` are the features in order, the first of them standing for all unknown ones; `rows` is features x 3 x labels;
    `pairs` is 2 x labels x labels; `codes` are the seen trigrams in order, as numbers to the base of the labels, with
    their `trigrams` weights. All are in steps of STEP.
    """

    seen: Seen
    labels: tuple[str, ...]
    keys: NDArray[uint32]
    rows: NDArray[int8]
    pairs: NDArray[float32]
    codes: NDArray[int64]
    trigrams: NDArray[float32]


class Material(NamedTuple):
    """Tokens as the inner loop sees them: tokens x templates, tokens x 3, and 1 and 2 at the ends of sentences."""

    rows: NDArray[int32]
    gold: NDArray[int32]
    ends: NDArray[uint8]


class Numbers(NamedTuple):
    """What is learnt, each with its sum of changes times the step when they came."""

    weights: NDArray[float32]
    sums: NDArray[float64]
    pairs: NDArray[float32]
    pair_sums: NDArray[float64]
    trigrams: NDArray[float32]
    trigram_sums: NDArray[float64]

    @classmethod
    def zeros(cls, features: int, labels: int, codes: int) -> Numbers:
        """What is learnt before the first step."""
        import numpy as np

        shapes = ((features, 3, labels), (2, labels, labels), (codes,))
        return cls(*(np.zeros(shape, kind) for shape in shapes for kind in (np.float32, np.float64)))

    def means(self, steps: int) -> tuple[NDArray[float32], NDArray[float32], NDArray[float32]]:
        """The mean of the weights, of the pairs and of the trigrams over all steps, in place of what they were."""
        for now, sums in zip(self[::2], self[1::2], strict=True):
            sums /= max(steps, 1)
            now -= sums
        return self.weights, self.pairs, self.trigrams


def train(samples: Sequence[Sample], unit: Unit, settings: Settings, told: Callable[[str], None]) -> Weights:
    """The averaged weights after some rounds over labelled samples, not yet calibrated."""
    import numpy as np

    seen = seen_in(samples, unit)
    labels = (EDGE, *sorted({label for sample in samples for label in sample.labels}))
    found = feature_keys([sample.rows for sample in samples], seen)
    keys, counts = np.unique(found, return_counts=True)
    keys = np.concatenate([np.zeros(1, np.uint32), keys[(counts >= settings.least) & (keys > 0)]])
    material = _material(samples, labels, row_numbers(keys, found))
    base = np.array([len(labels) ** 2, len(labels), 1])
    codes = np.unique(material.gold.astype(np.int64) @ base)
    numbers = Numbers.zeros(len(keys), len(labels), len(codes))
    count = 0
    random = np.random.Generator(np.random.PCG64(settings.seed))
    for number in range(settings.epochs):
        order = random.permutation(len(material.gold)).astype(np.int32)
        mistakes, count = compiled.epoch(order, material, codes, numbers, WIDTH, settings.margin, count)
        told(f"round {number + 1}: {mistakes} of {len(order)} tokens wrong or within the margin")
    rows, pairs, of_trigrams = numbers.means(count)
    return _compact(Weights(seen, labels, keys, rows.astype(np.int8), pairs, codes, of_trigrams), rows)


def _compact(weights: Weights, rows: NDArray[float32]) -> Weights:
    """The weights in steps; features without weight are left out."""
    import numpy as np

    step = np.float32(STEP)
    steps = np.clip(np.round(rows / step), -MOST, MOST).astype(np.int8)
    kept = np.asarray(steps.any(axis=(1, 2)))
    kept[UNKNOWN_FEATURE] = True
    pairs, trigrams = np.round(weights.pairs / step), np.round(weights.trigrams / step)
    return replace(weights, keys=weights.keys[kept], rows=steps[kept], pairs=pairs, trigrams=trigrams)


def row_numbers(keys: NDArray[uint32], found: NDArray[uint32]) -> NDArray[int32]:
    """The row of each feature, 0 for one that is not among the keys."""
    import numpy as np

    at = np.searchsorted(keys, found)
    at[at == len(keys)] = 0
    at[keys[at] != found] = UNKNOWN_FEATURE
    return at.astype(np.int32)


def _material(samples: Sequence[Sample], labels: Sequence[str], rows: NDArray[int32]) -> Material:
    import numpy as np

    number = {label: i for i, label in enumerate(labels)}
    gold: list[tuple[int, int, int]] = []
    for sample in samples:
        own = [0, *(number[label] for label in sample.labels), 0]
        gold += zip(own, own[1:], own[2:], strict=False)
    return Material(rows, np.array(gold, np.int32), ends_of([len(sample.rows) for sample in samples]))


def ends_of(lengths: Sequence[int]) -> NDArray[uint8]:
    """For each token 1 where it is the first of its sentence, 2 where it is the last, 3 where it is both."""
    import numpy as np

    last = np.cumsum(lengths) - 1
    ends = np.zeros(int(last[-1]) + 1, np.uint8)
    ends[last] |= 2
    ends[last - np.array(lengths) + 1] |= 1
    return ends
