"""Phrases of one daughter that violate an obligation and cost less than a fragment: `numbat check --headless`."""

from __future__ import annotations

from pathlib import Path

import pytest

from numbat import Parser, parse_grammar
from numbat.parsing.start_checks import headless_phrases
from tests.command_line import Numbat

GRAMMAR = """\
leaves: Det, N, V, P
roots: S
S:
    oblig V
    uniq {NP, V, PP}
    NP < V; V < PP
NP:
    oblig N
    uniq {Det, N}
    Det < N
PP:
    oblig P
    uniq {P, NP}
    P < NP
lexicon: the: Det; cat: N; sleeps: V; on: P; mat: N
"""
LISTED = """\
phrases that are built without an obligatory daughter for less than a fragment costs (10):
    S of NP or PP alone at cost 1: oblig V  g.pg:4
    NP of Det alone at cost 1: oblig N  g.pg:8
    PP of NP alone at cost 1: oblig P  g.pg:12
"""


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Numbat:
    monkeypatch.chdir(tmp_path)
    return Numbat(capsys, monkeypatch)


def listed(numbat: Numbat, text: str) -> str:
    Path("g.pg").write_text(text, encoding="utf-8")
    done = numbat("check", "g.pg", "--headless")
    assert (done.code, done.err) == (0, "")
    return done.out.partition("\n")[2]


def test_phrases_without_their_head_are_listed_on_request_only(numbat: Numbat) -> None:
    assert listed(numbat, GRAMMAR) == LISTED
    assert numbat("check", "g.pg").out == (
        "g.pg: 3 constructions, 14 properties, 4 leaves, 5 lexicon forms; 0 errors, 0 warnings\n"
    )


def test_what_is_listed_is_what_a_parse_builds() -> None:
    grammar = parse_grammar(GRAMMAR)
    parse = Parser(grammar).parse("the cat sleeps the mat")
    assert parse.to_brackets() == "(S (NP (Det the) (N cat)) (V sleeps) (PP (NP (Det the) (N mat))))"
    of_pp = next(each for each in headless_phrases(grammar) if each.construction == "PP")
    assert (of_pp.daughters, of_pp.cost) == (("NP",), parse.violation_cost_units)
    assert [each.property for each in parse.violated] == [of_pp.obligation]


@pytest.mark.parametrize(
    ("old", "new", "gone"),
    [
        ("oblig P\n", "oblig P hard\n", "    PP of NP alone at cost 1: oblig P  g.pg:12\n"),
        ("oblig P\n", "oblig P cost 10\n", "    PP of NP alone at cost 1: oblig P  g.pg:12\n"),
        ("uniq {P, NP}\n", "uniq P; const {P, NP}\n", "    PP of NP alone at cost 1: oblig P  g.pg:12\n"),
        ("Det < N\n", "Det < N; Det => N hard\n", "    NP of Det alone at cost 1: oblig N  g.pg:8\n"),
    ],
)
def test_what_is_forbidden_or_dear_is_not_listed(numbat: Numbat, old: str, new: str, gone: str) -> None:
    assert listed(numbat, GRAMMAR.replace(old, new)) == LISTED.replace(gone, "")


def test_costs_are_those_of_all_that_is_violated(numbat: Numbat) -> None:
    text = GRAMMAR.replace("Det < N\n", "Det < N; Det => N cost 2.5\n").replace("uniq {NP, V, PP}", "uniq {NP, V}")
    assert listed(numbat, text) == LISTED.replace("Det alone at cost 1", "Det alone at cost 3.5").replace(
        "NP or PP alone", "NP alone"
    )


def test_a_word_that_lacks_the_feature_is_not_what_is_obligatory(numbat: Numbat) -> None:
    text = "leaves: V\nfeatures: form: fin, inf\nS:\n    oblig V[fin]\n    uniq V\nlexicon: {}\n"
    assert listed(numbat, text.format("go: V[fin]; going: V[inf]")) == (
        "phrases that are built without an obligatory daughter for less than a fragment costs (10):\n"
        "    S of V alone at cost 1: oblig V[form=fin]  g.pg:4\n"
    )
    assert listed(numbat, text.format("go: V[fin]")) == (
        "no phrase of one daughter is built without an obligatory daughter for less than a fragment costs (10)\n"
    )


def test_an_exercise_has_no_such_list(numbat: Numbat) -> None:
    Path("x.exercise.yaml").write_text("exercise: A\ngrammar: anbn\ntask: x\nsuite: a b\n", encoding="utf-8")
    done = numbat("check", "x.exercise.yaml", "--headless")
    assert (done.code, done.err) == (2, "numbat: --headless does not apply to exercises\n  leave it out\n")
