"""Latencies of the language server on english.pg: `pytest -n0 -s tests/bench/test_editor_bench.py` prints medians.

A session of edits by a real client: of each the time until the mistakes of the notation are there (the first wave) and
until all of `check` is (the second), and of a completion right behind the keystroke.
"""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from statistics import median, quantiles
from time import monotonic
from typing import Final

import pytest
from lsprotocol import types as lsp

from tests.editing import Editor, place

EDITS: Final = 60
ENGLISH: Final = Path(__file__).parents[2] / "grammars"


def edit(text: str, kind: str, made: random.Random) -> str:
    """A grammar with a property changed in one way."""
    lines = text.split("\n")
    number = made.choice(
        [i for i, line in enumerate(lines) if line.startswith("    ") and " < " in line and "#" not in line]
    )
    changed = {
        "syntax": [lines[number] + " <"],
        "cost": [lines[number].split(" cost ")[0] + f" cost {made.randrange(1, 9)}"],
        "name": [lines[number] + "xyz"],
        "deleted": [],
        "added": [lines[number], "    # a line"],
    }[kind]
    return "\n".join(lines[:number] + changed + lines[number + 1 :])


@pytest.mark.parametrize("kind", ["syntax", "name", "cost", "deleted", "added"])
def test_latencies_of_edits(kind: str, tmp_path: Path) -> None:
    path, made = tmp_path / "english.pg", random.Random(1)
    (tmp_path / "english.tsv").write_bytes((ENGLISH / "english.tsv").read_bytes())
    path.write_bytes((ENGLISH / "english.pg").read_bytes())
    text, editor = path.read_text(encoding="utf-8"), Editor(tmp_path)
    editor.open(path)
    editor.change(path, text + "\n")
    waves: list[tuple[float, float]] = []
    for _ in range(EDITS // 5):
        begun, times = monotonic(), []
        editor.on_sent = lambda: times.append(monotonic() - begun)  # noqa: B023
        editor.change(path, edit(text, kind, made))
        waves.append((times[0], times[-1]))
        editor.on_sent = lambda: None
        editor.change(path, text)
    params = lsp.CompletionParams(editor.at(path), place(text, "oblig"))
    begun = monotonic()
    editor.wait(asyncio.wait_for(editor.client.text_document_completion_async(params), 10))
    completion = monotonic() - begun
    editor.end()
    told = [f"{1000 * median(each):.0f} ({1000 * quantiles(each, n=20)[-1]:.0f})" for each in zip(*waves, strict=True)]
    print(f"\n{kind}: first wave {told[0]} ms, all {told[1]} ms, completion {1000 * completion:.0f} ms")
    assert len(waves) == EDITS // 5
