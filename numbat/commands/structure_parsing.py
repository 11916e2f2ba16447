"""Tagged sentences with the tags that a dependency model was learned from: what `numbat parse --structure` reads."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Final

from numbat.errors import DataError
from numbat.files import shown
from numbat.parsing.dependency_model.model import DependencyModel
from numbat.source import Problem, first_of
from numbat.treebank.tagged_sentences import (
    UNTAGGED,
    TaggedFile,
    TaggedSentence,
    read_tagged_sentences,
    tag_of,
    tagged_text,
)

NAMED: Final = 5
"""So many tags are named in a message."""
TYPED: Final = "<arguments>"
"""Where sentences stand that are arguments."""


def tagged_arguments(model: DependencyModel, texts: Iterable[str]) -> TaggedFile:
    """Tagged sentences as they were typed, `The/DET cat/NOUN`. Raises DataError where the model knows no tag."""
    both = list(tagged_text(texts, TYPED))
    problems = tuple(each for each in both if isinstance(each, Problem))
    sentences = tuple(each for each in both if isinstance(each, TaggedSentence))
    return _checked(model, TaggedFile(sentences, problems, "text", "tags"), TYPED)


def tagged_for(model: DependencyModel, path: str, form: str) -> TaggedFile:
    """The sentences of a file with the tags that a model was learned from.

    Of CoNLL-U a model of tagged text takes the column whose tags it knows better. Raises MissingFileError, and
    DataError for a file without sentences, or with none of the model's tags.
    """
    remedy = f"the model was learned from {model.column.upper()}"
    column = "upos" if model.column == "tags" else model.column
    found = read_tagged_sentences(path, form, column, remedy=remedy)
    if model.column == "tags" and found.form == "conllu":
        found = max((found, _retagged(found, "xpos")), key=lambda each: _known(model.index, each))
    return _checked(model, found, shown(path))


def _checked(model: DependencyModel, found: TaggedFile, name: str) -> TaggedFile:
    if found.sentences and not _known(model.index, found):
        tags = sorted({tag for sentence in found.sentences for tag in sentence.tags})
        raise DataError(
            f"{name}: the model knows none of the tags\n"
            f"  the file has tags such as {first_of(tags, NAMED)}, the model others such as "
            f"{first_of(model.tags, NAMED)}"
        )
    return found


def _retagged(found: TaggedFile, column: str) -> TaggedFile:
    sentences = []
    for each in found.sentences:
        words = each.tree.words if each.tree is not None else ()
        tags = tuple(tag_of(word, column) for word in words)
        sentences.append(replace(each, tags=tags) if UNTAGGED not in tags else each)
    return replace(found, sentences=tuple(sentences), column=column)


def _known(tags: Collection[str], found: TaggedFile) -> int:
    """How many words have one of the tags."""
    return sum(tag in tags for sentence in found.sentences for tag in sentence.tags)
