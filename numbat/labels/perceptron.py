"""The perceptron: a fast learner of class trigrams with averaged weights.

The class of a token is the trigram of labels around it. The score of a class is the sum of the weights of its three
labels under each feature of the token, of its two bigrams, and of the trigram as a whole. If the best class is wrong,
the weights move towards the right class and away from the wrong one; the trained perceptron has the mean of the weights
over all steps (Collins 2002).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple
from zlib import crc32

from numbat.errors import DataError, UsageError
from numbat.labels import loops
from numbat.labels.csi import EDGE, Prediction
from numbat.labels.loops import Epoch, TokenArrays, WeightArrays
from numbat.labels.model_file import MAX_FILE_BYTES, max_unpacked_bytes, whole
from numbat.labels.token_files import FEWER_LABELS, Sample, TokenColumns
from numbat.records import frozen

if TYPE_CHECKING:
    from numpy import float32, int8, int32, int64, uint8, uint32
    from numpy.typing import NDArray


WIDTH: Final = 4
"""Beam width: number of best labels of each of the three places that are combined to classes."""
UNKNOWN_FEATURE: Final = 0
"""Row of weights for all unknown features."""
STEP: Final = 0.5
"""Unit of weights: those of a trained perceptron are rounded to its multiples."""
MAX_WEIGHT: Final = 127
"""Maximum absolute weight, in multiples of STEP."""
MAX_MARGIN: Final = 1_000_000
"""Maximum margin; above it, floating point cannot distinguish steps of the weights."""

BYTES_OF_WEIGHT: Final = 14
"""Memory per weight in training, in bytes: the weight, the sum of its changes, its rounded value."""
ROUNDED_AT_ONCE: Final = 10_000
"""Number of features whose weights are rounded at once; limits the memory for copies."""
ALWAYS, BYTES_OF_TOKEN, MAX_BYTES = 200_000_000, 30_000, 4_000_000_000
"""Memory limit of training in bytes: a constant, plus BYTES_OF_TOKEN per token, up to a maximum."""
MAX_MIN_COUNT: Final = 100
"""Largest `least` that a message proposes; above it hardly any feature is left."""


@frozen
class PerceptronSettings:
    """Training settings: `margin` by which the right class must win, minimum count of a feature (`least`)."""

    epochs: int = 10
    margin: float = 1.0
    least: int = 2
    seed: int = 1

    def __post_init__(self) -> None:
        if self.epochs < 1 or self.least < 1 or self.seed < 0:
            raise UsageError("epochs and least must be at least 1, the seed at least 0\n  give whole numbers")
        if not 0 <= self.margin <= MAX_MARGIN:
            raise UsageError(f"the margin must be a number from 0 to {MAX_MARGIN:,}, not {self.margin}\n  1 is usual")


@frozen
class Perceptron:
    """A trained perceptron. `labels[0]` is the edge.

    `keys` are the features, sorted; the first stands for all unknown ones. `rows` are their weights, features x 3 x
    labels. `pairs` are the weights of bigrams, 2 x labels x labels. `codes` are the trigrams of training, sorted, as
    numbers to the base of the number of labels, and `trigrams` their weights. All weights are in units of STEP.
    """

    forms: KnownForms
    labels: tuple[str, ...]
    keys: NDArray[uint32]
    rows: NDArray[int8]
    pairs: NDArray[float32]
    codes: NDArray[int64]
    trigrams: NDArray[float32]


def train(
    samples: Sequence[Sample], unit: Unit, settings: PerceptronSettings, on_progress: Callable[[str], None]
) -> Perceptron:
    """Train a perceptron on labelled samples; call `on_progress` with a line after each epoch."""
    import numpy as np

    forms = known_forms(samples, unit)
    labels = (EDGE, *sorted({label for sample in samples for label in sample.labels}))
    features = feature_keys([sample.rows for sample in samples], forms)
    keys, counts = np.unique(features, return_counts=True)
    _check_memory(counts, len(labels), len(features), settings.least)
    keys = np.concatenate([np.zeros(1, np.uint32), keys[(counts >= settings.least) & (keys > 0)]])
    tokens = _tokens(samples, labels, feature_rows(keys, features))
    base = np.array([len(labels) ** 2, len(labels), 1])
    codes = np.unique(tokens.gold.astype(np.int64) @ base)
    weights = WeightArrays.zeros(len(keys), len(labels), len(codes))
    steps = 0
    random = np.random.Generator(np.random.PCG64(settings.seed))
    for number in range(settings.epochs):
        order = random.permutation(len(tokens.gold)).astype(np.int32)
        epoch = Epoch(order, tokens, codes, weights, WIDTH, settings.margin, steps)
        mistakes, steps = loops.train_epoch(epoch)
        on_progress(f"round {number + 1}: {mistakes} of {len(order)} tokens wrong or within the margin")
    rows, pairs, of_trigrams = weights.means(steps)
    return _rounded(Perceptron(forms, labels, keys, np.empty(rows.shape, np.int8), pairs, codes, of_trigrams), rows)


def _check_memory(counts: NDArray[int64], labels: int, tokens: int, least: int) -> None:
    """Raise DataError if the weights of features seen at least `least` times would take too much memory.

    The message names the smallest `least` that is enough, if there is one.
    """
    allowed = min(MAX_BYTES, ALWAYS + BYTES_OF_TOKEN * tokens)

    def needed(least: int) -> int:
        return BYTES_OF_WEIGHT * labels * (3 * int((counts >= least).sum()) + 3 + 2 * labels)

    if needed(least) <= allowed:
        return
    enough = next((more for more in range(least + 1, MAX_MIN_COUNT + 1) if needed(more) <= allowed), None)
    hint = f"train with --min-count {enough}, so that features seen less often are left out, or with less material"
    if enough is None:
        hint = FEWER_LABELS
    raise DataError(
        f"{labels - 1:,} labels among {tokens:,} tokens: their weights take {needed(least) / 1e9:,.1f} GB of memory, "
        f"{allowed / 1e9:.1f} GB are allowed\n  {hint}"
    )


def _rounded(perceptron: Perceptron, rows: NDArray[float32]) -> Perceptron:
    """Return the perceptron with weights rounded to STEP; drop features whose weights in `rows` are all zero."""
    import numpy as np

    step = np.float32(STEP)
    steps = perceptron.rows
    for start in range(0, len(rows), ROUNDED_AT_ONCE):
        part = slice(start, start + ROUNDED_AT_ONCE)
        steps[part] = np.clip(np.round(rows[part] / step), -MAX_WEIGHT, MAX_WEIGHT)
    kept = np.asarray(steps.any(axis=(1, 2)))
    kept[UNKNOWN_FEATURE] = True
    pairs, trigrams = np.round(perceptron.pairs / step), np.round(perceptron.trigrams / step)
    return replace(perceptron, keys=perceptron.keys[kept], rows=steps[kept], pairs=pairs, trigrams=trigrams)


def feature_rows(keys: NDArray[uint32], features: NDArray[uint32]) -> NDArray[int32]:
    """Return the row of weights of each feature; `UNKNOWN_FEATURE` for those not among the keys."""
    import numpy as np

    at = np.searchsorted(keys, features)
    at[at == len(keys)] = 0
    at[keys[at] != features] = UNKNOWN_FEATURE
    return at.astype(np.int32)


def _tokens(samples: Sequence[Sample], labels: Sequence[str], features: NDArray[int32]) -> TokenArrays:
    import numpy as np

    number = {label: i for i, label in enumerate(labels)}
    gold: list[tuple[int, int, int]] = []
    for sample in samples:
        numbers = [0, *(number[label] for label in sample.labels), 0]
        gold += zip(numbers, numbers[1:], numbers[2:], strict=False)
    return TokenArrays(features, np.array(gold, np.int32), edges_of([len(sample.rows) for sample in samples]))


def edges_of(lengths: Sequence[int]) -> NDArray[uint8]:
    """Mark places outside the sentence: before, at and after each token; tokens x 3."""
    import numpy as np

    last = np.cumsum(lengths) - 1
    edges = np.zeros((int(last[-1]) + 1, 3), np.uint8)
    edges[last - np.array(lengths) + 1, 0] = 1
    edges[last, 2] = 1
    return edges


# Prediction. The best few labels of each of the three places are combined to classes; the confidence of a class is the
# softmax of its score among these.

BATCH: Final = 2_000
"""Number of tokens scored at once."""
TEMPERATURE: Final = 16.0
"""Softmax temperature, in units of the weights."""


class BestClasses(NamedTuple):
    """The best labels of the three places of each token, tokens x 3 x width, and class scores, tokens x width^3."""

    labels: NDArray[int64]
    scores: NDArray[float32]


def best_classes(perceptron: Perceptron, sentences: Sequence[Sequence[TokenColumns]]) -> BestClasses:
    """Return the scores of the best classes of every token, before the softmax."""
    import numpy as np

    rows = feature_rows(perceptron.keys, feature_keys(sentences, perceptron.forms))
    edges = edges_of([len(sentence) for sentence in sentences])
    size = len(perceptron.labels)
    width = min(WIDTH, size)
    few = np.empty((len(rows), 3, width), np.int64)
    scores = np.empty((len(rows), width, width, width), np.float32)
    flat = perceptron.rows.reshape(len(perceptron.keys), 3 * size)
    for start in range(0, len(rows), BATCH):
        part = slice(start, min(start + BATCH, len(rows)))
        total = np.zeros((part.stop - start, 3 * size), np.float32)
        for template in range(rows.shape[1]):
            total += flat[rows[part, template]]
        by_place = total.reshape(-1, 3, size)
        _mask(by_place, edges[part])
        few[part] = np.argpartition(-by_place, width - 1, axis=2)[:, :, :width]
        scores[part] = _classes(perceptron, few[part], np.take_along_axis(by_place, few[part], axis=2))
    return BestClasses(few, scores.reshape(len(rows), -1))


_IMPOSSIBLE: Final = -1e9
"""Score of a label that a place cannot have."""


def _mask(by_place: NDArray[float32], edges: NDArray[uint8]) -> None:
    """Allow the edge label at places outside the sentence, and only there."""
    for place in range(3):
        outside = edges[:, place] > 0
        by_place[~outside, place, 0] = _IMPOSSIBLE
        by_place[outside, place, 1:] = _IMPOSSIBLE


def _classes(perceptron: Perceptron, few: NDArray[int64], of_labels: NDArray[float32]) -> NDArray[float32]:
    """Score the classes that combine the best labels of each place: tokens x width^3."""
    import numpy as np

    size = len(perceptron.labels)
    x, y, z = few[:, 0, :, None, None], few[:, 1, None, :, None], few[:, 2, None, None, :]
    one, two, three = (of_labels[:, place] for place in range(3))
    left = one[:, :, None] + two[:, None, :] + perceptron.pairs[0][few[:, 0, :, None], few[:, 1, None, :]]
    right = three[:, None, :] + perceptron.pairs[1][few[:, 1, :, None], few[:, 2, None, :]]
    value: NDArray[float32] = left[:, :, :, None] + right[:, None, :, :]
    code = (x * size + y) * size + z
    at = np.minimum(np.searchsorted(perceptron.codes, code), len(perceptron.codes) - 1)
    value += np.where(perceptron.codes[at] == code, perceptron.trigrams[at], np.float32(0))
    return value


def confidences(best: BestClasses) -> NDArray[float32]:
    """Return the softmax of the scores at the temperature: tokens x width x width x width."""
    import numpy as np

    sharp = best.scores / np.float32(TEMPERATURE)
    sharp -= sharp.max(axis=1, keepdims=True)
    np.exp(sharp, out=sharp)
    sharp /= sharp.sum(axis=1, keepdims=True)
    width = best.labels.shape[2]
    result: NDArray[float32] = sharp.reshape(-1, width, width, width)
    return result


def predictions(perceptron: Perceptron, sentences: Sequence[Sequence[TokenColumns]]) -> list[Prediction]:
    """Return the best class of each token with the confidences of its parts."""
    import numpy as np

    classes = best_classes(perceptron, sentences)
    shares = confidences(classes)
    tokens, width = shares.shape[0], shares.shape[1]
    best = shares.reshape(tokens, -1).argmax(axis=1)
    i, j, k = best // (width * width), best // width % width, best % width
    row = np.arange(tokens)
    first, second = shares.sum(axis=3), shares.sum(axis=1)
    ones = (first.sum(axis=2)[row, i], first.sum(axis=1)[row, j], second.sum(axis=1)[row, k])
    numbers = [classes.labels[row, place, at].tolist() for place, at in enumerate((i, j, k))]
    parts = [p.tolist() for p in (shares[row, i, j, k], first[row, i, j], second[row, j, k], *ones)]
    names = perceptron.labels
    return [
        Prediction((names[a], names[b], names[c]), whole, (left, right), (x, y, z))
        for a, b, c, whole, left, right, x, y, z in zip(*numbers, *parts, strict=True)
    ]


def marginals(perceptron: Perceptron, sentences: Sequence[Sequence[TokenColumns]]) -> list[dict[str, float]]:
    """Return confidences of likely labels for each token: the mean of the predictions of it and its neighbours."""
    classes = best_classes(perceptron, sentences)
    shares = confidences(classes)
    by_place = [shares.sum(axis=axes).tolist() for axes in ((2, 3), (1, 3), (1, 2))]
    few = classes.labels.tolist()
    result = []
    first = 0
    for sentence in sentences:
        last = first + len(sentence)
        for token in range(first, last):
            sums: dict[str, float] = {}
            for at, place in ((token, 1), (token - 1, 2), (token + 1, 0)):
                if first <= at < last:
                    for label, share in zip(few[at][place], by_place[place][at], strict=True):
                        sums[perceptron.labels[label]] = sums.get(perceptron.labels[label], 0.0) + share
            sums.pop(EDGE, None)
            total = sum(sums.values())
            result.append({label: share / total for label, share in sums.items()})
        first = last
    return result


# Features.
#
# A word has attributes (itself, its endings and beginnings, its shape, the labels that its form had in training), each
# hashed to 32 bits; a template joins attributes of tokens around the focus, and a feature is the hash of a template
# with the values of these attributes. So a model contains no words.

Unit = Literal["words", "letters"]
FeatureTemplate = tuple[tuple[int, str], ...]
"""Offsets from the focus, each with an attribute of the token there."""

WORD_ATTRIBUTES: Final = (
    "form", "lower", "end1", "end2", "end3", "end4", "end5", "start1", "start2", "start3", "start4", "shape", "outline",
    "labels",
)  # fmt: skip
LETTER_ATTRIBUTES: Final = ("form",)
RARE: Final = 3
"""Minimum count of a form in training for an attribute with its labels."""
MIN_SHARE: Final = 0.05
"""Minimum share of a form's occurrences for a label to be part of that attribute."""
_MAX_CACHED_FORMS: Final = 200_000


