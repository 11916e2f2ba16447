"""The language of conditions on tuples of daughters, in which a relation is defined (ruling 15).

An `Expression` is a truth value, a comparison or a Boolean combination of expressions. It names parameters of a
relation and is evaluated in a `TupleContext`, which stands for one tuple of daughters that these parameters match.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import eq, ge, gt, le, lt, ne
from typing import Final, Protocol

from numbat.grammar.names import format_atom
from numbat.records import frozen


class TupleContext(Protocol):
    """The facts about one tuple of daughters, those that the parameters of a property match, and its assignment."""

    def precedes(self, left: str, right: str) -> bool:
        """Whether the last word of one matched daughter stands before the first word of the other."""

    def adjacent(self, left: str, right: str) -> bool:
        """Whether two matched daughters are neighbours in the assignment."""

    def place(self, parameter: str) -> int:
        """The place of a matched daughter in the assignment, 1 for the first."""

    def is_last(self, parameter: str) -> bool:
        """Whether a matched daughter is the last one of the assignment."""

    def between(self, left: str, right: str) -> Sequence[int]:
        """The daughters that stand between two matched ones, as their indexes in the assignment, in order."""

    def count(self, parameter: str) -> int:
        """How many daughters in the assignment are an operand of the parameter, or sets, if it is joint (ruling 27)."""

    def present(self, parameter: str) -> bool:
        """Whether the assignment has all operands of one of the alternatives of the parameter."""

    def attainable(self, parameter: str) -> bool:
        """Whether the assignment has all operands of one of the alternatives, or may have them when it has grown."""

    def may_grow(self, parameter: str) -> bool:
        """Whether one more operand of the parameter may still come."""

    def agree(self, left: str, right: str, missing_unifies: bool) -> bool:
        """Whether the features that the property names unify between two matched daughters."""

    def value(self, parameter: str, feature: str) -> str | None:
        """The value of a feature of a matched daughter."""


@frozen
class Always:
    """A constant, true or false for every tuple."""

    truth: bool

    def holds(self, context: TupleContext) -> bool:
        return self.truth

    def __str__(self) -> str:
        return "true" if self.truth else "false"


TRUE: Final = Always(True)


@frozen
class Precedes:
    """One daughter stands before another one."""

    left: str
    right: str

    def holds(self, context: TupleContext) -> bool:
        return context.precedes(self.left, self.right)

    def __str__(self) -> str:
        return f"index({self.left}) < index({self.right})"


@frozen
class Adjacent:
    """Two daughters are neighbours."""

    left: str
    right: str

    def holds(self, context: TupleContext) -> bool:
        return context.adjacent(self.left, self.right)

    def __str__(self) -> str:
        return f"adjacent({self.left}, {self.right})"


COMPARISONS: Final = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


@frozen
class Place:
    """The place of a daughter among all, 1 for the first, compared with a constant."""

    parameter: str
    comparison: str
    number: int

    def holds(self, context: TupleContext) -> bool:
        return bool(COMPARISONS[self.comparison](context.place(self.parameter), self.number))

    def __str__(self) -> str:
        return f"index({self.parameter}) {self.comparison} {self.number}"


@frozen
class Last:
    """No daughter stands behind this one."""

    parameter: str

    def holds(self, context: TupleContext) -> bool:
        return context.is_last(self.parameter)

    def __str__(self) -> str:
        return f"last({self.parameter})"


@frozen
class Distance:
    """How many places two daughters are apart, 1 for neighbours, compared with a constant."""

    left: str
    right: str
    comparison: str
    number: int

    def holds(self, context: TupleContext) -> bool:
        apart = abs(context.place(self.left) - context.place(self.right))
        return bool(COMPARISONS[self.comparison](apart, self.number))

    def __str__(self) -> str:
        return f"distance({self.left}, {self.right}) {self.comparison} {self.number}"


@frozen
class Count:
    """The number of daughters that are an operand of the parameter, or of sets if it is joint, against a constant."""

    parameter: str
    comparison: str
    number: int

    def holds(self, context: TupleContext) -> bool:
        return bool(COMPARISONS[self.comparison](context.count(self.parameter), self.number))

    def __str__(self) -> str:
        return f"count({self.parameter}) {self.comparison} {self.number}"


@frozen
class Present:
    """The daughters have all operands of one alternative of the parameter."""

    parameter: str

    def holds(self, context: TupleContext) -> bool:
        return context.present(self.parameter)

    def __str__(self) -> str:
        return f"present({self.parameter})"


@frozen
class Agree:
    """The features that the property names unify between two daughters."""

    left: str
    right: str
    missing_unifies: bool = True

    def holds(self, context: TupleContext) -> bool:
        return context.agree(self.left, self.right, self.missing_unifies)

    def __str__(self) -> str:
        return f"agree({self.left}, {self.right})"


@frozen
class SameValue:
    """A feature of one daughter has the value of a feature of another; a missing feature is the same as nothing."""

    left: str
    left_feature: str
    right: str
    right_feature: str

    def holds(self, context: TupleContext) -> bool:
        value = context.value(self.left, self.left_feature)
        return value is not None and value == context.value(self.right, self.right_feature)

    def __str__(self) -> str:
        left, right = format_atom(self.left_feature), format_atom(self.right_feature)
        return f"{self.left}.{left} = {self.right}.{right}"


@frozen
class HasValue:
    """A feature of a daughter has this value."""

    parameter: str
    feature: str
    value: str

    def holds(self, context: TupleContext) -> bool:
        return context.value(self.parameter, self.feature) == self.value

    def __str__(self) -> str:
        return f"{self.parameter}.{format_atom(self.feature)} = {format_atom(self.value)}"


@frozen
class Not:
    """The negation of an expression."""

    operand: Expression

    def holds(self, context: TupleContext) -> bool:
        return not self.operand.holds(context)

    def __str__(self) -> str:
        return f"not {_bracketed(self.operand)}"


@frozen
class And:
    """The conjunction of expressions."""

    operands: tuple[Expression, ...]

    def holds(self, context: TupleContext) -> bool:
        return all(operand.holds(context) for operand in self.operands)

    def __str__(self) -> str:
        return " and ".join(map(_bracketed, self.operands))


@frozen
class Or:
    """The disjunction of expressions."""

    operands: tuple[Expression, ...]

    def holds(self, context: TupleContext) -> bool:
        return any(operand.holds(context) for operand in self.operands)

    def __str__(self) -> str:
        return " or ".join(map(_bracketed, self.operands))


@frozen
class EachBetween:
    """The daughters between two others, the first `most` of them: no condition, but what a tuple is violated by."""

    left: str
    right: str
    most: int

    def daughters(self, context: TupleContext) -> Sequence[int]:
        return context.between(self.left, self.right)[: self.most]


Expression = (
    Always
    | Precedes
    | Adjacent
    | Place
    | Last
    | Distance
    | Count
    | Present
    | Agree
    | SameValue
    | HasValue
    | Not
    | And
    | Or
)


def _bracketed(expression: Expression) -> str:
    return f"({expression})" if isinstance(expression, And | Or | Not) else str(expression)


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and all expressions within it."""
    yield expression
    match expression:
        case Not(operand):
            yield from walk(operand)
        case And(operands) | Or(operands):
            for operand in operands:
                yield from walk(operand)


