"""Reading and writing of files: text and its encoding, atomic writes, packaged folders, the user's cache, cells."""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import io
import os
import stat
import sys
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator
from errno import EACCES, ENAMETOOLONG, ENOENT, EPERM, EROFS
from functools import cache
from importlib import import_module
from pathlib import Path
from stat import S_IMODE
from typing import Any, BinaryIO, Final, Literal, NamedTuple
from unicodedata import combining, is_normalized, normalize

from numbat.errors import (
    EMPTY_NAME,
    DataError,
    MissingExtraError,
    MissingFileError,
    Problem,
    Span,
    UnwritableError,
    UsageError,
    data_error,
    installing,
    quotable,
    visible,
)
from numbat.records import pattern
from numbat.sheets import sheet_of, table_of_sheet
from numbat.version import __version__

BLOCK: Final = 1 << 16
"""Bytes that are decoded at once."""
MAX_READ: Final = 100_000_000
"""Maximum bytes of a file that is read as a whole, or of one line of other files: a device may be endless."""
SAVE: Final = "save the file in the encoding UTF-8"
SAVE_OR_NAME: Final = f"give its encoding, such as --encoding latin-1, or {SAVE}"
"""Remedy for a text file whose encoding the user may name with `--encoding` (`read_in`)."""
SAVE_OR_NAME_UTF16: Final = f"give --encoding utf-16, or {SAVE}"
ZIPPED: Final = b"PK\x03\x04"
OLD_EXCEL: Final = bytes.fromhex("D0CF11E0A1B11AE1")
NO_NEIGHBOUR: Final = (EACCES, EPERM, EROFS, ENAMETOOLONG)
"""Errors that forbid a new file in a folder; an existing file there may still be writable."""


def packaged_folder(name: Literal["grammars", "corpora", "exercises"]) -> Path:
    """Return a folder of packaged data: inside the package in a wheel, beside it in a checkout.

    Raises MissingFileError.
    """
    package = Path(__file__).parent
    for folder in (package / name, package.parent / name):
        if folder.is_dir():
            return folder
    raise MissingFileError(
        f"{package / name}: the packaged {name} are missing here and in {package.parent}\n  install Numbat again"
    )


# Models: grammars and counts from treebanks, under the treebanks' licences, in a separate distribution.

MODELS: Final = "numbat-pg-models"
MODEL_FILES: Final = (
    "english.counts",
    "english.preferences",
    "ewt.exp",
    "ewt.pg",
    "ewt.weights",
    "french.counts",
    "french.preferences",
    "ftb.model",
    "penn.model",
)
"""Files in the distribution of models: by these names Numbat recognizes a model that is not installed."""


class Models(NamedTuple):
    """Available models: their folder, and their version, which must match that of Numbat."""

    folder: Path
    version: str


def models() -> Models | None:
    """Return the models of a checkout, else those that are installed; None if there are none."""
    package = MODELS.replace("-", "_")
    beside = Path(__file__).parents[1] / "models" / package
    if beside.is_dir():
        return Models(beside, __version__)
    return _installed(package)


@cache
def _installed(package: str) -> Models | None:
    try:
        module = import_module(package)
    except ImportError:
        return None
    return Models(Path(str(module.__file__)).parent, str(module.__version__))


def grammar_folders() -> list[Path]:
    """Return the folders of models, if of this version, and of packaged grammars; the first that has a file counts."""
    available = models()
    folders = [available.folder] if available and available.version == __version__ else []
    return [*folders, packaged_folder("grammars")]


def packaged_files(*suffixes: str) -> list[Path]:
    """Return the packaged grammars and models whose names end with one of these suffixes, sorted by name."""
    paths = (path for folder in grammar_folders() for path in folder.iterdir() if path.suffix in suffixes)
    return sorted(paths, key=lambda path: path.name)


def packaged_path(name: str) -> Path | None:
    """Return the packaged grammar or model in a file of this name; None if there is none.

    Raises MissingExtraError for a model, if models are not installed or belong to another version.
    """
    path = next((folder / name for folder in grammar_folders() if os.path.isfile(folder / name)), None)
    if path is None and name in MODEL_FILES:
        available = models()
        installed = f"but {available.version} is installed" if available else "which is not installed"
        raise MissingExtraError(f"{name} is in {MODELS} {__version__}, {installed}\n  {installing('models')}")
    return path


