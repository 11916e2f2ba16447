"""From Lark's trees of the notation to texts with their places, and to the expressions of a relation."""

from __future__ import annotations

from typing import Any

from lark import Token, Transformer

from numbat.errors import Span
from numbat.grammar import expressions
from numbat.grammar.expressions import Expression
from numbat.grammar.names import unquoted
from numbat.grammar.notation.statements import PlacedText


class ExpressionReader(Transformer[Token, Any]):
    """Lark transformer for the names, numbers and expressions of `notation.lark`; `origin` is where its line begins.

    There is one method for each rule; it takes the list of the rule's children.
    """

    def __init__(self, origin: Span) -> None:
        super().__init__(visit_tokens=False)
        self._origin = origin

    def _placed(self, token: Token) -> PlacedText:
        """The text that a token stands for, with its place in the file."""
        assert token.line is not None
        assert token.column is not None
        shift = self._origin.column - 1 if token.line == 1 else 0
        column = token.column + shift
        span = Span(self._origin.path, self._origin.line + token.line - 1, column, column + len(token))
        return PlacedText(unquoted(str(token)), span)

    def _single(self, children: list[Token]) -> PlacedText:
        return self._placed(children[0])

    category = form = atom = name = string = number = whole = _single
    prefix_symbol = infix_symbol = comparison = setting_name = tree_features = _single

    def or_(self, children: list[Any]) -> Expression:
        operands = tuple(child for child in children if not isinstance(child, Token))
        return expressions.Or(operands) if len(operands) > 1 else operands[0]

    def and_(self, children: list[Any]) -> Expression:
        operands = tuple(child for child in children if not isinstance(child, Token))
        return expressions.And(operands) if len(operands) > 1 else operands[0]

    def not_(self, children: list[Any]) -> Expression:
        return expressions.Not(children[-1])

    def index(self, children: list[Any]) -> Expression:
        _, left, comparison, _, right = children
        forward, backward = expressions.Precedes(left, right), expressions.Precedes(right, left)
        meanings: dict[str, Expression] = {
            "<": forward,
            "≺": forward,
            ">": backward,
            "<=": expressions.Not(backward),
            ">=": expressions.Not(forward),
            "=": expressions.Not(expressions.Or((forward, backward))),
            "!=": expressions.Or((forward, backward)),
        }
        return meanings[str(comparison)]

    def place(self, children: list[Any]) -> Expression:
        _, parameter, comparison, number = children
        return expressions.Place(parameter, _sign(comparison), int(number))

    def first(self, children: list[Any]) -> Expression:
        return expressions.Place(children[1], "=", 1)

    def last(self, children: list[Any]) -> Expression:
        return expressions.Last(children[1])

    def distance(self, children: list[Any]) -> Expression:
        _, left, right, comparison, number = children
        return expressions.Distance(left, right, _sign(comparison), int(number))

    def count(self, children: list[Any]) -> Expression:
        _, parameter, comparison, number = children
        return expressions.Count(parameter, _sign(comparison), int(number))

    def adjacent(self, children: list[Any]) -> Expression:
        return expressions.Adjacent(*children[1:])

    def present(self, children: list[Any]) -> Expression:
        return expressions.Present(children[1])

    def agree(self, children: list[Any]) -> Expression:
        return expressions.Agree(*children[1:])

    def same_value(self, children: list[Any]) -> Expression:
        return expressions.SameValue(*children)

    def has_value(self, children: list[Any]) -> Expression:
        return expressions.HasValue(*children)

    def other_value(self, children: list[Any]) -> Expression:
        return expressions.Not(expressions.SameValue(*children))

    def lacks_value(self, children: list[Any]) -> Expression:
        return expressions.Not(expressions.HasValue(*children))

    def true(self, children: list[Any]) -> Expression:
        return expressions.Always(True)

    def false(self, children: list[Any]) -> Expression:
        return expressions.Always(False)


def _sign(comparison: str) -> str:
    return "<" if comparison == "≺" else str(comparison)
