"""The errors that Numbat raises, all under one root.

    NumbatError                    anything that went wrong; `exit_code` is what the command line returns
    ├── UsageError           (2)   an argument that makes no sense: an unknown profile, a limit below zero
    ├── DataError           (65)   input that cannot be read: a tagged word without tag, a broken bracket
    │   └── GrammarError    (65)   a grammar file with mistakes; `problems` holds all of them, with their places
    ├── MissingFileError    (66)   a file that is not there or cannot be opened
    ├── MissingExtraError   (69)   a library of an extra that is not installed; the message names the extra
    ├── WorkersError        (71)   processes of a run that end whatever they are given
    └── UnwritableError     (73)   a file that cannot be written

A sentence outside the grammar is no error: it is a parse with violations. Where some sentences or trees cannot
be read, the others are, and the command line returns `INCOMPLETE`.
"""

from __future__ import annotations

from collections.abc import Sequence
from errno import ENAMETOOLONG
from os import strerror
from typing import Final

from numbat.source import Problem, counted

INCOMPLETE: Final = 75
"""The exit code where a part of the input was bad and the rest was done."""
EMPTY_NAME: Final = '""'
"""How a name is shown that is empty."""
OUTPUT_FAILED: Final = 74
"""The exit code where results cannot be written to standard output, or a file stops being readable."""

MOST_TOLD: Final = 100
"""So many mistakes of a file are told one by one."""
NO_MEMORY: Final = 71
"""The exit code where the system gives no more memory."""


class NumbatError(Exception):
    """Root of all errors of Numbat."""

    exit_code = 1


class UsageError(NumbatError):
    """An argument that makes no sense."""

    exit_code = 2


class DataError(NumbatError):
    """Input that cannot be read; `problems` holds every mistake that has a place."""

    exit_code = 65

    def __init__(self, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


def data_error(*problems: Problem) -> DataError:
    """What is wrong with input, one after the other; the message ends after `MOST_TOLD`, and says how many more."""
    return DataError(_told(problems), problems)


def joined_error(errors: Sequence[DataError]) -> DataError:
    """Several errors as one, which is told in the same way."""
    return DataError(_told(errors), [problem for error in errors for problem in error.problems])


def _told(mistakes: Sequence[object]) -> str:
    told = [str(mistake) for mistake in mistakes[:MOST_TOLD]]
    if (more := len(mistakes) - MOST_TOLD) > 0:
        told.append(f"and {counted(more, 'mistake')} more")
    return "\n".join(told)


class GrammarError(DataError):
    """A grammar with mistakes, all of them in `problems`, in the order of the file."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)), problems)


class MissingFileError(NumbatError):
    """A file that is not there or cannot be opened."""

    exit_code = 66


class MissingExtraError(NumbatError):
    """A library of an extra that is not installed."""

    exit_code = 69


def require_numpy(what: str) -> None:
    """Raises MissingExtraError where numpy is missing, which so much needs."""
    _require("numpy", "sequence", what)


def require_scipy(what: str) -> None:
    """Raises MissingExtraError where scipy is missing, which so much needs."""
    _require("scipy", "learning", what)


def _require(library: str, extra: str, what: str) -> None:
    try:
        __import__(library)
    except ImportError:
        hint = f"in the folder of Numbat: pip install -e '.[{extra}]'"
        raise MissingExtraError(f"{what} needs {library}\n  {hint}") from None


class WorkersError(NumbatError):
    """Processes of a run that end whatever they are given."""

    exit_code = 71


class UnwritableError(NumbatError):
    """A file or a folder that cannot be written."""

    exit_code = 73

    def __init__(self, path: object, reason: str | None) -> None:
        hint = "give a place where you may write and there is room"
        if reason == strerror(ENAMETOOLONG):
            hint = "give a shorter name"
        super().__init__(f"{path or EMPTY_NAME}: cannot be written: {reason}\n  {hint}")
