"""Expected counts and best trees under the dependency model with valence.

Compiled code (`_valence.c`) is used if it is available, else `python_inference`; both find the same trees, and the
same counts up to rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

from numbat import native
from numbat.errors import UsageError
from numbat.structure import python_inference
from numbat.structure.model import RIGHT, Batch, Bias, EventWeights, batches_of
from numbat.structure.python_inference import SpanSums, chart_of, children_of, heads_below, links_of, roots_of

if TYPE_CHECKING:
    from numbat.structure.model import DependencyModel, Numbers, Tags


NO_BIAS = Bias()


def sums(batch: Batch, weights: EventWeights, bias: Bias = NO_BIAS, counts: EventWeights | None = None) -> Numbers:
    """Return, for each sentence, the log of the summed weights of all its analyses.

    Adds the expected counts of each sentence, times the count of the sentence, to `counts` if given.
    """
    import numpy as np

    distances = np.arange(batch.tags.shape[1], dtype=float)
    return sums_with(batch, weights, bias.locality * distances, bias.breaks, counts)


def sums_with(
    batch: Batch, weights: EventWeights, link: Numbers, breaks: float | None, counts: EventWeights | None = None
) -> Numbers:
    """Compute `sums` with `link`, the log weight of a link for each distance in words."""
    import numpy as np

    breaks = None if breaks == -np.inf else breaks
    if native.load(native.VALENCE) is None:
        return python_inference.expected(batch.tags, batch.shares, logarithms(weights), link, breaks, counts)
    from numbat.structure import _valence

    sentences, n = batch.tags.shape
    values = np.zeros(sentences)
    factor = 0.0 if breaks is None else float(np.exp(breaks))
    sizes = sentences, n, len(weights.root)
    _valence.expect(
        batch.tags, sizes, _packed(weights), np.exp(link), factor, batch.shares, values, counts and tuple(counts)
    )
    missing = np.isnan(values)
    if missing.any():  # out of the range of floating point
        rest = batch.tags[missing], batch.shares[missing]
        values[missing] = python_inference.expected(*rest, logarithms(weights), link, breaks, counts)
    return values


def best_trees(batch: Batch, weights: EventWeights) -> tuple[Numbers, Tags]:
    """Return the log weight of the best tree of each sentence, and a row with its heads for each sentence.

    Heads count from 1, with 0 for the root. Ties go to the tree with the leftmost root, then the leftmost children.
    """
    import numpy as np

    logs = logarithms(weights)
    sentences, n = batch.tags.shape
    if native.load(native.VALENCE) is None:
        return python_inference.best_trees(batch.tags, logs)
    from numbat.structure import _valence

    scores, heads = np.zeros(sentences), np.zeros((sentences, n), dtype=np.int32)
    _valence.best(batch.tags, (sentences, n, len(logs.root)), _packed(logs), scores, heads)
    return scores, heads


def heads_of(sentences: Sequence[Sequence[int]], weights: EventWeights) -> list[tuple[int, ...]]:
    """Return the heads of the best tree of each sentence of numbered tags, in order."""
    best: list[tuple[int, ...]] = [()] * len(sentences)
    for batch in batches_of(sentences):
        for place, heads in zip(batch.places, best_trees(batch, weights)[1].tolist(), strict=True):
            best[place] = tuple(heads)
    return best


def best_heads(model: DependencyModel, tags: Sequence[str]) -> tuple[int, ...]:
    """Return the heads of the best tree of a sentence, counted from 1, with 0 for the root.

    Raises UsageError for a tag that the model does not know, and for a sentence that is too long.
    """
    return heads_of([model.numbers(tags)], model.weights)[0]


def _packed(weights: EventWeights) -> tuple[Numbers, ...]:
    """Return the arrays in contiguous memory, as the compiled module takes them."""
    import numpy as np

    return tuple(np.ascontiguousarray(weight) for weight in weights)


def logarithms(weights: EventWeights) -> EventWeights:
    """Return the logarithms of weights, minus infinity for 0."""
    import numpy as np

    with np.errstate(divide="ignore"):
        return EventWeights(*(np.log(weight) for weight in weights))


# Exact sampling of the trees of a sentence from a dependency model


def sampled_heads(
    model: DependencyModel, tags: Sequence[str], count: int, seed: int = 0
) -> tuple[tuple[int, ...], ...]:
    """Sample trees of a sentence from the model, as heads counted from 1, with 0 for the root.

    Deterministic in seed and sentence. Raises UsageError for a tag that the model does not know, and for a sentence
    that is too long or impossible under the model.
    """
    import numpy as np

    numbers = model.numbers(tags)
    if not numbers:
        return ((),) * count
    [batch] = batches_of([numbers])
    chart = chart_of(batch.tags, logarithms(model.weights), np.zeros(len(numbers)))
    if not np.isfinite(roots_of(chart, 0, len(numbers) - 1)).any():
        raise UsageError(f"the model has no tree for {' '.join(tags)}\n  learn another one, with --smoothing above 0")
    sampler = _Sampler(chart, Random(f"{seed} {' '.join(tags)}"))
    return tuple(sampler.tree() for _ in range(count))


class _Sampler:
    """Top-down sampler of trees from a filled chart of one sentence; cumulated shares are cached."""

    def __init__(self, chart: SpanSums, random: Random) -> None:
        self.chart, self.random = chart, random
        self.words = chart.tags.shape[1]
        self.known: dict[tuple[str, int, int, int], list[float]] = {}

    def tree(self) -> tuple[int, ...]:
        root = self._chosen("root", 0, 0, self.words - 1)
        return tuple(heads_below(root, self.words, self._child, self._meeting))

    def _child(self, side: int, head: int, end: int) -> int:
        return (head + 1 if side == RIGHT else end) + self._chosen("child", side, head, end)

    def _meeting(self, side: int, head: int, child: int) -> int:
        return min(head, child) + self._chosen("link", side, head, child)

    def _chosen(self, kind: str, side: int, head: int, end: int) -> int:
        key = kind, side, head, end
        sums = self.known.get(key)
        if sums is None:
            sums = self.known[key] = _cumulated(self._ways(kind, side, head, end))
        drawn = self.random.random() * sums[-1]
        return next(way for way, reached in enumerate(sums) if drawn < reached)

    def _ways(self, kind: str, side: int, head: int, end: int) -> Numbers:
        if kind == "root":
            ways = roots_of(self.chart, head, end)
        else:
            ways = (children_of if kind == "child" else links_of)(self.chart, side, head, end)
        return ways.reshape(-1)


def _cumulated(logs: Numbers) -> list[float]:
    import numpy as np

    most = logs.max()
    return list(np.exp(logs - (most if np.isfinite(most) else 0.0)).cumsum().tolist())
