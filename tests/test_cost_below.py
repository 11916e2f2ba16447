"""The cost of the best parse within a ceiling, against the parse itself."""

from __future__ import annotations

import pytest

from numbat import Parser
from numbat.grammar.properties import UNIT
from numbat.parsing.queries import cost_within
from tests.samples import enough
from tests.strategies import random_pair


@pytest.mark.parametrize("seed", range(500, 500 + enough(30)))
def test_the_cost_is_that_of_the_parse_or_above_the_ceiling(seed: int) -> None:
    grammar, lattice = random_pair(seed, longest=4)
    parser = Parser(grammar)
    cost = parser.parse(lattice).cost_units
    for ceiling in sorted({0, UNIT, cost - 1, cost, cost + 1, 10 * cost}):
        assert cost_within(parser, lattice, ceiling) == (cost if cost <= ceiling else None)


def test_where_costs_do_not_decide_or_the_exact_engine_does_not_run_it_says_so() -> None:
    grammar, _ = random_pair(500)
    assert Parser(grammar).searches_by_cost
    assert not Parser(grammar, valuation="net").searches_by_cost
    assert not Parser(grammar, engine="phases").searches_by_cost
