"""The weights of features and the distances of their values (Daelemans & van den Bosch 2005, chapter 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from numpy import float64, int64
    from numpy.typing import NDArray

Weighting = Literal["gr", "ig", "x2", "none"]
WEIGHTINGS: Final[tuple[Weighting, ...]] = ("gr", "ig", "x2", "none")


def count_values(values: NDArray[Any], classes: NDArray[int64], number: int) -> tuple[NDArray[int64], ...]:
    """How often each value occurs with each of `number` classes: values, classes and counts of the pairs that occur."""
    import numpy as np

    codes, counts = np.unique(values.astype(np.int64) * number + classes, return_counts=True)
    return codes // number, codes % number, counts


def feature_weight(values: NDArray[Any], classes: NDArray[int64], number: int, weighting: Weighting) -> float:
    """The weight of a feature from the values that it has in the instances of each class.

    Information gain: H(C) - sum of P(v) H(C|v); gain ratio: this through the entropy of the values, 0 where there is
    one value only; chi-squared: the sum of (observed - expected)^2 / expected.
    """
    import numpy as np

    if weighting == "none":
        return 1.0
    of_value, of_class, counts = count_values(values, classes, number)
    total = len(values)
    by_value, by_class = np.bincount(of_value, counts), np.bincount(of_class, counts)
    if weighting == "x2":
        return float((counts**2 / (by_value[of_value] * by_class[of_class] / total)).sum() - total)
    gain = _entropy(by_class) + _entropy(by_value) - _entropy(counts)
    if weighting == "ig":
        return max(gain, 0.0)
    split = _entropy(by_value)
    return max(gain / split, 0.0) if split > 0 else 0.0


def _entropy(counts: NDArray[Any]) -> float:
    import numpy as np

    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


class ValueDifference:
    """Modified value difference of one feature (Cost & Salzberg 1993): half the sum of |P(c|v) - P(c|w)|, 0 to 1.

    A value that was not seen is at 1 from all others.
    """

    def __init__(self, values: NDArray[Any], classes: NDArray[int64], number: int, size: int) -> None:
        import numpy as np

        of_value, of_class, counts = count_values(values, classes, number)
        self.size = size
        shares = counts / np.bincount(of_value, counts, minlength=size)[of_value]
        self._starts = np.searchsorted(of_value, np.arange(size + 1))
        self._classes, self._shares = of_class, shares
        order = np.argsort(of_class, kind="stable")
        self._class_starts = np.searchsorted(of_class[order], np.arange(number + 1))
        self._by_class_values, self._by_class_shares = of_value[order], shares[order]

    def distances_from(self, value: int) -> NDArray[float64]:
        """The difference of every value from one, 1 - sum of min(P(c|v), P(c|w))."""
        import numpy as np

        same = np.zeros(self.size)
        for at in range(self._starts[value], self._starts[value + 1]):
            part = slice(self._class_starts[self._classes[at]], self._class_starts[self._classes[at] + 1])
            same[self._by_class_values[part]] += np.minimum(self._by_class_shares[part], self._shares[at])
        apart = np.maximum(1.0 - same, 0.0)
        apart[value] = 0.0
        return apart
