"""Makes parsers, sentences, suites and scorers of settings, and parses many sentences with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Final, TypeVar

from numbat.commands.settings import (
    TABLE,
    ExpansionSettings,
    ModelSettings,
    RunSettings,
    SentenceSettings,
    SuiteSettings,
)
from numbat.errors import DataError, UsageError
from numbat.files import cut_into_lines, text_of
from numbat.grammar.model import Grammar
from numbat.parsing.parser import Parser
from numbat.parsing.policies import Limits, Overdue, ParserSettings, never
from numbat.parsing.sentence_parser import SentenceParser
from numbat.records import frozen
from numbat.report.parse_formats import FORMATS, TreeStyle, asides
from numbat.report.run_notes import SentenceRemarks, remarks_on
from numbat.runs import sources
from numbat.runs.loop import BatchRun, Executor, Failure, Job, Named, Record, attempt, cores, in_this_process
from numbat.runs.parsing import ParsedSentence, ParseFacts, ParseJob, Tracing
from numbat.runs.record import name_of
from numbat.runs.sources import HashLines, InputSentence, NamedText
from numbat.settings import record_of
from numbat.treebank.scores import SentenceScore

if TYPE_CHECKING:
    from numbat.gradience.models import Scorer, Weights
    from numbat.gradience.result_tables import TableLayout
    from numbat.gradience.suite import Suite
    from numbat.parsing.treebank_parser import TreebankParser
    from numbat.runs.jobs import Reader
    from numbat.runs.journal import Resumable
    from numbat.runs.pool import WorkerLimits
    from numbat.treebank.notes import Notes
    from numbat.treebank.scores import EvalbParameters
    from numbat.words.lattice import Lattice
    from numbat.words.tag_maps import TagMap


NO_WEIGHTS: Final = "none"
"""In place of weights of trees: the likeliest tree is taken."""
DEFAULT_PARSER: Final = ParserSettings()
PLAIN_SENTENCES: Final = SentenceSettings()


def parser_of(grammar: Grammar, settings: ParserSettings = DEFAULT_PARSER) -> Parser:
    """Return the parser by properties that is asked for. Raises UsageError."""
    if isinstance(settings.elect_by, str):
        from numbat.gradience.models import valuation_function

        settings = replace(settings, elect_by=valuation_function(settings.elect_by))
    return Parser(grammar, *settings.in_order())


def treebank_parser_of(grammar: Grammar, settings: ExpansionSettings, limits: Limits) -> TreebankParser:
    """Return the parser by expansions that is asked for.

    Raises UsageError, and the errors of the file of expansions.
    """
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
    """Return the map from the tags of a treebank to the grammar; None if sentences come from no treebank."""
    if not settings.is_treebank:
        return None
    mapped = sources.tag_map_of(settings.tag_map, grammar)
    return sources.without_tags(mapped) if settings.words or settings.tagger else mapped


def _spans_of(model: str | None) -> sources.Spans | None:
    """Return the function that divides running text by a tagger, None where no model is named."""
    if model is None:
        return None
    from numbat.sequence.tagger import Tagger
    from numbat.treebank.running_text import SentenceEnds

    return SentenceEnds(Tagger.load(model).label)


def inputs_of(
    parser: SentenceParser,
    texts: Sequence[str] = (),
    path: str | None = None,
    settings: SentenceSettings = PLAIN_SENTENCES,
    mapped: TagMap | None = None,
    hash_lines: HashLines | None = None,
    notes: Notes | None = None,
) -> Iterable[NamedText | InputSentence | DataError]:
    """Return the sentences of texts, or of a file (`-`: standard input), as `reading_of` takes them.

    `hash_lines` has, or reads, the lines that begin with `#`; `notes` has what many sentences of a treebank share.
    `mapped` is what `tag_map_of` gives, for a treebank. What cannot be read comes as an error in its place.
    """
    if settings.split is not None:
        language = settings.split or parser.grammar.language or "en"
        return sources.split_sentences(texts, path, language, _spans_of(settings.ends))
    if settings.tagged and path is not None and sources.is_cohorts(path):
        return sources.cohort_sentences(path, sources.tag_map_of(None, parser.words.grammar), parser.words)
    if settings.source == TABLE and path is not None:
        return sources.sentences_in_table(path)
    if mapped is None or path is None:
        return sources.numbered_texts(texts) if path is None else sources.lines_as_they_come(path, hash_lines)
    lenient = bool(settings.words or settings.tagger)
    form = settings.source or "auto"
    if sources.is_cohorts(path, form):
        return sources.up_to(settings.max_length, sources.cohort_sentences(path, mapped, parser.words, lenient))
    found = sources.treebank_sentences(path, form, mapped, parser.words, settings.gold, lenient, notes)
    return sources.up_to(settings.max_length, found)


def reading_of(parser: SentenceParser, settings: SentenceSettings) -> Reading:
    """Return a function that makes such a sentence ready to be parsed. Raises the errors of a tagger's model."""
    read = sources.SentenceReading(parser, settings.tagged, settings.words, settings.separator)
    if not settings.tagger:
        return read
    from numbat.runs.guesser import BESIDE_EXPANSIONS, ReadingWithGuesser, guesser

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
    """Return the sentences of `inputs_of`, ready to be parsed. What cannot be read comes as an error in its place."""
    read = reading_of(parser, settings)
    for each in inputs_of(parser, texts, path, settings, mapped):
        try:
            yield each if isinstance(each, DataError) else read(each)
        except DataError as error:
            yield error


