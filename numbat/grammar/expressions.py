"""The language of conditions on tuples of daughters, in which relations are defined (ruling 15).

An `Expression` is a truth value, a comparison or a Boolean combination of expressions. It is about the parameters of a
relation. A `TupleContext` describes one tuple of daughters, one for each matched parameter, and evaluates expressions.
An *assignment* is the list of daughters that a phrase consists of, or has so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Final, Protocol

from numbat.grammar.names import format_atom
from numbat.records import frozen


class TupleContext(Protocol):
    """Facts about one tuple of daughters that match parameters, and about the assignment that they are part of."""

    def precedes(self, left: str, right: str) -> bool:
        """True if the daughter of parameter `left` ends before that of `right` begins."""

    def adjacent(self, left: str, right: str) -> bool:
        """True if the daughters of two parameters are neighbours in the assignment."""

    def place(self, parameter: str) -> int:
        """Return the position of a parameter's daughter in the assignment, counted from 1."""

    def is_last(self, parameter: str) -> bool:
        """True if a parameter's daughter is the last of the assignment."""

    def between(self, left: str, right: str) -> Sequence[int]:
        """Return the indexes of the daughters between those of two parameters, in order."""

    def count(self, parameter: str) -> int:
        """Return how many daughters, or sets of daughters for a joint operand, match the parameter (ruling 27)."""

    def present(self, parameter: str) -> bool:
        """True if the assignment matches all operands of one alternative of the parameter."""

    def attainable(self, parameter: str) -> bool:
        """True if the assignment matches all operands of one alternative, now or after it has grown."""

    def may_grow(self, parameter: str) -> bool:
        """True if a daughter that may still be added to the assignment could match the parameter."""

    def agree(self, left: str, right: str, missing_unifies: bool) -> bool:
        """True if the features that the property names unify in the daughters of two parameters."""

    def value(self, parameter: str, feature: str) -> str | None:
        """Return the value of a feature of a parameter's daughter, None if the daughter lacks the feature."""


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
    """One daughter precedes another."""

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
    """Position of a daughter, counted from 1, compared with a constant."""

    parameter: str
    comparison: str
    number: int

    def holds(self, context: TupleContext) -> bool:
        return bool(COMPARISONS[self.comparison](context.place(self.parameter), self.number))

    def __str__(self) -> str:
        return f"index({self.parameter}) {self.comparison} {self.number}"


@frozen
class Last:
    """A daughter is the last of the assignment."""

    parameter: str

    def holds(self, context: TupleContext) -> bool:
        return context.is_last(self.parameter)

    def __str__(self) -> str:
        return f"last({self.parameter})"


@frozen
class Distance:
    """Distance of two daughters, 1 for neighbours, compared with a constant."""

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
    """Number of daughters, or of sets of daughters if joint, that match a parameter, compared with a constant."""

    parameter: str
    comparison: str
    number: int

    def holds(self, context: TupleContext) -> bool:
        return bool(COMPARISONS[self.comparison](context.count(self.parameter), self.number))

    def __str__(self) -> str:
        return f"count({self.parameter}) {self.comparison} {self.number}"


@frozen
class Present:
    """The assignment matches all operands of one alternative of the parameter."""

    parameter: str

    def holds(self, context: TupleContext) -> bool:
        return context.present(self.parameter)

    def __str__(self) -> str:
        return f"present({self.parameter})"


@frozen
class Agree:
    """The named features of two daughters unify."""

    left: str
    right: str
    missing_unifies: bool = True

    def holds(self, context: TupleContext) -> bool:
        return context.agree(self.left, self.right, self.missing_unifies)

    def __str__(self) -> str:
        return f"agree({self.left}, {self.right})"


@frozen
class SameValue:
    """A feature of one daughter has the same value as a feature of another; false if either feature is missing."""

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
    """Negation of an expression."""

    operand: Expression

    def holds(self, context: TupleContext) -> bool:
        return not self.operand.holds(context)

    def __str__(self) -> str:
        return f"not {_bracketed(self.operand)}"


@frozen
class And:
    """Conjunction of expressions."""

    operands: tuple[Expression, ...]

    def holds(self, context: TupleContext) -> bool:
        return all(operand.holds(context) for operand in self.operands)

    def __str__(self) -> str:
        return " and ".join(map(_bracketed, self.operands))


@frozen
class Or:
    """Disjunction of expressions."""

    operands: tuple[Expression, ...]

    def holds(self, context: TupleContext) -> bool:
        return any(operand.holds(context) for operand in self.operands)

    def __str__(self) -> str:
        return " or ".join(map(_bracketed, self.operands))


@frozen
class EachBetween:
    """The daughters between two others, at most the first `most`: not a condition, but the daughters in violation."""

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


def format_formula(expression: Expression) -> str:
    """Format a condition in the notation of properties, with its parameters as operands: `B < C or not first(B)`."""

    def inside(operand: Expression) -> str:
        text = format_formula(operand)
        return f"({text})" if isinstance(operand, And | Or) else text

    match expression:
        case Precedes(left, right):
            return f"{left} < {right}"
        case Adjacent(left, right):
            return f"{left} + {right}"
        case Place(parameter, "=", 1):
            return f"first({parameter})"
        case HasValue(parameter, feature, value) if len(value) == 1:
            return f'{parameter}.{format_atom(feature)} = "{value}"'  # quoted, because a single letter means an operand
        case Not(operand):
            return f"not {inside(operand)}"
        case And(operands):
            return " and ".join(map(inside, operands))
        case Or(operands):
            return " or ".join(map(inside, operands))
    return str(expression)


def with_atoms(expression: Any, atom: Callable[[Any], Expression]) -> Expression:
    """Return the expression with `atom` applied to each subexpression other than `Not`, `And` and `Or`."""
    match expression:
        case Not(operand):
            return Not(with_atoms(operand, atom))
        case And(operands):
            return And(tuple(with_atoms(operand, atom) for operand in operands))
        case Or(operands):
            return Or(tuple(with_atoms(operand, atom) for operand in operands))
        case _:
            return atom(expression)


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield the expression and all its subexpressions."""
    yield expression
    match expression:
        case Not(operand):
            yield from walk(operand)
        case And(operands) | Or(operands):
            for operand in operands:
                yield from walk(operand)


def single_parameters(node: Expression) -> tuple[str, ...]:
    """Return the parameters whose index or feature this node itself, not a subexpression, compares."""
    match node:
        case Precedes() | Adjacent() | Distance() | Agree() | SameValue():
            return node.left, node.right
        case Place() | Last() | HasValue():
            return (node.parameter,)
    return ()


def counted_parameters(node: Expression) -> tuple[str, ...]:
    """Return the parameters that this node looks for among all daughters, by `count` or `present`."""
    return (node.parameter,) if isinstance(node, Count | Present) else ()


def permanently_false(expression: Expression, context: TupleContext) -> bool:
    """True if the expression is false and stays false however the assignment grows."""
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
    """True if the expression is true and stays true however the assignment grows."""
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
