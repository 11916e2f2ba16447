"""The one evaluator: it reads the row of a relation and knows none by name (phase 6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from numbat.grammar.features import unify, value_of
from numbat.grammar.model import Operand, Parameter, Property
from numbat.grammar.relations import Clause, Relation
from numbat.parsing.chart import Assignment, Characterization, Constituent, Instance
from numbat.parsing.table import slots


@dataclass(slots=True)
class _Tuple:
    """One tuple of daughters matched by the parameters of a property, as the expressions of relations see it."""

    assignment: Assignment
    prop: Property
    parameters: dict[str, Parameter]
    matched: dict[str, int]

    def precedes(self, left: str, right: str) -> bool:
        return self.assignment[self.matched[left]].end <= self.assignment[self.matched[right]].start

    def adjacent(self, left: str, right: str) -> bool:
        return abs(self.matched[left] - self.matched[right]) == 1

    def count(self, parameter: str) -> int:
        operands = {operand for joint in self.parameters[parameter] for operand in joint}
        return sum(any(_is(operand, c) for operand in operands) for c in self.assignment)

    def present(self, parameter: str) -> bool:
        return any(
            all(any(_is(operand, c) for c in self.assignment) for operand in joint)
            for joint in self.parameters[parameter]
        )

    def agree(self, left: str, right: str, missing_unifies: bool) -> bool:
        one, other = self.assignment[self.matched[left]], self.assignment[self.matched[right]]
        return unify(one.features, other.features, self.prop.features, missing_unifies)

    def value(self, parameter: str, feature: str) -> str | None:
        return value_of(self.assignment[self.matched[parameter]].features, feature)


def _is(operand: Operand, constituent: Constituent) -> bool:
    return operand.matches(constituent.construction, constituent.features)


def tuples(prop: Property, relation: Relation, clause: Clause, assignment: Assignment) -> Iterator[tuple[int, ...]]:
    """The ways to match the clause's operands by distinct daughters, as their indexes in the assignment.

    Of two tuples of a symmetric relation that mirror each other, the one that begins further left counts.
    """
    wanted = slots(prop, relation, clause)
    choices = [[i for i, c in enumerate(assignment) if _is(operand, c)] for _, operand in wanted]
    found = [indexes for indexes in product(*choices) if len(set(indexes)) == len(indexes)]
    if not relation.symmetric or len(clause.matched) != 2:
        yield from found
        return
    first = clause.matched[0]
    cut = sum(name == first for name, _ in wanted)
    every = set(found)
    for indexes in found:
        mirrored = indexes[cut:] + indexes[:cut]
        if mirrored not in every or indexes <= mirrored or len(mirrored) != 2 * cut:
            yield indexes


def is_retrieved(prop: Property, relation: Relation, assignment: Assignment) -> bool:
    """Whether operands that are present retrieve the property: some clause is matched, its guard aside (ruling 8)."""
    return any(
        clause.matched and any(True for _ in tuples(prop, relation, clause, assignment)) for clause in relation.clauses
    )


def evaluate(
    prop: Property, relation: Relation, assignment: Assignment, clauses: Iterable[Clause], by_property: bool
) -> tuple[list[Instance], list[Instance]]:
    """The pertinent instances of a property in an assignment, satisfied and violated.

    `by_property` is the counting `property`: one instance stands for all, violated if any of them is (ruling 11).
    """
    parameters = dict(zip(relation.parameters, prop.operands, strict=True))
    satisfied: list[Instance] = []
    violated: list[Instance] = []
    for clause in clauses:
        names = [name for name, _ in slots(prop, relation, clause)]
        for indexes in tuples(prop, relation, clause, assignment):
            matched = dict(zip(reversed(names), reversed(indexes), strict=True))
            view = _Tuple(assignment, prop, parameters, matched)
            if clause.guard.holds(view):
                ticked = satisfied if relation.holds.holds(view) else violated
                ticked.append(Instance(prop, indexes))
    if by_property and violated:
        return [], violated[:1]
    if by_property:
        return satisfied[:1], []
    return satisfied, violated


def characterize(
    properties: Sequence[Property], relations: Mapping[str, Relation], assignment: Assignment, by_property: bool, absence: bool
) -> Characterization:
    """Tick every matching tuple of the properties SATISFIED or VIOLATED.

    `absence` evaluates only the clauses that no operand has to match, else only the others.
    """
    satisfied: list[Instance] = []
    violated: list[Instance] = []
    for prop in properties:
        relation = relations[prop.relation]
        clauses = [clause for clause in relation.clauses if bool(clause.matched) != absence]
        yes, no = evaluate(prop, relation, assignment, clauses, by_property)
        satisfied += yes
        violated += no
    return Characterization(tuple(satisfied), tuple(violated))
