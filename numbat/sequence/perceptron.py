"""The perceptron: a fast learner of class trigrams with averaged weights.

The class of a token is the trigram of labels around it. The score of a class is the sum of the weights of its three
labels under each feature of the token, of its two bigrams, and of the trigram as a whole. Where the best class is wrong
the weights move towards the right class and away from the wrong one; the trained perceptron has the mean of the weights
over all steps (Collins 2002).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from numbat.errors import DataError, UsageError
from numbat.records import frozen
from numbat.sequence import loops
from numbat.sequence.class_trigrams import EDGE
from numbat.sequence.features import KnownForms, Unit, feature_keys, known_forms
from numbat.sequence.loop_records import Epoch, TokenArrays, WeightArrays
from numbat.sequence.token_files import FEWER_LABELS, Sample

if TYPE_CHECKING:
    from numpy import float32, int8, int32, int64, uint8, uint32
    from numpy.typing import NDArray

WIDTH: Final = 4
"""How many labels of each of the three places, the best ones, are put together to classes."""
UNKNOWN_FEATURE: Final = 0
"""The row of weights of every feature that is not among the keys."""
STEP: Final = 0.5
"""The unit of the weights of a trained perceptron, to which they are rounded."""
LARGEST_WEIGHT: Final = 127
"""In units."""
MOST_MARGIN: Final = 1_000_000
"""A larger margin would make scores too large to tell steps of the weights apart."""

BYTES_OF_WEIGHT: Final = 14
"""Of memory: the weight, the sum of its changes, and what it is rounded to."""
ROUNDED_AT_ONCE: Final = 10_000
"""Features whose weights are rounded at once, which takes memory for copies of them."""
ALWAYS, BYTES_OF_TOKEN, MOST_BYTES = 200_000_000, 30_000, 4_000_000_000
"""Bytes that the weights may take: in any case, for each token beside, and at most."""
MOST_LEAST: Final = 100
"""A greater `least` is not proposed: hardly a feature would be left."""


@frozen
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


@frozen
class Perceptron:
    """A trained perceptron. `labels[0]` is the edge.

    `keys` are the features in order, the first of them standing for all unknown ones; `rows` are their weights,
    features x 3 x labels. `pairs` are the weights of bigrams, 2 x labels x labels. `codes` are the trigrams of training
    in order, as numbers to the base of the labels, and `trigrams` their weights. All weights are in units of STEP.
    """

    forms: KnownForms
    labels: tuple[str, ...]
    keys: NDArray[uint32]
    rows: NDArray[int8]
    pairs: NDArray[float32]
    codes: NDArray[int64]
    trigrams: NDArray[float32]


def train(samples: Sequence[Sample], unit: Unit, settings: Settings, told: Callable[[str], None]) -> Perceptron:
    """The perceptron after the rounds of the settings over labelled samples; `told` is called with how each went."""
    import numpy as np

    forms = known_forms(samples, unit)
    labels = (EDGE, *sorted({label for sample in samples for label in sample.labels}))
    found = feature_keys([sample.rows for sample in samples], forms)
    keys, counts = np.unique(found, return_counts=True)
    _check_memory(counts, len(labels), len(found), settings.least)
    keys = np.concatenate([np.zeros(1, np.uint32), keys[(counts >= settings.least) & (keys > 0)]])
    tokens = _tokens(samples, labels, feature_rows(keys, found))
    base = np.array([len(labels) ** 2, len(labels), 1])
    codes = np.unique(tokens.gold.astype(np.int64) @ base)
    weights = WeightArrays.zeros(len(keys), len(labels), len(codes))
    steps = 0
    random = np.random.Generator(np.random.PCG64(settings.seed))
    for number in range(settings.epochs):
        order = random.permutation(len(tokens.gold)).astype(np.int32)
        epoch = Epoch(order, tokens, codes, weights, WIDTH, settings.margin, steps)
        mistakes, steps = loops.train_epoch(epoch)
        told(f"round {number + 1}: {mistakes} of {len(order)} tokens wrong or within the margin")
    rows, pairs, of_trigrams = weights.means(steps)
    return _rounded(Perceptron(forms, labels, keys, np.empty(rows.shape, np.int8), pairs, codes, of_trigrams), rows)


def _check_memory(counts: NDArray[int64], labels: int, tokens: int, least: int) -> None:
    """Raises DataError where the weights of features seen so often would take more memory than is allowed.

    The message names the smallest `least` with which they do not, where there is one.
    """
    allowed = min(MOST_BYTES, ALWAYS + BYTES_OF_TOKEN * tokens)

    def needed(least: int) -> int:
        return BYTES_OF_WEIGHT * labels * (3 * int((counts >= least).sum()) + 3 + 2 * labels)

    if needed(least) <= allowed:
        return
    enough = next((more for more in range(least + 1, MOST_LEAST + 1) if needed(more) <= allowed), None)
    hint = f"train with --min-count {enough}, so that features seen less often are left out, or with less material"
    if enough is None:
        hint = FEWER_LABELS
    raise DataError(
        f"{labels - 1:,} labels among {tokens:,} tokens: their weights take {needed(least) / 1e9:,.1f} GB of memory, "
        f"{allowed / 1e9:.1f} GB are allowed\n  {hint}"
    )


def _rounded(perceptron: Perceptron, rows: NDArray[float32]) -> Perceptron:
    """The perceptron with weights in units of STEP, of features those of `rows`; features without any are left out."""
    import numpy as np

    step = np.float32(STEP)
    steps = perceptron.rows
    for start in range(0, len(rows), ROUNDED_AT_ONCE):
        part = slice(start, start + ROUNDED_AT_ONCE)
        steps[part] = np.clip(np.round(rows[part] / step), -LARGEST_WEIGHT, LARGEST_WEIGHT)
    kept = np.asarray(steps.any(axis=(1, 2)))
    kept[UNKNOWN_FEATURE] = True
    pairs, trigrams = np.round(perceptron.pairs / step), np.round(perceptron.trigrams / step)
    return replace(perceptron, keys=perceptron.keys[kept], rows=steps[kept], pairs=pairs, trigrams=trigrams)


def feature_rows(keys: NDArray[uint32], found: NDArray[uint32]) -> NDArray[int32]:
    """The row of weights of each feature, that of unknown ones where it is not among the keys."""
    import numpy as np

    at = np.searchsorted(keys, found)
    at[at == len(keys)] = 0
    at[keys[at] != found] = UNKNOWN_FEATURE
    return at.astype(np.int32)


def _tokens(samples: Sequence[Sample], labels: Sequence[str], features: NDArray[int32]) -> TokenArrays:
    import numpy as np

    number = {label: i for i, label in enumerate(labels)}
    gold: list[tuple[int, int, int]] = []
    for sample in samples:
        own = [0, *(number[label] for label in sample.labels), 0]
        gold += zip(own, own[1:], own[2:], strict=False)
    return TokenArrays(features, np.array(gold, np.int32), edges_of([len(sample.rows) for sample in samples]))


def edges_of(lengths: Sequence[int]) -> NDArray[uint8]:
    """Whether the place before a token, its own, and the one after it are outside its sentence: tokens x 3."""
    import numpy as np

    last = np.cumsum(lengths) - 1
    edges = np.zeros((int(last[-1]) + 1, 3), np.uint8)
    edges[last - np.array(lengths) + 1, 0] = 1
    edges[last, 2] = 1
    return edges