def suite_of(settings: SuiteSettings, text: str | None = None) -> Suite:
    """Return the suite that is asked for, of a file of judged sentences or of an exercise; `text` stands in for its
    content.

    Raises MissingFileError, DataError and UsageError.
    """
    from numbat.gradience import summary
    from numbat.gradience.exercises import exercise_of, is_exercise
    from numbat.gradience.suite import grouped_by_id, telling_unread
    from numbat.gradience.suite_files import read_laid_out, read_lines
    from numbat.gradience.suite_tables import layout_of

    scale = None if settings.scale is None else summary.scale_of(settings.scale)
    columns, results = _of_results(settings, scale)
    layout = layout_of(columns, settings.pairs, settings.hash_lines)
    if is_exercise(settings.suite):
        suite = exercise_of(text_of(settings.suite) if text is None else text, settings.suite).suite()
    elif text is None:
        suite = read_laid_out(settings.suite, layout, results)
    else:
        suite = read_lines(cut_into_lines(text), settings.suite, layout, results)
    suite = telling_unread(suite)
    suite = summary.far_from_others(suite) if scale is None else summary.within(suite, scale)
    suite = summary.standardized(suite) if settings.z_scores else suite
    return suite if settings.group_by_id is None else grouped_by_id(suite, settings.group_by_id)


def _of_results(settings: SuiteSettings, scale: tuple[float, float] | None) -> tuple[str | None, TableLayout]:
    """Return what `--columns` says of the columns of a suite, and how results of an experiment are read."""
    from numbat.gradience.raw_results import MAPPING_ENDS, mapped_layout
    from numbat.gradience.result_answers import ResultLayout
    from numbat.gradience.result_tables import TableLayout

    given = ResultLayout(
        elements=settings.element, only=settings.only, participant=settings.participant or "", scale=scale
    )
    if settings.columns and settings.columns.endswith(MAPPING_ENDS):
        return None, mapped_layout(settings.columns, TableLayout(results=given))
    return settings.columns, TableLayout(results=given)


def reader_of(settings: SuiteSettings) -> Reader:
    """Return a function that reads the sentences of a suite. Raises UsageError for settings that would do nothing."""
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

    return ReadingWithTagger(settings.tagger, settings.tag_map, settings.cuts)


def read_with_tags(sentence: str, parser: SentenceParser) -> Lattice:
    """Return a sentence whose words carry categories."""
    return sources.lattice_of(sentence, parser.words, tagged=True)


OtherScorer = Callable[[str], "Scorer | None"]
"""Gives the scorer of a name that is no model of the literature and no file; None for another name."""


def scorer_of(settings: ModelSettings, grammar: Grammar, other: OtherScorer = lambda _: None) -> Scorer:
    """Return the scorer that is asked for: a model of the literature, a file of `numbat learn costs`, or an `other`.

    Raises UsageError for weights that a fitted model would not take.
    """
    from numbat.gradience.models import GRAMMAR, scorer

    if (found := other(settings.model)) is not None:
        return found
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
    """Return the models by name, each once; `all` stands for every model of the literature, `cost` first."""
    from numbat.gradience.models import MODELS

    every = (ModelSettings().model, *MODELS)
    return list(dict.fromkeys(name for model in models for name in (every if model == "all" else (model,))))


