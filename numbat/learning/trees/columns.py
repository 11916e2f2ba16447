"""The state of a learner as named columns of numbers, and columns that were read again, every number checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike, NDArray

    Columns = dict[str, Sequence[NDArray[Any]]]
    """Of each column its parts, in their order, of one kind of number."""
    Read = Mapping[str, NDArray[Any]]


def column(read: Read, name: str, kind: DTypeLike, length: int | None = None) -> NDArray[Any]:
    """A column that was read. Raises ValueError where it is not of this kind and length, or has what is no number."""
    import numpy as np

    if name not in read:
        raise ValueError(f"it has no {name}")
    found = read[name]
    if found.dtype != np.dtype(kind) or found.ndim != 1 or length not in (None, len(found)):
        raise ValueError(f"its {name} are of another kind or number")
    if not np.isfinite(found).all():
        raise ValueError(f"one of its {name} is no number")
    return found


def sizes(read: Read, name: str, length: int) -> NDArray[np.int64]:
    """A column of numbers of things. Raises ValueError where one is below 0."""
    import numpy as np

    found = column(read, name, np.int64, length)
    if (found < 0).any() or found.sum() > 1 << 40:
        raise ValueError(f"its {name} are not numbers of things")
    return found


def rows(found: NDArray[Any], lengths: NDArray[np.int64]) -> list[NDArray[Any]]:
    """A column cut into rows of these lengths, whose sum is its own length; each is a copy."""
    ends = lengths.cumsum().tolist()
    return [found[end - length : end].copy() for end, length in zip(ends, lengths.tolist(), strict=True)]


def places(read: Read, name: str, length: int, most: int) -> NDArray[np.int32]:
    """A column of places in a table of `most` weights. Raises ValueError for one outside."""
    import numpy as np

    found = column(read, name, np.int32, length)
    if len(found) and not (found.min() >= 0 and found.max() < most):
        raise ValueError(f"one of its {name} is no place among {most} weights")
    return found
