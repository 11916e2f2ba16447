"""The compiled kernels of the sequence room, where they could be built, behind the functions of their Python twins.

`NUMBAT_KERNEL=python` switches them off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from numbat.native import wants_python
from numbat.sequence import loops

try:
    from numbat.sequence import _kernels
except ImportError:
    _kernels = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from numpy import int32, int64
    from numpy.typing import NDArray

    from numbat.sequence.perceptron import Material, Numbers


def kind() -> str:
    """Which kernels are in use: `compiled` or `python`. Raises UsageError for another value of the switch."""
    return "python" if wants_python() or _kernels is None else "compiled"


def epoch(
    order: NDArray[int32],
    material: Material,
    codes: NDArray[int64],
    numbers: Numbers,
    width: int,
    margin: float,
    count: int,
) -> tuple[int, int]:
    """One round of the perceptron over the tokens in this order, in place: the mistakes, and the steps so far."""
    if kind() == "python":
        return loops.epoch(order, material, codes, numbers, width, margin, count)
    import numpy as np

    labels = numbers.pairs.shape[1]
    spare = np.zeros(3 * labels, np.float32)
    arrays = (order, *material, codes, *numbers, spare)
    return _kernels.epoch(*arrays, material.rows.shape[1], labels, width, margin, count)


def nearest(
    values: NDArray[int32],
    ends: NDArray[int32],
    focus: NDArray[int32],
    weights: NDArray[int64],
    least: NDArray[int64],
    rows: list[NDArray[int32] | None],
    start: tuple[int, int, int],
    k: int,
) -> tuple[NDArray[int32], NDArray[int64]]:
    """The instances at the k nearest distances from a focus, and their distances, in no order.

    `values` is features x instances, sorted by the first feature, then the second, and so on; `ends` says of each
    place where the run of instances that are equal up to this feature ends. A mismatch costs the weight of the
    feature, or with a row what this says of the value, 0 for that of the focus; `least` is what all features from one
    on cost in the best case, 0 at the end, which only saves time. `start` is the first feature that counts, and the
    range of instances.
    """
    import numpy as np

    feature, low, high = start
    if kind() == "python":
        return loops.nearest(values, focus, weights, rows, feature, low, high, k)
    found, far = _kernels.nearest(values, ends, focus, weights, least, rows, feature, low, high, k)
    return np.frombuffer(found, np.int32), np.frombuffer(far, np.int64)
