"""Identity of grammars: digests, the structure that determines analyses, and excerpts for other processes."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import lru_cache
from itertools import chain
from typing import Final

from numbat.grammar.cache import bare_reading, encoded_readings
from numbat.grammar.model import Construction, Entry, Grammar, remembered
from numbat.grammar.properties import Property
from numbat.records import frozen

DIGITS: Final = 32
"""The number of hexadecimal digits of a digest."""
OF_WORDS: Final = ("tokens", "lexicon", "guesses", "names", "spelling")
"""The fields of a grammar that define its words."""
OF_ANALYSES: Final = (
    "features",
    "marks",
    "leaves",
    "roots",
    "fragment_cost_units",
    "node_cost_units",
    "unary_limit",
    "semantics",
    "profiles",
    "relations",
)
"""The fields of a grammar that, together with its constructions, determine its analyses."""
OF_CONSTRUCTIONS: Final = ("name", "head", "inherit", "feature_rules", "constituency")


@remembered
def digest(grammar: Grammar) -> str:
    """Return the digest of a grammar, equal for equal grammars; comments and places make no difference."""
    return hashlib.sha256("\n".join(_lines(grammar)).encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


@remembered
def lexicon_digest(grammar: Grammar) -> str:
    """Return the digest of the lexicon alone."""
    return hashlib.sha256("\n".join(_lexicon_lines(grammar)).encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


@remembered
def structure(grammar: Grammar) -> tuple[object, ...]:
    """Return a key that is equal for grammars that give each lattice the same analyses, whatever weights and costs."""
    constructions = [
        (
            *(getattr(construction, name) for name in OF_CONSTRUCTIONS),
            tuple([(prop.relation, prop.operands, prop.features, prop.hard) for prop in construction.rules]),
        )
        for construction in grammar.constructions
    ]
    return (*(getattr(grammar, name) for name in OF_ANALYSES), tuple(constructions))


def has_same_words(one: Grammar, other: Grammar) -> bool:
    """True if two grammars with the same `structure` turn every text into the same lattice."""
    return all(getattr(one, name) == getattr(other, name) for name in OF_WORDS)


def _lines(grammar: Grammar) -> Iterator[str]:
    """Yield the content of a grammar field by field. Text in the notation would not do: it leaves out derived costs."""
    for field in fields(Grammar):
        is_stated = field.name != "titles" and (field.name != "marks" or bool(grammar.marks))  # and new fields
        if field.compare and is_stated and field.name not in ("constructions", "lexicon"):
            name = field.name.removesuffix("_units")  # digests outlive the names of fields
            yield f"{name} {getattr(grammar, field.name)!r}"
    for construction in grammar.constructions:
        yield repr(replace(construction, properties=(), prices=(), span=None)).replace(", prices=()", "")
        yield from map(_line_of, construction.rules)
    yield from _lexicon_lines(grammar)


def _lexicon_lines(grammar: Grammar) -> tuple[str, str, str]:
    return _lines_of(_TheSame(grammar.lexicon))


@frozen
class _TheSame:
    """Wrapper of a lexicon that compares and hashes it by identity, which is fast."""

    lexicon: Sequence[Entry]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _TheSame) and self.lexicon is other.lexicon

    def __hash__(self) -> int:
        return id(self.lexicon)


@lru_cache(maxsize=2)  # grammars before and after an edit share a lexicon
def _lines_of(same: _TheSame) -> tuple[str, str, str]:
    forms, readings, bare = encoded_readings(same.lexicon)
    return f"lexicon {len(same.lexicon)} {list(map(bare_reading, bare))!r}", "\0".join(forms), "\0".join(readings)


def _line_of(prop: Property) -> str:
    numbers = prop.weight_units, prop.cost_units, prop.hard, prop.stated
    operands = [[[(operand.category, operand.features) for operand in joint] for joint in p] for p in prop.operands]
    return repr((prop.construction, prop.relation, operands, prop.features, numbers))


# Excerpts of grammars, sent with parses to other processes.

WORDS = ("leaves", "tokens", "lexicon", "guesses", "names", "spelling", "files")
"""The fields about words and files, which are empty in an excerpt, except that `tokens` keeps `segment`."""


@frozen
class GrammarExcerpt(Grammar):
    """A grammar without words and with only some of its properties, small enough to send to another process.

    `whole_digest` is the digest of the whole grammar, `numbers` are the numbers that the properties have there, and
    `form_sizes` gives for each construction how many properties it has there.
    """

    whole_digest: str = ""
    numbers: tuple[int, ...] = ()
    form_sizes: tuple[tuple[str, int], ...] = ()

    def __repr__(self) -> str:
        name = self.name or "a grammar without name"
        return f"<GrammarExcerpt of {name}: {len(self.properties)} of its properties>"


def digest_of(grammar: Grammar) -> str:
    """Return the digest of a grammar; for an excerpt, of the whole grammar."""
    return grammar.whole_digest if isinstance(grammar, GrammarExcerpt) else digest(grammar)


@remembered
def numbered_properties(grammar: Grammar) -> Mapping[int, Property]:
    """Return the properties and prices of a grammar by number; in an excerpt, by their number in the whole grammar."""
    numbers = grammar.numbers if isinstance(grammar, GrammarExcerpt) else None
    rules = grammar.rules
    return dict(zip(range(len(rules)) if numbers is None else numbers, rules, strict=True))


@remembered
def property_numbers(grammar: Grammar) -> Mapping[int, int]:
    """Return the number of each property by its `id()`: hashing the property itself would be slow."""
    return {id(prop): number for number, prop in numbered_properties(grammar).items()}


@remembered
def form_sizes(grammar: Grammar) -> Mapping[str, int]:
    """Return the number of properties of each construction; for an excerpt, in the whole grammar."""
    if isinstance(grammar, GrammarExcerpt):
        return dict(grammar.form_sizes)
    return {construction.name: len(construction.properties) for construction in grammar.constructions}


def excerpt(grammar: Grammar, constructions: Collection[str], numbers: Collection[int]) -> GrammarExcerpt:
    """Return the grammar with only these constructions and, of their properties, only those with these numbers.

    Declarations and costs stay, and so do the user-defined relations that the properties use, and what messages need
    of a construction: its title and its heads.
    """
    every, sizes = numbered_properties(grammar), form_sizes(grammar)
    forms: dict[str, list[Property]] = {name: [] for name in sizes if name in constructions}
    chosen = sorted(numbers)
    for number in chosen:
        forms[every[number].construction].append(every[number])
    used = {prop.relation for prop in chain(*forms.values())}
    kept = {field.name: getattr(grammar, field.name) for field in fields(Grammar) if field.name not in WORDS}
    whole = {construction.name: construction for construction in grammar.constructions}
    kept["constructions"] = tuple(
        Construction(name, title=whole[name].title, head=whole[name].heads).with_rules(form)
        for name, form in forms.items()
    )
    kept["tokens"] = tuple(rule for rule in grammar.tokens if rule.kind == "segment")
    kept["relations"] = tuple(relation for relation in grammar.relations if relation.name in used)
    return GrammarExcerpt(
        **kept,
        whole_digest=digest_of(grammar),
        numbers=tuple(chosen),
        form_sizes=tuple((name, sizes[name]) for name in forms),
    )
