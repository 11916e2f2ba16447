"""Candidates for the properties of a construction, from its occurrences: one function for each relation.

Each counts the occurrences in which a property is pertinent, as MarsaGram does (Blache, de Montcheuil & Rauzy, TALN
2015): uniqueness and requirement where the first operand is there, linearity where both are, exclusion where one or
both are, obligation always. Adjacency counts only where there is a third daughter, for two alone are always
neighbours. Candidates with too little support, or that hold too often by chance, are left out (`Thresholds`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations
from typing import Final

from numbat.records import frozen
from numbat.treebank.induction.induced import Support
from numbat.treebank.induction.occurrences import Occurrences

Candidate = tuple[tuple[tuple[str, ...], ...], Support]
"""The parameters of a property, each a tuple of alternatives, and the support of the property."""


@frozen
class Thresholds:
    """What a property needs to be kept.

    `support`: so many pertinent occurrences; `w0`: so large a share of them validates it; `count`: each of its
    operands in so many occurrences. `alternatives`: so many on the right of a requirement at most. `expected`: an
    exclusion or a requirement would by chance be violated in so many occurrences.
    """

    support: int = 5
    w0: float = 0.95
    count: int = 5
    alternatives: int = 3
    expected: float = 1.0

    def keep(self, support: Support) -> bool:
        """Whether a property of that support is kept."""
        return support.support >= self.support and support.w0 >= self.w0

    def times(self, samples: int) -> Thresholds:
        """The same where each sentence is counted so many times."""
        return replace(
            self, support=self.support * samples, count=self.count * samples, expected=self.expected * samples
        )


DEFAULT_THRESHOLDS: Final = Thresholds()


def uniqueness(seen: Occurrences, least: Thresholds) -> Iterator[Candidate]:
    """A is there at most once."""
    for a in seen.categories(least.count):
        valid = seen.single[a]
        found = seen.support(valid, seen.having[a] - valid, lambda daughters, a=a: daughters.count(a) > 1)  # type: ignore[misc]
        if least.keep(found):
            yield ((a,),), found


def linearity(seen: Occurrences, least: Thresholds) -> Iterator[Candidate]:
    """Every A stands before every B."""
    for a, b in permutations(seen.categories(least.count), 2):
        valid, both = seen.ordered[a, b], seen.together(a, b)
        if both >= least.support and valid >= least.w0 * both:

            def violates(daughters: Sequence[str], a: str = a, b: str = b) -> bool:
                return {a, b} <= set(daughters) and _last(daughters, a) > daughters.index(b)

            yield ((a,), (b,)), seen.support(valid, both - valid, violates)


def adjacency(seen: Occurrences, least: Thresholds) -> Iterator[Candidate]:
    """One A and one B are neighbours, though another daughter is there."""
    for a, b in combinations(seen.categories(least.count), 2):
        valid, both = seen.adjacent[a, b], seen.apart[a, b]
        if both >= least.support and valid >= least.w0 * both:

            def violates(daughters: Sequence[str], a: str = a, b: str = b) -> bool:
                if not {a, b} <= set(daughters) or len(daughters) == 2:
                    return False
                several = daughters.count(a) + daughters.count(b) > 2
                return several or abs(daughters.index(a) - daughters.index(b)) > 1

            first, second = (a, b) if seen.ordered[a, b] >= seen.ordered[b, a] else (b, a)
            yield ((first,), (second,)), seen.support(valid, both - valid, violates)


def requirement(seen: Occurrences, least: Thresholds) -> Iterator[Candidate]:
    """A requires B, or one of several where no B alone is there often enough.

    A must make B likelier: the share of its occurrences without B is at most half of what it is elsewhere. Alternatives
    are taken greedily, each with a tenth of the occurrences of A at least.
    """
    categories = seen.categories(least.count)
    for a in categories:
        having = seen.having[a]
        alone = [b for b in categories if b != a and _requires(seen, a, b, least)]
        for b in alone:
            yield ((a,), (b,)), _required(seen, a, (b,))
        if not alone and having >= least.support:
            chosen = _alternatives(seen, a, [b for b in categories if b != a], least)
            if len(chosen) > 1 and least.keep(found := _required(seen, a, chosen)):
                yield ((a,), chosen), found


def _requires(seen: Occurrences, a: str, b: str, least: Thresholds) -> bool:
    having, both = seen.having[a], seen.together(a, b)
    if having < least.support or both < least.w0 * having:
        return False
    without, elsewhere = having - both, seen.all - having
    missing = elsewhere - (seen.having[b] - both)
    surprising = missing * having >= least.expected * elsewhere
    return missing > 0 and surprising and 2 * without * elsewhere <= missing * having


def _required(seen: Occurrences, a: str, chosen: tuple[str, ...]) -> Support:
    def violates(daughters: Sequence[str]) -> bool:
        return a in daughters and not any(b in daughters for b in chosen)

    violating = sum(rule.count for rule in seen.rules if violates(rule.daughters))
    return seen.support(seen.having[a] - violating, violating, violates)


def _alternatives(seen: Occurrences, a: str, candidates: Sequence[str], least: Thresholds) -> tuple[str, ...]:
    """The alternatives of a requirement of A, chosen greedily.

    The next one is the category in most of the occurrences of A that have none of those before; categories in nearly
    all occurrences of the construction are left out.
    """
    candidates = [b for b in candidates if seen.having[b] <= (1 - (1 - least.w0) / 2) * seen.all]
    rest = [rule for rule in seen.rules if a in rule.daughters]
    chosen: list[str] = []
    while rest and len(chosen) < least.alternatives:
        gains = {b: sum(rule.count for rule in rest if b in rule.daughters) for b in candidates}
        best = max(sorted(gains), key=lambda b: gains[b], default="")
        if not best or gains[best] * 10 < seen.having[a]:
            break
        chosen.append(best)
        rest = [rule for rule in rest if best not in rule.daughters]
    together = sum(rule.count for rule in seen.rules if any(b in rule.daughters for b in chosen))
    with_a = seen.having[a] - sum(rule.count for rule in rest)
    elsewhere, missing = seen.all - seen.having[a], seen.all - together
    without = seen.having[a] - with_a
    missing -= without
    surprising = missing * seen.having[a] >= least.expected * elsewhere
    informative = 2 * without * elsewhere <= missing * seen.having[a]
    return tuple(chosen) if missing and surprising and informative else ()


def exclusion(seen: Occurrences, least: Thresholds) -> Iterator[Candidate]:
    """A and B exclude each other; where they are rare, that they never met says nothing."""
    for a, b in combinations(seen.categories(least.count), 2):
        both = seen.together(a, b)
        valid = seen.having[a] + seen.having[b] - 2 * both
        by_chance = seen.having[a] * seen.having[b] / seen.all
        if valid + both >= least.support and valid >= least.w0 * (valid + both) and by_chance >= least.expected:
            if 2 * both > by_chance:
                continue
            yield ((a,), (b,)), seen.support(valid, both, lambda daughters, pair={a, b}: pair <= set(daughters))  # type: ignore[misc]


def obligation(
    seen: Occurrences, least: Thresholds, head_of: Callable[[Sequence[str]], int | None]
) -> Iterator[Candidate]:
    """One of the heads must be there: those that `head_of` finds, the most frequent first, until w0 is reached.

    Where it finds none, a greedy cover: the category that is in most of the occurrences that are not covered yet.
    Categories below `count` are left out.
    """
    heads: dict[str, int] = {}
    for rule in seen.rules:
        index = head_of(rule.daughters)
        if index is not None:
            heads[rule.daughters[index]] = heads.get(rule.daughters[index], 0) + rule.count
    chosen: list[str] = []
    rest = list(seen.rules)
    target = (1 - max(least.w0, 0.99)) * seen.all
    while rest and sum(rule.count for rule in rest) > target:
        gains: dict[str, int] = {}
        for rule in rest:
            for category in sorted(set(rule.daughters)):
                if not heads or category in heads:
                    gains[category] = gains.get(category, 0) + rule.count
        best = max(sorted(gains), key=lambda b: (min(gains[b], heads.get(b, gains[b])), gains[b]), default="")
        if not best or (gains[best] < least.count and chosen):
            break
        chosen.append(best)
        rest = [rule for rule in rest if best not in rule.daughters]
    if chosen:
        violating = sum(rule.count for rule in rest)
        yield (
            (tuple(chosen),),
            seen.support(seen.all - violating, violating, lambda daughters: not any(c in daughters for c in chosen)),
        )


def _last(daughters: Sequence[str], category: str) -> int:
    return len(daughters) - 1 - daughters[::-1].index(category)


Operands = tuple[tuple[str, ...], ...]
"""The operands of each parameter of a property."""

LICENSES: Final[dict[str, Callable[[Operands, Sequence[str]], bool]]] = {
    "uniqueness": lambda operands, daughters: daughters.count(operands[0][0]) == 1,
    "requirement": lambda operands, daughters: operands[0][0] in daughters and any(b in daughters for b in operands[1]),
    "linearity": lambda operands, daughters: operands[1][0] in daughters[_first(daughters, operands[0][0]) :],
}
"""By relation, whether a property has a satisfied instance over the daughters; relations without an entry may not."""


def _first(daughters: Sequence[str], category: str) -> int:
    """The index of the first daughter of a category, the number of daughters where there is none."""
    return daughters.index(category) if category in daughters else len(daughters)
