"""A constituent as a user writes it, `0-3:NP`, `the cat:NP` or `0-3:NP[case=nom]`, and where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from numbat.errors import UsageError, close_match, whole_of
from numbat.grammar.model import Grammar
from numbat.grammar.properties import Demand
from numbat.parsing.queries.parse_with import GivenConstituent
from numbat.words.lattice import Lattice

PLACE: Final = re.compile(r"(\d+)-(\d+)")
WRITTEN: Final = re.compile(r"(?P<place>.+?):(?P<category>[^\[]+)(?:\[(?P<features>[^\]]*)\])?")
"""A constituent as it is typed."""


def constituent_named(text: str, grammar: Grammar, lattice: Lattice) -> GivenConstituent:
    """The constituent of a sentence that is written `0-3:NP` or `the cat:NP`, perhaps with features behind it.

    Raises UsageError, which says so where the sentence beside it is written like one.
    """
    match = WRITTEN.fullmatch(text)
    if match is None:
        sentence = lattice.text
        if sentence and re.match(r"\d+-\d+:", sentence):
            raise UsageError(
                f'"{text}" is no constituent, but "{sentence}" is\n  the constituent comes first: {sentence} "{text}"'
            )
        raise UsageError(
            f'"{text}" is no constituent\n'
            "  write it as 0-3:NP (token positions, the end exclusive, category), or with its words, as the cat:NP"
        )
    category, names = match["category"], grammar.categories
    if category not in names:
        hint = close_match(category, names) or f"the categories are: {', '.join(names)}"
        raise UsageError(f'"{category}" is no category of the grammar\n  {hint}')
    start, end = _place(match["place"], category, lattice)
    return GivenConstituent(start, end, category, _demand(match["features"] or "", grammar))


def _place(text: str, category: str, lattice: Lattice) -> tuple[int, int]:
    """The span that is written as positions, or as words that stand in the sentence once."""
    positions = PLACE.fullmatch(text)
    if positions is not None:
        return whole_of(positions[1]), whole_of(positions[2])
    words = text.split()
    found = list(_places(words, lattice.tokens)) or list(
        _places([word.casefold() for word in words], [token.casefold() for token in lattice.tokens])
    )
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(f'"{text}" does not stand in the sentence\n  its words are: {" ".join(lattice.tokens)}')
    places = " and ".join(f"{start}-{end}" for start, end in found)
    start, end = found[0]
    raise UsageError(f'"{text}" stands in the sentence at {places}\n  say which is meant: {start}-{end}:{category}')


def _places(words: list[str], tokens: tuple[str, ...] | list[str]) -> Iterator[tuple[int, int]]:
    for start in range(len(tokens) - len(words) + 1):
        if list(tokens[start : start + len(words)]) == words:
            yield start, start + len(words)


def _demand(text: str, grammar: Grammar) -> Demand:
    """The features in the bracket: `case=nom, number=sg|pl`; a value alone where one feature has it."""
    declared = dict(grammar.features)
    found: dict[str, tuple[str, ...]] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        feature, equals, values = (each.strip() for each in part.partition("="))
        if not equals:
            having = [name for name, each in grammar.features if part in each]
            feature, values = (having[0], part) if len(having) == 1 else (part, "")
        if feature not in declared:
            hint = close_match(feature, declared) or f"the features are: {', '.join(declared)}"
            raise UsageError(f'"{feature}" is no feature of the grammar\n  {hint}')
        for value in values.split("|"):
            if value not in declared[feature]:
                listed = ", ".join(declared[feature])
                raise UsageError(f'"{value}" is no value of {feature}\n  the values of {feature} are: {listed}')
        found[feature] = tuple(values.split("|"))
    return tuple(sorted(found.items()))
