"""Colours without a server: the kinds of the pieces of a line of the notation, as a lexer of Pygments.

The editor of the page (`numbat/workbench/page/notation.js`) and the TextMate grammar in `editors/vscode` tell the same
kinds; one table of pieces of text tests all three.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar, Final

from pygments.lexer import Lexer
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text, _TokenType

from numbat.grammar.names import KEYWORDS, MARKS

LETTER: Final = r"[^\W\d_]"
WORD: Final = re.compile(rf"(?:{LETTER}|_)[\w{MARKS}'’-]*")
PIECES: Final = (
    ("comment", re.compile(r"#.*")),
    ("string", re.compile(r'"(?:[^"\\]|\\.)*"?')),
    ("number", re.compile(r"\d+(?:[.,]\d+)?")),
    ("operator", re.compile(r"=>|~>|->|<=|<>|[<>⇒⇝→≺⊗↛&|*]")),
    ("word", WORD),
)
"""What a piece may be, the first that fits."""
STRENGTHS: Final = frozenset(
    [
        "cost",
        "weight",
        "hard",
        "at",
        "lemma",
        "head",
        "inherit",
        "const",
        "from",
        "if",
        "not",
        "and",
        "or",
        "says",
        "but",
        "for",
        "each",
        "like",
        "with",
        "without",
        "election",
        "termination",
    ]
)
RELATIONS: Final = frozenset(("oblig", "uniq", "requires", "excludes", "obligation", "uniqueness"))
TOKENS: Final[dict[str, _TokenType]] = {
    "comment": Comment.Single,
    "string": String,
    "number": Number,
    "operator": Operator,
    "keyword": Keyword,
    "heading": Name.Class,
    "property": Name.Attribute,
    "value": Name.Constant,
    "name": Name.Variable,
    "punctuation": Punctuation,
    "blank": Text.Whitespace,
}
"""The token of Pygments for each kind."""


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """Return the pieces of a text with their kinds; together they are the text.

    At the beginning of a line stands the keyword of a setting or the heading of a construction; in brackets stand
    features, which `property` is for, and values.
    """
    brackets = 0
    for line in text.splitlines(keepends=True):
        place = 0
        while place < len(line):
            kind, piece = _piece(line, place, brackets)
            brackets = max(0, brackets + (piece == "[") - (piece == "]"))
            yield kind, piece
            place += len(piece)


def _piece(line: str, place: int, brackets: int) -> tuple[str, str]:
    if blank := re.compile(r"\s+").match(line, place):
        return "blank", blank[0]
    for kind, pattern in PIECES:
        if match := pattern.match(line, place):
            if kind == "word":
                return _kind_of_word(line, match, brackets), match[0]
            return ("heading" if kind == "string" and not place else kind), match[0]
    return "punctuation", line[place]


def _kind_of_word(line: str, found: re.Match[str], brackets: int) -> str:
    if not found.start():
        return "keyword" if found[0] in KEYWORDS["top"] else "heading"
    if brackets:
        return "property" if re.compile(r"\s*=").match(line, found.end()) else "value"
    if found[0] in RELATIONS:
        return "operator"
    return "keyword" if found[0] in STRENGTHS else "name"


class NumbatLexer(Lexer):  # type: ignore[misc] # Pygments has no types
    """The notation of Numbat for Pygments, as `numbat` or `pg`."""

    name = "Numbat"
    aliases: ClassVar[list[str]] = ["numbat", "pg", "property-grammar"]
    filenames: ClassVar[list[str]] = ["*.pg"]
    mimetypes: ClassVar[list[str]] = ["text/x-numbat"]
    url = ""

    def get_tokens_unprocessed(self, text: str, *unused: Any) -> Iterator[tuple[int, _TokenType, str]]:
        """Return the pieces of a text with their places and tokens."""
        place = 0
        for kind, piece in pieces(text):
            yield place, TOKENS[kind], piece
            place += len(piece)
