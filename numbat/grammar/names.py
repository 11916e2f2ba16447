"""Names in the notation: keywords, and spelling with or without quotes."""

from __future__ import annotations

import re
from typing import Final, Literal

WILDCARD: Final = "?"
"""The category of a word that neither the lexicon nor the guesser knows (ruling 19)."""

WRAPPERS: Final = ("", "TOP", "ROOT", "VROOT", "S1")
"""Labels of an outermost bracket that only holds a tree together, where they are no construction of the grammar."""

KEYWORDS: Final = {
    "top": (
        "grammar", "language", "version", "authors", "source", "include", "lexicon_file", "leaves", "roots",
        "tree_features", "fragment_cost", "node_cost", "unary_limit", "features", "semantics", "tokens", "lexicon",
        "guess", "names", "spelling", "relation", "all",
    ),
    "construction_line": ("head", "inherit", "const", "oblig", "uniq", "all"),
    "relation_line": ("monotonic", "symmetric", "says", "but"),
    "tokens_line": ("suffix", "prefix", "rewrite", "segment"),
}  # fmt: skip
"""The words that may begin a line of each kind, for close matches."""

TokenRuleKind = Literal["suffix", "prefix", "rewrite", "segment"]

NUMBERS: Final = ("fragment_cost", "node_cost", "unary_limit")
LISTS: Final = ("authors", "include", "lexicon_file", "leaves", "roots", "tree_features")
"""The settings that have numbers, and those that have lists, for values."""

RESERVED: Final = frozenset(word for words in KEYWORDS.values() for word in words) | frozenset(
    [
        *("obligation", "uniqueness", "unic", "x", "requires", "excludes", "weight", "cost", "hard", "from", "if"),
        *("no", "yes", "for", "each", "not", "and", "or", "true", "false"),
    ]
)
"""Words that are written in quotes where they are names; in some places they need not be."""

NAME: Final = re.compile(r"[^\W\d]\w*(?:[-'’]\w+)*")
NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")


def is_name(text: str) -> bool:
    """True if a text can stand in the notation without quotes, judged by its characters."""
    return NAME.fullmatch(text) is not None


def quoted(text: str) -> str:
    """Return a text in double quotes, the inverse of `unquoted`."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def unquoted(text: str) -> str:
    """Return the text of a name that may stand in quotes."""
    return re.sub(r'\\(["\\])', r"\1", text[1:-1]) if text.startswith('"') else text


def format_name(text: str) -> str:
    """Format a name: bare if possible, else in quotes."""
    plain = text == WILDCARD or (is_name(text) and text not in RESERVED)
    return text if plain else quoted(text)


def format_value(text: str) -> str:
    """Format a value in the brackets of an operand, where keywords are ordinary names."""
    return text if NUMBER.fullmatch(text) or is_name(text) else quoted(text)


def format_atom(text: str) -> str:
    """Format a feature, value or form; each may also be a number."""
    return text if NUMBER.fullmatch(text) else format_name(text) if text != WILDCARD else quoted(text)
