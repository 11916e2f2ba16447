"""Constraints on labellings: the properties of a construction, with the labels of a sequence as its daughters.

    roles = Constraints(numbat.load_grammar("roles.pg"), "Roles", daughters="runs")
    decode(lattice, roles)

A violated property costs the same however often it is violated; `counting="instance"` charges every instance instead.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Hashable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from numbat.automata.property_acceptors import FORBIDDEN, Acceptor, FunctionAcceptor, property_acceptors
from numbat.automata.records import Kind
from numbat.errors import DataError, UsageError, close_match, shortened
from numbat.grammar.model import Construction, Grammar
from numbat.grammar.properties import UNIT, Operand, Property, format_named
from numbat.labels.label_lattice import LabelLattice
from numbat.records import cached_property, frozen
from numbat.words.chunk_labels import OUTSIDE, SCHEMES, Scheme, schemes_with

COUNTINGS: Final = ("once", "instance")
"""Ways of counting: a property's cost is charged once if it is violated, or for each violated instance."""


class Constraint(NamedTuple):
    """A hard or soft constraint on labellings.

    `name` identifies the constraint in tables of penalties and in messages. `cost` is in millionths; without one (None)
    the constraint is always hard, with one it is hard if `is_hard`, unless `decode` is told otherwise. A negative cost
    rewards a violation. `property` is None for a constraint that is not from a grammar.
    """

    name: str
    cost: int | None
    is_hard: bool
    property: Property | None = None


class Constraints:
    """Properties of a construction, compiled for the labels of lattices.

    `construction` may be omitted if the grammar has only one. `daughters` says what counts as one daughter: `labels`
    (each label), `runs` (of equal labels), or a scheme of chunks or its name, which labels must then follow. `costs`
    replace costs of the grammar, by name of the constraint. `counting` is `once` or `instance`. Raises UsageError.
    """

    def __init__(
        self,
        grammar: Grammar,
        construction: str | None = None,
        daughters: Daughters | str = "labels",
        counting: str = "once",
        costs: Mapping[str, float] | None = None,
    ) -> None:
        if counting not in COUNTINGS:
            raise UsageError(f'"{counting}" is not a way of counting\n  choose one of: {", ".join(COUNTINGS)}')
        form = construction_of(grammar, construction)
        self.counting = counting
        self.costs = dict(costs or {})
        self._compiled = CompiledProperties(grammar, form, daughters_named(daughters))
        self._packed: dict[bool | None, tuple[int, Tables]] = {}
        self.constraints: tuple[Constraint, ...] = _constraints_of(form, self.daughters, self.costs)
        """The properties in grammar order, then `const` (only these categories) and the scheme of chunks, if any."""

    @property
    def grammar(self) -> Grammar:
        """The grammar that has the construction."""
        return self._compiled.grammar

    @property
    def construction(self) -> str:
        """The name of the construction."""
        return self._compiled.form.name

    @property
    def daughters(self) -> Daughters:
        """The unit that counts as one daughter: a label, a run of equal labels, or a chunk of a scheme."""
        return self._compiled.daughters

    def __repr__(self) -> str:
        return f"<Constraints of {self.construction}: {len(self.constraints)}>"

    def with_costs(self, costs: Mapping[str, float]) -> Constraints:
        """Return a copy with these costs, by name of the constraint; it shares the compiled tables."""
        other = copy(self)
        other.costs = {**self.costs, **costs}
        other.constraints = _constraints_of(self._compiled.form, self.daughters, other.costs)
        other._packed = {}
        return other

    @property
    def alphabet(self) -> tuple[str, ...]:
        """All labels seen so far, in the order of the columns of the tables."""
        return self._compiled.alphabet

    @property
    def has_rewards(self) -> bool:
        """True if any violation is rewarded."""
        return any(one.cost is not None and one.cost < 0 for one in self.constraints)

    def pack(self, labels: tuple[str, ...], longest: int, soft: bool | None) -> Pack:
        """Pack the constraints for a lattice with these labels and labellings of at most `longest` labels.

        With `soft=True` every constraint that has a cost may be violated, with `soft=False` none may; None follows the
        grammar.
        """
        columns = self._compiled.columns(labels, longest if self.counting == "instance" else 0)
        edition, tables = self._packed.get(soft, (-1, None))
        if tables is None or edition != self._compiled.edition:
            tables = self._tables(soft)
            self._packed[soft] = self._compiled.edition, tables
        return Pack(tables, columns)

    def violated(self, labels: Sequence[str]) -> list[Constraint]:
        """Return the constraints that a labelling, one label per token, violates."""
        pack = self.pack(tuple(dict.fromkeys(labels)), len(labels), False)
        number = dict(zip(dict.fromkeys(labels), pack.columns, strict=True))
        columns = [number[label] for label in labels]
        pairs = zip(self.constraints, pack.tables.unpacked, strict=True)
        return [one for one, automaton in pairs if automaton.violations(columns)]

    def named_labels(self) -> frozenset[str]:
        """Return the categories that the construction mentions in its properties or its `const`."""
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
    """Return the construction called `name`; for None, the only one in the grammar. Raises UsageError."""
    names = [construction.name for construction in grammar.constructions]
    if name is None and len(names) == 1:
        return grammar.constructions[0]
    if name in names:
        return grammar.constructions[names.index(name)]
    if name is None:
        problem = f"the grammar has {len(names)} constructions, but constraints are the properties of one"
        raise UsageError(f"{problem}\n  name one: {', '.join(names)}")
    hint = close_match(name, names) or f"the constructions are: {', '.join(names)}"
    raise UsageError(f'the grammar has no construction "{name}"\n  {hint}')


