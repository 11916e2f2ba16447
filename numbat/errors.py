"""Positions in source text, problems found there, and the classes of Numbat's errors.

`Span` is the position in the notation, YAML and lexicon files; `Problem` is a mistake or doubtful place as data;
`str(problem)` is the message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from errno import ENAMETOOLONG
from os import strerror
from pathlib import Path
from typing import Final, Literal
from unicodedata import category, east_asian_width

from numbat.records import frozen, pattern
from numbat.version import __version__

MAX_SHOWN: Final = 500
"""Maximum characters of a line in a message."""
LONGEST: Final = 4 * MAX_SHOWN
"""Maximum characters of a message."""
WIDEST_TREE: Final = 160
"""Maximum length of a treebank line that is quoted below a message."""
UNSHOWN: Final = pattern(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Control characters, bidirectional controls, lone surrogates."""
MAX_DIGITS: Final = 18
"""Maximum digits of a count or position."""
HALF: Final = pattern(r"[\ud800-\udfff]")
ESCAPED: Final = pattern(
    r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
"""In JSON: an escaped backslash, a surrogate pair, or (group 1) a lone surrogate."""
Severity = Literal["error", "warning", "note"]


@frozen
class Span:
    """Range of columns in one line of a file. Lines and columns count from 1; `end_column` is exclusive.

    Line 0 means the whole file.
    """

    path: str
    line: int
    column: int = 1
    end_column: int = 0

    def __str__(self) -> str:
        path = visible(self.path)
        return f"{path}:{self.line}:{self.column}" if self.line else path

    def __lt__(self, other: Span) -> bool:
        one, two = (self.line, self.column, self.end_column), (other.line, other.column, other.end_column)
        return (self.path, *one) < (other.path, *two)

    @property
    def short(self) -> str:
        """File name and line for reports: `english.pg:31`."""
        return f"{self.path.replace(chr(92), '/').rsplit('/', 1)[-1]}:{self.line}"

    def seen_from(self, other: Span) -> str:
        """Return the place for a message about another one: `line 31`, or `english.pg:31` in another file."""
        return f"line {self.line}" if self.path == other.path else self.short


@frozen
class Problem:
    """A mistake (`error`), doubtful place (`warning`) or possible misunderstanding (`note`), with place and hint.

    `expected` and `found` are set if the notation required something else; `hint` says what to do; `source_line` is the
    text of the line, which `str()` prints with a caret below it.
    """

    message: str
    span: Span
    severity: Severity = "error"
    expected: str = ""
    found: str = ""
    hint: str = ""
    source_line: str = ""

    def __str__(self) -> str:
        kind = "" if self.severity == "error" else f"{self.severity}: "
        lines = [f"{self.span}: {kind}{_cut(self.message)}"]
        if self.source_line.strip():
            lines += _quoted(self.source_line, self.span)
        if self.expected:
            lines.append(f"  expected: {_cut(self.expected)}")
        if self.found:
            lines.append(f"  found: {shortened(self.found)}")
        if self.hint:
            lines.append(f"  {_cut(self.hint)}")
        return "\n".join(lines)


def warning(message: str, span: Span, hint: str) -> Problem:
    """Return a problem of severity `warning`."""
    return Problem(message, span, severity="warning", hint=hint)


def note(message: str, span: Span, hint: str) -> Problem:
    """Return a problem of severity `note`: correct, but possibly misunderstood."""
    return Problem(message, span, severity="note", hint=hint)


def _quoted(line: str, span: Span) -> list[str]:
    """Return the source line and carets below the span, placed by the widths of characters on a terminal."""
    begin = max(0, span.column - 1 - MAX_SHOWN // 2) if len(line) > MAX_SHOWN else 0
    line, column = _printable(line[begin : begin + MAX_SHOWN]), span.column - begin
    before = line[: column - 1]
    padding = "".join("\t" if char == "\t" else " " * columns_of(char) for char in before)
    width = max(1, columns(line[column - 1 : max(column, span.end_column - begin) - 1]))
    return [f"    {line.rstrip()}", f"    {padding}{'^' * width}"]


def columns(text: str) -> int:
    """Return the columns that a text needs on a terminal: two for a Chinese character, none for a combining accent."""
    return sum(columns_of(char) for char in text)


def columns_of(char: str) -> int:
    """Return the columns that a character needs on a terminal."""
    if category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() or char == "\t" else "\N{REPLACEMENT CHARACTER}" for char in text)


def visible(text: str) -> str:
    """Return the text with replacements for control characters and others that terminals or XML cannot take."""
    return UNSHOWN.sub("\N{REPLACEMENT CHARACTER}", text)


def half_character(text: str) -> str:
    """Return a message if the text contains a lone surrogate, else an empty text."""
    match = HALF.search(text)
    return f"U+{ord(match[0]):04X} is half a character" if match else ""


def half_escaped(line: str, path: str, number: int) -> Problem | None:
    """Return the problem of the first escaped lone surrogate in a line of JSON; None if there is none."""
    for match in ESCAPED.finditer(line):
        if match[1]:
            span = Span(path, number, match.start() + 1, match.end() + 1)
            return Problem(f"{match[1]} is half a character", span, hint="write the character itself")
    return None


def quotable(line: str) -> str:
    """Return a line of a treebank if it is short enough to quote below a message, else an empty text."""
    return line if len(line) <= WIDEST_TREE else ""


def shortened(text: str) -> str:
    """Return the text in printable form, cut to `MAX_SHOWN` characters."""
    return _printable(text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}...")


def _cut(text: str) -> str:
    """Return a message, cut if a huge word of a file makes it too long."""
    return text if len(text) <= LONGEST else f"{text[:MAX_SHOWN]}..."


def counted(number: int, what: str, several: str = "") -> str:
    """Return a number with its noun: `1 error`, `1,000 errors`, `2 phenomena`."""
    return f"{number:,} {what if number == 1 else several or what + 's'}"


def whole_of(digits: str) -> int:
    """Return the integer for decimal digits; a huge one for more than 18 digits, which Python may refuse to convert."""
    return int(digits) if len(digits) <= MAX_DIGITS else 10**MAX_DIGITS


IN_FULL: Final = ContextVar("IN_FULL", default=False)
"""True if messages list all places and not only the first ones, as with -v."""


def first_of(names: Sequence[str], most: int) -> str:
    """Return the first names of a list, with an ellipsis if there are others: `a, b, …`; all of them if `IN_FULL`."""
    most = len(names) if IN_FULL.get() else most
    return ", ".join(names[:most]) + ", …" * (len(names) > most)


def either(names: Iterable[str]) -> str:
    """Return one or more names as alternatives: `a, b or c`."""
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last


def close_match(word: str, choices: Iterable[str]) -> str:
    """Return `did you mean "head"?`, or an empty text if no choice is close."""
    near = nearest(word, choices)
    return f'did you mean "{near}"?' if near else ""


def close_match_or(word: str, choices: Iterable[str], what: str) -> str:
    """Return a hint for an unknown name: the close match, if there is one, and `what`, the other way to correct it."""
    near = close_match(word, choices)
    return f"{near} else {what}" if near else what


MAX_COMPARED: Final = 300_000
"""Maximum number of names compared with unknown ones in a block `comparing`, which takes a few seconds."""
_left: Final[ContextVar[list[int] | None]] = ContextVar("left", default=None)


@contextmanager
def comparing() -> Iterator[None]:
    """Limit the search for close matches in the block to `MAX_COMPARED` comparisons."""
    before = _left.set([MAX_COMPARED])
    try:
        yield
    finally:
        _left.reset(before)


def nearest(word: str, choices: Iterable[str]) -> str:
    """Return the closest choice, empty if none is close; one that differs only in case wins."""
    from difflib import get_close_matches  # only mistakes need it

    left = _left.get()
    if left is not None and left[0] <= 0:
        return ""
    others = [choice for choice in choices if choice != word]
    if left is not None:
        left[0] -= len(others)
    near = [choice for choice in others if choice.casefold() == word.casefold()]
    near = near or get_close_matches(word, others, n=1, cutoff=0.6)
    return near[0] if near else ""


# Error tree
#
#     NumbatError                    base class of all errors; `exit_code` is the exit code of the command line
#     ├── UsageError           (2)   an invalid argument: an unknown profile, a negative limit
#     ├── DataError           (65)   input that cannot be read: a tagged word without tag, a broken bracket
#     │   └── GrammarError    (65)   a grammar file with mistakes; `problems` holds all of them, with their places
#     ├── MissingFileError    (66)   a file that is missing or cannot be opened
#     ├── MissingExtraError   (69)   a library or the models of an extra that are not installed; the message names it
#     ├── WorkersError        (71)   processes of a run that end on any input
#     └── UnwritableError     (73)   a file that cannot be written
#
# A sentence outside the grammar is not an error: it is a parse with violations. If some sentences or trees cannot
# be read, the others are parsed, and the command line returns `INCOMPLETE`.

INCOMPLETE: Final = 75
"""Exit code if part of the input was bad and the rest was processed."""
EMPTY_NAME: Final = '""'
"""Placeholder for an empty name."""
OUTPUT_FAILED: Final = 74
"""Exit code if standard output cannot be written or a file stops being readable."""

MAX_TOLD: Final = 100
"""Maximum mistakes of a file that a message lists."""
NO_MEMORY: Final = 71
"""Exit code if memory runs out."""


class NumbatError(Exception):
    """Base class of all Numbat errors."""

    exit_code = 1


class UsageError(NumbatError):
    """An invalid argument."""

    exit_code = 2


class ArgumentError(UsageError, TypeError):
    """A keyword argument that a function does not take."""


class DataError(NumbatError):
    """Input that cannot be read; `problems` holds every mistake that has a place."""

    exit_code = 65

    def __init__(self, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


def data_error(*problems: Problem) -> DataError:
    """Return one error for several mistakes; the message lists `MAX_TOLD` of them and counts the rest."""
    return DataError(_listed(problems), problems)


def joined_error(errors: Sequence[DataError]) -> DataError:
    """Return several errors as one, formatted in the same way."""
    return DataError(_listed(errors), [problem for error in errors for problem in error.problems])


def _listed(mistakes: Sequence[object]) -> str:
    texts = [str(mistake) for mistake in mistakes[:MAX_TOLD]]
    if (more := len(mistakes) - MAX_TOLD) > 0:
        texts.append(f"and {counted(more, 'mistake')} more")
    return "\n".join(texts)


class GrammarError(DataError):
    """A grammar with mistakes; `problems` has all of them, in the order of the file."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)), problems)


class MissingFileError(NumbatError):
    """A file that does not exist or cannot be opened."""

    exit_code = 66


class MissingExtraError(NumbatError):
    """An optional dependency that is not installed."""

    exit_code = 69


def require_numpy(what: str) -> None:
    """Raise MissingExtraError if numpy is missing."""
    _require("numpy", "sequence", what)


def require_statistics(what: str) -> None:
    """Raise MissingExtraError if numpy or scipy is missing."""
    _require("numpy", "statistics", what)
    _require("scipy", "statistics", what)


def require_scipy(what: str) -> None:
    """Raise MissingExtraError if scipy is missing."""
    _require("scipy", "learning", what)


def require_sentencex(what: str) -> None:
    """Raise MissingExtraError if sentencex is missing."""
    _require("sentencex", "text", what)


def require_pygls(what: str) -> None:
    """Raise MissingExtraError if pygls is missing."""
    _require("pygls", "editor", what)


def require_pyarrow(what: str) -> None:
    """Raise MissingExtraError if pyarrow is missing."""
    _require("pyarrow", "parquet", what)


def require_openpyxl(what: str) -> None:
    """Raise MissingExtraError if openpyxl is missing."""
    _require("openpyxl", "excel", what)


def _require(library: str, extra: str, what: str) -> None:
    try:
        __import__(library)
    except ImportError:
        raise MissingExtraError(f"{what} needs {library}\n  {installing(extra)}") from None


def is_checkout() -> bool:
    """True if Numbat runs from its sources and not from an installed wheel."""
    return (Path(__file__).parents[1] / "setup.py").is_file()


def installing(extra: str = "") -> str:
    """Return the command that installs Numbat with an extra, from its folder in a checkout, else by name."""
    if is_checkout():
        return "in the folder of Numbat: pip install -e " + (f"'.[{extra}]'" if extra else ".")
    return f"pip install 'numbat-pg[{extra}]=={__version__}'" if extra else f"pip install numbat-pg=={__version__}"


class WorkersError(NumbatError):
    """Worker processes that die on every input."""

    exit_code = 71


class UnwritableError(NumbatError):
    """A file or a folder that cannot be written."""

    exit_code = 73

    def __init__(self, path: object, reason: str | None, hint: str = "") -> None:
        hint = hint or "give another place with write permission and space"
        if reason == strerror(ENAMETOOLONG):
            hint = "give a shorter name"
        super().__init__(f"{path or EMPTY_NAME}: cannot be written: {reason}\n  {hint}")
