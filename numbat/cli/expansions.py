"""The verb `expansions`."""

from __future__ import annotations

from typing import Any

import click

from numbat.cli.printing import Input, Output, complain, end, write_or_print
from numbat.cli.treebanks import FROM


@click.command()
@click.argument("paths", metavar="TREES...", nargs=-1, required=True, type=Input())
@FROM
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
def expansions(paths: tuple[str, ...], source: str, output: str | None, note: tuple[str, ...], **options: Any) -> None:
    """Count refined expansions in TREES, one or several files, for numbat parse --expansions."""
    from numbat.commands import expansions as commands
    from numbat.commands.treebanks import TreeReader
    from numbat.parsing.treebank_grammar.expansions import lines_of

    reader = TreeReader(complain)
    found = commands.count(paths, source, reader, **options)
    text = "".join(f"{line}\n" for line in lines_of(found, note))
    write_or_print(output, text)
    if output is not None:
        click.echo(f"{output}: {commands.summary(found)}", err=True)
    end(reader.bad, reader.good)


COMMANDS = (expansions,)
