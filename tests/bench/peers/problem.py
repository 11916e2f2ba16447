"""The problem for Numbat and the general solvers: the grammar without features, with the fewest violations.

`bare` removes features, agreement, user-defined relations and the weights of readings from a grammar. It keeps
obligation, uniqueness, linearity, adjacency, requirement and exclusion over categories, and the rest of the problem:
ambiguous words, contiguous trees of any arity, unary chains of up to `unary_limit`, H3 and H4, costs by instance,
fragments (docs/decisions.md, rulings 1 to 8). An exact peer must find the same cost as Numbat; ties are not ordered,
because peers only minimise the cost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from numbat.grammar.model import Construction, Entry, Grammar, Reading
from numbat.grammar.properties import UNIT, Operand, Property
from numbat.words.lexical_lookup import read_text, words_of

PLAIN = {"obligation", "uniqueness", "linearity", "adjacency", "requirement", "exclusion"}


@dataclass(frozen=True, slots=True)
class Plain:
    """A property over categories. `left` is empty for obligation, `right` holds alternatives for it and requirement."""

    relation: str
    left: str
    right: tuple[str, ...]
    cost: int


@dataclass(frozen=True, slots=True)
class Form:
    """A construction: the categories that it covers (H3) and its properties."""

    name: str
    members: frozenset[str]
    properties: tuple[Plain, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """One sentence to be parsed with the least cost; costs are whole multiples of the default violation cost."""

    words: tuple[str, ...]
    readings: tuple[tuple[str, ...], ...]
    forms: tuple[Form, ...]
    roots: frozenset[str]
    fragment_cost: int
    unary_limit: int


@dataclass(frozen=True, slots=True)
class Answer:
    """Solution of a solver for one sentence, and the milliseconds it took; `cost` is None if time ran out."""

    milliseconds: float
    cost: int | None


def bare(grammar: Grammar) -> Grammar:
    """The grammar without features."""
    return replace(
        grammar,
        features=(),
        relations=(),
        constructions=tuple(map(_bare_construction, grammar.constructions)),
        lexicon=tuple(Entry(entry.form, _bare_readings(entry.readings)) for entry in grammar.lexicon),
        guesses=tuple(replace(rule, readings=_bare_readings(rule.readings)) for rule in grammar.guesses),
    )


def _bare_construction(construction: Construction) -> Construction:
    return replace(
        construction,
        head=tuple(operand for operand in construction.head if not operand.features),
        inherit=(),
        feature_rules=(),
        properties=tuple(prop for prop in construction.properties if _is_plain(prop)),
    )


def _bare_readings(readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
    return tuple(Reading(category) for category in dict.fromkeys(reading.category for reading in readings))


def _is_plain(prop: Property) -> bool:
    single = all(len(joint) == 1 for parameter in prop.operands for joint in parameter)
    return prop.relation in PLAIN and single and not prop.hard and not any(o.features for o in _operands(prop))


def _operands(prop: Property) -> Iterator[Operand]:
    return (operand for parameter in prop.operands for joint in parameter for operand in joint)


def problem(grammar: Grammar, sentence: str) -> Problem:
    """The sentence as a problem of a bare grammar. Multiword readings have no place in it."""
    lattice = read_text(sentence, words_of(grammar))
    readings = tuple(
        tuple(sorted({arc.category for arc in lattice.arcs if (arc.start, arc.end) == (place, place + 1)}))
        for place in range(len(lattice.tokens))
    )
    return Problem(
        lattice.tokens,
        readings,
        tuple(map(_form, grammar.constructions)),
        frozenset(root.category for root in grammar.roots),
        _whole(grammar.fragment_cost_units),
        grammar.unary_limit,
    )


def _form(construction: Construction) -> Form:
    properties = tuple(map(_plain, construction.properties))
    if construction.constituency is None:
        members = {operand.category for prop in construction.properties for operand in _operands(prop)}
    else:
        members = {operand.category for operand in construction.constituency}
    return Form(construction.name, frozenset(members), properties)


def _plain(prop: Property) -> Plain:
    parameters = [tuple(joint[0].category for joint in parameter) for parameter in prop.operands]
    left = "" if prop.relation == "obligation" else parameters[0][0]
    right = () if prop.relation == "uniqueness" else parameters[-1]
    return Plain(prop.relation, left, right, _whole(prop.cost_units))


def _whole(cost: int) -> int:
    assert cost % UNIT == 0, "peers count in whole costs"
    return cost // UNIT
