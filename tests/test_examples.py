"""Examples of properties: the notation `e.g.`, YAML, and `numbat test --examples`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from numbat import Parser, load_grammar, parse_grammar
from numbat.acceptability.examples import examples_of, judge_examples
from numbat.errors import DataError, GrammarError
from numbat.grammar import yaml_format
from numbat.grammar.digest import digest, structure
from numbat.grammar.printing import format_grammar
from numbat.runs.executors import executor_of
from numbat.runs.settings import RunSettings
from tests.command_line import Numbat

GRAMMAR = """\
leaves: Det, Adj, N, V
roots: S
features: number: sg, pl
NP:
    oblig N hard e.g. *"the sleeps"
    uniq {Det, N} e.g. "the cat", *"the my cat", *"the cat cats"
    Det < N cost 2 "order" e.g. *"cat the"
        e.g. *"cat my sleeps", "my cat"
    Adj x Det if N
    price .3 "without a determiner" if no Det e.g. "cats", "the cats"
S:
    oblig V; NP < V
    NP ~> V [number] e.g. "the cat sleeps", *"the cats sleep", *"cat the sleep", "the cat sleep"
lexicon:
    the, my: Det
    big: Adj
    cat: N[number=sg]
    cats: N[number=pl]
    sleeps: V[number=sg]
    sleep: V[number=pl]
"""


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Numbat:
    monkeypatch.chdir(tmp_path)
    Path("g.pg").write_text(GRAMMAR, encoding="utf-8")
    return Numbat(capsys, monkeypatch)


def examples_by_place(text: str, path: str = "g.pg") -> list[tuple[str, list[str]]]:
    """Return each property that has examples, with these as they are written."""
    grammar = parse_grammar(text, path)
    return [(prop.place, list(map(str, prop.examples))) for prop in grammar.rules if prop.examples]


def test_examples_stand_behind_their_property_or_below_it() -> None:
    assert examples_by_place(GRAMMAR) == [
        ("g.pg:5", ['*"the sleeps"']),
        *2 * [("g.pg:6", ['"the cat"', '*"the my cat"', '*"the cat cats"'])],
        ("g.pg:7", ['*"cat the"', '*"cat my sleeps"', '"my cat"']),
        ("g.pg:13", ['"the cat sleeps"', '*"the cats sleep"', '*"cat the sleep"', '"the cat sleep"']),
        ("g.pg:10", ['"cats"', '"the cats"']),
    ]


def test_examples_survive_printing_yaml_and_other_weights() -> None:
    grammar = parse_grammar(GRAMMAR)
    assert parse_grammar(format_grammar(grammar)) == grammar
    assert parse_grammar(yaml_format.format_grammar(grammar), "g.yaml") == grammar
    doubled = tuple(2 * weight for weight in grammar.weights.weights)
    changed = grammar.with_weights(replace(grammar.weights, weights=doubled))
    assert [prop.examples for prop in changed.rules] == [prop.examples for prop in grammar.rules]


def test_a_property_in_yaml_has_examples_under_a_key() -> None:
    text = """
leaves: [Det, N]
constructions:
  NP:
    properties:
      - oblig N
      - {relation: linearity, operands: [Det, N], examples: ["the cat", "*cat the"]}
