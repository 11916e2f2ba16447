"""The verb parse: options, and the run over the sentences."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

import click

from numbat.cli.options import (
    GRAMMAR,
    GRAMMAR_OPTION,
    HASH_LINES_OPTION,
    INPUT,
    MANY,
    META_OPTION,
    OUTPUT,
    PARSER_OPTIONS,
    RUN_OPTIONS,
    SENTENCES,
    SPREADSHEETS_OPTION,
    STRICT_OPTION,
    TAGGED_READING_OPTIONS,
    THRESHOLD_OPTION,
    as_table,
    format_option,
    grammar_of,
    input_option,
    is_given,
    option,
    options_of,
    takes,
    verb,
    with_options,
)
from numbat.cli.parse_options import STORE, ParseOptions, check_chunks, check_limits, check_options, part_of_file
from numbat.cli.parsers import language_of, tell_of_edits
from numbat.cli.printing import (
    GRAMMAR_GIVEN,
    NAMED,
    WHEN_COLORED,
    Finite,
    Input,
    Output,
    Progress,
    complain_of_one,
    end,
    end_run,
    is_colored,
    is_terminal,
    record_of,
    say,
    tell,
    width,
    write_or_print,
    write_out,
)
from numbat.errors import counted, data_error, first_of
from numbat.grammar.properties import UNIT
from numbat.parses.formats import FORMATS
from numbat.parsing.policies import OF_PARSE, ParserSettings
from numbat.runs.settings import ExpansionSettings
from numbat.settings import mapping_of
from numbat.words.chunk_labels import SCHEMES, Scheme

if TYPE_CHECKING:
    from numbat.grammar.model import Grammar
    from numbat.parses.verbs import NotedSentence, PrintedSentence, PrintJob
    from numbat.parsing.sentence_parser import SentenceParser
    from numbat.runs.journal import Resumable
    from numbat.runs.loop import BatchRun, Record
    from numbat.runs.record import RunRecord
    from numbat.runs.sentences import HashLines
    from numbat.treebanks.judgement import Judgement
    from numbat.treebanks.notes import Notes
    from numbat.treebanks.scores import SentenceScore
    from numbat.treebanks.ud_maps import UdMap
    from numbat.words.tag_maps import TagMap


NO_EXPANSIONS: Final = "none"
SHOW_JUDGEMENTS: Final = ("tree", "conllu")
"""The formats that show the judgement of a language."""
NOT_WELL_FORMED: Final = 1
"""The exit code of `--strict` where a sentence violates something or is in fragments, or costs too much."""
CHUNKS: Final = "chunks"
CHUNKS_TAGGER: Final = "penn"
"""The grammar of `--shallow` where none is named, and the tagger that gives it the categories of words."""


def record_for(options: ParseOptions, parser: SentenceParser) -> RunRecord | None:
    """Return the record of the run, where a file or a format has one. Raises UsageError and the errors of files."""
    has_record = options.output is not None or FORMATS[options.form].has_record
    return record_of({GRAMMAR_GIVEN: parser.grammar}) if has_record else None


def with_language(options: ParseOptions) -> ParseOptions:
    """Return the same options with the parts of a language where the grammar is the folder of one.

    `--expansions none` leaves them out: the sentence is parsed by its properties alone.
    """
    by_expansions = options.by_expansions
    if by_expansions.expansions == NO_EXPANSIONS:
        return replace(options, by_expansions=replace(by_expansions, expansions=None))
    if options.shallow or options.structure is not None:
        return options
    language = language_of(options.grammar)
    if language is None:
        return options
    from numbat.languages.folder import there

    reading = options.reading
    if not (reading.tagged or reading.tagger) and (reading.words or not reading.source):
        reading = language.read_by(reading)
    if reading.split == "":  # without a language named: as the treebank ends its sentences
        reading = replace(reading, ends=there(language.ends))
    if by_expansions.expansions is None:
        weights = by_expansions.weights or (None if by_expansions.properties else there(language.weights))
        by_expansions = replace(by_expansions, expansions=language.expansions, weights=weights)
    return replace(options, by_expansions=by_expansions, reading=reading)


def with_chunks(options: ParseOptions) -> ParseOptions:
    """Return the same options with the grammar of chunks if `--shallow` stands without one, and its tagger for words
    alone.
    """
    if not options.shallow or is_given("grammar"):
        return options
    reading = options.reading
    if not (reading.tagged or reading.tagger) and (reading.words or not reading.is_treebank):
        reading = replace(reading, tagger=CHUNKS_TAGGER, words=False)
    return replace(options, grammar=CHUNKS, reading=reading)


@verb(
    "parse",
    'numbat parse "The cats sleeps."',
    "echo 'She sees him.' | numbat parse -f bracket",
    "numbat parse -g french -n 2 -i phrases.txt -o parses.jsonl -f jsonl",
    "numbat parse -g ewt --expansions ewt --from conllu -i trees.conllu --gold",
)
@SENTENCES
@input_option("A file with a sentence a line; -: standard input.")
@with_options(TAGGED_READING_OPTIONS)
@option(
    INPUT,
    "--split",
    is_flag=False,
    flag_value="",
    metavar="[LANG]",
    help="Split running text into sentences.",
)
@HASH_LINES_OPTION
@GRAMMAR_OPTION
@option(
    GRAMMAR,
    "--set",
    "override",
    multiple=True,
    advanced=True,
    metavar="CHANGE",
    help="Override a property for this run: 'NP: Det < N cost 5'; may be repeated.",
)
@option(
    GRAMMAR,
    "--without-property",
    multiple=True,
    advanced=True,
    metavar="PROPERTY",
    help="Leave a property out for this run: 'NP: Det < N'; may be repeated.",
)
@option(GRAMMAR, "--shallow", is_flag=True, help="Find chunks, flat phrases (grammar: chunks).")
@option(
    OUTPUT,
    "--scheme",
    type=click.Choice(list(SCHEMES)),
    metavar="NAME",
    advanced=True,
    help=f"With -f columns: {', '.join(SCHEMES)} (default: that of --tagger, else iob2).",
)
@option(
    GRAMMAR, "--fragment-cost", type=Finite(min=0), metavar="X", help="Cost of a fragment (default: the grammar's)."
)
@with_options(options_of(ExpansionSettings))
@option(GRAMMAR, "--structure", type=Input(), metavar="MODEL", help="Find dependencies of tagged words by this model.")
@with_options(PARSER_OPTIONS)
@with_options(options_of(ParserSettings, (*OF_PARSE, "check")))
@format_option(*FORMATS, default="tree")
@option(OUTPUT, "-o", "--output", type=Output(), help="File for the parses (default: standard output).")
@option(OUTPUT, "-n", "n", default=1, type=click.IntRange(min=1), help="How many parses, best first.")
@option(
    OUTPUT,
    "--all-features",
    is_flag=True,
    advanced=True,
    help="Show all features, not only the grammar's tree_features.",
)
@option(
    OUTPUT,
    "--dependencies",
    is_flag=True,
    advanced=True,
    help="With -f svg or html: draw dependencies, in html below the tree.",
)
@option(
    OUTPUT,
    "--ud-map",
    type=Input(),
    metavar="FILE",
    advanced=True,
    help="The file that maps the grammar to UD (default: that of its name, or X and dep).",
)
@META_OPTION
@option(OUTPUT, "--positions", is_flag=True, advanced=True, help="Show the token positions of each constituent.")
@option(OUTPUT, "--compact", is_flag=True, advanced=True, help="With -f json or jsonl: numbers in the place of names.")
@SPREADSHEETS_OPTION
@option(
    OUTPUT,
    "--color",
    metavar="WHEN",
    type=click.Choice(WHEN_COLORED),
    default="auto",
    show_default=False,
    help="auto (in a terminal), always or never.",
)
@option(OUTPUT, "--trace", is_flag=True, help="Print each round and phase on standard error.")
@option(
    OUTPUT, "--trace-all", is_flag=True, advanced=True, help="The same with all combinations and all that is dropped."
)
@option(OUTPUT, "--stats", is_flag=True, help="Print a tally of the run on standard error.")
@STRICT_OPTION
@THRESHOLD_OPTION
@option(OUTPUT, "--gold", is_flag=True, help="With --from: score the parses against the trees.")
@option(OUTPUT, "--watch", is_flag=True, help="Parse again when a file of the grammar changes.")
@with_options(RUN_OPTIONS)
@option(MANY, "--resume", is_flag=True, help="With -o: go on where a run was stopped.")
@option(
    MANY,
    "--shard",
    callback=part_of_file,
    metavar="K/N",
    advanced=True,
    help="With -i and -o: part K of N of the file; numbat join joins them.",
)
@takes(ParseOptions)
def parse(options: ParseOptions) -> None:
    """Parse SENTENCES, or the lines of a file or of standard input: each gets its best tree, with the properties that
    it satisfies and violates and what they cost.
    """
    from numbat.parses.sentences import inputs_of as inputs_as_asked
    from numbat.parses.sentences import tag_map_of
    from numbat.runs.executors import executor_of
    from numbat.runs.loop import BatchRun
    from numbat.runs.sentences import HashLines
    from numbat.treebanks.notes import Notes

    options = replace(options, trace=options.trace or options.trace_all)
    options = with_language(options)
    check_options(options)
    if options.structure is not None:
        parse_by_structure(options, options.structure)
        return
    options = with_chunks(options)
    if options.watch:
        from numbat.cli import watching

        watching.watch(options.grammar, sys.argv[1:], say)
    parser = _parser(options)
    mapped = tag_map_of(options.reading, parser.grammar)
    path = "-" if options.sentences == ("-",) else options.path
    if path == "-" and mapped is None and is_terminal(sys.stdin):
        say("numbat: type a sentence and Enter; Ctrl-D ends")
    hash_lines = HashLines(options.hash_lines)
    notes = Notes()
    inputs_of = partial(inputs_as_asked, parser, options.sentences, path, options.reading, mapped, hash_lines)
    if options.shard is None:  # a part counts what is before it, too
        inputs_of = partial(inputs_of, notes=notes)
    inputs = inputs_of()
    if options.shard is not None:
        from numbat.parses.parts import part_of

        inputs = part_of(inputs_of, *options.shard)
    progress = Progress(quiet=options.output is None and is_terminal(sys.stdout))
    record = record_for(options, parser)
    ud = _ud_map(options, parser)
    printer = _Printer(parser, options, mapped, record, progress, hash_lines, notes, ud)
    executor = progress.over(executor_of(options.run, as_they_come=path == "-" or options.trace))
    total = None
    if path is not None and os.path.isfile(path) and not (progress.quiet or mapped or options.shard):
        total = sum(1 for _ in inputs_of()) - printer.done_before
    run = BatchRun(
        _job(parser, options, mapped, record, ud), printer.still_to_do(inputs), executor=executor, total=total
    )
    with printer.kept_whole():
        run.hand_on(printer.take)
        printer.close(run.is_interrupted)
    printer.conclude(run)


def _judgement(options: ParseOptions, grammar: Grammar) -> Judgement | None:
    """Return the judgement of the language that is the grammar, in formats that show it, of parses by expansions.

    None where the grammar has been edited since it was learned.
    """
    if options.form not in SHOW_JUDGEMENTS or options.by_expansions.expansions is None:
        return None
    language = language_of(options.grammar)
    return None if language is None or language.is_edited(grammar) else language.read_judgement()


def _ud_map(options: ParseOptions, parser: SentenceParser) -> UdMap | None:
    """Return the map to Universal Dependencies where dependencies are written, drawn or scored."""
    if not (options.form == "conllu" or options.dependencies or options.reading.gold):
        return None
    from numbat.treebanks.ud_maps import ud_map_of

    found = ud_map_of(parser.grammar, options.ud_map)
    language = language_of(options.grammar)
    if language is None:
        return found
    from numbat.languages.folder import with_links

    return with_links(found, language)


def _job(
    parser: SentenceParser, options: ParseOptions, mapped: TagMap | None, record: RunRecord | None, ud: UdMap | None
) -> PrintJob:
    from numbat.parses.formats import TreeStyle
    from numbat.parses.job import ParseJob, Tracing
    from numbat.parses.sentences import reading_of
    from numbat.parses.verbs import PrintJob
    from numbat.runs.metadata import known_of_all

    run = None if record is None else record.of_whole().as_json()
    style = TreeStyle(
        is_colored(options.output, options.color),
        width(),
        options.all_features,
        options.compact,
        options.positions,
        run,
        _scheme(options),
        options.dependencies,
        ud,
        known_of_all(options.meta, options.path),
        _judgement(options, parser.grammar),
    )
    gold = None
    if options.reading.gold and mapped is not None:
        from numbat.treebanks.converting import gold_parameters

        gold = gold_parameters(mapped)
    traced = None if FORMATS[options.form].has_trace else tell
    tracing = Tracing(traced, options.trace_all) if options.trace else None
    names_guessed = FORMATS[options.form].is_brief and not options.reading.is_treebank
    reading = reading_of(parser, options.reading)
    return PrintJob(reading, ParseJob(parser, options.n, tracing), options.form, style, names_guessed, gold)


def _scheme(options: ParseOptions) -> Scheme:
    if options.form != "columns":
        return SCHEMES["iob2"]
    from numbat.labels.verbs import scheme_of_columns

    return scheme_of_columns(options.scheme, options.reading.tagger)


def _parser(options: ParseOptions) -> SentenceParser:
    from numbat.acceptability.models import parser_of
    from numbat.runs.parsers import treebank_parser_of

    grammar = grammar_of(options.grammar)
    if options.override or options.without_property:
        from numbat.authoring.verbs import changed_grammar

        grammar = changed_grammar(options.grammar, options.override, options.without_property)
    if options.shallow:
        from numbat.grammar.shallow import shallow_grammar

        grammar = shallow_grammar(grammar, options.fragment_cost)
    elif options.fragment_cost is not None:
        from numbat.parsing.policies import granularity_of

        finer = granularity_of(options.fragment_cost, grammar)
        options = replace(options, parser=replace(options.parser, granularity=finer))
    if options.by_expansions.expansions:
        from numbat.parsing.treebank_parser import DEFAULT_LIMITS

        limits = options.parser.limits
        if not is_given("max_items"):
            limits = replace(limits, items=DEFAULT_LIMITS.items)
        tell_of_edits(options.grammar, grammar)
        return treebank_parser_of(grammar, options.by_expansions, limits)
    parser = parser_of(grammar, options.parser)
    if options.shallow:
        check_chunks(options, parser.profile)
    check_limits(parser, options.trace)
    return parser


class _Printer:
    """Prints what a run made of its sentences, one after the other, and at its end."""

    def __init__(
        self,
        parser: SentenceParser,
        options: ParseOptions,
        mapped: TagMap | None,
        record: RunRecord | None,
        progress: Progress,
        hash_lines: HashLines,
        of_treebank: Notes,
        ud: UdMap | None = None,
    ) -> None:
        from numbat.parses.job import ParseTally
        from numbat.reports.run_notes import RunNotes

        reading = options.reading
        has_tags = reading.tagger or reading.tagged or (reading.is_treebank and not reading.words)
        typed = () if options.sentences == ("-",) else options.sentences
        self._chosen, self._asked = FORMATS[options.form], options
        self._tally = ParseTally()
        grammar = None if has_tags else parser.grammar
        self._notes = RunNotes(grammar, typed, as_typed=not reading.is_treebank, is_split=reading.split is not None)
        self._ud = None if ud is None or not (options.form == "conllu" or options.dependencies) else ud
        self._grammar = parser.grammar
        self._painted = self._chosen.is_painted and is_colored(options.output, options.color)
        self._mapped = mapped
        self._scored: list[SentenceScore] = []
        self._journal: Resumable | None = None
        self._progress, self._hash_lines, self._of_treebank = progress, hash_lines, of_treebank
        self._record = None if record is None else record.of_whole()
        if record is not None and options.output is not None:
            self._journal = _begun(options, record, parser.grammar)
        self._done = [] if self._journal is None else self._journal.done
        self._is_empty, self._is_closed = True, False

    @property
    def done_before(self) -> int:
        """The number of inputs that an earlier run has done."""
        return len(self._done)

    def still_to_do(self, inputs: Iterable[Any]) -> Iterator[Any]:
        """Return the inputs behind those that an earlier run has done, which are counted."""
        from numbat.parses.verbs import noted_in

        if self._journal is not None and self._done:
            say(f"numbat: going on after {counted(len(self._done), 'record')}")
            for noted in noted_in(self._journal):
                self._remember(noted)
        self._is_empty = not self._done or self._done[-1].length == 0
        return islice(inputs, len(self._done), None)

    def take(self, record: Record[PrintedSentence]) -> None:
        """Print one sentence, or complain of it."""
        from numbat.parses.verbs import noted_of
        from numbat.runs.loop import Failure

        if isinstance(record, Failure):
            self._progress.clear()
            complain_of_one(record.as_error())
            pieces: tuple[str, ...] = (self._chosen.lost(record.id, record.reason),) if record.lost else ()
        else:
            pieces = record.value.pieces
        for piece in pieces:
            self._write(as_table(self._chosen.placed(piece, self._is_empty), self._asked.for_spreadsheets))
            self._is_empty = False
        if not isinstance(record, Failure):
            for aside in record.value.asides:
                self._progress.clear()
                say(aside)
        noted = noted_of(record)
        self._remember(noted)
        if self._journal is not None:
            self._journal.note(mapping_of(noted))

    def _write(self, text: str) -> None:
        if self._journal is not None:
            self._journal.write(text)
        else:
            self._progress.clear()
            write_out(text, end="", painted=self._painted)

    def _remember(self, noted: NotedSentence) -> None:
        """Count a sentence, of this run or an earlier one."""
        tally = self._tally
        if noted.lost:
            tally.lost.append(noted.id)
        elif noted.failed:
            tally.failed += 1
        if noted.facts is None or noted.remarks is None:
            return
        tally.add(noted.facts)
        self._notes.add(noted.remarks)
        if noted.score is not None:
            self._scored.append(noted.score)

    @contextmanager
    def kept_whole(self) -> Iterator[None]:
        """Keep the written output whole whatever ends the run, and tell how to go on."""
        try:
            yield
        except BaseException:
            if self._journal is not None:
                self._journal.abandon()
                self._tell_how_to_go_on()
            elif not (self._is_empty or self._is_closed):
                with suppress(OSError):
                    write_out(self._chosen.closing(empty=False, record=self._record), end="")
            raise

    def conclude(self, run: BatchRun[Any, Any]) -> None:
        """Notes, tally and scores go to standard error. Exits where not all went well."""
        tally = self._tally
        if not tally.seconds and not tally.failed and not tally.lost and not run.is_interrupted:
            tell("numbat: nothing to parse: no sentence was given")
        for line in chain(self._hash_lines.notes(), self._of_treebank.lines(), self._notes.lines()):
            say(line)
        if self._ud is not None:
            from numbat.treebanks.arcs import map_notes

            for line in map_notes(self._ud, self._grammar):
                say(line)
        if tally.lost:
            tell(f"numbat: {counted(len(tally.lost), 'sentence')} lost: {first_of(tally.lost, NAMED)}")
        if self._asked.stats:
            tell(str(tally))
        if self._mapped is not None and self._asked.reading.gold:
            self._tell_scores(self._mapped)
        most = self._asked.threshold
        fails = tally.well_formed < len(tally.seconds) if most is None else tally.dearest > most * UNIT
        if self._asked.must_hold and not run.is_interrupted and fails:
            sys.exit(NOT_WELL_FORMED)
        end_run(run, tally.failed + len(tally.lost), len(tally.seconds))

    def close(self, is_interrupted: bool) -> None:
        """Write what stands behind all pieces; the output is whole then."""
        self._progress.clear()
        closing = self._chosen.closing(self._is_empty, self._record)
        if self._journal is None:
            from numbat.runs.loop import held_back

            with held_back():
                write_out(closing, end="")
                self._is_closed = True
            return
        self._journal.write(closing)
        if is_interrupted:
            self._journal.stop()
            self._tell_how_to_go_on()
        else:
            self._write_manifest(self._journal)
            self._journal.finish()

    def _write_manifest(self, journal: Resumable) -> None:
        """Of one part of a file, tell what `numbat join` needs to know."""
        options = self._asked
        if options.shard is not None and options.path is not None and options.form != STORE:
            from numbat.parses.parts import asked_of_whole, write_manifest

            journal.flush()
            end = self._chosen.after(self._record)
            whole = asked_of_whole(journal.record.asked(), options.path, options.form, width())
            write_manifest(journal.path, whole, options.shard, options.form, self._tally, end)

    def _tell_how_to_go_on(self) -> None:
        part = "" if self._asked.form == STORE else ".part"
        tell(f"numbat: what was done is in {self._asked.output}{part}\n  the same command with --resume goes on")

    def _tell_scores(self, mapped: TagMap) -> None:
        from numbat.treebanks.converting import gold_parameters
        from numbat.treebanks.report import nothing_to_score, score_report
        from numbat.treebanks.scores import TreebankScores

        scores = TreebankScores(tuple(self._scored))
        if not scores.compared:
            tell(f"numbat: {nothing_to_score(scores)}")
        else:
            tell("\n".join(score_report(scores, gold_parameters(mapped).longest).lines()))


def _begun(options: ParseOptions, record: RunRecord, grammar: Grammar) -> Resumable:
    """Return the output that is asked for, a file or a run in a store, with its journal."""
    assert options.output is not None
    if options.form == STORE:
        from numbat.corpus.writing import StoreJournal

        return StoreJournal.begin(options.output, record, options.resume, grammar, options.shard)
    from numbat.runs.journal import Journal

    return Journal.begin(options.output, record, options.resume)


# --structure: dependencies of tagged sentences


def parse_by_structure(options: ParseOptions, model_file: str) -> None:
    """Parse what is asked for by the model of a file."""
    from numbat.structure.model import read_model
    from numbat.structure.parsing import StructureTally, parse_structure, tagged_arguments, tagged_for, words_of
    from numbat.structure.report import told_of

    model = read_model(model_file)
    path = "-" if options.sentences == ("-",) else options.path
    if path is None:
        found = tagged_arguments(model, options.sentences)
    else:
        found = tagged_for(model, path, options.reading.source or "text")
    for problem in found.problems:
        complain_of_one(data_error(problem))
    longest = options.reading.max_length
    sentences = [each for each in found.sentences if longest is None or words_of(each) <= longest]
    if len(sentences) < len(found.sentences):
        say(f"numbat: {len(found.sentences) - len(sentences):,} left out that are longer than --max-length")
    write = FORMATS[options.form if is_given("form") else "conllu"].dependencies
    assert write is not None, "the options are checked before"
    tally = StructureTally()
    quiet = options.output is None and is_terminal(sys.stdout)
    with Progress(quiet=quiet, total=len(sentences)) as progress:
        pieces = (write(each) for each in parse_structure(model, sentences, tally, progress.advance))
        if options.output is None:
            for piece in pieces:
                write_out(piece, end="")
        else:
            write_or_print(options.output, "".join(pieces))
    for line in told_of(tally):
        say(f"numbat: {line}")
    end(len(found.problems) + len(tally.too_long), tally.parsed)
