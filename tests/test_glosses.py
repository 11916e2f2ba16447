"""Glosses of properties: what a violated property asks for, in plain words."""

from __future__ import annotations

from pathlib import Path

import pytest

from numbat import Parser, load_grammar, parse_grammar
from numbat.grammar import yaml_format
from numbat.grammar.digest import digest
from numbat.grammar.model import titles_of
from numbat.grammar.printing import format_grammar
from numbat.grammar.relations import TABLE
from numbat.parsing.explanation.violations import explain_prices
from numbat.parsing.explanation.wording import TRANSLATIONS

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
            'the verb agrees with its subject: "cats" has number pl, but "sleeps" has number sg'
            "  [S: NP ~> VP [number], <grammar>:15]",
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


# Titles, and the messages that relations have without a gloss

TITLED = """
language: {language}
leaves: Det "{det}", N "{noun}", V, Aux, To
roots: S
tree_features: number, form, mood
features:
    number: sg "{sg}", pl "{pl}"
    form: fin "{fin}", base "{base}"
    mood: ind, sub
    kind: thing, person
NP "{np}":
    oblig N
    uniq Det cost .1
    Det < N
    near(Det, N) cost .1
    N[number=sg] => Det
    Det ~> N [number]
    N[kind=thing] x Det[kind=person]
VP "{vp}":
    oblig V | Aux
    Aux => V[form=base]
    V[kind=person] => Aux[kind=person] | To
    V ~> Aux [kind]
    V ~> Aux [mood]
    first(To) or To < V
S:
    oblig VP
    NP + VP
lexicon:
    the, a: Det; my: Det[kind=person]; two: Det[number=pl]
    cat: N[number=sg]; cats: N[number=pl]; stone: N[number=sg, kind=thing]
    would: Aux[mood=ind]; might: Aux[kind=thing]
    likes: V[form=fin, mood=sub]; like: V[form=base]; thinks: V[form=base, kind=person]
    to: To
"""
ENGLISH = {
    "language": "en", "det": "determiner", "noun": "noun", "sg": "singular", "pl": "plural", "fin": "finite",
    "base": "in its base form", "np": "noun phrase", "vp": "verb phrase",
}  # fmt: skip
FRENCH = {
    "language": "fr", "det": "déterminant", "noun": "nom", "sg": "au singulier", "pl": "au pluriel", "fin": "conjugué",
    "base": "à l'infinitif", "np": "groupe nominal", "vp": "groupe verbal",
}  # fmt: skip
SAID = [
    ("the like", 'the noun phrase "the" has no noun', 'groupe nominal "the" sans nom'),
    ("the a cat like", 'only one determiner can stand here: "the" and "a"', 'déterminant en double : "the" et "a"'),
    (
        "the a cat like",
        '"the" and "cat" should stand side by side, but "a" stands between them',
        '"the" et "cat" devraient se suivre, mais "a" les sépare',
    ),
    ("cat the like", '"the" should stand before "cat"', '"the" devrait se placer devant "cat"'),
    ("cat like", '"cat" needs a determiner', '"cat" ne va pas sans déterminant'),
    ("two cat like", '"two" is plural, but "cat" is singular', '"two" est au pluriel, mais "cat" est au singulier'),
    # a feature that has no title and that trees do not show is not named
    ("my stone like", '"stone" and "my" do not go together', '"stone" et "my" ne vont pas ensemble'),
    ("the cat might thinks", '"thinks" does not go with "might" here', '"thinks" ne va pas ici avec "might"'),
    ("the cat might thinks", '"thinks" and "might" do not agree', '"thinks" et "might" ne s\'accordent pas'),
    # one that trees show is named as in the notation
    (
        "the cat would likes",
        '"likes" has mood sub, but "would" has mood ind',
        '"likes" a mood sub, mais "would" a mood ind',
    ),
    # a message names a daughter with other features
    (
        "the cat would likes",
        '"would" needs V that is in its base form; "likes" is finite',
        '"would" ne va pas sans V à l\'infinitif ; "likes" est conjugué',
    ),
]


@pytest.mark.parametrize(("text", "english", "french"), SAID)
def test_relations_say_what_is_wrong_in_the_language_of_the_grammar(text: str, english: str, french: str) -> None:
    for titles, said in ((ENGLISH, english), (FRENCH, french)):
        parser = Parser(parse_grammar(TITLED.format(**titles)))
        assert said in [sentence.partition("  [")[0] for sentence in parser.parse(text).explain()]


def test_every_template_of_a_built_in_relation_is_translated() -> None:
    built = [relation for row in TABLE for relation in row.variants.values()]
    templates = {text for relation in built for text in (relation.says, relation.but, relation.vague) if text}
    for language, translations in TRANSLATIONS.items():
        assert templates - translations.keys() == set(), language


def test_titles_are_printed_and_read_back() -> None:
    grammar = parse_grammar(TITLED.format(**ENGLISH))
    assert titles_of(grammar)["", "Det"] == "determiner"
    assert titles_of(grammar)["", "NP"] == "noun phrase"
    assert titles_of(grammar)["number", "pl"] == "plural"
    assert ("", "V") not in titles_of(grammar)
    printed = format_grammar(grammar)
    assert 'leaves: Det "determiner", N "noun", V, Aux, To\n' in printed
    assert '    number: sg "singular", pl "plural"\n' in printed
    assert parse_grammar(printed) == grammar
    assert parse_grammar(yaml_format.format_grammar(grammar), "g.yaml") == grammar


def test_titles_do_not_change_the_digest() -> None:
    plain = "leaves: A, B\nfeatures: f: x, y\nX: A < B\n"
    titled = 'leaves: A "an a", B\nfeatures: f: x "so", y\nX: A < B\n'
    assert digest(parse_grammar(plain)) == digest(parse_grammar(titled))


def test_an_including_file_changes_titles(tmp_path: Path) -> None:
    (tmp_path / "below.pg").write_text('leaves: A "one", B "two"\nfeatures: f: x "so", y "thus"\nX: A < B\n')
    above = tmp_path / "above.pg"
    above.write_text('include: "below.pg"\nfeatures: f: x "ainsi", y\n')
    titles = titles_of(load_grammar(above))
    assert (titles["", "A"], titles["f", "x"], titles["f", "y"]) == ("one", "ainsi", "thus")


def test_a_message_in_json_has_its_formal_text_and_the_words_that_are_wrong() -> None:
    parse = Parser(parse_grammar(TITLED.format(**ENGLISH))).parse("two the cat like")
    (wrong,) = [violation for violation in parse.to_json()["violated"] if violation["property"] == "Det ~> N [number]"]
    assert {name: wrong[name] for name in ("message", "formal", "words")} == {
        "message": '"two" is plural, but "cat" is singular',
        "formal": "NP: Det ~> N [number], <grammar>:17",
        "words": [0, 2],
    }


def test_words_with_braces_are_no_placeholders() -> None:
    grammar = GRAMMAR.replace("cats: N", '"{b}": N[number=sg]\n    cats: N')
    explained = Parser(parse_grammar(grammar)).parse("{b} the sleeps").explain()
    assert explained[0].startswith('"the" stands before "{b}"  [')
