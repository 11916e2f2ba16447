"""What a worker of a cluster does: it keeps jobs, and does them on shards in processes of its own.

A worker of dask lives as long as its cluster, so it does no job itself. For each shard at a time it has a process, as a
pool has, which may end, be ended or use up its memory; the next shard of the same job finds that process still there,
with all that it has learned.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import threading
from collections.abc import Sequence
from time import perf_counter, sleep
from typing import Any, Final, NamedTuple

from numbat.errors import WorkersError
from numbat.records import frozen
from numbat.runs.loop import Record
from numbat.runs.pool import Pool, Workers
from numbat.runs.worker import WorkerLimits
from numbat.version import __version__

MOST_IDLE: Final = 256
"""So many processes without work are kept; a run that was killed may have left some of them."""
LOOK_SECONDS: Final = 1.0
"""How often a process looks whether its worker is still there."""


@frozen
class PickledJob:
    """A job on its way to the process that does it, where it is unpickled as the job itself."""

    content: bytes

    def __reduce__(self) -> tuple[Any, ...]:
        return _received, (self.content,)


class ShardDone(NamedTuple):
    """The records of a shard, in the order of its inputs, and how long they took."""

    records: list[Record[Any]]
    seconds: float


_jobs: dict[str, PickledJob] = {}
_idle: list[tuple[str, WorkerLimits, Workers[Any, Any]]] = []
_lock = threading.Lock()


def keep(digest: str, content: bytes, version: str) -> None:
    """Keep a pickled job for the shards that will come. Raises WorkersError for one of another version of Numbat."""
    if version != __version__:
        raise WorkersError(f"Numbat {__version__} is installed there, and {version} here")
    with _lock:
        _jobs[digest] = PickledJob(content)


def drop(digest: str) -> None:
    """Forget a job and end its processes; one that is at work ends when it is done."""
    with _lock:
        _jobs.pop(digest, None)
        ended = [each for each in _idle if each[0] == digest]
        _idle[:] = [each for each in _idle if each[0] != digest]
    for _, _, workers in ended:
        workers.close()


def work(digest: str, limits: WorkerLimits, inputs: Sequence[Any]) -> ShardDone:
    """Do a job that is kept here on a shard. Raises WorkersError."""
    workers = _taken(digest, limits)
    began = perf_counter()
    try:
        records = list(workers.records(iter(inputs)))
    except BaseException:
        workers.close()
        raise
    seconds = perf_counter() - began
    _put_back(digest, limits, workers)
    return ShardDone(records, seconds)


def _taken(digest: str, limits: WorkerLimits) -> Workers[Any, Any]:
    """The process of an earlier shard, or a new one."""
    with _lock:
        for index in range(len(_idle) - 1, -1, -1):
            if _idle[index][:2] == (digest, limits):
                return _idle.pop(index)[2]
        job: Any = _jobs.get(digest)
    if job is None:
        raise WorkersError("the job of the run is not kept there any more")
    _allow_children()
    return Workers(Pool(1, limits), job)


def _put_back(digest: str, limits: WorkerLimits, workers: Workers[Any, Any]) -> None:
    with _lock:
        if digest in _jobs:
            _idle.append((digest, limits, workers))
            if len(_idle) <= MOST_IDLE:
                return
            _, _, workers = _idle.pop(0)
    workers.close()


def _allow_children() -> None:
    """A worker is a daemon of the process that restarts it, and `multiprocessing` gives daemons no children.

    The reason is that they might outlive it: ours end when it is not there any more.
    """
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]


def _received(content: bytes) -> Any:
    """The job, in the process that does it, which will not outlive its worker."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    job = pickle.loads(content)
    gc.freeze()  # a grammar is never garbage: looking at it again and again would only take time
    return job


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        sleep(LOOK_SECONDS)
    os._exit(1)
