"""Explanations of scores, and differences between two parses."""

from __future__ import annotations

from pathlib import Path

import pytest

from numbat import Parser, load_grammar, parse_grammar
from numbat.acceptability.models import MODELS, contrast, losses, mended, scorer
from numbat.grammar.properties import format_named

STARTER = str(Path(__file__).parent / "starter" / "starter.pg")


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser(load_grammar(STARTER))


COST = scorer("cost")


# Losses


def test_losses_under_costs_are_the_costs(parser: Parser) -> None:
    parse = parser.parse("The the cats sleeps")
    found = losses(parse, COST)
    assert sum(loss.value for loss in found) == -COST(parse).value
    assert sum(loss.share for loss in found) == pytest.approx(1)
    assert [(loss.construction, len(loss.sentences), loss.value) for loss in found] == [("NP", 2, 2.0), ("S", 1, 1.0)]


@pytest.mark.parametrize("model", MODELS)
def test_mending_everything_loses_nothing_more(parser: Parser, model: str) -> None:
    """Removing one violation after the other leaves a parse without violations and without losses."""
    parse = parser.parse("Him likes cat the the")
    while parse.violated:
        before = len(parse.violated)
        parse = mended(parse, parse.violated[0].constituent, parse.violated[0].property)
        assert len(parse.violated) < before
    assert losses(parse, scorer(model)) == ()


def test_mending_changes_one_phrase_only(parser: Parser) -> None:
    parse = parser.parse("The the cats sleeps")
    (bad,) = [each for each in parse.violated if each.property.relation == "dependency"]
    after = mended(parse, bad.constituent, bad.property)
    assert [each.property.relation for each in after.violated] == ["uniqueness", "uniqueness"]
    assert after.to_brackets() == parse.to_brackets()
    assert len(after.evaluated) == len(parse.evaluated)


def test_fragments_are_a_loss(parser: Parser) -> None:
    parse = parser.parse("of and")
    assert [(loss.property, loss.value, loss.share) for loss in losses(parse, COST)] == [(None, 20.0, 1.0)]
    (said,) = losses(parse, COST)[0].sentences
    fits = 'Conj "and" (1-2) fits nowhere: S is made of NP, VP, PP and AdvP'
    assert said == f"no construction spans the whole sentence: 2 fragments; {fits}"


def test_a_factor_for_fragments_is_a_loss() -> None:
    grammar = parse_grammar("leaves: A, B, C\nroots: R\nR:\n    uniq C\nX:\n    A < B\nlexicon:\n    a: A\n    b: B\n")
    found = losses(Parser(grammar).parse("a b"), scorer("local"))
    assert [(loss.construction, loss.value) for loss in found] == [("", 0.5)]


# Contrast


def test_a_contrast_names_what_differs(parser: Parser) -> None:
    found = contrast(parser.parse("The cats sleep"), parser.parse("The cats sleeps"), COST)
    assert (found.one.value, found.other.value) == (0.0, -1.0)
    assert [(format_named(prop), number) for prop, number in found.violated] == [("S: NP ~> VP [number, person]", -1)]


def test_a_sentence_does_not_differ_from_itself(parser: Parser) -> None:
    parse = parser.parse("Him likes cat the")
    found = contrast(parse, parse, COST)
    assert (found.violated, found.satisfied) == ((), ())


def test_contrasts_turn_around(parser: Parser) -> None:
    one, other = parser.parse("Cats the sleep"), parser.parse("The the cat sleeps")
    there, back = contrast(one, other, COST), contrast(other, one, COST)
    assert dict(there.violated) == {name: -number for name, number in back.violated}
    assert dict(there.satisfied) == {name: -number for name, number in back.satisfied}
