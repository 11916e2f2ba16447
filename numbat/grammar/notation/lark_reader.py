"""From Lark's trees of the notation to statements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from lark import Token, Transformer

from numbat.grammar import expressions as rel
from numbat.grammar.names import unquoted
from numbat.grammar.notation import statements as w
from numbat.source import Span


@dataclass(frozen=True, slots=True)
class Opened:
    """The lines that follow are members of a section, or of a construction."""

    section: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """`monotonic yes` and the like, of the relation above."""

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


def _opening(section: str) -> staticmethod[[list[Any]], list[Any]]:
    """What opens a section that has no more than its name, and the members on its line."""
    return staticmethod(lambda children: [Opened(section), *_members(children)])


def _entries_of(section: w.WordSection) -> staticmethod[[list[Any]], list[w.Statement]]:
    return staticmethod(lambda children: [replace(entry, section=section) for entry in _flat(children)])


class Reader(Transformer[Token, Any]):
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

    category = form = atom = name = string = number = whole = _single
    prefix_symbol = infix_symbol = comparison = setting_name = tree_features = _single

    # sections and settings

    def value(self, children: list[Any]) -> w.WrittenOperand:
        (child,) = children
        return child if isinstance(child, w.WrittenOperand) else w.WrittenOperand(child)

    def setting(self, children: list[Any]) -> list[w.Statement]:
        key, *values = children
        return [w.Setting(key, tuple(value for value in values if value is not None))]

    open_features, open_semantics, open_tokens = _opening("features"), _opening("semantics"), _opening("tokens")
    open_lexicon, open_guess, open_names = _opening("lexicon"), _opening("guess"), _opening("names")
    open_spelling = _opening("spelling")

    def open_construction(self, children: list[Any]) -> list[Any]:
        name, title, members = children
        return [Opened("construction"), w.OpenConstruction(name, str(title or "")), *(members or [])]

    def open_relation(self, children: list[Any]) -> list[Any]:
        _, name, *parameters, each, expression = children
        return [Opened("relation"), w.WrittenRelation(name, tuple(parameters), each, expression)]

    def each(self, children: list[Any]) -> tuple[w.Word, ...]:
        return tuple(child for child in children if isinstance(child, w.Word))

    features_line = semantics_line = tokens_line = lexicon_line = spelling_line = staticmethod(_flat)
    relation_line = construction_line = operands = staticmethod(_flat)

    guess_line, names_line = _entries_of("guess"), _entries_of("names")

    def feature(self, children: list[Any]) -> w.FeatureDeclaration:
        name, *values = children
        return w.FeatureDeclaration(name, tuple(values))

    def switch(self, children: list[Any]) -> w.Switch:
        return w.Switch(*children)

    def suffixes(self, children: list[Any]) -> list[w.WrittenTokenRule]:
        return [w.WrittenTokenRule("suffix", (form,)) for form in children[1:]]

    def prefixes(self, children: list[Any]) -> list[w.WrittenTokenRule]:
        return [w.WrittenTokenRule("prefix", (form,)) for form in children[1:]]

    def rewrite(self, children: list[Any]) -> w.WrittenTokenRule:
        return w.WrittenTokenRule("rewrite", tuple(children[1:]))

    def entry(self, children: list[Any]) -> w.WrittenEntry:
        form, readings = children
        return w.WrittenEntry(form, readings)

    def readings(self, children: list[Any]) -> tuple[w.WrittenReading, ...]:
        return tuple(children)

    def reading(self, children: list[Any]) -> w.WrittenReading:
        operand, _, weight, _, lemma = children
        return w.WrittenReading(operand, weight, lemma)

    def spelling(self, children: list[Any]) -> w.WrittenSpelling:
        *patterns, operands = children
        return w.WrittenSpelling(tuple(patterns), operands)

    def spelt(self, children: list[w.Group]) -> tuple[w.WrittenOperand, ...]:
        return tuple(
            replace(operand, demands=(*operand.demands, *group.shared))
            for group in children
            for operand in group.operands
        )

    # relations of the grammar writer

    def truth(self, children: list[Token]) -> bool:
        return str(children[0]) == "yes"

    def monotonic(self, children: list[Any]) -> Attribute:
        return Attribute("monotonic", children[1])

    def symmetric(self, children: list[Any]) -> Attribute:
        return Attribute("symmetric", children[1])

    def says(self, children: list[Any]) -> Attribute:
        return Attribute("says", str(children[1]))

    def but(self, children: list[Any]) -> Attribute:
        return Attribute("but", str(children[1]))

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
        return rel.Count(parameter, "<" if comparison == "≺" else str(comparison), int(number))

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
            if isinstance(child, Token) and str(child) in said:
                said["doubled"] = self._word(child)
            elif isinstance(child, Token):
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
        name, *parameters, shared, strength = children
        written = self._property(name, tuple(parameters), strength, name)
        return replace(written, shared=shared) if shared else written

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
