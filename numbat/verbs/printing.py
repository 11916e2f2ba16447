"""What all verbs share: an error on standard error, a file written, how a run ends that met bad input."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from errno import EACCES, EISDIR, ENOENT, ENOTDIR
from pathlib import Path

import click

from numbat.errors import INCOMPLETE, DataError, NumbatError, UnwritableError


def complain(error: NumbatError) -> None:
    """The message of an error; one with places begins with the first of them, so that it can be clicked."""
    placed = isinstance(error, DataError) and error.problems
    with suppress(OSError):  # a full disk behind standard error leaves nobody to tell
        click.echo(str(error) if placed else f"numbat: {error}", err=True)


def write(path: str, text: str) -> None:
    """Raises UnwritableError for a file that cannot be written."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UnwritableError(path, error.strerror) from None


def write_and_say(path: str, text: str) -> None:
    """Raises UnwritableError."""
    write(path, text)
    click.echo(f"numbat: written: {path}", err=True)


class Output(click.types.StringParamType):
    """A file that a verb will write, or with `folder` a folder; one that cannot be written is told before the work."""

    def __init__(self, folder: bool = False) -> None:
        self.folder = folder
        self.name = "directory" if folder else "file"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Raises UnwritableError."""
        path = Path(value)
        wrong = _file_in_the_way(path) if self.folder else _no_file(path)
        if wrong:
            raise UnwritableError(value, os.strerror(wrong))
        return value


def _no_file(path: Path) -> int:
    """The number of the system's error that writing a file would meet, 0 for none that can be foreseen."""
    if path.exists():
        return EISDIR if path.is_dir() else 0 if os.access(path, os.W_OK) else EACCES
    if not path.parent.exists():
        return ENOENT
    if not path.parent.is_dir():
        return ENOTDIR
    return 0 if os.access(path.parent, os.W_OK | os.X_OK) else EACCES


def _file_in_the_way(path: Path) -> int:
    """The number of the error that making a folder, with those above it, would meet; 0 for none."""
    there = next(each for each in (path, *path.absolute().parents) if each.exists())
    if not there.is_dir():
        return ENOTDIR
    return 0 if os.access(there, os.W_OK | os.X_OK) else EACCES


def end(bad: int, good: int) -> None:
    """Ends a run of which `bad` sentences or trees could not be read: 75 if others were done, 65 if there are none."""
    if bad:
        sys.exit(INCOMPLETE if good else DataError.exit_code)
