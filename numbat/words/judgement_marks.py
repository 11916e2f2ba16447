"""Judgement marks in typed sentences: before a sentence, with the property it stands for, and inside it.

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
"""What each mark says of its sentence."""
_LONGEST_FIRST: Final = "|".join(re.escape(mark) for mark in sorted(MEANINGS, key=len, reverse=True))
_MARKED: Final = re.compile(rf"\s*({_LONGEST_FIRST})(?![*?#])(?<!#(?=\d))\s*(?=\S)")
_LIKE_A_MARK: Final = re.compile(r"\s*([%☆★†‡]|\([*#%]+\)|\w{1,3}[.)]\s*[*?#✓√%]+)\s*(?=\w)")

_VARIANTS: Final = str.maketrans("∗⁎＊﹡？＃", "****?#")
"""The characters that stand for marks in texts copied from PDF files, and in East Asian ones."""


def plain_marks(text: str) -> str:
    """Replace variant characters of marks by the usual ones."""
    return text if text.isascii() else text.translate(_VARIANTS)


def like_a_mark(sentence: str) -> str:
    """Return text before a sentence that some books use as a mark but Numbat does not: `%`, `(*)`, `a. *`."""
    match = _LIKE_A_MARK.match(plain_marks(sentence))
    return match[1] if match else ""


class MarkedSentence(NamedTuple):
    """A sentence without the mark before it, and without the property in brackets that the mark stands for."""

    mark: str
    property: str
    sentence: str


def leading_mark(sentence: str) -> tuple[str, str]:
    """Split a sentence into its mark (empty if none) and the rest, without a property that stands between the two.

    `#1` is a number and no mark.
    """
    found = marked_sentence(sentence)
    return found.mark, found.sentence


def marked_sentence(typed: str) -> MarkedSentence:
    """Split a typed sentence into its mark, the property that the mark stands for, and the sentence itself.

    A property stands in brackets behind a mark of what is not good: `* [NP: Det < N] cat the`. A mark that touches
    brackets, as in `*(The) cat sleeps`, is that of what they hold.
    """
    mark, begin, end = _leading(typed)
    if not mark:
        return MarkedSentence("", "", typed)
    return MarkedSentence(
        mark, typed[begin + 1 : end - 1].strip(), typed[end:].lstrip() if end > begin else typed[end:]
    )


def _leading(typed: str) -> tuple[str, int, int]:
    """Return the mark before a sentence, and where the property in brackets behind it begins and ends."""
    plain = plain_marks(typed)
    match = _MARKED.match(plain)
    if match is None or _NEEDED_FIRST.match(plain):
        return "", 0, 0
    begin, mark = match.end(), match[1]
    return mark, begin, _end_of_property(typed, begin) if RATINGS[mark] < 1.0 else begin


_BRACKET: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]]')


@cache
def _beginning_of_property() -> re.Pattern[str]:
    """Return the pattern of `[NP:`; it is made when a bracket stands behind a mark, for that takes milliseconds."""
    return re.compile(rf'\[\s*(?:{NAME}|"(?:[^"\\]|\\.)*")\s*:')


def _end_of_property(text: str, begin: int) -> int:
    """Return where the property in brackets ends that begins there; `begin` where there is none."""
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
#     The cat (*the) sleeps.        with what stands in the brackets it is bad
#     The book *(that) I read.      without it it is bad
#     The cat sleeps/*sleep.        of the words with slashes between them the marked ones are bad; of several words
#     The cat {is/*has to} sleep.   each, in braces
#     The cats *sleeps.             the sentence is bad, for that word
#
# `#` is no such mark, for it stands before words of other kinds too.


class Way(NamedTuple):
    """One way to read a marked part: its mark, empty where that way is good, and the span that is read."""

    mark: str
    start: int
    end: int


class MarkedPart(NamedTuple):
    """A part of a sentence with marks: its span, and the ways to read it, as they are typed."""

    start: int
    end: int
    ways: tuple[Way, ...]

    @property
    def best(self) -> Way:
        """The first of the ways that are judged best."""
        return max(self.ways, key=lambda way: _rating(way.mark))


class Variant(NamedTuple):
    """A sentence that is read from one with marks inside, and the mark that it has by these."""

    mark: str
    sentence: str


def marked_parts(sentence: str) -> tuple[MarkedPart, ...]:
    """Return the parts of a sentence that have marks of their own; a mark before the sentence is none of them.

    A text with more than `MAX_PARTS` of them has signs of another kind.
    """
    if sentence.isascii() and "*" not in sentence and "?" not in sentence:
        return ()  # most sentences; what follows takes longer
    plain = plain_marks(sentence)
    if _MAY_BE_INSIDE.search(plain) is None:
        return ()
    behind = _MARKED.match(plain)
    start = behind.end() if behind is not None and _leading(sentence)[0] else 0
    emphasis = max((match.start() for match in _EMPHASIS.finditer(plain)), default=-1)
    parts = (_part(match, emphasis) for match in _inside().finditer(plain, start))
    found = tuple(islice(filter(None, parts), MAX_PARTS + 1))
    return found if len(found) <= MAX_PARTS else ()


def variants(sentence: str) -> Iterator[Variant]:
    """Yield the sentences that one with marks inside stands for: the best, then one for each other way of each part.

    A sentence without such marks stands for itself.
    """
    parts = marked_parts(sentence)
    best = [part.best for part in parts]
    yield Variant(worst([way.mark for way in best]), _reading(sentence, parts, best))
    for place, part in enumerate(parts):
        for way in part.ways:
            if way != best[place]:
                chosen = [*best[:place], way, *best[place + 1 :]]
                yield Variant(worst([each.mark for each in chosen]), _reading(sentence, parts, chosen))


def worst(marks: Sequence[str]) -> str:
    """Return the first of the marks that say the worst; empty where none says anything."""
    return min(marks, key=_rating, default="")


def without_judgements(typed: str, is_word: Callable[[str], bool]) -> str:
    """Return a typed sentence, as long as it was, with blanks for what only judges it: the property behind the mark
    before it, and all but the best way of each marked part.

    A mark that `is_word` is none.
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
"""So many marked parts a sentence may have."""
_INNER: Final = r"(?:\?\*|\*[*?]?|\?{1,3})(?![*?#])"
_WORD: Final = r"[^\W\d_][\w'’-]*"
_WAY: Final = rf"(?:{_INNER})?{_WORD}"
_NEEDED: Final = rf"{_INNER}\((?=[^\W\d_])[^()]*\)"
_NEEDED_FIRST: Final = re.compile(rf"\s*{_NEEDED}.*\w")


