"""An executor with several processes: they receive shards of inputs; records come back in the order of the inputs.

A process that dies or hangs is replaced. Its input is tried again, alone; if a process ends again, only this input is
lost, with the reason. Results depend neither on the number of processes nor on the shard size.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from numbat import clock
from numbat.errors import DataError, WorkersError
from numbat.records import frozen
from numbat.runs.loop import Failure, Job, Named, Record, attempt

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess


# The part that runs in a worker process: shards of inputs come through a pipe, records go back through it.
#
# A shard is a list of inputs; None is the end. Records are sent in short intervals, so that silence means that an
# input takes long.

PR_SET_PDEATHSIG: Final = 1
"""Linux option of `prctl`: the signal that a process gets when its parent ends."""
SILENCE: Final = 0.05
"""Seconds after which a finished record is sent without waiting for others of its shard."""
READY: Final = "ready"
"""Message of a process that has its job and waits for a shard."""
OUT_OF_MEMORY: Final = "memory"
"""Message of a process before it ends because an input needs more memory than allowed."""
MEBIBYTE: Final = 2**20


@frozen
class WorkerLimits:
    """Limits of one input in a worker process: seconds, and mebibytes of address space; None is no limit.

    An input beyond a limit is lost with its process. The limits of a parser end a search and keep its result, and
    should be lower.
    """

    seconds: float | None = 600.0
    memory: int | None = None


def serve(
    connection: Connection,
    job: Job[Any, Any],
    limits: WorkerLimits,
    at: Any,
    others: Sequence[Connection] = (),
    seconds: float | None = None,
    parent: int = 0,
) -> None:
    """Do a job on all shards that come.

    `at` is shared with the parent process: its `value` is the index in the shard of the current input. `others` are
    the parent's ends of pipes, to be closed here. No input takes more than `seconds`. This process ends with the
    process `parent`, however that ends.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # only the parent process handles interrupts
    for other in others:
        other.close()
    _end_with(parent)
    clock.forget()
    try:
        if limits.memory is not None:
            _limit_memory(limits.memory)
        connection.send(READY)
        with clock.limited(seconds):
            while (shard := _received(connection)) is not None:
                _work(connection, job, shard, at)
    except (EOFError, OSError):  # the parent is gone
        pass
    finally:
        connection.close()


