"""Files of users: their bytes, their text, which is UTF-8, and writing them; and the folders that come with Numbat."""

from __future__ import annotations

import os
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from errno import EACCES, ENAMETOOLONG, ENOENT, EPERM, EROFS
from pathlib import Path
from stat import S_IMODE
from typing import Final, Literal

from numbat.errors import EMPTY_NAME, DataError, MissingFileError

SAVE: Final = "save the file in the encoding UTF-8"
NO_NEIGHBOUR: Final = (EACCES, EPERM, EROFS, ENAMETOOLONG)
"""Errors of a folder that takes no new file, though it may have one that can be written, or of the longer name."""


def packaged_folder(name: Literal["grammars", "corpora"]) -> Path:
    """The folder of the grammars, or of the judged sentences, that come with Numbat.

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
    """What a file holds, `-` for standard input. Raises MissingFileError."""
    try:
        if path == "-":
            return sys.stdin.buffer.read()
        with open(path, "rb") as file:  # `Path("")` would be the folder in which one is
            return file.read()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def as_it_comes(path: str) -> Iterator[bytes]:
    """What a file holds, line by line; of standard input (`-`) each line when it is there. Raises MissingFileError."""
    try:
        if path == "-":
            yield from sys.stdin.buffer
        else:
            with open(path, "rb") as file:
                yield from file
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


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

    Raises MissingFileError, and DataError with the line of what is not UTF-8, and the `hint` what to do.
    """
    content = content_of(path)
    check_encoding(content, shown(path), hint)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number, begin = error.object.count(b"\n", 0, error.start) + 1, error.object.rfind(b"\n", 0, error.start) + 1
        line = error.object[begin : error.end]
        raise DataError(f"{shown(path)}:{number}: {decoded(line)[1]}\n  {hint}") from None


def lines_of(path: str, hint: str = SAVE) -> list[str]:
    """The lines of a text, whatever ends them. Raises as `text_of`."""
    return text_of(path, hint).replace("\r\n", "\n").replace("\r", "\n").split("\n")


def decoded_line(line: bytes, place: str) -> str:
    """A line of a text that is read line by line. Raises DataError with its `place`, which is `file:line`."""
    text, wrong = decoded(line)
    if wrong:
        raise DataError(f"{place}: {wrong}\n  {SAVE}")
    return text


def decoded(line: bytes) -> tuple[str, str]:
    """A line as text, and what is wrong with it where it is not UTF-8: then a sign stands for what is no character."""
    try:
        return line.decode("utf-8"), ""
    except UnicodeDecodeError as error:
        wrong = f"this line is not UTF-8 (byte {error.start + 1} is {line[error.start]:02X})"
        return line.decode("utf-8", "replace"), wrong


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
