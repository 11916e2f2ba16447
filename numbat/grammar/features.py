"""Features of constituents (bundles) and of operands (demands).

A bundle maps features to one value each, as a sorted tuple of pairs, so that it is hashable and prints the same way
every time. A demand maps features to the values that an operand accepts.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import product
from math import prod

Bundle = tuple[tuple[str, str], ...]
Demand = tuple[tuple[str, tuple[str, ...]], ...]


def value_of(bundle: Bundle, feature: str) -> str | None:
    """The value of one feature, None where the bundle has none."""
    for name, value in bundle:
        if name == feature:
            return value
    return None


def subsumes(demand: Demand, bundle: Bundle) -> bool:
    """Whether each feature that is demanded is in the bundle with an accepted value.

    "C_i subsumes C_j if its features are included in C_j's": a missing feature is not included.
    """
    for feature, values in demand:  # noqa: SIM110 - a generator takes twice as long, and the parser calls this all the time
        if value_of(bundle, feature) not in values:
            return False
    return True


def unify(left: Bundle, right: Bundle, features: Iterable[str], missing_unifies: bool) -> bool:
    """Whether two bundles agree on the named features; a missing one unifies or clashes, as the grammar says."""
    for feature in features:
        a, b = value_of(left, feature), value_of(right, feature)
        if a is None or b is None:
            if not missing_unifies:
                return False
        elif a != b:
            return False
    return True


@lru_cache(maxsize=1 << 10)
def bundles(demand: Demand) -> tuple[Bundle, ...]:
    """Every bundle that a lexicon entry stands for: `number=sg|pl` is two (ruling 10)."""
    names = [feature for feature, _ in demand]
    return tuple(tuple(zip(names, values, strict=True)) for values in product(*(values for _, values in demand)))


def number_of_bundles(demand: Demand) -> int:
    """How many bundles a lexicon entry stands for, without making them."""
    return prod(len(values) for _, values in demand)


def format_demand(demand: Demand) -> str:
    """A demand as messages and reports print it: `[number=sg, person=1|2]`; an empty one is empty."""
    if not demand:
        return ""
    return "[" + ", ".join(f"{feature}={'|'.join(values)}" for feature, values in demand) + "]"


def format_bundle(bundle: Bundle) -> str:
    """A bundle as messages and reports print it: `[number=sg, person=3]`; an empty one is empty."""
    return format_demand(tuple((feature, (value,)) for feature, value in bundle))
