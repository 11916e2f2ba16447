"""What all verbs share: an error on standard error, a file written."""

from __future__ import annotations

from pathlib import Path

import click

from numbat.errors import DataError, MissingFileError, NumbatError


def complain(error: NumbatError) -> None:
    """The message of an error; one with places begins with the first of them, so that it can be clicked."""
    placed = isinstance(error, DataError) and error.problems
    click.echo(str(error) if placed else f"numbat: {error}", err=True)


def write(path: str, text: str) -> None:
    """Raises MissingFileError for a file that cannot be written."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise MissingFileError(f"{path}: cannot be written: {error.strerror}") from None