def _window(attribute: str, *groups: tuple[int, ...]) -> tuple[FeatureTemplate, ...]:
    return tuple(tuple((offset, attribute) for offset in group) for group in groups)


WORD_TEMPLATES: Final[tuple[FeatureTemplate, ...]] = (
    ((0, "form"),),
    *_window("lower", (-3,), (-2,), (-1,), (0,), (1,), (2,), (3,), (-1, 0), (0, 1), (-1, 1), (-2, -1), (1, 2)),
    *(((0, name),) for name in WORD_ATTRIBUTES[2:13]),
    *_window("end3", (-1,), (1,), (-2,), (2,), (-1, 0), (0, 1)),
    *_window("end2", (-1, 0, 1)),
    *_window("outline", (-1,), (1,), (-1, 0), (0, 1), (-1, 0, 1)),
    *_window("labels", (0,), (-1,), (1,), (-2,), (2,), (-1, 0), (0, 1), (-1, 1), (-2, -1), (1, 2), (-1, 0, 1)),
    *_window("labels", (-2, -1, 0), (0, 1, 2)),
    ((0, "lower"), (-1, "labels")),
    ((0, "lower"), (1, "labels")),
    ((0, "end3"), (-1, "labels")),
    ((0, "end3"), (1, "labels")),
    ((0, "end3"), (0, "outline")),
    ((-1, "lower"), (1, "labels")),
    ((1, "lower"), (-1, "labels")),
    ((-1, "lower"), (0, "end3")),
    ((1, "lower"), (0, "end3")),
)
LETTER_TEMPLATES: Final[tuple[FeatureTemplate, ...]] = _window(
    "form",
    *((offset,) for offset in range(-5, 6)),
    *(tuple(range(start, start + size)) for size in (2, 3, 4, 5, 6) for start in range(-size, 2)),
    (-1, 1), (-3, -2, -1), (1, 2, 3), (-3, -2, -1, 0, 1, 2, 3), (-4, -3, -2, -1, 0), (0, 1, 2, 3, 4),
)  # fmt: skip
FURTHER_GROUPS: Final = (
    (-3,), (-2,), (-1,), (0,), (1,), (2,), (3,), (-2, -1), (-1, 0), (0, 1), (1, 2), (-1, 1), (-2, -1, 0), (-1, 0, 1),
    (0, 1, 2), (-2, -1, 0, 1), (-1, 0, 1, 2), (-2, -1, 0, 1, 2),
)  # fmt: skip
"""Offsets in the templates of each further column of a file."""


