"""The command line: arguments in, results on standard output, everything else on standard error.

`parse` is here; every other verb is in `numbat/verbs/`, a module for each family, and is added to the group below.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
from contextlib import suppress
from errno import EBADF
from typing import TYPE_CHECKING, Any

import click

from numbat.errors import OUTPUT_FAILED, DataError, NumbatError, UsageError
from numbat.parsing.policies import Limits
from numbat.verbs import expansions, grammars, reasons, suites, tagging, treebanks
from numbat.verbs.options import GRAMMAR_OPTION, grammar_of, input_option
from numbat.verbs.parse_options import check_limits, check_options
from numbat.verbs.printing import complain, end, keep_inputs
from numbat.verbs.short_help import SHORT_HELP
from numbat.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numbat.commands.reading import Sentence
    from numbat.parsing.expansions import Expansions
    from numbat.parsing.parser import Parser
    from numbat.treebank.tagmap import TagMap

EXIT_CODES = """\b
Exit codes:
  0   done (a sentence with violations is no failure)
  1   numbat test: the grammar judges otherwise than expected
  2   wrong usage
  65  bad data: a grammar that cannot be read, or no sentence that can
  66  a file is missing
  69  a library of an extra is missing
  73  a file cannot be written
  74  standard output cannot be written
  75  some sentences or trees cannot be read; the others are done
  130 interrupted (Ctrl-C)
  141 what reads the output has ended (a pipe)
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
@click.option("--words", is_flag=True, help="With --from: the words alone, not their tags.")
@click.option("--max-length", type=click.IntRange(min=1), help="With --from: leave out longer sentences.")
@click.option(
    "--max-assignments",
    type=click.IntRange(min=1),
    default=Limits().assignments,
    show_default=True,
    help="Stop a sentence after so many assignments (phases engine) and give the best so far.",
)
@click.option(
    "--max-items",
    type=click.IntRange(min=1),
    default=Limits().items,
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
@click.option(
    "--properties",
    type=click.FloatRange(min=0),
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
    chosen = parsing.FORMATS[form]
    has_tags = options["tagger"] or options["tagged"] or (options["source"] and not options["words"])
    tally, notes = parsing.Tally(), reading.Notes(None if has_tags else parser.grammar)
    mapped = reading.tag_map_of(options["tag_map"], parser.grammar) if options["source"] else None
    judge = parsing.Judge(mapped) if options["gold"] and mapped else None
    color = _colored(sys.stdout)
    style = parsing.Style(color, shutil.get_terminal_size((100, 24)).columns, options["all_features"])
    first = True
    for sentence in _sentences(sentences, path, parser, mapped, options):
        try:
            if isinstance(sentence, DataError):
                raise sentence
            parsed = parsing.parse_sentence(parser, sentence, n, trace)
        except DataError as error:
            tally.failed += 1
            complain(error)
            continue
        pieces, lost = chosen.written(parsed, style)
        for each in lost:
            complain(each)
        tally.failed += bool(lost)
        if lost and not pieces:
            continue
        for line in parsed.trace:
            click.echo(line, err=True)
        for piece in pieces:
            click.echo(chosen.opening(piece, first), nl=False, color=color)
            first = False
        tally.add(parsed)
        notes.add(sentence.id, sentence.lattice, parsed.guessed, form == "bracket" and not options["source"])
        if judge is not None:
            judge.add(parsed)
        for line in parsed.asides(form):
            click.echo(line, err=True)
    click.echo(chosen.closing(empty=first), nl=False)
    if not tally.seconds and not tally.failed:
        click.echo("numbat: nothing to parse: no sentence was given", err=True)
    for line in notes.lines():
        click.echo(line, err=True)
    if stats:
        click.echo(f"{tally}; {parser.states} automaton states", err=True)
    if judge is not None:
        click.echo("\n".join(judge.lines()), err=True)
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
        options["profile"],
        options["election"],
        options["valuation"],
        limits,
        options["without"],
        options["engine"],
        options["check"],
        _expansions(options["expansions"]),
        options["prune"] or None,
        options["properties"],
    )


def _expansions(path: str | None) -> Expansions | None:
    if path is None:
        return None
    from numbat.parsing.expansions import read_expansions

    return read_expansions(path)


def _sentences(
    sentences: tuple[str, ...], path: str | None, parser: Parser, mapped: TagMap | None, options: dict[str, Any]
) -> Iterable[Sentence | DataError]:
    """What is to be parsed; `mapped` where it comes from a treebank."""
    from numbat.commands import reading

    if mapped is not None and path is not None:
        found = reading.treebank(path, mapped, parser.words, options["max_length"])
        if options["words"]:
            found = reading.words_alone(found, parser.words)
    else:
        if path is None and sentences == ("-",):
            path = "-"
        lines = reading.given(sentences) if path is None else reading.lines_of(path)
        found = reading.sentences(lines, parser.words, options["tagged"])
    if options["tagger"]:
        from numbat.commands.tagging import BESIDE_EXPANSIONS, guesser

        trust = BESIDE_EXPANSIONS if options["expansions"] else 1.0
        best = options["tags"] == "best"
        return guesser(options["tagger"], options["tag_map"], parser.words, best, trust).sentences(found)
    return found


for _command in (*grammars.COMMANDS, *reasons.COMMANDS, *suites.COMMANDS, *treebanks.COMMANDS, *tagging.COMMANDS):
    cli.add_command(_command)
cli.add_command(expansions.expansions)
for _name, _command in cli.commands.items():
    _command.short_help = SHORT_HELP[_name]
    keep_inputs(_command)


def _colored(stream: Any) -> bool:
    return _is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _is_terminal(stream: Any) -> bool:
    return bool(stream.isatty())


def main() -> None:
    """Run the command line; errors become messages and exit codes, a closed pipe ends silently.

    An interrupt is left to `numbat.__main__`, which also tells of one that comes while modules are loaded.

    Nothing is garbage before the sentences come: until the grammar is read, the collector would only slow the start.
    """
    gc.disable()
    _open_streams()
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
        raise KeyboardInterrupt from None
    except NumbatError as error:
        complain(error)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        _drop_output()
        sys.exit(141)
    except OSError as error:
        _drop_output()
        complain(_failed(error))
        sys.exit(OUTPUT_FAILED)


def _open_streams() -> None:
    """A process may be started without some of its streams: nothing is read, what is said of it is dropped."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        complain(_failed(OSError(EBADF, "it is closed")))
        sys.exit(OUTPUT_FAILED)


def _drop_output() -> None:
    """What is still to be flushed at the end goes nowhere."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _failed(error: OSError) -> NumbatError:
    """What to say of an error of the system that no command expects."""
    if error.filename is not None:
        return NumbatError(f"{error.filename}: {error.strerror}\n  the disk or the folder has to be put right first")
    return NumbatError(f"standard output cannot be written: {error.strerror}\n  make room, or send it somewhere else")
