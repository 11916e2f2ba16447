"""Trace of a run: records of its rounds and phases, the observer that makes them, their output as text and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, Final, TypeVar

from numbat.errors import DataError, counted, visible
from numbat.evaluation.constituents import Assignment, Characterization, Constituent, Instance, stretches
from numbat.evaluation.evaluator import Evaluator
from numbat.grammar.digest import property_numbers
from numbat.grammar.model import Grammar
from numbat.grammar.profiles import HEURISTICS, Profile
from numbat.grammar.properties import UNIT, Property, format_bundle, format_named, format_number, format_property
from numbat.parsing.analysis import Solution
from numbat.parsing.phases.elections import ElectionResult
from numbat.parsing.phases.neighbourhoods import Combinations, combination_counts
from numbat.parsing.phases.phases import EvaluatedAssignment, PropertyStore, Site
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
"""Phases after the Building Site, each with the reasons for which it drops something."""

BOUND: Final = "bound (not in the paper)"
"""Name in the text for drops because of `cost`; the paper has no bound on the cost of candidates."""

LITERAL: Final = 12
"""Maximum number of constituents in a round for which Assignation literally builds all combinations."""


@frozen
class Begun:
    """Event at the beginning of a run.

    `bound` is the cost of the best solution, if known; candidates that cost more are dropped. `valuation` is the name
    of the valuation, or of the function `elect_by`.
    """

    lattice: Lattice
    evaluator: Evaluator
    profile: Profile
    valuation: str
    bound: int | None = None

    @property
    def left_out_by(self) -> tuple[str, ...]:
        """Names of the heuristics, and the bound, that restrict Assignation when it does not make all combinations."""
        heuristics = (name for name in ("H1", "H2", "H3") if name in self.profile.heuristics)
        return (*heuristics, *(() if self.bound is None else (BOUND,)))


@frozen
class Dropped:
    """An assignment that was dropped, or a candidate (then with its `construction`), and the reason."""

    heuristic: str
    assignment: Assignment
    construction: str | None
    reason: Reason


@dataclass(slots=True)
class PhaseRecord:
    """Record of a phase in one round: how many items entered and left it, and what it dropped.

    `passed` and `dropped` have only the first items that left or were dropped; `left` and `drops` count all of them.
    `outside` maps a store that left Checkpoint Bravo, by its `id`, to the properties that H3 removed from it.
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
    """Record of one round.

    If `literal`, Assignation built all combinations; otherwise `possible` counts all, and `left_out_by` names the
    heuristics and bound that prevented some.
    """

    number: int
    site: Site
    literal: bool
    possible: Combinations | None
    phases: list[PhaseRecord]
    left_out_by: tuple[str, ...] = ()
    elected: tuple[Elected, ...] = ()
    waiting: tuple[Elected, ...] = ()


@frozen
class Choice:
    """The best solutions among the elected constituents, best first, and why the rounds ended early.

    `spans` is True if solutions must cover the input (H5). `count` is the number of equally good solutions.
    """

    solutions: tuple[Solution, ...]
    count: int
    spans: bool
    tokens: int
    ended_by: str | None


class Observer:
    """Base class for observers of a run; it ignores everything."""

    def begins(self, begun: Begun) -> None:
        """Is called when a run begins."""

    def wants_all(self, site: Site) -> bool:
        """True if Assignation must make all combinations, including those that a checkpoint is certain to drop."""
        return False

    def round(self, number: int, site: Site) -> None:
        """Is called when a round begins, with the site of this round."""

    def __call__(self, phase: str, passing: Iterable[T]) -> Iterable[T]:
        """Observe what leaves a phase, and pass it on to the next one."""
        return passing

    def dropped(self, heuristic: str, assignment: Assignment) -> None:
        """Is called when a heuristic drops an assignment or a candidate."""

    def elected(self, outcome: ElectionResult) -> None:
        """Is called when a round ends, with the result of its election."""

    def chosen(self, choice: Choice) -> None:
        """Is called when the rounds are over, with the solutions."""


Event = Begun | Round | Choice
"""Events that a recorder passes to `on_event`."""


def _ignore(_: object) -> None:
    """Ignore the record."""


