"""One loop over many inputs, for every verb that has one.

A job is a function of one input. A run gives a record for each input, in their order: what the job made of it, or why
it made nothing. An input that cannot be read or parsed is such a record, and ends no run; what ends one early is an
interrupt (Ctrl-C), or a clock that says that the time for all of them is up, and `stopped_by` tells it afterwards.

    run = BatchRun(ParseJob(parser), sentences)
    for record in run:
        match record:
            case Success(id, parsed): ...
            case Failure(id, reason): ...

How the job comes to the inputs is an argument of the run, an `Executor`. Here is the one that works in this process.
Jobs and inputs should pickle, for an executor may hand them to other processes.
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
"""What `stopped_by` of a run may be: an interrupt or the end of the time."""


class Named(Protocol):
    """An input with the name by which records and messages refer to it."""

    @property
    def id(self) -> str: ...


Input = TypeVar("Input", bound=Named)
Value = TypeVar("Value")
Value_co = TypeVar("Value_co", covariant=True)

Job = Callable[[Input], Value]
"""Makes a value of one input; a DataError that it raises is about this input alone."""


@frozen
class Success(Generic[Value_co]):
    """The result of a job for an input."""

    id: str
    value: Value_co


@frozen
class Failure:
    """An input of which nothing was made, and the reason in words. `error` is given where the input is wrong.

    An input that could not even be read has no `id`; the reason begins with its place. `lost`: the input could be read,
    but ended the process that worked on it, or what it met was not foreseen.
    """

    id: str
    reason: str
    error: DataError | None = None
    lost: bool = False

    def as_error(self) -> DataError:
        """Return the reason as an error."""
        return self.error or DataError(f"{self.id}: {'lost: ' * self.lost}{self.reason}")


Record = Success[Value] | Failure


class Executor(Protocol):
    """Gives the records of inputs in their order; takes an input only when there is work for it.

    `total` is the number of inputs where it is known.
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
    """Return the record of one input."""
    if isinstance(given, DataError):
        return Failure("", str(given), given)
    clock.renew()
    try:
        return Success(given.id, job(given))
    except DataError as error:
        return Failure(given.id, str(error), error)
    except clock.OutOfTime:
        running = clock.running()
        assert running is not None, "it has raised this"
        if running.is_of_all:
            raise
        over = clock.over(running.seconds)
        return Failure(given.id, str(over), over)


def in_this_process(
    job: Job[Input, Value], inputs: Iterator[Input | DataError], total: int | None = None
) -> Iterator[Record[Value]]:
    """One input after the other, each when its record is asked for."""
    return (attempt(job, given) for given in inputs)


class BatchRun(Generic[Input, Value]):
    """A job done on many inputs: iterating over it does the work and gives the records.

    `overdue` is the clock of the whole run: when the time is up no further input is taken. `stopped_by` says what
    ended the run before the end of its inputs, `INTERRUPT` or `SECONDS`; None where nothing did. A run is gone through
    once.
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
        """Return the inputs, as long as there is time."""
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
                self._records.close()  # it may have processes at work
            clock.renew()

    def hand_on(self, take: Callable[[Record[Value]], object]) -> None:
        """Give every record to a function as soon as it is there.

        An interrupt ends the run, and never in the middle of the function: what it writes, it writes whole.
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
        """Return the records, for who can do nothing with a part of them. Raises what `check_whole` raises."""
        yield from self
        self.check_whole()

    def values(self) -> Iterator[Value]:
        """Return the results of all inputs, for callers that need all of them.

        Raises the DataError of the first input of which nothing was made, and what `check_whole` raises.
        """
        for record in self:
            if isinstance(record, Failure):
                raise record.as_error()
            yield record.value
        self.check_whole()

    def check_whole(self) -> None:
        """Raises KeyboardInterrupt after a run that was interrupted, and DataError where the time was up."""
        if self.is_interrupted:
            raise KeyboardInterrupt
        if self.stopped_by is not None:
            raise DataError(f"the time for all was up after {self.successes} inputs\n  give more, or fewer inputs")


class Interrupts:
    """Holds back an interrupt (SIGINT) for a while, in the block of a `with`; a second one is raised at once.

    Where a program handles interrupts in a way of its own, or in another thread, nothing is changed.
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
        """From now on an interrupt waits, and the end of the time."""
        self._waits = True
        clock.hold(True)

    def wait_no_more(self) -> None:
        """Raises KeyboardInterrupt if an interrupt has been waiting."""
        self._waits = False
        clock.hold(False)
        if self._came:
            raise KeyboardInterrupt


@contextmanager
def held_back() -> Iterator[None]:
    """Nothing in the block is interrupted: an interrupt comes behind it, but for a second one."""
    with Interrupts() as interrupts:
        interrupts.wait()
        yield
        interrupts.wait_no_more()
