"""OR-Tools CP-SAT: the same problem as Boolean variables over spans and pieces. Exact; one worker."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from time import perf_counter
from typing import Any

from ortools.sat.python import cp_model

from tests.bench.peers.problem import Answer, Form, Plain, Problem

Mother = tuple[int, int] | None
"""A phrase of several daughters by its span, or None: the cover of the input."""


class Model:
    """One sentence. `cat` is a construction at a depth over a span, `top` the highest one, `piece` a daughter's span,
    `daughter` the category of the daughter that starts at a place."""

    def __init__(self, given: Problem) -> None:
        self.given = given
        self.model = cp_model.CpModel()
        self.n = len(given.words)
        self.spans = [(s, e) for s in range(self.n) for e in range(s + 1, self.n + 1)]
        self.costs: list[tuple[int, Any]] = []
        names = [form.name for form in given.forms]
        self.categories = sorted({*names, *(c for readings in given.readings for c in readings)})
        self.node = {span: self.new() for span in self.spans}
        self.cat: dict[tuple[int, int, int], dict[str, Any]] = {}
        self.top = {span: {c: self.new() for c in self.categories} for span in self.spans}
        self.piece: dict[Mother, dict[tuple[int, int], Any]] = {}
        for span in self.spans:
            self.chain(*span)
        wide = [span for span in self.spans if span[1] - span[0] > 1]
        for mother in (None, *wide):
            self.pieces(mother)
        for span in self.spans:
            users = [pieces[span] for pieces in self.piece.values() if span in pieces]
            self.model.add(sum(users) == self.node[span])
        for span in wide:
            self.daughters(*span)
        self.cover()
        self.model.minimize(sum(cost * variable for cost, variable in self.costs))

    def new(self) -> Any:
        return self.model.new_bool_var("")

    def violation(self, cost: int, *all_of: Any, unless: Any = 0) -> None:
        """Add a violation, for which all of the variables are 1 and the sum `unless` is 0."""
        variable = self.new()
        self.model.add(variable >= sum(all_of) - len(all_of) + 1 - unless)
        self.costs.append((cost, variable))

    def chain(self, start: int, end: int) -> None:
        """The word and the phrases one above the other over a span."""
        model, given = self.model, self.given
        node, top = self.node[start, end], self.top[start, end]
        lowest = 1 if end - start > 1 else 0
        there: dict[int, Any] = {}
        for depth in range(lowest, given.unary_limit + 1):
            names = given.readings[start] if depth == 0 else [form.name for form in given.forms]
            layer = self.cat[start, end, depth] = {name: self.new() for name in names}
            there[depth] = sum(layer.values())
            model.add(there[depth] == node) if depth == lowest else model.add(there[depth] <= there[depth - 1])
            if depth > lowest:
                self.links(layer, self.cat[start, end, depth - 1])
        for depth in there:
            above = there.get(depth + 1, 0)
            for name, variable in self.cat[start, end, depth].items():
                model.add(top[name] >= variable - above)
        model.add(sum(top.values()) == node)

    def links(self, upper: dict[str, Any], lower: dict[str, Any]) -> None:
        """Add the costs of phrases over one daughter."""
        for form in self.given.forms:
            for name, below in lower.items():
                cost = alone(form, name)
                if cost is None:
                    self.model.add(upper[form.name] + below <= 1)
                elif cost:
                    self.violation(cost, upper[form.name], below)

    def pieces(self, mother: Mother) -> None:
        """The daughters' spans: a path from the start of the mother to its end."""
        start, end = mother or (0, self.n)
        inside = [(p, q) for p in range(start, end) for q in range(p + 1, end + 1) if (p, q) != mother]
        piece = self.piece[mother] = {span: self.new() for span in inside}
        for place in range(start, end):
            leaving = sum(v for (p, _), v in piece.items() if p == place)
            arriving = sum(v for (_, q), v in piece.items() if q == place)
            self.model.add(leaving == (arriving if place > start else self.node[mother] if mother else 1))

    def daughters(self, start: int, end: int) -> None:
        """The properties of a phrase over several daughters."""
        piece = self.piece[start, end]
        daughter = {(p, c): self.new() for p in range(start, end) for c in self.categories}
        for (p, q), used in piece.items():
            for c in self.categories:
                self.model.add(daughter[p, c] >= used + self.top[p, q][c] - 1)
        for p in range(start, end):
            here = sum(used for (place, _), used in piece.items() if place == p)
            self.model.add(sum(daughter[p, c] for c in self.categories) == here)
        for form in self.given.forms:
            mother = self.cat[start, end, 1][form.name]
            for (_, c), variable in daughter.items():
                if c not in form.members:
                    self.model.add(mother + variable <= 1)
            held = [w for prop in form.properties for w in self.property(prop, mother, daughter, start, end)]
            self.model.add(sum(held) >= mother)

    def property(self, prop: Plain, mother: Any, daughter: dict[Any, Any], start: int, end: int) -> Iterator[Any]:
        """Costs of violated instances; yields variables that can only be 1 where an instance is satisfied (H4)."""
        places, left = range(start, end), prop.left
        right = [c for c in prop.right if c in self.categories]
        some = sum(daughter[p, c] for p in places for c in right)
        if prop.relation == "obligation":
            self.violation(prop.cost, mother, unless=some)
        elif left not in self.categories:
            return
        elif prop.relation == "requirement":
            for p in places:
                self.violation(prop.cost, mother, daughter[p, left], unless=some)
            yield self.witness([sum(daughter[p, left] for p in places), some])
        elif prop.relation == "uniqueness":
            yield self.unique(prop.cost, mother, [daughter[p, left] for p in places])
        elif right:
            for p in places:
                for q in range(p + 1, end):
                    orders = [(daughter[p, left], daughter[q, right[0]]), (daughter[p, right[0]], daughter[q, left])]
                    yield from self.pair(prop, mother, orders, self.piece[start, end].get((p, q), 0))

    def unique(self, cost: int, mother: Any, those: list[Any]) -> Any:
        """One violation for each of several."""
        for one in those:
            variable = self.new()
            self.model.add(len(those) * (variable + 2 - mother - one) >= sum(those) - one)
            self.costs.append((cost, variable))
        single = self.new()
        self.model.add(sum(those) == 1).only_enforce_if(single)
        return single

    def pair(self, prop: Plain, mother: Any, orders: list[tuple[Any, Any]], neighbours: Any) -> Iterator[Any]:
        """Two daughters at two places, `orders`: the operands as they are written, and the other way round."""
        match prop.relation:
            case "linearity":
                self.violation(prop.cost, mother, *orders[1])
                yield self.witness([*orders[0]])
            case "adjacency":
                for order in orders:
                    self.violation(prop.cost, mother, *order, unless=neighbours)
                    yield self.witness([*order, neighbours])
            case "exclusion":
                for order in orders:
                    self.violation(prop.cost, mother, *order)

    def witness(self, sums: list[Any]) -> Any:
        variable = self.new()
        for each in sums:
            self.model.add(variable <= each)
        return variable

    def cover(self) -> None:
        """One root over the input is free, else each piece is a fragment (ruling 2)."""
        whole = (0, self.n)
        free = self.new()
        self.model.add(free <= self.piece[None][whole])
        self.model.add(free <= sum(self.top[whole].get(root, 0) for root in self.given.roots))
        for span, used in self.piece[None].items():
            self.violation(self.given.fragment_cost, used, unless=free if span == whole else 0)


def alone(form: Form, category: str) -> int | None:
    """Return the cost of a construction over one daughter; None if it cannot be built (H3, H4, ruling 4)."""
    if category not in form.members or category == form.name:
        return None
    counted: dict[str, int] = defaultdict(int)
    held = False
    for prop in form.properties:
        if prop.relation == "obligation":
            counted["cost"] += prop.cost * (category not in prop.right)
        elif prop.left == category and prop.relation in ("uniqueness", "requirement"):
            satisfied = prop.relation == "uniqueness" or category in prop.right
            held = held or satisfied
            counted["cost"] += prop.cost * (not satisfied)
    return counted["cost"] if held else None


def solve(given: Problem, seconds: float) -> Answer:
    """Solve, timed; making the model in Python is not."""
    built = Model(given)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = seconds
    began = perf_counter()
    status = solver.solve(built.model)
    milliseconds = (perf_counter() - began) * 1000
    return Answer(milliseconds, round(solver.objective_value) if status == cp_model.OPTIMAL else None)
