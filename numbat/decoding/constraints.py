"""The properties of one construction as constraints on labellings: its daughters are the labels of a sequence.

    roles = Constraints(numbat.load_grammar("roles.pg"), "Roles", daughters="runs")
    decode(lattice, roles)

A property counts once, however often it is violated; `counting="instance"` charges each violated instance.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Final, NamedTuple

from numbat.decoding.compiled_properties import CompiledProperties, categories_named
from numbat.decoding.constraint_table import ConstraintTable
from numbat.decoding.daughters import DAUGHTERS, Daughters
from numbat.decoding.problem import CHARGED, HARD, SOFT, Pack, Tables, tables_of
from numbat.errors import UsageError, close_match
from numbat.grammar.model import Construction, Grammar
from numbat.grammar.properties import UNIT, Property, format_named

COUNTINGS: Final = ("once", "instance")
"""What is charged: a property that is violated at all, or each violated instance."""


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
        form = construction_of(grammar, construction)
        self.counting = counting
        self.costs = dict(costs or {})
        self._compiled = CompiledProperties(grammar, form, daughters)
        self._packed: dict[bool | None, tuple[int, Tables]] = {}
        self.constraints: tuple[Constraint, ...] = _constraints_of(form, self.costs)
        """In the order of the grammar; `const` comes last."""

    @property
    def grammar(self) -> Grammar:
        """The grammar whose properties they are."""
        return self._compiled.grammar

    @property
    def construction(self) -> str:
        """The construction whose daughters are the labels."""
        return self._compiled.form.name

    @property
    def daughters(self) -> Daughters:
        """What counts as one daughter."""
        return self._compiled.daughters

    def __repr__(self) -> str:
        return f"<Constraints of {self.construction}: {len(self.constraints)}>"

    def with_costs(self, costs: Mapping[str, float]) -> Constraints:
        """The same constraints, compiled once for both, under other costs by their names."""
        other = copy(self)
        other.costs = {**self.costs, **costs}
        other.constraints = _constraints_of(self._compiled.form, other.costs)
        other._packed = {}
        return other

    @property
    def alphabet(self) -> tuple[str, ...]:
        """The labels that were met so far: the columns of tables."""
        return self._compiled.alphabet

    @property
    def has_rewards(self) -> bool:
        """Whether a violation of any of them is rewarded."""
        return any(one.cost is not None and one.cost < 0 for one in self.constraints)

    def pack(self, labels: tuple[str, ...], longest: int, soft: bool | None) -> Pack:
        """The constraints for a lattice with these labels and labellings of up to so many of them.

        `soft`: those that are hard count their costs too; not `soft`: all have to hold; None: as the grammar says.
        """
        columns = self._compiled.columns(labels, longest if self.counting == "instance" else 0)
        edition, tables = self._packed.get(soft, (-1, None))
        if tables is None or edition != self._compiled.edition:
            tables = self._tables(soft)
            self._packed[soft] = self._compiled.edition, tables
        return Pack(tables, columns)

    def violated(self, labels: Sequence[str]) -> list[Constraint]:
        """The constraints that a labelling violates: one label for each token."""
        pack = self.pack(tuple(dict.fromkeys(labels)), len(labels), False)
        number = dict(zip(dict.fromkeys(labels), pack.columns, strict=True))
        columns = [number[label] for label in labels]
        each = zip(self.constraints, pack.tables.unpacked, strict=True)
        return [one for one, automaton in each if automaton.violations(columns)]

    def named_labels(self) -> frozenset[str]:
        """The categories that some property of the construction, or its `const`, names."""
        return frozenset(categories_named(self._compiled.form))

    def _tables(self, soft: bool | None) -> Tables:
        rows, rewarded = [], []
        for at, one in enumerate(self.constraints):
            mode = mode_of(one, soft, self.counting)
            table = self._compiled.tables(counts=mode == CHARGED)[at]
            if is_reward(one, mode):
                table = complement(table)
                rewarded.append(at)
            rows.append((table, mode, abs(one.cost or 0)))
        return tables_of(rows, rewarded)


def construction_of(grammar: Grammar, name: str | None) -> Construction:
    """The construction whose properties are the constraints. Raises UsageError."""
    names = [each.name for each in grammar.constructions]
    if name is None and len(names) == 1:
        return grammar.constructions[0]
    if name in names:
        return grammar.constructions[names.index(name)]
    if name is None:
        said = f"the grammar has {len(names)} constructions, and constraints are the properties of one"
        raise UsageError(f"{said}\n  name one: {', '.join(names)}")
    hint = close_match(name, names) or f"the constructions are: {', '.join(names)}"
    raise UsageError(f'the grammar has no construction "{name}"\n  {hint}')


def _constraints_of(form: Construction, costs: Mapping[str, float]) -> tuple[Constraint, ...]:
    found = [constraint_of(prop, costs) for prop in form.properties]
    if form.constituency is not None:
        found.append(Constraint(f"{form.name}: const", None, True))
    return tuple(found)


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
