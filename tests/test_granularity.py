"""Granularity (ruling 24): the factor of the fragment cost."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from numbat import Parse, Parser, UsageError, load_grammar, parse_grammar
from numbat.grammar.properties import UNIT
from tests.command_line import Numbat, json_lines
from tests.samples import enough
from tests.strategies import random_pair
from tests.test_exact import FEW

STARTER = str(Path(__file__).parent / "starter" / "starter.pg")
TREES = str(Path(__file__).parents[1] / "corpora" / "trees.mrg")
FREE = "leaves: N\nfragment_cost: 0\nNP:\n    uniq N\n"
GRANULARITIES = (0.0, 0.25, 0.5, 1.0, 2.5, 40.0)


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    return Numbat(capsys, monkeypatch)


def test_it_is_a_factor_of_the_fragment_cost() -> None:
    """On random grammars, in both engines and under both valuations."""
    compared = 0
    for seed in range(30):
        grammar, lattice = random_pair(seed, longest=4)
        if not grammar.fragment_cost_units:
            continue
        granularity = Random(seed).choice(GRANULARITIES)
        stated = replace(grammar, fragment_cost_units=round(grammar.fragment_cost_units * granularity))
        for valuation in ("relaxation", "net"):
            for engine in ("exact", "phases") if seed < 8 else ("exact",):
                about = {"valuation": valuation, "engine": engine, "limits": FEW}
                found = Parser(grammar, granularity=granularity, **about).n_best(lattice, 3)  # type: ignore[arg-type]
                expected = Parser(stated, **about).n_best(lattice, 3)  # type: ignore[arg-type]
                assert list(map(shown, found)) == list(map(shown, expected)), f"random_pair({seed}), {granularity}"
                assert {parse.outcome.granularity for parse in found} == {granularity}
                compared += len(found)
    assert compared > 80


def shown(parse: Parse) -> tuple[object, ...]:
    return (
        parse.to_brackets(),
        parse.cost_units,
        parse.fragment_cost_units,
        parse.weight_units,
        parse.count,
        parse.stopped_by,
    )


@pytest.mark.parametrize("valuation", ["relaxation", "net"])
def test_the_dearer_fragments_are_the_fewer_there_are(valuation: str) -> None:
    """A full parse has none: the number that is paid for never rises with the granularity."""
    fewer = 0
    for seed in range(enough(60)):
        grammar, lattice = random_pair(seed, longest=5)
        if not grammar.fragment_cost_units:
            continue
        parser = Parser(grammar, valuation=valuation)
        paid = []
        for granularity in GRANULARITIES[1:]:
            parse = parser.with_granularity(granularity).parse(lattice)
            paid.append(0 if parse.is_full else len(parse.constituents))
        assert paid == sorted(paid, reverse=True), f"random_pair({seed})"
        fewer += paid[0] > paid[-1]
    assert fewer > 2


def test_a_parse_tells_it_and_is_of_the_grammar_as_it_is_stated() -> None:
    grammar = load_grammar(STARTER)
    for granularity in (0, 0.5, 1, 3):
        parse = Parser(grammar, granularity=granularity).parse("The cat the dog in")
        assert parse.grammar is grammar
        for compact in (False, True):
            told = json.loads(json.dumps(parse.to_json(compact=compact)))
            assert told.get("granularity", 1) == granularity
            again = Parse.from_json(told, grammar)
            assert (again.outcome.granularity, again.cost_units, again.fragment_cost_units) == (
                granularity,
                parse.cost_units,
                parse.fragment_cost_units,
            )
    plain = parse.to_json()
    del plain["granularity"]  # as earlier versions wrote it
    assert Parse.from_json(plain, grammar).outcome.granularity == 1


def test_parsers_of_other_granularities_and_weights_share_automata() -> None:
    parser = Parser(load_grammar(STARTER), granularity=0.5)
    parser.parse("The cat sleeps in the house.")
    coarse = parser.with_granularity(3)
    assert coarse.states == parser.states > 1
    assert (parser.granularity, coarse.granularity) == (0.5, 3)
    assert coarse.scaled_grammar.fragment_cost_units == 3 * parser.grammar.fragment_cost_units
    weighted = coarse.with_weights(parser.grammar.weights)
    again = pickle.loads(pickle.dumps(weighted))
    for each in (weighted, again):
        assert each.granularity == 3
        assert each.scaled_grammar.fragment_cost_units == 3 * each.grammar.fragment_cost_units == 30 * UNIT
        assert each.with_granularity(1).scaled_grammar is each.grammar


NO_NUMBER = "1 is the fragment_cost of the grammar; less makes chunks, more makes one deep tree"


@pytest.mark.parametrize(
    ("granularity", "grammar", "without", "message"),
    [
        (-1, STARTER, (), f"the granularity must be a number, 0 or more, not -1\n  {NO_NUMBER}"),
        (float("nan"), STARTER, (), f"the granularity must be a number, 0 or more, not nan\n  {NO_NUMBER}"),
        (float("inf"), STARTER, (), f"the granularity must be a number, 0 or more, not inf\n  {NO_NUMBER}"),
        ("fine", STARTER, (), f"the granularity must be a number, 0 or more, not 'fine'\n  {NO_NUMBER}"),
        (True, STARTER, (), f"the granularity must be a number, 0 or more, not True\n  {NO_NUMBER}"),
        (
            2, STARTER, ("H5",),
            "the granularity 2 has no effect without H5\n"
            "  a parse is then one constituent, not a row of fragments: leave H5 on, or the granularity at 1",
        ),
        (
            2, "", (),
            "the granularity 2 has no effect if fragments cost nothing\n"
            "  it multiplies fragment_cost, which is 0 in this grammar: set it there first",
        ),
        (1e12, STARTER, (), "the granularity 1e+12 makes fragments too expensive\n  the maximum here is 1e+08"),
    ],
)  # fmt: skip
def test_what_is_no_granularity(granularity: float, grammar: str, without: tuple[str, ...], message: str) -> None:
    given = load_grammar(grammar) if grammar else parse_grammar(FREE)
    with pytest.raises(UsageError) as raised:
        Parser(given, without=without, granularity=granularity)
    assert str(raised.value) == message
    Parser(given, without=without)


def test_the_command_line_takes_it(numbat: Numbat) -> None:
    told = numbat("parse", "-g", STARTER, "--granularity", "0.5", "-f", "jsonl", "The cat the dog in")
    assert (told.code, json_lines(told.out)[0]["granularity"]) == (0, 0.5)
    refused = numbat("parse", "--expansions", "ewt", "--granularity", "2", "The cat")
    assert (refused.code, refused.err) == (
        2,
        "numbat: --granularity and --expansions exclude each other\n"
        "  expansions find the likeliest tree without the other engines: leave one of them out\n",
    )


def test_a_run_goes_on_with_the_granularity_that_it_began_with(numbat: Numbat, tmp_path: Path) -> None:
    texts, out = tmp_path / "texts", tmp_path / "out"
    texts.write_text("The cat sleeps.\n")
    options = ("parse", "-g", STARTER, "-i", str(texts), "-f", "bracket", "-o", str(out))
    assert numbat(*options, "--granularity", "2", "--shard", "1/1").code == 0
    whole = (tmp_path / "out").read_text()
    assert whole.startswith("(S ")
    manifest = "".join(each.read_text() for each in tmp_path.iterdir() if each not in (texts, out))
    assert '"--granularity":"2.0"' in manifest.replace('": "', '":"')


def test_a_granularity_beyond_floating_point_is_too_dear() -> None:
    with pytest.raises(UsageError, match="makes fragments too expensive"):
        Parser(load_grammar("english"), granularity=1e308)
