"""The loop that wires the eight phases, round after round, until no new constituent can be built."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from numbat.evaluation.constituents import Assignment, Constituent
from numbat.evaluation.evaluator import Evaluator
from numbat.parsing.limits import Limits, Overdue
from numbat.parsing.phases import phases
from numbat.parsing.phases.elections import RULES, Ballot, Pending
from numbat.parsing.phases.neighbourhoods import Anywhere, neighbourhood
from numbat.parsing.phases.trace import Observer
from numbat.parsing.policies import Profile, Valuation
from numbat.words.lattice import Lattice


@dataclass(frozen=True, slots=True)
class Run:
    """What the rounds built: every constituent that was elected, their packed rivals, and how the run ended."""

    constituents: tuple[Constituent, ...]
    packed: dict[int, tuple[Constituent, ...]]
    rounds: int
    stopped_by: str | None


def run(
    lattice: Lattice,
    evaluator: Evaluator,
    chosen: Profile,
    valued: Valuation,
    limits: Limits,
    observer: Observer | None = None,
    overdue: Overdue | None = None,
) -> Run:
    """Build constituents until no new one can be built, or until a limit is met.

    A clock that was started before may be given in place of one that starts now.
    """
    meter = _Meter(limits, overdue or limits.clock())
    watch = observer or Observer()
    site = phases.building_site(lattice)
    pending: Pending = {}
    packed: dict[int, tuple[Constituent, ...]] = {}
    every = list(site.new)
    rounds = 0
    while site.new and not meter.met:
        rounds += 1
        watch.round(rounds, site)
        near = Anywhere(site) if watch.wants_all(site) else neighbourhood(site, evaluator, chosen)
        assignments = meter.bounded(phases.assignation(site, near))
        legal = phases.checkpoint_alpha(watch("Assignation", assignments), chosen, watch.dropped)
        stores = phases.appropriation(watch("Checkpoint Alpha", legal), evaluator)
        relevant = phases.checkpoint_bravo(watch("Appropriation", stores), evaluator, chosen, watch.dropped)
        evaluated = phases.satisfaction(watch("Checkpoint Bravo", relevant), evaluator)
        candidates = phases.formation(watch("Satisfaction", evaluated), evaluator)
        valid = phases.polling_booth(watch("Formation", candidates), chosen, watch.dropped)
        ballot = Ballot(
            list(watch("Polling Booth", valid)),
            pending,
            site,
            len(lattice.tokens),
            evaluator.table.grammar,
            valued,
            limits.width,
        )
        outcome = RULES[chosen.election](ballot)
        site, pending = outcome.site, outcome.pending
        packed |= outcome.packed
        every += outcome.elected
        watch.elected(outcome.elected)
        if site.new:
            meter.round_ended(rounds, len(every))
    if meter.met:
        every += [constituent for waiting in pending.values() for constituent in waiting]
    return Run(tuple(every), packed, rounds, meter.met)


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
            if self._assignments % 64 == 0 and self.overdue():
                self.met = self.limits.told("seconds")
                return
            self._assignments += 1
            yield assignment

    def round_ended(self, rounds: int, constituents: int) -> None:
        if self.met is None and self.limits.rounds is not None and rounds >= self.limits.rounds:
            self.met = self.limits.told("rounds")
        elif self.met is None and self.limits.constituents is not None and constituents >= self.limits.constituents:
            self.met = self.limits.told("constituents")
