"""Coverage of the lines of Numbat."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

import numbat

PACKAGE: Final = str(Path(numbat.__file__).parent)


class LinesReached:
    """A context in which every new line of Numbat that is reached is noted; a code that is done is not watched."""

    def __init__(self) -> None:
        self._left: dict[CodeType, set[int]] = {}
        self._reached: dict[str, set[int]] = {}

    def __enter__(self) -> None:
        sys.settrace(self._called)

    def __exit__(self, *error: object) -> None:
        sys.settrace(None)

    def by_file(self) -> dict[str, list[int]]:
        """The lines by file, whose name begins below the package."""
        return {name.removeprefix(PACKAGE + "/"): sorted(lines) for name, lines in self._reached.items()}

    def _called(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE):
            return None
        left = self._left.get(code)
        if left is None:
            left = self._left[code] = {line for _, _, line in code.co_lines() if line}
        return self._line if left else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        self._left[frame.f_code].discard(frame.f_lineno)
        self._reached.setdefault(frame.f_code.co_filename, set()).add(frame.f_lineno)
        return self._line


@cache
def lines_of(file: str) -> frozenset[int]:
    """Return the lines of functions of a module, given its file relative to the package; imports run only once."""
    path = Path(PACKAGE, file)
    found: set[int] = set()
    codes = [each for each in compile(path.read_bytes(), str(path), "exec").co_consts if isinstance(each, CodeType)]
    while codes:
        code = codes.pop()
        codes += [each for each in code.co_consts if isinstance(each, CodeType)]
        if code.co_flags & 0x2:  # a function, not the body of a class, which runs on import
            found |= {line for _, _, line in code.co_lines() if line and line != code.co_firstlineno}
    return frozenset(found)
