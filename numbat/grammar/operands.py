"""What the operands of a statement stand for: types for their members, braces for each or any, variables for values.

A statement may stand for several properties, whose operands are yielded one after the other. Parsers, automata and
explanations see these alone.
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
    """Yield the operands of each property that a statement stands for; too many are an error."""
    for each in _with_types_apart(declarations, relation, parameters):
        yield from _operands_of(declarations, relation, each, statement)


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
    """True if the relation takes operands of this number and shape; otherwise report an error."""
    wanted, found = len(relation.parameters), len(statement.parameters)
    if wanted != found:
        message = f'"{relation.name}" takes {counted(wanted, "operand")}, found {found}'
        declarations.error(message, statement.relation.span, f'write it as in "{relation.form}"')
        return False
    for name, alternatives in zip(relation.parameters, statement.parameters, strict=True):
        place = alternatives[-1][-1].operands[0].category.span
        hint = "write two properties, or braces: {A, B}"
        if len(alternatives) > 1 and name in relation.matched and not _are_counted(relation, name, alternatives):
            declarations.error(f'"{relation.name}" takes no alternatives "|" on this side', place, hint)
            return False
        if any(len(joint) > 1 for joint in alternatives) and name in relation.single:
            declarations.error(f'"{relation.name}" takes no joint operand "&"', place, hint)
            return False
    return True


def _are_counted(relation: Relation, name: str, alternatives: ParameterSyntax) -> bool:
    """True if daughters that are one of the alternatives count together, as in `uniq N | PN`."""
    are_single = all(len(joint) == 1 for joint in alternatives)
    return are_single and any(name in counted_parameters(node) for node in walk(relation.holds))


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
        expanded = [list(product(*(declarations.operands(g.operands, True) for g in joint))) for joint in alternatives]
        if relation.matched:
            sides.append(list(product(*expanded)))
        else:
            sides.append([tuple(joint for choices in expanded for joint in choices)])
    return product(*sides)


def _apart(
    declarations: Declarations, relation: Relation, operands: tuple[Parameter, ...], statement: PropertyStatement
) -> bool:
    """True if no daughter is two of the alternatives of which daughters are matched; otherwise report an error."""
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


# Types: names for sets of categories. A type is any of its members where no daughter is matched or daughters are
# counted, `V => Nominal`, `uniq Nominal`, and each of them elsewhere, `Det < Nominal`.


def _with_types_apart(
    declarations: Declarations, relation: Relation, parameters: Sequence[ParameterSyntax]
) -> Iterable[Sequence[ParameterSyntax]]:
    """Return the operands once for each of what braces hold where a type among it means any of its members.

    `uniq {Nominal, Det}` is `uniq Nominal` and `uniq Det`, of which the first counts the members together.
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
            ((replace(group, operands=(operand_syntax,), braces=False),),) for operand_syntax in group.operands
        ]
        sides.append(several if any_of and mixed else [alternatives])
    return product(*sides)


def with_members(
    declarations: Declarations, relation: Relation, parameters: Sequence[ParameterSyntax]
) -> list[ParameterSyntax]:
    """Return the operands with the members of types in their places."""
    if not declarations.types:
        return list(parameters)
    counted_here = {name for node in walk(relation.holds) for name in counted_parameters(node)}
    found = []
    for name, alternatives in zip(relation.parameters, parameters, strict=True):
        joints: list[tuple[GroupSyntax, ...]] = []
        for joint in alternatives:
            any_of = name not in relation.matched or (name in counted_here and len(joint) == 1)
            each_of = [_members(declarations, group, any_of) for group in joint]
            joints += product(*each_of)
        found.append(tuple(joints))
    return found


def _members(declarations: Declarations, group: GroupSyntax, any_of: bool) -> list[GroupSyntax]:
    """Return a group with the members of its types; as `any_of` a type alone is a group for each of them."""
    operands = list(chain.from_iterable(map(declarations.members, group.operands)))
    if len(operands) == len(group.operands):
        return [group]
    if any_of and not group.braces:
        return [replace(group, operands=(operand,)) for operand in operands]
    return [replace(group, operands=tuple(operands), braces=True)]


# Variables: operands that share the value of a feature, `N[case=$x]`, stand for a property a value.

_Site = tuple[int, int, int]
"""Where an operand stands: by its parameter, the alternative and the member of the joint."""
_Share = tuple[_Site, str]
"""An operand that has a variable, and in which feature."""


