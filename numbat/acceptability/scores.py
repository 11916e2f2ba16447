"""Scores of parses, and the terms that they consist of."""

from __future__ import annotations

from numbat.evaluation.constituents import Constituent
from numbat.records import frozen


@frozen
class PropertyCounts:
    """Counts N+, N-, T (all properties of the construction), and sums of weights W+, W-; such counts can be added."""

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
    """The contribution of one phrase to a score: its counts, its index alone (`local`) and with all below (`value`)."""

    constituent: Constituent
    counts: PropertyCounts
    local: float
    value: float


@frozen
class Score:
    """The value of a model for a parse. `terms` are those of its phrases, `parts` the named summands of the value.

    `factor` multiplies the distance from `worst`; it is 1 for full parses. If `stopped_by` is set, the parse met that
    limit, and a better one may exist.
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
    """Return a score as text, with at most three decimals."""
    return f"{round(value, 3) + 0:.3f}".rstrip("0").rstrip(".")  # + 0 turns -0 into 0
