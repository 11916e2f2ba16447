"""Makes what verbs work with of what a user asks for: parsers, sentences, suites, scorers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from numbat.commands.settings import ExpansionSettings, ModelSettings, SentenceSettings, SuiteSettings
from numbat.errors import DataError, UsageError
from numbat.files import cut_into_lines, text_of
from numbat.grammar.model import Grammar
from numbat.parsing.parser import Parser
from numbat.parsing.policies import Limits, ParserSettings
from numbat.parsing.sentence_parser import SentenceParser
from numbat.runs import sources
from numbat.runs.record import name_of
from numbat.runs.sources import HashLines, InputSentence, NamedText

if TYPE_CHECKING:
    from numbat.commands.parsing import Reading
    from numbat.gradience.models import Scorer, Weights
    from numbat.gradience.suite import Suite
    from numbat.parsing.treebank_parser import TreebankParser
    from numbat.runs.jobs import Reader
    from numbat.words.lattice import Lattice
    from numbat.words.tag_maps import TagMap


NO_WEIGHTS: Final = "none"
"""In place of weights of trees: the likeliest tree is taken."""
DEFAULT_PARSER: Final = ParserSettings()
PLAIN_SENTENCES: Final = SentenceSettings()


def parser_of(grammar: Grammar, settings: ParserSettings = DEFAULT_PARSER) -> Parser:
    """The parser by properties that is asked for. Raises UsageError."""
    if isinstance(settings.elect_by, str):
        from numbat.gradience.models import valuation_function

        settings = replace(settings, elect_by=valuation_function(settings.elect_by))
    return Parser(grammar, *settings.in_order())


def treebank_parser_of(grammar: Grammar, settings: ExpansionSettings, limits: Limits) -> TreebankParser:
    """The parser by expansions that is asked for. Raises UsageError, and the errors of the file of expansions."""
    from numbat.parsing.tree_model.scoring import packaged_weights, read_weights
    from numbat.parsing.treebank_grammar.expansions import read_expansions
    from numbat.parsing.treebank_parser import TreebankParser

    if settings.expansions is None:
        raise UsageError("no expansions to parse by\n  name their file")
    expansions = read_expansions(settings.expansions)
    limits = Limits(items=limits.items, seconds=limits.seconds)
    own = None if settings.properties else packaged_weights(settings.expansions)
    found = settings.weights or own or NO_WEIGHTS
    weights = None if found == NO_WEIGHTS else read_weights(found)
    return TreebankParser(grammar, expansions, settings.prune or None, settings.properties, limits, weights)


def tag_map_of(settings: SentenceSettings, grammar: Grammar) -> TagMap | None:
    """What the tags of a treebank are in the grammar; None where sentences come from no treebank."""
    if not settings.source:
        return None
    mapped = sources.tag_map_of(settings.tag_map, grammar)
    return sources.without_tags(mapped) if settings.words or settings.tagger else mapped


def inputs_of(
    parser: SentenceParser,
    texts: Sequence[str] = (),
    path: str | None = None,
    settings: SentenceSettings = PLAIN_SENTENCES,
    mapped: TagMap | None = None,
    hash_lines: HashLines | None = None,
) -> Iterable[NamedText | InputSentence | DataError]:
    """The sentences of texts, or of a file (`-`: standard input), as `reading_of` takes them.

    `hash_lines` has, or reads, the lines that begin with `#`. `mapped` is what `tag_map_of` gives, for a treebank. What
    cannot be read comes as an error in its place.
    """
    if mapped is None or path is None:
        return sources.numbered_texts(texts) if path is None else sources.lines_as_they_come(path, hash_lines)
    lenient = bool(settings.words or settings.tagger)
    form = settings.source or "auto"
    found = sources.treebank_sentences(path, form, mapped, parser.words, settings.gold, lenient)
    return sources.up_to(settings.max_length, found)


def reading_of(parser: SentenceParser, settings: SentenceSettings) -> Reading:
    """A function that makes such a sentence ready to be parsed. Raises the errors of a tagger's model."""
    read = sources.SentenceReading(parser, settings.tagged, settings.words)
    if not settings.tagger:
        return read
    from numbat.runs.guesser import BESIDE_EXPANSIONS, ReadingWithGuesser, guesser

    trust = 1.0 if isinstance(parser, Parser) else BESIDE_EXPANSIONS
    best = settings.tags == "best"
    return ReadingWithGuesser(read, guesser(settings.tagger, settings.tag_map, parser.words, best, trust))


