"""Phase 8, Polling Booth: H4 Minimum Satisfaction, and no hard property violated."""

from __future__ import annotations

import pytest

from numbat.evaluation.constituents import Assignment, Characterization, Constituent, Instance
from numbat.evaluation.evaluator import Evaluator
from numbat.parsing.phases.phases import polling_booth
from numbat.parsing.policies import profile_named
from tests.phases.making import evaluator, grammar, phrase, words

TEXT = "leaves: A\nX:\n    oblig A\n    uniq A\n    A + A hard\n"
OBLIG, UNIQ, HARD = grammar(TEXT).properties
EVALUATOR = evaluator(TEXT)
BY_OPERANDS = evaluator(f"semantics:\n    trigger: by-operands\n{TEXT}")


def candidate(satisfied: tuple[Instance, ...] = (), violated: tuple[Instance, ...] = ()) -> Constituent:
    return phrase("X", *words("A A"), both=Characterization(satisfied, violated))


def verdict(
    built: Constituent, profile: str = "default", without: tuple[str, ...] = (), by: Evaluator = EVALUATOR
) -> str | None:
    """Return the heuristic that drops a candidate, None if it may be elected."""
    told: list[tuple[str, Assignment]] = []
    chosen = profile_named(profile, without=without)
    left = list(polling_booth([built], by, chosen, lambda why, what: told.append((why, what))))
    if left:
        assert left == [built]
        assert told == []
        return None
    ((why, what),) = told
    assert what == (built,)
    return why


YES, NO = Instance(UNIQ, (0,)), Instance(UNIQ, (1,))
THERE, ABSENT = Instance(OBLIG, ()), Instance(OBLIG, ())


def test_one_satisfied_instance_is_enough() -> None:
    assert verdict(candidate((YES,), (NO, ABSENT))) is None


def test_none_is_not() -> None:
    assert verdict(candidate((), (NO,))) == "H4"
    assert verdict(candidate()) == "H4"


def test_a_satisfied_obligation_counts_unless_the_grammar_says_otherwise() -> None:
    """Ruling 8: any property triggers, and an obligation is retrieved by the daughter that satisfies it."""
    assert verdict(candidate((THERE,), (NO,))) is None
    assert verdict(candidate((THERE,), (NO,)), by=BY_OPERANDS) == "H4"


def test_minimum_satisfaction_may_be_switched_off() -> None:
    assert verdict(candidate((), (NO,)), without=("H4",)) is None
    assert verdict(candidate((THERE,)), profile="loose") is None


@pytest.mark.parametrize(("profile", "dropped_by"), [("default", "hard property"), ("loose", "hard property")])
def test_a_violated_hard_property_is_an_infinite_cost(profile: str, dropped_by: str) -> None:
    assert verdict(candidate((YES,), (Instance(HARD, (0, 1)),)), profile) == dropped_by
    assert verdict(candidate((YES, Instance(HARD, (0, 1)))), profile) is None


def test_under_strict_every_property_is_hard() -> None:
    assert verdict(candidate((YES,), (NO,)), "strict") == "hard property"
    assert verdict(candidate((YES,), (ABSENT,)), "strict") == "hard property"
    assert verdict(candidate((YES,)), "strict") is None


def test_candidates_keep_their_order() -> None:
    candidates = [candidate((YES,)), candidate(), candidate((YES,), (NO,))]
    left = list(polling_booth(candidates, EVALUATOR, profile_named("default")))
    assert [id(built) for built in left] == [id(candidates[0]), id(candidates[2])]
