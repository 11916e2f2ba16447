"""Outputs of all kinds: files, pipes, devices, open descriptors, links to them, and names that are not UTF-8."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from errno import EPERM
from pathlib import Path

import pytest

from numbat.errors import UnwritableError
from numbat.files import write_whole
from numbat.learning.state_files import StateFile
from numbat.runs.journal import Journal
from numbat.runs.record import RunRecord
from tests.test_surroundings import GRAMMAR, environment, numbat

pytestmark = pytest.mark.skipif(os.name != "posix", reason="this system has no such files")
PARSE = ("parse", "-g", "g.pg", "-f", "bracket", "the cat", "cat")
PARSES = b"(NP (Det the) (N cat))\n(NP (N cat))\n"
VERBS = [PARSE, ("induce", "t.mrg", "--support", "1", "--min-count", "1"), ("trees", "t.mrg", "-f", "conllu")]
"""Verbs that write while they work, at the end, and tree by tree."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "g.pg").write_text(GRAMMAR, encoding="utf-8")
    (tmp_path / "t.mrg").write_text("(NP (Det the) (N cat))\n" * 2, encoding="utf-8")
    return tmp_path


def told(folder: Path, *arguments: str | bytes) -> tuple[int, str]:
    """The exit code and the message of a command that prints no result."""
    done = numbat(folder, *arguments)
    assert done.stdout == b""
    return done.returncode, done.stderr.decode().removeprefix("numbat: ")


def written(folder: Path, verb: tuple[str, ...], path: str) -> bytes:
    """The same in a file, which names an induced grammar as the treebank does where no file is written."""
    done = numbat(folder, *verb, "-o", path)
    assert done.returncode == 0, done.stderr
    return (folder / path).read_bytes()


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
def test_a_fifo_stays_and_its_reader_gets_the_output(folder: Path, verb: tuple[str, ...]) -> None:
    os.mkfifo(folder / "fifo")
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append((folder / "fifo").read_bytes()), daemon=True)
    reader.start()
    assert numbat(folder, *verb, "-o", "fifo").returncode == 0
    reader.join(60)
    assert got == [written(folder, verb, "t")]
    assert (folder / "fifo").is_fifo()
    assert not list(folder.glob("fifo.*"))


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
def test_a_device_stays_a_device(folder: Path, verb: tuple[str, ...]) -> None:
    try:
        os.mknod(folder / "null", 0o20666, os.stat(os.devnull).st_rdev)
    except OSError:  # only the superuser makes devices, and only in some folders
        (folder / "null").symlink_to(os.devnull)
    assert numbat(folder, *verb, "-o", "null").returncode == 0
    assert (folder / "null").is_char_device()
    assert not list(folder.glob("null.*"))


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
def test_the_name_of_standard_output_goes_on_behind_what_is_there(folder: Path, name: str) -> None:
    if name == "link":
        (folder / name).symlink_to("/dev/stdout")
    elif name != "-" and not os.path.exists(name):
        pytest.skip("this system has no such name")
    with (folder / "out").open("wb") as out:
        out.write(b"before\n")
        out.flush()
        for _ in range(2):
            assert numbat(folder, *PARSE, "-o", name, capture_output=False, stdout=out).returncode == 0
    assert (folder / "out").read_bytes() == b"before\n" + 2 * PARSES
    assert not list(folder.glob("*.part")) + list(folder.glob("*.journal"))


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
def test_process_substitution(folder: Path, verb: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    done = numbat(folder, *verb, "-o", f"/dev/fd/{writer}", pass_fds=(writer,))
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        assert file.read() == written(folder, verb, "t")
    assert done.returncode == 0


def test_an_input_from_a_pipe_is_read_once(folder: Path) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"the cat\ncat\n")
    os.close(writer)
    command = ("parse", "-g", "g.pg", "-i", f"/dev/fd/{reader}", "-f", "jsonl")  # a format with a record of the run
    done = numbat(folder, *command, pass_fds=(reader,))
    os.close(reader)
    assert (done.returncode, done.stderr, done.stdout.count(b'"well_formed": true')) == (0, b"", 2)


