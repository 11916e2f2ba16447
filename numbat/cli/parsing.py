"""The verb `parse`: its options, and the run over what is to be parsed."""

from __future__ import annotations

import os
import shutil
import sys
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
    with_options,
)
from numbat.cli.parse_options import check_limits, check_options
from numbat.cli.printing import Input, complain, end
from numbat.errors import DataError, UsageError
from numbat.parsing.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numbat.commands.parsing import Judge, Parsed
    from numbat.commands.reading import Sentence
    from numbat.parsing.parser import Parser
    from numbat.parsing.treebank_grammar.expansions import Expansions
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
    default=Limits().assignments,
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
@click.option("--trace", is_flag=True, help="Print every round and phase on standard error.")
@click.option("--check", is_flag=True, help="Compare each search with the evaluator.")
@click.option("--stats", is_flag=True, help="Print a tally of the run on standard error.")
@click.option("--watch", is_flag=True, help="Parse again whenever a file of the grammar changes.")
@click.option("--gold", is_flag=True, help="With --from: score the parses against the trees, on standard error.")
def parse(
    sentences: tuple[str, ...], path: str | None, form: str, n: int, trace: bool, stats: bool, **options: Any
) -> None:
    """Parse SENTENCES, or the lines of a file; - reads standard input."""
    from numbat.commands import parsing, reading

    check_options(sentences, path, form, trace, options)
    if form == "svg" and (n > 1 or len(sentences) != 1 or sentences == ("-",)):
        raise UsageError("-f svg draws one parse of one sentence\n  -f html puts several on a page")
    if options["watch"]:
        from numbat.commands import watching

        watching.watch(options["name"], sys.argv[1:], lambda told: click.echo(told, err=True))
    parser = _parser(options)
    if not options["expansions"]:
        check_limits(parser.engine, trace, parser.profile.election)
    mapped = reading.tag_map_of(options["tag_map"], parser.grammar) if options["source"] else None
    if mapped is not None and (options["words"] or options["tagger"]):
        mapped = reading.without_tags(mapped)
    judge = parsing.Judge(mapped) if options["gold"] and mapped else None
    run = _Run(parser, form, options, judge, () if sentences == ("-",) else sentences)
    tell = partial(click.echo, err=True) if trace else None
    for sentence in _sentences(sentences, path, parser, mapped, options):
        try:
            if isinstance(sentence, DataError):
                raise sentence
            parsed = parsing.parse_sentence(parser, sentence, n, tell)
        except DataError as error:
            run.fail(error)
        else:
            run.add(parsed)
    run.conclude(stats)


class _Run:
    """What is printed of the sentences of a run, one after the other, and at its end."""

    def __init__(
        self, parser: Parser, form: str, options: dict[str, Any], judge: Judge | None, typed: tuple[str, ...]
    ) -> None:
        from numbat.commands import parsing, reading

        has_tags = options["tagger"] or options["tagged"] or (options["source"] and not options["words"])
        self._parser, self._judge = parser, judge
        self._form, self._chosen = form, parsing.FORMATS[form]
        self._brackets_of_typed = form == "bracket" and not options["source"]
        self._tally = parsing.Tally()
        self._notes = reading.Notes(None if has_tags else parser.grammar, typed, as_typed=not options["source"])
        self._color = _colored(sys.stdout)
        width = shutil.get_terminal_size((100, 24)).columns
        self._style = parsing.Style(self._color, width, options["all_features"])
        self._first = True

    def fail(self, error: DataError) -> None:
        self._tally.failed += 1
        complain(error)

    def add(self, parsed: Parsed) -> None:
        pieces, lost = self._chosen.written(parsed, self._style)
        for each in lost:
            complain(each)
        self._tally.failed += bool(lost)
        if lost and not pieces:
            return
        for piece in pieces:
            click.echo(self._chosen.placed(piece, self._first), nl=False, color=self._color)
            self._first = False
        self._tally.add(parsed)
        self._notes.add(parsed.sentence.id, parsed.sentence.lattice, parsed.parses[0].guessed, self._brackets_of_typed)
        if self._judge is not None:
            self._judge.add(parsed)
        for line in parsed.asides(self._form):
            click.echo(line, err=True)

    def conclude(self, stats: bool) -> None:
        """Close the output; notes, tally and scores go to standard error. Exits with 75 where some failed."""
        tally = self._tally
        click.echo(self._chosen.closing(empty=self._first), nl=False)
        if not tally.seconds and not tally.failed:
            click.echo("numbat: nothing to parse: no sentence was given", err=True)
        for line in self._notes.lines():
            click.echo(line, err=True)
        if stats:
            click.echo(f"{tally}; {self._parser.states} automaton states", err=True)
        if self._judge is not None:
            click.echo("\n".join(self._judge.lines()), err=True)
        end(tally.failed, len(tally.seconds))


def _parser(options: dict[str, Any]) -> Parser:
    from numbat.parsing.parser import Parser

    limits = Limits(
        rounds=options["max_rounds"],
        assignments=options["max_assignments"],
        constituents=options["max_constituents"],
        seconds=options["max_seconds"],
        items=options["max_items"],
        states=options["max_states"],
        width=options["beam"],
    )
    return Parser(
        grammar_of(options["name"]),
        profile=options["profile"],
        election=options["election"],
        valuation=options["valuation"],
        limits=limits,
        without=options["without"],
        engine=options["engine"],
        check=options["check"],
        expansions=_expansions(options["expansions"]),
        prune=options["prune"] or None,
        properties=options["properties"],
    )


def _expansions(path: str | None) -> Expansions | None:
    if path is None:
        return None
    from numbat.parsing.treebank_grammar.expansions import read_expansions

    return read_expansions(path)


def _sentences(
    sentences: tuple[str, ...], path: str | None, parser: Parser, mapped: TagMap | None, options: dict[str, Any]
) -> Iterable[Sentence | DataError]:
    """What is to be parsed; `mapped` where it comes from a treebank."""
    from numbat.commands import reading

    if mapped is not None and path is not None:
        lenient = bool(options["words"] or options["tagger"])
        found = reading.treebank(path, options["source"], mapped, parser.words, options["gold"], lenient)
        found = reading.up_to(options["max_length"], found)
        if options["words"]:
            found = reading.words_alone(found, parser.words)
    else:
        if path is None and sentences == ("-",):
            path = "-"
        if path == "-" and _is_terminal(sys.stdin):
            click.echo("numbat: type a sentence and Enter; Ctrl-D ends", err=True)
        lines = reading.given(sentences) if path is None else reading.lines_of(path)
        found = reading.sentences(lines, parser.words, options["tagged"])
    if options["tagger"]:
        from numbat.commands.tagging import BESIDE_EXPANSIONS, guesser

        trust = BESIDE_EXPANSIONS if options["expansions"] else 1.0
        best = options["tags"] == "best"
        return guesser(options["tagger"], options["tag_map"], parser.words, best, trust).sentences(found)
    return found


def _colored(stream: Any) -> bool:
    return _is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _is_terminal(stream: Any) -> bool:
    return bool(stream.isatty())


COMMANDS = (parse,)
