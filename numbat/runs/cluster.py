"""An executor with the workers of a cluster: they receive shards (lists of inputs), and records come back in order.

The cluster is one of dask.distributed: a scheduler at an address, and workers on any machines. Each worker receives the
job once. Workers may come, go and be killed: their shards are sent to others. A worker runs the job in a separate
process, so a sentence that ends this process is lost as in a pool, and the worker survives. If workers themselves end,
the scheduler gives up all shards that were with them, also those that only waited there; so a sentence is lost only if
workers end while its shard alone is with them.
"""

from __future__ import annotations

import gc
import hashlib
import logging
import multiprocessing
import os
import pickle
import signal
import threading
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from time import monotonic, perf_counter, sleep
from typing import Any, Final, Generic, NamedTuple, TypeVar

from numbat.errors import DataError, MissingExtraError, WorkersError, installing
from numbat.records import frozen
from numbat.runs.loop import Failure, Job, Named, Record, cores
from numbat.runs.pool import (
    DEFAULT_LIMITS,
    MAX_LOST,
    MAX_SHARD,
    WAITING,
    Pool,
    Shard,
    Sharding,
    WorkerLimits,
    Workers,
    pipes_that_fail,
    size_of_shard,
)
from numbat.version import __version__

Input = TypeVar("Input", bound=Named)
Value = TypeVar("Value")

LOCAL: Final = "local"
"""Address that means a cluster on this machine, started for the run."""
SHARD_SECONDS: Final = 1.0
"""Seconds that a shard should take: much longer than network and scheduler need for it."""
FIRST_SHARD: Final = 4
EACH: Final = 2
"""Number of shards that a worker has per thread: one in work, one waiting."""
MAX_TRIES: Final = 3
"""Maximum number of times that a shard is sent again after errors, apart from those of workers that ended."""
NO_WORKERS_SECONDS: Final = 600.0
"""Maximum seconds for which a run waits without any worker."""
RESULT_SECONDS: Final = 20.0
"""Maximum seconds for fetching a result, because dask may wait forever if the worker that holds it ends. The shard is
then sent again."""
LOOK_SECONDS: Final = 2.0
"""Seconds between checks of the workers."""


@frozen
class Cluster:
    """An executor with the workers of a cluster; the `limits` hold for each input.

    `address` is the address of a scheduler, or `LOCAL` to start `jobs` workers here (None: one per core). Raises
    MissingExtraError without dask.distributed, and WorkersError if the cluster cannot be reached or stops working.
    """

    address: str
    jobs: int | None = None
    limits: WorkerLimits = DEFAULT_LIMITS
    largest_shard: int = MAX_SHARD

    def __call__(
        self, job: Job[Input, Value], inputs: Iterator[Input | DataError], total: int | None = None
    ) -> Iterator[Record[Value]]:
        """Return the records in the order of the inputs."""
        require_distributed()
        return self._records(job, inputs)

    def _records(self, job: Job[Input, Value], inputs: Iterator[Input | DataError]) -> Iterator[Record[Value]]:
        with pipes_that_fail(), _quiet(), _connected(self) as client:
            run: _ClusterRun[Input, Value] = _ClusterRun(self, client, job, inputs)
            try:
                yield from run.records()
            finally:
                run.close()


