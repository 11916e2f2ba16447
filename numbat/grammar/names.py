"""Names in the notation: keywords, and spelling with or without quotes."""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal

from numbat.files import composed

WILDCARD: Final = "?"
"""The category of a word that neither the lexicon nor the guesser knows (ruling 19)."""

WRAPPERS: Final = ("", "TOP", "ROOT", "VROOT", "S1")
"""Labels of an outermost bracket that only holds a tree together, where they are no construction of the grammar."""

KEYWORDS: Final = {
    "top": (
        "grammar", "language", "version", "authors", "source", "include", "lexicon_file", "leaves", "roots",
        "tree_features", "fragment_cost", "node_cost", "unary_limit", "features", "semantics", "tokens", "lexicon",
        "guess", "names", "spelling", "relation", "all", "override", "without",
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

MARKS: Final = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3\u07fd"
    "\u0816-\u0819\u081b-\u0823\u0825-\u0827\u0829-\u082d\u0859-\u085b\u0898-\u089f\u08ca-\u08e1\u08e3-\u0903"
    "\u093a-\u093c\u093e-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc\u09be-\u09cd\u09d7\u09e2\u09e3"
    "\u09fe-\u0a03\u0a3c-\u0a51\u0a70\u0a71\u0a75\u0a81-\u0a83\u0abc\u0abe-\u0acd\u0ae2\u0ae3\u0afa-\u0b03\u0b3c"
    "\u0b3e-\u0b57\u0b62\u0b63\u0b82\u0bbe-\u0bcd\u0bd7\u0c00-\u0c04\u0c3c\u0c3e-\u0c56\u0c62\u0c63\u0c81-\u0c83"
    "\u0cbc\u0cbe-\u0cd6\u0ce2\u0ce3\u0d00-\u0d03\u0d3b\u0d3c\u0d3e-\u0d4d\u0d57\u0d62\u0d63\u0d81-\u0d83"
    "\u0dca-\u0ddf\u0df2\u0df3\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u0f18\u0f19\u0f35"
    "\u0f37\u0f39\u0f3e\u0f3f\u0f71-\u0f84\u0f86\u0f87\u0f8d-\u0fbc\u0fc6\u102b-\u103e\u1056-\u1059\u105e-\u1060"
    "\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d\u135d-\u135f\u1712-\u1715"
    "\u1732-\u1734\u1752\u1753\u1772\u1773\u17b4-\u17d3\u17dd\u180b-\u180d\u180f\u1885\u1886\u18a9\u1920-\u193b"
    "\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1b04\u1b34-\u1b44\u1b6b-\u1b73\u1b80-\u1b82\u1ba1-\u1bad\u1be6-\u1bf3"
    "\u1c24-\u1c37\u1cd0-\u1cd2\u1cd4-\u1ce8\u1ced\u1cf4\u1cf7-\u1cf9\u1dc0-\u1dff\u20d0-\u20f0\u2cef-\u2cf1"
    "\u2d7f\u2de0-\u2dff\u302a-\u302f\u3099\u309a\ua66f-\ua672\ua674-\ua67d\ua69e\ua69f\ua6f0\ua6f1\ua802\ua806"
    "\ua80b\ua823-\ua827\ua82c\ua880\ua881\ua8b4-\ua8c5\ua8e0-\ua8f1\ua8ff\ua926-\ua92d\ua947-\ua953\ua980-\ua983"
    "\ua9b3-\ua9c0\ua9e5\uaa29-\uaa36\uaa43\uaa4c\uaa4d\uaa7b-\uaa7d\uaab0\uaab2-\uaab4\uaab7\uaab8\uaabe\uaabf"
    "\uaac1\uaaeb-\uaaef\uaaf5\uaaf6\uabe3-\uabea\uabec\uabed\ufb1e\ufe00-\ufe0f\ufe20-\ufe2f\U000101fd\U000102e0"
    "\U00010376-\U0001037a\U00010a01-\U00010a0f\U00010a38-\U00010a3f\U00010ae5\U00010ae6\U00010d24-\U00010d27"
    "\U00010eab\U00010eac\U00010f46-\U00010f50\U00010f82-\U00010f85\U00011000-\U00011002\U00011038-\U00011046"
    "\U00011070\U00011073\U00011074\U0001107f-\U00011082\U000110b0-\U000110ba\U000110c2\U00011100-\U00011102"
    "\U00011127-\U00011134\U00011145\U00011146\U00011173\U00011180-\U00011182\U000111b3-\U000111c0"
    "\U000111c9-\U000111cc\U000111ce\U000111cf\U0001122c-\U00011237\U0001123e\U000112df-\U000112ea"
    "\U00011300-\U00011303\U0001133b\U0001133c\U0001133e-\U0001134d\U00011357\U00011362-\U00011374"
    "\U00011435-\U00011446\U0001145e\U000114b0-\U000114c3\U000115af-\U000115c0\U000115dc\U000115dd"
    "\U00011630-\U00011640\U000116ab-\U000116b7\U0001171d-\U0001172b\U0001182c-\U0001183a\U00011930-\U0001193e"
    "\U00011940\U00011942\U00011943\U000119d1-\U000119e0\U000119e4\U00011a01-\U00011a0a\U00011a33-\U00011a39"
    "\U00011a3b-\U00011a3e\U00011a47\U00011a51-\U00011a5b\U00011a8a-\U00011a99\U00011c2f-\U00011c3f"
    "\U00011c92-\U00011cb6\U00011d31-\U00011d45\U00011d47\U00011d8a-\U00011d97\U00011ef3-\U00011ef6"
    "\U00016af0-\U00016af4\U00016b30-\U00016b36\U00016f4f\U00016f51-\U00016f92\U00016fe4-\U00016ff1"
    "\U0001bc9d\U0001bc9e\U0001cf00-\U0001cf46\U0001d165-\U0001d169\U0001d16d-\U0001d172\U0001d17b-\U0001d182"
    "\U0001d185-\U0001d18b\U0001d1aa-\U0001d1ad\U0001d242-\U0001d244\U0001da00-\U0001da36\U0001da3b-\U0001da6c"
    "\U0001da75\U0001da84\U0001da9b-\U0001daaf\U0001e000-\U0001e02a\U0001e130-\U0001e136\U0001e2ae"
    "\U0001e2ec-\U0001e2ef\U0001e8d0-\U0001e8d6\U0001e944-\U0001e94a\U000e0100-\U000e01ef"
)
"""The combining marks of Unicode, as in a bracket of a regular expression: `\\w` has none of them."""
NAME: Final = rf"[^\W\d][\w{MARKS}]*(?:[-'’\u200c\u200d]+[\w{MARKS}]+)*"
"""The pattern of a name without quotes: a letter, then letters, digits and marks; hyphens, apostrophes and joiners
inside."""
NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")


def is_name(text: str) -> bool:
    """True if a text can stand in the notation without quotes, judged by its characters."""
    if text.isascii():
        return _ASCII_NAME.fullmatch(text) is not None
    return _name().fullmatch(text) is not None and composed(text) == text


_ASCII_NAME: Final = re.compile(r"[A-Za-z_]\w*(?:[-']\w+)*")


@cache
def _name() -> re.Pattern[str]:
    return re.compile(NAME)


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