def packaged_file(name: str, suffix: str) -> str | None:
    """Return the path of a packaged file, named without suffix; None if there is none, or if a file `name` exists.

    Raises MissingExtraError as `packaged_path`.
    """
    if Path(name).name != name or os.path.exists(name):
        return None
    file = packaged_path(f"{name}{suffix}")
    return None if file is None else str(file)


def shown(path: str) -> str:
    """Return the name of a file for messages; `-` is standard input."""
    return "<stdin>" if path == "-" else visible(path)


def content_of(path: str) -> bytes:
    """Return the content of a file, `-` for standard input. Raises MissingFileError; DataError if it is too large."""
    try:
        with opened(path) as file:
            return whole(file, path)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


@contextlib.contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Open a file for reading, or standard input (`-`), which stays open; recoded as UTF-8 if `read_in` says so.

    A sheet of an Excel file is opened as a table. Raises OSError; ValueError for an invalid name; DataError for a
    sheet that is no table.
    """
    if (sheet := sheet_of(path)) is not None:
        with open(sheet[0], "rb") as packed:
            yield io.BytesIO(table_of_sheet(whole(packed, path), *sheet))
        return
    # not `Path(path)`: `Path("")` is the current folder
    with contextlib.nullcontext(sys.stdin.buffer) if path == "-" else open(path, "rb") as file:
        encoding = encoding_of(path)
        yield file if encoding is None else io.BufferedReader(_InUtf8(file, encoding))


def open_regular(path: str) -> BinaryIO:
    """Open a regular file for reading; pipes and devices may be endless. Raises OSError, ValueError."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise ValueError("it is not a regular file")
    return open(path, "rb")


def whole(file: BinaryIO, path: str) -> bytes:
    """Return the content of an open file. Raises DataError if it is too large."""
    content = file.read(MAX_READ + 1)
    if len(content) > MAX_READ:
        raise DataError(
            f"{shown(path)}: this file has more than {MAX_READ // 1_000_000} MB, "
            "which is too large\n  split it into several files"
        )
    return content


def as_it_comes(path: str) -> Iterator[bytes]:
    """Yield the lines of a file; those of standard input (`-`) as soon as they arrive.

    Raises MissingFileError, and DataError for a line that is too long.
    """
    try:
        with opened(path) as file:
            yield from lines_in(file, path)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def lines_in(file: BinaryIO, path: str) -> Iterator[bytes]:
    """Yield the lines of an open file. Raises DataError for a line that is too long."""
    number = 0
    while line := file.readline(MAX_READ + 1):
        number += 1
        if len(line) > MAX_READ:
            raise DataError(
                f"{shown(path)}:{number}: this line has more than {MAX_READ // 1_000_000} MB\n"
                "  give a text with a sentence in each line"
            )
        yield line


def unreadable(path: str, error: OSError | ValueError) -> MissingFileError:
    """Return the error for a file that cannot be opened; a ValueError means that the name is invalid."""
    if getattr(error, "errno", None) == ENAMETOOLONG:
        return MissingFileError(
            f"{path[:40]}...: cannot be read: the name is too long for a file\n"
            "  name a file here; give a sentence in quotes, without an option before it"
        )
    message = f"{path or EMPTY_NAME}: cannot be read: {reason(error)}"
    if getattr(error, "errno", None) == ENOENT and len(path.split()) > 2:
        message += "\n  name a file here, or - for standard input; numbat parse takes sentences in quotes"
    return MissingFileError(message)


