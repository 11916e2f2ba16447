"""Parses that travel: records, pickles and JSON come back as equal parses, and are small."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from numbat import Arc, DataError, Grammar, Lattice, Limits, Parse, Parser, UsageError, load_grammar, parse_grammar
from numbat.acceptability.coverage import coverage
from numbat.acceptability.models import EQUAL, GRAMMAR, MODELS, by_relation, losses, mended, score, scorer
from numbat.acceptability.suite import Item
from numbat.acceptability.verdicts import scored_item
from numbat.grammar.cache import LazyLexicon, encoded_readings
from numbat.grammar.digest import GrammarExcerpt, digest, excerpt, form_sizes, numbered_properties
from numbat.grammar.model import Entry, Reading
from numbat.parsing.explanation.json_format import SCHEMA_FILE
from tests.command_line import Numbat, json_lines
from tests.samples import enough
from tests.strategies import grammars, pairs, random_pair

law = settings(max_examples=enough(60), derandomize=True, suppress_health_check=list(HealthCheck))
VALIDATOR = Draft202012Validator(json.loads(SCHEMA_FILE.read_text(encoding="utf-8")))

TWENTY_WORDS = (
    "The old man who lives near the river said that his two daughters have never seen the sea in winter.",
    "I think that the government should have done more to help the people who lost their houses in the flood.",
    "When the children came home from school, their mother had already prepared a very big meal for all of them.",
    "Cats the sleeps on mat the who which said that books is good the girls are sing in house old.",
    "She won't say whether she knew the man with whom her brother's wife had danced at the old castle.",
)


@pytest.fixture(scope="module")
def english() -> Parser:
    return Parser(load_grammar("english"), limits=Limits(items=200_000))


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    return Numbat(capsys, monkeypatch)


@cache
def french() -> Parser:
    return Parser(load_grammar("french"))


def views(parse: Parse) -> tuple[object, ...]:
    """Return all views of a parse."""
    views = (
        parse.explain(),
        parse.summary(),
        parse.tree(),
        parse.to_brackets(),
        parse.to_rows("1"),
        parse._repr_svg_(),
    )
    return *views, json.dumps(parse.to_json()), json.dumps(parse.to_json(compact=True)), repr(parse.evaluated)


def twins(parse: Parse, grammar: Grammar) -> list[Parse]:
    """The parse by each of the ways in which it can travel."""
    texts = [json.dumps(parse.to_json(compact)) for compact in (False, True)]
    return [
        pickle.loads(pickle.dumps(parse)),
        pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(parse)))),
        Parse.from_record(pickle.loads(pickle.dumps(parse.record)), grammar),
        *(Parse.from_json(json.loads(text), grammar) for text in texts),
    ]


def assert_travels(parse: Parse, grammar: Grammar) -> None:
    said = views(parse)
    for twin in twins(parse, grammar):
        assert twin == parse
        assert hash(twin) == hash(parse)
        assert twin.constituents == parse.constituents
        assert views(twin) == said
    for compact in (False, True):
        VALIDATOR.validate(parse.to_json(compact))


# ------------------------------------------------------------------------------------------------------------- laws


@law
@given(pairs(), st.sampled_from(["exact", "phases"]), st.sampled_from(["default", "discontinuous"]))
def test_random_parses_travel(pair: tuple[Grammar, Lattice], engine: str, profile: str) -> None:
    grammar, lattice = pair
    if profile == "discontinuous":
        engine = "auto"
    for parse in Parser(grammar, profile, engine=engine, limits=Limits(assignments=3_000)).n_best(lattice, 3):
        assert_travels(parse, grammar)


def test_bulk_of_random_parses_travels() -> None:
    for seed in range(enough(150)):
        grammar, lattice = random_pair(seed, negative=True)
        places = tuple((i, i + 1) for i, _ in enumerate(lattice.tokens))
        lattice = replace(lattice, text="w" * len(places), places=places)
        parse = Parser(grammar, valuation="net").parse(lattice)
        assert_travels(parse, grammar)
        for twin in twins(parse, grammar):
            assert twin.lattice.places == lattice.places
            assert [score(twin, model).value for model in MODELS] == [score(parse, model).value for model in MODELS]


@law
@given(grammars(), grammars(), st.randoms(use_true_random=False))
def test_equal_grammars_and_no_others_have_equal_digests(one: Grammar, other: Grammar, rng: Random) -> None:
    assert (digest(one) == digest(other)) == (one == other)
    assert digest(copy.deepcopy(one)) == digest(one)
    assert digest(pickle.loads(pickle.dumps(one))) == digest(one)
    number = rng.randrange(len(one.properties))
    weights = one.weights
    costs = tuple(cost + (i == number) for i, cost in enumerate(weights.costs))
    assert digest(one.with_weights(replace(weights, costs=costs))) != digest(one)


# ---------------------------------------------------------------------------------------------------------- grammars


def test_what_makes_a_digest() -> None:
    text = "leaves: N, V\nfeatures: number: sg, pl\nS:\n    N < V\n    uniq N\nlexicon:\n    cat: N\n"
    grammar = parse_grammar(text, "a.pg")
    assert digest(parse_grammar(f"# a comment\n{text}", "b.pg")) == digest(grammar)
    for change in ({"name": "x"}, {"node_cost_units": 5}, {"unary_limit": 2}, {"lexicon": ()}, {"roots": ()}):
        changed = replace(grammar, **change)
        assert (digest(changed) == digest(grammar)) == (changed == grammar), change
    for other in (text.replace("N < V", "V < N"), text.replace("uniq N", "uniq N cost 2"), text + "    cats: N\n"):
        assert digest(parse_grammar(other)) != digest(grammar)


def test_the_digest_does_not_depend_on_the_hash_seed() -> None:
    load = "numbat.load_grammar('french-relative')"
    code = f"import numbat; from numbat.grammar.digest import digest; print(digest({load}))"
    found = {
        subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "77")
    }
    assert found == {f"{digest(load_grammar('french-relative'))}\n".encode()}


def test_a_lexicon_out_of_the_cache_makes_the_same_digest() -> None:
    entries = (
        Entry("cat", (Reading("N", (("number", ("sg",)),), 2.0, "cat"), Reading("V"))),
        Entry("é", (Reading("N"),)),
    )
    grammar = Grammar(leaves=("N", "V"), lexicon=entries)
    assert digest(replace(grammar, lexicon=LazyLexicon(*encoded_readings(entries)))) == digest(grammar)


def test_an_excerpt_knows_numbers_and_sizes_of_the_whole() -> None:
    grammar = parse_grammar("leaves: N, V\nNP:\n    uniq N\n    oblig N\nS:\n    NP < V\n    uniq V\n    oblig V\n")
    part = excerpt(grammar, {"S"}, {4, 2})
    assert [(number, repr(prop)) for number, prop in numbered_properties(part).items()] == [
        (2, "<S: NP < V (<grammar>:6)>"),
        (4, "<S: oblig V (<grammar>:8)>"),
    ]
    assert form_sizes(part) == {"S": 3}
    assert form_sizes(grammar) == {"NP": 2, "S": 3}
    assert repr(part) == "<GrammarExcerpt of a grammar without name: 2 of its properties>"
    assert excerpt(part, {"S"}, {4}) == excerpt(grammar, {"S"}, {4})
    with pytest.raises(UsageError) as caught:
        Parser(part)
    assert str(caught.value) == (
        "<GrammarExcerpt of a grammar without name: 2 of its properties> has no words: it came with a parse from "
        "another process\n  load the grammar itself with numbat.load_grammar"
    )


# ------------------------------------------------------------------------------------------------------------- sizes


def test_pickles_are_small(english: Parser) -> None:
    for text in ("The cats sleeps.", "I saw her duck", "the old man's cat saw her with the fish"):
        parse = english.parse(text)
        assert len(pickle.dumps(parse)) <= 20_000
        assert len(pickle.dumps(parse.record)) <= 4_000
        assert len(pickle.dumps(pickle.loads(pickle.dumps(parse)))) <= 20_000


@pytest.mark.parametrize("text", TWENTY_WORDS)
def test_compact_json_of_twenty_words_is_small(text: str, english: Parser, numbat: Numbat) -> None:
    assert 20 <= len(english.parse(text).lattice.tokens) <= 21
    done = numbat("parse", "-f", "jsonl", "--compact", "--max-items", "200000", text)
    assert len(done.out.splitlines()[0].encode()) <= 3_000
    (value,) = json_lines(done.out)
    VALIDATOR.validate(value)
    assert Parse.from_json(value, english.grammar) == english.parse(text)


# ------------------------------------------------------------------------------------------------- what comes back


def test_real_parses_travel(english: Parser) -> None:
    for text in ("The cats sleeps.", "flurble the zorks in", "", "...", TWENTY_WORDS[4]):
        for parse in english.n_best(text, 2):
            assert_travels(parse, english.grammar)
    parse = french().parse("L’ami du garc\u0327on mange des pommes.")
    assert_travels(parse, french().grammar)
    (top,) = parse.constituents
    assert parse.text_of(top) == "L’ami du garc\u0327on mange des pommes"
    words = {word.form: parse.text_of(word) for word in top.words()}
    assert [words[form] for form in ("de", "=le", "garçon")] == ["du", "du", "garc\u0327on"]


def test_text_of_a_constituent_with_a_hole() -> None:
    parse = Parser(load_grammar("dutch-cross-serial"), "discontinuous").parse("Jan  Piet Marie zag leren zwemmen.")
    found = [parse.text_of(each) for each in parse.walk()]
    assert found[0] == "Jan  Piet Marie zag … zwemmen"
    assert {"Piet Marie … zwemmen", "Marie … zwemmen", "Jan", "leren"} < {*found}


def _with(parse: Parse, **changes: Any) -> Parse:
    return replace(parse, outcome=replace(parse.outcome, **changes))


def test_a_parse_with_expansions_travels(english: Parser) -> None:
    parse = _with(english.parse("The cat sleeps."), log_likelihood=-12.25)
    assert [twin.log_likelihood for twin in twins(parse, english.grammar)] == [-12.25] * 5
    assert_travels(parse, english.grammar)


def test_a_mended_parse_travels(english: Parser) -> None:
    parse = english.parse("The cats sleeps.")
    (violated,) = parse.violated
    better = mended(parse, violated.constituent, violated.property)
    for twin in twins(better, english.grammar):
        assert (twin, twin.cost_units, views(twin)) == (better, 0, views(better))


def test_copies_are_the_parse_itself(english: Parser) -> None:
    parse = english.parse("The cat sleeps.")
    assert copy.copy(parse) is copy.deepcopy(parse) is parse
    assert _with(parse, rank=2) != parse
    assert parse != "a parse"


def test_deep_trees_travel() -> None:
    grammar = parse_grammar("leaves: a\nS:\n    uniq a\n    uniq S\n    oblig a | S\n")
    shallow = Parser(grammar).parse(Lattice(("a",), (Arc(0, 1, "a", "a"),)))
    (top,) = shallow.constituents
    for _ in range(3_000):
        top = top._replace(daughters=(top,))
    deep = replace(shallow, constituents=(top,))
    twin = pickle.loads(pickle.dumps(deep))
    assert twin == deep
    assert twin.nodes == 3_001
    assert Parse.from_json(json.loads(json.dumps(deep.to_json(compact=True))), grammar) == deep


# -------------------------------------------------------------------------------------------- from another process

ASKED = """\
import pickle, sys
from numbat.acceptability.models import losses
from numbat.acceptability.models import MODELS, score, scorer
for parse in pickle.load(sys.stdin.buffer):
    print(repr(parse.grammar))
    print(parse.tree())
    print([(model, score(parse, model).value) for model in MODELS])
    print([(loss.construction, loss.sentences, loss.value) for loss in losses(parse, scorer("coherence"))])
