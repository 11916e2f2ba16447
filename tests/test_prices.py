"""Prices of what is rare (ruling 48): minimised with violations, but no properties. The oracle knows them too."""

from __future__ import annotations

from pathlib import Path

import pytest

from numbat import Parser, load_grammar, parse_grammar
from numbat.errors import GrammarError
from numbat.grammar.checks import check
from numbat.grammar.printing import format_grammar
from numbat.grammar.yaml_format import format_grammar as format_yaml
from numbat.parsing.result import Parse

GRAMMAR = """
leaves: Det, N, V, Comp, Adv
roots: S
NP "noun phrase":
    oblig N
    Det < N
    N => Det
    N < RelC
RelC "relative clause":
    oblig V
    Comp < V
    NP < V
    price .6 "bare relative" informal if no Comp
VP:
    oblig V
    V < Adv
    price Adv .25 "adverb"
S:
    oblig VP
    NP < VP
    VP => NP
lexicon:
    the: Det
    cat, dog: N
    saw, sleeps: V
    that: Comp
    here, now: Adv
"""


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("the cat sleeps", 0),
        ("the cat that the dog saw sleeps", 0),
        ("the cat the dog saw sleeps", 0.6),
        ("the cat sleeps here", 0.25),
        ("the cat sleeps here now", 0.5),
    ],
)
def test_what_is_rare_costs_and_violates_nothing(text: str, price: float) -> None:
    grammar = parse_grammar(GRAMMAR.replace("    NP < VP", "    NP < VP\n    uniq NP\n    uniq VP"))
    for engine in ("exact", "phases"):
        parse = Parser(grammar, engine=engine).parse(text)
        assert (parse.cost, parse.price) == (price, price)
        assert parse.is_well_formed
        assert not parse.violated
        assert not any(evaluated.property.is_price for evaluated in (*parse.satisfied, *parse.violated))
        for compact in (False, True):
            assert Parse.from_json(parse.to_json(compact=compact), grammar).priced == parse.priced


def test_the_parse_says_what_is_rare_in_it() -> None:
    grammar = parse_grammar(GRAMMAR)
    priced = Parser(grammar).parse("the cat sleeps here")
    assert priced.tree().splitlines()[-1] == 'rare: adverb 0.25 ("here")'
    assert "cost 0.25 (prices 0.25)" in priced.summary()
    (instance,) = priced.to_json()["priced"]
    assert (instance["title"], instance["property"], instance["cost"]) == ("adverb", "price Adv", 0.25)


def test_a_price_licenses_nothing_and_gives_no_daughter() -> None:
    """Without its property a daughter with a price is no daughter; a construction of prices alone is never built."""
    grammar = parse_grammar(GRAMMAR.replace("    V < Adv\n", ""))
    assert not Parser(grammar).parse("the cat sleeps here").is_full
    grammar = parse_grammar("leaves: A\nroots: X\nX:\n    const {A}\n    price .1\nlexicon: a: A\n")
    assert not Parser(grammar).parse("a").is_full


def test_strict_and_all_lines_leave_prices_alone() -> None:
    grammar = parse_grammar(f"all * cost 7 hard\n{GRAMMAR}")
    assert [price.cost for price in grammar.prices] == [0.6, 0.25]
    assert not any(price.hard for price in grammar.prices)
    assert Parser(grammar).parse("the cat sleeps here").price == 0.25
    assert Parser(parse_grammar(GRAMMAR), profile="strict").parse("the cat sleeps here").is_full


def test_prices_survive_the_notation_and_yaml(tmp_path: Path) -> None:
    grammar = parse_grammar(GRAMMAR)
    assert parse_grammar(format_grammar(grammar)) == grammar
    (tmp_path / "g.yaml").write_text(format_yaml(grammar), encoding="utf-8")
    assert load_grammar(tmp_path / "g.yaml") == grammar


def test_an_including_grammar_changes_and_removes_prices(tmp_path: Path) -> None:
    (tmp_path / "base.pg").write_text(GRAMMAR, encoding="utf-8")
    top = 'include: "base.pg"\noverride VP: price Adv .5\nwithout RelC: price if no Comp\n'
    (tmp_path / "top.pg").write_text(top, encoding="utf-8")
    assert [(price.cost, price.title) for price in load_grammar(tmp_path / "top.pg").prices] == [(0.5, "adverb")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('price "bare"', "a number"),
        ("price -1", "is not a number between 0 and"),
        ("price Adj .5", '"Adj" is not a construction or a leaf'),
        ("price .5 if Adj", '"Adj" is not a construction or a leaf'),
        ("price Adv .5", "this property is already stated"),
    ],
)
def test_a_wrong_price_is_reported(line: str, message: str) -> None:
    with pytest.raises(GrammarError, match=message):
        parse_grammar(GRAMMAR.replace('    price Adv .25 "adverb"', f'    price Adv .25 "adverb"\n    {line}'))


def test_an_override_without_a_number_is_reported(tmp_path: Path) -> None:
    (tmp_path / "base.pg").write_text(GRAMMAR, encoding="utf-8")
    (tmp_path / "top.pg").write_text('include: "base.pg"\noverride VP: price Adv\n', encoding="utf-8")
    with pytest.raises(GrammarError, match="this price has no number"):
        load_grammar(tmp_path / "top.pg")


def test_a_price_as_high_as_a_violation_is_a_warning() -> None:
    (problem,) = check(parse_grammar(GRAMMAR.replace("price .6", "price 1")))
    assert problem.message == "RelC: price if no Comp costs 1, as much as a violation or more"
    assert problem.hint == "the cheapest violation costs 1: give a lower price"