def single_parameters(node: Expression) -> tuple[str, ...]:
    """The parameters of the node, itself and not what is within it, that stand for one daughter each.

    They are those of whose daughter it compares the index or a feature.
    """
    match node:
        case Precedes() | Adjacent() | Distance() | Agree() | SameValue():
            return node.left, node.right
        case Place() | Last() | HasValue():
            return (node.parameter,)
    return ()


def counted_parameters(node: Expression) -> tuple[str, ...]:
    """The parameters of the node whose operands are looked for among all daughters."""
    return (node.parameter,) if isinstance(node, Count | Present) else ()


def permanently_false(expression: Expression, context: TupleContext) -> bool:
    """Whether the expression is false and stays false however the assignment grows."""
    match expression:
        case Always(truth):
            return not truth
        case Count(parameter, comparison, number):
            if comparison in ("=", "<", "<=") and context.count(parameter) >= number + (comparison != "<"):
                return True
            short = comparison in ("=", ">", ">=") and context.count(parameter) < number + (comparison == ">")
            return short and not context.may_grow(parameter)
        case Present(parameter):
            return not context.attainable(parameter)
        case Not(operand):
            return permanently_true(operand, context)
        case And(operands):
            return any(permanently_false(operand, context) for operand in operands)
        case Or(operands):
            return all(permanently_false(operand, context) for operand in operands)
    return False


def permanently_true(expression: Expression, context: TupleContext) -> bool:
    """Whether the expression is true and stays true however the assignment grows."""
    match expression:
        case Always(truth):
            return truth
        case Count(parameter, comparison, number):
            return comparison in (">", ">=") and context.count(parameter) >= number + (comparison == ">")
        case Present(parameter):
            return context.present(parameter)
        case Not(operand):
            return permanently_false(operand, context)
        case And(operands):
            return all(permanently_true(operand, context) for operand in operands)
        case Or(operands):
            return any(permanently_true(operand, context) for operand in operands)
    return False
