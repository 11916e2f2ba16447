"""The memory-based learner: predicts the classes of the nearest training instances.

After Daelemans & van den Bosch 2005, "Memory-Based Language Processing", and the program TiMBL. There are three search
methods. `exact` takes the instances at the k smallest distances, however many there are at each distance. `igtree`
compares one feature after the other, the heaviest first, until a value differs from that of the token, and takes all
instances that match so far; `tribl2` does the same, then searches for the nearest among these instances.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from math import exp, inf
from typing import TYPE_CHECKING, Any, Final, Literal

from numbat.errors import DataError, UsageError
from numbat.labels import loops
from numbat.labels.csi import EDGE, Prediction, Trigram, marginals_of, predict, trigrams
from numbat.labels.loops import NearestQuery, Neighbours
from numbat.labels.model_file import MAX_FILE_BYTES, number, whole
from numbat.labels.token_files import FEWER_LABELS, Sample, TokenColumns
from numbat.records import frozen

if TYPE_CHECKING:
    from numpy import float64, int32, int64
    from numpy.typing import NDArray


# Feature weighting and value difference metrics (Daelemans & van den Bosch 2005, chapter 3).

Weighting = Literal["gr", "ig", "x2", "none"]
WEIGHTINGS: Final[tuple[Weighting, ...]] = ("gr", "ig", "x2", "none")


def count_values(values: NDArray[Any], classes: NDArray[int64], number: int) -> tuple[NDArray[int64], ...]:
    """Count how often each value occurs with each of `number` classes; return values, classes and counts of the pairs.

    Pairs that do not occur are left out.
    """
    import numpy as np

    codes, counts = np.unique(values.astype(np.int64) * number + classes, return_counts=True)
    return codes // number, codes % number, counts


def feature_weight(values: NDArray[Any], classes: NDArray[int64], number: int, weighting: Weighting) -> float:
    """Return the weight of a feature, from its value in each instance and the class of each instance.

    Information gain (`ig`): H(C) - sum of P(v) H(C|v); gain ratio (`gr`): this gain divided by the entropy of the
    values, 0 for a single value; chi-squared (`x2`): the sum of (observed - expected)^2 / expected.
    """
    import numpy as np

    if weighting == "none":
        return 1.0
    of_value, of_class, counts = count_values(values, classes, number)
    total = len(values)
    by_value, by_class = np.bincount(of_value, counts), np.bincount(of_class, counts)
    if weighting == "x2":
        return float((counts**2 / (by_value[of_value] * by_class[of_class] / total)).sum() - total)
    gain = _entropy(by_class) + _entropy(by_value) - _entropy(counts)
    if weighting == "ig":
        return max(gain, 0.0)
    split = _entropy(by_value)
    return max(gain / split, 0.0) if split > 0 else 0.0


def _entropy(counts: NDArray[Any]) -> float:
    import numpy as np

    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


class ValueDifference:
    """Modified value difference of one feature (Cost & Salzberg 1993): half the sum of |P(c|v) - P(c|w)|, 0 to 1.

    A value that was not seen in training has distance 1 from all others.
    """

    def __init__(self, values: NDArray[Any], classes: NDArray[int64], number: int, size: int) -> None:
        import numpy as np

        of_value, of_class, counts = count_values(values, classes, number)
        self.size = size
        shares = counts / np.bincount(of_value, counts, minlength=size)[of_value]
        self._starts = np.searchsorted(of_value, np.arange(size + 1))
        self._classes, self._shares = of_class, shares
        order = np.argsort(of_class, kind="stable")
        self._class_starts = np.searchsorted(of_class[order], np.arange(number + 1))
        self._by_class_values, self._by_class_shares = of_value[order], shares[order]

    def distances_from(self, value: int) -> NDArray[float64]:
        """Return the difference between `value` (v) and every value (w): 1 - sum of min(P(c|v), P(c|w))."""
        import numpy as np

        same = np.zeros(self.size)
        for at in range(self._starts[value], self._starts[value + 1]):
            part = slice(self._class_starts[self._classes[at]], self._class_starts[self._classes[at] + 1])
            same[self._by_class_values[part]] += np.minimum(self._by_class_shares[part], self._shares[at])
        apart = np.maximum(1.0 - same, 0.0)
        apart[value] = 0.0
        return apart


SearchMethod = Literal["exact", "igtree", "tribl2"]
Metric = Literal["overlap", "mvdm"]
Voting = Literal["majority", "id", "il", "ed"]
CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "search": ("exact", "igtree", "tribl2"),
    "metric": ("overlap", "mvdm"),
    "weighting": WEIGHTINGS,
    "voting": ("majority", "id", "il", "ed"),
}
SCALE: Final = 1 << 24
"""Integer by which a mismatch in the heaviest feature adds to a distance."""
MAX_CACHE_BYTES: Final = 100_000_000
"""Maximum size of the cache for distances between values."""
MAX_LABELS, MIN_TOKENS = 1_000, 5
"""With more labels than MAX_LABELS, there must be MIN_TOKENS tokens per label on average."""
MIN_DISTANCE: Final = 1e-6
"""Number that is added to a distance before 1 is divided by the sum."""


@frozen
class MemorySettings:
    """Settings of search and voting; `decay` is alpha in votes by exponential decay (`ed`).

    With the metric `mvdm`, values seen less often than `least` are only equal or different, as with `overlap`.
    """

    k: int = 5
    search: SearchMethod = "exact"
    metric: Metric = "mvdm"
    weighting: Weighting = "gr"
    voting: Voting = "il"
    decay: float = 1.0
    least: int = 1

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise UsageError(f'{name} "{getattr(self, name)}" is not known\n  known are: {", ".join(choices)}')
        if self.k < 1 or self.least < 1:
            raise UsageError("k and least must be at least 1\n  give a whole number from 1 on")
        if not 0 <= self.decay < inf:
            raise UsageError(f"the decay must be a finite number from 0 on, not {self.decay}\n  1 is usual")


@dataclass(slots=True)
class Memory:
    """The instances of the training data, sorted for the search.

    `material` holds the samples. `order` lists the features, the heaviest first; `weights` are in this order, as
    integers. `values` and `ends` are features x instances, as in `NearestQuery`; equal windows are one instance. The
    classes of instance i are `classes[starts[i]:starts[i + 1]]`, and `counts` has how often each was seen. `distances`,
    `distance_bytes` and `range_votes` are caches.
    """

    settings: MemorySettings
    material: tuple[Sample, ...]
    labels: tuple[str, ...]
    symbols: Symbols
    order: NDArray[int64]
    weights: NDArray[int64]
    values: NDArray[int32]
    ends: NDArray[int32]
    trigrams: tuple[Trigram, ...]
    frequency: Mapping[Trigram, int]
    starts: list[int]
    classes: list[int]
    counts: list[int]
    differences: tuple[ValueDifference | None, ...]
    frequencies: tuple[NDArray[int64], ...]
    distances: dict[tuple[int, int], NDArray[int32]] = field(default_factory=dict, repr=False)
    distance_bytes: int = 0
    range_votes: dict[tuple[int, int], dict[int, float]] = field(default_factory=dict, repr=False)

    def is_known(self, form: str) -> bool:
        """True if the word `form` was seen in training."""
        return form in self.symbols.numbers[0]


def train(
    samples: Sequence[Sample], settings: MemorySettings, on_progress: Callable[[str], None] = lambda _: None
) -> Memory:
    """Return the memory of labelled samples; `on_progress` receives a line with its size."""
    import numpy as np

    rows = [sample.rows for sample in samples]
    symbols = symbols_of(rows)
    labels = (EDGE, *sorted({label for sample in samples for label in sample.labels}))
    seen = [trigram for sample in samples for trigram in trigrams(sample.labels)]
    _check_labels(len(labels) - 1, len(seen))
    names = tuple(sorted(set(seen)))
    number = {name: i for i, name in enumerate(names)}
    classes = np.array([number[trigram] for trigram in seen], np.int64)
    values = windows(rows, symbols)
    weights = np.array([feature_weight(column, classes, len(names), settings.weighting) for column in values.T])
    scaled = np.round(weights / (weights.max() or 1.0) * SCALE).astype(np.int64)
    order = np.argsort(-scaled, kind="stable")
    on_progress(f"{len(values)} instances, {len(names)} classes")
    sizes = symbols.sizes()
    differences: list[ValueDifference | None] = [
        ValueDifference(values[:, f], classes, len(names), sizes[f]) if settings.metric == "mvdm" else None
        for f in order
    ]
    frequencies = tuple(np.bincount(values[:, f], minlength=sizes[f]) for f in order)
    sorted_values, ends, starts, of_instance, counts = _sorted_instances(values[:, order], classes, len(names))
    return Memory(
        settings, tuple(samples), labels, symbols, order, scaled[order], sorted_values, ends, names,
        Counter(seen), starts, of_instance, counts, tuple(differences), frequencies,
    )  # fmt: skip


def _check_labels(labels: int, tokens: int) -> None:
    """Raise DataError if there are too many labels for the number of tokens."""
    if labels > MAX_LABELS and tokens < MIN_TOKENS * labels:
        numbers = f"{labels:,} labels among {tokens:,} tokens"
        needed = f"more than {MAX_LABELS:,} labels need at least {MIN_TOKENS} tokens each"
        raise DataError(f"{numbers}: {needed}\n  {FEWER_LABELS}")


def _sorted_instances(
    values: NDArray[int32], classes: NDArray[int64], number: int
) -> tuple[NDArray[int32], NDArray[int32], list[int], list[int], list[int]]:
    """Return the fields `values`, `ends`, `starts`, `classes` and `counts` of a `Memory` for these instances."""
    import numpy as np

    order = np.lexsort(values.T[::-1])
    values, classes = values[order], classes[order]
    changed = np.zeros(len(values), bool)
    changed[0] = True
    fresh = np.empty((values.shape[1], len(values)), bool)
    for feature in range(values.shape[1]):
        changed[1:] |= values[1:, feature] != values[:-1, feature]
        fresh[feature] = changed
    instance = np.cumsum(changed) - 1
    kept = np.flatnonzero(changed)
    fresh = fresh[:, kept]
    ends = np.empty(fresh.shape, np.int32)
    for feature, begins in enumerate(fresh):
        places = np.append(np.flatnonzero(begins), len(kept))
        ends[feature] = places[np.cumsum(begins)]
    codes, counts = np.unique(instance * number + classes, return_counts=True)
    starts = np.searchsorted(codes // number, np.arange(len(kept) + 1))
    return np.ascontiguousarray(values[kept].T), ends, starts.tolist(), (codes % number).tolist(), counts.tolist()


def distributions(memory: Memory, sentences: Sequence[Sequence[TokenColumns]]) -> Iterator[dict[Trigram, float]]:
    """Yield for each token, sentence by sentence, the share of each class in the votes of its nearest instances."""
    import numpy as np

    rows = windows(sentences, memory.symbols)[:, memory.order]
    unseen = np.array(memory.symbols.sizes())[memory.order] - 1
    same: dict[bytes, dict[Trigram, float]] = {}
    for focus, new in zip(np.ascontiguousarray(rows), rows == unseen, strict=True):
        key = focus.tobytes()
        if key not in same:
            shares = _shares(memory, focus, new)
            total = sum(shares.values())
            same[key] = {memory.trigrams[name]: share / total for name, share in sorted(shares.items())}
        yield same[key]


def _shares(memory: Memory, focus: NDArray[int32], unseen: NDArray[int64]) -> dict[int, float]:
    settings = memory.settings
    feature, low, high = 0, 0, memory.values.shape[1]
    if settings.search != "exact":
        feature, low, high = _matching(memory, focus)
        if settings.search == "igtree" or feature == len(focus):
            return _votes_of_range(memory, low, high)
    return _vote(memory, _nearest(memory, focus, unseen, (feature, low, high)))


def _matching(memory: Memory, focus: NDArray[int32]) -> tuple[int, int, int]:
    """Return how many of the first features some instance shares with `focus`, and the range of such instances."""
    low, high = 0, memory.values.shape[1]
    for feature, value in enumerate(focus):
        at = low + int(memory.values[feature, low:high].searchsorted(value))
        if at == high or memory.values[feature, at] != value:
            return feature, low, high
        low, high = at, int(memory.ends[feature, at])
    return len(focus), low, high


def _votes_of_range(memory: Memory, low: int, high: int) -> dict[int, float]:
    """Return how often each class was seen with the instances from `low` to before `high`."""
    votes = memory.range_votes.get((low, high))
    if votes is None:
        votes = {}
        for at in range(memory.starts[low], memory.starts[high]):
            votes[memory.classes[at]] = votes.get(memory.classes[at], 0.0) + memory.counts[at]
        if high - low > 100:
            memory.range_votes[low, high] = votes
    return votes


def _nearest(memory: Memory, focus: NDArray[int32], unseen: NDArray[int64], start: tuple[int, int, int]) -> Neighbours:
    import numpy as np

    distances = [
        _distances_from(memory, feature, int(value), bool(new))
        for feature, (value, new) in enumerate(zip(focus, unseen, strict=True))
    ]
    least = np.zeros(len(focus) + 1, np.int64)
    least[:-1] = np.cumsum((memory.weights * unseen)[::-1])[::-1]
    k = min(memory.settings.k, memory.values.shape[1])
    query = NearestQuery(memory.values, memory.ends, focus, memory.weights, least, distances, *start, k)
    return loops.nearest_instances(query)


def _distances_from(memory: Memory, feature: int, value: int, unseen: bool) -> NDArray[int32] | None:
    """Return integer distances from a value of a feature to all its values; None if values are compared by overlap."""
    import numpy as np

    difference = memory.differences[feature]
    often = memory.frequencies[feature]
    if difference is None or unseen or often[value] < memory.settings.least:
        return None
    distances = memory.distances.get((feature, value))
    if distances is None:
        apart = difference.distances_from(value)
        if memory.settings.least > 1:
            apart[often < memory.settings.least] = 1.0
        distances = np.round(apart * memory.weights[feature]).astype(np.int32)
        if memory.distance_bytes + distances.nbytes > MAX_CACHE_BYTES:
            memory.distances.clear()
            memory.distance_bytes = 0
        memory.distances[feature, value] = distances
        memory.distance_bytes += distances.nbytes
    return distances


def _vote(memory: Memory, neighbours: Neighbours) -> dict[int, float]:
    """Return the sum of the neighbours' votes for each class; a vote weighs less with the distance."""
    instances, distances = neighbours
    far = sorted(set(distances.tolist()))
    weight_of = dict(zip(far, vote_weights([one / SCALE for one in far], memory.settings), strict=True))
    votes: dict[int, float] = {}
    starts, classes, counts = memory.starts, memory.classes, memory.counts
    order = sorted(zip(distances.tolist(), instances.tolist(), strict=True))
    for distance, instance in order:
        weight = weight_of[distance]
        for at in range(starts[instance], starts[instance + 1]):
            votes[classes[at]] = votes.get(classes[at], 0.0) + weight * counts[at]
    return votes


