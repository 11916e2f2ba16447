"""clingo: answer set programming over the encoding tree.lp. Exact."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import clingo

from tests.bench.peers.facts import facts
from tests.bench.peers.problem import Answer, Problem

ENCODING = Path(__file__).with_name("tree.lp")


def solve(given: Problem, seconds: float) -> Answer:
    """Ground and solve, timed; writing and reading the encoding's text is not."""
    control = clingo.Control(["--opt-mode=opt", "--warn=none", "--opt-strategy=usc"])
    control.load(str(ENCODING))
    control.add("sentence", [], "\n".join(facts(given)))
    began = perf_counter()
    control.ground([("base", []), ("sentence", [])])
    cost = None
    with control.solve(yield_=True, async_=True) as handle:
        while True:
            handle.resume()
            if not handle.wait(max(0.0, began + seconds - perf_counter())):
                handle.cancel()
                return Answer((perf_counter() - began) * 1000, None)
            model = handle.model()
            if model is None:
                break
            cost = model.cost[0]
    return Answer((perf_counter() - began) * 1000, cost)
