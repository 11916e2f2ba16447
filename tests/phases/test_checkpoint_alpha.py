"""Phase 3, Checkpoint Alpha: H1 Distinct Constituents and H2 Contiguity."""

from __future__ import annotations

import pytest

from numbat.evaluation.constituents import Assignment, Constituent
from numbat.parsing.phases.phases import checkpoint_alpha
from numbat.parsing.policies import profile_named
from tests.phases.making import phrase, shown, word, words

DET, ADJ, NOUN = words("Det Adj N")
VERB_TOO = word("V", 2)
DET_ADJ = phrase("XP", DET, ADJ)
AROUND = phrase("YP", DET, NOUN)

CASES: list[tuple[Assignment, str | None]] = [
    ((DET,), None),
    ((DET, ADJ), None),
    ((DET, ADJ, NOUN), None),
    ((DET_ADJ, NOUN), None),
    ((AROUND,), None),
    ((DET, NOUN), "H2"),
    ((AROUND, ADJ), "H2"),
    ((NOUN, VERB_TOO), "H1"),
    ((DET_ADJ, ADJ), "H1"),
    ((DET, DET), "H1"),
    ((DET_ADJ, AROUND), "H1"),
]


@pytest.mark.parametrize(("assignment", "heuristic"), CASES, ids=[shown([case[0]])[0] for case in CASES])
def test_what_is_dropped_and_by_which_heuristic(assignment: Assignment, heuristic: str | None) -> None:
    told: list[tuple[str, Assignment]] = []
    left = list(checkpoint_alpha([assignment], profile_named("default"), lambda why, what: told.append((why, what))))
    assert left == ([assignment] if heuristic is None else [])
    assert told == ([] if heuristic is None else [(heuristic, assignment)])


@pytest.mark.parametrize(
    ("without", "left"),
    [
        ((), {"Det0", "Det0 Adj1", "Det0 Adj1 N2", "XP0 N2", "YP0"}),
        (("H2",), {"Det0", "Det0 Adj1", "Det0 Adj1 N2", "XP0 N2", "YP0", "Det0 N2", "YP0 Adj1"}),
    ],
)
def test_contiguity_may_be_switched_off(without: tuple[str, ...], left: set[str]) -> None:
    assignments = [assignment for assignment, _ in CASES]
    assert set(shown(checkpoint_alpha(assignments, profile_named("default", without=without)))) == left


def test_without_either_everything_passes_in_its_order() -> None:
    assignments = [assignment for assignment, _ in CASES]
    assert list(checkpoint_alpha(assignments, profile_named("default", without=("H1", "H2")))) == assignments


def test_contiguity_implies_distinctness() -> None:
    overlapping = [assignment for assignment, heuristic in CASES if heuristic == "H1"]
    assert list(checkpoint_alpha(overlapping, profile_named("default", without=("H1",)))) == []


def test_assignments_are_checked_one_by_one_as_they_come() -> None:
    """The phase asks for no assignment before the one before it has passed."""
    asked: list[Constituent] = []

    def one_by_one() -> object:
        for constituent in (DET, ADJ, NOUN):
            asked.append(constituent)
            yield (constituent,)

    passing = checkpoint_alpha(one_by_one(), profile_named("default"))  # type: ignore[arg-type]
    next(passing)
    assert asked == [DET]
