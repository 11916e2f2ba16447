"""Pruning of items under `net` that another item over the same span dominates."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import numbat
from numbat import Lattice, Limits, Parser
from numbat.evaluation.constituents import Constituent, lexical_costs
from numbat.evaluation.feature_inheritance import Contributions, Origins, shape_of, still_deciding
from numbat.parsing.exact import python_search
from numbat.parsing.exact.compiled_grammar import WeightedGrammar
from numbat.parsing.policies import never
from tests.samples import enough
from tests.strategies import random_pair

STARTER = Path(__file__).parent / "starter" / "starter.pg"


def search(weighted: WeightedGrammar, lattice: Lattice) -> python_search._Search:
    number = weighted.kinds.number
    words = [(arc.start, arc.end, number((arc.category, arc.features)), cost) for arc, cost in lexical_costs(lattice)]
    searched = python_search._Search(len(lattice.tokens), weighted, None, 0, False, Limits(items=None), None)
    searched.run(words, never)
    return searched


def with_and_without(
    weighted: WeightedGrammar, lattice: Lattice, monkeypatch: pytest.MonkeyPatch
) -> tuple[python_search._Search, python_search._Search]:
    some = search(weighted, lattice)
    with monkeypatch.context() as patched:
        patched.setattr(python_search, "Dominance", no_dominance)
        return some, search(weighted, lattice)


def no_dominance(*about: object) -> None:
    """Everything is kept."""


def phrases(searched: python_search._Search) -> dict[tuple[int, int, int], set[tuple[int, int]]]:
    """Return the values and the numbers of best trees of the phrases of each kind over each span, by chain depth."""
    found: dict[tuple[int, int, int], set[tuple[int, int]]] = {}
    for (start, end, kind, _, _), value, count in zip(searched.keys, searched.values, searched.counts, strict=True):
        if kind >= 0:
            found.setdefault((start, end, kind), set()).add((value, count))
    return found


@pytest.mark.parametrize("negative", [False, True])
def test_phrases_of_every_kind_stay_with_all_their_best_trees(negative: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    fewer = 0
    for seed in range(enough(150)):
        grammar, lattice = random_pair(seed, negative, longest=9)
        for profile in ("default", "loose"):
            weighted = Parser(grammar, profile, valuation="net").weighted
            some, every = with_and_without(weighted, lattice, monkeypatch)
            said = f"random_pair({seed}, {negative}, 9), {profile}"
            assert some.best_covers() == every.best_covers(), said
            assert phrases(some) == phrases(every), said
            fewer += some.settled < every.settled
    assert fewer > enough(50)


def test_most_of_a_long_sentence_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = Parser(numbat.load_grammar(STARTER), valuation="net")
    lattice = parser.parse("the old man in the house sees the dog near the tree").lattice
    some, every = with_and_without(parser.weighted, lattice, monkeypatch)
    assert phrases(some) == phrases(every)
    assert 2 * some.settled <= every.settled


TEXTS = {
    "english": "the girl who was seen reads a book to him in the old house",
    "french": "la fille qui dort lit un livre dans la vieille maison",
}


@pytest.mark.parametrize("name", TEXTS)
def test_what_decides_no_feature_any_more_may_be_forgotten(name: str) -> None:
    parser, rng, forgot = Parser(numbat.load_grammar(name)), Random(name), 0
    parser.parse(TEXTS[name])
    kinds = [parser.weighted.kinds[i] for i in range(len(parser.weighted.kinds))]
    daughters = [Constituent(category, 1, features) for category, features in kinds]
    every = list(parser.evaluator.table.origins.items())
    for _ in range(2_000):
        assignment, (construction, origins) = rng.choices(daughters, k=rng.randint(1, 6)), rng.choice(every)
        known: Contributions = ()
        for daughter in assignment:
            about = daughter.construction, daughter.features
            matching = [(i, each) for i, each in enumerate(origins.contributors) if each.operand.matches(*about)]
            noted = [(i, each.contribution(daughter.features)) for i, each in matching]
            contributions = tuple(sorted((dict(noted) | dict(known)).items()))
            awaited = origins.awaited(shape_of(known))
            more = [(i, features) for i, features in noted if i in awaited]
            assert deciding(origins, tuple(sorted((*known, *more)))) == deciding(origins, contributions)
            known = deciding(origins, contributions)
            forgot += known != contributions
        assert origins.features(dict(known)) == parser.evaluator.features(construction, tuple(assignment))
    assert forgot > 80


def deciding(origins: Origins, contributions: Contributions) -> Contributions:
    return still_deciding(contributions, origins.deciding(shape_of(contributions)))
