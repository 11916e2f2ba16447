"""Decoding under constraints as an integer program, solved by HiGHS (`scipy.optimize.milp`): an oracle and a peer.

Each arc (a label over tokens from start to end) has a variable that is 1 if the arc is taken; each token is covered by
exactly one arc, so that the arcs taken form a path. Constraints are rows of the same matrix; one with a cost has a
further binary variable, which is 1 if it is violated and pays the cost once (binary counting). A cost of `None`: hard.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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
Numbers = NDArray[np.float64]
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
    """Labels that must not occur."""

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


@dataclass(frozen=True, slots=True)
class Linear:
    """No arc with the one label after an arc with the other."""

    before: str
    after: str
    cost: Cost = None


@dataclass(frozen=True, slots=True)
class Exclusive:
    """Not both labels."""

    left: str
    right: str
    cost: Cost = None


@dataclass(frozen=True, slots=True)
class Adjacent:
    """All arcs with these labels are neighbours, of arcs of one token."""

    left: str
    right: str
    cost: Cost = None


@dataclass(frozen=True, slots=True)
class Requires:
    """A label requires one of some others."""

    label: str
    others: frozenset[str]
    cost: Cost = None


Constraint = Linear | Exclusive | Adjacent | Requires | Unique | AtLeastOne | Disallowed | Fixed | OneLabel


@dataclass(frozen=True, slots=True)
class Problem:
    """Arcs over `length` tokens, and constraints on a path through them."""

    length: int
    arcs: Sequence[Arc]
    constraints: Sequence[Constraint]


@dataclass(frozen=True, slots=True)
class Optimum:
    """The best path, its score less costs (None where no path holds), and seconds of building and of solving."""

    score: float | None
    arcs: tuple[Arc, ...]
    building: float
    solving: float


class _Model:
    """Rows of a sparse matrix with their bounds, and costs of its columns, under construction."""

    def __init__(self, problem: Problem) -> None:
        arcs = problem.arcs
        self.length = problem.length
        self.start, self.end = np.array([arc[0] for arc in arcs]), np.array([arc[1] for arc in arcs])
        self.numbers = {label: i for i, label in enumerate(dict.fromkeys(arc[2] for arc in arcs))}
        self.label = np.array([self.numbers[arc[2]] for arc in arcs])
        self.costs = [np.array([-arc[3] for arc in arcs])]
        self.columns = len(arcs)
        self.height = 0
        self.entries: list[tuple[Indices, Indices, Numbers]] = []
        self.bounds: list[tuple[Numbers, Numbers]] = []

    def new(self, costs: Sequence[float]) -> Indices:
        """New columns, with a cost each."""
        self.costs.append(np.array(costs, np.float64))
        self.columns += len(costs)
        return np.arange(self.columns - len(costs), self.columns)

    def slack(self, cost: Cost) -> Indices:
        """Return the column that is 1 if a constraint is violated; no column if it is hard."""
        return NONE if cost is None else self.new([cost])

    def add(self, height: int, lower: float, upper: float, *parts: tuple[Indices | int, Indices, float]) -> None:
        """Add `height` rows with the same bounds; each part has its rows (from 0), columns, and the coefficient."""
        for rows, columns, value in parts:
            at = np.broadcast_to(np.asarray(rows) + self.height, columns.shape)
            self.entries.append((at, columns, np.full(len(columns), value)))
        self.bounds.append((np.full(height, lower), np.full(height, upper)))
        self.height += height

    def labelled(self, labels: Iterable[str]) -> Indices:
        """The arcs with one of these labels."""
        wanted = [self.numbers[label] for label in labels if label in self.numbers]
        return np.flatnonzero(np.isin(self.label, wanted))


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


def model_of(problem: Problem) -> tuple[Numbers, LinearConstraint, Indices]:
    """Costs of the columns, the rows, and which columns are whole numbers (all)."""
    model = _Model(problem)
    sizes = model.end - model.start
    covering = np.repeat(np.arange(len(sizes)), sizes)
    covered = np.arange(len(covering)) - np.repeat(np.cumsum(sizes) - sizes - model.start, sizes)
    model.add(problem.length, 1.0, 1.0, (covered, covering, 1.0))
    for constraint in problem.constraints:
        _add(model, constraint)
    costs = np.concatenate(model.costs)
    row, column, value = (np.concatenate(parts) for parts in zip(*model.entries, strict=True))
    lower, upper = (np.concatenate(parts) for parts in zip(*model.bounds, strict=True))
    matrix = csr_array((value, (row, column)), shape=(model.height, len(costs)))
    return costs, LinearConstraint(matrix, lower, upper), np.ones(len(costs), np.int64)


def _add(model: _Model, constraint: Constraint) -> None:
    """The rows of a constraint."""
    if isinstance(constraint, Unique):
        columns = model.labelled([constraint.label])
        if constraint.runs:
            columns = _starts(model, columns)
        if len(columns) > 1:
            slack = model.slack(constraint.cost)
            model.add(1, -np.inf, 1.0, (0, columns, 1.0), (0, slack, 1.0 - len(columns)))
    elif isinstance(constraint, AtLeastOne):
        slack = model.slack(constraint.cost)
        model.add(1, 1.0, np.inf, (0, model.labelled(constraint.labels), 1.0), (0, slack, 1.0))
    elif isinstance(constraint, OneLabel):
        _tie(model, constraint)
    elif isinstance(constraint, Requires):
        columns = model.labelled([constraint.label])
        slack = model.slack(constraint.cost)
        every = np.arange(len(columns))
        others = np.tile(model.labelled(constraint.others), len(columns))
        rows = np.repeat(every, len(others) // max(len(columns), 1))
        parts = (every, columns, 1.0), (rows, others, -1.0), _paid(every, slack)
        model.add(len(columns), -np.inf, 0.0, *parts)
    elif isinstance(constraint, Linear | Exclusive | Adjacent):
        _forbid_pairs(model, constraint)
    else:
        columns = model.labelled(constraint.labels if isinstance(constraint, Disallowed) else [constraint.label])
        if isinstance(constraint, Fixed):
            token = constraint.token
            covering = np.flatnonzero((model.start <= token) & (token < model.end))
            columns = np.setdiff1d(covering, columns)
        slack = model.slack(constraint.cost)
        model.add(1, -np.inf, 0.0, (0, columns, 1.0), (0, slack, -float(len(columns))))


def _paid(rows: Indices, slack: Indices) -> tuple[Indices, Indices, float]:
    """Return the part of rows that relaxes them if their slack is 1; nothing without slack."""
    return rows[: len(rows) * len(slack)], np.repeat(slack, len(rows)), -1.0


def _forbid_pairs(model: _Model, constraint: Linear | Exclusive | Adjacent) -> None:
    """A row for each pair of arcs that violates a constraint on pairs of labels."""
    if isinstance(constraint, Linear):
        left, right = model.labelled([constraint.before]), model.labelled([constraint.after])
    else:
        left, right = model.labelled([constraint.left]), model.labelled([constraint.right])
    one, other = np.repeat(left, len(right)), np.tile(right, len(left))
    if isinstance(constraint, Linear):
        wrong = model.start[one] > model.start[other]
    elif isinstance(constraint, Adjacent):
        wrong = abs(model.start[one] - model.start[other]) > 1
    else:
        wrong = model.start[one] != model.start[other]
    one, other = one[wrong], other[wrong]
    if not len(one):
        return
    slack, rows = model.slack(constraint.cost), np.arange(len(one))
    parts = (rows, one, 1.0), (rows, other, 1.0), _paid(rows, slack)
    model.add(len(one), -np.inf, 1.0, *parts)


def _starts(model: _Model, columns: Indices) -> Indices:
    """Return columns that are 1 if a run of these arcs starts: an arc is taken and none of them ends before it."""
    starts = model.new([0.0] * model.length)
    follows = columns[model.end[columns] < model.length]
    every = np.arange(model.length)
    ends = model.end[follows]
    here, before = (model.start[columns], columns, 1.0), (ends, follows, -1.0)
    model.add(model.length, -np.inf, 0.0, here, before, (every, starts, -1.0))
    return starts


def _tie(model: _Model, constraint: OneLabel) -> None:
    """Add a row for each tied token and label: as many arcs end before the token as start with it."""
    places = np.full(model.length + 1, -1)
    tied = sorted({token for start, end in constraint.spans for token in range(start + 1, end)})
    places[tied] = np.arange(len(tied))
    height = len(tied) * len(model.numbers)
    if not tied:
        return
    before, after = np.flatnonzero(places[model.end] >= 0), np.flatnonzero(places[model.start] >= 0)
    ending = places[model.end[before]] * len(model.numbers) + model.label[before]
    starting = places[model.start[after]] * len(model.numbers) + model.label[after]
    if constraint.cost is None:
        model.add(height, 0.0, 0.0, (ending, before, 1.0), (starting, after, -1.0))
        return
    slack = np.repeat(model.slack(constraint.cost), height)
    for sign in (1.0, -1.0):
        every = np.arange(height)
        model.add(height, -np.inf, 0.0, (ending, before, sign), (starting, after, -sign), (every, slack, -1.0))
