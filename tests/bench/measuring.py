"""Measured medians, and their table at the end of the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Final

from numbat.evaluation.constituents import lexical_costs
from numbat.grammar.properties import UNIT
from numbat.parsing.exact.chart import Chart
from numbat.parsing.parser import Parser
from numbat.words.lattice import Lattice
from numbat.words.lexical_lookup import read_text
from tests.bench.peers.problem import Answer

MIN_NUMBER: Final = 5
MAX_NUMBER: Final = 2001
ENOUGH: Final = 0.2
"""Seconds after which a search is not repeated any more; a few runs of some 30 microseconds would say little."""


@dataclass(frozen=True, slots=True)
class Record:
    """A row of the table. `reference` is the time of Numbat's search for the same sentences, None for Numbat itself."""

    solver: str
    kind: str
    words: int
    milliseconds: float
    reference: float | None = None
    note: str = ""


RECORDS: list[Record] = []


def table() -> Iterator[str]:
    yield f"{'solver':<38}{'sentences':<14}{'words':>6}{'median ms':>12}{'Numbat ms':>12}{'ratio':>10}  note"
    for record in RECORDS:
        other = record.reference
        ratio = ("", "") if other is None else (f"{other:.3f}", f"{record.milliseconds / other:,.0f}")
        yield (
            f"{record.solver:<38}{record.kind:<14}{record.words:>6}{record.milliseconds:>12.3f}"
            f"{ratio[0]:>12}{ratio[1]:>10}  {record.note}"
        )


def whole_call(parser: Parser, sentence: str) -> int:
    """Parse a text and evaluate both property sets."""
    parse = parser.parse(sentence)
    return len(parse.satisfied) + len(parse.violated)


def search_alone(parser: Parser, lattice: Lattice) -> Chart:
    """The items of the search, without a tree."""
    return Chart(lexical_costs(lattice), len(lattice.tokens), parser.weighted, parser.limits)


def numbat_search(parser: Parser, sentences: Sequence[str]) -> list[Answer]:
    """Return the median time of Numbat's search of each sentence, with warm automata, and the cost of the optimum."""
    answers = []
    for sentence in sentences:
        lattice = read_text(sentence, parser.words)
        cost = parser.parse(sentence).cost_units
        seconds: list[float] = []
        while len(seconds) < MIN_NUMBER or (len(seconds) < MAX_NUMBER and sum(seconds) < ENOUGH):
            seconds.append(_seconds(parser, lattice))
        answers.append(Answer(median(seconds) * 1000, cost // UNIT))
    return answers


def _seconds(parser: Parser, lattice: Lattice) -> float:
    began = perf_counter()
    search_alone(parser, lattice)
    return perf_counter() - began
