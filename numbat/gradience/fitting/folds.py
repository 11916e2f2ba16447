"""Parts of a suite that are judged by models of the other parts, such that no sentence stands on both sides.

Sentences of one group, of one minimal pair, and variants of each other (translations of one original, the same example
with a word changed) share their fold: a model that saw one of them knows something of the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from math import log
from random import Random
from typing import Final, NamedTuple

from numbat.gradience.suites.suite import Item

VARIANTS: Final = (0.35, 0.5, 0.7, 0.9)
"""Sentences are variants that share the first of these parts of the weight of the words of one of them by which no
group of variants is larger than a fold. Of suites of few words all may be variants of each other: then only sentences
of the same words are."""
RARE: Final = 0.02
"""Words that occur in more than this share of the sentences (and in more than 20) make no variants of them."""


class Folds(NamedTuple):
    """The fold of each item; the part of their words that variants share, None where they share all."""

    of: list[int]
    variants: float | None


def folds_of(items: Sequence[Item], words: Sequence[Sequence[str]], seed: int, folds: int) -> Folds:
    """Folds of about the same size; `words` are those of each item."""
    groups, variants = _groups(items, words, -(-len(items) // folds))
    size = Counter(groups)
    order = sorted(size)
    Random(seed).shuffle(order)
    order.sort(key=lambda group: -size[group])
    filled = [0] * folds
    fold: dict[int, int] = {}
    for group in order:
        least = min(range(folds), key=filled.__getitem__)
        fold[group] = least
        filled[least] += size[group]
    return Folds([fold[group] for group in groups], variants)


def _groups(items: Sequence[Item], words: Sequence[Sequence[str]], most: int) -> tuple[list[int], float | None]:
    """The number of the first item of the group of each. Groups of variants are of `most` items.

    What a suite says goes before what words say: items that have a group are not looked at for variants.
    """
    said = list(range(len(items)))
    first: dict[Hashable, int] = {}
    for i, item in enumerate(items):
        keys = [("group", item.group) if item.group else ("words", *map(str.lower, words[i]))]
        for key in [*keys, *([("pair", item.pair)] if item.pair else [])]:
            _join(said, i, first.setdefault(key, i))
    free = [i for i, item in enumerate(items) if not item.group]
    found = _shared([{word.lower() for word in words[i]} for i in free])
    for least in VARIANTS if found else ():
        joined = said.copy()
        for one, other, share in found:
            if share >= least:
                _join(joined, free[one], free[other])
        groups = [_root(joined, i) for i in range(len(items))]
        if max(Counter(groups[i] for i in free).values()) <= most:
            return groups, least
    return [_root(said, i) for i in range(len(items))], None


def _shared(sentences: Sequence[set[str]]) -> list[tuple[int, int, float]]:
    """Two sentences each, and how much of the weight of one of them they share; a word weighs the logarithm of its
    rarity."""
    number = len(sentences)
    frequency = Counter(word for words in sentences for word in words)
    weight = {word: log(number / count) for word, count in frequency.items()}
    whole = [sum(weight[word] for word in sorted(words)) for words in sentences]
    before: dict[str, list[int]] = {word: [] for word, n in frequency.items() if 1 < n <= max(20, RARE * number)}
    found = []
    for i, words in enumerate(sentences):
        shared: dict[int, float] = {}
        for word in sorted(words & before.keys()):
            for j in before[word]:
                shared[j] = shared.get(j, 0.0) + weight[word]
            before[word].append(i)
        shares = ((j, both / min(whole[i], whole[j])) for j, both in shared.items() if both)
        found += [(j, i, share) for j, share in shares if share >= VARIANTS[0]]
    return found


def _root(joined: list[int], i: int) -> int:
    while joined[i] != i:
        joined[i] = joined[joined[i]]
        i = joined[i]
    return i


def _join(joined: list[int], one: int, other: int) -> None:
    low, high = sorted((_root(joined, one), _root(joined, other)))
    joined[high] = low