def require_distributed() -> None:
    """Raise MissingExtraError without dask.distributed."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise MissingExtraError(f"a cluster needs dask.distributed\n  {installing('cluster')}") from None


@dataclass(eq=False, slots=True)
class _Sent(Generic[Input]):
    """A shard that was sent, the number of earlier tries, and whether no other shard was with the workers then."""

    shard: Shard[Input]
    future: Any
    tries: int
    is_alone: bool


class _ClusterRun(Generic[Input, Value]):
    """A run on a cluster; shards that are with the workers are kept by number."""

    def __init__(
        self, cluster: Cluster, client: Any, job: Job[Input, Value], inputs: Iterator[Input | DataError]
    ) -> None:
        self._cluster, self._client = cluster, client
        self._sharding: Sharding[Input, Value] = Sharding(inputs)
        self._out: dict[int, _Sent[Input]] = {}
        self._accused: deque[Shard[Input]] = deque()
        self._back: SimpleQueue[tuple[int, Any]] = SimpleQueue()
        self._sent = self._lost_in_a_row = self._done = 0
        self._seconds = 0.0
        self._size = min(FIRST_SHARD, cluster.largest_shard)
        self._threads = 0
        self._looked = -LOOK_SECONDS
        self._had_workers = monotonic()
        self._name = f"numbat-{os.urandom(8).hex()}"
        self._digest = self._give_job(job)

    def records(self) -> Iterator[Record[Value]]:
        """Yield all records in order."""
        while True:
            self._look()
            self._hand_out()
            yield from self._sharding.in_order()
            if self._out:
                self._collect()
            elif self._sharding.is_done:
                return
            elif not self._threads:
                sleep(LOOK_SECONDS)

    def close(self) -> None:
        """Remove everything of this run from the cluster."""
        with suppress(Exception):  # the scheduler may have ended
            self._client.cancel([sent.future for sent in self._out.values()], force=True)
        with suppress(Exception):
            self._client.unregister_worker_plugin(self._name)

    def _give_job(self, job: Job[Input, Value]) -> str:
        """Send the job to every worker, also to those that start later; return its digest."""
        from distributed.protocol.pickle import dumps

        content = dumps(job)
        digest = f"{hashlib.sha256(content).hexdigest()[:32]}-{self._name}"
        try:
            self._client.register_plugin(_job_keeper(digest, content), name=self._name)
        except Exception as error:
            with suppress(Exception):  # workers that start later would otherwise receive the job, and fail
                self._client.unregister_worker_plugin(self._name)
            raise WorkersError(
                f"{self._cluster.address}: the workers cannot load the job: {_first_line(error)}\n"
                f"  install Numbat {__version__} with the extra cluster on their machines, too"
            ) from None
        return digest

    def _look(self) -> None:
        """Ask from time to time how many threads the workers have. Raises WorkersError if there were none for long."""
        now = monotonic()
        if now - self._looked < LOOK_SECONDS:
            return
        self._looked = now
        try:
            self._threads = sum(self._client.nthreads().values())
        except Exception as error:
            raise WorkersError(self._gone(f"the scheduler does not answer any more: {_first_line(error)}")) from None
        self._sharding.most_ahead = max(WAITING, 2 * EACH * self._threads * self._cluster.largest_shard)
        if self._threads:
            self._had_workers = now
        elif now - self._had_workers > NO_WORKERS_SECONDS:
            raise WorkersError(self._gone(f"there was no worker for {NO_WORKERS_SECONDS:g} seconds"))

    def _gone(self, what: str) -> str:
        return f"{self._cluster.address}: {what}\n  start the cluster again; --resume continues numbat parse -o FILE"

    # handing out

    def _hand_out(self) -> None:
        if self._accused and not self._out and self._threads:
            self._send(self._accused.popleft(), is_alone=True)
        if self._accused or any(sent.is_alone for sent in self._out.values()):
            return
        while len(self._out) < EACH * self._threads:
            shard = self._sharding.next_shard(self._size)
            if shard is None:
                return
            self._send(shard)

    def _send(self, shard: Shard[Input], tries: int = 0, is_alone: bool = False) -> None:
        number = self._sent
        self._sent += 1
        future = self._client.submit(
            work,
            self._digest,
            self._cluster.limits,
            shard.inputs,
            key=f"{self._name}-{number}",
            pure=False,
        )
        self._out[number] = _Sent(shard, future, tries, is_alone)
        future.add_done_callback(lambda back: self._back.put((number, back)))

    # collecting

    def _collect(self) -> None:
        """Take results that have come back, or return after some time so that workers can be checked."""
        try:
            back = [self._back.get(timeout=LOOK_SECONDS)]
        except Empty:
            return
        while not self._back.empty():
            back.append(self._back.get())
        first = [(self._out.pop(number), future) for number, future in back if number in self._out]
        finished = [(sent, future) for sent, future in first if future.status == "finished"]
        try:
            gather = partial(self._client.gather, [future for _, future in finished], asynchronous=True)
            results = self._client.sync(gather, callback_timeout=RESULT_SECONDS)
        except Exception:  # a result was lost with its worker; fetching them one by one shows which
            results = [None] * len(finished)
        got = dict(zip((id(sent) for sent, _ in finished), results, strict=True))
        for sent, future in first:
            self._take(sent, future, got.get(id(sent)))

    def _take(self, sent: _Sent[Input], future: Any, done: ShardDone | None) -> None:
        from distributed import KilledWorker

        try:
            done = future.result(timeout=LOOK_SECONDS) if done is None else done
        except WorkersError:
            raise
        except KilledWorker as error:
            self._bury(sent, f"the last one at {getattr(error.last_worker, 'address', 'an unknown address')}")
            return
        except Exception as error:
            if sent.tries + 1 == MAX_TRIES:
                raise WorkersError(self._gone(f"a shard failed {MAX_TRIES} times: {_first_line(error)}")) from None
            self._send(sent.shard, sent.tries + 1, sent.is_alone)
            return
        finally:
            future.release()
        for place, record in zip(sent.shard.places, done.records, strict=True):
            self._sharding.note(place, record)
        self._lost_in_a_row = 0
        self._done += len(done.records)
        self._seconds += done.seconds
        self._size = size_of_shard(SHARD_SECONDS, self._done, self._seconds, self._cluster.largest_shard)

    def _bury(self, sent: _Sent[Input], reason: str) -> None:
        """Send a shard again, or count its input as lost, after several workers ended while they had the shard."""
        shard = sent.shard
        if not shard.is_again:
            self._sharding.give_back(*shard.one_by_one())
            return
        if not sent.is_alone:
            self._accused.append(shard)
            return
        (place,), (given,) = shard.places, shard.inputs
        self._sharding.note(place, Failure(given.id, f"the workers that processed it ended, {reason}", lost=True))
        self._lost_in_a_row += 1
        if self._lost_in_a_row == MAX_LOST:
            raise WorkersError(self._gone(f"the workers of the last {MAX_LOST} sentences ended, {reason}"))


def _job_keeper(digest: str, content: bytes) -> Any:
    """Return a plugin for dask that makes its workers keep a job during the run."""
    from distributed import WorkerPlugin

    keep, drop, version = keep_jobs, drop_jobs, __version__

    class JobKeeper(WorkerPlugin):  # type: ignore[misc]
        def setup(self, worker: Any) -> None:
            keep(digest, content, version)

        def teardown(self, worker: Any) -> None:
            drop(digest)

    return JobKeeper()


@contextmanager
def _connected(cluster: Cluster) -> Iterator[Any]:
    """Yield a client of the cluster, and close it after the block. Raises WorkersError if there is no cluster."""
    import dask
    from distributed import Client, LocalCluster

    if cluster.address == LOCAL:
        with dask.config.set(LOCAL_SETTINGS):
            with _interrupts_held():
                local = LocalCluster(
                    n_workers=cluster.jobs or cores(),
                    threads_per_worker=1,
                    processes=True,
                    memory_limit=0,
                    dashboard_address=None,
                    silence_logs=logging.CRITICAL,
                )
            with local, Client(local) as client:
                yield client
        return
    try:
        client = Client(cluster.address, timeout=START_SECONDS)
    except (OSError, ValueError) as error:
        raise WorkersError(
            f"{cluster.address}: no cluster scheduler can be reached there: {_first_line(error)}\n"
            "  give its address, such as tcp://10.0.0.1:8786, or local"
        ) from None
    with client:
        yield client


START_SECONDS: Final = 30.0
"""Maximum seconds until the scheduler must answer."""
LOCAL_SETTINGS: Final = {
    "distributed.comm.timeouts.connect": "10 minutes",
    "distributed.comm.timeouts.tcp": "10 minutes",
    "distributed.deploy.lost-worker-timeout": "10 minutes",
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.tick.limit": "60s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.system-monitor.gil.enabled": False,
}
"""Settings of dask for workers on this machine: long timeouts, because a worker that does not answer is only busy, and
less monitoring, which would take a few per cent of each core."""
LOGGERS: Final = ("distributed", "tornado", "asyncio")


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Block interrupts, also in threads and processes started in the block: only this process handles them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # if it started later, it would unblock interrupts in this thread
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the log and the warnings of dask, such as those about a restarted worker."""
    import distributed  # noqa: F401  importing it makes its loggers

    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] in LOGGERS]
    before = {name: logging.getLogger(name).level for name in {*LOGGERS, *names}}
    for name in before:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)


