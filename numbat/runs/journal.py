"""A journal beside the output of a run, with which the run can resume.

The output is written to `FILE.part`, which is renamed when it is complete. `FILE.journal` begins with the settings of
the run; a line follows for each record, with the length of the output after it and data that the run needs again. A
line is written after the output that it describes, so the output up to the last complete line always exists. Each line
has a checksum of the output up to there, to detect a journal of another run. A running process locks its journal.
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
    """A line of a journal about a record: length of the output so far, data that the run keeps, checksum or None."""

    length: int
    kept: Any
    sum: int | None = None


@frozen
class Header:
    """The first line of a journal: its format, the record of the run, and its settings."""

    format: str
    run: Mapping[str, Any]
    asked: Mapping[str, str]


class Resumable:
    """The growing output of a run with its journal: records `done` by an earlier run, and the run `record` of both."""

    path: str
    record: RunRecord
    done: list[Done]

    def write(self, text: str) -> None:
        """Append text to the output; it counts after the next `note`."""
        raise NotImplementedError

    def note(self, kept: Any) -> None:
        """Add a line to the journal: the record written is complete, and `kept` is its data."""
        raise NotImplementedError

    def flush(self) -> None:
        """Write all buffered output to the file that the journal is about."""

    def finish(self) -> None:
        """Rename the complete output, and remove the journal."""
        raise NotImplementedError

    def abandon(self) -> None:
        """Close the files after an error; the noted records remain."""
        raise NotImplementedError

    def stop(self) -> None:
        """Close the files of an incomplete run, which may resume later."""
        raise NotImplementedError

    def _try(self, action: Callable[[], object]) -> None:
        try:
            action()
        except OSError as error:
            raise UnwritableError(f"{self.path}.part", error.strerror) from None


@dataclass(eq=False)
class Journal(Resumable):
    """The growing output of a run in a file, with its journal.

    Raises UnwritableError if there is no space; the run can resume after the records already noted.
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
        """Return a new journal for an output, or with `resume` the one of an earlier run, if there is one.

        Raises UsageError for a journal of another run or output, or in use by another process, and without `resume` for
        any journal.
        """
        part = Path(f"{path}.part")
        lines = opened_journal(path)
        try:
            done, length, checksum = cls._earlier(path, record, resume, lines)
            try:
                if not done:
                    part.write_bytes(b"")
                    _rewrite(lines, header_line(record))
                return cls(path, record, done, part.open("ab"), lines, length, checksum)
            except OSError as error:
                raise UnwritableError(part, error.strerror) from None
        except BaseException:
            if not os.fstat(lines.fileno()).st_size:  # it was created here
                os.unlink(f"{path}.journal")
            lines.close()
            raise

    @staticmethod
    def _earlier(path: str, record: RunRecord, resume: bool, lines: IO[bytes]) -> tuple[list[Done], int, int]:
        """Return the records of an earlier run, if there was one, with length and checksum of its output."""
        part, name = Path(f"{path}.part"), Path(f"{path}.journal")
        if not os.fstat(lines.fileno()).st_size:
            return [], 0, 0
        header, values, ends = read_journal(path, lines)
        check_resumed(name, resume, len(values), record, header.asked)
        done = done_of(path, values, record)
        length = done[-1].length if done else 0
        if not part.exists() or part.stat().st_size < length:
            raise UsageError(f"{part}: this file is shorter than its journal says\n  remove {name} to start again")
        checksum = _sum_of(part, length)
        if done and done[-1].sum not in (None, checksum):
            raise UsageError(f"{part}: this is not the output of its journal\n  remove {name} to start again")
        lines.truncate(ends[-1])
        os.truncate(part, length)
        return done, length, checksum

    def write(self, text: str) -> None:
        """Append text to the output; it counts after the next `note`."""
        content = text.encode("utf-8", errors="backslashreplace")
        self._try(lambda: self._output.write(content))
        self._length += len(content)
        self._sum = crc32(content, self._sum)

    def note(self, kept: Any) -> None:
        """Add a line to the journal: the record written is complete, and `kept` is its data."""
        self._try(self._output.flush)
        self._try(lambda: self._lines.write(journal_line(Done(self._length, kept, self._sum))))
        self._try(self._lines.flush)

    def flush(self) -> None:
        """Write all buffered output to `FILE.part`."""
        self._try(self._output.flush)

    def finish(self) -> None:
        """Rename the complete output, and remove the journal."""
        self._try(self._output.flush)
        self._try(lambda: os.fsync(self._output.fileno()))
        self._try(self._output.close)
        self._try(lambda: _take_name(f"{self.path}.part", os.path.realpath(self.path)))
        self._try(lambda: os.unlink(f"{self.path}.journal"))
        self._try(self._lines.close)  # last, because it unlocks the journal

    def abandon(self) -> None:
        """Close the files after an error; the noted records remain."""
        for file in (self._output, self._lines):
            with suppress(OSError):
                file.close()

    def stop(self) -> None:
        """Close the files of an incomplete run, which may resume later."""
        self._try(self._output.close)
        self._try(self._lines.close)


