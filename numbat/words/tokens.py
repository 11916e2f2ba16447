"""Tokenization of a text by the token rules of a grammar (ruling 20).

A text is cut into words and punctuation marks. A word becomes one token, or several if a rule cuts off an affix
(`don't`: `do n't`, `l'ami`: `l' ami`) or rewrites it (`du`: `de =le`). Marks that the lexicon does not have are
skipped. Each token and each skipped mark has its place in the typed text.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, pairwise
from operator import itemgetter
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol
from unicodedata import category, combining, normalize

from numbat.files import composed, composed_parts
from numbat.grammar.names import JOINER
from numbat.grammar.properties import Operand
from numbat.records import pattern
from numbat.words.by_language import Conventions
from numbat.words.lattice import Place
from numbat.words.pasted_text import LeftOut, read_pasted
from numbat.words.segmentation import WordCosts, is_unsegmented, segment


class Affix(NamedTuple):
    """A suffix or prefix in lower case, and the operands that its neighbour must match; any word if there are none."""

    form: str
    beside: tuple[Operand, ...] = ()

    @property
    def has_mark(self) -> bool:
        """True for an affix with a mark, such as `'s`; an affix such as `lo` may be part of any word."""
        return any(not char.isalnum() and category(char)[0] != "M" for char in self.form)


class Affixes:
    """Suffixes or prefixes by form, the longest first."""

    def __init__(self, affixes: Iterable[Affix] = ()) -> None:
        self._known: dict[str, list[Affix]] = {}
        for affix in affixes:
            self._known.setdefault(affix.form, []).append(affix)
        self._sizes = sorted({*map(len, self._known)}, reverse=True)

    def __bool__(self) -> bool:
        return bool(self._known)

    def __contains__(self, form: object) -> bool:
        return form in self._known

    def __iter__(self) -> Iterator[Affix]:
        return chain.from_iterable(self._known.values())

    def at_end(self, written: str, start: int, end: int) -> Iterator[tuple[int, Affix]]:
        """Yield the suffixes of `written[start:end]` that leave something, each with its start.

        The text is turned into lower case with the letter before it, on which the lower case of some letters depends.
        """
        for size in self._sizes:
            if size < end - start:
                for affix in self._known.get(written[end - size - 1 : end].lower()[-size:], ()):
                    yield end - size, affix

    def at_start(self, written: str, start: int, end: int) -> Iterator[tuple[int, Affix]]:
        """Yield the prefixes of `written[start:end]` that leave something, each with its end."""
        for size in self._sizes:
            if size < end - start:
                for affix in self._known.get(written[start : start + size + 1].lower()[:size], ()):
                    yield start + size, affix


class Vocabulary(Protocol):
    """Interface of the lexicon and token rules that tokenization uses."""

    @property
    def rewritten(self) -> Mapping[str, tuple[str, ...]]: ...
    @property
    def suffixes(self) -> Affixes: ...
    @property
    def prefixes(self) -> Affixes: ...
    @property
    def longest(self) -> int: ...
    @property
    def marked_sizes(self) -> Sequence[int]: ...
    @property
    def costs(self) -> WordCosts | None: ...
    @property
    def language(self) -> Conventions: ...
    def cost(self, form: str) -> float | None: ...
    def has(self, form: str) -> bool: ...
    def matches(self, form: str, operands: Iterable[Operand]) -> bool: ...


@dataclass(slots=True)
class Tokens:
    """The tokens of a text and the skipped marks, with their places; `gaps` are as in a `Lattice`.

    `forms` are further forms of the lexicon, each as first token, end and form: words that stay whole although they are
    also cut, and words that the lexicon has both with and without a mark. `bridges` are tokens that only fill the space
    between words. `costs` are the costs of words in text without spaces, by first token and end, as in a `Cut`.
    `left_out` are markup and indices, which are no marks of the sentence.
    """

    tokens: list[str] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    skipped_places: list[Place] = field(default_factory=list)
    gaps: list[int] = field(default_factory=list)
    forms: list[tuple[int, int, str]] = field(default_factory=list)
    bridges: set[int] = field(default_factory=set)
    costs: dict[tuple[int, int], float] = field(default_factory=dict)
    left_out: Sequence[LeftOut] = ()


def tokenize(text: str, vocabulary: Vocabulary) -> Tokens:
    """Return the tokens of a typed text."""
    pasted = read_pasted(text, vocabulary.has, vocabulary.language)
    tokens = Tokens(left_out=pasted.left_out)
    plain = spelled(pasted.text)
    typed = _typed_places(pasted.text, plain)
    if pasted.places is not None:
        typed = [_typed_place(pasted.places, *span) for span in typed] if typed is not None else pasted.places
    quotes = _quotes(plain, vocabulary)
    for at, written in pieces(plain, vocabulary):
        if (at in quotes and len(written) == 1) or not is_word(written, vocabulary):
            tokens.skipped.append(written)
            tokens.skipped_places.append(_typed_place(typed, at, at + len(written)))
            tokens.gaps.append(len(tokens.tokens))
            continue
        first = len(tokens.tokens)
        cut = split(written, vocabulary)
        for token, start, end in cut.parts:
            tokens.tokens.append(token)
            tokens.places.append(_typed_place(typed, at + start, at + end))
        tokens.forms += [(first + start, first + end, form) for start, end, form in cut.forms]
        if len(cut.parts) == 1 and written[-1] == "." and not vocabulary.has(written) and vocabulary.has(written[:-1]):
            tokens.forms.append((first, first + 1, written[:-1]))
        tokens.bridges.update(first + bridge for bridge in cut.bridges)
        tokens.costs |= {(first + start, first + end): cost for (start, end), cost in cut.costs.items()}
    return tokens


_LIGATURES: Final = {
    "ﬀ": "ff",
    "ﬁ": "fi",
    "ﬂ": "fl",
    "ﬃ": "ffi",
    "ﬄ": "ffl",
    "ﬅ": "st",
    "ﬆ": "st",
    "ĳ": "ij",
    "Ĳ": "IJ",
}
_PLAIN: Final[dict[int, str]] = {
    **{ord(char): plain for char, plain in zip("’‐‑\u00a0\u2007\u202f״׳", "'--   \"'", strict=True)},
    **{ord(char): letters for char, letters in _LIGATURES.items()},
}
"""Characters in other spellings: apostrophes, hyphens, blanks, gershayim and geresh of Hebrew, ligatures."""
_OTHER: Final = frozenset(map(chr, _PLAIN))
_JOINERS: Final = "\u200c\u200d"
_UNSEEN: Final = frozenset(
    "\u00ad\u034f\u061c\u180e\ufeff\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\u206a\u206b\u206c\u206d\u206e\u206f" + _JOINERS
)
"""Invisible characters: soft hyphens, zero-width spaces, joiners, direction marks."""
_PICTURES: Final = "\u2190-\u2bff\U0001f000-\U0001faff"
_KEPT_JOINER: Final = pattern(rf"{JOINER}|(?<=[\ufe0f{_PICTURES}])\u200d(?=[{_PICTURES}])")
"""A joiner that belongs to the word, as in names of the notation, or that joins two pictures (emoji)."""


def spelled(text: str) -> str:
    """Normalize a text to the lexicon's spelling: NFC, plain apostrophes, hyphens and spaces, visible characters."""
    if text.isascii():
        return text
    characters = set(text)
    if not _UNSEEN.isdisjoint(characters):
        text = "".join([text[i] for i in _seen(text)])
    if not _OTHER.isdisjoint(characters):
        text = text.translate(_PLAIN)
    return composed(text) if any(map(combining, characters)) else normalize("NFC", text)


