"""The verb `granularity`: the same sentences, from chunks to one deep tree."""

from __future__ import annotations

from dataclasses import dataclass, replace

import click

from numbat.cli.options import (
    GRAMMAR_OPTION,
    GRANULARITY_OPTION,
    PARSER_OPTIONS,
    READING_OPTIONS,
    RUN_OPTIONS,
    format_option,
    grammar_of,
    input_option,
    takes,
    with_options,
)
from numbat.cli.parse_options import check_reading, check_sentences
from numbat.cli.printing import Input, Output, end, write_and_say
from numbat.cli.progress import Progress
from numbat.commands.settings import GRANULARITIES, ParserSettings, RunSettings, SentenceSettings
from numbat.errors import DataError


@dataclass(frozen=True, slots=True)
class GranularityOptions:
    """What `numbat granularity` is asked for."""

    sentences: tuple[str, ...]
    grammar: str
    path: str | None
    values: str
    parser: ParserSettings
    reading: SentenceSettings
    run: RunSettings
    form: str
    page: str | None


@click.command()
@click.argument("sentences", nargs=-1, type=Input())
@GRAMMAR_OPTION
@input_option("A file with a sentence a line, or a treebank; - for standard input.")
@click.option(
    "--values",
    default=GRANULARITIES,
    show_default=True,
    metavar="X,Y,...",
    help="The granularities: what the grammar's fragment_cost is multiplied by.",
)
@with_options(tuple(option for option in PARSER_OPTIONS if option is not GRANULARITY_OPTION))
@with_options(READING_OPTIONS)
@format_option("table", "tsv")
@click.option("--html", "page", type=Output(), help="The same as a page for a browser, with curves.")
@with_options(RUN_OPTIONS)
@takes(GranularityOptions)
def granularity(asked: GranularityOptions) -> None:
    """Parse SENTENCES, or those of a file, from chunks to one deep tree.

    For each granularity: fragments a sentence, the share parsed whole, what a parse costs. Of a treebank (--from) also
    F1 against its trees.
    """
    from numbat.commands import preparing
    from numbat.commands.granularity import granularities_of, sweep
    from numbat.commands.running import executor_of
    from numbat.report.curves.granularity_text import granularity_text

    check_sentences(asked.sentences, asked.path)
    check_reading(asked.path, asked.reading)
    granularities = granularities_of(asked.values)
    reading = replace(asked.reading, gold=bool(asked.reading.source))
    parser = preparing.parser_of(grammar_of(asked.grammar), asked.parser)
    mapped = preparing.tag_map_of(reading, parser.grammar)
    gold = None
    if mapped is not None:
        from numbat.treebank.parses import gold_parameters

        gold = gold_parameters(mapped)
    path = "-" if asked.sentences == ("-",) else asked.path
    inputs = preparing.inputs_of(parser, asked.sentences, path, reading, mapped)
    bad: list[DataError] = []
    with Progress(quiet=asked.run.quiet) as progress:

        def complain(error: DataError) -> None:
            bad.append(error)
            progress.complain(error)

        executor = progress.over(executor_of(asked.run))
        read = preparing.reading_of(parser, reading)
        points = sweep(parser, granularities, inputs, read, gold, executor, complain)
    about = parser.grammar.name or "without name"
    click.echo(granularity_text(points, about, asked.form))
    if asked.page is not None:
        from numbat.report.curves.granularity_page import granularity_page

        write_and_say(asked.page, granularity_page(points, about))
    end(len(bad), points[0].sentences)


COMMANDS = (granularity,)
