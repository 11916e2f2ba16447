"""Runs on a cluster: settings and error messages. The runs themselves are in `cluster_runs.py`."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from numbat.errors import MissingExtraError
from numbat.runs.cluster import Cluster
from numbat.runs.loop import BatchRun
from tests.command_line import Numbat
from tests.run_jobs import doubled, numbers

GRAMMAR = """
leaves: N
roots: NP
NP:
    oblig N
"""


@pytest.mark.skipif(find_spec("distributed") is None, reason="dask.distributed is missing: the extra cluster has it")
@pytest.mark.slow
def test_runs_on_a_cluster() -> None:
    """In a separate process, because dask leaves threads behind, and a process with threads is not forked."""
    file = Path(__file__).with_name("cluster_runs.py")
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", str(file)]
    done = subprocess.run(command, cwd=file.parents[1], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Numbat:
    (tmp_path / "g.pg").write_text(GRAMMAR, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return Numbat(capsys, monkeypatch)


def test_without_dask_the_extra_is_named(numbat: Numbat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    hint = "a cluster needs dask.distributed\n  in the folder of Numbat: pip install -e '.[cluster]'"
    with pytest.raises(MissingExtraError) as missing:
        BatchRun(doubled, numbers(5), executor=Cluster("local"))
    assert str(missing.value) == hint
    done = numbat("parse", "-g", "g.pg", "the cat", "--cluster", "local")
    assert (done.out, done.err, done.code) == ("", f"numbat: {hint}\n", 69)


def test_options_that_do_not_go_with_a_cluster(numbat: Numbat) -> None:
    done = numbat("parse", "-g", "g.pg", "the cat", "--cluster", "tcp://10.0.0.1:8786", "--jobs", "2")
    assert done.code == 2
    assert done.err == (
        "numbat: --jobs and --cluster tcp://10.0.0.1:8786 exclude each other\n"
        "  leave --jobs out, or use --cluster local\n"
    )
    done = numbat("parse", "-g", "g.pg", "the cat", "--cluster", "local", "--trace")
    assert (done.code, done.err.splitlines()[0]) == (2, "numbat: --trace and --cluster exclude each other")
