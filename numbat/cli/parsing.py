"""The verb `parse`: its options, and the run over what is to be parsed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import click

from numbat.cli.options import (
    GRAMMAR_OPTION,
    PARSER_OPTIONS,
    RUN_OPTIONS,
    SENTENCES,
    TAGGED_READING_OPTIONS,
    Finite,
    format_option,
    grammar_of,
    input_option,
    options_of,
    takes,
    with_options,
)
from numbat.cli.parse_options import (
    ParseOptions,
    check_limits,
    check_options,
    part_of_file,
    record_for,
    with_chunks,
)
from numbat.cli.printing import (
    NAMED,
    WHEN_COLORED,
    Input,
    Output,
    complain,
    end_run,
    is_colored,
    is_terminal,
    say,
    width,
    write_out,
)
from numbat.cli.progress import Progress
from numbat.cli.suite_options import HASH_LINES_OPTION, SPREADSHEETS_OPTION, as_table
from numbat.cli.verbs import GRAMMAR, MANY, OUTPUT, is_given, option, verb
from numbat.commands.settings import ExpansionSettings
from numbat.errors import counted, first_of
from numbat.parsing.policies import OF_PARSE, ParserSettings
from numbat.report.parse_formats import FORMATS

if TYPE_CHECKING:
    from numbat.commands.parsing import NotedSentence, PrintedSentence, PrintJob
    from numbat.parsing.sentence_parser import SentenceParser
    from numbat.runs.journal import Journal
    from numbat.runs.loop import BatchRun, Record
    from numbat.runs.record import RunRecord
    from numbat.runs.sources import HashLines
    from numbat.treebank.scores import SentenceScore
    from numbat.words.tag_maps import TagMap


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
@HASH_LINES_OPTION
@GRAMMAR_OPTION
@option(GRAMMAR, "--shallow", is_flag=True, help="Find chunks, flat phrases (grammar: chunks).")
@option(
    GRAMMAR,
    "--fragment-cost",
    type=Finite(min=0),
    metavar="X",
    help="Cost of a fragment (default: the grammar's).",
)
@with_options(options_of(ExpansionSettings))
@option(
    GRAMMAR,
    "--structure",
    type=Input(),
    metavar="MODEL",
    help="Find dependencies of tagged words by this model.",
)
@with_options(PARSER_OPTIONS)
@with_options(options_of(ParserSettings, (*OF_PARSE, "check")))
@format_option(*FORMATS, default="tree")
@option(OUTPUT, "-o", "--output", type=Output(), help="File for the parses (default: standard output).")
@option(
    OUTPUT, "-n", "n", default=1, show_default=True, type=click.IntRange(min=1), help="How many parses, best first."
)
@option(
    OUTPUT,
    "--all-features",
    is_flag=True,
    advanced=True,
    help="Show all features, not only the grammar's tree_features.",
)
@option(OUTPUT, "--positions", is_flag=True, help="Show the token positions of each constituent.")
@option(OUTPUT, "--compact", is_flag=True, advanced=True, help="With -f json or jsonl: numbers in the place of names.")
@SPREADSHEETS_OPTION
@option(
    OUTPUT,
    "--color",
    metavar="WHEN",
    type=click.Choice(WHEN_COLORED),
    default="auto",
    help="auto (in a terminal), always or never.",
)
@option(OUTPUT, "--trace", is_flag=True, help="Print each round and phase on standard error.")
@option(
    OUTPUT, "--trace-all", is_flag=True, advanced=True, help="The same with all combinations and all that is dropped."
)
@option(OUTPUT, "--stats", is_flag=True, help="Print a tally of the run on standard error.")
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
def parse(asked: ParseOptions) -> None:
    """Parse SENTENCES, or the lines of a file or of standard input: each gets its best tree, with the properties that
    it satisfies and violates and what they cost.
    """
    from numbat.commands import parsing
    from numbat.commands.parsing import executor_of
    from numbat.runs.loop import BatchRun
    from numbat.runs.sources import HashLines

    asked = replace(asked, trace=asked.trace or asked.trace_all)
    check_options(asked)
    if asked.structure is not None:
        from numbat.cli.structure_parsing import parse_by_structure

        parse_by_structure(asked, asked.structure)
        return
    asked = with_chunks(asked)
    if asked.watch:
        from numbat.cli import watching

        watching.watch(asked.grammar, sys.argv[1:], say)
    parser = _parser(asked)
    mapped = parsing.tag_map_of(asked.reading, parser.grammar)
    path = "-" if asked.sentences == ("-",) else asked.path
    if path == "-" and mapped is None and is_terminal(sys.stdin):
        say("numbat: type a sentence and Enter; Ctrl-D ends")
    hash_lines = HashLines(asked.hash_lines)
    inputs_of = partial(parsing.inputs_of, parser, asked.sentences, path, asked.reading, mapped, hash_lines)
    inputs = inputs_of()
    if asked.shard is not None:
        from numbat.commands.parts import part_of

        inputs = part_of(inputs_of, *asked.shard)
    progress = Progress(quiet=asked.run.quiet or (asked.output is None and is_terminal(sys.stdout)))
    record = record_for(asked, parser)
    printer = _Printer(parser, asked, mapped, record, progress, hash_lines)
    executor = progress.over(executor_of(asked.run, as_they_come=path == "-" or asked.trace))
    total = None
    if path is not None and os.path.isfile(path) and not (progress.quiet or mapped or asked.shard):
        total = sum(1 for _ in inputs_of()) - printer.done_before
    run = BatchRun(_job(parser, asked, mapped, record), printer.still_to_do(inputs), executor=executor, total=total)
    with printer.kept_whole():
        run.hand_on(printer.take)
        printer.close(run.is_interrupted)
    printer.conclude(run)


def _job(parser: SentenceParser, asked: ParseOptions, mapped: TagMap | None, record: RunRecord | None) -> PrintJob:
    from numbat.commands.parsing import PrintJob, reading_of
    from numbat.report.parse_formats import TreeStyle
    from numbat.runs.parsing import ParseJob, Tracing

    run = None if record is None else record.of_whole().as_json()
    style = TreeStyle(
        is_colored(asked.output, asked.color), width(), asked.all_features, asked.compact, asked.positions, run
    )
    gold = None
    if asked.reading.gold and mapped is not None:
        from numbat.treebank.converting import gold_parameters

        gold = gold_parameters(mapped)
    tell = None if FORMATS[asked.form].has_trace else say
    tracing = Tracing(tell, asked.trace_all) if asked.trace else None
    names_guessed = FORMATS[asked.form].is_brief and not asked.reading.source
    return PrintJob(
        reading_of(parser, asked.reading), ParseJob(parser, asked.n, tracing), asked.form, style, names_guessed, gold
    )


def _parser(asked: ParseOptions) -> SentenceParser:
    from numbat.commands import parsing

    grammar = grammar_of(asked.grammar)
    if asked.shallow:
        from numbat.grammar.shallow import shallow_grammar

        grammar = shallow_grammar(grammar, asked.fragment_cost)
    elif asked.fragment_cost is not None:
        from numbat.parsing.policies import granularity_of

        finer = granularity_of(asked.fragment_cost, grammar)
        asked = replace(asked, parser=replace(asked.parser, granularity=finer))
    if asked.by_expansions.expansions:
        from numbat.parsing.treebank_parser import DEFAULT_LIMITS

        limits = asked.parser.limits
        if not is_given("max_items"):
            limits = replace(limits, items=DEFAULT_LIMITS.items)
        return parsing.treebank_parser_of(grammar, asked.by_expansions, limits)
    parser = parsing.parser_of(grammar, asked.parser)
    check_limits(parser.engine, asked.trace, parser.profile.election)
    return parser


class _Printer:
    """Prints what a run made of its sentences, one after the other, and at its end."""

    def __init__(
        self,
        parser: SentenceParser,
        asked: ParseOptions,
        mapped: TagMap | None,
        record: RunRecord | None,
        progress: Progress,
        hash_lines: HashLines,
    ) -> None:
        from numbat.report.run_notes import RunNotes
        from numbat.runs.parsing import ParseTally

        reading = asked.reading
        has_tags = reading.tagger or reading.tagged or (reading.source and not reading.words)
        typed = () if asked.sentences == ("-",) else asked.sentences
        self._chosen, self._asked = FORMATS[asked.form], asked
        self._tally = ParseTally()
        self._notes = RunNotes(None if has_tags else parser.grammar, typed, as_typed=not reading.source)
        self._painted = self._chosen.is_painted and is_colored(asked.output, asked.color)
        self._mapped = mapped
        self._scored: list[SentenceScore] = []
        self._journal, self._progress, self._hash_lines = None, progress, hash_lines
        self._record = None if record is None else record.of_whole()
        if record is not None and asked.output is not None:
            from numbat.runs.journal import Journal

            self._journal = Journal.begin(asked.output, record, asked.resume)
        self._done = [] if self._journal is None else self._journal.done
        self._is_empty, self._is_closed = True, False

    @property
    def done_before(self) -> int:
        """How many inputs an earlier run has done."""
        return len(self._done)

    def still_to_do(self, inputs: Iterable[Any]) -> Iterator[Any]:
        """The inputs behind those that an earlier run has done, which are counted."""
        from numbat.commands.parsing import noted_in

        if self._journal is not None and self._done:
            say(f"numbat: going on after {counted(len(self._done), 'record')}")
            for noted in noted_in(self._journal):
                self._remember(noted)
        self._is_empty = not self._done or self._done[-1].length == 0
        return islice(inputs, len(self._done), None)

    def take(self, record: Record[PrintedSentence]) -> None:
        """Print one sentence, or complain of it."""
        from numbat.commands.parsing import noted_of
        from numbat.runs.loop import Failure

        if isinstance(record, Failure):
            self._progress.clear()
            complain(record.as_error())
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
            self._journal.note(noted.as_json())

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
        """Whatever ends the run, what was written is whole, and it is said how to go on."""
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
            say("numbat: nothing to parse: no sentence was given")
        for line in chain(self._hash_lines.told(), self._notes.lines()):
            say(line)
        if tally.lost:
            say(f"numbat: {counted(len(tally.lost), 'sentence')} lost: {first_of(tally.lost, NAMED)}")
        if self._asked.stats:
            say(str(tally))
        if self._mapped is not None and self._asked.reading.gold:
            self._tell_scores(self._mapped)
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

    def _write_manifest(self, journal: Journal) -> None:
        """Of one part of a file, tell what `numbat join` needs to know."""
        asked = self._asked
        if asked.shard is not None and asked.path is not None:
            from numbat.commands.parts import asked_of_whole, write_manifest

            journal.flush()
            end = self._chosen.after(self._record)
            whole = asked_of_whole(journal.record.asked(), asked.path, asked.form, width())
            write_manifest(journal.path, whole, asked.shard, asked.form, self._tally, end)

    def _tell_how_to_go_on(self) -> None:
        say(f"numbat: what was done is in {self._asked.output}.part\n  the same command with --resume goes on")

    def _tell_scores(self, mapped: TagMap) -> None:
        from numbat.report.treebanks import score_lines
        from numbat.treebank.converting import gold_parameters
        from numbat.treebank.scores import TreebankScores

        lines = score_lines(TreebankScores(tuple(self._scored)), gold_parameters(mapped).longest)
        say("\n".join(lines))
