"""What speaks against a parse that violates nothing: words that were guessed, and readings that are unlikely."""

from __future__ import annotations

from math import exp
from typing import Final

from numbat.parsing.explanation.text import told_of_guesses
from numbat.parsing.result import Parse

UNLIKELY: Final = 0.5
"""A reading with at most this share of the weight of the likeliest one of its word is unlikely."""


def doubts_of(parse: Parse) -> list[str]:
    """Each thing that speaks against a parse, in words; none where nothing is known."""
    return [*told_of_guesses(parse), *_unlikely_readings(parse)]


def _unlikely_readings(parse: Parse) -> list[str]:
    """The words whose part of speech in the parse is an unlikely one for them."""
    weights: dict[tuple[int, int], dict[str, float]] = {}
    for arc in parse.lattice.arcs:
        found = weights.setdefault((arc.start, arc.end), {})
        found[arc.category] = max(arc.log_weight, found.get(arc.category, arc.log_weight))
    told = []
    for word in (word for top in parse.constituents for word in top.words()):
        readings = weights.get((word.start, word.end), {})
        if word.guessed or word.construction not in readings:
            continue
        likeliest = max(readings, key=lambda name: readings[name])
        if exp(readings[word.construction] - readings[likeliest]) <= UNLIKELY:
            told.append(f'"{word.form}" is read as {word.construction}, but is rather {likeliest}')
    return told
