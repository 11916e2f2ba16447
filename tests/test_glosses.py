"""Glosses of properties: what a violated property asks for, in plain words."""

from __future__ import annotations

import pytest

from numbat import Parser, parse_grammar
from numbat.grammar import yaml_format
from numbat.grammar.printing import format_grammar
from numbat.parsing.explanation.violations import explain_prices

GRAMMAR = """
leaves: Det, Adj, N, V
roots: S
features: number: sg, pl
NP:
    oblig N hard
    uniq Det "a noun has only one determiner"
    Det < N cost 2 "{b} stands before {c}"
    Det ~> N [number]
    Adj < N
VP: oblig V
S:
    oblig VP
    NP < VP
    NP ~> VP [number] "the verb agrees with its subject"
lexicon:
    the, my: Det
    these: Det[number=pl]
    big: Adj
    cat: N[number=sg]
    cats: N[number=pl]
    sleeps: V[number=sg]
    sleep: V[number=pl]
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cat the sleeps", '"the" stands before "cat"  [NP: Det < N, <grammar>:8]'),
        # of phrases that agree, the words that bear the feature are named
        (
            "the big cats sleeps",
            'the verb agrees with its subject: "cats" has number pl, but "sleeps" has number sg  [S: NP ~> VP [number], <grammar>:15]',
        ),
        # without a gloss, the relation says it
        (
            "these cat sleeps",
            '"these" has number pl, but "cat" has number sg  [NP: Det ~> N [number], <grammar>:9]',
        ),
    ],
)
def test_a_message_is_the_gloss_with_the_words(text: str, message: str) -> None:
    (explained,) = Parser(parse_grammar(GRAMMAR)).parse(text).explain()
    assert explained == message


def test_each_instance_names_its_words() -> None:
    explained = Parser(parse_grammar(GRAMMAR)).parse("the my cat sleeps").explain()
    assert [sentence.partition("  [")[0] for sentence in explained] == [
        'a noun has only one determiner: "the"',
        'a noun has only one determiner: "my"',
    ]


def test_glosses_survive_the_notation_yaml_and_other_weights() -> None:
    grammar = parse_grammar(GRAMMAR)
    assert parse_grammar(format_grammar(grammar)) == grammar
    assert parse_grammar(yaml_format.format_grammar(grammar), "g.yaml") == grammar
    glosses = [prop.title for prop in grammar.with_weights(grammar.weights).properties]
    assert glosses.count("") == len(glosses) - 3
    assert explain_prices(Parser(grammar).parse("the cat sleeps")) == ()
