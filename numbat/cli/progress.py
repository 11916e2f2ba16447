"""How far a run is: a bar with rate and time left on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from numbat.cli.printing import complain, redraw, say

if TYPE_CHECKING:
    from numbat.errors import DataError, NumbatError
    from numbat.runs.loop import Executor, Job, Record

Input = TypeVar("Input", bound=Any)
Value = TypeVar("Value")

FIRST_BAR, NEXT_BAR = 1.0, 0.2
FIRST_LINE, NEXT_LINE = 30.0, 60.0
"""Seconds until something is said, and between one time and the next: of a bar on a terminal, of lines elsewhere."""
WIDTH: Final = 24
"""Of a bar, in characters."""


@dataclass
class Progress:
    """Tells on standard error how far a run is; nothing if `quiet`. `what` is worked on, in the plural.

    On a terminal the bar stays in one line: `clear` takes it away before something else is said there, and so does the
    end of a block `with` it.
    """

    what: str = "sentences"
    quiet: bool = False
    total: int | None = None
    done: int = 0
    _began: float = field(default_factory=monotonic)
    _next: float | None = None
    _is_shown: bool = False

    def __post_init__(self) -> None:
        self._on_terminal = sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.clear()

    def advance(self) -> None:
        """One more is done."""
        self.done += 1
        if self.quiet:
            return
        now = monotonic()
        first, next_one = (FIRST_BAR, NEXT_BAR) if self._on_terminal else (FIRST_LINE, NEXT_LINE)
        if self._next is None:
            self._next = self._began + first
        if now >= self._next:
            self._next = now + next_one
            self._show(now - self._began)

    def clear(self) -> None:
        """Take the bar away, until the next one is drawn."""
        if self._is_shown:
            redraw("")
            self._is_shown = False

    def line(self, seconds: float) -> str:
        """What is told after so many seconds."""
        rate = self.done / seconds
        of = f" of {self.total:,}" if self.total is not None else ""
        left = f", {_duration((self.total - self.done) / rate)} left" if self.total is not None and rate else ""
        return f"{self.done:,}{of} {self.what}, {_rate(rate)}{left}"

    def _show(self, seconds: float) -> None:
        if not self._on_terminal:
            say(f"numbat: {self.line(seconds)}")
            return
        bar = ""
        if self.total:
            full = min(WIDTH, WIDTH * self.done // self.total)
            bar = f"[{'#' * full}{'-' * (WIDTH - full)}] "
        redraw(f"{bar}{self.line(seconds)}")
        self._is_shown = True

    def complain(self, error: NumbatError) -> None:
        """Tell an error in a line of its own."""
        self.clear()
        complain(error)

    def over(self, executor: Executor, runs: int = 1) -> Executor:
        """The executor, with what it has done told; `runs` of the same length are told as one.

        After these, another run begins anew.
        """

        def told(
            job: Job[Input, Value], inputs: Iterator[Input | DataError], total: int | None = None
        ) -> Iterator[Record[Value]]:
            if total is not None and (self.total is None or self.done >= self.total):
                self.total, self.done = total * runs, 0
                self._began, self._next = monotonic(), None
            try:
                for record in executor(job, inputs, total):
                    yield record
                    self.advance()
            finally:
                self.clear()

        return told


def _rate(each_second: float) -> str:
    return f"{each_second:,.0f} a second" if each_second >= 10 else f"{60 * each_second:,.0f} a minute"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
