"""Builds constructions from statements: resolves names, distributes braces, combines strengths.

`Rereading` caches what earlier readings built, so that an edit rebuilds only what changed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, Final, Generic, TypeVar

from numbat.errors import Problem, Span, close_match, close_match_or
from numbat.grammar import lexicon, line_parser, notation
from numbat.grammar.conditions import (
    agreements_with_mother,
    guard_of,
    guarded,
    is_about_mother,
    rules_of,
    with_letters,
)
from numbat.grammar.declarations import Declarations
from numbat.grammar.inheritance import Heritage, PropertyKey, ancestors_of, key_of
from numbat.grammar.model import Construction, Entry, stated_of
from numbat.grammar.names import EVERY, format_name
from numbat.grammar.notation import Block, LogicalLine
from numbat.grammar.operands import fits, operands_of
from numbat.grammar.properties import (
    UNIT,
    Operand,
    Property,
    Strength,
    format_property,
)
from numbat.grammar.relations import PRICES, Relation
from numbat.grammar.statements import (
    MEMBERS,
    ChangeStatement,
    ConstituencyStatement,
    ConstructionStatement,
    DemandSyntax,
    EntryStatement,
    FeatureRuleStatement,
    HeadStatement,
    IncludedMembers,
    IncludedWords,
    InheritStatement,
    OperandSyntax,
    ParameterSyntax,
    PlacedText,
    PropertyStatement,
    Statement,
    StrengthStatement,
)
from numbat.records import frozen

T = TypeVar("T")


def strengths_of(declarations: Declarations, statements: Iterable[StrengthStatement]) -> dict[str, Strength]:
    """Return the strength that an `all` line states for each relation; `EVERY` is the key of a line for all relations.

    The line of the including file wins. Two lines for one relation are an error if they are in one file, or in two
    files of which neither includes the other.
    """
    stated: dict[str, list[StrengthStatement]] = {}
    for statement in statements:
        relation = None if statement.relation == EVERY else declarations.relation(statement.relation)
        if relation is not None or statement.relation == EVERY:
            stated.setdefault(EVERY if relation is None else relation.name, []).append(statement)
    strengths: dict[str, Strength] = {}
    for name, several in stated.items():
        (first, *others) = outermost(declarations, several, lambda statement: statement.relation.span)
        for second in others:
            place = second.relation.span
            message = f'"all {name}" is set twice, first in {first.relation.span.seen_from(place)}'
            declarations.error(message, place, cure(first.relation.span, place, "put them in one line"))
        strengths[name] = [declarations.strength(statement.strength) for statement in several][several.index(first)]
    return strengths


def outermost(declarations: Declarations, stated: Sequence[T], place: Callable[[T], Span]) -> list[T]:
    """Return the statements in files that none of the other statements' files includes: these override the others."""
    files = {place(statement).path for statement in stated}
    return [statement for statement in stated if files.isdisjoint(declarations.above(place(statement).path))]


def cure(first: Span, second: Span, cure: str) -> str:
    """Return the hint for two contradictory statements: `cure` if they are in one file, else to decide elsewhere."""
    return cure if first.path == second.path else "decide between them in the file that includes both"


def constructions_of(
    declarations: Declarations,
    statements: Sequence[Statement],
    everywhere: dict[str, Strength],
    earlier: Rereading | None = None,
) -> tuple[Construction, ...]:
    """Return the constructions in the order in which they are opened, each built from its statements in all files.

    `everywhere` are the strengths that the grammar states for whole relations. A construction that `earlier` has built
    from the same statements is reused.
    """
    opened, parts, strange = by_construction(statements)
    for change in strange:
        where = change.construction
        if where and where not in declarations.unread:
            hint = close_match_or(where, [*parts], f"the constructions are: {', '.join(parts)}")
            declarations.error(f'"{where}" is not a construction', where.span, hint)
    ancestors = ancestors_of(declarations, opened)
    built: dict[str, Construction] = {}

    def build(name: str) -> Construction:
        parents = [built[parent] for parent in opened[name].parents if parent in ancestors[name]]
        above = [statement for parent in ancestors[name] for statement in written_out(parts[parent])]
        return _construction(declarations, opened[name], written_out(parts[name]), everywhere, parents, above)

    if earlier is not None:
        earlier.begin_constructions(
            Names(
                dict(declarations.features),
                {*declarations.categories},
                dict(declarations.relations),
                everywhere,
                dict(declarations.types),
            )
        )
    for name in sorted(parts, key=lambda name: len(ancestors[name])):
        said = [statement for of in (*ancestors[name], name) for statement in (opened[of], *parts[of])]
        make = partial(build, name)
        built[name] = make() if earlier is None else earlier.construction(declarations, said, make)
    return tuple([built[name] for name in parts])


