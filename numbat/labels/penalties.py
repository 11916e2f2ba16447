"""Learn costs of constraints from labelled sequences, compare solutions, and explain violations.

The smoothed log odds are those of Tromble & Eisner 2006, section 6.2. The perceptron that they propose there decodes
each sequence with the current costs, and raises the cost of each constraint in proportion to its violations in the
result minus those in the gold labelling.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, log
from random import Random
from typing import Final

from numbat.errors import DataError, Problem, Span, close_match, counted, data_error, shortened
from numbat.evaluation.constituents import Constituent, Instance
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.matching import build_table
from numbat.files import cells_of, table_row
from numbat.grammar.model import Grammar, remembered
from numbat.labels.constraints import Constraints, Daughters, DecodingProblem, grouped, kind_of
from numbat.labels.label_lattice import LabelArc, LabelLattice
from numbat.labels.python_relaxation import automata_of, violations
from numbat.labels.relaxation import BestLabels, InfeasibleError, decode, named_constraints, packs_of
from numbat.labels.sequence_files import LabelSequence, PlaceConstraint
from numbat.parsing.analysis import Evaluated
from numbat.parsing.explanation.violations import explain_violations
from numbat.records import frozen

SMOOTHING: Final = 0.5
"""Number that is added to the count of sequences that violate a constraint, and of those that satisfy it."""


@frozen
class Penalty:
    """Learned cost of a constraint: of the `sequences` that have it, `violated` have gold labels that violate it."""

    name: str
    cost: float
    violated: int
    sequences: int


def log_odds(sequences: Sequence[LabelSequence], constraints: Constraints | None) -> list[Penalty]:
    """Return the log odds that each constraint is satisfied, 0 if negative. Raises DataError without gold labels."""
    violated: dict[str, int] = {}
    number: dict[str, int] = {}
    for sequence in sequences:
        if sequence.gold is None:
            continue
        names = _priced(constraints, sequence)
        for name in names:
            number[name] = number.get(name, 0) + 1
            violated.setdefault(name, 0)
        for name in violated_names(sequence.gold, sequence.lattice.length, constraints, sequence.own):
            violated[name] = violated.get(name, 0) + 1
    if not number:
        raise DataError('no sequence has gold labels\n  give them as "gold": one label for each token')
    return [Penalty(name, _odds(every, violated[name]), violated[name], every) for name, every in number.items()]


def _odds(sequences: int, violated: int) -> float:
    return max(0.0, log((sequences - violated + SMOOTHING) / (violated + SMOOTHING)))


def _priced(constraints: Constraints | None, sequence: LabelSequence) -> list[str]:
    """Return the names of the constraints on a sequence that can have a cost: all except `const` and a scheme."""
    of_grammar = [one.name for one in constraints.constraints if one.property is not None] if constraints else []
    return [*of_grammar, *(one.name for one in sequence.own)]


def perceptron(
    sequences: Sequence[LabelSequence],
    constraints: Constraints | None,
    rounds: int,
    seed: int = 0,
    rate: float = 0.1,
    rewards: bool = False,
    on_progress: Callable[[str], None] = lambda _: None,
) -> list[Penalty]:
    """Learn costs by an averaged perceptron that begins with the log odds; `rewards` allows negative costs.

    `rate` is how much a cost changes per violation; `on_progress` receives a line about each round. Raises DataError if
    no sequence has gold labels.
    """
    first = log_odds(sequences, constraints)
    costs = {penalty.name: penalty.cost for penalty in first}
    sums = dict.fromkeys(costs, 0.0)
    labelled = [sequence for sequence in sequences if sequence.gold is not None]
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
        on_progress(
            f"round {number}: in {mistakes} of {len(labelled)} sequences the best labels violate other constraints "
            "than the gold labels"
        )
    return [Penalty(penalty.name, sums[penalty.name] / steps, penalty.violated, penalty.sequences) for penalty in first]


def _change(sequence: LabelSequence, constraints: Constraints | None, costs: Mapping[str, float]) -> dict[str, int]:
    """Return how much more often the best labelling violates each constraint than the gold labelling does."""
    assert sequence.gold is not None
    place_constraints = [one.with_cost(costs[one.name]) for one in sequence.own]
    priced = constraints.with_costs(costs) if constraints is not None else None
    try:
        solution = decode(sequence.lattice, priced, place_constraints, soft=True)
    except InfeasibleError:  # some constraint without a cost, such as `const`, cannot hold
        return {}
    violated = {violation.constraint.name for violation in solution.violated}
    gold = set(violated_names(sequence.gold, sequence.lattice.length, constraints, sequence.own))
    return {**dict.fromkeys(violated - gold, 1), **dict.fromkeys(gold - violated, -1)}


HEADER: Final = ("constraint", "cost", "violated", "sequences")
"""Columns of a table of penalties."""


def table_text(penalties: Sequence[Penalty]) -> str:
    """Format penalties as a tab-separated table."""
    rows = [(penalty.name, f"{penalty.cost:.6g}", penalty.violated, penalty.sequences) for penalty in penalties]
    return "".join(f"{table_row(row)}\n" for row in (HEADER, *rows))


def read_table(lines: Sequence[str], name: str) -> dict[str, float]:
    """Return the costs in a table of penalties, by name. Raises DataError with the places of all mistakes."""
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
            why = "occurs twice" if fields[0] in costs else "has no cost"
            column = 1 if fields[0] in costs or len(fields) < 2 else line.index("\t") + 2
            hint = "a line is: name of the constraint, TAB, its cost"
            problems.append(Problem(f'"{shortened(fields[0])}" {why}', Span(name, number, column), hint=hint))
        else:
            costs[fields[0]] = cost
    if problems:
        raise data_error(*problems)
    return costs


def check_names(costs: Mapping[str, float], constraints: Constraints, table: str) -> None:
    """Raise DataError unless every name in `costs` is that of a property of the construction; `table` is their file."""
    known = [constraint.name for constraint in constraints.constraints]
    prefix = f"{constraints.construction}: "
    for name in costs:
        if name.startswith(prefix) and name not in known:
            hint = close_match(name, known) or "use a table that was learned with this grammar"
            raise DataError(f'{table}: the grammar has no property "{name}"\n  {hint}')


# Statistics of decoding many sequences: the tables of Tromble & Eisner 2006, section 5.2.


@frozen
class ReferenceLabellings:
    """Comparison of a solution under constraints with the best labelling without constraints and the gold labelling.

    `local` and `gold` name the constraints that the first and the second violate; `gold` is None without gold labels.
    `right` counts the tokens with their gold label: in the best labelling without constraints, and in the solution.
    """

    local: tuple[str, ...]
    gold: tuple[str, ...] | None = None
    right: tuple[int, int] = (0, 0)


def compared(sequence: LabelSequence, constraints: Constraints | None, solution: BestLabels) -> ReferenceLabellings:
    """Compare a solution with the sequence's best labelling without constraints and with its gold labelling."""
    local = decode(sequence.lattice)
    of_local = violated_names(local.arcs, sequence.lattice.length, constraints, sequence.own)
    if sequence.gold is None:
        return ReferenceLabellings(of_local)
    of_gold = violated_names(sequence.gold, sequence.lattice.length, constraints, sequence.own)
    gold = labels_of_tokens(sequence.gold)
    right = [
        sum(one == other for one, other in zip(gold, labels_of_tokens(arcs), strict=False))
        for arcs in (local.arcs, solution.arcs)
    ]
    return ReferenceLabellings(of_local, of_gold, (right[0], right[1]))


