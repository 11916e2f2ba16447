"""Expected counts and best trees under the dependency model with valence.

Compiled where that is possible (`_valence.c`), else in `python_inference`; both find the same trees, and the same
counts but for rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from numbat import native
from numbat.parsing.dependency_model import python_inference
from numbat.parsing.dependency_model.records import Batch, Bias, Weights, batches_of

if TYPE_CHECKING:
    from numbat.parsing.dependency_model.model import DependencyModel
    from numbat.parsing.dependency_model.records import Numbers, Tags

NO_BIAS = Bias()


def sums(batch: Batch, weights: Weights, bias: Bias = NO_BIAS, counts: Weights | None = None) -> Numbers:
    """The logarithm of the sum over all analyses of each sentence (sentences).

    With `counts` what is expected in each sentence, times its share, is added to them.
    """
    import numpy as np

    distances = np.arange(batch.tags.shape[1], dtype=float)
    return sums_with(batch, weights, bias.locality * distances, bias.breaks, counts)


def sums_with(
    batch: Batch, weights: Weights, link: Numbers, breaks: float | None, counts: Weights | None = None
) -> Numbers:
    """As `sums`; `link` has the logarithm of what a link counts, by its distance (words)."""
    import numpy as np

    breaks = None if breaks == -np.inf else breaks
    if native.load(native.VALENCE) is None:
        return python_inference.expected(batch.tags, batch.shares, logarithms(weights), link, breaks, counts)
    from numbat.parsing.dependency_model import _valence

    sentences, n = batch.tags.shape
    values = np.zeros(sentences)
    factor = 0.0 if breaks is None else float(np.exp(breaks))
    sizes = sentences, n, len(weights.root)
    _valence.expect(
        batch.tags, sizes, _packed(weights), np.exp(link), factor, batch.shares, values, counts and tuple(counts)
    )
    missing = np.isnan(values)
    if missing.any():  # Out of the range of floating point.
        rest = batch.tags[missing], batch.shares[missing]
        values[missing] = python_inference.expected(*rest, logarithms(weights), link, breaks, counts)
    return values


def best_trees(batch: Batch, weights: Weights) -> tuple[Numbers, Tags]:
    """The logarithm of the best tree's weight in each sentence (sentences), and its heads (sentences, words).

    Words count from 1, 0 is the root.

    Of equal trees it is the one whose root is leftmost, and so on for its children.
    """
    import numpy as np

    logs = logarithms(weights)
    sentences, n = batch.tags.shape
    if native.load(native.VALENCE) is None:
        return python_inference.best_trees(batch.tags, logs)
    from numbat.parsing.dependency_model import _valence

    scores, heads = np.zeros(sentences), np.zeros((sentences, n), dtype=np.int32)
    _valence.best(batch.tags, (sentences, n, len(logs.root)), _packed(logs), scores, heads)
    return scores, heads


def heads_of(sentences: Sequence[Sequence[int]], weights: Weights) -> list[tuple[int, ...]]:
    """The heads of the best tree of each sentence of tags by number, in their order."""
    found: list[tuple[int, ...]] = [()] * len(sentences)
    for batch in batches_of(sentences):
        for place, heads in zip(batch.places, best_trees(batch, weights)[1].tolist(), strict=True):
            found[place] = tuple(heads)
    return found


def best_heads(model: DependencyModel, tags: Sequence[str]) -> tuple[int, ...]:
    """The heads of the best tree of a sentence: words count from 1, 0 is the root.

    Raises UsageError for a tag that the model does not know, and for a sentence that is too long.
    """
    return heads_of([model.numbers(tags)], model.weights)[0]


def _packed(weights: Weights) -> tuple[Numbers, ...]:
    """The arrays as the compiled module takes them, in one piece each."""
    import numpy as np

    return tuple(np.ascontiguousarray(each) for each in weights)


def logarithms(weights: Weights) -> Weights:
    """The logarithms of weights; that of 0 is minus infinity."""
    import numpy as np

    with np.errstate(divide="ignore"):
        return Weights(*(np.log(each) for each in weights))
