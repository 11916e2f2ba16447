"""Unusual environments: read-only folders, odd file names and streams, threads, forks, event loops."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from numbat import Parser, load_grammar
from numbat.clock import limited
from numbat.records import cached_property
from tests.fuzz.allocations import run as with_failing_memory

GRAMMAR = "leaves: Det, N\nNP:\n    oblig N\n    uniq N\n    Det < N\nlexicon:\n    the: Det\n    cat: N\n"
HERE = str(Path(__file__).parents[1])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "g.pg").write_text(GRAMMAR, encoding="utf-8")
    return tmp_path


def environment(**more: str) -> dict[str, str]:
    path = os.pathsep.join(filter(None, (HERE, os.environ.get("PYTHONPATH", ""))))
    return {name: value for name, value in os.environ.items() if name != "NUMBAT_CACHE"} | {"PYTHONPATH": path} | more


def numbat(
    folder: Path, *arguments: str | bytes, options: tuple[str, ...] = (), **given: Any
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, *options, "-m", "numbat", *(arguments or ("parse", "-g", "g.pg", "the cat"))]
    settings: dict[str, Any] = {"env": environment(), "capture_output": True, "check": False} | given
    done: subprocess.CompletedProcess[bytes] = subprocess.run(command, cwd=folder, **settings)
    return done


USUAL = b"NP\n\xe2\x94\x9c\xe2\x94\x80 Det  the\n\xe2\x94\x94\xe2\x94\x80 N  cat\n"


def is_usual(run: subprocess.CompletedProcess[bytes]) -> bool:
    return run.returncode == 0 and run.stdout.startswith(USUAL) and run.stderr == b""


@pytest.mark.parametrize(
    "more",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"},
        {"COLUMNS": "1", "TERM": "dumb"},
        {"HOME": "/nonexistent", "XDG_CACHE_HOME": "/proc/nonexistent"},
    ],
    ids=["C", "Turkish", "one column", "no home"],
)
def test_locales_columns_and_a_home_that_is_not_there_change_nothing(folder: Path, more: dict[str, str]) -> None:
    assert is_usual(numbat(folder, env=environment(**more)))


def test_the_mode_of_developers_warns_of_nothing(folder: Path) -> None:
    assert is_usual(numbat(folder, options=("-X", "dev", "-W", "error")))


@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_other_versions_of_python_parse_the_same(folder: Path, version: str) -> None:
    """With the libraries of this version: all core libraries are pure Python, except for the C parser of yaml."""
    python = next(iter(sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))), None)
    if python is None:
        pytest.skip(f"there is no Python {version} here")
    site = next(path for path in sys.path if path.endswith("site-packages"))
    env = environment(NUMBAT_CACHE="off") | {"PYTHONPATH": os.pathsep.join((HERE, site))}
    command = [str(python), "-m", "numbat", "parse", "-g", "g.pg", "the cat"]
    assert is_usual(subprocess.run(command, cwd=folder, env=env, capture_output=True, check=False))


@pytest.mark.parametrize("closed", ["0", "1", "2", "0,1,2"])
def test_streams_that_are_closed_end_in_no_traceback(folder: Path, closed: str) -> None:
    shut = f"import os; [os.close(int(n)) for n in '{closed}'.split(',')]; "
    start = f"os.execv({sys.executable!r}, [{sys.executable!r}, '-m', 'numbat', 'parse', '-g', 'g.pg', 'the cat'])"
    command = [sys.executable, "-c", shut + start]
    run = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, check=False)
    assert b"Traceback" not in run.stderr
    assert run.returncode == (74 if "1" in closed else 0)


def test_names_that_are_no_text_are_read_and_written(folder: Path) -> None:
    name = b"g\xff\xe9.pg"
    (folder / os.fsdecode(name)).write_text(GRAMMAR, encoding="utf-8")
    run = numbat(folder, "parse", "-g", name, "-f", "bracket", "-o", b"out\xff", "the cat")
    assert (run.returncode, run.stderr) == (0, b"")
    assert (folder / os.fsdecode(b"out\xff")).read_bytes() == b"(NP (Det the) (N cat))\n"
    missing = numbat(folder, "check", b"no\xff.pg")
    assert missing.returncode == 66
    assert b"Traceback" not in missing.stderr


def test_two_processes_with_a_cold_cache_read_the_same(folder: Path) -> None:
    command = [sys.executable, "-m", "numbat", "parse", "-g", str(folder / "g.pg"), "the cat"]
    env = environment(XDG_CACHE_HOME=str(folder / "cache"))
    runs = [subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    told = [run.communicate() for run in runs]
    assert told[0] == told[1]
    assert told[0][1] == b""
    left = [path.name for path in (folder / "cache").rglob("*") if path.is_file()]
    assert all(name.endswith(".kept") for name in left)


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can give a file to others")
def test_a_cache_of_somebody_else_is_not_believed(folder: Path) -> None:
    cache = folder / "cache" / "numbat"
    env = environment(XDG_CACHE_HOME=str(folder / "cache"))
    assert is_usual(numbat(folder, env=env))
    (kept,) = cache.glob("g-*.kept")
    os.chown(kept, 12345, 12345)
    (folder / "g.pg").write_text(GRAMMAR, encoding="utf-8")
    assert is_usual(numbat(folder, env=env))


def test_a_clock_that_goes_back_ends_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits and dates: the time of day may jump, seconds are counted by a clock that does not."""
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 10**9)
    os.utime(folder / "g.pg", (now + 10**8, now + 10**8))
    with limited(60.0):
        parser = Parser(load_grammar(folder / "g.pg"))
        assert parser.parse("the cat").to_brackets() == "(NP (Det the) (N cat))"


