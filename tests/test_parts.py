"""Parts of a file: their joined outputs are the output of one run over the whole file; parts of other runs and altered
parts are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from numbat.reports import pages
from tests.command_line import Numbat, json_lines
from tests.noun_phrases import GRAMMAR

SENTENCES: Final = b"the cat\n# a comment\n\ncat the\nthe\nodd \xff cat\nthe odd cat\ncat\n"
"""Six sentences, one of which cannot be read."""


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Numbat:
    (tmp_path / "g.pg").write_text(GRAMMAR, encoding="utf-8")
    (tmp_path / "in.txt").write_bytes(SENTENCES)
    monkeypatch.chdir(tmp_path)
    return Numbat(capsys, monkeypatch)


def parse(numbat: Numbat, output: str, *options: str) -> int:
    return numbat("parse", "-g", "g.pg", "-i", "in.txt", "-j", "1", "-q", "-o", output, *options).code


def parts(numbat: Numbat, of: int, *options: str) -> list[str]:
    for number in range(1, of + 1):
        parse(numbat, f"part.{number}", "--shard", f"{number}/{of}", *options)
    return [f"part.{number}" for number in range(1, of + 1)]


@pytest.mark.parametrize("form", ["tree", "bracket", "json", "jsonl", "tsv", "html", "latex"])
@pytest.mark.parametrize("of", [1, 2, 8])
def test_joined_parts_are_the_whole(
    numbat: Numbat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, of: int
) -> None:
    """With eight parts some have no sentence, and one none that can be read; the first sections of a page are open."""
    monkeypatch.setattr(pages, "OPENED", 2)
    assert parse(numbat, "whole", "-f", form) == 75
    names = parts(numbat, of, "-f", form)
    done = numbat("join", *reversed(names), "-o", "joined")
    told = "1 part" if of == 1 else f"{of} parts"
    assert (done.code, done.err) == (75, f"numbat: {told}, 5 sentences, 1 could not be read\n")
    whole = (tmp_path / "whole").read_bytes()
    assert (tmp_path / "joined").read_bytes() == whole
    if form == "html":
        assert [whole.count(b"\n<details%b><summary><h2>" % opened) for opened in (b" open", b"")] == [2, 3]


def test_no_sentence_at_all_joins_to_what_one_run_writes(numbat: Numbat, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("\n")
    assert parse(numbat, "whole", "-f", "json") == 0
    assert numbat("join", *parts(numbat, 2, "-f", "json"), "-o", "joined").code == 0
    assert (tmp_path / "joined").read_text() == (tmp_path / "whole").read_text() == "[\n]\n"


def test_names_of_sentences_are_those_of_the_whole_file(numbat: Numbat, tmp_path: Path) -> None:
    parts(numbat, 3, "-f", "jsonl")
    found = [each["id"] for each in json_lines((tmp_path / "part.3").read_text(encoding="utf-8"))]
    assert found == ["in.txt:7", "in.txt:8"]


def test_a_pattern_of_the_shell_names_manifests_too(numbat: Numbat, tmp_path: Path) -> None:
    parts(numbat, 2, "-f", "bracket")
    names = sorted(path.name for path in tmp_path.glob("part.*"))
    assert names == ["part.1", "part.1.shard", "part.2", "part.2.shard"]
    assert parse(numbat, "whole", "-f", "bracket") == 75
    assert numbat("join", *names).out == (tmp_path / "whole").read_text(encoding="utf-8")


def test_missing_parts_are_named(numbat: Numbat) -> None:
    names = parts(numbat, 4, "-f", "json")
    done = numbat("join", names[3], names[1], "-o", "joined")
    assert (done.code, done.err) == (
        2,
        "numbat: parts 1, 3 of 4 are missing\n  numbat parse --shard 1/4 makes part 1\n",
    )
    assert numbat("join", *names[:3]).err.startswith("numbat: part 4 of 4 is missing\n")


def test_a_part_that_is_there_twice_is_refused(numbat: Numbat) -> None:
    names = parts(numbat, 2, "-f", "json")
    parse(numbat, "again", "-f", "json", "--shard", "2/2")
    done = numbat("join", *names, "again")
    assert done.code == 2
    assert done.err == "numbat: part.2 and again are both part 2 of 2\n  leave one of them out\n"


def test_parts_of_other_runs_are_refused(numbat: Numbat, tmp_path: Path) -> None:
    parts(numbat, 2, "-f", "json")
    for what, options in (("-n", ("-n", "2", "--shard", "2/2")), ("the number of parts", ("--shard", "2/3"))):
        parse(numbat, "part.2", "-f", "json", *options)
        done = numbat("join", "part.1", "part.2")
        assert done.code == 2
        assert done.err == f"numbat: part.2: {what} differs from that of part.1\n  join the parts of one run\n"
    (tmp_path / "g.pg").write_text(GRAMMAR + "    dog: N\n", encoding="utf-8")
    parse(numbat, "part.2", "-f", "json", "--shard", "2/2")
    assert "part.2: the grammar differs from that of part.1" in numbat("join", "part.1", "part.2").err


def test_the_name_of_the_file_is_in_the_names_of_sentences(numbat: Numbat, tmp_path: Path) -> None:
    parts(numbat, 2, "-f", "json")
    (tmp_path / "copy.txt").write_bytes(SENTENCES)
    arguments = ("-g", "g.pg", "-i", "copy.txt", "-f", "json", "-q", "-o", "part.2", "--shard", "2/2")
    assert numbat("parse", *arguments).code == 75
    assert "part.2: the name of the file differs" in numbat("join", "part.1", "part.2").err


def test_unfinished_and_altered_parts_are_refused(numbat: Numbat, tmp_path: Path) -> None:
    parts(numbat, 2, "-f", "json")
    (tmp_path / "part.2.journal").write_text("")
    ended = "the run that writes part.2 has not ended\n  continue it with --resume\n"
    assert numbat("join", "part.1", "part.2", "part.2.journal").err == f"numbat: part.2.journal: {ended}"
    assert numbat("join", "part.1", "part.2").err.startswith("numbat: part.2: its run has not ended\n")
    (tmp_path / "part.2.journal").unlink()
    content = (tmp_path / "part.2").read_bytes()
    (tmp_path / "part.2").write_bytes(content[:-3])
    done = numbat("join", "part.1", "part.2", "-o", "joined")
    assert done.code == 65
    assert done.err == (
        "numbat: part.2: this is not the output that part.2.shard describes\n"
        "  make the part again: numbat parse --shard K/N\n"
    )
    assert not (tmp_path / "joined").exists()
    anew = "make the part again: numbat parse --shard K/N"
    manifest = json.loads((tmp_path / "part.2.shard").read_text())
    for changed, told in (
        ({}, "this is not the manifest of a part of a run"),
        (manifest | {"number": "2"}, "this is not the manifest of a part of a run: it.number is not a whole number"),
        (manifest | {"lost": [1]}, "this is not the manifest of a part of a run: it.lost[0] is not a text"),
        (manifest | {"number": 3}, "the numbers in this manifest are impossible"),
        (manifest | {"of": 10**9}, "the numbers in this manifest are impossible"),
        (manifest | {"parsed": -1}, "the numbers in this manifest are impossible"),
        (manifest | {"form": "none"}, "the numbers in this manifest are impossible"),
    ):
        (tmp_path / "part.2.shard").write_text(json.dumps(changed))
        assert numbat("join", "part.1", "part.2").err == f"numbat: part.2.shard: {told}\n  {anew}\n"
    (tmp_path / "part.2.shard").unlink()
    assert "part.2: its manifest part.2.shard is missing\n" in numbat("join", "part.1", "part.2").err
    (tmp_path / "part.2").unlink()
    done = numbat("join", "part.1", "part.2")
    assert (done.code, done.err) == (66, "numbat: part.2: cannot be read: No such file or directory\n")


def test_a_part_goes_on_as_that_part(numbat: Numbat, tmp_path: Path) -> None:
    parts(numbat, 2, "-f", "json")
    for journal, code in (("", 0), ("\n", 2)):  # an empty one, left by a crash, starts again
        (tmp_path / "part.1.journal").write_text(journal)
        (tmp_path / "part.1.part").write_text("")
        assert parse(numbat, "part.1", "-f", "json", "--shard", "1/2", "--resume") == code


@pytest.mark.parametrize("given", ["0/2", "3/2", "2", "a/b", "1/2/3"])
def test_what_is_no_part(numbat: Numbat, given: str) -> None:
    done = numbat("parse", "-g", "g.pg", "-i", "in.txt", "-o", "out", "--shard", given)
    assert done.code == 2
    assert f'"{given}" does not name a part of a file: part 2 of 8 is 2/8' in done.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("the cat", "-o", "out"), "--shard selects part of a file\n  name the file with -i FILE"),
        (("-i", "in.txt"), "--shard writes an output for numbat join\n  name it with -o FILE"),
        (("-", "-o", "out"), "--shard selects part of a file\n  name the file with -i FILE"),
    ],
)
def test_a_part_is_of_a_file_and_goes_into_one(numbat: Numbat, arguments: tuple[str, ...], told: str) -> None:
    done = numbat("parse", "-g", "g.pg", *arguments, "--shard", "1/2")
    assert (done.code, done.err) == (2, f"numbat: {told}\n")