def _seen(text: str) -> list[int]:
    """Return the indexes of the visible characters of a text, and of joiners that the script needs.

    Of several successive joiners the first counts.
    """
    places: list[int] = []
    for i, char in enumerate(text):
        if char not in _UNSEEN or (char in _JOINERS and places and text[places[-1]] not in _JOINERS):
            places.append(i)
    shown = "".join([text[i] for i in places])
    joiners = {match.start() for match in _KEPT_JOINER.finditer(shown)}
    return [i for at, i in enumerate(places) if shown[at] not in _JOINERS or at in joiners]


def _typed_places(text: str, plain: str) -> Sequence[Place] | None:
    """Return the span in the typed text of each character of the normalized text `plain`; None if both are the same.

    If several typed characters together become others, each of these has the span of all the typed ones.
    """
    if text == plain:
        return None
    spellings = [(i, text[i].translate(_PLAIN)) for i in _seen(text)]
    typed = [i for i, spelling in spellings for _ in spelling]
    parts = composed_parts("".join([spelling for _, spelling in spellings]))
    return [(typed[begin], typed[end - 1] + 1) for begin, end, length in parts for _ in range(length)]


def _typed_place(typed: Sequence[Place] | None, start: int, end: int) -> Place:
    return (start, end) if typed is None else (typed[start][0], typed[end - 1][1])


