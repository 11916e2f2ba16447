"""Diagnoses: exact against an enumeration of all parses within the margin; how texts and JSON tell them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import numbat
from numbat import native
from numbat.grammar.properties import UNIT
from numbat.parsing.diagnoses import diagnosed, diagnoses, reasons_of
from numbat.parsing.exact import chart as charts
from numbat.parsing.exact import python_search
from numbat.parsing.parser import Parser
from numbat.parsing.policies import Limits
from numbat.parsing.result import Parse
from tests.command_line import Numbat
from tests.samples import enough
from tests.strategies import random_pair
from tests.test_exact import made_of, renumbered, words_of

MANY = 4_000


def test_they_are_those_of_an_enumeration() -> None:
    several = 0
    for seed in range(enough(400)):
        grammar, lattice = random_pair(seed, negative=False, longest=4)
        parser = Parser(grammar)
        best = parser.parse(lattice)
        every = parser.n_best(lattice, MANY)
        if len(every) == MANY or not (best.violated or best.fragment_cost_units):
            continue
        for margin in (0.0, 1.0, 3.0):
            limit = best.cost_units + round(margin * UNIT)
            expected = minimal({reasons(parser, one) for one in every if one.cost_units <= limit})
            found = [reasons(parser, one) for one in diagnoses(parser, best, margin)]
            assert len(set(found)) == len(found)
            assert expected - {found[0]} == set(found[1:]), f"random_pair({seed}, False, 4), {margin}"
            several += len(found) > 1
    assert several > enough(80)


def reasons(parser: Parser, parse: Parse) -> frozenset[object]:
    return reasons_of(parse, parser.evaluator.table.constructions)


def minimal(sets: set[frozenset[object]]) -> set[frozenset[object]]:
    return {one for one in sets if not any(other < one for other in sets)}


@pytest.mark.skipif(native.load(native.EXACT_SEARCH) is None, reason="the compiled kernel is not built")
def test_the_compiled_kernel_cuts_the_forest_as_its_twin_does() -> None:
    cut = 0
    for seed in range(enough(150)):
        grammar, lattice = random_pair(seed, negative=False, longest=5)
        parser = Parser(grammar)
        margin, tokens = seed % 4 * UNIT, len(lattice.tokens)
        about = tokens, words_of(lattice, parser.weighted), parser.weighted, None, True, Limits()
        one, other = charts.search(*about, margin=margin), python_search.search(*about, margin=margin)
        assert renumbered(one, made_of(one)) == renumbered(other, made_of(other)), f"random_pair({seed}, False, 5)"
        assert one.pruned == other.pruned
        alone, both = (charts.solve(lattice, parser.weighted, Limits(), 1, margin=more) for more in (None, margin))
        assert both.solutions == alone.solutions
        assert both.best.count() == alone.best.count()
        cut += len(one.starts) < len(charts.search(*about).starts)
    assert cut > enough(70)


TIES = """
leaves: Det, N, V
roots: S
features:
    number: sg, pl
S:
    oblig VP
    NP < VP
    NP ~> VP [number] "the verb agrees with its subject"
NP:
    head N
    Det < N
    Det ~> N [number] "the article agrees with its noun"
VP:
    oblig V
lexicon:
    these: Det[number=pl]
    cat: N[number=sg]
    cats: N[number=pl]
    sleep: V[number=pl]
    sleeps: V[number=sg]
    sheep: N[number=sg|pl]
"""


@pytest.fixture
def grammar_file(tmp_path: Path) -> str:
    path = tmp_path / "ties.pg"
    path.write_text(TIES, encoding="utf-8")
    return str(path)


@pytest.fixture
def numbat_verb(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Numbat:
    return Numbat(capsys, monkeypatch)


def test_a_text_tells_each_other_reason_after_those_of_the_tree(grammar_file: str, numbat_verb: Numbat) -> None:
    out = numbat_verb("parse", "-g", grammar_file, "these sheep sleeps").out.splitlines()
    assert [line.partition("  [")[0] for line in out[-3:] if line] == [
        '✗ the article agrees with its noun: "these" has number pl, but "sheep" has number sg',
        'or: the verb agrees with its subject: "sheep" has number pl, but "sleeps" has number sg',
    ]


def test_json_has_them_and_a_parse_can_be_read_back(grammar_file: str, numbat_verb: Numbat) -> None:
    (value,) = json.loads(numbat_verb("parse", "-g", grammar_file, "-f", "json", "these sheep sleeps").out)
    (other,) = value["diagnoses"]
    assert other["cost"] == other["violation_cost"] == value["cost"]["total"]
    (message,) = other["reasons"]
    assert message == (
        'the verb agrees with its subject: "sheep" has number pl, but "sleeps" has number sg'
        "  [S: NP ~> VP [number], ties.pg:9]"
    )
    assert other["tree"] == "(S (NP (Det these) (N sheep)) (VP (V sleeps)))"
    grammar = numbat.load_grammar(grammar_file)
    parser = Parser(grammar)
    parse = diagnosed(parser, parser.parse("these sheep sleeps"), 0.3)
    assert Parse.from_json(parse.to_json(), grammar).outcome == parse.outcome
    assert len(parse.outcome.diagnoses) == 1


def test_no_margin_no_violation_or_another_format_tells_none(grammar_file: str, numbat_verb: Numbat) -> None:
    grammar = numbat.load_grammar(grammar_file)
    parser = Parser(grammar)
    assert parser.parse("these sheep sleeps").outcome.diagnoses == ()
    assert diagnosed(parser, parser.parse("these sheep sleep"), 0.3).outcome.diagnoses == ()
    refused = numbat_verb("parse", "-g", grammar_file, "--within", "1", "-f", "bracket", "these sheep sleeps")
    assert refused.code == 2
    assert refused.err == (
        "numbat: --within and -f bracket exclude each other\n"
        "  take -f tree, json, jsonl or html, or leave --within out\n"
    )
