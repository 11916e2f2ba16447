"""What all tests share: a grammar is read once in each run, and what is not there is no failure.

The data beside the project may be absent, and the compiled modules.
"""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from math import inf
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from numbat import native
from numbat.cli import printing

if (
    "PYTEST_XDIST_WORKER" not in os.environ
):  # its workers, and programs that tests start, share the cache of this process
    os.environ["NUMBAT_CACHE"] = tempfile.mkdtemp(prefix="numbat-tests-")
    atexit.register(shutil.rmtree, os.environ["NUMBAT_CACHE"], ignore_errors=True)
os.environ["SOURCE_DATE_EPOCH"] = "1767225600"  # run records have one date, so that two runs are the same
if native.load(native.EXACT_SEARCH) is None:  # the command line tells of it, which no expected output has
    os.environ["NUMBAT_KERNEL"] = "python"

# Started in the background by a shell, the tests would ignore interrupts, and so would the programs that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A machine with other work is slow: no example is wrong for that, and no run says how far it is.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")
printing.FIRST_LINE = inf

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def _process_as_before() -> Iterator[None]:
    """The command line, called within a test, would leave a process that ends with the first closed socket, and, where
    its arguments are wrong, one that collects no garbage.

    Workers keep grammars: looking at all of them for garbage takes a second, and by Python's own thresholds a tenth of
    the time of the tests.
    """
    before = signal.getsignal(signal.SIGPIPE) if hasattr(signal, "SIGPIPE") else None
    gc.set_threshold(50_000, 20, 1_000)
    yield
    gc.enable()
    if before is not None:
        signal.signal(signal.SIGPIPE, before)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of treebanks and rated sentences; a test that needs it is skipped where it is absent."""
    folder = Path(os.environ.get("NUMBAT_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no data at {folder}; set NUMBAT_DATA to run this test")
    return folder


@pytest.fixture
def forking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes of a pool are forked, for what a test makes or changes is no name that another process finds.

    The threads that other tests have left behind, for which a run would not fork, are idle.
    """
    from numbat.runs import pool

    monkeypatch.setattr(pool, "_may_fork", lambda: hasattr(os, "fork"))
