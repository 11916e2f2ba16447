"""A problem as facts of logic programming, read alike by tree.lp and chr.pl."""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.peers.problem import Plain, Problem

SHORT = {"obligation": "obl", "uniqueness": "uniq", "linearity": "lin", "adjacency": "adj", "requirement": "req"}


def facts(given: Problem) -> Iterator[str]:
    yield f"tokens({len(given.words)}). fragment({given.fragment_cost}). limit({given.unary_limit})."
    for place, categories in enumerate(given.readings):
        yield from (f"word({place},{atom(category)})." for category in categories)
    yield from (f"root({atom(root)})." for root in sorted(given.roots))
    number = 0
    for form in given.forms:
        yield f"form({atom(form.name)})."
        yield from (f"covers({atom(form.name)},{atom(category)})." for category in sorted(form.members))
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
