"""The properties of a construction as tables over the labels that lattices have; they grow with new labels.

Independent of weights and costs, and shared by constraints that differ in these.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from numbat.automata.property_acceptors import FORBIDDEN, Acceptor, property_acceptors
from numbat.decoding.constraint_table import ConstraintTable, table_of
from numbat.decoding.daughters import Daughters, category_of, over_labels
from numbat.decoding.label_kinds import kind_of
from numbat.errors import DataError
from numbat.grammar.model import Construction, Grammar
from numbat.grammar.properties import UNIT, Operand, format_named

SHORTEST_TABLE: Final = 4
"""Tables that count instances are made for sequences of so many labels, or twice, four times as many."""
MOST_COUNTED: Final = 512
"""In longer sequences instances are not counted: a state for each number of them would be too much."""
MOST_REMEMBERED: Final = 1_000
"""Rows of columns that are kept for sets of labels; when there are more, all are forgotten."""


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


class CompiledProperties:
    """Tables of the properties of a construction in their order, and of its `const`, where it has one, last.

    `edition` is another number whenever the columns of labels have changed.
    """

    def __init__(self, grammar: Grammar, form: Construction, daughters: Daughters) -> None:
        self.grammar, self.form, self.daughters = grammar, form, daughters
        self.edition = 0
        self._alphabet = {label: at for at, label in enumerate(labels_named(self.form, daughters))}
        self._longest = SHORTEST_TABLE
        self._tables: dict[bool, list[ConstraintTable]] = {}
        self._columns: dict[tuple[str, ...], array[int]] = {}

    @property
    def alphabet(self) -> tuple[str, ...]:
        """The labels that were met so far, in the order of their columns."""
        return tuple(self._alphabet)

    def columns(self, labels: tuple[str, ...], longest: int) -> array[int]:
        """The columns of these labels; sequences may have up to `longest` of them where instances are counted."""
        known = self._columns.get(labels)
        if known is not None and longest <= self._longest:
            return known
        if longest > MOST_COUNTED:
            raise DataError(
                f"instances are counted in up to {MOST_COUNTED} labels, and here are {longest:,}\n"
                "  count each property once: --counting once"
            )
        size = len(self._alphabet)
        for label in labels:
            self._alphabet.setdefault(label, len(self._alphabet))
        is_longer = longest > self._longest
        while longest > self._longest:
            self._longest *= 2
        if is_longer:
            self._tables.pop(True, None)
        if len(self._alphabet) > size:
            self._tables.clear()
        if is_longer or len(self._alphabet) > size:
            self.edition += 1
        if len(self._columns) > MOST_REMEMBERED:
            self._columns.clear()
        columns = self._columns[labels] = array("i", [self._alphabet[label] for label in labels])
        return columns

    def tables(self, counts: bool) -> list[ConstraintTable]:
        """The tables, which count violated instances, or each property once. Raises DataError for too many states."""
        if counts not in self._tables:
            self._tables[counts] = self._made(counts)
        return self._tables[counts]

    def _made(self, counts: bool) -> list[ConstraintTable]:
        alphabet = list(self._alphabet)
        kinds = {own: kind_of(own) for own in (category_of(label, self.daughters) for label in alphabet)}
        grammar = _charging_one(self.grammar, self.form.name) if counts else self.grammar
        acceptors: list[Acceptor] = [*property_acceptors(grammar, self.form.name, kinds, all_hard=not counts)]
        names = [format_named(prop) for prop in self.form.properties]
        if self.form.constituency is not None:
            acceptors.append(OfConstruction(self.form.constituency))
            names.append(f"{self.form.name}: const")
        return [
            table_of(over_labels(each, self.daughters), alphabet, 1, self._longest if counts else None, name)
            for each, name in zip(acceptors, names, strict=True)
        ]


def categories_named(form: Construction) -> list[str]:
    """The categories that the properties of a construction, or its `const`, name."""
    operands = [operand for prop in form.properties for operand in prop.all_operands()]
    return sorted({operand.category for operand in (*operands, *(form.constituency or ()))})


def labels_named(form: Construction, daughters: Daughters) -> list[str]:
    """Labels that lattices are likely to have: tables that know them are not made anew when they come."""
    categories = categories_named(form)
    return [f"{begins}-{each}" for each in categories for begins in "BI"] if daughters == "bio" else categories


def _charging_one(grammar: Grammar, construction: str) -> Grammar:
    """The grammar with properties of a construction that are soft and cost 1, each violated instance."""
    forms = [
        replace(each, properties=tuple([replace(prop, cost=UNIT, hard=False) for prop in each.properties]))
        if each.name == construction
        else each
        for each in grammar.constructions
    ]
    semantics = replace(grammar.semantics, counting="instance")
    return replace(grammar, constructions=tuple(forms), semantics=semantics)
