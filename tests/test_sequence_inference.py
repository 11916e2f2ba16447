"""Inference over class trigrams: csi against brute force, the others by hand."""

from __future__ import annotations

from itertools import pairwise, product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numbat.automata.property_acceptors import FORBIDDEN, FunctionAcceptor
from numbat.errors import DataError
from numbat.labels.csi import (
    EDGE,
    Prediction,
    Trigram,
    at_most,
    csi,
    domains,
    marginals_of,
    only_pairs,
    oracle,
    predict,
    satisfied_weight,
    trigrams,
    unigram,
    vote,
)
from tests.samples import enough

LABELS = "abc"


@st.composite
def sentences(draw: st.DrawFn) -> list[dict[Trigram, float]]:
    """The distributions of a sentence; shares are multiples of 1/64, so that sums are exact."""
    random = Random(draw(st.integers(0, 2**32)))
    size = random.randint(1, 6)
    result = []
    for i in range(size):
        found: dict[Trigram, float] = {}
        for _ in range(random.randint(1, 5)):
            before = EDGE if i == 0 else random.choice(LABELS)
            after = EDGE if i + 1 == size else random.choice(LABELS)
            found[before, random.choice(LABELS), after] = random.randint(1, 16) / 64
        result.append(found)
    return result


@settings(max_examples=enough(300))
@given(sentences())
def test_csi_finds_what_brute_force_finds(every: list[dict[Trigram, float]]) -> None:
    said = [predict(one) for one in every]
    best = max(satisfied_weight(said, labels) for labels in product(*domains(said)))
    assert satisfied_weight(said, csi(said)) == best
    assert best >= max(satisfied_weight(said, unigram(said)), satisfied_weight(said, vote(said)))


@settings(max_examples=enough(200))
@given(sentences())
def test_csi_under_constraints_finds_what_brute_force_finds(every: list[dict[Trigram, float]]) -> None:
    said = [predict(one) for one in every]
    constraints = [at_most("a", 1), only_pairs(lambda one, two: (one, two) != ("b", "c"), -0.25)]

    def total(labels: tuple[str, ...]) -> float:
        if labels.count("a") > 1:
            return FORBIDDEN
        return satisfied_weight(said, labels) - 0.25 * sum(pair == ("b", "c") for pair in pairwise(labels))

    best = max(map(total, product(*domains(said))))
    if best == FORBIDDEN:
        with pytest.raises(DataError):
            csi(said, constraints)
    else:
        assert total(tuple(csi(said, constraints))) == best


@settings(max_examples=enough(100))
@given(sentences())
def test_candidates_and_confidences(every: list[dict[Trigram, float]]) -> None:
    said = [predict(one) for one in every]
    for own, labels, one in zip(said, domains(said), every, strict=True):
        assert own.labels[1] == labels[0]
        assert 1 <= len(set(labels)) == len(labels) <= 3
        assert own.trigram == max(one.values())
        assert min(*own.pairs, *own.singles) >= own.trigram
        assert own.singles[1] >= max(own.pairs)
    for shares in marginals_of(every):
        assert sum(shares.values()) == pytest.approx(1)
        assert set(shares) <= set(LABELS)


def sure(left: str, focus: str, right: str, confidence: float = 1.0) -> Prediction:
    return predict({(left, focus, right): confidence})


def test_the_paper_s_idea_by_hand() -> None:
    """The middle token is wrong, but both bigrams and two unigrams outweigh it."""
    said = [sure("", "B-NP", "I-NP"), sure("O", "B-VP", "O", 0.5), sure("I-NP", "B-VP", "")]
    assert unigram(said) == ["B-NP", "B-VP", "B-VP"]
    assert vote(said) == ["B-NP", "I-NP", "B-VP"]
    assert csi(said) == ["B-NP", "I-NP", "B-VP"]
    assert oracle(said, ["B-NP", "O", "B-VP"]) == ["B-NP", "B-VP", "B-VP"]


def test_votes_that_all_differ_go_by_confidence() -> None:
    assert vote([sure("", "x", "a", 0.2), sure("x", "b", "y", 0.5), sure("c", "y", "", 0.9)]) == ["x", "c", "y"]


def test_a_sentence_of_one_token_and_of_none() -> None:
    assert csi([sure("", "a", "")]) == ["a"]
    assert csi([]) == []
    assert satisfied_weight([sure("", "a", "")], ["a"]) == 4.0


def test_of_equal_classes_the_more_frequent_then_the_first_of_the_alphabet() -> None:
    even = {("", "b", ""): 0.5, ("", "a", ""): 0.5}
    assert predict(even).labels[1] == "a"
    assert predict(even, {("", "b", ""): 7}).labels[1] == "b"


def test_hard_constraints_can_forbid_every_labelling() -> None:
    with pytest.raises(DataError) as error:
        csi([sure("", "a", "")], [at_most("a", 0)])
    assert str(error.value) == (
        "no labelling satisfies the hard constraints\n  allow more pairs, or give more candidates"
    )
    assert csi([sure("", "a", "")], [at_most("a", 0)], candidates=[("a", "b")]) == ["b"]


def test_well_formed_chunks() -> None:
    """IOB2: I-X follows B-X or I-X only."""

    def follows(before: str, label: str) -> bool:
        return not label.startswith("I-") or (before[:2] in ("B-", "I-") and before[2:] == label[2:])

    said = [sure("", "O", "I-NP"), sure("O", "I-NP", "O"), sure("B-NP", "O", "")]
    assert csi(said) == ["O", "I-NP", "O"]
    assert csi(said, [only_pairs(follows)]) == ["O", "B-NP", "O"]


def test_a_constraint_of_one_s_own() -> None:
    """Any automaton: an even number of a."""
    even = FunctionAcceptor(
        0, lambda state, _, label: ((state + (label == "a")) % 2, 0.0), lambda s: FORBIDDEN if s else 0.0
    )
    said = [sure("", "a", "b"), sure("b", "b", "")]
    assert csi(said) == ["a", "b"]
    assert csi(said, [even]) == ["b", "b"]


def test_trigrams_of_a_sentence() -> None:
    assert trigrams(["a", "b"]) == [("", "a", "b"), ("a", "b", "")]
