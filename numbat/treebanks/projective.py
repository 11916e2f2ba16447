"""Pseudo-projective dependencies: crossing links are lifted until none crosses (Nivre and Nilsson 2005).

A link from head h to word d is projective if h dominates every word between the two. Of the links that are not, the
shortest is lifted first: the word then depends on the head of its head. So as few links as this gives are lifted, each
as little as it needs; a tree without crossing links stays as it is. The label of a lifted word says what its head was,
`nmod↑obj` (their scheme Head), by which the links are put back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from numbat.treebanks.conllu import DependencyTree, DependencyWord

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


MIN_LIFTINGS: Final = 20
"""Labels of lifted words that are less frequent cannot be learned."""


def with_frequent_liftings(relations: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the relations of sentences with plain ones for rare labels of lifted words."""
    counts = Counter(label for sentence in relations for label in sentence if LIFTED in label)
    rare = {label for label, count in counts.items() if count < MIN_LIFTINGS}
    return [[label.partition(LIFTED)[0] if label in rare else label for label in sentence] for sentence in relations]


def restored(words: Sequence[DependencyWord]) -> list[DependencyWord]:
    """Return the words with those that were lifted put back, as far as their labels tell where, and plain labels.

    The head of a lifted word is the first word that has the relation of its former head, among those below its present
    head, level by level; at equal depth the one is preferred to which the link is crossed, then the nearest. Where
    there is none the word stays.
    """
    plain = [word.deprel.partition(LIFTED)[0] for word in words]
    dependency_words = [replace(word, deprel=relation) for word, relation in zip(words, plain, strict=True)]
    heads = [0, *(word.head or 0 for word in words)]
    for number, word in enumerate(words, start=1):
        _, sign, former = word.deprel.partition(LIFTED)
        if sign and heads[number] and (head := _former_head(number, former, heads, plain)):
            heads[number] = head
            dependency_words[number - 1] = replace(dependency_words[number - 1], head=head)
    return dependency_words


def _former_head(number: int, relation: str, heads: Sequence[int], relations: Sequence[str]) -> int:
    """Return the word below the head of a word from which it was lifted, 0 where there is none."""
    level = [heads[number]]
    while level:
        level = [word for word in range(1, len(heads)) if heads[word] in level and word != number]
        fitting = [word for word in level if relations[word - 1] == relation]
        if fitting:
            tried = ((_is_projective(number, [*heads[:number], word, *heads[number + 1 :]]), word) for word in fitting)
            return min(tried, key=lambda each: (each[0], abs(each[1] - number)))[1]
    return 0


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
