"""One pass of a new process over sentences, with the time and the result of each.

As a program it reads sentences from standard input, one per line, and writes a JSON array for each sentence.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import process_time
from typing import Final, NamedTuple

from numbat.grammar.loading import load_grammar
from numbat.parsing.parser import Parser

MEBIBYTE: Final = 2**20
PAGE: Final = os.sysconf("SC_PAGE_SIZE")


class Taken(NamedTuple):
    """CPU seconds from the text to the parse with both property sets, and the memory of the process after it."""

    seconds: float
    cost: int
    is_full: bool
    stopped_by: str | None
    mebibytes: float
    peak: float


def first_pass(
    sentences: Sequence[str], grammar: str, valuation: str, environment: Mapping[str, str]
) -> Iterator[Taken]:
    """One new process parses all sentences in order."""
    command = [sys.executable, "-m", __spec__.name if __spec__ else __name__, grammar, valuation]
    given = "".join(f"{' '.join(each.split())}\n" for each in sentences)
    done = subprocess.run(
        command, input=given, stdout=subprocess.PIPE, env={**os.environ, **environment}, check=True, encoding="utf-8"
    )
    for line in done.stdout.splitlines():
        yield Taken(*json.loads(line))


def main(grammar: str, valuation: str) -> None:
    parser = Parser(load_grammar(grammar), valuation=valuation)
    for line in sys.stdin:
        before = process_time()
        parse = parser.parse(line.rstrip("\n"))
        _ = parse.satisfied, parse.violated
        taken = process_time() - before
        print(json.dumps([taken, parse.cost_units, parse.is_full, parse.stopped_by, resident(), peak()]))


def resident() -> float:
    """Return the resident memory of this process in MiB; the peak if the system does not report the current one."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE / MEBIBYTE
    except OSError:
        return peak()


def peak() -> float:
    """The most MiB that this process had in memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (MEBIBYTE if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    main(*sys.argv[1:])
