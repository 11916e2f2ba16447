"""Where something was written, and what is wrong with it.

`Span` is the one position record of the notation, of YAML and of lexicon files; `Problem` is a mistake or a doubt
about what was written, as data; `str(problem)` is the message that a person reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from errno import ENAMETOOLONG
from os import strerror
from typing import Final, Literal

from numbat.records import frozen

LONGEST: Final = 500
"""So many characters of a line are shown in a message."""
WIDEST_TREE: Final = 160
"""A longer line of a treebank is not quoted below a message: its caret would stand anywhere."""
UNSHOWN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Control characters, signs that turn the direction of what follows, halves of a character."""
MAX_DIGITS: Final = 18
"""A number of more digits is beyond all that is counted or stands at a place."""
HALF: Final = re.compile(r"[\ud800-\udfff]")
ESCAPED: Final = re.compile(
    r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
"""In JSON: a backslash, a character in two halves, or (group 1) one half of a character alone."""
Severity = Literal["error", "warning"]


@frozen
class Span:
    """A stretch of one line of a file. Lines and columns count from 1; `end_column` is exclusive.

    Line 0 stands for the file as a whole.
    """

    path: str
    line: int
    column: int = 1
    end_column: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path

    def __lt__(self, other: Span) -> bool:
        one, two = (self.line, self.column, self.end_column), (other.line, other.column, other.end_column)
        return (self.path, *one) < (other.path, *two)

    @property
    def short(self) -> str:
        """File name and line, as reports print them: `english.pg:31`."""
        return f"{self.path.replace(chr(92), '/').rsplit('/', 1)[-1]}:{self.line}"


@frozen
class Problem:
    """A mistake (`error`) or a doubt (`warning`), with its place and its remedy.

    `expected` and `found` stand when the notation wanted one thing and met another; `hint` says what to do;
    `source_line` is the text of the line, which `str()` prints with a caret below it.
    """

    message: str
    span: Span
    severity: Severity = "error"
    expected: str = ""
    found: str = ""
    hint: str = ""
    source_line: str = ""

    def __str__(self) -> str:
        kind = "" if self.severity == "error" else "warning: "
        lines = [f"{self.span}: {kind}{self.message}"]
        if self.source_line.strip():
            lines += _quoted(self.source_line, self.span)
        if self.expected:
            lines.append(f"  expected: {self.expected}")
        if self.found:
            lines.append(f"  found: {shortened(self.found)}")
        if self.hint:
            lines.append(f"  {self.hint}")
        return "\n".join(lines)


def warning(message: str, span: Span, hint: str) -> Problem:
    """A doubt about what was written."""
    return Problem(message, span, severity="warning", hint=hint)


def _quoted(line: str, span: Span) -> list[str]:
    """The source line and the caret under it; tabs keep their width, so that the caret stands where it should."""
    begin = max(0, span.column - 1 - LONGEST // 2) if len(line) > LONGEST else 0
    line, column = _printable(line[begin : begin + LONGEST]), span.column - begin
    before = line[: column - 1]
    padding = "".join("\t" if char == "\t" else " " for char in before)
    width = max(1, min(span.end_column - begin, len(line) + 1) - column)
    return [f"    {line.rstrip()}", f"    {padding}{'^' * width}"]


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() or char == "\t" else "\N{REPLACEMENT CHARACTER}" for char in text)


def visible(text: str) -> str:
    """The text without characters that no terminal should obey and no XML file may hold."""
    return UNSHOWN.sub("\N{REPLACEMENT CHARACTER}", text)


def half_character(text: str) -> str:
    """What is wrong with a text that has half a character, which no file and no output can have; empty for others."""
    found = HALF.search(text)
    return f"U+{ord(found[0]):04X} is half a character" if found else ""


def half_escaped(line: str, path: str, number: int) -> Problem | None:
    """The first escape sequence in a line of JSON that stands for half a character."""
    for found in ESCAPED.finditer(line):
        if found[1]:
            span = Span(path, number, found.start() + 1, found.end() + 1)
            return Problem(f"{found[1]} is half a character", span, hint="write the character itself")
    return None


def quotable(line: str) -> str:
    """A line of a treebank, if it is short enough to be quoted below a message."""
    return line if len(line) <= WIDEST_TREE else ""


def shortened(text: str) -> str:
    """What was found, as far as a person may want to read it: a file may be no text, or one line of megabytes."""
    return _printable(text if len(text) <= LONGEST else f"{text[:LONGEST]}...")


def counted(number: int, what: str, several: str = "") -> str:
    """`1 error`, `1,000 errors`, `2 phenomena`: a number with what it counts."""
    return f"{number:,} {what if number == 1 else several or what + 's'}"


def whole_of(digits: str) -> int:
    """The number that decimal digits stand for; of more than 18 digits a number above all others.

    Python makes none of thousands of digits.
    """
    return int(digits) if len(digits) <= MAX_DIGITS else 10**MAX_DIGITS


def first_of(names: Sequence[str], most: int) -> str:
    """`a, b, …`: so many names at most, and whether there are others."""
    return ", ".join(names[:most]) + ", …" * (len(names) > most)


def close_match(word: str, choices: Iterable[str]) -> str:
    """`did you mean "head"?`, empty where nothing is near."""
    near = nearest(word, choices)
    return f'did you mean "{near}"?' if near else ""


def close_match_or(word: str, choices: Iterable[str], what: str) -> str:
    """What to do of an unknown name: take the near one, or do `what` to have it; what is near may not be meant."""
    near = close_match(word, choices)
    return f"{near} else {what}" if near else what


def nearest(word: str, choices: Iterable[str]) -> str:
    """The choice that may be meant, empty where none is near; one that differs only in the case of letters is first."""
    from difflib import get_close_matches  # only a mistake needs it, and every start would pay for it

    others = [choice for choice in choices if choice != word]
    near = [choice for choice in others if choice.casefold() == word.casefold()]
    near = near or get_close_matches(word, others, n=1, cutoff=0.6)
    return near[0] if near else ""


# The errors that Numbat raises, all under one root.
#
#     NumbatError                    anything that went wrong; `exit_code` is what the command line returns
#     ├── UsageError           (2)   an argument that makes no sense: an unknown profile, a limit below zero
#     ├── DataError           (65)   input that cannot be read: a tagged word without tag, a broken bracket
#     │   └── GrammarError    (65)   a grammar file with mistakes; `problems` holds all of them, with their places
#     ├── MissingFileError    (66)   a file that is not there or cannot be opened
#     ├── MissingExtraError   (69)   a library of an extra that is not installed; the message names the extra
#     ├── WorkersError        (71)   processes of a run that end whatever they are given
#     └── UnwritableError     (73)   a file that cannot be written
#
# A sentence outside the grammar is no error: it is a parse with violations. Where some sentences or trees cannot
# be read, the others are, and the command line returns `INCOMPLETE`.

INCOMPLETE: Final = 75
"""The exit code where a part of the input was bad and the rest was done."""
EMPTY_NAME: Final = '""'
"""How a name is shown that is empty."""
OUTPUT_FAILED: Final = 74
"""The exit code where results cannot be written to standard output, or a file stops being readable."""

MAX_TOLD: Final = 100
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
    """What is wrong with input, one after the other; the message ends after `MAX_TOLD`, and says how many more."""
    return DataError(_told(problems), problems)


def joined_error(errors: Sequence[DataError]) -> DataError:
    """Several errors as one, which is told in the same way."""
    return DataError(_told(errors), [problem for error in errors for problem in error.problems])


def _told(mistakes: Sequence[object]) -> str:
    told = [str(mistake) for mistake in mistakes[:MAX_TOLD]]
    if (more := len(mistakes) - MAX_TOLD) > 0:
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
