"""The digest of a grammar: a short name of all that it says, so that a result can tell which grammar it is of."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Final

from numbat.grammar.lazy_lexicon import encoded_readings
from numbat.grammar.model import Grammar
from numbat.grammar.properties import Property
from numbat.grammar.remembered import remembered

DIGITS: Final = 32
"""The length of a digest; its digits are hexadecimal."""


@remembered
def digest(grammar: Grammar) -> str:
    """The digest, worked out when it is first asked for: the same for equal grammars, another for any other grammar.

    Comments and places in files make no difference.
    """
    return hashlib.sha256("\n".join(_lines(grammar)).encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


@remembered
def lexicon_digest(grammar: Grammar) -> str:
    """The digest of the lexicon alone."""
    return hashlib.sha256("\n".join(_lexicon_lines(grammar)).encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def _lines(grammar: Grammar) -> Iterator[str]:
    """All that a grammar says, field by field: the printed notation alone would not tell costs that were changed."""
    for field in fields(Grammar):
        if field.compare and field.name not in ("constructions", "lexicon"):
            yield f"{field.name} {getattr(grammar, field.name)!r}"
    for construction in grammar.constructions:
        yield repr(replace(construction, properties=(), span=None))
        yield from map(_line_of, construction.properties)
    yield from _lexicon_lines(grammar)


def _lexicon_lines(grammar: Grammar) -> Iterator[str]:
    readings, bare = encoded_readings(grammar.lexicon)
    yield f"lexicon {len(grammar.lexicon)} {bare!r}"
    yield "\0".join(readings)
    yield "\0".join(readings.values())


def _line_of(prop: Property) -> str:
    numbers = prop.weight, prop.cost, prop.hard, prop.stated
    operands = [[[(operand.category, operand.features) for operand in joint] for joint in p] for p in prop.operands]
    return repr((prop.construction, prop.relation, operands, prop.features, numbers))