def parses(parser: Parser) -> list[str]:
    return [parser.parse(text).to_brackets() for text in ("the cat", "cat the", "the the cat", "cat", "the cat cat")]


def test_eight_threads_parse_with_one_parser(folder: Path) -> None:
    grammar = load_grammar(folder / "g.pg")
    expected, parser, found = parses(Parser(grammar)), Parser(grammar), list[list[str]]()
    threads = [threading.Thread(target=lambda: found.extend(parses(parser) for _ in range(20))) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == [expected] * 160


def in_a_fork(work: Callable[[], object]) -> int:
    process = os.fork()
    if not process:
        try:
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_fork_goes_on_with_the_parser_also_in_the_middle_of_a_parse(folder: Path) -> None:
    parser = Parser(load_grammar(folder / "g.pg"))
    expected, done = parses(parser), threading.Event()

    def work() -> None:
        while not done.is_set():
            parses(parser)

    def check() -> None:
        assert parses(Parser(load_grammar(folder / "g.pg"))) == expected

    thread = threading.Thread(target=work)
    thread.start()
    try:
        assert [in_a_fork(check) for _ in range(5)] == [0] * 5
    finally:
        done.set()
        thread.join()
    assert in_a_fork(lambda: parses(parser)) == 0


class Kept:
    """A property that takes its time in one instance."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._work = work

    @cached_property
    def value(self) -> object:
        return self._work()


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_fork_has_what_another_thread_was_working_out() -> None:
    """Before Python 3.12 a property is locked for all instances; in the new process nothing would release the lock."""
    begun, done = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        done.wait()

    thread = threading.Thread(target=lambda: Kept(work).value)
    thread.start()
    begun.wait()
    try:
        assert in_a_fork(lambda: Kept(str).value) == 0
    finally:
        done.set()
        thread.join()


def test_threads_that_ask_for_a_property_at_once_get_the_same() -> None:
    together, found = threading.Barrier(8), list[object]()

    def work() -> object:
        together.wait()
        return object()

    kept = Kept(work)
    threads = [threading.Thread(target=lambda: found.append(kept.value)) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert [each is kept.value for each in found] == [True] * 8


def test_an_event_loop_has_many_parses_at_once(folder: Path) -> None:
    parser = Parser(load_grammar(folder / "g.pg"))

    async def work() -> list[list[str]]:
        return list(await asyncio.gather(*(asyncio.to_thread(parses, parser) for _ in range(20))))

    assert asyncio.run(work()) == [parses(parser)] * 20


@pytest.mark.skipif(sys.platform != "linux" or shutil.which("cc") is None, reason="needs Linux and a C compiler")
@pytest.mark.parametrize("module", ["_search", "_tabular", "_tree_model", "_valence", "_kernels", "_relaxation"])
def test_memory_that_is_not_there_ends_a_parse_and_no_later_one(module: str) -> None:
    failed, _, parsed = map(int, with_failing_memory(module, 10).split())
    assert failed == parsed == 10
