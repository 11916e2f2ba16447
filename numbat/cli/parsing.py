"""The verb `parse`: its options, and the run over what is to be parsed."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from numbat.cli.options import (
    GRAMMAR_OPTION,
    PARSER_OPTIONS,
    TAGGED_OPTION,
    TAGGER_OPTION,
    TREEBANKS,
    Finite,
    grammar_of,
    input_option,
    takes,
    with_options,
)
from numbat.cli.parse_options import ParseOptions, check_limits, check_options, is_given
from numbat.cli.printing import Input, complain, end_run
from numbat.commands.settings import DEFAULT_LIMITS
from numbat.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numbat.parsing.sentence_parser import SentenceParser
    from numbat.runs.loop import Record
    from numbat.runs.parsing import ParsedSentence
    from numbat.treebank.bracket_scores import SentenceScore
    from numbat.words.tag_maps import TagMap


@click.command()
@click.argument("sentences", nargs=-1, type=Input())
@GRAMMAR_OPTION
@input_option("A file with a sentence a line; - for standard input.")
@click.option(
    "-f",
    "--format",
    "form",
    default="tree",
    show_default=True,
    type=click.Choice(["tree", "bracket", "json", "jsonl", "tsv", "svg", "html", "latex"]),
    help="How parses are printed.",
)
@click.option("-n", "n", default=1, show_default=True, type=click.IntRange(min=1), help="How many parses, best first.")
@with_options(PARSER_OPTIONS)
@click.option(
    "--max-assignments",
    type=click.IntRange(min=1),
    default=DEFAULT_LIMITS.assignments,
    show_default=True,
    help="Stop a sentence after so many assignments (phases engine) and give the best so far.",
)
@click.option("--max-rounds", type=click.IntRange(min=1), help="Stop a sentence after so many rounds (phases engine).")
@click.option(
    "--max-constituents", type=click.IntRange(min=1), help="Stop a sentence after so many constituents (phases engine)."
)
@click.option(
    "--election",
    metavar="NAME",
    help="Election: per-construction, best-combination, beam, all (default: the profile's).",
)
@click.option("--beam", default=5, show_default=True, type=click.IntRange(min=1), help="The k of the election beam.")
@click.option("--without", multiple=True, metavar="H1..H5", help="Switch a heuristic off; may be repeated.")
@click.option("--engine", metavar="NAME", default="auto", show_default=True, help="Engine: auto, exact, phases.")
@TAGGED_OPTION
@click.option(
    "--from",
    "source",
    type=click.Choice(TREEBANKS),
    help="Input is a treebank: take its tagged words; auto looks at the first line of the file.",
)
@click.option(
    "--tag-map",
    type=Input(),
    help="The file that maps tags to categories (default: ptb.map, ftb.map, or the tags alone).",
)
@TAGGER_OPTION
@click.option(
    "--tags",
    type=click.Choice(["lattice", "best"]),
    default="lattice",
    show_default=True,
    help="With --tagger: every likely tag of a word with its confidence, or the best one alone.",
)
@click.option("--words", is_flag=True, help="With --from: the words alone, not their tags.")
@click.option("--max-length", type=click.IntRange(min=1), help="With --from: leave out longer sentences.")
@click.option("--expansions", type=Input(), help="Take the likeliest tree by the counts of numbat expansions.")
@click.option(
    "--prune",
    type=Finite(min=0),
    default=6.0,
    show_default=True,
    help="With --expansions: leave out what is less likely by this natural logarithm; 0: nothing.",
)
@click.option(
    "--properties",
    type=Finite(min=0),
    default=0.0,
    show_default=True,
    help="With --expansions: how much the properties count in the choice among the ten likeliest trees.",
)
@click.option("--all-features", is_flag=True, help="Trees show all features, not only the grammar's tree_features.")
@click.option("--compact", is_flag=True, help="With -f json or jsonl: numbers in the place of names.")
@click.option("--trace", is_flag=True, help="Print every round and phase on standard error.")
@click.option("--check", is_flag=True, help="Compare each search with the evaluator.")
@click.option("--stats", is_flag=True, help="Print a tally of the run on standard error.")
@click.option("--watch", is_flag=True, help="Parse again whenever a file of the grammar changes.")
@click.option("--gold", is_flag=True, help="With --from: score the parses against the trees, on standard error.")
@takes(ParseOptions)
def parse(asked: ParseOptions) -> None:
    """Parse SENTENCES, or the lines of a file; - reads standard input."""
    from numbat.commands import preparing
    from numbat.commands.parsing import parse_sentences

    check_options(asked)
    if asked.form == "svg" and (asked.n > 1 or len(asked.sentences) != 1 or asked.sentences == ("-",)):
        raise UsageError("-f svg draws one parse of one sentence\n  -f html puts several on a page")
    if asked.watch:
        from numbat.cli import watching

        watching.watch(asked.grammar, sys.argv[1:], lambda told: click.echo(told, err=True))
    parser = _parser(asked)
    mapped = preparing.tag_map_of(asked.reading, parser.grammar)
    printer = _Printer(parser, asked, mapped)
    path = "-" if asked.sentences == ("-",) else asked.path
    if path == "-" and mapped is None and _is_terminal(sys.stdin):
        click.echo("numbat: type a sentence and Enter; Ctrl-D ends", err=True)
    sentences = preparing.sentences_of(parser, asked.sentences, path, asked.reading, mapped)
    run = parse_sentences(parser, sentences, asked.n, partial(click.echo, err=True) if asked.trace else None)
    run.hand_on(printer.take)
    printer.conclude(asked.stats, run.is_interrupted)
    end_run(run, printer.tally.failed, len(printer.tally.seconds))


def _parser(asked: ParseOptions) -> SentenceParser:
    from numbat.commands import preparing

    grammar = grammar_of(asked.grammar)
    if asked.parser.expansions:
        limited = asked.parser if is_given("max_items") else replace(asked.parser, max_items=None)
        return preparing.treebank_parser_of(grammar, limited)
    parser = preparing.parser_of(grammar, asked.parser)
    check_limits(parser.engine, asked.trace, parser.profile.election)
    return parser


class _Printer:
    """Prints what a run made of its sentences, one after the other, and at its end."""

    def __init__(self, parser: SentenceParser, asked: ParseOptions, mapped: TagMap | None) -> None:
        from numbat.report.parse_formats import FORMATS, TreeStyle
        from numbat.report.run_notes import RunNotes
        from numbat.runs.parsing import ParseTally

        reading = asked.reading
        has_tags = reading.tagger or reading.tagged or (reading.source and not reading.words)
        typed = () if asked.sentences == ("-",) else asked.sentences
        self._parser, self._form, self._chosen = parser, asked.form, FORMATS[asked.form]
        self._brackets_of_typed = asked.form == "bracket" and not reading.source
        self.tally = ParseTally()
        self._notes = RunNotes(None if has_tags else parser.grammar, typed, as_typed=not reading.source)
        self._color = _colored(sys.stdout)
        width = shutil.get_terminal_size((100, 24)).columns
        self._style = TreeStyle(self._color, width, asked.all_features, asked.compact)
        self._gold = _GoldScores(mapped) if reading.gold and mapped is not None else None
        self._first = True

    def take(self, record: Record[ParsedSentence]) -> None:
        """Print one sentence, or complain of it."""
        from numbat.runs.loop import Failure

        if isinstance(record, Failure):
            self.tally.failed += 1
            complain(record.as_error())
        else:
            self._print(record.value)

    def _print(self, parsed: ParsedSentence) -> None:
        from numbat.report.parse_formats import asides

        pieces, lost = self._chosen.pieces_of(parsed, self._style)
        for each in lost:
            complain(each)
        self.tally.failed += bool(lost)
        if lost and not pieces:
            return
        for piece in pieces:
            click.echo(self._chosen.placed(piece, self._first), nl=False, color=self._color)
            self._first = False
        self.tally.add(parsed)
        self._notes.add(parsed.sentence.id, parsed.sentence.lattice, parsed.parses[0].guessed, self._brackets_of_typed)
        if self._gold is not None:
            self._gold.add(parsed)
        for line in asides(parsed, self._form):
            click.echo(line, err=True)

    def conclude(self, stats: bool, interrupted: bool) -> None:
        """Close the output; notes, tally and scores go to standard error."""
        tally = self.tally
        click.echo(self._chosen.closing(empty=self._first), nl=False)
        if not tally.seconds and not tally.failed and not interrupted:
            click.echo("numbat: nothing to parse: no sentence was given", err=True)
        for line in self._notes.lines():
            click.echo(line, err=True)
        if stats:
            click.echo(f"{tally}; {self._parser.states} automaton states", err=True)
        if self._gold is not None:
            click.echo("\n".join(self._gold.lines()), err=True)


class _GoldScores:
    """Scores the best parses against the gold trees that came with their sentences."""

    def __init__(self, mapped: TagMap) -> None:
        from numbat.treebank.parses import gold_parameters

        self._parameters = gold_parameters(mapped)
        self._scored: list[SentenceScore] = []

    def add(self, parsed: ParsedSentence) -> None:
        """Score the best parse, if its sentence came with a tree."""
        from numbat.treebank.parses import score_parse

        sentence = parsed.sentence
        if sentence.gold is not None:
            self._scored.append(score_parse(sentence.id, sentence.gold, parsed.parses[0], self._parameters))

    def lines(self) -> Iterator[str]:
        """The scores of all, as `numbat score` prints them."""
        from numbat.report.score_text import score_lines
        from numbat.treebank.scores import TreebankScores

        return score_lines(TreebankScores(tuple(self._scored)), self._parameters.longest)


def _colored(stream: Any) -> bool:
    return _is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _is_terminal(stream: Any) -> bool:
    return bool(stream.isatty())


COMMANDS = (parse,)
