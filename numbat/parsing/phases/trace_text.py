"""The records of a run as lines of text, each property with its line in the grammar."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Final

from numbat.errors import counted
from numbat.evaluation.constituents import Characterization, Constituent
from numbat.grammar.properties import format_named, format_number
from numbat.parsing.phases.drop_reasons import counts_of, listed, named
from numbat.parsing.phases.neighbourhoods import Combinations
from numbat.parsing.phases.phases import EvaluatedAssignment, PropertyStore
from numbat.parsing.phases.trace import Choice, Dropped, Elected, PhaseRecord, Recorder, Round
from numbat.parsing.policies import HEURISTICS
from numbat.parsing.records import Solution
from numbat.records import frozen

MOST_PASSED: Final = 20
MOST_DROPPED: Final = 4
"""So many are shown of what leaves a phase, and of what each heuristic drops there."""


@frozen
class _Lines:
    """Gives the lines of each record to `tell`; `shown` says whether there is no limit of details."""

    tell: Callable[[str], object]
    everything: bool

    def __call__(self, record: Round | Choice) -> None:
        for line in choice_lines(record) if isinstance(record, Choice) else round_lines(record, self.everything):
            self.tell(line)


def narrator(tell: Callable[[str], object], everything: bool = False) -> Recorder:
    """An observer that tells a run in lines, each round when it ends.

    With `everything` no detail is left out, and Assignation makes all combinations in every round.
    """
    return Recorder(None if everything else MOST_PASSED, _Lines(tell, everything))


def silent_recorder(everything: bool = False, advance: Callable[[], object] = tuple) -> Recorder:
    """An observer that keeps as much as `narrator` tells, and tells nothing; `advance` is called on the way."""
    return Recorder(None if everything else MOST_PASSED, advance=advance)


def round_lines(told: Round, everything: bool = False) -> Iterator[str]:
    """A round, phase by phase, and who was elected."""
    yield f"round {told.number}"
    new = ", ".join(map(named, told.site.new))
    yield f"  1 Building Site: {len(told.site.new)} new ({new}), {len(told.site.old)} from before"
    for number, phase in enumerate(told.phases, start=2):
        yield f"  {number} {phase.name}: {_counts(told, phase)}"
        yield from (f"      {line}" for line in _passed(phase, everything))
        yield from (f"      {line}" for line in _dropped(phase, everything))
    elected = ", ".join(_elected(each, told.number) for each in told.elected)
    yield f"    elected: {elected or 'none'}"
    if told.waiting:
        shown = told.waiting if everything else told.waiting[:MOST_PASSED]
        more = f", and {len(told.waiting) - len(shown)} more" if len(shown) < len(told.waiting) else ""
        waiting = ", ".join(_elected(each, told.number) for each in shown)
        yield f"    waiting until all smaller ones are elected: {waiting}{more}"


def _counts(told: Round, phase: PhaseRecord) -> str:
    if phase.entered is None:
        return _combinations(phase.left, told.possible) if told.possible is not None else _all_or_some(told, phase)
    drops = ", ".join(f"{heuristic} {number}" for heuristic, number in phase.drops.items())
    return f"{phase.entered} entered, {phase.left} left" + (f"; dropped: {drops}" if drops else "")


def _all_or_some(told: Round, phase: PhaseRecord) -> str:
    return f"{phase.left} ({'all combinations' if told.literal else 'those that H1, H2 and H3 let grow'})"


def _combinations(made: int, possible: Combinations) -> str:
    """How many were made of how many, and what would drop the others, which were not made."""
    dropped = possible.dropped(made)
    others = ", ".join(f"{heuristic} {_short(number)}" for heuristic, number in dropped.items() if number)
    not_made = f"; not made, for they would be dropped: {others}" if others else ""
    return f"{made} of {_short(possible.every)} combinations{not_made}"


def _short(number: int) -> str:
    return f"{number:,}" if number < 10**9 else f"{Decimal(number):.1e}"


def _passed(phase: PhaseRecord, everything: bool) -> Iterator[str]:
    lines: list[str] = []
    for each in phase.passed:
        if isinstance(each, PropertyStore) and phase.name == "Checkpoint Bravo":
            lines.append(f"{listed(each.assignment)} store: {'; '.join(map(format_named, each.properties))}")
            if outside := sorted({prop.construction for prop in phase.outside.get(id(each), ())}):
                lines[-1] += f"; H3 drops the properties of {', '.join(outside)}"
        elif isinstance(each, EvaluatedAssignment):
            lines += [
                f"{listed(each.assignment)} as {name}: {counts_of(both)}" for name, both in each.characterizations
            ]
        elif isinstance(each, Constituent):
            lines.append(_candidate(each) + (_absence(each) if phase.name == "Formation" else ""))
    yield from lines if everything else lines[:MOST_PASSED]
    hidden = phase.left - len(phase.passed) + (0 if everything else max(0, len(lines) - MOST_PASSED))
    if hidden and lines:
        yield f"... and {hidden} more"


def _candidate(constituent: Constituent) -> str:
    cost, gain = format_number(constituent.cost), format_number(constituent.gain)
    return f"{named(constituent)} over {listed(constituent.daughters)}: cost {cost}, gain {gain}"


def _absence(constituent: Constituent) -> str:
    """What the properties about absence say of a candidate: no daughter retrieves them, so they are asked here."""
    both = constituent.characterization
    satisfied, violated = (
        tuple(each for each in instances if not each.elements) for instances in (both.satisfied, both.violated)
    )
    judged = counts_of(Characterization(satisfied, violated))
    return f"; judged here: {judged}" if judged else ""


def _dropped(phase: PhaseRecord, everything: bool) -> Iterator[str]:
    for heuristic, number in phase.drops.items():
        told = [each for each in phase.dropped if each.heuristic == heuristic]
        shown = told if everything else told[:MOST_DROPPED]
        yield from map(_drop, shown)
        if number > len(shown):
            yield f"{_dropping(heuristic)} {number - len(shown)} more"


def _drop(dropped: Dropped) -> str:
    what = f"{dropped.construction} over " if dropped.construction else ""
    return f"{_dropping(dropped.heuristic)} {what}{listed(dropped.assignment)}: {dropped.reason.text}"


def _dropping(heuristic: str) -> str:
    """`H3 drops`; of what is no heuristic, `dropped (cost)`."""
    return f"{heuristic} drops" if heuristic in HEURISTICS else f"dropped ({heuristic})"


def _elected(elected: Elected, number: int) -> str:
    notes = [f"built in round {elected.built_in}"] if elected.built_in not in (0, number) else []
    if elected.beaten:
        notes.append(f"better than {counted(len(elected.beaten), 'candidate')} for the same")
    return named(elected.constituent) + (f" ({', '.join(notes)})" if notes else "")


def choice_lines(choice: Choice) -> Iterator[str]:
    """Which solutions there are among what was elected, best first, and by what rule."""
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
        yield f"  {rank}. {_solution(solution, choice.tokens)}"


def _solution(solution: Solution, tokens: int) -> str:
    tops = ", ".join(map(named, solution.constituents))
    cost = sum(top.cost for top in solution.constituents) + solution.fragment_cost
    gain = sum(top.gain for top in solution.constituents)
    fragments = f" (fragments {format_number(solution.fragment_cost)})" if solution.fragment_cost else ""
    covered = 0
    for top in solution.constituents:
        covered |= top.cover
    left = [str(i) for i in range(tokens) if not covered >> i & 1]
    out = f"; leaves out the words at {', '.join(left)}" if left else ""
    return f"{tops}: cost {format_number(cost)}{fragments}, gain {format_number(gain)}{out}"
