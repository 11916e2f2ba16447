"""Labels that tell where chunks are, one for each token: `B-NP I-NP O`. Each scheme says what its signs mean.

A label is the sign of a token and the type of its chunk, the sign in front (`B-PER`) or behind (`PER-B`); `O` stands
outside of chunks, and a sign alone is that of a chunk without a type. The schemes are those of Ramshaw & Marcus 1995
and Tjong Kim Sang & Veenstra 1999 (iob1, iob2, ioe1, ioe2), iobes, bilou (Ratinov & Roth 2009) and bmes.

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
"""The label of a token that no chunk has."""
SIGNS: Final = "BIOESLUM"
"""The signs of all schemes."""
OPENING: Final = frozenset("BSU")
"""Signs in front of which a chunk ends, whatever comes before."""
CLOSING: Final = frozenset("ESLU")
"""Signs behind which a chunk ends, whatever follows."""

Chunk = tuple[int, int, str]
"""First token, the one after the last, type."""


class LabelParts(NamedTuple):
    """A label taken apart: its sign and the type of its chunk, empty for `O` and for a sign alone."""

    sign: str
    type: str


@frozen
class Scheme:
    """What the signs of labels mean.

    `written` has the signs of a chunk of one token, and of the first, an inner and the last of several; a chunk that
    stands beside one of its own type has the sign `after_same` on its first or `before_same` on its last token, where
    the scheme has such a sign. `inside`, `begins` and `ends` say which pairs of neighbouring signs go on with a chunk
    of the same type, begin a chunk with the second and end one with the first: `IB` whatever the types, `I=B` of the
    same type, `I!B` of two types, `?` being any sign and `O` also the edge of a sentence. The sign is behind the type
    if `behind`.
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
        """The signs that the scheme has, `O` among them."""
        return frozenset((*self.written, *self.after_same, *self.before_same, OUTSIDE))

    def parts(self, label: str) -> LabelParts | None:
        """Return the sign and the type of a label, None if it is no label of any scheme."""
        return _parts(label, self.behind)

    def has(self, label: str) -> bool:
        """True if the scheme has a label with this sign."""
        parts = self.parts(label)
        return parts is not None and parts.sign in self.signs

    def allows(self, before: str, label: str) -> bool:
        """True if a label may follow another one; `O` stands for the edges of a sentence too."""
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
        """True if a label goes on with the chunk of the label before it, as `conlleval` reads labels."""
        one, two = self.parts(before), self.parts(label)
        return one is not None and two is not None and _goes_on(one, two)

    def chunks(self, labels: Iterable[str], strict: bool = False) -> list[Chunk]:
        """Return the chunks of the labels of a sentence.

        They are read as `conlleval` does, for which a chunk begins where none of its type is open; if `strict`, as
        `seqeval` in strict mode, where only those count that begin, go on and end as the scheme says. What is no label
        of chunks counts as `O`.
        """
        parts = [_parts(label, self.behind) or _NO_CHUNK for label in labels]
        return list(self._strict(parts) if strict else _lenient(parts))

    def _strict(self, found: Sequence[LabelParts]) -> Iterator[Chunk]:
        inside, begins, ends = map(_pairs, (self.inside, self.begins, self.ends))
        start, before = -1, _NO_CHUNK
        for at, parts in enumerate(chain(found, (_NO_CHUNK,))):
            pair = before.sign, parts.sign, before.type == parts.type
            if start >= 0 and not (pair in inside and pair[2]):
                if pair in ends:
                    yield start, at, before.type
                start = -1
            if start < 0 and pair in begins:
                start = at
            before = parts

    def labels(self, chunks: Iterable[Chunk], length: int) -> list[str]:
        """Return the labels of chunks that do not overlap, for a sentence of so many tokens."""
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
        """Return the label of a sign and a type."""
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
"""The schemes by name, in the order in which they are tried where none is named.

The pairs are those of seqeval, which does not have bmes, and of whose ioe1 no chunk of one token begins with `E`.
"""


@cache
def _pairs(patterns: str) -> frozenset[tuple[str, str, bool]]:
    """Return the pairs of signs that patterns speak of, each with True for two labels of the same type."""
    found = set()
    for pattern in patterns.split():
        types = {"=": (True,), "!": (False,)}.get(pattern[1], (True, False))
        one, two = (SIGNS if sign == "?" else sign for sign in (pattern[0], pattern[-1]))
        found |= {(before, sign, same) for before in one for sign in two for same in types}
    return frozenset(found)


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


def _lenient(found: Sequence[LabelParts]) -> Iterator[Chunk]:
    start, before = -1, _NO_CHUNK
    for at, parts in enumerate(chain(found, (_NO_CHUNK,))):
        if parts is before and start < 0:  # mostly, one more label outside of chunks
            continue
        if not _goes_on(before, parts):
            if start >= 0:
                yield start, at, before.type
            start = -1 if parts.sign == OUTSIDE else at
        before = parts


# Which scheme labels are of.


def scheme_named(name: str, labels: Iterable[str] = ()) -> Scheme:
    """Return the scheme of that name, its signs in front or behind as in these labels. Raises UsageError."""
    if name not in SCHEMES:
        hint = close_match(name, SCHEMES) or f"the schemes are: {', '.join(SCHEMES)}"
        raise UsageError(f'"{shortened(name)}" is no scheme of labels\n  {hint}')
    return replace(SCHEMES[name], behind=bool(_is_behind(set(labels))))


def schemes_with(labels: Iterable[str]) -> list[Scheme]:
    """Return the schemes that have all these labels, the likelier ones first; none if some are no labels of chunks."""
    every = set(labels)
    behind = _is_behind(every)
    if behind is None or every <= {OUTSIDE}:
        return []
    schemes = (replace(scheme, behind=behind) for scheme in SCHEMES.values())
    return [scheme for scheme in schemes if all(map(scheme.has, every))]


def are_of_chunks(labels: Collection[str]) -> bool:
    """True if every label is `O` or has a sign of any scheme and a type."""
    every = set(labels) - {OUTSIDE}
    return bool(every) and _is_behind(every) is not None and not any(len(label) == 1 for label in every)


def _is_behind(labels: Collection[str]) -> bool | None:
    """Return whether the signs of labels are behind the types, None if they are neither there nor in front."""
    for behind in (False, True):
        if all(_parts(label, behind) for label in labels):
            return behind
    return None


@frozen
class Misfit:
    """The first label that a scheme does not allow, by the numbers of its sentence and of its token in it, from 0.

    `before` is the label before it, None where the scheme has no such label at all; at the end of a sentence the label
    is `O` and the token the last one. `scheme` allows all but `number` of the labels.
    """

    scheme: Scheme
    sentence: int
    token: int
    label: str
    before: str | None
    number: int

    @property
    def message(self) -> str:
        """What is wrong with the label."""
        if self.before is None:
            return f'"{shortened(self.label)}" is no label of the scheme {self.scheme.name}'
        return f"{self.scheme.name} does not allow {shortened(self.label)} after {shortened(self.before)}"


def guessed(sentences: Sequence[Sequence[str]]) -> Scheme | Misfit | None:
    """Return the first scheme that allows all labels of sentences, and all pairs of neighbours.

    None if the labels are not those of chunks; if they are, and no scheme allows them all, the first label that the
    nearest scheme does not have, or does not allow after the one before.
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
    """Return the first label that a scheme does not have, or with `pairs` does not allow after the one before it."""
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
    """Return each label of a sentence with the one before it, and `O` at the end with the last."""
    return zip((OUTSIDE, *labels), (*labels, OUTSIDE), strict=True)
