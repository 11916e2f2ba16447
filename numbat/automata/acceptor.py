"""The protocol of what constrains a sequence of labels: an automaton that says what each label gains.

`sequence.csi` finds the best labelling under any acceptors; `property_acceptors` makes them from the properties of a
grammar, and a caller may bring others.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Final, Protocol

FORBIDDEN: Final = float("-inf")
"""The gain of a label, or of an end, that a hard constraint forbids."""


class Acceptor(Protocol):
    """An automaton with gains over sequences of labels; states are hashable, and the fewer there are the better."""

    @property
    def start(self) -> Hashable:
        """The state in which nothing was read."""

    def step(self, state: Any, position: int, label: str, /) -> tuple[Hashable, float]:
        """The state after one more label, at a position counted from 0, and what the label gains."""

    def finish(self, state: Any, /) -> float:
        """What the end of the sequence gains in a state."""


def total_gain(acceptor: Acceptor, labels: Iterable[str]) -> float:
    """What an acceptor gives to a whole sequence of labels."""
    state, total = acceptor.start, 0.0
    for position, label in enumerate(labels):
        state, gain = acceptor.step(state, position, label)
        total += gain
        if total == FORBIDDEN:
            return FORBIDDEN
    return total + acceptor.finish(state)
