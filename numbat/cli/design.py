"""Verbs for experiments: design (items, lists, PCIbex), power, theories."""

from __future__ import annotations

from typing import Final

import click

from numbat.acceptability.settings import SuiteSettings
from numbat.cli.options import (
    GRAMMAR,
    GRAMMAR_OPTION,
    INPUT,
    LEARNING,
    OUTPUT,
    PARSER_OPTIONS,
    RUN_OPTIONS,
    SPREADSHEETS_OPTION,
    SUITE_OPTIONS,
    Z_SCORES_OPTION,
    format_option,
    option,
    seed_option,
    verb,
    with_options,
)
from numbat.cli.parsers import properties_parser_of, suite_of
from numbat.cli.printing import (
    GRAMMAR_GIVEN,
    Finite,
    Output,
    Progress,
    Text,
    Whole,
    record_of,
    say,
    write_and_say,
    write_in_form,
)
from numbat.cli.suites import SuiteRun
from numbat.errors import UsageError
from numbat.files import as_table, check_spreadsheets, write_bytes
from numbat.parsing.policies import ParserSettings
from numbat.records import frozen
from numbat.runs.settings import RunSettings

MOST_ON_SCALE: Final = 20
"""Maximum number of points on a scale in the browser."""


def _names(context: click.Context, param: click.Parameter, given: str | None) -> tuple[str, ...]:
    """Return the names of columns in a list separated by commas."""
    return tuple(name.strip() for name in (given or "").split(",") if name.strip())


FACTORS_OPTION: Final = option(
    INPUT,
    "--factors",
    metavar="COLUMNS",
    help="Columns of the factors: structure,length or structure=non/island,length.",
)


@frozen
class DesignOptions:
    """Options of `numbat design`."""

    items: str
    factors: str | None
    within: tuple[str, ...]
    fillers: str | None
    practice: str | None
    frequencies: str | None
    grammar: str
    parser: ParserSettings
    run: RunSettings
    lists: int | None
    orders: int
    apart: int
    between: int
    first: int
    output: str | None
    pcibex: str | None
    scale: str
    form: str
    for_spreadsheets: bool
    seed: int


