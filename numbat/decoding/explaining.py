"""Why a labelling costs what it costs: a sentence for each violation, in the words of `numbat parse`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from numbat.decoding.constraints import Constraints
from numbat.decoding.daughters import Daughters, grouped
from numbat.decoding.label_kinds import kind_of
from numbat.decoding.label_lattice import LabelArc
from numbat.decoding.place_constraints import PlaceConstraint
from numbat.errors import counted
from numbat.evaluation.constituents import Constituent, Instance
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.matching import build_table
from numbat.grammar.model import Grammar, remembered
from numbat.parsing.analysis import Evaluated
from numbat.parsing.explanation.violations import explain_violations

MOST_INSTANCES: Final = 3
"""So many instances of one violated property are told."""
MOST_LABELS: Final = 1_000
"""Of longer sequences no instances are told: their number grows with the square of the length."""


def explain(
    arcs: Sequence[LabelArc], constraints: Constraints | None, own: Sequence[PlaceConstraint], tokens: Sequence[str]
) -> tuple[str, ...]:
    """What is violated in a labelling: instances of properties, then constraints of the sequence."""
    of_properties = _of_properties(arcs, constraints, tokens) if constraints is not None else []
    return (*of_properties, *(text for one in own if (text := one.explain(arcs, tokens))))


def _of_properties(arcs: Sequence[LabelArc], constraints: Constraints, tokens: Sequence[str]) -> list[str]:
    """Sentences about the first instances of each violated property, and how many there are more."""
    if len(arcs) > MOST_LABELS:
        return [f"more than {MOST_LABELS:,} labels: instances are not listed"]
    phrase = flat_phrase(arcs, constraints, tokens)
    by_property: dict[int, list[Instance]] = {}
    for instance in phrase.characterization.violated:
        by_property.setdefault(id(instance.property), []).append(instance)
    found: list[str] = []
    for instances in by_property.values():
        told = [
            Evaluated(one.property, phrase, tuple([phrase.daughters[at] for at in one.elements]), satisfied=False)
            for one in instances[:MOST_INSTANCES]
        ]
        found += explain_violations(constraints.grammar, told)
        if len(instances) > MOST_INSTANCES:
            found.append(f"{counted(len(instances) - MOST_INSTANCES, 'instance')} more of {told[0].property!r}")
    return found


def flat_phrase(arcs: Sequence[LabelArc], constraints: Constraints, tokens: Sequence[str]) -> Constituent:
    """The construction over the labels of a sequence, with all that its properties say of them."""
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
    """The daughters that the labels of a sequence make, with the sums of their scores."""
    return [
        LabelArc(arcs[first].start, arcs[last - 1].end, label, sum(arc.score for arc in arcs[first:last]))
        for first, last, label in grouped([arc.label for arc in arcs], daughters)
    ]


def _daughter(arc: LabelArc, tokens: Sequence[str]) -> Constituent:
    category, features = kind_of(arc.label)
    form = " ".join(tokens[arc.start : arc.end]) or arc.label
    return Constituent(category, (1 << arc.end) - (1 << arc.start), features, form=form)
