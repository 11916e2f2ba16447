"""What happened in each round and phase, for `--trace`: counts, what each heuristic dropped, and who was elected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from numbat.evaluation.constituents import Assignment, Characterization, Constituent
from numbat.grammar.features import format_bundle
from numbat.grammar.properties import Property, format_named, format_number, format_property
from numbat.parsing.phases.phases import EvaluatedAssignment, PropertyStore, Site

T = TypeVar("T")


class Observer:
    """Sees what passes from phase to phase; this one does not look."""

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

    def elected(self, constituents: Iterable[Constituent]) -> None:
        """A round ends with these elected."""


@dataclass
class Narrator(Observer):
    """Tells a run in lines of text, each property with its line in the grammar; `most` lines of detail a phase.

    `tell` gets each line when it is known, for with a large grammar rounds may take minutes.
    In rounds with up to `literal` constituents Assignation makes literally all combinations, so that one sees what each
    heuristic drops; in larger ones it makes only those that H1, H2 and H3 let grow.
    """

    tell: Callable[[str], object]
    most: int = 20
    literal: int = 10
    _made: str = ""
    _left: Counter[str] = field(default_factory=Counter)
    _drops: Counter[str] = field(default_factory=Counter)
    _details: dict[str, list[str]] = field(default_factory=dict)

    def wants_all(self, site: Site) -> bool:
        wanted = len(site.new) + len(site.old) <= self.literal
        self._made = "all combinations" if wanted else "the combinations that H1, H2 and H3 let grow"
        return wanted

    def round(self, number: int, site: Site) -> None:
        self.tell(f"round {number}")
        shown = ", ".join(map(named, site.new))
        self.tell(f"  1 Building Site: {len(site.new)} new ({shown}), {len(site.old)} from before")
        self._left.clear()
        self._drops.clear()
        self._details = {}

    def __call__(self, phase: str, passing: Iterable[T]) -> Iterator[T]:
        for each in passing:
            self._left[phase] += 1
            self._note(phase, each)
            yield each

    def dropped(self, heuristic: str, assignment: Assignment) -> None:
        self._drops[heuristic] += 1

    def _note(self, phase: str, passing: object) -> None:
        details = self._details.setdefault(phase, [])
        if len(details) > self.most:
            return
        if len(details) == self.most:
            details.append("...")
        elif isinstance(passing, PropertyStore) and phase == "Checkpoint Bravo":
            store = "; ".join(map(format_named, passing.properties))
            details.append(f"{listed(passing.assignment)} store: {store}")
        elif isinstance(passing, EvaluatedAssignment):
            details += [
                f"{listed(passing.assignment)} as {name}: {counts_of(both)}" for name, both in passing.characterizations
            ]
        elif isinstance(passing, Constituent):
            cost, gain = format_number(passing.cost), format_number(passing.gain)
            details.append(f"{named(passing)} over {listed(passing.daughters)}: cost {cost}, gain {gain}")

    def elected(self, constituents: Iterable[Constituent]) -> None:
        entered = None
        for number, (phase, heuristics) in enumerate(_PHASES.items(), start=2):
            left = self._left[phase]
            count = f"{left} ({self._made})" if entered is None else f"{entered} entered, {left} left"
            drops = [f"{heuristic} {self._drops[heuristic]}" for heuristic in heuristics if self._drops[heuristic]]
            dropped = f"; dropped: {', '.join(drops)}" if drops else ""
            self.tell(f"  {number} {phase}: {count}{dropped}")
            for detail in self._details.get(phase, ()):
                self.tell(f"      {detail}")
            entered = left
        self.tell(f"    elected: {', '.join(map(named, constituents)) or 'none'}")


_PHASES = {
    "Assignation": (),
    "Checkpoint Alpha": ("H1", "H2"),
    "Appropriation": (),
    "Checkpoint Bravo": ("H3", "no property"),
    "Satisfaction": (),
    "Formation": (),
    "Polling Booth": ("H4", "hard property"),
}


def named(constituent: Constituent) -> str:
    """A constituent in a line of the trace: `NP[number=sg] 0-2`, a word with its form."""
    form = f' "{constituent.form}"' if constituent.is_word else ""
    bundle = format_bundle(constituent.features)
    return f"{constituent.construction}{bundle}{form} {constituent.start}-{constituent.end}"


def listed(assignment: Assignment) -> str:
    """An assignment in a line of the trace: `[Det, N] 0-2`."""
    return "[" + ", ".join(constituent.construction for constituent in assignment) + f"] {_span(assignment)}"


def _span(assignment: Assignment) -> str:
    return f"{assignment[0].start}-{max(constituent.end for constituent in assignment)}"


def counts_of(both: Characterization) -> str:
    """Satisfied and violated instances with their lines in the grammar."""
    marks = [("✓", both.satisfied), ("✗", both.violated)]
    return "; ".join(
        f"{mark} {format_property(instance.property)}{_line(instance.property)}"
        for mark, instances in marks
        for instance in instances
    )


def _line(prop: Property) -> str:
    return f" ({prop.place})" if prop.place else ""
