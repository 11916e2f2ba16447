"""The gradience models against every number printed in docs/decisions.md, rulings 11 and 12, and laws."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from numbat import DataError, Grammar, Lattice, Parse, Parser, UsageError, load_grammar, parse_grammar
from numbat.acceptability import models
from numbat.acceptability.models import EQUAL, GRAMMAR, MODELS, score
from numbat.acceptability.reasons import score_line
from numbat.acceptability.scores import PropertyCounts
from numbat.evaluation.constituents import Characterization, Constituent, Instance
from numbat.grammar.model import Construction
from numbat.grammar.properties import UNIT, Operand, Property
from numbat.parsing.analysis import Outcome

STARTER = str(Path(__file__).parent / "starter" / "starter.pg")


def word(category: str, position: int) -> Constituent:
    return Constituent(category, 1 << position, (), form=category.lower())


def phrase(name: str, daughters: tuple[Constituent, ...], satisfied: int, violated: int = 0) -> Constituent:
    """Return a phrase with numbers of satisfied and violated properties, all of them different."""
    made = [Instance(prop, (0,)) for prop in form(name, satisfied + violated)]
    cover = 0
    for daughter in daughters:
        cover |= daughter.cover
    return Constituent(
        name,
        cover,
        (),
        depth=1,
        daughters=daughters,
        characterization=Characterization(tuple(made[:satisfied]), tuple(made[satisfied:])),
    )


def form(name: str, number: int) -> tuple[Property, ...]:
    return tuple(Property(name, "uniqueness", (((Operand(f"C{i}"),),),)) for i in range(number))


def parse_of(*tops: Constituent, sizes: dict[str, int], roots: tuple[str, ...] = (), fragment_cost: int = 0) -> Parse:
    """A parse of constituents made by hand; `sizes` gives T of each construction."""
    constructions = tuple(Construction(name, properties=form(name, size)) for name, size in sizes.items())
    grammar = Grammar(constructions=constructions, roots=tuple(map(Operand, roots)))
    tokens = tuple(each.form for top in tops for each in top.words())
    outcome = Outcome(fragment_cost, 1, 1, 1, "exact", "default", "per-construction", "net")
    return Parse(grammar, Lattice(tokens, ()), tops, outcome)


DET, N, V = word("Det", 0), word("N", 1), word("V", 2)


@pytest.mark.parametrize(("held", "printed"), [(8, ".275862"), (12, ".413793"), (19, ".655172")])
def test_satisfaction_density_of_noun_phrases_in_blache_2004(held: int, printed: str) -> None:
    """Det N 8/29, Det SA N 12/29, Det N SP SA Rel 19/29, in a form of 29 properties."""
    parse = parse_of(phrase("SN", (DET, N), held), sizes={"SN": 29})
    assert f"{score(parse, 'density').value:.6f}" == f"0{printed}"


def test_densities_of_a_sentence_in_blache_2004() -> None:
    """S = SP SN: .375 satisfied, .125 violated; each term gives the figure of its constituent."""
    parts = phrase("SP", (DET,), 2), phrase("SN", (N,), 3)
    parse = parse_of(phrase("S", parts, 3, 1), sizes={"S": 8, "SP": 2, "SN": 4})
    density = {term.constituent.construction: term.local for term in score(parse, "density").terms}
    violation = {term.constituent.construction: term.local for term in score(parse, "violation-density").terms}
    assert density == {"S": 0.375, "SP": 1.0, "SN": 0.75}
    assert violation["S"] == -0.125
    assert score(parse, "density").value == 8 / 14


def test_one_gender_violation_in_vanrullen_2004() -> None:
    """The noun phrase 87 %; the sentence 100 % local and 97 % propagated."""
    subject = phrase("NP", (DET,), 10)
    bad = phrase("NP", (N,), 87, 13)
    vp = phrase("VP", (V, bad), 4)
    parse = parse_of(phrase("S", (subject, vp), 5), sizes={"S": 5, "VP": 4, "NP": 100})
    terms = score(parse, "propagated").terms
    assert [round(term.value, 4) for term in terms] == [0.9675, 1.0, 0.935, 0.87]
    assert terms[0].local == 1.0
    assert f"{score(parse, 'propagated').value:.0%}" == "97%"


@pytest.mark.parametrize(("complete", "printed"), [(117, ".584"), (145, ".597")])
def test_precision_of_the_french_treebank_2012(complete: int, printed: str) -> None:
    """sat 1.0, quality 1.0, complete .117 (an AP) and .145 (an NP): the default constants print that."""
    parse = parse_of(phrase("AP", (DET, N), complete), sizes={"AP": 1000})
    found = score(parse, "precision")
    assert f"{found.value:.3f}" == f"0{printed}"
    assert score(parse, "satisfaction").value == score(parse, "quality").value == 1.0
    assert score(parse, "completeness").value == complete / 1000


def test_indices_by_hand() -> None:
    """N+ 3, N- 1, T 8, weights 2 each but 6 for the violated one."""
    weights = replace(EQUAL, weight=lambda prop: 6.0 if prop.operands[0][0][0].category == "C3" else 2.0)
    parse = parse_of(phrase("NP", (DET, N), 3, 1), sizes={"NP": 8})
    (term,) = score(parse, "quality", weights).terms
    assert term.counts == PropertyCounts(3, 1, 8, 6.0, 6.0)
    assert score(parse, "quality", weights).value == 0.0
    assert score(parse, "satisfaction", weights).value == 0.75
    assert score(parse, "completeness", weights).value == 0.5
    assert score(parse, "precision", weights).value == pytest.approx(0.2645 * 0.75 + 0.471 * 0.5)
    assert score(parse, "coherence", weights).value == 0.0
    both = 0.2645 + 0.471
    assert score(parse, "grammaticality", weights).value == pytest.approx(0.471 * 0.5 / both)


def test_propagated_indices_multiply_by_the_mean_of_the_daughters() -> None:
    """The inner phrase has W 1/3, C 1; the outer W 1, C 1/2, and a word as the other daughter."""
    inner = phrase("NP", (DET, N), 2, 1)
    parse = parse_of(phrase("S", (inner, V), 2), sizes={"S": 4, "NP": 3})
    assert score(parse, "coherence").value == pytest.approx((1 / 3 + 1) / 2)
    k, c = 0.2645 / 0.7355, 0.471 / 0.7355
    assert score(parse, "grammaticality").value == pytest.approx((k + c / 2) * (k / 3 + c + 1) / 2)
    own = 0.2645 * 2 + 0.471 / 2
    below = 0.2645 / 3 + 0.2645 * 2 / 3 + 0.471
    assert score(parse, "grammaticality-index").value == pytest.approx(own * (below + 1) / 2)


def test_a_property_counts_once_and_is_violated_if_any_instance_is() -> None:
    """Ruling 11; fitness alone counts instances."""
    one, other = form("NP", 2)
    ticks = Characterization((Instance(one, (0,)), Instance(one, (1,)), Instance(other, (0,))), (Instance(one, (2,)),))
    parse = parse_of(phrase("NP", (DET, N, V), 0)._replace(characterization=ticks), sizes={"NP": 2})
    (term,) = score(parse, "local").terms
    assert (term.counts.satisfied, term.counts.violated) == (1, 1)
    assert score(parse, "local").value == 0.5
    assert score(parse, "fitness").value == 0.75


def test_partial_parses_are_means_over_words_times_a_factor() -> None:
    """Ruling 12: two words at 1, one bare part of speech at 0, times .5; costs are not changed."""
    parse = parse_of(phrase("NP", (DET, N), 2), V, sizes={"NP": 2}, fragment_cost=20 * UNIT)
    found = score(parse, "local")
    assert found.value == pytest.approx(1 / 3)
    assert (found.factor, found.parts) == (0.5, (("NP 0-2", 1.0), ("V 2-3", 0.0)))
    assert score(parse, "local", replace(GRAMMAR, partial=0.9)).value == pytest.approx(0.6)
    assert score(parse, "cost").value == -20.0
    assert score(parse, "net").value == (2 - 20 - 1) / 3


def test_a_lone_constituent_that_is_no_root_is_not_full() -> None:
    parse = parse_of(phrase("NP", (DET, N), 2), sizes={"NP": 2, "S": 0}, roots=("S",))
    assert score(parse, "local").value == 0.5


def test_the_factor_does_not_better_what_is_below_zero() -> None:
    parse = parse_of(phrase("NP", (DET, N), 1, 3), V, sizes={"NP": 4})
    assert score(parse, "quality").value == pytest.approx(-1 / 3)
    assert score(parse, "quality").factor == 1.0


def test_bare_parts_of_speech_score_nothing() -> None:
    parse = parse_of(DET, N, sizes={"NP": 2}, fragment_cost=20 * UNIT)
    counting_models = [name for name in MODELS if name not in ("net", "cost", "violation-density")]
    assert {score(parse, name).value for name in counting_models} == {0.0}


def test_the_violation_density_of_a_partial_parse_is_not_the_best() -> None:
    """0 is its best value and -1 its worst: a bare part of speech has -1, and the factor brings the mean towards it."""
    bare = score(parse_of(DET, N, sizes={"NP": 2}), "violation-density")
    assert (bare.value, bare.parts) == (-1.0, (("Det 0-1", -1.0), ("N 1-2", -1.0)))
    full = score(parse_of(phrase("NP", (DET, N), 2), sizes={"NP": 2}), "violation-density")
    assert full.value == 0.0
    flawless = parse_of(phrase("NP", (DET, N), 2), phrase("VP", (V,), 2), sizes={"NP": 2, "VP": 2})
    assert score(flawless, "violation-density").value == -0.5
    violated = parse_of(phrase("NP", (DET, N), 1, 1), V, sizes={"NP": 2})
    found = score(violated, "violation-density")
    assert found.value == pytest.approx(-5 / 6)
    assert found.unscaled == pytest.approx(-2 / 3)
    assert score_line(found) == (
        "violation-density -0.833 = -N-/T, pooled: NP 0-2 -0.5; V 2-3 -1; its distance from -1 times 0.5, not full"
    )


# Laws and the real grammar


@pytest.fixture(scope="module")
def english() -> Parser:
    return Parser(load_grammar(STARTER))


@pytest.mark.parametrize("model", MODELS)
def test_agreement_lost_is_a_lower_score(english: Parser, model: str) -> None:
    """Completeness and density count evaluated or satisfied properties only, which may be as many."""
    good, bad = english.parse("The cats sleep."), english.parse("The cats sleeps.")
    if model == "completeness":
        assert score(bad, model).value >= score(good, model).value
    elif model == "density":
        assert score(bad, model).value == score(good, model).value
    else:
        assert score(bad, model).value < score(good, model).value


@pytest.mark.parametrize("text", ["The cats sleep.", "Him likes cat the", "of and", "the the the cat"])
def test_values_lie_where_they_can(english: Parser, text: str) -> None:
    parse = english.parse(text)
    for name in MODELS:
        found = score(parse, name)
        low, high = {"net": (-99, 99), "cost": (-99, 0), "violation-density": (-1, 0)}.get(name, (-1, 1))
        assert low <= found.value <= high, name
        assert found.model == name
        assert [term.constituent for term in found.terms] == [
            phrase for top in parse.constituents for phrase in top.walk() if not phrase.is_word
        ]


def test_the_cost_model_is_the_cost_of_the_parse(english: Parser) -> None:
    parse = english.parse("Him likes cat the")
    assert score(parse, "cost").value == -(parse.violation_cost_units + parse.fragment_cost_units) / UNIT
    assert dict(score(parse, "cost").parts) == {"violated": 2.0, "fragments": 0.0}


def test_deep_trees_are_no_matter() -> None:
    parse = Parser(load_grammar("anbn")).parse("a " * 150 + "b " * 150)
    assert score(parse, "propagated").value == 1.0


def test_weights_of_relations() -> None:
    grammar = load_grammar(STARTER)
    parse = Parser(grammar).parse("The cats sleeps.")
    weights = models.by_relation({"dependency": 5.0}, grammar)
    assert score(parse, "cost", weights).value == -5.0
    with pytest.raises(UsageError) as error:
        models.by_relation({"dependancy": 5.0}, grammar)
    assert str(error.value) == 'unknown relation of the grammar: "dependancy"\n  did you mean "dependency"?'
    for wrong in (-1.0, float("nan"), float("inf")):
        with pytest.raises(UsageError) as error:
            models.by_relation({"dependency": wrong}, grammar)
        hint = "give it a weight of 0 or more"
        assert str(error.value) == f"the weight of dependency is {wrong:g}\n  {hint}"


def test_what_cannot_be_scored(english: Parser) -> None:
    with pytest.raises(DataError) as empty:
        score(english.parse("..."))
    assert str(empty.value) == "no words: there is nothing to score\n  give a sentence that has more than punctuation"
    with pytest.raises(UsageError) as unknown:
        score(english.parse("The cat sleeps"), "gramaticality")
    assert str(unknown.value) == 'unknown gradience model: "gramaticality"\n  did you mean "grammaticality"?'


def test_a_limit_is_passed_on() -> None:
    from numbat import Limits

    parse = Parser(load_grammar(STARTER), limits=Limits(items=20)).parse("The cat sleeps in the garden")
    assert score(parse).stopped_by == "items (20)"


def test_counting_by_property_in_the_grammar_agrees_with_ruling_11() -> None:
    """A grammar that counts by property has the same counts in the models as one that counts by instance."""
    text = "leaves: A, B\nroots: X\nX:\n    oblig A\n    A < B\nlexicon:\n    a: A\n    b: B\n"
    by_instance = Parser(parse_grammar(text)).parse("a a b b")
    by_property = Parser(parse_grammar("semantics:\n    counting: property\n" + text)).parse("a a b b")
    assert score(by_instance, "local").terms[0].counts == score(by_property, "local").terms[0].counts
