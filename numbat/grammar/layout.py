"""Formats texts in the notation: spaces, indentation, empty lines. Also reads their comments.

Formatting changes or moves no word, breaks or joins no line, and keeps comments. A line in which other spaces would
change the meaning stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Final, NamedTuple

from numbat.errors import GrammarError, Span
from numbat.grammar import notation
from numbat.grammar.notation import ParseLine

INDENT: Final = 4
"""Number of spaces before members of a section or construction; further lines of a member have twice as many."""
GAP: Final = 1
"""Minimum number of spaces between a statement and the comment after it."""
_PIECE: Final = re.compile(
    r'(?P<string>"(?:[^"\\]|\\.)*"?)|(?P<comment>#.*)|(?P<blank>[^\S\n]+)|(?P<open>[\[({])|(?P<close>[\])}])'
    r"|(?P<mark>[,;:])|(?P<sign><=|>=|!=|=>|~>|->|[<>=|&+≺⊕⇒⊗⇎⤳⇝↝])|(?P<word>[^\s\"#\[({\])},;:<>=|&+≺⊕⇒⊗⇎⤳⇝↝!~-]+|.)"
)


def laid_out(text: str, path: str = "<grammar>", parse_line: ParseLine = notation.parse) -> str:
    """Return a text in the notation in the usual layout. Raises GrammarError if it has mistakes."""
    lines = re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff"))
    whole = "\n".join(lines)
    _, problems = notation.read(whole, path, parse_line)
    if problems:
        raise GrammarError(problems)
    begins = {line.span.line: line for line in notation.logical_lines(whole, path)}
    rows: list[str] = []
    columns = _Columns()
    number = 1
    while number <= len(lines):
        logical = begins.get(number)
        last = number + (logical.text.count("\n") if logical is not None else 0)
        rows += _logical(lines[number - 1 : last], logical is not None and logical.indented, columns)
        number = last + 1
    made = _one_empty_line(rows)
    same = _said(made, path, parse_line) == _said(whole, path, parse_line)
    return made if same else _line_by_line(whole, path, rows)


class Remarks(NamedTuple):
    """Comments of a grammar: those at the head of the text, and, by line number, the comment behind or above a line."""

    head: tuple[str, ...]
    behind: dict[int, str]


def remarks_of(text: str) -> Remarks:
    """Return the comments of a text in the notation; line numbers count from 1."""
    head: list[str] = []
    behind: dict[int, str] = {}
    above: list[str] = []
    squares, is_head = 0, True
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        code, comment, squares = _pieces(line.strip(), squares)
        said = comment.removeprefix("#").strip()
        is_head = is_head and not code and bool(comment)
        if is_head:
            head.append(said)
        elif not code:
            above = [*above, said] if comment else []
        elif said or above:
            behind[number] = said or " ".join(above)
        if code:
            above = []
    return Remarks(tuple(head), behind)


@dataclass
class _Columns:
    """Column of the previous line's comment, before and after formatting; a comment aligned below it moves along."""

    before: int = -1
    now: int = -1


def _logical(lines: list[str], indented: bool, columns: _Columns) -> Iterator[str]:
    """Yield with the usual spaces the lines of one statement, which may be broken within brackets, or an empty line."""
    squares = 0
    for number, line in enumerate(lines):
        bare = line.strip()
        code, comment, squares = _pieces(bare, squares)
        level = INDENT * (indented + (number > 0 and bare[:1] not in ("]", ")", "}")))
        if not code:
            level = INDENT if line[:1].isspace() and not number else level if line[:1].isspace() else 0
        column = len(line.rstrip()) - len(comment)
        goes_on = not code and comment and column == columns.before > INDENT
        at = columns.now if goes_on else max(level + len(code) + GAP, column) if code else level
        columns.before, columns.now = (column, at) if comment else (-1, -1)
        yield (" " * level + code).ljust(at) + comment if comment else " " * level * bool(code) + code


def _pieces(line: str, squares: int) -> tuple[str, str, int]:
    """Return a line's code with the usual spaces, its comment, and how many square brackets are open at its end."""
    made, comment, was_blank = "", "", False
    before = ""
    for match in _PIECE.finditer(line):
        kind, piece = str(match.lastgroup), match[0]
        if kind == "comment":
            comment = piece.rstrip()
            break
        if kind == "blank":
            was_blank = True
            continue
        if _has_blank(before, kind, piece, was_blank, squares) and made:
            made += " "
        squares += (piece == "[") - (piece == "]")
        made += piece
        before = piece if kind == "mark" else "inner sign" if kind == "sign" and squares else kind
        was_blank = False
    return made, comment, max(0, squares)


def _has_blank(before: str, kind: str, piece: str, was_blank: bool, squares: int) -> bool:
    """True if a space belongs before a piece; `before` is the kind of the previous piece, or a punctuation mark."""
    if before in ("open", "inner sign") or kind == "close" or piece in (",", ";", ":"):
        return False
    if before in (",", ";", ":"):
        return True
    if kind == "sign":
        return not squares
    return was_blank or before == "sign" or (before == "word" and (kind == "string" or piece == "{"))


def _one_empty_line(lines: list[str]) -> str:
    """Join lines; drop empty lines at both ends, and leave one where several follow each other."""
    kept = [line for number, line in enumerate(lines) if line or (number and lines[number - 1])]
    return "\n".join(kept).strip("\n") + "\n" if any(kept) else ""


def _line_by_line(text: str, path: str, lines: list[str]) -> str:
    """Return a text with the usual spaces in each line, except lines whose statements would change."""
    before = text.split("\n")
    kept = list(before)
    for number, line in enumerate(lines):
        tried = [*kept[:number], line, *kept[number + 1 :]]
        if line != kept[number] and _said("\n".join(tried), path) == _said("\n".join(kept), path):
            kept = tried
    return _one_empty_line([line.rstrip() for line in kept])


def _said(text: str, path: str, parse_line: ParseLine = notation.parse) -> object:
    statements, problems = notation.read(text, path, parse_line)
    return [_without_places(statement) for statement in statements], len(problems)


def _without_places(value: Any) -> object:
    if isinstance(value, tuple | list):
        return [_without_places(item) for item in value]
    if is_dataclass(value) and not isinstance(value, str | Span):
        inner = [_without_places(getattr(value, field.name)) for field in fields(value)]
        return type(value).__name__, inner
    return (type(value).__name__, str(value)) if isinstance(value, str) else None if isinstance(value, Span) else value
