"""Grammars, parsers and parses that are kept from one request to the next: so an answer to a keystroke is quick."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from numbat.grammar.constructions import Rereading
from numbat.grammar.loading import LoadedGrammar
from numbat.parsing.parser import Parser
from numbat.parsing.policies import ParserSettings
from numbat.parsing.result import Parse
from numbat.web.known_parses import KnownParses
from numbat.words.lattice import Lattice

Value = TypeVar("Value")

MOST_GRAMMARS: Final = 3
"""So many grammars and parsers are kept: those of three pages, or of one grammar before and after an edit."""
MOST_PARSES: Final = 5_000
"""So many parses are kept: those of a suite under a few vectors of weights."""


@dataclass
class Recent(Generic[Value]):
    """The values that were used last, by what they were made of; `most` of them are kept."""

    most: int
    values: OrderedDict[Hashable, Value] = field(default_factory=OrderedDict)

    def __len__(self) -> int:
        return len(self.values)

    def get(self, key: Hashable) -> Value | None:
        """The value that is kept under a key, None where there is none."""
        if key not in self.values:
            return None
        self.values.move_to_end(key)
        return self.values[key]

    def put(self, key: Hashable, value: Value) -> Value:
        """Keep a value, in the place of the one that was not used for the longest time."""
        self.values[key] = value
        self.values.move_to_end(key)
        if len(self.values) > self.most:
            self.values.popitem(last=False)
        return value

    def made(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of a key, which is made where it is not kept."""
        found = self.get(key)
        return self.put(key, make()) if found is None else found


@dataclass
class KeptWork:
    """What was made for earlier requests: grammars by their texts, parsers by grammar and settings, their parses.

    `readings` are by the name of the first file of a grammar: what its texts from edit to edit have in common.
    `lattices` are by text and by the readings of the words, beside which they are kept; `known` has the last parses of
    a sentence, whatever the texts and the numbers of the grammar.
    """

    grammars: Recent[LoadedGrammar] = field(default_factory=lambda: Recent(MOST_GRAMMARS))
    readings: Recent[Rereading] = field(default_factory=lambda: Recent(MOST_GRAMMARS))
    parsers: Recent[tuple[ParserSettings, Parser]] = field(default_factory=lambda: Recent(MOST_GRAMMARS))
    parses: Recent[list[Parse]] = field(default_factory=lambda: Recent(MOST_PARSES))
    lattices: Recent[tuple[object, Lattice]] = field(default_factory=lambda: Recent(MOST_PARSES))
    known: Recent[tuple[KnownParses, ...]] = field(default_factory=lambda: Recent(MOST_PARSES))
