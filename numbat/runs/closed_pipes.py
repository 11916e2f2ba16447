"""Pipes and sockets to what has ended: an error where they are written to, and not the end of the program."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def pipes_that_fail() -> Iterator[None]:
    """A pipe or socket to a process that has ended raises an error, where the program would end with standard output.

    Nothing is changed in other threads than the first, for signals are handled there alone.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "SIGPIPE") or signal.getsignal(signal.SIGPIPE) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
