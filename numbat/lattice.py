"""What the words may be: arcs over token positions, the one input of parsing (ruling 14).

Plain text is cut into tokens by the grammar's rules and looked up in its lexicon (ruling 20); tagged text brings its
categories along.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import log
from typing import Final

from numbat.errors import DataError
from numbat.grammar.features import Bundle, bundles
from numbat.grammar.model import WILDCARD, Grammar, Reading, TokenRule
from numbat.source import close_match


@dataclass(frozen=True, slots=True)
class Arc:
    """A reading of the tokens from `start` to `end` (exclusive). `log_weight` compares readings of the same tokens.

    `guessed` marks a reading that does not come from the lexicon.
    """

    start: int
    end: int
    form: str
    category: str
    features: Bundle = ()
    log_weight: float = 0.0
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class Lattice:
    """The tokens of a sentence and the arcs over them; `skipped` are punctuation marks that the grammar ignores.

    `text` is the sentence as it was typed.
    """

    tokens: tuple[str, ...]
    arcs: tuple[Arc, ...]
    skipped: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """A grammar's lexicon, made ready for look-up: readings by form, and multiword forms by their first token."""

    grammar: Grammar
    readings: Mapping[str, tuple[Reading, ...]]
    multiword: Mapping[str, tuple[tuple[str, ...], ...]]

    def known(self, form: str) -> tuple[Reading, ...]:
        """The readings that the lexicon has for a form or, failing that, for its lower case."""
        return self.readings.get(form) or self.readings.get(form.lower()) or ()

    def guessed(self, form: str) -> tuple[Reading, ...]:
        """The readings of the first guess rule that fits; the wildcard where none does (ruling 19)."""
        for rule in self.grammar.guesses:
            if fnmatchcase(form, rule.pattern):
                return rule.readings
        return (Reading(WILDCARD),)


def words_of(grammar: Grammar) -> Words:
    multiword: dict[str, list[tuple[str, ...]]] = {}
    for entry in grammar.lexicon:
        first, *rest = entry.form.lower().split(" ")
        if rest:
            multiword.setdefault(first, []).append((first, *rest))
    readings = {entry.form: entry.readings for entry in grammar.lexicon}
    return Words(grammar, readings, {first: tuple(forms) for first, forms in multiword.items()})


def read_text(text: str, words: Words) -> Lattice:
    """The lattice of a plain sentence."""
    tokens: list[str] = []
    skipped: list[str] = []
    wholes: list[tuple[int, int, str]] = []
    for written in _pieces(text):
        if not any(char.isalnum() for char in written) and not words.known(written):
            skipped.append(written)
            continue
        parts = tuple(_split(written, words))
        if len(parts) > 1 and words.known(written):
            wholes.append((len(tokens), len(tokens) + len(parts), written))
        tokens += parts
    arcs = [arc for i, token in enumerate(tokens) for arc in _word_arcs(i, token, words)]
    for start, end, form in (*wholes, *_multiword_spans(tokens, words)):
        arcs += _arcs(start, end, form, words.known(form), guessed=False)
    return Lattice(tuple(tokens), tuple(arcs), tuple(skipped), text)


_PIECE: Final = re.compile(r"\d+(?:[.,:/]\d+)+|\w+(?:['.@/&-]\w+)*|([^\w\s])\1*")


def _pieces(text: str) -> Iterator[str]:
    """Words and punctuation marks as they are written; typographic apostrophes become plain ones."""
    return (match[0] for match in _PIECE.finditer(text.replace("’", "'").replace("ʼ", "'")))


def _split(written: str, words: Words) -> Iterator[str]:
    """The tokens that a written word stands for by the grammar's token rules."""
    lower = written.lower()
    for rule in words.grammar.tokens:
        if rule.kind == "rewrite" and lower == rule.forms[0].lower():
            yield from rule.forms[1:]
            return
    cut = None if words.known(written) else _cut(written, words.grammar.tokens)
    if cut is None:
        yield written
        return
    for part in cut:
        yield from _split(part, words)


