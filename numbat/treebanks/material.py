"""What a treebank lacks, or has too much of, for a grammar of one language: told before a language is made of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Final

from numbat.treebanks.conllu import DependencyTree
from numbat.treebanks.crossing import inner
from numbat.treebanks.notes import Note
from numbat.treebanks.reading import TreebankSentence
from numbat.treebanks.tagged_sentences import UNTAGGED
from numbat.treebanks.trees import Tree

NO_TAGS: Final = Note(
    "sentence has words without tags and was left out",
    "sentences have words without tags and were left out",
    "UPOS and XPOS are _ there; numbat tag run gives tags by a tagger of the language",
)
CLOSED: Final = frozenset({"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ", "ADV", "VERB", "NOUN", "ADJ"})
"""Tags of words that can tell languages apart: neither names, numbers nor marks."""
FREQUENT: Final = 60
"""So many of the most frequent words are compared."""
ENOUGH: Final = 1500
"""Fewer times that two of them meet in a sentence do not tell."""
APART: Final = 0.45
"""Two halves of these words that meet so much less often than by chance are those of two languages. Of twelve treebanks
of UD with 200 sentences and more none has less than .48; mixtures of two have .42 at most.
"""
LEAST_SHARE: Final = 0.05
"""A smaller part of the sentences is no second language but a genre, a name, a quotation."""


def lacks_tags(tree: Tree) -> bool:
    """True if a word of a tree has no tag."""
    return any(node.label == UNTAGGED for node in tree.walk() if node.form is not None)


def doubts(sentences: Sequence[TreebankSentence]) -> Iterator[str]:
    """Return what the sentences lack that others have, and whether they may be of two languages.

    Raises MissingExtraError without numpy.
    """
    trees = [sentence.tree for sentence in sentences if isinstance(sentence.tree, DependencyTree)]
    words = [word for tree in trees for word in tree.words]
    if words:
        if not any(word.feats for word in words):
            yield "no word has features (FEATS): no agreement is found, and -f conllu has no features"
        if not any(word.lemma != UNTAGGED for word in words):
            yield "no word has a lemma: -f conllu has none"
        if not any(word.deprel not in (UNTAGGED, "") for word in words):
            yield "no link has a relation (DEPREL): those of -f conllu are dep"
        if not any(tree.comment("text") or "SpaceAfter=No" in word.misc for tree in trees for word in tree.words):
            yield "nothing says how the text is written (# text, SpaceAfter): it is measured with blanks between words"
    told = [[word for word in tree.words if word.upos in CLOSED] for tree in trees]
    parts = languages_apart([[word.form for word in row] for row in told] if any(told) else _forms(sentences))
    if parts is not None:
        one, other = (", ".join(part[:5]) for part in parts)
        yield (
            f"the sentences may be of two languages, as these words hardly meet: {one}; {other}\n"
            "  a grammar is of one: make a language of each"
        )


def _forms(sentences: Sequence[TreebankSentence]) -> list[list[str]]:
    """Return the words of sentences in brackets, without marks and numbers."""
    trees = [sentence.tree for sentence in sentences if not isinstance(sentence.tree, DependencyTree)]
    return [[form for form, _ in inner(tree).words() if form.isalpha()] for tree in trees]


def languages_apart(sentences: Sequence[Sequence[str]]) -> tuple[list[str], list[str]] | None:
    """Return the frequent words of two languages, if the sentences seem to be of two; None if they are of one or too
    few.

    Frequent words meet in sentences of their language alone. The two halves of them that meet least are those of the
    second eigenvector of who meets whom (Shi and Malik 2000).
    """
    import numpy as np

    rows = [{form.lower() for form in sentence} for sentence in sentences]
    common = [form for form, _ in Counter(form for row in rows for form in row).most_common(FREQUENT)]
    number = {form: at for at, form in enumerate(common)}
    together = np.zeros((len(common), len(common)))
    for row in rows:
        for pair in permutations((number[form] for form in row if form in number), 2):
            together[pair] += 1
    total = together.sum()
    if total < ENOUGH:
        return None
    # A little of chance joins words that never meet: else a single pair would be a half.
    of_each = together.sum(axis=1) + 1
    together += 0.02 * np.outer(of_each, of_each) / total
    root = np.sqrt(together.sum(axis=1))
    second = np.linalg.eigh(together / np.outer(root, root))[1][:, -2] / root
    side = second > 0
    shares = np.array([of_each[side].sum(), of_each[~side].sum()]) / of_each.sum()
    if together[side][:, ~side].sum() * 2 > APART * 2 * shares.prod() * together.sum():
        return None
    on_one = [sum(1 if side[number[form]] else -1 for form in row if form in number) for row in rows]
    if min(sum(each > 0 for each in on_one), sum(each < 0 for each in on_one)) < LEAST_SHARE * len(rows):
        return None
    one, other = ([common[at] for at in np.flatnonzero(half)] for half in (side, ~side))
    return one, other
