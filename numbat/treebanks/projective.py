"""Pseudo-projective dependencies: crossing links are lifted until none crosses (Nivre and Nilsson 2005).

A link from head h to word d is projective if h dominates every word between the two. The shortest link that is not
projective is lifted first: the word then depends on the head of its head. The label of a lifted word records the
relation of its former head, `nmod↑obj` (their scheme Head), by which the links are restored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from numbat.treebanks.conllu import DependencyTree, DependencyWord

LIFTED: Final = "↑"
"""Separator between the label of a lifted word and that of its former head."""


def projective(tree: DependencyTree) -> tuple[DependencyTree, int]:
    """Return the tree without crossing links, and the number of lifted words; a tree without heads is unchanged."""
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
"""Minimum count of a label of lifted words to be learned."""


def with_frequent_liftings(relations: Sequence[Sequence[str]]) -> list[list[str]]:
    """Replace rare labels of lifted words by plain ones in the relations of sentences."""
    counts = Counter(label for sentence in relations for label in sentence if LIFTED in label)
    rare = {label for label, count in counts.items() if count < MIN_LIFTINGS}
    return [[label.partition(LIFTED)[0] if label in rare else label for label in sentence] for sentence in relations]


def restored(words: Sequence[DependencyWord]) -> list[DependencyWord]:
    """Restore the heads of lifted words by their labels, and return all words with plain labels.

    The former head of a lifted word is the first word with the right relation among those below its present head, level
    by level; at equal depth a word with a crossed link to it is preferred, then the nearest. Without one the word keeps
    its head.
    """
    plain = [word.deprel.partition(LIFTED)[0] for word in words]
    restored_words = [replace(word, deprel=relation) for word, relation in zip(words, plain, strict=True)]
    heads = [0, *(word.head or 0 for word in words)]
    for number, word in enumerate(words, start=1):
        _, sign, former = word.deprel.partition(LIFTED)
        if sign and heads[number] and (head := _former_head(number, former, heads, plain)):
            heads[number] = head
            restored_words[number - 1] = replace(restored_words[number - 1], head=head)
    return restored_words


def _former_head(number: int, relation: str, heads: Sequence[int], relations: Sequence[str]) -> int:
    """Return the former head of a lifted word, searched below its present head, or 0."""
    level = [heads[number]]
    while level:
        level = [word for word in range(1, len(heads)) if heads[word] in level and word != number]
        fitting = [word for word in level if relations[word - 1] == relation]
        if fitting:
            tried = ((_is_projective(number, [*heads[:number], word, *heads[number + 1 :]]), word) for word in fitting)
            return min(tried, key=lambda pair: (pair[0], abs(pair[1] - number)))[1]
    return 0


def crosses(heads: Sequence[int]) -> bool:
    """Return True if two links cross, also if one is from the root. `heads[n]` is the head of word n. Linear time.

    Links that do not cross open and close like brackets.
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
    """Lift words until no link crosses, by changing `heads`; return the lifted words in order."""
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
    """Return True if the head of a word dominates every word between the two."""
    head = heads[word]
    for between in range(min(word, head) + 1, max(word, head)):
        at = between
        while at not in (head, 0):
            at = heads[at]
        if at != head:
            return False
    return True
