"""Precision, recall and F of labelled spans, in all and by role."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.bench.roles.reading import ROLES, Argument


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of arguments: in gold, said, and said rightly (span and role)."""

    gold: int = 0
    said: int = 0
    right: int = 0

    @property
    def precision(self) -> float:
        return self.right / self.said if self.said else 0.0

    @property
    def recall(self) -> float:
        return self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        return 2 * self.right / (self.gold + self.said) if self.gold + self.said else 0.0


def score(gold: Sequence[Iterable[Argument]], said: Sequence[Iterable[Argument]]) -> dict[str, Score]:
    """The score of each role, and of all under `all`."""
    counts = {role: [0, 0, 0] for role in ROLES}
    for wanted, found in zip(gold, said, strict=True):
        both = set(wanted), set(found)
        for place, spans in enumerate((*both, both[0] & both[1])):
            for _, _, role in spans:
                counts[role][place] += 1
    rows = {role: Score(*each) for role, each in counts.items()}
    return {"all": Score(*(sum(each) for each in zip(*counts.values(), strict=True)))} | rows