def scorers_of(
    models: Sequence[str], weights: str, grammar: Grammar, other: OtherScorer = lambda _: None
) -> dict[str, Scorer]:
    """Several scorers by name; `all` stands for every model of the literature. Fitted ones keep their weights."""
    from numbat.gradience.models import GRAMMAR

    found: dict[str, Scorer] = {}
    for name in models_of(models):
        settings = ModelSettings(name, GRAMMAR.name if _is_fitted(name) else weights)
        short = model_name(name)
        found[name if short in found else short] = scorer_of(settings, grammar, other)
    return found


def model_name(model: str) -> str:
    """Return the name of a model in reports: that of a file without its folders."""
    return name_of(model) if _is_fitted(model) else model


def weights_of(text: str, grammar: Grammar) -> Weights:
    """Return the weights that `grammar`, `equal` or `linearity=2,uniqueness=0.5` name. Raises UsageError."""
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


# Executors and limits of a run

Input = TypeVar("Input", bound=Named)
Value = TypeVar("Value")

MANY: Final = 200
"""So many sentences are worth processes of their own where nobody says how many there are to be."""
WARM_UP: Final = 5.0
"""Seconds of work that are worth them, and after which most of what sentences share is known."""


def executor_of(settings: RunSettings, as_they_come: bool = False, many: int = MANY) -> Executor:
    """Return the executor that is asked for.

    Where nobody asks it is this process for few inputs, and for those that are answered as they come; all cores where
    there are so `many`. Raises UsageError for a number of processes beside a cluster that has its own.
    """
    if settings.cluster is not None:
        return _cluster_of(settings.cluster, settings.jobs, _limits(settings))
    jobs = settings.jobs or (1 if as_they_come else cores())
    if jobs == 1:
        return in_this_process

    def in_processes(
        job: Job[Input, Value], inputs: Iterator[Input | DataError], total: int | None = None
    ) -> Iterator[Record[Value]]:
        from numbat.runs.pool import Pool

        return Pool(jobs, _limits(settings))(job, inputs, total)

    return in_processes if settings.jobs else IfMany(in_processes, many)


def _limits(settings: RunSettings) -> WorkerLimits:
    from numbat.runs.pool import WorkerLimits

    return WorkerLimits(settings.kill_after or None, settings.max_memory)


def _cluster_of(address: str, jobs: int | None, limits: WorkerLimits) -> Executor:
    from numbat.runs.cluster import LOCAL, Cluster

    if jobs is not None and address != LOCAL:
        raise UsageError(
            f"--jobs and --cluster {address}\n  a cluster has the workers that it has: leave --jobs out, or take local"
        )
    return Cluster(address, jobs, limits)


@dataclass(slots=True)
class IfMany:
    """Works in this process at first, and on what is left as `many` does, where there is enough to make that pay.

    Other processes begin with what this one has learned by then: forked from it they have the states of automata that
    most sentences need. `fewest` inputs and `seconds` are worked on here. Where `many` has worked once it does the next
    runs too: they go on with what the first one left.
    """

    many: Executor
    fewest: int = MANY
    seconds: float = WARM_UP
    _have_been: bool = False

    def __call__(
        self, job: Job[Input, Value], inputs: Iterator[Input | DataError], total: int | None = None
    ) -> Iterator[Record[Value]]:
        done, began = 0, monotonic()
        while not self._have_been and (done < self.fewest or monotonic() - began < self.seconds):
            given = next(inputs, None)
            if given is None:
                return
            yield attempt(job, given)
            done += 1
        self._have_been = True
        yield from self.many(job, inputs, total)


# Parsing many sentences

Reading = Callable[[NamedText | InputSentence], InputSentence]
"""Makes a text ready to be parsed. Raises DataError for one that cannot be read."""


def parse_sentences(
    parser: SentenceParser,
    sentences: Iterable[InputSentence | DataError],
    n: int = 1,
    tracing: Tracing | None = None,
    overdue: Overdue = never,
    executor: Executor = in_this_process,
) -> BatchRun[InputSentence, ParsedSentence]:
    """Up to `n` parses of each sentence, as `preparing.sentences_of` gives them; `overdue` is one clock for all.

    With `tracing` the phases are told of each sentence.
    """
    return BatchRun(ParseJob(parser, n, tracing), sentences, overdue, executor)