def by_construction(
    statements: Iterable[Statement],
) -> tuple[dict[str, ConstructionStatement], dict[str, list[Statement]], list[ChangeStatement]]:
    """Return the opening of each construction, the statements about it, and changes of constructions that do not exist.

    If several files open a construction, the first opening counts, with the parents named in all of them.
    """
    parts: dict[str, list[Statement]] = {}
    opened: dict[str, ConstructionStatement] = {}
    current: list[Statement] | None = None
    changes: list[ChangeStatement] = []
    for statement in statements:
        if isinstance(statement, ConstructionStatement):
            current = parts.setdefault(str(statement.name), [])
            first = opened.setdefault(str(statement.name), statement)
            if first is not statement and (statement.parents or statement.title):  # in another file
                parents = tuple(dict.fromkeys((*first.parents, *statement.parents)))
                title = statement.title or first.title
                opened[str(statement.name)] = replace(first, title=title, parents=parents)
        elif isinstance(statement, ChangeStatement) and statement.construction is not None:
            changes.append(statement)
        elif isinstance(statement, StrengthStatement) and statement.everywhere:
            pass
        elif current is not None and isinstance(statement, (*MEMBERS, IncludedMembers)):
            current.append(statement)
    for change in changes:
        if change.construction in parts:
            parts[change.construction].append(change)
    return opened, parts, [change for change in changes if change.construction not in parts]


def written_out(members: Iterable[Statement]) -> list[Statement]:
    """Return the statements, decoding those of included files that are not decoded yet."""
    return [
        statement for one in members for statement in (one.statements if isinstance(one, IncludedMembers) else (one,))
    ]


def _only(
    declarations: Declarations, members: list[Statement], kind: type[T], keyword: str, place: Callable[[T], PlacedText]
) -> T | None:
    """Return the statement of a kind that may occur once in a construction, or None; a second one is an error."""
    matching = [member for member in members if isinstance(member, kind)]
    for second in matching[1:]:
        span, first = place(second).span, place(matching[0]).span
        message = f'"{keyword}" appears twice in one construction, first in {first.seen_from(span)}'
        hint = "put everything in one line" if first.path == span.path else "remove one of the two"
        declarations.error(message, span, hint)
    return matching[0] if matching else None


def _constituency(declarations: Declarations, members: Iterable[Statement]) -> tuple[Operand, ...] | None:
    """Return the daughters in the `const` lines of a construction, joined over all files; None without such lines."""
    of_files: dict[str, list[Statement]] = {}
    for member in members:
        if isinstance(member, ConstituencyStatement):
            of_files.setdefault(member.operands[0].category.span.path, []).append(member)
    operands: dict[Operand, None] = {}
    for several in of_files.values():
        only = _only(declarations, several, ConstituencyStatement, "const", lambda member: member.operands[0].category)
        operands |= dict.fromkeys(declarations.operands(only.operands) if only else ())
    return tuple(operands) if of_files else None


