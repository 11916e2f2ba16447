"""Run the eight phases round by round, and read solutions off the forest of elected constituents (H5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from numbat.derivations import Derivation, Derivations, Hyperedge, build_bottom_up
from numbat.evaluation.constituents import Assignment, Constituent
from numbat.evaluation.evaluator import Evaluator
from numbat.grammar.model import Grammar
from numbat.grammar.profiles import Profile
from numbat.parsing.analysis import Solution, fragment_cost_of, is_full, tie_order
from numbat.parsing.phases import phases
from numbat.parsing.phases.elections import RULES, Ballot, ElectionResult, Pending, Worth, worth_value
from numbat.parsing.phases.neighbourhoods import Anywhere, neighbourhood
from numbat.parsing.phases.trace import Begun, Observer
from numbat.parsing.policies import Limits, Overdue, Valuation, Value
from numbat.records import frozen
from numbat.words.lattice import Lattice

FIRST_SOLUTION: Final = "the first solution (termination first-solution)"


@frozen
class Run:
    """The constituents that the rounds elected, the rivals that they beat, and how the run ended.

    `packed` is as in `ElectionResult`. `stopped_by` is the limit that was met, if any; `ended_by` the rule of
    termination that ended the rounds early, if one did.
    """

    constituents: tuple[Constituent, ...]
    packed: dict[int, tuple[Constituent, ...]]
    rounds: int
    stopped_by: str | None
    ended_by: str | None = None


@frozen
class Guidance:
    """Settings of a run in addition to its profile.

    No candidate that costs more than `bound` is elected; no best solution is lost if the bound is not below its cost.
    `worth` is the function by which `best-combination` elects, if not by the valuation; `by` is the name of either.
    """

    bound: int | None = None
    worth: Worth | None = None
    by: str = ""


NO_GUIDANCE: Final = Guidance()


def each_once(worth: Worth) -> Worth:
    """Return `worth` as a function that caches the score of each constituent by its identity."""
    known: dict[int, tuple[Constituent, float]] = {}  # keeps the constituents, so that identities are not reused

    def remembering(constituent: Constituent) -> float:
        if id(constituent) not in known:
            known[id(constituent)] = constituent, worth(constituent)
        return known[id(constituent)][1]

    return remembering


def run(
    lattice: Lattice,
    evaluator: Evaluator,
    chosen: Profile,
    valued: Valuation,
    limits: Limits,
    observer: Observer | None = None,
    overdue: Overdue | None = None,
    guidance: Guidance = NO_GUIDANCE,
) -> Run:
    """Build constituents until no new one can be built, or until a limit is met.

    `overdue` is a running clock; by default, a new clock starts now. With the termination `first-solution`, the rounds
    also end when the first root over the whole input is elected.
    """
    meter = _Meter(limits, overdue or limits.clock())
    watch = observer or Observer()
    watch.begins(Begun(lattice, evaluator, chosen, guidance.by or valued.name, guidance.bound))
    site = phases.building_site(lattice)
    pending: Pending = {}
    packed: dict[int, tuple[Constituent, ...]] = {}
    every = list(site.new)
    rounds = 0
    ended_by = None
    while site.new and not meter.met:
        rounds += 1
        watch.round(rounds, site)
        near = Anywhere(site) if watch.wants_all(site) else neighbourhood(site, evaluator, chosen, guidance.bound)
        assignments = meter.bounded(phases.assignation(site, near))
        legal = phases.checkpoint_alpha(watch("Assignation", assignments), chosen, watch.dropped)
        stores = phases.appropriation(watch("Checkpoint Alpha", legal), evaluator)
        relevant = phases.checkpoint_bravo(watch("Appropriation", stores), evaluator, chosen, watch.dropped)
        evaluated = phases.satisfaction(watch("Checkpoint Bravo", relevant), evaluator)
        candidates = phases.formation(watch("Satisfaction", evaluated), evaluator)
        valid = phases.polling_booth(watch("Formation", candidates), evaluator, chosen, watch.dropped, guidance.bound)
        ballot = Ballot(
            list(watch("Polling Booth", valid)),
            pending,
            site,
            len(lattice.tokens),
            evaluator.table.grammar,
            valued,
            limits.width,
            guidance.worth,
        )
        outcome = RULES[chosen.election](ballot)
        site, pending = outcome.site, outcome.pending
        packed |= outcome.packed
        every += outcome.elected
        watch.elected(outcome)
        if chosen.termination == "first-solution" and _is_solved(outcome, lattice, evaluator):
            ended_by = FIRST_SOLUTION
            break
        if site.new:
            meter.round_ended(rounds, len(every))
    if meter.met:
        every += [constituent for waiting in pending.values() for constituent in waiting]
    return Run(tuple(every), packed, rounds, meter.met, ended_by)


def _is_solved(outcome: ElectionResult, lattice: Lattice, evaluator: Evaluator) -> bool:
    """True if a root over the whole input was elected."""
    return any(is_full((constituent,), len(lattice.tokens), evaluator.table.grammar) for constituent in outcome.elected)


@dataclass
class _Meter:
    """Checks the limits of a run; `met` names the first limit that was met."""

    limits: Limits
    overdue: Overdue
    met: str | None = None
    _assignments: int = 0

    def bounded(self, assignments: Iterable[Assignment]) -> Iterator[Assignment]:
        """Yield assignments until the limit of assignments or of seconds is met."""
        most = self.limits.assignments
        for assignment in assignments:
            if most is not None and self._assignments >= most:
                self.met = self.limits.describe("assignments")
                return
            if self.overdue():
                self.met = self.limits.describe("seconds")
                return
            self._assignments += 1
            yield assignment

    def round_ended(self, rounds: int, constituents: int) -> None:
        if self.met is None and self.limits.rounds is not None and rounds >= self.limits.rounds:
            self.met = self.limits.describe("rounds")
        elif self.met is None and self.limits.constituents is not None and constituents >= self.limits.constituents:
            self.met = self.limits.describe("constituents")


# The forest of all elected constituents, and the combinations of them that cover the input (H5).
#
# A node is a constituent (the best of its cell), the part of the input that a combination has not covered yet (a bit
# set of token positions), or the goal.

Node = tuple[str, int]
"""Forest node: ("constituent", identity), ("rest", bit set) or ("goal", 0)."""
GOAL: Final[Node] = ("goal", 0)

Label = Constituent | int
"""Label of a hyperedge: the constituent that it builds, or the fragment cost that it adds to a cover."""


class ElectedForest:
    """Forest over elected constituents; `packed` has all valid candidates for the cell of an elected one, by its `id`.

    The best solution has the greatest sum of `worth`, if given; of equal ones, that with the best value by the
    valuation.
    """

    def __init__(
        self,
        constituents: Sequence[Constituent],
        packed: Mapping[int, Sequence[Constituent]],
        tokens: int,
        grammar: Grammar,
        valuation: Valuation,
        full_span: bool = True,
        worth: Worth | None = None,
    ) -> None:
        self._worth = worth
        self._packed = packed
        self._grammar = grammar
        self._valuation = valuation
        self._tokens = tokens
        self._full_span = full_span
        self._by_id = {id(constituent): constituent for constituent in constituents}
        self._starting: dict[int, list[Constituent]] = {}
        for constituent in sorted(constituents, key=tie_order(grammar).rank):
            self._starting.setdefault(constituent.start, []).append(constituent)
        self._graph: Derivations[Node, Label] = Derivations(lambda node: tuple(self._alternatives(node)))

    def best(self, n: int = 1) -> list[Solution]:
        """Return the n best solutions (or fewer) that the elected constituents form, ties in the order of ruling 1."""
        solutions = []
        for number in range(n):
            derivation = self._graph.derivation(GOAL, number)
            if derivation is None:
                break
            solutions.append(self._cover(derivation))
        return solutions

    def at_once(self) -> Solution:
        """Return a solution made of constituents as elected, found in one pass because time is up.

        It is the best constituent that spans the input, else (with H5) the best sequence of contiguous fragments.
        """
        every = [constituent for group in self._starting.values() for constituent in group]
        largest = max((constituent.cover.bit_count() for constituent in every), default=0)
        if largest == self._tokens or not self._full_span:
            of_largest = (constituent for constituent in every if constituent.cover.bit_count() == largest)
            tops = [min(of_largest, key=self._value_alone)]
        else:
            tops = self._row()
        return Solution(tuple(tops), fragment_cost_of(tops, self._tokens, self._grammar))

    def _value_alone(self, constituent: Constituent) -> Value:
        return self._value(constituent, fragment_cost_of((constituent,), self._tokens, self._grammar))

    def _value(self, constituent: Constituent, fragment_cost: int) -> Value:
        """Return the value of a top-level constituent with its whole tree and its cost as a fragment."""
        value = self._valuation.value(constituent.cost_units + fragment_cost, constituent.gain_units)
        return worth_value(constituent, self._worth) + value

    def _row(self) -> list[Constituent]:
        """Return the best sequence of contiguous constituents that covers the input."""
        best: dict[int, tuple[Value, Constituent | None]] = {self._tokens: (0, None)}
        for start in range(self._tokens - 1, -1, -1):
            for constituent in self._starting.get(start, ()):
                end = constituent.end
                if end in best and constituent.cover.bit_count() == end - start:
                    value = self._value(constituent, self._grammar.fragment_cost_units) + best[end][0]
                    if start not in best or value < best[start][0]:
                        best[start] = value, constituent
        row: list[Constituent] = []
        while (following := best[row[-1].end if row else 0][1]) is not None:
            row.append(following)
        return row

    def count(self) -> int:
        """Return the exact number of equally good solutions."""
        return self._graph.count(GOAL)

    def _alternatives(self, node: Node) -> Iterator[Hyperedge[Node, Label]]:
        kind, number = node
        if kind == "constituent":
            yield from self._building(number)
        elif kind == "rest":
            yield from self._filling(number)
        elif self._full_span:
            yield from self._goal()
        else:
            yield from self._largest()

    def _building(self, identity: int) -> Iterator[Hyperedge[Node, Label]]:
        for constituent in self._packed.get(identity) or (self._by_id[identity],):
            parts = tuple(("constituent", id(daughter)) for daughter in constituent.daughters)
            cost = constituent.cost_units - sum(daughter.cost_units for daughter in constituent.daughters)
            gain = constituent.gain_units - sum(daughter.gain_units for daughter in constituent.daughters)
            yield Hyperedge(parts, self._valuation.value(cost, gain), constituent)

    def _filling(self, rest: int) -> Iterator[Hyperedge[Node, Label]]:
        """Yield the constituents that fill the first position not covered yet, each with what is then left (H5)."""
        first = (rest & -rest).bit_length() - 1
        for constituent in self._starting.get(first, ()):
            if constituent.cover & rest == constituent.cover:
                left = rest & ~constituent.cover
                part: Node = ("constituent", id(constituent))
                yield self._fragment((part, ("rest", left)) if left else (part,), self._grammar.fragment_cost_units)

    def _fragment(self, parts: tuple[Node, ...], cost: int) -> Hyperedge[Node, Label]:
        """Return the hyperedge for a combination that begins with a constituent, without the value of its tree."""
        _, identity = parts[0]
        value = worth_value(self._by_id[identity], self._worth) + self._valuation.value(cost, 0)
        return Hyperedge(parts, value, cost)

    def _goal(self) -> Iterator[Hyperedge[Node, Label]]:
        """Yield the ways to cover the input; a root over all of it is free, others pay for each fragment (ruling 2)."""
        for alternative in self._filling((1 << self._tokens) - 1):
            yield self._alone(alternative.parts) if len(alternative.parts) == 1 else alternative

    def _largest(self) -> Iterator[Hyperedge[Node, Label]]:
        """Yield the constituents of the largest size, solutions without H5; one that leaves words out is a fragment."""
        every = [constituent for group in self._starting.values() for constituent in group]
        size = max((constituent.cover.bit_count() for constituent in every), default=0)
        for constituent in every:
            if constituent.cover.bit_count() == size:
                yield self._alone((("constituent", id(constituent)),))

    def _alone(self, parts: tuple[Node, ...]) -> Hyperedge[Node, Label]:
        """Return the hyperedge for a solution of one constituent."""
        ((_, identity),) = parts
        return self._fragment(parts, fragment_cost_of((self._by_id[identity],), self._tokens, self._grammar))

    def _cover(self, derivation: Derivation | None) -> Solution:
        """Return the top-level constituents of a derivation of the goal, with their fragment cost."""
        costs, tops = self._graph.right_spine(GOAL, derivation)
        trees = tuple(build_bottom_up(top, lambda place: self._graph.expand(*place), _over) for top in tops)
        return Solution(trees, sum(cost for cost in costs if isinstance(cost, int)))


def _over(label: Label, daughters: tuple[Constituent, ...]) -> Constituent:
    """Return a constituent with its daughters replaced by others from the same cells."""
    assert isinstance(label, Constituent)
    old = label.daughters
    return label._replace(
        daughters=daughters,
        cost_units=label.cost_units + sum(d.cost_units for d in daughters) - sum(d.cost_units for d in old),
        gain_units=label.gain_units + sum(d.gain_units for d in daughters) - sum(d.gain_units for d in old),
        lexical_cost_units=sum(d.lexical_cost_units for d in daughters) if daughters else label.lexical_cost_units,
    )
