"""The job that parses one sentence, and totals over many sentences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from numbat.errors import UsageError, counted
from numbat.parsing.parser import Parser
from numbat.parsing.policies import Overdue
from numbat.parsing.result import Parse
from numbat.parsing.sentence_parser import SentenceParser
from numbat.records import frozen
from numbat.runs.sentences import InputSentence
from numbat.words.lattice import Lattice

if TYPE_CHECKING:
    from numbat.acceptability.repair import Repair
    from numbat.parsing.phases.trace import Recorder

NO_TRACE: Final = (
    "a trace shows the eight phases, but expansions find the likeliest tree without them\n"
    "  leave the trace or the expansions out"
)


@frozen
class ParsedSentence:
    """The parses of one sentence, best first, the seconds that they took, and the trace of the phases if requested.

    `suggested` has the best repair of the first parse, if there is one; None if no repair was sought.
    """

    sentence: InputSentence
    parses: tuple[Parse, ...]
    seconds: float
    trace: dict[str, Any] | None = None
    suggested: tuple[Repair, ...] | None = None

    def name_of(self, parse: Parse) -> str:
        """Return the identifier of the sentence, with the rank of the parse if there are several."""
        return self.sentence.id if len(self.parses) == 1 else f"{self.sentence.id}#{parse.rank}"


@frozen
class Tracing:
    """Use of a trace: `tell` receives the trace as text, round by round; without `tell`, it is collected for JSON.

    `everything` adds all details. While a trace is collected, `advance` is called many times a second; an error that it
    raises ends the parse.
    """

    tell: Callable[[str], object] | None = None
    everything: bool = False
    advance: Callable[[], object] = tuple

    def recorder(self) -> Recorder:
        """Return a recorder for the parse of one sentence."""
        from numbat.parsing.phases.trace import narrator, silent_recorder

        if self.tell is None:
            return silent_recorder(self.everything, self.advance)
        return narrator(self.tell, self.everything)


@frozen
class ParseJob:
    """Finds up to `n` parses of a sentence; with `tracing` it traces the eight phases, with `suggesting` it repairs.

    With `within`, the first parse tells other diagnoses within this margin of the least cost.
    """

    parser: SentenceParser
    n: int = 1
    tracing: Tracing | None = None
    within: float | None = None
    suggesting: bool = False

    def __call__(self, sentence: InputSentence, overdue: Overdue | None = None) -> ParsedSentence:
        """Return the parses; `overdue` is a clock for the time limit that was started before, as for reading."""
        began = perf_counter()
        if self.tracing is not None:
            return self._traced(sentence, self.tracing, overdue, began)
        parses = self._parses(sentence.lattice, overdue)
        parsed = ParsedSentence(sentence, tuple(parses), perf_counter() - began)
        return replace(parsed, suggested=self._suggested(parses[0], overdue)) if self.suggesting else parsed

    def _parses(self, lattice: Lattice, overdue: Overdue | None) -> list[Parse]:
        """Return the parses, the first one with its other diagnoses, if these are wanted."""
        if self.within is None or not isinstance(self.parser, Parser):
            return list(self.parser.n_best(lattice, self.n, overdue=overdue))
        overdue = overdue or self.parser.limits.clock()
        parses, nearby = self.parser.n_best_nearby(lattice, self.n, self.within, overdue)
        if nearby is not None:
            # Imported on use, as many runs do not want them.
            from numbat.parsing.diagnoses import diagnosed

            parses[0] = diagnosed(self.parser, parses[0], self.within, overdue, nearby)
        return list(parses)

    def _suggested(self, parse: Parse, overdue: Overdue | None) -> tuple[Repair, ...]:
        from numbat.acceptability.repair import first_repair

        repaired = first_repair(parse, self.parser, overdue) if isinstance(self.parser, Parser) else None
        return (repaired,) if repaired else ()

    def _traced(
        self, sentence: InputSentence, tracing: Tracing, overdue: Overdue | None, began: float
    ) -> ParsedSentence:
        from numbat.parsing.phases.trace import trace_to_json

        if not isinstance(self.parser, Parser):
            raise UsageError(NO_TRACE)
        recorder = tracing.recorder()
        parses = self.parser.n_best(sentence.lattice, self.n, recorder, overdue)
        trace = trace_to_json(recorder) if tracing.tell is None and recorder.choice is not None else None
        return ParsedSentence(sentence, tuple(parses), perf_counter() - began, trace)


class ParseFacts(NamedTuple):
    """Facts about one parsed sentence for a tally; `cost` is that of violations and fragments, in millionths.

    `states` is the number of states that the automata of the parser have so far.
    """

    is_full: bool
    is_well_formed: bool
    is_limited: bool
    seconds: float
    states: int
    cost: int = 0

    @classmethod
    def from_parsed(cls, parsed: ParsedSentence, states: int) -> ParseFacts:
        """Return the facts about the best parse."""
        best = parsed.parses[0]
        cost, is_limited = best.violation_cost_units + best.fragment_cost_units, best.stopped_by is not None
        seconds = round(parsed.seconds, 6)
        return cls(best.is_full, best.is_full and best.is_well_formed, is_limited, seconds, states, cost)


@dataclass
class ParseTally:
    """Counts of sentences by the result of parsing, with the seconds that each took.

    `dearest` is the highest cost of a sentence, in millionths; `states` the largest number of automaton states.
    """

    full: int = 0
    well_formed: int = 0
    limited: int = 0
    failed: int = 0
    states: int = 0
    dearest: int = 0
    lost: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def add(self, facts: ParseFacts) -> None:
        self.full += facts.is_full
        self.well_formed += facts.is_well_formed
        self.limited += facts.is_limited
        self.states = max(self.states, facts.states)
        self.dearest = max(self.dearest, facts.cost)
        self.seconds.append(facts.seconds)

    def __str__(self) -> str:
        from statistics import median, quantiles

        number = len(self.seconds)
        lost = f", {len(self.lost)} lost" if self.lost else ""
        if not number:
            return f"0 sentences, {self.failed} could not be read{lost}"
        slowest = quantiles(self.seconds, n=20, method="inclusive")[-1] if number > 1 else self.seconds[0]
        return (
            f"{counted(number, 'sentence')}: {counted(self.full, 'full tree')} ({self.well_formed} well-formed), "
            f"{counted(number - self.full, 'partial cover')}, {self.limited} met a limit, {self.failed} could not be "
            f"read{lost}; median {median(self.seconds) * 1000:.1f} ms, 95th percentile {slowest * 1000:.1f} ms; "
            f"{counted(self.states, 'automaton state')}"
        )