def _end_with(parent: int) -> None:
    """End this process as soon as its parent ends, even in the middle of an input."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before the call
            os._exit(1)
    else:
        threading.Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    process = parent_process()
    assert process is not None, "a worker has a parent"
    wait([process.sentinel])
    os._exit(1)


def _received(connection: Connection) -> Any:
    with clock.waiting():
        return connection.recv()


def _work(connection: Connection, job: Job[Any, Any], shard: Sequence[Any], at: Any) -> None:
    records: list[Record[Any]] = []
    last = monotonic()
    for index, given in enumerate(shard):
        at.value = index
        try:
            records.append(_attempt(job, given))
        except MemoryError:
            _send(connection, records)
            connection.send(OUT_OF_MEMORY)
            os._exit(1)  # the remaining memory may be fragmented
        if monotonic() - last > SILENCE:
            _send(connection, records)
            records, last = [], monotonic()
    _send(connection, records)


def _send(connection: Connection, records: list[Record[Any]]) -> None:
    if records:
        with clock.waiting():
            connection.send(records)


def _attempt(job: Job[Any, Any], given: Any) -> Record[Any]:
    """Return the record of one input; an unexpected error loses only this input."""
    try:
        return attempt(job, given)
    except MemoryError:
        raise
    except Exception as error:
        return Failure(given.id, f"{type(error).__name__}: {error}", lost=True)


def _limit_memory(mebibytes: int) -> None:
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_AS)
    wanted = mebibytes * MEBIBYTE
    resource.setrlimit(resource.RLIMIT_AS, (wanted if most < 0 else min(wanted, most), most))


# Shards of inputs, and their records in order, for all executors with several processes

Input = TypeVar("Input", bound=Named)
Value = TypeVar("Value")

MAX_SHARD: Final = 64
WAITING: Final = 4096
"""Maximum number of inputs taken beyond the first one without a record."""
MAX_LOST: Final = 20
"""Number of consecutive inputs that ended their processes after which the run ends: the inputs are not the cause."""


def size_of_shard(seconds: float, done: int, took: float, largest: int) -> int:
    """Return the number of inputs that should take `seconds`, if `done` inputs took `took` seconds."""
    return max(1, min(largest, int(seconds * done / max(took, 1e-6))))


@dataclass(eq=False, slots=True)
class Shard(Generic[Input]):
    """Inputs that go to a process together, with their places in the run; `done` of them have come back.

    `is_again`: the single input is tried alone because it ended a process. `pickled` caches the pickled inputs.
    """

    places: list[int]
    inputs: list[Input]
    done: int = 0
    is_again: bool = False
    pickled: Any = None

    def without(self, culprit: int) -> list[Shard[Input]]:
        """Return shards of the remaining inputs: the one that ended the process alone, those before and those after."""
        parts = [(self.done, culprit, False), (culprit, culprit + 1, True), (culprit + 1, len(self.inputs), False)]
        return [Shard(self.places[i:j], self.inputs[i:j], is_again=again) for i, j, again in parts if i < j]

    def one_by_one(self) -> list[Shard[Input]]:
        """Return each input alone, because the one that ended the process is unknown."""
        return [Shard([place], [given], is_again=True) for place, given in zip(self.places, self.inputs, strict=True)]


@dataclass(eq=False, slots=True)
class Sharding(Generic[Input, Value]):
    """Makes shards of the inputs, and yields the records in the order of the inputs.

    An input is taken only if it is less than `most_ahead` beyond the first one without a record. Shards that are given
    back come first.
    """

    inputs: Iterator[Input | DataError]
    most_ahead: int = WAITING
    is_exhausted: bool = False
    _again: deque[Shard[Input]] = field(default_factory=deque)
    _records: dict[int, Record[Value]] = field(default_factory=dict)
    _taken: int = 0
    _given: int = 0

    @property
    def is_done(self) -> bool:
        """True if all records have been yielded."""
        return self.is_exhausted and self._given == self._taken

    def next_shard(self, size: int) -> Shard[Input] | None:
        """Return a shard that was given back, else one of up to `size` new inputs; None if there is none now."""
        if self._again:
            return self._again.popleft()
        shard: Shard[Input] = Shard([], [])
        while not self.is_exhausted and self._taken - self._given < self.most_ahead and len(shard.inputs) < size:
            given = next(self.inputs, None)
            if given is None:
                self.is_exhausted = True
                break
            if isinstance(given, DataError):
                self._records[self._taken] = Failure("", str(given), given)
            else:
                shard.places.append(self._taken)
                shard.inputs.append(given)
            self._taken += 1
        return shard if shard.inputs else None

    def give_back(self, *shards: Shard[Input]) -> None:
        """Put shards before all others, to be done again."""
        self._again.extendleft(reversed(shards))

    def note(self, place: int, record: Record[Value]) -> None:
        """Keep the record of the input at a place."""
        self._records[place] = record

    def in_order(self) -> Iterator[Record[Value]]:
        """Yield the records that are available without a gap."""
        while self._given in self._records:
            record = self._records.pop(self._given)
            self._given += 1
            yield record


# Writing to a closed pipe or socket raises an error instead of ending the program


@contextmanager
def pipes_that_fail() -> Iterator[None]:
    """Make writing to a closed pipe or socket raise an error, where it would end the program.

    Does nothing outside the main thread, the only one that can set signal handlers.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "SIGPIPE") or signal.getsignal(signal.SIGPIPE) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)