@dataclass
class Recorder(Observer):
    """Observer that records a run; it calls `on_event` with the beginning, with each round, and with the final choice.

    It keeps the first `most` items that left each phase, and as many that each heuristic dropped; None keeps all. It
    calls `advance` for every item that leaves a phase or is dropped; `advance` may raise to stop the run.
    """

    most: int | None = 20
    on_event: Callable[[Event], object] = _ignore
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
        self.on_event(begun)

    def wants_all(self, site: Site) -> bool:
        return self.most is None or len(site.new) + len(site.old) <= LITERAL

    def round(self, number: int, site: Site) -> None:
        literal = self.wants_all(site)
        contiguous = self.begun is not None and self.begun.profile.has("H2")
        possible = combination_counts(site) if contiguous and not literal else None
        left_out_by = () if self.begun is None else self.begun.left_out_by
        phases = [PhaseRecord(name) for name in PHASES]
        self.rounds.append(Round(number, site, literal, possible, phases, left_out_by))

    def __call__(self, phase: str, passing: Iterable[T]) -> Iterator[T]:
        record = self._phase(phase)
        for item in passing:
            self.advance()
            record.left += 1
            if self.most is None or len(record.passed) < self.most:
                record.passed.append(item)
                if phase == "Checkpoint Bravo" and isinstance(item, PropertyStore) and self._store is not None:
                    kept = set(map(id, item.properties))
                    record.outside[id(item)] = tuple(p for p in self._store.properties if id(p) not in kept)
            if phase == "Appropriation" and isinstance(item, PropertyStore):
                self._store = item
            if phase == "Formation":
                self._built_in[id(item)] = self.rounds[-1].number
            yield item

    def _phase(self, name: str) -> PhaseRecord:
        return next(record for record in self.rounds[-1].phases if record.name == name)

    def dropped(self, heuristic: str, assignment: Assignment) -> None:
        self.advance()
        record = self._phase(next(phase for phase, heuristics in PHASES.items() if heuristic in heuristics))
        record.drops[heuristic] += 1
        if (self.most is not None and record.drops[heuristic] > self.most) or self._reasons is None:
            return
        reason = self._reasons.reason_for(heuristic, assignment)
        if record.name == "Polling Booth":
            (candidate,) = assignment
            record.dropped.append(Dropped(heuristic, candidate.daughters, candidate.construction, reason))
        else:
            record.dropped.append(Dropped(heuristic, assignment, None, reason))

    def elected(self, outcome: ElectionResult) -> None:
        ended = self.rounds[-1]
        for before, after in zip(ended.phases, ended.phases[1:], strict=False):
            after.entered = before.left
        ended.elected = tuple(
            self._elected(winner, outcome.packed.get(id(winner), (winner,))[1:]) for winner in outcome.elected
        )
        ended.waiting = tuple(self._elected(constituent) for group in outcome.pending.values() for constituent in group)
        self.on_event(ended)

    def _elected(self, constituent: Constituent, beaten: Sequence[Constituent] = ()) -> Elected:
        return Elected(constituent, self._built_in.get(id(constituent), 0), tuple(beaten))

    def chosen(self, choice: Choice) -> None:
        self.choice = choice
        self.on_event(choice)


# Reasons for drops.

MAX_NAMED = 3
"""Maximum number of constructions named in a reason."""


@frozen
class Reason:
    """Text of the reason for a drop.

    For H3, `uncovered` has the constructions that cover part of the assignment, each with the indexes of the elements
    that it does not cover; those with the fewest come first.
    """

    text: str
    uncovered: tuple[tuple[str, tuple[int, ...]], ...] = ()


