"""Links of dependency trees compared with known ones: F1 of all but the root's (Smith & Eisner 2006, appendix)."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import NamedTuple


class Attachments(NamedTuple):
    """Counts of links, those to the root left out: found, known, found and known, that in either direction."""

    found: int = 0
    known: int = 0
    right: int = 0
    either_way: int = 0

    def __add__(self, other: object) -> Attachments:
        if not isinstance(other, Attachments):
            return NotImplemented
        return Attachments(*(mine + its for mine, its in zip(self, other, strict=True)))

    @property
    def f1(self) -> float:
        """F1 of directed links, 0 to 1; 0 where there are none."""
        return 2 * self.right / (self.found + self.known) if self.found + self.known else 0.0

    @property
    def undirected(self) -> float:
        """F1 of links in either direction."""
        return 2 * self.either_way / (self.found + self.known) if self.found + self.known else 0.0


def score_heads(known: Sequence[int], found: Sequence[int]) -> Attachments:
    """One sentence: heads by word, counting from 1; 0 is the root."""
    links = {(head, child) for child, head in enumerate(known, start=1) if head}
    made = {(head, child) for child, head in enumerate(found, start=1) if head}
    either_way = links | {(child, head) for head, child in links}
    return Attachments(len(made), len(links), len(links & made), len(either_way & made))


class Changes(NamedTuple):
    """Words that one model gives the right head and another does not, and the other way about."""

    corrected: int = 0
    newly_wrong: int = 0

    @property
    def p_value(self) -> float:
        """Of the two-sided sign test: how likely so uneven a split is where both are as good."""
        total, fewer = sum(self), min(self)
        tail = sum(comb(total, k) for k in range(fewer + 1))
        return min(1.0, tail / 2 ** (total - 1)) if total else 1.0


def changes(known: Sequence[Sequence[int]], before: Sequence[Sequence[int]], after: Sequence[Sequence[int]]) -> Changes:
    """What a second model changes, over sentences; links to the root are left out."""
    corrected = newly_wrong = 0
    for heads, first, second in zip(known, before, after, strict=True):
        for head, was, now in zip(heads, first, second, strict=True):
            corrected += bool(head) and was != head == now
            newly_wrong += bool(head) and was == head != now
    return Changes(corrected, newly_wrong)