def _constraints_of(form: Construction, daughters: Daughters, costs: Mapping[str, float]) -> tuple[Constraint, ...]:
    constraints = [constraint_of(prop, costs) for prop in form.properties]
    if form.constituency is not None:
        constraints.append(Constraint(f"{form.name}: const", None, True))
    if isinstance(daughters, Scheme):
        constraints.append(Constraint(f"scheme {daughters.name}", None, True))
    return tuple(constraints)


def constraint_of(prop: Property, costs: Mapping[str, float]) -> Constraint:
    """Return a property as a constraint; if `costs` has its name, the constraint is soft and has that cost."""
    name = format_named(prop)
    if name in costs:
        return Constraint(name, round(costs[name] * UNIT), False, prop)
    return Constraint(name, prop.cost_units, prop.hard, prop)


def mode_of(constraint: Constraint, soft: bool | None, counting: str = "once") -> int:
    """Return HARD, SOFT or CHARGED; `soft` as in `Constraints.pack`. Raises UsageError for rewards by instance."""
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
    """True if a violation is rewarded: the search then charges satisfaction instead, with the `complement`."""
    return mode != HARD and constraint.cost is not None and constraint.cost < 0


def complement(table: ConstraintTable) -> ConstraintTable:
    """Return a table that is violated where `table`, which counts once, is satisfied, and the other way round.

    A reward for each violation amounts to a constant reward minus a penalty for each satisfaction.
    """
    ends = array("i", [1 - end for end in table.ends])
    return replace(table, ends=ends, dead=array("i", [0] * table.states))


# Tables of properties. They do not depend on costs, and are extended when new labels arrive.

MIN_TABLE: Final = 4
"""Length of sequences for which tables that count instances are built first; it is doubled as needed."""
MAX_COUNTED: Final = 512
"""Maximum length of a sequence if instances are counted: a table needs a state for each number of instances."""
MAX_REMEMBERED: Final = 1_000
"""Maximum number of column arrays in the cache; a fuller cache is cleared."""


def only_daughters(allowed: Sequence[Operand]) -> FunctionAcceptor:
    """Return an acceptor that forbids every label that matches none of the `allowed` operands of `const`."""

    def step(state: int, position: int, label: str) -> tuple[int, float]:
        return 0, 0.0 if any(operand.matches(*kind_of(label)) for operand in allowed) else FORBIDDEN

    return FunctionAcceptor(0, step)


def only_allowed(scheme: Scheme) -> FunctionAcceptor:
    """Return an acceptor that forbids a label if the scheme does not allow it after the label before."""

    def gain(before: str, label: str) -> float:
        return 0.0 if scheme.allows(before, label) else FORBIDDEN

    return FunctionAcceptor(
        OUTSIDE, lambda before, _, label: (label, gain(before, label)), lambda before: gain(before, OUTSIDE)
    )


