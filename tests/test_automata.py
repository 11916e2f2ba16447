"""The automata: the worked example of the package, and parsing under other weights and costs on the same automata."""

from __future__ import annotations

import doctest
from random import Random

import pytest

import numbat
from numbat import Grammar, Lattice, Limits, Parse, Parser, UsageError, native
from numbat.grammar.model import PropertyWeights
from numbat.grammar.properties import UNIT
from numbat.parsing.exact import compiled_grammar
from tests.samples import enough
from tests.strategies import random_pair


def test_the_worked_example() -> None:
    done = doctest.testmod(numbat.automata)
    assert done.attempted > 10
    assert done.failed == 0


def other_weights(grammar: Grammar, rng: Random, negative: bool = False) -> PropertyWeights:
    """A vector of weights and costs, some of them zero, some alike."""
    least = -2 if negative else 0
    weights = [UNIT * rng.randint(least, 3) for _ in grammar.properties]
    costs = [UNIT * rng.choice((0, 1, 1, 2, 5)) for _ in grammar.properties]
    return PropertyWeights(tuple(weights), tuple(costs))


def outcome(parse: Parse) -> tuple[object, ...]:
    evaluated = [str((each.property, each.elements, each.satisfied)) for each in parse.evaluated]
    return parse.to_brackets(), parse.cost_units, parse.weight_units, parse.count, parse.explain(), evaluated


@pytest.mark.parametrize("kernel", ["compiled", "python"])
@pytest.mark.parametrize("valuation", ["relaxation", "net"])
def test_other_weights_give_what_a_parser_made_anew_gives(
    kernel: str, valuation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBAT_KERNEL", kernel)
    limits, differ = Limits(items=20_000), 0
    for seed in range(enough(120)):
        grammar, lattice = random_pair(seed, negative=valuation == "net", longest=5)
        parser = Parser(grammar, valuation=valuation, limits=limits)
        before = outcome(parser.parse(lattice))
        rng = Random(seed)
        for _ in range(2):
            weights = other_weights(grammar, rng, negative=valuation == "net")
            shared = parser.with_weights(weights)
            anew = Parser(grammar.with_weights(weights), valuation=valuation, limits=limits)
            assert shared.grammar == anew.grammar
            expected = outcome(anew.parse(lattice))
            assert outcome(shared.parse(lattice)) == expected, (seed, valuation)
            assert outcome(shared.with_weights(grammar.weights).parse(lattice)) == before, (seed, valuation)
            differ += expected != before
        assert outcome(parser.parse(lattice)) == before, (seed, valuation)
    assert differ > enough(60)


def test_the_phases_take_other_weights_too() -> None:
    for seed in range(enough(30)):
        grammar, lattice = random_pair(seed, negative=False, longest=4)
        weights = other_weights(grammar, Random(seed))
        shared = Parser(grammar, engine="phases").with_weights(weights)
        anew = Parser(grammar.with_weights(weights), engine="phases")
        assert outcome(shared.parse(lattice)) == outcome(anew.parse(lattice)), seed


TEXT = """
leaves: Det, N
roots: NP
NP:
    Det < N
    N => Det
lexicon:
    the: Det
    cat: N
"""


def test_states_are_shared() -> None:
    parser = Parser(numbat.parse_grammar(TEXT))
    parser.parse("cat the")
    states = parser.states
    cheap = parser.with_weights(PropertyWeights((UNIT, UNIT), (UNIT // 2, UNIT)))
    assert cheap.parse("cat the").cost_units == UNIT // 2
    assert (parser.states, cheap.states) == (states, states)
    assert parser.parse("cat the").cost_units == UNIT


def test_an_interrupted_search_leaves_the_others_whole() -> None:
    parser = Parser(numbat.parse_grammar(TEXT))
    other = parser.with_weights(PropertyWeights((UNIT, UNIT), (2 * UNIT, UNIT)))
    assert other.parse("cat the").cost_units == 2 * UNIT
    parser.weighted.compiled.forget_tables()
    assert other.parse("cat the").cost_units == 2 * UNIT
    parser.weighted.compiled.forget_states()
    assert other.parse("cat the").cost_units == 2 * UNIT
    assert parser.parse("cat the").cost_units == UNIT


@pytest.mark.skipif(native.load(native.EXACT_SEARCH) is None, reason="needs the compiled search")
def test_states_of_the_compiled_search_may_be_forgotten_after_each_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = Parser(numbat.load_grammar("english-np"))
    other = parser.with_weights(parser.grammar.weights)
    texts = [
        "the old cat of the teacher",
        "cat the",
        "a cats",
        "the cat of",
        "cat the old",
        "the old cat of the teacher",
    ]
    expected = [parser.parse(text).to_brackets() for text in texts]
    compiled = parser.weighted.compiled
    before = compiled.epoch
    monkeypatch.setattr(compiled_grammar, "MAX_TABLE_STATES", 0)
    for text, whole in reversed(list(zip(texts, expected, strict=True))):
        assert parser.parse(text).to_brackets() == other.parse(text).to_brackets() == whole
    assert compiled.epoch >= before + len(texts)


def test_negative_weights_need_the_valuation_net() -> None:
    parser = Parser(numbat.parse_grammar(TEXT, "np.pg"))
    with pytest.raises(UsageError) as raised:
        parser.with_weights(PropertyWeights((UNIT, -UNIT), (UNIT, UNIT)))
    expected = "negative weights (np.pg:6:5) need the valuation net\n  the valuation relaxation does not allow them"
    assert str(raised.value) == expected
    assert isinstance(
        Parser(parser.grammar, valuation="net")
        .with_weights(PropertyWeights((UNIT, -UNIT), (UNIT, UNIT)))
        .parse(Lattice((), ())),
        Parse,
    )