def is_word(written: str, vocabulary: Vocabulary) -> bool:
    """True unless the text is a punctuation mark that the lexicon lacks (ruling 20)."""
    return written.isalnum() or any(char.isalnum() for char in written) or vocabulary.has(written)


_PIECE: Final = pattern(
    r"(?:https?|ftp)://[^\s<>\"]*[\w/]|www\.[^\s<>\"]*[\w/]|\w[\w.+-]*@\w[\w.-]*\w"
    r"|\d+(?:[.,:/]\d+)+|[^\W\d_]{2,}\([^\W\d_]{1,3}\)\w*|\w+(?:(?:['.@/&·-]|(?<=[א-ת])\"(?=[א-ת]))\w+)*|[:;=][-^']?[)(\]\[|*](?!\w)|°[CF]\b|([^\w\s])\1*"
)
"""Matches one address, number, word (also `son(s)`), emoticon, degree or mark, or a mark that is repeated."""
_EMOTICON: Final = pattern(r"[:;=][-^']?[)(\]\[|*]")
_CHUNK: Final = pattern(r"\S+")
_LETTER: Final = pattern(r"\w")
_INITIALS: Final = pattern(r"(?:[^\W\d_]{1,3}\.){2,}|[A-Z]\.")
_SHORT: Final = pattern(r"[^\W\d_]{2,5}\.")
_FULL_STOP: Final = pattern(r"(?<=[^\W\d_]{2})\.(?=[^\W\d_])")
_WITH_SLASH: Final = pattern(r"[^\W\d_][\w'-]+(?:/[^\W\d_][\w'-]*)+")


def pieces(text: str, vocabulary: Vocabulary) -> Iterator[tuple[int, str]]:
    """Yield the words and punctuation marks in a text as written, each with the place where it begins.

    The longest form of the lexicon that begins at a word or mark stays together: `Mr.`, `:-)`, the `U.S.` in `(U.S.)`.
    """
    for chunk in _CHUNK.finditer(text):
        start, written = chunk.start(), chunk[0]
        if written.isalnum() or vocabulary.has(written):
            yield start, written
        else:
            following = _LETTER.search(text, chunk.end())
            for at, piece in _pieces_of_chunk(written, following[0] if following else "", vocabulary):
                yield start + at, piece


def _pieces_of_chunk(written: str, following: str, vocabulary: Vocabulary) -> Iterator[tuple[int, str]]:
    """Yield the words and marks in text between two spaces; `following` is the next letter or digit after the text."""
    matches = [*_PIECE.finditer(_without_marks(written))]
    ends: set[int] = set()
    for match in matches:
        ends.update(range(match.start() + 1, match.end()) if match[1] else (), (match.end(),))
    done = 0
    for match in matches:
        start, end = max(done, match.start()), match.end()
        if start >= end:
            continue
        form_end = _end_of_form(written, start, ends, vocabulary)
        if form_end is not None and form_end >= end:  # a row of equal marks is not split
            yield start, written[start:form_end]
            done = form_end
            continue
        piece = written[start:end]
        if _is_abbreviation(written[start : end + 1], following, vocabulary):
            end, piece = end + 1, piece + "."
        done = end
        yield from ((start + at, part) for at, part in _parts_of_piece(piece, vocabulary))


