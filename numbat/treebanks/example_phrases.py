"""Short example phrases of a treebank that show its rules and properties.

A phrase is shown by the words of its daughters; a long daughter is shown as its head and an ellipsis.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from numbat.errors import visible
from numbat.grammar.properties import Property
from numbat.records import frozen
from numbat.treebanks.conllu import DependencyTree
from numbat.treebanks.trees import Tree

MAX_WORDS: Final = 3
"""Daughters of up to this many words are shown in full."""
SHORT: Final = 16
"""Phrases of up to this many letters are equally good."""
LONGEST: Final = 90
"""Maximum number of letters in an example."""
ELLIPSIS: Final = "…"


@frozen
class ExamplePhrase:
    """A phrase of the treebank: the categories of its daughters, the words of each, and the name of its sentence."""

    labels: tuple[str, ...]
    words: tuple[str, ...]
    sentence: str = ""

    def marked(self, categories: Collection[str]) -> str:
        """Return the words, with daughters of the categories in square brackets: `[la] petite [maison]`."""
        both = zip(self.labels, self.words, strict=True)
        return visible(" ".join(f"[{words}]" if label in categories else words for label, words in both))

    @property
    def length(self) -> int:
        """Number of letters, blanks included."""
        return sum(map(len, self.words)) + len(self.words)

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """Sort key, best first: uncut phrases, only letters, short."""
        cut = any(ELLIPSIS in words for words in self.words)
        odd = not all(char.isalpha() or char in " '’-" for words in self.words for char in words)
        return cut, odd, max(SHORT, self.length)


def better(one: ExamplePhrase | None, other: ExamplePhrase) -> ExamplePhrase:
    """Return the better example; ties go to the first."""
    return other if one is None or other.rank < one.rank else one


def words_below(tree: DependencyTree) -> list[str]:
    """Return, by number, what is shown for a word with all words below it: all these, or the word and an ellipsis.

    Index 0 is empty.
    """
    below: list[list[int] | None] = [[] for _ in range(len(tree.words) + 1)]
    for number in range(1, len(tree.words) + 1):
        at: int | None = number
        while at:
            numbers = below[at]
            if numbers is not None and len(numbers) < MAX_WORDS:
                numbers.append(number)
            elif numbers is not None:
                below[at] = None
            at = tree.words[at - 1].head
    forms = [word.form for word in tree.words]
    return [""] + [
        f"{forms[number - 1]} {ELLIPSIS}" if numbers is None else " ".join(forms[n - 1] for n in numbers)
        for number, numbers in enumerate(below[1:], start=1)
    ]


def words_of(node: Tree) -> str:
    """Return what is shown for a daughter: its words, or the first one and an ellipsis if there are many."""
    words = [form for form, _ in islice(node.words(), MAX_WORDS + 1)]
    return " ".join(words) if len(words) <= MAX_WORDS else f"{words[0]} {ELLIPSIS}"


# Phrases that satisfy or violate a property

Daughters = Sequence[str]
Operands = tuple[tuple[str, ...], ...]


def _uniqueness(operands: Operands, daughters: Daughters) -> bool | None:
    count = sum(daughter in operands[0] for daughter in daughters)
    return count == 1 if count else None


def _linearity(operands: Operands, daughters: Daughters) -> bool | None:
    (a,), (b,) = operands[0], operands[1]
    if a not in daughters or b not in daughters:
        return None
    return max(i for i, daughter in enumerate(daughters) if daughter == a) < daughters.index(b)


def _adjacency(operands: Operands, daughters: Daughters) -> bool | None:
    (a,), (b,) = operands[0], operands[1]
    if a not in daughters or b not in daughters or len(daughters) == 2:
        return None
    return daughters.count(a) == daughters.count(b) == 1 and abs(daughters.index(a) - daughters.index(b)) == 1


def _requirement(operands: Operands, daughters: Daughters) -> bool | None:
    return any(b in daughters for b in operands[1]) if operands[0][0] in daughters else None


def _exclusion(operands: Operands, daughters: Daughters) -> bool | None:
    both = [any(category in daughters for category in operand) for operand in operands]
    return not all(both) if any(both) else None


def _obligation(operands: Operands, daughters: Daughters) -> bool | None:
    return any(operand in daughters for operand in operands[0])


HOLDS: Final[dict[str, Callable[[Operands, Daughters], bool | None]]] = {
    "obligation": _obligation,
    "uniqueness": _uniqueness,
    "linearity": _linearity,
    "adjacency": _adjacency,
    "requirement": _requirement,
    "exclusion": _exclusion,
}
"""Functions by relation: True if a property holds for the daughters of a rule, None if it does not apply to them."""
TRIED: Final = 25
"""Number of rules, the most frequent first, whose phrases are compared."""


def categories_of(prop: Property) -> Operands:
    """Return the categories of each operand of a property."""
    return tuple(tuple(operand.category for joint in operands for operand in joint) for operands in prop.operands)


def has_features(prop: Property) -> bool:
    """Return True if a property is about features, as demands of its operands or as agreement."""
    return bool(prop.features) or any(operand.features for operand in prop.all_operands())


def examples_of(
    prop: Property, phrases: Iterable[ExamplePhrase | None]
) -> tuple[ExamplePhrase | None, ExamplePhrase | None]:
    """Return a phrase that satisfies a property and one that violates it, None for a missing one.

    `phrases` are those of the rules of its construction, the most frequent rules first.
    """
    holds, operands = HOLDS[prop.relation], categories_of(prop)
    given = [phrase for phrase in phrases if phrase is not None and phrase.length <= LONGEST]
    values = [holds(operands, phrase.labels) for phrase in given]

    def of(value: bool) -> Iterator[ExamplePhrase]:
        return islice((phrase for phrase, is_so in zip(given, values, strict=True) if is_so is value), TRIED)

    return _best(of(True)), _best(of(False))


def _best(phrases: Iterable[ExamplePhrase]) -> ExamplePhrase | None:
    best: ExamplePhrase | None = None
    for phrase in phrases:
        best = better(best, phrase)
    return best
