"""Phrases of a treebank that show what its rules and properties mean: short ones, their daughters marked.

A phrase is shown by the words of its daughters; of a daughter of many words its head stands alone, with an ellipsis.
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
"""Words of a daughter that are shown; of a daughter of more, the head alone."""
SHORT: Final = 16
"""Letters of a phrase that is as good as a shorter one."""
LONGEST: Final = 90
"""Letters of a phrase above which it shows nothing at a glance."""
ELLIPSIS: Final = "…"


@frozen
class ExamplePhrase:
    """A phrase of the treebank: the categories of its daughters, the words of each, and the name of its sentence."""

    labels: tuple[str, ...]
    words: tuple[str, ...]
    sentence: str = ""

    def marked(self, categories: Collection[str]) -> str:
        """Return the words, those of daughters of the categories in square brackets; `[la] petite [maison]`."""
        both = zip(self.labels, self.words, strict=True)
        return visible(" ".join(f"[{words}]" if label in categories else words for label, words in both))

    @property
    def length(self) -> int:
        """The number of letters, blanks included."""
        return sum(map(len, self.words)) + len(self.words)

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """Sort key, best first: whole phrases, of letters alone, that are short."""
        cut = any(ELLIPSIS in words for words in self.words)
        odd = not all(char.isalpha() or char in " '’-" for words in self.words for char in words)
        return cut, odd, max(SHORT, self.length)


def better(one: ExamplePhrase | None, other: ExamplePhrase) -> ExamplePhrase:
    """Return the phrase that shows more, the first one if both are as good."""
    return other if one is None or other.rank < one.rank else one


def words_below(tree: DependencyTree) -> list[str]:
    """Return what is shown of each word with its dependents, from word 1 on; index 0 is empty."""
    below: list[list[int] | None] = [[] for _ in range(len(tree.words) + 1)]
    for number in range(1, len(tree.words) + 1):
        at: int | None = number
        while at:
            found = below[at]
            if found is not None and len(found) < MAX_WORDS:
                found.append(number)
            elif found is not None:
                below[at] = None
            at = tree.words[at - 1].head
    forms = [word.form for word in tree.words]
    return [""] + [
        f"{forms[number - 1]} {ELLIPSIS}" if found is None else " ".join(forms[each - 1] for each in found)
        for number, found in enumerate(below[1:], start=1)
    ]


def words_of(node: Tree) -> str:
    """Return what is shown of a daughter: its words, or the first one of many."""
    words = [form for form, _ in islice(node.words(), MAX_WORDS + 1)]
    return " ".join(words) if len(words) <= MAX_WORDS else f"{words[0]} {ELLIPSIS}"


# Which phrases satisfy or violate a property

Daughters = Sequence[str]
Operands = tuple[tuple[str, ...], ...]


def _uniqueness(operands: Operands, daughters: Daughters) -> bool | None:
    found = sum(daughter in operands[0] for daughter in daughters)
    return found == 1 if found else None


def _linearity(operands: Operands, daughters: Daughters) -> bool | None:
    (a,), (b,) = operands[0], operands[1]
    if a not in daughters or b not in daughters:
        return None
    return max(i for i, each in enumerate(daughters) if each == a) < daughters.index(b)


def _adjacency(operands: Operands, daughters: Daughters) -> bool | None:
    (a,), (b,) = operands[0], operands[1]
    if a not in daughters or b not in daughters or len(daughters) == 2:
        return None
    return daughters.count(a) == daughters.count(b) == 1 and abs(daughters.index(a) - daughters.index(b)) == 1


def _requirement(operands: Operands, daughters: Daughters) -> bool | None:
    return any(b in daughters for b in operands[1]) if operands[0][0] in daughters else None


def _exclusion(operands: Operands, daughters: Daughters) -> bool | None:
    both = [any(each in daughters for each in operand) for operand in operands]
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
"""By relation: whether a property over categories holds of the daughters of a rule; None where it is not pertinent."""
TRIED: Final = 25
"""Rules, the most frequent first, among whose phrases the best is taken."""


def categories_of(prop: Property) -> Operands:
    """Return the categories of each operand of a property."""
    return tuple(tuple(operand.category for joint in operands for operand in joint) for operands in prop.operands)


def has_features(prop: Property) -> bool:
    """True if an operand of a property demands features, or these are what must agree."""
    return bool(prop.features) or any(operand.features for operand in prop.all_operands())


def examples_of(
    prop: Property, phrases: Iterable[ExamplePhrase | None]
) -> tuple[ExamplePhrase | None, ExamplePhrase | None]:
    """Return a phrase that satisfies a property and one that violates it, None where there is none.

    `phrases` are those of the rules of its construction, the most frequent rules first.
    """
    holds, operands = HOLDS[prop.relation], categories_of(prop)
    given = [
        example_phrase for example_phrase in phrases if example_phrase is not None and example_phrase.length <= LONGEST
    ]
    values = [holds(operands, phrase.labels) for phrase in given]

    def of(value: bool) -> Iterator[ExamplePhrase]:
        return islice((each for each, found in zip(given, values, strict=True) if found is value), TRIED)

    return _best(of(True)), _best(of(False))


def _best(phrases: Iterable[ExamplePhrase]) -> ExamplePhrase | None:
    best: ExamplePhrase | None = None
    for phrase in phrases:
        best = better(best, phrase)
    return best
