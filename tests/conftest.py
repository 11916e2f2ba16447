"""Fixtures of all tests: each grammar is read only once in a run, and tests skip if something optional is missing.

The data beside the project and the compiled modules may be missing.
"""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from math import inf
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from numbat import native
from numbat.cli import printing
from tests.samples import enough

# Where Python may not keep compiled modules, as in many containers, each program that tests start would compile all of
# them, and each run the tests: a third of the time of the suite.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
if (
    "PYTEST_XDIST_WORKER" not in os.environ
):  # its workers, and programs that tests start, share the cache of this process
    os.environ["NUMBAT_CACHE"] = tempfile.mkdtemp(prefix="numbat-tests-")
    atexit.register(shutil.rmtree, os.environ["NUMBAT_CACHE"], ignore_errors=True)
os.environ["SOURCE_DATE_EPOCH"] = "1767225600"  # run records have one date, so that two runs are the same
if native.load(native.EXACT_SEARCH) is None:  # otherwise the command line reports it, which no expected output has
    os.environ["NUMBAT_KERNEL"] = "python"

# Started in the background by a shell, the tests would ignore interrupts, and so would the programs that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A machine with other work is slow: no example is wrong for that, and no run says how far it is.
settings.register_profile(
    "unhurried", max_examples=enough(100), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unhurried")
printing.FIRST_LINE = inf

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def _process_as_before() -> Iterator[None]:
    """Undo settings that the command line makes: to end at the first closed socket, and to collect no garbage.

    Fixtures of a module that run the command line make them before the first test of the module.
    Workers keep grammars in memory: a full garbage collection takes a second, and with Python's default thresholds a
    tenth of the time of the tests.
    """
    _ignore_closed_pipes()
    gc.set_threshold(50_000, 20, 1_000)
    yield
    gc.enable()
    _ignore_closed_pipes()


def _ignore_closed_pipes() -> None:
    """Let writing to a closed pipe raise an error, as Python does, instead of ending the process."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of treebanks and rated sentences; tests are skipped if it is missing."""
    folder = Path(os.environ.get("NUMBAT_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no data at {folder}; set NUMBAT_DATA to run this test")
    return folder


@pytest.fixture
def forking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork the processes of a pool, because another process could not import what a test defines or changes.

    A run does not fork a process with threads, but the threads that other tests left behind are idle.
    """
    from numbat.runs import pool

    monkeypatch.setattr(pool, "_may_fork", lambda: hasattr(os, "fork"))
