"""The averaged perceptron: a fast learner that predicts the trigram of labels around each token, its class.

The score of a class is the sum of three kinds of weights: of its three labels under each feature of the token, of its
two bigrams, and of the whole trigram. If the class with the highest score is wrong, its weights are lowered and those
of the right class raised; the trained perceptron has the means of the weights over all steps (Collins 2002).
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
"""Beam width: this many of the best labels for the token before, the token and the token after form the classes."""
UNKNOWN_FEATURE: Final = 0
"""Row of weights for all unknown features."""
STEP: Final = 0.5
"""Unit of weights: the weights of a trained perceptron are rounded to multiples of it."""
MAX_WEIGHT: Final = 127
"""Maximum absolute weight, in multiples of STEP."""
MAX_MARGIN: Final = 1_000_000
"""Maximum margin: with larger scores, floating-point numbers could not tell one step of a weight from none."""

BYTES_OF_WEIGHT: Final = 14
"""Bytes of memory per weight during training: for the weight, the sum of its changes, and its rounded value."""
ROUNDED_AT_ONCE: Final = 10_000
"""Number of features whose weights are rounded at once, so that copies take little memory."""
ALWAYS, BYTES_OF_TOKEN, MAX_BYTES = 200_000_000, 30_000, 4_000_000_000
"""Training may take ALWAYS bytes of memory plus BYTES_OF_TOKEN per token, but at most MAX_BYTES."""
MAX_MIN_COUNT: Final = 100
"""Largest value of `least` that a message proposes; with a larger one, hardly any feature is left."""


@frozen
class PerceptronSettings:
    """Settings of training: the right class must win by `margin`; features seen less than `least` times are left out.

    `epochs` is the number of passes over the sentences, `seed` that of the random order of tokens.
    """

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
    """A trained perceptron; `labels[0]` is EDGE, the label beyond the ends of a sentence.

    `keys` are the features, sorted; the first stands for all unknown ones. `rows` are their weights, features x 3 x
    labels. `pairs` are the weights of bigrams, 2 x labels x labels. `codes` are the trigrams seen in training, sorted
    and written as in `loops.Epoch`, and `trigrams` their weights. All weights are multiples of STEP.
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
    """Train a perceptron on labelled samples; `on_progress` receives a line after each epoch."""
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
    """Raise DataError if the weights of features seen `least` times or more would take too much memory.

    The message names the smallest value of `least` that would do, if there is one up to MAX_MIN_COUNT.
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
    """Return the perceptron with weights rounded to STEP, without the features whose weights are then all 0."""
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
    """Return for each feature the index of its row of weights, `UNKNOWN_FEATURE` for those not among `keys`."""
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
    """Return `TokenArrays.edges` for sentences of these lengths."""
    import numpy as np

    last = np.cumsum(lengths) - 1
    edges = np.zeros((int(last[-1]) + 1, 3), np.uint8)
    edges[last - np.array(lengths) + 1, 0] = 1
    edges[last, 2] = 1
    return edges


# Prediction. The best few labels for the token before, the token and the token after are combined to classes; the
# confidence in a class is the softmax of its score among these.

BATCH: Final = 2_000
"""Number of tokens scored at once."""
TEMPERATURE: Final = 16.0
"""Temperature of the softmax: scores, which are sums of weights, are divided by it."""


class BestClasses(NamedTuple):
    """For each token the best labels of it and its neighbours, tokens x 3 x width, and scores of the classes they form.

    The scores are tokens x width^3.
    """

    labels: NDArray[int64]
    scores: NDArray[float32]


def best_classes(perceptron: Perceptron, sentences: Sequence[Sequence[TokenColumns]]) -> BestClasses:
    """Return the best classes of every token with their scores, before the softmax."""
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
"""Score of a label that cannot be there."""


def _mask(by_place: NDArray[float32], edges: NDArray[uint8]) -> None:
    """Make EDGE impossible for tokens of the sentence, and all other labels beyond its ends; `by_place` is changed."""
    for place in range(3):
        outside = edges[:, place] > 0
        by_place[~outside, place, 0] = _IMPOSSIBLE
        by_place[outside, place, 1:] = _IMPOSSIBLE


def _classes(perceptron: Perceptron, few: NDArray[int64], of_labels: NDArray[float32]) -> NDArray[float32]:
    """Return the scores, tokens x width^3, of the classes that combine the `few` best labels."""
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
    """Return the best class of each token with the confidences in its parts."""
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
    """Return confidences in likely labels per token: the mean over the predictions for the token and its neighbours."""
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
# A word has attributes (its form, endings, beginnings and shape, the labels that its form had in training), each hashed
# to 32 bits. A template joins attributes of the token to be labelled and of tokens around it; a feature is the hash of
# a template with the values of these attributes. So a model contains no words.

Unit = Literal["words", "letters"]
FeatureTemplate = tuple[tuple[int, str], ...]
"""Pairs of an offset from the token to be labelled and an attribute of the token there."""

WORD_ATTRIBUTES: Final = (
    "form", "lower", "end1", "end2", "end3", "end4", "end5", "start1", "start2", "start3", "start4", "shape", "outline",
    "labels",
)  # fmt: skip
LETTER_ATTRIBUTES: Final = ("form",)
RARE: Final = 3
"""Minimum number of times that a form must occur in training for its labels to be an attribute."""
MIN_SHARE: Final = 0.05
"""Minimum share of a form's occurrences that a label must have to be part of this attribute."""
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
"""Offsets of the tokens whose cells are joined, for each further column of a file."""


def feature_templates(unit: Unit, further: int) -> tuple[FeatureTemplate, ...]:
    """Return the feature templates for tokens with `further` columns beside the word or letter."""
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
    """Hashes of the forms in the training data (`known`), and of the labels that frequent forms had.

    `further` is the number of columns beside the word; `cache` keeps the attributes of forms.
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
        """True if a form occurred in training; by chance also true for 1 in 4 billion others per known form."""
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
    """Return the form in lower case with 0 for every digit, or `www` for a web address."""
    if form.startswith(("http:", "https:", "www.")) and len(form) > 5:
        return "www"
    return re.sub(r"\d", "0", form.lower())


def _shape(form: str) -> str:
    """Return the first eight characters with X for capitals, x for other letters, 0 for digits, others unchanged."""
    return "".join(
        "X" if char.isupper() else "x" if char.isalpha() else "0" if char.isdigit() else char for char in form[:8]
    )


def known_forms(samples: Sequence[Sample], unit: Unit) -> KnownForms:
    """Return the known forms of labelled samples, whose tokens have as many columns as the first one."""
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
    """Return what tokens seem to be: letters if nearly every token is a single character, else words."""
    lengths = [len(row[0]) for sample in samples for row in sample.rows]
    return "letters" if sum(length == 1 for length in lengths) > 0.95 * len(lengths) else "words"


def feature_keys(rows: Sequence[Sequence[TokenColumns]], forms: KnownForms) -> NDArray[uint32]:
    """Return the features (hashes) of all tokens, sentence by sentence: tokens x templates."""
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


# The model file has labels, hashes of forms, and weights other than 0.

MAX_COLUMNS: Final = 1_000
"""Maximum number of columns per token beside the word."""


def packed(perceptron: Perceptron) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the perceptron as header and arrays of a model file."""
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
    """Return the differences between successive ascending numbers, which are easier to compress."""
    import numpy as np

    return np.diff(numbers, prepend=numbers.dtype.type(0)).astype(numbers.dtype)


def unpacked(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Perceptron:
    """Return the perceptron from a model file. Raises ValueError or KeyError for arrays that do not fit."""
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
