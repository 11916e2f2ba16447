"""Ends of sentences in running text, and multiword tokens, learned from a treebank.

A tagger labels the pieces between blanks. It learns from stretches of consecutive sentences of a treebank, and so it
learns abbreviations, ordinals and headings without a mark. It cannot label text without blanks. Another tagger labels
written words: *des* is one word in "il a des amis", but two words, *de* and *les*, in "les amis des voisins". If words
contain blanks (Vietnamese) or have none between them (Chinese), it labels the smallest parts of words instead,
syllables or letters: each begins a word or is inside one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from numbat.records import frozen
from numbat.treebanks.conllu import DependencyTree
from numbat.treebanks.morphology import Columns, Labelling
from numbat.words.segmentation import are_divided, atoms, is_unsegmented

STRETCH: Final = 20
"""Number of sentences that the tagger sees together."""
MIN_BLANKS: Final = 0.05
"""Minimum share of blanks among the characters of text with blanks between words."""
LAST, OTHER = "last", "other"
"""Labels of the last piece of a sentence and of all others."""
CUT, WHOLE = "cut", "whole"
"""Labels of a written word that stands for several words, and of any other."""
BEGINS, INSIDE = "begins", "inside"
"""Labels of the first part of a word and of any other."""
MAX_PARTS: Final = 6
"""Maximum number of parts of the words that are sought in the lexicon."""


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


def divided_words(trees: Sequence[DependencyTree]) -> list[tuple[tuple[Columns, ...], tuple[str, ...]]]:
    """Return training samples of word divisions: rows and labels by sentence; [] if nearly all words have one part.

    The rows see only words that occur twice: words of other texts may be in no lexicon, either.
    """
    counts = Counter(word.form.lower() for tree in trees for word in tree.words)
    if not are_divided(counts.items()):
        return []
    sentences = [
        [[form[start:end] for start, end in atoms(form)] for form in (word.form for word in tree.words)]
        for tree in trees
    ]
    samples: list[tuple[tuple[Columns, ...], tuple[str, ...]]] = []
    for words in sentences:
        rows = division_rows([part for parts in words for part in parts], lambda form: counts[form.lower()] > 1)
        labels = (BEGINS if number == 0 else INSIDE for parts in words for number in range(len(parts)))
        samples.append((rows, tuple(labels)))
    return samples


def division_rows(parts: Sequence[str], known: Callable[[str], bool]) -> tuple[Columns, ...]:
    """Return the rows of a sentence for the tagger of word divisions: each part with a column about it.

    The column has the sizes of the longest words that the lexicon has from this part on, and from an earlier part on
    over this one, and the case of the part.
    """
    starting, inside = [0] * len(parts), [0] * len(parts)
    is_letter = [*map(is_unsegmented, parts)]
    for start in range(len(parts)):
        form = ""
        for end in range(start, min(start + MAX_PARTS, len(parts))):
            form += (" " if end > start and not (is_letter[end - 1] or is_letter[end]) else "") + parts[end]
            if known(form):
                size = starting[start] = end + 1 - start
                inside[start + 1 : end + 1] = [max(size, other) for other in inside[start + 1 : end + 1]]
    return tuple(
        (part, f"{start}{over}{_case(part)}") for part, start, over in zip(parts, starting, inside, strict=True)
    )


def _case(part: str) -> str:
    if not part[:1].isalpha():
        return "digit" if part[:1].isdigit() else "mark"
    return "capitals" if part.isupper() and len(part) > 1 else "capital" if part[0].isupper() else "small"


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