@frozen
class PrintedSentence:
    """The parses of a sentence as they are to be printed, and what is to be said and counted of them.

    `asides` go to standard error; `is_cut`: they tell of parses that could not be written. `score` compares the best
    parse with a gold tree.
    """

    id: str
    pieces: tuple[str, ...]
    is_cut: bool
    asides: tuple[str, ...]
    facts: ParseFacts
    remarks: SentenceRemarks
    score: SentenceScore | None = None


@frozen
class PrintJob:
    """Reads a sentence, parses it and writes its parses in the format `form`.

    `names_guessed`: the format does not show which words were guessed, and they are to be remarked on. With `gold`, the
    best parse of a sentence that came with a tree is scored against it, and its dependencies against those of CoNLL-U.
    """

    read: Reading
    parse: ParseJob
    form: str
    style: TreeStyle
    names_guessed: bool = False
    gold: EvalbParameters | None = None

    def __call__(self, given: NamedText | InputSentence) -> PrintedSentence:
        overdue = self.parse.parser.limits.clock()
        sentence = self.read(given)
        parsed = self.parse(sentence, overdue)
        best = parsed.parses[0]
        pieces, unwritten = FORMATS[self.form].pieces_of(parsed, self.style)
        return PrintedSentence(
            sentence.id,
            tuple(pieces),
            bool(unwritten),
            (*(f"numbat: {each}" for each in unwritten), *asides(parsed, self.form)),
            ParseFacts.from_parsed(parsed, self.parse.parser.states),
            remarks_on(sentence.id, sentence.lattice, best.guessed, self.names_guessed),
            self._score(parsed),
        )

    def _score(self, parsed: ParsedSentence) -> SentenceScore | None:
        sentence, best = parsed.sentence, parsed.parses[0]
        source = sentence.source if sentence.source is not None and sentence.source.has_heads else None
        if self.gold is None or (sentence.gold is None and source is None):
            return None
        from numbat.treebank.converting import score_parse
        from numbat.treebank.dependencies import dependency_tree
        from numbat.treebank.link_scores import characters_of, count_links, uncounted

        if sentence.gold is None:
            score = SentenceScore(sentence.id, len(sentence.lattice.tokens), error="no brackets: dependencies cross")
        else:
            score = score_parse(sentence.id, sentence.gold, best, self.gold)
        if source is None:
            return score
        found = dependency_tree(best, sentence.id, self.style.ud, source)
        count = count_links if characters_of([source]) == characters_of([found]) else uncounted
        return replace(score, links=count([source], [found]))


@frozen
class NotedSentence:
    """The journal's entry on a sentence: all that is counted and reported at the end of its run.

    It `failed` if it could not be read or written, and is `lost` if it was given up; without `facts` none was parsed.
    """

    id: str
    failed: bool = False
    lost: bool = False
    facts: ParseFacts | None = None
    remarks: SentenceRemarks | None = None
    score: SentenceScore | None = None


def noted_of(record: Record[PrintedSentence]) -> NotedSentence:
    """Return the journal's entry for a record."""
    if isinstance(record, Failure):
        return NotedSentence(record.id, True, record.lost)
    printed = record.value
    if printed.is_cut and not printed.pieces:
        return NotedSentence(printed.id, True, False)
    return NotedSentence(printed.id, printed.is_cut, False, printed.facts, printed.remarks, printed.score)


def noted_in(journal: Resumable) -> Iterator[NotedSentence]:
    """Return the sentences of an earlier run. Raises UsageError for a line of the journal that tells of none."""
    from numbat.runs.journal import damaged, unread

    for number, done in enumerate(journal.done, start=2):
        try:
            found = record_of(NotedSentence, done.kept, "its sentence")
        except UsageError as error:
            raise unread(journal.path, number, error, journal.record.version) from None
        if (found.facts is None) != (found.remarks is None) or any(each < 0 for each in _numbers(done.kept)):
            raise damaged(journal.path, number, "no run notes such numbers")
        yield found


def _numbers(value: object) -> Iterator[float]:
    """Return every number in a value of JSON that was read as a record, so that it is not deep."""
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _numbers(each)
