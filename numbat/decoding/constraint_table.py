"""Constraints as arrays: an acceptor over a set of labels becomes a minimal automaton with numbered states."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Sequence
from typing import Final

from numbat.automata.property_acceptors import FORBIDDEN, Acceptor
from numbat.errors import DataError
from numbat.records import frozen

MOST_STATES: Final = 5_000
"""A constraint may have so many states."""
VIOLATED: Final = -1
"""Stands for the state that is never left and in which the constraint is violated."""


@frozen
class ConstraintTable:
    """A constraint as an automaton that counts violations; it starts in state 0.

    Its columns are the labels, once for each kind of place where it tells places apart. `next`, states x columns, has
    the state after a label, and `losses` the violations that are certain then; `ends`, one for each state, those that
    are certain at the end. In a state that is `dead` a violation is certain whatever follows. A constraint that counts
    once has its violations in `ends` alone.
    """

    states: int
    columns: int
    next: array[int]
    losses: array[int]
    ends: array[int]
    dead: array[int]


def table_of(
    acceptor: Acceptor, labels: Sequence[str], kinds_of_places: int = 1, longest: int | None = None, name: str = ""
) -> ConstraintTable:
    """The table of an acceptor. It counts once where the acceptor forbids, else as often as the acceptor charges 1.

    Instead of a position the acceptor is given the kind of the place, counted from 0. With `longest` only sequences of
    so many labels are of interest: an acceptor that counts instances has a state for each number. Raises DataError
    where it has more than `MOST_STATES` states.
    """
    columns = [(kind, label) for kind in range(kinds_of_places) for label in labels]
    numbers: dict[Hashable, int] = {acceptor.start: 0}
    rows: list[list[int]] = []
    losses: list[list[int]] = []
    ends: list[int] = []
    depth = [0]
    states: list[Hashable] = [acceptor.start]
    for at, state in enumerate(states):
        final = acceptor.finish(state)
        ends.append(1 if final == FORBIDDEN else round(-final))
        row, lost = [], []
        for kind, label in columns if longest is None or depth[at] < longest else ():
            after, gain = acceptor.step(state, kind, label)
            if gain == FORBIDDEN:
                row.append(VIOLATED)
                lost.append(0)
                continue
            if after not in numbers:
                numbers[after] = len(states)
                states.append(after)
                depth.append(depth[at] + 1)
            row.append(numbers[after])
            lost.append(round(-gain))
        rows.append(row or [at] * len(columns))
        losses.append(lost or [0] * len(columns))
        if len(states) > MOST_STATES:
            raise DataError(
                f"{name or 'a constraint'} needs more than {MOST_STATES:,} states\n"
                "  count it once for a sequence, or write it with fewer operands"
            )
    return _minimal(*_with_violated(rows, losses, ends))


def _with_violated(
    rows: list[list[int]], losses: list[list[int]], ends: list[int]
) -> tuple[list[list[int]], list[list[int]], list[int]]:
    """With a state of its own for what is violated for good."""
    if any(VIOLATED in row for row in rows):
        violated = len(rows)
        rows = [[violated if to == VIOLATED else to for to in row] for row in rows]
        rows.append([violated] * len(rows[0]))
        losses.append([0] * len(rows[0]))
        ends.append(1)
    return rows, losses, ends


def _minimal(rows: list[list[int]], losses: list[list[int]], ends: list[int]) -> ConstraintTable:
    """The automaton with all states merged that no sequence of labels tells apart (Moore's partition refinement)."""
    block = [0] * len(rows)
    number = 0
    while True:
        seen: dict[tuple[object, ...], int] = {}
        refined = []
        for row, lost, end, own in zip(rows, losses, ends, block, strict=True):
            key = own, end, tuple([block[to] for to in row]), tuple(lost)
            refined.append(seen.setdefault(key, len(seen)))
        block = refined
        if len(seen) == number:
            break
        number = len(seen)
    first = {own: at for at, own in reversed(list(enumerate(block)))}
    kept = [first[own] for own in range(number)]
    merged = [[block[to] for to in rows[at]] for at in kept]
    final = [ends[at] for at in kept]
    return ConstraintTable(
        number,
        len(rows[0]),
        array("i", [to for row in merged for to in row]),
        array("i", [loss for at in kept for loss in losses[at]]),
        array("i", final),
        array("i", _dead(merged, final)),
    )


def _dead(rows: Sequence[Sequence[int]], ends: Sequence[int]) -> list[int]:
    """For each state whether no way from it ends without a violation."""
    alive = {state for state, end in enumerate(ends) if not end}
    before: dict[int, set[int]] = {}
    for state, row in enumerate(rows):
        for to in set(row):
            before.setdefault(to, set()).add(state)
    waiting = list(alive)
    while waiting:
        for state in before.get(waiting.pop(), ()):
            if state not in alive:
                alive.add(state)
                waiting.append(state)
    return [state not in alive for state in range(len(rows))]