@verb(
    "design",
    "numbat design items.csv --factors structure,length",
    "numbat design items.csv --factors structure,length --fillers fillers.txt -o lists.tsv",
    "numbat design items.csv --factors structure,length --fillers fillers.txt --pcibex study.zip",
)
@click.argument("items", type=Text())
@FACTORS_OPTION
@option(
    INPUT,
    "--designs",
    "within",
    callback=_names,
    metavar="COLUMNS",
    help="Columns with a separate design for each combination of their values: dependency,island.",
)
@option(INPUT, "--fillers", type=Text(), help="File of fillers: a table, or one sentence per line.")
@option(INPUT, "--practice", type=Text(), help="File of practice sentences, which come first.")
@option(INPUT, "--frequencies", type=Text(), help="File with a word and its count per line, to compare conditions.")
@GRAMMAR_OPTION
@with_options(PARSER_OPTIONS)
@option(OUTPUT, "--lists", type=Whole(1), help="Number of lists (default: number of conditions).")
@option(OUTPUT, "--orders", type=Whole(1), default=1, help="Number of orders of each list.")
@option(
    OUTPUT,
    "--apart",
    type=Whole(0),
    default=1,
    help="Minimum number of sentences between two of the same condition.",
)
@option(OUTPUT, "--between", type=Whole(0), default=0, help="Minimum number of fillers between two targets.")
@option(OUTPUT, "--first", type=Whole(0), default=0, help="Number of fillers at the beginning.")
@option(OUTPUT, "-o", "--output", type=Output(), help="File for the lists: CSV if it ends with .csv, else TSV.")
@option(OUTPUT, "--pcibex", type=Output(), metavar="ZIP", help="File for the experiment: script and table for PCIbex.")
@option(OUTPUT, "--points", "scale", metavar="LOW-HIGH", default="1-7", help="With --pcibex: ends of the scale.")
@format_option("text", "json")
@SPREADSHEETS_OPTION
@seed_option("the orders of sentences", OUTPUT)
@with_options(RUN_OPTIONS)
def design(options: DesignOptions) -> None:
    """Make lists of the sentences in ITEMS, a Latin square in pseudo-random orders, and check with a grammar that the
    conditions of each item differ only as intended."""
    from numbat.acceptability.covariates import read_frequencies
    from numbat.experiments.contrasts import design_report
    from numbat.experiments.materials import OrderConstraints, factors_of, read_materials, trial_lists
    from numbat.experiments.pcibex import as_csv, as_tsv, list_rows, pcibex_zip
    from numbat.experiments.verbs import check_items
    from numbat.reports.answers import Answer

    check_spreadsheets(options.for_spreadsheets, options.output is not None, "add -o FILE, or leave it out")
    materials = read_materials(
        options.items, factors_of(options.factors), options.within, options.fillers, options.practice
    )
    constraints = OrderConstraints(options.apart, options.between, options.first)
    lists = trial_lists(materials, options.lists, options.orders, constraints, options.seed)
    points = _points(options.scale)
    rows = list_rows(materials, lists)
    frequencies = None if options.frequencies is None else read_frequencies(options.frequencies)
    parser = properties_parser_of(options.grammar, options.parser)
    run = SuiteRun(options.run)
    checks = check_items(materials, parser, frequencies, run.executor, run.lost)
    record = record_of({GRAMMAR_GIVEN: parser.grammar})
    report = design_report(checks, lists, constraints, parser.grammar, run.lost.items)
    write_in_form(options.form, Answer(report, record))
    if options.output is not None:
        is_csv = options.output.lower().endswith(".csv")
        text = as_csv(rows) if is_csv else as_table(as_tsv(rows), options.for_spreadsheets)
        write_and_say(options.output, text)
    if options.pcibex is not None:
        write_bytes(options.pcibex, pcibex_zip(materials, lists, points))
        say(f"numbat: wrote {options.pcibex}")
    run.end()


def _points(text: str) -> tuple[int, int]:
    """Return the ends of a scale of whole numbers. Raises UsageError."""
    from numbat.acceptability.summary import scale_of

    low, high = scale_of(text)
    if low != int(low) or high != int(high) or high - low >= MOST_ON_SCALE:
        raise UsageError(f'"{text}" is not a scale of at most {MOST_ON_SCALE} whole numbers\n  write --points 1-7')
    return int(low), int(high)


def _sizes(context: click.Context, param: click.Parameter, given: str | None) -> tuple[int, ...]:
    """Return the whole numbers in a list separated by commas."""
    try:
        sizes = tuple(int(number) for number in (given or "").split(",") if number.strip())
    except ValueError:
        raise click.BadParameter(f'"{given}" is not a list of whole numbers such as 16,32', context, param) from None
    if any(not 2 <= number <= MOST_SIMULATED for number in sizes):
        raise click.BadParameter(f"the numbers must be from 2 to {MOST_SIMULATED:,}", context, param)
    return sizes


MOST_SIMULATED: Final = 10_000
"""Maximum number of people or items in a simulation."""


def _where(context: click.Context, param: click.Parameter, given: str | None) -> tuple[tuple[str, str], ...]:
    """Return the pairs of column and value in a list such as `structure=isl,length=lg`."""
    parts = [part.partition("=") for part in (given or "").split(",") if part.strip()]
    if any(not name.strip() or not sign for name, sign, _ in parts):
        raise click.BadParameter(f'"{given}" does not select rows: write NAME=VALUE,NAME=VALUE', context, param)
    return tuple((name.strip(), value.strip()) for name, _, value in parts)


