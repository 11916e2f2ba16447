"""A journal beside the output of a run, by which the run can be resumed.

The output is written to `FILE.part`, which is renamed when it is complete. `FILE.journal` begins with the settings of
the run; then there is a line for each record, with the length of the output up to this record and data that the resumed
run needs. A line is written after the output that it describes, so the output up to the last complete line always
exists. Each line has a checksum of the output up to its record, to detect the journal of another run. A process locks
its journal while it is running.
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
from numbat.files import opened_as_it_is, write_whole
from numbat.records import frozen
from numbat.runs.record import VERSION, RunRecord, difference
from numbat.settings import UnknownFieldError, mapping_of, record_of, why_unread

FORMAT: Final = "numbat.journal/3"


class Done(NamedTuple):
    """A line in a journal about a record: length of the output so far, data that a resumed run needs, its checksum.

    The checksum is None for a store, whose output is not a text.
    """

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
    """The growing output of a run, with its journal.

    `record` is the run record, `done` has the lines about records that an earlier run has completed. `unfinished` is
    the file with the output so far, by which a run can resume; None if it cannot, and after `finish`.
    """

    path: str
    record: RunRecord
    done: list[Done]
    unfinished: str | None

    def write(self, text: str) -> None:
        """Append text to the output; a resumed run keeps it only after the next `note`."""
        raise NotImplementedError

    def note(self, kept: Any) -> None:
        """Note in the journal that a record is complete; `kept` is the data that a resumed run needs about it."""
        raise NotImplementedError

    def flush(self) -> None:
        """Write all buffered output to its file."""

    def finish(self) -> None:
        """Rename the complete output, and remove the journal."""
        raise NotImplementedError

    def abandon(self) -> None:
        """Close the files after an error; the records that were noted remain."""
        raise NotImplementedError

    def stop(self) -> None:
        """Close the files of an incomplete run, which may resume later."""
        raise NotImplementedError

    def _try(self, action: Callable[[], object], path: str | None = None) -> None:
        """Run an action; if it fails, raise UnwritableError for a file, that of `unfinished` if none is named."""
        try:
            action()
        except OSError as error:
            raise UnwritableError(path or self.unfinished or self.path, error.strerror) from None


class Unresumable(Resumable):
    """The output of a run to a pipe, a device or an open descriptor, which gets every record when it is complete."""

    def __init__(self, path: str, record: RunRecord) -> None:
        self.path, self.record, self.done, self.unfinished = path, record, [], None
        self._try(sys.stdout.flush)
        self._try(self._open)

    def _open(self) -> None:
        self._output = opened_as_it_is(self.path)

    def write(self, text: str) -> None:
        """Write text to the output."""
        self._try(lambda: self._output.write(text.encode("utf-8", errors="backslashreplace")))

    def note(self, kept: Any) -> None:
        """Write what is buffered: its reader may wait for it."""
        self._try(self._output.flush)

    def finish(self) -> None:
        """Close the output."""
        self._try(self._output.close)

    def abandon(self) -> None:
        """Close the output after an error."""
        with suppress(OSError):
            self._output.close()

    stop = finish


@dataclass(eq=False)
class Journal(Resumable):
    """The growing output of a run in a file, with its journal.

    Its methods raise UnwritableError, as when the disk is full; the run can then resume after the records noted so far.
    """

    path: str
    record: RunRecord
    done: list[Done]
    _output: IO[bytes]
    _lines: IO[bytes]
    _length: int = field(default=0)
    _sum: int = field(default=0)

    def __post_init__(self) -> None:
        self.unfinished = f"{self.path}.part"

    @classmethod
    def begin(cls, path: str, record: RunRecord, resume: bool) -> Journal:
        """Return a new journal for the output at `path`, or with `resume` that of an earlier run, if there is one.

        Raises UsageError for the journal of another run or output, for one that another process uses and, without
        `resume`, for any journal.
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
            if not os.fstat(lines.fileno()).st_size:  # this run has just created it
                os.unlink(f"{path}.journal")
            lines.close()
            raise

    @staticmethod
    def _earlier(path: str, record: RunRecord, resume: bool, lines: IO[bytes]) -> tuple[list[Done], int, int]:
        """Return the lines about records of an earlier run, if there was one, length and checksum of its output."""
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
        """Append text to the output; a resumed run keeps it only after the next `note`."""
        content = text.encode("utf-8", errors="backslashreplace")
        self._try(lambda: self._output.write(content))
        self._length += len(content)
        self._sum = crc32(content, self._sum)

    def note(self, kept: Any) -> None:
        """Note in the journal that a record is complete; `kept` is the data that a resumed run needs about it."""
        self._try(self._output.flush)
        beside = f"{self.path}.journal"
        self._try(lambda: self._lines.write(journal_line(Done(self._length, kept, self._sum))), beside)
        self._try(self._lines.flush, beside)

    def flush(self) -> None:
        """Write all buffered output to `FILE.part`."""
        self._try(self._output.flush)

    def finish(self) -> None:
        """Rename the complete output, and remove the journal."""
        self._try(self._output.flush)
        self._try(lambda: os.fsync(self._output.fileno()))
        self._try(self._output.close)
        self._try(lambda: _take_name(f"{self.path}.part", os.path.realpath(self.path)))
        self.unfinished = None
        remove_journal(self.path)
        self._try(self._lines.close)  # last, because it unlocks the journal

    def abandon(self) -> None:
        """Close the files after an error; the records that were noted remain."""
        for file in (self._output, self._lines):
            with suppress(OSError):
                file.close()

    def stop(self) -> None:
        """Close the files of an incomplete run, which may resume later."""
        self._try(self._output.close)
        self._try(self._lines.close)