def _construction(
    declarations: Declarations,
    opened: ConstructionStatement,
    members: list[Statement],
    everywhere: dict[str, Strength],
    parents: Sequence[Construction] = (),
    above: Sequence[Statement] = (),
) -> Construction:
    """Return a construction made from its statements and parents; `above` are the statements about its ancestors."""
    agreements = [member for member in (*members, *above) if _is_about_mother(declarations, member)]
    if agreements:  # their meaning depends on head and rules, which may differ from those of a parent
        spans = {_property_of(agreement).span for agreement in agreements}
        parents = [_without(parent, spans) for parent in parents]
    name, heritage = str(opened.name), Heritage(declarations, opened, parents)
    stated = [m for m in members if isinstance(m, StrengthStatement) and not m.everywhere]
    strengths = heritage.strengths(strengths_of(declarations, stated))
    head = _only(declarations, members, HeadStatement, "head", lambda member: member.operands[0].category)
    inherit = _only(declarations, members, InheritStatement, "inherit", lambda member: member.features[0])
    const = _constituency(declarations, members)
    stated_head = declarations.operands(head.operands) if head else None
    inherited: tuple[str, ...] | None = None
    if inherit is not None:
        for word in inherit.features:
            declarations.only_marks_give(word)
        nothing = inherit.features == ("none",) and "none" not in declarations.features
        inherited = () if nothing else tuple(declarations.feature(word) for word in inherit.features)
    read = _Reader(declarations, name, strengths, everywhere)
    others = [member for member in members if member not in agreements]
    changes = read.changes(others)
    dropped = [key_of(prop) for change, prop in changes if change.keyword == "without"]
    settle = partial(_resettled, strengths=(strengths, everywhere))
    properties = heritage.properties(read.properties(others), dropped, settle)
    changed: dict[PropertyKey, Span] = {}
    for change, prop in changes:
        _change(declarations, properties, change, prop, changed, changes)
    rules = [rule for m in members if isinstance(m, FeatureRuleStatement) for rule in rules_of(declarations, m)]
    phrase = Construction(
        name,
        title=opened.title,
        head=heritage.line(stated_head, "head", lambda form: form.head or None) or (),
        inherit=heritage.line(inherited, "inherit", lambda form: form.inherit),
        feature_rules=heritage.rules(rules),
        constituency=heritage.line(const, "const", lambda form: form.constituency),
        strengths=tuple(strengths.items()),
        parents=tuple(map(str, opened.parents)),
        span=opened.name.span,
    )
    phrase = phrase.with_rules(properties.values())
    if not agreements:
        return phrase
    read = replace(read, phrase=phrase)
    stated_here = read.properties([member for member in agreements if member in members])
    inherited_ones = read.properties([member for member in agreements if member in above])
    for key, prop in (*stated_here.items(), *inherited_ones.items()):
        properties.setdefault(key, prop)
    changes = read.changes(agreements)
    for change, prop in changes:
        if change in members or (key_of(prop) in properties and key_of(prop) not in stated_here):
            _change(declarations, properties, change, prop, changed, changes)
    return phrase.with_rules(properties.values())


@frozen
class _Reader:
    """Makes properties from the statements of a construction; those that name `mother` need the built `phrase`."""

    declarations: Declarations
    construction: str
    strengths: dict[str, Strength]
    everywhere: dict[str, Strength]
    phrase: Construction | None = None

    def properties(self, members: Iterable[Statement]) -> dict[PropertyKey, Property]:
        """Return the properties that the statements state, by key; a property stated twice is an error."""
        properties: dict[PropertyKey, Property] = {}
        for member in members:
            for prop in self._read(member) if isinstance(member, PropertyStatement) else ():
                first = properties.setdefault(key_of(prop), prop)
                if first is not prop and first.span is not None and prop.span is not None:
                    message = f"this property is already stated in {first.span.seen_from(prop.span)}"
                    self.declarations.error(message, prop.span, "remove one of the two")
        return properties

    def changes(self, members: Iterable[Statement]) -> list[tuple[ChangeStatement, Property]]:
        """Return each property that `override` or `without` names, with that statement; included files come first."""
        changes = [member for member in members if isinstance(member, ChangeStatement)]
        changes.sort(key=lambda statement: -len([*self.declarations.above(statement.property.span.path)]))
        for change in changes:
            statement = change.property
            if change.keyword == "override" and statement.relation == "price" and statement.strength.cost is None:
                hint = f"write it behind what it is the price of: {PRICE}"
                self.declarations.error("this price has no number", statement.span, hint)
        return [(change, prop) for change in changes for prop in self._read(change.property)]

    def _read(self, statement: PropertyStatement) -> Iterable[Property]:
        statements: Iterable[PropertyStatement] = (statement,)
        if self.phrase is not None:
            statements = agreements_with_mother(self.declarations, statement, self.phrase)
        for stated in statements:
            yield from _properties(self.declarations, self.construction, stated, self.strengths, self.everywhere)


def _is_about_mother(declarations: Declarations, statement: Statement) -> bool:
    is_property = isinstance(statement, PropertyStatement | ChangeStatement)
    return is_property and is_about_mother(declarations, _property_of(statement))


def _property_of(statement: Any) -> PropertyStatement:
    property_statement: PropertyStatement = statement.property if isinstance(statement, ChangeStatement) else statement
    return property_statement


