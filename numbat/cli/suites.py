"""The verbs on suites of judged sentences: test, report, compare, coverage, ablate, fit, generate."""

from __future__ import annotations

import sys

import click

from numbat.cli.options import (
    GRAMMAR_OPTION,
    MODEL_OPTIONS,
    PARSER_OPTIONS,
    SUITE_OPTIONS,
    Options,
    format_option,
    grammar_of,
    parser_for,
    parser_of,
    reader_of,
    scorer_of,
    scorers_of,
    seed_option,
    suite_of,
    with_options,
)
from numbat.cli.printing import Input, Output, keep_read, will_write, write, write_and_say
from numbat.errors import DataError, UsageError

COMPARED = SUITE_OPTIONS[2:]
"""A comparison names its grammars as arguments."""
CHANGED = 1
"""The exit code of a regression run that finds a change."""


@click.command("test")
@with_options(SUITE_OPTIONS)
@click.option("--accept", is_flag=True, help="Keep the outcomes as those to expect, beside the suite.")
def test_suite(accept: bool, **options: Options) -> None:
    """Whether a grammar judges the sentences of SUITE as it is said there, and as it did before.

    The exit code is 1 where it does not.
    """
    from numbat.commands import regression

    if accept and options["suite"] == "-":
        raise UsageError("--accept keeps the outcomes beside the suite\n  give the suite as a file")
    suite, parser = suite_of(options), parser_of(options)
    tested = regression.judge_items(suite, parser, reader_of(options))
    click.echo("\n".join(regression.summary_lines(tested)))
    path = regression.expectation_path(suite.path)
    if accept:
        write(str(path), regression.format_expected(tested))
        click.echo(f"numbat: accepted: {path}", err=True)
        return
    if not path.exists():
        if any(each.outcome.verdict == "fail" for each in tested):
            sys.exit(CHANGED)
        return
    changed = regression.changes(regression.read_expected(path), [each.outcome for each in tested])
    click.echo(f"\n{len(changed)} changed since accepted" if changed else "\nnothing changed since accepted")
    for change in changed:
        click.echo(f"  {change}")
    if changed:
        sys.exit(CHANGED)


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
def report(
    model: str, weights: str, form: str, also: tuple[str, ...], page: str | None, folder: str | None,
    latex: str | None, seed: int, **options: Options,
) -> None:  # fmt: skip
    """Score the sentences of SUITE and compare the scores with people's judgements."""
    from numbat.commands import reporting

    if folder is not None:
        will_write("--csv", reporting.table_paths(folder))
    suite, parser = suite_of(options), parser_of(options)
    score, others = scorer_of(model, weights, parser.grammar), scorers_of(also, weights, parser.grammar)
    made = reporting.experiment(suite, parser, model, score, weights, seed, reader_of(options), others)
    click.echo(reporting.text_of(made, form))
    if page is not None:
        write_and_say(page, reporting.html_of(made))
    if latex is not None:
        write_and_say(latex, reporting.latex_of(made))
    if folder is not None:
        for path in reporting.write_tables(made, folder):
            click.echo(f"numbat: written: {path}", err=True)


@click.command()
@click.argument("old", type=Input())
@click.argument("new", type=Input())
@with_options((SUITE_OPTIONS[0], *COMPARED, *MODEL_OPTIONS))
@click.option("--html", "page", type=Output(), help="The same as a page, with both trees.")
def compare(old: str, new: str, model: str, weights: str, page: str | None, **options: Options) -> None:
    """What the grammar NEW gains and loses against OLD on SUITE, with the properties to which it is due."""
    from numbat.commands import comparison

    suite = suite_of(options)
    parsers = [parser_for(grammar_of(name), options) for name in (old, new)]
    score = scorer_of(model, weights, parsers[0].grammar)
    before, after, found = comparison.compared(suite, parsers[0], parsers[1], score, reader_of(options))
    click.echo("\n".join(comparison.compare_lines(before, after, found)))
    if page is not None:
        from numbat.report import compare_page

        write_and_say(page, compare_page.page(f"{old} → {new}: {suite.path}", before, after, found))


