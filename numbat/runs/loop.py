"""The loop over many inputs that all verbs (commands of Numbat) use.

A job is a function of one input. A run yields a record for each input, in order: the result of the job, or the reason
why there is no result. An input that cannot be read or parsed does not end the run; an interrupt (Ctrl-C) does, or a
limit on the seconds for all inputs: `stopped_by` says which.

    run = BatchRun(ParseJob(parser), sentences)
    for record in run:
        match record:
            case Success(id, parsed): ...
            case Failure(id, reason): ...

An `Executor` applies the job to the inputs. The one in this module does so in this process, others use several
processes; therefore, jobs and inputs should be picklable.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType
from typing import Final, Generic, Protocol, TypeVar

from numbat import clock
from numbat.errors import DataError
from numbat.parsing.policies import Overdue, never
from numbat.records import frozen

INTERRUPT: Final = "interrupt"
SECONDS: Final = "seconds"
"""Values of `BatchRun.stopped_by`: an interrupt ended the run, or the time was up."""


class Named(Protocol):
    """An input with a name, `id`, for records and messages."""

    @property
    def id(self) -> str: ...


Input = TypeVar("Input", bound=Named)
Value = TypeVar("Value")
Value_co = TypeVar("Value_co", covariant=True)

Job = Callable[[Input], Value]
"""Function that returns the result for an input. If it raises a DataError, only this input has no result."""


@frozen
class Success(Generic[Value_co]):
    """The result of a job for an input."""

    id: str
    value: Value_co


@frozen
class Failure:
    """An input without a result, and the reason in words; `error` is the error if something is wrong with the input.

    If the input could not be read, `id` is empty and the reason begins with the input's place. `lost`: the input could
    be read, but the job ended its process or raised an unexpected error.
    """

    id: str
    reason: str
    error: DataError | None = None
    lost: bool = False

    def as_error(self) -> DataError:
        """Return the reason as an error that names the input."""
        return self.error or DataError(f"{self.id}: {'lost: ' * self.lost}{self.reason}")


Record = Success[Value] | Failure


class Executor(Protocol):
    """Function that does a job on inputs and yields their records in order.

    It takes an input only when work on it can begin. `total` is the number of inputs, if it is known.
    """

    def __call__(
        self, job: Job[Input, Value], inputs: Iterator[Input | DataError], total: int | None = None
    ) -> Iterator[Record[Value]]: ...


def cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def attempt(job: Job[Input, Value], given: Input | DataError) -> Record[Value]:
    """Do a job on one input and return its record; an error instead of an input becomes a `Failure`."""
    if isinstance(given, DataError):
        return Failure("", str(given), given)
    clock.renew()
    try:
        return Success(given.id, job(given))
    except DataError as error:
        return Failure(given.id, str(error), error)
    except clock.OutOfTime:
        running = clock.running()
        assert running is not None, "the clock raised the error"
        if running.is_of_all:
            raise
        over = clock.over(running.seconds)
        return Failure(given.id, str(over), over)


def in_this_process(
    job: Job[Input, Value], inputs: Iterator[Input | DataError], total: int | None = None
) -> Iterator[Record[Value]]:
    """Do the job on the inputs one by one, each when its record is requested."""
    return (attempt(job, given) for given in inputs)


class BatchRun(Generic[Input, Value]):
    """A job on many inputs: iterating over the run, which is possible once, does the job and yields the records.

    An interrupt ends the iteration, as if there were no more inputs; callers that need all take `whole` or `values`.
    `overdue` is the clock for the whole run: no further input is taken after it has run out. `stopped_by` says what
    ended the run early: `INTERRUPT`, `SECONDS`, or None.
    """

    def __init__(
        self,
        job: Job[Input, Value],
        inputs: Iterable[Input | DataError],
        overdue: Overdue = never,
        executor: Executor = in_this_process,
        total: int | None = None,
    ) -> None:
        self.successes = 0
        self.failures = 0
        self.stopped_by: str | None = None
        self._overdue = overdue
        self._records = executor(job, self._taken(inputs), total)

    @property
    def is_interrupted(self) -> bool:
        """True if an interrupt ended the run."""
        return self.stopped_by == INTERRUPT

    def _taken(self, inputs: Iterable[Input | DataError]) -> Iterator[Input | DataError]:
        """Yield the inputs while there is time."""
        for given in inputs:
            if self._overdue():
                self.stopped_by = SECONDS
                return
            yield given

    def __iter__(self) -> Iterator[Record[Value]]:
        try:
            while (record := next(self._records, None)) is not None:
                self.successes += isinstance(record, Success)
                self.failures += isinstance(record, Failure)
                yield record
        except KeyboardInterrupt:
            self.stopped_by = INTERRUPT
        finally:
            if isinstance(self._records, Generator):
                self._records.close()  # the executor may have processes that are still running
            clock.renew()

    def hand_on(self, take: Callable[[Record[Value]], object]) -> None:
        """Call `take` with every record as soon as it is available.

        An interrupt ends the run, but never in the middle of `take`, so that `take` can write whole records.
        """
        try:
            with Interrupts() as interrupts:
                for record in self:
                    interrupts.wait()
                    take(record)
                    interrupts.wait_no_more()
        except KeyboardInterrupt:
            self.stopped_by = INTERRUPT

    def whole(self) -> Iterator[Record[Value]]:
        """Yield the records, for callers that cannot use an incomplete run. At the end, raises as `check_whole`."""
        yield from self
        self.check_whole()

    def values(self) -> Iterator[Value]:
        """Yield the results for all inputs. Raises the first failure as a DataError, and finally as `check_whole`."""
        for record in self:
            if isinstance(record, Failure):
                raise record.as_error()
            yield record.value
        self.check_whole()

    def check_whole(self) -> None:
        """Raise KeyboardInterrupt if the run was interrupted, and DataError if its time was up."""
        if self.is_interrupted:
            raise KeyboardInterrupt
        if self.stopped_by is not None:
            raise DataError(
                f"the time limit was reached after {self.successes} inputs\n  give more time, or fewer inputs"
            )


class Interrupts:
    """Holds back an interrupt (SIGINT) in the block of a `with`; a second interrupt is raised at once.

    Nothing is held back outside the main thread, or if the program has a handler for interrupts of its own.
    """

    def __init__(self) -> None:
        self._waits = self._came = False
        self._is_ours = False

    def __enter__(self) -> Interrupts:
        is_main = current_thread() is main_thread()
        self._is_ours = is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if self._is_ours:
            signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *raised: object) -> None:
        clock.hold(False)
        if self._is_ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if not self._waits or self._came:
            raise KeyboardInterrupt
        self._came = True

    def wait(self) -> None:
        """Hold back interrupts and the end of the time from now on."""
        self._waits = True
        clock.hold(True)

    def wait_no_more(self) -> None:
        """Stop holding back interrupts. Raises KeyboardInterrupt if one came in the meantime."""
        self._waits = False
        clock.hold(False)
        if self._came:
            raise KeyboardInterrupt


@contextmanager
def held_back() -> Iterator[None]:
    """Delay an interrupt until the end of the block of a `with`; a second interrupt is raised at once."""
    with Interrupts() as interrupts:
        interrupts.wait()
        yield
        interrupts.wait_no_more()
