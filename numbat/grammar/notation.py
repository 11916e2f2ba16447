"""The notation: from text to statements, one logical line at a time, and from a grammar back to text.

Each logical line is parsed on its own (by Lark, LALR, `notation.lark`), so a mistake in one of them hides none in the
others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedInput

from numbat.grammar import relations as rel
from numbat.grammar import written as w
from numbat.grammar.model import TokenRule
from numbat.grammar.syntax_errors import KEYWORDS, syntax_problem
from numbat.source import Problem, Span

if TYPE_CHECKING:
    from collections.abc import Iterable

SECTIONS: Final = ("features", "semantics", "tokens", "lexicon", "guess", "relation", "construction")
_STARTS: Final = [
    "top",
    "expression",
    "operand",
    "alternatives",
    "readings",
    *(f"{section}_line" for section in SECTIONS),
]


@cache
def _lark() -> Lark:
    text = Path(__file__).with_name("notation.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", start=_STARTS, propagate_positions=True)


@dataclass(frozen=True, slots=True)
class Line:
    """A logical line: a stretch of text that is parsed in one go, and where it begins."""

    text: str
    span: Span
    indented: bool


_PIECE: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"?|#[^\n]*|[\[({\])}]|\n|[^"#\[({\])}\n]+')


def logical_lines(text: str, path: str) -> Iterator[Line]:
    """The lines of a file that are not empty; inside brackets a line goes on over its end.

    A bracket that is never closed ends where the next line without indentation begins, so that one mistake stays one.
    """
    pieces: list[str] = []
    depth, number, start = 0, 1, 1

    def finished() -> Iterator[Line]:
        whole = "".join(pieces)
        pieces.clear()
        bare = whole.lstrip(" \t\ufeff")
        if bare and not bare.startswith("#"):
            column = len(whole) - len(bare) + 1
            indented = column > 1 and not whole.startswith("\ufeff")
            yield Line(bare.rstrip(), Span(path, start, column), indented)

    for match in _PIECE.finditer(text):
        piece = match[0]
        if piece == "\n":
            number += 1
            unclosed = depth and text[match.end() : match.end() + 1].strip() and text[match.end()] not in "])}#"
            if depth == 0 or unclosed:
                yield from finished()
                depth, start = 0, number
                continue
        elif piece in "[({":
            depth += 1
        elif piece in "])}":
            depth = max(0, depth - 1)
        pieces.append(piece)
    yield from finished()


def read(text: str, path: str) -> tuple[list[w.Statement], list[Problem]]:
    """The statements of a file in the notation, and all its syntax errors."""
    statements: list[w.Statement] = []
    problems: list[Problem] = []
    section: str | None = None
    for line in logical_lines(text, path):
        if line.indented and section is None:
            message = "an indented line must stand below a section or a construction"
            problems.append(Problem(message, line.span, hint='open one first, such as "NP:"'))
            continue
        found, problem = parse(line, f"{section}_line" if line.indented else "top")
        if not line.indented:
            section = _section_opened(line.text, found, problem)
        if problem is not None:
            problems.append(problem)
            statements += _guessed_opening(line)
        for statement in found:
            if isinstance(statement, _Attribute):
                _amend(statements, statement)
            elif isinstance(statement, w.All) and section is None:
                statements.append(replace(statement, everywhere=True))
            elif not isinstance(statement, _Opened):
                statements.append(statement)
    return statements, problems


def _section_opened(text: str, found: list[Any], problem: Problem | None) -> str | None:
    """The section that a line at column 0 opens; with a mistake in it, the one that it probably meant to open."""
    if problem is None:
        return next((statement.section for statement in found if isinstance(statement, _Opened)), None)
    word = re.match(r"\w+", text)
    return word[0] if word and word[0] in SECTIONS else "construction"


def _guessed_opening(line: Line) -> list[w.Statement]:
    """The construction that a line with a mistake probably opens, so that its name and members are not lost too."""
    word = re.match(r"\w+", line.text)
    if line.indented or word is None or word[0] in SECTIONS or word[0] in KEYWORDS["top"]:
        return []
    return [w.OpenConstruction(w.Word(word[0], line.span))]


def _amend(statements: list[w.Statement], attribute: _Attribute) -> None:
    """Attach `monotonic yes` and the like to the relation above it."""
    last = statements[-1]
    if isinstance(last, w.WrittenRelation):
        said: dict[str, Any] = {attribute.name: attribute.value}
        statements[-1] = replace(last, **said)


def parse(line: Line, start: str) -> tuple[list[Any], Problem | None]:
    """The statements of one logical line, or what is wrong with it."""
    try:
        tree = _lark().parse(line.text, start=start)
    except UnexpectedInput as error:
        return [], syntax_problem(error, line.text, line.span, start)
    found = _Reader(line.span).transform(tree)
    return (found if isinstance(found, list) else [found]), None


@dataclass(frozen=True, slots=True)
class _Opened:
    section: str


@dataclass(frozen=True, slots=True)
class _Attribute:
    name: str
    value: bool | str


def _flat(children: Iterable[Any]) -> list[Any]:
    flat: list[Any] = []
    for child in children:
        if isinstance(child, list):
            flat += child
        elif child is not None:
            flat.append(child)
    return flat


def unquoted(text: str) -> str:
    return re.sub(r'\\(["\\])', r"\1", text[1:-1]) if text.startswith('"') else text


class _Reader(Transformer[Token, Any]):
    """From Lark's trees to statements; a method a rule of `notation.lark`, each takes the list of its children."""

    def __init__(self, origin: Span) -> None:
        super().__init__(visit_tokens=False)
        self._origin = origin

    def _word(self, token: Token) -> w.Word:
        assert token.line is not None
        assert token.column is not None
        shift = self._origin.column - 1 if token.line == 1 else 0
        column = token.column + shift
        span = Span(self._origin.path, self._origin.line + token.line - 1, column, column + len(token))
        return w.Word(unquoted(str(token)), span)

    def _single(self, children: list[Token]) -> w.Word:
        return self._word(children[0])

    category = form = atom = name = string = number = _single
    prefix_symbol = infix_symbol = comparison = setting_name = _single

    def relation_name(self, children: list[Any]) -> w.Word:
        return children[0] if isinstance(children[0], w.Word) else self._word(children[0])

    # sections and settings

    def value(self, children: list[Any]) -> w.WrittenOperand:
        (child,) = children
        return child if isinstance(child, w.WrittenOperand) else w.WrittenOperand(child)

    def setting(self, children: list[Any]) -> list[w.Statement]:
        key, *values = children
        return [w.Setting(key, tuple(values))]

    def open_features(self, children: list[Any]) -> list[Any]:
        return [_Opened("features"), *_members(children)]

    def open_semantics(self, children: list[Any]) -> list[Any]:
        return [_Opened("semantics"), *_members(children)]

    def open_tokens(self, children: list[Any]) -> list[Any]:
        return [_Opened("tokens"), *_members(children)]

    def open_lexicon(self, children: list[Any]) -> list[Any]:
        return [_Opened("lexicon"), *_members(children)]

    def open_guess(self, children: list[Any]) -> list[Any]:
        return [_Opened("guess"), *_members(children)]

    def open_construction(self, children: list[Any]) -> list[Any]:
        name, title, members = children
        return [_Opened("construction"), w.OpenConstruction(name, str(title or "")), *(members or [])]

    def open_relation(self, children: list[Any]) -> list[Any]:
        _, name, *parameters, each, expression = children
        return [_Opened("relation"), w.WrittenRelation(name, tuple(parameters), each, expression)]

    def each(self, children: list[Any]) -> tuple[w.Word, ...]:
        return tuple(child for child in children if isinstance(child, w.Word))

    features_line = semantics_line = tokens_line = lexicon_line = relation_line = construction_line = staticmethod(
        _flat
    )

    def guess_line(self, children: list[Any]) -> list[w.Statement]:
        return [replace(entry, guess=True) for entry in _flat(children)]

    def feature(self, children: list[Any]) -> w.FeatureDeclaration:
        name, *values = children
        return w.FeatureDeclaration(name, tuple(values))

    def switch(self, children: list[Any]) -> w.Switch:
        return w.Switch(*children)

    def suffixes(self, children: list[Any]) -> list[TokenRule]:
        return [TokenRule("suffix", (str(form),)) for form in children[1:]]

    def prefixes(self, children: list[Any]) -> list[TokenRule]:
        return [TokenRule("prefix", (str(form),)) for form in children[1:]]

    def rewrite(self, children: list[Any]) -> TokenRule:
        return TokenRule("rewrite", tuple(map(str, children[1:])))

    def entry(self, children: list[Any]) -> w.WrittenEntry:
        form, readings = children
        return w.WrittenEntry(form, readings)

    def readings(self, children: list[Any]) -> tuple[w.WrittenReading, ...]:
        return tuple(children)

    def reading(self, children: list[Any]) -> w.WrittenReading:
        operand, _, weight = children
        return w.WrittenReading(operand, weight)

    # relations of the grammar writer

    def truth(self, children: list[Token]) -> bool:
        return str(children[0]) == "yes"

    def monotonic(self, children: list[Any]) -> _Attribute:
        return _Attribute("monotonic", children[1])

    def symmetric(self, children: list[Any]) -> _Attribute:
        return _Attribute("symmetric", children[1])

    def says(self, children: list[Any]) -> _Attribute:
        return _Attribute("says", str(children[1]))

    def but(self, children: list[Any]) -> _Attribute:
        return _Attribute("but", str(children[1]))

    def or_(self, children: list[Any]) -> rel.Expression:
        operands = tuple(child for child in children if not isinstance(child, Token))
        return rel.Or(operands) if len(operands) > 1 else operands[0]

    def and_(self, children: list[Any]) -> rel.Expression:
        operands = tuple(child for child in children if not isinstance(child, Token))
        return rel.And(operands) if len(operands) > 1 else operands[0]

    def not_(self, children: list[Any]) -> rel.Expression:
        return rel.Not(children[-1])

    def index(self, children: list[Any]) -> rel.Expression:
        _, left, comparison, _, right = children
        forward, backward = rel.Precedes(left, right), rel.Precedes(right, left)
        meanings: dict[str, rel.Expression] = {
            "<": forward,
            "≺": forward,
            ">": backward,
            "<=": rel.Not(backward),
            ">=": rel.Not(forward),
            "=": rel.Not(rel.Or((forward, backward))),
            "!=": rel.Or((forward, backward)),
        }
        return meanings[str(comparison)]

    def count(self, children: list[Any]) -> rel.Expression:
        _, parameter, comparison, number = children
        comparison = "<" if comparison == "≺" else str(comparison)
        return rel.Count(parameter, comparison, int(float(number)))

    def adjacent(self, children: list[Any]) -> rel.Expression:
        return rel.Adjacent(*children[1:])

    def present(self, children: list[Any]) -> rel.Expression:
        return rel.Present(children[1])

    def agree(self, children: list[Any]) -> rel.Expression:
        return rel.Agree(*children[1:])

    def same_value(self, children: list[Any]) -> rel.Expression:
        return rel.SameValue(*children)

    def has_value(self, children: list[Any]) -> rel.Expression:
        return rel.HasValue(*children)

    def true(self, children: list[Any]) -> rel.Expression:
        return rel.Always(True)

    def false(self, children: list[Any]) -> rel.Expression:
        return rel.Always(False)

    # constructions

    def head(self, children: list[Any]) -> w.Head:
        return w.Head(tuple(children[1:]))

    def inherit(self, children: list[Any]) -> w.Inherit:
        return w.Inherit(tuple(children[1:]))

    def fixed(self, children: list[Any]) -> w.WrittenRule:
        feature, value, condition = children
        absent, operand = condition or (False, None)
        return w.WrittenRule(feature, value, condition=operand, absent=absent)

    def condition(self, children: list[Any]) -> tuple[bool, w.WrittenOperand]:
        return children[1] is not None, children[-1]

    def copied(self, children: list[Any]) -> w.WrittenRule:
        feature, _, *sources = children
        return w.WrittenRule(feature, sources=tuple(sources))

    def const(self, children: list[Any]) -> w.Const:
        return w.Const(children[1].operands)

    def all(self, children: list[Any]) -> w.All:
        return w.All(children[1], children[2])

    # properties

    def strength(self, children: list[Any]) -> w.WrittenStrength:
        said: dict[str, Any] = {}
        for i, child in enumerate(children):
            if isinstance(child, Token):
                said[str(child)] = True if child == "hard" else children[i + 1]
        return w.WrittenStrength(**said)

    def prefixed(self, children: list[Any]) -> w.WrittenProperty:
        symbol, alternatives, strength = children
        return self._property(symbol, (alternatives,), strength, symbol)

    def unique(self, children: list[Any]) -> w.WrittenProperty:
        group, strength = children
        where = group.operands[0].category
        return self._property(w.Word("uniq", where.span), (((group,),),), strength, where)

    def infixed(self, children: list[Any]) -> w.WrittenProperty:
        left, symbol, right, strength = children
        return self._property(symbol, (left, right), strength, left[0][0].operands[0].category)

    def called(self, children: list[Any]) -> w.WrittenProperty:
        name, *parameters, strength = children
        return self._property(name, tuple(parameters), strength, name)

    def _property(
        self, relation: w.Word, parameters: tuple[w.Alternatives, ...], strength: w.WrittenStrength, first: w.Word
    ) -> w.WrittenProperty:
        last = parameters[-1][-1][-1].operands[-1].category.span
        end = last.end_column if last.line == first.span.line else first.span.end_column
        shared = parameters[-1][-1][-1].shared
        return w.WrittenProperty(relation, parameters, strength, replace(first.span, end_column=end), shared)

    def alternatives(self, children: list[Any]) -> w.Alternatives:
        return tuple(children)

    def joint(self, children: list[Any]) -> tuple[w.Group, ...]:
        return tuple(children)

    def single(self, children: list[Any]) -> w.Group:
        category, demands, shared = children
        return w.Group((w.WrittenOperand(category, demands or ()),), shared or ())

    def braces(self, children: list[Any]) -> w.Group:
        *operands, shared = children
        return w.Group(tuple(operands), shared or (), braces=True)

    def operand(self, children: list[Any]) -> w.WrittenOperand:
        category, demands = children
        return w.WrittenOperand(category, demands or ())

    def bracket(self, children: list[Any]) -> tuple[w.WrittenDemand, ...]:
        return tuple(children)

    def bare(self, children: list[Any]) -> w.WrittenDemand:
        return w.WrittenDemand(None, tuple(children))

    def demanded(self, children: list[Any]) -> w.WrittenDemand:
        feature, *values = children
        return w.WrittenDemand(feature, tuple(values))


def _members(children: list[Any]) -> list[Any]:
    """What stands behind the colon that opens a section; the keyword in front of it is dropped."""
    return _flat(child for child in children if not isinstance(child, Token))