def vote_weights(distances: Sequence[float], settings: MemorySettings) -> list[float]:
    """Return the weight of a vote at each of these ascending distances (Dudani 1976, Shepard 1987)."""
    nearest, farthest = distances[0], distances[-1]
    if settings.voting == "id":
        return [1.0 / (distance + MIN_DISTANCE) for distance in distances]
    if settings.voting == "il" and farthest > nearest:
        return [(farthest - distance) / (farthest - nearest) for distance in distances]
    if settings.voting == "ed":
        return [exp(-settings.decay * (distance - nearest)) for distance in distances]
    return [1.0] * len(distances)


def predictions(memory: Memory, sentences: Sequence[Sequence[TokenColumns]]) -> list[Prediction]:
    """Return the predicted class of each token, one sentence after the other."""
    return [predict(shares, memory.frequency) for shares in distributions(memory, sentences)]


def marginals(memory: Memory, sentences: Sequence[Sequence[TokenColumns]]) -> list[dict[str, float]]:
    """Return confidences in each label per token: the mean over the predictions for the token and its neighbours."""
    every, result = distributions(memory, sentences), []
    for sentence in sentences:
        result += marginals_of(list(islice(every, len(sentence))))
    return result


# Instances: windows of symbols around tokens.

REACH: Final = 3
"""Number of tokens in a window to the left, and to the right, of the token that is labelled."""
OUTSIDE: Final = 0
"""Number in a window for positions before and after a sentence; the symbols of a column are numbered from 1."""


