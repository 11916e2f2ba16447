"""Grammars cut down to what a parse needs of them, so that a parse can go to another process without its grammar."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields
from itertools import chain

from numbat.grammar.digest import digest
from numbat.grammar.model import Construction, Grammar
from numbat.grammar.properties import Property
from numbat.grammar.remembered import remembered
from numbat.records import frozen

WORDS = ("leaves", "tokens", "lexicon", "guesses", "names", "spelling", "files")
"""The fields of a grammar that are about words and files: an excerpt has none of them."""


@frozen
class GrammarExcerpt(Grammar):
    """A grammar without its words and with some of its properties only.

    `whole_digest` is the digest of the whole grammar, `numbers` are the numbers that the properties here have there,
    `form_sizes` say how many properties the form of each construction has there.
    """

    whole_digest: str = ""
    numbers: tuple[int, ...] = ()
    form_sizes: tuple[tuple[str, int], ...] = ()

    def __repr__(self) -> str:
        name = self.name or "a grammar without name"
        return f"<GrammarExcerpt of {name}: {len(self.properties)} of its properties>"


def digest_of(grammar: Grammar) -> str:
    """The digest of a grammar; of an excerpt, that of the whole grammar."""
    return grammar.whole_digest if isinstance(grammar, GrammarExcerpt) else digest(grammar)


@remembered
def numbered_properties(grammar: Grammar) -> Mapping[int, Property]:
    """The properties of a grammar by their numbers; of an excerpt, by those in the whole grammar."""
    numbers = grammar.numbers if isinstance(grammar, GrammarExcerpt) else None
    properties = grammar.properties
    return dict(zip(range(len(properties)) if numbers is None else numbers, properties, strict=True))


@remembered
def property_numbers(grammar: Grammar) -> Mapping[int, int]:
    """The same the other way round, by the identity of properties: to hash one would walk its operands."""
    return {id(prop): number for number, prop in numbered_properties(grammar).items()}


@remembered
def form_sizes(grammar: Grammar) -> Mapping[str, int]:
    """The number of properties in the form of each construction; of an excerpt, those in the whole grammar."""
    if isinstance(grammar, GrammarExcerpt):
        return dict(grammar.form_sizes)
    return {construction.name: len(construction.properties) for construction in grammar.constructions}


def excerpt(grammar: Grammar, constructions: Collection[str], numbers: Collection[int]) -> GrammarExcerpt:
    """What a grammar says of some constructions with some of the properties in their forms, which go by number.

    Declarations and costs stay, and so do relations of its own that the properties name.
    """
    every, sizes = numbered_properties(grammar), form_sizes(grammar)
    forms: dict[str, list[Property]] = {name: [] for name in sizes if name in constructions}
    chosen = sorted(numbers)
    for number in chosen:
        forms[every[number].construction].append(every[number])
    used = {prop.relation for prop in chain(*forms.values())}
    kept = {field.name: getattr(grammar, field.name) for field in fields(Grammar) if field.name not in WORDS}
    kept["constructions"] = tuple(Construction(name, properties=tuple(form)) for name, form in forms.items())
    kept["relations"] = tuple(relation for relation in grammar.relations if relation.name in used)
    return GrammarExcerpt(
        **kept,
        whole_digest=digest_of(grammar),
        numbers=tuple(chosen),
        form_sizes=tuple((name, sizes[name]) for name in forms),
    )
