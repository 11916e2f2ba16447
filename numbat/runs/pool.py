"""Many processes for one run: shards of inputs go out, records come back in the order of the inputs.

A process that dies or hangs is made anew. The input that it was at is done again, alone; if it ends its process once
more it is lost, with the reason, and no other is. What comes back depends on neither the number of processes
nor the sizes of shards.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from numbat.errors import DataError, WorkersError
from numbat.records import frozen
from numbat.runs.closed_pipes import pipes_that_fail
from numbat.runs.loop import Failure, Job, Named, Record
from numbat.runs.shards import LARGEST_SHARD, MOST_LOST, Shard, Sharding, size_of_shard
from numbat.runs.worker import READY, WorkerLimits, serve

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

Input = TypeVar("Input", bound=Named)
Value = TypeVar("Value")

SHARD_SECONDS: Final = 0.25
"""So long a shard should take: long beside the way through a pipe, short beside a run."""
LARGEST_AHEAD: Final = 2**15
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
    largest_shard: int = LARGEST_SHARD

    def __call__(
        self, job: Job[Input, Value], inputs: Iterator[Input | DataError], total: int | None = None
    ) -> Iterator[Record[Value]]:
        """The records in the order of the inputs."""
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
        """All records in order. Who does not ask for all of them closes the processes."""
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
        if worker.shards and len(content) > LARGEST_AHEAD:
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
        if self._lost_in_a_row == MOST_LOST:
            raise WorkersError(
                f"the processes that worked on the last {MOST_LOST} sentences ended: {reason}\n"
                "  give each process more memory or time, or try one sentence with --jobs 1"
            )

    def _new_worker(self) -> Worker[Input]:
        ours, theirs = self._context.Pipe()
        forked = self._context.get_start_method() == "fork"
        others = [ours, *(worker.connection for worker in self._workers)] if forked else []
        at = self._context.RawValue("q")
        arguments = theirs, self._job, self._pool.limits, at, others
        process = self._context.Process(target=serve, args=arguments, daemon=True)
        process.start()
        theirs.close()
        return Worker(process, ours, at, heard=monotonic() + START_SECONDS)


@contextmanager
def _frozen() -> Iterator[None]:
    """What is there already is left alone by the garbage collector, so that forked processes go on sharing it."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _may_fork() -> bool:
    """Whether a copy of this process can go on: other threads would be missing in it, and libraries of macOS fail."""
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
