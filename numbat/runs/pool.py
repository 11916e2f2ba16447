"""An executor with several processes: shards of inputs go out, records come back in the order of the inputs.

A process that dies or hangs is replaced. Its input is tried once more, alone; if that ends a process again, the input
is lost, with the reason, and no other is. Results depend neither on the number of processes nor on the shard size.
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


# What a process does that works for a run: shards of inputs come through a pipe, records go back through it.
#
# Whoever runs the process speaks first: a shard is a list of inputs, None is the end. Records are sent as soon as some
# time has passed since the last ones were, so that silence tells of an input that takes long.

PR_SET_PDEATHSIG: Final = 1
"""What Linux calls that a signal comes when the parent ends."""
SILENCE: Final = 0.05
"""Seconds after which a finished record is sent without waiting for others of its shard."""
READY: Final = "ready"
"""What a process says when it has its job and waits for a shard."""
OUT_OF_MEMORY: Final = "memory"
"""What a process says before it ends because an input needs more memory than it may take."""
MEBIBYTE: Final = 2**20


@frozen
class WorkerLimits:
    """Limits of one input in a process of its own: seconds, and mebibytes of the address space of the process.

    None is no limit. An input that takes more is lost, and the process with it; the limits of a parser end a search
    and keep what it found, and should be the lower ones.
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

    `at` is shared with the process that started this one: its `value` is the index in the shard of the input that is
    worked on. `others` are ends of pipes that belong to that process. No input takes more than so many `seconds`.
    `parent` is the number of that process, with which this one ends, however it ends.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the process that people see
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
    except (EOFError, OSError):  # nobody is there any more
        pass
    finally:
        connection.close()


def _end_with(parent: int) -> None:
    """End this process as soon as its parent has ended, in the middle of an input too."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it has ended before
            os._exit(1)
    else:
        threading.Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    process = parent_process()
    assert process is not None, "this one was started"
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
            os._exit(1)  # what is left of the memory is in pieces
        if monotonic() - last > SILENCE:
            _send(connection, records)
            records, last = [], monotonic()
    _send(connection, records)


def _send(connection: Connection, records: list[Record[Any]]) -> None:
    if records:
        with clock.waiting():
            connection.send(records)


def _attempt(job: Job[Any, Any], given: Any) -> Record[Any]:
    """Return the record of one input: an error that nobody foresaw loses it, and no other."""
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


# Shards of inputs, and their records in order; all executors with several processes use them

Input = TypeVar("Input", bound=Named)
Value = TypeVar("Value")

MAX_SHARD: Final = 64
WAITING: Final = 4096
"""So many inputs are handed out or done while the record of an earlier one is waited for."""
MAX_LOST: Final = 20
"""After so many inputs in a row that ended their processes the run ends: it is not their doing."""


def size_of_shard(seconds: float, done: int, took: float, largest: int) -> int:
    """So many inputs as should take so many seconds, where those that are done took so many."""
    return max(1, min(largest, int(seconds * done / max(took, 1e-6))))


@dataclass(eq=False, slots=True)
class Shard(Generic[Input]):
    """Inputs that go to a process together, by their places in the run; `done` of them have come back.

    `is_again`: the one input is tried alone, for it ended a process. `pickled` are the inputs as they are sent,
    from the first time on that they are to be.
    """

    places: list[int]
    inputs: list[Input]
    done: int = 0
    is_again: bool = False
    pickled: Any = None

    def without(self, culprit: int) -> list[Shard[Input]]:
        """Return the inputs that have not come back: the one that ended the process alone, and those before and behind
        it.
        """
        parts = [(self.done, culprit, False), (culprit, culprit + 1, True), (culprit + 1, len(self.inputs), False)]
        return [Shard(self.places[i:j], self.inputs[i:j], is_again=again) for i, j, again in parts if i < j]

    def one_by_one(self) -> list[Shard[Input]]:
        """Return each input alone, for nobody knows which one ended the process."""
        return [Shard([place], [given], is_again=True) for place, given in zip(self.places, self.inputs, strict=True)]


@dataclass(eq=False, slots=True)
class Sharding(Generic[Input, Value]):
    """Gives shards of the inputs, and gives the records in the order of the inputs when they are there.

    No input is taken that is `most_ahead` or more behind the first one whose record is not there. Shards that are
    given back, to be done again, come first.
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
        """True if all records have been given."""
        return self.is_exhausted and self._given == self._taken

    def next_shard(self, size: int) -> Shard[Input] | None:
        """Return a shard that is to be done again, or else of up to `size` new inputs; None where there is none for
        now.
        """
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
        """Have shards done before all others."""
        self._again.extendleft(reversed(shards))

    def note(self, place: int, record: Record[Value]) -> None:
        """The record of the input at a place."""
        self._records[place] = record

    def in_order(self) -> Iterator[Record[Value]]:
        """Return the records that are next in order, as far as they are there."""
        while self._given in self._records:
            record = self._records.pop(self._given)
            self._given += 1
            yield record


