"""What happened in each round and phase of a run: records of it, and the observer that makes them.

`trace_text` writes the records as lines of text, `trace_json` as a value for JSON.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from numbat.evaluation.constituents import Assignment, Constituent
from numbat.evaluation.evaluator import Evaluator
from numbat.grammar.properties import Property
from numbat.parsing.phases.drop_reasons import Reason, Reasons
from numbat.parsing.phases.elections import Outcome
from numbat.parsing.phases.neighbourhoods import Combinations, combinations
from numbat.parsing.phases.phases import PropertyStore, Site
from numbat.parsing.policies import Profile
from numbat.parsing.records import Solution
from numbat.records import frozen
from numbat.words.lattice import Lattice

T = TypeVar("T")

PHASES: Final[dict[str, tuple[str, ...]]] = {
    "Assignation": (),
    "Checkpoint Alpha": ("H1", "H2"),
    "Appropriation": (),
    "Checkpoint Bravo": ("H3", "no property"),
    "Satisfaction": (),
    "Formation": (),
    "Polling Booth": ("H4", "hard property", "cost"),
}
"""The phases after the Building Site, each with what may drop something there."""

LITERAL: Final = 12
"""In rounds with up to so many constituents Assignation makes literally all combinations."""


@frozen
class Begun:
    """What a run begins with. `bound`: the cost of the best solution, where it is known; what is dearer is dropped."""

    lattice: Lattice
    evaluator: Evaluator
    profile: Profile
    bound: int | None = None


@frozen
class Dropped:
    """An assignment that a heuristic turned away, or a candidate (of which `construction` is the name), and why."""

    heuristic: str
    assignment: Assignment
    construction: str | None
    reason: Reason


@dataclass(slots=True)
class PhaseRecord:
    """What a phase did in one round: how much entered and left, what was dropped.

    `passed` and `dropped` are the first ones only; `left` and `drops` count all. `outside` has, of a store that left
    Checkpoint Bravo, the properties of constructions that do not cover the assignment.
    """

    name: str
    entered: int | None = None
    left: int = 0
    passed: list[object] = field(default_factory=list)
    drops: Counter[str] = field(default_factory=Counter)
    dropped: list[Dropped] = field(default_factory=list)
    outside: dict[int, tuple[Property, ...]] = field(default_factory=dict)


@frozen
class Elected:
    """An elected candidate, the round that built it, and the candidates that it beat in its cell."""

    constituent: Constituent
    built_in: int
    beaten: tuple[Constituent, ...] = ()


@dataclass(slots=True)
class Round:
    """One round. `literal`: Assignation made all combinations; else `possible` counts those that there are."""

    number: int
    site: Site
    literal: bool
    possible: Combinations | None
    phases: list[PhaseRecord]
    elected: tuple[Elected, ...] = ()
    waiting: tuple[Elected, ...] = ()


@frozen
class Choice:
    """How the solution was chosen: the best ones among what was elected, best first, and why the rounds ended.

    `spans`: H5 is on. `count` is the number of equally good solutions.
    """

    solutions: tuple[Solution, ...]
    count: int
    spans: bool
    tokens: int
    ended_by: str | None


class Observer:
    """Sees what passes from phase to phase; this one does not look."""

    def begins(self, begun: Begun) -> None:
        """A run begins."""

    def wants_all(self, site: Site) -> bool:
        """Whether Assignation is to make literally all combinations, also those that a checkpoint drops for sure."""
        return False

    def round(self, number: int, site: Site) -> None:
        """A round begins on this site."""

    def __call__(self, phase: str, passing: Iterable[T]) -> Iterable[T]:
        """What leaves a phase, on its way to the next."""
        return passing

    def dropped(self, heuristic: str, assignment: Assignment) -> None:
        """A heuristic turned an assignment, or a candidate, away."""

    def elected(self, outcome: Outcome) -> None:
        """A round ends with this election."""

    def chosen(self, choice: Choice) -> None:
        """The rounds are over, and a solution is chosen."""


def _unseen(_: object) -> None:
    """Nobody waits for what was recorded."""


@dataclass
class Recorder(Observer):
    """Records a run round by round; `told` gets each round, and at the end the choice, when it is known.

    Of each phase it keeps the first `most` that left and as many that each heuristic dropped; None: all of them.
    `advance` is called with whatever leaves a phase or is dropped; it may raise.
    """

    most: int | None = 20
    told: Callable[[Round | Choice], object] = _unseen
    advance: Callable[[], object] = tuple
    rounds: list[Round] = field(default_factory=list)
    choice: Choice | None = None
    begun: Begun | None = None
    _built_in: dict[int, int] = field(default_factory=dict)
    _reasons: Reasons | None = None
    _store: PropertyStore | None = None

    def begins(self, begun: Begun) -> None:
        self.begun = begun
        self._reasons = Reasons(begun.lattice.tokens, begun.evaluator, begun.profile.all_hard, begun.bound)

    def wants_all(self, site: Site) -> bool:
        return self.most is None or len(site.new) + len(site.old) <= LITERAL

    def round(self, number: int, site: Site) -> None:
        literal = self.wants_all(site)
        contiguous = self.begun is not None and self.begun.profile.has("H2")
        possible = combinations(site) if contiguous and not literal else None
        self.rounds.append(Round(number, site, literal, possible, [PhaseRecord(name) for name in PHASES]))

    def __call__(self, phase: str, passing: Iterable[T]) -> Iterator[T]:
        record = self._phase(phase)
        for each in passing:
            self.advance()
            record.left += 1
            if self.most is None or len(record.passed) < self.most:
                record.passed.append(each)
                if phase == "Checkpoint Bravo" and isinstance(each, PropertyStore) and self._store is not None:
                    kept = set(map(id, each.properties))
                    record.outside[id(each)] = tuple(p for p in self._store.properties if id(p) not in kept)
            if phase == "Appropriation" and isinstance(each, PropertyStore):
                self._store = each
            if phase == "Formation":
                self._built_in[id(each)] = self.rounds[-1].number
            yield each

    def _phase(self, name: str) -> PhaseRecord:
        return next(record for record in self.rounds[-1].phases if record.name == name)

    def dropped(self, heuristic: str, assignment: Assignment) -> None:
        self.advance()
        record = self._phase(next(phase for phase, heuristics in PHASES.items() if heuristic in heuristics))
        record.drops[heuristic] += 1
        if (self.most is not None and record.drops[heuristic] > self.most) or self._reasons is None:
            return
        reason = self._reasons.of(heuristic, assignment)
        if record.name == "Polling Booth":
            (candidate,) = assignment
            record.dropped.append(Dropped(heuristic, candidate.daughters, candidate.construction, reason))
        else:
            record.dropped.append(Dropped(heuristic, assignment, None, reason))

    def elected(self, outcome: Outcome) -> None:
        ended = self.rounds[-1]
        for before, after in zip(ended.phases, ended.phases[1:], strict=False):
            after.entered = before.left
        ended.elected = tuple(
            self._elected(each, outcome.packed.get(id(each), (each,))[1:]) for each in outcome.elected
        )
        ended.waiting = tuple(self._elected(each) for group in outcome.pending.values() for each in group)
        self.told(ended)

    def _elected(self, constituent: Constituent, beaten: Sequence[Constituent] = ()) -> Elected:
        return Elected(constituent, self._built_in.get(id(constituent), 0), tuple(beaten))

    def chosen(self, choice: Choice) -> None:
        self.choice = choice
        self.told(choice)
