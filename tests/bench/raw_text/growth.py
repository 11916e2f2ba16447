"""How the time of a parse grows with the words of sentences as they are typed, drawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean, median
from typing import Final

from numbat.parses.curves import Curve, log_log
from tests.bench.raw_text.first_pass import Taken
from tests.bench.raw_text.sentences import words_in

WIDTH: Final = 5
"""Words that stand together as one point."""
MIN_NUMBER: Final = 3
"""Of fewer sentences no point is drawn."""
MAX_WORDS: Final = 100


def growth(sentences: Sequence[str], taken: Sequence[Taken], about: str) -> str:
    """An SVG document: the median and the mean of the CPU milliseconds, over the mean number of words."""
    groups: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
    for text, each in zip(sentences, taken, strict=True):
        words = words_in(text)
        if 0 < words <= MAX_WORDS:
            groups[(words - 1) // WIDTH].append((words, 1000 * each.seconds))
    kept = [group for _, group in sorted(groups.items()) if len(group) >= MIN_NUMBER]
    curves = [
        Curve(name, tuple((fmean(words for words, _ in group), of([ms for _, ms in group])) for group in kept))
        for name, of in (("median", median), ("mean", fmean))
    ]
    return log_log(curves, about, "words", "CPU milliseconds")
