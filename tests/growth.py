"""Growth of CPU time with the size of a task: a ratio, which is the same on a slow or a busy machine."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from time import process_time
from typing import Final

LEAST: Final = 0.002
"""Seconds below which a measurement is too inexact."""
ROUNDS: Final = 20


def growth(work: Callable[[int], object], size: int, times: int = 8, limit: float = 24) -> float:
    """Return the ratio of the times for two sizes, one `times` larger than the other; linear growth gives `times`.

    Both sizes are measured in turn, and the fastest runs compared, until the ratio is below `limit`: other work on the
    machine makes a run slower and never faster, so growth that is too fast stays above it in all rounds.
    """
    small = large = found = inf
    for _ in range(ROUNDS):
        small = min(small, *(seconds(work, size) for _ in range(3)))
        large = min(large, seconds(work, times * size))
        found = large / max(small, LEAST)
        if found < limit:
            break
    return found


def seconds(work: Callable[[int], object], size: int) -> float:
    """The CPU time of a run."""
    began = process_time()
    work(size)
    return process_time() - began
