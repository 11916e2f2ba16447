"""The verbs decode and learn: labels of sequences under constraints, and what violations cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

import click

from numbat.cli.options import QUIET_OPTION, grammar_of, seed_option, takes, with_options
from numbat.cli.printing import Input, Output, complain, end_run, say, write, write_out
from numbat.cli.suite_options import SPREADSHEETS_OPTION, as_table
from numbat.commands.settings import DecodeSettings
from numbat.records import frozen

if TYPE_CHECKING:
    from numbat.decoding.constraints import Constraints
    from numbat.runs.decoding import Decoded

SEQUENCES = click.argument("path", metavar="LATTICES", type=Input())
FORM = click.option(
    "--from",
    "form",
    type=click.Choice(["jsonl", "att"]),
    help="The format of the file: JSON lines, or automata of AT&T and OpenFst. Default: by its name.",
)
GRAMMAR = click.option(
    "-g", "--grammar", type=Input(), metavar="GRAMMAR", required=True, help="A grammar file or a packaged name."
)
CONSTRUCTION = click.option(
    "--construction", metavar="NAME", help="The construction whose properties are the constraints."
)
DAUGHTERS = click.option(
    "--daughters",
    default="labels",
    show_default=True,
    type=click.Choice(["labels", "runs", "bio"]),
    help="What is one daughter: each label, each run of equal labels, each chunk of BIO labels.",
)
COUNTING = click.option(
    "--count",
    "counting",
    default="once",
    show_default=True,
    type=click.Choice(["once", "instance"]),
    help="What costs: a property that is violated at all, or (slower) each violated instance.",
)
PENALTIES = click.option("--penalties", type=Input(), help="A table of costs, as numbat learn penalties writes it.")
SOFT = click.option(
    "--soft/--hard",
    default=None,
    help="Every violation has its cost; or none is allowed. Default: as the grammar says.",
)
MAX_ITEMS = click.option(
    "--max-items",
    default=DecodeSettings().max_items,
    show_default=True,
    type=click.IntRange(min=1, max=2_000_000_000),
    help="Give a sequence up after so many items of products.",
)
CONSTRAINT_OPTIONS: Final = (GRAMMAR, CONSTRUCTION, DAUGHTERS, COUNTING)


@frozen
class DecodeOptions:
    """What `numbat decode` is asked for."""

    path: str
    grammar: str
    form_out: str
    stats: bool
    settings: DecodeSettings


@click.command(short_help="Label sequences under constraints.")
@SEQUENCES
@with_options(CONSTRAINT_OPTIONS)
@SOFT
@PENALTIES
@FORM
@click.option(
    "-f",
    "--format",
    "form_out",
    default="text",
    show_default=True,
    type=click.Choice(["text", "jsonl", "columns", "att"]),
    help="How labels are printed; columns has a token a line.",
)
@click.option("--stats", is_flag=True, help="Print on standard error what was violated and what decoding took.")
@MAX_ITEMS
@takes(DecodeOptions)
def decode(asked: DecodeOptions) -> None:
    """Label the sequences of LATTICES: the best labels under the properties of a construction.

    Its daughters are the labels. What is enforced and what is violated at what cost is told for each sequence.
    """
    from numbat.commands.decoding import constraints_for, decode_file
    from numbat.decoding.tally import Tally
    from numbat.report.decoding_text import tally_lines
    from numbat.runs.loop import Failure
    from numbat.runs.sources import HashLines

    constraints = constraints_for(grammar_of(asked.grammar), asked.settings)
    tally, labels = Tally(), set[str]()
    hash_lines = HashLines()
    run = decode_file(asked.path, constraints, asked.settings, asked.stats, hash_lines)
    for record in run:
        if isinstance(record, Failure):
            complain(record.as_error())
            continue
        labels.update(record.value.sequence.lattice.labels)
        if record.value.comparison is not None:
            tally.add(record.value.sequence, record.value.solution, record.value.comparison)
        for line in _lines(record.value, asked):
            write_out(line)
    if labels:
        tell_unseen(constraints, labels)
    for line in (*hash_lines.told(hint=""), *tally_lines(tally)):
        say(line)
    end_run(run, run.failures, run.successes)


def _lines(decoded: Decoded, asked: DecodeOptions) -> Iterator[str]:
    from numbat.report.decoding_text import att_lines, column_lines, json_line, text_lines

    match asked.form_out:
        case "jsonl":
            yield json_line(decoded)
        case "columns":
            yield from column_lines(decoded, asked.settings.daughters)
        case "att":
            yield from att_lines(decoded)
        case _:
            yield from text_lines(decoded, asked.settings.daughters)


def tell_unseen(
    constraints: Constraints, labels: Iterable[str], which: str = "which no lattice has as a label"
) -> None:
    """A name that is no label is mostly a mistake: its properties then say nothing, and nobody would notice."""
    from numbat.commands.decoding import unseen_labels

    for name, near in unseen_labels(constraints, labels):
        hint = f'did you mean "{near}"?' if near else "properties about it say nothing here"
        say(f'numbat: {constraints.construction} names "{name}", {which}\n  {hint}')


@click.group()
def learn() -> None:
    """Learn what violations cost, weights of trees, or structure from tags."""


@frozen
class PenaltyOptions:
    """What `numbat learn penalties` is asked for."""

    path: str
    grammar: str
    rounds: int
    rewards: bool
    output: str | None
    for_spreadsheets: bool
    write_grammar: str | None
    seed: int
    quiet: bool
    settings: DecodeSettings


@learn.command(short_help="Learn costs of constraints from labelled sequences.")
@SEQUENCES
@with_options(CONSTRAINT_OPTIONS)
@FORM
@click.option(
    "--rounds",
    default=0,
    show_default=True,
    type=click.IntRange(min=0),
    help="Rounds of a perceptron that begins with the log odds of violation; 0: the log odds.",
)
@click.option("--rewards", is_flag=True, help="With --rounds: costs may fall below 0.")
@click.option("-o", "--output", type=Output(), help="The table of costs; default: standard output.")
@SPREADSHEETS_OPTION
@click.option("--write-grammar", type=Output(), help="Write the grammar with the learned costs to this file.")
@seed_option("the order of sequences")
@QUIET_OPTION
@takes(PenaltyOptions)
def penalties(asked: PenaltyOptions) -> None:
    """Learn costs from the right labels of LATTICES ("gold"): smoothed log odds of violation, or a perceptron."""
    from numbat.commands.decoding import constraints_for, learn_penalties, with_penalties
    from numbat.decoding.penalties import table_text
    from numbat.grammar.printing import format_grammar
    from numbat.runs.sources import HashLines

    def told(line: str) -> None:
        if not asked.quiet:
            say(line)

    grammar = grammar_of(asked.grammar)
    constraints = constraints_for(grammar, asked.settings)
    hash_lines = HashLines()
    learned = learn_penalties(
        asked.path, constraints, asked.settings.form, asked.rounds, asked.seed, asked.rewards, told, hash_lines
    )
    for line in hash_lines.told(hint=""):
        say(line)
    if asked.write_grammar:
        priced = with_penalties(grammar, constraints.construction, learned)
        write(asked.write_grammar, format_grammar(priced))
    if asked.output:
        write(asked.output, as_table(table_text(learned), asked.for_spreadsheets))
    elif not asked.write_grammar:
        write_out(as_table(table_text(learned), asked.for_spreadsheets), end="")


COMMANDS = (decode, learn)