@frozen
class Symbols:
    """The symbols in each column of the training data, with numbers in alphabetical order."""

    numbers: tuple[dict[str, int], ...]

    def sizes(self) -> list[int]:
        """Return the number of values of each feature of a window; the last value stands for unknown symbols."""
        return [len(column) + 2 for column in self.numbers for _ in range(2 * REACH + 1)]

    def numbers_of(self, rows: Sequence[TokenColumns]) -> list[list[int]]:
        """Return a list for each column: the numbers of its symbols in a sentence."""
        return [[column.get(row[i], len(column) + 1) for row in rows] for i, column in enumerate(self.numbers)]


def symbols_of(sentences: Sequence[Sequence[TokenColumns]]) -> Symbols:
    """Return the symbols of sentences, whose tokens all have as many columns as the first one."""
    columns = range(len(sentences[0][0]))
    symbols = [sorted({row[i] for rows in sentences for row in rows}) for i in columns]
    return Symbols(tuple({symbol: number for number, symbol in enumerate(column, start=1)} for column in symbols))


def windows(sentences: Sequence[Sequence[TokenColumns]], symbols: Symbols) -> NDArray[int32]:
    """Return the window around each token: tokens x features, which are column by column, each from left to right."""
    import numpy as np

    edge = [OUTSIDE] * REACH
    padded: list[list[int]] = [[] for _ in symbols.numbers]
    places: list[int] = []
    for rows in sentences:
        places += range(len(padded[0]) + REACH, len(padded[0]) + REACH + len(rows))
        for column, numbers in zip(padded, symbols.numbers_of(rows), strict=True):
            column += edge + numbers + edge
    at = np.array(places, dtype=np.int64)[:, None] + np.arange(-REACH, REACH + 1)
    return np.concatenate([np.array(column, dtype=np.int32)[at] for column in padded], axis=1)


