"""Noun phrases under up to ninety properties, beside HiGHS: `python -m pytest tests/bench/test_phrase_bench.py -n0 -s`.

Skipped without scipy or the chunks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final

import pytest

pytest.importorskip("scipy")

from numbat.labels.constraints import Constraints
from numbat.labels.label_lattice import LabelLattice
from numbat.labels.relaxation import InfeasibleError, decode
from tests.bench.noun_phrases import Rows, Task, task
from tests.bench.peers.integer_program import solve
from tests.bench.roles.timing import NEAR, running

NUMBERS: Final = (5, 10, 20, 40, 60, 90)
"""Of properties."""
BLOCK: Final = 50
"""Phrases after which solvers take turns, so that each runs warm."""
BESIDE_HIGHS: Final = 300
"""HiGHS solves only one of this number of phrases."""


def test_noun_phrases(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for all_tags in (False, True):
        with capsys.disabled():
            for line in table(task(data, all_tags)):
                print(line)


def table(given: Task) -> Iterator[str]:
    """Return times of a phrase in microseconds: relaxation, compiled and in Python, full intersection, and HiGHS."""
    several = [rows for rows in given.phrases if len(rows) > 1]
    words = sum(map(len, several))
    tags = sum(len(row) for rows in several for row in rows) / words
    yield f"{len(several)} phrases of two words and more: {words / len(several):.1f} words, {tags:.1f} tags a word"
    yield "properties  way   compiled    all   Python    all | HiGHS beside compiled: median of ratios, totals"
    beside = BESIDE_HIGHS if tags < 9 else BESIDE_HIGHS // 10
    chosen = several[:: len(several) // beside]
    for number in NUMBERS:
        constraints = given.constraints(number)
        for soft in (False, True):
            times = [_times(several[:1_000], constraints, soft, *how) for how in HOW]
            yield (
                f"{number:>10}  {'soft' if soft else 'hard'}  "
                + "  ".join(f"{1e6 * each:7.0f}" for each in times)
                + (" | " + _beside(given, constraints, chosen, number, soft))
            )


HOW: Final = (("compiled", True), ("compiled", False), ("python", True), ("python", False))


def _times(phrases: Sequence[Rows], constraints: Constraints, soft: bool, kernel: str, relaxed: bool) -> float:
    """Return the mean seconds of a phrase, including the lattice."""
    phrases = phrases if kernel == "compiled" else phrases[:200]
    with running(kernel):
        for rows in phrases:  # with the labels that they have the tables are made
            _score(rows, constraints, soft, relaxed)
        began = perf_counter()
        for rows in phrases:
            _score(rows, constraints, soft, relaxed)
        return (perf_counter() - began) / len(phrases)


def _score(rows: Rows, constraints: Constraints, soft: bool, relaxed: bool = True) -> float | None:
    try:
        return decode(LabelLattice.from_labels(rows), constraints, soft=soft, relaxed=relaxed).score
    except InfeasibleError:
        return None


def _beside(given: Task, constraints: Constraints, phrases: Sequence[Rows], number: int, soft: bool) -> str:
    """Both solve the phrases, taking turns after each block; their optima are equal."""
    own: list[float] = []
    other: list[float] = []
    alone: list[float] = []
    solving: list[float] = []
    for at in range(0, len(phrases), BLOCK):
        block = phrases[at : at + BLOCK]
        scores, optima = [], []
        with running("compiled") as seconds:
            for rows in block:
                began = perf_counter()
                scores.append(_score(rows, constraints, soft))
                own.append(perf_counter() - began)
                alone.append(seconds[0])
                seconds.clear()
        for rows in block:
            began = perf_counter()
            optimum = solve(given.program(rows, number, soft))
            other.append(perf_counter() - began)
            solving.append(optimum.solving)
            optima.append(optimum.score)
        for score, best in zip(scores, optima, strict=True):
            assert (score is None) == (best is None)
            assert score is None or best is None or abs(score - best) < NEAR
    return f"{_ratios(other, own)}  ({1000 * median(other):.2f} ms)  alone {_ratios(solving, alone)}"


def _ratios(other: Sequence[float], own: Sequence[float]) -> str:
    ratios = median(one / two for one, two in zip(other, own, strict=True))
    return f"{ratios:6.0f} {sum(other) / sum(own):6.0f}"
