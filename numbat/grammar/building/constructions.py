"""Constructions from statements: braces are distributed, strengths of property, construction and grammar combined."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from math import prod
from typing import TYPE_CHECKING, TypeVar

from numbat.errors import counted
from numbat.grammar.building.declarations import Declarations
from numbat.grammar.model import Construction, FeatureRule
from numbat.grammar.notation.statements import (
    ConstituencyStatement,
    ConstructionStatement,
    DemandSyntax,
    FeatureRuleStatement,
    HeadStatement,
    InheritStatement,
    OperandSyntax,
    ParameterSyntax,
    PlacedText,
    PropertyStatement,
    Statement,
    StrengthStatement,
)
from numbat.grammar.properties import UNIT, Parameter, Property, Strength
from numbat.grammar.relations import Relation

if TYPE_CHECKING:
    from numbat.grammar.building.rereading import Rereading

T = TypeVar("T")


def strengths_of(declarations: Declarations, statements: Iterable[StrengthStatement]) -> dict[str, Strength]:
    """The strength of each relation for which there is an `all` line; a second line for one relation is an error."""
    found: dict[str, Strength] = {}
    for statement in statements:
        relation = declarations.relation(statement.relation)
        if relation is None:
            continue
        if relation.name in found:
            declarations.error(
                f'"all {relation.name}" is set twice', statement.relation.span, "put its marks in one line"
            )
        found[relation.name] = declarations.strength(statement.strength)
    return found


def constructions_of(
    declarations: Declarations,
    statements: Sequence[Statement],
    everywhere: dict[str, Strength],
    earlier: Rereading | None = None,
) -> tuple[Construction, ...]:
    """The constructions in the order in which they are opened; statements of several files about one are put together.

    `everywhere` are the strengths that the grammar states for whole relations. What `earlier` readings built of the
    same statements is not built again.
    """
    parts: dict[str, list[Statement]] = {}
    opened: dict[str, ConstructionStatement] = {}
    current: list[Statement] | None = None
    for statement in statements:
        if isinstance(statement, ConstructionStatement):
            current = parts.setdefault(str(statement.name), [])
            opened.setdefault(str(statement.name), statement)
        elif current is not None:
            current.append(statement)

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
    """The only statement of a kind in a construction, if there is one; a second one is an error."""
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


def _rule(declarations: Declarations, statement: FeatureRuleStatement) -> FeatureRule:
    feature = declarations.feature(statement.feature)
    return FeatureRule(
        feature,
        value=None if statement.value is None else declarations.value(feature, statement.value),
        sources=declarations.operands(statement.sources),
        condition=declarations.operand(statement.condition) if statement.condition else None,
        absent=statement.absent,
    )


def _properties(
    declarations: Declarations, construction: str, statement: PropertyStatement, *strengths: dict[str, Strength]
) -> Iterable[Property]:
    """The properties that one statement stands for, with braces distributed (ruling 5)."""
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
    """Whether the relation takes operands of this number and shape; an error where it does not."""
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
    """An example of a property of the relation, in the notation."""
    left, *others = relation.parameters
    if not relation.has_sign:
        return f"{relation.name}({', '.join(relation.parameters)})"
    return " ".join([left, relation.symbol, *others] if others else [relation.symbol, left])


def _shared_bracket(
    declarations: Declarations, alternatives: ParameterSyntax
) -> tuple[ParameterSyntax, tuple[DemandSyntax, ...]]:
    """The last parameter without `[number, gender]` behind it, and these features; none where they are values."""
    group = alternatives[-1][-1]
    demands = group.operands[-1].demands
    if group.braces or not demands or any(d.feature is not None or declarations.is_value(d.values[0]) for d in demands):
        return alternatives, ()
    bare = replace(group, operands=(*group.operands[:-1], OperandSyntax(group.operands[-1].category)))
    return (*alternatives[:-1], (*alternatives[-1][:-1], bare)), demands


def _no_values_shared(declarations: Declarations, relation: Relation, statement: PropertyStatement) -> None:
    """An error where a bracket of bare values ends a property that compares features: `NP ~> V [sg]`."""
    last = statement.parameters[-1][-1][-1].operands[-1]
    for demand in last.demands:
        (word, *_) = demand.values
        having = [feature for feature, values in declarations.features.items() if word in values]
        if demand.feature is None and having:
            demanded = f"{last.category}[{having[0]}={word}]"
            hint = f"write [{having[0]}] to compare; what demands the value is written {demanded}"
            declarations.error(f'"{word}" is a value, where {relation.symbol} compares features', word.span, hint)


def _shared(declarations: Declarations, demand: DemandSyntax) -> str:
    """The name of a feature to share; an error where it stands with a value."""
    if demand.feature is not None:
        declarations.error("features to share stand without values", demand.feature.span, f"write [{demand.feature}]")
        return str(demand.feature)
    return declarations.feature(demand.values[0])


def _settled(declarations: Declarations, statement: PropertyStatement, levels: list[Strength]) -> tuple[int, int, bool]:
    """The weight, cost and hard mark of a property: each from the nearest level that states it.

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
    """How many properties braces stand for, and where nothing is matched how many choices they have."""
    sides = [prod(len(group.operands) for group in joint) for alternatives in parameters for joint in alternatives]
    return prod(sides) if relation.matched else max(sides)


def _distributed(
    declarations: Declarations, relation: Relation, parameters: Sequence[ParameterSyntax]
) -> Iterable[tuple[Parameter, ...]]:
    """The operands of each property that braces stand for; where nothing is matched, braces mean any of them."""
    sides: list[list[Parameter]] = []
    for alternatives in parameters:
        expanded = [list(product(*(declarations.operands(g.operands) for g in joint))) for joint in alternatives]
        if relation.matched:
            sides.append(list(product(*expanded)))
        else:
            sides.append([tuple(joint for choices in expanded for joint in choices)])
    return product(*sides)
