"""Output for pipelines: JUnit reports, annotations, exit codes, outcomes accepted one by one; doctor and man."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import click
import pytest
import yaml

from numbat.cli.installation import LIBRARIES, page_lines
from numbat.cli.main import cli
from numbat.errors import Span
from numbat.reports.pipelines import Case, annotated_cases, junit
from tests.command_line import Numbat

ROOT: Final = Path(__file__).parents[1]
GRAMMAR: Final = """\
leaves: Det, N, V
roots: S
S:
    oblig V
    NP < V
    uniq NP
NP:
    oblig N
    Det < N
lexicon:
    the: Det
    dog: N
    barks: V
"""
SUITE: Final = "the dog barks\n* barks the dog\n* dog the barks\n* the dog barks\n"


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Numbat:
    """`numbat` in a folder with a grammar and a suite whose last sentence fails."""
    monkeypatch.chdir(tmp_path)
    Path("my.pg").write_text(GRAMMAR, encoding="utf-8")
    Path("s.txt").write_text(SUITE, encoding="utf-8")
    return Numbat(capsys, monkeypatch)


def cases(report: str) -> list[tuple[str, str, str]]:
    """Return the cases of a report, each with its name, line and outcome."""
    root = ElementTree.fromstring(report)
    (suite,) = root
    found = [
        (each.get("name", ""), each.get("line", ""), each[0].tag if len(each) else "passed")
        for each in suite.iter("testcase")
    ]
    for of in (root, suite):
        assert of.get("tests") == str(len(found))
        assert of.get("failures") == str(sum(result == "failure" for *_, result in found))
        assert of.get("errors") == str(sum(result == "error" for *_, result in found))
    return found


def test_each_sentence_of_a_suite_is_a_case(numbat: Numbat) -> None:
    done = numbat("test", "-g", "my.pg", "s.txt", "-f", "junit")
    assert done.code == 1
    results = [(line, result) for _, line, result in cases(done.out)]
    assert results == [("1", "passed"), ("2", "passed"), ("3", "passed"), ("4", "failure")]
    marked = numbat("test", "-g", "my.pg", "s.txt", "-f", "github").out.splitlines()
    assert [line.partition("::4")[0] for line in marked] == ["::error file=s.txt,line=4,col=1"]


def test_accepted_outcomes_pass_unless_it_is_strict(numbat: Numbat) -> None:
    test = ("test", "-g", "my.pg", "s.txt", "-f", "junit")
    assert numbat("test", "-g", "my.pg", "s.txt", "--accept").code == 0
    accepted = numbat(*test)
    assert (accepted.code, {result for *_, result in cases(accepted.out)} - {"system-out"}) == (0, {"passed"})
    strict = numbat(*test, "--strict")
    assert (strict.code, [line for _, line, result in cases(strict.out) if result == "failure"]) == (1, ["4"])


def test_outcomes_are_accepted_one_by_one(numbat: Numbat) -> None:
    test = ("test", "-g", "my.pg", "s.txt")
    told = numbat(*test, "--accept-only", "2")
    assert (told.code, told.err.splitlines()[0]) == (
        2,
        "numbat: s.expected.tsv does not exist: nothing was accepted yet",
    )
    numbat(*test, "--accept")
    before = Path("s.expected.tsv").read_text(encoding="utf-8").splitlines()
    Path("my.pg").write_text(GRAMMAR.replace("NP < V", "NP < V cost 3").replace("Det < N", "Det < N cost 4"), "utf-8")
    changed = numbat(*test)
    assert (changed.code, "2 changed since accepted" in changed.out) == (1, True)
    one = numbat(*test, "--accept-only", "2")
    assert (one.code, "1 changed since accepted" in one.out) == (1, True)
    after = Path("s.expected.tsv").read_text(encoding="utf-8").splitlines()
    assert [number for number, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]] == [2]
    assert numbat(*test, "--accept-only", "3, 2").code == 0
    unknown = numbat(*test, "--accept-only", "2,33")
    assert (unknown.code, unknown.err.splitlines()) == (
        2,
        ['numbat: --accept-only: no sentence has the id "33"', '  did you mean "3"?'],
    )


def test_mistakes_and_doubts_are_cases(numbat: Numbat) -> None:
    assert cases(numbat("check", "my.pg", "-f", "junit").out) == [("my.pg", "", "passed")]
    Path("my.pg").write_text(GRAMMAR.replace("Det < N", "Dett < N"), encoding="utf-8")
    done = numbat("check", "my.pg", "-f", "junit")
    assert done.code == 65
    assert [(line, result) for _, line, result in cases(done.out)] == [("9", "failure")]


def test_what_a_grammar_loses_and_what_nothing_tests(numbat: Numbat) -> None:
    weaker = GRAMMAR.replace("leaves: Det", "leaves: Adj, Det").replace("Det < N\n", "uniq Det\n    Adj < N\n")
    Path("weaker.pg").write_text(weaker, encoding="utf-8")
    lost = numbat("compare", "my.pg", "weaker.pg", "s.txt", "-f", "junit")
    assert lost.code == 0
    assert [line for _, line, result in cases(lost.out) if result == "failure"] == ["3"]
    untested = numbat("coverage", "-g", "weaker.pg", "s.txt", "-f", "junit")
    skipped = [name for name, _, result in cases(untested.out) if result == "skipped"]
    assert skipped == ["NP: Adj < N"]


def test_strict_parses_end_with_1(numbat: Numbat) -> None:
    assert numbat("parse", "-g", "my.pg", "--strict", "the dog barks").code == 0
    assert numbat("parse", "-g", "my.pg", "--strict", "the dog barks", "dog the barks").code == 1
    assert numbat("parse", "-g", "my.pg", "dog the barks").code == 0


def test_good_sentences_may_cost_as_much_as_the_threshold(numbat: Numbat) -> None:
    parse = ("parse", "-g", "my.pg", "dog the barks", "the dog barks", "--strict", "--threshold")
    assert [numbat(*parse, cost).code for cost in ("0", "0.99", "1", "5")] == [1, 1, 0, 0]
    Path("s.txt").write_text("the dog barks\ndog the barks\n* barks the dog\n* the dog barks\n", encoding="utf-8")
    test = ("test", "-g", "my.pg", "s.txt", "-f", "junit", "--strict")
    failed = [
        [line for _, line, result in cases(numbat(*test, *of).out) if result == "failure"]
        for of in ((), ("--threshold", "0.5"), ("--threshold", "1"), ("--threshold", "100"))
    ]
    assert failed == [["2", "4"], ["2", "4"], ["4"], ["4"]]
    Path("s.txt").write_text("the dog barks\ndog the barks\n* barks the dog\n", encoding="utf-8")
    assert numbat(*test, "--threshold", "1").code == 0
    assert numbat("test", "-g", "my.pg", "s.txt", "--threshold", "1").code == 2


def test_any_text_makes_a_report_and_an_annotation() -> None:
    awkward = 'a "quoted" <b> & \x00\x1b\ud800 ]]> 𝒩\nsecond'
    case = Case(awkward, "failed", Span("a,b:c.txt", 3), awkward, "fail", (awkward,))
    report = junit("test", awkward, [case, Case("x", "skipped", Span("f", 0), awkward)])
    root = ElementTree.fromstring(report.encode("utf-8"))
    (failure,) = root.iter("failure")
    assert "𝒩" in (failure.text or "")
    assert failure.get("type") == "fail"
    (line,) = annotated_cases([case]).splitlines()
    assert line.startswith("::error file=a%2Cb%3Ac.txt,line=3,col=1::")


def test_the_hook_checks_grammars_and_exercises() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["entry"] == "numbat check"
    names = ("my.pg", "a/first.exercise.yaml", "x.exercise.yml", "data.yaml", "s.tsv")
    assert [bool(re.search(hook["files"], name)) for name in names] == [True, True, True, False, False]


DEVELOPERS: Final = ("test", "bench", "docs", "fuzz")
"""Extras for the development of Numbat, which doctor does not mention."""


def test_doctor_knows_every_library_and_its_extra(numbat: Numbat, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {name: each for name, each in project["optional-dependencies"].items() if name not in DEVELOPERS}
    declared = {("", name) for name in project["dependencies"]}
    declared |= {(extra, name) for extra, names in extras.items() for name in names}
    names = {(extra, re.split(r"[^\w-]", name)[0].lower()) for extra, name in declared}
    told = {(extra, name.lower()) for name, extra in LIBRARIES.items()}
    told_elsewhere = {("learning", "numpy"), ("learning", "scipy"), ("statistics", "numpy")}
    assert told == names - told_elsewhere  # each library is listed with one of its extras
    monkeypatch.setitem(LIBRARIES, "no-such-library", "editor")
    monkeypatch.setenv("NUMBAT_CACHE", "off")
    lines = numbat("doctor").out.splitlines()
    missing = "no-such-library (extra editor): missing; in the folder of Numbat: pip install -e '.[editor]'"
    assert missing in lines
    assert "cache: switched off by NUMBAT_CACHE" in lines


def test_the_manual_page_has_every_option_and_no_mistake(numbat: Numbat) -> None:
    page = numbat("man", "parse").out
    command = cli.commands["parse"]
    names = [name for each in command.params if isinstance(each, click.Option) for name in each.opts]
    assert [name for name in names if name.replace("-", "\\-") not in page] == []
    unknown = numbat("man", "pars")
    assert (unknown.code, unknown.err) == (2, 'numbat: "pars" is not a command\n  did you mean "parse"?\n')
    assert page_lines("numbat", cli, click.Context(cli, info_name="numbat"))
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    for text in (page, numbat("man").out, numbat("man", "learn", "weights").out):
        command_line = ["groff", "-man", "-ww", "-Kutf8", "-Tutf8"]
        done = subprocess.run(command_line, input=text, capture_output=True, encoding="utf-8", check=True)
        assert done.stderr == ""
        assert "EXAMPLES" in re.sub(".\b", "", done.stdout) or "COMMANDS" in re.sub(".\b", "", done.stdout)