def _without(parent: Construction, spans: Collection[Span]) -> Construction:
    """Return a parent without the properties stated at these places."""
    return replace(parent, properties=tuple(prop for prop in parent.properties if prop.span not in spans))


def _change(
    declarations: Declarations,
    properties: dict[PropertyKey, Property],
    change: ChangeStatement,
    prop: Property,
    changed: dict[PropertyKey, Span],
    every: Sequence[tuple[ChangeStatement, Property]],
) -> None:
    """Change or remove `prop` in `properties`, as its statement `change` says; an unknown property is an error.

    Two changes of one property are an error if they are in one file, or in two files of which neither includes the
    other, unless a file that includes both also changes the property: `every` lists all changes.
    """
    key = key_of(prop)
    span, text = change.property.span, format_property(prop)
    before = properties.get(key)
    if before is None:
        written = [format_property(other) for other in properties.values()]
        hint = close_match(text, written) or f"numbat show lists the properties of {format_name(prop.construction)}"
        if key in changed:
            hint = f"it is removed in {changed[key].seen_from(span)}"
        declarations.error(
            f'{format_name(prop.construction)} has no property "{text}" to {VERBS[change.keyword]}', span, hint
        )
        return
    if before.hard and change.keyword == "override" and not prop.stated.hard:
        where = f" in {before.span.seen_from(span)}" if before.span is not None else ""
        message = f'"{text}" is hard{where} and cannot be made soft'
        declarations.error(message, span, "write hard after it too, or remove the property instead")
        return
    first = changed.get(key)
    if first is not None and span.path not in (above := {*declarations.above(first.path)}):
        both = above.intersection(declarations.above(span.path))
        settles = (statement.property.span.path in both for statement, changing in every if key_of(changing) == key)
        if first.path == span.path or not any(settles):
            message = f'"{text}" is changed twice, first in {first.seen_from(span)}'
            declarations.error(message, span, cure(first, span, "remove one of the two"))
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
        weight_units=before.weight_units if prop.stated.weight is None else prop.weight_units,
        cost_units=before.cost_units if prop.stated.cost is None else prop.cost_units,
        hard=before.hard or prop.hard,
        stated=stated,
        span=span,
        title=prop.title or before.title,
        register=prop.register or before.register,
        examples=prop.examples or before.examples,
    )


PRICE: Final = 'price .6 "bare relative"'
"""An example of a price, for messages."""
VERBS: Final = {"override": "override", "without": "remove"}
"""The verb for each keyword of a change, in messages."""


def named_by(declarations: Declarations, construction: str, statement: PropertyStatement) -> tuple[Property, ...]:
    """Return the properties named by a statement that is not part of a grammar file; strengths do not matter."""
    return tuple(_properties(declarations, construction, statement))


def _properties(
    declarations: Declarations, construction: str, statement: PropertyStatement, *strengths: dict[str, Strength]
) -> Iterable[Property]:
    """Yield the properties that a statement stands for: braces make several properties of one (ruling 5)."""
    relation: Relation | None
    is_price = statement.relation == "price"
    _check_examples(declarations, statement, is_price)
    if is_price:
        relation = PRICES[len(statement.parameters)]
    elif statement.formula is None:
        relation = declarations.relation(statement.relation)
    else:
        statement, relation = with_letters(declarations, statement)
    if relation is None or not fits(declarations, relation, statement):
        return
    name, guarding = relation.name, tuple[Operand, ...]()
    if statement.condition is not None:
        guard = guard_of(declarations, statement.condition, len(relation.parameters))
        name, guarding = declarations.named(guarded(relation, guard), statement.relation.span), guard.operands
    parameters = list(statement.parameters)
    shared_demands = statement.shared
    if relation.shares_features and not shared_demands:
        parameters[-1], shared_demands = _shared_bracket(declarations, parameters[-1])
        if not shared_demands and relation.has_sign:
            _no_values_shared(declarations, relation, statement)
    if shared_demands and not relation.shares_features:
        word = shared_demands[0].values[0]
        hint = "only ~> compares features; write demands in one bracket: N[number=sg, person=3]"
        declarations.error(f'"{relation.name}" compares no features', word.span, hint)
    shared = tuple(_shared(declarations, demand) for demand in shared_demands)
    stated = declarations.strength(statement.strength)
    levels = [stated] if is_price else [stated, *stated_of(relation.name, strengths)]
    settled = _settled(declarations, statement, levels)
    if is_price:
        settled = 0, *settled[1:]
    for operands in operands_of(declarations, relation, parameters, statement):
        both = (*operands, *(((operand,),) for operand in guarding))
        about = statement.title, statement.register, statement.examples
        yield Property(construction, name, both, shared, *settled, stated, statement.span, *about)