def _first_line(error: BaseException) -> str:
    """Return the first line of an error of dask."""
    return str(error).partition("\n")[0] or type(error).__name__


# Functions that run in the workers of a cluster: workers keep jobs, and do them on shards in separate processes.
#
# A worker of dask lives as long as its cluster, so it does no job itself. Like a pool, it has a process for each shard
# that it works on at the same time; such a process may end, be killed or run out of memory. The next shard of the same
# job uses the same process, with everything that is in its caches.

MAX_IDLE: Final = 256
"""Maximum number of idle processes that a worker keeps; some may belong to runs that were killed."""
WORKER_LOOK_SECONDS: Final = 1.0
"""Seconds after which a process checks again that its worker still exists."""


@frozen
class PickledJob:
    """A pickled job; when it is sent to a process, unpickling it there gives the job itself."""

    content: bytes

    def __reduce__(self) -> tuple[Any, ...]:
        return _received, (self.content,)


class ShardDone(NamedTuple):
    """The records of a shard, in the order of its inputs, and the seconds that the shard took."""

    records: list[Record[Any]]
    seconds: float


_jobs: dict[str, PickledJob] = {}
_idle: list[tuple[str, WorkerLimits, Workers[Any, Any]]] = []
_lock = threading.Lock()


def keep_jobs(digest: str, content: bytes, version: str) -> None:
    """Keep a pickled job for later shards. Raises WorkersError if another `version` of Numbat sent it."""
    if version != __version__:
        raise WorkersError(f"a worker has Numbat {__version__}, but this run is by {version}")
    with _lock:
        _jobs[digest] = PickledJob(content)


