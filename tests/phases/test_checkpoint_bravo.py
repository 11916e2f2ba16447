"""Phase 5, Checkpoint Bravo: H3 Full Coverage."""

from __future__ import annotations

import pytest

from numbat.evaluation.constituents import Assignment
from numbat.evaluation.evaluator import Evaluator
from numbat.parsing.phases.phases import PropertyStore, checkpoint_bravo
from numbat.parsing.policies import profile_named
from tests.phases.making import evaluator, words, written


def store_of(kinds: str, evaluator: Evaluator, *written_properties: str) -> PropertyStore:
    """A store made by hand: the properties of the grammar that are named."""
    every = evaluator.table.grammar.properties
    wanted = [prop for prop in every if written([prop])[0] in written_properties]
    assert len(wanted) == len(written_properties)
    return PropertyStore(words(kinds), tuple(wanted))


def left(stores: list[PropertyStore], evaluator: Evaluator, *without: str) -> tuple[list[list[str]], list[str]]:
    """Return the properties of each store that passes, and the heuristics that dropped the others."""
    told: list[str] = []

    def dropped(heuristic: str, assignment: Assignment) -> None:
        told.append(heuristic)

    passing = checkpoint_bravo(stores, evaluator, profile_named("default", without=without), dropped)
    return [written(store.properties) for store in passing], told


def test_a_covered_assignment_keeps_its_store() -> None:
    made = evaluator()
    assert left([store_of("Det N", made, "NP: Det < N", "NP: N => Det")], made) == (
        [["NP: Det < N", "NP: N => Det"]],
        [],
    )


def test_properties_of_a_construction_that_leaves_an_element_uncovered_are_dropped() -> None:
    text = "leaves: A, B, C\nX:\n    A < B\nY:\n    A < B\n    uniq C\n"
    made = evaluator(text)
    store = store_of("A B C", made, "X: A < B", "Y: A < B", "Y: uniq C")
    assert left([store], made) == ([["Y: A < B", "Y: uniq C"]], [])


def test_det_n_v_is_dropped_whichever_is_built() -> None:
    made = evaluator()
    store = store_of("Det N V", made, "NP: Det < N", "NP: N => Det", "VP: V => NP")
    assert left([store], made) == ([], ["H3"])


def test_without_h3_what_has_a_property_passes_whole() -> None:
    made = evaluator()
    everything = "NP: Det < N", "NP: N => Det", "VP: V => NP"
    assert left([store_of("Det N V", made, *everything)], made, "H3") == ([list(everything)], [])
    assert left([store_of("Det", made)], made, "H3") == ([], ["no property"])


def test_an_empty_store_is_dropped() -> None:
    made = evaluator()
    assert left([store_of("Adj", made), store_of("Det", made, "NP: uniq Det")], made) == (
        [["NP: uniq Det"]],
        ["no property"],
    )


def test_an_operand_covers_even_where_its_property_is_not_in_the_store() -> None:
    """Adj is an operand of `Adj < N`, a property of the NP that [Det, Adj] does not retrieve."""
    made = evaluator()
    assert left([store_of("Det Adj", made, "NP: uniq Det")], made) == ([["NP: uniq Det"]], [])


CONST = "leaves: A, B, C\nfeatures:\n    number: sg, pl\nX:\n    const {A, C[number=sg]}\n    uniq {A, B}\n"


@pytest.mark.parametrize(
    ("kinds", "covered"),
    [("A", True), ("A B", False), ("A C", False), ("A C[number=sg]", True), ("A C[number=pl]", False)],
)
def test_a_declared_constituency_replaces_the_operands(kinds: str, covered: bool) -> None:
    made = evaluator(CONST)
    assert left([store_of(kinds, made, "X: uniq A")], made) == (
        [["X: uniq A"]] if covered else [],
        [] if covered else ["H3"],
    )


def test_features_of_operands_do_not_count_for_coverage() -> None:
    """Ruling 7: the category is in the static operand set."""
    made = evaluator("leaves: A, B\nfeatures:\n    number: sg, pl\nX:\n    uniq A\n    B[number=sg] < A\n")
    assert left([store_of("B[number=pl] A", made, "X: uniq A")], made) == ([["X: uniq A"]], [])
