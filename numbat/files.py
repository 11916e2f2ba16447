"""Files of users as they come: their bytes, and their text, which is UTF-8."""

from __future__ import annotations

import os
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from errno import ENAMETOOLONG
from pathlib import Path
from typing import Final

from numbat.errors import EMPTY_NAME, DataError, MissingFileError

SAVE: Final = "save the file in the encoding UTF-8"


def shown(path: str) -> str:
    """The name of a file in messages; `-` is standard input."""
    return "<stdin>" if path == "-" else path


def content_of(path: str) -> bytes:
    """What a file holds, `-` for standard input. Raises MissingFileError."""
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def unreadable(path: str, error: OSError | ValueError) -> MissingFileError:
    """What to say of a file that the system does not give; a ValueError tells that no file has such a name."""
    if getattr(error, "errno", None) == ENAMETOOLONG:
        return MissingFileError(
            f"{path[:40]}...: cannot be read: this is too long for the name of a file\n"
            "  name a file here; a sentence is given in quotes, without an option before it"
        )
    return MissingFileError(f"{path or EMPTY_NAME}: cannot be read: {reason(error)}")


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
        line = error.object.count(b"\n", 0, error.start) + 1
        raise DataError(f"{shown(path)}:{line}: not UTF-8 (byte {error.object[error.start]:02X})\n  {hint}") from None


def lines_of(path: str, hint: str = SAVE) -> list[str]:
    """The lines of a text, whatever ends them. Raises as `text_of`."""
    return text_of(path, hint).replace("\r\n", "\n").replace("\r", "\n").split("\n")


def decoded_line(line: bytes, place: str) -> str:
    """A line of a text that is read line by line. Raises DataError with its `place`, which is `file:line`."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"byte {error.start + 1} is {line[error.start]:02X}"
        raise DataError(f"{place}: this line is not UTF-8 ({found})\n  {SAVE}") from None


def check_encoding(content: bytes, name: str, hint: str = SAVE) -> None:
    """Raises DataError for a text in UTF-16, which some programs call Unicode: no line of it can be read."""
    if is_utf16(content):
        raise DataError(f"{name}: this is UTF-16, not UTF-8\n  {hint}")


def is_utf16(content: bytes) -> bool:
    """Whether a text begins with the mark of UTF-16."""
    return content.startswith((BOM_UTF16_BE, BOM_UTF16_LE))
