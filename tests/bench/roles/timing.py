"""Times side by side in one process: relaxation compiled and in Python, all constraints intersected, HiGHS."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter
from typing import Final

import pytest

from numbat.labels import relaxation
from numbat.labels.constraints import DecodingProblem, Found
from numbat.labels.relaxation import BestLabels
from tests.bench.peers import integer_program
from tests.bench.roles.decoding import RoleDecoder
from tests.bench.roles.problems import Record, program

SOLVERS: Final = ("compiled", "python", "all compiled", "all python", "HiGHS")
"""`all`: every constraint is intersected before the search."""
FASTEST: Final = "compiled"
BLOCK: Final = 50
"""Number of propositions after which solvers take turns, so that other load affects all and each runs warm."""
NEAR: Final = 1e-4
"""Tolerance for the scores of two optima; HiGHS accepts integers within 1e-6."""


@dataclass(slots=True)
class Times:
    """Milliseconds of each proposition: in total, and of the call of the solver."""

    whole: list[float] = field(default_factory=list)
    alone: list[float] = field(default_factory=list)


def compared(form: str, records: Sequence[Record], costs: Mapping[str, float]) -> Iterator[str]:
    """Return the table of the times of all solvers. Raises AssertionError if they find different optima."""
    decoder = RoleDecoder(costs)
    found = {(way, solver): Times() for way in ("hard", "soft") for solver in SOLVERS}
    differing = 0
    for begin in range(0, len(records), BLOCK):
        block = records[begin : begin + BLOCK]
        for way in ("hard", "soft"):
            scores: dict[str, list[float | None]] = {}
            for solver in SOLVERS if begin // BLOCK % 2 else SOLVERS[::-1]:
                times = found[way, solver]
                scores[solver] = [_run(times, solver, decoder, record, way == "soft") for record in block]
            differing += sum(not _all_near(each) for each in zip(*scores.values(), strict=True))
    assert not differing, f"{differing} of {2 * len(records)} optima differ"
    yield (
        f"{f'{form}, {len(records)} propositions':<34}{'total s':>9}{'median ms':>11}{'ratio':>8}{'of medians':>12}"
        f"{'of totals':>11}{'solver s':>10}{'median ms':>11}{'ratio':>8}{'of totals':>11}"
    )
    for (way, solver), times in found.items():
        first = found[way, FASTEST]
        yield f"{f'{way}, {solver}':<34}{_columns(times.whole, first.whole)}{_columns(times.alone, first.alone, False)}"
    for solver in ("compiled", "python"):
        soft, hard = found["soft", solver], found["hard", solver]
        yield f"soft to hard, {solver}: {sum(soft.whole) / sum(hard.whole):.2f} in all, {_ratio(soft, hard):.2f} alone"


def _columns(times: Sequence[float], first: Sequence[float], with_medians: bool = True) -> str:
    ratios = median(one / other for one, other in zip(times, first, strict=True))
    medians = f"{median(times) / median(first):>12.1f}" if with_medians else ""
    whole = f"{sum(times) / sum(first):>11.1f}"
    return f"{sum(times) / 1000:>9.2f}{median(times):>11.3f}{ratios:>8.1f}{medians}{whole}"


def _ratio(one: Times, other: Times) -> float:
    return sum(one.alone) / sum(other.alone)


def _all_near(scores: Sequence[float | None]) -> bool:
    numbers = [score for score in scores if score is not None]
    return len(numbers) in (0, len(scores)) and (not numbers or max(numbers) - min(numbers) < NEAR)


def _run(times: Times, solver: str, decoder: RoleDecoder, record: Record, soft: bool) -> float | None:
    """Return the score that a solver finds; None if hard constraints leave no path."""
    if solver == "HiGHS":
        began = perf_counter()
        optimum = integer_program.solve(program(record, decoder.costs if soft else {}))
        times.whole.append(1000 * (perf_counter() - began))
        times.alone.append(1000 * optimum.solving)
        return optimum.score
    with running("python" if "python" in solver else "compiled") as alone:
        began = perf_counter()
        solution: BestLabels | None = decoder.decode(record, soft, relaxed="all" not in solver)
        times.whole.append(1000 * (perf_counter() - began))
    times.alone.append(1000 * sum(alone))
    return None if solution is None else solution.score


@contextmanager
def running(kernel: str) -> Iterator[list[float]]:
    """Switches compiled modules on or off; the seconds that searches take meanwhile."""
    search = relaxation.relax
    seconds: list[float] = []

    def clocked(problem: DecodingProblem) -> Found:
        began = perf_counter()
        found = search(problem)
        seconds.append(perf_counter() - began)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBAT_KERNEL", kernel)
        patch.setattr(relaxation, "relax", clocked)
        yield seconds
