"""Constituents, and what was evaluated in them: the records that travel from evaluation to everything above it.

Token positions count from 0. A set of positions is a bit set in an int (`cover`), so that discontinuous constituents
need no records of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from numbat.grammar.properties import Bundle, Property, format_bundle
from numbat.records import frozen


@frozen
class Instance:
    """One evaluated tuple of a property: `elements` are the indexes of its daughters in the assignment.

    Where a tuple is violated by each daughter between its own (`Relation.violated_by`), that one is the last element.
    """

    property: Property
    elements: tuple[int, ...]


@frozen
class Characterization:
    """The satisfied set P+ and the violated set P- of an assignment, with their sums in fixed-point units."""

    satisfied: tuple[Instance, ...] = ()
    violated: tuple[Instance, ...] = ()

    @property
    def cost(self) -> int:
        """The summed costs of P-."""
        return sum(instance.property.cost for instance in self.violated)

    @property
    def weight(self) -> int:
        """The summed weights of P+."""
        return sum(instance.property.weight for instance in self.satisfied)


NOTHING = Characterization()


class Constituent(NamedTuple):
    """An occurrence of a construction over token positions, with its daughters; a word has none but a `form`.

    `depth` counts the phrase constituents of the unary chain over this span that ends here: 0 for a word, 1 for a
    phrase with several daughters. `cost` and `gain` (weights of satisfied instances minus node costs) are sums over
    the whole tree in fixed-point units; `lexical_cost` is the part of the cost that the choice of readings makes.
    """

    construction: str
    cover: int
    features: Bundle
    depth: int = 0
    form: str = ""
    guessed: bool = False
    daughters: tuple[Constituent, ...] = ()
    characterization: Characterization = NOTHING
    cost: int = 0
    gain: int = 0
    lexical_cost: int = 0

    def __repr__(self) -> str:
        words = " ".join(word.form for word in self.words())
        return f"<{self.construction}{format_bundle(self.features)} {self.start}-{self.end} {words!r}>"

    @property
    def start(self) -> int:
        """The first token position."""
        return (self.cover & -self.cover).bit_length() - 1

    @property
    def end(self) -> int:
        """One past the last token position."""
        return self.cover.bit_length()

    @property
    def is_word(self) -> bool:
        return not self.daughters

    def walk(self) -> Iterator[Constituent]:
        """This constituent and all below it, from the top and from the left."""
        waiting = [self]
        while waiting:
            constituent = waiting.pop()
            yield constituent
            waiting += reversed(constituent.daughters)

    def words(self) -> Iterator[Constituent]:
        """The words, in the order of the tree."""
        return (constituent for constituent in self.walk() if constituent.is_word)


Assignment = tuple[Constituent, ...]
"""A list of constituents, in the order of their first words."""
