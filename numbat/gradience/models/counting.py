"""How many properties of each constituent hold: what every gradience model counts (docs/decisions.md).

A property counts once in a constituent, as violated if any of its instances is (ruling 11).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Final

from numbat.errors import UsageError
from numbat.evaluation.constituents import Constituent
from numbat.grammar.model import Grammar
from numbat.grammar.properties import UNIT, Property
from numbat.parsing.policies import known
from numbat.records import frozen

if TYPE_CHECKING:
    from numbat.parsing.result import Parse


@frozen
class Weights:
    """What a property counts for, and the constants of the models that have some.

    `quality`, `satisfaction` and `completeness` are k, l and m of the precision index (k and m of Duchier et al.'s
    precision too, scaled to a sum of 1); their defaults are consistent with the figures printed for the French
    Treebank (2012): m = .471, k + l = .529. `partial` is the factor for a parse that is not full (ruling 12).
    """

    name: str
    weight: Callable[[Property], float]
    cost: Callable[[Property], float]
    quality: float = 0.2645
    satisfaction: float = 0.2645
    completeness: float = 0.471
    partial: float = 0.5


# Weights go to other processes, so what they call has a name or is a record.


def _weight(prop: Property) -> float:
    return prop.weight / UNIT


def _cost(prop: Property) -> float:
    return prop.cost / UNIT


def _one(prop: Property) -> float:
    return 1.0


@frozen
class RelationWeights:
    """What a property counts by its relation; 1 where nothing is said of that."""

    weights: Mapping[str, float]

    def __call__(self, prop: Property) -> float:
        return self.weights.get(prop.relation, 1.0)


GRAMMAR: Final = Weights("grammar", _weight, _cost)
EQUAL: Final = Weights("equal", _one, _one)
WEIGHTS: Final = {weights.name: weights for weights in (GRAMMAR, EQUAL)}
"""`grammar`: as the grammar says; `equal`: every property counts 1."""


def weights_named(name: str) -> Weights:
    """The weights of that name. Raises UsageError."""
    return WEIGHTS[known(name, WEIGHTS, "set of weights")]


def by_relation(weights: Mapping[str, float], grammar: Grammar) -> Weights:
    """Weights that say the same of all properties of a relation; relations that are not named count 1.

    Raises UsageError for a relation that the grammar does not use.
    """
    used = list(dict.fromkeys(prop.relation for prop in grammar.properties))
    for relation, weight in weights.items():
        known(relation, used, "relation of the grammar")
        if not 0 <= weight < inf:
            raise UsageError(f"the weight of {relation} is {weight:g}\n  weights of relations are numbers, 0 or more")

    each = RelationWeights(dict(weights))
    return Weights("by relation", each, each)


@frozen
class Counts:
    """N+ and N-, T (the properties in the form of the construction), W+ and W-; they add up over constituents."""

    satisfied: int = 0
    violated: int = 0
    total: int = 0
    weight_satisfied: float = 0.0
    weight_violated: float = 0.0

    @property
    def evaluated(self) -> int:
        """E = N+ + N-."""
        return self.satisfied + self.violated

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.satisfied + other.satisfied,
            self.violated + other.violated,
            self.total + other.total,
            self.weight_satisfied + other.weight_satisfied,
            self.weight_violated + other.weight_violated,
        )


@dataclass(frozen=True)
class WeighedParse:
    """A parse with the weights by which it is judged, and the counts of each of its constituents."""

    parse: Parse
    weights: Weights

    @cached_property
    def totals(self) -> Mapping[str, int]:
        """T of each construction."""
        return self.parse.form_sizes

    def counts(self, constituent: Constituent) -> Counts:
        """The counts of one constituent, without those below it."""
        both = constituent.characterization
        # By identity: the properties of a grammar are objects of their own, and to hash one walks its operands.
        violated = {id(instance.property): instance.property for instance in both.violated}
        held = {id(instance.property): instance.property for instance in both.satisfied}
        satisfied = [prop for key, prop in held.items() if key not in violated]
        return Counts(
            len(satisfied),
            len(violated),
            self.totals.get(constituent.construction, 0),
            sum(map(self.weights.weight, satisfied)),
            sum(map(self.weights.weight, violated.values())),
        )


def ratio(part: float, whole: float) -> float:
    """part / whole; 0 where nothing was counted, for then nothing speaks for the constituent."""
    return part / whole if whole else 0.0


def density(counts: Counts) -> float:
    """N+/T (Blache 2004)."""
    return ratio(counts.satisfied, counts.total)


def violation_density(counts: Counts) -> float:
    """N-/T (Blache 2004)."""
    return ratio(counts.violated, counts.total)


def satisfaction(counts: Counts) -> float:
    """SR = N+/E (Blache, Hemforth & Rauzy 2006); VanRullen's (2004) local density is the same."""
    return ratio(counts.satisfied, counts.evaluated)


def completeness(counts: Counts) -> float:
    """CI = C = E/T (Blache, Hemforth & Rauzy 2006; Duchier et al. 2009)."""
    return ratio(counts.evaluated, counts.total)


def quality(counts: Counts) -> float:
    """QI = W = (W+ - W-)/(W+ + W-) (Blache, Hemforth & Rauzy 2006; Duchier et al. 2009), from -1 to 1."""
    both = counts.weight_satisfied + counts.weight_violated
    return ratio(counts.weight_satisfied - counts.weight_violated, both)


def precision(counts: Counts, weights: Weights) -> float:
    """PI = k QI + l SR + m CI (Blache, Hemforth & Rauzy 2006)."""
    return (
        weights.quality * quality(counts)
        + weights.satisfaction * satisfaction(counts)
        + weights.completeness * completeness(counts)
    )


def model_theoretic_precision(counts: Counts, weights: Weights) -> float:
    """k W + l C (Duchier et al. 2009), k and l being the weights of quality and completeness scaled to a sum of 1."""
    both = weights.quality + weights.completeness
    return ratio(weights.quality * quality(counts) + weights.completeness * completeness(counts), both)