def _is_abbreviation(written: str, following: str, vocabulary: Vocabulary) -> bool:
    """True if a word with a full stop inside a sentence may be an abbreviation: `U.S.`, and `Inc.` before a word.

    A word of the lexicon is one only before the number that the abbreviation needs: `No. 5`.
    """
    word = written[:-1]
    if not following or written[-1:] != ".":
        return False
    if vocabulary.has(word):
        return vocabulary.language.counts(word, following)
    is_short = following.islower() and _SHORT.fullmatch(written)
    return bool(is_short or _INITIALS.fullmatch(written)) or vocabulary.language.abbreviates(word, following)


def _end_of_form(written: str, start: int, ends: Container[int], vocabulary: Vocabulary) -> int | None:
    """Return the end of the longest form with a mark that begins at a place and ends at one of `ends`, None if none."""
    for size in vocabulary.marked_sizes:
        end = start + size
        if size > 1 and end in ends and vocabulary.has(form := written[start:end]) and not form.isalnum():
            return end
    return None


def _parts_of_piece(piece: str, vocabulary: Vocabulary) -> Iterator[tuple[int, str]]:
    """Cut a text that the lexicon lacks: `((` if it has `(`, `;)` if it has `;`, `men/women`, words around a stop.

    Several full stops or dashes in a row stay one mark.
    """
    first = piece[0]
    is_row = not first.isalnum() and first not in ".-–—" and piece == first * len(piece) and vocabulary.has(first)
    if is_row or (_EMOTICON.fullmatch(piece) and any(map(vocabulary.has, piece))):
        yield from enumerate(piece)
        return
    if _WITH_SLASH.fullmatch(piece) and not vocabulary.has(piece):
        yield from ((match.start(), match[0]) for match in _AT_SLASH.finditer(piece))
        return
    start = 0
    is_address = "@" in piece or "://" in piece or piece.startswith("www.")
    for stop in () if is_address else _FULL_STOP.finditer(piece):
        before, after = piece[start : stop.start()], piece[stop.end() :]
        if before[-1].islower() and after[0].isupper() and not after[1:2].isupper():
            word = after.partition(".")[0]
            if vocabulary.has(word) or (before[0].islower() and vocabulary.has(before)):
                yield start, before
                yield stop.start(), "."
                start = stop.end()
    yield start, piece[start:]


_OPTIONAL: Final = pattern(r"\(\w+\)(?=\w{0,3}$)")
_AT_SLASH: Final = pattern(r"[^/]+|/")

_APOSTROPHE: Final = pattern(r"(?P<opening>[‘`](?=\w)|(?<!\w)'(?=[^\W\d]))|(?<!\w)'|(?P<closing>(?<=\w)'(?!\w))")
_TIED: Final = pattern(r"'\w+")
_WORD_FOLLOWS: Final = pattern(r"\s+\w")


def _quotes(text: str, vocabulary: Vocabulary) -> set[int]:
    """Return the places of apostrophes that are quotation marks or stand alone, if the grammar has the suffix "'".

    At the beginning of a word an apostrophe opens a quotation, unless the lexicon has the word with it (`'s`). At the
    end of a word it closes an open quotation, unless it may be a genitive plural (after an s and before a word) and a
    later one can close the quotation.
    """
    quotes: set[int] = set()
    if "'" not in text or "'" not in vocabulary.suffixes:
        return quotes
    closing: list[int] | None = None
    """The apostrophes that may close the open quotation."""
    for match in _APOSTROPHE.finditer(text):
        place = match.start()
        if match["closing"] is None:
            tied = _TIED.match(text, place)
            if tied and vocabulary.has(tied[0]):
                continue
            quotes.add(place)
            if match["opening"]:
                quotes.update((closing or [])[-1:])
                closing = []
            elif not text[place + 1 : place + 2].isalnum():
                closing = None
        elif closing is not None:
            closing.append(place)
            if text[place - 1] not in "sS" or not _WORD_FOLLOWS.match(text, place + 1):
                quotes.add(place)
                closing = None
    return quotes | set((closing or [])[-1:])


def _without_marks(text: str) -> str:
    """Replace each combining mark and joiner by the character it belongs to."""
    if text.isascii():
        return text
    shadow: list[str] = []
    for char in text:
        joined = shadow and (category(char)[0] == "M" or category(char) == "Cf")
        shadow.append(shadow[-1] if joined else char)
    return "".join(shadow)


