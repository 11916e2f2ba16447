"""How a structural bias changes while a model is learned: fixed, or annealed step by step (sections 3 to 5)."""

from __future__ import annotations

from typing import Final, Literal

from numbat.errors import UsageError
from numbat.parsing.dependency_model.model import Bias
from numbat.records import frozen

BiasKind = Literal["none", "locality", "segments"]
MOST_STEPS: Final = 1_000
STRONGEST: Final = 20.0
"""Of a bias, in either direction: a link over one word then counts e^20 times another, or an e^20th."""


@frozen
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
        """It in a few letters, as in tables: `locality -1:3:0.1`, `segments 0.5`."""
        if self.kind == "none":
            return "none"
        first, last = self.values[0], self.values[-1]
        more = f":{last:.10g}:{round(self.values[1] - first, 10):.10g}" if len(self.values) > 1 else ""
        return f"{self.kind} {first:.10g}{more}"


NO_BIAS: Final = Schedule("none")


def steps(start: float, stop: float, step: float) -> tuple[float, ...]:
    """The values from start to stop, both included.

    Raises UsageError for a step that does not get there, and for values beyond what sums of trees can bear.
    """
    if not max(abs(start), abs(stop)) <= STRONGEST:
        raise UsageError(f"a bias from {start:g} to {stop:g}\n  values from -{STRONGEST:g} to {STRONGEST:g} are meant")
    exact = (stop - start) / step if step else -1.0
    count = round(exact) if abs(exact) < MOST_STEPS else -1
    if count < 0 or abs(exact - count) > 1e-6:
        raise UsageError(
            f"no way from {start:g} to {stop:g} by steps of {step:g}\n  write START:STOP:STEP, as -1:3:0.1"
        )
    return tuple(round(start + number * step, 10) for number in range(count + 1))


ANNEALED: Final[dict[BiasKind, tuple[Schedule, ...]]] = {
    "none": (NO_BIAS,),
    "locality": tuple(
        Schedule("locality", steps(start, 3.0, step)) for start, step in ((-1.0, 0.1), (-0.4, 0.05), (-0.2, 0.05))
    ),
    "segments": tuple(Schedule("segments", steps(start, -3.0, -0.1)) for start in (-0.5, 0.0, 0.5)),
}
"""What is tried where a bias is annealed."""
