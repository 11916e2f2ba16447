"""Tries inputs in separate processes, with limits of time and memory, and reports failures.

An input passes if something is read, or if a NumbatError says where the problem is and what to do. The name of its kind
and a seed identify an input and reproduce it.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time
from types import FrameType
from typing import IO, Any, Final, Literal

from numbat.errors import DataError, NumbatError
from tests.fuzz.lines import LinesReached

MEGABYTE: Final = 1_000_000
MAX_MEMORY: Final = 500 * MEGABYTE
"""Maximal additional memory for an input in bytes."""
BATCH: Final = 1_000
"""Number of inputs after which a process is replaced."""
PATIENCE: Final = 600.0
"""Seconds without an answer after which a process is given up."""
Made = Literal["valid", "mutated"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of input. `make` writes one into a folder and returns how it was made; `read` reads it.

    `seconds` is the limit of CPU time. With `places`, messages must name the file. `prepare` loads once what all inputs
    need. `file` is the file that is read, if it is only one, `batch` the number of inputs per process.
    """

    name: str
    make: Callable[[Random, Path], Made]
    read: Callable[[Random, Path], object]
    seconds: float = 4.0
    places: bool = True
    prepare: Callable[[], object] = lambda: None
    file: str = ""
    batch: int = BATCH


@dataclass(frozen=True, slots=True)
class Failure:
    """An input that ended badly, and how."""

    kind: str
    seed: int
    why: str

    def __str__(self) -> str:
        return f"{self.kind} --seed {self.seed}: {self.why}"


@dataclass(slots=True)
class Tally:
    """Counts for the inputs of a kind: `read` and `refused`, by the way they were made."""

    kind: str
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    slowest: float = 0.0
    lines: set[tuple[str, int]] = field(default_factory=set)

    @property
    def inputs(self) -> int:
        return sum(self.counts.values())

    def share(self, *outcomes: str) -> float:
        """The share of the inputs that ended so."""
        return sum(self.counts[each] for each in outcomes) / max(1, self.inputs)


class TooLong(BaseException):
    """The CPU time of an input is used up; a BaseException, so that readers do not catch it."""


def outcome_of(kind: Kind, seed: int, folder: Path) -> tuple[str, str]:
    """Return the outcome of an input, such as `valid read` or `mutated refused`, and its failure, if any."""
    rng = Random(f"{kind.name} {seed}")
    made = kind.make(rng, folder)
    try:
        kind.read(rng, folder)
    except NumbatError as error:
        return f"{made} refused", message_fault(error, folder, kind.places)
    except TooLong:
        return f"{made} refused", f"more than {kind.seconds} s, at {innermost()}"
    except MemoryError:
        return f"{made} refused", f"more than {MAX_MEMORY // MEGABYTE} MB"
    except Exception as error:
        return f"{made} refused", f"{type(error).__name__}: {str(error)[:200]} at {innermost()}"
    return f"{made} read", ""


def innermost() -> str:
    """Where in Numbat the error that is being handled was raised."""
    lines = traceback.format_exc().splitlines()
    places = [line.strip() for line in lines if line.lstrip().startswith("File") and "/numbat/" in line]
    return places[-1] if places else "".join(lines[-3:])


def message_fault(error: NumbatError, folder: Path, places: bool = True) -> str:
    """Return what a message lacks: the file, or the remedy."""
    text = str(error)
    first, *rest = text.split("\n")
    if not first.strip():
        return f"an empty message of {type(error).__name__}"
    if places and isinstance(error, DataError) and str(folder) not in text:
        return f"a message without a file: {text[:300]!r}"
    if not any(line.startswith("  ") and line.strip() for line in rest):
        return f"a message that does not say what to do: {text[:300]!r}"
    return ""


def tried(
    kind: Kind,
    number: int,
    first: int = 0,
    traced: int = 0,
    told: Callable[[str], object] = print,
    memory: int | None = MAX_MEMORY,
) -> Tally:
    """Return the tally of some inputs; the coverage of the first `traced` is measured."""
    tally = Tally(kind.name)
    kind.prepare()
    at = first
    while at < first + number:
        size = min(kind.batch, first + number - at)
        if at < first + traced:
            size = min(size, first + traced - at)
        done = 0
        for answer in _answers(kind, at, size, at < first + traced, memory):
            if "lines" in answer:
                tally.lines |= {(file, line) for file, lines in answer["lines"].items() for line in lines}
                continue
            done += 1
            tally.counts[answer["outcome"]] += 1
            tally.slowest = max(tally.slowest, answer["seconds"])
            if answer["why"]:
                tally.failures.append(Failure(kind.name, answer["seed"], answer["why"]))
                told(str(tally.failures[-1]))
        at += done
    return tally


def _answers(kind: Kind, first: int, number: int, traced: bool, memory: int | None) -> Iterator[dict[str, Any]]:
    """Yield the answers of a process about its inputs; if it dies, the answer names the input at which it did."""
    read_end, write_end = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(read_end)
        _child(kind, range(first, first + number), traced, memory, os.fdopen(write_end, "w"))
    os.close(write_end)
    expected = first
    with os.fdopen(read_end) as answers:
        for line in _lines(answers):
            answer = json.loads(line)
            yield answer
            expected += "seed" in answer
    if expected < first + number:
        os.kill(process, signal.SIGKILL)
    _, status = os.waitpid(process, 0)
    if expected < first + number:
        why = f"the process ended by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else "the process ended"
        yield {"seed": expected, "outcome": "valid refused", "seconds": 0.0, "why": why}


def _lines(answers: IO[str]) -> Iterator[str]:
    """Yield lines as they arrive, until the end or until none arrives for too long."""
    left = b""
    while select.select([answers], [], [], PATIENCE)[0]:
        block = os.read(answers.fileno(), 1 << 16)
        if not block:
            return
        *lines, left = (left + block).split(b"\n")
        yield from (line.decode() for line in lines)


def _child(kind: Kind, seeds: range, traced: bool, memory: int | None, answers: IO[str]) -> None:
    """Try the inputs, writing one answer per line, and exit without flushing the files of the parent."""
    try:
        limit_memory(memory)
        signal.signal(signal.SIGVTALRM, _time_is_up)
        lines = LinesReached() if traced else None
        with TemporaryDirectory() as name:
            for seed in seeds:
                answer = _answer(kind, seed, Path(name), lines)
                answers.write(json.dumps(answer) + "\n")
                answers.flush()
        if lines is not None:
            answers.write(json.dumps({"lines": lines.by_file()}) + "\n")
        answers.close()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def limit_memory(most: int | None) -> None:
    """Limit additional memory; None for programs whose address space does not reflect their memory."""
    if most is not None:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        whole = pages * resource.getpagesize() + most
        resource.setrlimit(resource.RLIMIT_AS, (whole, whole))


def _answer(kind: Kind, seed: int, folder: Path, lines: LinesReached | None) -> dict[str, Any]:
    begin = process_time()
    patience = kind.seconds * (20 if lines is not None else 1)
    signal.setitimer(signal.ITIMER_VIRTUAL, patience)
    try:
        if lines is not None:
            with lines:
                outcome, why = outcome_of(kind, seed, folder)
        else:
            outcome, why = outcome_of(kind, seed, folder)
    except TooLong:
        outcome, why = "valid refused", "making it took too long"
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    seconds = process_time() - begin
    if not why and seconds > patience:
        why = f"{seconds:.1f} s of {kind.seconds}"
    return {"seed": seed, "outcome": outcome, "seconds": 0.0 if lines is not None else seconds, "why": why}


def _time_is_up(number: int, frame: FrameType | None) -> None:
    raise TooLong
