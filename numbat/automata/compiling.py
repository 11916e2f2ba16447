"""The automata of all constructions of a grammar, made together: they share the automata of properties."""

from __future__ import annotations

from collections.abc import Sequence

from numbat.automata.bound_properties import PropertyAutomata
from numbat.automata.construction_automaton import ConstructionAutomaton
from numbat.automata.daughter_classes import DaughterClasses
from numbat.automata.records import AwaitedCosts, Kinds, Licensing
from numbat.evaluation.evaluator import Evaluator

LICENSED: Licensing = Licensing(covers_all=False, needs_satisfied=True)
"""The paper's rules: H3 and H4 are on."""


def compile_constructions(
    evaluator: Evaluator,
    kinds: Kinds,
    licensing: Licensing = LICENSED,
    all_hard: bool = False,
    lookaheads: Sequence[AwaitedCosts] = (),
) -> tuple[ConstructionAutomaton, ...]:
    """An automaton for each construction, in the order of the lookup table; constituents are numbered by `kinds`."""
    of_properties = PropertyAutomata(evaluator, all_hard)
    return tuple(
        [
            ConstructionAutomaton(DaughterClasses(construction, evaluator, licensing, of_properties, kinds, lookaheads))
            for construction in evaluator.table.constructions.values()
        ]
    )
