"""The clock of a command: it interrupts work that exceeds a limit of seconds.

`limited` starts a clock for the work in its block; `renew` gives the next item, such as a sentence, the full time. In
the main thread a timer signal checks the clock; in other threads, and on systems without such signals, a timer thread
does. When the time is up `OutOfTime` is raised in the working thread, which no handler of errors catches;
the block then raises DataError instead.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import _GeneratorContextManager, contextmanager, suppress
from time import monotonic
from types import FrameType
from typing import Any, Final

from numbat.errors import DataError

GRACE: Final = 0.3
"""Share of the limit, and of a second at least, by which an item may exceed the limit before it is interrupted.

In this time a search stops by itself and chooses the best of what it found, which takes the longer the longer it was.
Not used for a limit on all work together.
"""
AGAIN: Final = 0.25
"""Seconds between further checks of the clock after the limit."""
CLEAN_UP: Final = 5.0
"""Seconds that interrupted work has for cleaning up, before it is interrupted again."""
REMEDY: Final = "give more time with --max-seconds, or less input at once"


class OutOfTime(BaseException):
    """Raised when the time is up; not an Exception, so that only the end of the work catches it."""


class Clock:
    """A limit of seconds on the work of this thread, for each item, or with `is_of_all` for all work together.

    `is_held` delays the limit, because something is half done.
    """

    def __init__(self, seconds: float, is_of_all: bool = False) -> None:
        self.seconds = seconds
        self.is_of_all = is_of_all
        self.grace = 0.0 if is_of_all else GRACE * max(1.0, seconds)
        self.is_held = False
        self._end = 0.0
        self._is_on = False
        self._pauses = 0
        self._thread = threading.get_ident()
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._rang = False
        is_first = threading.current_thread() is threading.main_thread()
        self._by_signal = is_first and hasattr(signal, "setitimer")
        self._before: Any = None

    def ask(self) -> None:
        """Raise OutOfTime if the time is up and the clock is not held."""
        if self._is_up():
            raise OutOfTime

    def _is_up(self) -> bool:
        """True if the work must end now; if so, the work gets `CLEAN_UP` seconds before it is interrupted again."""
        is_up = self._is_on and not self.is_held and not self._pauses and monotonic() >= self._end
        if is_up:
            self._end = monotonic() + CLEAN_UP
        return is_up

    def renew(self) -> None:
        """Give the full time again."""
        self._end = monotonic() + self.seconds + self.grace

    def start(self) -> None:
        """Start the clock."""
        self.renew()
        self._is_on = True
        if self._by_signal:
            self._before = signal.signal(signal.SIGALRM, self._alarm)
            signal.setitimer(signal.ITIMER_REAL, self.seconds + self.grace, AGAIN)
        elif sys.platform != "emscripten":
            self._wait(self.seconds + self.grace)

    def stop(self) -> None:
        """Stop the clock: it raises nothing from here on."""
        self._is_on = False
        if self._by_signal:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._before or signal.SIG_DFL)
        elif self._timer is not None:
            with suppress(OutOfTime):
                with self._lock:
                    self._timer.cancel()
                for _ in range(100 if self._rang else 0):  # a pending exception arrives here
                    pass

    def _alarm(self, number: int, frame: FrameType | None) -> None:
        """Check the clock, unless the block is being left: an exception there would leave the clock running."""
        if frame is None or frame.f_code not in _LEAVING:
            self.ask()

    def pause(self) -> None:
        """Stop counting until `go_on`, because other threads or an inner clock work."""
        self._pauses += 1

    def go_on(self) -> None:
        """Resume after a pause, with the full time."""
        self._pauses -= 1
        self.renew()

    def _wait(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._ring)
        self._timer.daemon = True
        self._timer.start()

    def _ring(self) -> None:
        with self._lock:
            if not self._is_on:
                return
            left = self._end - monotonic()
            if self._is_up():
                self._rang = True
                _raise_in(self._thread)
            self._wait(max(left, AGAIN))


def _raise_in(thread: int) -> None:
    """Make the interpreter raise `OutOfTime` in a thread.

    It must not be cancelled: CPython would then look for the exception at each step of all threads.
    """
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(OutOfTime))


class _Here(threading.local):
    clock: Clock | None = None


_here: Final = _Here()


def running() -> Clock | None:
    """Return the clock of this thread, None if there is none."""
    return _here.clock


@contextmanager
def limited(seconds: float | None, remedy: str = REMEDY, is_of_all: bool = False) -> Iterator[None]:
    """Interrupt the work in the block after `seconds`, for each item or for all together; None is no limit.

    An inner clock suspends the outer one. Raises DataError when the time is up.
    """
    if seconds is None:
        yield
        return
    outer, clock = _here.clock, Clock(seconds, is_of_all)
    if outer is not None:
        outer.pause()
    _here.clock = clock
    try:
        try:
            clock.start()
            yield
        finally:
            clock.stop()
            _here.clock = outer
            if outer is not None:
                outer.go_on()
                if outer._by_signal:
                    signal.setitimer(signal.ITIMER_REAL, outer.seconds + outer.grace, AGAIN)
    except OutOfTime:
        raise over(seconds, remedy) from None


_LEAVING: Final = {
    _GeneratorContextManager.__exit__.__code__,
    limited.__wrapped__.__code__,  # type: ignore[attr-defined]
    Clock.stop.__code__,
}
"""Code that runs between the end of a limited block and the end of its clock."""


def over(seconds: float, remedy: str = REMEDY) -> DataError:
    """Return the error for interrupted work."""
    return DataError(f"the time limit of {seconds:g} seconds was reached\n  {remedy}")


def forget() -> None:
    """Drop the clock after a fork: its timer belongs to the parent process."""
    _here.clock = None


def renew() -> None:
    """Give a new item the full time of the running clock, unless that limits all work together."""
    if _here.clock is not None and not _here.clock.is_of_all:
        _here.clock.renew()


@contextmanager
def waiting() -> Iterator[None]:
    """Pause the clock of this thread while it waits for others with clocks, unless it limits all work together."""
    clock = _here.clock
    if clock is None or clock.is_of_all:
        yield
        return
    clock.pause()
    try:
        yield
    finally:
        clock.go_on()


def hold(is_held: bool) -> None:
    """Suspend (`is_held`) or resume the deadline, so that a write is not cut off."""
    if _here.clock is not None:
        _here.clock.is_held = is_held


@contextmanager
def held() -> Iterator[None]:
    """Suspend the deadline for a block."""
    before = _here.clock is not None and _here.clock.is_held
    hold(True)
    try:
        yield
    finally:
        hold(before)
