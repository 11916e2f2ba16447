"""Records of an induced grammar: each property with the counts behind it."""

from __future__ import annotations

from dataclasses import field

from numbat.grammar.model import Grammar
from numbat.grammar.properties import Property
from numbat.grammar.relations import BUILT_IN, OCCURS
from numbat.records import frozen
from numbat.treebank.induction.rule_counts import LeftOut, RuleCount


@frozen
class Support:
    """How often a property holds: occurrences of its construction that validate it, that violate it, and all.

    Occurrences in which the property is not pertinent count in `occurrences` only. `sentences` are the first that
    violate it. Definitions of w0 and w1: MarsaGram (Blache, de Montcheuil & Rauzy, TALN 2015).
    """

    valid: int
    violating: int
    occurrences: int
    sentences: tuple[str, ...] = ()

    @property
    def support(self) -> int:
        """The occurrences in which the property is pertinent."""
        return self.valid + self.violating

    @property
    def w0(self) -> float:
        """The share of the pertinent occurrences that validate it: valid / (valid + violating)."""
        return self.valid / self.support if self.support else 0.0

    @property
    def w1(self) -> float:
        """w0 times the share of all occurrences that validate it: w0 * valid / occurrences."""
        return self.w0 * self.valid / self.occurrences if self.occurrences else 0.0


@frozen
class InducedProperty:
    """A property of the grammar with its support."""

    property: Property
    support: Support


@frozen
class InducedConstruction:
    """A construction, how often it occurs, its daughters with their occurrences, its properties and its rules."""

    name: str
    occurrences: int
    constituency: tuple[tuple[str, int], ...]
    properties: tuple[InducedProperty, ...]
    rules: tuple[RuleCount, ...]


@frozen
class InducedGrammar:
    """A grammar and, construction by construction, the counts from which it was made."""

    grammar: Grammar
    constructions: tuple[InducedConstruction, ...]
    sentences: int
    left_out: LeftOut = field(default_factory=LeftOut)

    def sizes(self) -> dict[str, int]:
        """How many properties of each relation there are, and how many constituents the constructions have."""
        properties = [induced.property.relation for each in self.constructions for induced in each.properties]
        counts = {relation: properties.count(relation) for relation in (*(each.name for each in BUILT_IN), OCCURS.name)}
        constituents = sum(len(each.constituency) for each in self.constructions)
        return {"constituency": constituents} | {relation: count for relation, count in counts.items() if count}
