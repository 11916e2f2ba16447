"""Phase 2, Assignation: all combinations of one or more constituents, at least one of them new."""

from __future__ import annotations

from itertools import combinations
from math import comb

import pytest

from numbat.evaluation.constituents import Assignment, Constituent
from numbat.parsing.phases.neighbourhoods import Adjoining, Anywhere, neighbourhood
from numbat.parsing.phases.phases import Neighbourhood, Site, assignation
from numbat.parsing.policies import profile_named
from tests.phases.making import evaluator, phrase, shown, words


def identities(assignments: list[Assignment]) -> list[frozenset[int]]:
    return [frozenset(map(id, assignment)) for assignment in assignments]


def test_all_combinations_of_three_words() -> None:
    site = Site(words("Det Adj N"))
    assert sorted(shown(assignation(site, Anywhere(site)))) == [
        "Adj1",
        "Adj1 N2",
        "Det0",
        "Det0 Adj1",
        "Det0 Adj1 N2",
        "Det0 N2",
        "N2",
    ]


def test_adjoining_leaves_out_what_contiguity_would_drop() -> None:
    site = Site(words("Det Adj N"))
    made = shown(assignation(site, Adjoining(site)))
    assert sorted(made) == ["Adj1", "Adj1 N2", "Det0", "Det0 Adj1", "Det0 Adj1 N2", "N2"]


def test_at_least_one_element_is_new() -> None:
    det, noun = words("Det N")
    site = Site((noun,), (det,))
    assert sorted(shown(assignation(site, Anywhere(site)))) == ["Det0 N1", "N1"]
    assert sorted(shown(assignation(site, Adjoining(site)))) == ["Det0 N1", "N1"]


def test_old_ones_on_both_sides_of_a_new_one() -> None:
    first, second, third = words("A B C")
    site = Site((second,), (first, third))
    assert sorted(shown(assignation(site, Adjoining(site)))) == ["A0 B1", "A0 B1 C2", "B1", "B1 C2"]


@pytest.mark.parametrize(("new", "old"), [(1, 0), (2, 0), (1, 3), (3, 2), (4, 4)])
def test_each_combination_is_made_once(new: int, old: int) -> None:
    """2^(n+o) combinations, minus the 2^o without a new constituent."""
    everyone = words("A " * (new + old))
    site = Site(everyone[old // 2 : old // 2 + new], everyone[: old // 2] + everyone[old // 2 + new :])
    made = identities(list(assignation(site, Anywhere(site))))
    assert len(made) == len(set(made)) == 2 ** (new + old) - 2**old
    fresh = frozenset(map(id, site.new))
    assert set(made) == {
        frozenset(chosen)
        for size in range(1, new + old + 1)
        for chosen in combinations(map(id, everyone), size)
        if fresh & set(chosen)
    }


@pytest.mark.parametrize("length", [1, 2, 5, 9])
def test_the_number_of_contiguous_combinations_is_quadratic(length: int) -> None:
    site = Site(words("A " * length))
    assert len(list(assignation(site, Adjoining(site)))) == comb(length + 1, 2)


def test_nothing_new_nothing_made() -> None:
    site = Site((), words("Det N"))
    assert list(assignation(site, Anywhere(site))) == list(assignation(site, Adjoining(site))) == []


def test_elements_stand_in_the_order_of_their_first_words() -> None:
    first, second, third = words("A B C")
    site = Site((third, first, second))
    whole = {len(made): made for made in assignation(site, Anywhere(site))}[3]
    assert whole == (first, second, third)


def test_distinct_leaves_out_overlaps() -> None:
    det, noun = words("Det N")
    noun_phrase = phrase("NP", det, noun)
    site = Site((noun_phrase,), (det, noun))
    assert shown(assignation(site, Anywhere(site, distinct=True))) == ["NP0"]
    assert len(list(assignation(site, Anywhere(site)))) == 4


def test_discontinuous_constituents_interleave() -> None:
    first, second, third = words("A B C")
    around = phrase("X", first, third)
    site = Site((around,), (second,))
    assert sorted(shown(assignation(site, Anywhere(site, distinct=True)))) == ["X0", "X0 B1"]


@pytest.mark.parametrize(
    ("without", "kind"), [((), Adjoining), (("H1",), Adjoining), (("H2",), Anywhere), (("H1", "H2"), Anywhere)]
)
def test_the_profile_chooses_the_neighbourhood(without: tuple[str, ...], kind: type[Neighbourhood]) -> None:
    site = Site(words("Det N"))
    assert type(neighbourhood(site, evaluator(), profile_named("default", without=without))) is kind


def test_no_assignment_grows_that_no_construction_can_cover() -> None:
    """N and V are operands of no one construction, so [N, V] is not made; without H3 it is."""
    site = Site(words("Det N V"))
    made = {
        without: sorted(
            shown(assignation(site, neighbourhood(site, evaluator(), profile_named("default", None, without))))
        )
        for without in ((), ("H2",), ("H3",))
    }
    assert made[()] == made["H2",] == ["Det0", "Det0 N1", "N1", "V2"]
    assert made["H3",] == ["Det0", "Det0 N1", "Det0 N1 V2", "N1", "N1 V2", "V2"]


def test_two_readings_of_a_word_are_never_in_one_contiguous_assignment() -> None:
    noun, verb = words("N V")
    both = Constituent("V", noun.cover, (), form="w0")
    site = Site((noun, both, verb))
    assert sorted(shown(assignation(site, Adjoining(site)))) == ["N0", "N0 V1", "V0", "V0 V1", "V1"]
