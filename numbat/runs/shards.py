"""Inputs in shards, and their records in order: what all executors share that have several processes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from numbat.errors import DataError
from numbat.runs.loop import Failure, Named, Record

Input = TypeVar("Input", bound=Named)
Value = TypeVar("Value")

LARGEST_SHARD: Final = 64
WAITING: Final = 4096
"""So many inputs are handed out or done while the record of an earlier one is waited for."""
MOST_LOST: Final = 20
"""After so many inputs in a row that ended their processes the run ends: it is not their doing."""


def size_of_shard(seconds: float, done: int, took: float, largest: int) -> int:
    """So many inputs as should take so many seconds, where those that are done took so many."""
    return max(1, min(largest, int(seconds * done / max(took, 1e-6))))


@dataclass(eq=False, slots=True)
class Shard(Generic[Input]):
    """Inputs that go to a process together, by their places in the run; `done` of them have come back.

    `is_again`: the one input is tried alone, for it ended a process. `pickled` are the inputs as they are sent,
    from the first time on that they are to be.
    """

    places: list[int]
    inputs: list[Input]
    done: int = 0
    is_again: bool = False
    pickled: Any = None

    def without(self, culprit: int) -> list[Shard[Input]]:
        """What has not come back: the input that ended the process alone, and those before and behind it."""
        parts = [(self.done, culprit, False), (culprit, culprit + 1, True), (culprit + 1, len(self.inputs), False)]
        return [Shard(self.places[i:j], self.inputs[i:j], is_again=again) for i, j, again in parts if i < j]

    def one_by_one(self) -> list[Shard[Input]]:
        """Each input alone, for nobody knows which one ended the process."""
        return [Shard([place], [given], is_again=True) for place, given in zip(self.places, self.inputs, strict=True)]


@dataclass(eq=False, slots=True)
class Sharding(Generic[Input, Value]):
    """Gives shards of the inputs, and gives the records in the order of the inputs when they are there.

    No input is taken that is `most_ahead` or more behind the first one whose record is not there. Shards that are
    given back, to be done again, come first.
    """

    inputs: Iterator[Input | DataError]
    most_ahead: int = WAITING
    is_exhausted: bool = False
    _again: deque[Shard[Input]] = field(default_factory=deque)
    _records: dict[int, Record[Value]] = field(default_factory=dict)
    _taken: int = 0
    _given: int = 0

    @property
    def is_done(self) -> bool:
        """Whether all records have been given."""
        return self.is_exhausted and self._given == self._taken

    def next_shard(self, size: int) -> Shard[Input] | None:
        """A shard that is to be done again, or else of up to `size` new inputs; None where there is none for now."""
        if self._again:
            return self._again.popleft()
        shard: Shard[Input] = Shard([], [])
        while not self.is_exhausted and self._taken - self._given < self.most_ahead and len(shard.inputs) < size:
            given = next(self.inputs, None)
            if given is None:
                self.is_exhausted = True
                break
            if isinstance(given, DataError):
                self._records[self._taken] = Failure("", str(given), given)
            else:
                shard.places.append(self._taken)
                shard.inputs.append(given)
            self._taken += 1
        return shard if shard.inputs else None

    def give_back(self, *shards: Shard[Input]) -> None:
        """Have shards done before all others."""
        self._again.extendleft(reversed(shards))

    def note(self, place: int, record: Record[Value]) -> None:
        """The record of the input at a place."""
        self._records[place] = record

    def in_order(self) -> Iterator[Record[Value]]:
        """The records that are next in order, as far as they are there."""
        while self._given in self._records:
            record = self._records.pop(self._given)
            self._given += 1
            yield record
