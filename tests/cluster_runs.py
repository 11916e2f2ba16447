"""Runs on a cluster: the results are those of one process, even if workers or their processes die.

`test_cluster.py` runs this file in a separate process, because dask leaves threads behind, and a process with threads
is not forked. To run it directly: python -m pytest -n 0 tests/cluster_runs.py
"""

from __future__ import annotations

import logging
import os
import re
import signal
import subprocess
import sys
import time
from asyncio import Event
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from numbat import Tagger
from numbat.errors import DataError, WorkersError
from numbat.labels.token_files import Sample
from numbat.runs import cluster
from numbat.runs.cluster import Cluster
from numbat.runs.loop import BatchRun, Failure, Success, in_this_process
from numbat.runs.pool import MAX_SHARD, WAITING, WorkerLimits
from tests.command_line import Numbat
from tests.noun_phrases import GRAMMAR
from tests.run_jobs import (
    LOOK_SECONDS,
    Number,
    doubled,
    endless,
    left_behind,
    murderous,
    numbers,
    poisonous,
    process_of,
    unlucky,
)

distributed = pytest.importorskip("distributed", reason="dask.distributed is missing: the extra cluster has it")
dask = pytest.importorskip("dask")

SETTINGS = cluster.LOCAL_SETTINGS | {"distributed.scheduler.allowed-failures": 1}
"""Each worker that a task ends is started again, which takes a while: one more is enough."""


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with a file for each worker that has registered, named after its process."""
    return tmp_path_factory.mktemp("started")


@pytest.fixture(scope="module")
def local_cluster(started: Path) -> Iterator[Any]:
    """A cluster with two workers."""

    class Nanny(distributed.Nanny):  # type: ignore[misc, name-defined]
        async def instantiate(self) -> Any:
            status = await super().instantiate()
            (started / str(self.pid)).touch()
            return status

    with (
        cluster._quiet(),
        dask.config.set(SETTINGS),
        distributed.LocalCluster(
            worker_class=Nanny,
            n_workers=2,
            threads_per_worker=1,
            memory_limit=0,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        ) as local,
    ):
        yield local


@pytest.fixture
def scheduler(local_cluster: Any) -> str:
    """The address of a cluster with two workers, which are restarted if a test killed them."""
    local_cluster.wait_for_workers(2)
    address: str = local_cluster.scheduler_address
    return address


@pytest.mark.parametrize("largest", [1, 64])
def test_records_are_those_of_one_process_whatever_the_shards(scheduler: str, largest: int) -> None:
    def inputs() -> Iterator[Number | DataError]:
        for number in numbers(100):
            yield DataError(f"{number.id}: not UTF-8") if number.value % 17 == 5 else number

    def told(executor: Any) -> list[object]:
        run = BatchRun(unlucky, inputs(), executor=executor)
        return [r if isinstance(r, Success) else (r.id, r.reason, str(r.as_error()), r.lost) for r in run]

    assert told(Cluster(scheduler, largest_shard=largest)) == told(in_this_process)


def test_one_poisonous_input_loses_one_input(scheduler: str) -> None:
    run = BatchRun(poisonous, numbers(60), executor=Cluster(scheduler, limits=WorkerLimits(None, 4000)))
    records = list(run)
    assert [record.id for record in records] == [f"n{i}" for i in range(60)]
    twice = "its process ended twice: "
    assert {record.id: record.reason for record in records if isinstance(record, Failure)} == {
        "n20": f"{twice}signal SIGKILL",
        "n40": f"{twice}more than 4,000 MiB of memory",
        "n50": "ZeroDivisionError: division by zero",
    }
    assert all(record.lost for record in records if isinstance(record, Failure))


def test_an_input_that_takes_too_long_is_lost(scheduler: str) -> None:
    """Each other sentence takes a moment, and less than five seconds on a busy machine, too."""
    records = list(BatchRun(endless, numbers(9), executor=Cluster(scheduler, limits=WorkerLimits(seconds=5))))
    assert [record.id for record in records] == [f"n{i}" for i in range(9)]
    assert {record.id: record.reason for record in records if isinstance(record, Failure)} == {
        "n3": "its process ended twice: more than 5 seconds"
    }


def test_a_worker_that_is_killed_loses_nothing(scheduler: str, started: Path, tmp_path: Path) -> None:
    job = partial(murderous, started, tmp_path / "mark")
    assert list(BatchRun(job, numbers(40), executor=Cluster(scheduler))) == [Success(f"n{i}", 2 * i) for i in range(40)]
    assert (tmp_path / "mark").exists()


def test_an_input_that_always_kills_the_worker_is_lost(scheduler: str, started: Path) -> None:
    records = list(BatchRun(partial(murderous, started, None), numbers(12), executor=Cluster(scheduler)))
    assert [record.id for record in records] == [f"n{i}" for i in range(12)]
    (lost,) = (record for record in records if isinstance(record, Failure))
    assert (lost.id, lost.lost) == ("n7", True)
    assert lost.reason.startswith("the workers that processed it ended, the last one at tcp://")


def test_what_comes_back_late_and_twice_counts_once(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Twice(SimpleQueue[Any]):
        def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
            super().put(item)
            super().put(item)

    monkeypatch.setattr(cluster, "SimpleQueue", Twice)
    run = BatchRun(doubled, numbers(30), executor=Cluster(scheduler, largest_shard=1))
    assert list(run) == [Success(f"n{i}", 2 * i) for i in range(30)]


def test_results_that_never_come_are_asked_for_again(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Lossy(distributed.Client):  # type: ignore[misc, name-defined]
        async def _gather(self, *arguments: Any, **options: Any) -> Any:
            if next(asked) < 2:
                await Event().wait()
            return await super()._gather(*arguments, **options)

    asked = count()
    monkeypatch.setattr(distributed, "Client", Lossy)
    monkeypatch.setattr(cluster, "LOOK_SECONDS", 2.0)  # a result that comes takes a moment
    monkeypatch.setattr(cluster, "RESULT_SECONDS", 2.0)
    run = BatchRun(doubled, numbers(12), executor=Cluster(scheduler))
    assert list(run) == [Success(f"n{i}", 2 * i) for i in range(12)]
    assert next(asked) > 2


def test_each_worker_has_one_process_for_a_run_and_nothing_is_left(scheduler: str) -> None:
    run = BatchRun(process_of, numbers(50), executor=Cluster(scheduler, largest_shard=2))
    found = {record.value for record in run if isinstance(record, Success)}
    assert 1 <= len(found) == len({parent for parent, _ in found}) <= 2
    with distributed.Client(scheduler) as client:
        assert set(map(repr, client.run(left_behind).values())) == {"(0, 0, [])"}


def test_inputs_are_not_taken_far_ahead(scheduler: str) -> None:
    taken: list[int] = []

    def inputs() -> Iterator[Number]:
        for number in numbers(1_000_000):
            taken.append(number.value)
            yield number

    records = iter(BatchRun(doubled, inputs(), executor=Cluster(scheduler)))
    next(records)
    del records
    assert len(taken) <= WAITING + MAX_SHARD


def test_workers_of_another_version_are_refused(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "__version__", "99.0")
    with pytest.raises(WorkersError) as refused:
        list(BatchRun(doubled, numbers(5), executor=Cluster(scheduler)))
    assert "the workers cannot load the job: a worker has Numbat 0." in str(refused.value)
    assert "but this run is by 99.0\n  install Numbat 99.0 with the extra cluster" in str(refused.value)


def test_a_scheduler_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    monkeypatch.setattr(cluster, "START_SECONDS", 0.5)
    with pytest.raises(WorkersError) as refused:
        list(BatchRun(doubled, numbers(5), executor=Cluster("tcp://127.0.0.1:9")))
    told = "tcp://127.0.0.1:9: no cluster scheduler can be reached there: "
    assert str(refused.value).startswith(told)
    assert str(refused.value).endswith("\n  give its address, such as tcp://10.0.0.1:8786, or local")
    assert capfd.readouterr() == ("", "")


# The command line


@pytest.fixture
def numbat(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Numbat:
    (tmp_path / "g.pg").write_text(GRAMMAR, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return Numbat(capsys, monkeypatch)


@pytest.mark.parametrize("options", [(), ("--tagger", "t.model")], ids=["grammar", "tagger"])
def test_the_same_bytes_come_from_a_cluster(
    numbat: Numbat, scheduler: str, tmp_path: Path, options: tuple[str, ...]
) -> None:
    if options:
        pytest.importorskip("numpy")
        samples = [Sample((("the",), (noun,)), ("Det", "N")) for noun in ("cat", "dog")]
        Tagger.train(samples, calibrate=False).save("t.model")
    words = ["the cat sleeps", "the the cat", "zog", "cats see the cat", "of and"]
    (tmp_path / "in.txt").write_text("\n".join(words * 4) + "\n", encoding="utf-8")
    arguments = ("parse", "-g", "g.pg", "-i", "in.txt", "-f", "jsonl", *options)
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


def written(process: subprocess.Popen[str], journal: Path, after: int = 0) -> int:
    """The size of a journal that has grown for some sentences, or whose run is over."""
    while process.poll() is None and not (journal.exists() and journal.stat().st_size > after + 9_000):
        time.sleep(LOOK_SECONDS)
    return journal.stat().st_size if journal.exists() else after


def test_whatever_is_killed_nothing_is_lost(tmp_path: Path) -> None:
    """First a worker is killed, then the run; the resumed run is interrupted, and the next one completes."""
    (tmp_path / "g.pg").write_text(GRAMMAR, encoding="utf-8")
    (tmp_path / "in.txt").write_text("the cat the odd cat cat the\n" * 2500, encoding="utf-8")
    assert start(tmp_path, "-o", "whole", "--jobs", "1").wait() == 0
    first = start(tmp_path, "-o", "out", "--cluster", "local", "--jobs", "2")
    journal = tmp_path / "out.journal"
    size = written(first, journal)
    os.kill(processes_below(first.pid)[0], signal.SIGKILL)
    size = written(first, journal, size)
    first.kill()
    first.communicate()
    assert first.returncode == -signal.SIGKILL
    second = start(tmp_path, "-o", "out", "--resume", "--cluster", "local", "--jobs", "2")
    written(second, journal, size)
    os.killpg(second.pid, signal.SIGINT)  # as a terminal does
    _, told = second.communicate()
    assert re.fullmatch(
        r"numbat: continuing after \d+ records\n"
        r"numbat: the parses so far are in out\.part\n  the same command with --resume continues\n"
        r"numbat: interrupted after \d+; the output so far is complete\n",
        told,
    )
    assert second.returncode == 130
    assert start(tmp_path, "-o", "out", "--resume", "--cluster", "local", "--jobs", "2").wait() == 0
    assert (tmp_path / "out").read_bytes() == (tmp_path / "whole").read_bytes()