def violated_names(
    arcs: Sequence[LabelArc], length: int, constraints: Constraints | None, extra: Sequence[PlaceConstraint]
) -> tuple[str, ...]:
    """Return the names of the constraints that a labelling of `length` tokens violates, even if no lattice has it."""
    if not arcs:
        return ()
    path = LabelLattice.from_arcs(length, ((arc.start, arc.end, arc.label, 0.0) for arc in arcs))
    automata = automata_of(DecodingProblem(path, packs_of(path, constraints, extra, False), (), 0))
    names = [constraint.name for constraint in named_constraints(constraints, extra)]
    every = tuple(range(len(path.targets)))
    return tuple([name for name, automaton in zip(names, automata, strict=True) if violations(automaton, every)])


def labels_of_tokens(arcs: Sequence[LabelArc]) -> list[str]:
    """Return the label of each token."""
    return [arc.label for arc in arcs for _ in range(arc.start, arc.end)]


@dataclass
class Tally:
    """Counts over sequences.

    Three fields count, for each constraint, the labellings that violate it: `local` among the best ones without
    constraints, `gold` among the gold ones, `final` among the solutions. `violations` counts sequences by the number of
    constraints that the best labelling without constraints violates. `solved_after` counts them by the number of
    products searched, for which `sizes` has the summed sizes of the lattice, the first product, and so on.
    """

    sequences: int = 0
    with_gold: int = 0
    tokens: int = 0
    right: tuple[int, int] = (0, 0)
    intersections: int = 0
    branches: int = 0
    local: Counter[str] = field(default_factory=Counter)
    gold: Counter[str] = field(default_factory=Counter)
    final: Counter[str] = field(default_factory=Counter)
    violations: Counter[int] = field(default_factory=Counter)
    solved_after: Counter[int] = field(default_factory=Counter)
    sizes: dict[int, list[int]] = field(default_factory=dict)

    def add(self, sequence: LabelSequence, solution: BestLabels, comparison: ReferenceLabellings) -> None:
        self.sequences += 1
        self.intersections += solution.intersections
        self.branches += solution.branches
        self.local.update(comparison.local)
        self.violations[len(comparison.local)] += 1
        self.final.update(violation.constraint.name for violation in solution.violated)
        if comparison.gold is not None:
            self.with_gold += 1
            self.tokens += sequence.lattice.length
            self.gold.update(comparison.gold)
            self.right = self.right[0] + comparison.right[0], self.right[1] + comparison.right[1]
        steps = len(solution.sizes) - 1
        self.solved_after[steps] += 1
        sums = self.sizes.setdefault(steps, [0] * (steps + 1))
        self.sizes[steps] = [total + size for total, size in zip(sums, solution.sizes, strict=True)]

    def mean_sizes(self) -> Iterator[tuple[int, int, list[float]]]:
        """Yield how many products were searched, for how many sequences, and the mean sizes of lattice and products."""
        for steps, number in sorted(self.solved_after.items()):
            yield steps, number, [total / number for total in self.sizes[steps]]


