"""Held while a sentence is searched: one at a time fills the tables of a grammar, whatever threads there are."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Lock, get_ident
from typing import Final
from weakref import WeakMethod, WeakSet

from numbat.errors import UsageError


class SearchLock:
    """A lock that is not waited for in vain: by the thread that holds it, or in a process that was forked meanwhile.

    There the thread that held it does not exist, and what it was at will never be finished: the lock is free, and
    `begin_anew`, a method, has to forget the tables that were being filled.
    """

    def __init__(self, begin_anew: Callable[[], object]) -> None:
        self._lock = Lock()
        self._owner: int | None = None
        self._begin_anew = WeakMethod(begin_anew)  # what the lock belongs to should go as soon as nobody needs it
        _LOCKS.add(self)

    def __enter__(self) -> None:
        """Raises UsageError where this thread holds it: a clock asks the parser that asks the clock."""
        if self._owner == get_ident():
            raise UsageError(
                "this parser is at a sentence already: its clock asks it for another one\n"
                "  give the clock a parser of its own, or ask when the sentence is done"
            )
        self._lock.acquire()
        self._owner = get_ident()

    def __exit__(self, *error: object) -> None:
        self._owner = None
        self._lock.release()

    def after_fork(self) -> None:
        """Free the lock, and begin anew, if another thread held it when this process was forked."""
        if self._lock.locked() and self._owner != get_ident():
            self._lock, self._owner = Lock(), None
            begin_anew = self._begin_anew()
            if begin_anew is not None:
                begin_anew()


_LOCKS: Final[WeakSet[SearchLock]] = WeakSet()


def _after_fork() -> None:
    for lock in list(_LOCKS):
        lock.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
