"""Places of names in a text: of categories, features, values, relations, templates, profiles, forms and files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from numbat.errors import Span
from numbat.grammar.expressions import HasValue, SameValue
from numbat.grammar.marks import AFTER, BEFORE
from numbat.grammar.model import Grammar, relations_of
from numbat.grammar.names import format_atom, format_name
from numbat.grammar.properties import ABSENT
from numbat.grammar.statements import (
    ChangeStatement,
    ConditionSyntax,
    ConstituencyStatement,
    ConstructionStatement,
    DemandSyntax,
    EntryStatement,
    FeatureRuleStatement,
    FeatureStatement,
    GroupSyntax,
    HeadStatement,
    InheritStatement,
    MarkStatement,
    OperandSyntax,
    OrderSyntax,
    PlacedText,
    ProfileStatement,
    PropertyStatement,
    ReadingSyntax,
    RelationStatement,
    SettingStatement,
    SpellingStatement,
    Statement,
    StrengthStatement,
    TemplateStatement,
    TokenRuleStatement,
    TypeStatement,
    Variable,
    WithoutWordStatement,
)
from numbat.records import frozen

Kind = Literal["category", "feature", "value", "bare", "relation", "template", "profile", "form", "file"]
"""Kind of a name; a `bare` name stands alone in a bracket and may be a feature or a value."""


@frozen
class NamePlace:
    """A name at a place; `feature` is the feature of a value, and `is_definition` is true if the place declares it."""

    kind: Kind
    name: str
    span: Span
    is_definition: bool = False
    feature: str = ""


@frozen
class GrammarSymbol:
    """A symbol that names refer to: values of the same name but different features are different symbols.

    The values of `before` and `after` are marks, which are the same symbols.
    """

    kind: Kind
    name: str
    feature: str = ""

    def written(self, name: str) -> str:
        """Return a new name for the symbol in the notation, quoted if necessary."""
        return format_atom(name) if self.kind in ("value", "feature", "form") else format_name(name)


def occurrences_of(statements: Iterable[Statement]) -> list[NamePlace]:
    """Return all names in the statements of a file, each place once, in the order of the file."""
    places: dict[tuple[Kind, Span], NamePlace] = {}
    for statement in statements:
        read = READERS.get(type(statement))
        for place in read(statement) if read else ():
            if place.name and not isinstance(place.name, Variable):
                places.setdefault((place.kind, place.span), place)
    return sorted(places.values(), key=lambda place: (place.span.line, place.span.column))


class Meanings:
    """Resolves names in a grammar: bare names to features or values, symbols to relations, categories to templates."""

    def __init__(self, grammar: Grammar | None, templates: Iterable[str] = ()) -> None:
        self._features = dict(() if grammar is None else grammar.features)
        self._marks = {name for name, _ in (() if grammar is None else grammar.marks)}
        self._templates = {*templates}
        self._relations: dict[str, str] = {}
        for relation in [] if grammar is None else dict.fromkeys(relations_of(grammar).values()):
            for sign in (relation.name, relation.symbol, *relation.aliases):
                self._relations[sign] = relation.name

    def symbol(self, place: NamePlace) -> GrammarSymbol:
        """Return the symbol that a name refers to."""
        name = str(place.name)
        if place.kind == "bare":
            features = [feature for feature, values in self._features.items() if name in values]
            if name in self._features or not features:
                return GrammarSymbol("feature", name)
            return GrammarSymbol("value", name, features[0])
        if place.kind == "relation":
            return GrammarSymbol("relation", self._relations.get(name, name))
        if place.kind == "category" and name in self._templates:
            return GrammarSymbol("template", name)
        is_of_mark = place.feature == AFTER and name in self._marks  # the same mark as with the other feature
        return GrammarSymbol(place.kind, name, BEFORE if is_of_mark else place.feature)


# Readers of statements: each yields the names in one statement, in any order

Names = Iterator[NamePlace]


def _one(kind: Kind, word: PlacedText | str | None, is_definition: bool = False, feature: str = "") -> Names:
    if isinstance(word, PlacedText) and not isinstance(word, Variable) and word != ABSENT:
        yield NamePlace(kind, str(word), word.span, is_definition, str(feature))


def _each(kind: Kind, words: Iterable[PlacedText | str], is_definition: bool = False, feature: str = "") -> Names:
    for word in words:
        yield from _one(kind, word, is_definition, feature)


def _syntax(part: Any) -> Names:
    """Yield the names in any part of a statement."""
    match part:
        case OperandSyntax():
            yield from _one("category", part.category)
            yield from _syntax(part.demands)
        case DemandSyntax():
            if part.feature is None:
                yield from _each("bare", part.values)
            else:
                yield from _one("feature", part.feature)
                yield from _each("value", part.values, feature=part.feature)
        case GroupSyntax():
            yield from _syntax((part.operands, part.shared))
        case ConditionSyntax():
            yield from _syntax((part.operands, part.parts))
        case OrderSyntax():
            yield from _syntax((part.left, part.right))
            yield from _one("relation", part.symbol)
        case HasValue():
            yield from _syntax(part.parameter)
            yield from _one("feature", part.feature)
            yield from _one("value", part.value, feature=part.feature)
        case SameValue():
            yield from _syntax((part.left, part.right))
            yield from _each("feature", (part.left_feature, part.right_feature))
        case ReadingSyntax():
            yield from _one("category", part.operand.category)
            yield from _syntax((part.operand.demands, part.row))
        case PropertyStatement():
            yield from _one("relation", part.relation)
            yield from _syntax((part.parameters, part.shared, part.condition, part.formula))
        case list() | tuple():
            for item in part:
                yield from _syntax(item)
        case _ if hasattr(part, "__dataclass_fields__"):
            for name in part.__dataclass_fields__:
                yield from _syntax(getattr(part, name))


def _setting(statement: SettingStatement) -> Names:
    if statement.key in ("include", "lexicon_file"):
        yield from _each("file", (value.category for value in statement.values))
    elif statement.key == "leaves":
        yield from _each("category", (value.category for value in statement.values), True)
    elif statement.key == "tree_features":
        yield from _each("feature", (value.category for value in statement.values))
    elif statement.key == "roots":
        yield from _syntax(statement.values)


def _feature(statement: FeatureStatement) -> Names:
    yield from _one("feature", statement.name, True)
    yield from _each("value", statement.values, True, statement.name)


def _mark(statement: MarkStatement) -> Names:
    yield from _one("value", statement.name, True, BEFORE)


def _type(statement: TypeStatement) -> Names:
    yield from _one("category", statement.name, True)
    yield from _each("category", statement.members)


def _profile(statement: ProfileStatement) -> Names:
    yield from _one("profile", statement.name, True)
    yield from _one("profile", statement.parent)


def _relation(statement: RelationStatement) -> Names:
    yield from _one("relation", statement.name, True)
    yield from _syntax(statement.holds)


def _template(statement: TemplateStatement) -> Names:
    yield from _one("template", statement.name, True)
    yield from _syntax(statement.readings)


def _construction(statement: ConstructionStatement) -> Names:
    yield from _one("category", statement.name, True)
    yield from _each("category", statement.parents)


def _rule(statement: FeatureRuleStatement) -> Names:
    yield from _one("feature", statement.feature)
    yield from _one("value", statement.value, feature=statement.feature)
    yield from _syntax((statement.sources, statement.condition))


def _change(statement: ChangeStatement) -> Names:
    yield from _one("category", statement.construction)
    yield from _syntax(statement.property)


def _without_word(statement: WithoutWordStatement) -> Names:
    yield from _one("form", statement.form)
    yield from _syntax(statement.readings)


def _entry(statement: EntryStatement) -> Names:
    if statement.section == "lexicon":
        yield from _one("form", statement.form, True)
    yield from _syntax(statement.readings)


READERS: Final[Mapping[type, Callable[[Any], Names]]] = {
    SettingStatement: _setting,
    FeatureStatement: _feature,
    MarkStatement: _mark,
    TypeStatement: _type,
    ProfileStatement: _profile,
    RelationStatement: _relation,
    TemplateStatement: _template,
    ConstructionStatement: _construction,
    FeatureRuleStatement: _rule,
    ChangeStatement: _change,
    WithoutWordStatement: _without_word,
    EntryStatement: _entry,
    HeadStatement: lambda statement: _syntax(statement.operands),
    ConstituencyStatement: lambda statement: _syntax(statement.operands),
    InheritStatement: lambda statement: _each("feature", statement.features),
    StrengthStatement: lambda statement: _one("relation", statement.relation),
    PropertyStatement: _syntax,
    SpellingStatement: lambda statement: _syntax(statement.operands),
    TokenRuleStatement: lambda statement: _syntax(statement.beside),
}
"""Readers of the names in a statement, by type of statement."""


def at(occurrences: Sequence[NamePlace], line: int, column: int) -> NamePlace | None:
    """Return the name at a place, the shortest of several; lines and columns count from 1."""
    here = [
        place
        for place in occurrences
        if place.span.line == line and place.span.column <= column <= max(place.span.end_column, place.span.column + 1)
    ]
    return min(here, key=lambda place: place.span.end_column - place.span.column, default=None)
