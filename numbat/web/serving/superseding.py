"""Which requests nobody waits for any more: of those of one slot only the newest counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from threading import Lock
from typing import Final

from numbat.parsing.policies import Overdue, never
from numbat.web.kept_work import Recent

MOST_SLOTS: Final = 1_000
"""So many slots are remembered: a page has about ten."""


@dataclass
class Slots:
    """The number of the newest request of each slot; a slot is a part of one page, such as its list of sentences."""

    newest: Recent[int] = field(default_factory=lambda: Recent(MOST_SLOTS))
    _numbers: count[int] = field(default_factory=count)
    _lock: Lock = field(default_factory=Lock)

    def enter(self, slot: str) -> Overdue:
        """A request comes into a slot, which supersedes the one before; says later whether it was superseded itself.

        A request without a slot is never superseded.
        """
        if not slot:
            return never
        with self._lock:
            number = next(self._numbers)
            self.newest.put(slot, number)
        return lambda: self.newest.values.get(slot, number) != number
