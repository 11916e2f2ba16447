"""The forms of constructions: braces are distributed, strengths of the three levels put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import TypeVar

from numbat.grammar.building.declarations import Scope
from numbat.grammar.model import UNIT, Construction, FeatureRule, Parameter, Property, Strength
from numbat.grammar.notation import statements as w
from numbat.grammar.relations import Relation
from numbat.source import counted

T = TypeVar("T")


def strengths_of(scope: Scope, written: Iterable[w.All]) -> dict[str, Strength]:
    """The strength of each relation that `all` lines state; a relation that stands twice is a problem of the scope."""
    found: dict[str, Strength] = {}
    for statement in written:
        relation = scope.relation(statement.relation)
        if relation is None:
            continue
        if relation.name in found:
            scope.error(f'"all {relation.name}" is set twice', statement.relation.span, "put its marks in one line")
        found[relation.name] = scope.strength(statement.strength)
    return found


def constructions_of(
    scope: Scope, statements: Sequence[w.Statement], everywhere: dict[str, Strength]
) -> tuple[Construction, ...]:
    """The constructions in the order in which they are opened; lines of several files about one are one form."""
    parts: dict[str, list[w.Statement]] = {}
    opened: dict[str, w.OpenConstruction] = {}
    current: list[w.Statement] | None = None
    for statement in statements:
        if isinstance(statement, w.OpenConstruction):
            current = parts.setdefault(str(statement.name), [])
            opened.setdefault(str(statement.name), statement)
        elif current is not None:
            current.append(statement)
    return tuple(_construction(scope, opened[name], members, everywhere) for name, members in parts.items())


def _only(
    scope: Scope, members: list[w.Statement], kind: type[T], keyword: str, place: Callable[[T], w.Word]
) -> T | None:
    """The one statement of a kind in a construction; a second one is an error."""
    found = [member for member in members if isinstance(member, kind)]
    for second in found[1:]:
        word = place(second)
        scope.error(f'"{keyword}" stands twice in one construction', word.span, "put all of it in one line")
    return found[0] if found else None


def _construction(
    scope: Scope, opened: w.OpenConstruction, members: list[w.Statement], everywhere: dict[str, Strength]
) -> Construction:
    name = str(opened.name)
    strengths = strengths_of(scope, [m for m in members if isinstance(m, w.All) and not m.everywhere])
    head = _only(scope, members, w.Head, "head", lambda member: member.operands[0].category)
    inherit = _only(scope, members, w.Inherit, "inherit", lambda member: member.features[0])
    const = _only(scope, members, w.Const, "const", lambda member: member.operands[0].category)
    inherited: tuple[str, ...] | None = None
    if inherit is not None:
        nothing = inherit.features == ("none",) and "none" not in scope.features
        inherited = () if nothing else tuple(scope.feature(word) for word in inherit.features)
    properties: dict[tuple[object, ...], Property] = {}
    for member in members:
        if isinstance(member, w.WrittenProperty):
            for prop in _properties(scope, name, member, strengths, everywhere):
                key = (prop.relation, prop.operands, prop.features)
                first = properties.setdefault(key, prop)
                if first is not prop and first.span is not None:
                    there = f"{first.span.short}" if first.span.path != member.span.path else f"line {first.span.line}"
                    scope.error(f"this property stands already in {there}", member.span, "remove one of the two")
    return Construction(
        name,
        title=opened.title,
        head=scope.operands(head.operands) if head else (),
        inherit=inherited,
        feature_rules=tuple(_rule(scope, m) for m in members if isinstance(m, w.WrittenRule)),
        constituency=scope.operands(const.operands) if const else None,
        strengths=tuple(strengths.items()),
        properties=tuple(properties.values()),
        span=opened.name.span,
    )


def _rule(scope: Scope, written: w.WrittenRule) -> FeatureRule:
    feature = scope.feature(written.feature)
    return FeatureRule(
        feature,
        value=None if written.value is None else scope.value(feature, written.value),
        sources=scope.operands(written.sources),
        condition=scope.operand(written.condition) if written.condition else None,
        absent=written.absent,
    )


def _properties(
    scope: Scope, construction: str, written: w.WrittenProperty, *strengths: dict[str, Strength]
) -> Iterable[Property]:
    """The properties that one statement stands for, braces distributed (ruling 5)."""
    relation = scope.relation(written.relation)
    if relation is None or not _fits(scope, relation, written):
        return
    parameters = list(written.parameters)
    shared_words = written.shared
    if relation.shares_features and not shared_words:
        parameters[-1], shared_words = _shared_bracket(scope, parameters[-1])
    if shared_words and not relation.shares_features:
        word = shared_words[0].values[0]
        hint = "features to share belong to ~>; demands stand in one bracket: N[number=sg, person=3]"
        scope.error(f'"{relation.name}" shares no features', word.span, hint)
    shared = tuple(_shared(scope, demand) for demand in shared_words)
    stated = scope.strength(written.strength)
    settled = _settled(scope, written, [stated, *(level.get(relation.name, Strength()) for level in strengths)])
    for operands in _distributed(scope, relation, parameters):
        yield Property(construction, relation.name, operands, shared, *settled, stated=stated, span=written.span)


def _fits(scope: Scope, relation: Relation, written: w.WrittenProperty) -> bool:
    """Whether number and shape of the operands are what the relation takes."""
    wanted, found = len(relation.parameters), len(written.parameters)
    if wanted != found:
        message = f'"{relation.name}" takes {counted(wanted, "operand")}, found {found}'
        scope.error(message, written.relation.span, f'write it as in "{_example(relation)}"')
        return False
    for name, alternatives in zip(relation.parameters, written.parameters, strict=True):
        place = alternatives[-1][-1].operands[0].category.span
        hint = "write two properties, or braces: {A, B}"
        if len(alternatives) > 1 and name in relation.matched:
            scope.error(f'"{relation.name}" takes no alternatives "|" on this side', place, hint)
            return False
        if any(len(joint) > 1 for joint in alternatives) and name in relation.single:
            scope.error(f'"{relation.name}" takes no joint operand "&"', place, hint)
            return False
    return True


def _example(relation: Relation) -> str:
    """How a relation is written."""
    left, *others = relation.parameters
    if not relation.symbol:
        return f"{relation.name}({', '.join(relation.parameters)})"
    return " ".join([left, relation.symbol, *others] if others else [relation.symbol, left])


def _shared_bracket(scope: Scope, alternatives: w.Alternatives) -> tuple[w.Alternatives, tuple[w.WrittenDemand, ...]]:
    """Take `[number, gender]` from behind the last operand where its words are no values."""
    group = alternatives[-1][-1]
    demands = group.operands[-1].demands
    if group.braces or not demands or any(d.feature is not None or scope.is_value(d.values[0]) for d in demands):
        return alternatives, ()
    bare = replace(group, operands=(*group.operands[:-1], w.WrittenOperand(group.operands[-1].category)))
    return (*alternatives[:-1], (*alternatives[-1][:-1], bare)), demands


def _shared(scope: Scope, demand: w.WrittenDemand) -> str:
    if demand.feature is not None:
        scope.error("features to share stand without values", demand.feature.span, f"write [{demand.feature}]")
        return str(demand.feature)
    return scope.feature(demand.values[0])


def _settled(scope: Scope, written: w.WrittenProperty, levels: list[Strength]) -> tuple[int, int, bool]:
    """Weight, cost and hard mark: the nearest level that says something; the cost is the weight where none does."""
    weight = next((level.weight for level in levels if level.weight is not None), UNIT)
    cost = next((level.cost for level in levels if level.cost is not None), weight)
    if cost < 0:
        place = (written.strength.weight or written.relation).span
        scope.error(
            "a cost must not be negative", place, 'a negative weight needs a cost of its own: "weight -1 cost 1"'
        )
    return weight, cost, any(level.hard for level in levels)


def _distributed(
    scope: Scope, relation: Relation, parameters: Sequence[w.Alternatives]
) -> Iterable[tuple[Parameter, ...]]:
    """One tuple of parameters for each choice from the braces; where nothing is matched, braces mean any of them."""
    sides: list[list[Parameter]] = []
    for alternatives in parameters:
        expanded = [list(product(*(scope.operands(g.operands) for g in joint))) for joint in alternatives]
        if relation.matched:
            sides.append(list(product(*expanded)))
        else:
            sides.append([tuple(joint for choices in expanded for joint in choices)])
    return product(*sides)
