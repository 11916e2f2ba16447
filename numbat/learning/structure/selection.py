"""Judges models by trees that are known, or by how likely they make other sentences; and chooses among candidates.

The second is unreliable (Smith & Eisner 2006, table 1): the likeliest model is often not the best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from numbat.parsing.dependency_model.inference import best_trees, sums
from numbat.parsing.dependency_model.model import Batch, Weights, batches_of
from numbat.treebank.scores import Attachments

if TYPE_CHECKING:
    from numbat.parsing.dependency_model.model import Tags

Heads = tuple[int, ...]


class Judged(NamedTuple):
    """What is said of a model on some sentences: the mean logarithm of a sentence's likelihood, and its links."""

    likelihood: float
    attachments: Attachments | None = None


@dataclass(frozen=True, eq=False)
class Judge:
    """Sentences of tags by number, with their trees if these are known."""

    sentences: Sequence[Sequence[int]]
    heads: Sequence[Heads] | None = None

    @cached_property
    def batches(self) -> list[Batch]:
        return batches_of(self.sentences)

    @cached_property
    def known(self) -> list[Tags]:
        """The known heads of each batch."""
        import numpy as np

        heads = self.heads or ()
        return [np.array([heads[place] for place in batch.places], dtype=np.int32) for batch in self.batches]

    def judged(self, weights: Weights) -> Judged:
        """How a model does on the sentences."""
        likelihood = sum(float(sums(batch, weights).sum()) for batch in self.batches)
        mean = likelihood / max(1, sum(len(batch.places) for batch in self.batches))
        if self.heads is None:
            return Judged(mean)
        found = Attachments()
        for batch, known in zip(self.batches, self.known, strict=True):
            found += attachments_of(known, best_trees(batch, weights)[1])
        return Judged(mean, found)


def attachments_of(known: Tags, found: Tags) -> Attachments:
    """As `score_heads` of `treebank.dependency_scores`, over all sentences of one length: heads (sentences, words)."""
    import numpy as np

    linked = known > 0
    right = linked & (known == found)
    numbers = np.arange(1, known.shape[1] + 1)
    turned = linked & (np.take_along_axis(found, np.maximum(known - 1, 0), axis=1) == numbers)
    counts = (found > 0, linked, right, right | turned)
    return Attachments(*(int(each.sum()) for each in counts))


Worth = Callable[[Sequence[Judged]], float]
"""What a model is worth by its judgements, the first of which chooses."""


@dataclass(frozen=True, eq=False)
class Judges:
    """The sentences that choose, and others on which models are only looked at, such as a test part."""

    selection: Judge
    others: tuple[Judge, ...] = ()

    def judged(self, weights: Weights) -> tuple[Judged, ...]:
        return tuple(judge.judged(weights) for judge in (self.selection, *self.others))

    @property
    def worths(self) -> tuple[Worth, ...]:
        """How candidates are compared: by likelihood, and by F where trees are known."""
        return WORTHS[:1] if self.selection.heads is None else WORTHS


def by_likelihood(judged: Sequence[Judged]) -> float:
    """How likely a model makes the sentences that choose."""
    return judged[0].likelihood


def by_links(judged: Sequence[Judged]) -> float:
    """F1 of its links in the sentences that choose, 0 where their trees are not known."""
    links = judged[0].attachments
    return links.f1 if links is not None else 0.0


WORTHS: Final[tuple[Worth, ...]] = (by_likelihood, by_links)
