"""Builds constructions from statements: resolves names, distributes braces, combines strengths.

`Declarations` looks up every name that a statement uses; `Rereading` keeps what earlier readings built, so that an edit
rebuilds only what changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from functools import partial
from itertools import product
from math import prod
from typing import Any, Final, Generic, TypeVar

from numbat.errors import Problem, Span, close_match, close_match_or, counted, shortened
from numbat.grammar import lexicon, notation
from numbat.grammar.model import Construction, Entry, FeatureRule, Reading
from numbat.grammar.names import format_name, format_value
from numbat.grammar.notation import Block, LogicalLine
from numbat.grammar.properties import (
    MAX_WEIGHT,
    UNIT,
    Demand,
    Operand,
    Parameter,
    Property,
    Strength,
    format_property,
    number_of_bundles,
)
from numbat.grammar.relations import Relation
from numbat.grammar.statements import (
    ChangeStatement,
    ConstituencyStatement,
    ConstructionStatement,
    DemandSyntax,
    EntryStatement,
    FeatureRuleStatement,
    HeadStatement,
    InheritStatement,
    OperandSyntax,
    ParameterSyntax,
    PlacedText,
    PropertyStatement,
    ReadingSyntax,
    Statement,
    StrengthStatement,
    StrengthSyntax,
)
from numbat.records import frozen

T = TypeVar("T")


def strengths_of(declarations: Declarations, statements: Iterable[StrengthStatement]) -> dict[str, Strength]:
    """Return the strength of each relation with an `all` line; a second line for one relation is an error."""
    found: dict[str, Strength] = {}
    places: dict[str, Span] = {}
    for statement in statements:
        relation = declarations.relation(statement.relation)
        if relation is None:
            continue
        place, before = statement.relation.span, places.get(relation.name)
        if before is not None and before.path == place.path:
            declarations.error(f'"all {relation.name}" is set twice', place, "put its marks in one line")
        if before is None or place.path == declarations.root:  # a file counts before those that it includes
            found[relation.name] = declarations.strength(statement.strength)
            places[relation.name] = place
    return found


def constructions_of(
    declarations: Declarations,
    statements: Sequence[Statement],
    everywhere: dict[str, Strength],
    earlier: Rereading | None = None,
) -> tuple[Construction, ...]:
    """Return the constructions in order of opening, joining the statements of several files about one.

    `everywhere` are the strengths that the grammar states for whole relations. What `earlier` readings built of the
    same statements is not built again.
    """
    parts: dict[str, list[Statement]] = {}
    opened: dict[str, ConstructionStatement] = {}
    current: list[Statement] | None = None
    changes: list[ChangeStatement] = []
    for statement in statements:
        if isinstance(statement, ConstructionStatement):
            current = parts.setdefault(str(statement.name), [])
            opened.setdefault(str(statement.name), statement)
        elif isinstance(statement, ChangeStatement):
            changes.append(statement)
        elif current is not None:
            current.append(statement)
    for change in changes:
        if change.construction in parts:
            parts[change.construction].append(change)
        elif change.construction not in declarations.unread:
            hint = close_match_or(change.construction, [*parts], f"the constructions are: {', '.join(parts)}")
            declarations.error(f'"{change.construction}" is no construction to change', change.construction.span, hint)

    def build(name: str) -> Construction:
        return _construction(declarations, opened[name], parts[name], everywhere)

    if earlier is None:
        return tuple([build(name) for name in parts])
    names = dict(declarations.features), [*declarations.categories], dict(declarations.relations), everywhere
    earlier.begin_constructions(names)
    every = ((name, (opened[name], *members)) for name, members in parts.items())
    return tuple([earlier.construction(declarations, said, partial(build, name)) for name, said in every])


def _only(
    declarations: Declarations, members: list[Statement], kind: type[T], keyword: str, place: Callable[[T], PlacedText]
) -> T | None:
    """Return the only statement of a kind in a construction, if any; a second one is an error."""
    found = [member for member in members if isinstance(member, kind)]
    for second in found[1:]:
        word = place(second)
        declarations.error(f'"{keyword}" stands twice in one construction', word.span, "put all of it in one line")
    return found[0] if found else None


def _construction(
    declarations: Declarations, opened: ConstructionStatement, members: list[Statement], everywhere: dict[str, Strength]
) -> Construction:
    name = str(opened.name)
    strengths = strengths_of(
        declarations, [m for m in members if isinstance(m, StrengthStatement) and not m.everywhere]
    )
    head = _only(declarations, members, HeadStatement, "head", lambda member: member.operands[0].category)
    inherit = _only(declarations, members, InheritStatement, "inherit", lambda member: member.features[0])
    const = _only(declarations, members, ConstituencyStatement, "const", lambda member: member.operands[0].category)
    inherited: tuple[str, ...] | None = None
    if inherit is not None:
        nothing = inherit.features == ("none",) and "none" not in declarations.features
        inherited = () if nothing else tuple(declarations.feature(word) for word in inherit.features)
    properties: dict[tuple[object, ...], Property] = {}
    for member in members:
        if isinstance(member, PropertyStatement):
            for prop in _properties(declarations, name, member, strengths, everywhere):
                key = (prop.relation, prop.operands, prop.features)
                first = properties.setdefault(key, prop)
                if first is not prop and first.span is not None:
                    there = f"{first.span.short}" if first.span.path != member.span.path else f"line {first.span.line}"
                    declarations.error(f"this property stands already in {there}", member.span, "remove one of the two")
    changed: dict[tuple[object, ...], Span] = {}
    for change in members:
        if isinstance(change, ChangeStatement):
            for prop in _properties(declarations, name, change.property, strengths, everywhere):
                _change(declarations, properties, change, prop, changed)
    return Construction(
        name,
        title=opened.title,
        head=declarations.operands(head.operands) if head else (),
        inherit=inherited,
        feature_rules=tuple(_rule(declarations, m) for m in members if isinstance(m, FeatureRuleStatement)),
        constituency=declarations.operands(const.operands) if const else None,
        strengths=tuple(strengths.items()),
        properties=tuple(properties.values()),
        span=opened.name.span,
    )


def _change(
    declarations: Declarations,
    properties: dict[tuple[object, ...], Property],
    change: ChangeStatement,
    prop: Property,
    changed: dict[tuple[object, ...], Span],
) -> None:
    """Change or remove the property that a statement names; one that is not there or changed already is an error."""
    key = (prop.relation, prop.operands, prop.features)
    span, text = change.property.span, format_property(prop)
    before = properties.get(key)
    if before is None:
        written = [format_property(each) for each in properties.values()]
        hint = close_match(text, written) or f"numbat show lists the properties of {format_name(prop.construction)}"
        if key in changed:
            hint = f"line {changed[key].line} has removed it"
        declarations.error(
            f'{format_name(prop.construction)} has no property "{text}" to {VERBS[change.keyword]}', span, hint
        )
        return
    if before.hard and change.keyword == "override" and not prop.stated.hard:
        message = f'"{text}" is hard, and stays so'
        declarations.error(message, span, "write hard behind it too; without removes a property")
        return
    if key in changed and changed[key].path == span.path:
        declarations.error(
            f'"{text}" is changed twice, first in line {changed[key].line}', span, "remove one of the two"
        )
        return
    changed[key] = span
    if change.keyword == "without":
        del properties[key]
        return
    stated = Strength(
        before.stated.weight if prop.stated.weight is None else prop.stated.weight,
        before.stated.cost if prop.stated.cost is None else prop.stated.cost,
        before.stated.hard or prop.stated.hard,
    )
    properties[key] = replace(
        before,
        weight=before.weight if prop.stated.weight is None else prop.weight,
        cost=before.cost if prop.stated.cost is None else prop.cost,
        hard=before.hard or prop.hard,
        stated=stated,
        span=span,
    )


VERBS: Final = {"override": "override", "without": "leave out"}
"""What a change does, in messages."""


def _rule(declarations: Declarations, statement: FeatureRuleStatement) -> FeatureRule:
    feature = declarations.feature(statement.feature)
    return FeatureRule(
        feature,
        value=None if statement.value is None else declarations.value(feature, statement.value),
        sources=declarations.operands(statement.sources),
        condition=declarations.operand(statement.condition) if statement.condition else None,
        absent=statement.absent,
    )


def named_by(declarations: Declarations, construction: str, statement: PropertyStatement) -> tuple[Property, ...]:
    """Return the properties that a statement outside a grammar names, of any strength."""
    return tuple(_properties(declarations, construction, statement))


def _properties(
    declarations: Declarations, construction: str, statement: PropertyStatement, *strengths: dict[str, Strength]
) -> Iterable[Property]:
    """Return the properties that one statement stands for, with braces distributed (ruling 5)."""
    relation = declarations.relation(statement.relation)
    if relation is None or not _fits(declarations, relation, statement):
        return
    parameters = list(statement.parameters)
    shared_demands = statement.shared
    if relation.shares_features and not shared_demands:
        parameters[-1], shared_demands = _shared_bracket(declarations, parameters[-1])
        if not shared_demands and relation.has_sign:
            _no_values_shared(declarations, relation, statement)
    if shared_demands and not relation.shares_features:
        word = shared_demands[0].values[0]
        hint = "features to share belong to ~>; demands stand in one bracket: N[number=sg, person=3]"
        declarations.error(f'"{relation.name}" shares no features', word.span, hint)
    shared = tuple(_shared(declarations, demand) for demand in shared_demands)
    stated = declarations.strength(statement.strength)
    settled = _settled(
        declarations, statement, [stated, *(level.get(relation.name, Strength()) for level in strengths)]
    )
    if not declarations.count_properties(_number_of(relation, parameters), statement.relation):
        return
    for operands in _distributed(declarations, relation, parameters):
        yield Property(construction, relation.name, operands, shared, *settled, stated=stated, span=statement.span)


def _fits(declarations: Declarations, relation: Relation, statement: PropertyStatement) -> bool:
    """True if the relation takes operands of this number and shape; otherwise report an error."""
    wanted, found = len(relation.parameters), len(statement.parameters)
    if wanted != found:
        message = f'"{relation.name}" takes {counted(wanted, "operand")}, found {found}'
        declarations.error(message, statement.relation.span, f'write it as in "{_example(relation)}"')
        return False
    for name, alternatives in zip(relation.parameters, statement.parameters, strict=True):
        place = alternatives[-1][-1].operands[0].category.span
        hint = "write two properties, or braces: {A, B}"
        if len(alternatives) > 1 and name in relation.matched:
            declarations.error(f'"{relation.name}" takes no alternatives "|" on this side', place, hint)
            return False
        if any(len(joint) > 1 for joint in alternatives) and name in relation.single:
            declarations.error(f'"{relation.name}" takes no joint operand "&"', place, hint)
            return False
    return True


def _example(relation: Relation) -> str:
    """Return an example of a property of the relation, in the notation."""
    left, *others = relation.parameters
    if not relation.has_sign:
        return f"{relation.name}({', '.join(relation.parameters)})"
    return " ".join([left, relation.symbol, *others] if others else [relation.symbol, left])


def _shared_bracket(
    declarations: Declarations, alternatives: ParameterSyntax
) -> tuple[ParameterSyntax, tuple[DemandSyntax, ...]]:
    """Return the last parameter without `[number, gender]` behind it, and these features; none where they are
    values.
    """
    group = alternatives[-1][-1]
    demands = group.operands[-1].demands
    if group.braces or not demands or any(d.feature is not None or declarations.is_value(d.values[0]) for d in demands):
        return alternatives, ()
    bare = replace(group, operands=(*group.operands[:-1], OperandSyntax(group.operands[-1].category)))
    return (*alternatives[:-1], (*alternatives[-1][:-1], bare)), demands


def _no_values_shared(declarations: Declarations, relation: Relation, statement: PropertyStatement) -> None:
    """Report a bracket of bare values at the end of a property that compares features: `NP ~> V [sg]`."""
    last = statement.parameters[-1][-1][-1].operands[-1]
    for demand in last.demands:
        (word, *_) = demand.values
        having = [feature for feature, values in declarations.features.items() if word in values]
        if demand.feature is None and having:
            demanded = f"{last.category}[{having[0]}={word}]"
            hint = f"write [{having[0]}] to compare; what demands the value is written {demanded}"
            declarations.error(f'"{word}" is a value, where {relation.symbol} compares features', word.span, hint)


def _shared(declarations: Declarations, demand: DemandSyntax) -> str:
    """Return the name of a feature to share; an error if it has a value."""
    if demand.feature is not None:
        declarations.error("features to share stand without values", demand.feature.span, f"write [{demand.feature}]")
        return str(demand.feature)
    return declarations.feature(demand.values[0])


def _settled(declarations: Declarations, statement: PropertyStatement, levels: list[Strength]) -> tuple[int, int, bool]:
    """Return weight, cost and hard mark of a property, each from the nearest level that states it.

    A property is hard if any level says so; the cost that no level states is the weight.
    """
    weight = next((level.weight for level in levels if level.weight is not None), UNIT)
    cost = next((level.cost for level in levels if level.cost is not None), weight)
    if cost < 0:
        place = (statement.strength.weight or statement.relation).span
        declarations.error(
            "a cost must not be negative", place, 'a negative weight needs a cost of its own: "weight -1 cost 1"'
        )
    return weight, cost, any(level.hard for level in levels)


def _number_of(relation: Relation, parameters: Sequence[ParameterSyntax]) -> int:
    """Return the number of properties that braces stand for and, if nothing is matched, of choices."""
    sides = [prod(len(group.operands) for group in joint) for alternatives in parameters for joint in alternatives]
    return prod(sides) if relation.matched else max(sides)


def _distributed(
    declarations: Declarations, relation: Relation, parameters: Sequence[ParameterSyntax]
) -> Iterable[tuple[Parameter, ...]]:
    """Return the operands of each property that braces stand for; without matched operands, braces mean any of them."""
    sides: list[list[Parameter]] = []
    for alternatives in parameters:
        expanded = [list(product(*(declarations.operands(g.operands) for g in joint))) for joint in alternatives]
        if relation.matched:
            sides.append(list(product(*expanded)))
        else:
            sides.append([tuple(joint for choices in expanded for joint in choices)])
    return product(*sides)


# Declarations and lookup of names

MAX_READINGS: Final = 500
"""So many readings a form may stand for: k features of two values each are 2^k."""
MAX_SPELT: Final = 20
"""So many bundles a spelling rule may stand for, which each reading of a word is multiplied by."""
MAX_PROPERTIES: Final = 100_000
"""So many properties a grammar may have: braces of a line of 10 kB can stand for millions."""


@dataclass
class Declarations:
    """Features, categories and relations that a grammar declares, and the problems found so far.

    `root` is the file that was asked for, the others are included by it. `unread` are names that are not reported as
    unknown: those that a line with a mistake may declare, and those reported already for all places.
    """

    root: str
    unread: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    features: dict[str, tuple[str, ...]] = field(default_factory=dict)
    categories: dict[str, None] = field(default_factory=dict)
    relations: dict[str, Relation] = field(default_factory=dict)
    number_of_properties: int = 0

    def error(self, message: str, span: Span, hint: str = "") -> None:
        """Add a mistake to the problems; reading goes on."""
        self.problems.append(Problem(message, span, hint=hint))

    def check_doubled(self, what: str, values: Iterable[OperandSyntax]) -> None:
        """Tell what stands twice in one line."""
        met: set[str] = set()
        for word in (value.category for value in values if not value.demands):
            if word in met:
                self.error(f'{what} "{word}" stands twice', word.span, "remove one of the two")
            met.add(str(word))

    def relation(self, word: PlacedText) -> Relation | None:
        """Return the relation that a word or sign names; None with a problem if there is none."""
        relation = self.relations.get(word)
        if relation is None and word not in self.unread:
            names = dict.fromkeys(relation.name for relation in self.relations.values())
            near = close_match(word, list(self.relations)) or f"the relations are: {', '.join(names)}"
            self.error(f'"{word}" is not a relation', word.span, near)
        return relation

    def category(self, word: PlacedText) -> str:
        """Return the name of a category; report it if it is not declared."""
        if word not in self.categories and word not in self.unread:
            self.error(f'"{word}" is not a construction or a leaf', word.span, self.category_hint(word))
        return str(word)

    def category_hint(self, word: str) -> str:
        """Return a hint about an undeclared category."""
        name = format_name(word)
        declare = f"declare it with 'leaves: {name}' or give it a form with '{name}:'"
        return close_match_or(word, self.categories, declare)

    def feature(self, word: PlacedText) -> str:
        """Return the name of a feature; report it if it is not declared."""
        if word not in self.features and word not in self.unread:
            declare = f'declare it under "features:", as in "{word}: value, value"'
            self.error(f'"{word}" is not a feature', word.span, close_match_or(word, self.features, declare))
        return str(word)

    def value(self, feature: str, word: PlacedText) -> str:
        """Return a value of a feature; report it if the feature does not have it."""
        values = self.features.get(feature, ())
        if feature in self.features and word not in values and word not in self.unread:
            hint = or_listed(word, values, f"values of {feature}")
            self.error(f'"{word}" is not a value of {feature}', word.span, hint)
        return str(word)

    def demand(self, demands: Sequence[DemandSyntax]) -> Demand:
        """Return the features of a bracket with their accepted values, sorted by name."""
        found: dict[str, tuple[str, ...]] = {}
        for demand in demands:
            if demand.feature is None:
                (word,) = demand.values
                feature = self._feature_of(word)
                values: tuple[str, ...] = (str(word),)
            else:
                word = demand.feature
                feature = self.feature(word)
                values = self._in_order(feature, {self.value(feature, value) for value in demand.values})
            if feature in found:
                both = "|".join((*found[feature], *values))
                self.error(f'feature "{feature}" stands twice', word.span, f"alternatives are written {feature}={both}")
            found[feature] = values
        return tuple(sorted(found.items()))

    def _in_order(self, feature: str, values: Collection[str]) -> tuple[str, ...]:
        """Return values in the order of declaration, so that a|b and b|a are one demand."""
        declared = [value for value in self.features.get(feature, ()) if value in values]
        return (*declared, *sorted(set(values) - set(declared)))

    def _feature_of(self, word: PlacedText) -> str:
        """Return the feature of a bare value, as in `N[common]`; the word itself if there is none."""
        having = [feature for feature, values in self.features.items() if word in values]
        if len(having) == 1:
            return having[0]
        if having:
            choices = " or ".join(f"{feature}={word}" for feature in having)
            self.error(f'"{word}" is a value of several features', word.span, f"write {choices}")
        elif word in self.features:
            values = "|".join(self.features[word])
            hint = f"write {word}={values}; only ~> and relations with agree() take features without values"
            self.error(f'feature "{word}" stands without a value', word.span, hint)
        elif word not in self.unread:
            every = [value for values in self.features.values() for value in values]
            hint = close_match_or(word, every, 'declare it under "features:", as in "number: sg, pl"')
            if word.partition(":")[0] in self.features:
                hint = f"write {word.replace(':', '=')}"
            self.error(f'"{word}" is not a value of any feature', word.span, hint)
        return str(word)

    def is_value(self, word: str) -> bool:
        """True if a bare word in a bracket is a value and not a feature."""
        return word not in self.features and any(word in values for values in self.features.values())

    def operand(self, syntax: OperandSyntax) -> Operand:
        """Return the operand; unknown names in it are errors."""
        return Operand(self.category(syntax.category), self.demand(syntax.demands))

    def operands(self, several: Iterable[OperandSyntax]) -> tuple[Operand, ...]:
        """Return the operands; unknown names in them are errors."""
        return tuple(map(self.operand, several))

    def units(self, word: PlacedText | None, smallest: int = -MAX_WEIGHT) -> int | None:
        """Return a number in fixed-point units; None if there is none or it is invalid, which is an error."""
        if word is None:
            return None
        try:
            number = Decimal(word)
            if not number.is_finite() or not smallest <= number <= MAX_WEIGHT:
                raise InvalidOperation
        except InvalidOperation:
            comma = re.fullmatch(r"\d+,\d+", word)
            hint = f"a number has a point: {word.replace(',', '.')}" if comma else ""
            self.error(f'"{word}" is not a number between {smallest} and {MAX_WEIGHT}', word.span, hint)
            return None
        return int((number * UNIT).to_integral_value())

    def strength(self, syntax: StrengthSyntax) -> Strength:
        """Return the stated strength, with weight and cost in fixed-point units."""
        if syntax.doubled is not None:
            self.error(f'"{syntax.doubled}" stands twice', syntax.doubled.span, "remove one of the two")
        return Strength(self.units(syntax.weight), self.units(syntax.cost, smallest=0), syntax.hard)

    def reading(self, syntax: ReadingSyntax) -> Reading:
        """Return a reading of the lexicon or of a rule; the default weight is 1."""
        operand = self.operand(syntax.operand)
        weight = self.units(syntax.weight, smallest=0)
        if weight == 0 and syntax.weight is not None:
            hint = "remove the reading, or give it a small weight such as 0.01"
            self.error(f'the weight of a reading must be above 0, found "{syntax.weight}"', syntax.weight.span, hint)
        return Reading(operand.category, operand.features, weight / UNIT if weight else 1.0, str(syntax.lemma or ""))

    def fit(self, demands: Iterable[Demand], word: PlacedText, most: int = MAX_READINGS) -> bool:
        """True if features stand for no more bundles than allowed; otherwise report an error."""
        number = sum(map(number_of_bundles, demands))
        if number > most:
            self.error(
                f'the features of "{shortened(word)}" stand for {number:,} readings, {most:,} are allowed',
                word.span,
                "each value of a|b is a reading, times those of the other features: leave out features that may be all",
            )
        return number <= most

    def has_room(self, number: int) -> bool:
        """True if this many more properties are allowed."""
        return self.number_of_properties + number <= MAX_PROPERTIES

    def count_properties(self, number: int, word: PlacedText) -> bool:
        """Count properties; report an error and return False if there are too many."""
        if not self.has_room(number):
            self.error(
                f"braces stand for {number:,} properties here, a grammar may have {MAX_PROPERTIES:,}",
                word.span,
                "put several categories into one, or mark them with a feature and name that: N[kind=common]",
            )
            return False
        self.number_of_properties += number
        return True


def or_listed(word: str, choices: Iterable[str], what: str) -> str:
    """Return a hint: the close match, else the list of all choices."""
    choices = list(choices)
    return close_match(word, choices) or f"the {what} are: {', '.join(map(format_value, choices))}"


def stands_twice(key: str, first: int) -> tuple[str, str]:
    """Return message and hint for a key that was already stated in the line `first`."""
    return f'key "{key}" stands twice, first in line {first}', "join the two, or remove one"


# Incremental reading: after an edit only changed lines, lexicon files and entries are read, with the same result.

Value = TypeVar("Value")


@dataclass
class TwoReadings(Generic[Value]):
    """Cache of values by key, for the current reading and the previous one."""

    now: dict[Hashable, Value] = field(default_factory=dict)
    before: dict[Hashable, Value] = field(default_factory=dict)

    def begin(self) -> None:
        """Another reading begins: what the last but one needed is forgotten."""
        self.now, self.before = {}, self.now

    def made(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key, computed if neither reading has it."""
        found = self.get(key)
        return self.put(key, make()) if found is None else found

    def get(self, key: Hashable) -> Value | None:
        """Return the value of a key in this reading or the previous one; None if neither has it."""
        found = self.now.get(key)
        if found is None and (found := self.before.get(key)) is not None:
            self.now[key] = found
        return found

    def keep(self, keys: Iterable[Hashable]) -> None:
        """Keep the values of these keys as if they had been requested."""
        self.now.update([(key, self.before[key]) for key in keys if key in self.before])

    def put(self, key: Hashable, value: Value) -> Value:
        """Store a value for this reading and the next."""
        self.now[key] = value
        return value


