"""Reads typed sentences whose words have tags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from numbat.errors import DataError, Problem, Span, close_match, shortened
from numbat.grammar.model import Grammar, Reading
from numbat.grammar.names import WILDCARD
from numbat.records import pattern
from numbat.words.beside import skipping
from numbat.words.lattice import Arc, Lattice, Place, check_arcs, check_length, check_tokens
from numbat.words.lexical_lookup import Words, arcs_of
from numbat.words.tokens import spelled

SLASH: Final = "/"
"""The default separator of a word and its tag."""


def read_tagged(text: str, words: Words, separator: str = SLASH) -> Lattice:
    """Return the lattice of a sentence with tags: `word/TAG` or `word/TAG1|TAG2` (a single tag if `separator` is `|`).

    A tag is a category of the grammar, optionally with features: `cats/N[number=pl]`. A tag without features means the
    lexicon's readings of the word with that category, if there are any. Raises DataError with all problems, whose
    places are columns of the text.
    """
    check_length(text)
    tokens: list[str] = []
    places: list[Place] = []
    arcs: list[Arc] = []
    problems: list[Problem] = []
    for form, tags, start in tagged_words(text, separator):
        position = len(tokens)
        tokens.append(form)
        places.append((start, start + len(form)))
        begin = start + len(form) + len(separator)
        for tag in [tags] if separator == "|" else re.split(r"\|(?![^\[]*\])", tags):
            try:
                arcs += arcs_of(position, position + 1, form, _tag_readings(form, tag, words))
            except DataError as error:
                problems.append(_problem(str(error), text, begin, len(tag)))
            begin += len(tag) + 1
        check_arcs(len(arcs))
    check_tokens(len(tokens))
    if problems:
        raise _error(problems)
    lattice = Lattice(tuple(tokens), tuple(dict.fromkeys(arcs)), (), text, places=tuple(places))
    tagged = {arc.start for arc in arcs if arc.category != WILDCARD}
    marks = {i for i, form in enumerate(tokens) if i not in tagged and words.is_mark(spelled(form))}
    return words.marks.beside(skipping(lattice, marks))


def tagged_words(text: str, separator: str = SLASH) -> Iterator[tuple[str, str, int]]:
    """Yield each word of a tagged sentence, its tag (after the last separator), and the place where the word begins.

    Raises DataError with all words without a tag.
    """
    split_words = [(match, *match[0].rpartition(separator)) for match in _TAGGED.finditer(text)]
    untagged = [match for match, form, slash, tags in split_words if not slash or not form or not tags]
    if untagged:
        raise _error(
            [
                _problem(f'"{shortened(word)}" has no tag\n  {_written(word, separator)}', text, start, len(word))
                for word, start in ((match[0], match.start()) for match in untagged)
            ]
        )
    return ((form, tags, match.start()) for match, form, _, tags in split_words)


def _error(problems: Sequence[Problem]) -> DataError:
    return DataError("\n".join(f"{problem.message}\n  {problem.hint}" for problem in problems), problems)


def _problem(said: str, text: str, start: int, length: int) -> Problem:
    message, _, hint = said.partition("\n  ")
    return Problem(message, Span("", 0, start + 1, start + 1 + length), hint=hint, source_line=text)


WRITTEN: Final = "tagged words are written word/TAG or word/TAG1|TAG2"
OTHER_SIGNS: Final = "_|"
"""Separators of tags in other corpora."""


def _written(word: str, separator: str) -> str:
    """Return a hint about how to write a word with its tag."""
    if separator != SLASH:
        return f"tagged words are written word{separator}TAG, as --separator says"
    sign = next((mark for mark in OTHER_SIGNS if mark in word[1:-1]), None)
    return WRITTEN if sign is None else f"{WRITTEN}; --separator '{sign}' reads word{sign}TAG"


_TAGGED: Final = pattern(r"(?:(?<=[^\s/])\[[^\[\]/]*\]|\S)+")
"""A tagged word; the brackets of a tag may contain spaces."""
_TAG: Final = pattern(r"([^\[\]]+)(?:\[([^\[\]]*)\])?")


def _tag_readings(form: str, tag: str, words: Words) -> Sequence[Reading]:
    match = _TAG.fullmatch(tag)
    if match is None:
        raise DataError(
            f'"{tag}" in "{form}/{tag}" is not a tag\n  a tag is a category, or one with features: N[number=pl]'
        )
    name, grammar = match[1], words.grammar
    categories = [WILDCARD, *grammar.categories]
    if name not in categories:
        near = close_match(name, categories) or f"the categories are: {', '.join(categories)}"
        raise DataError(f'"{name}" in "{form}/{tag}" is not a category of the grammar\n  {near}')
    demand: dict[str, tuple[str, ...]] = {}
    for pair in filter(None, (match[2] or "").split(",")):
        feature, values = _tag_demand(pair.strip(), f"{form}/{tag}", grammar)
        if feature in demand:
            both = "|".join((*demand[feature], *values))
            raise DataError(
                f'feature "{feature}" appears twice in "{form}/{tag}"\n  write alternatives as {feature}={both}'
            )
        demand[feature] = values
    if not demand:
        return words.known_as(spelled(form), name) or words.spelt(form, (Reading(name),))
    return (Reading(name, tuple(sorted(demand.items()))),)


def _tag_demand(pair: str, written: str, grammar: Grammar) -> tuple[str, tuple[str, ...]]:
    """Return the feature and the values that a pair such as `number=sg|pl` in a tag states. Raises DataError."""
    declared = dict(grammar.stated_features)
    feature, equals, values = pair.partition("=")
    if not equals or feature not in declared:
        hint = close_match(feature, declared) or f"write features like {written.partition('[')[0]}[number=pl]"
        raise DataError(f'"{pair}" in "{written}" is not a feature of the grammar with its value\n  {hint}')
    for value in values.split("|"):
        if value not in declared[feature]:
            hint = close_match(value, declared[feature]) or f"the values are: {', '.join(declared[feature])}"
            raise DataError(f'"{value}" in "{written}" is not a value of {feature}\n  {hint}')
    return feature, tuple(values.split("|"))


SQUARE: Final = "a tree is written in round brackets, each word in its own: (NP (DT the) (NN cat))"
