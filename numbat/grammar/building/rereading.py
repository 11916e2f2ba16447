"""What was read of a grammar before: after an edit only the lines, lexicon files and entries that changed are read.

Without it every reading is from the beginning, with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from numbat.grammar.building import lexicon
from numbat.grammar.building.declarations import Declarations
from numbat.grammar.model import Entry
from numbat.grammar.notation import reading
from numbat.grammar.notation.reading import LogicalLine
from numbat.grammar.notation.statements import EntryStatement
from numbat.source import Problem

Value = TypeVar("Value")


@dataclass
class TwoReadings(Generic[Value]):
    """The values of the reading that goes on and of the one before, by what they were made of."""

    now: dict[Hashable, Value] = field(default_factory=dict)
    before: dict[Hashable, Value] = field(default_factory=dict)

    def begin(self) -> None:
        """Another reading begins: what the last but one needed is forgotten."""
        self.now, self.before = {}, self.now

    def made(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of a key, which is made where neither reading has it."""
        if key not in self.now:
            self.now[key] = self.before[key] if key in self.before else make()
        return self.now[key]


@dataclass
class Rereading:
    """What the readings of one grammar have in common, from one text of it to the next."""

    _trees: TwoReadings[Any] = field(default_factory=TwoReadings)
    _lines: TwoReadings[tuple[list[Any], Problem | None]] = field(default_factory=TwoReadings)
    _files: TwoReadings[tuple[list[EntryStatement], list[Problem]]] = field(default_factory=TwoReadings)
    _declared: object = None
    _statements: Sequence[EntryStatement] = ()
    _entries: tuple[Entry, ...] = ()

    def begin(self) -> None:
        """Another reading begins."""
        for each in (self._trees, self._lines, self._files):
            each.begin()

    def line(self, line: LogicalLine, start: str) -> tuple[list[Any], Problem | None]:
        """The statements of a logical line, or what is wrong with it; one that only moved is not parsed again."""
        return self._lines.made((line, start), lambda: reading.parse(line, start, self._tree))

    def _tree(self, text: str, start: str) -> Any:
        return self._trees.made((text, start), lambda: reading.tree_of(text, start))

    def lexicon_file(self, text: str, path: str) -> tuple[list[EntryStatement], list[Problem]]:
        """The entries of a lexicon file and all its mistakes."""
        return self._files.made((text, path), lambda: lexicon.read(text, path))

    def entries(
        self,
        declarations: Declarations,
        statements: list[EntryStatement],
        build: Callable[[Declarations, list[EntryStatement]], tuple[Entry, ...]],
    ) -> tuple[Entry, ...]:
        """The entries that statements describe; those of the last reading where nothing that they depend on changed."""
        declared = dict(declarations.features), set(declarations.categories), set(declarations.unread)
        if declared == self._declared and statements == self._statements:
            return self._entries
        known = len(declarations.problems)
        found = build(declarations, statements)
        if len(declarations.problems) == known:  # a problem has its place, which may change while the words stay
            self._declared, self._statements, self._entries = declared, statements, found
        return found
