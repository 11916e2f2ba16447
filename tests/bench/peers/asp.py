"""clingo: answer set programming over the encoding tree.lp. Exact."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import clingo

from tests.bench.peers.problem import Answer, Plain, Problem

ENCODING = Path(__file__).with_name("tree.lp")
SHORT = {"obligation": "obl", "uniqueness": "uniq", "linearity": "lin", "adjacency": "adj", "requirement": "req"}


def solve(given: Problem, seconds: float) -> Answer:
    """Ground and solve, timed; writing and reading the encoding's text is not."""
    control = clingo.Control(["--opt-mode=opt", "--warn=none"])
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


def facts(given: Problem) -> Iterator[str]:
    """The problem as facts that tree.lp and chr.pl read alike."""
    yield f"tokens({len(given.words)}). fragment({given.fragment_cost}). limit({given.unary_limit})."
    for place, categories in enumerate(given.readings):
        yield from (f"read({place},{atom(category)})." for category in categories)
    yield from (f"root({atom(root)})." for root in sorted(given.roots))
    number = 0
    for form in given.forms:
        yield f"form({atom(form.name)})."
        yield from (f"member({atom(form.name)},{atom(category)})." for category in sorted(form.members))
        for prop in form.properties:
            number += 1
            yield from _property(number, atom(form.name), prop)


def _property(number: int, form: str, prop: Plain) -> Iterator[str]:
    relation = SHORT.get(prop.relation, "exc")
    operands = [atom(prop.left)] if prop.left else []
    if relation in ("obl", "req"):
        yield from (f"alt({number},{atom(category)})." for category in prop.right)
    else:
        operands += map(atom, prop.right)
    yield f"{relation}({','.join(map(str, (number, form, *operands, prop.cost)))})."


def atom(category: str) -> str:
    """A category as a constant of logic programming."""
    return "c_" + category
