"""Runs interrupted by signals during output, a few of those of `python -m tests.fuzz.signals`; locks of outputs."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from numbat.errors import UsageError
from numbat.runs.journal import Journal
from tests.fuzz.signals import PARSE, VERBS, left_alive, prepare, processes_of, started, tried
from tests.test_journal import ASKED
from tests.waiting import until

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


PATIENCE = 600.0
"""Seconds that processes may live on here, however busy the machine is; `tests.fuzz.signals` gives them one."""


@pytest.mark.parametrize("way", ["stop, then interrupt", "kill a worker", "kill the parent"])
def test_nothing_is_lost_and_nobody_left(way: str, tmp_path: Path) -> None:
    prepare(tmp_path, 200)
    found = tried(tmp_path, VERBS["parse, 2 processes"], way, 2, 1, PATIENCE, by_output=True)
    assert not [wrong for wrong in found if wrong]


def test_workers_end_with_their_parent_in_the_middle_of_a_sentence(tmp_path: Path) -> None:
    """Sentences that take hours: the processes end at once all the same."""
    braces = ", ".join(f"C{i}" for i in range(12))
    properties = "".join(f"    C{i} < C{j}\n" for i in range(12) for j in range(12))
    words = "".join(f"    w{i}: {braces}\n" for i in range(20))
    text = f"leaves: {braces}\nS:\n    uniq C0\n    oblig C0\n{properties}lexicon:\n{words}"
    (tmp_path / "g.pg").write_text(text, encoding="utf-8")
    (tmp_path / "in.txt").write_text((" ".join(f"w{i}" for i in range(20)) + "\n") * 200, encoding="utf-8")
    run = started(tmp_path, (*PARSE, "2", "--max-items", "900000000"))
    until(lambda: len(processes_of(run.pid)) >= 3 or run.poll() is not None)
    assert run.poll() is None, (tmp_path / "errors").read_text(encoding="utf-8")
    run.kill()
    run.wait()
    assert left_alive(run.pid, PATIENCE) == []


HOLDER = """
import sys, time
from numbat.runs.journal import Journal
from tests.test_journal import ASKED
from tests.waiting import until
journal = Journal.begin(sys.argv[1], ASKED, resume=True)
journal.write("1\\n")
journal.note(None)
print("ready", flush=True)
sys.stdin.read()
"""


def test_a_second_process_is_told_who_is_at_work(tmp_path: Path) -> None:
    path = str(tmp_path / "out")
    command = [sys.executable, "-c", HOLDER, path]
    here = str(Path(__file__).parents[1])
    environment = os.environ | {"PYTHONPATH": f"{here}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"ready\n"
        for resume in (True, False):
            with pytest.raises(UsageError) as refused:
                Journal.begin(path, ASKED, resume)
            who = f"the process {holder.pid}" if sys.platform == "linux" else "another process"
            assert str(refused.value) == (
                f"{path}: {who} is writing this output\n  wait until it ends, or name another output"
            )
        holder.kill()
    again = Journal.begin(path, ASKED, resume=True)
    assert [each.length for each in again.done] == [2], "the lock goes with its process"
    again.finish()
    assert sorted(os.listdir(tmp_path)) == ["out"]


def test_an_output_of_another_run_beside_a_journal_is_refused(tmp_path: Path) -> None:
    for name, text in (("one", "1\n"), ("two", "2\n")):
        begun = Journal.begin(str(tmp_path / name), ASKED, resume=False)
        begun.write(text)
        begun.note(None)
        begun.abandon()
    os.replace(tmp_path / "two.part", tmp_path / "one.part")
    with pytest.raises(UsageError) as refused:
        Journal.begin(str(tmp_path / "one"), ASKED, resume=True)
    assert str(refused.value) == (
        f"{tmp_path}/one.part: this is not the output of its journal\n  remove {tmp_path}/one.journal to start again"
    )


def test_a_journal_that_is_cut_anywhere_goes_on_with_what_is_whole(tmp_path: Path) -> None:
    path, text = str(tmp_path / "out"), "".join(f"{i}\n" for i in range(20))
    begun = Journal.begin(path, ASKED, resume=False)
    for i in range(20):
        begun.write(f"{i}\n")
        begun.note(i)
    begun.abandon()
    lines = (tmp_path / "out.journal").read_bytes()
    header = lines.index(b"\n") + 1
    for cut in (0, *range(header, len(lines) + 1, 7)):
        (tmp_path / "out.journal").write_bytes(lines[:cut])
        (tmp_path / "out.part").write_bytes(text.encode())
        again = Journal.begin(path, ASKED, resume=True)
        assert [each.kept for each in again.done] == list(range(lines[header:cut].count(b"\n") if cut else 0))
        for i in range(len(again.done), 20):
            again.write(f"{i}\n")
            again.note(i)
        again.finish()
        assert (tmp_path / "out").read_text() == text


def test_an_output_that_is_a_link_to_another_file_system_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`os.replace` fails there, at the very end."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "elsewhere" / "file")
    replace = os.replace

    def within_a_folder(old: str, new: str) -> None:
        if Path(old).parent != Path(new).parent:
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        replace(old, new)

    monkeypatch.setattr(os, "replace", within_a_folder)
    begun = Journal.begin(str(tmp_path / "out"), ASKED, resume=False)
    begun.write("text\n" * 1_000_000)
    begun.note(None)
    begun.finish()
    assert (tmp_path / "elsewhere" / "file").read_text() == "text\n" * 1_000_000
    assert sorted(os.listdir(tmp_path)) == ["elsewhere", "out"]
    assert os.listdir(tmp_path / "elsewhere") == ["file"]
    assert (tmp_path / "out").is_symlink()
