"""Lark parser for logical lines of the notation; its tables are cached between runs."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

from lark import Lark
from lark import __version__ as lark_version
from lark.grammar import Rule
from lark.lexer import TerminalDef

from numbat.files import keep, kept
from numbat.grammar.cache import file_of, json_line
from numbat.grammar.names import ASCII_NAME, NAME

SECTIONS: Final = (
    "types", "features", "marks", "semantics", "tokens", "lexicon", "guess", "names", "spelling", "relation",
    "construction",
)  # fmt: skip
_STARTS: Final = [
    "top",
    "expression",
    "operands",
    "alternatives",
    "readings",
    "template_head",
    "spelt",
    "override",
    "without",
    *(f"{section}_line" for section in SECTIONS),
]


def tree_of(text: str, start: str) -> Any:
    """Return the Lark tree of a logical line parsed with the rule `start`. Raises UnexpectedInput for a mistake."""
    return _lark(text.isascii()).parse(text, start=start)


@cache
def _lark(is_ascii: bool) -> Lark:
    """Return the parser for logical lines, a faster one for ASCII. Its tables, which are slow to make, are cached."""
    text = Path(__file__).with_name("notation.lark").read_text(encoding="utf-8")
    text = text.replace("{NAME}", ASCII_NAME if is_ascii else NAME)
    file = file_of("notation", (text, _STARTS, lark_version, sys.version))
    parser = None if file is None else _kept_tables(file)
    if parser is not None:
        return parser
    made = Lark(text, parser="lalr", start=_STARTS, propagate_positions=True)
    if file is not None:
        data, memo = made.memo_serialize([TerminalDef, Rule])
        with suppress(OSError):
            keep(file, json_line({"data": data, "memo": memo}).encode())
    return made


def _kept_tables(file: Path) -> Lark | None:
    """Return the parser whose tables are stored in a file, None if there are none."""
    content = kept(file)
    try:
        return None if content is None else Lark.load(json.loads(content, object_hook=_with_numbers))
    except (ValueError, LookupError, TypeError, AttributeError):
        return None


def _with_numbers(table: dict[str, Any]) -> dict[Any, Any]:
    """Return a JSON mapping with the integer keys that Lark uses."""
    return {int(key): value for key, value in table.items()} if next(iter(table), "").isdecimal() else table