@frozen
class Reasons:
    """Finds the reasons for drops; `bound` is the highest cost among the solutions known in advance."""

    tokens: Sequence[str]
    evaluator: Evaluator
    all_hard: bool
    bound: int | None

    def reason_for(self, heuristic: str, assignment: Assignment) -> Reason:
        """Return why a heuristic dropped an assignment; a candidate is passed as the only element of an assignment."""
        if heuristic == "H1":
            return self._shared(assignment)
        if heuristic == "H2":
            left, right = next(pair for pair in pairwise(assignment) if pair[0].end != pair[1].start)
            return Reason(f"{named(right)} does not begin where {named(left)} ends")
        if heuristic == "H3":
            return self._uncovered(assignment)
        if heuristic == "no property":
            return Reason("no property is about its elements")
        (candidate,) = assignment
        both = candidate.characterization
        if heuristic == "H4":
            return Reason(f"no property holds for its daughters: {counts_of(both, candidate.daughters)}")
        if heuristic == "hard property":
            hard = tuple(instance for instance in both.violated if self.all_hard or instance.property.hard)
            return Reason(counts_of(Characterization((), hard), candidate.daughters))
        return Reason(f"it costs {format_number(candidate.cost_units)}, the bound is {format_number(self.bound or 0)}")

    def _shared(self, assignment: Assignment) -> Reason:
        one, other = next(pair for pair in combinations(assignment, 2) if pair[0].cover & pair[1].cover)
        both = one.cover & other.cover
        words = " ".join(token for i, token in enumerate(self.tokens) if both >> i & 1)
        return Reason(f'{named(one)} and {named(other)} share "{words}"')

    def _uncovered(self, assignment: Assignment) -> Reason:
        covering = [self.evaluator.covering((constituent,)) for constituent in assignment]
        left: list[tuple[str, tuple[int, ...]]] = []
        for name, number in self.evaluator.number.items():
            uncovered = tuple(i for i, constructions in enumerate(covering) if not constructions >> number & 1)
            if len(uncovered) < len(assignment):
                left.append((name, uncovered))
        left.sort(key=lambda pair: len(pair[1]))
        reasons = [
            f"{name} leaves {_listed(assignment, at)} uncovered" if at else f"no property of {name} is about it"
            for name, at in left[:MAX_NAMED]
        ]
        if len(left) > MAX_NAMED:
            reasons.append(f"so do {len(left) - MAX_NAMED} more constructions")
        return Reason("; ".join(reasons) or "no construction covers any of it", tuple(left))


def _listed(assignment: Assignment, at: Sequence[int]) -> str:
    *others, last = [assignment[i].construction for i in at]
    return f"{', '.join(others)} and {last}" if others else last


def named(constituent: Constituent) -> str:
    """Format a constituent for a line of the trace: `NP[number=sg] 0-2`, a word with its form, holes as `0-1+3-4`."""
    form = f' "{constituent.form}"' if constituent.is_word else ""
    return f"{constituent.construction}{format_bundle(constituent.features)}{form} {_positions(constituent.cover)}"


def listed(assignment: Assignment) -> str:
    """Format an assignment for a line of the trace: `[Det, N] 0-2`."""
    cover = 0
    for constituent in assignment:
        cover |= constituent.cover
    return "[" + ", ".join(constituent.construction for constituent in assignment) + f"] {_positions(cover)}"


def _placed(constituent: Constituent) -> str:
    """Format a constituent without its features and form: `NP 0-2`."""
    return f"{constituent.construction} {_positions(constituent.cover)}"


def _positions(cover: int) -> str:
    """Format the positions in a bit set: `0-2`, or `0-1+3-4` with a hole."""
    return "+".join(f"{start}-{end}" for start, end in stretches(cover))


def counts_of(both: Characterization, assignment: Assignment) -> str:
    """Format instances, satisfied and violated: `✓ Det < N (grammar.pg:24) on Det 0-1, N 1-2`."""
    marks = [("✓", both.satisfied), ("✗", both.violated)]
    return "; ".join(f"{mark} {_stated(instance, assignment)}" for mark, instances in marks for instance in instances)


def _stated(instance: Instance, assignment: Assignment) -> str:
    about = ", ".join(_placed(assignment[i]) for i in instance.elements)
    return format_property(instance.property) + line_of(instance.property) + (f" on {about}" if about else "")


def line_of(prop: Property) -> str:
    """Return the file and line of a property, in brackets and with a blank before; empty if unknown."""
    return f" ({prop.place})" if prop.place else ""


# The text of a trace, which shows each property with its line in the grammar.

MAX_PASSED: Final = 20
"""Maximum number of items shown that leave a phase."""
MAX_DROPPED: Final = 4
"""Maximum number of items shown that a heuristic drops in a phase."""