def drop_jobs(digest: str) -> None:
    """Forget a job and end its idle processes; a busy one ends when it is done."""
    with _lock:
        _jobs.pop(digest, None)
        ended = [entry for entry in _idle if entry[0] == digest]
        _idle[:] = [entry for entry in _idle if entry[0] != digest]
    for _, _, workers in ended:
        workers.close()


def work(digest: str, limits: WorkerLimits, inputs: Sequence[Any]) -> ShardDone:
    """Return the records of a job, kept here under its digest, for a shard of inputs. Raises WorkersError."""
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
    """Return an idle process that has done an earlier shard of this job, or a new one."""
    with _lock:
        for index in range(len(_idle) - 1, -1, -1):
            if _idle[index][:2] == (digest, limits):
                return _idle.pop(index)[2]
        job: Any = _jobs.get(digest)
    if job is None:
        raise WorkersError("a worker no longer has the job of the run")
    _allow_children()
    return Workers(Pool(1, limits), job)


def _put_back(digest: str, limits: WorkerLimits, workers: Workers[Any, Any]) -> None:
    with _lock:
        if digest in _jobs:
            _idle.append((digest, limits, workers))
            if len(_idle) <= MAX_IDLE:
                return
            _, _, workers = _idle.pop(0)
    workers.close()


def _allow_children() -> None:
    """Allow this worker to start processes.

    `multiprocessing` forbids this to daemons, because their children might outlive them; these end with their worker.
    """
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]


def _received(content: bytes) -> Any:
    """Return the job; this is called in the process that does the job, and makes this process end with its worker."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    job = pickle.loads(content)
    gc.freeze()  # the grammar stays until the end: the garbage collector need not scan it again and again
    return job


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        sleep(WORKER_LOOK_SECONDS)
    os._exit(1)
