"""Decoding under constraints as an integer program, solved by HiGHS (`scipy.optimize.milp`): oracle and peer in time.

A variable an arc (a label over tokens from start to end) says that it is taken; each token is covered by exactly one
arc, so that the arcs taken are a path. Constraints are rows of the same matrix; one with a cost has a binary variable
more, which says that it is violated and costs that once, however often it is violated (binary counting). `None` for a
cost: hard.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

Arc = tuple[int, int, str, float]
"""First token, the one after the last, label, log score."""
Cost = float | None
Indices = NDArray[np.int64]
NONE: Final[Indices] = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Unique:
    """At most one arc with this label; with `runs` at most one unbroken run of them."""

    label: str
    cost: Cost = None
    runs: bool = False


@dataclass(frozen=True, slots=True)
class AtLeastOne:
    """One of these labels somewhere."""

    labels: frozenset[str]
    cost: Cost = None


@dataclass(frozen=True, slots=True)
class Disallowed:
    """None of these labels anywhere."""

    labels: frozenset[str]
    cost: Cost = None


@dataclass(frozen=True, slots=True)
class Fixed:
    """The label of a token."""

    token: int
    label: str
    cost: Cost = None


@dataclass(frozen=True, slots=True)
class OneLabel:
    """The tokens of each of these spans have the same label."""

    spans: tuple[tuple[int, int], ...]
    cost: Cost = None


Constraint = Unique | AtLeastOne | Disallowed | Fixed | OneLabel


@dataclass(frozen=True, slots=True)
class Problem:
    """Arcs over `length` tokens and what must hold of a path through them."""

    length: int
    arcs: Sequence[Arc]
    constraints: Sequence[Constraint]


@dataclass(frozen=True, slots=True)
class Optimum:
    """The arcs of the best path, its score less costs (None: no path holds), and the seconds of building and solving."""

    score: float | None
    arcs: tuple[Arc, ...]
    building: float
    solving: float


@dataclass(slots=True)
class _Rows:
    """A sparse matrix under construction, with bounds of its rows and costs of its columns."""

    columns: int
    row: list[Indices] = field(default_factory=list)
    column: list[Indices] = field(default_factory=list)
    value: list[NDArray[np.float64]] = field(default_factory=list)
    lower: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)

    def add(self, parts: Iterable[tuple[Indices, float]], lower: float, upper: float) -> None:
        """A row: columns with one coefficient each part."""
        number = len(self.lower)
        for columns, value in parts:
            self.row.append(np.full(len(columns), number))
            self.column.append(columns)
            self.value.append(np.full(len(columns), value))
        self.lower.append(lower)
        self.upper.append(upper)

    def new(self, cost: float = 0.0) -> Indices:
        """A new binary column."""
        self.costs.append(cost)
        return np.array([self.columns + len(self.costs) - 1])

    def slack(self, cost: Cost) -> Indices:
        return NONE if cost is None else self.new(cost)


def solve(problem: Problem) -> Optimum:
    """The optimum by HiGHS, without a gap."""
    began = perf_counter()
    scores, constraints, integrality = model_of(problem)
    built = perf_counter()
    found = milp(
        scores,
        integrality=integrality,
        bounds=Bounds(0, 1),
        constraints=constraints,
        options={"mip_rel_gap": 0.0},
    )
    ended = perf_counter()
    if found.x is None:
        return Optimum(None, (), built - began, ended - built)
    taken = tuple(arc for arc, value in zip(problem.arcs, found.x, strict=False) if value > 0.5)
    return Optimum(-float(found.fun), tuple(sorted(taken)), built - began, ended - built)


def model_of(problem: Problem) -> tuple[NDArray[np.float64], LinearConstraint, NDArray[np.int64]]:
    """Costs of the columns, the rows, and which columns are whole numbers (all)."""
    arcs = problem.arcs
    index = _Index(arcs)
    rows = _Rows(len(arcs))
    for token in range(problem.length):
        rows.add([(index.covering(token), 1.0)], 1.0, 1.0)
    for constraint in problem.constraints:
        _add(rows, index, constraint, problem.length)
    costs = np.concatenate([-index.score, np.array(rows.costs)])
    matrix = csr_array(
        (np.concatenate(rows.value), (np.concatenate(rows.row), np.concatenate(rows.column))),
        shape=(len(rows.lower), len(costs)),
    )
    return costs, LinearConstraint(matrix, np.array(rows.lower), np.array(rows.upper)), np.ones(len(costs), np.int64)


class _Index:
    """The columns of the arcs by label and place."""

    def __init__(self, arcs: Sequence[Arc]) -> None:
        self.start = np.array([arc[0] for arc in arcs])
        self.end = np.array([arc[1] for arc in arcs])
        self.score = np.array([arc[3] for arc in arcs])
        numbers = {label: i for i, label in enumerate(dict.fromkeys(arc[2] for arc in arcs))}
        self.numbers = numbers
        self._label = np.array([numbers[arc[2]] for arc in arcs])

    def labelled(self, labels: Iterable[str]) -> Indices:
        wanted = [self.numbers[label] for label in labels if label in self.numbers]
        if len(wanted) == 1:
            return np.flatnonzero(self._label == wanted[0])
        return np.flatnonzero(np.isin(self._label, wanted))

    def covering(self, token: int) -> Indices:
        return np.flatnonzero((self.start <= token) & (token < self.end))

    def label_of(self, columns: Indices) -> Indices:
        return self._label[columns]


def _add(rows: _Rows, index: _Index, constraint: Constraint, length: int) -> None:
    """The rows of a constraint."""
    if isinstance(constraint, Unique):
        columns = index.labelled([constraint.label])
        if constraint.runs:
            columns = _starts(rows, index, columns, length)
        if len(columns) > 1:
            slack = rows.slack(constraint.cost)
            rows.add([(columns, 1.0), (slack, 1.0 - len(columns))], -np.inf, 1.0)
    elif isinstance(constraint, AtLeastOne):
        columns, slack = index.labelled(constraint.labels), rows.slack(constraint.cost)
        rows.add([(columns, 1.0), (slack, 1.0)], 1.0, np.inf)
    elif isinstance(constraint, Disallowed | Fixed):
        columns = _forbidden(index, constraint)
        if len(columns):
            slack = rows.slack(constraint.cost)
            rows.add([(columns, 1.0), (slack, -float(len(columns)))], -np.inf, 0.0)
    else:
        _tie(rows, index, constraint)


def _forbidden(index: _Index, constraint: Disallowed | Fixed) -> Indices:
    if isinstance(constraint, Disallowed):
        return index.labelled(constraint.labels)
    return np.setdiff1d(index.covering(constraint.token), index.labelled([constraint.label]))


def _starts(rows: _Rows, index: _Index, columns: Indices, length: int) -> Indices:
    """Columns that are 1 where a run of these arcs starts."""
    found = []
    for token in range(length):
        here = columns[index.start[columns] == token]
        if len(here):
            start = rows.new()
            rows.add([(here, 1.0), (columns[index.end[columns] == token], -1.0), (start, -1.0)], -np.inf, 0.0)
            found.append(start)
    return np.concatenate(found) if found else NONE


def _tie(rows: _Rows, index: _Index, constraint: OneLabel) -> None:
    slack: Indices | None = None
    for token in sorted({token for start, end in constraint.spans for token in range(start, end - 1)}):
        here, there = index.covering(token), index.covering(token + 1)
        inside = np.intersect1d(here, there)
        here, there = np.setdiff1d(here, inside), np.setdiff1d(there, inside)
        for label in np.unique(index.label_of(np.concatenate([here, there]))):
            one, two = here[index.label_of(here) == label], there[index.label_of(there) == label]
            if constraint.cost is None:
                rows.add([(one, 1.0), (two, -1.0)], 0.0, 0.0)
                continue
            slack = rows.slack(constraint.cost) if slack is None else slack
            # one row a direction: taken here means taken there, unless the cost is paid
            rows.add([(one, 1.0), (two, -1.0), (slack, -1.0)], -np.inf, 0.0)
            rows.add([(two, 1.0), (one, -1.0), (slack, -1.0)], -np.inf, 0.0)
