"""The loop that wires the eight phases, round after round, until no new constituent can be built."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import TypeVar

from numbat.errors import DataError, UsageError
from numbat.grammar.model import Grammar
from numbat.lattice import Lattice, Words, read_text, words_of
from numbat.parsing import phases
from numbat.parsing.chart import Assignment, Constituent
from numbat.parsing.elections import RULES, Ballot, Pending
from numbat.parsing.evaluation import Evaluator
from numbat.parsing.forest import Forest
from numbat.parsing.neighbourhoods import neighbourhood
from numbat.parsing.policies import Limits, Profile, Valuation, profile, valuation
from numbat.parsing.result import Parse
from numbat.parsing.table import build_table
from numbat.parsing.trace import Observer

T = TypeVar("T")


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
) -> Run:
    """Build constituents until no new one can be built, or until a limit is met."""
    meter = _Meter(limits)
    watch = observer or Observer()
    site = phases.building_site(lattice)
    pending: Pending = {}
    packed: dict[int, tuple[Constituent, ...]] = {}
    every = list(site.new)
    rounds = 0
    while site.new and not meter.met:
        rounds += 1
        watch.round(rounds, site)
        assignments = meter.bounded(phases.assignation(site, neighbourhood(site, evaluator, chosen)))
        legal = phases.checkpoint_alpha(watch("Assignation", assignments), chosen, watch.dropped)
        stores = phases.appropriation(watch("Checkpoint Alpha", legal), evaluator)
        relevant = phases.checkpoint_bravo(watch("Appropriation", stores), evaluator, chosen, watch.dropped)
        ticked = phases.satisfaction(watch("Checkpoint Bravo", relevant), evaluator)
        candidates = phases.formation(watch("Satisfaction", ticked), evaluator)
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
        meter.round_ended(rounds, len(every))
    if meter.met:
        every += [constituent for waiting in pending.values() for constituent in waiting]
    return Run(tuple(every), packed, rounds, meter.met)


@dataclass
class _Meter:
    """Counts against the limits; `met` names the first that is met."""

    limits: Limits
    met: str | None = None
    _assignments: int = 0
    _began: float = field(default_factory=monotonic)

    def bounded(self, assignments: Iterable[Assignment]) -> Iterator[Assignment]:
        """The assignments up to the limits of assignments and seconds."""
        most, seconds = self.limits.assignments, self.limits.seconds
        for assignment in assignments:
            if most is not None and self._assignments >= most:
                self.met = f"assignments ({most:,})"
                return
            if seconds is not None and self._assignments % 64 == 0 and monotonic() - self._began > seconds:
                self.met = f"seconds ({seconds:g})"
                return
            self._assignments += 1
            yield assignment

    def round_ended(self, rounds: int, constituents: int) -> None:
        if self.met is None and self.limits.rounds is not None and rounds >= self.limits.rounds:
            self.met = f"rounds ({self.limits.rounds:,})"
        elif self.met is None and self.limits.constituents is not None and constituents >= self.limits.constituents:
            self.met = f"constituents ({self.limits.constituents:,})"


@dataclass(frozen=True, slots=True)
class Parser:
    """A grammar, made ready, with the way to parse by it.

    `profile` names a set of heuristics (`default`, `paper`, `strict`, `loose`, `discontinuous`), `without` switches
    some of H1 to H5 off, `election` replaces the profile's own (`per-construction`, `best-combination`, `beam`,
    `all`), `valuation` is `relaxation` or `net`. Raises UsageError for an unknown name, and for a grammar with negative
    weights under `relaxation` (ruling 3).
    """

    grammar: Grammar
    profile: Profile
    valuation: Valuation
    limits: Limits
    evaluator: Evaluator
    words: Words

    def __init__(
        self,
        grammar: Grammar,
        profile: str = "default",
        election: str | None = None,
        valuation: str = "relaxation",
        limits: Limits | None = None,
        without: Iterable[str] = (),
    ) -> None:
        values = {
            "grammar": grammar,
            "profile": _profile(profile, election, without),
            "valuation": _valuation(valuation),
            "limits": limits or Limits(),
            "evaluator": Evaluator(build_table(grammar)),
            "words": words_of(grammar),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        negative = next((prop for prop in grammar.properties if prop.weight < 0), None)
        if self.valuation.lexicographic and negative is not None:
            place = f" ({negative.span})" if negative.span else ""
            raise UsageError(f"negative weights{place} need the valuation net\n  the valuation relaxation takes none")

    def parse(self, sentence: str | Lattice, observer: Observer | None = None) -> Parse:
        """The best parse of a sentence; an analysis always comes back."""
        return self.n_best(sentence, 1, observer)[0]

    def n_best(self, sentence: str | Lattice, n: int, observer: Observer | None = None) -> list[Parse]:
        """Up to n parses, the best first; exact under the elections `per-construction` and `all`."""
        lattice = read_text(sentence, self.words) if isinstance(sentence, str) else sentence
        _check_lattice(lattice)
        built = run(lattice, self.evaluator, self.profile, self.valuation, self.limits, observer)
        forest = Forest(
            built.constituents,
            built.packed,
            len(lattice.tokens),
            self.grammar,
            self.valuation,
            full_span=self.profile.has("H5"),
        )
        result = partial(
            Parse,
            grammar=self.grammar,
            lattice=lattice,
            count=forest.count() if lattice.tokens else 1,
            rounds=built.rounds,
            engine="phases",
            profile=self.profile.name,
            election=self.profile.election,
            valuation=self.valuation.name,
            stopped_by=built.stopped_by,
        )
        if not lattice.tokens:
            return [result(constituents=(), fragment_cost=0)]
        return [
            result(constituents=solution.constituents, fragment_cost=solution.fragment_cost, rank=rank)
            for rank, solution in enumerate(forest.best(n), start=1)
        ]


_profile, _valuation = profile, valuation


def _check_lattice(lattice: Lattice) -> None:
    """Raises DataError where a token has no reading, so that nothing could cover it."""
    covered = {position for arc in lattice.arcs if arc.end == arc.start + 1 for position in (arc.start,)}
    for position, token in enumerate(lattice.tokens):
        if position not in covered:
            raise DataError(f'token {position + 1}, "{token}", has no reading of its own\n  give it one arc at least')
