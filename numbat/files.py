"""Files of users: their bytes, their text, which is UTF-8, and writing them; and the folders that come with Numbat."""

from __future__ import annotations

import os
import sys
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from errno import EACCES, ENAMETOOLONG, ENOENT, EPERM, EROFS
from pathlib import Path
from stat import S_IMODE
from typing import BinaryIO, Final, Literal

from numbat.errors import EMPTY_NAME, DataError, MissingFileError, data_error
from numbat.source import Problem, Span, quotable

LARGEST: Final = 100_000_000
"""Bytes of a file that is read as a whole, and of a line where a file is read line by line: a device never ends."""
SAVE: Final = "save the file in the encoding UTF-8"
NO_NEIGHBOUR: Final = (EACCES, EPERM, EROFS, ENAMETOOLONG)
"""Errors of a folder that takes no new file, though it may have one that can be written, or of the longer name."""


def packaged_folder(name: Literal["grammars", "corpora", "exercises"]) -> Path:
    """The folder of the grammars, of the judged sentences, or of the exercises, that come with Numbat.

    A wheel has it inside the package; in a checkout it lies beside the package. Raises MissingFileError.
    """
    package = Path(__file__).parent
    for folder in (package / name, package.parent / name):
        if folder.is_dir():
            return folder
    raise MissingFileError(
        f"{package / name}: the {name} that come with Numbat are not there, nor in {package.parent}\n"
        "  install Numbat again"
    )


def packaged_file(name: str, suffix: str) -> str | None:
    """The file of that name and suffix beside the packaged grammars; None where a file of that name goes first."""
    if Path(name).name != name or os.path.exists(name):
        return None
    file = packaged_folder("grammars") / f"{name}{suffix}"
    return str(file) if os.path.isfile(file) else None


def shown(path: str) -> str:
    """The name of a file in messages; `-` is standard input."""
    return "<stdin>" if path == "-" else path


def content_of(path: str) -> bytes:
    """What a file holds, `-` for standard input. Raises MissingFileError, and DataError for one that is too large."""
    try:
        if path == "-":
            return whole(sys.stdin.buffer, path)
        with open(path, "rb") as file:  # `Path("")` would be the folder in which one is
            return whole(file, path)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def open_regular(path: str) -> BinaryIO:
    """A file to read from that is no pipe and no device, for these may have no end. Raises OSError, ValueError."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise ValueError("it is no regular file")
    return open(path, "rb")


def whole(file: BinaryIO, path: str) -> bytes:
    """What a file that is open holds. Raises DataError for one that is too large."""
    content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise DataError(
            f"{shown(path)}: this file has more than {LARGEST // 1_000_000} MB, which is more than is read as a whole\n"
            "  cut it into several files"
        )
    return content


def as_it_comes(path: str) -> Iterator[bytes]:
    """What a file holds, line by line; of standard input (`-`) each line when it is there.

    Raises MissingFileError, and DataError for a line that is too long.
    """
    try:
        if path == "-":
            yield from lines_in(sys.stdin.buffer, path)
        else:
            with open(path, "rb") as file:
                yield from lines_in(file, path)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def lines_in(file: BinaryIO, path: str) -> Iterator[bytes]:
    """The lines of a file that is open. Raises DataError for one that is too long to be a line of text."""
    number = 0
    while line := file.readline(LARGEST + 1):
        number += 1
        if len(line) > LARGEST:
            raise DataError(
                f"{shown(path)}:{number}: this line has more than {LARGEST // 1_000_000} MB\n"
                "  give a text with a sentence in each line"
            )
        yield line


def unreadable(path: str, error: OSError | ValueError) -> MissingFileError:
    """What to say of a file that the system does not give; a ValueError tells that no file has such a name."""
    if getattr(error, "errno", None) == ENAMETOOLONG:
        return MissingFileError(
            f"{path[:40]}...: cannot be read: this is too long for the name of a file\n"
            "  name a file here; a sentence is given in quotes, without an option before it"
        )
    said = f"{path or EMPTY_NAME}: cannot be read: {reason(error)}"
    if getattr(error, "errno", None) == ENOENT and len(path.split()) > 2:
        said += "\n  name a file here, or - for the standard input; numbat parse takes sentences in quotes"
    return MissingFileError(said)


def cannot_be_looked_at(path: str) -> MissingFileError | None:
    """What keeps the system from telling whether there is such a file; None where it tells."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        return unreadable(path, error)
    return None


