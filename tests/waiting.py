"""Waiting for a sign: a file, a line, a state. No test waits for a moment, and none is lost on a busy machine."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic, sleep
from typing import Final

PATIENCE: Final = 600.0
"""Seconds after which a sign will not come any more, however busy the machine is."""
LOOK: Final = 0.01
"""Seconds between two looks."""


def until(has_come: Callable[[], object]) -> None:
    """Wait for an event, and fail if it does not happen."""
    end = monotonic() + PATIENCE
    while not has_come():
        assert monotonic() < end, f"no sign after {PATIENCE:g} seconds"
        sleep(LOOK)
