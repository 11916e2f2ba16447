"""How a verb that works on many sentences runs: in how many processes, under which limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final, TypeVar

from numbat.commands.settings import RunSettings
from numbat.errors import DataError, UsageError
from numbat.runs.loop import Executor, Job, Named, Record, in_this_process
from numbat.runs.pool import Pool, cores
from numbat.runs.worker import WorkerLimits

Input = TypeVar("Input", bound=Named)
Value = TypeVar("Value")

MANY: Final = 200
"""So many sentences are worth processes of their own where nobody says how many there are to be."""


def executor_of(settings: RunSettings, as_they_come: bool = False, many: int = MANY) -> Executor:
    """The executor that is asked for. Where nobody asks it is this process for few inputs, and for those that are
    answered as they come; all cores where there are so `many`. Raises UsageError for a number of processes beside a
    cluster that has its own."""
    limits = WorkerLimits(settings.kill_after or None, settings.max_memory)
    if settings.cluster is not None:
        return _cluster_of(settings.cluster, settings.jobs, limits)
    jobs = settings.jobs or (1 if as_they_come else cores())
    if jobs == 1:
        return in_this_process
    pool = Pool(jobs, limits)
    return pool if settings.jobs else IfMany(pool, many)


def _cluster_of(address: str, jobs: int | None, limits: WorkerLimits) -> Executor:
    from numbat.runs.cluster import LOCAL, Cluster

    if jobs is not None and address != LOCAL:
        raise UsageError(
            f"--jobs and --cluster {address}\n  a cluster has the workers that it has: leave --jobs out, or take local"
        )
    return Cluster(address, jobs, limits)


@dataclass(slots=True)
class IfMany:
    """Works in this process where there are fewer than `fewest` inputs, and else as `many` does.

    Where there have been many once, `many` does the next runs too: they go on with what the first one left.
    """

    many: Executor
    fewest: int = MANY
    _have_been: bool = False

    def __call__(
        self, job: Job[Input, Value], inputs: Iterator[Input | DataError], total: int | None = None
    ) -> Iterator[Record[Value]]:
        first = [] if self._have_been else list(islice(inputs, self.fewest))
        self._have_been = self._have_been or len(first) == self.fewest
        executor = self.many if self._have_been else in_this_process
        return executor(job, chain(first, inputs), total)
