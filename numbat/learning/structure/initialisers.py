"""Where learning begins: three ways to count events before anything is known (appendix of the paper)."""

from __future__ import annotations

from typing import Final, Literal

from numbat.learning.structure.estimation import maximized
from numbat.learning.structure.sentences import TagSentences
from numbat.parsing.dependency_model.inference import sums_with
from numbat.parsing.dependency_model.model import HAS_CHILD, LEFT, NO_CHILD, RIGHT, Batch, Weights, no_counts

Initialiser = Literal["trees", "distances", "uniform"]
INITIALISERS: Final[tuple[Initialiser, ...]] = ("trees", "distances", "uniform")


def initial_weights(sentences: TagSentences, initialiser: Initialiser, smoothing: float) -> Weights:
    """Probabilities to begin with, from one M step on counts.

    `trees`: expected counts where each link of a tree over `k` words counts 1 + 1/k. `uniform`: the same where all
    trees count alike. `distances`: counted directly, a child's head being likely as 1/k.
    """
    counts = no_counts(len(sentences.tags))
    for batch in sentences.batches:
        if initialiser == "distances":
            _count_distances(batch, counts)
        else:
            _count_trees(batch, initialiser == "trees", counts)
    return maximized(counts, smoothing)


def _count_trees(batch: Batch, near: bool, counts: Weights) -> None:
    import numpy as np

    # A factor for each word changes no share, and keeps sums over many trees in the range of the compiled inference.
    ones = Weights(*(np.ones(each.shape) for each in counts))
    ones = ones._replace(child=ones.child / 64, root=ones.root / 64)
    distances = np.arange(batch.tags.shape[1], dtype=float)
    link = np.log1p(1.0 / np.maximum(distances, 1.0)) if near else np.zeros(len(distances))
    sums_with(batch, ones, link, None, counts)


def _count_distances(batch: Batch, counts: Weights) -> None:
    """Each word is the root with 1/n; else a child of each other, as 1/distance. A side on which `c` children are
    expected has none with 1 - c where c is below 1, and stops once."""
    import numpy as np

    n = batch.tags.shape[1]
    place = np.arange(n)
    distance = np.abs(place[:, None] - place[None, :])
    near = np.where(distance > 0, 1.0 / np.maximum(distance, 1), 0.0)
    link = near / np.maximum(near.sum(axis=0, keepdims=True), 1e-300) * (1.0 - 1.0 / n)
    for word in range(n):
        tags = batch.tags[:, word]
        np.add.at(counts.root, tags, batch.shares / n)
        for side in (LEFT, RIGHT):
            others = place[:word] if side == LEFT else place[word + 1 :]
            children = float(link[word, others].sum())
            first = min(1.0, children)
            for to, has, much in (
                (counts.go, NO_CHILD, first),
                (counts.stop, NO_CHILD, 1.0 - first),
                (counts.go, HAS_CHILD, children - first),
                (counts.stop, HAS_CHILD, first),
            ):
                np.add.at(to[:, side, has], tags, batch.shares * much)
            for other in others:
                np.add.at(counts.child[:, side], (tags, batch.tags[:, other]), batch.shares * link[word, other])