@cache
def _inside() -> re.Pattern[str]:
    """Return the pattern of a part with a mark, or with braces, or words with slashes, which may have none."""
    return re.compile(
        rf"\{{(?P<braces>[^{{}}]*)\}}"
        rf"|\((?P<optional>{_INNER}\s?(?=[^\W\d_])[^()]*)\)"
        rf"|(?<![^\s(\[{{])(?P<needed>{_NEEDED})"
        rf"|(?<![\w'’*?/-])(?P<words>{_WAY}(?:\s?/\s?{_WAY})+)"
        rf"|(?<=\s)(?P<bare>(?:\?\*|\*[*?]?|\?\?\??)(?![*?#]){_WORD})(?!\*)"
    )


_MAY_BE_INSIDE: Final = re.compile(r"[*?]\s?\(?[^\W\d_]")
"""What every marked part has."""
_EMPHASIS: Final = re.compile(r"\w\*(?!\w)")
_MARK_OF_PART: Final = re.compile(rf"\s*({_INNER})?\s?")


def _part(match: re.Match[str], emphasis: int) -> MarkedPart | None:
    """Return a marked part; None where it has no mark. `emphasis` is where the last star closes emphasis."""
    start, end = match.span()
    kind = match.lastgroup
    if kind == "optional":
        way = _way(match.string, start + 1, end - 1)
        return MarkedPart(start, end, (Way("", start, start), way))
    if kind == "needed":
        mark, inner, _ = _way(match.string, start, end)
        return MarkedPart(start, end, (Way("", inner + 1, end - 1), Way(mark, start, start)))
    if kind == "bare":
        label = _LIKE_A_MARK.match(match.string)
        if emphasis >= end or (label is not None and start < label.end()):
            return None  # as in `a *very long* day`, `b. *The cats sleeps.`
        return MarkedPart(start, end, (_way(match.string, start, end),))
    begin, last = match.span(kind or 0)
    edges = [begin, *(begin + slash.end() for slash in re.finditer("/", match.string[begin:last]))]
    ways = tuple(_way(match.string, at, to) for at, to in zip(edges, [*(e - 1 for e in edges[1:]), last], strict=True))
    return MarkedPart(start, end, ways) if len(ways) > 1 and any(way.mark for way in ways) else None


def _way(text: str, start: int, end: int) -> Way:
    """Return what stands in a span as a way, without its mark and the blanks around it."""
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
