"""Which properties of a construction have all operands of some clause among its daughters: found by one of these.

A construction may have hundreds of properties, of which a few have operands in one phrase. Each clause is found under
one of its operands, the one that is named by the fewest clauses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

from numbat.evaluation.bit_sets import members
from numbat.evaluation.matching import Match, Plan

Clause = tuple[int, int, Match]
"""A clause with its own number, and that of its property."""


class MatchIndex:
    """The clauses of the properties of a construction, by the operands that they match."""

    def __init__(self, plans: Sequence[Plan]) -> None:
        self._plans = plans
        self._of_operand: dict[int, list[Clause]] = {}
        every = [(i, match) for i, plan in enumerate(plans) for match in plan.matches if match.names]
        named = Counter(bit for _, match in every for bit in members(match.every))
        for number, (i, match) in enumerate(every):
            rarest = min(members(match.every), key=named.__getitem__)
            self._of_operand.setdefault(rarest, []).append((number, i, match))
        self._keys = sum(self._of_operand)
        nameless = [(plan, [match for match in plan.matches if not match.names]) for plan in plans]
        self._about_absence = [(plan, matches) for plan, matches in nameless if matches]

    def of(self, operands: int) -> list[tuple[Plan, list[Match]]]:
        """The properties with the clauses that daughters match which are these operands together, in order; then, once
        more, those with clauses for which no daughter is needed."""
        found = [
            clause
            for bit in members(operands & self._keys)
            for clause in self._of_operand[bit]
            if not clause[2].every & ~operands
        ]
        found.sort(key=itemgetter(0))
        plans = self._plans
        matching = [(plans[i], [match for _, _, match in each]) for i, each in groupby(found, itemgetter(1))]
        return matching + self._about_absence
