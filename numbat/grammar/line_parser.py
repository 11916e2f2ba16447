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
    """Return the parser for logical lines, a faster one for ASCII. The user's cache keeps the tables of both."""
    text = Path(__file__).with_name("notation.lark").read_text(encoding="utf-8").replace("{NAME}", ASCII_NAME)
    file = file_of("notation", (text, _STARTS, lark_version, sys.version))
    content = None if file is None else kept(file)
    parser = None if content is None else _loaded(content.decode(), is_ascii)
    if parser is None:
        parser = _loaded(_tables(text), is_ascii)
        assert parser is not None, "they are of this version"
        if file is not None:
            with suppress(OSError):
                keep(file, _tables(text).encode())
    return parser


@cache
def _tables(text: str) -> str:
    """Return the tables of the parser of a grammar in Lark's notation, in JSON; they are slow to make."""
    data, memo = Lark(text, parser="lalr", start=_STARTS, propagate_positions=True).memo_serialize([TerminalDef, Rule])
    return json_line({"data": data, "memo": memo})


def _loaded(tables: str, is_ascii: bool) -> Lark | None:
    """Return the parser with these tables, which differ from those for any text in the pattern of names alone."""
    if not is_ascii:
        tables = tables.replace(json_line(ASCII_NAME)[1:-1], json_line(NAME)[1:-1])
    try:
        return Lark.load(json.loads(tables, object_hook=_with_numbers))
    except (ValueError, LookupError, TypeError, AttributeError):
        return None


def _with_numbers(table: dict[str, Any]) -> dict[Any, Any]:
    """Return a JSON mapping with the integer keys that Lark uses."""
    return {int(key): value for key, value in table.items()} if next(iter(table), "").isdecimal() else table
