"""Gain of an induced property: the logarithm of its likelihood ratio against chance (Dunning 1993).

By chance, daughters are independent: both orders of two daughters are equally likely, a category is as frequent with
another one as elsewhere, and its repetitions are a Poisson process. The gain of a property is the difference, in
natural logarithms, between the likelihood of its counts under its share and under chance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, log
from typing import Final, Protocol

from numbat.treebanks.example_phrases import Operands


class CountedRule(Protocol):
    """A rule with its daughters and its count."""

    @property
    def daughters(self) -> tuple[str, ...]: ...
    @property
    def count(self) -> int: ...


class ConstructionCounts(Protocol):
    """Counts of a construction: its rules, its occurrences, and the shares of categories."""

    @property
    def rules(self) -> Sequence[CountedRule]: ...
    @property
    def all(self) -> int: ...
    def share_of(self, categories: Sequence[str]) -> float: ...


def gain(valid: int, violating: int, chance: float) -> float:
    """Return the gain of a property with these counts, or 0 if it holds less often than by chance.

    `chance` is the probability that an occurrence in which it is pertinent satisfies it.
    """
    total = valid + violating
    if not total or valid <= chance * total:
        return 0.0
    chance = max(chance, LEAST)
    return valid * log(valid / (total * chance)) + (
        violating * log(violating / (total * (1 - chance))) if violating else 0.0
    )


LEAST: Final = 1e-6
"""Minimum of a chance, so that gains are finite."""


def uniqueness(seen: ConstructionCounts, operands: Operands) -> float:
    """Return the chance that a category, if it occurs, occurs once, from its mean number in the construction."""
    mean = (
        sum(rule.count * sum(daughter in operands[0] for daughter in rule.daughters) for rule in seen.rules) / seen.all
    )
    return mean * exp(-mean) / (1 - exp(-mean)) if mean else 1.0


def linearity(seen: ConstructionCounts, operands: Operands) -> float:
    """Return the chance that one daughter precedes another."""
    return 0.5


def adjacency(seen: ConstructionCounts, operands: Operands) -> float:
    """Return the chance that two of n daughters are neighbours, 2/n, averaged over the rules with both."""
    (a,), (b,) = operands[0], operands[1]
    sizes = [
        (rule.count, len(rule.daughters))
        for rule in seen.rules
        if a in rule.daughters and b in rule.daughters and len(rule.daughters) > 2
    ]
    total = sum(count for count, _ in sizes)
    return sum(count * 2 / size for count, size in sizes) / total if total else 1.0


def requirement(seen: ConstructionCounts, operands: Operands) -> float:
    """Return the chance that a required category occurs: the share of the occurrences that have one."""
    return seen.share_of(operands[1])


def exclusion(seen: ConstructionCounts, operands: Operands) -> float:
    """Return the chance that the other one of two categories is absent if one is present."""
    one, other = (seen.share_of(operand) for operand in operands)
    either = one + other - one * other
    return 1 - one * other / either if either else 1.0


CHANCE: Final[dict[str, Callable[[ConstructionCounts, Operands], float]]] = {
    "uniqueness": uniqueness,
    "linearity": linearity,
    "adjacency": adjacency,
    "requirement": requirement,
    "exclusion": exclusion,
}
"""Functions by relation: the chance that a property holds where it applies."""
