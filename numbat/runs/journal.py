"""A run that can go on after whatever ended it: a journal beside the output that comes into being.

The output is written under another name, `FILE.part`, and takes its own when it is whole. `FILE.journal` begins with
what the run was asked for; a line follows for each record, with how long the output was behind it and what else is to
be known of it. A line is written after the output that it tells of: whatever ends the process, what the last whole
line tells of is there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from numbat.errors import UnwritableError, UsageError, counted
from numbat.records import frozen
from numbat.runs.record import RunRecord, difference

FORMAT: Final = "numbat.journal/3"


@frozen
class Done:
    """A record of an earlier run: the length of the output behind it, and what the run kept of it."""

    length: int
    kept: Any


class Resumable:
    """The output of a run as it comes into being, with its journal; `done` is what an earlier run did, `record` is the
    record of both.
    """

    path: str
    record: RunRecord
    done: list[Done]

    def write(self, text: str) -> None:
        """Put text at the end of the output; it counts when `note` tells of it."""
        raise NotImplementedError

    def note(self, kept: Any) -> None:
        """Tell that a record is whole, and what is to be known of it."""
        raise NotImplementedError

    def flush(self) -> None:
        """All that was written is where the journal tells of it."""

    def finish(self) -> None:
        """The output is whole: it takes its name, and the journal goes."""
        raise NotImplementedError

    def abandon(self) -> None:
        """Something went wrong: what is noted stays, whatever else can be written or not."""
        raise NotImplementedError

    def stop(self) -> None:
        """The run ends before its time, and may go on later."""
        raise NotImplementedError

    def _try(self, action: Callable[[], object]) -> None:
        try:
            action()
        except OSError as error:
            raise UnwritableError(f"{self.path}.part", error.strerror) from None


@dataclass(eq=False)
class Journal(Resumable):
    """The output of a run as it comes into being, with its journal. `done` is what an earlier run did, `record` is the
    record of both.

    Raises UnwritableError where there is no room; what was written before is there, and the run can go on.
    """

    path: str
    record: RunRecord
    done: list[Done]
    _output: IO[bytes]
    _lines: IO[bytes]
    _length: int = field(default=0)

    @classmethod
    def begin(cls, path: str, record: RunRecord, resume: bool) -> Journal:
        """Return a new journal for an output, or with `resume` that of an earlier run, if there is one.

        Raises UsageError for one of another run, and where one is there that nobody asked to go on with.
        """
        part, lines = Path(f"{path}.part"), Path(f"{path}.journal")
        done: list[Done] = []
        if lines.exists():
            if not lines.is_file():
                raise UsageError(f"{lines}: this is no file, and the journal of the run is to be there\n  remove it")
            header, done, ends = read_journal(path, lines)
            check_resumed(lines, resume, len(done), record, header)
            if not part.exists() or part.stat().st_size < (done[-1].length if done else 0):
                raise UsageError(f"{part}: this is shorter than its journal tells\n  remove {lines} to begin anew")
            os.truncate(lines, ends[-1])
            os.truncate(part, done[-1].length if done else 0)
        try:
            if not done:
                part.write_bytes(b"")
                lines.write_bytes(journal_line(header_of(record)))
            return cls(path, record, done, part.open("ab"), lines.open("ab"), done[-1].length if done else 0)
        except OSError as error:
            raise UnwritableError(part, error.strerror) from None

    def write(self, text: str) -> None:
        """Put text at the end of the output; it counts when `note` tells of it."""
        content = text.encode("utf-8", errors="backslashreplace")
        self._try(lambda: self._output.write(content))
        self._length += len(content)

    def note(self, kept: Any) -> None:
        """Tell that a record is whole, and what is to be known of it."""
        self._try(self._output.flush)
        self._try(lambda: self._lines.write(journal_line([self._length, kept])))
        self._try(self._lines.flush)

    def flush(self) -> None:
        """All that was written is in `FILE.part`."""
        self._try(self._output.flush)

    def finish(self) -> None:
        """The output is whole: it takes its name, and the journal goes."""
        self._try(self._output.flush)
        self._try(lambda: os.fsync(self._output.fileno()))
        self.stop()
        self._try(lambda: os.replace(f"{self.path}.part", os.path.realpath(self.path)))
        self._try(lambda: os.unlink(f"{self.path}.journal"))

    def abandon(self) -> None:
        """Something went wrong: what is noted stays, whatever else can be written or not."""
        for file in (self._output, self._lines):
            with suppress(OSError):
                file.close()

    def stop(self) -> None:
        """The run ends before its time, and may go on later."""
        self._try(self._output.close)
        self._try(self._lines.close)


def header_of(record: RunRecord) -> dict[str, Any]:
    """Return the first line of a journal: what the run was asked for."""
    return {"format": FORMAT, "run": record.as_json(), "asked": record.asked()}


def check_resumed(lines: Path, resume: bool, done: int, record: RunRecord, asked: Mapping[str, Any]) -> None:
    """Check that the run whose journal is there may go on: that somebody asked for it, and for the same run.

    `done` are its records, `asked` is what it was asked for. Raises UsageError.
    """
    if not resume:
        raise UsageError(
            f"{lines}: an earlier run stopped after {counted(done, 'record')}\n"
            "  --resume goes on with it; to begin anew remove this file"
        )
    if (other := difference(record.asked(), asked)) is not None:
        raise UsageError(
            f"{lines}: {other} was another one when the run began\n"
            "  go on with what it began with, or remove this file to begin anew"
        )


def damaged(path: str, line: int, why: str) -> UsageError:
    """Return the error about a journal of an output in which a line belongs to no run."""
    name = f"{path}.journal"
    return UsageError(f"{name}:{line}: this journal of a run is damaged: {why}\n  remove {name} to begin anew")


def journal_line(value: Any) -> bytes:
    """Return a line of a journal."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace") + b"\n"


def read_journal(output: str, path: Path) -> tuple[Mapping[str, str], list[Done], list[int]]:
    """Return the request of a run, what it did, and where the whole lines of its journal end, in bytes."""
    ends: list[int] = []
    values = []
    for line in _whole_lines(path):
        try:
            values.append(json.loads(line))
        except (ValueError, RecursionError):
            break
        ends.append((ends[-1] if ends else 0) + len(line))
    if not values or not isinstance(values[0], dict) or values[0].get("format") != FORMAT:
        raise UsageError(f"{path}: this is no journal of a run\n  remove it, or name another output")
    options = values[0].get("asked")
    if not isinstance(options, dict):
        raise damaged(output, 1, "it does not say what the run was asked for")
    return options, list(_done(values[1:], output)), ends


def _done(values: list[Any], output: str) -> Iterator[Done]:
    """Return the records that lines tell of, each with the length of the output behind it, which never shrinks."""
    before = 0
    for number, value in enumerate(values, start=2):
        if not isinstance(value, list) or len(value) != 2 or type(value[0]) is not int or value[0] < before:
            raise damaged(output, number, "it does not say how long the output was")
        yield Done(*value)
        before = value[0]


def _whole_lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from (line for line in file if line.endswith(b"\n"))