class CompiledProperties:
    """A table for each property of a construction, in grammar order, then those for `const` and a scheme, if any.

    `edition` is counted up whenever columns are added or tables grow, so that users know that theirs are outdated.
    """

    def __init__(self, grammar: Grammar, form: Construction, daughters: Daughters) -> None:
        self.grammar, self.form, self.daughters = grammar, form, daughters
        self.edition = 0
        self._alphabet = {label: at for at, label in enumerate(labels_named(self.form, daughters))}
        self._longest = MIN_TABLE
        self._tables: dict[bool, list[ConstraintTable]] = {}
        self._columns: dict[tuple[str, ...], array[int]] = {}

    @property
    def alphabet(self) -> tuple[str, ...]:
        """Labels seen so far, in column order."""
        return tuple(self._alphabet)

    def columns(self, labels: tuple[str, ...], longest: int) -> array[int]:
        """Return the column of each label; `longest` is the length of the sequence if instances are counted, else 0."""
        known = self._columns.get(labels)
        if known is not None and longest <= self._longest:
            return known
        if longest > MAX_COUNTED:
            raise DataError(
                f"instances are counted in at most {MAX_COUNTED} labels, but this sequence has {longest:,}\n"
                "  count each property once: --counting once"
            )
        size = len(self._alphabet)
        if isinstance(self.daughters, Scheme):
            check_labels(labels, self.daughters)
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
        """Return the transition tables; with `counts` they count violated instances. Raises DataError if too large."""
        if counts not in self._tables:
            self._tables[counts] = self._made(counts)
        return self._tables[counts]

    def _made(self, counts: bool) -> list[ConstraintTable]:
        alphabet = list(self._alphabet)
        kinds = {category: kind_of(category) for category in (category_of(label, self.daughters) for label in alphabet)}
        grammar = _charging_one(self.grammar, self.form.name) if counts else self.grammar
        acceptors: list[Acceptor] = [*property_acceptors(grammar, self.form.name, kinds, all_hard=not counts)]
        names = [format_named(prop) for prop in self.form.properties]
        if self.form.constituency is not None:
            acceptors.append(only_daughters(self.form.constituency))
            names.append(f"{self.form.name}: const")
        tables = [
            table_of(over_labels(acceptor, self.daughters), alphabet, 1, self._longest if counts else None, name)
            for acceptor, name in zip(acceptors, names, strict=True)
        ]
        if isinstance(self.daughters, Scheme):
            tables.append(table_of(only_allowed(self.daughters), alphabet))
        return tables


def categories_named(form: Construction) -> list[str]:
    """Return the categories that a construction mentions in its properties or its `const`, sorted."""
    operands = [operand for prop in form.properties for operand in prop.all_operands()]
    return sorted({operand.category for operand in (*operands, *(form.constituency or ()))})


def labels_named(form: Construction, daughters: Daughters) -> list[str]:
    """Return the labels that lattices are likely to have, from the construction; tables are first built for these."""
    categories = categories_named(form)
    if not isinstance(daughters, Scheme):
        return categories
    signs = sorted(daughters.signs - {OUTSIDE})
    return [
        OUTSIDE,
        *(daughters.label(sign, category) for category in categories if category != OUTSIDE for sign in signs),
    ]


def _charging_one(grammar: Grammar, construction: str) -> Grammar:
    """Return the grammar with the properties of a construction soft, each at cost 1 per violated instance."""
    forms = [
        replace(form, properties=tuple([replace(prop, cost_units=UNIT, hard=False) for prop in form.properties]))
        if form.name == construction
        else form
        for form in grammar.constructions
    ]
    semantics = replace(grammar.semantics, counting="instance")
    return replace(grammar, constructions=tuple(forms), semantics=semantics)


# Tables of constraints: minimal automata with numbered states, built from acceptors.

MAX_STATES: Final = 5_000
"""Maximum number of states in the table of one constraint."""
VIOLATED: Final = -1
"""State that is never left, because the constraint is certainly violated."""


@frozen
class ConstraintTable:
    """Automaton that counts violations; state 0 is the start.

    There is a column for each label, or for each pair of label and kind of token if the constraint treats tokens
    differently. For each state and column, `next` has the next state and `losses` the violations counted on the way;
    for each state, `ends` has the violations counted if the sequence ends there, and `dead` is 1 if every continuation
    violates the constraint. A constraint that counts once has violations in `ends` only.
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
    """Build the table of an acceptor: if the acceptor forbids, the table counts once, else every charge of 1.

    The acceptor receives the kind of the token, from 0, instead of its position. `longest` is the maximum length of a
    sequence, needed if the acceptor counts instances, because it has a state per count. Raises DataError for more than
    `MAX_STATES` states.
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
    """Return the automaton with a further state, never left, to which all certain violations lead."""
    if any(VIOLATED in row for row in rows):
        violated = len(rows)
        rows = [[violated if to == VIOLATED else to for to in row] for row in rows]
        rows.append([violated] * len(rows[0]))
        losses.append([0] * len(rows[0]))
        ends.append(1)
    return rows, losses, ends


