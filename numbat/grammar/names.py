"""Names in the notation: keywords, valid characters, quoting."""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal

from numbat.files import composed
from numbat.records import pattern

WILDCARD: Final = "?"
"""The category of a word that neither the lexicon nor the guesser knows (ruling 19)."""

EVERY: Final = "*"
"""Stands for all relations where a line names a relation: `all * weight 2`."""

WRAPPERS: Final = ("", "TOP", "ROOT", "VROOT", "S1")
"""Labels of an outermost bracket that only wraps a tree, unless the grammar has a construction of that name."""

KEYWORDS: Final = {
    "top": (
        "grammar", "language", "version", "authors", "source", "include", "lexicon_file", "leaves", "roots",
        "tree_features", "fragment_cost", "node_cost", "unary_limit", "types", "features", "semantics", "tokens",
        "marks", "lexicon", "guess", "names", "spelling", "relation", "template", "all", "override", "without",
        "profile",
    ),
    "construction_line": ("head", "inherit", "const", "oblig", "uniq", "price", "all", "without"),
    "relation_line": ("monotonic", "symmetric", "says", "but"),
    "tokens_line": ("suffix", "prefix", "rewrite", "segment"),
}  # fmt: skip
"""The keywords that may begin a line, by kind of line, so that a message can suggest a similar one."""

TokenRuleKind = Literal["suffix", "prefix", "rewrite", "segment"]

FUNCTIONS: Final = ("index", "first", "last", "distance", "adjacent", "count", "present", "agree")
"""The functions in conditions of user-defined relations; a property that is a condition may use all but the last."""

NUMBERS: Final = ("fragment_cost", "node_cost", "unary_limit")
LISTS: Final = ("authors", "include", "lexicon_file", "leaves", "roots", "tree_features")
"""The settings with a number, and those with a list, as value."""

RESERVED: Final = frozenset(word for words in KEYWORDS.values() for word in words) | frozenset(
    [
        *("obligation", "uniqueness", "unic", "x", "requires", "excludes", "weight", "cost", "hard", "from", "if"),
        *("no", "yes", "for", "each", "not", "and", "or", "true", "false"),
    ]
)
"""Keywords, which need quotes when they are names; printed names have them even where they would not need them."""

