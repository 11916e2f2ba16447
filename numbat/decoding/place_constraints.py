"""Constraints that only one sequence has: labels at positions, labels that it may not have, spans of one label.

They are the KNOWN VERB POSITION, DISALLOW ARGUMENTS and ARGUMENT CANDIDATES of Tromble & Eisner 2006, section 5.1.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar, Final

from numbat.automata.property_acceptors import FORBIDDEN
from numbat.decoding.constraint_table import table_of
from numbat.decoding.constraints import Constraint, complement, is_reward, mode_of
from numbat.decoding.label_lattice import LabelArc
from numbat.decoding.problem import Pack, Tables, tables_of
from numbat.errors import DataError
from numbat.grammar.properties import UNIT
from numbat.parsing.explanation.violations import on_one_line
from numbat.records import frozen

FREE: Final = ""
"""The state in which any label may follow."""


@frozen
class OneLabel:
    """Tied tokens carry the label of the token before them. Places are of two kinds: 0 free, 1 tied."""

    start: ClassVar[str] = FREE
    kinds_of_places: ClassVar[int] = 2
    mixed: ClassVar[int] = 0

    def step(self, state: str, place: int, label: str, /) -> tuple[str, float]:
        """The label that was read; FORBIDDEN for another one at a tied place."""
        return label, FORBIDDEN if place and label != state else 0.0

    def finish(self, state: str, /) -> float:
        """Nothing."""
        return 0.0

    def violations(self, arcs: Sequence[LabelArc], kinds: Sequence[int]) -> list[tuple[LabelArc, str]]:
        """The arcs that violate it, and in which way."""
        return [
            (arc, f"is {arc.label}, and the label before it, {before.label}, should go on")
            for before, arc in pairwise(arcs)
            if kinds[arc.start] and arc.label != before.label
        ]


@frozen
class Only:
    """At a place of kind k the label is the k-th of these, at a place of kind 0 any.

    A segment that covers places of several other kinds is of the last kind, at which no label is right.
    """

    labels: tuple[str, ...]
    start: ClassVar[int] = 0

    @property
    def kinds_of_places(self) -> int:
        """Any label, one of the labels, none."""
        return len(self.labels) + 2

    @property
    def mixed(self) -> int:
        """The kind at which no label is right."""
        return len(self.labels) + 1

    def step(self, state: int, place: int, label: str, /) -> tuple[int, float]:
        """Nothing; FORBIDDEN for another label."""
        return 0, FORBIDDEN if place and label not in self.labels[place - 1 : place] else 0.0

    def finish(self, state: int, /) -> float:
        """Nothing."""
        return 0.0

    def violations(self, arcs: Sequence[LabelArc], kinds: Sequence[int]) -> list[tuple[LabelArc, str]]:
        """The arcs that violate it, and in which way."""
        wanted = [(arc, self.labels[kind - 1]) for arc in arcs for kind in kinds[arc.start : arc.end] if kind]
        return [(arc, f"should be {label}, not {arc.label}") for arc, label in wanted if arc.label != label]


@frozen
class Without:
    """These labels do not occur."""

    labels: tuple[str, ...]
    start: ClassVar[int] = 0
    kinds_of_places: ClassVar[int] = 1
    mixed: ClassVar[int] = 0

    def step(self, state: int, place: int, label: str, /) -> tuple[int, float]:
        """Nothing; FORBIDDEN for one of them."""
        return 0, FORBIDDEN if label in self.labels else 0.0

    def finish(self, state: int, /) -> float:
        """Nothing."""
        return 0.0

    def violations(self, arcs: Sequence[LabelArc], kinds: Sequence[int]) -> list[tuple[LabelArc, str]]:
        """The arcs that violate it, and in which way."""
        return [(arc, f"should not be {arc.label}") for arc in arcs if arc.label in self.labels]


@frozen
class PlaceConstraint:
    """A constraint on the labels of one sequence: `kinds` are the kinds of its places, as its acceptor knows them."""

    constraint: Constraint
    acceptor: OneLabel | Only | Without
    kinds: array[int] | None = None

    @property
    def name(self) -> str:
        """Its name in messages and among penalties."""
        return self.constraint.name

    def check_length(self, length: int) -> None:
        """Raises DataError where it was made for a sequence of another length."""
        if self.kinds is not None and len(self.kinds) != length + 1:
            raise DataError(
                f'"{self.name}" was made for {len(self.kinds) - 1} tokens, and the lattice has {length}\n'
                "  make it for each sequence anew"
            )

    def with_cost(self, cost: float) -> PlaceConstraint:
        """The same constraint, soft and with this cost."""
        return PlaceConstraint(_constraint(self.name, cost), self.acceptor, self.kinds)

    def explain(self, arcs: Sequence[LabelArc], tokens: Sequence[str]) -> str:
        """What of a labelling violates it, in a sentence; empty where nothing does."""
        found = self.acceptor.violations(arcs, self.kinds or ())
        said = "; ".join(f"{_quoted(arc, tokens)} {what}" for arc, what in found)
        return f"{said}  [{self.name}]" if said else ""

    def pack(self, labels: tuple[str, ...], columns: array[int], soft: bool | None) -> Pack:
        """The constraint for a lattice with these labels, which are the columns 0, 1, …"""
        mode = mode_of(self.constraint, soft)
        flipped, cost = is_reward(self.constraint, mode), abs(self.constraint.cost or 0)
        tables = _tables(self.acceptor, labels, flipped, mode, cost)
        return Pack(tables, columns, self.kinds, len(labels), self.acceptor.mixed)


@lru_cache(maxsize=2_000)
def _tables(
    acceptor: OneLabel | Only | Without, labels: tuple[str, ...], flipped: bool, mode: int, cost: int
) -> Tables:
    table = table_of(acceptor, labels, acceptor.kinds_of_places)
    return tables_of([(complement(table) if flipped else table, mode, cost)], [0] if flipped else ())


def _quoted(arc: LabelArc, tokens: Sequence[str]) -> str:
    words = on_one_line(" ".join(tokens[arc.start : arc.end]))
    return f'"{words}" ({arc.start}-{arc.end})' if words else f"{arc.start}-{arc.end}"


def _constraint(name: str, cost: float | None) -> Constraint:
    return Constraint(name, None if cost is None else round(cost * UNIT), cost is None)


def spans(
    length: int, tied: Iterable[tuple[int, int]], name: str = "spans", cost: float | None = None
) -> PlaceConstraint:
    """Each span (start, end), end exclusive, carries one label; spans may nest and overlap. Without a cost it is hard.

    Raises DataError for a span that is not in the sequence.
    """
    kinds = array("i", bytes(4 * (length + 1)))
    for start, end in tied:
        if not 0 <= start < end <= length:
            raise DataError(
                f"the span {start}-{end} is not in a sequence of {length} tokens\n"
                "  a span goes from a position, counted from 0, to one past its last token"
            )
        kinds[start + 1 : end] = array("i", [1] * (end - start - 1))
    return PlaceConstraint(_constraint(name, cost), OneLabel(), kinds)


def fixed(length: int, labels: Mapping[int, str], name: str = "fixed", cost: float | None = None) -> PlaceConstraint:
    """The tokens at these positions have these labels. Raises DataError for a position outside the sequence."""
    about = tuple(sorted(set(labels.values())))
    kinds = array("i", bytes(4 * (length + 1)))
    for position, label in labels.items():
        if not 0 <= position < length:
            raise DataError(
                f"there is no token {position} in a sequence of {length} tokens\n  positions are counted from 0"
            )
        kinds[position] = about.index(label) + 1
    return PlaceConstraint(_constraint(name, cost), Only(about), kinds)


def disallow(labels: Iterable[str], name: str = "disallow", cost: float | None = None) -> PlaceConstraint:
    """These labels do not occur in the sequence."""
    return PlaceConstraint(_constraint(name, cost), Without(tuple(sorted(set(labels)))))
