"""From the occurrences of a construction to its properties, one function a relation.

Each counts over the occurrences in which a property is pertinent, as MarsaGram does (Blache, de Montcheuil & Rauzy,
TALN 2015): uniqueness and requirement where the first operand is there, linearity where both are, exclusion where one
or both are, obligation always. Adjacency counts only where there is another daughter beside the two: of two alone
it says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Final

from numbat.treebank.induced import Support
from numbat.treebank.occurrences import Occurrences

Found = tuple[tuple[tuple[str, ...], ...], Support]
"""The parameters of a property, each a tuple of alternatives, and its support."""


@dataclass(frozen=True, slots=True)
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


DEFAULT: Final = Thresholds()


def uniqueness(seen: Occurrences, least: Thresholds) -> Iterator[Found]:
    """A is there at most once."""
    for a in seen.categories(least.count):
        valid = seen.single[a]
        found = seen.support(valid, seen.having[a] - valid, lambda daughters, a=a: daughters.count(a) > 1)  # type: ignore[misc]
        if least.keep(found):
            yield ((a,),), found


def linearity(seen: Occurrences, least: Thresholds) -> Iterator[Found]:
    """Every A stands before every B."""
    for a, b in permutations(seen.categories(least.count), 2):
        valid, both = seen.ordered[a, b], seen.together(a, b)
        if both >= least.support and valid >= least.w0 * both:

            def violates(daughters: Sequence[str], a: str = a, b: str = b) -> bool:
                return {a, b} <= set(daughters) and _last(daughters, a) > daughters.index(b)

            yield ((a,), (b,)), seen.support(valid, both - valid, violates)


def adjacency(seen: Occurrences, least: Thresholds) -> Iterator[Found]:
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


def requirement(seen: Occurrences, least: Thresholds) -> Iterator[Found]:
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

    violating = sum(expansion.count for expansion in seen.expansions if violates(expansion.daughters))
    return seen.support(seen.having[a] - violating, violating, violates)


def _alternatives(seen: Occurrences, a: str, candidates: Sequence[str], least: Thresholds) -> tuple[str, ...]:
    """The categories that are beside A most often, each where those before it are not; none that nearly always is."""
    candidates = [b for b in candidates if seen.having[b] <= (1 - (1 - least.w0) / 2) * seen.all]
    rest = [expansion for expansion in seen.expansions if a in expansion.daughters]
    chosen: list[str] = []
    while rest and len(chosen) < least.alternatives:
        gains = {b: sum(e.count for e in rest if b in e.daughters) for b in candidates}
        best = max(sorted(gains), key=lambda b: gains[b], default="")
        if not best or gains[best] * 10 < seen.having[a]:
            break
        chosen.append(best)
        rest = [expansion for expansion in rest if best not in expansion.daughters]
    together = sum(e.count for e in seen.expansions if any(b in e.daughters for b in chosen))
    with_a = seen.having[a] - sum(expansion.count for expansion in rest)
    elsewhere, missing = seen.all - seen.having[a], seen.all - together
    without = seen.having[a] - with_a
    missing -= without
    surprising = missing * seen.having[a] >= least.expected * elsewhere
    informative = 2 * without * elsewhere <= missing * seen.having[a]
    return tuple(chosen) if missing and surprising and informative else ()


def exclusion(seen: Occurrences, least: Thresholds) -> Iterator[Found]:
    """A and B exclude each other; where they are rare, that they never met says nothing."""
    for a, b in combinations(seen.categories(least.count), 2):
        both = seen.together(a, b)
        valid = seen.having[a] + seen.having[b] - 2 * both
        by_chance = seen.having[a] * seen.having[b] / seen.all
        if valid + both >= least.support and valid >= least.w0 * (valid + both) and by_chance >= least.expected:
            if 2 * both > by_chance:
                continue
            yield ((a,), (b,)), seen.support(valid, both, lambda daughters, pair={a, b}: pair <= set(daughters))  # type: ignore[misc]


def obligation(seen: Occurrences, least: Thresholds, head_of: Callable[[Sequence[str]], int | None]) -> Iterator[Found]:
    """One of the heads must be there: those that `head_of` finds, the most frequent first, until w0 is reached.

    Where it finds none, a greedy cover: the category that is in most of the occurrences that are not covered yet.
    Categories below `count` are left out.
    """
    heads: dict[str, int] = {}
    for expansion in seen.expansions:
        index = head_of(expansion.daughters)
        if index is not None:
            heads[expansion.daughters[index]] = heads.get(expansion.daughters[index], 0) + expansion.count
    chosen: list[str] = []
    rest = list(seen.expansions)
    target = (1 - max(least.w0, 0.99)) * seen.all
    while rest and sum(expansion.count for expansion in rest) > target:
        gains: dict[str, int] = {}
        for expansion in rest:
            for category in sorted(set(expansion.daughters)):
                if not heads or category in heads:
                    gains[category] = gains.get(category, 0) + expansion.count
        best = max(sorted(gains), key=lambda b: (min(gains[b], heads.get(b, gains[b])), gains[b]), default="")
        if not best or (gains[best] < least.count and chosen):
            break
        chosen.append(best)
        rest = [expansion for expansion in rest if best not in expansion.daughters]
    if chosen:
        violating = sum(expansion.count for expansion in rest)
        yield (
            (tuple(chosen),),
            seen.support(seen.all - violating, violating, lambda daughters: not any(c in daughters for c in chosen)),
        )


def _last(daughters: Sequence[str], category: str) -> int:
    return len(daughters) - 1 - daughters[::-1].index(category)


Parameters = tuple[tuple[str, ...], ...]

LICENSES: Final[dict[str, Callable[[Parameters, Sequence[str]], bool]]] = {
    "uniqueness": lambda operands, daughters: daughters.count(operands[0][0]) == 1,
    "requirement": lambda operands, daughters: operands[0][0] in daughters and any(b in daughters for b in operands[1]),
    "linearity": lambda operands, daughters: operands[1][0] in daughters[_first(daughters, operands[0][0]) :],
}
"""Whether a property surely has a satisfied instance over the daughters; the other relations are not relied on."""


def _first(daughters: Sequence[str], category: str) -> int:
    """Where a category first is; the end where it is not."""
    return daughters.index(category) if category in daughters else len(daughters)
