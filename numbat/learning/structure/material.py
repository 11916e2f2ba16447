"""What structure is learned from, and the trees that choose: sentences of files, without their punctuation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, cast

from numbat.errors import DataError, Problem, first_of
from numbat.files import shown
from numbat.parsing.dependency_model.model import MOST_TAGS, Column
from numbat.records import frozen
from numbat.treebank.tagged_sentences import (
    TaggedSentence,
    bare_sentences,
    check_several_tags,
    read_by_tags,
    read_tagged_sentences,
    share_known,
)

NAMED: Final = 8
"""So many tags are named in a message."""
Complain = Callable[[Problem], object]


@frozen
class TagMaterial:
    """Sentences to learn from, without punctuation, and how many were left out: too long, or without words."""

    sentences: tuple[TaggedSentence, ...]
    column: Column
    too_long: int
    empty: int


def material_of(paths: Sequence[str], form: str, column: str, longest: int, complain: Complain) -> TagMaterial:
    """The sentences of files, of up to `longest` words; `form` and `column` as `read_tagged_sentences` takes them.

    Raises MissingFileError, and DataError where nothing is left to learn from.
    """
    found: list[TaggedSentence] = []
    columns: set[str] = set()
    too_long = empty = 0
    for path in paths:
        read = read_tagged_sentences(path, form, column)
        for problem in read.problems:
            complain(problem)
        columns.add(read.column)
        bare = bare_sentences(read.sentences, longest)
        found += bare.sentences
        too_long, empty = too_long + bare.too_long, empty + bare.empty
    name = shown(paths[0])
    if not found:
        why = f"all {too_long:,} are longer than {longest} words" if too_long else "they have no words"
        hint = "raise --max-length, or give shorter ones" if too_long else "words of punctuation alone are left out"
        raise DataError(f"{name}: no sentence to learn from: {why}\n  {hint}")
    if len(columns) > 1:
        raise DataError(f"{name}: files with tags of different kinds\n  give files of one format")
    check_several_tags(found, name)
    tags = {tag for sentence in found for tag in sentence.tags}
    if len(tags) > MOST_TAGS:
        raise DataError(
            f"{name}: {len(tags):,} different tags, of which up to {MOST_TAGS:,} can be learned from\n"
            "  such tags are bundles of features: take --tags upos, or shorten them"
        )
    return TagMaterial(tuple(found), cast(Column, columns.pop()), too_long, empty)


def known_trees(path: str, material: TagMaterial, longest: int, complain: Complain) -> list[TaggedSentence]:
    """The annotated sentences of a file that choose, with the tags of the sentences to learn from.

    Of CoNLL-U it is the column that has these tags. Raises MissingFileError, and DataError where no sentence has heads,
    or most words have other tags.
    """
    tags = {tag for sentence in material.sentences for tag in sentence.tags}
    read = read_by_tags(path, tags, column="xpos" if material.column == "xpos" else "upos")
    for problem in read.problems:
        complain(problem)
    if share_known(read, tags) < 0.5:
        others = sorted({tag for sentence in read.sentences for tag in sentence.tags} - tags)
        raise DataError(
            f"{shown(path)}: its tags are others: {first_of(others, NAMED)}; the sentences have "
            f"{first_of(sorted(tags), NAMED)}\n  give trees with the same tags"
        )
    found = [each for each in bare_sentences(read.sentences, longest).sentences if each.heads is not None]
    if not found:
        raise DataError(
            f"{shown(path)}: no tree of up to {longest} words to choose by\n"
            "  give sentences with heads: CoNLL-U with HEAD, or brackets"
        )
    return found
