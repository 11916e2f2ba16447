"""Types of the functions that inference.py calls; `sizes` are the numbers of sentences, words of each, and tags."""

from typing import Any

INTERFACE: int

def expect(
    words: Any,
    sizes: tuple[int, int, int],
    weights: tuple[Any, ...],
    link: Any,
    breaks: float,
    shares: Any,
    values: Any,
    counts: tuple[Any, ...] | None,
    /,
) -> None: ...
def best(
    words: Any,
    sizes: tuple[int, int, int],
    logs: tuple[Any, ...],
    scores: Any,
    heads: Any,
    /,
) -> None: ...
