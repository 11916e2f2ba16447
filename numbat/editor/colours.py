"""Syntax highlighting without a server: a lexer for Pygments.

The editor of the page (`numbat/workbench/page/notation.js`) and the TextMate grammar in `editors/vscode` distinguish
the same kinds of tokens; one table of examples tests all three.
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
    ("keyword", re.compile(r"e\.g\.")),
    ("operator", re.compile(r"=>|~>|->|<=|<>|[<>⇒⇝→≺⊗↛&|*]")),
    ("word", WORD),
)
"""Kinds of tokens, each with its pattern; the first pattern that matches counts."""
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
"""Pygments token for each kind."""


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each token of a text; the tokens joined are the whole text.

    A line begins with the keyword of a setting or the heading of a construction; brackets contain features, whose kind
    is `property`, and values.
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


def _kind_of_word(line: str, word: re.Match[str], brackets: int) -> str:
    if not word.start():
        return "keyword" if word[0] in KEYWORDS["top"] else "heading"
    if brackets:
        return "property" if re.compile(r"\s*=").match(line, word.end()) else "value"
    if word[0] in RELATIONS:
        return "operator"
    return "keyword" if word[0] in STRENGTHS else "name"


class NumbatLexer(Lexer):  # type: ignore[misc] # Pygments has no types
    """Lexer of the notation for Pygments, under the names `numbat` and `pg`."""

    name = "Numbat"
    aliases: ClassVar[list[str]] = ["numbat", "pg", "property-grammar"]
    filenames: ClassVar[list[str]] = ["*.pg"]
    mimetypes: ClassVar[list[str]] = ["text/x-numbat"]
    url = ""

    def get_tokens_unprocessed(self, text: str, *unused: Any) -> Iterator[tuple[int, _TokenType, str]]:
        """Yield offset, Pygments token and text for each token of a text."""
        place = 0
        for kind, piece in pieces(text):
            yield place, TOKENS[kind], piece
            place += len(piece)
