"""What the inference of the dependency model takes and gives: weights, biases, batches of sentences, and counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from numbat.records import frozen

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Tags = NDArray[np.int32]

LEFT, RIGHT = 0, 1
NO_CHILD, HAS_CHILD = 0, 1
LONGEST: Final = 200
"""Words of the longest sentence: time grows with the third power, memory with the second."""
MOST_CELLS: Final = 1_000_000
"""Pairs of words in the sentences of a batch, which bounds the memory of charts."""


class Weights(NamedTuple):
    """Weights of the events in a tree, or how often they are expected, by number of the head's tag (of T).

    `stop` and `go` (T, 2, 2): no more child, one more, by side and by whether there is a child on that side; `child`
    (T, 2, T): by side and the child's tag; `root` (T): the tag of the root.
    """

    stop: Numbers
    go: Numbers
    child: Numbers
    root: Numbers


@frozen
class Bias:
    """What a tree counts beside its weights, in learning alone (Smith & Eisner 2006, section 5 and equation 2).

    `locality` (delta): a link over `k` words counts exp(delta * k). `breaks` (beta): analyses are rows of any number of
    trees, and each counts exp(beta); None or minus infinity: one tree.
    """

    locality: float = 0.0
    breaks: float | None = None


class Batch(NamedTuple):
    """Sentences of one length: `tags` (sentences, words) by number, how often each counts, and which ones they are."""

    tags: Tags
    shares: Numbers
    places: tuple[int, ...]


def batches_of(sentences: Sequence[Sequence[int]], shares: Sequence[float] | None = None) -> list[Batch]:
    """Sentences of tags by number, those of one length together, the shortest first; empty ones are left out.

    Many sentences of one length are several batches."""
    import numpy as np

    by_length: dict[int, list[int]] = {}
    for place, sentence in enumerate(sentences):
        if sentence:
            by_length.setdefault(len(sentence), []).append(place)
    found = []
    for length, every in sorted(by_length.items()):
        size = max(1, MOST_CELLS // length**2)
        for start in range(0, len(every), size):
            places = every[start : start + size]
            tags = np.array([sentences[place] for place in places], dtype=np.int32)
            counted = np.array([1.0 if shares is None else shares[place] for place in places])
            found.append(Batch(tags, counted, tuple(places)))
    return found


def no_counts(tags: int) -> Weights:
    """Counts that are all 0."""
    import numpy as np

    return Weights(np.zeros((tags, 2, 2)), np.zeros((tags, 2, 2)), np.zeros((tags, 2, tags)), np.zeros(tags))
