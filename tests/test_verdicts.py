"""Verdicts on sentences with violations that cost nothing, and on fragments in an exercise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from numbat import Parser, parse_grammar
from numbat.acceptability.verdicts import faults_of_known_words
from tests.command_line import Numbat

GRAMMAR = """\
leaves: Cl, V, N
roots: VP
VP:
    oblig V
    uniq V
    uniq Cl cost 0
    Cl < V cost 0
    N + V
lexicon: lo: Cl; veo: V; casa: N
"""


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Numbat:
    monkeypatch.chdir(tmp_path)
    Path("g.pg").write_text(GRAMMAR, encoding="utf-8")
    return Numbat(capsys, monkeypatch)


def outcome_of(numbat: Numbat, suite: str) -> tuple[str, str]:
    """Return the verdict on the last sentence of a suite, and the reason."""
    Path("s.tsv").write_text(suite, encoding="utf-8")
    last = json.loads(numbat("test", "-g", "g.pg", "s.tsv", "-f", "json").out)["items"][-1]
    return last["verdict"], last["reason"]


# Violations that cost nothing


@pytest.mark.parametrize(
    ("sentence", "relation", "verdict", "reason"),
    [
        ("lo veo", "", "fail", "violates nothing"),
        ("veo lo", "", "fail", "violates only what costs 0: VP: Cl < V"),
        ("veo lo lo", "", "fail", "violates only what costs 0: VP: uniq Cl, VP: Cl < V"),
        ("veo lo", "linearity", "fail", "violates linearity only at cost 0: VP: Cl < V"),
        ("veo lo lo", "linearity", "fail", "violates linearity only at cost 0: VP: Cl < V"),
        ("veo lo", "adjacency", "fail", "does not violate adjacency, but linearity"),
        ("veo lo casa", "linearity", "fail", "violates linearity only at cost 0: VP: Cl < V"),
        ("veo lo casa", "linearity|adjacency", "pass", ""),
        ("veo lo casa", "", "pass", ""),
    ],
)
def test_a_violation_that_costs_nothing_makes_no_sentence_bad(
    numbat: Numbat, sentence: str, relation: str, verdict: str, reason: str
) -> None:
    suite = f"judgement\tsentence\trelation\nok\tlo veo\t-\n*\t{sentence}\t{relation}\n"
    assert outcome_of(numbat, suite) == (verdict, reason)


def test_a_property_that_costs_nothing_is_not_what_a_star_stands_for(numbat: Numbat) -> None:
    assert outcome_of(numbat, "lo veo\n* [VP: Cl < V] veo lo casa\n") == (
        "fail",
        "bad for another reason: VP: N + V; violated at cost 0: VP: Cl < V",
    )
    assert outcome_of(numbat, "lo veo\n* [VP: Cl < V] veo lo\n") == (
        "fail",
        "violates only what costs 0: VP: Cl < V",
    )


def test_a_violation_that_costs_nothing_is_no_fault() -> None:
    parser = Parser(parse_grammar(GRAMMAR))
    assert faults_of_known_words(parser.parse("veo lo")) == ()
    assert faults_of_known_words(parser.parse("veo lo casa")) == ("adjacency",)


# Fragments in an exercise

EXERCISE = """\
exercise: Clitics
grammar: |
    leaves: Cl, V, N, Det
    roots: VP
    VP:
        oblig V
        uniq {V, NP}
    NP:
        oblig N
        uniq {Det, N}
        Det < N
    lexicon: lo: Cl; la: Det; casa: N; veo: V
task: x
suite: |
    lo veo
    veo la casa
    * veo lo
    * [VP: Cl x NP] lo veo la casa
