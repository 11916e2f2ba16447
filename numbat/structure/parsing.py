"""Parse tagged sentences with a dependency model."""

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
"""Number of sentences parsed at once."""


@frozen
class StructuredSentence:
    """A sentence and its heads, counted from 1, with 0 for the root; None if the sentence is too long to parse."""

    sentence: TaggedSentence
    heads: tuple[int, ...] | None


@dataclass
class StructureTally:
    """Tally of a run: number of sentences parsed, names of those too long, and counts of tags unknown to the model."""

    parsed: int = 0
    too_long: list[str] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)


def parse_structure(
    model: DependencyModel,
    sentences: Iterable[TaggedSentence],
    tally: StructureTally,
    advance: Callable[[], object] = lambda: None,
) -> Iterator[StructuredSentence]:
    """Yield the best tree of each sentence under the model, and count sentences in the tally.

    Punctuation and words with unknown tags are attached afterwards: to the root, or to a word below it whose phrase
    surrounds them.
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
"""Maximum number of tags named in a message."""
TYPED: Final = "<arguments>"
"""File name for sentences that were typed as arguments."""


def tagged_arguments(model: DependencyModel, texts: Iterable[str]) -> TaggedFile:
    """Return sentences typed as `The/DET cat/NOUN`. Raises DataError if the model knows none of their tags."""
    both = list(tagged_text(texts, TYPED))
    problems = tuple(problem for problem in both if isinstance(problem, Problem))
    sentences = tuple(sentence for sentence in both if isinstance(sentence, TaggedSentence))
    return _checked(model, TaggedFile(sentences, problems, "text", "tags"), TYPED)


def tagged_for(model: DependencyModel, path: str, form: str) -> TaggedFile:
    """Read the sentences of a file with tags of the kind that a model was learned from.

    For a model of tagged text, that is the CoNLL-U column whose tags it knows better. Raises MissingFileError, and
    DataError for a file without sentences or with none of the model's tags.
    """
    if model.column == "tags":
        return _checked(model, read_by_tags(path, model.index, form), shown(path))
    remedy = f"the model was learned from {model.column.upper()}"
    return _checked(model, read_tagged_sentences(path, form, model.column, remedy=remedy), shown(path))


def _checked(model: DependencyModel, read: TaggedFile, name: str) -> TaggedFile:
    if read.sentences and not share_known(read, model.index):
        tags = sorted({tag for sentence in read.sentences for tag in sentence.tags})
        raise DataError(
            f"{name}: the model knows none of the tags\n"
            f"  the sentences have tags such as {first_of(tags, NAMED)}, the model has {first_of(model.tags, NAMED)}"
        )
    return read


def words_of(sentence: TaggedSentence) -> int:
    """Return the number of words of a sentence, without its punctuation."""
    return len(without_punctuation(sentence)[1])
