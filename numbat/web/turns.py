"""Requests at work, one at a time, in the order in which they come; long ones give way to those that wait."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition


class Turns:
    """Whose turn it is."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._waiting: deque[object] = deque()
        self._new = 0
        self._is_busy = False

    @property
    def is_waited_for(self) -> bool:
        """Whether a request waits that has not begun yet."""
        return self._new > 0

    @contextmanager
    def turn(self) -> Iterator[None]:
        """The time in which one request is at work, once those that came before have ended or given way."""
        with self._changed:
            self._new += 1
            self._wait()
            self._new -= 1
        try:
            yield
        finally:
            with self._changed:
                self._end()

    def give_way(self) -> None:
        """Let those that wait go first; the request at work goes on behind them."""
        if self._waiting:
            with self._changed:
                self._end()
                self._wait()

    def _wait(self) -> None:
        me = object()
        self._waiting.append(me)
        self._changed.wait_for(lambda: not self._is_busy and self._waiting[0] is me)
        self._waiting.popleft()
        self._is_busy = True

    def _end(self) -> None:
        self._is_busy = False
        self._changed.notify_all()