def _take_name(part: str, target: str) -> None:
    """Rename a complete output to `target`; copy it if `target` links to another file system. Raises OSError."""
    try:
        os.replace(part, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with open(part, "rb") as file:
            write_whole(target, iter(lambda: file.read(BLOCK), b""))
        os.unlink(part)


BLOCK: Final = 1 << 20


def remove_journal(path: str) -> None:
    """Remove the journal of an output that is complete. Raises UnwritableError, whose hint says so."""
    name = f"{path}.journal"
    try:
        with suppress(FileNotFoundError):
            os.unlink(name)
    except OSError as error:
        raise UnwritableError(name, error.strerror, f"{path} is complete: remove this file yourself") from None


def _sum_of(part: Path, length: int) -> int:
    """Return the checksum of the first `length` bytes of an output."""
    checksum = 0
    with part.open("rb") as file:
        while length > 0 and (block := file.read(min(BLOCK, length))):
            checksum, length = crc32(block, checksum), length - len(block)
    return checksum


def opened_journal(output: str) -> IO[bytes]:
    """Open the journal for an output for appending, and lock it until it is closed.

    Raises UsageError if the journal is not a file or another process uses it, and UnwritableError.
    """
    path = Path(f"{output}.journal")
    if path.exists() and not path.is_file():
        raise UsageError(
            f"{path}: the journal cannot be written: not a regular file\n  move it away, or name another output"
        )
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
        lines.close()  # meanwhile, another run has ended and removed this journal


def _locked(lines: IO[bytes]) -> str | None:
    """Try to lock a journal; return which process has the lock, None if it is now this one.

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
            return None  # the file system has no locks
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
    """Raise UsageError unless the run of an existing journal may resume: `resume` is given, and settings are the same.

    `done` is the number of records in the journal, `asked` the settings there; `record` has those of this run.
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
    """Return the error about a wrong line in the journal for the output at `path`."""
    name = f"{path}.journal"
    return UsageError(f"{name}:{line}: this journal of a run is damaged: {why}\n  remove {name} to start again")


def unread(path: str, line: int, error: UsageError, version: object) -> UsageError:
    """Return the error about a line that cannot be read in the journal of a run by this `version` of Numbat."""
    why = why_unread(error, version)
    if not isinstance(error, UnknownFieldError):
        return damaged(path, line, why)
    name = f"{path}.journal"
    return UsageError(f"{name}:{line}: {why}\n  resume with that version, or remove {name} to start again")


def journal_line(record: Done | Header) -> bytes:
    """Return the line for a record in a journal, as bytes."""
    text = json.dumps(mapping_of(record), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace") + b"\n"


def read_journal(output: str, file: IO[bytes]) -> tuple[Header, list[Any], list[int]]:
    """Return the first line of a journal, the values in other complete lines, and the byte at which each line ends."""
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
    """Return the lines after the first from their values. Raises UsageError unless lengths of output never decrease."""
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
