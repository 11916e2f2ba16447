"""Hashed features: named values, and which of them are taken together, as numbers that a classifier has weights for.

A value is numbered by its CRC, and a feature by a hash of its template and the numbers of its values, for whole columns
of examples at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

SPACE: Final = 2**24
"""Features are hashed to numbers below this."""

Values = dict[str, str]
Template = tuple[str, ...]


def templates(text: str) -> tuple[Template, ...]:
    """Return combinations of values: a line `roleset: - | label | label path` is `roleset`, `roleset label` and so on.

    `-` stands for the first value alone.
    """
    found = []
    for line in text.strip().splitlines():
        first, _, others = line.partition(":")
        found += [tuple((first + " " + other.replace("-", "")).split()) for other in others.split("|")]
    return tuple(found)


def hashed(values: Sequence[Values], chosen: Sequence[Template]) -> NDArray[np.int32]:
    """A row an example and a column a template: the number of the feature, below SPACE."""
    names = sorted({name for template in chosen for name in template})
    columns = {name: np.array([_number(each[name]) for each in values], np.uint64) for name in names}
    result = np.empty((len(values), len(chosen)), np.int32)
    for t, template in enumerate(chosen):
        mixed = np.full(len(values), (t + 1) * 0x9E3779B97F4A7C15 % 2**64, np.uint64)
        for name in template:
            mixed = (mixed ^ columns[name]) * np.uint64(0xFF51AFD7ED558CCD)
            mixed ^= mixed >> np.uint64(32)
        result[:, t] = mixed % np.uint64(SPACE)
    return result


@cache
def _number(value: str) -> int:
    return crc32(value.encode())