# Writing to a closed pipe or socket raises an error instead of ending the program


@contextmanager
def pipes_that_fail() -> Iterator[None]:
    """Return a pipe or socket to a process that has ended raises an error, where the program would end with standard
    output.

    Nothing is changed in other threads than the first, for signals are handled there alone.
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
"""So long a shard should take: long beside the way through a pipe, short beside a run."""
MAX_AHEAD: Final = 2**15
"""So many bytes of a shard fit into a pipe in any system, whether or not they are read."""
START_SECONDS: Final = 60.0
"""A process that is not forked may take so long until it has its job: that is no time of an input."""
DEFAULT_LIMITS: Final = WorkerLimits()


@dataclass(eq=False, slots=True)
class Worker(Generic[Input]):
    """A process with the shards that it was sent: it is at the first, and has the second in its pipe."""

    process: BaseProcess
    connection: Connection
    at: Any
    """Shared with the process: its `value` is the index in its shard of the input that it works on."""
    shards: deque[Shard[Input]] = field(default_factory=deque)
    heard: float = 0.0
    """When it last gave a sign, or was given work while it had none; until it is ready, when it should be."""
    reason: str | None = None
    """Why it was ended, where it did not end by itself."""


@frozen
class Pool:
    """An executor with `jobs` processes, each with `limits` for every input. Raises WorkersError.

    Processes are forked where that is safe, and have all that this one has learned; elsewhere the job is sent to them.
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
    """The processes of a pool, which do one job on one iterator of inputs after the other, until they are closed."""

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
        """Return all records in order. Who does not ask for all of them closes the processes."""
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
        """Send a shard to a process; False where it is too large to wait in a pipe that nobody reads now."""
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
        with suppress(OSError):  # of a process that has died, which is seen where it is listened to
            worker.connection.send_bytes(content)
        return True

    # listening

    def _listen(self) -> None:
        """Take what processes send, until there is something; end those that have been silent for too long."""
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
                worker.reason = f"after more than {seconds:g} seconds"
                worker.process.kill()
                self._bury(worker)

    def _hear(self, worker: Worker[Input]) -> None:
        try:
            said: list[Record[Value]] | str = worker.connection.recv()
        except (EOFError, OSError):
            self._bury(worker)
            return
        worker.heard = monotonic()
        if said == READY:
            return
        if isinstance(said, str):
            most = self._pool.limits.memory
            worker.reason = f"for it needed more memory than {'there is' if most is None else f'{most:,} MiB'}"
            return
        shard = worker.shards[0]
        for record in said:
            self._sharding.note(shard.places[shard.done], record)
            shard.done += 1
        if shard.done == len(shard.inputs):
            worker.shards.popleft()
        self._lost_in_a_row = 0
        self._done += len(said)
        took = (monotonic() - self._began) * self._pool.jobs
        self._size = size_of_shard(SHARD_SECONDS, self._done, took, self._pool.largest_shard)

    def _bury(self, worker: Worker[Input]) -> None:
        """Put a new process in the place of one that has ended, and have its work done again."""
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
        told = f"the process that worked on it ended twice: {reason}"
        self._sharding.note(place, Failure(given.id, told, lost=True))
        self._lost_in_a_row += 1
        if self._lost_in_a_row == MAX_LOST:
            raise WorkersError(
                f"the processes that worked on the last {MAX_LOST} sentences ended: {reason}\n"
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
        with clock.held():  # what modules do at a fork swallows errors, and would leave their locks taken
            process.start()
        theirs.close()
        return Worker(process, ours, at, heard=monotonic() + START_SECONDS)


@contextmanager
def _frozen() -> Iterator[None]:
    """Hide present objects from the garbage collector, so that forked processes go on sharing them."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _may_fork() -> bool:
    """True if a copy of this process can go on: other threads would be missing in it, and libraries of macOS fail."""
    return hasattr(os, "fork") and sys.platform != "darwin" and threading.active_count() == 1


def _say_goodbye(worker: Worker[Any]) -> None:
    with suppress(OSError):
        worker.connection.send(None)


def _how_it_ended(code: int | None) -> str:
    if code is None or code >= 0:
        return f"with the exit code {code}"
    try:
        return f"by the signal {signal.Signals(-code).name}"
    except ValueError:
        return f"by the signal {-code}"
