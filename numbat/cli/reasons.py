"""Verbs for single sentences and trees: explain, contrast, judge, why-not, repair."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import click

from numbat.acceptability.settings import ModelSettings, SuiteSettings
from numbat.cli.options import (
    COLUMNS_OPTION,
    GRAMMAR_OPTION,
    INPUT,
    MODEL_OPTIONS,
    OUTPUT,
    PAIRS_OPTION,
    PARSER_OPTIONS,
    RUN_OPTIONS,
    SEARCH,
    TAG_MAP_OPTION,
    TAGGED_OPTION,
    TREES_OPTION,
    format_option,
    input_option,
    is_given,
    option,
    verb,
    with_options,
    written,
)
from numbat.cli.parsers import grammar_of, properties_parser_of, suite_of
from numbat.cli.printing import (
    GRAMMAR_GIVEN,
    Progress,
    Text,
    Whole,
    complain_of_one,
    end_run,
    end_trees,
    own_record,
    record_of,
    say,
    write_in_form,
    write_out,
)
from numbat.errors import DataError, UsageError
from numbat.parsing.policies import ParserSettings
from numbat.records import frozen
from numbat.runs.settings import RunSettings

if TYPE_CHECKING:
    from numbat.acceptability.sentences import JudgedTree
    from numbat.parsing.parser import Parser
    from numbat.runs.loop import Record
    from numbat.words.lattice import Lattice

FORM = format_option("text", "json")
ONE = (GRAMMAR_OPTION, TAGGED_OPTION, FORM, *PARSER_OPTIONS)


@frozen
class AnswerOptions:
    """Options of the verbs for single sentences: reading, parsing, and the format of the answer."""

    grammar: str
    tagged: bool
    form: str
    parser: ParserSettings


def _parser(options: AnswerOptions) -> Parser:

    return properties_parser_of(options.grammar, options.parser)


def _read(sentence: str, parser: Parser, tagged: bool) -> Lattice:
    """Return a sentence as a lattice; print notes on what may be unintended in it, such as a judgement mark."""
    from numbat.reports.run_notes import RunNotes, remarks_on
    from numbat.runs import sentences as sources

    if sentence.strip() == "-":
        raise UsageError(
            '"-" is not a sentence, and this command does not read standard input\n'
            "  give the sentence in quotes; numbat parse - reads standard input"
        )
    if (byte := sources.not_utf8(sentence)) is not None:
        raise DataError(f"the sentence is not UTF-8 (byte {byte})\n  {sources.TERMINAL}")
    lattice = sources.lattice_of(sentence, parser.words, tagged)
    notes = RunNotes(typed=(sentence,))
    notes.add(remarks_on("", lattice))
    for line in notes.lines():
        say(line)
    return lattice


@verb(
    "explain",
    'numbat explain "The cats sleeps."',
    'numbat explain -m coherence --terms "The cats sleeps."',
    'numbat explain -g french -f json "Les chat dort."',
)
@click.argument("sentence")
@with_options((*ONE, *MODEL_OPTIONS))
@option(OUTPUT, "--terms", is_flag=True, help="Also show the counts of each phrase.")
def explain(sentence: str, answer: AnswerOptions, model: ModelSettings, terms: bool) -> None:
    """Explain the score of SENTENCE under a model: each violated property in words, with its share of the loss."""
    from numbat.acceptability import reasons, sentences
    from numbat.acceptability.scorers import scorer_of
    from numbat.reports.answers import Answer

    parser = _parser(answer)
    lattice = _read(sentence, parser, answer.tagged)
    explained = sentences.explain(parser, lattice, scorer_of(model, parser.grammar))
    write_in_form(answer.form, Answer(reasons.explanation(explained, terms)))


@frozen
class ContrastOptions:
    """Options of `numbat contrast`: two sentences, or `suite`, a file of minimal pairs."""

    one: str | None
    other: str | None
    suite: str | None
    columns: str | None
    pairs: bool
    answer: AnswerOptions
    model: ModelSettings
    run: RunSettings


OF_PAIRS: Final = ("columns", "pairs", "jobs", "kill_after", "max_memory", "cluster")
"""Options only for a file of pairs."""


@verb(
    "contrast",
    'numbat contrast "The cat sleeps." "The cats sleeps."',
    'numbat contrast -m fitness --weights equal "She sees him." "Her sees he."',
    "numbat contrast -i pairs.tsv",
)
@click.argument("one", metavar="[A", required=False)
@click.argument("other", metavar="B]", required=False)
@option(INPUT, "-i", "--input", "suite", type=Text(), help="File of minimal pairs.")
@COLUMNS_OPTION
@PAIRS_OPTION
@with_options((*ONE, *MODEL_OPTIONS, *RUN_OPTIONS))
def contrast(options: ContrastOptions) -> None:
    """Show the properties that make the difference between the sentences A and B, with their scores. For a file of
    pairs, show the properties that decide each pair; pairs decided by others than the intended one come first."""
    from numbat.acceptability import reasons, sentences
    from numbat.acceptability.scorers import scorer_of
    from numbat.reports.answers import Answer

    if options.suite is not None:
        if options.one is not None:
            raise UsageError("sentences and -i FILE exclude each other\n  give two sentences, or a file of pairs")
        _contrast_file(options, options.suite)
        return
    if options.one is None or options.other is None:
        raise UsageError("contrast needs two sentences\n  give both in quotes, or a file of pairs: -i FILE")
    if useless := next(filter(is_given, OF_PAIRS), None):
        raise UsageError(f"{written(useless)} only applies to a file of pairs\n  add -i FILE, or leave it out")
    parser = _parser(options.answer)
    one, other = (_read(sentence, parser, options.answer.tagged) for sentence in (options.one, options.other))
    contrasted = sentences.contrast(parser, one, other, scorer_of(options.model, parser.grammar))
    write_in_form(options.answer.form, Answer(reasons.contrast(contrasted)))


def _contrast_file(options: ContrastOptions, path: str) -> None:
    from numbat.acceptability.runs import reader_of
    from numbat.acceptability.scorers import scorer_of
    from numbat.cli.suites import SuiteRun
    from numbat.experiments.contrasts import pairs_report
    from numbat.experiments.verbs import contrast_pairs
    from numbat.reports.answers import Answer

    settings = SuiteSettings(path, options.columns, options.pairs, tagged=options.answer.tagged)
    suite, parser = suite_of(settings), _parser(options.answer)
    run, score = SuiteRun(options.run), scorer_of(options.model, parser.grammar)
    groups = contrast_pairs(suite, parser, score, reader_of(settings), run.executor, run.lost)
    record = record_of({GRAMMAR_GIVEN: parser.grammar}, suite)
    write_in_form(options.answer.form, Answer(pairs_report(groups, suite.notes, run.lost.items), record))
    run.end()


@frozen
class JudgeOptions:
    """Options of `numbat judge`: `trees` is a tree in brackets or a file; `path` is a file."""

    trees: str | None
    path: str | None
    source: str
    tag_map: str | None
    grammar: str
    form: str
    summary: bool
    shown: int
    parser: ParserSettings
    model: ModelSettings
    run: RunSettings

    @property
    def tree(self) -> str | None:
        """The tree typed as argument."""
        is_file = self.trees is None or (self.trees.strip() and ("(" not in self.trees or os.path.exists(self.trees)))
        return None if is_file else self.trees

    @property
    def file(self) -> str | None:
        """The file of trees."""
        return self.path or (self.trees if self.tree is None else None)


OF_SUMMARY: Final = ("tag_map", "shown", "jobs", "kill_after", "max_memory", "cluster")
"""Options that apply only to `--summary`."""


@verb(
    "judge",
    'numbat judge "(S (NP (Det the) (N cats)) (VP (V sleeps)))"',
    "numbat judge -m coherence drawn.mrg",
    "numbat judge -g ewt --summary -n 3 trees.mrg",
)
@click.argument("trees", metavar="[TREES]", required=False)
@input_option("File of trees; - for standard input.")
@TREES_OPTION
@TAG_MAP_OPTION
@with_options((GRAMMAR_OPTION, *MODEL_OPTIONS, *PARSER_OPTIONS))
@option(OUTPUT, "--summary", is_flag=True, help="Show sums over all trees, and the worst trees.")
@option(OUTPUT, "-n", "shown", default=10, type=Whole(0), help="With --summary: number of trees to show.")
@format_option("text", "json", "jsonl")
@with_options(RUN_OPTIONS)
def judge(options: JudgeOptions) -> None:
    """Show what TREES satisfy and violate: one tree in brackets and quotes, or a file of trees in any format.
    By default each tree is shown; --summary shows sums over a treebank and its worst trees.
    """
    if (options.trees is None) == (options.path is None):
        raise UsageError("judge needs one tree or one file\n  give a tree in quotes, or a file")
    if options.summary:
        _sum_up(options)
        return
    for name in filter(is_given, OF_SUMMARY):
        raise UsageError(f"{written(name)} only applies to --summary\n  add --summary, or leave it out")
    from numbat.acceptability import reasons, sentences
    from numbat.acceptability.scorers import parser_of, scorer_of
    from numbat.treebanks.notes import Notes

    parser = parser_of(grammar_of(options.grammar), options.parser)
    score = scorer_of(options.model, parser.grammar)
    verdicts = _Verdicts(parser, options.form)
    shared = Notes()
    run = sentences.judge(parser, score, options.tree, options.file, options.source, shared)
    run.hand_on(verdicts.take)
    if options.form == "json":
        write_out(reasons.list_text(verdicts.written))
    elif options.form == "jsonl":
        _write_lines(verdicts.written, is_whole=not run.is_interrupted)
    elif verdicts.written:
        write_out("\n\n".join(verdicts.written))
    for line in (*shared.lines(), *(f"numbat: {note}" for note in verdicts.notes)):
        say(line)
    end_run(run, verdicts.bad, len(verdicts.written))


def _sum_up(options: JudgeOptions) -> None:
    """Judge all trees of a file, and print sums and the worst trees."""
    from numbat.acceptability.scorers import parser_of
    from numbat.reports.run_notes import check_evaluated
    from numbat.runs.executors import executor_of
    from numbat.treebanks.report import lost_trees
    from numbat.treebanks.tree_reader import TreeReader
    from numbat.treebanks.verdicts import check_trees, summary_of, tag_hint, verdict_report

    if options.file is None:
        raise UsageError("--summary needs a file of trees\n  leave it out for one tree")
    for name in filter(is_given, ("model", "weights")):
        raise UsageError(f"{written(name)} and --summary exclude each other\n  leave one of them out")
    progress = Progress("trees")
    reader = TreeReader(progress.complain)
    parser = parser_of(grammar_of(options.grammar), options.parser)
    executor = progress.over(executor_of(options.run))
    verdicts = check_trees(parser, options.file, reader, options.source, options.tag_map, executor)
    if options.form == "text":
        write_out("\n".join([*summary_of(verdicts, options.shown), *lost_trees(reader.lost).lines()]))
    else:
        values = [*(verdict_report(verdict).value() for verdict in verdicts), *lost_trees(reader.lost).value]
        if options.form == "json":
            run = {"run": own_record().as_json()}
            write_out(json.dumps([value | run for value in values], ensure_ascii=False, indent=2))
        else:
            _write_lines(json.dumps(value, ensure_ascii=False) for value in values)
    if hint := tag_hint(verdicts, parser.grammar):
        say(f"numbat: {hint}")
    end_trees(reader)
    check_evaluated(not verdicts or any(verdict.parse.is_evaluated for verdict in verdicts))


def _write_lines(lines: Iterable[str], is_whole: bool = True) -> None:
    """Print lines of JSON, followed by the record of the run if they are all lines of the run."""
    from numbat.parses.formats import run_record_line

    for line in lines:
        write_out(line)
    if is_whole:
        write_out(run_record_line(own_record()), end="")


class _Verdicts:
    """Printed verdicts on the trees of a run."""

    def __init__(self, parser: Parser, form: str) -> None:
        self.written: list[str] = []
        self.notes: dict[str, None] = {}
        self.bad = 0
        self._parser, self._form = parser, form
        self._record = own_record() if form == "json" else None

    def take(self, record: Record[JudgedTree]) -> None:
        """Write the verdict on one tree, or report its error."""
        from numbat.acceptability import reasons
        from numbat.reports.answers import Answer
        from numbat.runs.loop import Failure

        try:
            if isinstance(record, Failure):
                raise record.as_error()
            judged = record.value
            answer = Answer(reasons.judged_report(judged), self._record, judged.place)
            text = answer.text() if self._form == "text" else answer.json(2 if self._form == "json" else None)
        except DataError as error:
            complain_of_one(error)
            self.bad += 1
        else:
            self.written.append(text)
            self.notes |= dict.fromkeys(reasons.judged_notes(judged.parse, self._parser))


@verb("why-not", 'numbat why-not 0-3:NP "the cat sleeps"', 'numbat why-not 2-5:NP "she sees the cat there"')
@click.argument("constituent", metavar="SPAN:CATEGORY")
@click.argument("sentence")
@with_options(ONE)
def why_not(constituent: str, sentence: str, answer: AnswerOptions) -> None:
    """Show the best analysis of SENTENCE that has a constituent, such as 0-3:NP (words 0 to 2), and what it costs."""
    from numbat.acceptability import reasons, sentences
    from numbat.parsing.queries import constituent_named
    from numbat.reports.answers import Answer

    parser = _parser(answer)
    lattice = _read(sentence, parser, answer.tagged)
    wanted = constituent_named(constituent, parser.grammar, lattice)
    alternative = sentences.why_not(parser, lattice, wanted)
    write_in_form(answer.form, Answer(reasons.why_not(alternative)))


@verb("repair", 'numbat repair "The cats sleeps."', 'numbat repair --edits 2 -n 3 "The the cats sleeps."')
@click.argument("sentence")
@with_options((*ONE, *MODEL_OPTIONS))
@option(SEARCH, "--edits", default=1, type=Whole(1, 2), help="Maximum number of edits.")
@option(OUTPUT, "-n", "most", default=5, type=Whole(1), help="How many repairs to show.")
@option(
    SEARCH,
    "--beam",
    "continued",
    default=5,
    type=Whole(1),
    advanced=True,
    help="With 2 edits: how many of the best first edits get a second one.",
)
def repair(sentence: str, answer: AnswerOptions, model: ModelSettings, edits: int, most: int, continued: int) -> None:
    """Find the smallest changes to SENTENCE that improve its score, ranked by gain per edit."""
    from numbat.acceptability import reasons, sentences
    from numbat.acceptability.scorers import scorer_of
    from numbat.reports.answers import Answer

    parser = _parser(answer)
    lattice = _read(sentence, parser, answer.tagged)
    score = scorer_of(model, parser.grammar)
    with Progress("edits") as progress:
        repaired = sentences.repair(parser, lattice, score, edits, continued, most, progress.advance)
    write_in_form(answer.form, Answer(reasons.repair(repaired)))
