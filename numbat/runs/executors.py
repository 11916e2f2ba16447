"""Choose the executor for a run from its settings: this process, several processes, or a cluster."""

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
"""Number of sentences after which several processes are used by default."""
WARM_UP: Final = 5.0
"""Seconds of work after which several processes are used by default: they then share most automaton states."""


def executor_of(settings: RunSettings, as_they_come: bool = False, many: int = MANY) -> Executor:
    """Return the executor for these settings.

    By default, this process does the work if inputs are few or come one by one (`as_they_come`), and after `many`
    inputs there is a process per core. Raises UsageError if `jobs` is given for a cluster that has its own workers.
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
            f"--jobs and --cluster {address} exclude each other\n  leave --jobs out, or use --cluster local"
        )
    return Cluster(address, jobs, limits)


@dataclass(slots=True)
class IfMany:
    """Works in this process at first, and by the executor `many` once `fewest` inputs and `seconds` have passed.

    Processes that are forked so late have the automaton states that most sentences need. Later runs use `many` at once.
    """

    many: Executor
    fewest: int = MANY
    seconds: float = WARM_UP
    _is_past: bool = False

    def __call__(
        self, job: Job[Input, Value], inputs: Iterator[Input | DataError], total: int | None = None
    ) -> Iterator[Record[Value]]:
        done, began = 0, monotonic()
        while not self._is_past and (done < self.fewest or monotonic() - began < self.seconds):
            given = next(inputs, None)
            if given is None:
                return
            yield attempt(job, given)
            done += 1
        self._is_past = True
        yield from self.many(job, inputs, total)
