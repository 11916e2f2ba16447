"""The occurrences of a construction: how often its daughters occur, alone and in pairs, in which order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

from numbat.treebank.induction.induced import Support
from numbat.treebank.induction.rule_counts import MOST_SENTENCES, RuleCount, SentencePlace

Pair = tuple[str, str]


class Occurrences:
    """Numbers of occurrences of a construction, from its rules and how often each occurs.

    `having[A]`: A is among the daughters; `single[A]`: exactly once. For A < B in the alphabet `both[A, B]`: both are
    among them. `ordered[A, B]`: both, every A before every B. `apart[A, B]`: both, and another daughter;
    `adjacent[A, B]`: these three, one A and one B that are neighbours.
    """

    def __init__(self, rules: Iterable[RuleCount]) -> None:
        self.rules = tuple(rules)
        self.all = sum(rule.count for rule in self.rules)
        self.having: Counter[str] = Counter()
        self.single: Counter[str] = Counter()
        self.both: Counter[Pair] = Counter()
        self.ordered: Counter[Pair] = Counter()
        self.apart: Counter[Pair] = Counter()
        self.adjacent: Counter[Pair] = Counter()
        for rule in self.rules:
            self._add(rule)

    def _add(self, rule: RuleCount) -> None:
        places: dict[str, list[int]] = {}
        for index, daughter in enumerate(rule.daughters):
            places.setdefault(daughter, []).append(index)
        count = rule.count
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
            if len(rule.daughters) > 2:
                self.apart[a, b] += count
                if len(left) == len(right) == 1 and abs(left[0] - right[0]) == 1:
                    self.adjacent[a, b] += count

    def together(self, a: str, b: str) -> int:
        """In how many occurrences both are, in either order."""
        return self.both[min(a, b), max(a, b)]

    def categories(self, least: int) -> list[str]:
        """The categories of daughters that occur in so many occurrences, in alphabetical order."""
        return sorted(category for category, count in self.having.items() if count >= least)

    def support(self, valid: int, violating: int, violates: Callable[[Sequence[str]], bool]) -> Support:
        """The counts as a support, with the names of the first sentences that have a rule which violates."""
        if not violating:
            return Support(valid, violating, self.all)
        found: list[SentencePlace] = []
        for rule in self.rules:
            if violates(rule.daughters):
                found = sorted({*found, *rule.sentences})[:MOST_SENTENCES]
        return Support(valid, violating, self.all, tuple(name for _, name in found))
