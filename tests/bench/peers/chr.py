"""SWI-Prolog CHR as in the 2006 paper: generate and test. The time is the CPU time of the program."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from tempfile import NamedTemporaryFile

from tests.bench.peers.facts import facts
from tests.bench.peers.problem import Answer, Problem

PROGRAM = Path(__file__).with_name("chr.pl")


def is_here() -> bool:
    return shutil.which("swipl") is not None


def solve(given: Problem, seconds: float, way: str = "exact") -> Answer:
    """`way` is `exact`, `pruned` (exact too) or `greedy`.

    Starting Prolog, compiling the program and reading the facts are not timed.
    """
    with NamedTemporaryFile("w", suffix=".pl") as file:
        file.write("\n".join(facts(given)))
        file.flush()
        goal = f"run('{file.name}', {way}, {seconds})"
        done = subprocess.run(
            ["swipl", "--stack-limit=2g", "-q", "-g", goal, "-t", "halt", str(PROGRAM)],
            capture_output=True, text=True, timeout=seconds + 60, check=True,
        )  # fmt: skip
    cost, milliseconds = done.stdout.split()
    return Answer(float(milliseconds), None if cost == "none" else int(cost))
