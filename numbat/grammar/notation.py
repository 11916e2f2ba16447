"""Reader of the notation: from text to statements, one logical line at a time.

Each logical line is parsed separately (Lark, LALR, `notation.lark`), so a mistake in one line hides none in the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from lark import Token, Transformer
from lark.exceptions import UnexpectedInput

from numbat.errors import Problem, Span, close_match
from numbat.files import composed
from numbat.grammar import expressions
from numbat.grammar.expressions import Expression
from numbat.grammar.line_parser import SECTIONS, tree_of
from numbat.grammar.names import KEYWORDS, NAME, unquoted
from numbat.grammar.properties import ABSENT, PropertyExample
from numbat.grammar.statements import (
    ArgumentSyntax,
    ChangeStatement,
    ConditionSyntax,
    ConstituencyStatement,
    ConstructionStatement,
    DemandSyntax,
    EntryStatement,
    ExamplesSyntax,
    FeatureRuleStatement,
    FeatureStatement,
    GroupSyntax,
    HeadStatement,
    InheritStatement,
    MarkStatement,
    OperandSyntax,
    OrderSyntax,
    ParameterSyntax,
    PlacedText,
    ProfilePartSyntax,
    ProfileStatement,
    PropertyStatement,
    ReadingSection,
    ReadingSyntax,
    RelationStatement,
    SettingStatement,
    SpellingStatement,
    Statement,
    StrengthStatement,
    StrengthSyntax,
    SwitchStatement,
    TemplateStatement,
    TitleStatement,
    TokenRuleStatement,
    TypeStatement,
    UnreadLine,
    Variable,
    WithoutWordStatement,
    first_operand,
)
from numbat.grammar.syntax_errors import syntax_problem
from numbat.records import frozen

DEEPEST: Final = 50
"""Maximum nesting depth of an expression."""


@frozen
class LogicalLine:
    """Text that is parsed as a unit: one line, or several if a bracket is open. `span` is where it begins."""

    text: str
    span: Span
    indented: bool


ParseLine = Callable[[LogicalLine, str], tuple[list[Any], Problem | None]]
"""Function from a logical line and a start rule to its statements, or to its problem."""

_NESTING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|#[^\n]*|[()]|\b(?:not|and|or)\b')
_BOUNDARY: Final = re.compile(r"\n(?=[^\s\])}#])")
"""The end of a line, before an unindented line that does not close a bracket; no bracket extends beyond it."""
_PIECE: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"?|#[^\n]*|[\[({\])}]|\n|[^"#\[({\])}\n]+')


def blocks_of(text: str) -> Iterator[tuple[int, str]]:
    """Split a text before its unindented lines; yield each block with the number of its first line.

    No logical line extends over two blocks, so that blocks can be read separately.
    """
    number, begin = 1, 0
    for end in (*(match.end() for match in _BOUNDARY.finditer(text)), len(text)):
        yield number, text[begin:end]
        number += text.count("\n", begin, end)
        begin = end


def logical_lines(text: str, path: str, first: int = 1) -> Iterator[LogicalLine]:
    """Yield the non-empty logical lines of a text, which begins in the line `first` of its file.

    An open bracket continues a line only if it is closed before the next unindented line; so a forgotten bracket spoils
    one line, not the rest of the file.
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
    """Return the positions of opening brackets that close before the next unindented line."""
    closed: set[int] = set()
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
            closed.add(waiting.pop())
    return closed