def _check_examples(declarations: Declarations, statement: PropertyStatement, is_price: bool) -> None:
    """Report an example without words, and a star behind a price, which nothing violates."""
    for example in statement.examples:
        if not example.text.strip() and example.span is not None:
            declarations.error("this example has no words", example.span, 'write a sentence or phrase: e.g. "the cat"')
        elif is_price and example.starred and example.span is not None:
            hint = "leave out the star: an example of a price is a sentence that has the price"
            declarations.error("nothing violates a price", example.span, hint)


def _shared_bracket(
    declarations: Declarations, alternatives: ParameterSyntax
) -> tuple[ParameterSyntax, tuple[DemandSyntax, ...]]:
    """Return the last parameter and the features to compare in the bracket after it; none if the bracket has values."""
    group = alternatives[-1][-1]
    demands = group.operands[-1].demands
    if group.braces or not demands or any(d.feature is not None or declarations.is_value(d.values[0]) for d in demands):
        return alternatives, ()
    bare = replace(group, operands=(*group.operands[:-1], OperandSyntax(group.operands[-1].category)))
    return (*alternatives[:-1], (*alternatives[-1][:-1], bare)), demands


def _no_values_shared(declarations: Declarations, relation: Relation, statement: PropertyStatement) -> None:
    """Report a last bracket that has values instead of the features to compare: `NP ~> V [sg]`."""
    last = statement.parameters[-1][-1][-1].operands[-1]
    for demand in last.demands:
        (word, *_) = demand.values
        having = [feature for feature, values in declarations.features.items() if word in values]
        if demand.feature is None and having:
            demanded = f"{last.category}[{having[0]}={word}]"
            hint = f"write [{having[0]}] to compare it, or {demanded} to demand the value"
            declarations.error(f'"{word}" is a value, but {relation.symbol} compares features', word.span, hint)


def _shared(declarations: Declarations, demand: DemandSyntax) -> str:
    """Return the name of a feature to compare; a value is an error."""
    if demand.feature is not None:
        declarations.error(
            "features to compare are written without values", demand.feature.span, f"write [{demand.feature}]"
        )
        return str(demand.feature)
    for other in demand.values[1:]:
        declarations.error(
            "features to compare cannot be alternatives", other.span, f"write [{', '.join(demand.values)}]"
        )
    return declarations.feature(demand.values[0])


def _settled(declarations: Declarations, statement: PropertyStatement, levels: list[Strength]) -> tuple[int, int, bool]:
    """Return weight and cost in fixed-point units, and hardness: the strengths in `levels` are in order, nearest first.

    Each number comes from the first level that states it; the cost defaults to the weight. One hard level is enough.
    """
    weight, cost, hard = _nearest(levels)
    if cost < 0:
        place = (statement.strength.weight or statement.relation).span
        declarations.error(
            "a cost must not be negative", place, 'a negative weight needs a stated cost: "weight -1 cost 1"'
        )
    return weight, cost, hard


def _nearest(levels: Sequence[Strength]) -> tuple[int, int, bool]:
    """Return weight and cost, each from the first level that states it, and whether any level is hard."""
    weight = next((level.weight for level in levels if level.weight is not None), UNIT)
    cost = next((level.cost for level in levels if level.cost is not None), weight)
    return weight, cost, any(level.hard for level in levels)


def _resettled(prop: Property, strengths: Iterable[dict[str, Strength]]) -> Property:
    """Return an inherited property with weight, cost and hardness as in the construction that inherits it."""
    if prop.is_price:
        return prop
    weight, cost, hard = _nearest([prop.stated, *stated_of(prop.type, strengths)])
    return replace(prop, weight_units=weight, cost_units=cost, hard=hard)


# A construction is reused as long as the names in its statements keep their meaning.


