"""Letters with marks as one character each (Unicode's form NFC), in time that grows with the text alone.

Unicode puts the marks of a letter in order, for which Python takes time that grows with the square of their number. No
language has more than a few on a letter; of a longer row each part is composed by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from unicodedata import combining, is_normalized, normalize

MOST_MARKS: Final = 30
"""So many marks a letter may have in text that programs pass on (Unicode's Stream-Safe Text Format)."""
_ROW: Final = re.compile(rf"[^\w\s!-~]{{{MOST_MARKS + 1}}}")


def composed(text: str) -> str:
    """A text in composed letters: é as one character."""
    if text.isascii():
        return text
    return "".join(
        part if is_normalized("NFC", part) else normalize("NFC", part) for part in (text[a:b] for a, b in _rows(text))
    )


def composed_parts(text: str) -> Iterator[tuple[int, int, int]]:
    """Where each part of a text that is composed alone begins and ends, and how many characters it becomes.

    A part begins with a character that neither joins the one before it nor moves before a mark.
    """
    for first, last in _rows(text):
        begin = first
        for at in range(first + 1, last + 1):
            if at == last or _begins_part(text[max(begin, at - MOST_MARKS - 1) : at], text[at]):
                yield begin, at, len(normalize("NFC", text[begin:at]))
                begin = at


def _rows(text: str) -> Iterator[tuple[int, int]]:
    """Where stretches of a text begin and end, none of them with more marks in a row than are put in order at once."""
    begin = 0
    for match in _ROW.finditer(text):
        yield begin, match.end()
        begin = match.end()
    yield begin, len(text)


def _begins_part(before: str, char: str) -> bool:
    """Whether composing a character has nothing to do with what stands before it."""
    if combining(normalize("NFD", char)[0]):
        return False
    return normalize("NFC", before + char) == normalize("NFC", before) + normalize("NFC", char)