@frozen
class _Lines:
    """Callback that formats each event as lines and writes them; with `everything`, no detail is left out."""

    write: Callable[[str], object]
    everything: bool

    def __call__(self, record: Event) -> None:
        for line in self._lines_of(record):
            self.write(line)

    def _lines_of(self, record: Event) -> Iterator[str]:
        if isinstance(record, Begun):
            return begun_lines(record)
        return choice_lines(record) if isinstance(record, Choice) else round_lines(record, self.everything)


def narrator(write: Callable[[str], object], everything: bool = False) -> Recorder:
    """Return an observer that writes a run as lines: its settings when it begins, each round when it ends.

    With `everything` no detail is left out, and Assignation builds all combinations in every round.
    """
    return Recorder(None if everything else MAX_PASSED, _Lines(write, everything))


def silent_recorder(everything: bool = False, advance: Callable[[], object] = tuple) -> Recorder:
    """Return an observer that keeps what `narrator` writes, but writes nothing; for `advance` see `Recorder`."""
    return Recorder(None if everything else MAX_PASSED, advance=advance)


def begun_lines(begun: Begun) -> Iterator[str]:
    """Yield the lines for the beginning of a run: its tokens, settings, and bound (which is not in the paper)."""
    profile = begun.profile
    yield f"trace of {visible(' '.join(begun.lattice.tokens))}"
    hard = ", every property hard" if profile.all_hard else ""
    heuristics = f"{' '.join(sorted(profile.heuristics)) or 'no heuristics'}{hard}"
    chosen = f"election {profile.election}; best by {visible(begun.valuation)}; termination {profile.termination}"
    yield f"  profile {profile.name}: {heuristics}; {chosen}"
    if begun.bound is not None:
        bound = format_number(begun.bound)
        yield f"  not in the paper: candidates above {bound}, the cost of the exact engine's solution, are dropped"


def round_lines(recorded: Round, everything: bool = False) -> Iterator[str]:
    """Yield the lines for a round: its phases, then the elected constituents."""
    yield f"round {recorded.number}"
    new, old = recorded.site.new, recorded.site.old
    before = f" ({_cut([*map(_placed, old)], everything)})" if old else ""
    yield f"  1 Building Site: {len(new)} new ({', '.join(map(named, new))}), {len(old)} from before{before}"
    for number, phase in enumerate(recorded.phases, start=2):
        yield f"  {number} {phase.name}: {_counts(recorded, phase)}"
        yield from (f"      {line}" for line in _passed_text(phase, everything))
        yield from (f"      {line}" for line in _dropped_text(phase, everything))
    elected = ", ".join(_elected_text(candidate, recorded.number) for candidate in recorded.elected)
    yield f"    elected: {elected or 'none'}"
    if recorded.waiting:
        waiting = _cut([_elected_text(candidate, recorded.number) for candidate in recorded.waiting], everything)
        yield f"    waiting until all smaller ones are elected: {waiting}"


def _cut(names: Sequence[str], everything: bool) -> str:
    """List the first names, or all with `everything`, and say how many more there are."""
    shown = names if everything else names[:MAX_PASSED]
    more = f", and {len(names) - len(shown)} more" if len(shown) < len(names) else ""
    return ", ".join(shown) + more


def _counts(recorded: Round, phase: PhaseRecord) -> str:
    if phase.entered is None:
        if recorded.possible is None:
            return _all_or_some(recorded, phase)
        return _combinations(phase.left, recorded.possible, recorded.left_out_by)
    drops = ", ".join(f"{_by(heuristic)} {number}" for heuristic, number in phase.drops.items())
    return f"{phase.entered} entered, {phase.left} left" + (f"; dropped: {drops}" if drops else "")


def _all_or_some(recorded: Round, phase: PhaseRecord) -> str:
    if recorded.literal or not recorded.left_out_by:
        return f"{phase.left} (all combinations)" if recorded.literal else f"{phase.left}"
    *others, last = recorded.left_out_by
    return f"{phase.left} (those allowed by {', '.join(others)}{' and ' if others else ''}{last})"


