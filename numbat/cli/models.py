"""Verbs for models of acceptability: learn costs (by regression or maximum margin), importance."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import click

from numbat.acceptability.settings import SuiteSettings
from numbat.cli.options import (
    GRAMMAR,
    INPUT,
    LEARNING,
    OUTPUT,
    SEARCH,
    SPREADSHEETS_OPTION,
    SUITE_OPTIONS,
    TREES_OPTION,
    format_option,
    is_given,
    option,
    options_of,
    seed_option,
    verb,
    with_options,
    written,
)
from numbat.cli.parsers import grammar_of, properties_parser_of, suite_of
from numbat.cli.printing import (
    GRAMMAR_GIVEN,
    Finite,
    Input,
    Output,
    Progress,
    Text,
    Whole,
    end,
    keep_read,
    record_of,
    say,
    write_and_say,
    write_in_form,
    write_out,
)
from numbat.cli.suites import BY_OPTION, SuiteRun
from numbat.errors import DataError, UsageError
from numbat.files import as_table, check_spreadsheets
from numbat.learning.settings import MarginSettings
from numbat.parsing.policies import ParserSettings
from numbat.records import frozen
from numbat.runs.settings import ExpansionSettings, RunSettings, SentenceSettings

if TYPE_CHECKING:
    from numbat.learning.importance import ImportanceReport
    from numbat.runs.record import RunRecord


REGRESSION = ("also_grammar", "also_expansions", "also_tagger", "conditions")
"""Options only for the regression; `write_grammar` and the fields of `MarginSettings` are only for max margin."""


@frozen
class CostOptions:
    """Options of `numbat learn costs`; `also_grammar`, `also_expansions`, `also_tagger` describe a second grammar."""

    suite: SuiteSettings
    grammar: str
    parser: ParserSettings
    run: RunSettings
    output: str | None
    for_spreadsheets: bool
    folds: int
    conditions: str | None
    seed: int
    also_grammar: str | None
    also_expansions: str | None
    also_tagger: str | None
    learner: str
    learning: MarginSettings
    write_grammar: str | None


@verb(
    "learn costs",
    "numbat learn costs rated.tsv -o costs.tsv",
    "numbat learn costs --learner max-margin --folds 3 suite.tsv --write-grammar new.pg",
    "numbat learn costs --also-grammar small.pg rated.tsv -o both.tsv",
)
@with_options(SUITE_OPTIONS)
@option(OUTPUT, "-o", "--output", type=Output(), help="File for the model (.tsv), for --model.")
@SPREADSHEETS_OPTION
@option(
    LEARNING,
    "--learner",
    metavar="NAME",
    type=click.Choice(("regression", "max-margin")),
    default="regression",
    help="regression on ratings, or max-margin from pairs of sentences.",
)
@option(LEARNING, "--folds", default=5, type=Whole(3), help="Number of cross-validation folds.")
@option(
    LEARNING,
    "--conditions",
    metavar="COLUMNS",
    advanced=True,
    help="Columns whose values are also held out, one value at a time (default: the phenomenon).",
)
@seed_option("folds, sampled pairs and neighbours")
@option(
    GRAMMAR,
    "--also-grammar",
    type=Input(),
    metavar="GRAMMAR",
    help="Second grammar, for example an induced one, that adds terms.",
)
@option(GRAMMAR, "--also-expansions", type=Input("expansions"), advanced=True, help="Expansions of the second grammar.")
@option(
    GRAMMAR,
    "--also-tagger",
    type=Input(),
    metavar="MODEL",
    advanced=True,
    help="Tagger for words that the second grammar does not have.",
)
@option(OUTPUT, "--write-grammar", type=Output(), help="With max-margin: write the grammar with the learned costs.")
@with_options(options_of(MarginSettings, ("by", "neighbours")))
@option(
    LEARNING,
    "--no-judgements",
    "judgements",
    is_flag=True,
    flag_value=False,
    default=True,
    advanced=True,
    help="With max-margin: learn only from neighbours.",
)
@with_options(options_of(MarginSettings, ("strength", "rounds")))
def costs(options: CostOptions) -> None:
    """Learn costs of violations from the rated sentences of SUITE: a model of acceptability with a term for each
    relation in each construction, or (max-margin) costs of the properties of the grammar.
    """
    if options.output is not None and not options.output.endswith(".tsv"):
        raise UsageError(f'"{options.output}" does not end with .tsv\n  --model only takes files with this ending')
    check_spreadsheets(options.for_spreadsheets, options.output is not None, "add -o MODEL.tsv, or leave it out")
    _check(options)
    (_by_margin if options.learner == "max-margin" else _by_regression)(options)


def _check(options: CostOptions) -> None:
    """Raise UsageError for options that exclude each other, and if nothing would be written."""
    if options.learner == "regression":
        if options.write_grammar is not None or options.learning != MarginSettings():
            raise UsageError(
                "--write-grammar, --by, --neighbours, --no-judgements, --strength and --rounds need max margin\n"
                "  add --learner max-margin, or leave them out"
            )
        if options.output is None:
            raise UsageError("nothing would be written\n  add -o MODEL.tsv")
        return
    if any(getattr(options, name) is not None for name in REGRESSION):
        raise UsageError(
            "--learner max-margin learns costs of one grammar\n"
            "  leave out --also-grammar, --also-expansions, --also-tagger and --conditions"
        )
    if options.output is None and options.write_grammar is None:
        raise UsageError("nothing would be written\n  add --write-grammar FILE, or -o MODEL.tsv")


def _by_regression(options: CostOptions) -> None:
    from numbat.acceptability import fitted
    from numbat.acceptability.comparison import gain_lines
    from numbat.acceptability.runs import reader_of
    from numbat.acceptability.suite import having_read
    from numbat.acceptability.suite_report import suite_report
    from numbat.reports.run_notes import run_comment, run_part

    also = fitted.SecondGrammarFiles(options.also_grammar, options.also_expansions, options.also_tagger)
    suite, parser = suite_of(options.suite), properties_parser_of(options.grammar, options.parser)
    second = also.load()
    keep_read(() if second is None else second.parser.grammar.files)
    run, read = SuiteRun(options.run), reader_of(options.suite)
    conditions = tuple(filter(None, map(str.strip, (options.conditions or "").split(","))))
    suite = having_read(suite, conditions)
    executor, lost = run.executor, run.lost
    fitted_suite = fitted.fit_suite(
        suite, parser, options.seed, options.folds, read, second, executor, lost, conditions
    )
    gains = [
        *gain_lines(fitted_suite.report, options.seed, fitted.compared_with(fitted_suite.beside)),
        *fitted.condition_gains(fitted_suite, options.seed, conditions),
    ]
    record = record_of({GRAMMAR_GIVEN: parser.grammar}, suite)
    write_out("\n".join([suite_report(fitted_suite.report).text(), "", *gains, *run_part(record).lines()]))
    assert options.output is not None
    model = fitted_suite.fit.model
    model = replace(model, about=(*model.about, run_comment(record)))
    write_and_say(options.output, as_table(fitted.format_model(options.output, model, also), options.for_spreadsheets))
    run.end()


def _by_margin(options: CostOptions) -> None:
    from numbat.acceptability.comparison import gain_lines
    from numbat.acceptability.fitting import format_fitted
    from numbat.acceptability.runs import reader_of
    from numbat.acceptability.suite_report import suite_report
    from numbat.grammar.printing import format_grammar
    from numbat.learning import costs
    from numbat.reports.run_notes import run_comment, run_part

    suite, parser = suite_of(options.suite), properties_parser_of(options.grammar, options.parser)
    run, read = SuiteRun(options.run), reader_of(options.suite)

    def report(line: str) -> None:
        run.progress.clear()
        say(line)

    made = costs.learn_suite(
        suite, parser, options.learning, options.seed, options.folds, read, run.executor, run.lost, report
    )
    gains = gain_lines(made.report, options.seed, costs.costs_before_learning(parser))
    record = record_of({GRAMMAR_GIVEN: parser.grammar}, suite)
    write_out(
        "\n".join([suite_report(made.report).text(), "", *costs.summary_lines(made), *gains, *run_part(record).lines()])
    )
    if options.write_grammar is not None:
        write_and_say(options.write_grammar, format_grammar(made.grammar))
    if options.output is not None:
        model = replace(made.model, about=(*made.model.about, run_comment(record)))
        write_and_say(options.output, as_table(format_fitted(model), options.for_spreadsheets))
    run.end()


# importance

DATA_OPTIONS = SUITE_OPTIONS[1:]
"""Options for reading the suite, without the argument SUITE: here the argument is the model."""
MAX_WORDS: Final = 40
OF_TREES: Final = {"expansions": "--expansions", "source": "--from", "max_length": "--max-length", "prune": "--prune"}
"""Options that apply only to trees: fields and the options as they are typed."""
OF_BOTH: Final = frozenset(
    {
        "model",
        "suite",
        "grammar",
        "tag_map",
        "form",
        "page",
        "seed",
        "jobs",
        "kill_after",
        "max_memory",
        "cluster",
        "for_spreadsheets",
    }
)
"""Options that apply to suites and to trees."""


@frozen
class ImportanceOptions:
    """Options of `numbat importance`; `source` and `max_length` (words) apply only to trees."""

    model: str
    suite: SuiteSettings
    grammar: str
    parser: ParserSettings
    by_expansions: ExpansionSettings
    source: str
    max_length: int
    run: RunSettings
    form: str
    for_spreadsheets: bool
    page: str | None
    seed: int
    by: str


@verb(
    "importance",
    "numbat importance costs.tsv --on rated.tsv",
    "numbat importance costs.tsv --on rated.tsv -f tsv --seed 7",
    "numbat importance small.weights --on trees.mrg -g small.pg --expansions small.exp",
)
@click.argument("model", metavar="MODEL", type=Input())
@option(INPUT, "--on", "suite", type=Text(), metavar="DATA", required=True, help="Suite or trees to measure on.")
@with_options(DATA_OPTIONS)
@option(
    GRAMMAR,
    "--expansions",
    type=Input("expansions"),
    help="For trees: the expansions with which the weights were learned.",
)
@TREES_OPTION
@option(
    INPUT,
    "--max-length",
    type=Whole(1),
    default=MAX_WORDS,
    advanced=True,
    help="For trees: leave out sentences with more than N words.",
)
@option(
    SEARCH,
    "--prune",
    type=Finite(0),
    default=ExpansionSettings().prune,
    help="For trees: prune constituents that are less likely by more than this natural logarithm; 0: none.",
    advanced=True,
)
@format_option("text", "json", "tsv", "html")
@SPREADSHEETS_OPTION
@option(OUTPUT, "--html", "page", type=Output(), help="Also write a page with a plot.")
@seed_option("splitting the suite into parts", OUTPUT)
@BY_OPTION
def importance(options: ImportanceOptions) -> None:
    """Measure how much each part of a learned MODEL matters: its weight, and the loss on DATA without it. For a model
    of numbat learn costs, DATA is a suite, the parts are relations, and the loss is in pair accuracy, AUC or
    correlation. For a model of numbat learn weights, DATA is a file of trees, and the loss is in F1.
    """
    from numbat.learning.importance import is_weights
    from numbat.learning.importance_report import importance_report, importance_table
    from numbat.reports.answers import Answer

    check_spreadsheets(options.for_spreadsheets, options.form == "tsv", "add -f tsv, or leave it out")
    report, record, bad, good = (_of_weights if is_weights(options.model) else _of_fitted)(options)

    def page() -> str:
        from numbat.learning.importance_report import importance_page

        return importance_page(report, record)

    def table() -> str:
        return as_table(importance_table(report), options.for_spreadsheets)

    write_in_form(options.form, Answer(importance_report(report), record), html=page, tsv=table)
    if options.page is not None:
        write_and_say(options.page, page())
    end(bad, good)


def _of_fitted(options: ImportanceOptions) -> tuple[ImportanceReport, RunRecord, int, int]:
    """Return the report on a model of `numbat learn costs`, the run record, and the numbers of inputs lost and used."""
    from numbat.acceptability.runs import reader_of
    from numbat.learning.importance import importance_of_fitted

    for name in filter(is_given, OF_TREES):
        raise UsageError(
            f"{OF_TREES[name]} only applies to trees, but {options.model} is not a model of trees\n"
            "  leave it out, or give a model of numbat learn weights"
        )
    suite, parser = suite_of(options.suite), properties_parser_of(options.grammar, options.parser)
    run, read = SuiteRun(options.run), reader_of(options.suite)
    executor, lost = run.executor, run.lost
    report = importance_of_fitted(options.model, suite, parser, options.seed, read, executor, lost, options.by)
    record = record_of({GRAMMAR_GIVEN: parser.grammar}, suite)
    return report, record, len(run.lost.items), 1


def _of_weights(options: ImportanceOptions) -> tuple[ImportanceReport, RunRecord, int, int]:
    """Return what `_of_fitted` returns, for a model of `numbat learn weights`."""
    from numbat.learning.importance import importance_of_weights
    from numbat.parses.sentences import sentences_of, tag_map_of
    from numbat.runs.executors import executor_of
    from numbat.runs.parsers import treebank_parser_of

    for param in click.get_current_context().command.params:
        name = param.name or ""
        if name not in OF_BOTH | OF_TREES.keys() and is_given(name):
            raise UsageError(
                f"{written(name)} only applies to suites, but {options.model} is a model of trees\n"
                "  leave it out, or give a model of numbat learn costs"
            )
    if options.by_expansions.expansions is None:
        raise UsageError(
            f"{options.model} has weights of trees, which need expansions\n"
            "  add --expansions FILE, the expansions with which the weights were learned"
        )
    by = replace(options.by_expansions, weights=options.model)
    parser = treebank_parser_of(grammar_of(options.grammar), by, options.parser.limits)
    reading = SentenceSettings(
        source=options.source, tag_map=options.suite.tag_map, max_length=options.max_length, gold=True
    )
    mapped = tag_map_of(reading, parser.grammar)
    assert mapped is not None, "trees have tags"
    sentences = sentences_of(parser, path=options.suite.suite, settings=reading, mapped=mapped)
    bad = 0

    with Progress("trees") as progress:

        def complain(error: DataError) -> None:
            nonlocal bad
            bad += 1
            progress.complain(error)

        executor = progress.over(executor_of(options.run))
        report = importance_of_weights(
            options.model, options.suite.suite, parser, sentences, mapped, options.seed, executor, complain
        )
    record = record_of({GRAMMAR_GIVEN: parser.grammar})
    return report, record, bad, report.importance.whole.number
