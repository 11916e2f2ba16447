"""Scores of predicted labels: accuracy of tokens and sentences, and precision, recall and F of chunks.

Chunks are counted as the shared tasks count them (Tjong Kim Sang & Buchholz 2000, `conlleval`): a chunk is right if its
type and both its ends are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from numbat.records import frozen

Chunk = tuple[int, int, str]
"""First token, the one after the last, type."""


@frozen
class LabellingScore:
    """Counts of right tokens, sentences and chunks; `unknown` counts tokens whose word was not seen in training."""

    tokens: int = 0
    right: int = 0
    unknown: int = 0
    unknown_right: int = 0
    sentences: int = 0
    sentences_right: int = 0
    gold_chunks: int = 0
    found_chunks: int = 0
    right_chunks: int = 0

    @property
    def accuracy(self) -> float:
        return _share(self.right, self.tokens)

    @property
    def unknown_accuracy(self) -> float:
        return _share(self.unknown_right, self.unknown)

    @property
    def sentence_accuracy(self) -> float:
        return _share(self.sentences_right, self.sentences)

    @property
    def precision(self) -> float:
        return _share(self.right_chunks, self.found_chunks)

    @property
    def recall(self) -> float:
        return _share(self.right_chunks, self.gold_chunks)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 where no chunk is right."""
        return _share(2 * self.right_chunks, self.gold_chunks + self.found_chunks)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def score_labels(
    gold: Sequence[Sequence[str]], found: Sequence[Sequence[str]], known: Sequence[Sequence[bool]] | None = None
) -> LabellingScore:
    """The score of labellings against the right ones; `known` is True for tokens whose word was seen in training.

    Raises ValueError where lengths differ.
    """
    counts: Counter[str] = Counter()
    for number, (right, mine) in enumerate(zip(gold, found, strict=True)):
        hits = [one == two for one, two in zip(right, mine, strict=True)]
        new = [not seen for seen in known[number]] if known is not None else [False] * len(hits)
        wanted, made = set(chunks(right)), set(chunks(mine))
        counts["tokens"] += len(hits)
        counts["right"] += sum(hits)
        counts["unknown"] += sum(new)
        counts["unknown_right"] += sum(hit and fresh for hit, fresh in zip(hits, new, strict=True))
        counts["sentences"] += 1
        counts["sentences_right"] += all(hits)
        counts["gold_chunks"] += len(wanted)
        counts["found_chunks"] += len(made)
        counts["right_chunks"] += len(wanted & made)
    return LabellingScore(**counts)


def chunks(labels: Iterable[str]) -> Iterator[Chunk]:
    """The chunks of a sentence in IOB or IOBES labels; I-X begins a chunk where none of type X is open."""
    start, kind, before, size = 0, "", "O", 0
    for i, label in enumerate(labels):
        size = i + 1
        mark, _, name = label.partition("-")
        begins = name != "" and (mark in ("B", "S") or name != kind or before in ("E", "S"))
        if kind and (begins or not name):
            yield start, i, kind
            kind = ""
        if begins:
            start, kind = i, name
        before = mark
    if kind:
        yield start, size, kind


def has_chunks(labels: Iterable[str]) -> bool:
    """True if the labels are those of chunks: every one is `O` or begins with a mark and a hyphen."""
    every = set(labels)
    return len(every) > 1 and all(label == "O" or label[:2] in ("B-", "I-", "E-", "S-") for label in every)
