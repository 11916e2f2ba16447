"""Sentences that show a property: the occurrences of its construction that validate it, the surest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from numbat.learning.structure.sampled_trees import Heads, SampledTrees
from numbat.records import frozen
from numbat.treebank.trees import PHRASE

MOST_OCCURRENCES: Final = 12
"""Of a rule so many occurrences are kept, the surest ones, from which examples are chosen."""
Rule = tuple[str, tuple[str, ...]]
"""A construction and its daughters from the left."""
Categories = Sequence[str]


@frozen
class Example:
    """A sentence with the words that a property is about: `marked` positions from 0.

    `share` is the share of the sentence's trees in which these words are daughters of one phrase as the property says.
    """

    name: str
    forms: tuple[str, ...]
    tags: tuple[str, ...]
    marked: tuple[int, ...]
    share: float


@frozen
class Occurrence:
    """A phrase of a sentence: the number of the sentence, the positions of the words that head its daughters."""

    count: int
    words: int
    sentence: int
    daughters: tuple[int, ...]


class Evidence:
    """Where each rule occurs in sampled trees."""

    def __init__(self, trees: SampledTrees) -> None:
        self._trees = trees
        found: dict[Rule, list[Occurrence]] = {}
        for number, each in enumerate(trees.sentences):
            tags = each.sentence.tags
            for (head, daughters), count in _phrases(each.trees).items():
                labels = tuple(tags[at] if at == head else tags[at] + PHRASE for at in daughters)
                rule = tags[head] + PHRASE, labels
                found.setdefault(rule, []).append(Occurrence(count, len(tags), number, daughters))
        self._by_construction: dict[str, list[tuple[tuple[str, ...], list[Occurrence]]]] = {}
        for (construction, labels), occurrences in sorted(found.items()):
            occurrences.sort(key=_surest_first)
            kept = labels, occurrences[:MOST_OCCURRENCES]
            self._by_construction.setdefault(construction, []).append(kept)

    def examples(self, construction: str, relation: str, operands: Sequence[Categories], most: int) -> list[Example]:
        """The occurrences that validate a property in most trees of their sentence, short sentences first.

        Each has other words.
        """
        concerned = CONCERNED.get(relation)
        if concerned is None:
            return []
        showing: list[tuple[Occurrence, tuple[int, ...]]] = []
        for labels, occurrences in self._by_construction.get(construction, []):
            indices = concerned(operands, labels)
            if indices:
                showing += ((each, tuple(each.daughters[index] for index in indices)) for each in occurrences)
        showing.sort(key=lambda pair: _surest_first(pair[0]))
        found: dict[tuple[str, ...], Example] = {}
        for occurrence, marked in showing:
            sentence = self._trees.sentences[occurrence.sentence].sentence
            words = tuple(sentence.forms[at] + "/" + sentence.tags[at] for at in marked)
            share = occurrence.count / self._trees.samples
            found.setdefault(words, Example(sentence.name, sentence.forms, sentence.tags, marked, share))
            if len(found) == most:
                break
        return list(found.values())


def _surest_first(occurrence: Occurrence) -> tuple[int, int, int]:
    return -occurrence.count, occurrence.words, occurrence.sentence


def _phrases(trees: Sequence[Heads]) -> Counter[tuple[int, tuple[int, ...]]]:
    """The phrases of the trees of a sentence: the position of the head, those of all daughters; how often each is."""
    found: Counter[tuple[int, tuple[int, ...]]] = Counter()
    for heads, times in Counter(trees).items():
        daughters: list[list[int]] = [[at] for at in range(len(heads))]
        for at, head in enumerate(heads):
            if head:
                daughters[head - 1].append(at)
        for at, each in enumerate(daughters):
            found[at, tuple(sorted(each))] += times
    return found


def _all_of(operands: Sequence[Categories], labels: Categories) -> tuple[int, ...]:
    wanted = {category for parameter in operands for category in parameter}
    return tuple(index for index, label in enumerate(labels) if label in wanted)


def _unique(operands: Sequence[Categories], labels: Categories) -> tuple[int, ...]:
    found = _all_of(operands, labels)
    return found if len(found) == 1 else ()


def _required(operands: Sequence[Categories], labels: Categories) -> tuple[int, ...]:
    has_both = all(any(label in parameter for label in labels) for parameter in operands)
    return _all_of(operands, labels) if has_both else ()


def _ordered(operands: Sequence[Categories], labels: Categories) -> tuple[int, ...]:
    left, right = (_all_of((parameter,), labels) for parameter in operands)
    return (*left, *right) if left and right and left[-1] < right[0] else ()


def _neighbours(operands: Sequence[Categories], labels: Categories) -> tuple[int, ...]:
    found = _required(operands, labels)
    return found if len(labels) > 2 and len(found) == 2 and found[1] - found[0] == 1 else ()


def _excluded(operands: Sequence[Categories], labels: Categories) -> tuple[int, ...]:
    has_both = all(any(label in parameter for label in labels) for parameter in operands)
    return () if has_both else _all_of(operands, labels)


CONCERNED: Final[dict[str, Callable[[Sequence[Categories], Categories], tuple[int, ...]]]] = {
    "uniqueness": _unique,
    "requirement": _required,
    "linearity": _ordered,
    "adjacency": _neighbours,
    "exclusion": _excluded,
}
"""By relation, the daughters that a property is about where it is validated, by index; none where it is not."""
