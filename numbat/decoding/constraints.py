"""The properties of one construction as constraints on labellings: its daughters are the labels of a sequence.

    roles = Constraints(numbat.load_grammar("roles.pg"), "Roles", daughters="runs")
    decode(lattice, roles)

A property counts once, however often it is violated; `counting="instance"` charges each violated instance.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final, Literal, NamedTuple, get_args

from numbat.automata.property_acceptors import FORBIDDEN, Acceptor, FunctionAcceptor, property_acceptors
from numbat.automata.records import Kind
from numbat.decoding.label_lattice import LabelLattice
from numbat.errors import DataError, UsageError, close_match
from numbat.grammar.model import Construction, Grammar
from numbat.grammar.properties import UNIT, Operand, Property, format_named
from numbat.records import frozen

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


# The properties of a construction as tables over the labels that lattices have; they grow with new labels.
#
# Independent of weights and costs, and shared by constraints that differ in these.

SHORTEST_TABLE: Final = 4
"""Tables that count instances are made for sequences of so many labels, or twice, four times as many."""
MAX_COUNTED: Final = 512
"""In longer sequences instances are not counted: a state for each number of them would be too much."""
MAX_REMEMBERED: Final = 1_000
"""Rows of columns that are kept for sets of labels; when there are more, all are forgotten."""


def only_daughters(allowed: Sequence[Operand]) -> FunctionAcceptor:
    """The daughters that the construction may have (`const`): every other label is forbidden."""

    def step(state: int, position: int, label: str) -> tuple[int, float]:
        return 0, 0.0 if any(operand.matches(*kind_of(label)) for operand in allowed) else FORBIDDEN

    return FunctionAcceptor(0, step)


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
        if longest > MAX_COUNTED:
            raise DataError(
                f"instances are counted in up to {MAX_COUNTED} labels, and here are {longest:,}\n"
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
        if len(self._columns) > MAX_REMEMBERED:
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
            acceptors.append(only_daughters(self.form.constituency))
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


# Constraints as arrays: an acceptor over a set of labels becomes a minimal automaton with numbered states.

MAX_STATES: Final = 5_000
"""A constraint may have so many states."""
VIOLATED: Final = -1
"""Stands for the state that is never left and in which the constraint is violated."""


@frozen
class ConstraintTable:
    """A constraint as an automaton that counts violations; it starts in state 0.

    Its columns are the labels, once for each kind of place where it tells places apart. `next`, states x columns, has
    the state after a label, and `losses` the violations that are certain then; `ends`, one for each state, those that
    are certain at the end. In a state that is `dead` a violation is certain whatever follows. A constraint that counts
    once has its violations in `ends` alone.
    """

    states: int
    columns: int
    next: array[int]
    losses: array[int]
    ends: array[int]
    dead: array[int]


def table_of(
    acceptor: Acceptor, labels: Sequence[str], kinds_of_places: int = 1, longest: int | None = None, name: str = ""
) -> ConstraintTable:
    """The table of an acceptor. It counts once where the acceptor forbids, else as often as the acceptor charges 1.

    Instead of a position the acceptor is given the kind of the place, counted from 0. With `longest` only sequences of
    so many labels are of interest: an acceptor that counts instances has a state for each number. Raises DataError
    where it has more than `MAX_STATES` states.
    """
    columns = [(kind, label) for kind in range(kinds_of_places) for label in labels]
    numbers: dict[Hashable, int] = {acceptor.start: 0}
    rows: list[list[int]] = []
    losses: list[list[int]] = []
    ends: list[int] = []
    depth = [0]
    states: list[Hashable] = [acceptor.start]
    for at, state in enumerate(states):
        final = acceptor.finish(state)
        ends.append(1 if final == FORBIDDEN else round(-final))
        row, lost = [], []
        for kind, label in columns if longest is None or depth[at] < longest else ():
            after, gain = acceptor.step(state, kind, label)
            if gain == FORBIDDEN:
                row.append(VIOLATED)
                lost.append(0)
                continue
            if after not in numbers:
                numbers[after] = len(states)
                states.append(after)
                depth.append(depth[at] + 1)
            row.append(numbers[after])
            lost.append(round(-gain))
        rows.append(row or [at] * len(columns))
        losses.append(lost or [0] * len(columns))
        if len(states) > MAX_STATES:
            raise DataError(
                f"{name or 'a constraint'} needs more than {MAX_STATES:,} states\n"
                "  count it once for a sequence, or write it with fewer operands"
            )
    return _minimal(*_with_violated(rows, losses, ends))


def _with_violated(
    rows: list[list[int]], losses: list[list[int]], ends: list[int]
) -> tuple[list[list[int]], list[list[int]], list[int]]:
    """With a state of its own for what is violated for good."""
    if any(VIOLATED in row for row in rows):
        violated = len(rows)
        rows = [[violated if to == VIOLATED else to for to in row] for row in rows]
        rows.append([violated] * len(rows[0]))
        losses.append([0] * len(rows[0]))
        ends.append(1)
    return rows, losses, ends


def _minimal(rows: list[list[int]], losses: list[list[int]], ends: list[int]) -> ConstraintTable:
    """The automaton with all states merged that no sequence of labels tells apart (Moore's partition refinement)."""
    block = [0] * len(rows)
    number = 0
    while True:
        seen: dict[tuple[object, ...], int] = {}
        refined = []
        for row, lost, end, own in zip(rows, losses, ends, block, strict=True):
            key = own, end, tuple([block[to] for to in row]), tuple(lost)
            refined.append(seen.setdefault(key, len(seen)))
        block = refined
        if len(seen) == number:
            break
        number = len(seen)
    first = {own: at for at, own in reversed(list(enumerate(block)))}
    kept = [first[own] for own in range(number)]
    merged = [[block[to] for to in rows[at]] for at in kept]
    final = [ends[at] for at in kept]
    return ConstraintTable(
        number,
        len(rows[0]),
        array("i", [to for row in merged for to in row]),
        array("i", [loss for at in kept for loss in losses[at]]),
        array("i", final),
        array("i", _dead(merged, final)),
    )


def _dead(rows: Sequence[Sequence[int]], ends: Sequence[int]) -> list[int]:
    """For each state whether no way from it ends without a violation."""
    alive = {state for state, end in enumerate(ends) if not end}
    before: dict[int, set[int]] = {}
    for state, row in enumerate(rows):
        for to in set(row):
            before.setdefault(to, set()).add(state)
    waiting = list(alive)
    while waiting:
        for state in before.get(waiting.pop(), ()):
            if state not in alive:
                alive.add(state)
                waiting.append(state)
    return [state not in alive for state in range(len(rows))]


# What counts as one daughter of the flat construction: a label, a run of equal labels, or a chunk of BIO labels.

Daughters = Literal["labels", "runs", "bio"]
"""How labels make daughters."""
DAUGHTERS: Final[tuple[str, ...]] = get_args(Daughters)


def continues_run(before: str, label: str) -> bool:
    """Whether a label goes on with the run of the one before."""
    return before == label


def continues_chunk(before: str, label: str) -> bool:
    """Whether a BIO label goes on with the chunk of the one before: `I-NP` after `B-NP` or `I-NP`, and O after O."""
    return (label.startswith("I-") and before[:1] in "BI" and before[1:] == label[1:]) or before == label == "O"


CONTINUES: Final[Mapping[str, Callable[[str, str], bool]]] = {"runs": continues_run, "bio": continues_chunk}
"""For each way but one label a daughter: whether a label belongs to the same daughter as the one before."""


def category_of(label: str, daughters: Daughters) -> str:
    """The label of the daughter that a label belongs to: `NP` for `B-NP` and `I-NP` in BIO, else the label."""
    return label[2:] if daughters == "bio" and label[:2] in ("B-", "I-") else label


def grouped(labels: Sequence[str], daughters: Daughters) -> list[tuple[int, int, str]]:
    """The daughters that labels make: of each the first label, one past the last, and its own label."""
    found: list[tuple[int, int, str]] = []
    joined = CONTINUES.get(daughters)
    for at, label in enumerate(labels):
        if at and joined is not None and joined(labels[at - 1], label):
            start, _, own = found[-1]
            found[-1] = start, at + 1, own
        else:
            found.append((at, at + 1, category_of(label, daughters)))
    return found


class AfterLabel(NamedTuple):
    """The state of the acceptor of daughters, and the label that was read last."""

    state: Hashable
    label: str = ""


def over_labels(acceptor: Acceptor, daughters: Daughters) -> Acceptor:
    """An acceptor of daughters as one of labels: a label that goes on with a daughter is passed over."""
    if daughters == "labels":
        return acceptor
    continues = CONTINUES[daughters]

    def step(state: AfterLabel, position: int, label: str) -> tuple[AfterLabel, float]:
        if continues(state.label, label):
            return AfterLabel(state.state, label), 0.0
        after, gain = acceptor.step(state.state, position, category_of(label, daughters))
        return AfterLabel(after, label), gain

    return FunctionAcceptor(AfterLabel(acceptor.start), step, lambda state: acceptor.finish(state.state))


# What a label stands for: a category, or one with features.

_WITH_FEATURES: Final = re.compile(r"([^\[\]]+)\[([^\[\]]*)\]")


@lru_cache(maxsize=10_000)
def kind_of(label: str) -> Kind:
    """The category and the features of a label: `N[number=sg]`; a label of another form is a category."""
    match = _WITH_FEATURES.fullmatch(label)
    if match is None:
        return label, ()
    pairs = [pair.partition("=") for pair in match[2].split(",")]
    if not all(equals and "|" not in value for _, equals, value in pairs):
        return label, ()
    return match[1], tuple(sorted((name.strip(), value.strip()) for name, _, value in pairs))


# What the search is given and what it gives: arrays and numbers, in Python and in C alike.

HARD, SOFT, CHARGED = range(3)
"""How a constraint counts: it must hold; it holds or its cost is paid; its cost is paid for each violation.

What is charged is intersected as a weighted automaton; it opens no second branch.
"""
HEADER: Final = 5
"""Numbers that a header has for each constraint: how it counts, cost, states, columns, where its table begins."""
FOUND, INFEASIBLE, STOPPED = range(3)
"""How a search ended: with the best labelling; no labelling is allowed; it made as many items as it may."""


class Automaton(NamedTuple):
    """A constraint of a pack, unpacked: how it counts, its cost, its table as in `ConstraintTable`.

    `columns` are those of the arcs of a lattice, once there is one.
    """

    mode: int
    cost: int
    states: int
    width: int
    next: list[int]
    losses: list[int]
    ends: list[int]
    dead: list[int]
    columns: Sequence[int] = ()

    def violations(self, columns: Iterable[int]) -> int:
        """How often labels with these columns violate the constraint."""
        state, total = 0, 0
        for column in columns:
            at = state * self.width + column
            total += self.losses[at]
            state = self.next[at]
        return total + self.ends[state]


@dataclass(frozen=True)
class Tables:
    """Constraints that see the same columns, in two arrays.

    Of each constraint `header` has `HEADER` numbers; its table is `next`, `losses`, `ends`, `dead` one after the other.
    `rewarded` are the numbers of those whose violation is rewarded: what the table charges is that they hold.
    """

    header: array[int]
    cells: array[int]
    rewarded: frozenset[int] = frozenset()

    @property
    def size(self) -> int:
        """The number of constraints."""
        return len(self.header) // HEADER

    @cached_property
    def unpacked(self) -> tuple[Automaton, ...]:
        """The constraints one by one."""
        found = []
        for at in range(0, len(self.header), HEADER):
            mode, cost, states, width, start = self.header[at : at + HEADER]
            sizes = (states * width, states * width, states, states)
            cuts = (start, *(start := start + size for size in sizes))
            parts = [self.cells[begin:end].tolist() for begin, end in pairwise(cuts)]
            found.append(Automaton(mode, cost, states, width, parts[0], parts[1], parts[2], parts[3]))
        return tuple(found)


class Pack(NamedTuple):
    """Constraints for one lattice.

    The column of an arc is that of its label, `columns[number]`; where constraints tell places apart, `kinds` has the
    kind of each place, and each further kind is `width` columns further. An arc is of the kind of its first place. With
    `mixed` it is of the kind of the places that it covers, kind 0 aside, and of that kind where these are several.
    """

    tables: Tables
    columns: array[int]
    kinds: array[int] | None = None
    width: int = 0
    mixed: int = 0


class DecodingProblem(NamedTuple):
    """A lattice, constraints, those that are intersected from the start, and how many items the search may make."""

    lattice: LabelLattice
    packs: tuple[Pack, ...]
    initial: tuple[int, ...]
    limit: int


class Found(NamedTuple):
    """What a search found.

    `score` is in units of 1e-6, `arcs` those of the best labelling; `violated` are pairs: a constraint that it violates
    and how often. `added` are the constraints that were intersected on the way to it, in that order; `intersections`
    how many were intersected in all cases that were searched; `branches` how many cases were told apart by a soft
    constraint; `sizes` how many arcs of each product were looked at, the lattice alone first.
    """

    status: int
    score: int
    arcs: tuple[int, ...]
    violated: tuple[tuple[int, int], ...]
    added: tuple[int, ...]
    intersections: int
    branches: int
    sizes: tuple[int, ...]


def tables_of(constraints: Iterable[tuple[ConstraintTable, int, int]], rewarded: Iterable[int] = ()) -> Tables:
    """Constraints, each with how it counts and its cost, in arrays."""
    header: list[int] = []
    cells: array[int] = array("i")
    for table, mode, cost in constraints:
        header += (mode, cost, table.states, table.columns, len(cells))
        for part in (table.next, table.losses, table.ends, table.dead):
            cells += part
    return Tables(array("q", header), cells, frozenset(rewarded))
