"""From what the parser of the notation expected to what a person can do about it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from numbat.source import Problem, Span, close_match

if TYPE_CHECKING:
    from lark.exceptions import UnexpectedInput

PHRASES: Final = {
    "NAME": "a name",
    "STRING": 'a text in double quotes "..."',
    "NUMBER": "a number",
    "WILDCARD": "? (the wildcard)",
    "COLON": '":"',
    "COMMA": '","',
    "SEMICOLON": '";"',
    "LBRACE": '"{"',
    "RBRACE": '"}"',
    "LSQB": '"["',
    "RSQB": '"]"',
    "LPAR": '"("',
    "RPAR": '")"',
    "VBAR": '"|"',
    "AMPERSAND": '"&"',
    "BANG": '"!"',
    "DOT": '"."',
    "EQUALS": '"="',
    "COMPARISON": "a comparison (= != < <= > >=)",
    "OBLIGATION": '"oblig"',
    "UNIQUENESS": '"uniq"',
    "LINEARITY": '"<"',
    "ADJACENCY": '"+"',
    "REQUIREMENT": '"=>"',
    "EXCLUSION": '"x"',
    "DEPENDENCY": '"~>"',
    "$END": "the end of the line",
}
"""How each terminal of `notation.lark` is called in a message; a keyword that is not here is called by itself."""

SYMBOLS: Final = ("LINEARITY", "ADJACENCY", "REQUIREMENT", "EXCLUSION", "DEPENDENCY")

KEYWORDS: Final = {
    "top": (
        "grammar", "language", "version", "authors", "source", "include", "lexicon_file", "leaves", "roots",
        "fragment_cost", "node_cost", "unary_limit", "features", "semantics", "tokens", "lexicon", "guess", "relation",
        "all",
    ),
    "construction_line": ("head", "inherit", "const", "oblig", "uniq", "all"),
    "relation_line": ("monotonic", "symmetric", "says", "but"),
    "tokens_line": ("suffix", "prefix", "rewrite"),
}  # fmt: skip
"""The words that may begin a line of each kind, for close matches."""


def phrase(terminal: str) -> str:
    return PHRASES.get(terminal, f'"{terminal.lower()}"')


def _listed(terminals: set[str]) -> str:
    """The expected terminals as words, the relation symbols put together."""
    rest = set(terminals)
    parts: list[str] = []
    if rest >= set(SYMBOLS):
        parts.append("a relation (< + => x ~>)")
        rest -= set(SYMBOLS)
    order = list(PHRASES)
    for terminal in sorted(rest, key=lambda name: (order.index(name) if name in order else len(order), name)):
        if not terminal.startswith("__"):
            parts.append(phrase(terminal))
    return ", ".join(parts[:-1]) + (" or " if len(parts) > 1 else "") + parts[-1] if parts else ""


def syntax_problem(error: UnexpectedInput, text: str, origin: Span, start: str) -> Problem:
    """The problem of one logical line that begins at `origin` and was read as `start`."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    if isinstance(error, UnexpectedToken):
        accepted = set(error.interactive_parser.accepts())  # type: ignore[no-untyped-call]
        at_end = error.token.type == "$END"
        found = "the end of the line" if at_end else f'"{error.token}"'
        position, width = (len(text), 1) if at_end else (error.pos_in_stream or 0, len(error.token))
    else:
        accepted = set(error.allowed or ()) if isinstance(error, UnexpectedCharacters) else set()
        position, width = error.pos_in_stream or 0, 1
        found = f'"{text[position]}"'
    span = _place(text, position, width, origin)
    return Problem(
        f"{found} does not fit here" if found[0] == '"' else f"{found} comes too early",
        span,
        expected=_listed({str(terminal) for terminal in accepted}),
        found=found,
        hint=_hint(text, position, start),
    )


def _place(text: str, position: int, width: int, origin: Span) -> Span:
    before = text[:position]
    line = origin.line + before.count("\n")
    column = position - (before.rfind("\n") + 1) + (origin.column if "\n" not in before else 1)
    return replace(origin, line=line, column=column, end_column=column + width)


def _hint(text: str, position: int, start: str) -> str:
    statement_start = max(text.rfind(";", 0, position), text.find(":") if start == "top" else -1) + 1
    statement = text[statement_start:].strip() if start != "top" else text
    word = re.match(r"\w+", statement)
    if start == "top" and re.match(r"[\w\[\]=, {}\"]+(<|\+|=>|~>|x\b)", text) and ":" not in text:
        return 'a property must be indented below its construction, as in "NP:" and on the next line "    Det < N"'
    if word and (near := close_match(word[0], KEYWORDS.get(start, ()))):
        return near
    if text[position : position + 1] in ("-", "=") and text[position + 1 : position + 2] == ">":
        return 'requirement is written "=>", dependency "~>"'
    if text[position : position + 1] == "'":
        return 'texts stand in double quotes: "..."'
    if text[position : position + 1] == '"':
        return "a text must end with a double quote on the same line"
    if start in ("lexicon_line", "guess_line"):
        return 'an entry is a form, ":" and its readings, as in saw: V[tense=past], N; a form may stand in "..."'
    return ""