def _cut(written: str, rules: Iterable[TokenRule]) -> tuple[str, str] | None:
    """A word and what is cut from its start or end, by the longest affix that fits and leaves something."""
    lower = written.lower()
    best: tuple[int, tuple[str, str]] | None = None
    for rule in rules:
        affix = rule.forms[0].lower()
        size = len(affix)
        if size >= len(lower) or (best is not None and size <= best[0]):
            continue
        if rule.kind == "suffix" and lower.endswith(affix):
            best = size, (written[:-size], written[-size:])
        elif rule.kind == "prefix" and lower.startswith(affix):
            best = size, (written[:size], written[size:])
    return best[1] if best else None


def _word_arcs(position: int, token: str, words: Words) -> list[Arc]:
    known = words.known(token)
    return _arcs(position, position + 1, token, known or words.guessed(token), guessed=not known)


def _arcs(start: int, end: int, form: str, readings: Iterable[Reading], guessed: bool) -> list[Arc]:
    return [
        Arc(start, end, form, reading.category, bundle, log(reading.weight), guessed)
        for reading in readings
        for bundle in bundles(reading.features)
    ]


def _multiword_spans(tokens: list[str], words: Words) -> Iterator[tuple[int, int, str]]:
    lower = [token.lower() for token in tokens]
    for start, first in enumerate(lower):
        for form in words.multiword.get(first, ()):
            end = start + len(form)
            if tuple(lower[start:end]) == form:
                yield start, end, " ".join(tokens[start:end])


def read_tagged(text: str, words: Words) -> Lattice:
    """The lattice of a sentence whose words carry categories: `word/TAG` or `word/TAG1|TAG2`.

    A tag is a category of the grammar, with features in brackets where they matter: `cats/N[number=pl]`. Without
    features the lexicon's readings of that category count, where it has the word. Raises DataError.
    """
    tokens: list[str] = []
    arcs: list[Arc] = []
    for written in text.split():
        form, slash, tags = written.rpartition("/")
        if not slash or not form or not tags:
            raise DataError(f'"{written}" has no tag\n  tagged words are written word/TAG or word/TAG1|TAG2')
        position = len(tokens)
        tokens.append(form)
        for tag in re.split(r"\|(?![^\[]*\])", tags):
            arcs += _arcs(position, position + 1, form, _tag_readings(form, tag, words), guessed=False)
    return Lattice(tuple(tokens), tuple(dict.fromkeys(arcs)), (), text)


def _tag_readings(form: str, tag: str, words: Words) -> tuple[Reading, ...]:
    match = re.fullmatch(r"([^\[\]]+)(?:\[([^\[\]]*)\])?", tag)
    if match is None:
        raise DataError(f'"{tag}" is not a tag\n  a tag is a category, with features in brackets: N[number=pl]')
    category, inside = match[1], match[2] or ""
    grammar = words.grammar
    categories = [WILDCARD, *grammar.leaves, *(construction.name for construction in grammar.constructions)]
    if category not in categories:
        near = close_match(category, categories) or f"the categories are: {', '.join(categories)}"
        raise DataError(f'"{category}" in "{form}/{tag}" is not a category of the grammar\n  {near}')
    declared = dict(grammar.features)
    demand: dict[str, tuple[str, ...]] = {}
    for pair in filter(None, inside.split(",")):
        feature, _, values = pair.partition("=")
        wrong = [value for value in values.split("|") if value not in declared.get(feature, ())]
        if wrong:
            near = close_match(feature, list(declared)) if feature not in declared else ""
            raise DataError(
                f'"{pair}" in "{form}/{tag}" is not a feature of the grammar with its value\n  {near}'.rstrip()
            )
        demand[feature] = tuple(values.split("|"))
    if not demand:
        known = tuple(reading for reading in words.known(form) if reading.category == category)
        return known or (Reading(category),)
    return (Reading(category, tuple(sorted(demand.items()))),)
