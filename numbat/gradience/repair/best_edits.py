"""The best edits that a search for repairs has found so far."""

from __future__ import annotations

from collections.abc import Sequence

from numbat.gradience.repair.edits import Edit


class BestEdits:
    """The best edit of each choice so far, `most` of which are wanted.

    Costs are compared in steps of the least cost of a property (`step`): choosing readings costs less, and of two
    edits the smaller goes before that with the likelier readings.
    """

    def __init__(self, step: int, most: int | None) -> None:
        self._step, self._most = step, most
        self._edits: dict[str, tuple[int, Edit]] = {}
        self._worst: int | None = None

    def top(self, cost: int) -> int:
        """The highest cost of the same step."""
        return (cost // self._step + 1) * self._step - 1

    def has(self, key: str, bound: int) -> bool:
        """Whether a choice has an edit at that cost or at none."""
        return key in self._edits and self._edits[key][0] * self._step <= max(bound, 0)

    def enter(self, key: str, cost: int, edit: Edit) -> None:
        """Keep an edit of a choice if it is its best."""
        new = cost // self._step, edit
        if key not in self._edits or (new[0], edit.rank) < (self._edits[key][0], self._edits[key][1].rank):
            self._edits[key] = new

    def end_kind(self) -> None:
        """Called after each kind of edit: of the next, only what is better than enough known ones is of interest."""
        sentences: dict[tuple[str, ...], int] = {}
        for level, edit in self._edits.values():
            words = tuple(slot.form.lower() for slot in edit.slots)
            sentences[words] = min(level, sentences.get(words, level))
        if self._most is not None and len(sentences) >= self._most:
            self._worst = sorted(sentences.values())[self._most - 1]

    def lowered(self, bound: int) -> int:
        """The bound, lowered to what is better than enough known edits."""
        return bound if self._worst is None else min(bound, self._worst * self._step - 1)

    def in_order(self, kinds: Sequence[str]) -> list[Edit]:
        """The edits, the best first."""
        best = sorted(self._edits.values(), key=lambda pair: (pair[0], kinds.index(pair[1].kind), pair[1].rank))
        worst = self._worst
        return [edit for level, edit in best if worst is None or level <= worst]