def _combinations(made: int, possible: Combinations, left_out_by: Sequence[str]) -> str:
    """Say how many of the possible combinations were made, and why the others were not."""
    dropped = possible.dropped(made, left_out_by)
    others = ", ".join(f"{heuristic} {_short(number)}" for heuristic, number in dropped.items() if number)
    not_made = f"; not made, as they would be dropped: {others}" if others else ""
    return f"{made} of {_short(possible.every)} combinations{not_made}"


def _short(number: int) -> str:
    return f"{number:,}" if number < 10**9 else f"{Decimal(number):.1e}"


def _passed_text(phase: PhaseRecord, everything: bool) -> Iterator[str]:
    lines: list[str] = []
    for item in phase.passed:
        if isinstance(item, PropertyStore) and phase.name == "Checkpoint Bravo":
            lines.append(f"{listed(item.assignment)} store: {'; '.join(map(format_named, item.properties))}")
            if outside := sorted({prop.construction for prop in phase.outside.get(id(item), ())}):
                lines[-1] += f"; H3 drops the properties of {', '.join(outside)}"
        elif isinstance(item, EvaluatedAssignment):
            lines += [
                f"{listed(item.assignment)} as {name}: {counts_of(both, item.assignment)}"
                for name, both in item.characterizations
            ]
        elif isinstance(item, Constituent):
            lines.append(_candidate(item) + (_absence(item) if phase.name == "Formation" else ""))
    yield from lines if everything else lines[:MAX_PASSED]
    hidden = phase.left - len(phase.passed) + (0 if everything else max(0, len(lines) - MAX_PASSED))
    if hidden and lines:
        yield f"... and {hidden} more"


def _candidate(constituent: Constituent) -> str:
    return f"{named(constituent)} over {listed(constituent.daughters)}: {_worth(constituent)}"


def _worth(constituent: Constituent) -> str:
    return f"cost {format_number(constituent.cost_units)}, gain {format_number(constituent.gain_units)}"


def _absence(constituent: Constituent) -> str:
    """Describe the properties about absence of a candidate, which are evaluated in Formation."""
    both = constituent.characterization
    satisfied, violated = (
        tuple(instance for instance in instances if not instance.elements)
        for instances in (both.satisfied, both.violated)
    )
    judged = counts_of(Characterization(satisfied, violated), constituent.daughters)
    return f"; judged here: {judged}" if judged else ""


def _dropped_text(phase: PhaseRecord, everything: bool) -> Iterator[str]:
    for heuristic, number in phase.drops.items():
        dropped = [drop for drop in phase.dropped if drop.heuristic == heuristic]
        shown = dropped if everything else dropped[:MAX_DROPPED]
        yield from map(_drop, shown)
        if number > len(shown):
            yield f"{_dropping(heuristic)} {number - len(shown)} more"


def _drop(dropped: Dropped) -> str:
    what = f"{dropped.construction} over " if dropped.construction else ""
    return f"{_dropping(dropped.heuristic)} {what}{listed(dropped.assignment)}: {dropped.reason.text}"


def _dropping(heuristic: str) -> str:
    """Return `H3 drops` for a heuristic, `bound (not in the paper) drops`, else such as `dropped (no property)`."""
    is_named = heuristic in HEURISTICS or _by(heuristic) == BOUND
    return f"{_by(heuristic)} drops" if is_named else f"dropped ({heuristic})"


def _by(heuristic: str) -> str:
    """Return the name that the text uses for a heuristic or bound."""
    return BOUND if heuristic == "cost" else heuristic


def _elected_text(elected: Elected, number: int) -> str:
    notes = [f"built in round {elected.built_in}"] if elected.built_in not in (0, number) else []
    if elected.beaten:
        shown = [
            f"over {listed(constituent.daughters)}, {_worth(constituent)}"
            for constituent in elected.beaten[:MAX_DROPPED]
        ]
        more = [f"{len(elected.beaten) - len(shown)} more"] if len(shown) < len(elected.beaten) else []
        notes.append(f"better than {counted(len(elected.beaten), 'candidate')} for the same: {'; '.join(shown + more)}")
    return named(elected.constituent) + (f" ({', '.join(notes)})" if notes else "")