@frozen
class Names:
    """All that a construction depends on besides its statements: declared names, and strengths of whole relations."""

    features: dict[str, tuple[str, ...]]
    categories: Set[str]
    relations: dict[str, Relation]
    everywhere: dict[str, Strength]
    types: dict[str, tuple[str, ...]]

    def keep(self, earlier: Names) -> bool:
        """True if each construction that was built without a mistake with `earlier` names is the same with these names.

        Additional names make no difference, because the statements of such a construction contain only known names.
        """
        return (
            only_adds(self.features, earlier.features)
            and earlier.categories <= self.categories
            and earlier.everywhere == self.everywhere
            and all(self.relations.get(name) == relation for name, relation in earlier.relations.items())
            and all(self.types.get(name) == members for name, members in earlier.types.items())
        )


def only_adds(features: Mapping[str, tuple[str, ...]], earlier: Mapping[str, tuple[str, ...]]) -> bool:
    """True if every bracket that was read without a mistake with the earlier features means the same with these.

    An additional feature may make a bare value ambiguous, unless its own name and the names of its values are new.
    """
    known = {"none", *earlier, *chain(*earlier.values())}
    new = [name for name in features if name not in earlier]
    return all(features.get(name) == values for name, values in earlier.items()) and known.isdisjoint(
        chain(new, *(features[name] for name in new))
    )


# Incremental reading: after an edit only changed lines, lexicon files and entries are read; the result is the same.

Value = TypeVar("Value")


