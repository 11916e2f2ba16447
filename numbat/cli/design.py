"""Verbs on experiments: design (items, lists, PCIbex), power, theories side by side."""

from __future__ import annotations

from typing import Final

import click

from numbat.cli.options import (
    GRAMMAR_OPTION,
    INPUT,
    OUTPUT,
    PARSER_OPTIONS,
    RUN_OPTIONS,
    SPREADSHEETS_OPTION,
    as_table,
    check_spreadsheets,
    format_option,
    grammar_of,
    option,
    seed_option,
    takes,
    verb,
    with_options,
)
from numbat.cli.printing import (
    GRAMMAR_GIVEN,
    Input,
    Output,
    Text,
    record_of,
    say,
    write_and_say,
    write_bytes,
    write_out,
)
from numbat.cli.suites import SuiteRun
from numbat.commands.settings import RunSettings
from numbat.errors import UsageError
from numbat.parsing.policies import ParserSettings
from numbat.records import frozen

MOST_ON_SCALE: Final = 20
"""A scale in a browser has no more points."""


def _names(context: click.Context, param: click.Parameter, given: str | None) -> tuple[str, ...]:
    """Return the names of columns, with commas between them."""
    return tuple(name.strip() for name in (given or "").split(",") if name.strip())


@frozen
class DesignOptions:
    """Options of `numbat design`."""

    items: str
    factors: tuple[str, ...]
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
@option(
    INPUT,
    "--factors",
    callback=_names,
    metavar="NAMES",
    help="Columns of the factors, with commas between (default: condition).",
)
@option(
    INPUT,
    "--within",
    callback=_names,
    metavar="NAMES",
    help="Columns that part the items into sets, each an experiment of its own.",
)
@option(INPUT, "--fillers", type=Text(), help="A file of fillers, a table or a sentence a line.")
@option(INPUT, "--practice", type=Text(), help="A file of practice sentences, which come first.")
@option(INPUT, "--frequencies", type=Text(), help="Words and their counts, a word a line, for the balance of conditions.")
@GRAMMAR_OPTION
@with_options(PARSER_OPTIONS)
@option(OUTPUT, "--lists", type=click.IntRange(min=1), help="Number of lists (default: of conditions).")
@option(OUTPUT, "--orders", type=click.IntRange(min=1), default=1, help="Orders of each list.")
@option(
    OUTPUT,
    "--apart",
    type=click.IntRange(min=0),
    default=1,
    help="So many other sentences at least between two of one condition.",
)
@option(
    OUTPUT, "--between", type=click.IntRange(min=0), default=0, help="So many fillers at least between two targets."
)
@option(OUTPUT, "--first", type=click.IntRange(min=0), default=0, help="So many fillers first.")
@option(OUTPUT, "-o", "--output", type=Output(), help="A file for the lists: CSV if its name ends so, else TSV.")
@option(OUTPUT, "--pcibex", type=Output(), metavar="ZIP", help="A file for the experiment: script and table for PCIbex.")
@option(OUTPUT, "--points", "scale", metavar="LOW-HIGH", default="1-7", help="With --pcibex: the numbers of the scale.")
@format_option("text", "json")
@SPREADSHEETS_OPTION
@seed_option("the orders", OUTPUT)
@with_options(RUN_OPTIONS)
@takes(DesignOptions)
def design(options: DesignOptions) -> None:
    """Make lists of the sentences in ITEMS, a Latin square in pseudo-random orders, and check the items by a grammar:
    whether the conditions of each differ in what they should and in nothing else."""
    from numbat.commands.design import check_items
    from numbat.commands.parsing import parser_of
    from numbat.gradience.contrasts import read_frequencies
    from numbat.gradience.materials import Constraints, read_materials, trial_lists
    from numbat.report import design as report

    check_spreadsheets(options.for_spreadsheets, options.output is not None, "add -o FILE, or leave it out")
    materials = read_materials(options.items, options.factors, options.within, options.fillers, options.practice)
    constraints = Constraints(options.apart, options.between, options.first)
    lists = trial_lists(materials, options.lists, options.orders, constraints, options.seed)
    points = _points(options.scale)
    rows = report.list_rows(materials, lists)
    frequencies = None if options.frequencies is None else read_frequencies(options.frequencies)
    parser = parser_of(grammar_of(options.grammar), options.parser)
    run = SuiteRun(options.run)
    checks = check_items(materials, parser, frequencies, run.executor, run.lost)
    record = record_of({GRAMMAR_GIVEN: parser.grammar})
    if options.form == "json":
        write_out(report.design_json(checks, lists, constraints, run.lost.items, record))
    else:
        from numbat.report.run_notes import run_lines

        lines = report.design_lines(checks, lists, constraints, parser.grammar, run.lost.items)
        write_out("\n".join([*lines, *run_lines(record)]))
    if options.output is not None:
        is_csv = options.output.lower().endswith(".csv")
        text = report.as_csv(rows) if is_csv else as_table(report.as_tsv(rows), options.for_spreadsheets)
        write_and_say(options.output, text)
    if options.pcibex is not None:
        write_bytes(options.pcibex, report.pcibex_zip(materials, lists, points))
        say(f"numbat: written: {options.pcibex}")
    run.end()


def _points(text: str) -> tuple[int, int]:
    """Return the ends of a scale of whole numbers. Raises UsageError."""
    from numbat.gradience.summary import scale_of

    low, high = scale_of(text)
    if low != int(low) or high != int(high) or high - low >= MOST_ON_SCALE:
        raise UsageError(f'"{text}" is no scale of at most {MOST_ON_SCALE} whole numbers\n  write --points 1-7')
    return int(low), int(high)
