"""The verb importance: what each part of a learned model matters."""

from __future__ import annotations

from dataclasses import dataclass

import click

from numbat.cli.options import SUITE_OPTIONS, format_option, grammar_of, seed_option, suite_of, takes, with_options
from numbat.cli.printing import Input, Output, write_and_say
from numbat.cli.suites import SuiteRun
from numbat.commands.settings import ParserSettings, RunSettings, SuiteSettings

DATA_OPTIONS = SUITE_OPTIONS[1:]
"""The data are an option here, for the argument is the model."""


@dataclass(frozen=True, slots=True)
class ImportanceOptions:
    """What `numbat importance` is asked for: a `model`, and the suite to measure it on."""

    model: str
    suite: SuiteSettings
    grammar: str
    parser: ParserSettings
    run: RunSettings
    form: str
    page: str | None
    seed: int


@click.command()
@click.argument("model", metavar="FITTED", type=Input())
@click.option("--on", "suite", type=Input(), metavar="SUITE", required=True, help="The judged sentences to measure on.")
@with_options(DATA_OPTIONS)
@format_option("table", "tsv")
@click.option("--html", "page", type=Output(), help="The same as a page for a browser, with a plot.")
@seed_option("the resamples for intervals")
@takes(ImportanceOptions)
def importance(asked: ImportanceOptions) -> None:
    """What each relation matters in FITTED, a model of numbat fit: its weight, and what is lost on SUITE without it.

    The loss is one of pair accuracy where SUITE has pairs, of AUC where it has signs, else of the correlation with
    ratings.
    """
    from numbat.commands.importance import importance_of_fitted
    from numbat.commands.preparing import parser_of, reader_of
    from numbat.report.learning.importance_text import importance_text

    suite, parser = suite_of(asked.suite), parser_of(grammar_of(asked.grammar), asked.parser)
    run, read = SuiteRun(asked.run), reader_of(asked.suite)
    report = importance_of_fitted(asked.model, suite, parser, asked.seed, read, run.executor, run.lost)
    click.echo(importance_text(report, asked.form))
    if asked.page is not None:
        from numbat.report.learning.importance_page import importance_page

        write_and_say(asked.page, importance_page(report))
    run.end()


COMMANDS = (importance,)
