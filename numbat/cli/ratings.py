"""The verb ratings, for results of experiments."""

from __future__ import annotations

import click

from numbat.cli.options import (
    INPUT,
    OUTPUT,
    SCALE_OPTION,
    SPREADSHEETS_OPTION,
    option,
    results_options,
    verb,
    with_options,
)
from numbat.cli.printing import Input, Output, Text, say, write_out
from numbat.experiments.ratings import RatingSettings
from numbat.files import write

READ_OPTIONS = (
    click.argument("raw", nargs=-1, required=True, type=Text()),
    option(
        INPUT,
        "--columns",
        type=Input(),
        metavar="NAMES",
        help="Names of columns: participant=VP,rating=Note, or a mapping file: study.yaml.",
    ),
    *results_options(advanced=False),
    option(
        INPUT, "--leave-out", multiple=True, metavar="LABEL", help="Label of trials to leave out, such as practice."
    ),
    option(INPUT, "--answers", metavar="WORDS", help="Numbers for ratings that are words or letters: yes=1,no=0."),
    SCALE_OPTION,
    option(INPUT, "--magnitude", is_flag=True, help="Magnitude estimation: take the logarithm of each estimate."),
    option(INPUT, "--decimal-comma", is_flag=True, advanced=True, help="Read 2,5 as the number 2.5."),
    option(
        INPUT,
        "--exclude",
        multiple=True,
        metavar="RULES",
        help="File of exclusion rules, or one rule: one-button, too-fast=500, outlier=3. May be repeated.",
    ),
)


@verb(
    "ratings",
    "numbat ratings results.csv -o clean.csv",
    "numbat ratings results.csv --leave-out practice --exclude rules.yaml -o clean.csv",
    "numbat ratings answers.csv --columns study.yaml -o clean.csv --omissions omissions.csv",
)
@with_options(READ_OPTIONS)
@option(OUTPUT, "-o", "--output", type=Output(), help="File for the clean table: CSV, or TSV if it ends with .tsv.")
@option(OUTPUT, "--omissions", type=Output(), help="Write a table of everything left out, with reasons.")
@option(
    OUTPUT,
    "--keep",
    multiple=True,
    metavar="COLUMN",
    help="Keep a column that is left out by default; participant: keep the original names.",
)
@option(OUTPUT, "--drop", multiple=True, metavar="COLUMN", help="Leave a column out of the table.")
@SPREADSHEETS_OPTION
def ratings(settings: RatingSettings, output: str | None, omissions: str | None, for_spreadsheets: bool) -> None:
    """Make a clean table of trials from the RAW results of an experiment, and report how much was read and left out.
    RAW is results of PCIbex or Ibex, a table with a line per rating, or a format described by a mapping file.
    Participants are renumbered; free text and addresses are left out.
    """
    from numbat.experiments import ratings as results
    from numbat.experiments.trials import clean_table

    made = results.ratings(settings)
    separator = "\t" if (output or "").endswith(".tsv") else ","
    table = clean_table(made.trials, separator, for_spreadsheets)
    lines = "\n".join(results.ratings_lines(made))
    if output is None:
        say(lines)
        write_out(table, end="")
    else:
        write(output, table)
        write_out(lines)
        say(f"numbat: wrote {output}")
    if omissions is not None:
        write(omissions, results.left_out_table(made))
        say(f"numbat: wrote {omissions}")