MARKS: Final = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7-\u05c9\u0610-\u061a\u064b-\u065f"
    "\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3\u07fd"
    "\u0816-\u0819\u081b-\u0823\u0825-\u0827\u0829-\u082d\u0859-\u085b\u0897-\u089f\u08ca-\u08e1\u08e3-\u0903"
    "\u093a-\u093c\u093e-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc\u09be-\u09c4\u09c7\u09c8\u09cb-\u09cd"
    "\u09d7\u09e2\u09e3\u09fe\u0a01-\u0a03\u0a3c\u0a3e-\u0a42\u0a47\u0a48\u0a4b-\u0a4d\u0a51\u0a70\u0a71\u0a75"
    "\u0a81-\u0a83\u0abc\u0abe-\u0ac5\u0ac7-\u0ac9\u0acb-\u0acd\u0ae2\u0ae3\u0afa-\u0aff\u0b01-\u0b03\u0b3c"
    "\u0b3e-\u0b44\u0b47\u0b48\u0b4b-\u0b4d\u0b53-\u0b57\u0b62\u0b63\u0b82\u0bbe-\u0bc2\u0bc6-\u0bc8\u0bca-\u0bcd"
    "\u0bd7\u0c00-\u0c04\u0c3c\u0c3e-\u0c44\u0c46-\u0c48\u0c4a-\u0c4d\u0c55\u0c56\u0c62\u0c63\u0c81-\u0c83\u0cbc"
    "\u0cbe-\u0cc4\u0cc6-\u0cc8\u0cca-\u0ccd\u0cd5\u0cd6\u0ce2\u0ce3\u0cf3\u0d00-\u0d03\u0d3b\u0d3c\u0d3e-\u0d44"
    "\u0d46-\u0d48\u0d4a-\u0d4d\u0d57\u0d62\u0d63\u0d81-\u0d83\u0dca\u0dcf-\u0dd4\u0dd6\u0dd8-\u0ddf\u0df2\u0df3"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e\u0f3f"
    "\u0f71-\u0f84\u0f86\u0f87\u0f8d-\u0f97\u0f99-\u0fbc\u0fc6\u102b-\u103e\u1056-\u1059\u105e-\u1060"
    "\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d\u135d-\u135f\u1712-\u1715"
    "\u1732-\u1734\u1752\u1753\u1772\u1773\u17b4-\u17d3\u17dd\u180b-\u180d\u180f\u1885\u1886\u18a9\u1920-\u192b"
    "\u1930-\u193b\u1a17-\u1a1b\u1a55-\u1a5e\u1a60-\u1a7c\u1a7f\u1ab0-\u1af0\u1b00-\u1b04\u1b34-\u1b44"
    "\u1b6b-\u1b73\u1b80-\u1b82\u1ba1-\u1bad\u1be6-\u1bf3\u1c24-\u1c37\u1cd0-\u1cd2\u1cd4-\u1ce8\u1ced\u1cf4"
    "\u1cf7-\u1cf9\u1dc0-\u1dff\u20d0-\u20f0\u2cef-\u2cf1\u2d7f\u2de0-\u2dff\u302a-\u302f\u3099\u309a"
    "\ua66f-\ua672\ua674-\ua67d\ua69e\ua69f\ua6f0\ua6f1\ua802\ua806\ua80b\ua823-\ua827\ua82c\ua880\ua881"
    "\ua8b4-\ua8c5\ua8e0-\ua8f1\ua8ff\ua926-\ua92d\ua947-\ua953\ua980-\ua983\ua9b3-\ua9c0\ua9e5\uaa29-\uaa36"
    "\uaa43\uaa4c\uaa4d\uaa7b-\uaa7d\uaab0\uaab2-\uaab4\uaab7\uaab8\uaabe\uaabf\uaac1\uaaeb-\uaaef\uaaf5\uaaf6"
    "\uabe3-\uabea\uabec\uabed\ufb1e\ufe00-\ufe0f\ufe20-\ufe2f\U000101fd\U000102e0\U00010376-\U0001037a"
    "\U00010a01-\U00010a03\U00010a05\U00010a06\U00010a0c-\U00010a0f\U00010a38-\U00010a3a\U00010a3f"
    "\U00010ae5\U00010ae6\U00010d24-\U00010d27\U00010d69-\U00010d6d\U00010eab\U00010eac\U00010ecb-\U00010ecf"
    "\U00010ef0-\U00010eff\U00010f46-\U00010f50\U00010f82-\U00010f85\U00011000-\U00011002\U00011038-\U00011046"
    "\U00011070\U00011073\U00011074\U0001107f-\U00011082\U000110b0-\U000110ba\U000110c2\U00011100-\U00011102"
    "\U00011127-\U00011134\U00011145\U00011146\U00011173\U00011180-\U00011182\U000111b3-\U000111c0"
    "\U000111c9-\U000111cc\U000111ce\U000111cf\U0001122c-\U00011237\U0001123e\U00011241\U000112df-\U000112ea"
    "\U00011300-\U00011303\U0001133b\U0001133c\U0001133e-\U00011344\U00011347\U00011348\U0001134b-\U0001134d"
    "\U00011357\U00011362\U00011363\U00011366-\U0001136c\U00011370-\U00011374\U000113b8-\U000113c0\U000113c2"
    "\U000113c5\U000113c7-\U000113ca\U000113cc-\U000113d0\U000113d2\U000113e1\U000113e2\U00011435-\U00011446"
    "\U0001145e\U000114b0-\U000114c3\U000115af-\U000115b5\U000115b8-\U000115c0\U000115dc\U000115dd"
    "\U00011630-\U00011640\U000116ab-\U000116b7\U0001171d-\U0001172b\U0001182c-\U0001183a\U00011930-\U00011935"
    "\U00011937\U00011938\U0001193b-\U0001193e\U00011940\U00011942\U00011943\U000119d1-\U000119d7"
    "\U000119da-\U000119e0\U000119e4\U00011a01-\U00011a0a\U00011a33-\U00011a39\U00011a3b-\U00011a3e\U00011a47"
    "\U00011a51-\U00011a5b\U00011a8a-\U00011a99\U00011b60-\U00011b67\U00011c2f-\U00011c36\U00011c38-\U00011c3f"
    "\U00011c92-\U00011ca7\U00011ca9-\U00011cb6\U00011d31-\U00011d36\U00011d3a\U00011d3c\U00011d3d"
    "\U00011d3f-\U00011d45\U00011d47\U00011d8a-\U00011d8e\U00011d90\U00011d91\U00011d93-\U00011d97\U00011df0"
    "\U00011ef3-\U00011ef6\U00011f00\U00011f01\U00011f03\U00011f34-\U00011f3a\U00011f3e-\U00011f42\U00011f5a"
    "\U00013440\U00013447-\U00013455\U0001611e-\U0001612f\U00016af0-\U00016af4\U00016b30-\U00016b36\U00016f4f"
    "\U00016f51-\U00016f87\U00016f8f-\U00016f92\U00016fe4\U00016ff0\U00016ff1\U0001bc9d\U0001bc9e"
    "\U0001cf00-\U0001cf2d\U0001cf30-\U0001cf46\U0001d127\U0001d128\U0001d165-\U0001d169\U0001d16d-\U0001d172"
    "\U0001d17b-\U0001d182\U0001d185-\U0001d18b\U0001d1aa-\U0001d1ad\U0001d242-\U0001d244\U0001d250-\U0001d252"
    "\U0001d25b\U0001d25c\U0001d25f\U0001d280\U0001d281\U0001da00-\U0001da36\U0001da3b-\U0001da6c\U0001da75"
    "\U0001da84\U0001da9b-\U0001da9f\U0001daa1-\U0001daaf\U0001e000-\U0001e006\U0001e008-\U0001e018"
    "\U0001e01b-\U0001e021\U0001e023\U0001e024\U0001e026-\U0001e02a\U0001e08f\U0001e130-\U0001e136\U0001e2ae"
    "\U0001e2ec-\U0001e2ef\U0001e4ec-\U0001e4ef\U0001e5ee\U0001e5ef\U0001e6e3\U0001e6e6\U0001e6ee\U0001e6ef"
    "\U0001e6f5\U0001e8d0-\U0001e8d6\U0001e944-\U0001e94a\U000e0100-\U000e01ef"
)
"""The combining marks of Unicode 18, for a bracket of a regular expression; `\\w` does not match them."""
VIRAMAS: Final = (
    "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0e3a\u0eba\u0f84\u1039\u103a"
    "\u1714\u1715\u1734\u17d2\u1a60\u1b44\u1baa\u1bab\u1bf2\u1bf3\u2d7f\ua806\ua82c\ua8c4\ua953\ua9c0\uaaf6\uabed"
    "\U00010a3f\U00011046\U00011070\U0001107f\U000110b9\U00011133\U00011134\U000111c0\U00011235\U000112ea"
    "\U0001134d\U000113ce-\U000113d0\U00011442\U000114c2\U000115bf\U0001163f\U000116b6\U0001172b\U00011839"
    "\U0001193d\U0001193e\U000119e0\U00011a34\U00011a47\U00011a99\U00011c3f\U00011d44\U00011d45\U00011d97"
    "\U00011f41\U00011f42\U0001612f"
)
"""Viramas: marks in scripts of India and its neighbours that remove the vowel of a letter (combining class 9)."""
_ARABIC: Final = "\u0620-\u07b1\u0860-\u08ff\ufb50-\ufdfb\ufe70-\ufefc\U00010d00-\U00010d27"
"""The letters and marks of Arabic, Syriac and other joining scripts."""
JOINER: Final = rf"(?:(?<=[{_ARABIC}{VIRAMAS}])[\u200c\u200d](?=[^\W\d_])|(?<=[{VIRAMAS}])\u200d)"
"""A zero-width joiner or non-joiner where the script needs one: between joining letters, or after a virama (UAX 31)."""
_OTHER: Final = "\u00b7\u0387\u203f\u2040\u2054\u2118\u212e\u30fb\ufe33\ufe34\ufe4d-\ufe4f\uff3f\uff65"
"""Further characters that Unicode allows in names, such as the `·` of `col·lega`."""
_INSIDE: Final = rf"[\w{MARKS}{_OTHER}]"
NAME: Final = rf"(?!\d)[\w\u1885\u1886\u2118\u212e]{_INSIDE}*(?:(?:{JOINER}|[-'’](?={_INSIDE})){_INSIDE}*)*"
"""The pattern of an unquoted name: a letter, then letters, digits and marks, with hyphens, apostrophes and joiners."""
NUMBER: Final = pattern(r"\d+(?:\.\d+)?")


