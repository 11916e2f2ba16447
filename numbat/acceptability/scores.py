"""Scores of parses, with the terms that make them up."""

from __future__ import annotations

from numbat.evaluation.constituents import Constituent
from numbat.records import frozen


@frozen
class PropertyCounts:
    """N+ and N-, T (the properties in the form of the construction), W+ and W-; they add up over constituents."""

    satisfied: int = 0
    violated: int = 0
    total: int = 0
    weight_satisfied: float = 0.0
    weight_violated: float = 0.0

    @property
    def evaluated(self) -> int:
        """E = N+ + N-."""
        return self.satisfied + self.violated

    def __add__(self, other: PropertyCounts) -> PropertyCounts:
        return PropertyCounts(
            self.satisfied + other.satisfied,
            self.violated + other.violated,
            self.total + other.total,
            self.weight_satisfied + other.weight_satisfied,
            self.weight_violated + other.weight_violated,
        )


@frozen
class Term:
    """The contribution of one phrase to a score: its counts, its own index (`local`), and `value` with all below it."""

    constituent: Constituent
    counts: PropertyCounts
    local: float
    value: float


@frozen
class Score:
    """The value of a model for a parse. `terms` are its phrases, `parts` the named numbers that the value is made of.

    `factor` is 1, or what the score of a parse that is not full, less `worst`, was multiplied by. Where `stopped_by` is
    set, the parse met that limit, so that a better one may exist.
    """

    model: str
    value: float
    terms: tuple[Term, ...]
    parts: tuple[tuple[str, float], ...]
    factor: float = 1.0
    stopped_by: str | None = None
    worst: float = 0.0

    @property
    def unscaled(self) -> float:
        """The value without the factor."""
        return self.worst + (self.value - self.worst) / self.factor if self.factor else self.value


def figure(value: float) -> str:
    """Return a score for people: at most three decimals."""
    return f"{round(value, 3) + 0:.3f}".rstrip("0").rstrip(".")  # + 0, for what is rounded to -0