SHARD_SECONDS: Final = 0.25
"""Target seconds for a shard: long compared to a pipe, short compared to a run."""
MAX_AHEAD: Final = 2**15
"""Bytes of a shard that fit into a pipe on any system, even if they are not read."""
START_SECONDS: Final = 60.0
"""Maximum seconds until a process that is not forked has its job; they do not count for an input."""
DEFAULT_LIMITS: Final = WorkerLimits()


@dataclass(eq=False, slots=True)
class Worker(Generic[Input]):
    """A process with the shards that it was sent: it is at the first, and has the second in its pipe."""

    process: BaseProcess
    connection: Connection
    at: Any
    """Shared with the process: its `value` is the index in its shard of the current input."""
    shards: deque[Shard[Input]] = field(default_factory=deque)
    heard: float = 0.0
    """Time of its last message, or of new work after idling; until it is ready, its latest time to be so."""
    reason: str | None = None
    """Reason why it was killed; None if it ended by itself."""


@frozen
class Pool:
    """An executor with `jobs` processes, each with `limits` for every input. Raises WorkersError.

    Processes are forked where that is safe, and inherit all caches; elsewhere the job is sent to them.
    """

    jobs: int
    limits: WorkerLimits = DEFAULT_LIMITS
    largest_shard: int = MAX_SHARD

    def __call__(
        self, job: Job[Input, Value], inputs: Iterator[Input | DataError], total: int | None = None
    ) -> Iterator[Record[Value]]:
        """Return the records in the order of the inputs."""
        with pipes_that_fail(), _frozen():
            workers: Workers[Input, Value] = Workers(self, job)
            try:
                yield from workers.records(inputs)
            finally:
                workers.close()


