"""A run that can go on after whatever ended it: a journal beside the output that comes into being.

The output is written under another name, `FILE.part`, and takes its own when it is whole. `FILE.journal` begins with
what the run was asked for; a line follows for each record, with how long the output was behind it and what else is to
be known of it. A line is written after the output that it tells of: whatever ends the process, what the last whole
line tells of is there. Each line has a sum of the output up to there, so that a journal beside the output of another
run is noticed. While a run is at work it holds a lock on its journal.
"""

from __future__ import annotations

import errno
import json
import os
import struct
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, NamedTuple
from zlib import crc32

from numbat.errors import UnwritableError, UsageError, counted
from numbat.files import write_whole
from numbat.records import frozen
from numbat.runs.record import VERSION, RunRecord, difference
from numbat.settings import UnknownFieldError, mapping_of, record_of, why_unread

FORMAT: Final = "numbat.journal/3"


class Done(NamedTuple):
    """A line of a journal, on one record: the length of the output behind it, what the run kept of it, and the sum of
    the output up to there, where the run noted one.
    """

    length: int
    kept: Any
    sum: int | None = None


@frozen
class Header:
    """The first line of a journal: its format, the record of the run, and what the run was asked for."""

    format: str
    run: Mapping[str, Any]
    asked: Mapping[str, str]


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
    _sum: int = field(default=0)

    @classmethod
    def begin(cls, path: str, record: RunRecord, resume: bool) -> Journal:
        """Return a new journal for an output, or with `resume` that of an earlier run, if there is one.

        Raises UsageError for one of another run or another output, for one that another process is at, and where one is
        there that nobody asked to go on with.
        """
        part = Path(f"{path}.part")
        lines = opened_journal(path)
        try:
            done, length, found = cls._earlier(path, record, resume, lines)
            try:
                if not done:
                    part.write_bytes(b"")
                    _rewrite(lines, header_line(record))
                return cls(path, record, done, part.open("ab"), lines, length, found)
            except OSError as error:
                raise UnwritableError(part, error.strerror) from None
        except BaseException:
            if not os.fstat(lines.fileno()).st_size:  # it was made just now
                os.unlink(f"{path}.journal")
            lines.close()
            raise

    @staticmethod
    def _earlier(path: str, record: RunRecord, resume: bool, lines: IO[bytes]) -> tuple[list[Done], int, int]:
        """Return what an earlier run did, if there was one, with the length and the sum of its output."""
        part, name = Path(f"{path}.part"), Path(f"{path}.journal")
        if not os.fstat(lines.fileno()).st_size:
            return [], 0, 0
        header, values, ends = read_journal(path, lines)
        check_resumed(name, resume, len(values), record, header.asked)
        done = done_of(path, values, record)
        length = done[-1].length if done else 0
        if not part.exists() or part.stat().st_size < length:
            raise UsageError(f"{part}: this is shorter than its journal tells\n  remove {name} to begin anew")
        found = _sum_of(part, length)
        if done and done[-1].sum not in (None, found):
            raise UsageError(f"{part}: this is not the output that its journal tells of\n  remove {name} to begin anew")
        lines.truncate(ends[-1])
        os.truncate(part, length)
        return done, length, found

    def write(self, text: str) -> None:
        """Put text at the end of the output; it counts when `note` tells of it."""
        content = text.encode("utf-8", errors="backslashreplace")
        self._try(lambda: self._output.write(content))
        self._length += len(content)
        self._sum = crc32(content, self._sum)

    def note(self, kept: Any) -> None:
        """Tell that a record is whole, and what is to be known of it."""
        self._try(self._output.flush)
        self._try(lambda: self._lines.write(journal_line(Done(self._length, kept, self._sum))))
        self._try(self._lines.flush)

    def flush(self) -> None:
        """All that was written is in `FILE.part`."""
        self._try(self._output.flush)

    def finish(self) -> None:
        """The output is whole: it takes its name, and the journal goes."""
        self._try(self._output.flush)
        self._try(lambda: os.fsync(self._output.fileno()))
        self._try(self._output.close)
        self._try(lambda: _take_name(f"{self.path}.part", os.path.realpath(self.path)))
        self._try(lambda: os.unlink(f"{self.path}.journal"))
        self._try(self._lines.close)  # last: whoever finds it open is told so

    def abandon(self) -> None:
        """Something went wrong: what is noted stays, whatever else can be written or not."""
        for file in (self._output, self._lines):
            with suppress(OSError):
                file.close()

    def stop(self) -> None:
        """The run ends before its time, and may go on later."""
        self._try(self._output.close)
        self._try(self._lines.close)


