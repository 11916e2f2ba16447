"""Why a score is what it is, what tells two parses apart, and which small edits better it."""

from __future__ import annotations

from pathlib import Path

import pytest

from numbat import Parser, load_grammar, parse_grammar
from numbat.gradience.models import MODELS, scorer
from numbat.gradience.reasons import contrast, losses, mended
from numbat.gradience.repair import alike, repairs, shared_beginning
from numbat.grammar.printing import format_property

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
    """Violations mended one after the other leave a parse without any, whose losses are none."""
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
    assert losses(parse, COST)[0].sentences == ("no construction spans the whole sentence: 2 fragments",)


def test_a_factor_for_fragments_is_a_loss() -> None:
    grammar = parse_grammar("leaves: A, B, C\nroots: R\nR:\n    uniq C\nX:\n    A < B\nlexicon:\n    a: A\n    b: B\n")
    found = losses(Parser(grammar).parse("a b"), scorer("local"))
    assert [(loss.construction, loss.value) for loss in found] == [("", 0.5)]


# Contrast


def test_a_contrast_names_what_differs(parser: Parser) -> None:
    found = contrast(parser.parse("The cats sleep"), parser.parse("The cats sleeps"), COST)
    assert (found.one.value, found.other.value) == (0.0, -1.0)
    assert [(name, format_property(prop), number) for (name, prop), number in found.violated] == [
        ("S", "NP ~> VP [number, person]", -1)
    ]


def test_a_sentence_does_not_differ_from_itself(parser: Parser) -> None:
    parse = parser.parse("Him likes cat the")
    found = contrast(parse, parse, COST)
    assert (found.violated, found.satisfied) == ((), ())


def test_contrasts_turn_around(parser: Parser) -> None:
    one, other = parser.parse("Cats the sleep"), parser.parse("The the cat sleeps")
    there, back = contrast(one, other, COST), contrast(other, one, COST)
    assert dict(there.violated) == {name: -number for name, number in back.violated}
    assert dict(there.satisfied) == {name: -number for name, number in back.satisfied}


# Repairs


@pytest.mark.parametrize(
    ("text", "edit", "sentence"),
    [
        ("Cats the sleep", 'swap "Cats" and "the"', "the Cats sleep"),
        ("The the cat sleeps", 'delete "The"', "the cat sleeps"),
    ],
)
def test_the_best_single_edit(parser: Parser, text: str, edit: str, sentence: str) -> None:
    best = repairs(parser.parse(text), parser, COST)[0]
    assert (best.edits[0].says, best.sentence, best.parse.is_well_formed) == (edit, sentence, True)


def test_a_form_is_changed_by_its_features(parser: Parser) -> None:
    found = repairs(parser.parse("The cats sleeps"), parser, COST)
    assert {(each.sentence, each.parse.is_well_formed) for each in found[:2]} == {
        ("The cat sleeps", True),
        ("The cats sleep", True),
    }


def test_what_is_missing_is_inserted(parser: Parser) -> None:
    found = repairs(parser.parse("She sees"), parser, COST)
    assert any(each.edits[0].says.startswith("insert") and each.parse.is_well_formed for each in found)


def test_single_edits_are_exact() -> None:
    """No sentence over the lexicon that is one deletion, swap, move or insertion away costs less than the best."""
    text = "leaves: A, B\nroots: X\nX:\n    uniq A\n    A < B\n    B => A\n    A + B\nlexicon:\n    a: A\n    b: B\n"
    parser = Parser(parse_grammar(text))
    words = ["b", "a", "b", "a"]
    others = [words[:i] + words[i + 1 :] for i in range(4)]
    others += [[*words[:i], new, *words[i:]] for i in range(5) for new in "ab"]
    others += [
        [*rest[:j], words[i], *rest[j:]] for i in range(4) for rest in [words[:i] + words[i + 1 :]] for j in range(4)
    ]
    least = min(parser.parse(" ".join(other)).cost for other in others)
    best = repairs(parser.parse(" ".join(words)), parser, COST)[0]
    assert best.parse.cost == least


def test_two_edits_go_on_from_the_best_single_ones() -> None:
    text = (
        "leaves: Pro, V, Det, N\nroots: S\nfeatures: case: nom, acc\n"
        "S:\n    oblig V\n    uniq V\n    Pro[case=acc] x V\n    Pro < V\n    V < NP\n"
        "NP:\n    oblig N\n    uniq {Det, N}\n    Det < N\n"
        "lexicon:\n    he: Pro[case=nom]\n    him: Pro[case=acc]\n    likes: V\n    the: Det\n    cat: N\n"
    )
    parser = Parser(parse_grammar(text))
    parse = parser.parse("him likes cat the")
    one = repairs(parse, parser, COST)[0]
    two = repairs(parse, parser, COST, edits=2)[0]
    assert not one.parse.is_well_formed
    assert two.parse.is_well_formed
    assert (len(two.edits), two.sentence) == (2, "he likes the cat")
    assert (two.gain, two.gain_per_edit) == (2.0, 1.0)


def test_gains_are_ordered_and_real(parser: Parser) -> None:
    parse = parser.parse("Cats the sleep")
    found = repairs(parse, parser, COST)
    gains = [each.gain_per_edit for each in found]
    assert gains == sorted(gains, reverse=True)
    for each in found:
        assert each.gain == COST(each.parse).value - COST(parse).value > 0


def test_nothing_to_repair(parser: Parser) -> None:
    assert repairs(parser.parse("The cat sleeps"), parser, COST) == []
    assert repairs(parser.parse("..."), parser, COST) == []


def test_forms_that_are_alike() -> None:
    assert shared_beginning("Sleeps", "sleep") == 5
    assert shared_beginning("", "sleep") == 0
    assert alike("sleeps", ["walked", "slept", "sleep", "sleepwalk"]) == "sleep"
    assert alike("him", ["them", "hers", "it"]) == "hers"
