"""Sentences of tags as learners see them: numbers, equal sentences once, those of one length together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from numbat.parsing.dependency_model.model import Batch, batches_of


@dataclass(frozen=True, eq=False)
class TagSentences:
    """Tags by number, sorted by name, and sentences in batches, each with how often it occurs."""

    tags: tuple[str, ...]
    batches: tuple[Batch, ...]

    @property
    def count(self) -> int:
        """How many sentences there are."""
        return round(sum(float(batch.shares.sum()) for batch in self.batches))

    @property
    def sequences(self) -> list[tuple[tuple[int, ...], float]]:
        """Each different sentence, and how often it occurs."""
        return [
            (tuple(row), share)
            for batch in self.batches
            for row, share in zip(batch.tags.tolist(), batch.shares.tolist(), strict=True)
        ]


def counted_sentences(sentences: Iterable[Sequence[str]], tags: Sequence[str] = ()) -> TagSentences:
    """Sentences of these tags, and of those that are in `tags` besides; sentences without words are left out."""
    found = Counter(tuple(sentence) for sentence in sentences if sentence)
    names = tuple(sorted({tag for sentence in found for tag in sentence} | set(tags)))
    number = {tag: place for place, tag in enumerate(names)}
    different = sorted(found)
    numbered = [[number[tag] for tag in sentence] for sentence in different]
    shares = [float(found[sentence]) for sentence in different]
    return TagSentences(names, tuple(batches_of(numbered, shares)))
