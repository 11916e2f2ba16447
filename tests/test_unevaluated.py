"""Checks that evaluated no property say so, and do not end as if all were well."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import Numbat

GRAMMAR = "grammar: x\nleaves: N, V\nroots: S\nS:\n    oblig V\n    N < V\nlexicon:\n    dog: N\n    barks: V\n"
ERROR = (
    "numbat: no property was evaluated, so these figures say nothing about the grammar\n"
    "  use a grammar that has the words and categories of these sentences\n"
)
CAUTION = "! no property of the grammar x is evaluated in these sentences: name the right grammar with -g"


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Numbat:
    monkeypatch.chdir(tmp_path)
    Path("x.pg").write_text(GRAMMAR, encoding="utf-8")
    return Numbat(capsys, monkeypatch)


def suite(words: str) -> None:
    rows = [f"{i}\t{'ok' if i % 2 else '*'}\t{' '.join(words.split()[: 1 + i % 3])}" for i in range(12)]
    Path("s.tsv").write_text("\n".join(["id\tjudgement\tsentence", *rows, ""]), encoding="utf-8")


@pytest.mark.parametrize("verb", ["report", "coverage", "ablate", "compare"])
def test_a_suite_without_an_evaluated_property(numbat: Numbat, verb: str) -> None:
    grammars = ("x.pg", "x.pg") if verb == "compare" else ("-g", "x.pg")
    suite("vok tra tsa")
    done = numbat(verb, *grammars, "s.tsv", "-q")
    assert (done.err, done.code) == (ERROR, 65)
    if verb != "ablate":
        assert done.out.splitlines()[0] == (
            "! most words, 24 of 24, are not in the lexicon of the grammar x: name the right grammar with -g"
        )
    suite("dog barks barks")
    done = numbat(verb, *grammars, "s.tsv", "-q")
    assert (done.err, done.code) == ("", 0)
    assert CAUTION not in done.out


def test_a_suite_that_passes_although_nothing_is_evaluated(numbat: Numbat) -> None:
    Path("s.tsv").write_text("id\tjudgement\tsentence\n1\t*\tdog\n", encoding="utf-8")
    done = numbat("test", "-g", "x.pg", "s.tsv", "-q")
    assert (done.err, done.code) == (ERROR, 65)
    assert done.out.splitlines()[:3] == [
        CAUTION,
        "grammar x: 1 sentence",
        "1 of 1 bad sentences that violate what they should (100%)",
    ]


def test_trees_without_a_category_of_the_grammar(numbat: Numbat) -> None:
    Path("t.mrg").write_text("(S (N dog) (V barks))\n(X (Y a))\n", encoding="utf-8")
    done = numbat("judge", "--summary", "-g", "x.pg", "-i", "t.mrg", "-n", "0")
    assert (done.out, done.err, done.code) == (
        "2 trees, 1 of them without violation, 1 without a property to evaluate: 2 instances satisfied, "
        "0 violated (0.00%)\n",
        "",
        0,
    )
    Path("t.mrg").write_text("(X (Y a))\n", encoding="utf-8")
    done = numbat("judge", "--summary", "-g", "x.pg", "-i", "t.mrg", "-n", "0")
    assert done.out == (
        "1 tree, 0 of them without violation, 1 without a property to evaluate: 0 instances satisfied, 0 violated\n"
    )
    assert (done.err, done.code) == (ERROR, 65)


def test_a_grammar_induced_from_dependencies_judges_its_trees(numbat: Numbat) -> None:
    trees = Path(__file__).parents[1] / "corpora" / "trees.conllu"
    numbat("induce", str(trees), "--support", "1", "--min-count", "1", "-o", "g.pg", "-q")
    done = numbat("judge", "--summary", "-g", "g.pg", "-i", str(trees))
    assert (done.out, done.code) == (
        "3 trees, 3 of them without violation: 63 instances satisfied, 0 violated (0.00%)\n",
        0,
    )


@pytest.mark.parametrize("verb", ["statistics", "coverage"])
def test_a_store_without_an_evaluated_property(numbat: Numbat, verb: str) -> None:
    numbat("parse", "-g", "x.pg", "vok tra", "-f", "store", "-o", "x.db", "-q")
    done = numbat(verb, "x.db", "-q")
    assert (done.err, done.code) == (ERROR, 65)
    numbat("parse", "-g", "x.pg", "dog barks", "-f", "store", "-o", "y.db", "-q")
    assert numbat(verb, "y.db", "-q").code == 0