"""
    assert examples_by_place(text, "g.yaml") == [("g.yaml:7", ['"the cat"', '*"cat the"'])]


def test_an_example_that_is_an_item_of_yaml_belongs_to_nothing() -> None:
    text = "leaves: [N]\nconstructions: {NP: {properties: [oblig N, 'e.g. \"cat\"']}}\n"
    with pytest.raises(GrammarError) as raised:
        parse_grammar(text, "g.yaml")
    assert str(raised.value) == (
        "g.yaml:2:44: examples belong to a property\n"
        "    constructions: {NP: {properties: [oblig N, 'e.g. \"cat\"']}}\n"
        "                                               ^^^^^^^^^^^^\n"
        '  write them behind it: "Det < N e.g. \\"the cat\\""'
    )


def test_examples_change_nothing_that_a_grammar_licenses() -> None:
    grammar, bare = (
        parse_grammar(GRAMMAR),
        parse_grammar(GRAMMAR.replace('e.g. "the cat", *"the my cat"', 'e.g. "a cat"')),
    )
    assert grammar != bare
    assert (digest(grammar), structure(grammar)) == (digest(bare), structure(bare))


def test_override_replaces_examples_only_by_others() -> None:
    def overridden(change: str) -> list[str]:
        grammar = parse_grammar(f"{GRAMMAR}override NP: Det < N {change}\n")
        return [str(e) for prop in grammar.properties if prop.relation == "linearity" for e in prop.examples][:3]

    assert overridden("cost 3") == ['*"cat the"', '*"cat my sleeps"', '"my cat"']
    assert overridden('cost 3 e.g. *"cat my"') == ['*"cat my"']


MISTAKES = {
    "no property above": (
        'NP:\n    e.g. "the cat"\n    oblig N\n',
        """g.pg:2:5: examples belong to a property, but there is none above
        e.g. "the cat"
        ^
  write them behind the property or below it: NP ~> VP [number] e.g. *"the cat sleep\"""",
    ),
    "no quotes": (
        "NP:\n    oblig N e.g. the cat\n",
        """g.pg:2:18: "the" does not fit here
        oblig N e.g. the cat
                     ^^^
  expected: a text in double quotes "..." or "*"
  found: "the"
  examples come last, in double quotes: e.g. "the cat sleeps", *"the cat sleep\"""",
    ),
    "not last": (
        'NP:\n    oblig N e.g. "the cat" hard\n',
        """g.pg:2:28: "hard" does not fit here
        oblig N e.g. "the cat" hard
                               ^^^^
  expected: the end of the line, "," or ";"
  found: "hard"
  examples come last, in double quotes: e.g. "the cat sleeps", *"the cat sleep\"""",
    ),
    "no words": (
        'NP:\n    oblig N e.g. " "\n',
        """g.pg:2:18: this example has no words
        oblig N e.g. " "
                     ^^^
  write a sentence or phrase: e.g. "the cat\"""",
    ),
    "a star behind a price": (
        'NP:\n    oblig N\n    price .3 e.g. *"cat"\n',
        """g.pg:3:20: nothing violates a price
        price .3 e.g. *"cat"
                       ^^^^^
  leave out the star: an example of a price is a sentence that has the price""",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_malformed_example_is_an_error(name: str) -> None:
    text, expected = MISTAKES[name]
    with pytest.raises(GrammarError) as raised:
        parse_grammar(f"{text}leaves: N\n", "g.pg")
    assert str(raised.value) == expected


def test_after_a_property_with_a_mistake_only_that_is_reported() -> None:
    with pytest.raises(GrammarError) as raised:
        parse_grammar('leaves: N\nNP:\n    oblig\n        e.g. "the cat"\n', "g.pg")
    assert [problem.span.line for problem in raised.value.problems] == [3]


def outcomes(text: str, jobs: int = 1) -> dict[str, str]:
    """Return the reason of each example that fails, by its sentence."""
    parser = Parser(parse_grammar(text, "g.pg"))
    judged = judge_examples(examples_of(parser.grammar), parser, executor=executor_of(RunSettings(jobs=jobs)))
    return {item.scored.item.star + item.scored.item.sentence: item.reason for item in judged if item.reason}


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_star_violates_that_property_and_no_other_will_do(jobs: int) -> None:
    swapped = GRAMMAR.replace('*"the cats sleep"', '*"cat the sleeps"')
    assert outcomes(swapped, jobs) == {
        "the cats": "does not have NP: price if no Det (g.pg:10)",
        "*cat the sleeps": "violates NP: Det < N instead of S: NP ~> V [number] (g.pg:13)",
        "the cat sleep": "violates S: NP ~> V [number] (g.pg:13)",
    }
    assert outcomes(GRAMMAR)["*the cats sleep"] == "violates nothing, and should violate S: NP ~> V [number] (g.pg:13)"


def test_a_parse_that_is_as_cheap_will_do() -> None:
    text = """
leaves: A, B, C, D
roots: S
S: oblig A
    A x B e.g. *"x y"
    A x C e.g. *"x y"
    A x D
lexicon:
    x: A
    y: B, C
    z: D
"""
    (best,) = Parser(parse_grammar(text)).n_best("x y", 1)
    assert len(best.violated) == 1
    assert outcomes(text) == {}
    assert outcomes(text.replace("A x D", 'A x D e.g. *"x y"')) == {
        "*x y": f"violates S: A x {'BC'['C' in str(best.violated[0].property)]} instead of S: A x D (g.pg:7)"
    }


def test_a_starred_example_of_a_hard_property_is_whatever_is_not_well_formed() -> None:
    assert outcomes(GRAMMAR.replace('*"the sleeps"', '*"the cat sleeps"'))["*the cat sleeps"] == (
        "violates nothing, and should violate NP: oblig N (g.pg:5)"
    )


def test_inherited_examples_are_tested_once_and_may_be_shown_by_the_heir() -> None:
    text = GRAMMAR.replace("lexicon:", "Name like NP:\n    price .1\nlexicon:")
    named = [item.named_property for item in examples_of(parse_grammar(text, "g.pg")).suite.items]
    assert named.count("NP: Det < N") == 3
    assert not any(name.startswith("Name") for name in named)


def test_the_report_says_where_and_what_instead(numbat: Numbat) -> None:
    done = numbat("test", "--examples", "g.pg")
    assert done.code == 1
    assert (
        done.out.partition("\nrun:")[0]
        == """\
grammar g.pg: 13 sentences
4 of 6 examples without a star that do not violate their property (66%)
6 of 7 starred examples that violate their property (85%)
0 of 7 sentences that name a property are bad for another reason
equally good trees for a sentence: median 1, at most 2

g.pg:13:46: *the cats sleep  violates nothing, and should violate S: NP ~> V [number] (g.pg:13)

g.pg:13:82: the cat sleep  violates S: NP ~> V [number] (g.pg:13)
    "cat" has number sg, but "sleep" has number pl  [S: NP ~> V [number], g.pg:13]

g.pg:10:60: the cats  does not have NP: price if no Det (g.pg:10)
"""
    )


def test_the_other_forms_say_the_same(numbat: Numbat) -> None:
    read = json.loads(numbat("test", "--examples", "g.pg", "-f", "json").out)
    failing = [item for item in read["items"] if item["verdict"] == "fail"]
    assert [item["id"] for item in failing] == ["g.pg:13:46", "g.pg:13:82", "g.pg:10:60"]
    assert [item["property"] for item in failing] == [*2 * ["S: NP ~> V [number]"], "NP: price if no Det"]
    (first, _, last) = numbat("test", "--examples", "g.pg", "-f", "github").out.splitlines()[:3]
    assert first.startswith("::error file=g.pg,line=13,col=1::g.pg:13:46: the cats sleep: violates nothing")
    assert last == "::error file=g.pg,line=10,col=1::g.pg:10:60: the cats: does not have NP: price if no Det (g.pg:10)"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--examples", "g.pg", "-g", "english"), "--examples and -g exclude each other"),
        (("--examples", "g.pg", "--accept"), "--examples and --accept exclude each other"),
        (("--examples", "g.pg", "--strict"), "--examples and --strict exclude each other"),
        (("--examples", "--class", "."), "--class and --examples exclude each other"),
    ],
)
def test_options_that_have_no_meaning_for_examples_are_errors(
    numbat: Numbat, options: tuple[str, ...], message: str
) -> None:
    done = numbat("test", *options)
    assert (done.code, done.err.splitlines()[0]) == (2, f"numbat: {message}")


def test_a_grammar_without_examples_is_an_error() -> None:
    with pytest.raises(DataError) as raised:
        examples_of(load_grammar("anbn"))
    assert str(raised.value) == (
        "anbn 1: this grammar has no examples\n"
        '  write them behind its properties: NP ~> VP [number] e.g. "the cat sleeps", *"the cat sleep"'
    )


@pytest.mark.parametrize(("name", "least"), [("english", 600), ("french", 590)])
def test_the_examples_of_packaged_grammars_show_their_properties(name: str, least: int) -> None:
    parser = Parser(load_grammar(name))
    judged = judge_examples(examples_of(parser.grammar), parser)
    assert [f"{item.scored.id} {item.scored.item.sentence}: {item.reason}" for item in judged if item.reason] == []
    assert len(judged) >= least
