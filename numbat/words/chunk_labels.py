"""Label schemes of chunks: one label for each token, `B-NP I-NP O`.

A label consists of a *sign*, a letter for the position of a token in its chunk, and the type of the chunk. The sign is
in front (`B-PER`) or behind (`PER-B`). `O` is the label of a token outside chunks; a bare sign belongs to a chunk
without a type. The schemes are those of Ramshaw & Marcus 1995 and Tjong Kim Sang & Veenstra 1999 (iob1, iob2, ioe1,
ioe2), iobes, bilou (Ratinov & Roth 2009) and bmes.

>>> from numbat.words.chunk_labels import SCHEMES
>>> SCHEMES["iob2"].chunks(["B-NP", "I-NP", "O", "B-NP"])
[(0, 2, 'NP'), (3, 4, 'NP')]
>>> SCHEMES["bilou"].labels([(0, 2, "NP"), (3, 4, "NP")], 4)
['B-NP', 'L-NP', 'O', 'U-NP']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import Final, NamedTuple

from numbat.errors import UsageError, close_match, shortened
from numbat.records import frozen

OUTSIDE: Final = "O"
"""The label of a token outside chunks."""
SIGNS: Final = "BIOESLUM"
"""The signs of all schemes."""
OPENING: Final = frozenset("BSU")
"""Signs that always begin a chunk, so that a chunk before them ends."""
CLOSING: Final = frozenset("ESLU")
"""Signs that always end a chunk."""

Chunk = tuple[int, int, str]
"""First token, end (exclusive) and type of a chunk."""


class LabelParts(NamedTuple):
    """The sign of a label and the type of its chunk, empty for `O` and for a bare sign."""

    sign: str
    type: str


@frozen
class Scheme:
    """A label scheme: the meaning of its signs.

    `written` has four signs: for the only token of a chunk, and for the first, an inner and the last token of a longer
    one. In some schemes the first token of a chunk directly after one of the same type gets the sign `after_same`, or
    the last token directly before one gets `before_same`. `inside`, `begins` and `ends` list pairs of neighbouring
    signs: those that continue a chunk of one type, that begin a chunk at the second sign, and that end one at the
    first. `IB` is a pair whatever the types, `I=B` one of equal and `I!B` one of different types; `?` is any sign, and
    `O` also the edge of a sentence. With `behind` the sign follows the type.
    """

    name: str
    written: str
    inside: str
    begins: str
    ends: str
    after_same: str = ""
    before_same: str = ""
    behind: bool = False

    @property
    def signs(self) -> frozenset[str]:
        """The signs of the scheme, including `O`."""
        return frozenset((*self.written, *self.after_same, *self.before_same, OUTSIDE))

    def parts(self, label: str) -> LabelParts | None:
        """Return the sign and the type in a label, None if no scheme has such a label."""
        return _parts(label, self.behind)

    def has(self, label: str) -> bool:
        """True if the sign of a label belongs to the scheme."""
        parts = self.parts(label)
        return parts is not None and parts.sign in self.signs

    def allows(self, before: str, label: str) -> bool:
        """True if `label` may follow the label `before`; `O` is also the edge of a sentence."""
        one, two = self.parts(before), self.parts(label)
        return one is not None and two is not None and self._allows(one, two)

    def _allows(self, one: LabelParts, two: LabelParts) -> bool:
        if not (one.sign in self.signs and two.sign in self.signs):
            return False
        pair = one.sign, two.sign, one.type == two.type
        if pair in _pairs(self.inside) and pair[2]:
            return True
        is_over = one.sign == OUTSIDE or pair in _pairs(self.ends)
        return is_over and (two.sign == OUTSIDE or pair in _pairs(self.begins))

    def goes_on(self, before: str, label: str) -> bool:
        """True if a label continues the chunk of the label before it, as in `conlleval`."""
        one, two = self.parts(before), self.parts(label)
        return one is not None and two is not None and _goes_on(one, two)

    def chunks(self, labels: Iterable[str], strict: bool = False) -> list[Chunk]:
        """Return the chunks that the labels of a sentence describe; invalid labels count as `O`.

        Labels are read as by `conlleval`, where a label that continues no chunk begins one; with `strict`, as in the
        strict mode of `seqeval`, which counts only chunks that begin, continue and end as the scheme demands.
        """
        parts = [_parts(label, self.behind) or _NO_CHUNK for label in labels]
        return list(self._strict(parts) if strict else _lenient(parts))

    def _strict(self, labels: Sequence[LabelParts]) -> Iterator[Chunk]:
        inside, begins, ends = map(_pairs, (self.inside, self.begins, self.ends))
        start, before = -1, _NO_CHUNK
        for at, parts in enumerate(chain(labels, (_NO_CHUNK,))):
            pair = before.sign, parts.sign, before.type == parts.type
            if start >= 0 and not (pair in inside and pair[2]):
                if pair in ends:
                    yield start, at, before.type
                start = -1
            if start < 0 and pair in begins:
                start = at
            before = parts

    def labels(self, chunks: Iterable[Chunk], length: int) -> list[str]:
        """Return the labels of a sentence of `length` tokens with these chunks, which must not overlap."""
        one, first, inner, last = tuple(self.written)
        signs, types = [OUTSIDE] * length, [""] * length
        known = sorted(chunks)
        for start, end, kind in known:
            signs[start:end] = [one] if end == start + 1 else [first, *inner * (end - start - 2), last]
            types[start:end] = [kind] * (end - start)
        for (_, end, kind), (start, _, other) in pairwise(known):
            if end == start and kind == other:
                signs[start] = self.after_same or signs[start]
                signs[end - 1] = self.before_same or signs[end - 1]
        return [self.label(sign, kind) for sign, kind in zip(signs, types, strict=True)]

    def label(self, sign: str, kind: str) -> str:
        """Return the label with this sign and this type of chunk."""
        if not kind:
            return sign
        return f"{kind}-{sign}" if self.behind else f"{sign}-{kind}"


SCHEMES: Final[Mapping[str, Scheme]] = {
    scheme.name: scheme
    for scheme in (
        Scheme("iob2", "BBII", inside="B=I I=I", begins="?B", ends="IO I!I IB BO B!I BB"),
        Scheme(
            "iob1",
            "IIII",
            inside="B=I I=I",
            begins="OI I!I BI I=B B=B",
            ends="IO I!I IB BO B!I B=B",
            after_same="B",
        ),
        Scheme("iobes", "SBIE", inside="B=I B=E I=I I=E", begins="?B ?S", ends="E? S?"),
        Scheme("bilou", "UBIL", inside="B=I B=L I=I I=L", begins="?B ?U", ends="L? U?"),
        Scheme("bmes", "SBME", inside="B=M B=E M=M M=E", begins="?B ?S", ends="E? S?"),
        Scheme("ioe2", "EIIE", inside="I=I I=E", begins="OI OE EI EE I!I I!E", ends="E?"),
        Scheme(
            "ioe1",
            "IIII",
            inside="I=I I=E",
            begins="OI OE I!I I!E EI E=E",
            ends="IO I!I I!E E=I E=E",
            before_same="E",
        ),
    )
}
"""The schemes by name, in the order in which they are tried if the user names none.

