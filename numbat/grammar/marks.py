"""Punctuation marks that a grammar declares (ruling 49): their signs, and the features of what stands beside them.

A word or phrase has the feature `before` if a declared mark stands directly before it, and `after` if one stands
directly behind it; the value is the name of the mark. Without a mark there it lacks the feature, which `[no before]`
and `[before=none]` demand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from numbat.grammar.properties import Bundle

BEFORE: Final = "before"
AFTER: Final = "after"
BESIDE: Final = frozenset((BEFORE, AFTER))
"""The features that marks give."""
NO_MARK: Final = "none"
"""The value that stands for the absence of a mark in a demand."""

Marks = tuple[tuple[str, tuple[str, ...]], ...]
"""The marks of a grammar in the order of its section: names, each with its signs."""
MAX_MARKS: Final = 1_000
"""Maximum number of marks of a grammar."""


def features_of(marks: Iterable[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the features that marks of these names give to what stands beside them; none if there are no marks."""
    names = tuple(marks)
    return ((BEFORE, names), (AFTER, names)) if names else ()


def mark_of(sign: str, names: Mapping[str, str]) -> str | None:
    """Return the name of the mark with a sign, None if it is not declared; a repeated sign counts like a single one."""
    if sign not in names and sign == sign[:1] * len(sign):
        sign = sign[:1]
    return names.get(sign)


def with_marks(bundle: Bundle, before: str | None, after: str | None) -> Bundle:
    """Return the features with those of the marks before and after a word or phrase, whatever it had."""
    pairs = [pair for pair in bundle if pair[0] not in BESIDE]
    pairs += [(name, mark) for name, mark in ((AFTER, after), (BEFORE, before)) if mark is not None]
    return tuple(sorted(pairs))


def without_marks(bundle: Bundle) -> Bundle:
    """Return the features without those of marks."""
    return tuple([pair for pair in bundle if pair[0] not in BESIDE])
