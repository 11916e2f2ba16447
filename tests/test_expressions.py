"""The language of relations: meaning of expressions, permanent outcomes, printing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random

import pytest

from numbat.grammar.expressions import (
    Adjacent,
    Agree,
    Always,
    And,
    Count,
    Expression,
    HasValue,
    Not,
    Or,
    Precedes,
    Present,
    SameValue,
    counted_parameters,
    permanently_false,
    permanently_true,
    single_parameters,
    walk,
)
from numbat.grammar.properties import unify, value_of
from numbat.grammar.relations import BUILT_IN, TABLE, Clause, Relation, built_in
from tests.samples import enough
from tests.strategies import about_assignment, combined

B, C = (("number", "sg"),), (("kind", "a"), ("number", "sg"))


@dataclass(frozen=True)
class Daughters:
    """A context in which each daughter is an operand of at most one parameter, and has its name.

    `coming` are the parameters whose daughters may still follow.
    """

    row: tuple[str, ...]
    coming: frozenset[str] = frozenset()

    def precedes(self, left: str, right: str) -> bool:
        return self.row.index(left) < self.row.index(right)

    def adjacent(self, left: str, right: str) -> bool:
        return abs(self.row.index(left) - self.row.index(right)) == 1

    def place(self, parameter: str) -> int:
        return self.row.index(parameter) + 1

    def is_last(self, parameter: str) -> bool:
        return self.row[-1] == parameter

    def between(self, left: str, right: str) -> range:
        first, last = sorted((self.row.index(left), self.row.index(right)))
        return range(first + 1, last)

    def count(self, parameter: str) -> int:
        return self.row.count(parameter)

    def present(self, parameter: str) -> bool:
        return parameter in self.row

    def attainable(self, parameter: str) -> bool:
        return parameter in self.row or parameter in self.coming

    def may_grow(self, parameter: str) -> bool:
        return parameter in self.coming

    def agree(self, left: str, right: str, missing_unifies: bool) -> bool:
        bundles = {"B": B, "C": C}
        return unify(bundles[left], bundles[right], ("number", "kind"), missing_unifies)

    def value(self, parameter: str, feature: str) -> str | None:
        return value_of({"B": B, "C": C}[parameter], feature)


@pytest.mark.parametrize(
    ("expression", "row", "truth"),
    [
        (Always(True), "", True),
        (Always(False), "BC", False),
        (Precedes("B", "C"), "BXC", True),
        (Precedes("C", "B"), "BXC", False),
        (Adjacent("B", "C"), "CB", True),
        (Adjacent("B", "C"), "BXC", False),
        (Count("B", "=", 2), "BXB", True),
        (Count("B", "!=", 2), "BXB", False),
        (Count("B", "<", 1), "X", True),
        (Count("B", "<=", 1), "BB", False),
        (Count("B", ">", 1), "BB", True),
        (Count("B", ">=", 1), "X", False),
        (Present("B"), "XB", True),
        (Present("B"), "X", False),
        (Agree("B", "C"), "BC", True),
        (Agree("B", "C", missing_unifies=False), "BC", False),
        (SameValue("B", "number", "C", "number"), "BC", True),
        (SameValue("B", "kind", "C", "kind"), "BC", False),
        (SameValue("B", "kind", "B", "kind"), "B", False),
        (HasValue("C", "kind", "a"), "C", True),
        (HasValue("B", "kind", "a"), "B", False),
        (Not(Present("B")), "X", True),
        (And((Present("B"), Present("C"))), "BC", True),
        (And((Present("B"), Present("C"))), "B", False),
        (Or((Present("B"), Present("C"))), "B", True),
        (Or((Present("B"), Present("C"))), "X", False),
    ],
    ids=str,
)
def test_what_an_expression_means(expression: Expression, row: str, truth: bool) -> None:
    assert expression.holds(Daughters(tuple(row))) is truth


def random_growing(rng: Random) -> tuple[Expression, Daughters]:
    atoms = [about_assignment(rng, rng.choice("BCD")) for _ in range(3)]
    row = tuple(rng.choice("BCDX") for _ in range(rng.randint(0, 3)))
    return combined(rng, atoms), Daughters(row, frozenset(rng.sample("BCD", rng.randint(0, 3))))


def longer(rng: Random, context: Daughters) -> Daughters:
    more = tuple(rng.choice([*sorted(context.coming), "X"]) for _ in range(rng.randint(0, 3)))
    return replace(context, row=context.row + more)


def test_what_is_permanent_stays_however_the_assignment_grows() -> None:
    settled = {True: 0, False: 0}
    for seed in range(enough(3000)):
        rng = Random(seed)
        expression, context = random_growing(rng)
        for truth, permanent in ((True, permanently_true), (False, permanently_false)):
            if permanent(expression, context):
                settled[truth] += 1
                assert expression.holds(longer(rng, context)) is truth, f"seed {seed}: {expression}"
    assert min(settled.values()) > enough(300)


@pytest.mark.parametrize(
    ("expression", "row", "coming", "false", "true"),
    [
        (Count("B", "=", 1), "BB", "B", True, False),
        (Count("B", "=", 1), "", "", True, False),
        (Count("B", "=", 1), "", "B", False, False),
        (Count("B", "<", 1), "B", "", True, False),
        (Count("B", ">", 1), "BB", "", False, True),
        (Count("B", ">=", 2), "B", "C", True, False),
        (Present("B"), "B", "", False, True),
        (Present("B"), "", "B", False, False),
        (Present("B"), "", "", True, False),
        (Not(Present("B")), "B", "", True, False),
        (And((Present("B"), Present("C"))), "B", "B", True, False),
        (Or((Present("B"), Present("C"))), "B", "", False, True),
        (Precedes("B", "C"), "BC", "", False, False),
    ],
    ids=str,
)
def test_what_is_settled(expression: Expression, row: str, coming: str, false: bool, true: bool) -> None:
    context = Daughters(tuple(row), frozenset(coming))
    assert (permanently_false(expression, context), permanently_true(expression, context)) == (false, true)


@pytest.mark.parametrize(
    ("expression", "single", "counted"),
    [
        (Precedes("B", "C"), ("B", "C"), ()),
        (Adjacent("B", "C"), ("B", "C"), ()),
        (Agree("B", "C"), ("B", "C"), ()),
        (SameValue("B", "f", "C", "g"), ("B", "C"), ()),
        (HasValue("B", "f", "v"), ("B",), ()),
        (Count("B", "=", 1), (), ("B",)),
        (Present("B"), (), ("B",)),
        (Not(Present("B")), (), ()),
    ],
    ids=str,
)
def test_the_parameters_of_a_node(expression: Expression, single: tuple[str, ...], counted: tuple[str, ...]) -> None:
    assert (single_parameters(expression), counted_parameters(expression)) == (single, counted)


def test_walk_visits_every_expression_from_the_outside_in() -> None:
    inner = Or((Present("B"), Not(Always(True))))
    assert list(map(str, walk(And((inner, Present("C")))))) == [
        "(present(B) or (not true)) and present(C)",
        *("present(B) or (not true)", "present(B)", "not true", "true", "present(C)"),
    ]


# The table of relations


def test_the_table_has_one_row_a_relation_and_the_first_variant_is_the_default() -> None:
    assert [row.default.name for row in TABLE] == [relation.name for relation in BUILT_IN]
    assert all({relation.name for relation in row.variants.values()} == {row.default.name} for row in TABLE)
    (obligation, *_) = built_in({"obligation": "exactly-one"})
    assert obligation.holds == Count("B", "=", 1)


def test_what_a_relation_derives_from_its_row() -> None:
    derived = {relation.name: (sorted(relation.matched), sorted(relation.single)) for relation in BUILT_IN}
    assert derived == {
        "obligation": ([], []),
        "uniqueness": (["B"], []),
        "linearity": (["B", "C"], ["B", "C"]),
        "adjacency": (["B", "C"], ["B", "C"]),
        "near": (["B", "C"], ["B", "C"]),
        "requirement": (["B"], []),
        "exclusion": (["B", "C"], []),
        "dependency": (["B", "C"], ["B", "C"]),
        "wildcard": (["B"], []),
    }


def test_declared_attributes_of_relations() -> None:
    declared: Mapping[str, list[str]] = {
        "symmetric": [relation.name for relation in BUILT_IN if relation.symmetric],
        "gives_heads": [relation.name for relation in BUILT_IN if relation.gives_heads],
        "lacking": [f"{relation.name} {relation.lacking}" for relation in BUILT_IN if relation.lacking],
        "violated_by": [relation.name for relation in BUILT_IN if relation.violated_by],
    }
    assert declared == {
        "symmetric": ["adjacency", "near", "exclusion", "dependency"],
        "gives_heads": ["obligation"],
        "lacking": ["obligation B", "requirement C"],
        "violated_by": ["near"],
    }


def test_a_guard_makes_parameters_single_too() -> None:
    relation = Relation("own", ("B", "C"), (Clause(("B", "C"), Precedes("B", "C")),), Present("C"))
    assert relation.single == {"B", "C"}
