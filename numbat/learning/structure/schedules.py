"""How a structural bias changes while a model is learned: fixed, or annealed step by step (sections 3 to 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from numbat.errors import UsageError
from numbat.parsing.dependency_model.records import Bias

BiasKind = Literal["none", "locality", "segments"]
MOST_STEPS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Schedule:
    """A kind of bias and its values, one after the other; learning goes on from one to the next."""

    kind: BiasKind
    values: tuple[float, ...] = (0.0,)

    def bias(self, value: float) -> Bias:
        """The bias of that strength."""
        if self.kind == "locality":
            return Bias(locality=value)
        return Bias(breaks=value) if self.kind == "segments" else Bias()

    @property
    def name(self) -> str:
        """It in a few letters, as in tables: `locality -1:3`, `segments .5`."""
        if self.kind == "none":
            return "none"
        first, last = self.values[0], self.values[-1]
        return f"{self.kind} {first:g}" + (f":{last:g}" if len(self.values) > 1 else "")


NO_BIAS: Final = Schedule("none")


def steps(start: float, stop: float, step: float) -> tuple[float, ...]:
    """The values from start to stop, both included. Raises UsageError for a step that never gets there."""
    count = round((stop - start) / step) if step else -1
    if not 0 <= count < MOST_STEPS:
        raise UsageError(
            f"no way from {start:g} to {stop:g} by steps of {step:g}\n  write START:STOP:STEP, as -1:3:0.1"
        )
    return tuple(round(start + number * step, 10) for number in range(count + 1))


FIXED: Final[dict[BiasKind, tuple[Schedule, ...]]] = {
    "none": (NO_BIAS,),
    "locality": tuple(Schedule("locality", (value,)) for value in steps(-1.0, 0.2, 0.2)),
    "segments": tuple(Schedule("segments", (value,)) for value in steps(-1.0, 1.0, 0.2)),
}
"""What is tried where a bias is fixed."""
ANNEALED: Final[dict[BiasKind, tuple[Schedule, ...]]] = {
    "none": (NO_BIAS,),
    "locality": tuple(
        Schedule("locality", steps(start, 3.0, step)) for start, step in ((-1.0, 0.1), (-0.4, 0.05), (-0.2, 0.05))
    ),
    "segments": tuple(Schedule("segments", steps(start, -3.0, -0.1)) for start in (-0.5, 0.0, 0.5)),
}
"""What is tried where a bias is annealed."""