@click.command()
@with_options(SUITE_OPTIONS)
def coverage(**options: Options) -> None:
    """Which properties of a grammar SUITE evaluates, satisfies and violates, and which it never tests."""
    from numbat.commands import comparison
    from numbat.gradience.suites.comparison import coverage as covered
    from numbat.gradience.suites.experiment import run

    suite, parser = suite_of(options), parser_of(options)
    found = covered(list(run(suite, parser, read=reader_of(options))), parser.grammar)
    click.echo("\n".join(comparison.coverage_lines(found)))


@click.command()
@with_options((*SUITE_OPTIONS, *MODEL_OPTIONS))
@seed_option("the resamples for intervals")
def ablate(model: str, weights: str, seed: int, **options: Options) -> None:
    """How much each heuristic H1 to H5 and each relation matters on SUITE: switched off one by one."""
    from numbat.commands import comparison
    from numbat.gradience.suites.comparison import ablate as ablated
    from numbat.gradience.suites.summary import main_statistic

    suite, parser = suite_of(options), parser_of(options)
    if not suite.rated:
        told = f"{suite.path}: no item is judged or rated, so that no loss can be told{suite.lacking('rating')}"
        click.echo(f"numbat: {told}", err=True)
    found = ablated(suite, parser, scorer_of(model, weights, parser.grammar), seed, reader_of(options))
    click.echo("\n".join(comparison.ablation_lines(found, main_statistic(suite))))


@click.command()
@with_options(SUITE_OPTIONS)
@click.option("-o", "--output", required=True, type=Output(), help="The file for the model (.tsv).")
@click.option(
    "--folds", default=5, show_default=True, type=click.IntRange(min=3), help="Parts to be judged by the others."
)
@seed_option("the folds and of the resamples for intervals")
@click.option(
    "--also-grammar",
    type=Input(),
    metavar="GRAMMAR",
    help="A second grammar, such as an induced one, that adds its terms.",
)
@click.option("--also-expansions", type=Input(), help="Expansions by which the second grammar parses.")
@click.option(
    "--also-tagger", type=Input(), metavar="MODEL", help="A tagger for words that the second grammar does not have."
)
def fit(
    output: str, folds: int, seed: int, also_grammar: str | None, also_expansions: str | None,
    also_tagger: str | None, **options: Options,
) -> None:  # fmt: skip
    """Learn from the rated sentences of SUITE what each relation in each construction costs."""
    from numbat.commands import fitting, reporting

    if not output.endswith(".tsv"):
        raise UsageError(f'"{output}" does not end with .tsv\n  --model takes fitted models by that ending')
    also = fitting.Also(also_grammar, also_expansions, also_tagger)
    suite, parser, second = suite_of(options), parser_of(options), also.second()
    keep_read(() if second is None else second.parser.grammar.files)
    found, made = fitting.fitted(suite, parser, seed, folds, reader_of(options), second)
    click.echo("\n".join([reporting.text_of(made, "text"), "", *fitting.gain_lines(made, seed)]))
    write_and_say(output, fitting.write_model(output, found.model, also))


@click.command()
@with_options((GRAMMAR_OPTION, *PARSER_OPTIONS))
@click.option("--violate", "violated", help='The property that each sentence violates: "NP: Det < N".')
@click.option("-n", "number", default=10, show_default=True, type=click.IntRange(min=1), help="How many sentences.")
@click.option("--root", metavar="CATEGORY", help="The root of the sentences (default: the first of the grammar).")
@click.option("--words", metavar="MIN-MAX", help="How many words, default 3-8; fewer where there are no others.")
@seed_option("the random choices")
def generate(
    violated: str | None, number: int, root: str | None, words: str | None, seed: int, **options: Options
) -> None:
    """Sentences from a grammar as a suite: well formed, or violating one property, with well-formed twins."""
    from numbat.commands import generating

    found = generating.generated(parser_of(options), number, seed, violated, generating.shape_of(root, words))
    made = 0
    for made, each in enumerate(found, start=1):
        if made == 1:
            click.echo(generating.GENERATED_HEADER)
        for row in generating.generated_rows(each, made, violated):
            click.echo(row)
    if made < number:
        hint = "the property may be hard to violate alone, or no root may be built around its construction"
        if violated is None:
            hint = "this grammar may have few sentences of so many words: try other --words"
        raise DataError(f"{made} of {number} sentences found before the search ended\n  {hint}")


COMMANDS = (test_suite, report, compare, coverage, ablate, fit, generate)
