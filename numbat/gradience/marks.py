"""Marks that linguists write before a sentence, `*` or `??`: what is thought of it, and no part of it."""

from __future__ import annotations

import re
from typing import Final

MEANINGS: Final[dict[str, str]] = {
    "✓": "well-formed",
    "√": "well-formed",
    "(?)": "nearly well-formed",
    "?": "doubtful",
    "??": "very doubtful",
    "???": "very doubtful",
    "#": "odd",
    "?*": "nearly ill-formed",
    "*?": "nearly ill-formed",
    "*": "ill-formed",
    "**": "ill-formed",
}
"""What each mark says of its sentence."""
_LONGEST_FIRST: Final = "|".join(re.escape(mark) for mark in sorted(MEANINGS, key=len, reverse=True))
_MARKED: Final = re.compile(rf"\s*({_LONGEST_FIRST})(?![*?#])(?<!#(?=\d))\s*(?=\S)")


def leading_mark(sentence: str) -> tuple[str, str]:
    """The mark before a sentence and the sentence without it; the mark is empty where there is none.

    `#1` is a number and no mark.
    """
    match = _MARKED.match(sentence)
    return (match[1], sentence[match.end() :]) if match else ("", sentence)
