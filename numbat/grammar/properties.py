"""Properties, operands, features and strengths, and their form in the notation.

Weights and costs are fixed-point integers: `UNIT` stands for 1 (ruling 3). Comparison ignores places in the file
(`span`), so that the notation and YAML give equal values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from functools import lru_cache
from itertools import product
from math import prod
from typing import Final

from numbat.errors import Span
from numbat.grammar.names import WILDCARD, format_atom, format_name, format_value, quoted
from numbat.grammar.relations import BUILT_IN_BY_NAME, PRICE_TYPES, is_form, type_of
from numbat.records import frozen

# Features of constituents (bundles) and of operands (demands).
#
# A bundle maps features to one value each, as a sorted tuple of pairs, so that it is hashable and prints the same way
# every time. A demand maps features to the values that an operand accepts; `ABSENT` accepts a missing feature.

Bundle = tuple[tuple[str, str], ...]
Demand = tuple[tuple[str, tuple[str, ...]], ...]
ABSENT: Final = ""
"""The accepted value that a daughter without the feature has, written `N[no case]` or `N[case=acc|?]`."""


def value_of(bundle: Bundle, feature: str) -> str | None:
    """Return the value of a feature, None if it is missing."""
    for name, value in bundle:
        if name == feature:
            return value
    return None


def subsumes(demand: Demand, bundle: Bundle) -> bool:
    """True if the bundle has an accepted value for every demanded feature.

    "C_i subsumes C_j if its features are included in C_j's"; a bundle may lack a feature only if `ABSENT` is accepted.
    """
    for feature, values in demand:  # noqa: SIM110 - a generator takes twice as long, and the parser calls this all the time
        if (value_of(bundle, feature) or ABSENT) not in values:
            return False
    return True


def unify(left: Bundle, right: Bundle, features: Iterable[str], missing_unifies: bool) -> bool:
    """True if two bundles agree in these features; with `missing_unifies` a missing feature agrees with any value."""
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
    """Return every bundle that the features of a reading stand for: two for `number=sg|pl` (ruling 10)."""
    names = [feature for feature, _ in demand]
    return tuple(tuple(zip(names, values, strict=True)) for values in product(*(values for _, values in demand)))


def number_of_bundles(demand: Demand) -> int:
    """Return the number of bundles that the features of a reading stand for."""
    return prod(len(values) for _, values in demand)


def format_demand(demand: Demand) -> str:
    """Format a demand for messages: `[number=sg, person=1|2]`; an empty one is empty."""
    return _bracket(demand, str, str)


def _bracket(demand: Demand, name: Callable[[str], str], value: Callable[[str], str]) -> str:
    """Format a demand in brackets, with functions that format a feature and a value."""
    if not demand:
        return ""
    parts = (
        f"no {name(feature)}"
        if values == (ABSENT,)
        else f"{name(feature)}={'|'.join(value(accepted) if accepted else WILDCARD for accepted in values)}"
        for feature, values in demand
    )
    return f"[{', '.join(parts)}]"


def format_bundle(bundle: Bundle) -> str:
    """Format a bundle for messages: `[number=sg, person=3]`; an empty one is empty."""
    return format_demand(tuple((feature, (value,)) for feature, value in bundle))


UNIT: Final = 1_000_000
"""The number of fixed-point units in 1."""
MAX_WEIGHT: Final = 10**9
"""The largest weight and cost, as a number and not in units, so that sums over a sentence stay within 64 bits."""


@frozen
class Operand:
    """A category that a property names, with demanded features: `N[number=sg]`."""

    category: str
    features: Demand = ()

    def matches(self, category: str, features: Bundle) -> bool:
        """True if a constituent of this category with these features matches the operand."""
        return category == self.category and subsumes(self.features, features)

    def __str__(self) -> str:
        return self.category + format_demand(self.features)


Joint = tuple[Operand, ...]
"""A joint operand, `B1 & B2`: each operand in it must match another daughter."""
Parameter = tuple[Joint, ...]
"""The alternatives that a property names for one parameter, `C1 & C2 | D`; each is a joint operand."""


@frozen
class Strength:
    """Stated weight and cost, in fixed-point units, and hardness; None for a number that is not stated."""

    weight: int | None = None
    cost: int | None = None
    hard: bool = False


@frozen
class PropertyExample:
    """A sentence or phrase that shows a property: `"the cat sleeps"`, or with a star `*"the cat sleep"`.

    A starred one violates the property, one without a star does not. Behind a price, every example has that price.
    """

    text: str
    starred: bool = False
    span: Span | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{'*' * self.starred}{quoted(self.text)}"


@frozen
class Property:
    """A constraint: a relation over operands, in the form of one construction.

    `operands` has what the property says for each parameter of the relation. `features` must unify (dependency).
    `weight`, `cost` and `hard` result from the strengths stated at the property, for its relation in the construction,
    and for its relation in the grammar; `stated` is the strength written at the property. A price (`is_price`) is also
    such a record: it costs where its instances occur (ruling 48). `title` says in plain words what a price is about, or
    what a violated property asks for (its gloss); `register` is where what has a price is at home. `examples` show the
    property, or what has the price (ruling 51).
    """

    construction: str
    relation: str
    operands: tuple[Parameter, ...]
    features: tuple[str, ...] = ()
    weight_units: int = UNIT
    cost_units: int = UNIT
    hard: bool = False
    stated: Strength = Strength()
    span: Span | None = field(default=None, compare=False)
    title: str = ""
    register: str = ""
    examples: tuple[PropertyExample, ...] = ()

    @property
    def is_price(self) -> bool:
        """True for a price of what is well-formed but rare: not a property, although it is compiled like one."""
        return self.type in PRICE_TYPES

    @property
    def weight(self) -> float:
        """Weight of a satisfied instance."""
        return self.weight_units / UNIT

    @property
    def cost(self) -> float:
        """Cost of a violated instance."""
        return self.cost_units / UNIT

    def __repr__(self) -> str:
        return f"<{format_named(self)} ({self.place})>" if self.place else f"<{format_named(self)}>"

    @property
    def place(self) -> str:
        """File name and line, as reports print them: `english.pg:31`; empty if the property comes from no file."""
        return self.span.short if self.span else ""

    @property
    def type(self) -> str:
        """The name of the relation, without its condition; `condition` for a property that is itself a condition."""
        return type_of(self.relation)

    def all_operands(self) -> Iterator[Operand]:
        """Yield all operands, including those of joints and alternatives."""
        return (operand for parameter in self.operands for joint in parameter for operand in joint)


def format_number(units: int) -> str:
    """Format fixed-point units as a decimal number: 1, 2.5, -0.25."""
    sign, units = "-" if units < 0 else "", abs(units)
    whole, rest = divmod(units, UNIT)
    return f"{sign}{whole}" + (f".{rest:06d}".rstrip("0") if rest else "")


def format_bracket(demand: Demand) -> str:
    """Format a demand: `[number=sg, person=1|2]`."""
    return _bracket(demand, format_atom, format_value)


def format_operand(operand: Operand) -> str:
    """Format an operand: `N[number=sg]`."""
    return format_name(operand.category) + format_bracket(operand.features)


def format_operands(operands: Iterable[Operand]) -> str:
    """Format a list of operands: `N[number=sg], Pro`."""
    return ", ".join(map(format_operand, operands))


def format_parameter(parameter: Parameter) -> str:
    """Format a parameter: `B1 & B2 | C`."""
    return " | ".join(" & ".join(map(format_operand, joint)) for joint in parameter)


def format_strength(strength: Strength) -> str:
    """Format a strength with a leading space, ` weight 2 hard`; empty if nothing is stated."""
    weight = "" if strength.weight is None else f" weight {format_number(strength.weight)}"
    cost = "" if strength.cost is None else f" cost {format_number(strength.cost)}"
    return weight + cost + (" hard" if strength.hard else "")


def format_property(prop: Property, strength: bool = False) -> str:
    """Format a property without its construction, `Det ~> N [number]`; with `strength`, also its strength."""
    return format_statement(prop, [format_parameter(parameter) for parameter in prop.operands], strength)


def format_named(prop: Property) -> str:
    """Format a property with its construction: `NP: Det ~> N [number]`."""
    return f"{prop.construction}: {format_property(prop)}"


LETTERS: Final = "BCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Letters for the operands in the name of an anonymous relation, `B < C if D`."""
_LETTER: Final = re.compile(r"(?<![\".])\b[B-Z]\b(?!\()")


