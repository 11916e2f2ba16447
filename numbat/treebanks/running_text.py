"""Ends of sentences in running text, and multiword tokens, learned from a treebank.

A tagger labels the pieces between blanks. It learns from stretches of consecutive sentences of a treebank, and so it
learns abbreviations, ordinals and headings without a mark. It cannot label text without blanks. Another tagger labels
written words: *des* is one word in "il a des amis", but two words, *de* and *les*, in "les amis des voisins".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from numbat.records import frozen
from numbat.treebanks.conllu import DependencyTree
from numbat.treebanks.morphology import Columns, Labelling

STRETCH: Final = 20
"""Number of sentences that the tagger sees together."""
MIN_BLANKS: Final = 0.05
"""Minimum share of blanks among the characters of text with blanks between words."""
LAST, OTHER = "last", "other"
"""Labels of the last piece of a sentence and of all others."""
CUT, WHOLE = "cut", "whole"
"""Labels of a written word that stands for several words, and of any other."""


def text_of(tree: DependencyTree) -> str:
    """Return the text of a sentence, joined from its tokens if the treebank does not have it."""
    if text := tree.comment("text"):
        return text
    tokens = (form + ("" if "SpaceAfter=No" in misc.split("|") else " ") for form, misc, _ in _tokens(tree))
    return "".join(tokens).strip()


def _tokens(tree: DependencyTree) -> Iterator[tuple[str, str, int]]:
    """Yield the tokens of a sentence as written, each with its MISC and its number of words."""
    ranges = {row.place: row.columns for row in tree.other_rows if "-" in row.columns[0]}
    number = 1
    while number <= len(tree.words):
        word, last = tree.words[number - 1], number
        form, misc = word.form, word.misc
        if number in ranges:
            form, misc, last = ranges[number][1], ranges[number][9], int(ranges[number][0].partition("-")[2])
        yield form, misc, last + 1 - number
        number = last + 1


def stretches(trees: Sequence[DependencyTree]) -> list[tuple[tuple[Columns, ...], tuple[str, ...]]]:
    """Return training samples of sentence ends: rows and labels of consecutive sentences; [] without blanks."""
    texts = [text for tree in trees if (text := text_of(tree))]
    characters = sum(map(len, texts))
    if sum(len(text.split()) - 1 for text in texts) < MIN_BLANKS * characters:
        return []
    samples: list[tuple[tuple[Columns, ...], tuple[str, ...]]] = []
    for start in range(0, len(texts), STRETCH):
        pieces = [text.split() for text in texts[start : start + STRETCH]]
        labels = [label for sentence in pieces for label in (*[OTHER] * (len(sentence) - 1), LAST)]
        samples.append((tuple((piece,) for sentence in pieces for piece in sentence), tuple(labels)))
    return samples


def written_words(trees: Sequence[DependencyTree]) -> list[tuple[tuple[Columns, ...], tuple[str, ...]]]:
    """Return training samples of multiword tokens: rows and labels by sentence; [] if no form is ambiguous."""
    tokens = [[*_tokens(tree)] for tree in trees]
    cut, whole = (
        {form.lower() for token in tokens for form, _, size in token if (size > 1) == of} for of in (True, False)
    )
    if cut.isdisjoint(whole):
        return []
    return [
        (tuple((form,) for form, _, _ in sentence), tuple(CUT if size > 1 else WHOLE for _, _, size in sentence))
        for sentence in tokens
    ]


@frozen
class SentenceEnds:
    """Splitter of running text into sentences, by a tagger of its pieces."""

    label: Labelling

    def __call__(self, text: str) -> list[tuple[int, int]]:
        """Return the sentences of a paragraph as spans of characters, without blanks around them."""
        pieces = list(re.finditer(r"\S+", text))
        if not pieces:
            return []
        (labels,) = self.label([[(piece[0],) for piece in pieces]])
        spans: list[tuple[int, int]] = []
        start = pieces[0].start()
        for number, (piece, label) in enumerate(zip(pieces, labels, strict=True), start=1):
            if label == LAST or number == len(pieces):
                spans.append((start, piece.end()))
                start = pieces[number].start() if number < len(pieces) else len(text)
        return spans