def read(
    text: str, path: str, parse_line: ParseLine | None = None, of_block: ReadBlock | None = None
) -> tuple[list[Statement], list[Problem]]:
    """Return the statements of a file in the notation, and all its syntax errors.

    `parse_line` replaces `parse`. `of_block` is called with a key and a function that reads a block, and may cache the
    result by the key.
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
    """The result of reading a block, and the state of `_FileReader` at its end, where the next block continues."""

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
    """State of reading a file: statements and problems so far, and the section to which the next indented line belongs.

    `opening` is the line that opened that section. If the line opened a construction whose name resembles the keyword
    of a section, such as `lexikon:`, `misspelt` is the resembling section.
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
            message = "an indented line must belong to a section or a construction"
            self.problems.append(Problem(message, line.span, hint='begin one first, such as "NP:"'))

    def _top(self, line: LogicalLine) -> None:
        """Read a line without indentation: a setting, or the opening of a section or a construction."""
        statements, problem = self.parse(line, "top")
        word = re.match(NAME, line.text)
        name = word[0] if word else ""
        if problem is not None and self.section in (None, "construction") and name not in KEYWORDS["top"]:
            member, wrong = self.parse(line, "construction_line")
            if wrong is None:  # a property that lost its indentation opens nothing
                self._add(line, member if self.section else [], problem)
                return
        if problem is None:
            self.section = next((s.section for s in statements if isinstance(s, SectionOpening)), None)
        else:
            self.section = name if name in SECTIONS else "construction"
            statements = _probable_opening(line)
        self.opening = line
        self.misspelt = _section_like(name) if self.section == "construction" else ""
        self._add(line, statements, problem)

    def _member(self, line: LogicalLine, section: str) -> None:
        """Read an indented line of the open section."""
        statements, problem = self.parse(line, f"{section}_line")
        if problem is not None and self.misspelt and self.opening is not None:
            members, wrong = self.parse(line, f"{self.misspelt}_line")
            if wrong is None:
                self.problems.append(_misspelt_section(self.opening, self.misspelt))
                statements, problem, self.section = members, None, self.misspelt
        if problem is None:
            self.misspelt = ""
        self._add(line, statements, problem)

    def _add(self, line: LogicalLine, statements: list[Any], problem: Problem | None) -> None:
        """Add the statements and the problem of a line."""
        if problem is not None:
            self.problems.append(problem)
            if not line.indented or self.section in ("features", "marks", "relation"):
                words = re.findall(rf'{NAME}|"[^"]*"', line.text)
                self.statements.append(UnreadLine(tuple(map(unquoted, words))))
        for statement in statements:
            if isinstance(statement, RelationAttribute):
                self._amend(statement)
            elif isinstance(statement, ExamplesSyntax):
                self._illustrate(statement)
            elif isinstance(statement, StrengthStatement) and self.section is None:
                self.statements.append(replace(statement, everywhere=True))
            elif not isinstance(statement, SectionOpening):
                self.statements.append(statement)

    def _amend(self, attribute: RelationAttribute) -> None:
        """Apply an attribute such as `monotonic yes` to the relation above it, if the relation had no mistake."""
        last = self.statements[-1] if self.statements else None
        if isinstance(last, RelationStatement):
            attributes: dict[str, Any] = {attribute.name: attribute.value}
            self.statements[-1] = replace(last, **attributes)

    def _illustrate(self, line: ExamplesSyntax) -> None:
        """Add the examples on a line to the property above it."""
        last = self.statements[-1] if self.statements else None
        if isinstance(last, PropertyStatement):
            self.statements[-1] = replace(last, examples=(*last.examples, *line.examples))
        elif not self.problems:  # else the property may be on a line with a mistake
            hint = 'write them behind the property or below it: NP ~> VP [number] e.g. *"the cat sleep"'
            message = "examples belong to a property, but there is none above"
            self.problems.append(Problem(message, line.span, hint=hint))


def _section_like(name: str) -> str:
    """Return the section whose keyword resembles a name, empty if none does."""
    return next((section for section in SECTIONS[:-2] if close_match(name, [section])), "")


def _misspelt_section(opening: LogicalLine, meant: str) -> Problem:
    name = opening.text.partition(":")[0].strip()
    span = replace(opening.span, end_column=opening.span.column + len(name))
    message = f'"{name}" opens a construction, but the lines below it belong to "{meant}"'
    return Problem(message, span, hint=f'did you mean "{meant}:"?')


def _probable_opening(line: LogicalLine) -> list[Statement]:
    """Return the opening of a construction that a line with a mistake probably is; the lines below belong to it."""
    word = re.match(rf'{NAME}|"[^"]*"', line.text)
    if word is None or word[0] in SECTIONS or word[0] in KEYWORDS["top"]:
        return []
    span = replace(line.span, end_column=line.span.column + len(word[0]))
    return [ConstructionStatement(PlacedText(unquoted(word[0]), span))]


def parse(line: LogicalLine, start: str, tree: Callable[[str, str], Any] = tree_of) -> tuple[list[Any], Problem | None]:
    """Return the statements of a logical line, or its problem; `tree` parses a text with a rule such as `start`."""
    if _depth(line.text) > DEEPEST:
        return [], Problem(
            f"this is nested more than {DEEPEST} levels deep", line.span, hint="split it into several relations"
        )
    try:
        parsed = tree(line.text, start)
    except UnexpectedInput as error:
        return [], syntax_problem(error, line.text, line.span, start)
    read = StatementReader(line.span).transform(parsed)
    return (read if isinstance(read, list) else [read]), None