def _take_name(part: str, target: str) -> None:
    """Rename a complete output; if it links to another file system, copy it there. Raises OSError."""
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
    """Return the checksum of the first `length` bytes of an output."""
    checksum = 0
    with part.open("rb") as file:
        while length > 0 and (block := file.read(min(BLOCK, length))):
            checksum, length = crc32(block, checksum), length - len(block)
    return checksum


def opened_journal(output: str) -> IO[bytes]:
    """Open the journal of an output for appending, and lock it until it is closed.

    Raises UsageError if it is not a file or another process uses it, and UnwritableError.
    """
    path = Path(f"{output}.journal")
    if path.exists() and not path.is_file():
        raise UsageError(f"{path}: the journal cannot be written because this is not a file\n  remove it")
    while True:
        try:
            lines = path.open("a+b")
        except OSError as error:
            raise UnwritableError(path, error.strerror) from None
        holder = _locked(lines)
        if holder is not None:
            lines.close()
            raise UsageError(f"{output}: {holder} is writing this output\n  wait until it ends, or name another output")
        try:
            is_current = os.path.samestat(os.stat(path), os.fstat(lines.fileno()))
        except FileNotFoundError:
            is_current = False
        if is_current:
            return lines
        lines.close()  # another run ended meanwhile and removed its journal


def _locked(lines: IO[bytes]) -> str | None:
    """Lock a journal for this process; return who holds the lock, None if this process does now.

    The lock ends with the process, and child processes do not inherit it.
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
    """Check that the run of an existing journal may resume: it was requested, and has the same settings.

    `done` is the number of its records, `asked` has its settings. Raises UsageError.
    """
    if not resume:
        raise UsageError(
            f"{lines}: an earlier run stopped after {counted(done, 'record')}\n"
            "  add --resume to continue it, or remove this file to start again"
        )
    other = difference(record.asked(), asked)
    if other == VERSION:
        raise UsageError(
            f"{lines}: Numbat {asked.get(VERSION, 'unknown')} began this run, but this is {record.version}\n"
            "  resume with that version, or remove this file to start again"
        )
    if other is not None:
        raise UsageError(
            f"{lines}: {other} was different when the run began\n"
            "  resume with the same one, or remove this file to start again"
        )


def damaged(path: str, line: int, why: str) -> UsageError:
    """Return the error about a wrong line in the journal of an output."""
    name = f"{path}.journal"
    return UsageError(f"{name}:{line}: this journal of a run is damaged: {why}\n  remove {name} to start again")


def unread(path: str, line: int, error: UsageError, version: object) -> UsageError:
    """Return the error about an unreadable line of a journal; `version` began the run."""
    why = why_unread(error, version)
    if not isinstance(error, UnknownFieldError):
        return damaged(path, line, why)
    name = f"{path}.journal"
    return UsageError(f"{name}:{line}: {why}\n  resume with that version, or remove {name} to start again")


def journal_line(record: Done | Header) -> bytes:
    """Return a line of a journal."""
    text = json.dumps(mapping_of(record), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace") + b"\n"


def read_journal(output: str, file: IO[bytes]) -> tuple[Header, list[Any], list[int]]:
    """Return the first line of a journal, the values of the other complete lines, and where all these end, in bytes."""
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
        raise UsageError(f"{path}: this is not a journal of a run\n  remove it, or name another output")
    run = values[0].get("run")
    try:
        header = record_of(Header, values[0], "its first line")
        RunRecord.from_json(header.run, "its run")
    except UsageError as error:
        raise unread(output, 1, error, run.get("version") if isinstance(run, dict) else None) from None
    return header, values[1:], ends


def done_of(output: str, values: list[Any], record: RunRecord) -> list[Done]:
    """Return the records in a journal of the run `record`; their lengths of output never decrease."""
    dones: list[Done] = []
    for number, value in enumerate(values, start=2):
        try:
            done = record_of(Done, value, "it")
        except UsageError as error:
            raise unread(output, number, error, record.version) from None
        if done.length < (dones[-1].length if dones else 0):
            raise damaged(output, number, "it gives no valid length of the output")
        dones.append(done)
    return dones
