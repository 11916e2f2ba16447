"""What was read of a grammar before: after an edit only the lines, lexicon files and entries that changed are read.

Without it every reading is from the beginning, with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from numbat.errors import Problem
from numbat.grammar.building import lexicon
from numbat.grammar.building.declarations import Declarations
from numbat.grammar.model import Construction, Entry
from numbat.grammar.notation import reading
from numbat.grammar.notation.reading import Block, LogicalLine
from numbat.grammar.notation.statements import EntryStatement
from numbat.records import frozen

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
        found = self.get(key)
        return self.put(key, make()) if found is None else found

    def get(self, key: Hashable) -> Value | None:
        """The value of a key in this reading or the one before; None where neither has it."""
        found = self.now.get(key)
        if found is None and (found := self.before.get(key)) is not None:
            self.now[key] = found
        return found

    def keep(self, keys: Iterable[Hashable]) -> None:
        """Keep the values of these keys as if they had been asked for."""
        self.now.update([(key, self.before[key]) for key in keys if key in self.before])

    def put(self, key: Hashable, value: Value) -> Value:
        """Keep a value for this reading and the next."""
        self.now[key] = value
        return value


@frozen
class BuiltConstruction:
    """A construction, how many properties its braces stand for, and the statements of which it was made.

    These are kept because they are told apart by what they are and not by what they say, for their places count.
    """

    construction: Construction
    number: int
    statements: tuple[object, ...]


@dataclass
class Rereading:
    """What the readings of one grammar have in common, from one text of it to the next."""

    before_block: Callable[[], object] = tuple
    """Called before each piece of a file that has to be read; it may raise, and what was read until then stays."""
    _trees: TwoReadings[Any] = field(default_factory=TwoReadings)
    _lines: TwoReadings[tuple[list[Any], Problem | None]] = field(default_factory=TwoReadings)
    _files: TwoReadings[tuple[list[EntryStatement], list[Problem]]] = field(default_factory=TwoReadings)
    _blocks: TwoReadings[tuple[Block, list[tuple[LogicalLine, str]]]] = field(default_factory=TwoReadings)
    _asked: list[tuple[LogicalLine, str]] = field(default_factory=list)
    _constructions: TwoReadings[BuiltConstruction] = field(default_factory=TwoReadings)
    _names: object = None
    _declared: object = None
    _statements: Sequence[EntryStatement] = ()
    _entries: tuple[Entry, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether no file has been read to its end yet."""
        return self._declared is None

    def begin(self) -> None:
        """Another reading begins."""
        for each in (self._trees, self._lines, self._files, self._blocks, self._constructions):
            each.begin()

    def block(self, key: Hashable, make: Callable[[], Block]) -> Block:
        """What was read of the lines from one without indentation to the next, by all that it depends on.

        Its lines are remembered as if they had been read, for when it changes.
        """
        known = self._blocks.get(key)
        if known is None:
            self.before_block()
            self._asked = []
            return self._blocks.put(key, (make(), self._asked))[0]
        found, lines = known
        self._lines.keep(lines)
        self._trees.keep([(line.text, start) for line, start in lines])
        return found

    def line(self, line: LogicalLine, start: str) -> tuple[list[Any], Problem | None]:
        """The statements of a logical line, or what is wrong with it; one that only moved is not parsed again."""
        self._asked.append((line, start))
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

    def begin_constructions(self, names: object) -> None:
        """Constructions are built by these names and strengths: what was built by others is forgotten."""
        if names != self._names:
            self._names, self._constructions = names, TwoReadings()

    def construction(
        self, declarations: Declarations, statements: Sequence[object], build: Callable[[], Construction]
    ) -> Construction:
        """The construction that statements describe; that of an earlier reading where it had the very same ones.

        One with a mistake is built anew, and so is one that would be too large beside others.
        """
        key = frozenset(declarations.unread), tuple(map(id, statements))
        known = self._constructions.get(key)
        if known is not None and declarations.has_room(known.number):
            declarations.number_of_properties += known.number
            return known.construction
        problems, before = len(declarations.problems), declarations.number_of_properties
        found = build()
        if len(declarations.problems) == problems:
            number = declarations.number_of_properties - before
            self._constructions.put(key, BuiltConstruction(found, number, tuple(statements)))
        return found