def sentences_of(
    parser: SentenceParser,
    texts: Sequence[str] = (),
    path: str | None = None,
    settings: SentenceSettings = PLAIN_SENTENCES,
    mapped: TagMap | None = None,
) -> Iterator[InputSentence | DataError]:
    """The sentences of `inputs_of`, ready to be parsed. What cannot be read comes as an error in its place."""
    read = reading_of(parser, settings)
    for each in inputs_of(parser, texts, path, settings, mapped):
        try:
            yield each if isinstance(each, DataError) else read(each)
        except DataError as error:
            yield error


def suite_of(settings: SuiteSettings, text: str | None = None) -> Suite:
    """The suite that is asked for, of a file of judged sentences or of an exercise; `text` stands in for its content.

    Raises MissingFileError, DataError and UsageError.
    """
    from numbat.gradience import summary
    from numbat.gradience.exercises import exercise_of, is_exercise
    from numbat.gradience.suite import grouped_by_id, telling_unread
    from numbat.gradience.suite_files import read_laid_out, read_lines
    from numbat.gradience.suite_tables import layout_of

    scale = None if settings.scale is None else summary.scale_of(settings.scale)
    layout = layout_of(settings.columns, settings.pairs, settings.hash_lines)
    if is_exercise(settings.suite):
        suite = exercise_of(text_of(settings.suite) if text is None else text, settings.suite).suite()
    elif text is None:
        suite = read_laid_out(settings.suite, layout)
    else:
        suite = read_lines(cut_into_lines(text), settings.suite, layout)
    suite = telling_unread(suite)
    suite = summary.far_from_others(suite) if scale is None else summary.within(suite, scale)
    suite = summary.standardized(suite) if settings.z_scores else suite
    return suite if settings.group_by_id is None else grouped_by_id(suite, settings.group_by_id)


def reader_of(settings: SuiteSettings) -> Reader:
    """A function that reads the sentences of a suite. Raises UsageError for settings that would do nothing."""
    from numbat.runs.jobs import plain

    if settings.tagged and settings.tagger:
        raise UsageError("--tagged and --tagger\n  words carry tags already: leave one of them out")
    if settings.tag_map is not None and not settings.tagger:
        raise UsageError("--tag-map needs tags\n  add --tagger MODEL")
    if settings.tagged:
        return read_with_tags
    if not settings.tagger:
        return plain
    from numbat.runs.guesser import ReadingWithTagger

    return ReadingWithTagger(settings.tagger, settings.tag_map)


def read_with_tags(sentence: str, parser: Parser) -> Lattice:
    """A sentence whose words carry categories."""
    return sources.lattice_of(sentence, parser.words, tagged=True)


def scorer_of(settings: ModelSettings, grammar: Grammar) -> Scorer:
    """The scorer that is asked for: a model of the literature, or a file of `numbat learn costs`.

    Raises UsageError for weights that a fitted model would not take.
    """
    from numbat.gradience.models import GRAMMAR, scorer

    if not _is_fitted(settings.model):
        return scorer(settings.model, weights_of(settings.weights, grammar))
    if settings.weights != GRAMMAR.name:
        raise UsageError(
            f"--weights and {settings.model}\n  a fitted model has weights of its own: leave --weights out"
        )
    from numbat.commands.fitting import read_model

    return read_model(settings.model, grammar)


def _is_fitted(model: str) -> bool:
    from numbat.gradience.models import MODELS

    return model not in MODELS and model.endswith(".tsv")


def models_of(models: Sequence[str]) -> list[str]:
    """The models by name, each once; `all` stands for every model of the literature."""
    from numbat.gradience.models import MODELS

    return list(dict.fromkeys(name for model in models for name in (MODELS if model == "all" else (model,))))


def scorers_of(models: Sequence[str], weights: str, grammar: Grammar) -> dict[str, Scorer]:
    """Several scorers by name; `all` stands for every model of the literature. Fitted ones keep their weights."""
    from numbat.gradience.models import GRAMMAR

    found: dict[str, Scorer] = {}
    for name in models_of(models):
        settings = ModelSettings(name, GRAMMAR.name if _is_fitted(name) else weights)
        short = model_name(name)
        found[name if short in found else short] = scorer_of(settings, grammar)
    return found


def model_name(model: str) -> str:
    """The name of a model in reports: that of a file without its folders."""
    return name_of(model) if _is_fitted(model) else model


def weights_of(text: str, grammar: Grammar) -> Weights:
    """The weights that `grammar`, `equal` or `linearity=2,uniqueness=0.5` name. Raises UsageError."""
    from numbat.gradience.models import by_relation, weights_named

    if "=" not in text:
        return weights_named(text)
    found = {}
    for pair in text.split(","):
        relation, _, number = pair.partition("=")
        try:
            found[relation.strip()] = float(number)
        except ValueError:
            raise UsageError(f'"{pair}" is no weight of a relation\n  write --weights linearity=2') from None
    return by_relation(found, grammar)