def cannot_be_looked_at(path: str) -> MissingFileError | None:
    """Return the error that prevents checking whether a file exists; None if it can be checked."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        return unreadable(path, error)
    return None


def reason(error: OSError | ValueError) -> str:
    """Return the reason that the system gives for not opening a file."""
    return getattr(error, "strerror", None) or str(error)


def text_of(path: str, hint: str = SAVE) -> str:
    """Return the text of a file, `-` for standard input, without byte order mark.

    Raises MissingFileError, and DataError with the places of NUL and of bytes that are not UTF-8, and the `hint`.
    """
    content, name = content_of(path), shown(path)
    check_encoding(content, name, hint)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" not in text:
        return text
    lines = enumerate(content.removeprefix(BOM_UTF8).split(b"\n"), start=1)
    raise data_error(*filter(None, (decoded(line, name, number, hint)[1] for number, line in lines)))


def lines_of(path: str, hint: str = SAVE) -> list[str]:
    """Return the lines of a text file, ended by LF or CR LF, or by CR if no line ends with LF.

    A CR within a line becomes a blank, so that line numbers agree with other programs. Raises as `text_of`.
    """
    return cut_into_lines(text_of(path, hint))


def cut_into_lines(text: str) -> list[str]:
    """Split a text into lines as `lines_of` does."""
    text = text.replace("\r\n", "\n")
    return text.replace("\r", " " if "\n" in text else "\n").split("\n")


def numbered(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file, the first without a byte order mark, each after its number from 1."""
    for number, line in enumerate(lines, start=1):
        yield number, line.removeprefix("\ufeff") if number == 1 else line


def bare_lines(path: str) -> Iterator[bytes]:
    """Yield the lines of `lines_of` without line ends; those of standard input (`-`) as soon as they arrive.

    Raises as `as_it_comes`.
    """
    for number, line in enumerate(as_it_comes(path)):
        if number == 0 and not line.endswith(b"\n"):
            yield from line.splitlines()
        else:
            yield line.removesuffix(b"\n").removesuffix(b"\r").replace(b"\r", b" ")


def decoded(line: bytes, name: str, number: int, hint: str = SAVE) -> tuple[str, Problem | None]:
    """Return a line of a file as text, with the problem if it is not UTF-8 or has a NUL; invalid bytes are replaced."""
    try:
        text = line.decode("utf-8")
        return text, nul_in(text, name, number) if "\0" in text else None
    except UnicodeDecodeError as error:
        encoding = encoding_of(name)
        what = f"(byte {error.start + 1} is {line[error.start]:02X})" if encoding is None else ""
        wrong = f"this line is not {encoding or 'UTF-8'} {what}".rstrip()
        column = len(line[: error.start].decode("utf-8")) + 1
        text = line.decode("utf-8", "replace")
        quoted = quotable(text.rstrip("\r\n"))
        return text, Problem(wrong, Span(name, number, column, column + 1), hint=hint, source_line=quoted)


def nul_in(text: str, name: str, number: int) -> Problem:
    """Return the problem of a line with the character NUL."""
    column = text.index("\0") + 1
    message = "this line has the character NUL"
    return Problem(
        message, Span(name, number, column, column + 1), hint="the file is damaged or not a text: save it again"
    )


def check_encoding(content: bytes, name: str, hint: str = SAVE) -> None:
    """Raise DataError for a text in UTF-16, and for a spreadsheet whose name does not end with `.xlsx`."""
    if content.startswith((ZIPPED, OLD_EXCEL)):
        what = "a ZIP archive, as Excel sheets are" if content.startswith(ZIPPED) else "an old Excel file"
        raise DataError(
            f"{name}: this is {what}, and no text\n  save it as .xlsx, under such a name, or as CSV in UTF-8"
        )
    if is_utf16(content):
        raise DataError(
            f"{name}: this file is UTF-16, not UTF-8\n  {SAVE_OR_NAME_UTF16 if hint == SAVE_OR_NAME else hint}"
        )


def is_utf16(content: bytes) -> bool:
    """True if a text begins with the byte order mark of UTF-16, or without one with every other byte 0."""
    return content.startswith((BOM_UTF16_BE, BOM_UTF16_LE)) or (
        len(content) > 3 and content[0:4:2] != content[1:4:2] and b"\0\0" in (content[0:4:2], content[1:4:2])
    )


# Encodings that the user names

_NAMED: Final[dict[str, str]] = {}
"""Encodings named by the user, by the shown name of a file or folder."""
_LOST: Final = "numbat.lost"
"""Name of `_lost` as an error handler of codecs."""


