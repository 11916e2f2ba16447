"""Tagged sentences with the tags that a dependency model was learned from: what `numbat parse --structure` reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from numbat.errors import DataError, Problem, first_of
from numbat.files import shown
from numbat.parsing.dependency_model.model import DependencyModel
from numbat.treebank.tagged_sentences import (
    TaggedFile,
    TaggedSentence,
    read_by_tags,
    read_tagged_sentences,
    share_known,
    tagged_text,
    without_punctuation,
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
    if model.column == "tags":
        return _checked(model, read_by_tags(path, model.index, form), shown(path))
    remedy = f"the model was learned from {model.column.upper()}"
    return _checked(model, read_tagged_sentences(path, form, model.column, remedy=remedy), shown(path))


def _checked(model: DependencyModel, found: TaggedFile, name: str) -> TaggedFile:
    if found.sentences and not share_known(found, model.index):
        tags = sorted({tag for sentence in found.sentences for tag in sentence.tags})
        raise DataError(
            f"{name}: the model knows none of the tags\n"
            f"  the file has tags such as {first_of(tags, NAMED)}, the model others such as "
            f"{first_of(model.tags, NAMED)}"
        )
    return found


def words_of(sentence: TaggedSentence) -> int:
    """How many words a sentence has, its punctuation left out."""
    return len(without_punctuation(sentence)[1])
