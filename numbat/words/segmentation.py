"""Finds the words of a lexicon in text of scripts that are written without spaces, and words that contain spaces.

A run of letters becomes a graph: nodes are places between letters, edges are words of the lexicon and stretches of
letters that are unknown words. An edge costs the negative logarithm of its word's relative frequency. An edge is
dropped if all paths over it are much more expensive than the cheapest path. Costs are relative to that path, so that
the likeliest words cost 0 (ruling 36).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from math import log
from typing import Final, NamedTuple
from unicodedata import category

SCRIPTS: Final = {
    "Han": "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
    "Hiragana": "\u3041-\u309f",
    "Katakana": "\u30a0-\u30ff\u31f0-\u31ff\uff66-\uff9f",
    "Thai": "\u0e01-\u0e3a\u0e40-\u0e7f",
    "Lao": "\u0e80-\u0eff",
    "Myanmar": "\u1000-\u109f",
    "Khmer": "\u1780-\u17ff",
}
"""The characters of each script, to be put in brackets in a regular expression."""

MAX_UNKNOWN: Final = 4
"""Maximum length of an unknown stretch, in letters; all letters of one script between other scripts may be longer."""
BEYOND: Final = 10.0
"""An edge is dropped if each path over it costs this much more than the cheapest path."""
UNKNOWN_WORD: Final = 2.0
"""The cost of an unknown stretch apart from its letters: -log(0.13), if 13 % of the words of a text are unknown."""


class WordCosts(NamedTuple):
    """Costs of words and unknown stretches.

    A known word costs the negative logarithm of its share of `total`, the weight of the whole lexicon. Each letter of
    an unknown stretch costs `letter`, the logarithm of the number of distinct letters. If all readings have weight 1,
    `total` is 0 and known words cost nothing.
    """

    total: float
    letter: float

    def known(self, weight: float) -> float:
        """Return the cost of a word whose readings have this weight in total."""
        return log(self.total / weight) if self.total else 0.0

    def unknown(self, length: int) -> float:
        """Return the cost of an unknown stretch of this many letters."""
        return UNKNOWN_WORD + self.letter * length


def word_costs(weights: Sequence[float], forms: Iterable[str]) -> WordCosts:
    """Return the costs for a lexicon, given the weights of its readings and its forms."""
    has_counts = any(weight != 1 for weight in weights)
    return WordCosts(sum(weights), log(max(2, len(set("".join(forms)))))) if has_counts else WordCosts(0.0, 1.0)


class Edge(NamedTuple):
    """A word or unknown stretch from one character of a run to another, with its cost."""

    start: int
    end: int
    cost: float


def is_unsegmented(written: str) -> bool:
    """True if a word has letters of a script that is written without spaces."""
    return not written.isascii() and any(match.lastgroup != "other" for match in _letter().finditer(written))


@cache
def _letter() -> re.Pattern[str]:
    """Return the pattern of a character, with its script as the group name; compiled when first needed."""
    groups = "|".join(f"(?P<{name}>[{letters}])" for name, letters in SCRIPTS.items())
    return re.compile(groups + r"|(?P<other>.)", re.DOTALL)


def atoms(written: str) -> list[tuple[int, int]]:
    """Return the spans of the smallest parts that words are made of.

    They are the stretches between blanks and, in scripts without spaces, the letters with their marks.
    """
    spans: list[tuple[int, int]] = []
    for match in _BETWEEN_BLANKS.finditer(written):
        start, piece = match.start(), match[0]
        places = _nodes(piece) if is_unsegmented(piece) else [0, len(piece)]
        spans += [(start + begin, start + end) for begin, end in pairwise(places)]
    return spans


_BETWEEN_BLANKS: Final = re.compile(r"\S+")
MIN_DIVIDED: Final = 0.05
"""Minimum share of words with several atoms, in text that is divided into words by more than its blanks."""


def are_divided(counts: Iterable[tuple[str, int]]) -> bool:
    """True if many words, given with their counts, contain blanks or letters of a script without spaces."""
    several = every = 0
    for form, count in counts:
        every += count
        several += count * (len(atoms(form)) > 1)
    return several > MIN_DIVIDED * every


def segment(
    run: str, longest: int, known: Callable[[str], float | None], unknown: Callable[[int], float]
) -> list[Edge]:
    """Return the words and unknown stretches of a run of letters on paths that cost not much more than the cheapest.

    `known` returns the cost of a text as a word of the lexicon, or None; `unknown` the cost of a stretch, given its
    length. Costs are relative to the cheapest path, which costs 0. The time is linear in the length of the run.
    """
    nodes = _nodes(run)
    edges = likely_edges([*_edges(run, nodes, longest, known, unknown)], len(nodes) - 1)
    return [Edge(nodes[start], nodes[end], cost) for start, end, cost in edges]


def likely_edges(edges: Sequence[tuple[int, int, float]], last: int) -> list[Edge]:
    """Return the edges on paths from node 0 to `last` that cost not much more than the cheapest path, which costs 0.

    The edges are ordered by their start.
    """
    cheapest = [0.0] + [float("inf")] * last
    for start, end, cost in edges:
        cheapest[end] = min(cheapest[end], cheapest[start] + cost)
    remaining = [float("inf")] * last + [0.0]
    for start, end, cost in reversed(edges):
        remaining[start] = min(remaining[start], cost + remaining[end])
    return [
        Edge(start, end, max(0.0, cheapest[start] + cost - cheapest[end]))
        for start, end, cost in edges
        if cheapest[start] + cost + remaining[end] - cheapest[last] < BEYOND
    ]


def _nodes(run: str) -> list[int]:
    """Return the places where a word may begin or end: at letters of these scripts, and around other text."""
    nodes = [0]
    scripts = [match.lastgroup for match in _letter().finditer(run)]
    for place, (before, after) in enumerate(pairwise(scripts), 1):
        if category(run[place])[0] != "M" and (before != after or after != "other"):
            nodes.append(place)
    return [*nodes, len(run)]


def _edges(
    run: str,
    nodes: list[int],
    longest: int,
    known: Callable[[str], float | None],
    unknown: Callable[[int], float],
) -> Iterator[tuple[int, int, float]]:
    """Yield edges between nodes (by number) with their costs, ordered by their start."""
    scripts = [(match.lastgroup if (match := _letter().match(run, place)) else "") for place in nodes[:-1]]
    changes = [i for i, (before, after) in enumerate(pairwise(["", *scripts, ""])) if before != after]
    stretch_end = dict(pairwise(changes))
    end_of_script = 0
    for start, place in enumerate(nodes[:-1]):
        end_of_script = stretch_end.get(start, end_of_script)
        ends = {end_of_script} if start in stretch_end else set()
        ends.update(range(start + 1, min(start + MAX_UNKNOWN, end_of_script) + 1))
        for end in range(start + 1, len(nodes)):
            if nodes[end] - place > longest:
                break
            cost = known(run[place : nodes[end]])
            if cost is not None:
                yield start, end, cost
                ends.discard(end)
        yield from ((start, end, unknown(nodes[end] - place)) for end in sorted(ends))
