"""State files of a grid, from which learning resumes: JSON lines, one per condition."""

from __future__ import annotations

import json
import os
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from numbat.errors import DataError, UnwritableError, UsageError
from numbat.files import check_is_file, open_regular, shown
from numbat.records import frozen
from numbat.runs.record import FIRST_LINE, WRITTEN_BY, About, check_known, no_state, state_of_others
from numbat.settings import mapping_of, record_of, why_unread
from numbat.structure.grid import Candidate, Condition, Judged, Tried
from numbat.structure.model import EventWeights, no_counts
from numbat.version import __version__

if TYPE_CHECKING:
    from numbat.structure.model import Numbers


GRID_VERSION: Final = 1


class GridState:
    """State file of a grid. Without `resume` an existing state is overwritten.

    If it cannot be written, `complain` is called once and the grid continues. Raises DataError for a file that is not a
    state, and for the state of another grid.
    """

    def __init__(
        self,
        path: str,
        about: About,
        tags: int,
        resume: bool = False,
        complain: Callable[[UnwritableError], object] = lambda error: None,
    ) -> None:
        check_is_file(path, "a state")
        self.path, self._tags, self._complain = path, tags, complain
        self._asked = {"version": GRID_VERSION, **about}
        is_there = os.path.exists(path)
        if is_there and not resume:
            self._check_own()
        first, *lines = self._read() if resume and is_there else [{**self._asked, WRITTEN_BY: __version__}]
        self._written_by = first.get(WRITTEN_BY)
        self._found = {line["condition"]: line for line in lines}
        self._is_writable = True
        self._write("w", [first, *lines])

    def found(self, condition: Condition) -> Tried | None:
        """Return the stored result of a condition, or None."""
        line = self._found.get(condition.id)
        if line is None:
            return None
        try:
            return self._tried(condition, record_of(_Line, line, "its line"))
        except ValueError as error:
            raise no_state(self.path, f"{error}, in the line of {condition.id}") from None
        except UsageError as error:
            why = why_unread(error, self._written_by)
            raise no_state(self.path, f"{why}, in the line of {condition.id}") from None

    def add(self, tried: Tried) -> None:
        """Store the result of a condition."""
        self._write("a", [mapping_of(_line(tried))])

    def remove(self) -> None:
        """Remove the file of a completed grid."""
        with suppress(OSError):
            os.remove(self.path)

    def _check_own(self) -> None:
        """Raise DataError for a file that is not a state, to avoid overwriting it."""
        try:
            with open_regular(self.path) as file:
                first = json.loads(file.readline(FIRST_LINE) or b"{}")
            is_own = first == {} or (isinstance(first, dict) and "version" in first and "sentences" in first)
        except (OSError, ValueError, RecursionError):
            is_own = False
        if not is_own:
            raise DataError(f"{shown(self.path)}: not a state of learning structure\n  name another file with --state")

    def _read(self) -> list[dict[str, Any]]:
        lines = []
        try:
            with open_regular(self.path) as file:
                texts = file.read().split(b"\n")
        except (OSError, ValueError) as error:
            raise no_state(self.path, error) from None
        for number, text in enumerate(texts[:-1], start=1):  # an unfinished last line is ignored
            try:
                lines.append(json.loads(text))
            except (ValueError, RecursionError):
                raise no_state(self.path, f"line {number} is not JSON") from None
            if not isinstance(lines[-1], dict):
                raise no_state(self.path, f"line {number} is not an object")
        if not lines:
            raise no_state(self.path, "its first line is missing")
        check_known(self.path, lines[0], {*self._asked, WRITTEN_BY})
        for name, value in self._asked.items():
            if lines[0].get(name) != value:
                raise state_of_others(self.path, f"{name} differs")
        for number, line in enumerate(lines[1:], start=2):
            if not isinstance(line.get("condition"), str):
                raise no_state(self.path, f"line {number} names no condition")
        return lines

    def _write(self, mode: str, lines: list[dict[str, Any]]) -> None:
        if not self._is_writable:
            return
        try:
            with open(self.path, mode, encoding="utf-8") as file:
                file.write("".join(json.dumps(line) + "\n" for line in lines))
        except OSError as error:
            self._is_writable = False
            self._complain(UnwritableError(self.path, error.strerror))

    def _tried(self, condition: Condition, line: _Line) -> Tried:
        candidates = tuple(
            Candidate(condition, entry.value, entry.iterations, entry.judged) for entry in line.candidates
        )
        best = tuple((entry.number, self._weights(entry.weights)) for entry in line.best)
        if tuple(candidate.value for candidate in candidates) != condition.schedule.values:
            raise ValueError("a condition has other values of its bias")
        links = [count for candidate in candidates for judged in candidate.judged for count in judged.attachments or ()]
        if min(*(candidate.iterations for candidate in candidates), *links, 0) < 0:
            raise ValueError("a number of iterations or links is negative")
        if any(not 0 <= number < len(candidates) for number, _ in best):
            raise ValueError("a condition has no such candidate")
        return Tried(candidates, best)

    def _weights(self, arrays: _Arrays) -> EventWeights:
        import numpy as np

        stop, go, child, root = (
            _checked(np.frombuffer(b64decode(text, validate=True), "<f8").astype(float), empty.shape)
            for text, empty in zip(arrays, no_counts(self._tags), strict=True)
        )
        return EventWeights(stop, go, child, root)


class _Candidate(NamedTuple):
    """A `Candidate` without its condition, which is at the beginning of the line."""

    value: float
    iterations: int
    judged: tuple[Judged, ...]


class _Arrays(NamedTuple):
    """The arrays of `EventWeights` in base64."""

    stop: str
    go: str
    child: str
    root: str


class _Best(NamedTuple):
    """The number of the best candidate by a criterion, and its weights."""

    number: int
    weights: _Arrays


@frozen
class _Line:
    """A line of the file: the candidates of a condition and the best ones."""

    condition: str
    candidates: tuple[_Candidate, ...]
    best: tuple[_Best, ...]


def _line(tried: Tried) -> _Line:
    return _Line(
        tried.candidates[0].condition.id,
        tuple(
            _Candidate(candidate.value, candidate.iterations, tuple(map(_finite, candidate.judged)))
            for candidate in tried.candidates
        ),
        tuple(_Best(number, _Arrays(*map(_as_text, weights))) for number, weights in tried.best),
    )


def _as_text(numbers: Numbers) -> str:
    return b64encode(numbers.astype("<f8").tobytes()).decode()


def _finite(judged: Judged) -> Judged:
    """Replace an infinite log likelihood, which JSON cannot express."""
    return judged._replace(likelihood=max(judged.likelihood, -sys.float_info.max))


def _checked(numbers: Numbers, shape: tuple[int, ...]) -> Numbers:
    import numpy as np

    shaped = numbers.reshape(shape)
    if not (np.isfinite(shaped).all() and (shaped >= 0).all() and (shaped <= 1 + 1e-9).all()):
        raise ValueError("a number is not a probability")
    return shaped
