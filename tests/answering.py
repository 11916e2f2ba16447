"""What a process answers in tests of `numbat.runs.children`; files in a folder are signs between it and a test."""

from __future__ import annotations

import os
import re
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

from numbat.parsing.policies import Overdue
from numbat.runs.children import Answering, Children
from tests.waiting import until

EXPONENTIAL: Final = "(a|a)*c"
"""A regular expression that takes years with a text of `a` alone, during which Python runs no other thread."""


class HandClock:
    """A clock that a test moves: limits are met when the test says so."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time

    def move(self, seconds: float, children: Children) -> None:
        """Move the clock after all that was asked, and before all that will be."""

        def act() -> None:
            self.time += seconds

        children._queue.put(act)


def answering(folder: Path) -> Answering:
    """Return a function that answers the calls below, each with its number in this process."""
    return partial(_answer, folder, count(1))


def _answer(folder: Path, numbers: count[int], request: tuple[str, str], is_superseded: Overdue) -> Any:
    call, given = request
    number = next(numbers)
    with (folder / given).open("a", encoding="utf-8") as begun:
        begun.write(f"{call}\n")
    if call == "hang":
        re.match(EXPONENTIAL, "a" * 100)
    elif call == "wait":
        until(lambda: is_superseded() or (folder / f"{given} may end").exists())
    elif call == "fill":
        bytearray(2**40)
    elif call == "crash":
        os._exit(7)
    elif call == "err":
        raise ValueError(given)
    return number, os.getpid(), is_superseded()
