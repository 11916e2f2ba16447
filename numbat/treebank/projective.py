"""Pseudo-projective dependencies: crossing links are lifted until none crosses (Nivre and Nilsson 2005).

A link from head h to word d is projective if h dominates every word between the two. Of the links that are not, the
shortest is lifted first: the word then depends on the head of its head. So as few links as this gives are lifted, each
as little as it needs; a tree without crossing links stays as it is. The label of a lifted word says what its head was,
`nmod↑obj` (their scheme Head), so that the links can be put back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from numbat.treebank.conllu import DependencyTree

LIFTED: Final = "↑"
"""Between the label of a lifted word and that of its former head."""


def projective(tree: DependencyTree) -> tuple[DependencyTree, int]:
    """Return the tree without crossing links, and how many words were lifted. A tree without heads stays."""
    heads = [0, *(word.head or 0 for word in tree.words)]
    if not crosses(heads):
        return tree, 0
    lifted = lift(heads)
    if not lifted:
        return tree, 0
    words = list(tree.words)
    for number in lifted:
        word = words[number - 1]
        former = tree.words[(word.head or 1) - 1].deprel
        words[number - 1] = replace(word, head=heads[number], deprel=f"{word.deprel}{LIFTED}{former}")
    return replace(tree, words=tuple(words)), len(lifted)


def crosses(heads: Sequence[int]) -> bool:
    """True if two links cross, or one crosses the root's; `heads` by word, from 1. Linear in the words.

    Read from the left, links open and close like brackets where none crosses.
    """
    size = len(heads)
    closing = [0] * size
    opening: list[list[int]] = [[] for _ in range(size)]
    for word in range(1, size):
        left, right = min(word, heads[word]), max(word, heads[word])
        opening[left].append(right)
        closing[right] += 1
    waiting: list[int] = []
    for at in range(size):
        for _ in range(closing[at]):
            if not waiting or waiting.pop() != at:
                return True
        waiting += sorted(opening[at], reverse=True)
    return False


def lift(heads: list[int]) -> list[int]:
    """Lift words, in place, until no link crosses; return the lifted words in their order."""
    lifted: set[int] = set()
    while True:
        wrong = [
            (abs(word - heads[word]), word)
            for word in range(1, len(heads))
            if heads[word] and not _is_projective(word, heads)
        ]
        if not wrong:
            return sorted(lifted)
        _, word = min(wrong)
        heads[word] = heads[heads[word]]
        lifted.add(word)


def _is_projective(word: int, heads: Sequence[int]) -> bool:
    """True if the head dominates every word between it and the word."""
    head = heads[word]
    for between in range(min(word, head) + 1, max(word, head)):
        at = between
        while at not in (head, 0):
            at = heads[at]
        if at != head:
            return False
    return True
