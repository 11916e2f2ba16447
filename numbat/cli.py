"""The command line: arguments in, results on standard output, everything else on standard error.

`parse` is here; every other verb is in `numbat/verbs/`, a module for each family, and is added to the group below.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
from typing import TYPE_CHECKING, Any

import click

from numbat.errors import DataError, NumbatError, UsageError
from numbat.verbs import expansions, grammars, reasons, suites, tagging, treebanks
from numbat.verbs.printing import complain
from numbat.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numbat.commands.reading import Sentence
    from numbat.parsing.expansions import Expansions
    from numbat.parsing.parser import Parser

EXIT_CODES = """\b
Exit codes:
  0   done (a sentence with violations is no failure)
  1   numbat test: the grammar judges otherwise than expected
  2   wrong usage
  65  bad data: a grammar or a sentence that cannot be read
  66  a file is missing
  69  a library of an extra is missing
  75  some trees of a treebank cannot be read; the others are done
Results go to standard output, everything else to standard error."""


def _show_version(context: click.Context, option: click.Parameter, asked: bool) -> None:
    if asked:
        from numbat.parsing import compiled

        click.echo(f"numbat {__version__} ({compiled.kind()} kernel)")
        context.exit()


@click.group(epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_version,
    help="Show the version and the kernel in use, and exit.",
)
def cli() -> None:
    """Numbat parses any sentence, well-formed or not, with a Property Grammar, and says which properties it
    satisfies and which it violates."""


@cli.command()
@click.argument("sentences", nargs=-1)
@click.option(
    "-g", "--grammar", "name", default="english", show_default=True, help="A grammar file or a packaged name."
)
@click.option("-i", "--input", "path", help="A file with a sentence a line; - for standard input.")
@click.option(
    "-f",
    "--format",
    "form",
    default="tree",
    show_default=True,
    type=click.Choice(["tree", "bracket", "json", "jsonl", "tsv"]),
    help="How parses are printed.",
)
@click.option("-n", "n", default=1, show_default=True, type=click.IntRange(min=1), help="How many parses, best first.")
@click.option(
    "--profile", default="default", show_default=True, help="Heuristics: default, paper, strict, loose, discontinuous."
)
@click.option("--election", help="Election: per-construction, best-combination, beam, all (default: the profile's).")
@click.option("--valuation", default="relaxation", show_default=True, help="What is best: relaxation, net.")
@click.option("--without", multiple=True, metavar="H1..H5", help="Switch a heuristic off; may be repeated.")
@click.option("--engine", default="auto", show_default=True, help="Engine: auto, exact, phases.")
@click.option("--tagged", is_flag=True, help="Words carry categories: word/TAG or word/TAG1|TAG2.")
@click.option(
    "--from", "source", type=click.Choice(["ptb"]), help="Input is a bracketed treebank: take its tagged words."
)
@click.option("--tag-map", help="The file that maps treebank tags to categories (default: ptb.map, or the tags alone).")
@click.option("--tagger", metavar="MODEL", help="A tagger for the words that the lexicon does not have.")
@click.option(
    "--tags",
    type=click.Choice(["lattice", "best"]),
    default="lattice",
    show_default=True,
    help="With --tagger: every likely tag of a word with its confidence, or the best one alone.",
)
@click.option("--max-length", type=click.IntRange(min=1), help="With --from: leave out longer sentences.")
@click.option(
    "--max-assignments",
    type=click.IntRange(min=1),
    default=50_000,
    show_default=True,
    help="Stop a sentence after so many assignments (phases engine) and give the best so far.",
)
@click.option(
    "--max-items",
    type=click.IntRange(min=1),
    default=300_000,
    show_default=True,
    help="Stop a sentence after so many items (exact engine).",
)
@click.option(
    "--max-states",
    type=click.IntRange(min=1),
    help="Approximate: keep no more unfinished constituents over any span than so many, the cheapest (exact engine).",
)
@click.option("--max-rounds", type=click.IntRange(min=1), help="Stop a sentence after so many rounds (phases engine).")
@click.option(
    "--max-constituents", type=click.IntRange(min=1), help="Stop a sentence after so many constituents (phases engine)."
)
@click.option("--max-seconds", type=click.FloatRange(min=0, min_open=True), help="Stop a sentence after so long.")
@click.option("--beam", default=5, show_default=True, type=click.IntRange(min=1), help="The k of the election beam.")
@click.option("--expansions", metavar="FILE", help="Take the likeliest tree by the counts of numbat expansions.")
@click.option(
    "--prune",
    type=click.FloatRange(min=0),
    default=6.0,
    show_default=True,
    help="With --expansions: leave out what is less likely by this natural logarithm; 0: nothing.",
)
@click.option("--trace", is_flag=True, help="Print every round and phase on standard error.")
@click.option("--check", is_flag=True, help="Compare each search with the evaluator.")
@click.option("--stats", is_flag=True, help="Print a tally of the run on standard error.")
@click.option("--watch", is_flag=True, help="Parse again whenever a file of the grammar changes.")
@click.option("--gold", is_flag=True, help="With --from: score the parses against the trees, on standard error.")
def parse(
    sentences: tuple[str, ...], path: str | None, form: str, n: int, trace: bool, stats: bool, **options: Any
) -> None:
    """Parse SENTENCES, or the lines of a file; - reads standard input."""
    from numbat.commands import parsing

    if not sentences and path is None:
        raise UsageError(
            'no sentence\n  type one in quotes, as in numbat parse "The cat sleeps", or give a file with -i'
        )
    _check_options(sentences, path, options)
    if options["watch"]:
        from numbat.commands import watching

        watching.watch(options["name"], sys.argv[1:], lambda told: click.echo(told, err=True))
    parser = _parser(options)
    chosen = parsing.FORMATS[form]
    tally = parsing.Tally()
    judge = parsing.Judge() if options["gold"] else None
    color = _colored(sys.stdout)
    width = shutil.get_terminal_size((100, 24)).columns
    first = True
    for sentence in _sentences(sentences, path, parser, options):
        if isinstance(sentence, DataError):
            tally.failed += 1
            complain(sentence)
            continue
        parsed = parsing.parse_sentence(parser, sentence, n, trace)
        for line in parsed.trace:
            click.echo(line, err=True)
        for piece in chosen.pieces(parsed, color, width):
            click.echo(chosen.opening(piece, first), nl=False, color=color)
            first = False
        tally.add(parsed)
        if judge is not None:
            judge.add(parsed)
        if parsed.parses[0].stopped_by is not None and form != "tree":
            click.echo(f"numbat: {sentence.id}: stopped by the limit on {parsed.parses[0].stopped_by}", err=True)
    click.echo(chosen.closing(empty=first), nl=False)
    if stats:
        click.echo(f"{tally}; {parser.states} automaton states", err=True)
    if judge is not None:
        click.echo("\n".join(judge.lines()), err=True)
    if tally.failed:
        sys.exit(DataError.exit_code)


def _check_options(sentences: tuple[str, ...], path: str | None, options: dict[str, Any]) -> None:
    """Raises UsageError for options that would do nothing."""
    if sentences and path is not None:
        raise UsageError("sentences and a file\n  give one of them")
    if options["source"] and path is None:
        raise UsageError("--from reads a file\n  name it with -i FILE")
    if options["source"] and options["tagged"]:
        raise UsageError("--tagged and --from\n  a treebank is tagged by itself: leave --tagged out")
    if options["max_length"] is not None and not options["source"]:
        raise UsageError("--max-length needs a treebank\n  add --from ptb")
    if options["tag_map"] is not None and not options["source"] and not options["tagger"]:
        raise UsageError("--tag-map needs tags\n  add --from ptb or --tagger MODEL")
    if options["tagger"] and options["tagged"]:
        raise UsageError("--tagged and --tagger\n  words carry tags already: leave one of them out")
    if options["gold"] and not options["source"]:
        raise UsageError("--gold needs a treebank\n  add --from ptb")


def _parser(options: dict[str, Any]) -> Parser:
    from numbat.grammar.loading import load_grammar
    from numbat.parsing.parser import Parser
    from numbat.parsing.policies import Limits

    limits = Limits(
        rounds=options["max_rounds"],
        assignments=options["max_assignments"],
        constituents=options["max_constituents"],
        seconds=options["max_seconds"],
        items=options["max_items"],
        states=options["max_states"],
        width=options["beam"],
    )
    grammar = load_grammar(options["name"])
    gc.freeze()
    gc.enable()
    return Parser(
        grammar,
        options["profile"],
        options["election"],
        options["valuation"],
        limits,
        options["without"],
        options["engine"],
        options["check"],
        _expansions(options["expansions"]),
        options["prune"] or None,
    )


def _expansions(path: str | None) -> Expansions | None:
    if path is None:
        return None
    from numbat.parsing.expansions import read_expansions

    return read_expansions(path)


def _sentences(
    sentences: tuple[str, ...], path: str | None, parser: Parser, options: dict[str, Any]
) -> Iterable[Sentence | DataError]:
    from numbat.commands import reading

    if options["source"] and path is not None:
        found = reading.treebank(path, options["tag_map"], parser.words, options["max_length"])
    else:
        if path is None and sentences == ("-",):
            path = "-"
        lines = reading.given(sentences) if path is None else reading.lines_of(path)
        found = reading.sentences(lines, parser.words, options["tagged"])
    if options["tagger"]:
        from numbat.commands.tagging import guesser

        return guesser(options["tagger"], options["tag_map"], parser.words, options["tags"] == "best").sentences(found)
    return found


for _command in (*grammars.COMMANDS, *reasons.COMMANDS, *suites.COMMANDS, *treebanks.COMMANDS, *tagging.COMMANDS):
    cli.add_command(_command)
cli.add_command(expansions.expansions)


def _colored(stream: Any) -> bool:
    return _is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _is_terminal(stream: Any) -> bool:
    return bool(stream.isatty())


def main() -> None:
    """Run the command line; errors become messages and exit codes, a closed pipe ends silently.

    Nothing is garbage before the sentences come: until the grammar is read, the collector would only slow the start.
    """
    gc.disable()
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        cli(standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        click.echo("numbat: interrupted", err=True)
        sys.exit(130)
    except NumbatError as error:
        complain(error)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