@contextlib.contextmanager
def read_in(encoding: str, paths: Iterable[str]) -> Iterator[None]:
    """Read these files, and files in these folders, in an encoding within the block. Raises LookupError."""
    codecs.getincrementaldecoder(encoding)
    names = {shown(path): encoding for path in paths}
    before = {name: _NAMED[name] for name in names if name in _NAMED}
    _NAMED.update(names)
    try:
        yield
    finally:
        for name in names:
            _NAMED.pop(name, None)
        _NAMED.update(before)


def encoding_of(path: str) -> str | None:
    """Return the encoding named for a file or a folder above it; None for UTF-8."""
    if not _NAMED:
        return None
    name = shown(path)
    return next((_NAMED[path] for path in (name, *map(str, Path(name).parents)) if path in _NAMED), None)


class _InUtf8(io.RawIOBase):
    """A file in another encoding, recoded as UTF-8.

    Undecodable bytes become invalid UTF-8, so that the reader reports their line.
    """

    def __init__(self, file: BinaryIO, encoding: str) -> None:
        codecs.register_error(_LOST, _lost)
        self._file, self._decoder = file, codecs.getincrementaldecoder(encoding)(_LOST)
        self._left, self._is_ended = b"", False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._left and not self._is_ended:
            block = self._file.read1(BLOCK) if hasattr(self._file, "read1") else self._file.read(BLOCK)
            self._is_ended = not block
            self._left = self._decoder.decode(block, self._is_ended).encode("utf-8", "surrogateescape")
        size = min(len(buffer), len(self._left))
        buffer[:size], self._left = self._left[:size], self._left[size:]
        return size