def format_statement(prop: Property, operands: Sequence[str], strength: bool = False) -> str:
    """Format a property; `operands` are texts, one for each parameter, which may be several operands in braces."""
    relation, condition = BUILT_IN_BY_NAME.get(prop.relation), ""
    if is_form(prop.relation):
        named = _LETTER.sub(lambda letter: operands[LETTERS.index(letter[0])], prop.relation)
        text, if_, condition = named.partition(" if ")
        condition = if_ + condition
    elif relation is None or not relation.has_sign:
        text = f"{prop.relation}({', '.join(operands)})"
    elif len(operands) == 1:
        text = f"{relation.symbol} {operands[0]}"
    else:
        text = f"{operands[0]} {relation.symbol} {operands[1]}"
    shared = f" [{', '.join(map(format_atom, prop.features))}]" if prop.features else ""
    if prop.is_price:
        about = [quoted(prop.title) if prop.title else "", format_name(prop.register) if prop.register else ""]
        said = [format_number(prop.cost_units), *filter(None, about)] if strength else []
        shown = format_examples(prop.examples) if strength else ""
        return " ".join(("price", *operands[: prop.type == "price_of"], *said)) + condition + shown
    if not strength:
        return text + shared + condition
    gloss = f" {quoted(prop.title)}" if prop.title else ""
    return text + shared + condition + format_strength(prop.stated) + gloss + format_examples(prop.examples)


def format_examples(examples: Iterable[PropertyExample]) -> str:
    """Format the examples behind a property: ` e.g. "the cat sleeps", *"the cat sleep"`; none are empty."""
    listed = ", ".join(map(str, examples))
    return f" e.g. {listed}" if listed else ""
