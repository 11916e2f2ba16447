"""Phase 7, Formation: a candidate constituent for each construction that is triggered."""

from __future__ import annotations

import pytest

from numbat.evaluation.constituents import Assignment, Characterization, Constituent, Instance
from numbat.evaluation.evaluator import Evaluator
from numbat.grammar.properties import UNIT
from numbat.parsing.phases.phases import EvaluatedAssignment, formation
from tests.phases.making import bundle, evaluator, instances_of, over, phrase, words

NUMBER = "features:\n    number: sg, pl\n    gap: np\n"


def formed(assignment: Assignment, evaluator: Evaluator, **evaluated: Characterization) -> list[Constituent]:
    """The candidates over an assignment whose constructions were evaluated as said."""
    return list(formation([EvaluatedAssignment(assignment, tuple(evaluated.items()))], evaluator))


def form(rules: str) -> Evaluator:
    return evaluator(f"leaves: A, B, C\n{NUMBER}X:\n{rules}")


def one(kinds: str, rules: str) -> Constituent:
    (candidate,) = formed(words(kinds), form(rules), X=Characterization())
    return candidate


def test_a_candidate_for_each_triggered_construction_and_no_other() -> None:
    made = evaluator("leaves: A\nX:\n    uniq A\nY:\n    uniq A\nZ:\n    uniq A\n")
    candidates = formed(words("A"), made, Z=Characterization(), X=Characterization())
    assert [candidate.construction for candidate in candidates] == ["Z", "X"]
    assert formed(words("A"), made) == []


def test_it_is_built_over_the_assignment() -> None:
    assignment = words("A B")
    (candidate,) = formed(assignment, form("    A < B\n"), X=Characterization())
    assert candidate.daughters == assignment
    assert (candidate.cover, candidate.start, candidate.end, candidate.depth) == (over(0, 1), 0, 2, 1)


def test_a_violated_property_triggers_as_well_as_a_satisfied_one() -> None:
    made = form("    A < B\n")
    (prop,) = made.table.grammar.properties
    (candidate,) = formed(words("B A"), made, X=Characterization((), (Instance(prop, (1, 0)),)))
    assert instances_of(candidate.characterization) == ([], ["A < B (1, 0)"])


@pytest.mark.parametrize(("kinds", "satisfied"), [("A B", True), ("B", False)])
def test_the_second_index_completes_the_characterization(kinds: str, satisfied: bool) -> None:
    both = one(kinds, "    oblig A\n    uniq {A, B}\n").characterization
    assert instances_of(both) == ((["oblig A ()"], []) if satisfied else ([], ["oblig A ()"]))


def test_what_was_ticked_before_comes_first() -> None:
    made = form("    oblig A\n    uniq B\n")
    oblig, uniq = made.table.grammar.properties
    (candidate,) = formed(words("B"), made, X=Characterization((Instance(uniq, (0,)),)))
    assert candidate.characterization == Characterization((Instance(uniq, (0,)),), (Instance(oblig, ()),))


def test_costs_and_gains_are_sums_over_the_whole_tree() -> None:
    made = evaluator(
        "leaves: A, B\nnode_cost: 0.5\nX:\n    uniq A weight 2\n    A < B cost 3\n    oblig C\nC:\n    uniq B\n"
    )
    uniq, order, _, _ = made.table.grammar.properties
    first, second = words("B A")
    daughters = (
        first._replace(cost_units=7, lexical_cost_units=7, gain_units=0),
        second._replace(cost_units=5, lexical_cost_units=1, gain_units=100),
    )
    both = Characterization((Instance(uniq, (1,)),), (Instance(order, (1, 0)),))
    (candidate,) = formed(daughters, made, X=both)
    assert candidate.cost_units == 7 + 5 + 3 * UNIT + UNIT
    assert candidate.gain_units == 100 + 2 * UNIT - UNIT // 2
    assert candidate.lexical_cost_units == 8


def test_no_construction_has_itself_as_only_daughter() -> None:
    made = evaluator("leaves: A\nX:\n    uniq {A, X}\nY:\n    uniq X\n")
    below = phrase("X", *words("A"))
    made_over = formed((below,), made, X=Characterization(), Y=Characterization())
    assert [candidate.construction for candidate in made_over] == ["Y"]


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_a_unary_chain_has_at_most_unary_limit_phrases(limit: int) -> None:
    made = evaluator(f"leaves: A\nunary_limit: {limit}\nX:\n    uniq {{A, Y}}\nY:\n    uniq X\n")
    below = words("A")[0]
    chain = []
    for name in ("X", "Y") * limit:
        candidates = formed((below,), made, **{name: Characterization()})
        if not candidates:
            break
        (below,) = candidates
        chain.append((below.construction, below.depth))
    assert chain == [("X", 1), ("Y", 2), ("X", 3)][:limit]


def test_a_phrase_with_several_daughters_starts_a_new_chain() -> None:
    made = evaluator("leaves: A\nX:\n    uniq {A, X}\n")
    deep = phrase("X", *words("A"))._replace(depth=3)
    (candidate,) = formed((deep, *words("A A")[1:]), made, X=Characterization())
    assert candidate.depth == 1


@pytest.mark.parametrize(
    ("rules", "kinds", "features"),
    [
        ("    oblig {A, B}\n    uniq C\n", "B[number=pl] A[number=sg]", "number=sg"),
        ("    oblig A\n    uniq {B, C}\n", "B[number=pl] C", ""),
        ("    oblig A\n    uniq B\n", "A[number=sg] A[number=pl]", "number=sg"),
        ("    head B, A\n    oblig A\n    uniq B\n", "A[number=sg] B[number=pl]", "number=pl"),
        ("    inherit gap\n    oblig A\n    uniq B\n", "A[gap=np,number=sg]", "gap=np"),
        ("    inherit none\n    oblig A\n    uniq B\n", "A[gap=np,number=sg]", ""),
        ("    number = pl\n    oblig A\n    uniq B\n", "A[number=sg]", "number=pl"),
        ("    number = pl if B\n    oblig A\n    uniq B\n", "A[number=sg] B", "number=pl"),
        ("    number = pl if B\n    oblig A\n    uniq B\n", "A[number=sg]", "number=sg"),
        ("    gap = np if no B\n    oblig A\n    uniq B\n", "A[number=sg]", "gap=np,number=sg"),
        ("    gap = np if no B\n    oblig A\n    uniq B\n", "A[number=sg] B", "number=sg"),
        ("    number from C, B\n    oblig A\n    uniq B\n    A < C\n", "A B[number=pl] C", "number=pl"),
    ],
)
def test_where_the_features_of_a_phrase_come_from(rules: str, kinds: str, features: str) -> None:
    assert one(kinds, rules).features == bundle(features)
