"""Phase 4, Appropriation: the properties that the operands present retrieve from the lookup table."""

from __future__ import annotations

import pytest

from numbat.parsing.phases.phases import appropriation
from tests.phases.making import evaluator, words, written

RETRIEVED = [
    ("Det", ["NP: uniq Det"]),
    ("N", ["NP: oblig N", "NP: uniq N", "NP: N => Det"]),
    ("Det N", ["NP: oblig N", "NP: uniq Det", "NP: uniq N", "NP: Det < N", "NP: N => Det"]),
    ("N Det", ["NP: oblig N", "NP: uniq Det", "NP: uniq N", "NP: Det < N", "NP: N => Det"]),
    ("Adj", []),
    ("V", ["VP: oblig V", "VP: V => NP"]),
    ("NP V", ["VP: oblig V", "VP: V => NP", "VP: V < NP"]),
    ("Det V", ["NP: uniq Det", "VP: oblig V", "VP: V => NP"]),
    ("Zebra", []),
]


@pytest.mark.parametrize(("kinds", "properties"), RETRIEVED)
def test_properties_in_the_order_of_the_grammar(kinds: str, properties: list[str]) -> None:
    (store,) = appropriation([words(kinds)], evaluator())
    assert written(store.properties) == properties


def test_each_store_keeps_its_assignment() -> None:
    assignments = [words("Det"), words("Det N"), words("V")]
    assert [store.assignment for store in appropriation(assignments, evaluator())] == assignments


def test_a_requirement_is_found_where_it_is_violated() -> None:
    """Ruling 6: `N => Det` must be found for [N]."""
    (store,) = appropriation([words("N")], evaluator())
    assert "NP: N => Det" in written(store.properties)


@pytest.mark.parametrize(
    ("kinds", "found"),
    [
        ("A", False),
        ("B", False),
        ("A B", True),
        ("B A", True),
        ("A A", False),
        ("C", False),
        ("C[f=x]", True),
        ("D", False),
    ],
)
def test_an_obligation_is_found_where_one_alternative_is_wholly_there(kinds: str, found: bool) -> None:
    """Ruling 8: of `A & B` both have to be there, and features that are demanded too."""
    text = "leaves: A, B, C, D\nfeatures:\n    f: x, y\nX:\n    oblig A & B | C[f=x]\n    uniq D\n"
    (store,) = appropriation([words(kinds)], evaluator(text))
    assert ("X: oblig A & B | C[f=x]" in written(store.properties)) is found
    (store,) = appropriation([words(kinds)], evaluator(f"semantics:\n    trigger: by-operands\n{text}"))
    assert "X: oblig A & B | C[f=x]" not in written(store.properties)


FEATURED = """
leaves: Det, N, Rel
features:
    kind: common, proper
NP:
    N[kind=common] => Det
    N & Rel => Det
    N < N
    Det & N x Rel
"""


@pytest.mark.parametrize(
    ("kinds", "properties"),
    [
        ("N[kind=common]", ["NP: N[kind=common] => Det"]),
        ("N[kind=proper]", []),
        ("N", []),
        ("Rel", []),
        ("N Rel", ["NP: N & Rel => Det"]),
        ("N N", ["NP: N < N"]),
        ("Det N", []),
        ("Det Rel", []),
        ("Rel N Det", ["NP: N & Rel => Det", "NP: Det & N x Rel"]),
    ],
)
def test_operands_demand_their_features_joint_ones_all_their_members(kinds: str, properties: list[str]) -> None:
    (store,) = appropriation([words(kinds)], evaluator(FEATURED))
    assert written(store.properties) == properties


def test_two_constructions_with_the_same_property_both_give_it() -> None:
    text = "leaves: A, B\nX:\n    A < B\nY:\n    A < B\n"
    (store,) = appropriation([words("A B")], evaluator(text))
    assert written(store.properties) == ["X: A < B", "Y: A < B"]


def test_exclusion_that_counts_is_found_by_one_operand() -> None:
    text = "leaves: A, B\nsemantics:\n    exclusion: counts\nX:\n    A x B\n"
    for kinds in ("A", "B", "A B"):
        (store,) = appropriation([words(kinds)], evaluator(text))
        assert written(store.properties) == ["X: A x B"]
    (silent,) = appropriation([words("A")], evaluator("leaves: A, B\nX:\n    A x B\n"))
    assert silent.properties == ()
