"""Verbs that work without numpy and scipy, and messages of those that need them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.command_line import Numbat

STARTER = str(Path(__file__).parent / "starter" / "starter.pg")
SENTENCES = "The cat sleeps.\nA dog sleeps.\n* The cats sleeps.\n"
RATED = "rating\tsentence\n6\tThe cat sleeps.\n3\tThe cats sleeps.\n"


@pytest.fixture
def bare(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Numbat:
    """The program where neither library is installed, in a folder with two suites."""
    for name in [*filter(lambda name: name.partition(".")[0] in ("numpy", "scipy"), sys.modules), "numpy", "scipy"]:
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "suite.txt").write_text(SENTENCES, encoding="utf-8")
    (tmp_path / "rated.tsv").write_text(RATED, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return Numbat(capsys, monkeypatch)


@pytest.mark.parametrize(
    "arguments",
    [
        ("parse", "The cats sleeps."),
        ("explain", "The cats sleeps."),
        ("test", "suite.txt"),
        ("coverage", "suite.txt"),
    ],
    ids=" ".join,
)
def test_grammars_are_tested_without_libraries(bare: Numbat, arguments: tuple[str, ...]) -> None:
    done = bare(*arguments, "-g", STARTER)
    assert (done.code, done.err) == (0, "")


def test_a_grammar_is_checked_on_a_suite_without_libraries(bare: Numbat) -> None:
    done = bare("check", STARTER, "--suite", "suite.txt")
    assert done.code == 0
    assert "two neighbours swapped" in done.out


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("report", "rated.tsv"), "a report"),
        (("ablate", "rated.tsv"), "an ablation"),
        (("theories", "rated.tsv"), "comparing theories"),
        (("learn", "costs", "rated.tsv", "-o", "m.tsv"), "a fitted model"),
    ],
)
def test_statistics_name_the_extra_that_they_need(bare: Numbat, arguments: tuple[str, ...], what: str) -> None:
    done = bare(*arguments, "-g", STARTER)
    told = f"numbat: {what} needs numpy\n  in the folder of Numbat: pip install -e '.[statistics]'\n"
    assert (done.code, done.err) == (69, told)