@dataclass
class TwoReadings(Generic[Value]):
    """Cache of values by key; it forgets a value when a whole reading of the grammar has not used it."""

    now: dict[Hashable, Value] = field(default_factory=dict)
    before: dict[Hashable, Value] = field(default_factory=dict)

    def begin(self) -> None:
        """Begin another reading: the current one becomes the previous one, whose predecessor is forgotten."""
        self.now, self.before = {}, self.now

    def made(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key; compute it with `make` if neither the current nor the previous reading has it."""
        value = self.get(key)
        return self.put(key, make()) if value is None else value

    def get(self, key: Hashable) -> Value | None:
        """Return the value of a key in this reading or the previous one; None if neither has it."""
        value = self.now.get(key)
        if value is None and (value := self.before.get(key)) is not None:
            self.now[key] = value
        return value

    def keep(self, keys: Iterable[Hashable]) -> None:
        """Keep the values of these keys as if they had been used."""
        self.now.update([(key, self.before[key]) for key in keys if key in self.before])

    def put(self, key: Hashable, value: Value) -> Value:
        """Store a value for this reading and the next."""
        self.now[key] = value
        return value


@frozen
class BuiltConstruction:
    """A cached construction, with the statements and the anonymous relations that it was built from.

    `number` is what it adds to `Declarations.number_of_properties`. Statements are compared by identity, because their
    places matter, so they must stay alive. `is_changed` is true if an `override` or `without` is among them.
    """

    construction: Construction
    number: int
    statements: tuple[object, ...]
    anonymous: tuple[Relation, ...]
    is_changed: bool = True

    def under(self, everywhere: dict[str, Strength]) -> BuiltConstruction | None:
        """Return the construction with other strengths for whole relations, or None if it has to be built anew."""
        levels = dict(self.construction.strengths), everywhere
        properties = tuple([_resettled(prop, levels) for prop in self.construction.properties])
        if self.is_changed or any(prop.cost_units < 0 for prop in properties):  # rebuilding reports negative costs
            return None
        return replace(self, construction=replace(self.construction, properties=properties))


@dataclass
class Rereading:
    """Caches shared by successive readings of one grammar as its text changes."""

    before_block: Callable[[], object] = tuple
    """Called before each block that has to be read; it may raise an exception to stop, and read blocks stay cached."""
    _trees: TwoReadings[Any] = field(default_factory=TwoReadings)
    _lines: TwoReadings[tuple[list[Any], Problem | None]] = field(default_factory=TwoReadings)
    _files: TwoReadings[tuple[list[EntryStatement], list[Problem]]] = field(default_factory=TwoReadings)
    _blocks: TwoReadings[tuple[Block, list[tuple[LogicalLine, str]]]] = field(default_factory=TwoReadings)
    _asked: list[tuple[LogicalLine, str]] = field(default_factory=list)
    _constructions: TwoReadings[BuiltConstruction] = field(default_factory=TwoReadings)
    included: Sequence[tuple[Names, Sequence[BuiltConstruction]]] = ()
    """For each included grammar that was built separately: its names and its constructions."""
    names: Names | None = None
    """The names of this reading, once they are known."""
    _included: dict[tuple[int, ...], BuiltConstruction] = field(default_factory=dict)
    _declared: object = None
    _statements: Sequence[EntryStatement | IncludedWords] = ()
    _entries: Sequence[Entry] = ()

    @property
    def is_empty(self) -> bool:
        """True if no file has been read to its end yet."""
        return self._declared is None

    def begin(self) -> None:
        """Begin another reading."""
        for cache in (self._trees, self._lines, self._files, self._blocks, self._constructions):
            cache.begin()

    def block(self, key: Hashable, make: Callable[[], Block]) -> Block:
        """Return the result of reading a block, cached by `key`, which must contain all that the result depends on.

        The lines of a cached block stay cached too, so that after a change only the changed lines are read again.
        """
        known = self._blocks.get(key)
        if known is None:
            self.before_block()
            self._asked = []
            return self._blocks.put(key, (make(), self._asked))[0]
        block, lines = known
        self._lines.keep(lines)
        self._trees.keep([(line.text, start) for line, start in lines])
        return block

    def line(self, line: LogicalLine, start: str) -> tuple[list[Any], Problem | None]:
        """Return the statements of a line parsed with the rule `start`, or its problem; reuse what is cached."""
        self._asked.append((line, start))
        self._trees.keep([(line.text, start)])  # for when it moves
        return self._lines.made((line, start), lambda: notation.parse(line, start, self._tree))

    def _tree(self, text: str, start: str) -> Any:
        return self._trees.made((text, start), lambda: line_parser.tree_of(text, start))

    def lexicon_file(self, text: str, path: str) -> tuple[list[EntryStatement], list[Problem]]:
        """Return the entries of a lexicon file and all its mistakes."""
        return self._files.made((text, path), lambda: lexicon.read(text, path))

    def entries(
        self,
        declarations: Declarations,
        statements: list[EntryStatement | IncludedWords],
        build: Callable[[Declarations, list[EntryStatement | IncludedWords]], Sequence[Entry]],
    ) -> Sequence[Entry]:
        """Return the entries that `build` makes, or the previous ones if nothing that they depend on has changed."""
        declared = dict(declarations.features), set(declarations.categories), set(declarations.unread)
        if declared == self._declared and statements == self._statements:
            return self._entries
        known = len(declarations.problems)
        entries = build(declarations, statements)
        if len(declarations.problems) == known:  # the place of a problem may change while the words stay
            self._declared, self._statements, self._entries = declared, statements, entries
        return entries

    def begin_constructions(self, names: Names) -> None:
        """Start building constructions with these names and strengths; drop cached ones that may now be different."""
        if self.names is not None and not names.keep(self.names):
            self._constructions = TwoReadings()
        self.names = names
        self._included = {}
        for theirs, built in self.included:
            if names.keep(replace(theirs, everywhere=names.everywhere)):
                same = names.everywhere == theirs.everywhere
                usable = (
                    built if same else filter(None, (construction.under(names.everywhere) for construction in built))
                )
                self._included |= {tuple(map(id, known.statements)): known for known in usable}

    def constructions_built(self) -> list[BuiltConstruction]:
        """Return the constructions that this reading built without a mistake."""
        return list(self._constructions.now.values())

    def construction(
        self, declarations: Declarations, statements: Sequence[object], build: Callable[[], Construction]
    ) -> Construction:
        """Return the construction that `build` makes, or the cached one that was made from the same statements.

        It is built anew if it had a mistake, or if its properties would exceed the limit of a grammar.
        """
        said = tuple(map(id, statements))
        key = frozenset(declarations.unread), said
        known = self._constructions.get(key) or self._included.get(said)
        if known is not None and declarations.has_room(known.number):
            declarations.number_of_properties += known.number
            declarations.anonymous |= {relation.name: relation for relation in known.anonymous}
            return self._constructions.put(key, known).construction
        problems, before = len(declarations.problems), declarations.number_of_properties
        others, declarations.anonymous = declarations.anonymous, {}
        form = build()
        anonymous, declarations.anonymous = declarations.anonymous, others | declarations.anonymous
        if len(declarations.problems) == problems:
            number = declarations.number_of_properties - before
            self._constructions.put(key, BuiltConstruction(form, number, tuple(statements), (*anonymous.values(),)))
        return form
