"""Why a labelling costs what it costs: a sentence for each violation, in the words of `numbat parse`."""

from __future__ import annotations

from collections.abc import Sequence

from numbat.decoding.constraints import Constraints
from numbat.decoding.daughters import Daughters, grouped
from numbat.decoding.label_kinds import kind_of
from numbat.decoding.label_lattice import LabelArc
from numbat.decoding.place_constraints import PlaceConstraint
from numbat.evaluation.constituents import Constituent
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.lookup_table import build_table
from numbat.grammar.model import Grammar
from numbat.grammar.remembered import remembered
from numbat.parsing.analysis import Evaluated
from numbat.parsing.explanation.violations import explain_violations


def explain(
    arcs: Sequence[LabelArc], constraints: Constraints | None, own: Sequence[PlaceConstraint], tokens: Sequence[str]
) -> tuple[str, ...]:
    """What is violated in a labelling: instances of properties in their order, then constraints of the sequence."""
    found: list[str] = []
    if constraints is not None:
        phrase = flat_phrase(arcs, constraints, tokens)
        violated = [
            Evaluated(
                instance.property, phrase, tuple([phrase.daughters[at] for at in instance.elements]), satisfied=False
            )
            for instance in phrase.characterization.violated
        ]
        found += explain_violations(constraints.grammar, violated)
    return (*found, *(text for one in own if (text := one.explain(arcs, tokens))))


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
