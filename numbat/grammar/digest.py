"""What a grammar is known by: a digest of all that it says, and the structure that decides which analyses there are."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from functools import lru_cache
from typing import Final

from numbat.grammar.lazy_lexicon import encoded_readings
from numbat.grammar.model import Entry, Grammar
from numbat.grammar.properties import Property
from numbat.grammar.remembered import remembered
from numbat.records import frozen

DIGITS: Final = 32
"""The length of a digest; its digits are hexadecimal."""
OF_WORDS: Final = ("tokens", "lexicon", "guesses", "names", "spelling")
"""The fields of a grammar that say what words there are."""
OF_ANALYSES: Final = (
    "features",
    "leaves",
    "roots",
    "fragment_cost",
    "node_cost",
    "unary_limit",
    "semantics",
    "relations",
)
"""The fields of a grammar, beside its constructions, that decide which analyses there are."""
OF_CONSTRUCTIONS: Final = ("name", "head", "inherit", "feature_rules", "constituency")


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


@remembered
def structure(grammar: Grammar) -> tuple[object, ...]:
    """Equal for two grammars that give a lattice the same analyses, whatever these are worth."""
    constructions = [
        (
            *(getattr(each, name) for name in OF_CONSTRUCTIONS),
            tuple([(prop.relation, prop.operands, prop.features, prop.hard) for prop in each.properties]),
        )
        for each in grammar.constructions
    ]
    return (*(getattr(grammar, name) for name in OF_ANALYSES), tuple(constructions))


def has_same_words(one: Grammar, other: Grammar) -> bool:
    """Whether two grammars read a text as the same lattice, if they have one structure."""
    return all(getattr(one, name) == getattr(other, name) for name in OF_WORDS)


def _lines(grammar: Grammar) -> Iterator[str]:
    """All that a grammar says, field by field: the printed notation alone would not tell costs that were changed."""
    for field in fields(Grammar):
        if field.compare and field.name not in ("constructions", "lexicon"):
            yield f"{field.name} {getattr(grammar, field.name)!r}"
    for construction in grammar.constructions:
        yield repr(replace(construction, properties=(), span=None))
        yield from map(_line_of, construction.properties)
    yield from _lexicon_lines(grammar)


def _lexicon_lines(grammar: Grammar) -> tuple[str, str, str]:
    return _lines_of(_TheSame(grammar.lexicon))


@frozen
class _TheSame:
    """A lexicon by identity: to compare two by value would walk all of them."""

    lexicon: Sequence[Entry]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _TheSame) and self.lexicon is other.lexicon

    def __hash__(self) -> int:
        return id(self.lexicon)


@lru_cache(maxsize=2)  # grammars before and after an edit have one lexicon
def _lines_of(same: _TheSame) -> tuple[str, str, str]:
    readings, bare = encoded_readings(same.lexicon)
    return f"lexicon {len(same.lexicon)} {bare!r}", "\0".join(readings), "\0".join(readings.values())


def _line_of(prop: Property) -> str:
    numbers = prop.weight, prop.cost, prop.hard, prop.stated
    operands = [[[(operand.category, operand.features) for operand in joint] for joint in p] for p in prop.operands]
    return repr((prop.construction, prop.relation, operands, prop.features, numbers))
