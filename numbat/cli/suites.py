"""Verbs on suites of judged sentences: test, report, compare, coverage, ablate."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from numbat.acceptability.settings import ModelSettings, SuiteSettings
from numbat.cli.options import (
    GRAMMAR,
    INPUT,
    MODEL_HELP,
    MODEL_OPTIONS,
    OUTPUT,
    SPREADSHEETS_OPTION,
    STRICT_OPTION,
    SUITE_OPTIONS,
    THRESHOLD_OPTION,
    WEIGHTS_OPTION,
    format_option,
    is_given,
    option,
    seed_option,
    verb,
    with_options,
)
from numbat.cli.parsers import parser_and_reading_of, properties_parser_of, suite_of
from numbat.cli.printing import (
    GRAMMAR_GIVEN,
    Finite,
    Input,
    Output,
    Progress,
    end,
    own_record,
    record_of,
    say,
    tell,
    will_write,
    write_and_say,
    write_in_form,
    write_out,
)
from numbat.errors import UsageError
from numbat.files import as_table, check_spreadsheets, write
from numbat.parses.settings import check_threshold
from numbat.parsing.policies import ParserSettings
from numbat.records import frozen
from numbat.runs.settings import RunSettings

if TYPE_CHECKING:
    from numbat.acceptability.comparison import GrammarComparison
    from numbat.acceptability.suite import Suite
    from numbat.acceptability.verdicts import OutcomeChange, ScoredItem, TestedItem
    from numbat.grammar.model import Grammar
    from numbat.reports.answers import Answer
    from numbat.reports.pipelines import Case

COMPARED = SUITE_OPTIONS[2:]
"""Options of `compare`, which has no `--grammar` because its grammars are arguments."""
COUNT_UNDECIDED = option(
    INPUT,
    "--count-undecided",
    is_flag=True,
    advanced=True,
    help="Count a bad sentence as detected even if unknown words may be its only fault.",
)
IN_PIPELINES = ("text", "json", "github", "junit")
"""Formats of verbs for pipelines."""
BY_OPTION = option(
    OUTPUT,
    "--by",
    metavar="PART",
    type=click.Choice(("relation", "property")),
    default="relation",
    help="What to leave out one by one: relations, or properties violated in SUITE.",
)
CHANGED = 1
"""Exit code of a test that finds a difference."""


class SuiteRun:
    """The run of a verb over its suite: executor, progress, and the sentences that were lost."""

    def __init__(self, options: RunSettings, runs: int = 1) -> None:
        from numbat.acceptability.runs import LostItems
        from numbat.runs.executors import executor_of

        self.progress = Progress()
        self.executor = self.progress.over(executor_of(options), runs)
        self.lost = LostItems(self.progress.complain)

    def telling(self, name: str, number: int, of: int) -> None:
        """Report that part `name`, the `number`th `of` several, is now left out."""
        self.progress.what = f"sentences without {name} ({number} of {of})"

    def end(self) -> None:
        """End the verb, with exit code 75 if sentences were lost. Raises DataError if no property was evaluated."""
        from numbat.reports.run_notes import check_evaluated

        end(len(self.lost.items), 1)
        check_evaluated(self.lost.is_evaluated)


@frozen
class TestOptions:
    """Options of `numbat test`."""

    suite: SuiteSettings
    grammar: str
    parser: ParserSettings
    run: RunSettings
    form: str
    accept: bool
    accept_only: str | None
    must_hold: bool
    threshold: float | None
    for_spreadsheets: bool
    count_undecided: bool
    is_class: bool
    of_examples: bool


@verb(
    "test",
    "numbat test suite.tsv",
    "numbat test -g english suite.tsv --accept",
    "numbat test --columns sentence,judgement judged.csv",
    "numbat test --examples english",
)
@with_options(SUITE_OPTIONS)
@format_option(*IN_PIPELINES)
@COUNT_UNDECIDED
@option(INPUT, "--class", "is_class", is_flag=True, help="SUITE is a folder of students' saved exercises.")
@option(INPUT, "--examples", "of_examples", is_flag=True, help="SUITE is a grammar, whose own examples are tested.")
@option(OUTPUT, "--accept", is_flag=True, help="Save the outcomes beside the suite as the expected ones.")
@option(OUTPUT, "--accept-only", metavar="IDS", help="Save only the outcomes of these sentences: 3,7,12.")
@STRICT_OPTION
@THRESHOLD_OPTION
@SPREADSHEETS_OPTION
def test(options: TestOptions) -> None:
    """Test whether a grammar judges the sentences of SUITE as the suite says, or as in the outcomes that --accept
    saved. The exit code is 1 if it does not or cannot decide, else 75 if sentences were lost.
    """
    from numbat.acceptability import pipelines
    from numbat.acceptability import verbs as suites
    from numbat.acceptability.verdicts import NO_SUCCESS, expectation_path, format_expected, format_outcomes

    _check_accepting(options)
    check_threshold(options.threshold, options.must_hold)
    if options.is_class:
        _test_class(options)
        return
    if options.of_examples:
        _test_examples(options)
        return
    suite = suite_of(options.suite)
    parser, read = parser_and_reading_of(options.grammar, options.suite, options.parser)
    run = SuiteRun(options.run)
    tested = suites.judge_suite(suite, parser, read, run.executor, run.lost, options.count_undecided)
    if options.accept_only is not None:
        accepted = suites.accepted_only(suite, tested, options.accept_only)
        write(str(expectation_path(suite.path)), as_table(format_outcomes(accepted), options.for_spreadsheets))
    changed = None if options.accept else suites.changed_since_accepted(suite, tested, run.lost.items)
    held = None if options.must_hold else changed
    if options.threshold is not None:
        tested = suites.tolerated(tested, options.threshold)
    in_pipeline = _pipeline("test", suite, lambda: pipelines.cases_of_test(suite, tested, run.lost.items, held))
    write_in_form(options.form, _outcomes(suite, parser.grammar, tested, run, changed), **in_pipeline)
    if options.accept:
        if run.lost.items:
            tell("numbat: not accepted: sentences were lost, and only complete outcomes are saved")
        run.end()
        path = expectation_path(suite.path)
        write(str(path), as_table(format_expected(tested), options.for_spreadsheets))
        say(f"numbat: accepted: {path}")
        return
    if held or (held is None and any(item.outcome.verdict in NO_SUCCESS for item in tested)):
        sys.exit(CHANGED)
    run.end()


def _test_examples(options: TestOptions) -> None:
    """Test the examples of a grammar. Raises UsageError for options that do not apply, and for a language."""
    from numbat.acceptability import pipelines
    from numbat.acceptability.examples import examples_of, judge_examples
    from numbat.acceptability.suite_report import KINDS_OF_EXAMPLES, outcomes_report
    from numbat.acceptability.verdicts import NO_SUCCESS
    from numbat.parsing.parser import Parser
    from numbat.reports.answers import Answer

    _check_alone("--examples", options, "the grammar is the argument, and its examples say what is expected")
    parser, read = parser_and_reading_of(options.suite.suite, options.suite, options.parser)
    if not isinstance(parser, Parser):
        raise UsageError("examples belong to properties\n  name the grammar file of the language, not its folder")
    examples, run = examples_of(parser.grammar), SuiteRun(options.run)
    tested = judge_examples(examples, parser, read, run.executor, run.lost)
    cases = _pipeline("test", examples.suite, lambda: pipelines.cases_of_test(examples.suite, tested, run.lost.items))
    report = outcomes_report(tested, parser.grammar, examples.suite, run.lost.items, None, KINDS_OF_EXAMPLES)
    write_in_form(options.form, Answer(report, record_of({GRAMMAR_GIVEN: parser.grammar})), **cases)
    if any(item.outcome.verdict in NO_SUCCESS for item in tested):
        sys.exit(CHANGED)
    run.end()


def _check_alone(name: str, options: TestOptions, reason: str) -> None:
    """Raise UsageError for options that do not go with the option `name`, which says what SUITE is."""
    given = {"-g": is_given("grammar"), "--accept": options.accept, "--accept-only": options.accept_only is not None}
    given |= {"--strict": options.must_hold, "--class": options.is_class and name != "--class"}
    given |= {"--threshold": options.threshold is not None and name != "--class"}
    given |= {"--examples": options.of_examples and name != "--examples"}
    for other in (other for other, is_there in given.items() if is_there):
        raise UsageError(f"{name} and {other} exclude each other\n  leave one of them out: {reason}")


def _test_class(options: TestOptions) -> None:
    """Print a table of the exercises that students solved. Raises UsageError for options that do not apply."""
    from numbat.acceptability.classes import class_report, marked_class
    from numbat.reports.answers import Answer

    _check_alone("--class", options, "each student has a grammar")
    if options.form not in ("text", "json"):
        raise UsageError(
            f"--class and -f {options.form} exclude each other\n  leave one of them out: each student has a grammar"
        )
    run = SuiteRun(options.run)
    marked = marked_class(options.suite.suite, options.parser, run.executor)
    write_in_form(options.form, Answer(class_report(marked), own_record()))


def _check_accepting(options: TestOptions) -> None:
    """Raise UsageError for options of `--accept` that exclude each other, or if the suite is standard input."""
    accepts = options.accept or options.accept_only is not None
    check_spreadsheets(options.for_spreadsheets, accepts, "add --accept, or leave it out")
    if options.accept and options.accept_only is not None:
        raise UsageError("--accept and --accept-only exclude each other\n  leave one of them out")
    if accepts and options.suite.suite == "-":
        raise UsageError(
            "--accept saves the outcomes beside the suite, but this suite is standard input\n  give the suite as a file"
        )


def _pipeline(verb: str, suite: Suite, cases: Callable[[], list[Case]]) -> dict[str, Callable[[], str]]:
    """Return for each format of pipelines a function that makes the output of a verb."""
    from numbat.reports.pipelines import annotated_cases, junit

    return {"junit": lambda: junit(verb, suite.name, cases()), "github": lambda: annotated_cases(cases())}


def _outcomes(
    suite: Suite,
    grammar: Grammar,
    tested: Sequence[TestedItem],
    run: SuiteRun,
    changed: Sequence[OutcomeChange] | None,
) -> Answer:
    from numbat.acceptability.suite_report import outcomes_report
    from numbat.reports.answers import Answer

    report = outcomes_report(tested, grammar, suite, run.lost.items, changed)
    return Answer(report, record_of({GRAMMAR_GIVEN: grammar}, suite))


@frozen
class ReportOptions:
    """Options of `numbat report`."""

    suite: SuiteSettings
    grammar: str
    parser: ParserSettings
    run: RunSettings
    models: tuple[str, ...]
    weights: str
    form: str
    page: str | None
    folder: str | None
    for_spreadsheets: bool
    latex: str | None
    seed: int
    factors: str | None
    designs: str | None
    formulas: tuple[str, ...]
    alike: float | None
    frequencies: str | None
    mixed: str | None
    publication: str | None


@verb(
    "report",
    "numbat report suite.tsv",
    "numbat report -m cost -m coherence suite.tsv",
    "numbat report suite.tsv --html suite.html --csv tables",
    "numbat report islands.tsv --factors structure=non/island,distance=long/short",
)
@with_options(SUITE_OPTIONS)
@option(
    GRAMMAR,
    "-m",
    "--model",
    "models",
    type=Input("model"),
    metavar="MODEL",
    default=("cost",),
    show_default="cost",
    multiple=True,
    help=f"{MODEL_HELP} Also a folder of numbat induce, or all (these names). May be repeated, to compare.",
)
@WEIGHTS_OPTION
@option(
    INPUT,
    "--factors",
    metavar="COLUMNS",
    help="Columns of the factors: structure,length=long/short.",
)
@option(
    INPUT,
    "--designs",
    metavar="COLUMNS",
    advanced=True,
    help="Columns with a separate design for each combination of their values: dependency,island.",
)
@option(
    INPUT,
    "--formula",
    "formulas",
    metavar="FORMULA",
    multiple=True,
    advanced=True,
    help="Prediction about conditions, as in SyntaxGym: (*;%bad%) > (*;%good%). May be repeated.",
)
@option(
    INPUT,
    "--alike",
    type=Finite(0, is_open=True),
    advanced=True,
    help="Greatest difference between model and people that counts as none; default: half a standard deviation.",
)
@option(
    INPUT,
    "--frequencies",
    type=Input(),
    advanced=True,
    help="List of words with counts, or the column of SUITE with word frequencies.",
)
@option(
    INPUT,
    "--mixed-models",
    "mixed",
    type=Input(),
    advanced=True,
    help="models.csv, the mixed models computed by analysis.R in the folder of --csv.",
)
@format_option("text", "json", "html", "latex")
@option(OUTPUT, "--html", "page", type=Output(), help="Also write a page with trees and plots.")
@option(OUTPUT, "--csv", "folder", type=Output(folder=True), help="Also write tidy tables into a folder.")
@option(
    OUTPUT,
    "--folder",
    "publication",
    type=Output(folder=True),
    help="Also write a folder to publish; numbat rerun repeats its report.",
)
@option(OUTPUT, "--latex", type=Output(), help="Also write examples for gb4e and trees for forest.")
@SPREADSHEETS_OPTION
@seed_option("splitting the suite into parts", OUTPUT)
def report(options: ReportOptions) -> None:
    """Score the sentences of SUITE by one or more models, and compare scores with judgements."""
    from numbat.acceptability.scorers import model_name, models_of, scorer_of, scorers_of
    from numbat.acceptability.suite_report import suite_report
    from numbat.experiments.interactions import design_of
    from numbat.experiments.mixed_models import read_mixed_models
    from numbat.experiments.tidy_tables import table_paths, trials_table, write_tables
    from numbat.experiments.verbs import report_suite
    from numbat.languages.folder import language_model
    from numbat.reports.answers import Answer
    from numbat.reports.run_notes import run_comment

    check_spreadsheets(options.for_spreadsheets, options.folder is not None, "add --csv FOLDER, or leave it out")
    if options.folder is not None:
        will_write("--csv", table_paths(options.folder))
    design = design_of(options.factors, options.designs, options.formulas, options.alike)
    suite = suite_of(options.suite)
    parser, read = parser_and_reading_of(options.grammar, options.suite, options.parser)
    models, weights = models_of(options.models), options.weights
    scores = scorers_of(models, weights, parser.grammar, language_model)
    first = scorer_of(ModelSettings(models[0], weights), parser.grammar, language_model)
    run = SuiteRun(options.run)
    model = model_name(models[0])
    executor, lost = run.executor, run.lost
    made = report_suite(
        suite, parser, model, first, weights, options.seed, read, scores, executor, lost, design, options.frequencies
    )
    if options.mixed is not None:
        made = replace(made, sections=(*made.sections, read_mixed_models(options.mixed, trials_table(made))))
    record = record_of({GRAMMAR_GIVEN: parser.grammar}, suite)

    def page() -> str:
        from numbat.acceptability.suite_report import suite_page

        return suite_page(made, record)

    def latex() -> str:
        from numbat.acceptability.suite_report import suite_latex

        return f"% {run_comment(record)}\n{suite_latex(made)}"

    write_in_form(options.form, Answer(suite_report(made), record), html=page, latex=latex)
    for path, document in ((options.page, page), (options.latex, latex)):
        if path is not None:
            write_and_say(path, document())
    if options.folder is not None:
        for path in write_tables(made, options.folder, record, options.for_spreadsheets):
            say(f"numbat: wrote {path}")
    if options.publication is not None:
        from numbat.experiments.publication import write_publication
        from numbat.experiments.rerun import without_outputs

        command = without_outputs(sys.argv[1:])
        number = len(list(write_publication(made, options.publication, record, command)))
        say(f"numbat: wrote {number} files into {options.publication}")
    run.end()


@verb("rerun", "numbat rerun published/record.json", "numbat rerun published/record.json -f json")
@click.argument("path", metavar="RECORD", type=Input())
@format_option("text", "json")
def rerun(path: str, form: str) -> None:
    """Repeat the report of RECORD, the record.json of a folder made by numbat report --folder, and show what differs.
    Run it in the folder of the original run. The exit code is 1 if something differs.
    """
    from numbat.experiments.rerun import rerun as run_again
    from numbat.experiments.rerun import rerun_report
    from numbat.reports.answers import Answer

    repeated = run_again(path)
    write_in_form(form, Answer(rerun_report(repeated)))
    if repeated.differs:
        sys.exit(CHANGED)


@frozen
class CompareOptions:
    """Options of `numbat compare`."""

    old: str
    new: str
    suite: SuiteSettings
    parser: ParserSettings
    run: RunSettings
    model: ModelSettings
    form: str
    page: str | None
    attribute: bool


@verb(
    "compare",
    "numbat compare english english-np suite.tsv",
    "numbat compare -m coherence english english-np suite.tsv --html compared.html",
)
@click.argument("old", type=Input("grammar"))
@click.argument("new", type=Input("grammar"))
@with_options((SUITE_OPTIONS[0], *COMPARED, *MODEL_OPTIONS))
@format_option(*IN_PIPELINES, "html")
@option(OUTPUT, "--html", "page", type=Output(), help="Also write a page with both trees.")
@option(OUTPUT, "--attribute", is_flag=True, help="Show which edit of the grammar changed which sentence.")
def compare(options: CompareOptions) -> None:
    """Show what the grammar NEW gains and loses against OLD on SUITE, and which properties make the difference."""
    from numbat.acceptability import pipelines
    from numbat.acceptability.comparison import comparison_report
    from numbat.acceptability.scorers import scorer_of
    from numbat.acceptability.verbs import compare_grammars
    from numbat.reports.answers import Answer
    from numbat.runs.record import name_of

    if options.attribute and options.form != "text":
        raise UsageError("--attribute only prints text\n  leave -f out; --html writes the page")
    suite = suite_of(options.suite)
    (old, read_old), (new, read_new) = (
        parser_and_reading_of(name, options.suite, options.parser) for name in (options.old, options.new)
    )
    score = scorer_of(options.model, old.grammar)
    run = SuiteRun(options.run, runs=2)
    compared = compare_grammars(suite, old, new, score, (read_old, read_new), run.executor, run.lost)
    record = record_of({"OLD": old.grammar, "NEW": new.grammar}, suite)

    def page() -> str:
        from numbat.acceptability.comparison import compare_page

        return compare_page(f"{name_of(options.old)} → {name_of(options.new)}: {suite.name}", compared, record)

    answer = Answer(comparison_report(compared, suite.name, suite.notes), record)
    in_pipeline = _pipeline("compare", suite, lambda: pipelines.cases_of_comparison(suite, compared))
    write_in_form(options.form, answer, html=page, **in_pipeline)
    if options.page is not None:
        write_and_say(options.page, page())
    if options.attribute:
        _tell_edits(options, compared, old.grammar, new.grammar)
    run.end()


def _tell_edits(options: CompareOptions, compared: GrammarComparison, old: Grammar, new: Grammar) -> None:
    from numbat.acceptability.attribution import attribution_lines
    from numbat.acceptability.runs import reader_of
    from numbat.acceptability.scorers import parser_of, scorer_of
    from numbat.acceptability.verbs import attribute

    score = scorer_of(options.model, old)
    with Progress("edits") as progress:
        attributions = list(
            attribute(
                compared, old, new, lambda grammar: parser_of(grammar, options.parser), score, reader_of(options.suite),
                progress.advance,
            )
        )  # fmt: skip
    write_out("\n".join(attribution_lines(attributions)))


@verb("coverage", "numbat coverage suite.tsv", "numbat coverage -g english-np --columns sentence,judgement judged.csv")
@with_options(SUITE_OPTIONS)
@format_option(*IN_PIPELINES)
@COUNT_UNDECIDED
def coverage(
    asked: SuiteSettings, grammar: str, settings: ParserSettings, working: RunSettings, form: str, count_undecided: bool
) -> None:
    """Show which properties of a grammar SUITE evaluates, satisfies and violates, and which it never tests. For a
    store of numbat parse -f store, show which properties its sentences never evaluate or violate.
    """
    from numbat.corpus.schema import is_store

    if is_store(asked.suite):
        if form != "text":
            raise UsageError(
                "the coverage of a store can only be printed as text\n  for csv, json or html use numbat statistics"
            )
        _cover_store(asked.suite)
        return
    from numbat.acceptability import pipelines
    from numbat.acceptability.coverage import coverage_report
    from numbat.acceptability.verbs import cover
    from numbat.reports.answers import Answer

    suite = suite_of(asked)
    parser, read = parser_and_reading_of(grammar, asked, settings)
    run = SuiteRun(working)
    covered = cover(suite, parser, read, run.executor, run.lost, count_undecided)
    lost = run.lost.items
    report = coverage_report(covered, suite.name, suite.notes, lost)
    answer = Answer(report, record_of({GRAMMAR_GIVEN: parser.grammar}, suite))
    in_pipeline = _pipeline("coverage", suite, lambda: pipelines.cases_of_coverage(suite, covered, lost))
    write_in_form(form, answer, **in_pipeline)
    run.end()


def _cover_store(path: str) -> None:
    from numbat.corpus.report import corpus_coverage_lines
    from numbat.corpus.statistics import statistics
    from numbat.corpus.store import Store
    from numbat.reports.run_notes import check_evaluated

    with Store(path) as store, Progress("sentences") as progress:
        corpus_statistics = statistics(store, advance=progress.advance)
    write_out("\n".join(corpus_coverage_lines(corpus_statistics)))
    check_evaluated(len(corpus_statistics.never_evaluated) < len(corpus_statistics.properties))


@verb("ablate", "numbat ablate suite.tsv", "numbat ablate -m fitness --seed 7 suite.tsv")
@with_options((*SUITE_OPTIONS, *MODEL_OPTIONS))
@format_option("text", "json")
@COUNT_UNDECIDED
@seed_option("splitting the suite into parts", OUTPUT)
@BY_OPTION
def ablate(
    asked: SuiteSettings,
    grammar: str,
    settings: ParserSettings,
    working: RunSettings,
    model: ModelSettings,
    seed: int,
    form: str,
    count_undecided: bool,
    by: str,
) -> None:
    """Measure how much each heuristic H1 to H5 and each relation or violated property matters on SUITE, by switching
    them off one by one.
    """
    from numbat.acceptability import verbs as suites
    from numbat.acceptability.ablation import ablation_report, weakenings
    from numbat.acceptability.runs import reader_of
    from numbat.acceptability.scorers import scorer_of
    from numbat.acceptability.summary import main_statistic
    from numbat.reports.answers import Answer

    suite, parser = suite_of(asked), properties_parser_of(grammar, settings)
    if not suite.rated:
        say(f"numbat: {suite.path}: no item is judged or rated, so losses are unknown{suite.lacking('rating')}")
    score = scorer_of(model, parser.grammar)
    by_property = by == "property"
    run = SuiteRun(working, runs=1 if by_property else 1 + len(weakenings(parser)))
    left_out: list[ScoredItem] = []
    notes: list[str] = []
    kept, read = None if count_undecided else left_out, reader_of(asked)
    ablations = list(
        suites.ablate(suite, parser, score, seed, read, run.executor, run.lost, kept, notes, by_property, run.telling)
    )
    report = ablation_report(ablations, main_statistic(suite), suite.name, notes, left_out, run.lost.items)
    answer = Answer(report, record_of({GRAMMAR_GIVEN: parser.grammar}, suite))
    write_in_form(form, answer)
    run.end()
