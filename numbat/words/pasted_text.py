"""Reads text as people paste it: tags and entities of HTML, marks of Markdown, indices, words divided at line ends.

>>> read_pasted("<b>John</b>_i likes *this* R&amp;D.", frozenset().__contains__).text
'John likes this R&D.'

What is left out keeps its place in the typed text, so that it can be told. A word of the lexicon is never left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from numbat.records import pattern
from numbat.words.by_language import Conventions, language_of
from numbat.words.judgement_marks import leading_mark
from numbat.words.lattice import Place

Has = Callable[[str], bool]
"""Function that tells whether the lexicon has a form."""


class LeftOut(NamedTuple):
    """Markup or an index in a typed text: its kind, one of `KINDS`, and its span."""

    kind: str
    start: int
    end: int


class Pasted(NamedTuple):
    """A text without markup; `places` are the spans of its characters in the typed text, None if nothing differs."""

    text: str
    places: Sequence[Place] | None = None
    left_out: Sequence[LeftOut] = ()


TAG, MARKDOWN, INDEX = "tag of HTML", "mark of Markdown", "index"
KINDS: Final = {TAG: "tags of HTML", MARKDOWN: "marks of Markdown", INDEX: "indices"}
"""The kinds of parts that are left out: the name of one, and of several."""

_SUBSCRIPTS: Final = "\u2080-\u2089\u2090-\u209c\u1d62-\u1d6a\u2c7c"
_ANY: Final = pattern(rf"[<&*_`~\n{_SUBSCRIPTS}]|\]\(")
"""Pattern for a character or two that every text with markup, an index or a divided word contains."""
_INLINE: Final = (
    "a|abbr|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|samp|small|span|strike|strong|sub|sup|tt|u|var|wbr"
)
_BLOCKS: Final = (
    "address|article|aside|audio|blockquote|body|br|button|caption|center|col|colgroup|dd|details|div|dl|dt|fieldset"
    "|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|img|input|label|legend|li|link|main|meta|nav|ol|option|p"
    "|picture|pre|rp|rt|ruby|section|select|source|summary|table|tbody|td|template|textarea|tfoot|th|thead|time|title"
    "|tr|ul|video|svg|iframe|script|style"
)
_HTML: Final = pattern(
    rf"<!--.{{,500}}?-->|<!doctype\b[^<>]*>|</?(?:{_INLINE}|{_BLOCKS})"
    r"(?:\s+[\w:-]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'<>=]+)))*\s*/?>",
    re.IGNORECASE | re.DOTALL,
)
_INLINE_TAG: Final = pattern(rf"</?(?:{_INLINE})[\s/>]", re.IGNORECASE)
_ENTITY: Final = pattern(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_GONE: Final = "\0"
"""Stands for each character that is left out while further patterns are sought."""
_CODE: Final = pattern(r"(?<![\w`])(`{1,3})(?=[^\s`])[^`\n]*[^\s`](\1)(?![\w`'])|(?<![\w`])(`)[^\s`](`)(?![\w`'])")
_LINK: Final = pattern(r"(!?\[)[^\[\]\n]+(\]\((?=[^\s()]*[/.#:])[^\s()]+(?:\s+\"[^\"\n]*\")?\))")
_EMPHASIS: Final = (
    pattern(r"(?<![\w*])(\*{1,3})(?=[^\s*])[^*\n]*[^\s*](\1)(?![\w*])"),
    pattern(r"(?<![\w_\])}])(_)(?=[^\s_])(?:[^_\n]|(?<=\w)_(?=\w))*[^\s_](_)(?![\w_{])"),
    pattern(r"(?<![\w_])(__)(?=[^\s_])[^_\n]*\s[^_\n]*[^\s_](__)(?![\w_])"),
    pattern(r"(?<![\w~])(~~)(?=[^\s~])[^~\n]*[^\s~](~~)(?![\w~])"),
)
_ONE_SIGN: Final = pattern(r"(?<![\w*_])([*_])[^\s*_](\1)(?![\w*_])")
_INDEX: Final = pattern(
    r"(?<=[^\s_$(\[{])(?:_(?:\{[\w,+*/]{1,7}\}|[^\W\d_]\d?|[i-n]{2}|\d{1,3})|\$_(?:\{[\w,]{1,7}\}|[^\W_])\$)"
    rf"(?![\w{{]|[.@/]\w)|(?<=[^\W_{_SUBSCRIPTS}]|[\])])[{_SUBSCRIPTS}]+(?!\w)"
)
_PATTERNS: Final = (
    (TAG, _HTML),
    (INDEX, _INDEX),
    *((MARKDOWN, markup) for markup in (_CODE, _LINK, *_EMPHASIS, _ONE_SIGN)),
)
"""The patterns of markup and indices by kind, in the order of search."""
MAX_WORD: Final = 64
"""Maximum length of a word that is looked up with its index or other half."""
_BASE: Final = pattern(r"(?!www\.)[^\s_@=/\":<>]+")
"""A word that may have an index: no address, attribute or name with `_`."""
_FORMULA: Final = pattern(rf"(?:[A-Z][a-z]?[{_SUBSCRIPTS}]*){{2,}}")
_DIVIDED: Final = pattern(r"[^\W\d_](?P<hyphen>[-\u2010\u00ad\u00ac])[ \t]*\r?\n\s*(?=[^\W\d_])")
_BEFORE: Final = pattern(r"[\w'’-]+$")
_BEHIND: Final = pattern(r"[\w'’]+(?:-[\w'’]+)*")
_NO_LANGUAGE: Final = language_of("")


def read_pasted(typed: str, has: Has, language: Conventions = _NO_LANGUAGE) -> Pasted:
    """Return a typed text as it is read: without markup and indices, its entities decoded, divided words joined."""
    if _ANY.search(typed) is None:
        return Pasted(typed)
    left_out, hidden = _markup(typed, has)
    changes = [(start, end, instead) for (_, start, end), instead in left_out]
    changes += _decoded(hidden, has)
    for match in _DIVIDED.finditer(hidden):
        start, end = match.span("hyphen")[0], match.end()
        after, before = _BEHIND.match(hidden, end), _BEFORE.search(hidden[max(0, start - MAX_WORD) : start])
        instead = _division(before[0] if before else "", match["hyphen"], after[0] if after else "", has, language)
        kept = len(instead.rstrip())
        changes.append((start + kept, end, instead[kept:]))
    if not changes:
        return Pasted(typed)
    text, places = _changed(typed, sorted(changes))
    return Pasted(text, places, sorted((part for part, _ in left_out), key=lambda part: part.start))


def _decoded(text: str, has: Has) -> Iterator[tuple[int, int, str]]:
    """Yield the entities of HTML in a text that the lexicon lacks, each with the character it stands for."""
    if matches := [*_ENTITY.finditer(text)]:
        from html import unescape  # here, because few texts need it
        from html.entities import html5

        for match in matches:
            if (match[0][1] == "#" or match[0][1:] in html5) and not has(match[0]):
                yield *match.span(), unescape(match[0])


def _changed(typed: str, changes: Sequence[tuple[int, int, str]]) -> tuple[str, list[Place]]:
    """Return a text with some spans replaced, and the span in the typed text of each of its characters."""
    pieces: list[str] = []
    places: list[Place] = []
    done = 0
    for start, end, instead in (*changes, (len(typed), len(typed), "")):
        pieces += typed[done:start], instead
        places += ((at, at + 1) for at in range(done, start))
        places += ((start, end) for _ in instead)
        done = end
    return "".join(pieces), places


def _markup(typed: str, has: Has) -> tuple[list[tuple[LeftOut, str]], str]:
    """Return the parts of a text that are left out, and the text without them.

    Each part is given with what replaces it: nothing, or a blank between words.
    """
    parts: list[tuple[LeftOut, str]] = []
    hidden = typed
    for kind, markup in _PATTERNS:
        begin = _after_mark(hidden) if kind == MARKDOWN and "*" in hidden else 0
        spans = [span for match in markup.finditer(hidden, begin) for span in _spans(kind, match, has)]
        for start, end in spans:
            is_block = kind == TAG and _INLINE_TAG.match(typed, start) is None
            parts.append((LeftOut(kind, start, end), " " if is_block else ""))
        hidden = _hidden(hidden, spans)
    return parts, hidden


def _spans(kind: str, match: re.Match[str], has: Has) -> list[Place]:
    """Return the spans of a match that are left out, in Markdown a mark at each side; none if the lexicon has it."""
    if kind == INDEX:
        return [match.span()] if _is_index(match, has) else []
    if kind == TAG:
        return [] if has(match[0]) else [match.span()]
    sides = [number for number, group in enumerate(match.groups(), start=1) if group is not None]
    signs = {match[side][:size] for side in sides for size in (1, 3)}
    return [] if any(map(has, (match[0], *signs))) else [match.span(side) for side in sides]


def _hidden(text: str, spans: Sequence[Place]) -> str:
    """Return a text with its characters in some spans replaced."""
    pieces: list[str] = []
    done = 0
    for start, end in sorted(spans):
        pieces += text[done:start], _GONE * (end - start)
        done = end
    return "".join((*pieces, text[done:])) if spans else text


def _is_index(match: re.Match[str], has: Has) -> bool:
    """True unless a match of `_INDEX` belongs to a word of the lexicon, a name with `_`, an address or a formula."""
    before = match.string[max(0, match.start() - MAX_WORD) : match.start()].split()
    word = before[-1].replace(_GONE, "").lstrip("([{\"'“‘«*?#") if before else ""
    is_base = any(map(str.isalpha, word)) or word[-1:] in {"]", ")"}
    return (
        is_base
        and _BASE.fullmatch(word) is not None
        and not has(word + match[0])
        and not _FORMULA.fullmatch(word + match[0])
    )


def _after_mark(text: str) -> int:
    """Return the end of the judgement mark before a sentence, which does not begin an emphasis."""
    mark, rest = leading_mark(text.replace(_GONE, " "))
    return len(text) - len(rest) if mark else 0


def _division(before: str, hyphen: str, after: str, has: Has, language: Conventions) -> str:
    """Return what stands between the parts of a word that a hyphen at a line end divides, as `before_next_line`."""
    if hyphen in "\u00ad\u00ac":
        return ""
    if after.lower() in language.conjunctions:
        return f"{hyphen} "
    if not after[:1].islower():
        return hyphen
    return hyphen if has(f"{before}-{after}") and not has(before + after) else ""


def before_next_line(text: str, following: str, has: Has, language: Conventions) -> str:
    """Return the text of some lines as it stands before the line `following`: with a blank, or a divided word joined.

    The parts of a divided word are joined unless the lexicon only has the word with its hyphen. The hyphen stays before
    a capital (`Anglo-` `American`) and, with a blank, before a conjunction (`Nord-` `und Südseite`).
    """
    end, first = text.rstrip(), following.lstrip()
    match = _DIVIDED.search(f"{end[-2:]}\n{first[:1]}")
    if match is None:
        return f"{text} "
    before, after = _BEFORE.search(end[-MAX_WORD - 1 : -1]), _BEHIND.match(first)
    instead = _division(before[0] if before else "", end[-1], after[0] if after else "", has, language)
    return end[:-1] + instead