@frozen
class BuiltConstruction:
    """Cached construction, with the number of its properties before sharing and its statements.

    These are kept because they are told apart by what they are and not by what they say, for their places count.
    """

    construction: Construction
    number: int
    statements: tuple[object, ...]


@dataclass
class Rereading:
    """Caches shared by successive readings of one grammar as its text changes."""

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
        """True if no file has been read to its end yet."""
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
        """Return the statements or problem of a logical line; one that only moved is not parsed again."""
        self._asked.append((line, start))
        return self._lines.made((line, start), lambda: notation.parse(line, start, self._tree))

    def _tree(self, text: str, start: str) -> Any:
        return self._trees.made((text, start), lambda: notation.tree_of(text, start))

    def lexicon_file(self, text: str, path: str) -> tuple[list[EntryStatement], list[Problem]]:
        """Return the entries of a lexicon file and all its mistakes."""
        return self._files.made((text, path), lambda: lexicon.read(text, path))

    def entries(
        self,
        declarations: Declarations,
        statements: list[EntryStatement],
        build: Callable[[Declarations, list[EntryStatement]], tuple[Entry, ...]],
    ) -> tuple[Entry, ...]:
        """Return the entries that statements describe; cached if nothing that they depend on changed."""
        declared = dict(declarations.features), set(declarations.categories), set(declarations.unread)
        if declared == self._declared and statements == self._statements:
            return self._entries
        known = len(declarations.problems)
        found = build(declarations, statements)
        if len(declarations.problems) == known:  # a problem has its place, which may change while the words stay
            self._declared, self._statements, self._entries = declared, statements, found
        return found

    def begin_constructions(self, names: object) -> None:
        """Start building constructions with these names and strengths; drop those built with others."""
        if names != self._names:
            self._names, self._constructions = names, TwoReadings()

    def construction(
        self, declarations: Declarations, statements: Sequence[object], build: Callable[[], Construction]
    ) -> Construction:
        """Return the construction that statements describe; cached if built from the same statements.

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
