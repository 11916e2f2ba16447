"""From Lark's trees of the notation to statements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from lark import Token

from numbat.grammar.notation.lark_expressions import ExpressionReader
from numbat.grammar.notation.statements import (
    ConstituencyStatement,
    ConstructionStatement,
    DemandSyntax,
    EntryStatement,
    FeatureRuleStatement,
    FeatureStatement,
    GroupSyntax,
    HeadStatement,
    InheritStatement,
    OperandSyntax,
    ParameterSyntax,
    PlacedText,
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
    TokenRuleStatement,
)
from numbat.records import frozen


@frozen
class SectionOpening:
    """The beginning of a section: the lines that follow are members of it, or of a construction."""

    section: str


@frozen
class RelationAttribute:
    """`monotonic yes`, `says "..."` and the like, an attribute of the relation above."""

    name: str
    value: bool | str


def _flat(children: Iterable[Any]) -> list[Any]:
    """The children, those of lists among them one by one; nothing stands for an optional part that is not there."""
    flat: list[Any] = []
    for child in children:
        if isinstance(child, list):
            flat += child
        elif child is not None:
            flat.append(child)
    return flat


def _opening(section: str) -> staticmethod[[list[Any]], list[Any]]:
    """The method for a section that has nothing but its name in front of the colon: opening and members on the line."""
    return staticmethod(lambda children: [SectionOpening(section), *_members(children)])


def _entries_of(section: ReadingSection) -> staticmethod[[list[Any]], list[Statement]]:
    """The method for a line of a section of entries."""
    return staticmethod(lambda children: [replace(entry, section=section) for entry in _flat(children)])


class StatementReader(ExpressionReader):
    """Lark transformer for the statements of `notation.lark`, a method for each rule."""

    # sections and settings

    def value(self, children: list[Any]) -> OperandSyntax:
        (child,) = children
        return child if isinstance(child, OperandSyntax) else OperandSyntax(child)

    def setting(self, children: list[Any]) -> list[Statement]:
        key, *values = children
        return [SettingStatement(key, tuple(value for value in values if value is not None))]

    open_features, open_semantics, open_tokens = _opening("features"), _opening("semantics"), _opening("tokens")
    open_lexicon, open_guess, open_names = _opening("lexicon"), _opening("guess"), _opening("names")
    open_spelling = _opening("spelling")

    def open_construction(self, children: list[Any]) -> list[Any]:
        name, title, members = children
        return [SectionOpening("construction"), ConstructionStatement(name, str(title or "")), *(members or [])]

    def open_relation(self, children: list[Any]) -> list[Any]:
        _, name, *parameters, each, expression = children
        return [SectionOpening("relation"), RelationStatement(name, tuple(parameters), each, expression)]

    def each(self, children: list[Any]) -> tuple[PlacedText, ...]:
        return tuple(child for child in children if isinstance(child, PlacedText))

    features_line = semantics_line = tokens_line = lexicon_line = spelling_line = staticmethod(_flat)
    relation_line = construction_line = operands = staticmethod(_flat)

    guess_line, names_line = _entries_of("guess"), _entries_of("names")

    def feature(self, children: list[Any]) -> FeatureStatement:
        name, *values = children
        return FeatureStatement(name, tuple(values))

    def switch(self, children: list[Any]) -> SwitchStatement:
        return SwitchStatement(*children)

    def suffixes(self, children: list[Any]) -> list[TokenRuleStatement]:
        return [TokenRuleStatement("suffix", (form,)) for form in children[1:]]

    def prefixes(self, children: list[Any]) -> list[TokenRuleStatement]:
        return [TokenRuleStatement("prefix", (form,)) for form in children[1:]]

    def rewrite(self, children: list[Any]) -> TokenRuleStatement:
        return TokenRuleStatement("rewrite", tuple(children[1:]))

    def entry(self, children: list[Any]) -> EntryStatement:
        form, readings = children
        return EntryStatement(form, readings)

    def readings(self, children: list[Any]) -> tuple[ReadingSyntax, ...]:
        return tuple(children)

    def reading(self, children: list[Any]) -> ReadingSyntax:
        operand, _, weight, _, lemma = children
        return ReadingSyntax(operand, weight, lemma)

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
        absent, operand = condition or (False, None)
        return FeatureRuleStatement(feature, value, condition=operand, absent=absent)

    def condition(self, children: list[Any]) -> tuple[bool, OperandSyntax]:
        return children[1] is not None, children[-1]

    def copied(self, children: list[Any]) -> FeatureRuleStatement:
        feature, _, *sources = children
        return FeatureRuleStatement(feature, sources=tuple(sources))

    def const(self, children: list[Any]) -> ConstituencyStatement:
        return ConstituencyStatement(children[1].operands)

    def all(self, children: list[Any]) -> StrengthStatement:
        return StrengthStatement(children[1], children[2])

    # properties

    def strength(self, children: list[Any]) -> StrengthSyntax:
        marks: dict[str, Any] = {}
        for i, child in enumerate(children):
            if isinstance(child, Token) and str(child) in marks:
                marks["doubled"] = self._placed(child)
            elif isinstance(child, Token):
                marks[str(child)] = True if child == "hard" else children[i + 1]
        return StrengthSyntax(**marks)

    def prefixed(self, children: list[Any]) -> PropertyStatement:
        symbol, alternatives, strength = children
        return self._property(symbol, (alternatives,), strength, symbol)

    def unique(self, children: list[Any]) -> PropertyStatement:
        group, strength = children
        where = group.operands[0].category
        return self._property(PlacedText("uniq", where.span), (((group,),),), strength, where)

    def infixed(self, children: list[Any]) -> PropertyStatement:
        left, symbol, right, strength = children
        return self._property(symbol, (left, right), strength, left[0][0].operands[0].category)

    def called(self, children: list[Any]) -> PropertyStatement:
        name, *parameters, shared, strength = children
        statement = self._property(name, tuple(parameters), strength, name)
        return replace(statement, shared=shared) if shared else statement

    def _property(
        self, relation: PlacedText, parameters: tuple[ParameterSyntax, ...], strength: StrengthSyntax, first: PlacedText
    ) -> PropertyStatement:
        last = parameters[-1][-1][-1].operands[-1].category.span
        end = last.end_column if last.line == first.span.line else first.span.end_column
        shared = parameters[-1][-1][-1].shared
        return PropertyStatement(relation, parameters, strength, replace(first.span, end_column=end), shared)

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


def _members(children: list[Any]) -> list[Any]:
    """The members on the line that opens a section, behind its colon, without the keyword in front of it."""
    return _flat(child for child in children if not isinstance(child, Token))