def _minimal(rows: list[list[int]], losses: list[list[int]], ends: list[int]) -> ConstraintTable:
    """Return the smallest equivalent automaton, by Moore's partition refinement."""
    block = [0] * len(rows)
    number = 0
    while True:
        seen: dict[tuple[object, ...], int] = {}
        refined = []
        for row, lost, end, previous in zip(rows, losses, ends, block, strict=True):
            key = previous, end, tuple([block[to] for to in row]), tuple(lost)
            refined.append(seen.setdefault(key, len(seen)))
        block = refined
        if len(seen) == number:
            break
        number = len(seen)
    first = {previous: at for at, previous in reversed(list(enumerate(block)))}
    kept = [first[previous] for previous in range(number)]
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
    """Return 1 for each state from which every continuation ends in a violation, 0 for the others."""
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


# Daughters: labels, runs of equal labels, or chunks.

Daughters = Literal["labels", "runs"] | Scheme
"""A daughter is a single label, a run of equal labels, or a chunk of a scheme."""
DAUGHTERS: Final[Mapping[str, Daughters]] = {"labels": "labels", "runs": "runs", **SCHEMES}
"""Ways of forming daughters by name."""


def daughters_named(name: Daughters | str) -> Daughters:
    """Return a way of forming daughters by name (`labels`, `runs` or a scheme's). Raises UsageError."""
    if isinstance(name, Scheme):
        return name
    if name not in DAUGHTERS:
        raise UsageError(f'"{name}" is not a kind of daughters\n  choose one of: {", ".join(DAUGHTERS)}')
    return DAUGHTERS[name]


def goes_on(before: str, label: str, daughters: Daughters) -> bool:
    """True if `label` belongs to the same daughter as the label `before`; `O` next to `O` is one daughter."""
    if isinstance(daughters, Scheme):
        return before == label == OUTSIDE or daughters.goes_on(before, label)
    return daughters == "runs" and before == label


def category_of(label: str, daughters: Daughters) -> str:
    """Return the category of the daughter that a label forms: the type of a chunk (`_` if none), or the label."""
    parts = daughters.parts(label) if isinstance(daughters, Scheme) and label != OUTSIDE else None
    return label if parts is None else parts.type or "_"


def check_labels(labels: Iterable[str], scheme: Scheme) -> None:
    """Raise DataError if a label is not one of the scheme's."""
    for label in labels:
        if not scheme.has(label):
            others = ", ".join(other.name for other in schemes_with(labels))
            hint = f"all labels here are labels of: {others}" if others else "--daughters labels takes any labels"
            raise DataError(f'"{shortened(label)}" is not a label of the scheme {scheme.name}\n  {hint}')


def grouped(labels: Sequence[str], daughters: Daughters) -> list[tuple[int, int, str]]:
    """Return the daughters that labels form, each as (start, end, first label), end exclusive."""
    groups: list[tuple[int, int, str]] = []
    for at, label in enumerate(labels):
        if at and goes_on(labels[at - 1], label, daughters):
            start, _, category = groups[-1]
            groups[-1] = start, at + 1, category
        else:
            groups.append((at, at + 1, category_of(label, daughters)))
    return groups


class AfterLabel(NamedTuple):
    """State of the acceptor that reads daughters, and the label read last."""

    state: Hashable
    label: str = ""


def over_labels(acceptor: Acceptor, daughters: Daughters) -> Acceptor:
    """Return an acceptor of labels from one of daughters: it skips labels that continue a daughter."""
    if daughters == "labels":
        return acceptor

    def step(state: AfterLabel, position: int, label: str) -> tuple[AfterLabel, float]:
        if goes_on(state.label, label, daughters):
            return AfterLabel(state.state, label), 0.0
        after, gain = acceptor.step(state.state, position, category_of(label, daughters))
        return AfterLabel(after, label), gain

    return FunctionAcceptor(AfterLabel(acceptor.start), step, lambda state: acceptor.finish(state.state))


