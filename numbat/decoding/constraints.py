"""The properties of one construction as constraints on labellings: its daughters are the labels of a sequence.

    roles = Constraints(numbat.load_grammar("roles.pg"), "Roles", daughters="runs")
    decode(lattice, roles)

A property counts once, however often it is violated; `counting="instance"` charges each violated instance.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from numbat.automata.acceptor import FORBIDDEN, Acceptor
from numbat.automata.property_acceptors import property_acceptors
from numbat.automata.records import Kind
from numbat.decoding.constraint_table import ConstraintTable, table_of
from numbat.decoding.daughters import DAUGHTERS, Daughters, category_of, over_labels
from numbat.decoding.problem import CHARGED, HARD, SOFT, Pack, Tables, tables_of
from numbat.errors import UsageError
from numbat.grammar.features import Bundle
from numbat.grammar.model import Grammar
from numbat.grammar.properties import UNIT, Operand, Property, format_named
from numbat.source import close_match

COUNTINGS: Final = ("once", "instance")
"""What is charged: a property that is violated at all, or each violated instance."""
SHORTEST_TABLE: Final = 4
"""Tables that count instances are made for sequences of so many labels, or twice, four times as many."""
REMEMBERED: Final = 1_000
"""Rows of columns that are kept for sets of labels; when there are more, all are forgotten."""


class Constraint(NamedTuple):
    """A constraint that labellings satisfy or violate.

    `name` is that of its cost in a table of penalties and in messages. `cost` is in units of 1e-6; one without a cost
    always has to hold, one that `is_hard` unless hard ones are to be soft. A cost below 0 rewards a violation.
    `property` is the one that it stands for, None for a constraint that is not from a grammar.
    """

    name: str
    cost: int | None
    is_hard: bool
    property: Property | None = None


class OfConstruction:
    """The daughters that the construction may have (`const`): every other label is forbidden."""

    start = 0

    def __init__(self, allowed: Sequence[Operand]) -> None:
        self._allowed = allowed

    def step(self, state: int, position: int, label: str, /) -> tuple[int, float]:
        """Nothing, or FORBIDDEN."""
        return 0, 0.0 if any(operand.matches(*kind_of(label)) for operand in self._allowed) else FORBIDDEN

    def finish(self, state: int, /) -> float:
        """Nothing."""
        return 0.0


class Constraints:
    """The properties of a construction, compiled for the labels that lattices have.

    `construction` is the only one of the grammar where it is left out. `daughters`: each label is a daughter, or each
    run of equal labels, or each chunk of BIO labels. `costs` are in place of those of the grammar, by the names of
    constraints. `counting` is `once` or `instance`. Raises UsageError.
    """

    def __init__(
        self,
        grammar: Grammar,
        construction: str | None = None,
        daughters: Daughters = "labels",
        counting: str = "once",
        costs: Mapping[str, float] | None = None,
    ) -> None:
        for value, known, what in ((daughters, DAUGHTERS, "daughters"), (counting, COUNTINGS, "counting")):
            if value not in known:
                raise UsageError(f'"{value}" is no way of {what}\n  these are: {", ".join(known)}')
        self.grammar, self.daughters, self.counting = grammar, daughters, counting
        self.construction = construction_of(grammar, construction)
        form = next(each for each in grammar.constructions if each.name == self.construction)
        self._allowed = form.constituency
        self.costs = dict(costs or {})
        found = [constraint_of(prop, self.costs) for prop in form.properties]
        self.constraints: tuple[Constraint, ...] = (
            *found,
            *([Constraint(f"{self.construction}: const", None, True)] if self._allowed is not None else ()),
        )
        """In the order of the grammar; `const` comes last."""
        self._alphabet: dict[str, int] = {}
        self._longest = SHORTEST_TABLE
        self._tables: dict[bool, list[ConstraintTable]] = {}
        self._compiled: dict[bool | None, Tables] = {}
        self._columns: dict[tuple[str, ...], array[int]] = {}

    def __repr__(self) -> str:
        return f"<Constraints of {self.construction}: {len(self.constraints)}>"

    def with_costs(self, costs: Mapping[str, float]) -> Constraints:
        """The same constraints under other costs."""
        return Constraints(self.grammar, self.construction, self.daughters, self.counting, {**self.costs, **costs})

    @property
    def alphabet(self) -> tuple[str, ...]:
        """The labels that were met so far: the columns of tables."""
        return tuple(self._alphabet)

    def pack(self, labels: tuple[str, ...], longest: int, soft: bool | None) -> Pack:
        """The constraints for a lattice with these labels and labellings of up to so many of them.

        `soft`: those that are hard count their costs too; not `soft`: all have to hold; None: as the grammar says.
        """
        columns = self._columns.get(labels)
        if columns is None or (longest > self._longest and self.counting == "instance"):
            columns = self._known(labels, longest)
        tables = self._compiled.get(soft)
        if tables is None:
            tables = self._compiled[soft] = self._compile(soft)
        return Pack(tables, columns)

    def named_labels(self) -> frozenset[str]:
        """The categories that some property of the construction, or its `const`, names."""
        properties = (one.property for one in self.constraints if one.property is not None)
        named = {operand.category for prop in properties for operand in prop.all_operands()}
        return frozenset(named.union(operand.category for operand in self._allowed or ()))

    def _known(self, labels: tuple[str, ...], longest: int) -> array[int]:
        """The columns of labels. Where a label is new, or a sequence longer than any, tables have to be made anew."""
        size = len(self._alphabet)
        for label in labels:
            self._alphabet.setdefault(label, len(self._alphabet))
        if len(self._alphabet) > size or longest > self._longest or len(self._columns) > REMEMBERED:
            while longest > self._longest:
                self._longest *= 2
            self._tables.clear()
            self._compiled.clear()
            self._columns.clear()
        columns = self._columns[labels] = array("i", [self._alphabet[label] for label in labels])
        return columns

    def _compile(self, soft: bool | None) -> Tables:
        rows = []
        for at, one in enumerate(self.constraints):
            mode = mode_of(one, soft, self.counting)
            table = self._made(counts=mode == CHARGED)[at]
            rows.append((complement(table) if is_reward(one, mode) else table, mode, abs(one.cost or 0)))
        return tables_of(rows)

    def _made(self, counts: bool) -> list[ConstraintTable]:
        """The tables of all constraints, which count instances or once."""
        if counts in self._tables:
            return self._tables[counts]
        alphabet = list(self._alphabet)
        kinds = {own: kind_of(own) for own in (category_of(label, self.daughters) for label in alphabet)}
        grammar = _charging_one(self.grammar, self.construction) if counts else self.grammar
        acceptors: list[Acceptor] = [*property_acceptors(grammar, self.construction, kinds, all_hard=not counts)]
        if self._allowed is not None:
            acceptors.append(OfConstruction(self._allowed))
        made = self._tables[counts] = [
            table_of(over_labels(each, self.daughters), alphabet, 1, self._longest if counts else None, one.name)
            for each, one in zip(acceptors, self.constraints, strict=True)
        ]
        return made


_FEATURES: Final = re.compile(r"([^\[\]]+)\[([^\[\]]*)\]")


def kind_of(label: str) -> Kind:
    """The category and the features of a label: `N[number=sg]`; a label of another form is a category."""
    match = _FEATURES.fullmatch(label)
    if match is None:
        return label, ()
    pairs = [pair.partition("=") for pair in match[2].split(",")]
    if not all(equals and "|" not in value for _, equals, value in pairs):
        return label, ()
    features: Bundle = tuple(sorted((name.strip(), value.strip()) for name, _, value in pairs))
    return match[1], features


def construction_of(grammar: Grammar, name: str | None) -> str:
    """The construction whose properties are the constraints. Raises UsageError."""
    names = [each.name for each in grammar.constructions]
    if name is None and len(names) == 1:
        return names[0]
    if name in names:
        return str(name)
    if name is None:
        said = f"the grammar has {len(names)} constructions, and constraints are the properties of one"
        raise UsageError(f"{said}\n  name one: {', '.join(names)}")
    hint = close_match(name, names) or f"the constructions are: {', '.join(names)}"
    raise UsageError(f'the grammar has no construction "{name}"\n  {hint}')


def constraint_of(prop: Property, costs: Mapping[str, float]) -> Constraint:
    """A property as a constraint; a cost of its own makes it soft."""
    name = format_named(prop)
    if name in costs:
        return Constraint(name, round(costs[name] * UNIT), False, prop)
    return Constraint(name, prop.cost, prop.hard, prop)


def mode_of(constraint: Constraint, soft: bool | None, counting: str = "once") -> int:
    """How a constraint counts; see `Constraints.pack`. Raises UsageError for rewards that are counted by instance."""
    if constraint.cost is None or (constraint.is_hard if soft is None else not soft):
        return HARD
    if counting == "once":
        return SOFT
    if constraint.cost < 0:
        raise UsageError(
            f"{constraint.name} has the cost {constraint.cost / UNIT:g}\n"
            "  a cost below 0 rewards a violation; count it once for a sequence, not by instance"
        )
    return CHARGED


def is_reward(constraint: Constraint, mode: int) -> bool:
    """Whether a violation is rewarded, so that the complement is charged."""
    return mode != HARD and constraint.cost is not None and constraint.cost < 0


def complement(table: ConstraintTable) -> ConstraintTable:
    """The table that is violated where this one, which counts once, is not.

    A reward for violations is the same as a constant less a penalty where the reward is missed.
    """
    ends = array("i", [1 - end for end in table.ends])
    return replace(table, ends=ends, dead=array("i", [0] * table.states))


def _charging_one(grammar: Grammar, construction: str) -> Grammar:
    """The grammar with properties of a construction that are soft and cost 1."""
    forms = [
        replace(
            each,
            properties=tuple([replace(prop, cost=UNIT, hard=False) for prop in each.properties]),
        )
        if each.name == construction
        else each
        for each in grammar.constructions
    ]
    semantics = replace(grammar.semantics, counting="instance")
    return replace(grammar, constructions=tuple(forms), semantics=semantics)
