"""Expands the operands of statements: types become their members, braces each or any member, variables their values.

A statement may stand for several properties. Parsers, automata and explanations see only expanded properties.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations, product
from math import prod
from typing import Final

from numbat.errors import Problem, Span, counted, note
from numbat.grammar.declarations import Declarations
from numbat.grammar.expressions import counted_parameters, walk
from numbat.grammar.model import Grammar, relations_of
from numbat.grammar.names import format_name
from numbat.grammar.properties import (
    ABSENT,
    Joint,
    Operand,
    Parameter,
    Property,
    format_named,
    format_operand,
    format_property,
)
from numbat.grammar.relations import Relation, excludes, requires
from numbat.grammar.statements import GroupSyntax, ParameterSyntax, PropertyStatement, Variable


def operands_of(
    declarations: Declarations, relation: Relation, parameters: Sequence[ParameterSyntax], statement: PropertyStatement
) -> Iterator[tuple[Parameter, ...]]:
    """Yield the operands of each property that a statement stands for; too many properties are an error."""
    for operands in _with_types_apart(declarations, relation, parameters):
        yield from _operands_of(declarations, relation, operands, statement)


def _operands_of(
    declarations: Declarations, relation: Relation, parameters: Sequence[ParameterSyntax], statement: PropertyStatement
) -> Iterator[tuple[Parameter, ...]]:
    parameters = with_members(declarations, relation, parameters)
    variables = _variables(declarations, relation, parameters)
    number = _number_of(relation, parameters) * prod(map(len, variables.values()), start=1)
    if not declarations.count_properties(number, statement.relation):
        return
    for sharing in _distributed(declarations, relation, parameters):
        for operands in _with_values(declarations, relation, sharing) if variables else (sharing,):
            several = any(len(operand) > 1 for operand in operands)
            if several and not _apart(declarations, relation, operands, statement):
                return
            yield operands


def fits(declarations: Declarations, relation: Relation, statement: PropertyStatement) -> bool:
    """True if the relation takes operands of this number and shape; report an error otherwise."""
    wanted, given = len(relation.parameters), len(statement.parameters)
    if wanted != given:
        message = f'"{relation.name}" takes {counted(wanted, "operand")}, found {given}'
        declarations.error(message, statement.relation.span, f'write it like "{relation.form}"')
        return False
    for name, alternatives in zip(relation.parameters, statement.parameters, strict=True):
        place = alternatives[-1][-1].operands[0].category.span
        hint = "write two properties, or use braces: {A, B}"
        if len(alternatives) > 1 and name in relation.matched and not _are_counted(relation, name, alternatives):
            declarations.error(f'"{relation.name}" takes no alternatives "|" on this side', place, hint)
            return False
        if any(len(joint) > 1 for joint in alternatives) and name in relation.single:
            declarations.error(f'"{relation.name}" takes no joint operand "&"', place, hint)
            return False
    return True


def _are_counted(relation: Relation, name: str, alternatives: ParameterSyntax) -> bool:
    """True if the relation counts the daughters of all alternatives together, as in `uniq N | PN`."""
    are_single = all(len(joint) == 1 for joint in alternatives)
    return are_single and any(name in counted_parameters(node) for node in walk(relation.holds))


def _number_of(relation: Relation, parameters: Sequence[ParameterSyntax]) -> int:
    """Return the number of properties that braces stand for or, if no daughter is matched, of alternatives."""
    sides = [prod(len(group.operands) for group in joint) for alternatives in parameters for joint in alternatives]
    return prod(sides) if relation.matched else max(sides, default=1)


def _distributed(
    declarations: Declarations, relation: Relation, parameters: Sequence[ParameterSyntax]
) -> Iterable[tuple[Parameter, ...]]:
    """Return the operands of each property that braces stand for; where nothing is matched, braces are alternatives."""
    sides: list[list[Parameter]] = []
    for alternatives in parameters:
        expanded = [list(product(*(declarations.operands(g.operands, True) for g in joint))) for joint in alternatives]
        if relation.matched:
            sides.append(list(product(*expanded)))
        else:
            sides.append([tuple(joint for choices in expanded for joint in choices)])
    return product(*sides)


def _apart(
    declarations: Declarations, relation: Relation, operands: tuple[Parameter, ...], statement: PropertyStatement
) -> bool:
    """True if no daughter can match two alternatives of a matched parameter; report an error otherwise."""
    for name, parameter in zip(relation.parameters, operands, strict=True):
        for (one, *_), (other, *_) in combinations(parameter, 2) if name in relation.matched else ():
            accepted = dict(one.features)
            differ = any(f in accepted and not {*accepted[f]} & {*values} for f, values in other.features)
            if one.category == other.category and not differ:
                message = f"a daughter may be both {format_operand(one)} and {format_operand(other)}"
                hint = f"write {format_name(one.category)} alone, or give the two different values of one feature"
                declarations.error(message, statement.span, hint)
                return False
    return True


# Types: names for sets of categories. A type means any of its members if no daughter is matched or daughters are
# counted, `V => Nominal`, `uniq Nominal`, and each of them otherwise, `Det < Nominal`.


def _with_types_apart(
    declarations: Declarations, relation: Relation, parameters: Sequence[ParameterSyntax]
) -> Iterable[Sequence[ParameterSyntax]]:
    """Return the operands of a statement; braces are split if they contain a type that means any of its members.

    `uniq {Nominal, Det}` becomes `uniq Nominal`, which counts the members of the type together, and `uniq Det`.
    """
    if not declarations.types or not relation.matched:
        return (parameters,)
    counted_here = {name for node in walk(relation.holds) for name in counted_parameters(node)}
    sides: list[list[ParameterSyntax]] = []
    for name, alternatives in zip(relation.parameters, parameters, strict=True):
        group = alternatives[0][0]
        any_of = (name not in relation.matched or name in counted_here) and len(alternatives) == len(
            alternatives[0]
        ) == 1
        mixed = group.braces and any(len(declarations.members(syntax)) > 1 for syntax in group.operands)
        several: list[ParameterSyntax] = [
            ((replace(group, operands=(operand,), braces=False),),) for operand in group.operands
        ]
        sides.append(several if any_of and mixed else [alternatives])
    return product(*sides)


def with_members(
    declarations: Declarations, relation: Relation, parameters: Sequence[ParameterSyntax]
) -> list[ParameterSyntax]:
    """Return the operands with types replaced by their members."""
    if not declarations.types:
        return list(parameters)
    counted_here = {name for node in walk(relation.holds) for name in counted_parameters(node)}
    with_types = []
    for name, alternatives in zip(relation.parameters, parameters, strict=True):
        joints: list[tuple[GroupSyntax, ...]] = []
        for joint in alternatives:
            any_of = name not in relation.matched or (name in counted_here and len(joint) == 1)
            each_of = [_members(declarations, group, any_of) for group in joint]
            joints += product(*each_of)
        with_types.append(tuple(joints))
    return with_types


def _members(declarations: Declarations, group: GroupSyntax, any_of: bool) -> list[GroupSyntax]:
    """Return a group with types replaced by their members; with `any_of` a single type becomes a group per member."""
    operands = list(chain.from_iterable(map(declarations.members, group.operands)))
    if len(operands) == len(group.operands):
        return [group]
    if any_of and not group.braces:
        return [replace(group, operands=(operand,)) for operand in operands]
    return [replace(group, operands=tuple(operands), braces=True)]


# Variables: operands that share the value of a feature, `N[case=$x]`, stand for one property per value

_Site = tuple[int, int, int]
"""The place of an operand within a property: the numbers of its parameter, alternative and member of the joint."""
_Share = tuple[_Site, str]
"""The place of an operand with a variable, and the feature that has the variable as its value."""


def _variables(
    declarations: Declarations, relation: Relation, parameters: Sequence[ParameterSyntax]
) -> dict[str, list[Variable]]:
    """Return the variables of a property by name, each with one item for each value and use; report useless ones.

    A variable that is used only once is useful if operands are counted: `uniq Cl[case=$x]` allows one of each case.
    """
    variables: dict[str, list[Variable]] = {}
    counted_here = {name for node in walk(relation.holds) for name in counted_parameters(node)} & relation.matched
    once_is_enough: set[str] = set()
    for name, alternatives in zip(relation.parameters, parameters, strict=True):
        demands = (d for joint in alternatives for group in joint for syntax in group.operands for d in syntax.demands)
        for demand in demands:
            for value in demand.values:
                if isinstance(value, Variable):
                    if len(alternatives) > 1 and name in relation.matched:
                        message = f'"{value}" cannot be used on a side with alternatives "|"'
                        declarations.error(message, value.span, "write one property for each alternative")
                    values = declarations.features.get(str(demand.feature), ())
                    variables.setdefault(str(value), []).extend([value] * (len(values) + 1))
                    once_is_enough |= {str(value)} if name in counted_here else set()
    for variable, places in variables.items():
        if len({id(place) for place in places}) == 1 and variable not in once_is_enough:
            hint = f"use it in another operand too, as in A[number={variable}] < B[number={variable}]"
            declarations.error(f'"{variable}" is used only once', places[0].span, hint)
    return variables


def _with_values(
    declarations: Declarations, relation: Relation, operands: tuple[Parameter, ...]
) -> Iterator[tuple[Parameter, ...]]:
    """Yield the properties that operands with variables stand for; a daughter without the feature fits every value.

    The first matched daughter with the feature decides the value, so that each tuple belongs to exactly one of the
    properties. If no matched daughter has it, the other operands may have any value.
    """
    shares: dict[str, list[_Share]] = {}
    for i, parameter in enumerate(operands):
        for j, joint in enumerate(parameter):
            for k, operand in enumerate(joint):
                for feature, values in operand.features:
                    if isinstance(values[0], Variable):
                        shares.setdefault(str(values[0]), []).append(((i, j, k), feature))
    if not shares:
        yield operands
        return
    variable, places = next(iter(shares.items()))
    matched = {i for i, name in enumerate(relation.parameters) if name in relation.matched}
    first = [share for share in places if share[0][0] in matched]
    if not first:
        yield from _with_values(declarations, relation, _as_alternatives(declarations, operands, variable))
        return
    others = [share for share in places if share not in first]
    for accepted in _choices(declarations, first, others):
        yield from _with_values(declarations, relation, _accepting(operands, accepted))


_Accepted = dict[_Share, tuple[str, ...] | None]
"""For each place of a variable the values that the operand accepts there instead; None for any value."""


def _choices(declarations: Declarations, first: Sequence[_Share], others: Sequence[_Share]) -> Iterator[_Accepted]:
    """Yield, for each value of a variable, what its operands accept; `first` are the places in matched operands."""
    alone = len(first) == 1 and not others
    for i, (_, feature) in enumerate(first):
        if i == len(first) - 1 and not others and not alone:
            yield {**dict.fromkeys(first[:i], (ABSENT,)), first[i]: None}
            return
        for value in declarations.features.get(feature, ()):
            accepted: _Accepted = dict.fromkeys(first[:i], (ABSENT,))
            yield {**accepted, first[i]: (value,), **dict.fromkeys((*first[i + 1 :], *others), (value, ABSENT))}
    yield {**dict.fromkeys(first, (ABSENT,)), **dict.fromkeys(others)}


def _accepting(operands: tuple[Parameter, ...], accepted: _Accepted) -> tuple[Parameter, ...]:
    """Return the operands with the variable replaced by the values that it accepts at each place."""

    def changed(operand: Operand, site: _Site) -> Operand:
        demand = []
        for feature, values in operand.features:
            chosen = accepted.get((site, feature), values)
            demand += [] if chosen is None else [(feature, chosen)]
        return Operand(operand.category, tuple(demand))

    return tuple(
        [
            tuple(
                [
                    tuple([changed(operand, (i, j, k)) for k, operand in enumerate(joint)])
                    for j, joint in enumerate(parameter)
                ]
            )
            for i, parameter in enumerate(operands)
        ]
    )


def _as_alternatives(
    declarations: Declarations, operands: tuple[Parameter, ...], variable: str
) -> tuple[Parameter, ...]:
    """Return the operands of a property without matched daughters; values of the variable become alternatives."""

    def alternatives(i: int, parameter: Parameter) -> Iterator[Parameter]:
        for joint in parameter:
            alone = (*operands[:i], (joint,), *operands[i + 1 :])
            shares = [
                ((i, 0, k), feature)
                for k, operand in enumerate(joint)
                for feature, values in operand.features
                if str(values[0]) == variable
            ]
            for accepted in _choices(declarations, shares, ()) if shares else ():
                yield _accepting(alone, accepted)[i]
            if not shares:
                yield (joint,)

    return tuple(
        [
            tuple([joint for several in alternatives(i, parameter) for joint in several])
            for i, parameter in enumerate(operands)
        ]
    )


# Note on braces that may mean something else in the literature

_LEFT_BRACES: Final = re.compile(r"\{[^{}]*\}\s*(?:=>|⇒|requires\b|x\b|⊗|⇎|excludes\b)")
_RIGHT_BRACES: Final = re.compile(r"[^;#{}]*(?:=>|⇒|\brequires)\s*\{")


def braces_that_distribute(grammar: Grammar, whole: Span, lines: Mapping[str, Sequence[str]]) -> Iterator[Problem]:
    """Yield one note about braces on either side of a requirement, or on the left of an exclusion (ruling 5).

    The literature may mean a set there: all members together, or any one. `lines` maps paths to the lines of the files.
    """
    statements: dict[Span, list[Property]] = {}
    relations = relations_of(grammar)
    for prop in grammar.properties:
        if prop.span and (excludes(relations[prop.relation]) or requires(relations[prop.relation])):
            statements.setdefault(prop.span, []).append(prop)
    distributed = []
    for span, stated in statements.items():
        text = (lines.get(span.path) or [""] * span.line)[span.line - 1]
        begin = span.column - 1 - text[: span.column - 1].endswith("{")
        on_left = bool(_LEFT_BRACES.match(text, begin))
        if len(stated) > 1 and (on_left or _RIGHT_BRACES.match(text, begin)):
            distributed.append((stated[0], stated[1:], on_left))
    if distributed:
        first, others, on_left = distributed[0]
        other = next((prop for prop in others if (prop.operands[0] != first.operands[0]) == on_left), others[0])
        left, right = (" | ".join(_joined(joint) for joint in parameter) for parameter in first.operands)
        if on_left:
            both = f"{left} & {_joined(other.operands[0][0])}"
            hint = f"to mean both together, write {both}{format_property(first).removeprefix(left)}"
        else:
            either = " | ".join(dict.fromkeys((right, *map(_joined, other.operands[1]))))
            hint = f"to mean any one of them, write {format_property(first).removesuffix(right)}{either}"
        are = f"in {counted(len(distributed), 'property', 'properties')} braces stand for each of their members"
        message = f"{are}: {format_named(first)} and {format_property(other)}"
        yield note(message, first.span or whole, hint)


def _joined(joint: Joint) -> str:
    return " & ".join(map(format_operand, joint))
