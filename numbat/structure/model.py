"""Dependency model with valence: probabilities that a head takes children, and which (Klein & Manning 2004)."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from numbat.errors import DataError, UsageError, require_numpy
from numbat.files import content_of, shown
from numbat.records import cached_property, frozen

Column = Literal["upos", "xpos", "tags"]
MAX_TAGS = 1_000
"""Maximum number of tags: a model has a probability for each pair of them on each side."""


@dataclass(frozen=True, eq=False)
class DependencyModel:
    """Model of dependency trees over tags (Smith & Eisner 2006, equation 1).

    `tags` are sorted, and arrays are indexed by their numbers (T tags). `stop` (T, 2, 2) is the probability that a head
    takes no more children, by side (left, right) and by whether it has a child on that side. `child` (T, 2, T) is the
    probability of a child's tag, by head and side; `root` (T) that of the root's tag. `column` is the kind of tags,
    `about` records how the model was learned.
    """

    tags: tuple[str, ...]
    stop: Numbers = field(repr=False)
    child: Numbers = field(repr=False)
    root: Numbers = field(repr=False)
    column: Column = "tags"
    about: str = ""

    @cached_property
    def index(self) -> dict[str, int]:
        """Numbers of the tags."""
        return {tag: number for number, tag in enumerate(self.tags)}

    @cached_property
    def weights(self) -> EventWeights:
        """Probabilities in the form that inference takes."""
        return EventWeights(self.stop, 1.0 - self.stop, self.child, self.root)

    def numbers(self, tags: Sequence[str]) -> list[int]:
        """Return the numbers of a sentence's tags. Raises UsageError for an unknown tag, or for too many words."""
        if len(tags) > MAX_LENGTH:
            raise UsageError(
                f"a sentence of {len(tags)} words\n  shorten it: the model parses up to {MAX_LENGTH} words"
            )
        for tag in tags:
            if tag not in self.index:
                raise UsageError(f'the model has no tag "{tag}"\n  it knows {", ".join(self.tags)}')
        return [self.index[tag] for tag in tags]


# The file of a dependency model is JSON; every number is checked when it is read.

FORMAT: Final = "numbat structure/1"
COLUMNS: Final[tuple[Column, ...]] = ("upos", "xpos", "tags")


def packed_model(model: DependencyModel) -> bytes:
    """Return the model as the bytes of a file; numbers are exact, so an equal model is read back."""
    head = {"format": FORMAT, "column": model.column, "about": model.about, "tags": model.tags}
    arrays = {"root": model.root.tolist(), "stop": model.stop.tolist(), "child": model.child.tolist()}
    return (json.dumps({**head, **arrays}, ensure_ascii=False, indent=None) + "\n").encode()


def read_model(path: str) -> DependencyModel:
    """Read a model from a file. Raises MissingFileError, MissingExtraError, and DataError for any other file."""
    require_numpy("dependency models")
    data = content_of(path)
    try:
        return parse_model(data)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        why = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        raise DataError(
            f"{shown(path)}: not a dependency model: {why}\n  write it again with numbat learn structure"
        ) from None


def parse_model(data: bytes) -> DependencyModel:
    """Return the model in the bytes of a file. Raises ValueError, TypeError or KeyError if they are not a model."""
    read = json.loads(data)
    if not isinstance(read, dict) or read.get("format") != FORMAT:
        raise ValueError(f'"format" is not "{FORMAT}"')
    tags, column, about = read["tags"], read["column"], read["about"]
    named = isinstance(tags, list) and all(isinstance(tag, str) and tag for tag in tags)
    if not named or not tags or len(tags) > MAX_TAGS or sorted(set(tags)) != tags:
        raise ValueError(f'"tags" is not a sorted list of up to {MAX_TAGS:,} names')
    if column not in COLUMNS or not isinstance(about, str):
        raise ValueError('"column" or "about" has an unknown value')
    size = len(tags)
    root, child = _numbers(read["root"], (size,)), _numbers(read["child"], (size, 2, size))
    for sums in (root.sum(), child.sum(axis=2)):
        if (abs(sums - 1.0) > 1e-6).any():
            raise ValueError("probabilities do not sum to 1")
    return DependencyModel(tuple(tags), _numbers(read["stop"], (size, 2, 2)), child, root, column, about)


def _numbers(rows: Any, shape: tuple[int, ...]) -> Numbers:
    """Return nested lists of probabilities as an array of the given shape."""
    import numpy as np

    def checked(part: Any, left: tuple[int, ...]) -> None:
        if not left:
            if isinstance(part, bool) or not isinstance(part, int | float) or not 0 <= part <= 1 or math.isnan(part):
                raise ValueError(f"{part!r} where a probability is expected")
        elif not isinstance(part, list) or len(part) != left[0]:
            raise ValueError(f"an array that is not of {' times '.join(map(str, shape))} numbers")
        else:
            for row in part:
                checked(row, left[1:])

    checked(rows, shape)
    return np.array(rows, dtype=np.float64)


# Input and output of inference with the dependency model: weights, biases, batches of sentences, and counts.

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Tags = NDArray[np.int32]

LEFT, RIGHT = 0, 1
NO_CHILD, HAS_CHILD = 0, 1
MAX_LENGTH: Final = 200
"""Maximum number of words in a sentence: time grows with the cube of the length, memory with the square."""
MAX_CELLS: Final = 1_000_000
"""Maximum number of word pairs in the sentences of a batch, to bound the memory of charts."""


class EventWeights(NamedTuple):
    """Weights of the events in a tree, or their expected counts, by number of the head's tag (of T).

    `stop` and `go` (T, 2, 2): no more child, one more, by side and by whether there is a child on that side; `child`
    (T, 2, T): by side and the child's tag; `root` (T): the tag of the root.
    """

    stop: Numbers
    go: Numbers
    child: Numbers
    root: Numbers


@frozen
class Bias:
    """Factors that multiply the weight of a tree in learning (Smith & Eisner 2006, section 5 and equation 2).

    `locality` (delta): the factor exp(delta * k) for each link over `k` words. `breaks` (beta): an analysis is a
    sequence of trees, with the factor exp(beta) for each; with None or minus infinity it is a single tree.
    """

    locality: float = 0.0
    breaks: float | None = None


class Batch(NamedTuple):
    """Sentences of one length: a row of tag numbers for each, their counts, and their indexes in the input."""

    tags: Tags
    shares: Numbers
    places: tuple[int, ...]


def batches_of(sentences: Sequence[Sequence[int]], shares: Sequence[float] | None = None) -> list[Batch]:
    """Return nonempty sentences of numbered tags in batches of one length, the shortest first.

    Many sentences of one length make several batches.
    """
    import numpy as np

    by_length: dict[int, list[int]] = {}
    for place, sentence in enumerate(sentences):
        if sentence:
            by_length.setdefault(len(sentence), []).append(place)
    batches = []
    for length, every in sorted(by_length.items()):
        size = max(1, MAX_CELLS // length**2)
        for start in range(0, len(every), size):
            places = every[start : start + size]
            tags = np.array([sentences[place] for place in places], dtype=np.int32)
            counted = np.array([1.0 if shares is None else shares[place] for place in places])
            batches.append(Batch(tags, counted, tuple(places)))
    return batches


def no_counts(tags: int) -> EventWeights:
    """Return counts that are all 0."""
    import numpy as np

    return EventWeights(np.zeros((tags, 2, 2)), np.zeros((tags, 2, 2)), np.zeros((tags, 2, tags)), np.zeros(tags))