The pairs of signs are those of seqeval, except that seqeval has no bmes, and in its ioe1 no chunk of one token begins
with `E`.
"""


@cache
def _pairs(patterns: str) -> frozenset[tuple[str, str, bool]]:
    """Return the pairs of signs that the patterns stand for, each with True for labels of one type, or False."""
    pairs = set()
    for pattern in patterns.split():
        types = {"=": (True,), "!": (False,)}.get(pattern[1], (True, False))
        one, two = (SIGNS if sign == "?" else sign for sign in (pattern[0], pattern[-1]))
        pairs |= {(before, sign, same) for before in one for sign in two for same in types}
    return frozenset(pairs)


_NO_CHUNK: Final = LabelParts(OUTSIDE, "")


@lru_cache(maxsize=10_000)
def _parts(label: str, behind: bool) -> LabelParts | None:
    if len(label) == 1:
        return _NO_CHUNK if label == OUTSIDE else LabelParts(label, "") if label in SIGNS else None
    if len(label) < 3:
        return None
    sign, hyphen, kind = (label[-1], label[-2], label[:-2]) if behind else (label[0], label[1], label[2:])
    return LabelParts(sign, kind) if hyphen == "-" and sign in SIGNS and sign != OUTSIDE else None


def _goes_on(one: LabelParts, two: LabelParts) -> bool:
    is_inside = one.sign != OUTSIDE and two.sign != OUTSIDE and one.type == two.type
    return is_inside and one.sign not in CLOSING and two.sign not in OPENING


def _lenient(labels: Sequence[LabelParts]) -> Iterator[Chunk]:
    start, before = -1, _NO_CHUNK
    for at, parts in enumerate(chain(labels, (_NO_CHUNK,))):
        if parts is before and start < 0:  # usually one more label outside chunks
            continue
        if not _goes_on(before, parts):
            if start >= 0:
                yield start, at, before.type
            start = -1 if parts.sign == OUTSIDE else at
        before = parts


# Recognizing the scheme of labels


def scheme_named(name: str, labels: Iterable[str] = ()) -> Scheme:
    """Return the scheme with this name; its signs are in front or behind as in the labels. Raises UsageError."""
    if name not in SCHEMES:
        hint = close_match(name, SCHEMES) or f"the schemes are: {', '.join(SCHEMES)}"
        raise UsageError(f'"{shortened(name)}" is not a label scheme\n  {hint}')
    return replace(SCHEMES[name], behind=bool(_is_behind(set(labels))))


def schemes_with(labels: Iterable[str]) -> list[Scheme]:
    """Return the schemes that have all these labels, likelier ones first; none if a label is not one of chunks."""
    every = set(labels)
    behind = _is_behind(every)
    if behind is None or every <= {OUTSIDE}:
        return []
    schemes = (replace(scheme, behind=behind) for scheme in SCHEMES.values())
    return [scheme for scheme in schemes if all(map(scheme.has, every))]


def are_of_chunks(labels: Collection[str]) -> bool:
    """True if every label is `O` or has a type and a sign of any scheme."""
    every = set(labels) - {OUTSIDE}
    return bool(every) and _is_behind(every) is not None and not any(len(label) == 1 for label in every)


def _is_behind(labels: Collection[str]) -> bool | None:
    """True if the signs of labels are behind the types, False if in front, None if neither fits all labels."""
    for behind in (False, True):
        if all(_parts(label, behind) for label in labels):
            return behind
    return None


@frozen
class Misfit:
    """The first label that a scheme does not allow, with the numbers of its sentence and token, from 0.

    `before` is the preceding label, or None if the scheme never has such a label. If a sentence must not end so, the
    label is `O` and the token the last one. `number` counts the labels that the scheme does not allow.
    """

    scheme: Scheme
    sentence: int
    token: int
    label: str
    before: str | None
    number: int

    @property
    def message(self) -> str:
        """The reason why the label is not allowed."""
        if self.before is None:
            return f'"{shortened(self.label)}" is not a label of the scheme {self.scheme.name}'
        return f"{self.scheme.name} does not allow {shortened(self.label)} after {shortened(self.before)}"


def guessed(sentences: Sequence[Sequence[str]]) -> Scheme | Misfit | None:
    """Return the first scheme that allows all labels in the sentences, each after the label before it.

    The result is None if they are not labels of chunks. If no scheme allows all, it is the first label that does not
    fit the scheme with the fewest misfits.
    """
    labels = set(chain.from_iterable(sentences))
    candidates = schemes_with(labels)
    if not candidates and not are_of_chunks(labels):
        return None
    pairs = Counter(pair for sentence in sentences for pair in neighbours(sentence))
    for scheme in candidates:
        if all(scheme.allows(*pair) for pair in pairs):
            return scheme
    if not are_of_chunks(labels):
        return None
    behind = bool(_is_behind(labels))
    schemes = [replace(scheme, behind=behind) for scheme in SCHEMES.values()]
    number = {scheme.name: sum(n for pair, n in pairs.items() if not scheme.allows(*pair)) for scheme in schemes}
    nearest = min(schemes, key=lambda scheme: number[scheme.name])
    return misfit(nearest, sentences, pairs=all(map(nearest.has, labels)))


def misfit(scheme: Scheme, sentences: Sequence[Sequence[str]], pairs: bool = True) -> Misfit | None:
    """Return the first label that a scheme does not have or, with `pairs`, not after the preceding label; else None."""
    first, number = None, 0
    for at, sentence in enumerate(sentences):
        for token, (before, label) in enumerate(neighbours(sentence)):
            is_unknown = not scheme.has(label)
            if not is_unknown and not (pairs and scheme.has(before) and not scheme.allows(before, label)):
                continue
            number += 1
            place = min(token, len(sentence) - 1)
            first = first or Misfit(scheme, at, place, label, None if is_unknown else before, 0)
    return first and replace(first, number=number)


def neighbours(labels: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Return pairs of neighbouring labels of a sentence, with `O` before the first and after the last label."""
    return zip((OUTSIDE, *labels), (*labels, OUTSIDE), strict=True)
