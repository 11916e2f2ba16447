"""Parses of a sentence that are known under other numbers, words or places of the grammar, and are the best still.

A search need not be made again where only places or words of other sentences changed; nor, by the exact engine, where
only costs changed and no parse can have become better than the known one:

- a parse that costs nothing is one of those that violate nothing, and these are the same while each cost is above 0;
- where costs only rise, what does not violate a property that is dearer now stays as it is, and all else gets no
  better. If the best parse is one of these, and no other one was as good, it is the only best one still.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from numbat.evaluation.constituents import Characterization, Constituent, Instance
from numbat.grammar.model import Grammar
from numbat.parsing.parser import Parser
from numbat.parsing.result import Parse
from numbat.records import frozen
from numbat.words.lattice import Lattice

MOST_VERSIONS: Final = 4
"""So many earlier answers are kept of a sentence: under the grammar's own numbers, and those of the last moves."""


@frozen
class KnownParses:
    """The best parses of a lattice, and the automata with which they were found: those of a structure and a profile."""

    automata: object
    parses: tuple[Parse, ...]


class Change:
    """What differs between two grammars of one structure: weights, costs, places, words."""

    def __init__(self, old: Grammar, new: Grammar) -> None:
        self.old, self.new = old, new  # kept, so that the properties that are known by `id` stay
        both = [*zip(old.properties, new.properties, strict=True)]
        self._own = {id(one): other for one, other in both if one is not other}
        self._has_same_weights = all(one.weight == other.weight for one, other in both)
        self._dearer = {id(one) for one, other in both if one.cost < other.cost}
        self._is_cheaper = any(one.cost > other.cost for one, other in both)
        self._is_never_free = all(one.cost > 0 and other.cost > 0 for one, other in both)
        self._known: dict[int, tuple[Characterization, Characterization]] = {}

    def keeps(self, parses: Sequence[Parse]) -> bool:
        """Whether these are the best parses, in their order, under the new grammar too."""
        if not self._has_same_weights:
            return False
        if not (self._dearer or self._is_cheaper):
            return True
        best = parses[0]
        if len(parses) > 1 or best.outcome.engine != "exact" or best.outcome.valuation != "relaxation":
            return False
        if best.cost == 0 and self._is_never_free:
            return True
        is_concerned = any(id(each.property) in self._dearer for each in best.violated)
        return best.count == 1 and not (self._is_cheaper or is_concerned)

    def taken_over(self, parse: Parse, lattice: Lattice) -> Parse:
        """A parse that is kept, with the properties of the new grammar."""
        tops = tuple([self._tree(top) for top in parse.constituents]) if self._own else parse.constituents
        return replace(parse, grammar=self.new, lattice=lattice, constituents=tops)

    def _tree(self, top: Constituent) -> Constituent:
        """A constituent with all below it; without recursion, for trees may be deep."""
        made: dict[int, Constituent] = {}
        for each in reversed([*top.walk()]):
            if each.is_word:
                made[id(each)] = each
                continue
            daughters = tuple([made[id(daughter)] for daughter in each.daughters])
            both = self._characterization(each.characterization)
            made[id(each)] = each._replace(daughters=daughters, characterization=both)
        return made[id(top)]

    def _characterization(self, both: Characterization) -> Characterization:
        known = self._known.get(id(both))
        if known is None:
            changed = Characterization(self._instances(both.satisfied), self._instances(both.violated))
            known = self._known[id(both)] = both, changed
        return known[1]

    def _instances(self, instances: Sequence[Instance]) -> tuple[Instance, ...]:
        own = self._own
        return tuple([Instance(own.get(id(each.property), each.property), each.elements) for each in instances])


class Changes:
    """What differs between the grammars of a request and earlier ones, each pair compared once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], Change] = {}

    def between(self, old: Grammar, new: Grammar) -> Change:
        """The change from one grammar to another one of its structure."""
        key = id(old), id(new)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Change(old, new)
        return known


def known_for(parser: Parser, earlier: Sequence[KnownParses], lattice: Lattice, changes: Changes) -> list[Parse] | None:
    """The best parses of a lattice by a parser, from what was known earlier; None where it has to be searched."""
    for known in earlier:
        first = known.parses[0]
        if known.automata is parser.weighted.compiled and first.lattice == lattice:
            change = changes.between(first.grammar, parser.grammar)
            if change.keeps(known.parses):
                return [change.taken_over(each, lattice) for each in known.parses]
    return None
