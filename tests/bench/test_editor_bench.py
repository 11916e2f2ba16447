"""Latencies of the language server on `english`: `pytest -n0 -s tests/bench/test_editor_bench.py` prints them.

The session is always the same: 200 keystrokes by a real client in three chapters of the grammar. Properties are typed
character by character, a cost is changed, a line is deleted, a comment is added, names are misspelt and corrected. For
each keystroke the table has the time until the syntax errors arrive (the first wave), until all problems of `check`
arrive (the second), and the time of a completion requested right after it; also the CPU time of the server, which does
not depend on other load.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from shutil import copy, copytree
from statistics import median, quantiles
from time import monotonic
from typing import Final

import pytest
from lsprotocol import types as lsp

from tests.editing import Editor

ENGLISH: Final = Path(__file__).parents[2] / "grammars"
CHAPTERS: Final = ("noun_phrases.pg", "verb_phrases.pg", "sentences.pg")
EDITS: Final = 200
OF_CHAPTER: Final = 67
TYPED: Final = ("    Adj < Noun cost 2", "    N ~> V [number]", "    uniq Adv", "    Det + N")


def session(text: str) -> Iterator[tuple[str, str, int, int]]:
    """Yield for each keystroke its kind, the text after it, and the line and character of the cursor, from 0."""
    for made in range(4):
        lines = text.split("\n")
        opened = [
            i
            for i, line in enumerate(lines)
            if line[:1].isalpha() and re.match(r"\w+.*:( +#.*)?$", line) and not line.startswith("include")
        ]
        head = opened[(7 * made) % len(opened)]
        stated = [i for i, line in enumerate(lines) if line.startswith("    ") and " < " in line and "#" not in line]
        number = stated[(31 * made) % len(stated)]
        typed = TYPED[made % len(TYPED)]
        for end in range(5, len(typed) + 1):
            yield "typed", "\n".join([*lines[: head + 1], typed[:end], *lines[head + 1 :]]), head + 1, end
        yield "line deleted", text, head, 0
        first = lines[number].split(" cost ")[0]
        for cost in (2, 3):
            changed = f"{first} cost {cost}"
            yield "cost", "\n".join([*lines[:number], changed, *lines[number + 1 :]]), number, len(changed)
        for tail in ("xyz", ""):
            kind = "name" if tail else "mended"
            changed = lines[number] + tail
            yield kind, "\n".join([*lines[:number], changed, *lines[number + 1 :]]), number, len(changed)
        yield "line added", "\n".join([*lines[:number], "    # a line", *lines[number:]]), number, 12
        yield "line deleted", "\n".join(lines[:number] + lines[number + 1 :]), number, 0
        yield "line added", text, number, 0


@pytest.mark.slow
def test_latencies_of_a_session(tmp_path: Path) -> None:
    copytree(ENGLISH / "english", tmp_path / "english")
    for name in ("english.pg", "english.tsv"):
        copy(ENGLISH / name, tmp_path)
    editor = Editor(tmp_path)
    editor.open(tmp_path / "english.pg")
    paths = [tmp_path / "english" / name for name in CHAPTERS]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    for path, text in zip(paths, texts, strict=True):
        editor.open(path)
        editor.change(path, text + "\n")
    keystrokes = (
        (path, *each) for path, text in zip(paths, texts, strict=True) for each in islice(session(text), OF_CHAPTER)
    )
    taken: dict[tuple[str, str], list[float]] = defaultdict(list)
    times: list[float] = []
    editor.on_sent = lambda: times.append(monotonic())
    for path, kind, changed, line, character in islice(keystrokes, EDITS):
        times.clear()
        begun, used = monotonic(), editor.seconds_used()
        params = lsp.CompletionParams(editor.at(path), lsp.Position(line, character))
        waves = editor.change(path, changed, lambda: editor.client.text_document_completion_async(params))  # noqa: B023
        kind = "names" if any(each.severity == lsp.DiagnosticSeverity.Error for each in waves[-1]) else kind
        taken[kind, "first wave"].append(times[0] - begun)
        taken[kind, "all"].append(times[-1] - begun)
        taken[kind, "completion"].append(editor.answered - begun)
        taken[kind, "processor"].append(editor.seconds_used() - used)
    editor.end()
    print(f"\n{EDITS} keystrokes in english, ms: median (95th percentile); load {os.getloadavg()[0]:.1f}")
    for what in ("first wave", "all", "completion", "processor"):
        every = {kind: each for (kind, of), each in taken.items() if of == what}
        every["every"] = [seconds for each in every.values() for seconds in each]
        told = [f"{kind} {1000 * median(e):.0f} ({1000 * quantiles(e, n=20)[-1]:.0f})" for kind, e in every.items()]
        print(f"{what}: {', '.join(told)}")
    assert sum(len(each) for (_, of), each in taken.items() if of == "all") == EDITS
