"""How the CPU time of some work grows with its size: a ratio, which is the same on a slow or a busy machine."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

LEAST = 0.002
"""Seconds below which a clock tells little."""


def growth(work: Callable[[int], object], size: int, times: int = 8) -> float:
    """How many times longer a size takes that is so many times larger; about `times` where time grows in proportion."""
    return seconds(work, times * size, 2) / max(seconds(work, size, 4), LEAST)


def seconds(work: Callable[[int], object], size: int, runs: int) -> float:
    """The CPU time of the fastest of some runs, which nothing else has held up."""
    found = []
    for _ in range(runs):
        began = process_time()
        work(size)
        found.append(process_time() - began)
    return min(found)
