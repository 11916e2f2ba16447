"""The occurrences of one construction, tallied pair by pair: what the induction of its properties asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

from numbat.treebank.induced import Support
from numbat.treebank.observed import MOST_SENTENCES, Expansion, Shown

Pair = tuple[str, str]


class Occurrences:
    """Counts over the expansions of a construction, weighted by how often each occurs.

    `having[A]`: A is among the daughters; `single[A]`: exactly once. `both[A, B]` for A < B in the alphabet: both are
    there; `ordered[A, B]`: every A before every B. `apart[A, B]`: both, and another daughter besides; `adjacent[A, B]`:
    of these, all neighbours.
    """

    def __init__(self, expansions: Iterable[Expansion]) -> None:
        self.expansions = tuple(expansions)
        self.all = sum(expansion.count for expansion in self.expansions)
        self.having: Counter[str] = Counter()
        self.single: Counter[str] = Counter()
        self.both: Counter[Pair] = Counter()
        self.ordered: Counter[Pair] = Counter()
        self.apart: Counter[Pair] = Counter()
        self.adjacent: Counter[Pair] = Counter()
        for expansion in self.expansions:
            self._add(expansion)

    def _add(self, expansion: Expansion) -> None:
        places: dict[str, list[int]] = {}
        for index, daughter in enumerate(expansion.daughters):
            places.setdefault(daughter, []).append(index)
        count = expansion.count
        for category, found in places.items():
            self.having[category] += count
            if len(found) == 1:
                self.single[category] += count
        for a, b in combinations(sorted(places), 2):
            left, right = places[a], places[b]
            self.both[a, b] += count
            if left[-1] < right[0]:
                self.ordered[a, b] += count
            elif right[-1] < left[0]:
                self.ordered[b, a] += count
            if len(expansion.daughters) > 2:
                self.apart[a, b] += count
                if len(left) == len(right) == 1 and abs(left[0] - right[0]) == 1:
                    self.adjacent[a, b] += count

    def together(self, a: str, b: str) -> int:
        """In how many occurrences both are, in either order."""
        return self.both[min(a, b), max(a, b)]

    def categories(self, least: int) -> list[str]:
        """The daughters that occur so often, in the alphabet."""
        return sorted(category for category, count in self.having.items() if count >= least)

    def support(self, valid: int, violating: int, violates: Callable[[Sequence[str]], bool]) -> Support:
        """The counts with the names of the first sentences that have an expansion which violates."""
        if not violating:
            return Support(valid, violating, self.all)
        found: list[Shown] = []
        for expansion in self.expansions:
            if violates(expansion.daughters):
                found = sorted({*found, *expansion.sentences})[:MOST_SENTENCES]
        return Support(valid, violating, self.all, tuple(name for _, name in found))
