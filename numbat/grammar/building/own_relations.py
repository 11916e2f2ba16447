"""The relations that a grammar writer defines: from statements to records like the built-in ones (ruling 15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from numbat.grammar.building.declarations import Declarations, or_listed
from numbat.grammar.expressions import (
    Agree,
    And,
    Expression,
    HasValue,
    Not,
    Or,
    SameValue,
    counted_parameters,
    single_parameters,
    walk,
)
from numbat.grammar.names import KEYWORDS, is_name
from numbat.grammar.notation.statements import PlacedText, RelationStatement, Statement
from numbat.grammar.relations import Clause, Relation, built_in


def own_relations(declarations: Declarations, statements: Sequence[Statement], missing_unifies: bool) -> list[Relation]:
    """The relations that the statements define; `missing_unifies` is the grammar's choice for agree()."""
    taken = {name for row in built_in({}) for name in (row.name, row.symbol, *row.aliases)}
    own: list[Relation] = []
    for statement in statements:
        if not isinstance(statement, RelationStatement):
            continue
        if statement.name in taken:
            declarations.error(
                f'there is a relation "{statement.name}" already', statement.name.span, "choose another name"
            )
        elif not is_name(statement.name) or statement.name in KEYWORDS["construction_line"]:
            hint = "choose a name of letters and digits that is no word of the notation"
            declarations.error(f'"{statement.name}" cannot be the name of a relation', statement.name.span, hint)
        taken.add(statement.name)
        own.append(_own_relation(declarations, statement, missing_unifies))
    return own


def _own_relation(declarations: Declarations, statement: RelationStatement, missing_unifies: bool) -> Relation:
    parameters = tuple(map(str, statement.parameters))
    for word in _repeated(statement.parameters):
        declarations.error(f'parameter "{word}" stands twice', word.span)
    for word in statement.parameters:
        if not is_name(word):
            declarations.error(
                f'"{word}" cannot be a parameter', word.span, "a parameter is a name of letters and digits"
            )
    for word in _repeated(statement.each):
        declarations.error(f'"{word}" stands twice after "for each"', word.span)
    for word in statement.each:
        if word not in parameters:
            declarations.error(f'"{word}" is not a parameter', word.span, or_listed(word, parameters, "parameters"))
    for node in walk(statement.holds):
        for name in (*single_parameters(node), *counted_parameters(node)):
            span = name.span if isinstance(name, PlacedText) else statement.name.span
            if name not in parameters:
                declarations.error(f'"{name}" is not a parameter', span, or_listed(name, parameters, "parameters"))
            elif name in single_parameters(node) and name not in statement.each:
                hint = f'write "for each {", ".join((*statement.each, name))}"'
                declarations.error(f'"{name}" must be matched by one daughter here', span, hint)
        _check_values(declarations, node)
    return Relation(
        str(statement.name),
        parameters,
        (Clause(tuple(map(str, statement.each))),),
        _plain(statement.holds, missing_unifies),
        monotonic=statement.monotonic,
        symmetric=statement.symmetric,
        shares_features=any(isinstance(node, Agree) for node in walk(statement.holds)),
        says=statement.says,
        but=statement.but,
    )


def _check_values(declarations: Declarations, node: Expression) -> None:
    match node:
        case HasValue(_, PlacedText() as feature, PlacedText() as value):
            declarations.value(declarations.feature(feature), value)
        case SameValue(_, PlacedText() as left, _, PlacedText() as right):
            declarations.feature(left)
            declarations.feature(right)


def _plain(expression: Expression, missing_unifies: bool) -> Expression:
    """The expression with plain strings for texts with places, and agree() as the grammar's semantics has it."""
    match expression:
        case Not(operand):
            return Not(_plain(operand, missing_unifies))
        case And(operands):
            return And(tuple(_plain(operand, missing_unifies) for operand in operands))
        case Or(operands):
            return Or(tuple(_plain(operand, missing_unifies) for operand in operands))
        case Agree(left, right):
            return Agree(str(left), str(right), missing_unifies)
    texts: dict[str, Any] = {
        f.name: str(value) for f in fields(expression) if isinstance(value := getattr(expression, f.name), str)
    }
    return replace(expression, **texts)


def _repeated(words: Sequence[PlacedText]) -> list[PlacedText]:
    return [word for i, word in enumerate(words) if word in words[:i]]
