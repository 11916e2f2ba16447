"""Draws trees of a sentence: exact samples of the distribution that a dependency model gives them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

from numbat.errors import UsageError
from numbat.parsing.dependency_model.inference import logarithms
from numbat.parsing.dependency_model.python_inference import (
    Chart,
    chart_of,
    children_of,
    heads_below,
    links_of,
    roots_of,
)
from numbat.parsing.dependency_model.records import RIGHT, batches_of

if TYPE_CHECKING:
    from numbat.parsing.dependency_model.model import DependencyModel
    from numbat.parsing.dependency_model.records import Numbers


def sampled_heads(
    model: DependencyModel, tags: Sequence[str], count: int, seed: int = 0
) -> tuple[tuple[int, ...], ...]:
    """So many trees of a sentence, each as likely as the model says: heads, words counting from 1, 0 the root.

    The same for the same seed and sentence. Raises UsageError for a tag that the model does not know, and for a
    sentence that is too long or impossible under the model.
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
    """A filled chart of one sentence, read downwards by chance. Shares of ways are worked out once."""

    def __init__(self, chart: Chart, random: Random) -> None:
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
