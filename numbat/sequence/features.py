"""Features of tokens for the perceptron: hashes of the words around a token and of their parts.

A word has attributes (itself, its endings and beginnings, its shape, the labels that its form had in training), each
hashed to 32 bits; a template joins attributes of tokens around the focus, and a feature is the hash of a template with
the values of these attributes. So a model holds no words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal
from zlib import crc32

from numbat.sequence.token_files import Sample, TokenColumns

if TYPE_CHECKING:
    from numpy import uint32
    from numpy.typing import NDArray

Unit = Literal["words", "letters"]
FeatureTemplate = tuple[tuple[int, str], ...]
"""Offsets from the focus, each with the attribute of the token there."""

WORD_ATTRIBUTES: Final = (
    "form", "lower", "end1", "end2", "end3", "end4", "end5", "start1", "start2", "start3", "start4", "shape", "outline",
    "labels",
)  # fmt: skip
LETTER_ATTRIBUTES: Final = ("form",)
RARE: Final = 3
"""The labels of a form that occurs less often in training are no attribute: they are too uncertain."""
LEAST_SHARE: Final = 0.05
"""Labels of a smaller share of a form's occurrences are left out of that attribute."""
_LARGEST_CACHE: Final = 200_000
"""Forms."""


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
"""The offsets of the templates of each further column of a file."""


def feature_templates(unit: Unit, further: int) -> tuple[FeatureTemplate, ...]:
    """The templates of features for words or letters with so many further columns."""
    result = list(WORD_TEMPLATES if unit == "words" else LETTER_TEMPLATES)
    own = "lower" if unit == "words" else "form"
    for number in range(1, further + 1):
        name = f"column{number}"
        result += _window(name, *FURTHER_GROUPS)
        result += [((0, own), (offset, name)) for offset in (-1, 0, 1)]
        result += [((-1, own), (0, name)), ((1, own), (0, name)), ((-1, own), (0, name), (0, own))]
        result += [((-1, name), (0, own), (1, name))]
    return tuple(result)


@dataclass(slots=True)
class KnownForms:
    """Hashes of the forms of the training material, and of the labels that frequent ones had there.

    `further` is how many columns a token has beside its word; `cache` keeps the attributes of forms.
    """

    known: frozenset[int]
    labels: Mapping[int, int]
    unit: Unit
    further: int
    cache: dict[str, tuple[int, ...]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of the attributes of a token."""
        own = WORD_ATTRIBUTES if self.unit == "words" else LETTER_ATTRIBUTES
        return (*own, *(f"column{number}" for number in range(1, self.further + 1)))

    def is_known(self, form: str) -> bool:
        """True if a form occurred in training; one in 4 billion others has the same hash."""
        return hash32(form) in self.known

    def values(self, row: TokenColumns) -> tuple[int, ...]:
        """The hashed attributes of a token."""
        found = self.cache.get(row[0])
        if found is None:
            if len(self.cache) >= _LARGEST_CACHE:
                self.cache.clear()
            found = self.cache[row[0]] = self._values(row[0])
        return found if len(row) == 1 else found + tuple(map(hash32, row[1:]))

    def _values(self, form: str) -> tuple[int, ...]:
        if self.unit == "letters":
            return (hash32(form),)
        lower = _normal(form)
        edges = [*(lower[-n:] for n in range(1, 6)), *(lower[:n] for n in range(1, 5))]
        shape = _shape(form)
        outline = re.sub(r"(.)\1+", r"\1", shape)
        own = hash32(lower)
        labels = self.labels.get(own) or hash32(f"{outline} {lower[-2:]}")
        return (hash32(form), own, *map(hash32, edges), hash32(shape), hash32(outline), labels)


def hash32(text: str) -> int:
    """The hash of a text, 32 bits that are the same on every machine."""
    return crc32(text.encode("utf-8", "surrogatepass"))


def _normal(form: str) -> str:
    """The form in lower case with every digit as 0; addresses are all alike."""
    if form.startswith(("http:", "https:", "www.")) and len(form) > 5:
        return "www"
    return re.sub(r"\d", "0", form.lower())


def _shape(form: str) -> str:
    """The first eight characters, letters as X or x, digits as 0, other signs as they are."""
    return "".join(
        "X" if char.isupper() else "x" if char.isalpha() else "0" if char.isdigit() else char for char in form[:8]
    )


def known_forms(samples: Sequence[Sample], unit: Unit) -> KnownForms:
    """The forms of labelled samples. There are as many further columns as the first token has."""
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
            likely = sorted(label for label, count in by_label.items() if count >= LEAST_SHARE * total)
            labels[hash32(form)] = hash32(" ".join(likely) + f" {max(by_label, key=lambda one: (by_label[one], one))}")
    return KnownForms(frozenset(known), labels, unit, len(samples[0].rows[0]) - 1)


def unit_of(samples: Iterable[Sample]) -> Unit:
    """The unit of a file by its tokens: letters where nearly every word is a single character."""
    lengths = [len(row[0]) for sample in samples for row in sample.rows]
    return "letters" if sum(length == 1 for length in lengths) > 0.95 * len(lengths) else "words"


def feature_keys(rows: Sequence[Sequence[TokenColumns]], forms: KnownForms) -> NDArray[uint32]:
    """The features of every token of some sentences, one sentence after the other: tokens x templates."""
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