def is_name(text: str) -> bool:
    """True if a text has the form of a name that may be written without quotes."""
    if text.isascii():
        return _ASCII_NAME.fullmatch(text) is not None
    return _name().fullmatch(text) is not None and composed(text) == text


ASCII_NAME: Final = r"[A-Za-z_]\w*(?:[-']\w+)*"
"""The same pattern for ASCII text, which compiles much faster."""
_ASCII_NAME: Final = pattern(ASCII_NAME)


@cache
def _name() -> re.Pattern[str]:
    return re.compile(NAME)


def quoted(text: str) -> str:
    """Return a text in double quotes, the inverse of `unquoted`."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def unquoted(text: str) -> str:
    """Return the text of a name that may be quoted."""
    return re.sub(r'\\(["\\])', r"\1", text[1:-1]) if text.startswith('"') else text


def format_name(text: str) -> str:
    """Format a name, in quotes only if needed."""
    plain = text == WILDCARD or (is_name(text) and text not in RESERVED)
    return text if plain else quoted(text)


def format_value(text: str) -> str:
    """Format a value within brackets, where keywords are ordinary names."""
    return text if NUMBER.fullmatch(text) or is_name(text) else quoted(text)


def format_atom(text: str) -> str:
    """Format a feature, value or form; each may also be a number."""
    return text if NUMBER.fullmatch(text) else format_name(text) if text != WILDCARD else quoted(text)