def _depth(text: str) -> int:
    """Return the nesting depth of brackets and negations; "and" and "or" add none."""
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


# Lark trees to placed texts and expressions


class ExpressionReader(Transformer[Token, Any]):
    """Lark transformer for names, numbers and expressions of `notation.lark`, with one method for each rule.

    `origin` is where the line begins. Each method takes the list of the results for the parts of its rule.
    """

    def __init__(self, origin: Span) -> None:
        super().__init__(visit_tokens=False)
        self._origin = origin

    def _placed(self, token: Token) -> PlacedText:
        """Return the text of a token with its position in the file."""
        assert token.line is not None
        assert token.column is not None
        shift = self._origin.column - 1 if token.line == 1 else 0
        column = token.column + shift
        span = Span(self._origin.path, self._origin.line + token.line - 1, column, column + len(token))
        return PlacedText(composed(token) if token.type == "NAME" else unquoted(str(token)), span)

    def _single(self, children: list[Token]) -> PlacedText:
        return self._placed(children[0])

    category = form = atom = name = string = number = whole = path = every = _single
    prefix_symbol = infix_symbol = order_symbol = comparison = setting_name = file_setting = tree_features = _single

    def or_(self, children: list[Any]) -> Expression:
        operands = tuple(child for child in children if not isinstance(child, Token))
        return expressions.Or(operands) if len(operands) > 1 else operands[0]

    def and_(self, children: list[Any]) -> Expression:
        operands = tuple(child for child in children if not isinstance(child, Token))
        return expressions.And(operands) if len(operands) > 1 else operands[0]

    def not_(self, children: list[Any]) -> Expression:
        return expressions.Not(children[-1])

    def index(self, children: list[Any]) -> Expression:
        _, left, comparison, _, right = children
        forward, backward = expressions.Precedes(left, right), expressions.Precedes(right, left)
        meanings: dict[str, Expression] = {
            "<": forward,
            "≺": forward,
            ">": backward,
            "<=": expressions.Not(backward),
            ">=": expressions.Not(forward),
            "=": expressions.Not(expressions.Or((forward, backward))),
            "!=": expressions.Or((forward, backward)),
        }
        return meanings[str(comparison)]

    def place(self, children: list[Any]) -> Expression:
        _, parameter, comparison, number = children
        return expressions.Place(parameter, _sign(comparison), int(number))

    def first(self, children: list[Any]) -> Expression:
        return expressions.Place(children[1], "=", 1)

    def last(self, children: list[Any]) -> Expression:
        return expressions.Last(children[1])

    def distance(self, children: list[Any]) -> Expression:
        _, left, right, comparison, number = children
        return expressions.Distance(left, right, _sign(comparison), int(number))

    def count(self, children: list[Any]) -> Expression:
        _, parameter, comparison, number = children
        return expressions.Count(parameter, _sign(comparison), int(number))

    def adjacent(self, children: list[Any]) -> Expression:
        return expressions.Adjacent(*children[1:])

    def present(self, children: list[Any]) -> Expression:
        return expressions.Present(children[1])

    def agree(self, children: list[Any]) -> Expression:
        return expressions.Agree(*children[1:])

    def same_value(self, children: list[Any]) -> Expression:
        return expressions.SameValue(*children)

    def has_value(self, children: list[Any]) -> Expression:
        return expressions.HasValue(*children)

    def other_value(self, children: list[Any]) -> Expression:
        return expressions.Not(expressions.SameValue(*children))

    def lacks_value(self, children: list[Any]) -> Expression:
        return expressions.Not(expressions.HasValue(*children))

    def true(self, children: list[Any]) -> Expression:
        return expressions.Always(True)

    def false(self, children: list[Any]) -> Expression:
        return expressions.Always(False)


def _sign(comparison: str) -> str:
    return "<" if comparison == "≺" else str(comparison)


# Lark trees to statements


@frozen
class SectionOpening:
    """Opening of a section: the following lines are its members."""

    section: str


@frozen
class RelationAttribute:
    """Attribute of the relation above: `monotonic yes`, `says "..."`."""

    name: str
    value: bool | str


def _flat(children: Iterable[Any]) -> list[Any]:
    """Return the children as one list: members of lists are taken out, and absent optional parts (None) left out."""
    flat: list[Any] = []
    for child in children:
        if isinstance(child, list):
            flat += child
        elif child is not None:
            flat.append(child)
    return flat


