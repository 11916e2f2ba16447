"""Experiments on grammars: effects of edits, coverage of suites, ablation, fitted models, generation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from numbat import DataError, Grammar, Limits, MissingFileError, Parser, UsageError, load_grammar, parse_grammar
from numbat.acceptability.ablation import without_relation
from numbat.acceptability.comparison import score_changes
from numbat.acceptability.coverage import coverage
from numbat.acceptability.fitting import Feature, Fitted, fit, format_fitted, read_fitted
from numbat.acceptability.generate import generate, property_named
from numbat.acceptability.models import scorer
from numbat.acceptability.runs import run_suite
from numbat.acceptability.suite import Item, Suite
from numbat.acceptability.suite_files import read_suite
from numbat.acceptability.terms import counts_of
from numbat.acceptability.verbs import ablate
from numbat.acceptability.verdicts import ScoredItem
from numbat.errors import counted
from numbat.grammar.properties import format_property
from numbat.parsing.parser import parser_like
from tests.strategies import random_pair

FOLDER = Path(__file__).parent / "starter"
STARTER = str(FOLDER / "starter.pg")
COST = scorer("cost")


@pytest.fixture(scope="module")
def english() -> Grammar:
    return load_grammar(STARTER)


@pytest.fixture(scope="module")
def parser(english: Grammar) -> Parser:
    return Parser(english)


@pytest.fixture(scope="module")
def starter(parser: Parser) -> list[ScoredItem]:
    return list(run_suite(read_suite(str(FOLDER / "sentences.tsv")), parser, COST))


# Compare


def test_an_edit_shows_in_the_sentences_that_it_concerns(english: Grammar, starter: list[ScoredItem]) -> None:
    edited = Parser(without_property(english, "S", "NP ~> VP [number, person]"))
    after = [ScoredItem(each.item, parse := edited.parse(each.item.sentence), COST(parse)) for each in starter]
    found = score_changes(starter, after)
    assert [(c.item.id, c.difference, c.is_better, c.gained, c.lost) for c in found] == [
        ("b14", 1.0, False, (), ("S: NP ~> VP [number, person]",)),
        ("b15", 1.0, False, (), ("S: NP ~> VP [number, person]",)),
    ]
    back = score_changes(after, starter)
    assert [(c.difference, c.is_better, c.gained) for c in back] == [(-1.0, True, c.lost) for c in found]


def without_property(grammar: Grammar, construction: str, text: str) -> Grammar:
    forms = tuple(
        replace(
            form,
            properties=tuple(p for p in form.properties if form.name != construction or format_property(p) != text),
        )
        for form in grammar.constructions
    )
    return replace(grammar, constructions=forms)


def test_the_same_grammar_changes_nothing(starter: list[ScoredItem]) -> None:
    assert score_changes(starter, starter) == []


# Coverage


def test_what_is_ablated_is_switched_off_besides_what_was(english: Grammar) -> None:
    one = Parser(english, "paper", "beam", "net", Limits(seconds=9), without=("H4",))
    other = parser_like(one, english, "H3")
    assert other.profile == replace(one.profile, heuristics=("H1", "H2", "H5"))
    assert (other.valuation, other.limits) == (one.valuation, one.limits)


def test_coverage_counts_every_instance_once(english: Grammar, starter: list[ScoredItem]) -> None:
    found = coverage(starter, english)
    assert [each.property for each in found] == list(english.properties)
    assert sum(each.satisfied for each in found) == sum(len(each.parse.satisfied) for each in starter)
    assert sum(each.violated for each in found) == sum(len(each.parse.violated) for each in starter)
    assert all(each.violated == each.good + each.bad for each in found)
    assert sum(each.good for each in found) == 0


# Ablation


def test_a_relation_can_be_taken_out(english: Grammar) -> None:
    smaller = without_relation(english, "linearity")
    assert {prop.relation for prop in english.properties} - {prop.relation for prop in smaller.properties} == {
        "linearity"
    }
    assert Parser(smaller).parse("Cats the sleep").is_well_formed


def test_what_may_be_a_daughter_stays() -> None:
    """Without its other relations, a construction still takes the daughters that they named."""
    for seed in range(15):
        grammar, _ = random_pair(seed)
        for relation in {prop.relation for prop in grammar.properties}:
            whole, smaller = (Parser(g).evaluator.table for g in (grammar, without_relation(grammar, relation)))
            for name, form in whole.constructions.items():
                for category in (*grammar.leaves, *whole.constructions):
                    for bundle in ((), (("f", "a"),)):
                        before = whole.covers(form, category, bundle)
                        assert smaller.covers(smaller.constructions[name], category, bundle) == before


def test_ablation_of_a_small_suite(parser: Parser) -> None:
    items = (
        Item("g1", "The cat sleeps.", 1.0, "ok"),
        Item("b1", "Cats the sleep.", 0.0, "*"),
        Item("g2", "She likes the old house.", 1.0, "ok"),
        Item("b2", "The cats sleeps.", 0.0, "*"),
    )
    found = {each.name: each for each in ablate(Suite("suite.tsv", items), parser, COST)}
    relations = list(dict.fromkeys(prop.relation for prop in parser.grammar.properties))
    assert list(found) == ["nothing", "H1", "H2", "H3", "H4", "H5", *relations]
    assert (found["nothing"].value.value, found["nothing"].loss.value) == (1.0, 0.0)
    assert (found["linearity"].value.value, found["linearity"].loss.value) == (0.75, 0.25)
    assert (found["adjacency"].value.value, found["adjacency"].full) == (1.0, 4)


def test_ablation_of_pairs_is_about_accuracy(parser: Parser) -> None:
    items = (
        Item("g", "The cat sleeps.", 1.0, "ok", pair="1"),
        Item("b", "Cat the sleeps.", 0.0, "*", pair="1"),
    )
    found = {each.name: each.value.value for each in ablate(Suite("suite.tsv", items), parser, COST)}
    assert (found["nothing"], found["linearity"]) == (1.0, 0.5)


# Fitted models


def rated(parser: Parser, noise: float = 0.0) -> list[ScoredItem]:
    """Sentences whose rating falls by 1 for wrong order and by 3 for wrong agreement."""
    random = Random(0)
    made = []
    nouns = ["cat", "dog", "man", "boy", "house", "book", "child", "car", "table", "garden"]
    for i, noun in enumerate(nouns):
        for j, verb in enumerate(["sleeps", "sleep"]):
            for k, words in enumerate([("the", noun), (noun, "the")]):
                sentence = " ".join((*words, verb))
                rating = 7.0 - 3 * j - k + random.gauss(0, noise) if noise else 7.0 - 3 * j - k
                parse = parser.parse(sentence)
                made.append(ScoredItem(Item(f"{i}{j}{k}", sentence, rating), parse, COST(parse)))
    return made


def test_a_fitted_model_finds_what_counts(parser: Parser) -> None:
    found = fit(rated(parser), "fitted", "starter")
    scores = {
        s: found.model.score(parser.parse(s)).value for s in ("the cow sleeps", "cow the sleeps", "the cow sleep")
    }
    assert scores["the cow sleeps"] == pytest.approx(7, abs=0.2)
    assert scores["cow the sleeps"] == pytest.approx(6, abs=0.2)
    assert scores["the cow sleep"] == pytest.approx(4, abs=0.2)


def test_the_terms_make_the_score(parser: Parser) -> None:
    model = fit(rated(parser, 1.0), "fitted", "starter").model
    found = model.score(parser.parse("cat the sleep"))
    assert sum(value for _, value in found.parts) == pytest.approx(found.value)
    assert found.parts[0][0] == "intercept"


def test_no_sentence_is_judged_by_a_model_that_saw_it(parser: Parser) -> None:
    """Ratings that are noise cannot be predicted out of fold, though they can be learnt by heart."""
    random = Random(5)
    items = [
        replace(each, item=replace(each.item, rating=random.gauss(0, 1), pair=str(i // 2)))
        for i, each in enumerate(rated(parser))
    ]
    held_out = fit(items, "fitted", "starter").held_out
    ratings = [each.item.rating or 0.0 for each in items]
    error = sum((a - b) ** 2 for a, b in zip(held_out, ratings, strict=True)) / len(items)
    mean = sum(ratings) / len(ratings)
    assert error > 0.9 * sum((rating - mean) ** 2 for rating in ratings) / len(ratings)


def test_a_fitted_model_is_read_back(parser: Parser, english: Grammar, tmp_path: Path) -> None:
    model = fit(rated(parser, 0.5), "fitted", "starter").model
    (tmp_path / "m.tsv").write_text(format_fitted(replace(model, about=("one", "two"))), encoding="utf-8")
    again = read_fitted(str(tmp_path / "m.tsv"), english)
    assert again == replace(model, about=("one", "two"))


@pytest.mark.parametrize("number", [0, 4, 9])
def test_too_few_to_learn_from(parser: Parser, number: int) -> None:
    items = rated(parser)[:number]
    with pytest.raises(DataError) as error:
        fit(items, "fitted", "starter")
    different = len({each.item.rating for each in items})
    assert str(error.value) == (
        f"{number} rated sentences, {counted(different, 'different rating')}: too few to learn from\n"
        "  a fitted model needs at least 10 sentences that are not all rated the same"
    )


def test_models_that_cannot_be_read(english: Grammar, tmp_path: Path) -> None:
    path = tmp_path / "m.tsv"
    with pytest.raises(MissingFileError) as missing:
        read_fitted(str(path), english)
    assert str(missing.value) == f"{path}: cannot be read: No such file or directory"
    path.write_text(format_fitted(Fitted("fitted", "french", 0.0, ())), encoding="utf-8")
    with pytest.raises(UsageError) as other:
        read_fitted(str(path), english)
    assert (
        str(other.value)
        == f'{path} was fitted for the grammar "french", not for "starter"\n  fit one with numbat learn costs'
    )
    path.write_text(format_fitted(Fitted("fitted", "starter", 0.0, ())) + "x\ty\n", encoding="utf-8")
    with pytest.raises(DataError) as wrong:
        read_fitted(str(path), english)
    assert str(wrong.value) == (
        f"{path}:4:1: not a line of a fitted model: feature, weight, mean, scale, items\n"
        "  write the model again with numbat learn costs"
    )
    path.write_text("sentence\trating\nCats sleep.\t5\n", encoding="utf-8")
    with pytest.raises(DataError) as suite:
        read_fitted(str(path), english)
    assert str(suite.value) == f"{path}: not a fitted model\n  write one with numbat learn costs"


@pytest.mark.parametrize(
    ("numbers", "wrong"),
    [
        ("1.0\t0.0\t0.0\t3", 'the scale of "violated" is 0.0: it must be above 0'),
        ("1.0\t0.0\t-2.0\t3", 'the scale of "violated" is -2.0: it must be above 0'),
        ("nan\t0.0\t1.0\t3", 'the weight of "violated" is nan: it must be a number from -1e+100 to 1e+100'),
        ("1.0\tinf\t1.0\t3", 'the mean of "violated" is inf: it must be a number from -1e+100 to 1e+100'),
        ("1.0\t0.0\t1e200\t3", 'the scale of "violated" is 1e+200: it must be a number from -1e+100 to 1e+100'),
    ],
)
def test_numbers_that_no_model_has(numbers: str, wrong: str, english: Grammar, tmp_path: Path) -> None:
    path = tmp_path / "m.tsv"
    text = format_fitted(Fitted("fitted", "starter", 0.0, ())) + f"violated\t{numbers}\n"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as error:
        read_fitted(str(path), english)
    assert str(error.value) == f"{path}:4:1: {wrong}\n  write the model again with numbat learn costs"


@pytest.mark.parametrize("name", ["toy grammar 2", "the grammar grammar ", ""])
def test_a_model_is_read_for_a_grammar_of_any_name(name: str, tmp_path: Path) -> None:
    model = Fitted("fitted", name, 1.0, (Feature("violated", 1.0, 0.0, 1.0, 3),))
    (tmp_path / "m.tsv").write_text(format_fitted(model), encoding="utf-8")
    assert read_fitted(str(tmp_path / "m.tsv"), replace(parse_grammar("leaves: N\n"), name=name)) == model


def test_counts_add_up(parser: Parser) -> None:
    counts = counts_of(parser.parse("Him likes cat the"))
    assert counts["violated"] == pytest.approx(2 / 4)
    assert counts["violated linearity"] == counts["violated NP linearity"] == pytest.approx(1 / 4)
    assert counts["satisfied"] == pytest.approx(18 / 4)
    assert (counts["cost of all"], counts["cost"], counts["root S"]) == (2, 2 / 4, 1)
    by_construction = [value for name, value in counts.items() if name.startswith("phrases ")]
    assert sum(by_construction) == pytest.approx(counts["phrases"])
    assert counts["fragments"] == 0
    assert counts_of(parser.parse("of and"))["fragments"] == 2


# Generation


def test_generated_sentences_are_well_formed(parser: Parser) -> None:
    found = list(generate(parser, 6))
    assert len({each.sentence for each in found}) == 6
    assert all(parser.parse(each.sentence).is_well_formed for each in found)


@pytest.mark.parametrize("text", ["NP: Det < N", "S: NP ~> VP [number, person]", "PP: P => NP"])
def test_generated_sentences_violate_one_property_and_no_other(parser: Parser, text: str) -> None:
    wanted = property_named(text, parser.grammar)
    found = list(generate(parser, 3, violated=wanted))
    assert len(found) == 3
    for each in found:
        parse = parser.parse(each.sentence)
        assert parse.is_full
        assert {violated.property for violated in parse.violated} == {wanted}
        if each.twin is not None:
            assert each.twin.is_well_formed
            assert " ".join(each.twin.lattice.tokens) != each.sentence
    assert sum(each.twin is not None for each in found) >= 2


def test_long_sentences_are_generated_where_short_phrases_are_found_again_and_again() -> None:
    found = [each.sentence for each in generate(Parser(load_grammar("anbn")), 5)]
    assert sorted(found, key=len) == ["a b", "a a b b", "a a a b b b", "a a a a b b b b"]


def test_generation_repeats_itself(parser: Parser) -> None:
    def run(seed: int) -> list[str]:
        return [each.sentence for each in generate(parser, 3, seed)]

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_a_property_that_cannot_be_violated_gives_nothing() -> None:
    grammar = parse_grammar("leaves: A\nroots: X\nX:\n    oblig A\n    uniq A\nlexicon:\n    a: A\n")
    assert list(generate(Parser(grammar), 3, violated=property_named("X: oblig A", grammar), attempts=2_000)) == []


def test_a_property_that_the_grammar_does_not_have(english: Grammar) -> None:
    assert format_property(property_named("NP:  Det<N", english)) == "Det < N"
    for wrong, hint in (
        ("NP: Dett < N", 'did you mean "NP: Det < N"?'),
        ("NP: N < Det", 'did you mean "NP: Det < N"?'),
        ("np: det<n", 'did you mean "NP: Det < N"?'),
        ("linearity", 'name one of its properties, as in "S: NP < VP"'),
        ("~>", 'name one of its properties, as in "S: NP ~> VP [number, person]"'),
        ("zzz", 'write it as numbat show prints it, after its construction: "NP: Det < N"'),
    ):
        with pytest.raises(UsageError) as error:
            property_named(wrong, english)
        assert str(error.value) == f'"{wrong}" is not a property of the grammar\n  {hint}'
