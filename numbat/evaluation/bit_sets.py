"""Sets of operands as bit sets in an int."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_


def union(bits: Iterable[int]) -> int:
    """The union of bit sets."""
    return reduce(or_, bits, 0)


def members(bits: int) -> list[int]:
    """The members of a bit set, each as a bit, the lowest first."""
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest)
        bits ^= lowest
    return found