assert "lark" not in sys.modules
"""


def test_a_process_without_the_grammar_can_be_asked_all(english: Parser) -> None:
    parses = english.n_best("The cats sleeps on", 2)
    done = subprocess.run(
        [sys.executable, "-c", ASKED], input=pickle.dumps(parses), capture_output=True, check=True, cwd=Path.cwd()
    )
    said = []
    for parse in parses:
        said.append(repr(pickle.loads(pickle.dumps(parse)).grammar))
        said.append(parse.tree())
        said.append(str([(model, score(parse, model).value) for model in MODELS]))
        found = losses(parse, scorer("coherence"))
        said.append(str([(loss.construction, loss.sentences, loss.value) for loss in found]))
    assert done.stdout.decode().splitlines() == "\n".join(said).splitlines()


def test_scorers_travel(english: Parser) -> None:
    parse = english.parse("The cats sleeps on")
    for weights in (GRAMMAR, EQUAL, by_relation({"dependency": 3}, english.grammar)):
        for model in MODELS:
            by = scorer(model, weights)
            sent = pickle.loads(pickle.dumps(by))
            assert sent == by
            assert sent(pickle.loads(pickle.dumps(parse))).value == by(parse).value


def test_coverage_takes_parses_from_another_process(english: Parser) -> None:
    def items(parses: list[Parse]) -> list[Any]:
        by = scorer("cost")
        item = Item("1", "x", True)
        return [scored_item(item, parse, by) for parse in parses]

    parses = [english.parse(text) for text in ("The cats sleeps.", "I saw her duck")]
    sent = pickle.loads(pickle.dumps(parses))
    assert isinstance(sent[0].grammar, GrammarExcerpt)
    assert coverage(items(sent), english.grammar) == coverage(items(parses), english.grammar)
    with pytest.raises(DataError) as caught:
        coverage(items(sent), load_grammar("anbn"))
    assert str(caught.value).startswith('this parse was made with the grammar "english" (digest ')


# ---------------------------------------------------------------------------------------------------- what is wrong


SMALL = "grammar: small\nleaves: N\nNP:\n    uniq N\n    oblig N\nlexicon:\n    cat: N\n"


def test_another_grammar_is_refused() -> None:
    grammar, other = parse_grammar(SMALL), parse_grammar(SMALL.replace("oblig N", "oblig N cost 2"))
    parse = Parser(grammar).parse("cat")
    message = (
        f'this parse was made with the grammar "small" (digest {digest(grammar)}), not with this "small" '
        f"(digest {digest(other)})\n"
        "  give the grammar as it was when the sentence was parsed, or parse the sentence again"
    )
    with pytest.raises(DataError) as caught:
        Parse.from_record(parse.record, other)
    assert str(caught.value) == message
    for compact in (False, True):
        with pytest.raises(DataError) as caught:
            Parse.from_json(parse.to_json(compact), other)
        assert str(caught.value) == message


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (None, "not a parse"),
        ({}, "not a parse"),
        (["numbat.parse/2"], "not a parse"),
        ({"schema": "numbat.parse/1"}, 'a parse by the schema "numbat.parse/1"'),
    ],
)
def test_a_value_by_another_schema(value: Any, what: str) -> None:
    with pytest.raises(DataError) as caught:
        Parse.from_json(value, parse_grammar(SMALL))
    assert str(caught.value) == (
        f'this value is {what}; the schema must be "numbat.parse/2"\n  write it with parse.to_json()'
    )


HIDDEN = """
leaves: Det, N, V
roots: S
S:
    uniq {NP, V}
