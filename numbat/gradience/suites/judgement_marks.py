"""Marks that linguists write before a sentence, `*` or `??`: what is thought of it, and no part of it."""

from __future__ import annotations

import re
from typing import Final

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
    """The text with the usual characters for marks."""
    return text.translate(_VARIANTS)


def like_a_mark(sentence: str) -> str:
    """What stands before a sentence as a mark does in some books, and is none here: `%`, `(*)`, `a. *`; else empty."""
    match = _LIKE_A_MARK.match(plain_marks(sentence))
    return match[1] if match else ""


def leading_mark(sentence: str) -> tuple[str, str]:
    """The mark before a sentence and the sentence without it; the mark is empty where there is none.

    `#1` is a number and no mark.
    """
    match = _MARKED.match(plain_marks(sentence))
    return (match[1], sentence[match.end() :]) if match else ("", sentence)
