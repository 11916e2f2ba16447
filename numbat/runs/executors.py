"""Executors: this process, several processes, or a cluster, as settings ask for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Final, TypeVar

from numbat.errors import DataError, UsageError
from numbat.runs.loop import Executor, Job, Named, Record, attempt, cores, in_this_process
from numbat.runs.settings import RunSettings

if TYPE_CHECKING:
    from numbat.runs.pool import WorkerLimits


Input = TypeVar("Input", bound=Named)


Value = TypeVar("Value")


MANY: Final = 200
"""So many sentences are worth processes of their own where nobody says how many there are to be."""
WARM_UP: Final = 5.0
"""Seconds of work that are worth them, and after which most of what sentences share is known."""


def executor_of(settings: RunSettings, as_they_come: bool = False, many: int = MANY) -> Executor:
    """Return the executor that is asked for.

    Where nobody asks it is this process for few inputs, and for those that are answered as they come; all cores where
    there are so `many`. Raises UsageError for a number of processes beside a cluster that has its own.
    """
    if settings.cluster is not None:
        return _cluster_of(settings.cluster, settings.jobs, _limits(settings))
    jobs = settings.jobs or (1 if as_they_come else cores())
    if jobs == 1:
        return in_this_process

    def in_processes(
        job: Job[Input, Value], inputs: Iterator[Input | DataError], total: int | None = None
    ) -> Iterator[Record[Value]]:
        from numbat.runs.pool import Pool

        return Pool(jobs, _limits(settings))(job, inputs, total)

    return in_processes if settings.jobs else IfMany(in_processes, many)


def _limits(settings: RunSettings) -> WorkerLimits:
    from numbat.runs.pool import WorkerLimits

    return WorkerLimits(settings.kill_after or None, settings.max_memory)


def _cluster_of(address: str, jobs: int | None, limits: WorkerLimits) -> Executor:
    from numbat.runs.cluster import LOCAL, Cluster

    if jobs is not None and address != LOCAL:
        raise UsageError(
            f"--jobs and --cluster {address}\n  a cluster has the workers that it has: leave --jobs out, or take local"
        )
    return Cluster(address, jobs, limits)


@dataclass(slots=True)
class IfMany:
    """Works in this process at first, and on what is left as `many` does, where there is enough to make that pay.

    Other processes begin with what this one has learned by then: forked from it they have the states of automata that
    most sentences need. `fewest` inputs and `seconds` are worked on here. Where `many` has worked once it does the next
    runs too: they go on with what the first one left.
    """

    many: Executor
    fewest: int = MANY
    seconds: float = WARM_UP
    _have_been: bool = False

    def __call__(
        self, job: Job[Input, Value], inputs: Iterator[Input | DataError], total: int | None = None
    ) -> Iterator[Record[Value]]:
        done, began = 0, monotonic()
        while not self._have_been and (done < self.fewest or monotonic() - began < self.seconds):
            given = next(inputs, None)
            if given is None:
                return
            yield attempt(job, given)
            done += 1
        self._have_been = True
        yield from self.many(job, inputs, total)
