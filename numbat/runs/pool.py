"""An executor with several processes: they receive shards (lists of inputs), and records come back in order.

A process that dies or hangs is replaced. The input that it was at is tried again, alone; if its process ends again,
only this input is lost, and its record has the reason. Results depend neither on the number of processes nor on the
size of shards.
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


# Functions that run in a worker process: shards come through a pipe, and records go back through this pipe.
#
# None instead of a shard ends the process. Records are sent at short intervals, so if none comes for long, the current
# input takes long.

PR_SET_PDEATHSIG: Final = 1
"""Linux option of `prctl`: the signal that a process gets when its parent ends."""
SILENCE: Final = 0.05
"""Seconds after which finished records are sent, without waiting for the others of the shard."""
READY: Final = "ready"
"""Message from a process that has received its job and waits for a shard."""
OUT_OF_MEMORY: Final = "memory"
"""Message from a process that ends because an input needs more memory than allowed."""
MEBIBYTE: Final = 2**20


@frozen
class WorkerLimits:
    """Limits on one input in a worker process: seconds, and mebibytes of address space; None means no limit.

    An input that exceeds a limit is lost, and its process ends. The limits of a parser, which only end the search and
    keep the best parse so far, should be lower.
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
    """Do a job on all shards that come through `connection`, and send the records back.

    `at` is shared with the parent process: its `value` is the index of the current input in its shard. `others` are
    ends of pipes that belong to the parent and are closed here. `seconds` is the limit per input that this process
    itself enforces. The process ends when the process `parent` ends, in whatever way.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # only the parent process handles interrupts
    for other in others:
        other.close()
    end_with(parent)
    clock.forget()
    try:
        if limits.memory is not None:
            limit_memory(limits.memory)
        connection.send(READY)
        with clock.limited(seconds):
            while (shard := _received(connection)) is not None:
                _work(connection, job, shard, at)
    except (EOFError, OSError):  # the parent is gone
        pass
    finally:
        connection.close()


def end_with(parent: int) -> None:
    """End this process as soon as its parent ends, even in the middle of an input."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # the parent ended before `prctl` was called
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
    """Return the record of one input; after an unexpected error, only this input is lost."""
    try:
        return attempt(job, given)
    except MemoryError:
        raise
    except Exception as error:
        return Failure(given.id, f"{type(error).__name__}: {error}", lost=True)


def limit_memory(mebibytes: int) -> None:
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_AS)
    wanted = mebibytes * MEBIBYTE
    resource.setrlimit(resource.RLIMIT_AS, (wanted if most < 0 else min(wanted, most), most))


# Making shards from inputs, and putting records in order, for all executors with several processes

Input = TypeVar("Input", bound=Named)
Value = TypeVar("Value")

MAX_SHARD: Final = 64
WAITING: Final = 4096
"""Maximum number of inputs that are taken beyond the first one that has no record yet."""
MAX_LOST: Final = 20
"""The run ends after this number of inputs in a row ended their processes: something else must be the cause."""


def size_of_shard(seconds: float, done: int, took: float, largest: int) -> int:
    """Return how many inputs, up to `largest`, should take `seconds`, if `done` inputs took `took` seconds."""
    return max(1, min(largest, int(seconds * done / max(took, 1e-6))))


@dataclass(eq=False, slots=True)
class Shard(Generic[Input]):
    """Inputs that go to a process together, with their positions in the run; `done` records have come back.

    `is_again`: this is a single input, tried alone because a process ended at it. `pickled` caches the pickled inputs.
    """

    places: list[int]
    inputs: list[Input]
    done: int = 0
    is_again: bool = False
    pickled: Any = None

    def without(self, culprit: int) -> list[Shard[Input]]:
        """Return shards of the inputs not done: those before index `culprit`, this input alone, those after it."""
        parts = [(self.done, culprit, False), (culprit, culprit + 1, True), (culprit + 1, len(self.inputs), False)]
        return [Shard(self.places[i:j], self.inputs[i:j], is_again=again) for i, j, again in parts if i < j]

    def one_by_one(self) -> list[Shard[Input]]:
        """Return a shard for each input, because it is unknown which one ended the process."""
        return [Shard([place], [given], is_again=True) for place, given in zip(self.places, self.inputs, strict=True)]


