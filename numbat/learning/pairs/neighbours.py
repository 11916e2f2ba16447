"""Neighbours of good sentences: what a sentence becomes when a word is dropped or two adjacent ones are swapped.

Most of them are worse than the sentence itself, so that a grammar can be learned from good sentences alone (contrastive
estimation: Smith & Eisner 2005).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from random import Random
from typing import Final

from numbat.learning.pairs.comparisons import Comparison

KINDS: Final = ("drop", "swap")
EACH: Final = 3
"""A sentence has at most so many neighbours of each kind."""
MOST: Final = 5_000
"""Of many sentences each has fewer, but one of each kind at least: so many of a kind in all."""
FEWEST_WORDS: Final = 3
"""Shorter sentences have no neighbours: what is left of them is often as good."""
WORD: Final = re.compile(r"(\W*)(.*?)(\W*)", re.DOTALL)
"""A word between the marks that stand before and behind it."""

IsWord = Callable[[str], bool]
"""Whether the lexicon has a form."""


def contrasts(sentences: Sequence[str], kinds: Collection[str], seed: int, is_word: IsWord) -> list[Comparison]:
    """Each sentence as better than some of its neighbours, drawn by the seed and the sentence.

    What is one of the sentences itself is no neighbour.
    """
    good = dict.fromkeys(sentences)
    number = max(1, min(EACH, MOST // max(1, len(good))))
    found = []
    for sentence in good:
        for kind in (kind for kind in KINDS if kind in kinds):
            every = [each for each in dict.fromkeys(neighbours(sentence, kind, is_word)) if each not in good]
            drawn = Random(f"{seed} {kind} {sentence}").sample(every, min(number, len(every)))
            found += [Comparison(sentence, worse) for worse in drawn]
    return found


def neighbours(sentence: str, kind: str, is_word: IsWord) -> Iterator[str]:
    """All neighbours of a kind, from the left. Marks stay in their places, and so does the capital at the beginning,
    where a word begins with one for its place alone."""
    words = sentence.split()
    if len(words) < FEWEST_WORDS:
        return
    parts = [WORD.fullmatch(word) for word in words]
    marks = [(part[1], part[3]) if part else ("", "") for part in parts]
    cores = [part[2] if part else word for part, word in zip(parts, words, strict=True)]
    capital = cores[0][:1].isupper()
    if capital and cores[0] != "I" and is_word(small := cores[0][:1].lower() + cores[0][1:]):
        cores[0] = small
    if kind == "swap":
        for i in range(len(cores) - 1):
            swapped = [*cores[:i], cores[i + 1], cores[i], *cores[i + 2 :]]
            if cores[i] != cores[i + 1]:
                yield _sentence(swapped, marks, capital)
    else:
        for i in range(len(cores)):
            yield _sentence([*cores[:i], *cores[i + 1 :]], _without(marks, i), capital)


def _without(marks: Sequence[tuple[str, str]], place: int) -> list[tuple[str, str]]:
    """The marks without a word: those behind it go to the word before, those before it to the word behind. Where it has
    both, such as quotation marks, they go with it."""
    left = [*marks[:place], *marks[place + 1 :]]
    before, behind = marks[place]
    if before and behind:
        return left
    if behind and place > 0:
        left[place - 1] = (left[place - 1][0], left[place - 1][1] + behind)
    if before and place < len(left):
        left[place] = (before + left[place][0], left[place][1])
    return left


def _sentence(cores: Sequence[str], marks: Sequence[tuple[str, str]], capital: bool) -> str:
    first = cores[0][:1].upper() + cores[0][1:] if capital else cores[0]
    return " ".join(before + core + behind for core, (before, behind) in zip([first, *cores[1:]], marks, strict=True))