NP:
    Det < N
XP:
    N < V weight 9
lexicon:
    the: Det
    cat: N
    sleeps: V
"""


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize(("sentence", "cost", "best"), [("the cat", 0, 0), ("the cat sleeps", 20, 0)])
def test_a_greedy_parse_says_what_the_best_costs(sentence: str, cost: int, best: int, compact: bool) -> None:
    grammar = parse_grammar(HIDDEN)
    parse = Parser(grammar, "paper").parse(sentence)
    value = parse.to_json(compact)
    VALIDATOR.validate(value)
    assert (parse.cost_units, value["best_cost"]) == (cost * 1_000_000, best)
    assert Parse.from_json(value, grammar) == parse
    assert "best_cost" not in Parser(grammar).parse(sentence).to_json(compact)


NOT_READ = {"tokens", "places", "weight", "nodes", "full", "well_formed", "fragment_cost", "granularity", "why_partial"}
"""Keys that follow from others, or are optional."""


@pytest.mark.parametrize("compact", [False, True])
def test_a_key_that_is_missing(compact: bool) -> None:
    grammar = parse_grammar(SMALL)
    value = Parser(grammar).parse("a cat").to_json(compact)
    named = {"constructions": "satisfied"}  # without these a value is taken for one with names
    for key in sorted({*value} - {"schema", "guessed", *NOT_READ}):
        lacking = {name: each for name, each in value.items() if name != key}
        assert not VALIDATOR.is_valid(lacking), key
        with pytest.raises(
            DataError, match=f"does not follow the schema numbat.parse/2: KeyError '{named.get(key, key)}'"
        ):
            Parse.from_json(lacking, grammar)


@pytest.mark.parametrize(
    "wrong",
    [
        {"instances": ["7"]},
        {"instances": ["0:3"]},
        {"instances": ["x"]},
        {"instances": []},
        {"instances": ["0:0", "0:0"]},
        {"daughters": [2, 0]},
        {"daughters": [1]},
        {"features": []},
        {"features": [[9], []]},
        {"constructions": None},
        {"places": [0]},
        {"count": "many", "rank": None, "fragment_cost": "1"},
    ],
)
def test_parts_that_do_not_fit_together(wrong: dict[str, Any]) -> None:
    grammar = parse_grammar(SMALL)
    value = Parser(grammar).parse("cat").to_json(compact=True)
    assert Parse.from_json(value, grammar) == Parser(grammar).parse("cat")
    with pytest.raises(DataError):
        Parse.from_json(value | wrong, grammar)


def test_a_property_that_the_grammar_does_not_have(english: Parser) -> None:
    parse = replace(english.parse("The cats sleeps."), grammar=load_grammar("anbn"))
    with pytest.raises(DataError) as caught:
        parse.to_json()
    assert str(caught.value) == (
        "<S: uniq NP (sentences.pg:52)> is not a property of <Grammar anbn: 1 constructions, 8 properties, 2 forms>\n"
        "  give a property of that grammar"
    )


# ----------------------------------------------------------------------------------------------- the command line


@pytest.mark.parametrize("options", [(), ("--compact",), ("-n", "3"), ("-n", "3", "--compact")])
def test_json_lines_of_a_run_are_by_the_schema(
    options: tuple[str, ...], english: Parser, numbat: Numbat, tmp_path: Path
) -> None:
    """N-best lists, and the good lines where others cannot be read."""
    path = tmp_path / "many.txt"
    path.write_bytes(b"I/Pro saw/V her/Det duck/N\nno tag\n,/N\nflurble/? the/Det\nx/Y\nducks/N[number=pl]")
    done = numbat("parse", "-f", "jsonl", "--tagged", "-i", str(path), *options)
    assert done.code == 75
    values = json_lines(done.out)
    assert len({value["id"] for value in values}) == 4
    for value in values:
        VALIDATOR.validate(value)
        parse = Parse.from_json(value, english.grammar)
        assert parse.to_json("--compact" in options) == {key: each for key, each in value.items() if key != "id"}


def test_json_list_is_by_the_schema(numbat: Numbat) -> None:
    values = json.loads(numbat("parse", "-f", "json", "--compact", "-g", "anbn", "a b", "a b b").out)
    assert [value["id"] for value in values] == ["1", "2"]
    for value in values:
        VALIDATOR.validate(value)


def test_compact_is_for_json(numbat: Numbat) -> None:
    done = numbat("parse", "--compact", "a cat")
    assert (done.code, done.err) == (
        2,
        "numbat: --compact and -f tree exclude each other\n  take -f json or jsonl, or leave --compact out\n",
    )


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(VALIDATOR.schema)
    assert VALIDATOR.schema["title"] == "numbat.parse/2"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("count", "1"),
        ("sentence", ["a"]),
        ("tokens", [1]),
        ("stopped_by", 5),
        ("rank", True),
        ("places", [["a", 1]]),
        ("least_cost", float("inf")),
    ],
)
def test_a_value_of_another_kind_is_no_parse(name: str, value: object) -> None:
    parser = Parser(load_grammar("anbn"))
    spoiled = {**parser.parse("a b").to_json(), name: value}
    with pytest.raises(DataError, match="this value does not follow the schema"):
        Parse.from_json(spoiled, parser.grammar)


@pytest.mark.parametrize("compact", [False, True])
def test_a_word_behind_the_sentence_is_no_parse(compact: bool) -> None:
    parser = Parser(load_grammar("anbn"))
    value = parser.parse("a b").to_json(compact)
    if compact:
        value["words"] = [[0, 1], [1, 2**31]]
    else:
        value["constituents"][0]["daughters"][0]["positions"] = [2**31]
    with pytest.raises(DataError, match=r"this value does not follow the schema .*2147483648"):
        Parse.from_json(value, parser.grammar)
