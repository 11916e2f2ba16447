"""The verbs on suites of judged sentences: test, report, compare, coverage, ablate."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import click

from numbat.cli.options import (
    MODEL_OPTIONS,
    SUITE_OPTIONS,
    format_option,
    grammar_of,
    seed_option,
    suite_of,
    takes,
    with_options,
)
from numbat.cli.printing import Input, Output, end, will_write, write, write_and_say
from numbat.cli.progress import Progress
from numbat.commands.settings import ModelSettings, ParserSettings, RunSettings, SuiteSettings
from numbat.errors import UsageError

COMPARED = SUITE_OPTIONS[2:]
"""A comparison names its grammars as arguments."""
CHANGED = 1
"""The exit code of a regression run that finds a change."""


class SuiteRun:
    """How a verb goes through its suite: by which executor, with which progress; and what is lost on the way."""

    def __init__(self, asked: RunSettings, runs: int = 1) -> None:
        from numbat.commands.running import executor_of
        from numbat.runs.suites import LostItems

        self.progress = Progress(quiet=asked.quiet)
        self.executor = self.progress.over(executor_of(asked), runs)
        self.lost = LostItems(self.progress.complain)

    def end(self) -> None:
        """Ends the verb with an exit code of its own where items are lost."""
        end(len(self.lost.items), 1)


@dataclass(frozen=True, slots=True)
class TestOptions:
    """What `numbat test` is asked for."""

    suite: SuiteSettings
    grammar: str
    parser: ParserSettings
    run: RunSettings
    accept: bool


@click.command("test")
@with_options(SUITE_OPTIONS)
@click.option("--accept", is_flag=True, help="Keep the outcomes as those to expect, beside the suite.")
@takes(TestOptions)
def test_suite(asked: TestOptions) -> None:
    """Whether a grammar judges the sentences of SUITE as it is said there, and as it did before.

    The exit code is 1 where it does not, else 75 where sentences are lost.
    """
    from numbat.commands import suites
    from numbat.commands.preparing import parser_of, reader_of
    from numbat.gradience.suites.regression import expectation_path, format_expected
    from numbat.report.comparison_text import change_lines, lost_lines, outcome_lines

    if asked.accept and asked.suite.suite == "-":
        raise UsageError("--accept keeps the outcomes beside the suite\n  give the suite as a file")
    suite, parser = suite_of(asked.suite), parser_of(grammar_of(asked.grammar), asked.parser)
    run = SuiteRun(asked.run)
    tested = suites.judge_suite(suite, parser, reader_of(asked.suite), run.executor, run.lost)
    click.echo("\n".join([*outcome_lines(tested), *lost_lines(run.lost.items)]))
    if asked.accept:
        if run.lost.items:
            click.echo("numbat: not accepted: outcomes are kept where all are known", err=True)
        run.end()
        path = expectation_path(suite.path)
        write(str(path), format_expected(tested))
        click.echo(f"numbat: accepted: {path}", err=True)
        return
    changed = suites.changed_since_accepted(suite, tested, run.lost.items)
    if changed is not None:
        click.echo("\n" + "\n".join(change_lines(changed)))
    if changed or (changed is None and any(each.outcome.verdict == "fail" for each in tested)):
        sys.exit(CHANGED)
    run.end()


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What `numbat report` is asked for."""

    suite: SuiteSettings
    grammar: str
    parser: ParserSettings
    run: RunSettings
    model: ModelSettings
    form: str
    also: tuple[str, ...]
    page: str | None
    folder: str | None
    latex: str | None
    seed: int


@click.command()
@with_options(SUITE_OPTIONS)
@with_options(MODEL_OPTIONS)
@format_option("report")
@click.option(
    "--also", type=Input(), multiple=True, metavar="MODEL", help="Another model to compare with; all for every one."
)
@click.option("--html", "page", type=Output(), help="One page for a browser, with trees and plots.")
@click.option("--csv", "folder", type=Output(folder=True), help="A folder for tidy tables.")
@click.option("--latex", type=Output(), help="Examples for gb4e, trees for forest.")
@seed_option("the resamples for intervals")
@takes(ReportOptions)
def report(asked: ReportOptions) -> None:
    """Score the sentences of SUITE and compare the scores with people's judgements."""
    from numbat.commands.preparing import parser_of, reader_of, scorer_of, scorers_of
    from numbat.commands.suites import report_suite
    from numbat.report import suite_tables
    from numbat.report.suite_text import report_text

    if asked.folder is not None:
        will_write("--csv", suite_tables.table_paths(asked.folder))
    suite, parser = suite_of(asked.suite), parser_of(grammar_of(asked.grammar), asked.parser)
    model, weights = asked.model.model, asked.model.weights
    score, others = scorer_of(asked.model, parser.grammar), scorers_of(asked.also, weights, parser.grammar)
    run, read = SuiteRun(asked.run), reader_of(asked.suite)
    made = report_suite(suite, parser, model, score, weights, asked.seed, read, others, run.executor, run.lost)
    click.echo(report_text(made, asked.form))
    if asked.page is not None:
        from numbat.report.suite_page import suite_page

        write_and_say(asked.page, suite_page(made))
    if asked.latex is not None:
        from numbat.report.latex import suite_latex

        write_and_say(asked.latex, suite_latex(made))
    if asked.folder is not None:
        for path in suite_tables.write_tables(made, asked.folder):
            click.echo(f"numbat: written: {path}", err=True)
    run.end()


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """What `numbat compare` is asked for."""

    old: str
    new: str
    suite: SuiteSettings
    parser: ParserSettings
    run: RunSettings
    model: ModelSettings
    page: str | None


