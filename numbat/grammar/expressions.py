"""The small closed language in which relations say what they mean (ruling 15): its records, and what they ask for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne
from typing import Final, Protocol

from numbat.grammar.names import format_atom


class View(Protocol):
    """What an expression may ask about one tuple of daughters matched by the parameters of a property."""

    def precedes(self, left: str, right: str) -> bool:
        """Whether the last word of one matched daughter stands before the first word of the other."""

    def adjacent(self, left: str, right: str) -> bool:
        """Whether two matched daughters are neighbours in the assignment."""

    def count(self, parameter: str) -> int:
        """How many daughters in the assignment are an operand of the parameter."""

    def present(self, parameter: str) -> bool:
        """Whether the assignment has all operands of one of the alternatives of the parameter."""

    def attainable(self, parameter: str) -> bool:
        """Whether it may still have them when it has grown."""

    def may_grow(self, parameter: str) -> bool:
        """Whether one more operand of the parameter may still come."""

    def agree(self, left: str, right: str, missing_unifies: bool) -> bool:
        """Whether the features that the property names unify between two matched daughters."""

    def value(self, parameter: str, feature: str) -> str | None:
        """The value of a feature of a matched daughter."""


@dataclass(frozen=True, slots=True)
class Always:
    """True or false for every tuple."""

    truth: bool

    def holds(self, view: View) -> bool:
        return self.truth

    def __str__(self) -> str:
        return "true" if self.truth else "false"


TRUE: Final = Always(True)


@dataclass(frozen=True, slots=True)
class Precedes:
    left: str
    right: str

    def holds(self, view: View) -> bool:
        return view.precedes(self.left, self.right)

    def __str__(self) -> str:
        return f"index({self.left}) < index({self.right})"


@dataclass(frozen=True, slots=True)
class Adjacent:
    left: str
    right: str

    def holds(self, view: View) -> bool:
        return view.adjacent(self.left, self.right)

    def __str__(self) -> str:
        return f"adjacent({self.left}, {self.right})"


COMPARISONS: Final = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


@dataclass(frozen=True, slots=True)
class Count:
    """How many daughters are an operand of the parameter, against a constant."""

    parameter: str
    comparison: str
    number: int

    def holds(self, view: View) -> bool:
        return bool(COMPARISONS[self.comparison](view.count(self.parameter), self.number))

    def __str__(self) -> str:
        return f"count({self.parameter}) {self.comparison} {self.number}"


@dataclass(frozen=True, slots=True)
class Present:
    parameter: str

    def holds(self, view: View) -> bool:
        return view.present(self.parameter)

    def __str__(self) -> str:
        return f"present({self.parameter})"


@dataclass(frozen=True, slots=True)
class Agree:
    """The features that the property names unify."""

    left: str
    right: str
    missing_unifies: bool = True

    def holds(self, view: View) -> bool:
        return view.agree(self.left, self.right, self.missing_unifies)

    def __str__(self) -> str:
        return f"agree({self.left}, {self.right})"


@dataclass(frozen=True, slots=True)
class SameValue:
    """A feature of one daughter has the value of a feature of another; a missing feature is the same as nothing."""

    left: str
    left_feature: str
    right: str
    right_feature: str

    def holds(self, view: View) -> bool:
        value = view.value(self.left, self.left_feature)
        return value is not None and value == view.value(self.right, self.right_feature)

    def __str__(self) -> str:
        left, right = format_atom(self.left_feature), format_atom(self.right_feature)
        return f"{self.left}.{left} = {self.right}.{right}"


@dataclass(frozen=True, slots=True)
class HasValue:
    parameter: str
    feature: str
    value: str

    def holds(self, view: View) -> bool:
        return view.value(self.parameter, self.feature) == self.value

    def __str__(self) -> str:
        return f"{self.parameter}.{format_atom(self.feature)} = {format_atom(self.value)}"


@dataclass(frozen=True, slots=True)
class Not:
    operand: Expression

    def holds(self, view: View) -> bool:
        return not self.operand.holds(view)

    def __str__(self) -> str:
        return f"not {_bracketed(self.operand)}"


@dataclass(frozen=True, slots=True)
class And:
    operands: tuple[Expression, ...]

    def holds(self, view: View) -> bool:
        return all(operand.holds(view) for operand in self.operands)

    def __str__(self) -> str:
        return " and ".join(map(_bracketed, self.operands))


@dataclass(frozen=True, slots=True)
class Or:
    operands: tuple[Expression, ...]

    def holds(self, view: View) -> bool:
        return any(operand.holds(view) for operand in self.operands)

    def __str__(self) -> str:
        return " or ".join(map(_bracketed, self.operands))


Expression = Always | Precedes | Adjacent | Count | Present | Agree | SameValue | HasValue | Not | And | Or


def _bracketed(expression: Expression) -> str:
    return f"({expression})" if isinstance(expression, And | Or | Not) else str(expression)


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and everything in it."""
    yield expression
    match expression:
        case Not(operand):
            yield from walk(operand)
        case And(operands) | Or(operands):
            for operand in operands:
                yield from walk(operand)


def asked_of_one(node: Expression) -> tuple[str, ...]:
    """The parameters whose one daughter the node asks for its index or features."""
    match node:
        case Precedes() | Adjacent() | Agree() | SameValue():
            return node.left, node.right
        case HasValue():
            return (node.parameter,)
    return ()


def asked_of_all(node: Expression) -> tuple[str, ...]:
    """The parameters whose operands the node looks for in the whole assignment."""
    return (node.parameter,) if isinstance(node, Count | Present) else ()


def doomed(expression: Expression, view: View) -> bool:
    """Whether the expression is false and stays false however the assignment grows."""
    match expression:
        case Always(truth):
            return not truth
        case Count(parameter, comparison, number):
            if comparison in ("=", "<", "<=") and view.count(parameter) >= number + (comparison != "<"):
                return True
            short = comparison in ("=", ">", ">=") and view.count(parameter) < number + (comparison == ">")
            return short and not view.may_grow(parameter)
        case Present(parameter):
            return not view.attainable(parameter)
        case Not(operand):
            return assured(operand, view)
        case And(operands):
            return any(doomed(operand, view) for operand in operands)
        case Or(operands):
            return all(doomed(operand, view) for operand in operands)
    return False


def assured(expression: Expression, view: View) -> bool:
    """Whether the expression is true and stays true however the assignment grows."""
    match expression:
        case Always(truth):
            return truth
        case Count(parameter, comparison, number):
            return comparison in (">", ">=") and view.count(parameter) >= number + (comparison == ">")
        case Present(parameter):
            return view.present(parameter)
        case Not(operand):
            return doomed(operand, view)
        case And(operands):
            return all(assured(operand, view) for operand in operands)
        case Or(operands):
            return any(assured(operand, view) for operand in operands)
    return False
