"""The verbs on single sentences: why they have the score that they have, and what would better it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from numbat.cli.options import (
    GRAMMAR_OPTION,
    MODEL_OPTIONS,
    PARSER_OPTIONS,
    TAGGED_OPTION,
    Options,
    format_option,
    input_option,
    parser_of,
    scorer_of,
    with_options,
)
from numbat.cli.printing import complain, end
from numbat.errors import DataError, UsageError

if TYPE_CHECKING:
    from numbat.parsing.parser import Parser
    from numbat.words.lattice import Lattice

FORM = format_option("answer")
ONE = (GRAMMAR_OPTION, TAGGED_OPTION, FORM, *PARSER_OPTIONS)


def _read(sentence: str, parser: Parser, tagged: bool) -> Lattice:
    """A sentence as it is to be parsed; a mark before it is announced."""
    from numbat.commands import reading, reasons

    if sentence.strip() == "-":
        raise UsageError(
            '"-" is no sentence, and the standard input is not read here\n'
            "  give the sentence itself in quotes; numbat parse - reads the standard input"
        )
    if (found := reading.not_utf8(sentence)) is not None:
        raise DataError(f"the sentence is not UTF-8 (byte {found})\n  {reading.TERMINAL}")
    lattice = reasons.lattice_of(sentence, parser, tagged)
    note = reading.Notes(typed=(sentence,))
    note.add("", lattice)
    for line in note.lines():
        click.echo(line, err=True)
    return lattice


@click.command()
@click.argument("sentence")
@with_options((*ONE, *MODEL_OPTIONS))
@click.option("--terms", is_flag=True, help="Also the counts of each phrase.")
def explain(sentence: str, tagged: bool, form: str, model: str, weights: str, terms: bool, **options: Options) -> None:
    """Why SENTENCE has its score: each violated property in words, with its share of the loss."""
    from numbat.commands import reasons, reasons_json

    parser = parser_of(options)
    parse = parser.parse(_read(sentence, parser, tagged))
    score = scorer_of(model, weights, parser.grammar)
    if form == "json":
        click.echo(reasons_json.text_of(reasons_json.explained(parse, score)))
    else:
        click.echo("\n".join(reasons.explain_lines(parse, score, terms)))


@click.command()
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@with_options((*ONE, *MODEL_OPTIONS))
def contrast(one: str, other: str, tagged: bool, form: str, model: str, weights: str, **options: Options) -> None:
    """The properties that make the difference between the sentences A and B."""
    from numbat.commands import reasons, reasons_json

    parser = parser_of(options)
    parses = [parser.parse(_read(sentence, parser, tagged)) for sentence in (one, other)]
    score = scorer_of(model, weights, parser.grammar)
    if form == "json":
        click.echo(reasons_json.text_of(reasons_json.contrasted(parses[0], parses[1], score)))
    else:
        click.echo("\n".join(reasons.contrast_lines(parses[0], parses[1], score)))


@click.command()
@click.argument("tree", required=False)
@input_option("A file of bracketed trees; - for standard input.")
@with_options((GRAMMAR_OPTION, FORM, *PARSER_OPTIONS, *MODEL_OPTIONS))
def judge(tree: str | None, path: str | None, form: str, model: str, weights: str, **options: Options) -> None:
    """The satisfied and violated properties of a bracketed TREE that you give."""
    from numbat.commands import reasons, reasons_json

    if (tree is None) == (path is None):
        raise UsageError("one tree or one file\n  give a tree in quotes, or a file with -i")
    if tree is not None and tree.strip() == "-":
        raise UsageError('"-" is no tree\n  give the tree itself in quotes; -i - reads the standard input')
    parser = parser_of(options)
    score = scorer_of(model, weights, parser.grammar)
    name, trees = reasons.drawn(tree, path)
    written: list[str] = []
    notes: dict[str, None] = {}
    bad = 0
    for each in reasons.judged(trees, name, parser):
        try:
            if isinstance(each, DataError):
                raise each
            place, parse = each
            said = reasons_json.judged(place, parse, score) if form == "json" else reasons.judged_text(parse, score)
        except DataError as error:
            complain(error)
            bad += 1
        else:
            written.append(said)
            notes |= dict.fromkeys(reasons.judged_notes(parse, parser))
    if form == "json":
        click.echo(reasons_json.listed(written))
    elif written:
        click.echo("\n\n".join(written))
    for note in notes:
        click.echo(f"numbat: {note}", err=True)
    end(bad, len(written))


@click.command("why-not")
@click.argument("constituent", metavar="SPAN:CATEGORY")
@click.argument("sentence")
@with_options(ONE)
def why_not(constituent: str, sentence: str, tagged: bool, form: str, **options: Options) -> None:
    """The best analysis of SENTENCE with a constituent, such as 0-3:NP, and what it costs."""
    from numbat.commands import reasons, reasons_json

    parser = parser_of(options)
    what = reasons.wanted(constituent, parser, sentence)
    best, forced, said = reasons.why_not(parser, _read(sentence, parser, tagged), what)
    if form == "json":
        click.echo(reasons_json.text_of(reasons_json.forced(best, forced, said)))
        return
    click.echo(said)
    if forced is not None:
        click.echo("\n" + forced.tree())


@click.command()
@click.argument("sentence")
@with_options((*ONE, *MODEL_OPTIONS))
@click.option("--edits", default=1, show_default=True, type=click.IntRange(1, 2), help="How many edits at most.")
@click.option("-n", "most", default=5, show_default=True, type=click.IntRange(min=1), help="How many repairs to show.")
@click.option(
    "--beam", default=5, show_default=True, type=click.IntRange(min=1), help="With 2 edits: how many to go on from."
)
def repair(
    sentence: str, tagged: bool, form: str, model: str, weights: str, edits: int, most: int, beam: int,
    **options: Options,
) -> None:  # fmt: skip
    """The smallest changes of SENTENCE that better its score, ranked by what is gained per edit."""
    from numbat.commands import reasons, reasons_json
    from numbat.gradience.repair.repair import repaired

    parser = parser_of(options)
    lattice = _read(sentence, parser, tagged)
    score = scorer_of(model, weights, parser.grammar)
    parse, found = repaired(lattice, parser, score, edits, beam, most)
    if form == "json":
        click.echo(reasons_json.text_of(reasons_json.repaired(parse, found, score)))
    else:
        click.echo("\n".join(reasons.repair_lines(parse, found, score)))


COMMANDS = (explain, contrast, judge, why_not, repair)
