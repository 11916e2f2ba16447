"""The order of equally good analyses: the first of several is the one that is shown alone, values go as declared."""

from __future__ import annotations

import pytest

import numbat
from numbat import Parser
from tests.strategies import random_pair

MANY_TIES = "leaves: a\nS: uniq a; S => a\nlexicon:\n    w: a\n"
CASES = """
leaves: N, V
features:
    case: {values}
S: uniq V; NP < V
NP: head N; uniq N
lexicon:
    Frau: N[case=nom|acc]
    schläft: V
"""


@pytest.mark.parametrize("engine", ["exact", "phases"])
def test_more_ties_than_are_ordered(engine: str) -> None:
    parser = Parser(numbat.parse_grammar(MANY_TIES), engine=engine)
    alone = parser.parse("w w w w w")
    assert alone.count == 143
    shown = [parse.to_brackets() for parse in parser.n_best("w w w w w", 143)]
    assert shown[0] == alone.to_brackets() == "(S (S (S (S (S (a w)) (a w)) (a w)) (a w)) (a w))"
    assert len(set(shown)) == 143


@pytest.mark.parametrize("valuation", ["relaxation", "net"])
@pytest.mark.parametrize("engine", ["exact", "phases"])
def test_the_first_of_several_is_the_one_that_is_shown_alone(engine: str, valuation: str) -> None:
    for seed in range(40 if engine == "exact" else 10):
        grammar, lattice = random_pair(seed, longest=4)
        parser = Parser(grammar, engine=engine, valuation=valuation)
        alone = parser.parse(lattice)
        for n in (2, 7):
            first, *others = parser.n_best(lattice, n)
            assert first.to_brackets() == alone.to_brackets(), (seed, n)
            assert first.tree() == alone.tree(), (seed, n)
            assert first.to_json()["constituents"] not in [each.to_json()["constituents"] for each in others]


@pytest.mark.parametrize("engine", ["exact", "phases"])
@pytest.mark.parametrize(("values", "first"), [("nom, acc", "nom"), ("acc, nom", "acc")])
def test_values_go_in_the_order_in_which_they_are_declared(engine: str, values: str, first: str) -> None:
    parser = Parser(numbat.parse_grammar(CASES.format(values=values)), engine=engine)
    shown = [dict(parse.constituents[0].daughters[0].features) for parse in parser.n_best("Frau schläft", 2)]
    assert shown == [{"case": first}, {"case": "acc" if first == "nom" else "nom"}]
