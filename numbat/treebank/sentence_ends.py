"""Where sentences end in running text, by a treebank: a tagger labels the pieces between blanks.

The sentences of a treebank stand one behind the other, as in a text, in stretches that the tagger learns from. So it
knows abbreviations, ordinals and headings without a mark. Writing without blanks has nothing to label.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from numbat.records import frozen
from numbat.treebank.conllu import DependencyTree
from numbat.treebank.morphology import Columns, Labelling

STRETCH: Final = 20
"""Sentences that the tagger sees together."""
MIN_BLANKS: Final = 0.05
"""Writing with fewer blanks among its characters has none between words."""
LAST, OTHER = "last", "other"
"""Labels of the last piece of a sentence and of all others."""


def text_of(tree: DependencyTree) -> str:
    """Return the text of a sentence, made of its tokens where the treebank does not say it."""
    if text := tree.comment("text"):
        return text
    ranges = {row.place: row.columns for row in tree.other_rows if "-" in row.columns[0]}
    text, number = "", 1
    while number <= len(tree.words):
        word, last = tree.words[number - 1], number
        form, misc = word.form, word.misc
        if number in ranges:
            form, misc, last = ranges[number][1], ranges[number][9], int(ranges[number][0].partition("-")[2])
        text += form + ("" if "SpaceAfter=No" in misc.split("|") else " ")
        number = last + 1
    return text.strip()


def stretches(trees: Sequence[DependencyTree]) -> list[tuple[tuple[Columns, ...], tuple[str, ...]]]:
    """Return rows and labels of the pieces of sentences that follow each other; none of writing without blanks."""
    texts = [text for tree in trees if (text := text_of(tree))]
    characters = sum(map(len, texts))
    if sum(len(text.split()) - 1 for text in texts) < MIN_BLANKS * characters:
        return []
    found: list[tuple[tuple[Columns, ...], tuple[str, ...]]] = []
    for start in range(0, len(texts), STRETCH):
        pieces = [text.split() for text in texts[start : start + STRETCH]]
        labels = [label for each in pieces for label in (*[OTHER] * (len(each) - 1), LAST)]
        found.append((tuple((piece,) for each in pieces for piece in each), tuple(labels)))
    return found


@frozen
class SentenceEnds:
    """Divides running text into sentences by a tagger of its pieces."""

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
