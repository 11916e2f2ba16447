"""Judges models by trees that are known, or by how likely they make other sentences; and chooses among candidates.

The second is unreliable (Smith & Eisner 2006, table 1): the likeliest model is often not the best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from numbat.parsing.dependency_model.inference import best_trees, sums
from numbat.parsing.dependency_model.records import Batch, Weights, batches_of
from numbat.treebank.dependency_scores import Attachments, score_heads

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

    def judged(self, weights: Weights) -> Judged:
        """How a model does on the sentences."""
        likelihood = sum(float(sums(batch, weights).sum()) for batch in self.batches)
        mean = likelihood / max(1, sum(len(batch.places) for batch in self.batches))
        if self.heads is None:
            return Judged(mean)
        found = Attachments()
        for batch in self.batches:
            for place, heads in zip(batch.places, best_trees(batch, weights)[1], strict=True):
                found += score_heads(self.heads[place], heads)
        return Judged(mean, found)


Better = Callable[[Sequence[Judged], Sequence[Judged]], bool]


@dataclass(frozen=True, eq=False)
class Judges:
    """The sentences that choose, and others on which models are only looked at, such as a test part."""

    selection: Judge
    others: tuple[Judge, ...] = ()

    def judged(self, weights: Weights) -> tuple[Judged, ...]:
        return tuple(judge.judged(weights) for judge in (self.selection, *self.others))

    @property
    def choosing(self) -> tuple[Better, ...]:
        """How candidates are compared: by likelihood, and by F where trees are known."""
        return (likelier,) if self.selection.heads is None else (likelier, more_right)


def likelier(one: Sequence[Judged], other: Sequence[Judged]) -> bool:
    """Whether one makes the sentences that choose likelier than the other."""
    return one[0].likelihood > other[0].likelihood


def more_right(one: Sequence[Judged], other: Sequence[Judged]) -> bool:
    """Whether one has more links right in the sentences that choose."""
    first, second = one[0].attachments, other[0].attachments
    return first is not None and second is not None and first.f1 > second.f1
