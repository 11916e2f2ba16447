"""Verbosity: -q leaves results and errors, -v names every place, the files that were read, and the time it took."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from numbat.cli.main import cli
from numbat.cli.options import VERBS, Verbs
from tests.command_line import Numbat

GRAMMAR = "leaves: Det, N\nroots: NP\nNP: oblig N; Det < N\nlexicon:\n    the: Det\n    cat: N\n"
TREES = "".join(f"(NP (Det the) (N cat{number}\n" for number in range(6)) + "(NP (Det the) (N cat))\n"
"""Six trees that are not closed."""


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Numbat:
    monkeypatch.chdir(tmp_path)
    Path("g.pg").write_text(GRAMMAR, encoding="utf-8")
    Path("s.txt").write_text("# a comment\n" * 5 + "the cat\n* cat the\n", encoding="utf-8")
    return Numbat(capsys, monkeypatch)


def test_every_verb_has_both() -> None:
    lacking = []
    for name in VERBS:
        command: click.Command = cli
        for word in name.split():
            assert isinstance(command, click.Group)
            command = command.commands[word]
        taken = {each for param in command.get_params(click.Context(command)) for each in param.opts}
        lacking += [name] if not {"-q", "-v"} <= taken else []
    assert lacking == []


def test_quiet_leaves_results_and_errors(numbat: Numbat) -> None:
    loud, quiet = (numbat("parse", "-g", "g.pg", "-i", "s.txt", *more) for more in ((), ("-q",)))
    assert (loud.out, loud.code) == (quiet.out, quiet.code)
    assert "5 lines begin with #" in loud.err
    assert quiet.err == ""
    for more in ((), ("-q",)):
        assert numbat("parse", "-g", "none.pg", "x", *more).err.startswith("numbat: none.pg: ")
    assert numbat("check", "g.pg", "-q").out == numbat("check", "g.pg").out
    Path("bad.pg").write_text("roots: X\n", encoding="utf-8")
    assert numbat("check", "bad.pg", "-q").err == numbat("check", "bad.pg").err != ""


def test_verbose_names_every_place_and_what_was_read(numbat: Numbat) -> None:
    assert Verbs()["parse"] is Verbs()["parse"]  # even if another test lists the verbs, each reports once
    told = numbat("parse", "-g", "g.pg", "-i", "s.txt", "--verbose").err
    places = ", ".join(f"s.txt:{line}" for line in range(1, 6))
    assert f"5 lines begin with # and were skipped: {places}\n" in told
    read = re.findall(r"^numbat: read: (\S+), (\d+) bytes, digest [0-9a-f]{32}$", told, re.MULTILINE)
    assert read == [(path, str(Path(path).stat().st_size)) for path in ("s.txt", "g.pg")]
    assert re.search(r"^numbat: time: grammar [0-9.]+ s, sentences [0-9.]+ s, all [0-9.]+ s$", told, re.MULTILINE)


def test_verbose_tells_all_that_is_wrong_in_the_same_way(numbat: Numbat) -> None:
    Path("cut.mrg").write_text(TREES, encoding="utf-8")
    few, every = (numbat("trees", "cut.mrg", *more).err for more in ((), ("-v",)))
    assert re.findall(r"^cut\.mrg:(\d+):1: ", few, re.MULTILINE) == ["1", "2", "3"]
    assert few.endswith("numbat: 3 others like cut.mrg:1:1: cut.mrg:4:1, cut.mrg:5:1, cut.mrg:6:1\n")
    assert re.findall(r"^cut\.mrg:(\d+):1: ", every, re.MULTILINE) == ["1", "2", "3", "4", "5", "6"]
    assert "others like" not in every


def test_quiet_and_verbose_exclude_each_other(numbat: Numbat) -> None:
    done = numbat("check", "g.pg", "-q", "-v")
    assert (done.code, done.err) == (2, "numbat: -q and -v exclude each other\n  leave one of them out\n")