class Workers(Generic[Input, Value]):
    """The processes of a pool, which do one job on successive iterators of inputs until they are closed."""

    def __init__(self, pool: Pool, job: Job[Input, Value]) -> None:
        from multiprocessing import get_context

        self._pool, self._job = pool, job
        self._sharding: Sharding[Input, Value] = Sharding(iter(()))
        self._context: Any = get_context("fork" if _may_fork() else "spawn")
        self._workers: list[Worker[Input]] = []
        self._done = self._lost_in_a_row = 0
        self._began = monotonic()
        self._size = 1

    def records(self, inputs: Iterator[Input | DataError]) -> Iterator[Record[Value]]:
        """Yield all records in order. Callers that stop early must close the processes."""
        self._sharding = Sharding(inputs)
        while True:
            self._hand_out()
            yield from self._sharding.in_order()
            if any(worker.shards for worker in self._workers):
                self._listen()
            elif self._sharding.is_done:
                return

    def close(self) -> None:
        """End all processes."""
        for worker in self._workers:
            if worker.shards:
                worker.process.kill()
            else:
                _say_goodbye(worker)
        for worker in self._workers:
            worker.connection.close()
            worker.process.join()
        self._workers.clear()

    # handing out

    def _hand_out(self) -> None:
        """Give each process a shard to work on, and then one that waits in its pipe."""
        for ahead in (0, 1):
            for number in range(self._pool.jobs):
                if number == len(self._workers) or len(self._workers[number].shards) == ahead:
                    shard = self._sharding.next_shard(self._size)
                    if shard is None or not self._send(number, shard):
                        return

    def _send(self, number: int, shard: Shard[Input]) -> bool:
        """Send a shard to a process; False if it is too large to wait in the pipe of a busy process."""
        from multiprocessing.reduction import ForkingPickler

        if number == len(self._workers):
            self._workers.append(self._new_worker())
        worker = self._workers[number]
        content = shard.pickled = shard.pickled or ForkingPickler.dumps(shard.inputs)
        if worker.shards and len(content) > MAX_AHEAD:
            self._sharding.give_back(shard)
            return False
        if not worker.shards:
            worker.heard = max(worker.heard, monotonic())
        worker.shards.append(shard)
        with suppress(OSError):  # a process that has died is noticed by `_listen`
            worker.connection.send_bytes(content)
        return True

    # listening

    def _listen(self) -> None:
        """Wait for messages of processes and handle them; kill processes that have been silent for too long."""
        from multiprocessing.connection import wait

        busy = {worker.connection: worker for worker in self._workers if worker.shards}
        seconds, patience = self._pool.limits.seconds, None
        if seconds is not None:
            patience = max(0.0, min(worker.heard for worker in busy.values()) + seconds - monotonic())
        with clock.waiting():
            ready: Any = wait(list(busy), patience)
        for connection in ready:
            self._hear(busy.pop(connection))
        for worker in busy.values():
            if seconds is not None and monotonic() - worker.heard > seconds:
                worker.reason = f"more than {seconds:g} seconds"
                worker.process.kill()
                self._bury(worker)

    def _hear(self, worker: Worker[Input]) -> None:
        try:
            message: list[Record[Value]] | str = worker.connection.recv()
        except (EOFError, OSError):
            self._bury(worker)
            return
        worker.heard = monotonic()
        if message == READY:
            return
        if isinstance(message, str):
            most = self._pool.limits.memory
            worker.reason = "not enough memory" if most is None else f"more than {most:,} MiB of memory"
            return
        shard = worker.shards[0]
        for record in message:
            self._sharding.note(shard.places[shard.done], record)
            shard.done += 1
        if shard.done == len(shard.inputs):
            worker.shards.popleft()
        self._lost_in_a_row = 0
        self._done += len(message)
        took = (monotonic() - self._began) * self._pool.jobs
        self._size = size_of_shard(SHARD_SECONDS, self._done, took, self._pool.largest_shard)

    def _bury(self, worker: Worker[Input]) -> None:
        """Replace a process that has ended, and give its work back."""
        worker.process.join()
        worker.connection.close()
        self._workers[self._workers.index(worker)] = self._new_worker()
        blamed, *others = worker.shards
        self._sharding.give_back(*others)
        if not blamed.is_again:
            culprit = max(blamed.done, min(worker.at.value, len(blamed.inputs) - 1))
            self._sharding.give_back(*blamed.without(culprit))
            return
        reason = worker.reason or _how_it_ended(worker.process.exitcode)
        (place,), (given,) = blamed.places, blamed.inputs
        loss = f"its process ended twice: {reason}"
        self._sharding.note(place, Failure(given.id, loss, lost=True))
        self._lost_in_a_row += 1
        if self._lost_in_a_row == MAX_LOST:
            raise WorkersError(
                f"the processes of the last {MAX_LOST} sentences ended: {reason}\n"
                "  give each process more memory or time, or try one sentence with --jobs 1"
            )

    def _new_worker(self) -> Worker[Input]:
        ours, theirs = self._context.Pipe()
        forked = self._context.get_start_method() == "fork"
        others = [ours, *(worker.connection for worker in self._workers)] if forked else []
        at = self._context.RawValue("q")
        running = clock.running()
        seconds = None if running is None or running.is_of_all else running.seconds
        arguments = theirs, self._job, self._pool.limits, at, others, seconds, os.getpid()
        process = self._context.Process(target=serve, args=arguments, daemon=True)
        with clock.held():  # fork hooks of modules swallow errors, which would leave their locks taken
            process.start()
        theirs.close()
        return Worker(process, ours, at, heard=monotonic() + START_SECONDS)


@contextmanager
def _frozen() -> Iterator[None]:
    """Hide existing objects from the garbage collector, so that forked processes keep sharing them."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _may_fork() -> bool:
    """True if a forked process works: it would lack other threads, and libraries of macOS fail in it."""
    return hasattr(os, "fork") and sys.platform != "darwin" and threading.active_count() == 1


def _say_goodbye(worker: Worker[Any]) -> None:
    with suppress(OSError):
        worker.connection.send(None)


def _how_it_ended(code: int | None) -> str:
    if code is None or code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"
