"""Sentences without tags: cut into tokens, and each token looked up in the lexicon."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from numbat.words.lattice import Arc, Lattice, bounded, check_length, check_tokens, places_in_line
from numbat.words.lexical_lookup import Words, arcs_of, plain_capitals
from numbat.words.tokens import Tokens, spelled, tokenize


def read_text(text: str, words: Words) -> Lattice:
    """The lattice of a plain sentence. Raises DataError for a text that is too long to be one."""
    check_length(text)
    found = tokenize(text, words)
    check_tokens(len(found.tokens))
    return Lattice(
        tuple(found.tokens),
        bounded(_arcs(found, words)),
        tuple(found.skipped),
        text,
        tuple(found.gaps),
        tuple(found.places),
        tuple(found.skipped_places),
    )


def _arcs(found: Tokens, words: Words) -> Iterator[Arc]:
    """What the tokens of a text may be: by themselves, as names, uncut, and as multiword forms."""
    tokens, marks = found.tokens, [*zip(found.gaps, found.skipped, strict=True)]
    yield from _senses(tokens, words)
    yield from _names(tokens, dict(marks), words)
    for start, end, written in found.cut:
        yield from arcs_of(start, end, written, words.known(written))
    for start, end, form in _multiword_spans(tokens, marks, words):
        yield from arcs_of(start, end, " ".join(tokens[start:end]), words.known(form))


def _senses(forms: Sequence[str], words: Words) -> Iterator[Arc]:
    return (Arc(i, i + 1, form, *sense) for i, form in enumerate(forms) for sense in words.senses(form))


def read_tokens(tokens: Sequence[str], words: Words) -> Lattice:
    """The lattice of a sentence that is cut into words already: the readings of each, known or guessed."""
    check_tokens(len(tokens))
    forms = list(map(spelled, tokens))
    arcs = bounded(chain(_senses(forms, words), _names(forms, {}, words)))
    return Lattice(tuple(tokens), arcs, (), " ".join(tokens), places=places_in_line(tokens))


def _names(tokens: Sequence[str], marks: Mapping[int, str], words: Words) -> Iterator[Arc]:
    """The arcs of words that may be names. A sentence begins at the first one and behind a mark that is no comma."""
    for i, token in enumerate(tokens):
        if i > 0 and token[:1].isupper() and marks.get(i, ",") == ",":
            yield from (Arc(i, i + 1, token, *sense) for sense in words.names(token))


def _multiword_spans(
    tokens: list[str], skipped: Iterable[tuple[int, str]], words: Words
) -> Iterator[tuple[int, int, str]]:
    """Where the tokens are those of a multiword form, by any spelling in which `known` looks for a word.

    A form that is one word with signs (`well ,`) is there only with the signs that were `skipped` before and behind it.
    """
    signs: dict[int, str] = defaultdict(str)
    for place, sign in skipped:
        signs[place] += sign
    lower, plain = tuple([token.lower() for token in tokens]), tuple(map(plain_capitals, tokens))
    spellings = dict.fromkeys((tuple(tokens), lower, plain))
    for start in range(len(tokens)):
        found: dict[tuple[int, str], None] = {}
        for spelled_so in spellings:
            for form_tokens, form in words.multiword.get(spelled_so[start], ()):
                end = start + len(form_tokens)
                if end == start + 1 and form.replace(" ", "") not in signs[start] + spelled_so[start] + signs[end]:
                    continue
                if spelled_so[start:end] == form_tokens:
                    found[end, form] = None
        yield from ((start, end, form) for end, form in found)
