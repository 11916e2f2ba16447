"""The best parse with a constituent of one's choice, against a list of all parses on random grammars."""

from __future__ import annotations

from pathlib import Path

import pytest

from numbat import Lattice, Limits, Parse, Parser, UsageError, load_grammar
from numbat.parsing.queries import GivenConstituent, parse_with
from numbat.words.lexical_lookup import read_text
from tests.strategies import random_pair

STARTER = str(Path(__file__).parent / "starter" / "starter.pg")
MANY = 400
"""Maximal number of parses in a list; a pair with more is skipped, because the list may lack the parse in question."""


LONG = "the cat sees the dog in the old house " * 3


def value(parse: Parse) -> tuple[int, int]:
    gain = parse.weight_units - parse.grammar.node_cost_units * parse.nodes
    return (parse.cost_units - gain, 0) if parse.outcome.valuation == "net" else (parse.cost_units, -gain)


def constituents(parse: Parse) -> set[GivenConstituent]:
    return {
        GivenConstituent(each.start, each.end, each.construction)
        for top in parse.constituents
        for each in top.walk()
        if each.cover.bit_count() == each.end - each.start
    }


@pytest.mark.parametrize("valuation", ["relaxation", "net"])
def test_it_is_the_best_of_all_parses_that_have_the_constituent(valuation: str) -> None:
    compared = absent = 0
    for seed in range(300, 340):
        grammar, lattice = random_pair(seed, longest=3)
        parser = Parser(grammar, valuation=valuation)
        every = parser.n_best(lattice, MANY)
        if len(every) == MANY or every[0].stopped_by:
            continue
        best: dict[GivenConstituent, Parse] = {}
        for parse in every:
            for each in constituents(parse):
                best.setdefault(each, parse)
        names = [form.name for form in grammar.constructions]
        spans = [(i, j) for j in range(len(lattice.tokens) + 1) for i in range(j)]
        for wanted in (GivenConstituent(*span, name) for span in spans for name in names):
            found = parse_with(parser, lattice, wanted)
            assert found.stopped_by is None
            if wanted not in best:
                assert found.parse is None, (seed, wanted)
                absent += 1
                continue
            assert found.parse is not None, (seed, wanted)
            assert wanted in constituents(found.parse)
            assert value(found.parse) == value(best[wanted]), (seed, wanted)
            compared += 1
    assert compared > 80
    assert absent > 30


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser(load_grammar(STARTER))


def lattice(text: str, parser: Parser) -> Lattice:
    return read_text(text, parser.words)


def test_what_the_best_parse_has_costs_nothing_more(parser: Parser) -> None:
    text = lattice("The cats sleeps", parser)
    found = parse_with(parser, text, GivenConstituent(0, 2, "NP")).parse
    assert found is not None
    assert found.to_brackets() == parser.parse(text).to_brackets()


def test_attachments_can_be_asked_for(parser: Parser) -> None:
    text = lattice("I saw the man on the hill", parser)
    high, low = (parse_with(parser, text, GivenConstituent(2, end, "NP")).parse for end in (4, 7))
    assert high is not None
    assert low is not None
    assert high.to_brackets().endswith("(NP (Det the) (N man)) (PP (P on) (NP (Det the) (N hill)))))")
    assert low.to_brackets().endswith("(NP (Det the) (N man) (PP (P on) (NP (Det the) (N hill))))))")


def test_parts_of_speech_can_be_asked_for(parser: Parser) -> None:
    found = parse_with(parser, lattice("I saw her work", parser), GivenConstituent(3, 4, "V")).parse
    assert found is not None
    assert "(V work)" in found.to_brackets()
    assert parse_with(parser, lattice("The cat sleeps", parser), GivenConstituent(0, 1, "V")).parse is None


def test_a_span_that_the_sentence_does_not_have(parser: Parser) -> None:
    with pytest.raises(UsageError) as error:
        parse_with(parser, lattice("The cat", parser), GivenConstituent(1, 3, "NP"))
    assert str(error.value) == (
        "1-3 is not a span of this sentence\n  its token positions are 0 to 2, the end is exclusive"
    )


def test_deep_trees_need_no_deep_recursion() -> None:
    parser = Parser(load_grammar("anbn"))
    found = parse_with(
        parser, read_text("a " * 1_200 + "b " * 1_200, parser.words), GivenConstituent(1_199, 1_201, "S")
    )
    assert found.parse is not None
    assert found.parse.nodes == 1_200
    assert found.parse.is_well_formed


def test_other_engines_cannot() -> None:
    parser = Parser(load_grammar(STARTER), profile="paper")
    with pytest.raises(UsageError) as error:
        parse_with(parser, lattice("The cat", parser), GivenConstituent(0, 2, "NP"))
    assert str(error.value) == (
        "only the exact engine can parse with a given constituent\n  use the profile default or loose"
    )


def test_the_limit_of_seconds_holds() -> None:
    exact = Parser(load_grammar(STARTER))
    timed = Parser(exact.grammar, limits=Limits(seconds=1e-9))
    text = lattice(LONG, exact)
    assert parse_with(exact, text, GivenConstituent(0, 2, "NP")).stopped_by is None
    found = parse_with(timed, text, GivenConstituent(0, 2, "NP"))
    assert found.stopped_by == "seconds (1e-09)"
    assert found.parse is not None
    assert found.parse.stopped_by == "seconds (1e-09)"


def test_the_limit_of_seconds_is_one_for_both_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    now, parse = 0.0, Parser.parse

    def slow(parser: Parser, text: str | Lattice) -> Parse:
        nonlocal now
        best = parse(parser, text)
        now += 0.75
        return best

    monkeypatch.setattr("numbat.parsing.policies.monotonic", lambda: now)
    monkeypatch.setattr(Parser, "parse", slow)
    for seconds, stopped_by in ((0.5, "seconds (0.5)"), (1.0, None)):
        parser = Parser(load_grammar(STARTER), limits=Limits(seconds=seconds))
        found = parse_with(parser, lattice(LONG, parser), GivenConstituent(0, 2, "NP"))
        assert (found.best.stopped_by, found.stopped_by) == (None, stopped_by)