def _opening(section: str) -> staticmethod[[list[Any]], list[Any]]:
    """Return the transformer method for the opening of a section that consists only of its keyword."""
    return staticmethod(lambda children: [SectionOpening(section), *_members(children)])


def _entries_of(section: ReadingSection) -> staticmethod[[list[Any]], list[Statement]]:
    """Return the transformer method for a line of a section of entries."""
    return staticmethod(lambda children: [replace(entry, section=section) for entry in _flat(children)])


class StatementReader(ExpressionReader):
    """Lark transformer for the statements of `notation.lark`, one method per rule."""

    # sections and settings

    def value(self, children: list[Any]) -> OperandSyntax:
        (child,) = children
        return child if isinstance(child, OperandSyntax) else OperandSyntax(child)

    file = value

    def setting(self, children: list[Any]) -> list[Statement]:
        key, *values = children
        return [SettingStatement(key, tuple(value for value in values if value is not None))]

    def leaves(self, children: list[Any]) -> list[Statement]:
        key, *leaves = children
        titles = [TitleStatement(leaf.category, str(title)) for leaf, title in leaves if title]
        return [SettingStatement(self._placed(key), tuple(leaf for leaf, _ in leaves)), *titles]

    leaf = feature_value = staticmethod(tuple)

    open_features, open_semantics, open_tokens = _opening("features"), _opening("semantics"), _opening("tokens")
    open_lexicon, open_guess, open_names = _opening("lexicon"), _opening("guess"), _opening("names")
    open_spelling, open_types, open_marks = _opening("spelling"), _opening("types"), _opening("marks")

    def changed(self, children: list[Any]) -> list[tuple[PlacedText, PropertyStatement]]:
        category, *properties = children
        return [(category, statement) for statement in properties if isinstance(statement, PropertyStatement)]

    def word(self, children: list[Any]) -> WithoutWordStatement:
        _, form, readings = children
        return WithoutWordStatement(form, tuple(readings or ()))

    def override(self, children: list[Any]) -> list[ChangeStatement]:
        return [ChangeStatement("override", *change) for change in children[-1]]

    def without(self, children: list[Any]) -> list[Statement]:
        lost = children[-1]
        is_word = isinstance(lost, WithoutWordStatement)
        return [lost] if is_word else [ChangeStatement("without", *change) for change in lost]

    def profile(self, children: list[Any]) -> ProfileStatement:
        _, name, _, parent, *parts = children
        return ProfileStatement(name, parent, tuple(part for part in parts if part is not None))

    def profile_part(self, children: list[Any]) -> ProfilePartSyntax:
        words = [self._placed(child) if isinstance(child, Token) else child for child in children]
        return ProfilePartSyntax(words[0] if len(words) > 1 else PlacedText("", words[0].span), words[-1])

    def open_construction(self, children: list[Any]) -> list[Any]:
        name, parents, title, members = children
        opened = ConstructionStatement(name, str(title or ""), parents or ())
        return [SectionOpening("construction"), opened, *(members or [])]

    def parents(self, children: list[Any]) -> tuple[PlacedText, ...]:
        return tuple(children[1:])

    def type(self, children: list[Any]) -> TypeStatement:
        name, *members = children
        return TypeStatement(name, tuple(members))

    def dropped(self, children: list[Any]) -> ChangeStatement:
        _, statement = children
        return ChangeStatement("without", None, statement)

    def open_relation(self, children: list[Any]) -> list[Any]:
        _, name, *parameters, matched, expression = children
        return [SectionOpening("relation"), RelationStatement(name, tuple(parameters), matched, expression)]

    def open_template(self, children: list[Any]) -> TemplateStatement:
        _, (name, *parameters), readings = children
        return TemplateStatement(name, tuple(parameters), readings)

    def template_head(self, children: list[Any]) -> list[PlacedText]:
        return [child for child in children if child is not None]

    def each(self, children: list[Any]) -> tuple[PlacedText, ...]:
        return tuple(child for child in children if isinstance(child, PlacedText))

    types_line = features_line = semantics_line = tokens_line = lexicon_line = spelling_line = staticmethod(_flat)
    relation_line = construction_line = operands = marks_line = staticmethod(_flat)

    guess_line, names_line = _entries_of("guess"), _entries_of("names")

    def feature(self, children: list[Any]) -> list[Statement]:
        name, *values = children
        titles = [TitleStatement(value, str(title), name) for value, title in values if title]
        return [FeatureStatement(name, tuple(value for value, _ in values)), *titles]

    def mark(self, children: list[Any]) -> MarkStatement:
        name, *signs = children
        return MarkStatement(name, tuple(signs))

    def switch(self, children: list[Any]) -> SwitchStatement:
        return SwitchStatement(*children)

    def affixes(self, children: list[Any]) -> list[TokenRuleStatement]:
        kind, *forms, _, group = children
        beside = group.operands if group else ()
        return [TokenRuleStatement(kind.type.lower(), (form,), beside) for form in forms]

    def segment(self, children: list[Any]) -> TokenRuleStatement:
        return TokenRuleStatement("segment")

    def rewrite(self, children: list[Any]) -> TokenRuleStatement:
        return TokenRuleStatement("rewrite", tuple(children[1:]))

    def entry(self, children: list[Any]) -> list[EntryStatement]:
        *forms, readings = children
        return [EntryStatement(form, readings) for form in forms]

    def readings(self, children: list[Any]) -> tuple[ReadingSyntax, ...]:
        return tuple(children)

    def reading(self, children: list[Any]) -> ReadingSyntax:
        category, arguments, demands, _, weight, _, lemma = children
        return ReadingSyntax(OperandSyntax(category, demands or ()), weight, lemma, arguments or ())

    def arguments(self, children: list[Any]) -> tuple[ArgumentSyntax, ...]:
        return tuple(children)

    def argument(self, children: list[PlacedText]) -> ArgumentSyntax:
        return tuple(children)

    def spelling(self, children: list[Any]) -> SpellingStatement:
        *patterns, operands = children
        return SpellingStatement(tuple(patterns), operands)

    def spelt(self, children: list[GroupSyntax]) -> tuple[OperandSyntax, ...]:
        return tuple(
            replace(operand, demands=(*operand.demands, *group.shared))
            for group in children
            for operand in group.operands
        )

    # relations of the grammar writer

    def truth(self, children: list[Token]) -> bool:
        return str(children[0]) == "yes"

    def monotonic(self, children: list[Any]) -> RelationAttribute:
        return RelationAttribute("monotonic", children[1])

    def symmetric(self, children: list[Any]) -> RelationAttribute:
        return RelationAttribute("symmetric", children[1])

    def says(self, children: list[Any]) -> RelationAttribute:
        return RelationAttribute("says", str(children[1]))

    def but(self, children: list[Any]) -> RelationAttribute:
        return RelationAttribute("but", str(children[1]))

    # constructions

    def head(self, children: list[Any]) -> HeadStatement:
        return HeadStatement(tuple(children[1:]))

    def inherit(self, children: list[Any]) -> InheritStatement:
        return InheritStatement(tuple(children[1:]))

    def fixed(self, children: list[Any]) -> FeatureRuleStatement:
        feature, value, condition = children
        return FeatureRuleStatement(feature, value, condition=condition)

    def copied(self, children: list[Any]) -> FeatureRuleStatement:
        feature, _, *sources, condition = children
        return FeatureRuleStatement(feature, sources=tuple(sources), condition=condition)

    def condition(self, children: list[Any]) -> ConditionSyntax:
        condition: ConditionSyntax = children[-1]
        return condition

    def any_of(self, children: list[Any]) -> ConditionSyntax:
        return ConditionSyntax("or", tuple(child for child in children if not isinstance(child, Token)))

    def all_of(self, children: list[Any]) -> ConditionSyntax:
        return ConditionSyntax("and", tuple(child for child in children if not isinstance(child, Token)))

    def there(self, children: list[GroupSyntax]) -> ConditionSyntax:
        (group,) = children
        return ConditionSyntax("there", operands=self.spelt([group]))

    def not_there(self, children: list[Any]) -> ConditionSyntax:
        return ConditionSyntax("not", (children[-1],))

    def const(self, children: list[Any]) -> ConstituencyStatement:
        return ConstituencyStatement(children[1].operands)

    def all(self, children: list[Any]) -> StrengthStatement:
        return StrengthStatement(*children[-2:])

    # properties

    def strength(self, children: list[Any]) -> StrengthSyntax:
        marks: dict[str, Any] = {}
        for i, child in enumerate(children):
            if isinstance(child, Token) and str(child) in marks:
                marks["doubled"] = self._placed(child)
            elif isinstance(child, Token):
                marks[str(child)] = True if child == "hard" else children[i + 1]
        return StrengthSyntax(**marks)

    def stated_property(self, children: list[Any]) -> PropertyStatement:
        simple, condition, strength, behind, gloss, shown = children
        if condition and behind:
            strength = replace(strength, doubled=PlacedText("if", simple.relation.span))
        statement: PropertyStatement = replace(
            simple,
            strength=strength,
            condition=condition or behind,
            title=str(gloss or ""),
            examples=shown.examples if shown else (),
        )
        return statement

    def examples(self, children: list[PropertyExample]) -> ExamplesSyntax:
        return ExamplesSyntax(tuple(children), self._origin)

    def example(self, children: list[Any]) -> PropertyExample:
        star, text = children
        return PropertyExample(str(text), star is not None, text.span)

    def price(self, children: list[Any]) -> PropertyStatement:
        keyword, group, number, title, register, condition, shown = children
        place = self._placed(keyword)
        parameters = () if group is None else (((group,),),)
        strength = StrengthSyntax(cost=number)
        about = str(title or ""), str(register or ""), shown.examples if shown else ()
        return PropertyStatement(place, parameters, strength, place.span, (), condition, None, *about)

    def unpriced(self, children: list[Any]) -> PropertyStatement:
        keyword, group, condition = children
        return self.price([keyword, group, None, None, None, condition, None])

    def prefixed(self, children: list[Any]) -> PropertyStatement:
        symbol, alternatives = children
        return self._property(symbol, (alternatives,), symbol)

    def unique(self, children: list[Any]) -> PropertyStatement:
        (group,) = children
        where = group.operands[0].category
        return self._property(PlacedText("uniq", where.span), (((group,),),), where)

    def infixed(self, children: list[Any]) -> PropertyStatement:
        left, symbol, right = children
        return self._property(symbol, (left, right), left[0][0].operands[0].category)

    def ordered(self, children: list[Any]) -> OrderSyntax:
        return OrderSyntax(*children)

    def in_order(self, children: list[OrderSyntax]) -> PropertyStatement:
        (order,) = children
        return self.infixed([order.left, order.symbol, order.right])

    def anonymous(self, children: list[Any]) -> PropertyStatement:
        span = first_operand(children[0]).category.span
        return PropertyStatement(PlacedText("", span), (), StrengthSyntax(), span, formula=children[0])

    def called(self, children: list[Any]) -> PropertyStatement:
        name, *parameters, shared = children
        statement = self._property(name, tuple(parameters), name)
        return replace(statement, shared=shared) if shared else statement

    def _property(
        self, relation: PlacedText, parameters: tuple[ParameterSyntax, ...], first: PlacedText
    ) -> PropertyStatement:
        last = parameters[-1][-1][-1].operands[-1].category.span
        end = last.end_column if last.line == first.span.line else first.span.end_column
        shared = parameters[-1][-1][-1].shared
        return PropertyStatement(relation, parameters, StrengthSyntax(), replace(first.span, end_column=end), shared)

    def alternatives(self, children: list[Any]) -> ParameterSyntax:
        return tuple(children)

    def joint(self, children: list[Any]) -> tuple[GroupSyntax, ...]:
        return tuple(children)

    def single(self, children: list[Any]) -> GroupSyntax:
        category, demands, shared = children
        return GroupSyntax((OperandSyntax(category, demands or ()),), shared or ())

    def braces(self, children: list[Any]) -> GroupSyntax:
        *operands, shared = children
        return GroupSyntax(tuple(operands), shared or (), braces=True)

    def operand(self, children: list[Any]) -> OperandSyntax:
        category, demands = children
        return OperandSyntax(category, demands or ())

    def bracket(self, children: list[Any]) -> tuple[DemandSyntax, ...]:
        return tuple(children)

    def bare(self, children: list[Any]) -> DemandSyntax:
        return DemandSyntax(None, tuple(children))

    def demanded(self, children: list[Any]) -> DemandSyntax:
        feature, *values = children
        return DemandSyntax(feature, tuple(values))

    def excluded(self, children: list[Any]) -> DemandSyntax:
        feature, *values = children
        return DemandSyntax(feature, tuple(values), others=True)

    def lacking(self, children: list[Any]) -> DemandSyntax:
        no, feature = children
        return DemandSyntax(feature, (PlacedText(ABSENT, self._placed(no).span),))

    def accepted(self, children: list[Any]) -> PlacedText:
        (value,) = children
        if isinstance(value, PlacedText):
            return value
        placed = self._placed(value)
        return Variable(placed, placed.span) if value.type == "VARIABLE" else PlacedText(ABSENT, placed.span)


def _members(children: list[Any]) -> list[Any]:
    """Return the members on the opening line of a section, behind the colon."""
    return _flat(child for child in children if not isinstance(child, Token))