def test_what_needs_a_file_says_so(folder: Path) -> None:
    os.mkfifo(folder / "fifo")
    (folder / "s.txt").write_text("cat\n", encoding="utf-8")
    sentence = ("parse", "-g", "g.pg", "cat")
    remedy = "--{} needs a regular file as output\n  name one with -o\n"
    assert told(folder, *sentence, "-o", "fifo", "--resume") == (2, f"fifo: {remedy.format('resume')}")
    shard = ("parse", "-g", "g.pg", "-i", "s.txt", "--shard", "1/1", "-o", "/dev/null")
    assert told(folder, *shard) == (2, f"/dev/null: {remedy.format('shard')}")
    for path in ("fifo", "/dev/null", "-"):
        wrong = f"{path}: cannot be written: a store is a regular file\n  name a file\n"
        assert told(folder, *sentence, "-f", "store", "-o", path) == (73, wrong)
    with pytest.raises(UnwritableError) as caught:
        StateFile(os.devnull)
    assert str(caught.value) == "/dev/null: cannot be written: a state is a regular file\n  name a file"
    assert not list(folder.glob("fifo?*"))
    assert not os.path.exists("/dev/null.journal")


@pytest.mark.skipif(sys.platform != "linux", reason="this system has no such names")
def test_a_store_under_a_name_that_is_not_utf8(folder: Path) -> None:
    name = b"o\xff.db"
    assert told(folder, "parse", "-g", "g.pg", "the cat", "-f", "store", "-o", name) == (0, "")
    found = numbat(folder, "query", name, "NP")
    assert (found.returncode, found.stdout.split()) == (0, [b"1", b"[the", b"cat]"])
    assert [os.fsencode(path.name) for path in folder.glob("o*")] == [name]


DELETED = """
import os, runpy, shutil, sys
os.mkdir("gone"); os.chdir("gone"); os.rmdir("../gone")
sys.argv[0] = "numbat"
runpy.run_module("numbat", run_name="__main__")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems forbid to delete the current folder")
def test_a_folder_that_was_deleted(folder: Path) -> None:
    def run(*arguments: str) -> tuple[int, bytes, bytes]:
        command = [sys.executable, "-c", DELETED, *arguments]
        done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, check=False)
        return done.returncode, done.stdout, done.stderr

    grammar = str(folder / "g.pg")
    assert run("parse", "-g", grammar, "-f", "bracket", "the cat", "cat") == (0, PARSES, b"")
    wrong = b"numbat: the current folder no longer exists\n  change to another one: cd\n"
    for more in (("-o", "x"), ("-f", "store", "-o", "x.db")):
        assert run("parse", "-g", grammar, "cat", *more) == (66, b"", wrong)
    assert run("new", "x") == (66, b"", wrong)


def test_a_journal_that_cannot_be_removed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The output is whole by then: the message does not send the reader to `.part`."""
    journal = Journal.begin(str(folder / "out"), RunRecord("parse", {}, {}, {}), resume=False)
    journal.write("whole\n")
    assert journal.unfinished == str(folder / "out.part")

    def refused(path: str) -> None:
        raise PermissionError(EPERM, os.strerror(EPERM))

    monkeypatch.setattr(os, "unlink", refused)
    with pytest.raises(UnwritableError) as caught:
        journal.finish()
    assert str(caught.value) == (
        f"{folder}/out.journal: cannot be written: Operation not permitted\n"
        f"  {folder}/out is complete: remove this file yourself"
    )
    left: str | None = journal.unfinished
    assert not left
    assert (folder / "out").read_bytes() == b"whole\n"


def test_a_file_below_the_folder_of_devices_is_replaced_as_a_whole() -> None:
    if not os.path.isdir("/dev/shm") or not os.access("/dev/shm", os.W_OK):
        pytest.skip("this system has no such folder")
    path = Path(f"/dev/shm/numbat-{os.getpid()}")
    path.write_bytes(b"old")
    try:
        with path.open("rb") as before:
            write_whole(path, b"new")
            assert (before.read(), path.read_bytes()) == (b"old", b"new")
    finally:
        path.unlink()
