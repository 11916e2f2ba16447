"""The verb learn costs: from rated sentences, what violations cost, by regression or by max margin."""

from __future__ import annotations

from dataclasses import replace

import click

from numbat.cli.options import SUITE_OPTIONS, Finite, grammar_of, seed_option, suite_of, takes, with_options
from numbat.cli.printing import GRAMMAR_GIVEN, Input, Output, keep_read, record_of, say, write_and_say, write_out
from numbat.cli.suite_options import SPREADSHEETS_OPTION, as_table, check_spreadsheets
from numbat.cli.suites import SuiteRun
from numbat.cli.verbs import GRAMMAR, LEARNING, OUTPUT, option, verb
from numbat.commands.settings import MarginSettings, RunSettings, SuiteSettings
from numbat.errors import UsageError
from numbat.parsing.policies import ParserSettings
from numbat.records import frozen

REGRESSION = ("also_grammar", "also_expansions", "also_tagger")
"""The options of the regression alone; those of `MarginSettings` and `write_grammar` are for max margin alone."""


@frozen
class CostOptions:
    """What `numbat learn costs` is asked for; `also_grammar` and what goes with it make a second grammar."""

    suite: SuiteSettings
    grammar: str
    parser: ParserSettings
    run: RunSettings
    output: str | None
    for_spreadsheets: bool
    folds: int
    seed: int
    also_grammar: str | None
    also_expansions: str | None
    also_tagger: str | None
    learner: str
    learning: MarginSettings
    write_grammar: str | None


def _kinds(context: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...]:
    """`drop,swap` as names."""
    return tuple(dict.fromkeys(kind.strip() for kind in (value or "").split(",") if kind.strip()))


@verb(
    "learn costs",
    "numbat learn costs rated.tsv -o costs.tsv",
    "numbat learn costs --learner max-margin --by relation suite.tsv --write-grammar priced.pg",
    "numbat learn costs --folds 3 --seed 7 rated.tsv -o costs.tsv",
)
@with_options(SUITE_OPTIONS)
@option(OUTPUT, "-o", "--output", type=Output(), help="File for the model (.tsv), which --model takes.")
@SPREADSHEETS_OPTION
@option(
    LEARNING,
    "--learner",
    metavar="NAME",
    type=click.Choice(("regression", "max-margin")),
    default="regression",
    show_default=True,
    formerly={"--margin": "max-margin"},
    help="regression on ratings, or max-margin from pairs of sentences.",
)
@option(
    LEARNING,
    "--folds",
    default=5,
    show_default=True,
    type=click.IntRange(min=3),
    help="Parts, each judged by what the others teach.",
)
@seed_option("folds, drawn pairs, neighbours and resamples")
@option(
    GRAMMAR,
    "--also-grammar",
    type=Input(),
    metavar="GRAMMAR",
    help="A second grammar, such as an induced one, that adds its terms.",
)
@option(GRAMMAR, "--also-expansions", type=Input("expansions"), advanced=True, help="Expansions by which it parses.")
@option(
    GRAMMAR,
    "--also-tagger",
    type=Input(),
    metavar="MODEL",
    advanced=True,
    help="A tagger for words that it does not have.",
)
@option(OUTPUT, "--write-grammar", type=Output(), help="Of max-margin: write the grammar with the learned costs.")
@option(
    LEARNING,
    "--by",
    metavar="PART",
    type=click.Choice(("relation", "construction", "property")),
    default="construction",
    show_default=True,
    help="Of max-margin: what has a cost of its own: relation, construction or property.",
)
@option(
    LEARNING,
    "--neighbours",
    metavar="KINDS",
    callback=_kinds,
    help="Of max-margin: compare good sentences with neighbours, too: drop (a word), swap (two words), or drop,swap.",
)
@option(
    LEARNING,
    "--no-judgements",
    "judgements",
    is_flag=True,
    flag_value=False,
    default=True,
    advanced=True,
    help="Of max-margin: learn from neighbours alone.",
)
@option(
    LEARNING,
    "--strength",
    type=Finite(min=0, min_open=True),
    advanced=True,
    help="Of max-margin: how far costs may go from the grammar's (default: chosen on held-out pairs).",
)
@option(
    LEARNING,
    "--rounds",
    type=click.IntRange(min=1),
    default=4,
    show_default=True,
    advanced=True,
    help="Of max-margin: how often to learn and parse anew at most.",
)
@takes(CostOptions)
def costs(asked: CostOptions) -> None:
    """Learn what violations cost from the rated sentences of SUITE: a model of acceptability with a term for each
    relation in each construction, or (max-margin) costs of the properties of the grammar.
    """
    if asked.output is not None and not asked.output.endswith(".tsv"):
        raise UsageError(f'"{asked.output}" does not end with .tsv\n  --model takes fitted models by that ending')
    check_spreadsheets(asked.for_spreadsheets, asked.output is not None, "add -o MODEL.tsv, or leave it out")
    _check(asked)
    (_by_margin if asked.learner == "max-margin" else _by_regression)(asked)


