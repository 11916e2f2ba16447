"""Workers of a cluster: what comes back is what one process gives, whatever becomes of workers and their processes.

`test_cluster.py` runs this file in a process of its own, for dask leaves threads behind, and a process that has some
is not forked. By itself: python -m pytest -n 0 tests/cluster_runs.py
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from numbat.errors import DataError, WorkersError
from numbat.runs import cluster
from numbat.runs.cluster import Cluster
from numbat.runs.loop import BatchRun, Failure, Success, in_this_process
from numbat.runs.shards import LARGEST_SHARD, WAITING
from numbat.runs.worker import WorkerLimits
from tests.command_line import Numbat
from tests.noun_phrases import GRAMMAR
from tests.run_jobs import Number, doubled, left_behind, murderous, numbers, poisonous, process_of, unlucky

distributed = pytest.importorskip("distributed", reason="dask.distributed is missing: the extra cluster has it")


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """The address of a cluster with two workers."""
    with (
        cluster._quiet(),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            memory_limit=0,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        ) as local,
    ):
        yield local.scheduler_address


@pytest.mark.parametrize("largest", [pytest.param(1, marks=pytest.mark.slow), 64])
def test_records_are_those_of_one_process_whatever_the_shards(scheduler: str, largest: int) -> None:
    def inputs() -> Iterator[Number | DataError]:
        for number in numbers(100):
            yield DataError(f"{number.id}: not UTF-8") if number.value % 17 == 5 else number

    def told(executor: Any) -> list[object]:
        run = BatchRun(unlucky, inputs(), executor=executor)
        return [r if isinstance(r, Success) else (r.id, r.reason, str(r.as_error()), r.lost) for r in run]

    assert told(Cluster(scheduler, largest_shard=largest)) == told(in_this_process)


@pytest.mark.slow
def test_one_poisonous_input_loses_one_input(scheduler: str) -> None:
    run = BatchRun(poisonous, numbers(60), executor=Cluster(scheduler, limits=WorkerLimits(0.5, 4000)))
    records = list(run)
    assert [record.id for record in records] == [f"n{i}" for i in range(60)]
    twice = "the process that worked on it ended twice: "
    assert {record.id: record.reason for record in records if isinstance(record, Failure)} == {
        "n20": f"{twice}by the signal SIGKILL",
        "n30": f"{twice}after more than 0.5 seconds",
        "n40": f"{twice}for it needed more memory than 4,000 MiB",
        "n50": "ZeroDivisionError: division by zero",
    }
    assert all(record.lost for record in records if isinstance(record, Failure))


def test_a_worker_that_is_killed_loses_nothing(scheduler: str, tmp_path: Path) -> None:
    job = partial(murderous, tmp_path / "mark")
    assert list(BatchRun(job, numbers(40), executor=Cluster(scheduler))) == [Success(f"n{i}", 2 * i) for i in range(40)]
    assert (tmp_path / "mark").exists()


@pytest.mark.slow
def test_an_input_that_always_kills_the_worker_is_lost(scheduler: str) -> None:
    records = list(BatchRun(partial(murderous, None), numbers(12), executor=Cluster(scheduler)))
    assert [record.id for record in records] == [f"n{i}" for i in range(12)]
    (lost,) = (record for record in records if isinstance(record, Failure))
    assert (lost.id, lost.lost) == ("n7", True)
    assert lost.reason.startswith("the workers that were at it ended, the last one at tcp://")


def test_what_comes_back_late_and_twice_counts_once(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Twice(SimpleQueue[Any]):
        def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
            super().put(item)
            super().put(item)

    monkeypatch.setattr(cluster, "SimpleQueue", Twice)
    run = BatchRun(doubled, numbers(30), executor=Cluster(scheduler, largest_shard=1))
    assert list(run) == [Success(f"n{i}", 2 * i) for i in range(30)]


def test_each_worker_has_one_process_for_a_run_and_nothing_is_left(scheduler: str) -> None:
    run = BatchRun(process_of, numbers(50), executor=Cluster(scheduler, largest_shard=2))
    found = {record.value for record in run if isinstance(record, Success)}
    assert 1 <= len(found) == len({parent for parent, _ in found}) <= 2
    with distributed.Client(scheduler) as client:
        assert set(map(repr, client.run(left_behind).values())) == {"(0, 0, [])"}


@pytest.mark.slow
def test_inputs_are_not_taken_far_ahead(scheduler: str) -> None:
    taken: list[int] = []

    def inputs() -> Iterator[Number]:
        for number in numbers(1_000_000):
            taken.append(number.value)
            yield number

    records = iter(BatchRun(doubled, inputs(), executor=Cluster(scheduler)))
    next(records)
    del records
    assert len(taken) <= WAITING + LARGEST_SHARD


def test_workers_of_another_version_are_refused(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "__version__", "99.0")
    with pytest.raises(WorkersError) as refused:
        list(BatchRun(doubled, numbers(5), executor=Cluster(scheduler)))
    assert "the workers cannot take the job: Numbat 0." in str(refused.value)
    assert "is installed there, and 99.0 here\n  install Numbat 99.0 with the extra cluster" in str(refused.value)


def test_a_scheduler_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    monkeypatch.setattr(cluster, "START_SECONDS", 0.5)
    with pytest.raises(WorkersError) as refused:
        list(BatchRun(doubled, numbers(5), executor=Cluster("tcp://127.0.0.1:9")))
    told = "tcp://127.0.0.1:9: no scheduler of a cluster can be reached there: "
    assert str(refused.value).startswith(told)
    assert str(refused.value).endswith("\n  give its address, as in tcp://10.0.0.1:8786, or local")
    assert capfd.readouterr() == ("", "")


# The command line


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Numbat:
    (tmp_path / "g.pg").write_text(GRAMMAR, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return Numbat(capsys, monkeypatch)


@pytest.mark.parametrize(
    "options", [("-g", "g.pg"), pytest.param(("-g", "english", "--tagger", "penn"), marks=pytest.mark.slow)]
)
def test_the_same_bytes_come_from_a_cluster(
    numbat: Numbat, scheduler: str, tmp_path: Path, options: tuple[str, ...]
) -> None:
    words = ["the cat sleeps", "the the cat", "zog", "cats see the cat", "of and"]
    (tmp_path / "in.txt").write_text("\n".join(words * 4) + "\n", encoding="utf-8")
    arguments = ("parse", "-i", "in.txt", "-f", "jsonl", *options)
    assert numbat(*arguments, "--cluster", scheduler) == numbat(*arguments, "--jobs", "1")


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "numbat", "parse", "-g", "g.pg", "-i", "in.txt", "-f", "json", *arguments]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    return subprocess.Popen(
        command, cwd=folder, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    )


def processes_below(pid: int) -> list[int]:
    import psutil

    return [each.pid for each in psutil.Process(pid).children(recursive=True) if "spawn_main" in str(each.cmdline())]


@pytest.mark.slow
@pytest.mark.parametrize("way", ["a worker is killed", "the run is killed", "the run is interrupted"])
def test_whatever_is_killed_nothing_is_lost(tmp_path: Path, way: str) -> None:
    (tmp_path / "g.pg").write_text(GRAMMAR, encoding="utf-8")
    (tmp_path / "in.txt").write_text("the cat the odd cat cat the\n" * 1500, encoding="utf-8")
    assert start(tmp_path, "-o", "whole", "--jobs", "1").wait() == 0
    process = start(tmp_path, "-o", "out", "--cluster", "local", "--jobs", "2")
    journal = tmp_path / "out.journal"
    while process.poll() is None and not (journal.exists() and journal.stat().st_size > 9_000):
        time.sleep(0.01)
    workers = processes_below(process.pid)
    if way == "a worker is killed":
        os.kill(workers[0], signal.SIGKILL)
    elif way == "the run is killed":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, told = process.communicate(timeout=60)
    if process.returncode == 130:
        what = "what was done is in out.part\n  the same command with --resume goes on\nnumbat: interrupted after "
        assert told.startswith(f"numbat: {what}")
        assert told.count("\n") == 3
    elif process.returncode == 0:
        assert told == ""
    if process.returncode:
        assert start(tmp_path, "-o", "out", "--resume", "--cluster", "local", "--jobs", "2").wait() == 0
    assert (tmp_path / "out").read_bytes() == (tmp_path / "whole").read_bytes()
