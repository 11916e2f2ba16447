"""The table of relations; the meaning of each is written in the language of `expressions` (ruling 15).

A `Relation` defines for which tuples of daughters a property has an instance (`clauses`; such tuples are *pertinent*)
and when an instance is satisfied (`holds`). Evaluator, lookup table, automata, printed notation and explanations use
these attributes and never the name of a relation. User-defined relations are `Relation` objects like the built-in ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from numbat.grammar.expressions import (
    TRUE,
    Adjacent,
    Agree,
    Always,
    And,
    Count,
    EachBetween,
    Expression,
    Not,
    Precedes,
    Present,
    single_parameters,
    walk,
)
from numbat.grammar.names import FUNCTIONS
from numbat.records import frozen

FARTHEST: Final = 6
"""Maximum number of daughters between two others that each count as a violation of `near` (ruling 23)."""


def is_form(name: str) -> bool:
    """True for the name of an anonymous relation: the text of its properties with letters as operands, `B < C if D`."""
    return " " in name or "(" in name


@frozen
class Clause:
    """Defines pertinent tuples: one for each way to match the parameters `matched` by distinct daughters under `guard`.

    Without matched parameters there is one instance for each constituent, and the lookup table finds the property by
    its construction instead of by an operand.
    """

    matched: tuple[str, ...]
    guard: Expression = TRUE


@frozen
class Relation:
    """A relation: the type of a property.

    `symbol` is written before one parameter or between two; it is empty for `name(B, C)`. `aliases` are other
    spellings, such as those of the literature. In a `symmetric` relation the order of the members of a tuple does not
    matter. `monotonic` declares that an instance stays satisfied or violated when the assignment grows; it is only
    printed.

    `says` and `but` describe a violation; they may use {B} (the operand, by its title), {a_B} (with its article), {b}
    (the words of the violation that match it), {bs} (all words that match it), {b_is} (what its features say), {mother}
    and {mother_words} (the phrase), {features} and {counts}; {b:stands|stand} chooses by the number of daughters.
    `vague` is said instead if titles do not tell the features that decide. `lacking` is the parameter that no daughter
    matches in a violation, and {others} are daughters that only have other features; empty for violations of another
    kind. With `violated_by` there is one violation for each of these daughters, {between} in the text, instead of one
    for the tuple (ruling 23).

    `found_by`, else empty, is the parameter that finds an obligation although it has no matched daughters: the lookup
    table returns the property when all operands of one alternative are present (ruling 8). With `gives_heads` the
    operands of its properties may be heads of a construction that names none (ruling 10). With `is_price` its
    instances are prices (ruling 48): no operand retrieves them, and they count neither as satisfied nor as violated.
    """

    name: str
    parameters: tuple[str, ...]
    clauses: tuple[Clause, ...]
    holds: Expression
    symbol: str = ""
    aliases: tuple[str, ...] = ()
    monotonic: bool = False
    symmetric: bool = False
    shares_features: bool = False
    says: str = ""
    but: str = ""
    vague: str = ""
    lacking: str = ""
    violated_by: EachBetween | None = None
    gives_heads: bool = False
    found_by: str = ""
    is_price: bool = False

    @property
    def has_sign(self) -> bool:
        """True if its properties are written with the symbol, as in `B < C`; false for three or more parameters."""
        return bool(self.symbol) and len(self.parameters) <= 2

    @property
    def form(self) -> str:
        """The text of its properties in the notation, with its parameters as operands: `B < C`, `near(B, C)`."""
        if self.is_anonymous:
            return self.name
        if self.is_price:
            return f"{self.name}({', '.join(self.parameters)})"
        first, *others = self.parameters
        if not self.has_sign:
            return f"{self.name}({', '.join(self.parameters)})"
        return " ".join([first, self.symbol, *others] if others else [self.symbol, first])

    @property
    def is_anonymous(self) -> bool:
        """True if it was made for a property with a condition and has no name but the text of its properties."""
        return is_form(self.name)

    @property
    def matched(self) -> frozenset[str]:
        """The parameters that are `matched` in some clause."""
        return frozenset(name for clause in self.clauses for name in clause.matched)

    @property
    def single(self) -> frozenset[str]:
        """The parameters that stand for one daughter each, because its index or a feature is compared."""
        roots = (self.holds, *(clause.guard for clause in self.clauses))
        return frozenset(name for root in roots for node in walk(root) for name in single_parameters(node))


@frozen
class RelationRow:
    """A built-in relation: its variants, by the choice that a grammar makes for a switch of the semantics."""

    switch: str
    variants: Mapping[str, Relation]

    @property
    def default(self) -> Relation:
        """The default variant."""
        return next(iter(self.variants.values()))


def _obligation(holds: Expression, says: str) -> Relation:
    return Relation(
        "obligation", ("B",), (Clause(()),), holds, "oblig", ("obligation", "△"),
        monotonic=True, says=says, vague="{others} {others:does|do} not fit in {mother_words}", lacking="B",
        gives_heads=True, found_by="B",
    )  # fmt: skip


def _uniqueness(guard: Expression) -> Relation:
    return Relation(
        "uniqueness", ("B",), (Clause(("B",), guard),), Count("B", "=", 1), "uniq", ("uniqueness", "unic"),
        says="only one {B} can stand here: {bs}",
    )  # fmt: skip


def _linearity() -> Relation:
    return Relation(
        "linearity", ("B", "C"), (Clause(("B", "C")),), Precedes("B", "C"), "<", ("≺",),
        monotonic=True, says="{b} should stand before {c}",
    )  # fmt: skip


def _adjacency() -> Relation:
    return Relation(
        "adjacency", ("B", "C"), (Clause(("B", "C")),), Adjacent("B", "C"), "+", ("⊕",),
        symmetric=True, says="{b} and {c} should stand side by side",
    )  # fmt: skip


def _nearness() -> Relation:
    return Relation(
        "near", ("B", "C"), (Clause(("B", "C")),), Adjacent("B", "C"), symmetric=True,
        says="{b} and {c} should stand side by side, but {between} stands between them",
        violated_by=EachBetween("B", "C", FARTHEST),
    )  # fmt: skip


def _requirement() -> Relation:
    return Relation(
        "requirement", ("B", "C"), (Clause(("B",)),), Present("C"), "=>", ("⇒", "requires"),
        says="{b} {b:needs|need} {a_C}", vague="{b} {b:does|do} not go with {others} here", lacking="C",
    )  # fmt: skip


def _exclusion(holds: Expression, *one_sided: Clause) -> Relation:
    return Relation(
        "exclusion", ("B", "C"), (Clause(("B", "C")), *one_sided), holds, "x", ("⊗", "⇎", "excludes"),
        monotonic=True, symmetric=True, says="{all} do not go together{because}",
    )  # fmt: skip


def _dependency(missing_unifies: bool) -> Relation:
    return Relation(
        "dependency", ("B", "C"), (Clause(("B", "C")),), Agree("B", "C", missing_unifies), "~>", ("⤳", "⇝", "↝"),
        monotonic=True, symmetric=True, shares_features=True,
        says="{b} {b_is}, but {c} {c_is}", vague="{b} and {c} do not agree",
    )  # fmt: skip


def _wildcard() -> Relation:
    return Relation(
        "wildcard", ("B",), (Clause(("B",)),), TRUE,
        monotonic=True, says="{b} may be there, whatever holds of it",
    )  # fmt: skip


TABLE: Final = (
    RelationRow(
        "obligation",
        {
            "at-least-one": _obligation(Present("B"), "the {mother} {mother_words} has no {B}"),
            "exactly-one": _obligation(
                Count("B", "=", 1), "the {mother} {mother_words} needs exactly one {B}, but has {counts}"
            ),
        },
    ),
    RelationRow("uniqueness", {"counts": _uniqueness(Always(True)), "silent": _uniqueness(Count("B", ">", 1))}),
    RelationRow("", {"": _linearity()}),
    RelationRow("", {"": _adjacency()}),
    RelationRow("", {"": _nearness()}),
    RelationRow("", {"": _requirement()}),
    RelationRow(
        "exclusion",
        {
            "silent": _exclusion(Always(False)),
            "counts": _exclusion(
                Not(And((Present("B"), Present("C")))),
                Clause(("B",), Not(Present("C"))),
                Clause(("C",), Not(Present("B"))),
            ),
        },
    ),
    RelationRow("missing", {"unifies": _dependency(True), "clashes": _dependency(False)}),
    RelationRow("", {"": _wildcard()}),
)
"""The built-in relations; where the literature disagrees (docs/decisions.md) they have variants, the default first."""


def built_in(switches: Mapping[str, str]) -> tuple[Relation, ...]:
    """Return the built-in relations, each in the variant that a grammar chooses by its switches."""
    chosen = (row.variants.get(switches.get(row.switch, ""), row.default) for row in TABLE)
    if switches.get("trigger") == "by-operands":
        return tuple(replace(relation, found_by="") for relation in chosen)
    return tuple(chosen)


BUILT_IN: Final = built_in({})
"""The built-in relations in their default variants."""
HEAD_GIVING: Final = frozenset(relation.name for relation in BUILT_IN if relation.gives_heads)
"""The names of the relations whose operands may be heads."""
BUILT_IN_BY_NAME: Final[Mapping[str, Relation]] = {relation.name: relation for relation in BUILT_IN}
_BY_FORM: Final[Mapping[str, str]] = {relation.form: relation.name for relation in BUILT_IN}


CONDITION: Final = "condition"
"""The type of a property that is itself a condition."""


def type_of(name: str) -> str:
    """Return the property type for the name of a relation: linearity for `B < C if D`, condition for `B < C or D < B`.

    A strength that `all` states for a relation also holds for its properties with conditions.
    """
    if not is_form(name):
        return name
    form, condition, _ = name.partition(" if ")
    called = _CALLED.fullmatch(form)
    is_relation = called is not None and called[1] not in FUNCTIONS
    return _BY_FORM.get(form) or (called[1] if condition and called and is_relation else CONDITION)


_CALLED: Final = re.compile(r"([^\s()]+)\((?:[B-Z](?:, [B-Z])*)?\)")
"""Matches a relation written like a function: `near(B, C)`."""


PRICES: Final = (
    Relation("price", (), (Clause(()),), Always(False), is_price=True),
    Relation("price_of", ("B",), (Clause(("B",)),), Always(False), is_price=True),
)
"""The relations of prices: of a phrase, and of each daughter that matches an operand (ruling 48)."""
PRICE_TYPES: Final = frozenset(relation.name for relation in PRICES)

OCCURS: Final = Relation("occurs", ("B",), (Clause(("B",)),), TRUE, says="{b} occurs here", monotonic=True)
"""A relation that always holds. A property with it allows phrases in which no other property may be satisfied."""


def excludes(relation: Relation) -> bool:
    """True if any two daughters that match the parameters violate the relation, as in `B x C`."""
    together = And(tuple(map(Present, relation.parameters)))
    never = relation.holds in (Always(False), Not(together))
    return never and len(relation.parameters) == 2 and Clause(relation.parameters) in relation.clauses


def allows_one(relation: Relation) -> bool:
    """True if the relation has one parameter, which only one daughter may match, as in `uniq B`."""
    first, *others = relation.parameters
    return not others and relation.matched == {first} and relation.holds == Count(first, "=", 1)


def requires(relation: Relation) -> bool:
    """True if each match of the first parameter requires a match of the second, as in `B => C`."""
    first, *others = relation.parameters
    return relation.clauses == (Clause((first,)),) and [relation.holds] == list(map(Present, others))
