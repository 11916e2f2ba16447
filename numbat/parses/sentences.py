"""Prepare the sentences in texts and files for a parser; a tagger may give unknown words their categories."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from numbat.errors import DataError
from numbat.grammar.model import Grammar
from numbat.parsing.parser import Parser
from numbat.parsing.sentence_parser import SentenceParser
from numbat.runs import sentences as sources
from numbat.runs.sentences import HashLines, InputSentence, ListLabels, NamedText
from numbat.runs.settings import TABLE, SentenceSettings

if TYPE_CHECKING:
    from numbat.treebanks.notes import Notes
    from numbat.words.tag_maps import TagMap


PLAIN_SENTENCES: Final = SentenceSettings()


def tag_map_of(settings: SentenceSettings, grammar: Grammar) -> TagMap | None:
    """Return the map from tags to categories of the grammar; None if the sentences are not from a treebank."""
    if not settings.is_treebank:
        return None
    from numbat.treebanks import sentences as annotated
    from numbat.words.tag_maps import tag_map_of as tag_map_at

    mapped = tag_map_at(settings.tag_map, grammar)
    return annotated.without_tags(mapped) if settings.words or settings.tagger else mapped


def _spans_of(model: str | None) -> sources.Spans | None:
    """Return a function that finds the sentences in running text by the tagger in a `model`; None without one."""
    if model is None:
        return None
    from numbat.labels.tagger import Tagger
    from numbat.treebanks.running_text import SentenceEnds

    return SentenceEnds(Tagger.load(model).label)


def inputs_of(
    parser: SentenceParser,
    texts: Sequence[str] = (),
    path: str | None = None,
    settings: SentenceSettings = PLAIN_SENTENCES,
    mapped: TagMap | None = None,
    hash_lines: HashLines | None = None,
    notes: Notes | None = None,
    labels: ListLabels | None = None,
) -> Iterable[NamedText | InputSentence | DataError]:
    """Return the sentences in texts, or in a file (`-`: standard input), for the function that `reading_of` returns.

    `mapped` is the map of a treebank's tags, from `tag_map_of`; `hash_lines` says what lines beginning with `#` are;
    `notes` collects remarks that are the same for many sentences, `labels` the labels of list items in running text. An
    error replaces a sentence that cannot be read.
    """
    if settings.split is not None:
        language = settings.split or parser.grammar.language or "en"
        return sources.split_sentences(texts, path, language, _spans_of(settings.ends), parser.words.has, labels)
    if path is None:
        return sources.numbered_texts(texts)
    if settings.tagged or mapped is not None:
        from numbat.treebanks import sentences as annotated

        if mapped is not None:
            return annotated.sentences_of_file(path, settings, mapped, parser.words, notes)
        if annotated.is_cohorts(path):
            from numbat.words.tag_maps import tag_map_of as tag_map_at

            return annotated.cohort_sentences(path, tag_map_at(None, parser.words.grammar), parser.words, notes=notes)
    return (
        sources.sentences_in_table(path) if settings.source == TABLE else sources.lines_as_they_come(path, hash_lines)
    )


def reading_of(parser: SentenceParser, settings: SentenceSettings) -> Reading:
    """Return a function that prepares sentences from `inputs_of` for parsing. Raises as `Tagger.load` for a tagger."""
    read = sources.SentenceReading(parser, settings.tagged, settings.words, settings.separator)
    if not settings.tagger:
        return read
    from numbat.labels.guesser import BESIDE_EXPANSIONS, ReadingWithGuesser, guesser

    trust = 1.0 if isinstance(parser, Parser) else BESIDE_EXPANSIONS
    best = settings.tags == "best"
    return ReadingWithGuesser(
        read, guesser(settings.tagger, settings.tag_map, parser.words, best, trust, settings.cuts)
    )


def sentences_of(
    parser: SentenceParser,
    texts: Sequence[str] = (),
    path: str | None = None,
    settings: SentenceSettings = PLAIN_SENTENCES,
    mapped: TagMap | None = None,
) -> Iterator[InputSentence | DataError]:
    """Yield the sentences from `inputs_of`, ready to be parsed; an error replaces one that cannot be read."""
    read = reading_of(parser, settings)
    for item in inputs_of(parser, texts, path, settings, mapped):
        try:
            yield item if isinstance(item, DataError) else read(item)
        except DataError as error:
            yield error


Reading = Callable[[NamedText | InputSentence], InputSentence]
"""Function that prepares a text for the parser. Raises DataError if the text cannot be read."""
