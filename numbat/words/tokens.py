"""From a text to its tokens, by the token rules of a grammar (ruling 20).

A text is cut at blanks into pieces: words and punctuation marks. A word becomes one token, or several where a rule
cuts an affix off (`don't`: `do n't`, `l'ami`: `l' ami`) or rewrites it (`du`: `de =le`); marks that the lexicon does
not have are skipped. Each token and each mark that is skipped knows its place in the text as it was typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol
from unicodedata import category

from numbat.files import composed, composed_parts
from numbat.grammar.model import TokenRule
from numbat.words.lattice import Place


class Vocabulary(Protocol):
    """Interface to the lexicon and token rules that tokenization needs."""

    @property
    def rewritten(self) -> Mapping[str, tuple[str, ...]]: ...
    @property
    def affixes(self) -> tuple[TokenRule, ...]: ...
    @property
    def longest(self) -> int: ...
    def has(self, form: str) -> bool: ...


@dataclass(slots=True)
class Tokens:
    """The tokens of a text and the marks that were skipped, with their places; `gaps` as in a `Lattice`.

    `cut` are the words that became several tokens though the lexicon has them: first token, end, the word.
    """

    tokens: list[str] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    skipped_places: list[Place] = field(default_factory=list)
    gaps: list[int] = field(default_factory=list)
    cut: list[tuple[int, int, str]] = field(default_factory=list)


def tokenize(text: str, vocabulary: Vocabulary) -> Tokens:
    """Return the tokens of a text as typed."""
    found = Tokens()
    plain = spelled(text)
    typed = _typed_places(text, plain)
    quotes = _quotes(plain, vocabulary)
    for at, written in pieces(plain, vocabulary):
        if (at in quotes and len(written) == 1) or not is_word(written, vocabulary):
            found.skipped.append(written)
            found.skipped_places.append(_typed_place(typed, at, at + len(written)))
            found.gaps.append(len(found.tokens))
            continue
        first = len(found.tokens)
        for token, start, end in split(written, vocabulary):
            found.tokens.append(token)
            found.places.append(_typed_place(typed, at + start, at + end))
        if len(found.tokens) > first + 1 and vocabulary.has(written):
            found.cut.append((first, len(found.tokens), written))
    return found


_PLAIN: Final = str.maketrans("’ʼ‐‑\u00a0\u2007\u202f", "''--   ")


def spelled(text: str) -> str:
    """Normalize a text to the lexicon's spelling: NFC, plain apostrophes, hyphens and blanks."""
    if text.isascii():
        return text
    return composed(text.translate(_PLAIN))


def _typed_places(text: str, plain: str) -> list[Place] | None:
    """Map each character of a spelled text to its place in the typed one; None if they are the same.

    Only composing letters moves places: all that a part becomes has the place of that part.
    """
    typed = text if text.isascii() else text.translate(_PLAIN)
    if typed == plain:
        return None
    return [(begin, end) for begin, end, length in composed_parts(typed) for _ in range(length)]


def _typed_place(typed: list[Place] | None, start: int, end: int) -> Place:
    return (start, end) if typed is None else (typed[start][0], typed[end - 1][1])


def is_word(written: str, vocabulary: Vocabulary) -> bool:
    """True unless the piece is a punctuation mark that the lexicon lacks (ruling 20)."""
    return written.isalnum() or any(char.isalnum() for char in written) or vocabulary.has(written)


_PIECE: Final = re.compile(r"\d+(?:[.,:/]\d+)+|\w+(?:['.@/&-]\w+)*|([^\w\s])\1*")


def pieces(text: str, vocabulary: Vocabulary) -> Iterator[tuple[int, str]]:
    """Return words and punctuation marks as written, each with its place.

    What the lexicon has between two blanks is one: `Mr.`, `:-)`.
    """
    for chunk in _CHUNK.finditer(text):
        start, written = chunk.start(), chunk[0]
        if vocabulary.has(written):
            yield start, written
        else:
            for match in _PIECE.finditer(_without_marks(written)):
                yield start + match.start(), written[match.start() : match.end()]


_CHUNK: Final = re.compile(r"\S+")
_APOSTROPHE: Final = re.compile(r"(?P<opening>[‘`](?=\w)|(?<!\w)'(?=[^\W\d]))|(?<!\w)'|(?P<closing>(?<=\w)'(?!\w))")
_TIED: Final = re.compile(r"'\w+")
_WORD_FOLLOWS: Final = re.compile(r"\s+\w")


def _quotes(text: str, vocabulary: Vocabulary) -> set[int]:
    """Where an apostrophe is a quotation mark or stands alone, in a grammar that cuts "'" from the end of vocabulary.

    At the beginning of a word it opens a quotation, if the lexicon does not have the word with it (`'s`). At the end
    of a word it closes one that is open, unless it may be a genitive plural, which follows an s and has a word after
    it, and a later one can close the quotation.
    """
    found: set[int] = set()
    if "'" not in text or TokenRule("suffix", ("'",)) not in vocabulary.affixes:
        return found
    closing: list[int] | None = None
    """The apostrophes that may close what is open."""
    for match in _APOSTROPHE.finditer(text):
        place = match.start()
        if match["closing"] is None:
            tied = _TIED.match(text, place)
            if tied and vocabulary.has(tied[0]):
                continue
            found.add(place)
            if match["opening"]:
                found.update((closing or [])[-1:])
                closing = []
            elif not text[place + 1 : place + 2].isalnum():
                closing = None
        elif closing is not None:
            closing.append(place)
            if text[place - 1] not in "sS" or not _WORD_FOLLOWS.match(text, place + 1):
                found.add(place)
                closing = None
    return found | set((closing or [])[-1:])


def _without_marks(text: str) -> str:
    """Replace each combining mark and joiner by the character it belongs to."""
    if text.isascii():
        return text
    shadow: list[str] = []
    for char in text:
        joined = shadow and (category(char)[0] == "M" or category(char) == "Cf")
        shadow.append(shadow[-1] if joined else char)
    return "".join(shadow)


def split(written: str, vocabulary: Vocabulary) -> Iterator[tuple[str, int, int]]:
    """Return the tokens of a written word, each with the span of its part.

    All tokens of a part that a rule rewrites are that part. A part longer than any form is not looked up, so that a
    row of affixes takes time that grows with its length.
    """
    waiting = [(0, len(written))]
    while waiting:
        start, end = waiting.pop()
        part = written[start:end] if end - start <= vocabulary.longest else None
        rewritten = None if part is None else vocabulary.rewritten.get(part.lower())
        if rewritten is not None:
            yield from ((token, start, end) for token in rewritten)
            continue
        is_form = part is not None and vocabulary.has(part)
        cut = None if is_form else _cut(written, start, end, vocabulary.affixes)
        if cut is None:
            yield written[start:end], start, end
        else:
            waiting += ((cut, end), (start, cut))


def _cut(written: str, start: int, end: int, affixes: Iterable[TokenRule]) -> int | None:
    """Return where to cut the longest affix that fits and leaves something, at the start or end of a word.

    Case is that of the affix with its neighbour, on which the lower case of some letters depends.
    """
    best: tuple[int, int] | None = None
    for rule in affixes:
        (affix,) = rule.forms
        size = len(affix)
        if not 0 < size < end - start or (best is not None and size <= best[0]):
            continue
        if rule.kind == "suffix" and written[end - size - 1 : end].lower().endswith(affix):
            best = size, end - size
        elif rule.kind == "prefix" and written[start : start + size + 1].lower().startswith(affix):
            best = size, start + size
    return best[1] if best else None