@click.command()
@click.argument("old", type=Input())
@click.argument("new", type=Input())
@with_options((SUITE_OPTIONS[0], *COMPARED, *MODEL_OPTIONS))
@click.option("--html", "page", type=Output(), help="The same as a page, with both trees.")
@takes(CompareOptions)
def compare(asked: CompareOptions) -> None:
    """What the grammar NEW gains and loses against OLD on SUITE, with the properties to which it is due."""
    from numbat.commands.preparing import parser_of, reader_of, scorer_of
    from numbat.commands.suites import compare_grammars
    from numbat.report.comparison_text import comparison_lines

    suite = suite_of(asked.suite)
    old, new = (parser_of(grammar_of(name), asked.parser) for name in (asked.old, asked.new))
    score = scorer_of(asked.model, old.grammar)
    run = SuiteRun(asked.run, runs=2)
    compared = compare_grammars(suite, old, new, score, reader_of(asked.suite), run.executor, run.lost)
    click.echo("\n".join(comparison_lines(compared)))
    if asked.page is not None:
        from numbat.report.compare_page import compare_page

        write_and_say(asked.page, compare_page(f"{asked.old} → {asked.new}: {suite.path}", compared))
    run.end()


@dataclass(frozen=True, slots=True)
class CoverageOptions:
    """What `numbat coverage` is asked for."""

    suite: SuiteSettings
    grammar: str
    parser: ParserSettings
    run: RunSettings


@click.command()
@with_options(SUITE_OPTIONS)
@takes(CoverageOptions)
def coverage(asked: CoverageOptions) -> None:
    """Which properties of a grammar SUITE evaluates, satisfies and violates, and which it never tests."""
    from numbat.commands.preparing import parser_of, reader_of
    from numbat.commands.suites import cover
    from numbat.report.comparison_text import coverage_lines, lost_lines

    suite, parser = suite_of(asked.suite), parser_of(grammar_of(asked.grammar), asked.parser)
    run = SuiteRun(asked.run)
    covered = cover(suite, parser, reader_of(asked.suite), run.executor, run.lost)
    click.echo("\n".join([*coverage_lines(covered), *lost_lines(run.lost.items)]))
    run.end()


@dataclass(frozen=True, slots=True)
class AblateOptions:
    """What `numbat ablate` is asked for."""

    suite: SuiteSettings
    grammar: str
    parser: ParserSettings
    run: RunSettings
    model: ModelSettings
    seed: int


@click.command()
@with_options((*SUITE_OPTIONS, *MODEL_OPTIONS))
@seed_option("the resamples for intervals")
@takes(AblateOptions)
def ablate(asked: AblateOptions) -> None:
    """How much each heuristic H1 to H5 and each relation matters on SUITE: switched off one by one."""
    from numbat.commands import suites
    from numbat.commands.preparing import parser_of, reader_of, scorer_of
    from numbat.gradience.suites.comparison import weakenings
    from numbat.gradience.suites.summary import main_statistic
    from numbat.report.comparison_text import ablation_lines, lost_lines

    suite, parser = suite_of(asked.suite), parser_of(grammar_of(asked.grammar), asked.parser)
    if not suite.rated:
        told = f"{suite.path}: no item is judged or rated, so that no loss can be told{suite.lacking('rating')}"
        click.echo(f"numbat: {told}", err=True)
    score = scorer_of(asked.model, parser.grammar)
    run = SuiteRun(asked.run, runs=1 + len(weakenings(parser)))
    found = suites.ablate(suite, parser, score, asked.seed, reader_of(asked.suite), run.executor, run.lost)
    table = list(ablation_lines(found, main_statistic(suite)))
    click.echo("\n".join([*table, *lost_lines(run.lost.items)]))
    run.end()


COMMANDS = (test_suite, report, compare, coverage, ablate)
