"""Tagged sentences parsed by a dependency model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from numbat.errors import DataError, Problem, first_of
from numbat.files import shown
from numbat.records import frozen
from numbat.structure.inference import heads_of
from numbat.structure.model import MAX_LENGTH, DependencyModel
from numbat.treebanks.tagged_sentences import (
    TaggedFile,
    TaggedSentence,
    put_back,
    read_by_tags,
    read_tagged_sentences,
    share_known,
    tagged_text,
    without_punctuation,
)

BATCH: Final = 1_000
"""Sentences that are parsed at once."""


@frozen
class StructuredSentence:
    """A sentence and its heads: words count from 1, 0 is the root; None for one that is too long to be parsed."""

    sentence: TaggedSentence
    heads: tuple[int, ...] | None


@dataclass
class StructureTally:
    """Tally of a run: sentences parsed, those that are too long, words by tags that the model does not have."""

    parsed: int = 0
    too_long: list[str] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)


def parse_structure(
    model: DependencyModel,
    sentences: Iterable[TaggedSentence],
    tally: StructureTally,
    advance: Callable[[], object] = lambda: None,
) -> Iterator[StructuredSentence]:
    """Return the best tree of each sentence under the model; what is to be said is added to the tally.

    Punctuation and words whose tags the model does not know are left out, and depend on the root of what is left, or on
    a word below it within whose phrase they stand.
    """
    waiting: list[TaggedSentence] = []
    for sentence in sentences:
        waiting.append(sentence)
        if len(waiting) == BATCH:
            yield from _parsed(model, waiting, tally, advance)
            waiting = []
    yield from _parsed(model, waiting, tally, advance)


def _parsed(
    model: DependencyModel, sentences: list[TaggedSentence], tally: StructureTally, advance: Callable[[], object]
) -> Iterator[StructuredSentence]:
    kept: list[list[int]] = []
    for sentence in sentences:
        bare = without_punctuation(sentence)[1]
        kept.append([at for at in bare if sentence.tags[at] in model.index])
        tally.unknown.update(sentence.tags[at] for at in bare if sentence.tags[at] not in model.index)
    numbers = [
        [model.index[sentence.tags[at]] for at in words] if len(words) <= MAX_LENGTH else []
        for sentence, words in zip(sentences, kept, strict=True)
    ]
    for sentence, words, heads in zip(sentences, kept, heads_of(numbers, model.weights), strict=True):
        advance()
        if len(words) > MAX_LENGTH:
            tally.too_long.append(sentence.name)
            yield StructuredSentence(sentence, None)
        else:
            tally.parsed += 1
            yield StructuredSentence(sentence, put_back(heads, words, len(sentence.tags)))


NAMED: Final = 5
"""So many tags are named in a message."""
TYPED: Final = "<arguments>"
"""Where sentences stand that are arguments."""


def tagged_arguments(model: DependencyModel, texts: Iterable[str]) -> TaggedFile:
    """Tagged sentences as they were typed, `The/DET cat/NOUN`. Raises DataError where the model knows no tag."""
    both = list(tagged_text(texts, TYPED))
    problems = tuple(problem for problem in both if isinstance(problem, Problem))
    sentences = tuple(sentence for sentence in both if isinstance(sentence, TaggedSentence))
    return _checked(model, TaggedFile(sentences, problems, "text", "tags"), TYPED)


def tagged_for(model: DependencyModel, path: str, form: str) -> TaggedFile:
    """Return the sentences of a file with the tags that a model was learned from.

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
    """Return the number of words of a sentence, without its punctuation."""
    return len(without_punctuation(sentence)[1])
