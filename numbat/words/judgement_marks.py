"""Reads judgement marks in typed sentences: before a sentence, perhaps with the violated property, and inside it.

>>> marked_sentence("* [NP: Det < N] cat the")
MarkedSentence(mark='*', property='NP: Det < N', sentence='cat the')
>>> [*variants("The cat (*the) sleeps.")]
[Variant(mark='', sentence='The cat sleeps.'), Variant(mark='*', sentence='The cat the sleeps.')]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Final, NamedTuple

from numbat.grammar.names import NAME
from numbat.records import pattern

_MARKS: Final[dict[str, tuple[float, str]]] = {
    "✓": (1.0, "well-formed"),
    "√": (1.0, "well-formed"),
    "(?)": (0.8, "nearly well-formed"),
    "?": (0.6, "doubtful"),
    "??": (0.4, "very doubtful"),
    "???": (0.3, "very doubtful"),
    "#": (0.4, "odd"),
    "?*": (0.2, "nearly ill-formed"),
    "*?": (0.2, "nearly ill-formed"),
    "*": (0.0, "ill-formed"),
    "**": (0.0, "ill-formed"),
}
RATINGS: Final = {mark: rating for mark, (rating, _) in _MARKS.items()}
"""The rating that each mark stands for, from 0 to 1."""
MEANINGS: Final = {mark: meaning for mark, (_, meaning) in _MARKS.items()}
"""The judgement that each mark expresses."""
_LONGEST_FIRST: Final = "|".join(re.escape(mark) for mark in sorted(MEANINGS, key=len, reverse=True))
_MARKED: Final = pattern(rf"\s*({_LONGEST_FIRST})(?![*?#])(?<!#(?=\d))\s*(?=\S)")
_LIKE_A_MARK: Final = pattern(r"\s*([%☆★†‡]|\([*#%]+\)|\w{1,3}[.)]\s*[*?#✓√%]+)\s*(?=\w)")

_VARIANTS: Final = str.maketrans("∗⁎＊﹡？＃", "****?#")
"""Characters that stand for marks in texts copied from PDF files and in East Asian texts."""


def plain_marks(text: str) -> str:
    """Replace variant characters of marks by the usual ones."""
    return text if text.isascii() else text.translate(_VARIANTS)


def like_a_mark(sentence: str) -> str:
    """Return text before a sentence that is a mark in some books but not in Numbat, `%`, `(*)`, `a. *`; else empty."""
    match = _LIKE_A_MARK.match(plain_marks(sentence))
    return match[1] if match else ""


class MarkedSentence(NamedTuple):
    """A sentence split into the mark before it, the property in brackets after the mark, and the rest."""

    mark: str
    property: str
    sentence: str


def leading_mark(sentence: str) -> tuple[str, str]:
    """Return the mark of a sentence (empty if none) and the rest, without the property in brackets between the two.

    `#1` is a number, not a mark.
    """
    marked = marked_sentence(sentence)
    return marked.mark, marked.sentence


def marked_sentence(typed: str) -> MarkedSentence:
    """Return the mark of a typed sentence, the property that the mark is about, and the sentence itself.

    A property in brackets may follow any mark but one for a good sentence: `* [NP: Det < N] cat the`. A mark directly
    before parentheses, as in `*(The) cat sleeps`, is about their content and not about the sentence.
    """
    mark, begin, end = _leading(typed)
    if not mark:
        return MarkedSentence("", "", typed)
    return MarkedSentence(
        mark, typed[begin + 1 : end - 1].strip(), typed[end:].lstrip() if end > begin else typed[end:]
    )


def _leading(typed: str) -> tuple[str, int, int]:
    """Return the mark before a sentence, and the beginning and end of the property in brackets after it."""
    plain = plain_marks(typed)
    match = _MARKED.match(plain)
    if match is None or _NEEDED_FIRST.match(plain) or _EMPHASIS_FIRST.match(plain):
        return "", 0, 0
    begin, mark = match.end(), match[1]
    return mark, begin, _end_of_property(typed, begin) if RATINGS[mark] < 1.0 else begin


_BRACKET: Final = pattern(r'"(?:[^"\\]|\\.)*"|[\[\]]')


@cache
def _beginning_of_property() -> re.Pattern[str]:
    """Return the pattern of `[NP:`, compiled only when needed because that takes milliseconds."""
    return re.compile(rf'\[\s*(?:{NAME}|"(?:[^"\\]|\\.)*")\s*:')


def _end_of_property(text: str, begin: int) -> int:
    """Return the end of the property in brackets that begins at `begin`; `begin` itself if there is none."""
    if not text.startswith("[", begin) or _beginning_of_property().match(text, begin) is None:
        return begin
    depth = 0
    for match in _BRACKET.finditer(text, begin):
        depth += {"[": 1, "]": -1}.get(match[0], 0)
        if depth == 0:
            return match.end()
    return begin


# Marks inside a sentence
#
#     The cat (*the) sleeps.        bad with the word in parentheses
#     The book *(that) I read.      bad without it
#     The cat sleeps/*sleep.        bad with the marked alternative
#     The cat {is/*has to} sleep.   the same with alternatives of several words, in braces
#     The cats *sleeps.             bad because of that word
#
# `#` is no mark inside a sentence, because it has other uses before words.


class Way(NamedTuple):
    """One way to read a part of a sentence: its mark, empty if this way is good, and the span of text that remains."""

    mark: str
    start: int
    end: int


class MarkedPart(NamedTuple):
    """A part of a sentence with a mark inside: its span, and the ways to read it, in the typed order."""

    start: int
    end: int
    ways: tuple[Way, ...]

    @property
    def best(self) -> Way:
        """The way with the best mark; of several, the first."""
        return max(self.ways, key=lambda way: _rating(way.mark))


class Variant(NamedTuple):
    """A sentence that results if each part with marks is read in one way, and the mark that it then has."""

    mark: str
    sentence: str


def marked_parts(sentence: str) -> tuple[MarkedPart, ...]:
    """Return the parts of a sentence that have marks inside; the mark before the sentence does not count.

    If there are more than `MAX_PARTS`, the characters are probably no marks, and the result is empty.
    """
    if sentence.isascii() and "*" not in sentence and "?" not in sentence:
        return ()  # a fast path for most sentences
    plain = plain_marks(sentence)
    if _MAY_BE_INSIDE.search(plain) is None:
        return ()
    behind = _MARKED.match(plain)
    start = behind.end() if behind is not None and _leading(sentence)[0] else 0
    emphasis = max((match.start() for match in _EMPHASIS.finditer(plain)), default=-1)
    parts = (_part(match, emphasis) for match in _inside().finditer(plain, start))
    marked = tuple(islice(filter(None, parts), MAX_PARTS + 1))
    return marked if len(marked) <= MAX_PARTS else ()


def variants(sentence: str) -> Iterator[Variant]:
    """Yield variants of a sentence: first with the best way to read each part, then one for each other way of a part.

    A sentence without marks inside yields only itself.
    """
    parts = marked_parts(sentence)
    best = [part.best for part in parts]
    yield Variant(worst([way.mark for way in best]), _reading(sentence, parts, best))
    for place, part in enumerate(parts):
        for way in part.ways:
            if way != best[place]:
                chosen = [*best[:place], way, *best[place + 1 :]]
                yield Variant(worst([chosen_way.mark for chosen_way in chosen]), _reading(sentence, parts, chosen))


def worst(marks: Sequence[str]) -> str:
    """Return the mark for the worst judgement; of several, the first; empty if there are no marks."""
    return min(marks, key=_rating, default="")


def without_judgements(typed: str, is_word: Callable[[str], bool]) -> str:
    """Return a typed sentence without its judgements: the property after its mark, and all but the best way of parts.

    Spaces replace these, so that the length stays the same. A character for which `is_word` is true is not a mark.
    """
    plain = plain_marks(typed)
    if _MAY_BE_INSIDE.search(plain) is None and "[" not in plain:
        return typed
    mark, begin, end = _leading(typed)
    spans = [(begin, end)] if end > begin and not is_word(mark) else []
    for part in marked_parts(typed):
        if not any(way.mark and is_word(way.mark) for way in part.ways):
            spans += [(part.start, part.best.start), (part.best.end, part.end)]
    for start, stop in spans:
        typed = typed[:start] + " " * (stop - start) + typed[stop:]
    return typed


MAX_PARTS: Final = 20
"""Maximum number of marked parts of a sentence."""
_INNER: Final = r"(?:\?\*|\*[*?]?|\?{1,3})(?![*?#])"
_WORD: Final = r"[^\W\d_][\w'’-]*"
_WAY: Final = rf"(?:{_INNER})?{_WORD}"
_NEEDED: Final = rf"{_INNER}\((?=[^\W\d_])[^()]*\)"
_EMPHASIS_FIRST: Final = pattern(
    r"\s*(?:(\*)(?=[^\s*(\[])[^*]*[^\s*]\*(?![\w*]).*\w|\*\*(?=[^\s*])[^*]*[^\s*]\*\*(?![\w*]))"
)
"""Stars around words at the beginning of a sentence; a single star must close before its end."""
_EMPHASIS_ONLY: Final = pattern(r"(\*{1,2})[^\s*][^*]*\1")
_NEEDED_FIRST: Final = pattern(rf"\s*{_NEEDED}.*\w")


@cache
def _inside() -> re.Pattern[str]:
    """Return the pattern of parts with marks; it also matches braces or words with slashes that have no mark."""
    return re.compile(
        rf"\{{(?P<braces>[^{{}}]*)\}}"
        rf"|\((?P<optional>{_INNER}\s?(?=[^\W\d_])[^()]*)\)"
        rf"|(?<![^\s(\[{{])(?P<needed>{_NEEDED})"
        rf"|(?<![\w'’*?/-])(?P<words>{_WAY}(?:\s?/\s?{_WAY})+)"
        rf"|(?<=\s)(?P<bare>(?:\?\*|\*[*?]?|\?\?\??)(?![*?#]){_WORD})(?!\*)"
    )


_MAY_BE_INSIDE: Final = pattern(r"[*?]\s?\(?[^\W\d_]")
"""Pattern that occurs in every marked part."""
_EMPHASIS: Final = pattern(r"\w\*(?!\w)")
_MARK_OF_PART: Final = pattern(rf"\s*({_INNER})?\s?")


def _part(match: re.Match[str], emphasis: int) -> MarkedPart | None:
    """Return the part that a match describes, None if it has no mark; before `emphasis` a star may begin emphasis."""
    start, end = match.span()
    kind = match.lastgroup
    if kind == "optional" and _EMPHASIS_ONLY.fullmatch(match.string, start + 1, end - 1):
        return None  # `(**very long**)`
    if kind == "optional":
        way = _way(match.string, start + 1, end - 1)
        return MarkedPart(start, end, (Way("", start, start), way))
    if kind == "needed":
        mark, inner, _ = _way(match.string, start, end)
        return MarkedPart(start, end, (Way("", inner + 1, end - 1), Way(mark, start, start)))
    if kind == "bare":
        label = _LIKE_A_MARK.match(match.string)
        if emphasis >= end or (label is not None and start < label.end()):
            return None  # `a *very long* day`, `b. *The cats sleeps.`
        return MarkedPart(start, end, (_way(match.string, start, end),))
    begin, last = match.span(kind or 0)
    edges = [begin, *(begin + slash.end() for slash in re.finditer("/", match.string[begin:last]))]
    ways = tuple(_way(match.string, at, to) for at, to in zip(edges, [*(e - 1 for e in edges[1:]), last], strict=True))
    return MarkedPart(start, end, ways) if len(ways) > 1 and any(way.mark for way in ways) else None


def _way(text: str, start: int, end: int) -> Way:
    """Return the way to read that a span of text describes, without its mark and surrounding spaces."""
    match = _MARK_OF_PART.match(text, start, end)
    begin = match.end() if match else start
    return Way(match[1] or "" if match else "", begin, max(begin, start + len(text[start:end].rstrip())))


def _rating(mark: str) -> float:
    return RATINGS.get(mark, 1.0)


def _reading(sentence: str, parts: Sequence[MarkedPart], ways: Sequence[Way]) -> str:
    """Return the sentence with each part read in one way."""
    read, done = "", 0
    for part, way in zip(parts, ways, strict=True):
        read += sentence[done : part.start]
        chosen = sentence[way.start : way.end]
        after = sentence[part.end : part.end + 1]
        if not chosen and (not after or after in " .,;:!?"):
            read = read.rstrip()
        read, done = read + chosen, part.end
    return (read + sentence[done:]).strip() if parts else sentence
