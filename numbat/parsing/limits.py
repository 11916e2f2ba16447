"""Where a search stops at the latest: the limits of a sentence, and clocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from time import monotonic
from typing import Any, SupportsIndex

from numbat.errors import UsageError
from numbat.records import frozen
from numbat.settings import setting

Overdue = Callable[[], bool]
"""A clock: says whether the time is up."""


def never() -> bool:
    """The clock of a search without a limit of seconds: the time is never up."""
    return False


def _limit(default: int | None, option: str, help: str) -> Any:
    return setting(default, option, help, least=1, advanced=True)


@frozen
class Limits:
    """Where the search for a sentence stops at the latest; None is no limit.

    A parse whose search met one names it (`stopped_by`) and is the best that was found by then. `seconds` bounds every
    search; `items` what the exact engine builds, or the search by expansions; `rounds`, `assignments` and
    `constituents` the phases engine. `states` makes the exact engine an approximation: it keeps no more than so many
    unfinished constituents over any span, the cheapest; where the items do not suffice it takes such numbers by itself
    (`exact.beam_budget`). `width` is the k of the `beam` election.
    """

    rounds: int | None = _limit(None, "--max-rounds", "Stop a sentence after so many rounds (phases engine).")
    assignments: int | None = _limit(
        50_000,
        "--max-assignments",
        "Stop a sentence after so many assignments (phases engine) and give the best so far.",
    )
    constituents: int | None = _limit(
        None, "--max-constituents", "Stop a sentence after so many constituents (phases engine)."
    )
    seconds: float | None = setting(None, "--max-seconds", "Stop a sentence after so many seconds.", above=0)
    items: int | None = _limit(
        600_000,
        "--max-items",
        "Stop a sentence after so many items (exact engine; with --expansions by default 3000000).",
    )
    states: int | None = _limit(
        None,
        "--max-states",
        "Approximate: keep only so many unfinished constituents over any span, the cheapest (exact engine).",
    )
    width: int = _limit(5, "--beam", "The k of the election beam.")

    def __post_init__(self) -> None:
        for each in fields(self):
            name, number = each.name, getattr(self, each.name)
            if number is None:
                continue
            fits = isinstance(number, SupportsIndex) or (name == "seconds" and isinstance(number, float))
            if not fits:
                wanted = "a number" if name == "seconds" else "a whole number"
                raise UsageError(f"the limit of {name} must be {wanted}, found {number!r}\n  None is no limit")
            if not number > 0:
                raise UsageError(f"the limit of {name} must be above 0, found {number}\n  None is no limit")

    def clock(self) -> Overdue:
        """What tells whether the seconds are over, counted from now."""
        if self.seconds is None:
            return never
        end = monotonic() + self.seconds
        return lambda: monotonic() > end

    def told(self, name: str) -> str:
        """A limit as a parse names the one that it met: `items (300,000)`, `states (5 a span)`, `seconds (0.5)`.

        `seconds` alone where a clock was given without a limit.
        """
        number = getattr(self, name)
        if number is None:
            return name
        figure = f"{number:g}" if name == "seconds" else f"{number:,}"
        return f"{name} ({figure} a span)" if name == "states" else f"{name} ({figure})"
