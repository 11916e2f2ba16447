"""The loop that wires the eight phases, round after round, until no new constituent can be built."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from numbat.evaluation.constituents import Assignment, Constituent
from numbat.evaluation.evaluator import Evaluator
from numbat.parsing.limits import Limits, Overdue
from numbat.parsing.phases import phases
from numbat.parsing.phases.elections import RULES, Ballot, Outcome, Pending, Worth
from numbat.parsing.phases.neighbourhoods import Anywhere, neighbourhood
from numbat.parsing.phases.trace import Begun, Observer
from numbat.parsing.policies import Profile, Valuation
from numbat.parsing.records import is_full
from numbat.records import frozen
from numbat.words.lattice import Lattice

FIRST_SOLUTION: Final = "the first solution (termination first-solution)"


@frozen
class Run:
    """What the rounds built: every constituent that was elected, their packed rivals, and how the run ended.

    `stopped_by` is the limit that was met; `ended_by` the rule of termination that ended the rounds before.
    """

    constituents: tuple[Constituent, ...]
    packed: dict[int, tuple[Constituent, ...]]
    rounds: int
    stopped_by: str | None
    ended_by: str | None = None


@frozen
class Guidance:
    """What a run is told besides its profile.

    Nothing that costs more than `bound` is elected: where that is the cost of the best solution, none of the best is
    lost. `worth` is the valuation function of the election `best-combination`, where it is not the valuation.
    """

    bound: int | None = None
    worth: Worth | None = None


NO_GUIDANCE: Final = Guidance()


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

    A clock that was started before may be given in place of one that starts now. Under the termination
    `first-solution` the rounds also end with the first elected root over the whole input.
    """
    meter = _Meter(limits, overdue or limits.clock())
    watch = observer or Observer()
    watch.begins(Begun(lattice, evaluator, chosen, guidance.bound))
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
        valid = phases.polling_booth(watch("Formation", candidates), chosen, watch.dropped, guidance.bound)
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


def _is_solved(outcome: Outcome, lattice: Lattice, evaluator: Evaluator) -> bool:
    """Whether one of the elected is a root over the whole input."""
    return any(is_full((each,), len(lattice.tokens), evaluator.table.grammar) for each in outcome.elected)


@dataclass
class _Meter:
    """Counts against the limits; `met` names the first that is met."""

    limits: Limits
    overdue: Overdue
    met: str | None = None
    _assignments: int = 0

    def bounded(self, assignments: Iterable[Assignment]) -> Iterator[Assignment]:
        """The assignments up to the limits of assignments and seconds."""
        most = self.limits.assignments
        for assignment in assignments:
            if most is not None and self._assignments >= most:
                self.met = self.limits.told("assignments")
                return
            if self.overdue():
                self.met = self.limits.told("seconds")
                return
            self._assignments += 1
            yield assignment

    def round_ended(self, rounds: int, constituents: int) -> None:
        if self.met is None and self.limits.rounds is not None and rounds >= self.limits.rounds:
            self.met = self.limits.told("rounds")
        elif self.met is None and self.limits.constituents is not None and constituents >= self.limits.constituents:
            self.met = self.limits.told("constituents")
