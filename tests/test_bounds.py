"""Profiles that the exact engine does not support: the phases search with a bound, which never loses a best parse."""

from __future__ import annotations

import pytest

from numbat import Limits, Parser
from tests.strategies import random_pair

WIDE = Limits(assignments=5_000)


@pytest.mark.parametrize("without", [("H1",), ("H2",), ("H5",), ("H2", "H4"), ("H1", "H5"), ("H2", "H5")])
@pytest.mark.parametrize("seed", range(12))
def test_the_bound_loses_none_of_the_best(seed: int, without: tuple[str, ...]) -> None:
    given, lattice = random_pair(seed, longest=4)
    bounded = Parser(given, without=without, limits=WIDE).parse(lattice)
    literal = Parser(given, without=without, limits=WIDE, engine="phases").parse(lattice)
    assert bounded.outcome.engine == ("exact" if without == ("H1",) else "phases")
    if literal.stopped_by is None:
        assert (bounded.cost_units, bounded.weight_units, bounded.count) == (
            literal.cost_units,
            literal.weight_units,
            literal.count,
        )
        assert bounded.to_brackets() == literal.to_brackets() or bounded.count > 1
    else:
        assert bounded.cost_units <= literal.cost_units or "H5" in without
