"""Costs of constraints learned from labelled sequences, and the table in which they are kept.

The smoothed log odds of violation are those of Tromble & Eisner 2006, section 6.2; the perceptron that they propose
there decodes with the present costs and moves each of them by how much oftener the solution violates the constraint
than the right labelling does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite, log
from random import Random
from typing import Final

from numbat.decoding.constraints import Constraints
from numbat.decoding.relaxation import InfeasibleError, decode
from numbat.decoding.sequence_files import LabelSequence
from numbat.decoding.tally import violated_names
from numbat.errors import DataError, Problem, Span, close_match, data_error, shortened
from numbat.files import cells_of
from numbat.records import frozen

SMOOTHING: Final = 0.5
"""Is added to the numbers of sequences that violate and satisfy a constraint."""


@frozen
class Penalty:
    """The learned cost of a constraint, and in how many of the labelled sequences that have it it is violated."""

    name: str
    cost: float
    violated: int
    sequences: int


def log_odds(sequences: Sequence[LabelSequence], constraints: Constraints | None) -> list[Penalty]:
    """The logarithm of how much oftener a constraint is satisfied than violated, 0 where it is not.

    Raises DataError where no sequence has its right labels.
    """
    violated: dict[str, int] = {}
    number: dict[str, int] = {}
    for each in sequences:
        if each.gold is None:
            continue
        names = _priced(constraints, each)
        for name in names:
            number[name] = number.get(name, 0) + 1
            violated.setdefault(name, 0)
        for name in violated_names(each.gold, each.lattice.length, constraints, each.own):
            violated[name] = violated.get(name, 0) + 1
    if not number:
        raise DataError('no sequence has its right labels\n  give them as "gold": one label for each token')
    return [Penalty(name, _odds(every, violated[name]), violated[name], every) for name, every in number.items()]


def _odds(sequences: int, violated: int) -> float:
    return max(0.0, log((sequences - violated + SMOOTHING) / (violated + SMOOTHING)))


def _priced(constraints: Constraints | None, sequence: LabelSequence) -> list[str]:
    """The names of the constraints of a sequence that can have a cost: all but the `const` of the construction."""
    of_grammar = [one.name for one in constraints.constraints if one.property is not None] if constraints else []
    return [*of_grammar, *(one.name for one in sequence.own)]


def perceptron(
    sequences: Sequence[LabelSequence],
    constraints: Constraints | None,
    rounds: int,
    seed: int = 0,
    rate: float = 0.1,
    rewards: bool = False,
    told: Callable[[str], None] = lambda _: None,
) -> list[Penalty]:
    """Costs by an averaged perceptron that begins with the log odds; `rewards`: they may fall below 0.

    `told` is called with how each round went. Raises DataError where no sequence has its right labels.
    """
    first = log_odds(sequences, constraints)
    costs = {each.name: each.cost for each in first}
    sums = dict.fromkeys(costs, 0.0)
    labelled = [each for each in sequences if each.gold is not None]
    order, steps = list(range(len(labelled))), 0
    rng = Random(seed)
    for number in range(1, rounds + 1):
        rng.shuffle(order)
        mistakes = 0
        for at in order:
            change = _change(labelled[at], constraints, costs)
            mistakes += bool(change)
            for name, by in change.items():
                moved = costs[name] + rate * by
                costs[name] = moved if rewards else max(0.0, moved)
            steps += 1
            for name, cost in costs.items():
                sums[name] += cost
        told(f"round {number}: {mistakes} of {len(labelled)} sequences violate other constraints than they should")
    return [Penalty(each.name, sums[each.name] / steps, each.violated, each.sequences) for each in first]


def _change(sequence: LabelSequence, constraints: Constraints | None, costs: Mapping[str, float]) -> dict[str, int]:
    """By how much oftener the solution violates each constraint than the right labelling."""
    assert sequence.gold is not None
    own = [one.with_cost(costs[one.name]) for one in sequence.own]
    priced = constraints.with_costs(costs) if constraints is not None else None
    try:
        solution = decode(sequence.lattice, priced, own, soft=True)
    except InfeasibleError:  # what has no cost, as const, cannot hold
        return {}
    found = {each.constraint.name for each in solution.violated}
    gold = set(violated_names(sequence.gold, sequence.lattice.length, constraints, sequence.own))
    return {**dict.fromkeys(found - gold, 1), **dict.fromkeys(gold - found, -1)}


HEADER: Final = ("constraint", "cost", "violated", "sequences")
"""The columns of a table of penalties."""


def table_text(penalties: Sequence[Penalty]) -> str:
    """Penalties as a table with TABs."""
    rows = [f"{each.name}\t{each.cost:.6g}\t{each.violated}\t{each.sequences}" for each in penalties]
    return "".join(f"{row}\n" for row in ("\t".join(HEADER), *rows))


def read_table(lines: Sequence[str], name: str) -> dict[str, float]:
    """The costs of a table of penalties. Raises DataError with the places of all that are none."""
    costs: dict[str, float] = {}
    problems: list[Problem] = []
    for number, line in enumerate(lines, start=1):
        fields = cells_of(line.rstrip("\n"))
        if not line.strip() or line.startswith("#") or fields[: len(HEADER)] == list(HEADER):
            continue
        try:
            cost = float(fields[1])
        except (IndexError, ValueError):
            cost = float("nan")
        if not isfinite(cost) or fields[0] in costs:
            why = "stands twice" if fields[0] in costs else "has no cost"
            column = 1 if fields[0] in costs or len(fields) < 2 else line.index("\t") + 2
            hint = "a line is: name of the constraint, TAB, its cost"
            problems.append(Problem(f'"{shortened(fields[0])}" {why}', Span(name, number, column), hint=hint))
        else:
            costs[fields[0]] = cost
    if problems:
        raise data_error(*problems)
    return costs


def check_names(costs: Mapping[str, float], constraints: Constraints, table: str) -> None:
    """Raises DataError for a cost of a property that the construction does not have."""
    known = [each.name for each in constraints.constraints]
    prefix = f"{constraints.construction}: "
    for name in costs:
        if name.startswith(prefix) and name not in known:
            hint = close_match(name, known) or "learn the penalties of this grammar"
            raise DataError(f'{table}: the grammar has no property "{name}"\n  {hint}')
