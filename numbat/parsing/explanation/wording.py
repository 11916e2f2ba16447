"""How words, numbers and places of a sentence are written in messages, drawings and tables for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final
from unicodedata import bidirectional

from numbat.errors import shortened, visible
from numbat.evaluation.constituents import Constituent
from numbat.grammar.properties import format_number
from numbat.words.lattice import Lattice

NUMBERS: Final = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
LEFT_TO_RIGHT_MARK: Final = "\u200e"
"""Follows quoted words of Hebrew, Arabic and the like, so that the digits after them stay where they are."""
LONGEST_QUOTE: Final = 8
"""More words than that are quoted by the first four and the last two."""


def as_typed(constituent: Constituent, lattice: Lattice) -> str:
    """The words of a constituent as they were typed; dots stand for words left out."""
    return " … ".join(lattice.typed(start, end) for start, end in stretches(constituent.cover))


def on_one_line(text: str) -> str:
    """The visible text with one blank for each stretch of blanks and ends of lines."""
    return visible(" ".join(text.split()))


def quoted(constituents: Iterable[Constituent]) -> str:
    """The words of constituents, in quotes and in the order of the sentence; dots stand for words left out."""
    words = sorted((word for constituent in constituents for word in constituent.words()), key=lambda word: word.start)
    shown = words if len(words) <= LONGEST_QUOTE else [*words[:4], *words[-2:]]
    parts: list[str] = []
    for i, word in enumerate(shown):
        if i and shown[i - 1].end < word.start:
            parts.append("…")
        parts.append(visible(word.form))
    text = " ".join(parts)
    mark = LEFT_TO_RIGHT_MARK if any(bidirectional(char) in ("R", "AL") for char in text) else ""
    return f'"{text}"{mark}'


def listed_words(words: Sequence[str]) -> str:
    """The first words of a list, each as far as a person may want to read it."""
    return ", ".join(map(shortened, words[:LONGEST_QUOTE])) + (", …" if len(words) > LONGEST_QUOTE else "")


def span_of(constituent: Constituent) -> str:
    """The token positions of a constituent, ends exclusive: `0-2`, with a hole `0-1, 3-5`."""
    return ", ".join(f"{start}-{end}" for start, end in stretches(constituent.cover))


def stretches(cover: int) -> list[tuple[int, int]]:
    """The unbroken runs of token positions in a cover, as pairs (start, end), ends exclusive."""
    found = []
    position = 0
    while cover >> position:
        rest = cover >> position
        start = position + (rest & -rest).bit_length() - 1
        run = cover >> start
        position = start + (~run & (run + 1)).bit_length() - 1
        found.append((start, position))
    return found


def decimal(units: int) -> str:
    """Fixed-point units for people: at most three decimals, unless nothing but zeros would be left of them."""
    return format_number(round(units, -3) or units)


def in_words(count: int) -> str:
    """A number up to ten as a word, a greater one in digits."""
    return NUMBERS[count] if count < len(NUMBERS) else str(count)


def enumerated(texts: Sequence[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    return f" {last} ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))
