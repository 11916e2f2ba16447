"""The link grammar parser for comparison, a C program with its own English grammar (Debian: `link-grammar`)."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from typing import Final, NamedTuple

PROGRAM: Final = "link-parser"
SETTINGS: Final = ("-null=1", "-graphics=0", "-verbosity=1")
"""Words may stay without a link, as in a partial parse; no drawings, because output is not measured."""
COMMANDS: Final = "!*%"
"""A line that begins so is a command or a comment to the program."""


class Linked(NamedTuple):
    """CPU seconds of a sentence on average, and the number of sentences with a linkage of all words."""

    seconds: float
    whole: int


def is_here() -> bool:
    return shutil.which(PROGRAM) is not None


def link(sentences: Sequence[str], dictionary: str) -> Linked:
    """Run one process over all sentences; its start-up time is not counted."""
    start, _ = _run("", dictionary)
    lines = "".join(f"{' '.join(each.split()).lstrip(COMMANDS)}\n" for each in sentences)
    seconds, output = _run(lines, dictionary)
    partial = sum(line.startswith("No complete linkages found") for line in output.splitlines())
    return Linked((seconds - start) / len(sentences), len(sentences) - partial)


def _run(lines: str, dictionary: str) -> tuple[float, str]:
    before = os.times()
    command = (PROGRAM, dictionary, *SETTINGS)
    done = subprocess.run(
        command, input=lines, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, encoding="utf-8"
    )
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return used, done.stdout
