"""The verb `expansions`."""

from __future__ import annotations

from dataclasses import dataclass

import click

from numbat.cli.options import QUIET_OPTION, TREES_OPTION, takes
from numbat.cli.printing import Input, Output, end, write_or_print
from numbat.cli.progress import Progress


@dataclass(frozen=True, slots=True)
class ExpansionsOptions:
    """What `numbat expansions` is asked for."""

    paths: tuple[str, ...]
    source: str
    output: str | None
    punctuation: bool
    frequent: int
    least: int
    note: tuple[str, ...]
    quiet: bool


@click.command()
@click.argument("paths", metavar="TREES...", nargs=-1, required=True, type=Input())
@TREES_OPTION
@click.option("-o", "--output", type=Output(), help="A file; default: standard output.")
@click.option("--punctuation", is_flag=True, help="Keep punctuation.")
@click.option(
    "--frequent",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Forms that occur so often with a tag are categories of their own.",
)
@click.option(
    "--least",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Refined phrases that occur less often lose their detail.",
)
@click.option("--note", multiple=True, help="A line of comment for the top of the file; may be repeated.")
@QUIET_OPTION
@takes(ExpansionsOptions)
def expansions(asked: ExpansionsOptions) -> None:
    """Count refined expansions in TREES, one or several files, for numbat parse --expansions."""
    from numbat.commands.treebanks import count_refined
    from numbat.parsing.treebank_grammar.expansions import expansion_lines
    from numbat.report.treebank_text import expansion_sizes
    from numbat.runs.trees import TreeReader

    with Progress("trees", asked.quiet) as progress:
        reader = TreeReader(progress.complain, progress.advance)
        found = count_refined(asked.paths, asked.source, reader, asked.punctuation, asked.frequent, asked.least)
    write_or_print(asked.output, "".join(f"{line}\n" for line in expansion_lines(found, asked.note)))
    if asked.output is not None:
        click.echo(f"{asked.output}: {expansion_sizes(found)}", err=True)
    end(reader.bad, reader.good)


COMMANDS = (expansions,)
