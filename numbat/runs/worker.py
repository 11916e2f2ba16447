"""What a process does that works for a run: shards of inputs come through a pipe, records go back through it.

Whoever runs the process speaks first: a shard is a list of inputs, None is the end. Records are sent as soon as some
time has passed since the last ones were, so that silence tells of an input that takes long.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from numbat.records import frozen
from numbat.runs.loop import Failure, Job, Record, attempt

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

SILENCE: Final = 0.05
"""Seconds after which a finished record is sent without waiting for others of its shard."""
READY: Final = "ready"
"""What a process says when it has its job and waits for a shard."""
OUT_OF_MEMORY: Final = "memory"
"""What a process says before it ends because an input needs more memory than it may take."""
MEBIBYTE: Final = 2**20


@frozen
class WorkerLimits:
    """What one input may take in a process of its own: seconds, and mebibytes of the address space of the process.

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
) -> None:
    """Do a job on all shards that come.

    `at` is shared with the process that started this one: its `value` is the index in the shard of the input that is
    worked on. `others` are ends of pipes that belong to that process.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the process that people see
    for other in others:
        other.close()
    try:
        if limits.memory is not None:
            _limit_memory(limits.memory)
        connection.send(READY)
        while (shard := connection.recv()) is not None:
            _work(connection, job, shard, at)
    except (EOFError, OSError):  # nobody is there any more
        pass
    finally:
        connection.close()


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
        connection.send(records)


def _attempt(job: Job[Any, Any], given: Any) -> Record[Any]:
    """The record of one input: an error that nobody foresaw loses it, and no other."""
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