@verb(
    "power",
    "numbat power pilot.tsv --factors structure,length",
    "numbat power pilot.tsv --factors structure --people 8,16 --items 8 --effect 0.5 --simulations 100",
)
@click.argument("pilot", type=Text())
@FACTORS_OPTION
@option(
    INPUT,
    "--where",
    callback=_where,
    metavar="NAME=VALUE",
    help="Use only rows with these values, separated by commas.",
)
@Z_SCORES_OPTION
@option(OUTPUT, "--people", callback=_sizes, metavar="NUMBERS", help="Numbers of people: 16,32,64.")
@option(OUTPUT, "--items", callback=_sizes, metavar="NUMBERS", help="Numbers of items: 8,16.")
@option(OUTPUT, "--effect", type=Finite(), metavar="X", help="Contrast to detect (default: the pilot's).")
@option(
    OUTPUT,
    "--simulations",
    type=Whole(10, 100_000),
    default=1000,
    help="Number of simulated experiments for each number of people and items.",
)
@format_option("text", "json")
@seed_option("the simulations", OUTPUT)
def power(
    pilot: str,
    factors: str | None,
    where: tuple[tuple[str, str], ...],
    z_scores: bool,
    people: tuple[int, ...],
    items: tuple[int, ...],
    effect: float | None,
    simulations: int,
    form: str,
    seed: int,
) -> None:
    """Simulate experiments with the variances of PILOT, a table of ratings, and estimate how often they find an effect,
    for each number of people and items; for two factors the effect is their interaction."""
    from numbat.experiments.materials import factors_of
    from numbat.experiments.power import power_report, read_pilot
    from numbat.experiments.verbs import power_of
    from numbat.reports.answers import Answer

    read = read_pilot(pilot, factors_of(factors), dict(where), z_scores)
    with Progress("designs") as bar:
        asked = (people, items, effect, simulations, seed)
        variances, size, powers = power_of(read, *asked, bar.advance)
    record = record_of({})
    write_in_form(form, Answer(power_report(read, variances, size, effect is not None, powers), record))


@verb(
    "theories",
    "numbat theories rated.tsv --folds 3",
    'numbat theories rated.tsv --folds 3 --theory additive --theory "strict domination"',
)
@with_options(SUITE_OPTIONS)
@option(
    GRAMMAR,
    "--theory",
    "theories",
    multiple=True,
    metavar="NAME",
    help="Theory to compare (default: all). May be repeated.",
)
@option(
    GRAMMAR,
    "--kinds",
    type=click.Choice(["relation", "construction", "property"]),
    default="relation",
    metavar="KIND",
    help="Kinds of violations: by relation, by construction and relation, or by property.",
)
@option(LEARNING, "--folds", type=Whole(3), default=5, help="Number of cross-validation folds.")
@format_option("text", "json")
@seed_option("the folds", LEARNING)
def theories(
    source: SuiteSettings,
    grammar: str,
    settings: ParserSettings,
    working: RunSettings,
    theories: tuple[str, ...],
    kinds: str,
    folds: int,
    form: str,
    seed: int,
) -> None:
    """Compare theories of how violations affect acceptability, on the ratings of SUITE by cross-validation: strict
    domination, ganging up, cumulativity, the indices of the literature."""
    from numbat.acceptability.runs import reader_of
    from numbat.experiments.theories import THEORIES, theory_report
    from numbat.experiments.verbs import theories as compared
    from numbat.parsing.policies import known
    from numbat.reports.answers import Answer

    for name in theories:
        known(name, THEORIES, "theory")
    suite, parser = suite_of(source), properties_parser_of(grammar, settings)
    run, read = SuiteRun(working), reader_of(source)
    asked = (theories, kinds, seed, folds)
    with Progress("theories") as bar:
        report = compared(suite, parser, *asked, read, run.executor, run.lost, bar.advance)
    record = record_of({GRAMMAR_GIVEN: parser.grammar}, suite)
    write_in_form(form, Answer(theory_report(report, suite, parser.grammar.title, run.lost.items), record))
    run.end()
