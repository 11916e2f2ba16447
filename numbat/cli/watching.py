"""`numbat parse --watch`: repeat the parse whenever a file of the grammar changes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from stat import S_ISREG
from time import sleep
from typing import Final

from numbat.errors import UsageError
from numbat.grammar.loading import find, read_grammar

SECONDS: Final = 0.3
"""Seconds between checks of the files."""

ENTRY: Final = str(Path(__file__).parents[1] / "__main__.py")
"""Path of the program. It is run with `-P`, not with `-m`, so that no module of the current folder is imported."""

Stamp = tuple[tuple[Path, float | None], ...]


def watch(name: str, arguments: Sequence[str], report: Callable[[str], None], rounds: int | None = None) -> None:
    """Run `numbat` with the arguments, and again after each change, until interrupted or for a number of rounds.

    Each run is a process, so that a grammar with mistakes does not end the watch. A file that standard output goes to
    holds only the output of the last run. Raises MissingFileError if there is no such grammar, and UsageError for
    standard input.
    """
    if name == "-":
        raise UsageError("--watch cannot watch standard input\n  give the grammar as a file")
    command = [sys.executable, "-P", ENTRY, *(argument for argument in arguments if argument != "--watch")]
    done, begin = 0, _size_of_output()
    while True:
        loaded = read_grammar(find(name))
        files = (*loaded.files, *loaded.unread)
        before = stamp(files)
        if done and begin is not None:
            os.truncate(sys.stdout.fileno(), begin)
            os.lseek(sys.stdout.fileno(), begin, os.SEEK_SET)
        subprocess.run(command, check=False)
        done += 1
        if done == rounds:
            return
        report(f"numbat: watching {', '.join(file.name for file in files)}; Ctrl-C ends")
        while stamp(files) == before:
            sleep(SECONDS)


def _size_of_output() -> int | None:
    """Return the size in bytes of the file that standard output goes to; None if it goes elsewhere."""
    sys.stdout.flush()
    try:
        status = os.fstat(sys.stdout.fileno())
    except (OSError, ValueError):
        return None
    return status.st_size if S_ISREG(status.st_mode) else None


def stamp(files: Sequence[Path]) -> Stamp:
    """Return the time of the last change of each file, None for a missing one."""
    return tuple((file, _changed(file)) for file in files)


def _changed(file: Path) -> float | None:
    try:
        return file.stat().st_mtime
    except OSError:  # an editor may be replacing it
        return None
