"""The clock of a command: work that takes longer than it may is ended where it stands.

`limited` starts a clock for the work in its block, `renew` gives a new piece of work, a sentence say, all the time
again. The thread that works is made to ask the clock, whatever it is at: in the first thread by a signal of a timer, in
others, and where there is no such signal, by the interpreter. Where the time is up `OutOfTime` is raised there, which
no handler of errors catches; the block raises DataError in its place.
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
"""Seconds beyond the limit of a piece of work after which it is ended if it has not ended by itself, as a search does.
What has a limit for all of it is ended at once."""
AGAIN: Final = 0.25
"""Seconds after which the clock is asked again, where something has held it back."""
CLEAN_UP: Final = 5.0
"""Seconds that work which is ended has for what it does at its end, before it is ended again."""
REMEDY: Final = "give more with --max-seconds, or less to do at once"


class OutOfTime(BaseException):
    """The time of a piece of work is up; no error of the work, and caught where a piece of work ends alone."""


class Clock:
    """A limit of seconds on the work of this thread. `is_held`: nothing is ended now, for something is half done.

    With `is_of_all` no piece of the work has all the time again.
    """

    def __init__(self, seconds: float, is_of_all: bool = False) -> None:
        self.seconds = seconds
        self.is_of_all = is_of_all
        self.grace = 0.0 if is_of_all else GRACE
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
        """Raises OutOfTime where the time is up and nothing holds the clock."""
        if self._is_up():
            raise OutOfTime

    def _is_up(self) -> bool:
        """True if the work ends now; then it has some time to clean up before it is ended once more."""
        is_up = self._is_on and not self.is_held and not self._pauses and monotonic() >= self._end
        if is_up:
            self._end = monotonic() + CLEAN_UP
        return is_up

    def renew(self) -> None:
        """Give all the time again."""
        self._end = monotonic() + self.seconds + self.grace

    def start(self) -> None:
        """Begin to count."""
        self.renew()
        self._is_on = True
        if self._by_signal:
            self._before = signal.signal(signal.SIGALRM, self._alarm)
            signal.setitimer(signal.ITIMER_REAL, self.seconds + self.grace, AGAIN)
        elif sys.platform != "emscripten":
            self._wait(self.seconds + self.grace)

    def stop(self) -> None:
        """End: nothing is raised from here on."""
        self._is_on = False
        if self._by_signal:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._before or signal.SIG_DFL)
        elif self._timer is not None:
            with suppress(OutOfTime):
                with self._lock:
                    self._timer.cancel()
                for _ in range(100 if self._rang else 0):  # what has not come yet comes here
                    pass

    def _alarm(self, number: int, frame: FrameType | None) -> None:
        """Ask, unless the block is just being left: an exception there would leave the clock running."""
        if frame is None or frame.f_code not in _LEAVING:
            self.ask()

    def pause(self) -> None:
        """Count nothing until `go_on`: others work."""
        self._pauses += 1

    def go_on(self) -> None:
        """Count on after a pause, with all the time again."""
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
    """Have the interpreter raise `OutOfTime` in a thread. It cannot be taken back: CPython would look for what is no
    longer there at each step of all threads from then on.
    """
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(OutOfTime))


class _Here(threading.local):
    clock: Clock | None = None


_here: Final = _Here()


def running() -> Clock | None:
    """Return the clock of this thread, None where none runs."""
    return _here.clock


@contextmanager
def limited(seconds: float | None, remedy: str = REMEDY, is_of_all: bool = False) -> Iterator[None]:
    """End the work in the block after so many seconds, of each piece of it or of all; None is no limit.

    A clock within another one counts alone. Raises DataError where the time is up.
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
"""What runs between the end of a block that is limited and that of its clock."""


def over(seconds: float, remedy: str = REMEDY) -> DataError:
    """Return the error of work that was ended."""
    return DataError(f"the time is up after {seconds:g} seconds\n  {remedy}")


def forget() -> None:
    """In a process that was forked: its clock is that of another process, whose timer stayed there."""
    _here.clock = None


def renew() -> None:
    """A new piece of work begins: it has all the time of the clock that runs, if one does that is not of all work."""
    if _here.clock is not None and not _here.clock.is_of_all:
        _here.clock.renew()


@contextmanager
def waiting() -> Iterator[None]:
    """While this thread waits for others that have clocks of their own, its clock stands, if it is not of all work."""
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
    """Suspend or resume the deadline, so that a write is not cut off."""
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
