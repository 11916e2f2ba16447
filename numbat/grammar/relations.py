"""What each relation means: one row a relation (ruling 15), in the language of `expressions`.

A row says which tuples of daughters are pertinent (`clauses`) and when one of them is satisfied (`holds`). Evaluator,
lookup table, printed notation and explanations read the row; nothing else knows a relation by name. A grammar writer's
own relation is a row like the built-in ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from numbat.grammar.expressions import (
    TRUE,
    Adjacent,
    Agree,
    Always,
    And,
    Count,
    Expression,
    Not,
    Precedes,
    Present,
    asked_of_all,
    asked_of_one,
    walk,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One tuple is pertinent for each way to match `matched` by distinct daughters, where `guard` is true.

    No matched parameter: one instance per constituent, found by construction and not by operand (the second index).
    """

    matched: tuple[str, ...]
    guard: Expression = TRUE


@dataclass(frozen=True, slots=True)
class Relation:
    """A property type.

    `symbol` is how it is written between or before its parameters, empty for `name(B, C)`; `aliases` are other ways to
    write it, the literature's signs among them. A tuple of a `symmetric` relation is the same tuple the other way
    round. `monotonic`: the truth of a tuple does not change when the assignment grows; declared, and used only to avoid
    re-evaluation. `says` and `but` word a violation; they may use {B} (the parameter), {b} (the words that match it),
    {features} and {counts}; {b:stands|stand} is the first where one daughter is meant and the second where several are.
    `asks_for` is the parameter of which a violated tuple lacks a daughter, empty where that is not what is wrong.
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
    asks_for: str = ""

    @property
    def matched(self) -> frozenset[str]:
        """The parameters that are matched by daughters in some clause."""
        return frozenset(name for clause in self.clauses for name in clause.matched)

    @property
    def single(self) -> frozenset[str]:
        """The parameters that stand for one daughter each, because an index or a feature of it is asked for."""
        roots = (self.holds, *(clause.guard for clause in self.clauses))
        return frozenset(name for root in roots for node in walk(root) for name in asked_of_one(node))

    @property
    def compares(self) -> bool:
        """Whether it compares one daughter for each parameter and looks for no others, as linearity, adjacency and
        dependency do; a violation then names operands of different categories without what they demand."""
        return self.single.issuperset(self.parameters) and not any(map(asked_of_all, walk(self.holds)))


@dataclass(frozen=True, slots=True)
class Row:
    """A built-in relation: its variants by the value of the switch of the `semantics` section that chooses one."""

    switch: str
    variants: Mapping[str, Relation]

    @property
    def default(self) -> Relation:
        """The variant that holds where the grammar does not choose."""
        return next(iter(self.variants.values()))


def _obligation(holds: Expression, says: str, but: str) -> Relation:
    return Relation(
        "obligation", ("B",), (Clause(()),), holds, "oblig", ("obligation", "△"),
        monotonic=True, says=says, but=but, asks_for="B",
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
        says="{B} {B:requires|require} {C}", but="{b} {b:stands|stand} without", asks_for="C",
    )  # fmt: skip


def _exclusion(holds: Expression, *one_sided: Clause) -> Relation:
    return Relation(
        "exclusion", ("B", "C"), (Clause(("B", "C")), *one_sided), holds, "x", ("⊗", "⇎", "excludes"),
        monotonic=True, symmetric=True, says="{B} {B:excludes|exclude} {C}", but="both {b} and {c} are there",
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
            "silent": _exclusion(Always(False)),
            "counts": _exclusion(
                Not(And((Present("B"), Present("C")))),
                Clause(("B",), Not(Present("C"))),
                Clause(("C",), Not(Present("B"))),
            ),
        },
    ),
    Row("missing", {"unifies": _dependency(True), "clashes": _dependency(False)}),
)
"""The built-in relations with the variants on which the literature disagrees (docs/decisions.md), defaults first."""


def built_in(switches: Mapping[str, str]) -> tuple[Relation, ...]:
    """The built-in relations in the variants that a grammar's semantics switches choose."""
    return tuple(row.variants.get(switches.get(row.switch, ""), row.default) for row in TABLE)


BUILT_IN: Final = built_in({})
"""The built-in relations in their default variants."""
BUILT_IN_BY_NAME: Final[Mapping[str, Relation]] = {relation.name: relation for relation in BUILT_IN}
