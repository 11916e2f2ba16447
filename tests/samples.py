"""Numbers of random examples: all with NUMBAT_ALL_EXAMPLES, as in continuous integration; a third in between."""

from __future__ import annotations

import os


def enough(number: int) -> int:
    """Return how many of a number of random examples are tried."""
    return number if "NUMBAT_ALL_EXAMPLES" in os.environ else -(-number // 3)
