"""Resumed runs: after any interruption, the output is a prefix of that of an undisturbed run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from numbat.errors import UnwritableError, UsageError
from numbat.parses.job import ParseFacts
from numbat.parses.verbs import NotedSentence, noted_in
from numbat.reports.run_notes import SentenceRemarks
from numbat.runs.journal import Journal
from numbat.runs.record import GrammarDigests, RunRecord
from numbat.settings import mapping_of
from numbat.treebanks.scores import SentenceScore
from tests.noun_phrases import GRAMMAR
from tests.waiting import until

ASKED = RunRecord("parse", {"--grammar": GrammarDigests("g", "abc", "def")}, options={"--format": "jsonl"})


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_what_is_noted_stays_and_what_is_not_goes(tmp_path: Path) -> None:
    path = str(tmp_path / "out")
    journal = Journal.begin(path, ASKED, resume=False)
    for i in range(3):
        journal.write(f"é{i}\n")
        journal.note({"number": i})
    journal.write("torn")
    journal.abandon()
    with open(f"{path}.journal", "a") as file:
        file.write('[99, {"numb')
    assert not os.path.exists(path)
    again = Journal.begin(path, ASKED, resume=True)
    assert [each.kept for each in again.done] == [{"number": i} for i in range(3)]
    again.write("last\n")
    again.note({"number": 3})
    again.finish()
    assert lines(Path(path)) == ["é0", "é1", "é2", "last"]
    assert sorted(os.listdir(tmp_path)) == ["out"]


def test_a_journal_of_another_run_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "out")
    journal = Journal.begin(path, ASKED, resume=True)  # there is no output yet: the run starts
    journal.write("1\n")
    journal.note(None)
    journal.abandon()
    with pytest.raises(UsageError) as refused:
        Journal.begin(path, ASKED, resume=False)
    assert str(refused.value) == (
        f"{path}.journal: an earlier run stopped after 1 record\n"
        "  add --resume to continue it, or remove this file to start again"
    )
    for other in ({"--grammar": GrammarDigests("g", "other", "def")}, {}):
        with pytest.raises(UsageError, match="the grammar was different when the run began"):
            Journal.begin(path, replace(ASKED, grammars=other), resume=True)
    again = Journal.begin(path, replace(ASKED, date="2026-11-23T12:00:00Z"), resume=True)
    assert len(again.done) == 1
    again.abandon()
    (tmp_path / "out.part").write_text("")
    with pytest.raises(UsageError, match=r"out\.part: this file is shorter than its journal says"):
        Journal.begin(path, ASKED, resume=True)
    (tmp_path / "out.journal").write_text("hello\n")
    with pytest.raises(UsageError, match="this is not a journal of a run"):
        Journal.begin(path, ASKED, resume=True)


NOTED: Final[dict[str, Any]] = {
    "id": "in.txt:1",
    "failed": False,
    "lost": False,
    "facts": [True, False, False, 0.25, 7, 2000],
    "remarks": ["in.txt:1", "", "", [], False, False, False, False, False, False, {"nouns": ["cat"]}, 1, 2],
    "score": {"id": "in.txt:1", "words": 2, "labels": [["NP", 1, 1, 1]]},
}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ([-1, NOTED], "it gives no valid length of the output"),
        ([1.5, NOTED], "it.length is not a whole number"),
        ({"kept": NOTED}, 'it lacks the field "length"'),
        (3, "it is not an object"),
        ([0, NOTED, 0, 0], "it is not a list of 3 values"),
        ([0, None], "its sentence is not an object"),
        ([0, NOTED | {"id": 3}], "its sentence.id is not a text"),
        ([0, NOTED | {"failed": 1}], "its sentence.failed is not true or false"),
        (
            [0, NOTED | {"facts": [True, False, False, float("inf"), 7, 0]}],
            "its sentence.facts.seconds is not a number",
        ),
        ([0, NOTED | {"facts": [True, False, False, 0.5, True, 0]}], "its sentence.facts.states is not a whole number"),
        ([0, NOTED | {"facts": [True]}], 'its sentence.facts lacks the field "is_well_formed"'),
        ([0, NOTED | {"facts": [*NOTED["facts"], 3]}], "its sentence.facts is not a list of 6 values"),
        ([0, NOTED | {"facts": {"is_full": True}}], 'its sentence.facts lacks the field "is_well_formed"'),
        ([0, NOTED | {"remarks": None}], "its numbers are impossible"),
        ([0, NOTED | {"facts": [True, False, False, -1, 7, 0]}], "its numbers are impossible"),
        ([0, NOTED | {"score": {"id": "x", "words": -2}}], "its numbers are impossible"),
        ([0, NOTED | {"score": {"words": 2}}], 'its sentence.score lacks the field "id"'),
        (
            [0, NOTED | {"score": NOTED["score"] | {"labels": [["NP"]]}}],
            "its sentence.score.labels[0] is not a list of 4 values",
        ),
    ],
)
def test_a_line_of_a_journal_that_no_run_has_written_is_told(line: object, why: str, tmp_path: Path) -> None:
    path = str(tmp_path / "out")
    Journal.begin(path, ASKED, resume=True).abandon()
    with open(f"{path}.journal", "a", encoding="utf-8") as file:
        file.write(f"{json.dumps([0, NOTED])}\n{json.dumps(line)}\n")
    with pytest.raises(UsageError) as error:
        list(noted_in(Journal.begin(path, ASKED, resume=True)))
    assert str(error.value) == (
        f"{path}.journal:3: this journal of a run is damaged: {why}\n  remove {path}.journal to start again"
    )


def test_what_a_journal_keeps_of_a_sentence_comes_back(tmp_path: Path) -> None:
    path = str(tmp_path / "out")
    journal = Journal.begin(path, ASKED, resume=True)
    whole = NotedSentence(
        "a",
        False,
        False,
        ParseFacts(True, False, True, 0.5, 3),
        SentenceRemarks("a", "*", guessed={"known": ("x",)}, guesses=1, words=2),
        SentenceScore("a", 2, 1, 1, labels=(("NP", 1, 2, 3),)),
    )
    for noted in (whole, NotedSentence("b", True, True)):
        journal.note(mapping_of(noted))
    journal.abandon()
    assert list(noted_in(Journal.begin(path, ASKED, resume=True))) == [whole, NotedSentence("b", True, True)]


def test_a_journal_is_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "out.journal")
    with pytest.raises(UsageError, match=r"out\.journal: the journal cannot be written"):
        Journal.begin(str(tmp_path / "out"), ASKED, resume=True)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full disk here")
def test_a_full_disk_is_told(tmp_path: Path) -> None:
    path = str(tmp_path / "out")
    (tmp_path / "out.part").symlink_to("/dev/full")
    journal = Journal.begin(path, ASKED, resume=False)
    journal.write("1\n")
    with pytest.raises(UnwritableError, match=r"out\.part: cannot be written: No space left on device"):
        journal.note(None)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "g.pg").write_text(GRAMMAR, encoding="utf-8")
    rng = Random(0)
    words = [" ".join(rng.choices(["the", "cat", "odd"], k=rng.randint(1, 9))) for _ in range(800)]
    (tmp_path / "in.txt").write_text("".join(f"{line}\n" for line in words), encoding="utf-8")
    return tmp_path


def numbat(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "numbat", "parse", "-g", "g.pg", "-i", "in.txt", *arguments]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize(
    ("form", "jobs", "way"),
    [("jsonl", "1", signal.SIGKILL), ("html", "2", signal.SIGKILL), ("json", "2", signal.SIGINT)],
)
def test_a_run_that_is_stopped_goes_on(corpus: Path, form: str, jobs: str, way: signal.Signals) -> None:
    whole = numbat(corpus, "-f", form, "-o", "whole")
    process = numbat(corpus, "-f", form, "-o", "out", "--jobs", jobs)
    journal = corpus / "out.journal"
    until(lambda: process.poll() is not None or (journal.exists() and journal.stat().st_size > 9_000))
    process.send_signal(signal.SIGSTOP)
    is_amid = journal.exists() and journal.read_bytes().count(b"\n") < 700
    if is_amid:
        process.send_signal(way)
    process.send_signal(signal.SIGCONT)
    process.wait()
    assert process.returncode == ({signal.SIGKILL: -signal.SIGKILL, signal.SIGINT: 130}[way] if is_amid else 0)
    if process.returncode == 130 and form == "json":
        json.loads((corpus / "out.part").read_text(encoding="utf-8"))
    if process.returncode:
        again = numbat(corpus, "-f", form, "-o", "out", "--resume", "--jobs", "1")
        _, told = again.communicate()
        assert again.returncode == 0
        assert told.startswith("numbat: continuing after ")
    assert whole.wait() == 0
    assert (corpus / "out").read_bytes() == (corpus / "whole").read_bytes()
    assert not list(corpus.glob("out.*"))


def test_a_run_goes_on_with_what_it_began_with(corpus: Path) -> None:
    process = numbat(corpus, "-f", "jsonl", "-o", "out", "-i", "in.txt")
    assert process.wait() == 2  # a file is given twice
    part = Journal.begin(str(corpus / "out"), ASKED, resume=False)
    part.abandon()
    process = numbat(corpus, "-f", "jsonl", "-o", "out", "--resume")
    _, told = process.communicate()
    assert process.returncode == 2
    assert "was different when the run began" in told


def test_a_pipe_that_is_closed_ends_the_run_silently(corpus: Path) -> None:
    process = numbat(corpus, "-f", "jsonl", "--jobs", "2")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait() in (141, -signal.SIGPIPE)