def _lost(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return "\udcff", error.end


# Outputs: a regular file is replaced as a whole; a pipe, a device or an open descriptor is written to directly.

_DESCRIPTOR: Final = pattern(r"/(?:dev|proc/self|proc/thread-self|proc/(\d+))/fd/(\d+)")
MAX_LINKS: Final = 40
"""Maximum number of symbolic links that are followed, as in Linux."""


def descriptor_of(path: str) -> int | None:
    """Return the open descriptor that an output names: `-`, `/dev/stdout`, `>(...)` of a shell; None for files.

    A link to such a name counts, too. Opening the name anew would truncate a file that the shell has opened.
    """
    if path == "-":
        return 1
    for _ in range(MAX_LINKS):
        match = _DESCRIPTOR.fullmatch(path)
        if match is not None:
            return int(match[2]) if match[1] in (None, str(os.getpid())) and len(match[2]) < 10 else None
        if not os.path.islink(path):
            return None
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
    return None


def is_replaceable(path: str) -> bool:
    """True if an output is, or will be, a regular file, which a complete new file may replace."""
    if descriptor_of(path) is not None or os.path.abspath(path).startswith("/proc/"):
        return False
    return not os.path.exists(path) or os.path.isfile(path)


def check_is_file(path: str, what: str) -> None:
    """Raise UnwritableError for an output that is no regular file, where `what` it is has to be one."""
    if not is_replaceable(path):
        raise UnwritableError(path, f"{what} is a regular file", "name a file")


def opened_as_it_is(path: str) -> BinaryIO:
    """Open an output for writing; for the name of an open descriptor, write where that one does. Raises OSError."""
    number = descriptor_of(path)
    return open(path if number is None else os.dup(number), "wb")


@contextlib.contextmanager
def output_file(path: str | Path) -> Iterator[BinaryIO]:
    """Open any output for writing. A regular file gets its new content at the end of the block, or not at all.

    A symbolic link to a file stays. A file is written to directly if it is read-only or its folder allows no new one.
    Raises OSError.
    """
    path = os.fspath(path)
    target = Path(os.path.realpath(path))
    if not is_replaceable(path) or (target.exists() and not os.access(target, os.W_OK)):
        with opened_as_it_is(path) as direct:
            yield direct
        return
    new = target.with_name(f"{target.name}.{os.urandom(4).hex()}.part")
    try:
        file = new.open("xb")
    except OSError as error:
        if error.errno not in NO_NEIGHBOUR:
            raise
        with target.open("wb") as direct:
            yield direct
        return
    try:
        with file:
            yield file
        if target.exists():
            new.chmod(S_IMODE(target.stat().st_mode))
        new.replace(target)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def write_whole(path: str | Path, content: bytes | Iterator[bytes]) -> None:
    """Write an output as `output_file` does; its content may come in blocks. Raises OSError."""
    with output_file(path) as file:
        file.writelines((content,) if isinstance(content, bytes) else content)


# The user's cache: files kept between runs.
#
# A cached file is only used if it is complete, regular, and owned by the user; otherwise it is silently replaced. Its
# first line is a digest of the rest.

MAX_BYTES: Final = 1 << 28
"""Maximum size of a cached file."""
DIGEST_LINE: Final = 65
"""Length of the digest line in bytes, with its line end."""
_FLAGS: Final = sum(getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK"))
"""Flags for opening without following a link or waiting for a pipe."""


def kept(path: Path) -> bytes | None:
    """Return the cached content under a name; None if there is no valid one."""
    try:
        handle = os.open(path, os.O_RDONLY | _FLAGS)
    except (OSError, ValueError):
        return None
    with contextlib.suppress(OSError), os.fdopen(handle, "rb") as file:
        if _is_own(os.fstat(handle)):
            digest, content = file.read(DIGEST_LINE), file.read(MAX_BYTES)
            if digest == _digest_line(content):
                return content
    return None


def keep(path: Path, content: bytes) -> None:
    """Cache content under a name, readable by this user only. Raises OSError."""
    from tempfile import mkstemp

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = mkstemp(".part", f"{path.name}.", path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines((_digest_line(content), content))
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def digest_of(path: Path) -> str:
    """Return a digest of a file. Raises OSError, also if it is not a regular file."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(f"{path}: not a regular file")
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _is_own(status: os.stat_result) -> bool:
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
        return False
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _digest_line(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode() + b"\n"


# Tables: rows of cells separated by TABs or commas, quoted as in RFC 4180.
#
# A cell is quoted if it contains a quotation mark or a sign that programs misread inside a cell: R's `read.table`
# takes an apostrophe for a quotation mark and # for a comment. Readers here only unquote what a writer would have
# quoted, so that tables without quoting are read unchanged.

QUOTED: Final = pattern(r"[\"'#\t\r\n]")
"""Signs for which a cell is quoted in tables with TABs; in others also the separator."""


def table_row(cells: Iterable[object], separator: str = "\t") -> str:
    """Return a row of a table without line end; None becomes an empty cell.

    >>> print(table_row(["005", 'a 5" nail', "the dogs'", None, 0.5, "a, b"], ","))
    005,"a 5"" nail","the dogs'",,0.5,"a, b"
    """
    return separator.join("" if cell is None else _quoted(str(cell), separator) for cell in cells)


def row_cells(line: str) -> list[str]:
    """Return the cells of a TAB-separated row of `table_row`; cells that `table_row` would not have quoted stay.

    >>> row_cells(table_row(["5\"", '"so"', "the dogs'"])) + row_cells('"so"\t"')
    ['5"', '"so"', "the dogs'", '"so"', '"']
    """
    return [_unquoted(cell) for cell in line.split("\t")] if '"' in line else line.split("\t")


def _quoted(cell: str, separator: str = "\t") -> str:
    if separator not in cell and QUOTED.search(cell) is None:
        return cell
    return '"' + cell.replace('"', '""') + '"'


def _unquoted(cell: str) -> str:
    inner = cell[1:-1].replace('""', '"')
    return inner if cell.startswith('"') and _quoted(inner) == cell else cell


# Cells guarded against being read as formulas by spreadsheets.
#
# Spreadsheets evaluate cells that begin with `=`, `+`, `-` or `@`; some formulas start programs or send data away. An
# apostrophe makes such a cell text. Readers of tables remove it again.

APOSTROPHE: Final = "'"
FORMULA: Final = pattern(r"\"*[=+\-@\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}"
                            r"\N{FULLWIDTH HYPHEN-MINUS}\N{FULLWIDTH COMMERCIAL AT}\t\r]")  # fmt: skip
"""Beginning of a cell that may be read as a formula, also after quotation marks, which spreadsheets remove."""
NUMBER: Final = pattern(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def guarded(cell: str) -> str:
    """Return the cell, with an apostrophe in front if a spreadsheet may take it for a formula; numbers stay.

    >>> [guarded(cell) for cell in ("=1+1", "-ing", "-1.5", "'=1", "'s")]
    ["'=1+1", "'-ing", '-1.5', "''=1", "'s"]
    """
    return APOSTROPHE + cell if _is_formula(cell) else cell


def unguarded(cell: str) -> str:
    """Undo `guarded`; any other cell stays as it is."""
    return cell[1:] if cell.startswith(APOSTROPHE) and _is_formula(cell) else cell


def guarded_table(text: str) -> str:
    """Return TAB-separated rows of `table_row` with every cell `guarded`; comment lines stay."""
    return "\n".join(
        line if line.startswith("#") else table_row(map(guarded, row_cells(line))) for line in text.split("\n")
    )


def guarded_lines(text: str) -> str:
    """Return lines of TAB-separated cells without quoting, as in lexicons, with every cell `guarded`."""
    return "\n".join("\t".join(map(guarded, line.split("\t"))) for line in text.split("\n"))


def cells_of(line: str) -> list[str]:
    """Return the cells of a row of `table_row` or `guarded_table`, each `unguarded`."""
    return [unguarded(cell) for cell in row_cells(line)]


def _is_formula(cell: str) -> bool:
    """True if a spreadsheet may read the cell as a formula, ignoring apostrophes before it."""
    bare = cell.lstrip(APOSTROPHE)
    return FORMULA.match(bare) is not None and NUMBER.fullmatch(bare) is None


# Unicode composition (NFC) in linear time.
#
# Unicode sorts the marks of a letter, for which Python takes quadratic time. No language has more than a few per
# letter; longer rows are composed in parts.

MAX_MARKS: Final = 30
"""Maximum number of marks on a letter (Unicode's Stream-Safe Text Format)."""
_ROW: Final = pattern(rf"[^\w\s!-~]{{{MAX_MARKS + 1}}}")


def composed(text: str) -> str:
    """Return a text in Unicode's form NFC: é as one character."""
    if text.isascii():
        return text
    return "".join(
        part if is_normalized("NFC", part) else normalize("NFC", part) for part in (text[a:b] for a, b in _rows(text))
    )


def composed_parts(text: str) -> Iterator[tuple[int, int, int]]:
    """Return start, end and composed length of each part of a text that composes independently.

    A part begins with a character that neither joins the one before it nor moves before a mark.
    """
    for first, last in _rows(text):
        begin = first
        for at in range(first + 1, last + 1):
            if at == last or _begins_part(text[max(begin, at - MAX_MARKS - 1) : at], text[at]):
                yield begin, at, len(normalize("NFC", text[begin:at]))
                begin = at


def _rows(text: str) -> Iterator[tuple[int, int]]:
    """Return spans of a text, none with more combining marks in a row than are reordered at once."""
    begin = 0
    for match in _ROW.finditer(text):
        yield begin, match.end()
        begin = match.end()
    yield begin, len(text)


def _begins_part(before: str, char: str) -> bool:
    """True if a character composes independently of what precedes it."""
    if combining(normalize("NFD", char)[0]):
        return False
    return normalize("NFC", before + char) == normalize("NFC", before) + normalize("NFC", char)


def write(path: str, text: str) -> None:
    """Write a file of text as a whole. Raises UnwritableError."""
    write_bytes(path, text.encode("utf-8", errors="replace"))  # names of files need not be UTF-8


def write_bytes(path: str, content: bytes | Iterator[bytes]) -> None:
    """Write a file as a whole; its content may come in blocks. Raises UnwritableError."""
    try:
        write_whole(path, content)
    except OSError as error:
        raise UnwritableError(path, error.strerror) from None


def as_table(text: str, for_spreadsheets: bool) -> str:
    """Return a table with TABs, guarded if it is for spreadsheets."""
    return guarded_table(text) if for_spreadsheets else text


def as_lexicon(text: str, for_spreadsheets: bool) -> str:
    """Return a lexicon or rules, whose cells are never quoted, guarded if they are for spreadsheets."""
    return guarded_lines(text) if for_spreadsheets else text


def check_spreadsheets(wanted: bool, is_table: bool, hint: str) -> None:
    """Raise UsageError with a `hint` if `--for-spreadsheets` is given and no table is written."""
    if wanted and not is_table:
        raise UsageError(f"--for-spreadsheets only applies to tables, and none would be written\n  {hint}")
