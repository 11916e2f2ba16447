"""What a grid has tried so far, in a file from which it goes on: JSON, a line for each condition."""

from __future__ import annotations

import json
import os
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from numbat.errors import DataError, UnwritableError, UsageError
from numbat.files import open_regular, shown
from numbat.learning.states import no_state, state_of_others
from numbat.learning.structure.grid import Candidate, Condition, Tried
from numbat.learning.structure.selection import Judged
from numbat.parsing.dependency_model.model import Weights, no_counts
from numbat.records import frozen
from numbat.settings import record_of

if TYPE_CHECKING:
    from numbat.parsing.dependency_model.model import Numbers

VERSION: Final = 1
FIRST_LINE: Final = 1_000_000
"""The first line of a state has fewer bytes."""
About = Mapping[str, Any]
"""What a grid is of: values of JSON."""


class GridState:
    """The file of a grid. Without `resume` what is there is of another run, and is written over.

    Where it cannot be written `complain` is told, once, and the grid goes on without. Raises DataError for a file that
    is no state, and for one of another grid.
    """

    def __init__(
        self,
        path: str,
        about: About,
        tags: int,
        resume: bool = False,
        complain: Callable[[UnwritableError], object] = lambda error: None,
    ) -> None:
        self.path, self._tags, self._complain = path, tags, complain
        self._first = {"version": VERSION, **about}
        is_there = os.path.exists(path)
        if is_there and not resume:
            self._check_own()
        lines = self._read() if resume and is_there else []
        self._found = {line["condition"]: line for line in lines}
        self._is_writable = True
        self._write("w", [self._first, *lines])

    def found(self, condition: Condition) -> Tried | None:
        """What was tried under a condition before, None where nothing was."""
        line = self._found.get(condition.id)
        if line is None:
            return None
        try:
            return self._tried(condition, record_of(_Line, line, "its line"))
        except (ValueError, UsageError) as error:
            why = str(error).partition("\n")[0]
            raise no_state(self.path, f"{why}, in the line of {condition.id}") from None

    def add(self, tried: Tried) -> None:
        """Keep what was tried under a condition."""
        self._write("a", [_line(tried)])

    def remove(self) -> None:
        """The grid is whole: nothing is left to go on with."""
        with suppress(OSError):
            os.remove(self.path)

    def _check_own(self) -> None:
        """Raises DataError for a file of something else, which is not written over."""
        try:
            with open_regular(self.path) as file:
                first = json.loads(file.readline(FIRST_LINE) or b"{}")
            is_own = first == {} or (isinstance(first, dict) and "version" in first and "sentences" in first)
        except (OSError, ValueError, RecursionError):
            is_own = False
        if not is_own:
            raise DataError(f"{shown(self.path)}: a file of something else\n  name another one with --state")

    def _read(self) -> list[dict[str, Any]]:
        lines = []
        try:
            with open_regular(self.path) as file:
                texts = file.read().split(b"\n")
        except (OSError, ValueError) as error:
            raise no_state(self.path, error) from None
        for number, text in enumerate(texts[:-1], start=1):  # A line that was not finished is not counted.
            try:
                lines.append(json.loads(text))
            except (ValueError, RecursionError):
                raise no_state(self.path, f"line {number} is no JSON") from None
            if not isinstance(lines[-1], dict):
                raise no_state(self.path, f"line {number} is no object")
        if not lines:
            raise no_state(self.path, "it does not say what it is of")
        for name, value in self._first.items():
            if lines[0].get(name) != value:
                raise state_of_others(self.path, f"{name} differs")
        for number, line in enumerate(lines[1:], start=2):
            if not isinstance(line.get("condition"), str):
                raise no_state(self.path, f"line {number} is of no condition")
        return lines[1:]

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
        candidates = tuple(Candidate(condition, *each) for each in line.candidates)
        best = tuple((number, self._weights(arrays)) for number, arrays in line.best)
        if tuple(each.value for each in candidates) != condition.schedule.values:
            raise ValueError("a condition with other values of its bias")
        links = [count for each in candidates for judged in each.judged for count in judged.attachments or ()]
        if min(*(each.iterations for each in candidates), *links, 0) < 0:
            raise ValueError("a number of iterations or of links is below 0")
        if any(not 0 <= number < len(candidates) for number, _ in best):
            raise ValueError("a condition without candidates")
        return Tried(candidates, best)

    def _weights(self, arrays: Sequence[str]) -> Weights:
        import numpy as np

        stop, go, child, root = (
            _checked(np.frombuffer(b64decode(text, validate=True), "<f8").astype(float), each.shape)
            for text, each in zip(arrays, no_counts(self._tags), strict=True)
        )
        return Weights(stop, go, child, root)


@frozen
class _Line:
    """A line of the file: of each candidate the value of its bias, its iterations and how it was judged; of the best
    of them the weights."""

    condition: str
    candidates: tuple[tuple[float, int, tuple[Judged, ...]], ...]
    best: tuple[tuple[int, tuple[str, ...]], ...]


def _line(tried: Tried) -> dict[str, Any]:
    return {
        "condition": tried.candidates[0].condition.id,
        "candidates": [(each.value, each.iterations, list(map(_finite, each.judged))) for each in tried.candidates],
        "best": [
            (number, [b64encode(each.astype("<f8").tobytes()).decode() for each in weights])
            for number, weights in tried.best
        ],
    }


def _finite(judged: Judged) -> Judged:
    """JSON has no number for the likelihood of a model under which a sentence cannot be."""
    return judged._replace(likelihood=max(judged.likelihood, -sys.float_info.max))


def _checked(numbers: Numbers, shape: tuple[int, ...]) -> Numbers:
    import numpy as np

    found = numbers.reshape(shape)
    if not (np.isfinite(found).all() and (found >= 0).all() and (found <= 1 + 1e-9).all()):
        raise ValueError("a number that is no probability")
    return found