Part = tuple[str, int, int]
"""A token of a word, with its span in the word."""
MAX_CUT: Final = 64
"""Maximum length of a word that is cut in all ways."""
MAX_ROWS: Final = 16
"""Maximum number of sequences of affixes that are tried at either side of a word."""


class Cut(NamedTuple):
    """The result of cutting a word in all ways at once: its shortest parts (tokens), and longer words made of them.

    `forms` are words of the lexicon that extend over several tokens, or have a mark that their token lacks; each is
    given as first token, end and form. `bridges` are the numbers of tokens that are no word in any way of cutting: they
    arise where the words of two ways overlap. `costs` are those of tokens and forms, by start and end; others cost 0.
    """

    parts: Sequence[Part]
    forms: Sequence[tuple[int, int, str]] = ()
    bridges: Sequence[int] = ()
    costs: Mapping[tuple[int, int], float] = MappingProxyType({})


def split(written: str, vocabulary: Vocabulary) -> Cut:
    """Cut a written word into tokens (ruling 20).

    A word with known parts is cut in each way that the rules allow, and also stays whole if it is known. From an
    unknown word only affixes with a mark are cut off.
    """
    if vocabulary.costs and is_unsegmented(written):
        edges = segment(written, vocabulary.longest, vocabulary.cost, vocabulary.costs.unknown)
        return _cut_at({(start, end): cost for start, end, cost in edges}, written)
    parts: list[Part] = []
    forms: list[tuple[int, int, str]] = []
    bridges: list[int] = []
    waiting = [(0, len(written))]
    while waiting:
        start, end = waiting.pop()
        known = _known_cut(written, start, end, vocabulary)
        if known is None:
            cut = _marked_affix(written, start, end, vocabulary)
            if cut is None:
                parts.append((written[start:end], start, end))
            else:
                waiting += ((cut, end), (start, cut))
            continue
        forms += [(len(parts) + first, len(parts) + last, form) for first, last, form in known.forms]
        bridges += [len(parts) + bridge for bridge in known.bridges]
        parts += known.parts
    return Cut(parts, forms, bridges)


def _cut_at(spans: Mapping[tuple[int, int], float], written: str) -> Cut:
    """Return the cut that has each of these spans of a text as a word, with their costs."""
    places = sorted({place for span in spans for place in span})
    at = {place: number for number, place in enumerate(places)}
    parts = [(written[i:j], i, j) for i, j in pairwise(places)]
    return Cut(
        parts,
        [(at[i], at[j], written[i:j]) for i, j in sorted(spans) if at[j] > at[i] + 1],
        [number for number, (_, i, j) in enumerate(parts) if (i, j) not in spans],
        {(at[i], at[j]): cost for (i, j), cost in spans.items() if cost},
    )


def _marked_affix(written: str, start: int, end: int, vocabulary: Vocabulary) -> int | None:
    """Return where to cut off the longest affix with a mark, from either end of a word; None if there is none."""
    sides = vocabulary.suffixes.at_end(written, start, end), vocabulary.prefixes.at_start(written, start, end)
    first = (next(((len(a.form), cut) for cut, a in side if a.has_mark and not a.beside), (0, None)) for side in sides)
    return max(first, key=itemgetter(0))[1]


def _known_cut(written: str, start: int, end: int, vocabulary: Vocabulary) -> Cut | None:
    """Return all ways to cut a word into known parts, None if there are none.

    Parts longer than any form are not looked up, so that the time for a row of affixes is linear in its length.
    """
    whole = written[start:end] if end - start <= vocabulary.longest else ""
    is_known = bool(whole) and vocabulary.has(whole)
    rewritten = vocabulary.rewritten.get(whole.lower())
    if not is_known and (optional := _OPTIONAL.search(whole)):
        base = whole[: optional.start()]
        return Cut([(whole, start, end)], [(0, 1, base)]) if vocabulary.has(base) else None
    if rewritten is not None:
        parts = _rewritten(whole, rewritten, start)
        return Cut(parts, [(0, len(parts), whole)] if is_known else ())
    ways = [*_ways(written, start, end, vocabulary)] if end - start <= MAX_CUT else []
    if not ways:
        return _with_and_without_marks(whole, start, vocabulary) if is_known else None
    changed = next((way for way in ways if any(token != written[i:j] for token, i, j in way)), None)
    if changed is not None:
        return Cut(changed, [(0, len(changed), whole)] if is_known else ())
    return _cut_at(
        dict.fromkeys({(i, j) for way in ways for _, i, j in way} | ({(start, end)} if is_known else set()), 0.0),
        written,
    )


