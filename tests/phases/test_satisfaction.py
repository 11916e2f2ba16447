"""Phase 6, Satisfaction: each matching tuple is evaluated SATISFIED or VIOLATED."""

from __future__ import annotations

import pytest

from numbat.evaluation.constituents import Assignment
from numbat.parsing.phases.phases import EvaluatedAssignment, PropertyStore, satisfaction
from tests.phases.making import evaluator, instances_of, phrase, word, words

PLAIN = "leaves: A, B, C\nfeatures:\n    number: sg, pl\nX:\n    "


def evaluated(form: str, assignment: Assignment, semantics: str = "") -> tuple[list[str], list[str]]:
    """The satisfied and the violated tuples of the one property of a form."""
    head = f"semantics:\n    {semantics}\n" if semantics else ""
    made = evaluator(head + PLAIN + form)
    (result,) = satisfaction([PropertyStore(assignment, made.table.grammar.properties)], made)
    ((name, both),) = result.characterizations
    assert name == "X"
    assert result.assignment == assignment
    return instances_of(both)


@pytest.mark.parametrize(
    ("form", "kinds", "satisfied", "violated"),
    [
        ("A < B", "A B", ["(0, 1)"], []),
        ("A < B", "B A", [], ["(1, 0)"]),
        ("A < B", "A B A", ["(0, 1)"], ["(2, 1)"]),
        ("A < B", "A C", [], []),
        ("A < A", "A A", ["(0, 1)"], ["(1, 0)"]),
        ("A + B", "A B", ["(0, 1)"], []),
        ("A + B", "B A", ["(1, 0)"], []),
        ("A + B", "A C B", [], ["(0, 2)"]),
        ("A + A", "A A C A", ["(0, 1)"], ["(0, 3)", "(1, 3)"]),
        ("uniq A", "A", ["(0,)"], []),
        ("uniq A", "A B A", [], ["(0,)", "(2,)"]),
        ("uniq A", "B", [], []),
        ("A => B", "A", [], ["(0,)"]),
        ("A => B", "A A B", ["(0,)", "(1,)"], []),
        ("A => B", "B", [], []),
        ("A => B & C | B[number=sg]", "A B", [], ["(0,)"]),
        ("A => B & C | B[number=sg]", "A B C", ["(0,)"], []),
        ("A => B & C | B[number=sg]", "A B[number=sg]", ["(0,)"], []),
        ("A & B => C", "A B", [], ["(0, 1)"]),
        ("A & B => C", "A", [], []),
        ("A x B", "A", [], []),
        ("A x B", "B A", [], ["(1, 0)"]),
        ("A x B & C", "A B", [], []),
        ("A x B & C", "A B C", [], ["(0, 1, 2)"]),
        ("A ~> B [number]", "A[number=sg] B[number=sg]", ["(0, 1)"], []),
        ("A ~> B [number]", "B[number=sg] A[number=pl]", [], ["(1, 0)"]),
        ("A ~> B [number]", "A B[number=pl]", ["(0, 1)"], []),
        ("A ~> B [number]", "A C", [], []),
    ],
)
def test_tuples(form: str, kinds: str, satisfied: list[str], violated: list[str]) -> None:
    def relation(elements: list[str]) -> list[str]:
        return [f"{form} {which}" for which in elements]

    assert evaluated(form, words(kinds)) == (relation(satisfied), relation(violated))


@pytest.mark.parametrize(
    ("semantics", "form", "kinds", "satisfied", "violated"),
    [
        ("uniqueness: silent", "uniq A", "A B", 0, 0),
        ("uniqueness: silent", "uniq A", "A A", 0, 2),
        ("exclusion: counts", "A x B", "A A", 2, 0),
        ("exclusion: counts", "A x B", "A B", 0, 1),
        ("missing: clashes", "A ~> B [number]", "A B[number=pl]", 0, 1),
        ("counting: property", "A < B", "A B A", 0, 1),
        ("counting: property", "A < B", "A A B B", 1, 0),
        ("counting: property", "A < B", "A C", 0, 0),
    ],
)
def test_the_semantics_of_the_grammar(semantics: str, form: str, kinds: str, satisfied: int, violated: int) -> None:
    yes, no = evaluated(form, words(kinds), semantics)
    assert (len(yes), len(no)) == (satisfied, violated)


def test_what_is_only_about_absence_is_left_to_formation() -> None:
    assert evaluated("oblig A", words("B")) == ([], [])


def test_each_construction_of_the_store_has_its_own_characterization() -> None:
    made = evaluator("leaves: A, B\nX:\n    A < B\n    uniq A\nY:\n    B < A\n")
    (result,) = satisfaction([PropertyStore(words("A B"), made.table.grammar.properties)], made)
    assert {name: instances_of(both) for name, both in result.characterizations} == {
        "X": (["A < B (0, 1)", "uniq A (0,)"], []),
        "Y": ([], ["B < A (1, 0)"]),
    }


def test_only_the_properties_of_the_store_are_ticked() -> None:
    made = evaluator("leaves: A, B\nX:\n    A < B\n    uniq A\n")
    assert list(satisfaction([PropertyStore(words("A B"), ())], made)) == [EvaluatedAssignment(words("A B"), ())]


def test_crossing_constituents_precede_when_the_last_word_comes_before_the_first() -> None:
    """Ruling 18: without H2, B < C holds iff B's last word precedes C's first."""
    around = phrase("A", word("A", 0), word("A", 2))
    inside, behind = word("B", 1), word("B", 3)
    assert evaluated("A < B", (around, inside)) == ([], ["A < B (0, 1)"])
    assert evaluated("A < B", (around, behind)) == (["A < B (0, 1)"], [])
    assert evaluated("B < A", (around, inside)) == ([], ["B < A (1, 0)"])


def test_a_relation_of_the_grammar_writer_is_ticked_like_any_other() -> None:
    relation = "relation next(B, C) for each B, C: index(B) < index(C) and adjacent(B, C)\n"
    made = evaluator(relation + PLAIN + "next(A, B)\n")
    (result,) = satisfaction([PropertyStore(words("A B C B"), made.table.grammar.properties)], made)
    assert [instances_of(both) for _, both in result.characterizations] == [
        (["next(A, B) (0, 1)"], ["next(A, B) (0, 3)"])
    ]


def test_an_evaluator_remembers_without_confusing_assignments() -> None:
    """The same kinds at other places, in another order, or crossing, are evaluated again."""
    made = evaluator(PLAIN + "A < B")
    properties = made.table.grammar.properties
    crossing = phrase("A", word("A", 0), word("A", 2)), word("B", 1)
    further = word("A", 5), word("B", 6)
    assignments = [words("A B"), words("B A"), crossing, further, words("A B")]
    results = satisfaction([PropertyStore(assignment, properties) for assignment in assignments], made)
    assert [instances_of(result.characterizations[0][1]) for result in results] == [
        (["A < B (0, 1)"], []),
        ([], ["A < B (1, 0)"]),
        ([], ["A < B (0, 1)"]),
        (["A < B (0, 1)"], []),
        (["A < B (0, 1)"], []),
    ]