# The model file holds the training data; loading it builds the instances again.

MAX_CELLS, CELLS_OF_A_BYTE = 100_000, 4
"""The maximum number of values is MAX_CELLS plus CELLS_OF_A_BYTE per byte of the file; each takes about 60 bytes."""
MAX_DECAY: Final = 1e6


def packed(memory: Memory) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the learner as header and arrays of a model file."""
    import numpy as np

    number = {label: i for i, label in enumerate(memory.labels)}
    header = {
        "labels": memory.labels,
        "symbols": [list(column) for column in memory.symbols.numbers],
        "settings": asdict(memory.settings),
    }
    columns = [memory.symbols.numbers_of(sample.rows) for sample in memory.material]
    arrays = {
        "lengths": np.array([len(sample.rows) for sample in memory.material], np.int32),
        "labels": np.array([number[label] for sample in memory.material for label in sample.labels], np.int32),
    }
    for i in range(len(memory.symbols.numbers)):
        arrays[f"column{i}"] = np.array([value for sentence in columns for value in sentence[i]], np.int32)
    return header, arrays


def unpacked(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Memory:
    """Return the learner from a model file. Raises ValueError, KeyError or IndexError for arrays that do not fit."""
    cells = sum(len(array) for array in arrays.values())
    if cells > MAX_CELLS + CELLS_OF_A_BYTE * header.get("bytes", MAX_FILE_BYTES):
        raise ValueError("more material than a file of that size may have")
    settings = MemorySettings(**header["settings"])
    whole(settings.k, 1)
    whole(settings.least, 1)
    number(settings.decay, 0, MAX_DECAY)
    symbols = [[str(symbol) for symbol in column] for column in header["symbols"]]
    columns = [[column[value - 1] for value in arrays[f"column{i}"].tolist()] for i, column in enumerate(symbols)]
    rows = list(zip(*columns, strict=True))
    labels = [str(header["labels"][value]) for value in arrays["labels"].tolist()]
    samples = []
    first = 0
    for length in arrays["lengths"].tolist():
        last = first + length
        samples.append(Sample(tuple(rows[first:last]), tuple(labels[first:last])))
        first = last
    if first != len(rows) or first != len(labels) or not samples:
        raise ValueError("the sentences do not fit")
    return train(samples, settings)
