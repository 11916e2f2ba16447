"""A clock for a pool of processes that advances only while a process hangs.

So no other input of a test can take too long, however busy the machine is.
"""

from __future__ import annotations

from multiprocessing import connection
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from numbat.runs import pool
from tests.run_jobs import LOOK_SECONDS, for_ever


class PoolTime:
    """A clock that advances by the time that the pool would wait for a process that reports to hang."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self._sign = folder / "hangs"
        self._ahead = 0.0
        self._wait = connection.wait
        monkeypatch.setattr(pool, "monotonic", lambda: monotonic() + self._ahead)
        monkeypatch.setattr(connection, "wait", self._waited)

    def hang(self) -> None:
        """In a process of the pool: work until the process is ended."""
        self._sign.touch()
        for_ever()

    def _waited(self, busy: list[Any], patience: float) -> list[Any]:
        while not (ready := self._wait(busy, LOOK_SECONDS)):
            if len(busy) == 1 and self._sign.exists():
                self._sign.unlink()
                self._ahead += patience + LOOK_SECONDS
                break
        return ready