"""
BEGINNING = EXERCISE[EXERCISE.index("    leaves") : EXERCISE.index("task")].replace("\n    ", "\n")[4:]
IN_PIECES = "fragments: no property says what is wrong"


def marks(numbat: Numbat, more: str, first: str = "") -> list[tuple[str, str]]:
    """The verdicts on the sentences of the exercise, and why, by the grammar with more in its VP."""
    Path("x.exercise.yaml").write_text(EXERCISE, encoding="utf-8")
    Path("g.pg").write_text(first + BEGINNING.replace("uniq {V, NP}", f"uniq {{V, NP}}\n    {more}"), encoding="utf-8")
    found = json.loads(numbat("test", "-g", "g.pg", "x.exercise.yaml", "-f", "json").out)
    return [(each["verdict"], each["reason"]) for each in found["items"]]


@pytest.mark.parametrize(
    ("more", "first", "bad"),
    [
        ("inherit none", "", [("fail", f"2 {IN_PIECES}"), ("fail", f"2 {IN_PIECES}")]),
        ("uniq Cl", "", [("fail", "violates nothing"), ("fail", "violates nothing")]),
        ("Cl < V; Cl x NP", "", [("pass", ""), ("pass", "")]),
        ("Cl < V hard; Cl x NP hard", "", [("pass", ""), ("pass", "")]),
        ("Cl < V hard cost 0; Cl x NP hard weight 0", "", [("pass", ""), ("pass", "")]),
        ("Cl < V cost 50; Cl x NP cost 50", "", [("pass", ""), ("pass", "")]),
        ("Cl < V; Cl x NP", "fragment_cost: 0.1\n", [("pass", ""), ("pass", "")]),
        ("Cl < V; Cl x V hard; V => Cl hard", "", [("pass", ""), ("fail", "bad for another reason: VP: Cl x V")]),
        ("Cl < V cost 0", "", [("fail", "violates only what costs 0: VP: Cl < V"), ("fail", "violates nothing")]),
    ],
)
def test_a_bad_sentence_of_an_exercise_is_caught_by_a_property(
    numbat: Numbat, more: str, first: str, bad: list[tuple[str, str]]
) -> None:
    assert marks(numbat, more, first)[2:] == bad


def test_a_grammar_that_says_nothing_catches_nothing(numbat: Numbat) -> None:
    Path("x.exercise.yaml").write_text(EXERCISE, encoding="utf-8")
    Path("g.pg").write_text(BEGINNING, encoding="utf-8")
    assert numbat("test", "-g", "g.pg", "x.exercise.yaml").out.splitlines()[1:4] == [
        "1 of 2 good sentences at cost 0 (50%)",
        "0 of 2 bad sentences that violate what they should (0%)",
        "0 of 1 sentence that names a property is bad for another reason",
    ]
    suite = "ok\tveo la casa\n*\tveo lo\n"
    Path("s.tsv").write_text(f"judgement\tsentence\n{suite}", encoding="utf-8")
    assert numbat("test", "-g", "g.pg", "s.tsv").out.splitlines()[2] == (
        "1 of 1 bad sentences that violate what they should (100%)"
    )


def test_unknown_words_and_pairs_in_an_exercise(numbat: Numbat) -> None:
    Path("g.pg").write_text(BEGINNING, encoding="utf-8")
    table = EXERCISE[: EXERCISE.index("    lo veo")] + (
        "    pair\tjudgement\tsentence\n    1\tok\tveo la casa\n    1\t*\tveo lo\n    -\tok\tveo\n    2\t*\tzas veo\n"
    )
    Path("x.exercise.yaml").write_text(table, encoding="utf-8")
    found = json.loads(numbat("test", "-g", "g.pg", "x.exercise.yaml", "-f", "json").out)
    assert [(each["verdict"], each["reason"]) for each in found["items"]] == [
        ("pass", ""),
        ("fail", f"2 {IN_PIECES}"),
        ("pass", ""),
        (
            "undecided",
            "undecided, as all that is wrong may be due to words that the lexicon does not have; 1 word unknown: zas",
        ),
    ]


def test_what_catches_by_fragments_alone_is_not_solved_already(numbat: Numbat) -> None:
    solved = EXERCISE.replace("uniq {V, NP}", "uniq {V, NP}; Cl < V; Cl x NP")
    for text, warned in ((EXERCISE.replace("    lo veo\n", ""), False), (solved, True)):
        Path("x.exercise.yaml").write_text(text, encoding="utf-8")
        assert ("already judges all sentences right" in numbat("check", "x.exercise.yaml").err) == warned
