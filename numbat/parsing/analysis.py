"""What an analysis of a sentence is made of: its constituents, and every property instance evaluated in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from numbat.errors import DataError
from numbat.evaluation.constituents import Constituent
from numbat.grammar.digest import form_sizes, numbered_properties, property_numbers
from numbat.grammar.model import Grammar
from numbat.grammar.properties import Property
from numbat.parsing.records import is_full
from numbat.records import frozen
from numbat.words.lattice import Lattice


class Evaluated(NamedTuple):
    """A property instance in its place: the constituent in which it was evaluated and the daughters it speaks of."""

    property: Property
    constituent: Constituent
    elements: tuple[Constituent, ...]
    satisfied: bool

    def __repr__(self) -> str:
        return f"<{'satisfied' if self.satisfied else 'violated'} {self.property!r} in {self.constituent!r}>"


@frozen
class Outcome:
    """How the search for a parse went, and what its fragments cost.

    `fragment_cost` is 0 for a full parse, that is one root construction over the whole input. `count` is the number of
    equally good trees, `stopped_by` names the limit that was met, `rank` counts from 1 in an n-best list.
    `log_likelihood` is that of its trees by expansions, None without. `granularity`: how many times the grammar's
    fragment cost each fragment cost. `why_partial` says of a parse of several fragments which of them fits nowhere and
    why, empty where that is not known.
    """

    fragment_cost: int
    count: int
    rank: int
    rounds: int
    engine: str
    profile: str
    election: str
    valuation: str
    granularity: float = 1.0
    why_partial: str = ""
    stopped_by: str | None = None
    log_likelihood: float | None = None


@dataclass(frozen=True)
class Analysis:
    """A covering combination of constituents for a sentence, with all that was evaluated in it.

    Costs and weights are fixed-point integers (`UNIT` is 1).
    """

    grammar: Grammar
    lattice: Lattice
    constituents: tuple[Constituent, ...]
    outcome: Outcome

    @property
    def fragment_cost(self) -> int:
        """What the fragments cost, 0 for a full parse."""
        return self.outcome.fragment_cost

    @property
    def count(self) -> int:
        """The number of equally good trees."""
        return self.outcome.count

    @property
    def election(self) -> str:
        """The election by which constituents were chosen."""
        return self.outcome.election

    @property
    def stopped_by(self) -> str | None:
        """The limit that the search met, None where it met none."""
        return self.outcome.stopped_by

    @property
    def rank(self) -> int:
        """The place in an n-best list, from 1."""
        return self.outcome.rank

    @property
    def log_likelihood(self) -> float | None:
        """The log likelihood of the trees by expansions, None without."""
        return self.outcome.log_likelihood

    def number_of(self, prop: Property) -> int:
        """The number of a property in the grammar. Raises DataError for one that the grammar does not have."""
        number = property_numbers(self.grammar).get(id(prop))
        if number is not None:
            return number
        for number, other in numbered_properties(self.grammar).items():
            if other == prop:
                return number
        raise DataError(f"{prop!r} is no property of {self.grammar!r}\n  a parse has the properties of its grammar")

    @property
    def form_sizes(self) -> Mapping[str, int]:
        """The number of properties in the form of each construction."""
        return form_sizes(self.grammar)

    @property
    def sentence(self) -> str:
        """The sentence as it was typed, else its tokens."""
        return self.lattice.text or " ".join(self.lattice.tokens)

    def walk(self) -> Iterator[Constituent]:
        """Every constituent, from the left and from the top; its place here is its number in JSON, rows and graph."""
        return (constituent for top in self.constituents for constituent in top.walk())

    @cached_property
    def evaluated(self) -> tuple[Evaluated, ...]:
        """All property instances, from the left, outer constituents first, in the order of the grammar."""
        found: list[Evaluated] = []
        for constituent in self.walk():
            both, daughter = constituent.characterization, constituent.daughters.__getitem__
            for instances, satisfied in ((both.satisfied, True), (both.violated, False)):
                found += [
                    Evaluated(instance.property, constituent, tuple(map(daughter, instance.elements)), satisfied)
                    for instance in instances
                ]
        return tuple(found)

    @cached_property
    def satisfied(self) -> tuple[Evaluated, ...]:
        """P+: the satisfied property instances."""
        return tuple([evaluated for evaluated in self.evaluated if evaluated.satisfied])

    @cached_property
    def violated(self) -> tuple[Evaluated, ...]:
        """P-: the violated property instances."""
        return tuple([evaluated for evaluated in self.evaluated if not evaluated.satisfied])

    @property
    def violation_cost(self) -> int:
        """The summed costs of P-."""
        return sum(evaluated.property.cost for evaluated in self.violated)

    @property
    def lexical_cost(self) -> int:
        """What the choice of readings costs."""
        return sum(top.lexical_cost for top in self.constituents)

    @property
    def cost(self) -> int:
        """Total cost: of the violated instances, of fragments, of the readings of words (ruling 1)."""
        return self.violation_cost + self.fragment_cost + self.lexical_cost

    @property
    def weight(self) -> int:
        """The sum of the weights of the satisfied instances."""
        return sum(evaluated.property.weight for evaluated in self.satisfied)

    @property
    def guessed(self) -> tuple[Constituent, ...]:
        """The words whose category in the tree is guessed, in their order."""
        words = (word for top in self.constituents for word in top.words() if word.guessed)
        return tuple(sorted(words, key=lambda word: word.start))

    @property
    def nodes(self) -> int:
        """The number of phrase constituents."""
        return sum(not constituent.is_word for constituent in self.walk())

    @property
    def is_full(self) -> bool:
        """Whether one root construction spans the input."""
        return is_full(self.constituents, len(self.lattice.tokens), self.grammar)

    @property
    def is_well_formed(self) -> bool:
        """No violated property and no fragment (ruling 2); the choice of readings does not count."""
        return bool(self.constituents) and self.violation_cost + self.fragment_cost == 0
