"""Decoding of propositions by Numbat: records of problems to lattices, the ten lines of roles.pg as constraints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numbat
from numbat.labels.constraints import Constraints, Daughters
from numbat.labels.label_lattice import LabelLattice
from numbat.labels.relaxation import BestLabels, InfeasibleError, decode
from numbat.labels.sequence_files import PlaceConstraint, disallow, fixed, spans
from tests.bench.roles.problems import AT_LEAST_ONE, CANDIDATES, DISALLOWED, DUPLICATES, POSITION, Record, runs
from tests.bench.roles.reading import OUTSIDE, ROLES, Argument

DAUGHTERS: Final[tuple[Daughters, ...]] = ("labels", "runs")
GRAMMAR: Final = Path(__file__).with_name("roles.pg")
PROPERTIES: Final = {f"uniq {role}": name for role, name in DUPLICATES.items()}
PROPERTIES[f"oblig {' | '.join(ROLES)}"] = AT_LEAST_ONE
"""The names of constraints by the properties that they are."""


class RoleDecoder:
    """The constraints with their costs, for records of segments and of tokens."""

    def __init__(self, costs: Mapping[str, float]) -> None:
        self.costs = costs
        grammar = numbat.load_grammar(GRAMMAR)
        self._constraints = {}
        for form in grammar.constructions:
            own = {f"{form.name}: {prop}": costs[name] for prop, name in PROPERTIES.items()}
            for daughters in DAUGHTERS:
                self._constraints[form.name, daughters] = Constraints(grammar, form.name, daughters, costs=own)

    def given(self, record: Record) -> tuple[LabelLattice, Constraints, list[PlaceConstraint]]:
        """Return the arguments of `decode`."""
        labels = record["labels"]
        length = len(labels)
        if "arcs" in record:
            arcs = [(i, i + 1, label, score) for i, each in enumerate(labels) for label, score in each.items()]
            lattice = LabelLattice.from_arcs(length, arcs + record["arcs"])
        else:
            lattice = LabelLattice.from_labels(labels)
        own = []
        if record.get("spans"):
            own.append(spans(length, record["spans"], CANDIDATES, self.costs[CANDIDATES]))
        positions = {int(position): label for position, label in record["fixed"].items()}
        own.append(fixed(length, positions, POSITION, self.costs[POSITION]))
        if record["disallow"]:
            own.append(disallow(record["disallow"], DISALLOWED, self.costs[DISALLOWED]))
        form = "Proposition" if record["needs_argument"] else "Bare"
        return lattice, self._constraints[form, "labels" if "arcs" in record else "runs"], own

    def decode(self, record: Record, soft: bool, relaxed: bool = True) -> BestLabels | None:
        """The best labelling; None where hard constraints leave none."""
        try:
            return decode(*self.given(record), soft=soft, relaxed=relaxed)
        except InfeasibleError:
            return None


def arguments(record: Record, solution: BestLabels | None) -> list[Argument]:
    """The arguments of a labelling: its segments, or runs of equal labels of tokens."""
    if solution is None:
        return []
    if "arcs" not in record:
        return runs(solution.labels)
    return [(start, end, label) for start, end, label, _ in solution.arcs if label != OUTSIDE]


def names_of(names: Sequence[str]) -> list[str]:
    """Return the names of constraints from those in the output of decoding, which include constructions."""
    return [PROPERTIES.get(name.partition(": ")[2], name) for name in names]
