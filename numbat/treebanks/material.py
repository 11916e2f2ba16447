"""Doubts about a treebank as material for a grammar of one language, reported before a language is made."""

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
    "their UPOS and XPOS are _; numbat tag run adds tags with a tagger of the language",
)
CLOSED: Final = frozenset({"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ", "ADV", "VERB", "NOUN", "ADJ"})
"""Tags of words that distinguish languages, unlike names, numbers and punctuation."""
FREQUENT: Final = 60
"""Number of the most frequent words that are compared."""
ENOUGH: Final = 1500
"""Minimum number of cooccurrences of these words in sentences for a decision."""
APART: Final = 0.45
"""Two halves of these words are of two languages if they cooccur at most this often, relative to chance.

Twelve treebanks of UD with 200 sentences or more have at least .48, mixtures of two treebanks at most .42.
"""
LEAST_SHARE: Final = 0.05
"""Minimum share of sentences in a second language; smaller parts are genres, names or quotations."""


def lacks_tags(tree: Tree) -> bool:
    """Return True if a word of a tree has no tag."""
    return any(node.label == UNTAGGED for node in tree.walk() if node.form is not None)


def doubts(sentences: Sequence[TreebankSentence]) -> Iterator[str]:
    """Yield notes on missing annotation, and on sentences of perhaps two languages.

    Raises MissingExtraError without numpy.
    """
    trees = [sentence.tree for sentence in sentences if isinstance(sentence.tree, DependencyTree)]
    words = [word for tree in trees for word in tree.words]
    if words:
        if not any(word.feats for word in words):
            yield "no word has features (FEATS): the grammar has no agreement, and -f conllu no features"
        if not any(word.lemma != UNTAGGED for word in words):
            yield "no word has a lemma: -f conllu has no lemmas"
        if not any(word.deprel not in (UNTAGGED, "") for word in words):
            yield "no link has a relation (DEPREL): all relations of -f conllu are dep"
        if not any(tree.comment("text") or "SpaceAfter=No" in word.misc for tree in trees for word in tree.words):
            yield "the text is missing (# text, SpaceAfter): raw text is made with blanks between all words"
    closed = [[word for word in tree.words if word.upos in CLOSED] for tree in trees]
    parts = languages_apart([[word.form for word in row] for row in closed] if any(closed) else _forms(sentences))
    if parts is not None:
        one, other = (", ".join(part[:5]) for part in parts)
        yield (
            f"the sentences may be in two languages, as these words rarely occur together: {one}; {other}\n"
            "  make a separate language of each"
        )


def _forms(sentences: Sequence[TreebankSentence]) -> list[list[str]]:
    """Return the words of phrase structure trees, without punctuation and numbers."""
    trees = [sentence.tree for sentence in sentences if not isinstance(sentence.tree, DependencyTree)]
    return [[form for form, _ in inner(tree).words() if form.isalpha()] for tree in trees]


def languages_apart(sentences: Sequence[Sequence[str]]) -> tuple[list[str], list[str]] | None:
    """Return the frequent words of two languages if the sentences seem to be in two, else None.

    Frequent words cooccur only in sentences of their language. The second eigenvector of the normalised cooccurrences
    divides them into the two halves that cooccur least (Shi and Malik 2000).
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
    # Chance cooccurrences connect words that never meet; otherwise a single pair could be a half.
    of_each = together.sum(axis=1) + 1
    together += 0.02 * np.outer(of_each, of_each) / total
    root = np.sqrt(together.sum(axis=1))
    second = np.linalg.eigh(together / np.outer(root, root))[1][:, -2] / root
    side = second > 0
    shares = np.array([of_each[side].sum(), of_each[~side].sum()]) / of_each.sum()
    if together[side][:, ~side].sum() * 2 > APART * 2 * shares.prod() * together.sum():
        return None
    on_one = [sum(1 if side[number[form]] else -1 for form in row if form in number) for row in rows]
    if min(sum(balance > 0 for balance in on_one), sum(balance < 0 for balance in on_one)) < LEAST_SHARE * len(rows):
        return None
    one, other = ([common[at] for at in np.flatnonzero(half)] for half in (side, ~side))
    return one, other