def reason(error: OSError | ValueError) -> str:
    """Why the system does not give a file."""
    return getattr(error, "strerror", None) or str(error)


def text_of(path: str, hint: str = SAVE) -> str:
    """The text of a file, `-` for standard input, without a mark of its encoding.

    Raises MissingFileError, and DataError with the places of what is not UTF-8, and the `hint` what to do.
    """
    content, name = content_of(path), shown(path)
    check_encoding(content, name, hint)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        lines = enumerate(content.removeprefix(BOM_UTF8).split(b"\n"), start=1)
        wrong = (decoded(line, name, number, hint)[1] for number, line in lines)
        raise data_error(*filter(None, wrong)) from None


def lines_of(path: str, hint: str = SAVE) -> list[str]:
    """The lines of a text, which end with LF, or CR LF; with CR where none ends with LF, as on old machines.

    A CR within a line is a blank, so that lines have the numbers that other programs give them. Raises as `text_of`.
    """
    return cut_into_lines(text_of(path, hint))


def cut_into_lines(text: str) -> list[str]:
    """The lines of a text, as `lines_of` has those of a file."""
    text = text.replace("\r\n", "\n")
    return text.replace("\r", " " if "\n" in text else "\n").split("\n")


def bare_lines(path: str) -> Iterator[bytes]:
    """The lines of `lines_of` without their ends, one by one; of standard input (`-`) each when it is there.

    Raises as `as_it_comes`.
    """
    for number, line in enumerate(as_it_comes(path)):
        if number == 0 and not line.endswith(b"\n"):
            yield from line.splitlines()
        else:
            yield line.removesuffix(b"\n").removesuffix(b"\r").replace(b"\r", b" ")


def decoded(line: bytes, name: str, number: int, hint: str = SAVE) -> tuple[str, Problem | None]:
    """A line as text, and what is wrong with it where it is not UTF-8: then a sign stands for what is no character.

    It is the line of that number in the file of that name.
    """
    try:
        return line.decode("utf-8"), None
    except UnicodeDecodeError as error:
        wrong = f"this line is not UTF-8 (byte {error.start + 1} is {line[error.start]:02X})"
        column = len(line[: error.start].decode("utf-8")) + 1
        text = line.decode("utf-8", "replace")
        quoted = quotable(text.rstrip("\r\n"))
        return text, Problem(wrong, Span(name, number, column, column + 1), hint=hint, source_line=quoted)


def check_encoding(content: bytes, name: str, hint: str = SAVE) -> None:
    """Raises DataError for a text in UTF-16, which some programs call Unicode: no line of it can be read."""
    if is_utf16(content):
        raise DataError(f"{name}: this is UTF-16, not UTF-8\n  {hint}")


def is_utf16(content: bytes) -> bool:
    """Whether a text begins with the mark of UTF-16."""
    return content.startswith((BOM_UTF16_BE, BOM_UTF16_LE))


def write_whole(path: str | Path, content: bytes | Iterator[bytes]) -> None:
    """Write a file, which is then there as a whole or is as it was before; a link to it stays one.

    `content` may come in blocks.

    A pipe or a device is written to, for nothing may take its place; so is a file in a folder that takes no new one.
    Raises OSError.
    """
    target = Path(os.path.realpath(path))
    blocks = (content,) if isinstance(content, bytes) else content
    if not _may_be_replaced(Path(os.path.abspath(path)), target):
        with open(path, "wb") as opened:
            opened.writelines(blocks)
        return
    new = target.with_name(f"{target.name}.{os.urandom(4).hex()}.part")
    try:
        file = new.open("xb")
    except OSError as error:
        if error.errno not in NO_NEIGHBOUR:
            raise
        with target.open("wb") as opened:
            opened.writelines(blocks)
        return
    try:
        with file:
            file.writelines(blocks)
        if target.exists():
            new.chmod(S_IMODE(target.stat().st_mode))
        new.replace(target)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def _may_be_replaced(named: Path, target: Path) -> bool:
    """Whether a new file may take the place of the target: `/dev/stdout` is a name of something that stays open."""
    if named.parts[:2] in (("/", "dev"), ("/", "proc")):
        return False
    return not target.exists() or (target.is_file() and os.access(target, os.W_OK))