def choice_lines(choice: Choice) -> Iterator[str]:
    """Yield the lines for the choice: its rule, then the solutions, best first."""
    if choice.ended_by is not None:
        yield f"the rounds ended: {choice.ended_by}"
    rule = (
        "H5: constituents that span exactly the input"
        if choice.spans
        else "without H5: one of the largest constituents"
    )
    equal = f"; {choice.count} equally good" if choice.count > 1 else ""
    yield f"solution ({rule}{equal})"
    for rank, solution in enumerate(choice.solutions, start=1):
        yield f"  {rank}. {_solution_text(solution, choice.tokens)}"


def _solution_text(solution: Solution, tokens: int) -> str:
    tops = ", ".join(map(named, solution.constituents))
    cost, gain = solution.cost, solution.gain
    fragments = f" (fragments {format_number(solution.fragment_cost)})" if solution.fragment_cost else ""
    covered = 0
    for top in solution.constituents:
        covered |= top.cover
    left = [str(i) for i in range(tokens) if not covered >> i & 1]
    out = f"; leaves out the words at {', '.join(left)}" if left else ""
    return f"{tops}: cost {format_number(cost)}{fragments}, gain {format_number(gain)}{out}"


# JSON of a trace, by the schema `numbat.trace/1`; `trace.schema.json` in this folder documents each key. Constituents
# and properties are stored once in tables; everything else refers to them by number.

SCHEMA: Final = "numbat.trace/1"
SCHEMA_FILE: Final = Path(__file__).with_name("trace.schema.json")


def trace_to_json(recorder: Recorder) -> dict[str, Any]:
    """Return a recorded run as a value for `json.dumps`. Raises DataError if no run has ended yet."""
    begun, choice = recorder.begun, recorder.choice
    if begun is None or choice is None:
        raise DataError("this recorder has not seen a complete run\n  pass it to Parser.parse as the observer")
    tables = _Tables(begun.evaluator.table.grammar)
    rounds = [_round(recorded, tables) for recorded in recorder.rounds]
    solution = _choice(choice, tables)
    return {
        "schema": SCHEMA,
        **_settings(begun),
        "constituents": tables.constituents,
        "properties": [tables.properties[number] for number in sorted(tables.properties)],
        "rounds": rounds,
        "solution": solution,
    }


def _settings(begun: Begun) -> dict[str, Any]:
    profile = begun.profile
    return {
        "tokens": list(begun.lattice.tokens),
        "profile": profile.name,
        "election": profile.election,
        "valuation": begun.valuation,
        "heuristics": sorted(profile.heuristics),
        "bound": None if begun.bound is None else begun.bound / UNIT,
    }


@dataclass
class _Tables:
    """Numbered tables of the constituents and properties that a trace refers to."""

    grammar: Grammar
    constituents: list[dict[str, Any]] = field(default_factory=list)
    properties: dict[int, dict[str, Any]] = field(default_factory=dict)
    _by_identity: dict[int, tuple[int, Constituent]] = field(default_factory=dict)
    _by_make: dict[tuple[object, ...], int] = field(default_factory=dict)

    def numbers(self, constituents: Iterable[Constituent]) -> list[int]:
        return [self.number(constituent) for constituent in constituents]

    def number(self, constituent: Constituent) -> int:
        """Return the number of a constituent, after those of its daughters; equal constituents share a number."""
        for node in reversed(list(constituent.walk())):
            if id(node) not in self._by_identity:
                self._by_identity[id(node)] = self._numbered(node), node
        return self._by_identity[id(constituent)][0]

    def _numbered(self, constituent: Constituent) -> int:
        daughters = [self._by_identity[id(daughter)][0] for daughter in constituent.daughters]
        make = (
            constituent.construction,
            constituent.cover,
            constituent.features,
            constituent.form,
            constituent.lexical_cost_units,
            tuple(daughters),
        )
        known = self._by_make.get(make)
        if known is None:
            known = self._by_make[make] = len(self.constituents)
            self.constituents.append(
                {
                    "id": known,
                    "construction": constituent.construction,
                    "start": constituent.start,
                    "end": constituent.end,
                    "positions": [i for i in range(constituent.end) if constituent.cover >> i & 1],
                    "features": dict(constituent.features),
                    "form": constituent.form if constituent.is_word else None,
                    "daughters": daughters,
                    "cost": constituent.cost,
                    "gain": constituent.gain_units / UNIT,
                    **self.judged(constituent.characterization, daughters),
                }
            )
        return known

    def judged(self, both: Characterization, daughters: Sequence[int]) -> dict[str, Any]:
        return {
            "satisfied": [self._instance(instance, daughters) for instance in both.satisfied],
            "violated": [self._instance(instance, daughters) for instance in both.violated],
        }

    def _instance(self, instance: Instance, daughters: Sequence[int]) -> dict[str, Any]:
        elements = [daughters[i] for i in instance.elements]
        return {"property": self.property(instance.property), "elements": elements}

    def property(self, prop: Property) -> int:
        number = property_numbers(self.grammar)[id(prop)]
        self.properties[number] = {
            "number": number,
            "construction": prop.construction,
            "relation": prop.type,
            "property": format_property(prop),
            "place": prop.place,
        }
        return number


