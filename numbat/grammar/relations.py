"""What each relation means: one row a relation, and the small closed language that rows are written in (ruling 15).

A row says which tuples of daughters are pertinent (`clauses`) and when one of them is satisfied (`holds`). Evaluator,
lookup table, printed notation and explanations read the row; nothing else knows a relation by name. A grammar writer's
own relation is a row like the built-in ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne
from typing import Final, Protocol


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
        return f"{self.left}.{self.left_feature} = {self.right}.{self.right_feature}"


@dataclass(frozen=True, slots=True)
class HasValue:
    parameter: str
    feature: str
    value: str

    def holds(self, view: View) -> bool:
        return view.value(self.parameter, self.feature) == self.value

    def __str__(self) -> str:
        return f"{self.parameter}.{self.feature} = {self.value}"


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


@dataclass(frozen=True, slots=True)
class Clause:
    """One tuple is pertinent for each way to match `matched` by distinct daughters, where `guard` is true.

    No matched parameter: one instance per constituent, found by construction and not by operand (the second index).
    """

    matched: tuple[str, ...]
    guard: Expression = Always(True)


@dataclass(frozen=True, slots=True)
class Relation:
    """A property type.

    `symbol` is how it is written between or before its parameters, empty for `name(B, C)`; `aliases` are other ways to
    write it, the literature's signs among them. A tuple of a `symmetric`
    relation is the same tuple the other way round. `monotonic`: the truth of a tuple does not change when the
    assignment grows; declared, and used only to avoid re-evaluation. `says` and `but` word a violation; they may use
    {B} (the parameter), {b} (the words that match it), {features} and {counts}.
    """

    name: str
    parameters: tuple[str, ...]
    clauses: tuple[Clause, ...]
    holds: Expression
    symbol: str = ""
    aliases: tuple[str, ...] = ()
    monotonic: bool = False
    symmetric: bool = False
    shares_features: bool = False
    says: str = ""
    but: str = ""

    @property
    def matched(self) -> frozenset[str]:
        """The parameters that are matched by daughters in some clause."""
        return frozenset(name for clause in self.clauses for name in clause.matched)

    @property
    def single(self) -> frozenset[str]:
        """The parameters that stand for one daughter each, because an index or a feature of it is asked for."""
        roots = (self.holds, *(clause.guard for clause in self.clauses))
        return frozenset(name for root in roots for node in walk(root) for name in asked_of_one(node))


@dataclass(frozen=True, slots=True)
class Row:
    """A built-in relation: its variants by the value of the switch of the `semantics` section that chooses one."""

    switch: str
    variants: Mapping[str, Relation]

    @property
    def default(self) -> Relation:
        return next(iter(self.variants.values()))


def _obligation(holds: Expression, says: str, but: str) -> Relation:
    return Relation(
        "obligation", ("B",), (Clause(()),), holds, "oblig", ("obligation", "△"),
        monotonic=True, says=says, but=but,
    )  # fmt: skip


def _uniqueness(guard: Expression) -> Relation:
    return Relation(
        "uniqueness", ("B",), (Clause(("B",), guard),), Count("B", "=", 1), "uniq", ("uniqueness", "unic"),
        says="there may be only one {B}", but="{b} is one of {counts}",
    )  # fmt: skip


def _linearity() -> Relation:
    return Relation(
        "linearity", ("B", "C"), (Clause(("B", "C")),), Precedes("B", "C"), "<", ("≺",),
        monotonic=True, says="{B} must come before {C}", but="{b} follows {c}",
    )  # fmt: skip


def _adjacency() -> Relation:
    return Relation(
        "adjacency", ("B", "C"), (Clause(("B", "C")),), Adjacent("B", "C"), "+", ("⊕",),
        symmetric=True, says="{B} and {C} must be neighbours", but="{b} and {c} are not",
    )  # fmt: skip


def _requirement() -> Relation:
    return Relation(
        "requirement", ("B", "C"), (Clause(("B",)),), Present("C"), "=>", ("⇒", "requires"),
        says="{B} requires {C}", but="{b} stands without",
    )  # fmt: skip


def _exclusion(*one_sided: Clause) -> Relation:
    return Relation(
        "exclusion", ("B", "C"), (Clause(("B", "C")), *one_sided), Not(And((Present("B"), Present("C")))),
        "x", ("⊗", "⇎", "excludes"),
        monotonic=True, symmetric=True, says="{B} excludes {C}", but="both {b} and {c} are there",
    )  # fmt: skip


def _dependency(missing_unifies: bool) -> Relation:
    return Relation(
        "dependency", ("B", "C"), (Clause(("B", "C")),), Agree("B", "C", missing_unifies), "~>", ("⤳", "⇝", "↝"),
        monotonic=True, symmetric=True, shares_features=True,
        says="{B} must agree with {C} in {features}", but="{b} has {b_values} and {c} {c_values}",
    )  # fmt: skip


TABLE: Final = (
    Row(
        "obligation",
        {
            "at-least-one": _obligation(Present("B"), "{B} is obligatory", "there is none"),
            "exactly-one": _obligation(Count("B", "=", 1), "exactly one {B} is obligatory", "there are {counts}"),
        },
    ),
    Row("uniqueness", {"counts": _uniqueness(Always(True)), "silent": _uniqueness(Count("B", ">", 1))}),
    Row("", {"": _linearity()}),
    Row("", {"": _adjacency()}),
    Row("", {"": _requirement()}),
    Row(
        "exclusion",
        {
            "silent": _exclusion(),
            "counts": _exclusion(Clause(("B",), Not(Present("C"))), Clause(("C",), Not(Present("B")))),
        },
    ),
    Row("missing", {"unifies": _dependency(True), "clashes": _dependency(False)}),
)
"""The built-in relations, with the variants between which the literature disagrees (section 2), defaults first."""


def built_in(switches: Mapping[str, str]) -> tuple[Relation, ...]:
    """The built-in relations in the variants that a grammar's semantics switches choose."""
    return tuple(row.variants.get(switches.get(row.switch, ""), row.default) for row in TABLE)


BUILT_IN: Final = built_in({})
"""The built-in relations in their default variants."""
