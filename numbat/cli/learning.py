"""The verb importance: what each part of a learned model matters."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import click

from numbat.cli.options import (
    SUITE_OPTIONS,
    TREES_OPTION,
    Finite,
    format_option,
    grammar_of,
    seed_option,
    suite_of,
    takes,
    with_options,
)
from numbat.cli.printing import GRAMMAR_GIVEN, Input, Output, end, record_of, write_and_say, write_out
from numbat.cli.progress import Progress
from numbat.cli.suite_options import SPREADSHEETS_OPTION, as_table, check_spreadsheets
from numbat.cli.suites import SuiteRun
from numbat.cli.verbs import GRAMMAR, INPUT, OUTPUT, SEARCH, is_given, option, verb, written
from numbat.commands.settings import ExpansionSettings, RunSettings, SentenceSettings, SuiteSettings
from numbat.errors import DataError, UsageError
from numbat.parsing.policies import ParserSettings
from numbat.records import frozen

if TYPE_CHECKING:
    from numbat.learning.importance import ImportanceReport
    from numbat.runs.record import RunRecord

DATA_OPTIONS = SUITE_OPTIONS[1:]
"""The data are an option here, for the argument is the model."""
MOST_WORDS: Final = 40
OF_TREES: Final = {"expansions": "--expansions", "source": "--from", "max_length": "--max-length", "prune": "--prune"}
"""Options that mean nothing to a suite, as they are typed."""
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
        "quiet",
        "for_spreadsheets",
    }
)
"""Options that mean something to a suite and to trees."""


@frozen
class ImportanceOptions:
    """What `numbat importance` is asked for: a `model`, and the suite or the trees to measure it on.

    `source` is the format of trees, `max_length` how many words they have at most.
    """

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


@verb(
    "importance",
    "numbat importance costs.tsv --on rated.tsv",
    "numbat importance costs.tsv --on rated.tsv -f tsv --seed 7",
    "numbat importance small.weights --on trees.mrg -g small.pg --expansions small.exp",
)
@click.argument("model", metavar="MODEL", type=Input())
@option(
    INPUT, "--on", "suite", type=Input(), metavar="DATA", required=True, help="The suite or the trees to measure on."
)
@with_options(DATA_OPTIONS)
@option(
    GRAMMAR,
    "--expansions",
    type=Input("expansions"),
    help="Of trees: the expansions with which the weights were learned.",
)
@TREES_OPTION
@option(
    INPUT,
    "--max-length",
    type=click.IntRange(min=1),
    default=MOST_WORDS,
    show_default=True,
    advanced=True,
    help="Of trees: leave out longer sentences.",
)
@option(
    SEARCH,
    "--prune",
    type=Finite(min=0),
    default=ExpansionSettings().prune,
    show_default=True,
    help="Of trees: leave out what is less likely by this natural logarithm; 0: nothing.",
    advanced=True,
)
@format_option("text", "json", "tsv", "html")
@SPREADSHEETS_OPTION
@option(OUTPUT, "--html", "page", type=Output(), help="Write a page with a plot, too.")
@seed_option("the resamples for intervals", OUTPUT)
@takes(ImportanceOptions)
def importance(asked: ImportanceOptions) -> None:
    """Measure what each part of a learned MODEL matters: its weight, and what is lost on DATA without it. For a model
    of numbat learn costs DATA is a suite, the parts are relations, and the loss is one of pair accuracy, AUC or
    correlation. For one of numbat learn weights DATA is a file of trees, and the loss is one of F1.
    """
    from numbat.commands.fitting import is_weights
    from numbat.report.importance import importance_text

    check_spreadsheets(asked.for_spreadsheets, asked.form == "tsv", "add -f tsv, or leave it out")
    report, record, bad, good = (_of_weights if is_weights(asked.model) else _of_fitted)(asked)

    def page() -> str:
        from numbat.report.importance import importance_page

        return importance_page(report, record)

    if asked.form == "html":
        write_out(page(), end="")
    else:
        write_out(as_table(importance_text(report, asked.form, record), asked.for_spreadsheets))
    if asked.page is not None:
        write_and_say(asked.page, page())
    end(bad, good)


def _of_fitted(asked: ImportanceOptions) -> tuple[ImportanceReport, RunRecord, int, int]:
    """The report on a model of `numbat learn costs`, the record of the run, and how many inputs were lost and used."""
    from numbat.commands.fitting import importance_of_fitted
    from numbat.commands.parsing import parser_of, reader_of
    from numbat.gradience.statistics import RESAMPLES

    for name in filter(is_given, OF_TREES):
        raise UsageError(
            f"{OF_TREES[name]} is about trees, and {asked.model} is no model of trees\n"
            "  leave it out, or give a model of numbat learn weights"
        )
    suite, parser = suite_of(asked.suite), parser_of(grammar_of(asked.grammar), asked.parser)
    run, read = SuiteRun(asked.run), reader_of(asked.suite)
    report = importance_of_fitted(asked.model, suite, parser, asked.seed, read, run.executor, run.lost)
    record = record_of({GRAMMAR_GIVEN: parser.grammar}, suite, RESAMPLES)
    return report, record, len(run.lost.items), 1


def _of_weights(asked: ImportanceOptions) -> tuple[ImportanceReport, RunRecord, int, int]:
    """The same on a model of `numbat learn weights`."""
    from numbat.commands.fitting import importance_of_weights
    from numbat.commands.parsing import executor_of, sentences_of, tag_map_of, treebank_parser_of
    from numbat.gradience.statistics import RESAMPLES

    for param in click.get_current_context().command.params:
        name = param.name or ""
        if name not in OF_BOTH | OF_TREES.keys() and is_given(name):
            raise UsageError(
                f"{written(name)} is about a suite, and {asked.model} is a model of trees\n"
                "  leave it out, or give a model of numbat learn costs"
            )
    if asked.by_expansions.expansions is None:
        raise UsageError("weights of trees need expansions\n  add --expansions FILE, those they were learned with")
    by = replace(asked.by_expansions, weights=asked.model)
    parser = treebank_parser_of(grammar_of(asked.grammar), by, asked.parser.limits)
    reading = SentenceSettings(source=asked.source, tag_map=asked.suite.tag_map, max_length=asked.max_length, gold=True)
    mapped = tag_map_of(reading, parser.grammar)
    assert mapped is not None, "trees have tags"
    sentences = sentences_of(parser, path=asked.suite.suite, settings=reading, mapped=mapped)
    bad = 0

    with Progress("trees", asked.run.quiet) as progress:

        def complain(error: DataError) -> None:
            nonlocal bad
            bad += 1
            progress.complain(error)

        executor = progress.over(executor_of(asked.run))
        report = importance_of_weights(
            asked.model, asked.suite.suite, parser, sentences, mapped, asked.seed, executor, complain
        )
    record = record_of({GRAMMAR_GIVEN: parser.grammar}, resamples=RESAMPLES)
    return report, record, bad, report.importance.whole.number
