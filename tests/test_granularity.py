"""Granularity (ruling 24): the factor of the fragment cost, and `numbat granularity`."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest

from numbat import Parse, Parser, UsageError, load_grammar, parse_grammar
from numbat.grammar.properties import UNIT
from numbat.parses.curves import granularities_of
from numbat.version import __version__
from tests.command_line import Numbat, json_lines
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
        if not grammar.fragment_cost:
            continue
        granularity = Random(seed).choice(GRANULARITIES)
        stated = replace(grammar, fragment_cost=round(grammar.fragment_cost * granularity))
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
    return parse.to_brackets(), parse.cost, parse.fragment_cost, parse.weight, parse.count, parse.stopped_by


@pytest.mark.parametrize("valuation", ["relaxation", "net"])
def test_the_dearer_fragments_are_the_fewer_there_are(valuation: str) -> None:
    """A full parse has none: the number that is paid for never rises with the granularity."""
    fewer = 0
    for seed in range(60):
        grammar, lattice = random_pair(seed, longest=5)
        if not grammar.fragment_cost:
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
            assert (again.outcome.granularity, again.cost, again.fragment_cost) == (
                granularity,
                parse.cost,
                parse.fragment_cost,
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
    assert coarse.scaled_grammar.fragment_cost == 3 * parser.grammar.fragment_cost
    weighted = coarse.with_weights(parser.grammar.weights)
    again = pickle.loads(pickle.dumps(weighted))
    for each in (weighted, again):
        assert each.granularity == 3
        assert each.scaled_grammar.fragment_cost == 3 * each.grammar.fragment_cost == 30 * UNIT
        assert each.with_granularity(1).scaled_grammar is each.grammar


NO_NUMBER = "1 is the fragment_cost of the grammar; less makes chunks, more makes one deep tree"


@pytest.mark.parametrize(
    ("granularity", "grammar", "without", "message"),
    [
        (-1, STARTER, (), f"a granularity is a number from 0 on, not -1\n  {NO_NUMBER}"),
        (float("nan"), STARTER, (), f"a granularity is a number from 0 on, not nan\n  {NO_NUMBER}"),
        (float("inf"), STARTER, (), f"a granularity is a number from 0 on, not inf\n  {NO_NUMBER}"),
        ("fine", STARTER, (), f"a granularity is a number from 0 on, not 'fine'\n  {NO_NUMBER}"),
        (True, STARTER, (), f"a granularity is a number from 0 on, not True\n  {NO_NUMBER}"),
        (
            2, STARTER, ("H5",),
            "a granularity without H5\n"
            "  without H5 a parse is one constituent, not a row of fragments that are weighed",
        ),
        (
            2, "", (),
            "a granularity where fragments cost nothing\n"
            "  it scales fragment_cost, which is 0 in this grammar: set that first",
        ),
        (1e12, STARTER, (), "the granularity 1e+12 makes fragments too dear\n  the greatest here is 1e+08"),
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
        "numbat: --granularity and --expansions\n"
        "  expansions take the likeliest tree, without the other engines: leave one of them out\n",
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


# numbat granularity

GOOD, BAD = "The cat sleeps.", "Cat the the dog in sees."


def test_the_table(numbat: Numbat) -> None:
    told = numbat("granularity", "-g", STARTER, "--values", "2,0,.1,2", GOOD, BAD)
    heading, _, *table = told.out.splitlines()
    assert (told.code, heading) == (0, "starter: 2 sentences; means a sentence")
    assert table[0].split() == ["granularity", "fragments", "whole", "cost", "violations"]
    assert [row.split()[0] for row in table[1:4]] == ["0", "0.1", "2"]
    assert table[4:] == [
        "",
        "granularity: times fragment_cost",
        "fragments: top-level constituents, of a word outside of phrases too",
        "whole: the share parsed as one root",
        "cost, violations: the total cost, and that of violated properties",
        "",
        table[-1],
    ]
    assert table[-1].startswith(f"run: numbat {__version__} granularity; grammar starter ")
    assert table[-1].endswith("; 2026-01-01T00:00:00Z")


def test_tsv_and_json_say_what_the_parses_are(numbat: Numbat) -> None:
    options = ("granularity", "-g", STARTER, "--values", "0.1,1", GOOD, BAD)
    rows = [line.split("\t") for line in numbat(*options, "-f", "tsv").out.splitlines()]
    told = json.loads(numbat(*options, "-f", "json").out)
    assert (told["schema"], told["about"]) == ("numbat.granularity/1", "starter")
    for row, point in zip(rows[1:], told["points"], strict=True):
        parser = Parser(load_grammar(STARTER), granularity=point["granularity"])
        parses = [parser.parse(text) for text in (GOOD, BAD)]
        assert point["fragments"] == sum(len(parse.constituents) for parse in parses) / 2
        assert point["whole"] == sum(parse.is_full for parse in parses) / 2
        assert point["cost"] == pytest.approx(sum(parse.cost for parse in parses) / 2 / UNIT)
        assert point["violations"] == pytest.approx(sum(parse.violation_cost for parse in parses) / 2 / UNIT)
        assert (point["sentences"], point["limited"], point["f1"]) == (2, 0, None)
        assert row == [
            f"{point['granularity']:g}", f"{point['fragments']:.2f}", f"{100 * point['whole']:.1f} %",
            f"{point['cost']:.2f}", f"{point['violations']:.2f}",
        ]  # fmt: skip
    assert [point["granularity"] for point in told["points"]] == [0.1, 1]


def test_of_a_treebank_there_is_f1_and_a_page_with_a_curve_of_it(numbat: Numbat, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    options = ("--values", "0,1", "-i", TREES, "--from", "ptb", "--max-length", "3", "-j", "1")
    told = numbat("granularity", *options, "-f", "json", "--html", str(page))
    points = json.loads(told.out)["points"]
    scored = numbat("parse", "--granularity", "1", *options[2:], "--gold", "-f", "bracket")
    assert f"{100 * points[1]['f1']:.2f}" in scored.err
    text = page.read_text(encoding="utf-8")
    drawing = ElementTree.fromstring(text[text.index("<svg") : text.index("</svg>") + 6])
    heads = [each.text for each in drawing.iter("{http://www.w3.org/2000/svg}text") if each.get("class") == "head"]
    assert heads == ["fragments a sentence", "parsed whole, %", "cost a sentence", "F1 of labelled brackets, %"]
    assert "<script" not in text
    assert f"<td>{100 * points[0]['f1']:.2f}</td>" in text


def test_processes_find_what_one_finds(numbat: Numbat) -> None:
    options = ("granularity", "-g", STARTER, GOOD, BAD, "The dogs sleep.")
    assert numbat(*options, "-j", "2").out == numbat(*options, "-j", "1").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--values", "1,x", GOOD),
            '"x" is no granularity\n  write numbers from 0 on with commas between them: 0,0.5,1,2',
        ),
        (
            ("--values", "-1", GOOD),
            '"-1" is no granularity\n  write numbers from 0 on with commas between them: 0,0.5,1,2',
        ),
        (
            (),
            'no sentence\n  type one in quotes, as in numbat granularity "The cat sleeps", give a file with -i, or - '
            "to read the standard input",
        ),
        ((GOOD, "-i", TREES), "sentences and a file\n  give one of them"),
        ((GOOD, "--from", "ptb"), "--from reads a file\n  name it with -i FILE"),
    ],
)
def test_what_cannot_be_asked_for(
    numbat: Numbat, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    monkeypatch.setattr("numbat.cli.options.is_terminal", lambda stream: True)
    found = numbat("granularity", *arguments)
    assert (found.code, found.out, found.err) == (2, "", f"numbat: {message}\n")


def test_nothing_to_parse(numbat: Numbat, tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n# nothing\n")
    found = numbat("granularity", "-g", STARTER, "-i", str(tmp_path / "empty"))
    assert (found.code, found.err) == (
        65,
        "numbat: no sentence to parse\n  type some in quotes, or give a file with -i\n",
    )


def test_granularities_are_sorted_and_stand_once() -> None:
    assert granularities_of("4, .5,0,-0,.50") == (0.0, 0.5, 4.0)


def test_a_granularity_beyond_floating_point_is_too_dear() -> None:
    with pytest.raises(UsageError, match="makes fragments too dear"):
        Parser(load_grammar("english"), granularity=1e308)
