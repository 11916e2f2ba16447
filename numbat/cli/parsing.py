"""The verb `parse`: its options, and the run over what is to be parsed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from numbat.cli.options import (
    GRAMMAR_OPTION,
    PARSER_OPTIONS,
    RUN_OPTIONS,
    TAGGED_READING_OPTIONS,
    Finite,
    grammar_of,
    input_option,
    takes,
    with_options,
)
from numbat.cli.parse_options import (
    EXPANSION_OPTIONS,
    ParseOptions,
    check_limits,
    check_options,
    is_given,
    part_of_file,
    with_chunks,
)
from numbat.cli.printing import NAMED, Input, Output, asked_of, complain, end_run, is_terminal, say, width
from numbat.cli.progress import Progress
from numbat.commands.settings import DEFAULT_LIMITS
from numbat.errors import UsageError
from numbat.source import counted, first_of

if TYPE_CHECKING:
    from numbat.commands.parsing import PrintedSentence, PrintJob
    from numbat.parsing.sentence_parser import SentenceParser
    from numbat.runs.journal import Journal
    from numbat.runs.loop import BatchRun, Record
    from numbat.treebank.bracket_scores import SentenceScore
    from numbat.words.tag_maps import TagMap


@click.command()
@click.argument("sentences", nargs=-1, type=Input())
@GRAMMAR_OPTION
@input_option("A file with a sentence a line; - for standard input.")
@click.option(
    "-f",
    "--format",
    "form",
    default="tree",
    show_default=True,
    type=click.Choice(["tree", "bracket", "json", "jsonl", "tsv", "svg", "html", "latex", "conllu"]),
    help="How parses are printed.",
)
@click.option("-n", "n", default=1, show_default=True, type=click.IntRange(min=1), help="How many parses, best first.")
@click.option("--shallow", is_flag=True, help="Chunks: phrases of words alone (default grammar: chunks).")
@click.option(
    "--fragment-cost",
    type=Finite(min=0),
    metavar="X",
    help="With --shallow: what a chunk costs, and a word outside of chunks (default: the grammar's fragment_cost).",
)
@with_options(PARSER_OPTIONS)
@click.option(
    "--max-assignments",
    type=click.IntRange(min=1),
    default=DEFAULT_LIMITS.assignments,
    show_default=True,
    help="Stop a sentence after so many assignments (phases engine) and give the best so far.",
)
@click.option("--max-rounds", type=click.IntRange(min=1), help="Stop a sentence after so many rounds (phases engine).")
@click.option(
    "--max-constituents", type=click.IntRange(min=1), help="Stop a sentence after so many constituents (phases engine)."
)
@click.option(
    "--election",
    metavar="NAME",
    help="Election: per-construction, best-combination, beam, all (default: the profile's).",
)
@click.option("--beam", default=5, show_default=True, type=click.IntRange(min=1), help="The k of the election beam.")
@click.option("--without", multiple=True, metavar="H1..H5", help="Switch a heuristic off; may be repeated.")
@click.option("--engine", metavar="NAME", default="auto", show_default=True, help="Engine: auto, exact, phases.")
@with_options(TAGGED_READING_OPTIONS)
@with_options(EXPANSION_OPTIONS)
@click.option(
    "--structure",
    type=Input(),
    metavar="MODEL",
    help="Dependencies by a model of numbat learn structure, as CoNLL-U or -f bracket; with --from or --tagged.",
)
@click.option("--all-features", is_flag=True, help="Trees show all features, not only the grammar's tree_features.")
@click.option("--compact", is_flag=True, help="With -f json or jsonl: numbers in the place of names.")
@click.option("--trace", is_flag=True, help="Print every round and phase on standard error.")
@click.option("--check", is_flag=True, help="Compare each search with the evaluator.")
@click.option("--stats", is_flag=True, help="Print a tally of the run on standard error.")
@click.option("--watch", is_flag=True, help="Parse again whenever a file of the grammar changes.")
@click.option("--gold", is_flag=True, help="With --from: score the parses against the trees, on standard error.")
@click.option("-o", "--output", type=Output(), help="A file for the parses; default: standard output.")
@click.option("--resume", is_flag=True, help="With -o: go on where an earlier run was stopped.")
@click.option(
    "--shard",
    callback=part_of_file,
    metavar="K/N",
    help="With -i and -o: part K of N of the file; numbat join joins them.",
)
@with_options(RUN_OPTIONS)
@takes(ParseOptions)
def parse(asked: ParseOptions) -> None:
    """Parse SENTENCES, or the lines of a file; - reads standard input."""
    from numbat.commands import preparing
    from numbat.commands.running import executor_of
    from numbat.runs.loop import BatchRun

    check_options(asked)
    if asked.structure is not None:
        from numbat.cli.structure_parsing import parse_by_structure

        parse_by_structure(asked, asked.structure)
        return
    asked = with_chunks(asked)
    if asked.form == "svg" and (asked.n > 1 or len(asked.sentences) != 1 or asked.sentences == ("-",)):
        raise UsageError("-f svg draws one parse of one sentence\n  -f html puts several on a page")
    if asked.watch:
        from numbat.cli import watching

        watching.watch(asked.grammar, sys.argv[1:], lambda told: click.echo(told, err=True))
    parser = _parser(asked)
    mapped = preparing.tag_map_of(asked.reading, parser.grammar)
    path = "-" if asked.sentences == ("-",) else asked.path
    if path == "-" and mapped is None and is_terminal(sys.stdin):
        click.echo("numbat: type a sentence and Enter; Ctrl-D ends", err=True)
    inputs_of = partial(preparing.inputs_of, parser, asked.sentences, path, asked.reading, mapped)
    inputs = inputs_of() if asked.shard is None else _part(inputs_of, asked.shard)
    progress = Progress(quiet=asked.run.quiet or (asked.output is None and is_terminal(sys.stdout)))
    journal = _journal(asked, parser)
    printer = _Printer(parser, asked, mapped, journal, progress)
    executor = progress.over(executor_of(asked.run, as_they_come=path == "-" or asked.trace))
    total = None
    if path is not None and os.path.isfile(path) and not (progress.quiet or mapped or asked.shard):
        total = sum(1 for _ in inputs_of()) - printer.done_before
    run = BatchRun(_job(parser, asked, mapped), printer.still_to_do(inputs), executor=executor, total=total)
    with printer.kept_whole():
        run.hand_on(printer.take)
    printer.conclude(run)


def _part(inputs_of: Callable[[], Iterable[Any]], shard: tuple[int, int]) -> Iterable[Any]:
    from numbat.commands.parts import part_of

    return part_of(inputs_of, *shard)


def _job(parser: SentenceParser, asked: ParseOptions, mapped: TagMap | None) -> PrintJob:
    from numbat.commands.parsing import PrintJob
    from numbat.commands.preparing import reading_of
    from numbat.report.parse_formats import TreeStyle
    from numbat.runs.parsing import ParseJob

    style = TreeStyle(_is_colored(asked), width(), asked.all_features, asked.compact)
    gold = None
    if asked.reading.gold and mapped is not None:
        from numbat.treebank.parses import gold_parameters

        gold = gold_parameters(mapped)
    tell = partial(click.echo, err=True) if asked.trace else None
    names_guessed = asked.form == "bracket" and not asked.reading.source
    return PrintJob(
        reading_of(parser, asked.reading), ParseJob(parser, asked.n, tell), asked.form, style, names_guessed, gold
    )


def _parser(asked: ParseOptions) -> SentenceParser:
    from numbat.commands import preparing

    grammar = grammar_of(asked.grammar)
    if asked.shallow:
        from numbat.grammar.shallow import shallow_grammar

        grammar = shallow_grammar(grammar, asked.fragment_cost)
    if asked.parser.expansions:
        limited = asked.parser if is_given("max_items") else replace(asked.parser, max_items=None)
        return preparing.treebank_parser_of(grammar, limited)
    parser = preparing.parser_of(grammar, asked.parser)
    check_limits(parser.engine, asked.trace, parser.profile.election)
    return parser


def _journal(asked: ParseOptions, parser: SentenceParser) -> Journal | None:
    """The journal of the output that is asked for. Raises UsageError, UnwritableError and the errors of files."""
    if asked.output is None:
        return None
    from numbat.runs.journal import Journal, Manifest

    return Journal.begin(asked.output, Manifest(asked_of(parser.grammar)), asked.resume)


class _Printer:
    """Prints what a run made of its sentences, one after the other, and at its end."""

    def __init__(
        self,
        parser: SentenceParser,
        asked: ParseOptions,
        mapped: TagMap | None,
        journal: Journal | None,
        progress: Progress,
    ) -> None:
        from numbat.report.parse_formats import FORMATS
        from numbat.report.run_notes import RunNotes
        from numbat.runs.parsing import ParseTally

        reading = asked.reading
        has_tags = reading.tagger or reading.tagged or (reading.source and not reading.words)
        typed = () if asked.sentences == ("-",) else asked.sentences
        self._chosen, self._asked = FORMATS[asked.form], asked
        self._tally = ParseTally()
        self._notes = RunNotes(None if has_tags else parser.grammar, typed, as_typed=not reading.source)
        self._color = _is_colored(asked)
        self._mapped = mapped
        self._scored: list[SentenceScore] = []
        self._journal, self._progress = journal, progress
        self._done = [] if journal is None else journal.done
        self._is_empty = True

    @property
    def done_before(self) -> int:
        """How many inputs an earlier run has done."""
        return len(self._done)

    def still_to_do(self, inputs: Iterable[Any]) -> Iterator[Any]:
        """The inputs behind those that an earlier run has done, which are counted."""
        if self._done:
            click.echo(f"numbat: going on after {counted(len(self._done), 'record')}", err=True)
        for record in self._done:
            self._remember(record.kept)
        self._is_empty = not self._done or self._done[-1].length == 0
        return islice(inputs, len(self._done), None)

    def take(self, record: Record[PrintedSentence]) -> None:
        """Print one sentence, or complain of it."""
        from numbat.commands.parsing import kept_of
        from numbat.runs.loop import Failure

        if isinstance(record, Failure):
            self._progress.clear()
            complain(record.as_error())
            pieces: tuple[str, ...] = (self._chosen.lost(record.id, record.reason),) if record.lost else ()
        else:
            pieces = record.value.pieces
        for piece in pieces:
            self._write(self._chosen.placed(piece, self._is_empty))
            self._is_empty = False
        if not isinstance(record, Failure):
            for aside in record.value.asides:
                self._progress.clear()
                click.echo(aside, err=True)
        kept = kept_of(record)
        self._remember(kept)
        if self._journal is not None:
            self._journal.note(kept)

    def _write(self, text: str) -> None:
        if self._journal is not None:
            self._journal.write(text)
        else:
            self._progress.clear()
            click.echo(text, nl=False, color=self._color)

    def _remember(self, kept: Mapping[str, Any]) -> None:
        """Count a sentence, of this run or an earlier one."""
        from numbat.commands.parsing import facts_of, remarks_of, score_of

        tally = self._tally
        if kept["lost"]:
            tally.lost.append(kept["id"])
        elif kept["failed"]:
            tally.failed += 1
        if kept["facts"] is None:
            return
        tally.add(facts_of(kept))
        self._notes.add(remarks_of(kept))
        if (score := score_of(kept)) is not None:
            self._scored.append(score)

    @contextmanager
    def kept_whole(self) -> Iterator[None]:
        """Whatever ends the run, what was written is whole, and it is said how to go on."""
        try:
            yield
        except BaseException:
            if self._journal is not None:
                self._journal.abandon()
                self._tell_how_to_go_on()
            raise

    def conclude(self, run: BatchRun[Any, Any]) -> None:
        """Close the output; notes, tally and scores go to standard error. Exits where not all went well."""
        tally = self._tally
        self._progress.clear()
        self._close(run.is_interrupted)
        if not tally.seconds and not tally.failed and not tally.lost and not run.is_interrupted:
            click.echo("numbat: nothing to parse: no sentence was given", err=True)
        for line in self._notes.lines():
            click.echo(line, err=True)
        if tally.lost:
            lost = f"{counted(len(tally.lost), 'sentence')} lost: {first_of(tally.lost, NAMED)}"
            click.echo(f"numbat: {lost}", err=True)
        if self._asked.stats:
            click.echo(str(tally), err=True)
        if self._mapped is not None and self._asked.reading.gold:
            self._tell_scores(self._mapped)
        end_run(run, tally.failed + len(tally.lost), len(tally.seconds))

    def _close(self, is_interrupted: bool) -> None:
        closing = self._chosen.closing(self._is_empty)
        if self._journal is None:
            click.echo(closing, nl=False)
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
            whole = asked_of_whole(journal.manifest.asked, asked.path, asked.form, width())
            write_manifest(journal.path, whole, asked.shard, asked.form, self._tally, f"{journal.path}.part")

    def _tell_how_to_go_on(self) -> None:
        say(f"numbat: what was done is in {self._asked.output}.part\n  the same command with --resume goes on")

    def _tell_scores(self, mapped: TagMap) -> None:
        from numbat.report.score_text import score_lines
        from numbat.treebank.parses import gold_parameters
        from numbat.treebank.scores import TreebankScores

        lines = score_lines(TreebankScores(tuple(self._scored)), gold_parameters(mapped).longest)
        click.echo("\n".join(lines), err=True)


def _is_colored(asked: ParseOptions) -> bool:
    if asked.output is not None:
        return False
    return is_terminal(sys.stdout) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


COMMANDS = (parse,)
