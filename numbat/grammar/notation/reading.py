"""Reader of the notation: from text to statements, one logical line at a time.

Each logical line is parsed on its own (by Lark, LALR, `notation.lark`), so a mistake in one of them hides none in the
others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from lark import Lark
from lark.exceptions import UnexpectedInput

from numbat.errors import Problem, Span, close_match
from numbat.grammar.names import KEYWORDS, NAME, unquoted
from numbat.grammar.notation.lark_reader import RelationAttribute, SectionOpening, StatementReader
from numbat.grammar.notation.statements import (
    ConstructionStatement,
    PlacedText,
    RelationStatement,
    Statement,
    StrengthStatement,
    UnreadLine,
)
from numbat.grammar.notation.syntax_errors import syntax_problem
from numbat.records import frozen

SECTIONS: Final = (
    "features", "semantics", "tokens", "lexicon", "guess", "names", "spelling", "relation", "construction"
)  # fmt: skip
DEEPEST: Final = 50
"""How deep an expression may be nested."""
_STARTS: Final = [
    "top",
    "expression",
    "operands",
    "alternatives",
    "readings",
    "spelt",
    *(f"{section}_line" for section in SECTIONS),
]


@cache
def _lark() -> Lark:
    text = Path(__file__).with_name("notation.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", start=_STARTS, propagate_positions=True)


@frozen
class LogicalLine:
    """A stretch of text that is parsed in one go: a line, or several within brackets; `span` is where it begins."""

    text: str
    span: Span
    indented: bool


ParseLine = Callable[[LogicalLine, str], tuple[list[Any], Problem | None]]
"""Gives the statements of a logical line that is read as one of a section, or what is wrong with it."""

_NESTING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|#[^\n]*|[()]|\b(?:not|and|or)\b')
_BOUNDARY: Final = re.compile(r"\n(?=[^\s\])}#])")
"""The end of a line before one that is not indented and closes nothing: no bracket is closed beyond it."""
_PIECE: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"?|#[^\n]*|[\[({\])}]|\n|[^"#\[({\])}\n]+')


def blocks_of(text: str) -> Iterator[tuple[int, str]]:
    """A text cut before each line that is not indented, with the number of the first line of each piece.

    No logical line goes on over such a place, so that the pieces can be read one by one.
    """
    number, begin = 1, 0
    for end in (*(found.end() for found in _BOUNDARY.finditer(text)), len(text)):
        yield number, text[begin:end]
        number += text.count("\n", begin, end)
        begin = end


def logical_lines(text: str, path: str, first: int = 1) -> Iterator[LogicalLine]:
    """The logical lines of a text that are not empty; within brackets a logical line goes on over the end of a line.

    The text begins in the line `first` of its file.

    A bracket that is not closed before the next line without indentation does not make its line go on, so that one
    mistake stays one.
    """
    pieces: list[str] = []
    depth, number, start = 0, first, first
    closed = _closed_brackets(text)

    def finished() -> Iterator[LogicalLine]:
        whole = "".join(pieces)
        pieces.clear()
        bare = whole.lstrip(" \t")
        if bare.strip() and not bare.startswith("#"):
            column = len(whole) - len(bare) + 1
            yield LogicalLine(bare.rstrip(), Span(path, start, column), column > 1)

    for match in _PIECE.finditer(text):
        piece = match[0]
        if piece == "\n":
            number += 1
            if depth == 0:
                yield from finished()
                start = number
                continue
        elif piece in "[({":
            depth += depth > 0 or match.start() in closed
        elif piece in "])}":
            depth = max(0, depth - 1)
        pieces.append(piece)
    yield from finished()


def _closed_brackets(text: str) -> set[int]:
    """The positions of opening brackets that are closed before the next line that is not indented."""
    found: set[int] = set()
    waiting: list[int] = []
    for match in _PIECE.finditer(text):
        piece = match[0]
        if piece == "\n":
            following = text[match.end() : match.end() + 1]
            if following.strip() and following not in "])}#":
                waiting.clear()
        elif piece in "[({":
            waiting.append(match.start())
        elif piece in "])}" and waiting:
            found.add(waiting.pop())
    return found


def read(
    text: str, path: str, parse_line: ParseLine | None = None, of_block: ReadBlock | None = None
) -> tuple[list[Statement], list[Problem]]:
    """The statements of a file in the notation, and all its syntax errors.

    `parse_line` stands in for `parse`; `of_block` gives what it has of a key, else what it is given to make it.
    """
    statements: list[Statement] = []
    problems: list[Problem] = []
    last = Block((), (), None, None, "")
    for number, block in blocks_of(text):
        key = block, number, path, last.section, last.opening, last.misspelt
        make = partial(_read_block, block, number, path, parse_line or parse, last)
        last = make() if of_block is None else of_block(key, make)
        statements += last.statements
        problems += last.problems
    return statements, problems


@frozen
class Block:
    """What was read of a piece of a file, and what is open at its end (`_FileReader`)."""

    statements: tuple[Statement, ...]
    problems: tuple[Problem, ...]
    section: str | None
    opening: LogicalLine | None
    misspelt: str


ReadBlock = Callable[[Hashable, Callable[[], Block]], Block]


def _read_block(text: str, first: int, path: str, parse_line: ParseLine, last: Block) -> Block:
    file = _FileReader(parse_line, section=last.section, opening=last.opening, misspelt=last.misspelt)
    for line in logical_lines(text, path, first):
        file.read(line)
    return Block(tuple(file.statements), tuple(file.problems), file.section, file.opening, file.misspelt)


@dataclass
class _FileReader:
    """The statements and problems of a file while its lines are read, and the section that is open.

    `opening` is the line that opened it. Where that line opened a construction whose name is close to the keyword of
    a section, `misspelt` is that section.
    """

    parse: ParseLine
    statements: list[Statement] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    section: str | None = None
    opening: LogicalLine | None = None
    misspelt: str = ""

    def read(self, line: LogicalLine) -> None:
        if not line.indented:
            self._top(line)
        elif self.section is not None:
            self._member(line, self.section)
        else:
            message = "an indented line must stand below a section or a construction"
            self.problems.append(Problem(message, line.span, hint='open one first, such as "NP:"'))

    def _top(self, line: LogicalLine) -> None:
        """Read a line without indentation: a setting, or the opening of a section or a construction."""
        found, problem = self.parse(line, "top")
        word = NAME.match(line.text)
        name = word[0] if word else ""
        if problem is not None and self.section in (None, "construction") and name not in KEYWORDS["top"]:
            member, wrong = self.parse(line, "construction_line")
            if wrong is None:  # a property that lost its indentation opens nothing
                self._add(line, member if self.section else [], problem)
                return
        if problem is None:
            self.section = next((s.section for s in found if isinstance(s, SectionOpening)), None)
        else:
            self.section = name if name in SECTIONS else "construction"
            found = _probable_opening(line)
        self.opening = line
        self.misspelt = _section_like(name) if self.section == "construction" else ""
        self._add(line, found, problem)

    def _member(self, line: LogicalLine, section: str) -> None:
        """Read an indented line of the section that is open."""
        found, problem = self.parse(line, f"{section}_line")
        if problem is not None and self.misspelt and self.opening is not None:
            members, wrong = self.parse(line, f"{self.misspelt}_line")
            if wrong is None:
                self.problems.append(_misspelt_section(self.opening, self.misspelt))
                found, problem, self.section = members, None, self.misspelt
        if problem is None:
            self.misspelt = ""
        self._add(line, found, problem)

    def _add(self, line: LogicalLine, found: list[Any], problem: Problem | None) -> None:
        """Add the statements of a line and what is wrong with it."""
        if problem is not None:
            self.problems.append(problem)
            if not line.indented or self.section in ("features", "relation"):
                words = re.findall(rf'{NAME.pattern}|"[^"]*"', line.text)
                self.statements.append(UnreadLine(tuple(map(unquoted, words))))
        for statement in found:
            if isinstance(statement, RelationAttribute):
                self._amend(statement)
            elif isinstance(statement, StrengthStatement) and self.section is None:
                self.statements.append(replace(statement, everywhere=True))
            elif not isinstance(statement, SectionOpening):
                self.statements.append(statement)

    def _amend(self, attribute: RelationAttribute) -> None:
        """Add `monotonic yes` and the like to the relation above it, where that could be read."""
        last = self.statements[-1] if self.statements else None
        if isinstance(last, RelationStatement):
            attributes: dict[str, Any] = {attribute.name: attribute.value}
            self.statements[-1] = replace(last, **attributes)


def _section_like(name: str) -> str:
    """The section whose keyword is close to a name, empty where none is."""
    return next((section for section in SECTIONS[:-2] if close_match(name, [section])), "")


def _misspelt_section(opening: LogicalLine, meant: str) -> Problem:
    name = opening.text.partition(":")[0].strip()
    span = replace(opening.span, end_column=opening.span.column + len(name))
    message = f'"{name}" opens a construction, but what stands below it belongs to "{meant}"'
    return Problem(message, span, hint=f'did you mean "{meant}:"?')


def _probable_opening(line: LogicalLine) -> list[Statement]:
    """The statement that a line with a mistake probably is, which keeps the construction's name and members."""
    word = re.match(rf'{NAME.pattern}|"[^"]*"', line.text)
    if word is None or word[0] in SECTIONS or word[0] in KEYWORDS["top"]:
        return []
    span = replace(line.span, end_column=line.span.column + len(word[0]))
    return [ConstructionStatement(PlacedText(unquoted(word[0]), span))]