@dataclass(eq=False, slots=True)
class Sharding(Generic[Input, Value]):
    """Makes shards from the inputs, and yields the records in the order of the inputs.

    An input is taken only if it is less than `most_ahead` beyond the first one without a record. Shards that were given
    back are handed out before new ones.
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
        """Return a shard that was given back, or one of up to `size` new inputs; None if no input may be taken now."""
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
        """Keep the record of the input at this position in the run."""
        self._records[place] = record

    def in_order(self) -> Iterator[Record[Value]]:
        """Yield the next records in order, up to the first one that is not available yet."""
        while self._given in self._records:
            record = self._records.pop(self._given)
            self._given += 1
            yield record


# Errors for writing to a closed pipe or socket, which would otherwise end the program


@contextmanager
def pipes_that_fail() -> Iterator[None]:
    """Make writing to a closed pipe or socket raise an error in the block of a `with`, instead of ending the program.

    Threads that write after the block need `let_pipes_fail`.
    """
    ended_before = let_pipes_fail()
    try:
        yield
    finally:
        if ended_before:
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def let_pipes_fail() -> bool:
    """Make writing to a closed pipe or socket raise an error; return True if it ended the program before.

    Outside the main thread this has no effect, because only the main thread can set signal handlers.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "SIGPIPE") or signal.getsignal(signal.SIGPIPE) is not signal.SIG_DFL:
        return False
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    return True


SHARD_SECONDS: Final = 0.25
"""Seconds that a shard should take: much longer than sending it, much shorter than the run."""
MAX_AHEAD: Final = 2**15
"""Maximum bytes of a shard that waits in a pipe: any system's pipes take this number before they are read."""
START_SECONDS: Final = 60.0
"""Maximum seconds until a process that was not forked has received its job; they do not count for an input."""
DEFAULT_LIMITS: Final = WorkerLimits()


@dataclass(eq=False, slots=True)
class Worker(Generic[Input]):
    """A process with the shards that were sent to it: it works on the first, and the second waits in its pipe."""

    process: BaseProcess
    connection: Connection
    at: Any
    """Shared with the process: the `value` is the index of the current input in its shard."""
    shards: deque[Shard[Input]] = field(default_factory=deque)
    heard: float = 0.0
    """When the last message came, or new work after idling; before READY, the time at which READY must have come."""
    reason: str | None = None
    """Reason why the process was killed; None if it was not."""


@frozen
class Pool:
    """An executor with `jobs` processes; `limits` hold for every input. Raises WorkersError if processes keep ending.

    Processes are forked where this is safe, and then have all caches of this one; elsewhere the job is sent to them.
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
        """Yield all records in order. A caller that stops before the last must call `close`."""
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
        """Send each process a shard to work on, and then a second one that waits in its pipe."""
        for ahead in (0, 1):
            for number in range(self._pool.jobs):
                if number == len(self._workers) or len(self._workers[number].shards) == ahead:
                    shard = self._sharding.next_shard(self._size)
                    if shard is None or not self._send(number, shard):
                        return

    def _send(self, number: int, shard: Shard[Input]) -> bool:
        """Send a shard to a process; return False if the process is busy and its pipe too small for the shard."""
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
        with suppress(OSError):  # `_listen` notices if the process has died
            worker.connection.send_bytes(content)
        return True

    # listening

    def _listen(self) -> None:
        """Wait for messages from processes and handle them; kill processes that have sent none for too long."""
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
        """Replace a process that has ended, and give its shards back, to be handed out again."""
        worker.process.join()
        worker.connection.close()
        self._workers[self._workers.index(worker)] = self._new_worker()
        blamed, *others = worker.shards
        self._sharding.give_back(*others)
        if not blamed.is_again:
            culprit = max(blamed.done, min(worker.at.value, len(blamed.inputs) - 1))
            self._sharding.give_back(*blamed.without(culprit))
            return
        reason = worker.reason or how_it_ended(worker.process.exitcode)
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
        with clock.held():  # if the time were up in a hook that runs at a fork, a lock could stay taken
            process.start()
        theirs.close()
        return Worker(process, ours, at, heard=monotonic() + START_SECONDS)


@contextmanager
def _frozen() -> Iterator[None]:
    """Keep the garbage collector from objects that exist now, so that forked processes go on sharing their memory."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _may_fork() -> bool:
    """True if a forked process would work: it lacks all threads but one, and libraries of macOS fail in it."""
    return hasattr(os, "fork") and sys.platform != "darwin" and threading.active_count() == 1


def _say_goodbye(worker: Worker[Any]) -> None:
    with suppress(OSError):
        worker.connection.send(None)


def how_it_ended(code: int | None) -> str:
    if code is None or code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"
