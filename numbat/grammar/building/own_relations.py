"""The relations that a grammar writer defines: from what was written to rows like the built-in ones (ruling 15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from numbat.grammar.building.declarations import Scope, or_listed
from numbat.grammar.expressions import (
    Agree,
    And,
    Expression,
    HasValue,
    Not,
    Or,
    SameValue,
    asked_of_all,
    asked_of_one,
    walk,
)
from numbat.grammar.names import KEYWORDS, is_name
from numbat.grammar.notation import statements as w
from numbat.grammar.relations import Clause, Relation, built_in


def own_relations(scope: Scope, statements: Sequence[w.Statement], missing_unifies: bool) -> list[Relation]:
    """The rows of the relations that the statements define; `missing_unifies` is the grammar's choice for agree()."""
    taken = {name for row in built_in({}) for name in (row.name, row.symbol, *row.aliases)}
    own: list[Relation] = []
    for statement in statements:
        if not isinstance(statement, w.WrittenRelation):
            continue
        if statement.name in taken:
            scope.error(f'there is a relation "{statement.name}" already', statement.name.span, "choose another name")
        elif not is_name(statement.name) or statement.name in KEYWORDS["construction_line"]:
            hint = "choose a name of letters and digits that is no word of the notation"
            scope.error(f'"{statement.name}" cannot be the name of a relation', statement.name.span, hint)
        taken.add(statement.name)
        own.append(_own_relation(scope, statement, missing_unifies))
    return own


def _own_relation(scope: Scope, written: w.WrittenRelation, missing_unifies: bool) -> Relation:
    parameters = tuple(map(str, written.parameters))
    for word in _repeated(written.parameters):
        scope.error(f'parameter "{word}" stands twice', word.span)
    for word in written.parameters:
        if not is_name(word):
            scope.error(f'"{word}" cannot be a parameter', word.span, "a parameter is a name of letters and digits")
    for word in _repeated(written.each):
        scope.error(f'"{word}" stands twice after "for each"', word.span)
    for word in written.each:
        if word not in parameters:
            scope.error(f'"{word}" is not a parameter', word.span, or_listed(word, parameters, "parameters"))
    for node in walk(written.holds):
        for name in (*asked_of_one(node), *asked_of_all(node)):
            span = name.span if isinstance(name, w.Word) else written.name.span
            if name not in parameters:
                scope.error(f'"{name}" is not a parameter', span, or_listed(name, parameters, "parameters"))
            elif name in asked_of_one(node) and name not in written.each:
                hint = f'write "for each {", ".join((*written.each, name))}"'
                scope.error(f'"{name}" must be matched by one daughter here', span, hint)
        _check_values(scope, node)
    return Relation(
        str(written.name),
        parameters,
        (Clause(tuple(map(str, written.each))),),
        _plain(written.holds, missing_unifies),
        monotonic=written.monotonic,
        symmetric=written.symmetric,
        shares_features=any(isinstance(node, Agree) for node in walk(written.holds)),
        says=written.says,
        but=written.but,
    )


def _check_values(scope: Scope, node: Expression) -> None:
    match node:
        case HasValue(_, w.Word() as feature, w.Word() as value):
            scope.value(scope.feature(feature), value)
        case SameValue(_, w.Word() as left, _, w.Word() as right):
            scope.feature(left)
            scope.feature(right)


def _plain(expression: Expression, missing_unifies: bool) -> Expression:
    """The expression with plain strings in place of words with places, and agree() as the grammar means it."""
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


def _repeated(words: Sequence[w.Word]) -> list[w.Word]:
    return [word for i, word in enumerate(words) if word in words[:i]]
