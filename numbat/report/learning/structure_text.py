"""Sentences that a dependency model has parsed, in the formats of treebanks, and what is said of a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from numbat.errors import first_of
from numbat.parsing.dependency_model.model import LONGEST
from numbat.runs.jobs import StructuredSentence, StructureTally
from numbat.treebank.brackets import format_brackets
from numbat.treebank.conllu import DependencyTree, DependencyWord, format_conllu
from numbat.treebank.converting import to_constituents
from numbat.treebank.reading import TreebankSentence
from numbat.treebank.tagged_sentences import as_tree, without_heads
from numbat.treebank.trees import Tree

NAMED: Final = 5
"""So many tags or sentences are named in a message."""


def as_conllu(found: StructuredSentence) -> str:
    """A parsed sentence in CoNLL-U; one that is too long has no heads."""
    sentence = found.sentence
    return format_conllu(without_heads(as_tree(sentence)) if found.heads is None else as_tree(sentence, found.heads))


def as_brackets(found: StructuredSentence) -> str:
    """A parsed sentence in brackets: each word with what depends on it is a phrase, `NOUN-P`.

    One that is too long is a row of words.
    """
    sentence = found.sentence
    pairs = list(zip(sentence.forms, sentence.tags, strict=True))
    if found.heads is None:
        return format_brackets(Tree("", tuple(Tree(tag, (), each) for each, tag in pairs))) + "\n"
    words = tuple(DependencyWord(each, upos=tag, head=at) for (each, tag), at in zip(pairs, found.heads, strict=True))
    return format_brackets(to_constituents(TreebankSentence(sentence.name, DependencyTree(words)))) + "\n"


def told_of(tally: StructureTally) -> Iterator[str]:
    """What is to be said at the end of a run."""
    if tally.unknown:
        tags = [f"{tag} ({count:,})" for tag, count in tally.unknown.most_common()]
        yield (
            f"tags that the model does not know: {first_of(tags, NAMED)}\n"
            "  these words depend on the root, or on a word within whose phrase they stand"
        )
    if tally.too_long:
        yield (
            f"without heads, for they have more than {LONGEST} words: {first_of(tally.too_long, NAMED)}\n"
            "  cut them into shorter ones"
        )