def tree_of(text: str, start: str) -> Any:
    """Lark's tree of a logical line. Raises UnexpectedInput."""
    return _lark().parse(text, start=start)


def parse(line: LogicalLine, start: str, tree: Callable[[str, str], Any] = tree_of) -> tuple[list[Any], Problem | None]:
    """The statements of one logical line, or what is wrong with it; `tree` gives Lark's tree of its text."""
    if _depth(line.text) > DEEPEST:
        return [], Problem(f"this is nested more than {DEEPEST} deep", line.span, hint="define a relation in parts")
    try:
        parsed = tree(line.text, start)
    except UnexpectedInput as error:
        return [], syntax_problem(error, line.text, line.span, start)
    found = StatementReader(line.span).transform(parsed)
    return (found if isinstance(found, list) else [found]), None


def _depth(text: str) -> int:
    """The depth of brackets and negations within each other; what "and" and "or" join has the same depth."""
    if text.count("(") + text.count("not") <= DEEPEST:
        return 0
    deepest, depth, open_there = 0, 0, [0]
    for match in _NESTING.finditer(text):
        if match[0] == "(":
            open_there.append(1)
            depth += 1
        elif match[0] == "not":
            open_there[-1] += 1
            depth += 1
        elif match[0] == ")" and len(open_there) > 1:
            depth -= open_there.pop()
        elif match[0] in ("and", "or"):
            depth -= open_there[-1]
            open_there[-1] = int(len(open_there) > 1)
            depth += open_there[-1]
        deepest = max(deepest, depth)
    return deepest