def _take_name(part: str, target: str) -> None:
    """Give a whole output its name; where that is a link to another file system, copy it there. Raises OSError."""
    try:
        os.replace(part, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with open(part, "rb") as file:
            write_whole(target, iter(lambda: file.read(BLOCK), b""))
        os.unlink(part)


BLOCK: Final = 1 << 20


def _sum_of(part: Path, length: int) -> int:
    """Return the sum of so many bytes of an output."""
    found = 0
    with part.open("rb") as file:
        while length > 0 and (block := file.read(min(BLOCK, length))):
            found, length = crc32(block, found), length - len(block)
    return found


def opened_journal(output: str) -> IO[bytes]:
    """Return the journal of an output, opened to be added to, and locked until it is closed.

    Raises UsageError where it is no file and where another process is at work on the output, UnwritableError.
    """
    path = Path(f"{output}.journal")
    if path.exists() and not path.is_file():
        raise UsageError(f"{path}: this is no file, and the journal of the run is to be there\n  remove it")
    while True:
        try:
            lines = path.open("a+b")
        except OSError as error:
            raise UnwritableError(path, error.strerror) from None
        holder = _locked(lines)
        if holder is not None:
            lines.close()
            raise UsageError(
                f"{output}: {holder} is at work on this output\n  wait for its end, or name another output"
            )
        try:
            is_there = os.path.samestat(os.stat(path), os.fstat(lines.fileno()))
        except FileNotFoundError:
            is_there = False
        if is_there:
            return lines
        lines.close()  # a run ended meanwhile, and its journal went


def _locked(lines: IO[bytes]) -> str | None:
    """Lock a journal for this process; return who holds the lock, None where it is this process now.

    The lock goes with the process, however it ends, and its children do not have it.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    try:
        fcntl.lockf(lines, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EAGAIN):
            return None  # a file system without locks
        if sys.platform != "linux":
            return "another process"
        asked = fcntl.fcntl(lines, fcntl.F_GETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
        number = struct.unpack("hhqqi4x", asked)[4]
        return f"the process {number}" if number > 0 else "another process"
    return None


def _rewrite(lines: IO[bytes], content: bytes) -> None:
    lines.truncate(0)
    lines.write(content)
    lines.flush()


def header_line(record: RunRecord) -> bytes:
    """Return the first line of a journal."""
    return journal_line(Header(FORMAT, record.as_json(), record.asked()))


def check_resumed(lines: Path, resume: bool, done: int, record: RunRecord, asked: Mapping[str, Any]) -> None:
    """Check that the run whose journal is there may go on: that somebody asked for it, and for the same run.

    `done` are its records, `asked` is what it was asked for. Raises UsageError.
    """
    if not resume:
        raise UsageError(
            f"{lines}: an earlier run stopped after {counted(done, 'record')}\n"
            "  --resume goes on with it; to begin anew remove this file"
        )
    other = difference(record.asked(), asked)
    if other == VERSION:
        raise UsageError(
            f"{lines}: version {asked.get(VERSION, 'unknown')} of Numbat began this run, and this is {record.version}\n"
            "  go on with that version, or remove this file to begin anew"
        )
    if other is not None:
        raise UsageError(
            f"{lines}: {other} was another one when the run began\n"
            "  go on with what it began with, or remove this file to begin anew"
        )


def damaged(path: str, line: int, why: str) -> UsageError:
    """Return the error about a journal of an output in which a line belongs to no run."""
    name = f"{path}.journal"
    return UsageError(f"{name}:{line}: this journal of a run is damaged: {why}\n  remove {name} to begin anew")


def unread(path: str, line: int, error: UsageError, version: object) -> UsageError:
    """Return the error about a line of a journal that is not the record that it is to be; `version` began the run."""
    why = why_unread(error, version)
    if not isinstance(error, UnknownFieldError):
        return damaged(path, line, why)
    name = f"{path}.journal"
    return UsageError(f"{name}:{line}: {why}\n  go on with that version, or remove {name} to begin anew")


def journal_line(record: Done | Header) -> bytes:
    """Return a line of a journal."""
    text = json.dumps(mapping_of(record), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace") + b"\n"


def read_journal(output: str, file: IO[bytes]) -> tuple[Header, list[Any], list[int]]:
    """Return the first line of a journal, the values of its other whole lines, and where the whole lines end, in
    bytes.
    """
    path, ends = f"{output}.journal", list[int]()
    values = []
    file.seek(0)
    for line in (line for line in file if line.endswith(b"\n")):
        try:
            values.append(json.loads(line))
        except (ValueError, RecursionError):
            break
        ends.append((ends[-1] if ends else 0) + len(line))
    if not values or not isinstance(values[0], dict) or values[0].get("format") != FORMAT:
        raise UsageError(f"{path}: this is no journal of a run\n  remove it, or name another output")
    run = values[0].get("run")
    try:
        header = record_of(Header, values[0], "its first line")
        RunRecord.from_json(header.run, "its run")
    except UsageError as error:
        raise unread(output, 1, error, run.get("version") if isinstance(run, dict) else None) from None
    return header, values[1:], ends


def done_of(output: str, values: list[Any], record: RunRecord) -> list[Done]:
    """Return the records that lines tell of, each with the length of the output behind it, which never shrinks;
    `record` is that of their run.
    """
    dones: list[Done] = []
    for number, value in enumerate(values, start=2):
        try:
            done = record_of(Done, value, "it")
        except UsageError as error:
            raise unread(output, number, error, record.version) from None
        if done.length < (dones[-1].length if dones else 0):
            raise damaged(output, number, "it does not say how long the output was")
        dones.append(done)
    return dones
