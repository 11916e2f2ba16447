"""Jobs of the processes of a run in tests; a separate module, because workers of a cluster import it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import sleep

from numbat.errors import DataError
from numbat.runs import cluster

LOOK_SECONDS = 0.02


@dataclass(frozen=True)
class Number:
    """An input."""

    id: str
    value: int


def numbers(end: int) -> Iterator[Number]:
    return (Number(f"n{value}", value) for value in range(end))


def for_ever() -> None:
    """Until the process is ended."""
    while True:
        sleep(LOOK_SECONDS)


def doubled(number: Number) -> int:
    return 2 * number.value


def unlucky(number: Number) -> int:
    if number.value % 13 == 0:
        raise DataError(f"{number.value} is unlucky")
    return doubled(number)


def poisonous(number: Number) -> int:
    if number.value == 20:
        os.kill(os.getpid(), signal.SIGKILL)
    if number.value == 40:
        return len(bytes(2**33))
    if number.value == 50:
        raise ZeroDivisionError("division by zero")
    return doubled(number)


def endless(number: Number) -> int:
    if number.value == 3:
        for_ever()
    return doubled(number)


def murderous(started: Path, mark: Path | None, number: Number) -> int:
    """Kill the dask worker that started this process; with `mark` only once.

    Wait until it is in the folder `started`, because dask does not replace a worker that ends before it has registered.
    """
    if number.value == 7 and (mark is None or not mark.exists()):
        if mark is not None:
            mark.touch()
        while not (started / str(os.getppid())).exists():
            sleep(LOOK_SECONDS)
        os.kill(os.getppid(), signal.SIGKILL)
        for_ever()
    return doubled(number)


def left_behind() -> tuple[int, int, list[int]]:
    """In a worker: how many jobs and processes it keeps."""
    from multiprocessing import active_children

    return len(cluster._jobs), len(cluster._idle), [each.pid or 0 for each in active_children()]


def process_of(number: Number) -> tuple[int, int]:
    return os.getppid(), os.getpid()
