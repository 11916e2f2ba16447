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
"""Maximum number of tags: a model has a probability for each two of them and side."""


@dataclass(frozen=True, eq=False)
class DependencyModel:
    """Model of dependency trees over tags (Smith & Eisner 2006, equation 1).

    `tags` are sorted; arrays go by their numbers (T of them). `stop` (T, 2, 2): the probability that a head has no more
    child, by side (left, right) and by whether it has one there. `child` (T, 2, T): that it is of a tag; `root` (T):
    that the root of a sentence is. `column` names the kind of tags, `about` records how the model was learned.
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
        """Return the probabilities as inference takes them."""
        return EventWeights(self.stop, 1.0 - self.stop, self.child, self.root)

    def numbers(self, tags: Sequence[str]) -> list[int]:
        """Return the numbers of a sentence's tags.

        Raises UsageError for a tag that is not known, or too many of them.
        """
        if len(tags) > MAX_LENGTH:
            raise UsageError(f"a sentence of {len(tags)} words\n  cut it: trees are found for up to {MAX_LENGTH}")
        for tag in tags:
            if tag not in self.index:
                raise UsageError(f'the model has no tag "{tag}"\n  it knows {", ".join(self.tags)}')
        return [self.index[tag] for tag in tags]


# The file of a dependency model: JSON in which every number is checked when it is read.

FORMAT: Final = "numbat structure/1"
COLUMNS: Final[tuple[Column, ...]] = ("upos", "xpos", "tags")


def packed_model(model: DependencyModel) -> bytes:
    """Return the bytes of a file with the model; numbers as they are, so that it is read back equal."""
    head = {"format": FORMAT, "column": model.column, "about": model.about, "tags": model.tags}
    arrays = {"root": model.root.tolist(), "stop": model.stop.tolist(), "child": model.child.tolist()}
    return (json.dumps({**head, **arrays}, ensure_ascii=False, indent=None) + "\n").encode()


def read_model(path: str) -> DependencyModel:
    """Return the model of a file. Raises MissingFileError, DataError for what is no such file, MissingExtraError."""
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
    """Return the model of the bytes of a file. Raises ValueError, TypeError, KeyError for what is none."""
    read = json.loads(data)
    if not isinstance(read, dict) or read.get("format") != FORMAT:
        raise ValueError(f'"format" is not "{FORMAT}"')
    tags, column, about = read["tags"], read["column"], read["about"]
    named = isinstance(tags, list) and all(isinstance(tag, str) and tag for tag in tags)
    if not named or not tags or len(tags) > MAX_TAGS or sorted(set(tags)) != tags:
        raise ValueError(f"tags are no sorted list of up to {MAX_TAGS:,} names")
    if column not in COLUMNS or not isinstance(about, str):
        raise ValueError("column or about is none that there is")
    size = len(tags)
    root, child = _numbers(read["root"], (size,)), _numbers(read["child"], (size, 2, size))
    for sums in (root.sum(), child.sum(axis=2)):
        if (abs(sums - 1.0) > 1e-6).any():
            raise ValueError("probabilities that do not sum to 1")
    return DependencyModel(tuple(tags), _numbers(read["stop"], (size, 2, 2)), child, root, column, about)


def _numbers(rows: Any, shape: tuple[int, ...]) -> Numbers:
    """Return nested lists of probabilities of that shape as an array."""
    import numpy as np

    def checked(part: Any, left: tuple[int, ...]) -> None:
        if not left:
            if isinstance(part, bool) or not isinstance(part, int | float) or not 0 <= part <= 1 or math.isnan(part):
                raise ValueError(f"{part!r} where a probability is expected")
        elif not isinstance(part, list) or len(part) != left[0]:
            raise ValueError(f"an array that is not of {' times '.join(map(str, shape))} numbers")
        else:
            for each in part:
                checked(each, left[1:])

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
"""Words of the longest sentence: time grows with the third power, memory with the second."""
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
    """Factors of a tree beside its weights, used in learning alone (Smith & Eisner 2006, section 5 and equation 2).

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
    """Yield batches of sentences of numbered tags by length, the shortest first, without empty ones.

    Many sentences of one length are several batches."""
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
