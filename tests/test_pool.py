"""Several processes: the order of records, and losses if a process dies, hangs or needs too much memory."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from numbat.errors import DataError, WorkersError
from numbat.runs import pool
from numbat.runs.executors import MANY, IfMany
from numbat.runs.loop import BatchRun, Failure, Success, in_this_process
from numbat.runs.pool import MAX_LOST, Pool, WorkerLimits
from tests.pool_time import PoolTime
from tests.run_jobs import Number, doubled, numbers, poisonous, unlucky

MAY_FORK = pool._may_fork


pytestmark = pytest.mark.usefixtures("forking")


def test_records_are_those_of_one_process_whatever_the_jobs_and_the_shards() -> None:
    def inputs() -> Iterator[Number | DataError]:
        for number in numbers(300):
            yield DataError(f"{number.id}: not UTF-8") if number.value % 17 == 5 else number

    def told(executor: Any) -> list[object]:
        run = BatchRun(unlucky, inputs(), executor=executor)
        return [r if isinstance(r, Success) else (r.id, r.reason, str(r.as_error()), r.lost) for r in run]

    expected = told(in_this_process)
    for jobs, largest in ((1, 1), (2, 1), (2, 64), (3, 7)):
        assert told(Pool(jobs, largest_shard=largest)) == expected


def test_a_job_is_sent_where_processes_are_not_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other threads would be missing in a copy of this process."""
    monkeypatch.setattr(pool, "_may_fork", MAY_FORK)
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    try:
        assert [record.id for record in BatchRun(doubled, numbers(5), executor=Pool(2))] == [f"n{i}" for i in range(5)]
    finally:
        ended.set()
        thread.join()


def memory_now() -> int:
    """Mebibytes of the address space of this process: the tests before this one have filled it."""
    import resource

    with open("/proc/self/statm", encoding="utf-8") as file:
        return int(file.read().split()[0]) * resource.getpagesize() // pool.MEBIBYTE


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_one_poisonous_input_loses_one_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    time, memory = PoolTime(monkeypatch, tmp_path), memory_now() + 1_000

    def job(number: Number) -> int:
        if number.value == 30:
            time.hang()
        if number.value == 60:
            sys.exit(3)
        return poisonous(number)

    run = BatchRun(job, numbers(100), executor=Pool(2, WorkerLimits(seconds=600.0, memory=memory)))
    records = list(run)
    assert [record.id for record in records] == [f"n{i}" for i in range(100)]
    lost = {record.id: record.reason for record in records if isinstance(record, Failure)}
    twice = "its process ended twice: "
    assert lost == {
        "n20": f"{twice}signal SIGKILL",
        "n30": f"{twice}more than 600 seconds",
        "n40": f"{twice}more than {memory:,} MiB of memory",
        "n50": "ZeroDivisionError: division by zero",
        "n60": f"{twice}exit code 3",
    }
    assert all(record.lost for record in records if isinstance(record, Failure))


def test_an_input_that_kills_once_is_not_lost(tmp_path: Path) -> None:
    def job(number: Number) -> int:
        mark = tmp_path / number.id
        if number.value % 10 == 3 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return doubled(number)

    records = list(BatchRun(job, numbers(60), executor=Pool(2)))
    assert records == [Success(f"n{i}", 2 * i) for i in range(60)]


def test_processes_that_always_end_stop_the_run() -> None:
    def job(number: Number) -> int:
        os._exit(9)

    with pytest.raises(
        WorkersError, match=f"processes of the last {MAX_LOST} sentences ended: exit code 9\n  give each"
    ):
        list(BatchRun(job, numbers(500), executor=Pool(2)))


def test_no_process_is_left_when_a_run_is_left() -> None:
    from multiprocessing import active_children

    others = set(active_children())
    run = BatchRun(doubled, numbers(10_000), executor=Pool(2))
    records = iter(run)
    assert next(records) == Success("n0", 0)
    assert len(set(active_children()) - others) == 2
    del records, run
    assert set(active_children()) <= others


def test_inputs_are_not_taken_far_ahead() -> None:
    taken: list[int] = []

    def inputs() -> Iterator[Number]:
        for number in numbers(1_000_000):
            taken.append(number.value)
            yield number

    def first_two(number: Number) -> int:
        while number.value > 1:
            sleep(60)
        return number.value

    run = BatchRun(first_two, inputs(), executor=Pool(2, largest_shard=1))
    next(iter(run))
    assert len(taken) <= 2 + 2 * 2, "two that are done, and for each process one in work and one in its pipe"


def test_records_larger_than_a_pipe_go_both_ways() -> None:
    def job(number: Number) -> str:
        return number.id * 4

    inputs = (Number("n" * 300_000 + str(value), value) for value in range(8))
    assert [len(pickle.dumps(record)) > 10**6 for record in BatchRun(job, inputs, executor=Pool(2))] == [True] * 8


def test_few_inputs_stay_in_this_process() -> None:
    def job(number: Number) -> int:
        return os.getpid()

    few, many = (
        {
            record.value
            for record in BatchRun(job, numbers(end), executor=IfMany(Pool(2), seconds=0.0))
            if isinstance(record, Success)
        }
        for end in (MANY - 1, MANY + 50)
    )
    assert few == {os.getpid()}
    assert os.getpid() in many
    assert 2 <= len(many) <= 3
