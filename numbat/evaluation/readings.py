"""The readings of words, with what each costs beside the likeliest one of the same tokens (ruling 3)."""

from __future__ import annotations

from numbat.evaluation.constituents import Constituent
from numbat.grammar.properties import UNIT, Bundle
from numbat.words.lattice import Arc, Lattice


def lexical_costs(lattice: Lattice) -> list[tuple[Arc, int]]:
    """The likeliest arc for each span, category and features, with its cost.

    A reading costs what it is less likely than the best reading of the same tokens; the best one costs 0 (ruling 3).
    """
    readings: dict[tuple[int, ...], list[Arc]] = {}
    for arc in lattice.arcs:
        readings.setdefault(arc[:2], []).append(arc)
    costs: list[tuple[Arc, int]] = []
    for arcs in readings.values():
        costs += _lexical_costs(arcs) if len(arcs) > 1 else [(arcs[0], 0)]
    return costs


def _lexical_costs(arcs: list[Arc]) -> list[tuple[Arc, int]]:
    """The same of the arcs over one span."""
    if len({arc.category for arc in arcs}) < len(arcs):
        likeliest: dict[tuple[str, Bundle], Arc] = {}
        for arc in arcs:
            if likeliest.setdefault(arc[3:5], arc).log_weight < arc.log_weight:
                likeliest[arc.category, arc.features] = arc
        arcs = list(likeliest.values())
    best = max([arc.log_weight for arc in arcs])
    return [(arc, round(loss * UNIT) if (loss := best - arc.log_weight) else 0) for arc in arcs]


def word(arc: Arc, cost: int) -> Constituent:
    """The constituent of a reading."""
    cover = (1 << arc.end) - (1 << arc.start)
    return Constituent(
        arc.category, cover, arc.features, form=arc.form, guessed=arc.guessed, cost=cost, lexical_cost=cost
    )
