"""Sentences without tags: cut into tokens, and each token looked up in the lexicon."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from numbat.words.lattice import Arc, Lattice, places_in_line
from numbat.words.lexical_lookup import Words, arcs_of, plain_capitals
from numbat.words.tokens import spelled, tokenize


def read_text(text: str, words: Words) -> Lattice:
    """The lattice of a plain sentence."""
    found = tokenize(text, words)
    tokens, marks = found.tokens, [*zip(found.gaps, found.skipped, strict=True)]
    arcs = [Arc(i, i + 1, token, *sense) for i, token in enumerate(tokens) for sense in words.senses(token)]
    arcs += _names(tokens, dict(marks), words)
    for start, end, written in found.cut:
        arcs += arcs_of(start, end, written, words.known(written))
    for start, end, form in _multiword_spans(tokens, marks, words):
        arcs += arcs_of(start, end, " ".join(tokens[start:end]), words.known(form))
    return Lattice(
        tuple(tokens),
        tuple(arcs),
        tuple(found.skipped),
        text,
        tuple(found.gaps),
        tuple(found.places),
        tuple(found.skipped_places),
    )


def read_tokens(tokens: Sequence[str], words: Words) -> Lattice:
    """The lattice of a sentence that is cut into words already: the readings of each, known or guessed."""
    forms = list(map(spelled, tokens))
    arcs = [Arc(i, i + 1, form, *sense) for i, form in enumerate(forms) for sense in words.senses(form)]
    arcs += _names(forms, {}, words)
    return Lattice(tuple(tokens), tuple(arcs), (), " ".join(tokens), places=places_in_line(tokens))


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