def _round(recorded: Round, tables: _Tables) -> dict[str, Any]:
    possible = recorded.possible
    return {
        "number": recorded.number,
        "new": tables.numbers(recorded.site.new),
        "old": tables.numbers(recorded.site.old),
        "literal": recorded.literal,
        "combinations": None
        if possible is None
        else {
            "every": str(possible.every),
            "distinct": str(possible.distinct),
            "contiguous": str(possible.contiguous),
        },
        "phases": [_phase(number, phase, tables) for number, phase in enumerate(recorded.phases, start=2)],
        "elected": [_elected_json(elected, tables) for elected in recorded.elected],
        "waiting": [_elected_json(elected, tables) for elected in recorded.waiting],
    }


def _phase(number: int, phase: PhaseRecord, tables: _Tables) -> dict[str, Any]:
    return {
        "number": number,
        "name": phase.name,
        "entered": phase.entered,
        "left": phase.left,
        "passed": [_passed_json(item, phase, tables) for item in phase.passed],
        "drops": dict(phase.drops),
        "dropped": [_dropped_json(dropped, tables) for dropped in phase.dropped],
    }


def _passed_json(item: object, phase: PhaseRecord, tables: _Tables) -> dict[str, Any]:
    if isinstance(item, Constituent):
        return {"constituent": tables.number(item)}
    if isinstance(item, PropertyStore):
        return {
            "assignment": tables.numbers(item.assignment),
            "properties": [tables.property(prop) for prop in item.properties],
            "outside": [tables.property(prop) for prop in phase.outside.get(id(item), ())],
        }
    if isinstance(item, EvaluatedAssignment):
        daughters = tables.numbers(item.assignment)
        judged = [{"construction": name, **tables.judged(both, daughters)} for name, both in item.characterizations]
        return {"assignment": daughters, "judged": judged}
    assignment: Assignment = item  # type: ignore[assignment]  # nothing else passes
    return {"assignment": tables.numbers(assignment)}


def _dropped_json(dropped: Dropped, tables: _Tables) -> dict[str, Any]:
    daughters = tables.numbers(dropped.assignment)
    return {
        "heuristic": dropped.heuristic,
        "assignment": daughters,
        "construction": dropped.construction,
        "reason": dropped.reason.text,
        "uncovered": [
            {"construction": name, "elements": [daughters[i] for i in at]} for name, at in dropped.reason.uncovered
        ],
    }


def _elected_json(elected: Elected, tables: _Tables) -> dict[str, Any]:
    return {
        "constituent": tables.number(elected.constituent),
        "built_in": elected.built_in,
        "beaten": tables.numbers(elected.beaten),
    }


def _choice(choice: Choice, tables: _Tables) -> dict[str, Any]:
    return {
        "spans": choice.spans,
        "count": str(choice.count),
        "best": [_solution_json(solution, tables) for solution in choice.solutions],
        "ended_by": choice.ended_by,
    }


def _solution_json(solution: Solution, tables: _Tables) -> dict[str, Any]:
    return {
        "constituents": tables.numbers(solution.constituents),
        "cost": solution.cost / UNIT,
        "fragments": solution.fragment_cost / UNIT,
        "gain": solution.gain / UNIT,
    }
