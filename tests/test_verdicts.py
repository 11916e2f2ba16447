"""What a verdict on a sentence says and counts: violations that cost nothing, and fragments in an exercise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from numbat import Parser, parse_grammar
from numbat.gradience.verdicts import faults_of_known_words
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
    """The verdict on the last sentence of a suite, and why."""
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
