"""The cost of the best parse where that stays within a ceiling: the exact search stops at what costs more."""

from __future__ import annotations

from numbat.evaluation.readings import lexical_costs
from numbat.parsing.exact.chart import Chart
from numbat.parsing.limits import Overdue, never
from numbat.parsing.parser import Parser
from numbat.words.lattice import Lattice


def can_bound(parser: Parser) -> bool:
    """Whether `least_cost` gives what `Parser.parse` finds: costs decide, and the exact engine searches."""
    return parser.engine == "exact" and parser.valuation.lexicographic


def least_cost(parser: Parser, lattice: Lattice, ceiling: int, overdue: Overdue = never) -> int | None:
    """The cost of the best parse of a lattice in fixed-point units, None where it is above the ceiling.

    Far less is searched below a low ceiling. Where a limit of the parser is met, the cost is that of the best found.
    Its limit of seconds is that of the caller, who may search many lattices before one clock is `overdue`.
    """
    weighted, readings, tokens = parser.weighted, lexical_costs(lattice), len(lattice.tokens)
    with weighted.compiled.lock:
        weighted.prepare()
        chart = Chart(readings, tokens, weighted, parser.limits, budget=ceiling, overdue=overdue)
    return chart.level if chart.level <= ceiling else None
