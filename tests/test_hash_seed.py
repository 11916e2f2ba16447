"""The same bytes under any hash seed: JSON, n-best and trace (golden cases have another test)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SENTENCES = (
    "The cat sleeps.",
    "cats the sleeps on mat",
    "the old man's cat saw her with the fish",
    "flurble the zorks in",
    "",
)


def output(seed: str, *options: str, sentences: tuple[str, ...] = SENTENCES) -> str:
    environment = os.environ | {"PYTHONHASHSEED": seed, "NUMBAT_CACHE": "off"}
    command = [sys.executable, "-m", "numbat", "parse", *options, *sentences]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout  # standard error may tell the speed of the run


def test_json_of_the_three_best() -> None:
    first, second = (output(seed, "-f", "jsonl", "-n", "3") for seed in ("1", "4242"))
    assert first == second
    assert first.count('"schema": "numbat.parse/2"') == 12  # the empty one is skipped


def test_trace_of_the_phases_engine() -> None:
    first, second = (
        output(seed, "-f", "json", "--trace", "--election", "beam", sentences=SENTENCES[:2]) for seed in ("2", "98765")
    )
    assert first == second
    assert first.count('"schema": "numbat.trace/1"') == 2