def _rewritten(written: str, tokens: Sequence[str], start: int) -> list[Part]:
    """Return the tokens of a rewritten word, each with the span of its letters if they make up the word, else all."""
    end = start + len(written)
    if "".join(tokens) != written.lower() or len(written.lower()) != len(written):
        return [(token, start, end) for token in tokens]
    ends = [*accumulate(map(len, tokens), initial=start)]
    return [(written[i - start : j - start], i, j) for i, j in pairwise(ends)]


def _ways(written: str, start: int, end: int, vocabulary: Vocabulary) -> Iterator[list[Part]]:
    """Yield the ways to cut affixes off a word such that the lexicon has all parts and each affix may be in its place.

    An affix whose neighbour must match an operand may have it in the remaining word or in the part beside it: both
    suffixes of `dámelo` follow an imperative.
    """
    suffixes = _rows(written, end, lambda to: vocabulary.suffixes.at_end(written, start, to), vocabulary)
    if len(suffixes) == 1 and not vocabulary.prefixes:
        return
    prefixes = _rows(written, start, lambda since: vocabulary.prefixes.at_start(written, since, end), vocabulary)
    for since, before in prefixes:
        for to, behind in suffixes:
            word = written[since:to]
            stem = vocabulary.rewritten.get(word.lower()) or ((word,) if word and vocabulary.has(word) else ())
            if not stem or not (before or behind):
                continue
            row = [*before, (None, since, to), *reversed(behind)]
            texts = [written[i:j] for _, i, j in row]
            if all(
                affix is None
                or not affix.beside
                or vocabulary.matches(word, affix.beside)
                or vocabulary.matches(texts[number + (1 if number < len(before) else -1)], affix.beside)
                for number, (affix, _, _) in enumerate(row)
            ):
                yield [
                    *((written[i:j], i, j) for _, i, j in before),
                    *_rewritten(word, stem, since),
                    *((written[i:j], i, j) for _, i, j in reversed(behind)),
                ]


Row = tuple[tuple[Affix | None, int, int], ...]
"""Affixes with their spans, outermost first."""


def _rows(
    written: str, edge: int, affixes_at: Callable[[int], Iterable[tuple[int, Affix]]], vocabulary: Vocabulary
) -> list[tuple[int, Row]]:
    """Return all rows of known affixes at one edge of a word, each with the place where it ends; the first is empty."""
    rows: list[tuple[int, Row]] = [(edge, ())]
    for at, row in rows:
        for cut, affix in affixes_at(at):
            start, end = sorted((at, cut))
            if len(rows) < MAX_ROWS and vocabulary.has(written[start:end]):
                rows.append((cut, (*row, (affix, start, end))))
    return rows


def _with_and_without_marks(written: str, start: int, vocabulary: Vocabulary) -> Cut:
    """Return the cut of a form that has marks; if the lexicon has its parts without the marks, these are included."""
    end = start + len(written)
    whole = Cut([(written, start, end)])
    if written.isalnum():
        return whole
    matches = [(match[0], match.start(), match.end()) for match in _PIECE.finditer(_without_marks(written))]
    inner = [(written[i:j], start + i, start + j) for _, i, j in matches]
    tokens = [part for part in inner if is_word(part[0], vocabulary)]
    if len(inner) < 2 or not tokens or not all(vocabulary.has(token) for token, _, _ in tokens):
        return whole
    if len(tokens) == 1:
        return Cut(whole.parts, [(0, 1, tokens[0][0])])
    return Cut(tokens, [(0, len(tokens), written)]) if len(tokens) == len(inner) else whole
