"""The cost of the best parse where that stays within a ceiling: the exact search stops at what costs more.

>>> import numbat
>>> from numbat.grammar.properties import UNIT
>>> from numbat.words.lexical_lookup import read_text
>>> parser = numbat.Parser(numbat.load_grammar("english"))
>>> lattice = read_text("The cats sleeps.", parser.words)
>>> cost_within(parser, lattice, 1 * UNIT), cost_within(parser, lattice, 5 * UNIT)
(None, 2000000)
"""

from __future__ import annotations

from numbat.parsing.limits import Overdue, never
from numbat.parsing.parser import Parser
from numbat.words.lattice import Lattice


def searches_by_cost(parser: Parser) -> bool:
    """Whether `cost_within` gives the cost of what `Parser.parse` finds: by costs, with the exact engine."""
    return parser.engine == "exact" and parser.valuation.lexicographic


def cost_within(parser: Parser, lattice: Lattice, ceiling: int, overdue: Overdue = never) -> int | None:
    """The cost of the best parse of a lattice in fixed-point units, None where it is above the ceiling.

    Far less is searched below a low ceiling. Where a limit of the parser is met, the cost is that of the best found.
    Its limit of seconds is that of the caller, who may search many lattices before one clock is `overdue`.
    """
    with parser.lock:
        cost = parser.chart(lattice, ceiling=ceiling, overdue=overdue).level
    return cost if cost <= ceiling else None
