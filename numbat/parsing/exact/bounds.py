"""What the best solutions under a profile that the exact search does not take cost at the most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from numbat.grammar.model import Grammar
from numbat.grammar.properties import UNIT
from numbat.parsing.exact.chart import solve
from numbat.parsing.exact.weighted_grammar import WeightedGrammar
from numbat.parsing.limits import Limits, Overdue
from numbat.parsing.policies import Profile, Valuation
from numbat.parsing.records import Solution, fragment_cost_of
from numbat.words.lattice import Lattice

DEAR: Final = 10_000 * UNIT
"""A fragment cost that no constituent over a whole sentence reaches by what it violates."""


def has_bounds(profile: Profile, valuation: Valuation) -> bool:
    """Whether what costs more than a known solution can be left out: where the best is found, and costs count first."""
    finds_the_best = profile.election in ("per-construction", "all") and profile.termination == "exhausted"
    return finds_the_best and valuation.lexicographic


def grammar_of_bounds(
    weighted: WeightedGrammar, grammar: Grammar, profile: Profile, valuation: Valuation
) -> WeightedGrammar:
    """The compiled grammar that finds bounds: without H5 fragments are so dear that one constituent is the best."""
    if profile.has("H5"):
        return weighted
    dear = replace(grammar, fragment_cost=max(DEAR, grammar.fragment_cost))
    return WeightedGrammar(weighted.compiled, dear, valuation)


def contiguous_solutions(
    lattice: Lattice,
    of: WeightedGrammar,
    grammar: Grammar,
    spans: bool,
    limits: Limits,
    n: int,
    overdue: Overdue | None,
) -> list[Solution]:
    """The n best solutions without holes, which are solutions without H2 too; with `spans` rows of constituents, else
    (without H5) each one constituent over the whole sentence. None where there are not so many, or a limit was met."""
    solutions, chart = solve(lattice, of, limits, n, overdue)
    if chart.stopped_by or len(solutions) < n or not all(spans or len(each.constituents) == 1 for each in solutions):
        return []
    tokens = len(lattice.tokens)
    return [Solution(each.constituents, fragment_cost_of(each.constituents, tokens, grammar)) for each in solutions]


def costliest(solutions: Sequence[Solution]) -> int | None:
    """What the last of these solutions costs; None where there is none."""
    return max((sum(top.cost for top in each.constituents) + each.fragment_cost for each in solutions), default=None)