def feature_templates(unit: Unit, further: int) -> tuple[FeatureTemplate, ...]:
    """Return the feature templates for words or letters with `further` additional columns."""
    result = list(WORD_TEMPLATES if unit == "words" else LETTER_TEMPLATES)
    word = "lower" if unit == "words" else "form"
    for number in range(1, further + 1):
        name = f"column{number}"
        result += _window(name, *FURTHER_GROUPS)
        result += [((0, word), (offset, name)) for offset in (-1, 0, 1)]
        result += [((-1, word), (0, name)), ((1, word), (0, name)), ((-1, word), (0, name), (0, word))]
        result += [((-1, name), (0, word), (1, name))]
    return tuple(result)


@dataclass(slots=True)
class KnownForms:
    """Hashes of the forms in the training data, and of the labels of frequent forms.

    `further`: number of columns beside the word; `cache` keeps the attributes of forms.
    """

    known: frozenset[int]
    labels: Mapping[int, int]
    unit: Unit
    further: int
    cache: dict[str, tuple[int, ...]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the attributes of a token."""
        names = WORD_ATTRIBUTES if self.unit == "words" else LETTER_ATTRIBUTES
        return (*names, *(f"column{number}" for number in range(1, self.further + 1)))

    def is_known(self, form: str) -> bool:
        """True if a form occurred in training, or with a chance of 1 in 4 billion per known form if it did not."""
        return hash32(form) in self.known

    def values(self, row: TokenColumns) -> tuple[int, ...]:
        """Return the hashed attributes of a token."""
        values = self.cache.get(row[0])
        if values is None:
            if len(self.cache) >= _MAX_CACHED_FORMS:
                self.cache.clear()
            values = self.cache[row[0]] = self._values(row[0])
        return values if len(row) == 1 else values + tuple(map(hash32, row[1:]))

    def _values(self, form: str) -> tuple[int, ...]:
        if self.unit == "letters":
            return (hash32(form),)
        lower = _normal(form)
        edges = [*(lower[-n:] for n in range(1, 6)), *(lower[:n] for n in range(1, 5))]
        shape = _shape(form)
        outline = re.sub(r"(.)\1+", r"\1", shape)
        key = hash32(lower)
        labels = self.labels.get(key) or hash32(f"{outline} {lower[-2:]}")
        return (hash32(form), key, *map(hash32, edges), hash32(shape), hash32(outline), labels)


def hash32(text: str) -> int:
    """Return a hash of a text in 32 bits, the same on every machine."""
    return crc32(text.encode("utf-8", "surrogatepass"))


def _normal(form: str) -> str:
    """Return the form in lower case with every digit as 0, and all web addresses as `www`."""
    if form.startswith(("http:", "https:", "www.")) and len(form) > 5:
        return "www"
    return re.sub(r"\d", "0", form.lower())


def _shape(form: str) -> str:
    """Return the first eight characters, with letters as X or x, digits as 0, and others unchanged."""
    return "".join(
        "X" if char.isupper() else "x" if char.isalpha() else "0" if char.isdigit() else char for char in form[:8]
    )


def known_forms(samples: Sequence[Sample], unit: Unit) -> KnownForms:
    """Collect the forms of labelled samples; the first token determines the number of columns."""
    counts: dict[str, Counter[str]] = {}
    known = set()
    for sample in samples:
        for row, label in zip(sample.rows, sample.labels, strict=True):
            known.add(hash32(row[0]))
            if unit == "words":
                counts.setdefault(_normal(row[0]), Counter())[label] += 1
    labels = {}
    for form, by_label in counts.items():
        total = by_label.total()
        if total >= RARE:
            likely = sorted(label for label, count in by_label.items() if count >= MIN_SHARE * total)
            labels[hash32(form)] = hash32(" ".join(likely) + f" {max(by_label, key=lambda one: (by_label[one], one))}")
    return KnownForms(frozenset(known), labels, unit, len(samples[0].rows[0]) - 1)


def unit_of(samples: Iterable[Sample]) -> Unit:
    """Guess the unit of the tokens: letters if nearly every token is a single character."""
    lengths = [len(row[0]) for sample in samples for row in sample.rows]
    return "letters" if sum(length == 1 for length in lengths) > 0.95 * len(lengths) else "words"


def feature_keys(rows: Sequence[Sequence[TokenColumns]], forms: KnownForms) -> NDArray[uint32]:
    """Return the features of all tokens, sentence by sentence: tokens x templates."""
    import numpy as np

    names = {name: i for i, name in enumerate(forms.attributes)}
    every = feature_templates(forms.unit, forms.further)
    reach = max(abs(offset) for template in every for offset, _ in template)
    values: list[tuple[int, ...]] = []
    inside: list[int] = []
    edges = [tuple([number + 1] * len(names)) for number in range(reach)]
    for sentence in rows:
        values += reversed(edges)
        inside += range(len(values), len(values) + len(sentence))
        values += map(forms.values, sentence)
        values += edges
    padded = np.array(values, dtype=np.uint64).reshape(-1, len(names))
    places = np.array(inside, dtype=np.int64)
    keys = np.empty((len(places), len(every)), dtype=np.uint32)
    columns = {(offset, name): padded[places + offset, names[name]] for one in every for offset, name in one}
    prime = np.uint64(0x9E3779B97F4A7C15)
    for number, template in enumerate(every):
        key = np.full(len(places), number + 1, dtype=np.uint64) * prime
        for at in template:
            key = (key ^ columns[at]) * prime
            key ^= key >> np.uint64(29)
        keys[:, number] = key >> np.uint64(32)
    return keys


# Model file: labels, hashes of forms, nonzero weights.

MAX_COLUMNS: Final = 1_000
"""Maximum additional columns per token."""


def packed(perceptron: Perceptron) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return header and arrays for a model file."""
    import numpy as np

    flat = perceptron.rows.reshape(len(perceptron.rows), -1)
    filled = np.flatnonzero(flat)
    forms = perceptron.forms
    header = {"labels": perceptron.labels, "unit": forms.unit, "further": forms.further}
    labels = sorted(forms.labels.items())
    arrays = {
        "known": _differences(np.array(sorted(forms.known), np.uint32)),
        "forms": _differences(np.array([form for form, _ in labels], np.uint32)),
        "form_labels": np.array([value for _, value in labels], np.uint32),
        "keys": _differences(perceptron.keys),
        "counts": (flat != 0).sum(axis=1).astype(np.int32),
        "places": (filled % flat.shape[1]).astype(np.uint16),
        "values": flat.ravel()[filled],
        "pairs": perceptron.pairs,
        "codes": perceptron.codes,
        "trigrams": perceptron.trigrams,
    }
    return header, arrays


def _differences(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return differences of ascending numbers; they compress better."""
    import numpy as np

    return np.diff(numbers, prepend=numbers.dtype.type(0)).astype(numbers.dtype)


def unpacked(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Perceptron:
    """Restore a perceptron from a model file. Raises ValueError or KeyError for arrays that do not fit."""
    import numpy as np

    a: dict[str, NDArray[Any]] = {
        name: np.cumsum(array, dtype=np.uint32) if name in ("known", "forms", "keys") else array
        for name, array in arrays.items()
    }
    labels = tuple(str(label) for label in header["labels"])
    across = 3 * len(labels)
    if len(a["keys"]) * across > max_unpacked_bytes(header.get("bytes", MAX_FILE_BYTES)) or header["unit"] not in (
        "words",
        "letters",
    ):
        raise ValueError("the features do not fit")
    if not all(np.isfinite(a[name]).all() for name in ("pairs", "trigrams")):
        raise ValueError("a weight is not a number")
    rows = np.zeros(len(a["keys"]) * across, np.int8)
    starts = np.repeat(np.arange(len(a["keys"]), dtype=np.int64) * across, a["counts"])
    if len(starts) != len(a["values"]) or (len(starts) and int(a["places"].max()) >= across):
        raise ValueError("the rows do not fit")
    rows[starts + a["places"]] = a["values"]
    of_forms = dict(zip(a["forms"].tolist(), a["form_labels"].tolist(), strict=True))
    forms = KnownForms(
        frozenset(a["known"].tolist()), of_forms, header["unit"], whole(header["further"], most=MAX_COLUMNS)
    )
    pairs = a["pairs"].reshape(2, len(labels), len(labels))
    if len(a["codes"]) != len(a["trigrams"]) or not len(a["codes"]):
        raise ValueError("the trigrams do not fit")
    return Perceptron(forms, labels, a["keys"], rows.reshape(-1, 3, len(labels)), pairs, a["codes"], a["trigrams"])
