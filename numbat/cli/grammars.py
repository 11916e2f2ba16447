"""The verbs on grammars: check, show, convert, bench."""

from __future__ import annotations

import sys

import click

from numbat.cli.options import GRAMMAR_OPTION, grammar_of, input_option
from numbat.cli.printing import Input, Output, complain, write_and_say, write_or_print
from numbat.errors import INCOMPLETE, DataError, UsageError


@click.command()
@click.argument("name", metavar="GRAMMAR", type=Input())
@click.option("--table", is_flag=True, help="Print the lookup table.")
def check(name: str, table: bool) -> None:
    """Report every mistake of a GRAMMAR and what is doubtful in it."""
    from numbat.commands import grammars

    checked = grammars.check_grammar(name)
    for problem in (*checked.errors, *checked.warnings):
        click.echo(f"{problem}\n", err=True)
    click.echo(checked.summary)
    if table and not checked.errors:
        click.echo("\n".join(grammars.table_lines(checked.grammar)))
    if checked.errors:
        sys.exit(DataError.exit_code)


@click.command()
@click.argument("name", metavar="[GRAMMAR]", required=False, type=Input())
@click.option("--html", "path", type=Output(), help="Write a page for the browser to this file.")
@click.option("--trees", type=Input(), help="With --html: a treebank for example trees.")
def show(name: str | None, path: str | None, trees: str | None) -> None:
    """Show a GRAMMAR as tables, or as a page to browse; without one, say which grammars there are."""
    from numbat.commands import grammars

    if name is None:
        if path is not None or trees is not None:
            raise UsageError("no grammar\n  name one; numbat show alone lists the packaged ones")
        click.echo("\n".join(grammars.packaged_lines()))
        return
    grammar = grammar_of(name)
    if path is None:
        if trees is not None:
            raise UsageError("--trees is for the page\n  add --html FILE")
        click.echo("\n".join(grammars.show_lines(grammar)))
        return
    from numbat.commands import browsing

    text, bad = browsing.browse(grammar, trees, complain)
    write_and_say(path, text)
    if bad:
        sys.exit(INCOMPLETE)


@click.command()
@click.argument("name", metavar="GRAMMAR", type=Input())
@click.option(
    "--to", "form", type=click.Choice(["pg", "yaml"]), help="The format; default: by the name of the output, or pg."
)
@click.option("-o", "--output", type=Output(), help="A file; default: standard output.")
def convert(name: str, form: str | None, output: str | None) -> None:
    """Print a GRAMMAR in the notation or as YAML, with all that it includes; comments are lost."""
    from numbat.commands import grammars

    form = (form or "pg") if output is None else grammars.form_of(output, form)
    write_or_print(output, grammars.convert_grammar(grammar_of(name), form))


@click.command()
@GRAMMAR_OPTION
@input_option("A file with a well-formed sentence a line; default: the grammar's corpus.")
@click.option("--plot", "drawing", type=Output(), help="An SVG file for the growth curves.")
def bench(name: str, path: str | None, drawing: str | None) -> None:
    """Measure how the time of a parse grows with the words of the sentence."""
    from numbat.commands import bench as growth

    grammar = grammar_of(name)
    points = growth.bench(grammar, growth.texts_of(grammar, path))
    click.echo("\n".join(growth.table_lines(points)))
    if drawing is not None:
        write_and_say(drawing, growth.plot(points, f"{grammar.name}: time of a parse"))


COMMANDS = (check, show, convert, bench)