def by_frequency(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return names with counts, the most frequent first, then in alphabetical order."""
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


# Explanations: a sentence for each violation, worded as in `numbat parse`.

MAX_INSTANCES: Final = 3
"""Maximum number of instances that are explained for one violated property."""
MAX_LABELS: Final = 1_000
"""Maximum length of a sequence whose instances are explained: their number grows with the square of the length."""


def explain(
    arcs: Sequence[LabelArc], constraints: Constraints | None, extra: Sequence[PlaceConstraint], tokens: Sequence[str]
) -> tuple[str, ...]:
    """Explain the violations in a labelling: those of properties, instance by instance, then those of `extra`."""
    of_properties = _of_properties(arcs, constraints, tokens) if constraints is not None else []
    return (*of_properties, *(text for one in extra if (text := one.explain(arcs, tokens))))


def _of_properties(arcs: Sequence[LabelArc], constraints: Constraints, tokens: Sequence[str]) -> list[str]:
    """Explain the first instances of each violated property, and count the others."""
    if len(arcs) > MAX_LABELS:
        return [f"instances are not listed for more than {MAX_LABELS:,} labels"]
    phrase = flat_phrase(arcs, constraints, tokens)
    by_property: dict[int, list[Instance]] = {}
    for instance in phrase.characterization.violated:
        by_property.setdefault(id(instance.property), []).append(instance)
    texts: list[str] = []
    for instances in by_property.values():
        evaluated = [
            Evaluated(one.property, phrase, tuple([phrase.daughters[at] for at in one.elements]), satisfied=False)
            for one in instances[:MAX_INSTANCES]
        ]
        texts += explain_violations(constraints.grammar, evaluated)
        if len(instances) > MAX_INSTANCES:
            more = counted(len(instances) - MAX_INSTANCES, "more instance")
            texts.append(f"{more} of {evaluated[0].property!r}")
    return texts


def flat_phrase(arcs: Sequence[LabelArc], constraints: Constraints, tokens: Sequence[str]) -> Constituent:
    """Return the construction built over the labels of a sequence, with its properties evaluated."""
    daughters = tuple([_daughter(arc, tokens) for arc in segments(arcs, constraints.daughters)])
    characterization = _evaluator(constraints.grammar).characterize(constraints.construction, daughters)
    cover = sum(daughter.cover for daughter in daughters)
    return Constituent(
        constraints.construction, cover, (), daughters=daughters, characterization=characterization, depth=1
    )


@remembered
def _evaluator(grammar: Grammar) -> Evaluator:
    return Evaluator(build_table(grammar))


def segments(arcs: Sequence[LabelArc], daughters: Daughters) -> list[LabelArc]:
    """Return the daughters that labelled arcs form, each as one arc with the sum of their scores."""
    if daughters == "labels":
        return list(arcs)
    return [
        LabelArc(arcs[first].start, arcs[last - 1].end, label, sum(arc.score for arc in arcs[first:last]))
        for first, last, label in grouped([arc.label for arc in arcs], daughters)
    ]


def _daughter(arc: LabelArc, tokens: Sequence[str]) -> Constituent:
    category, features = kind_of(arc.label)
    form = " ".join(tokens[arc.start : arc.end]) or arc.label
    return Constituent(category, (1 << arc.end) - (1 << arc.start), features, form=form)