def _check(asked: CostOptions) -> None:
    """Raises UsageError for options that do not go together, and where nothing would be written."""
    if asked.learner == "regression":
        if asked.write_grammar is not None or asked.learning != MarginSettings():
            raise UsageError(
                "--write-grammar, --by, --neighbours, --no-judgements, --strength and --rounds are of max margin\n"
                "  add --learner max-margin, or leave them out"
            )
        if asked.output is None:
            raise UsageError("nothing would be written\n  add -o MODEL.tsv")
        return
    if any(getattr(asked, name) is not None for name in REGRESSION):
        raise UsageError(
            "--learner max-margin learns costs of one grammar\n  leave --also-grammar and what goes with it out"
        )
    if asked.output is None and asked.write_grammar is None:
        raise UsageError("nothing would be written\n  add --write-grammar FILE, or -o MODEL.tsv")


def _by_regression(asked: CostOptions) -> None:
    from numbat.commands import fitting
    from numbat.commands.parsing import parser_of, reader_of
    from numbat.gradience.statistics import RESAMPLES
    from numbat.report.comparison import gain_lines
    from numbat.report.run_notes import run_comment, run_lines
    from numbat.report.suites import report_text

    also = fitting.SecondGrammarFiles(asked.also_grammar, asked.also_expansions, asked.also_tagger)
    suite, parser = suite_of(asked.suite), parser_of(grammar_of(asked.grammar), asked.parser)
    second = also.load()
    keep_read(() if second is None else second.parser.grammar.files)
    run, read = SuiteRun(asked.run), reader_of(asked.suite)
    fitted = fitting.fit_suite(suite, parser, asked.seed, asked.folds, read, second, run.executor, run.lost)
    gains = gain_lines(fitted.report, asked.seed, fitting.compared_with(fitted.beside))
    record = record_of({GRAMMAR_GIVEN: parser.grammar}, suite, RESAMPLES)
    write_out("\n".join([report_text(fitted.report), "", *gains, *run_lines(record)]))
    assert asked.output is not None
    model = fitted.fit.model
    model = replace(model, about=(*model.about, run_comment(record)))
    write_and_say(asked.output, as_table(fitting.format_model(asked.output, model, also), asked.for_spreadsheets))
    run.end()


def _by_margin(asked: CostOptions) -> None:
    from numbat.commands import fitting
    from numbat.commands.parsing import parser_of, reader_of
    from numbat.gradience.fitting import format_fitted
    from numbat.gradience.statistics import RESAMPLES
    from numbat.grammar.printing import format_grammar
    from numbat.report.comparison import gain_lines
    from numbat.report.run_notes import run_comment, run_lines
    from numbat.report.suites import report_text

    suite, parser = suite_of(asked.suite), parser_of(grammar_of(asked.grammar), asked.parser)
    run, read = SuiteRun(asked.run), reader_of(asked.suite)

    def told(line: str) -> None:
        if not asked.run.quiet:
            run.progress.clear()
            say(line)

    made = fitting.learn_suite(
        suite, parser, asked.learning, asked.seed, asked.folds, read, run.executor, run.lost, told
    )
    gains = gain_lines(made.report, asked.seed, fitting.costs_before_learning(parser))
    record = record_of({GRAMMAR_GIVEN: parser.grammar}, suite, RESAMPLES)
    write_out("\n".join([report_text(made.report), "", *fitting.summary_lines(made), *gains, *run_lines(record)]))
    if asked.write_grammar is not None:
        write_and_say(asked.write_grammar, format_grammar(made.grammar))
    if asked.output is not None:
        model = replace(made.model, about=(*made.model.about, run_comment(record)))
        write_and_say(asked.output, as_table(format_fitted(model), asked.for_spreadsheets))
    run.end()
