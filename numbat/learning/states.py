"""What is said of files from which learning cannot go on."""

from __future__ import annotations

from numbat.errors import DataError
from numbat.files import shown


def no_state(path: str, why: object) -> DataError:
    """A file that is no state of learning."""
    return DataError(f"{shown(path)}: not a state of learning: {why}\n  leave --resume out to begin anew")


def state_of_others(path: str, what: str) -> DataError:
    """A state of learning by other settings, or from other data: `what` differs."""
    return DataError(
        f"{shown(path)}: the state of other learning: {what}\n  learn as before, or leave --resume out to begin anew"
    )