# Labels as categories with features.

_WITH_FEATURES: Final = re.compile(r"([^\[\]]+)\[([^\[\]]*)\]")


@lru_cache(maxsize=10_000)
def kind_of(label: str) -> Kind:
    """Return category and features of a label such as `N[number=sg]`; a label not of this form is a bare category."""
    match = _WITH_FEATURES.fullmatch(label)
    if match is None:
        return label, ()
    pairs = [pair.partition("=") for pair in match[2].split(",")]
    if not all(equals and "|" not in value for _, equals, value in pairs):
        return label, ()
    return match[1], tuple(sorted((name.strip(), value.strip()) for name, _, value in pairs))


# Input and output of the search, the same in Python and C.

HARD, SOFT, CHARGED = range(3)
"""Modes of a constraint: it must hold; if violated, it costs its cost once; every violation costs its cost.

A CHARGED constraint is intersected as a weighted automaton; there are no branches that decide whether it holds.
"""
HEADER: Final = 5
"""Length of the header of each constraint: mode, cost, states, columns, offset of the table."""
FOUND, INFEASIBLE, STOPPED = range(3)
"""Outcomes of a search: the best labelling was found; no labelling is allowed; the limit on items was reached."""


class Automaton(NamedTuple):
    """An unpacked constraint: its mode, cost and `ConstraintTable`, and the column of each arc of a lattice, if any."""

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
        """Count the violations in a sequence of columns."""
        state, total = 0, 0
        for column in columns:
            at = state * self.width + column
            total += self.losses[at]
            state = self.next[at]
        return total + self.ends[state]


@dataclass(frozen=True)
class Tables:
    """Constraints over the same columns, in two arrays.

    `header` has `HEADER` numbers per constraint; `cells` has the tables, each as `next`, `losses`, `ends` and `dead` of
    a `ConstraintTable`. `rewarded` numbers the constraints whose violation is rewarded; their tables charge
    satisfaction instead.
    """

    header: array[int]
    cells: array[int]
    rewarded: frozenset[int] = frozenset()

    @property
    def size(self) -> int:
        """Number of constraints."""
        return len(self.header) // HEADER

    @cached_property
    def unpacked(self) -> tuple[Automaton, ...]:
        """The constraints as automata."""
        automatons = []
        for at in range(0, len(self.header), HEADER):
            mode, cost, states, width, start = self.header[at : at + HEADER]
            sizes = (states * width, states * width, states, states)
            cuts = (start, *(start := start + size for size in sizes))
            parts = [self.cells[begin:end].tolist() for begin, end in pairwise(cuts)]
            automatons.append(Automaton(mode, cost, states, width, parts[0], parts[1], parts[2], parts[3]))
        return tuple(automatons)


class Pack(NamedTuple):
    """Constraints for one lattice.

    `columns` has the column of each label, by its number in the lattice. If constraints treat tokens differently,
    `kinds` has a kind for each token, and the column for kind k is k times `width` further on. The kind of an arc is
    that of its first token; if `mixed` is not 0, it is the only kind except 0 among its tokens, or `mixed` if there are
    several.
    """

    tables: Tables
    columns: array[int]
    kinds: array[int] | None = None
    width: int = 0
    mixed: int = 0


class DecodingProblem(NamedTuple):
    """A lattice, its constraints, the numbers of those intersected from the start, and the maximum number of items."""

    lattice: LabelLattice
    packs: tuple[Pack, ...]
    initial: tuple[int, ...]
    limit: int


class Found(NamedTuple):
    """Result of a search.

    `score` is in millionths; `arcs` are those of the best labelling; `violated` has pairs of a constraint's number and
    how often it is violated. `added` numbers the constraints that were intersected before this labelling was found, in
    order; `intersections` counts those of all branches, `branches` the branches on soft constraints; `sizes` counts the
    arcs expanded in the lattice alone, then in each product.
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
    """Pack constraints, each a triple of table, mode and cost, into arrays; `rewarded` as in `Tables`."""
    header: list[int] = []
    cells: array[int] = array("i")
    for table, mode, cost in constraints:
        header += (mode, cost, table.states, table.columns, len(cells))
        for part in (table.next, table.losses, table.ends, table.dead):
            cells += part
    return Tables(array("q", header), cells, frozenset(rewarded))