def _variables(
    declarations: Declarations, relation: Relation, parameters: Sequence[ParameterSyntax]
) -> dict[str, list[Variable]]:
    """Return the variables of a property with the places where they stand, an item for each; report a useless one.

    One that stands once says something where operands are counted: `uniq Cl[case=$x]`, one of each case.
    """
    found: dict[str, list[Variable]] = {}
    counted_here = {name for node in walk(relation.holds) for name in counted_parameters(node)} & relation.matched
    once_is_enough: set[str] = set()
    for name, alternatives in zip(relation.parameters, parameters, strict=True):
        demands = (d for joint in alternatives for group in joint for syntax in group.operands for d in syntax.demands)
        for demand in demands:
            for value in demand.values:
                if isinstance(value, Variable):
                    if len(alternatives) > 1 and name in relation.matched:
                        message = f'"{value}" stands in alternatives that daughters are matched with'
                        declarations.error(message, value.span, "write a property for each of the alternatives")
                    values = declarations.features.get(str(demand.feature), ())
                    found.setdefault(str(value), []).extend([value] * (len(values) + 1))
                    once_is_enough |= {str(value)} if name in counted_here else set()
    for variable, places in found.items():
        if len({id(place) for place in places}) == 1 and variable not in once_is_enough:
            hint = f"another operand shares it, as in A[number={variable}] < B[number={variable}]"
            declarations.error(f'"{variable}" stands only once', places[0].span, hint)
    return found


def _with_values(
    declarations: Declarations, relation: Relation, operands: tuple[Parameter, ...]
) -> Iterator[tuple[Parameter, ...]]:
    """Return the properties that operands with variables stand for: a daughter without the feature fits every value.

    Of the daughters that a property matches the first that has the feature decides the value, so that each tuple
    belongs to one of the properties; where none has it, the others may have any.
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
"""The values that operands accept in place of a variable; None where any do."""


def _choices(declarations: Declarations, first: Sequence[_Share], others: Sequence[_Share]) -> Iterator[_Accepted]:
    """Return for each value of a variable what its operands accept; `first` are those of matched daughters."""
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
    """Return the operands with accepted values in place of a variable."""

    def changed(operand: Operand, site: _Site) -> Operand:
        demand = []
        for feature, values in operand.features:
            found = accepted.get((site, feature), values)
            demand += [] if found is None else [(feature, found)]
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
    """Return operands that no daughter is matched for: each value of a variable is another alternative."""

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


# The note on braces, where the literature may mean something else

_LEFT_BRACES: Final = re.compile(r"\{[^{}]*\}\s*(?:=>|⇒|requires\b|x\b|⊗|⇎|excludes\b)")
_RIGHT_BRACES: Final = re.compile(r"[^;#{}]*(?:=>|⇒|\brequires)\s*\{")


def braces_that_distribute(grammar: Grammar, whole: Span, lines: Mapping[str, Sequence[str]]) -> Iterator[Problem]:
    """Note, once, braces on the left of an exclusion or requirement, and on the right of a requirement (ruling 5).

    There the literature may mean a set: both together, or one of them. `lines` are those of the files by path.
    """
    statements: dict[Span, list[Property]] = {}
    relations = relations_of(grammar)
    for prop in grammar.properties:
        if prop.span and (excludes(relations[prop.relation]) or requires(relations[prop.relation])):
            statements.setdefault(prop.span, []).append(prop)
    found = []
    for span, stated in statements.items():
        text = (lines.get(span.path) or [""] * span.line)[span.line - 1]
        begin = span.column - 1 - text[: span.column - 1].endswith("{")
        on_left = bool(_LEFT_BRACES.match(text, begin))
        if len(stated) > 1 and (on_left or _RIGHT_BRACES.match(text, begin)):
            found.append((stated[0], stated[1:], on_left))
    if found:
        first, others, on_left = found[0]
        other = next((each for each in others if (each.operands[0] != first.operands[0]) == on_left), others[0])
        left, right = (" | ".join(_joined(each) for each in parameter) for parameter in first.operands)
        if on_left:
            both = f"{left} & {_joined(other.operands[0][0])}"
            hint = f"where both together are meant, write {both}{format_property(first).removeprefix(left)}"
        else:
            either = " | ".join(dict.fromkeys((right, *map(_joined, other.operands[1]))))
            hint = f"where one of them is enough, write {format_property(first).removesuffix(right)}{either}"
        are = f"in {counted(len(found), 'property', 'properties')} braces stand for each of what they hold"
        message = f"{are}: {format_named(first)} and {format_property(other)}"
        yield note(message, first.span or whole, hint)


def _joined(joint: Joint) -> str:
    return " & ".join(map(format_operand, joint))
