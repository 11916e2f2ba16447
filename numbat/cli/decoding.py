"""The verbs decode and learn: labels of sequences under constraints, and what violations cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

import click

from numbat.cli.options import (
    NAMED_GRAMMAR_OPTION,
    QUIET_OPTION,
    format_option,
    grammar_of,
    seed_option,
    source_option,
    takes,
    with_options,
)
from numbat.cli.printing import Input, Output, complain, end_run, say, write, write_out
from numbat.cli.suite_options import SPREADSHEETS_OPTION, as_table
from numbat.cli.verbs import GRAMMAR, LEARNING, OUTPUT, SEARCH, option, verb
from numbat.commands.settings import DecodeSettings
from numbat.records import frozen

if TYPE_CHECKING:
    from numbat.decoding.constraints import Constraints
    from numbat.runs.jobs import Decoded

SEQUENCES = click.argument("path", metavar="LATTICES", type=Input())
FORM = source_option(("jsonl", "att"), "the file (default: by its name)", default=None, field="form")
CONSTRUCTION = option(
    GRAMMAR, "--construction", metavar="NAME", help="The construction whose properties are the constraints."
)
DAUGHTERS = option(
    GRAMMAR,
    "--daughters",
    default="labels",
    show_default=True,
    type=click.Choice(["labels", "runs", "bio"]),
    metavar="WHAT",
    help="What one daughter is: each of the labels, of the runs of equal labels, or of the bio chunks.",
)
COUNTING = option(
    GRAMMAR,
    "--counting",
    metavar="WHAT",
    formerly={"--count": None},
    default="once",
    show_default=True,
    type=click.Choice(["once", "instance"]),
    help="What costs: a property that is violated at all (once), or each violated instance (slower).",
    advanced=True,
)
PENALTIES = option(GRAMMAR, "--penalties", type=Input(), help="A table of costs, as numbat learn penalties writes it.")
SOFT = option(
    GRAMMAR,
    "--soft/--hard",
    default=None,
    help="Every violation has its cost, or none is allowed (default: as the grammar says).",
)
MAX_ITEMS = option(
    SEARCH,
    "--max-items",
    default=DecodeSettings().max_items,
    show_default=True,
    type=click.IntRange(min=1, max=2_000_000_000),
    help="Give a sequence up after so many items.",
    advanced=True,
)
CONSTRAINT_OPTIONS: Final = (NAMED_GRAMMAR_OPTION, CONSTRUCTION, DAUGHTERS, COUNTING)


@frozen
class DecodeOptions:
    """What `numbat decode` is asked for."""

    path: str
    grammar: str
    form_out: str
    stats: bool
    settings: DecodeSettings


@verb(
    "decode",
    "numbat decode -g roles.pg roles.jsonl",
    "numbat decode -g roles.pg --soft -f columns --stats roles.jsonl",
)
@SEQUENCES
@with_options(CONSTRAINT_OPTIONS)
@SOFT
@PENALTIES
@FORM
@format_option("text", "jsonl", "columns", "att", field="form_out")
@option(OUTPUT, "--stats", is_flag=True, help="Print on standard error what was violated, and what decoding took.")
@MAX_ITEMS
@takes(DecodeOptions)
def decode(asked: DecodeOptions) -> None:
    """Label the sequences of LATTICES: find the best labels under the properties of a construction, whose daughters
    they are. The output says for each sequence what was enforced, and what is violated at what cost.
    """
    from numbat.commands.sequences import constraints_for, decode_file
    from numbat.decoding.penalties import Tally
    from numbat.report.decoding import tally_lines
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
    from numbat.report.decoding import att_lines, column_lines, json_line, text_lines

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
    from numbat.commands.sequences import unseen_labels

    for name, near in unseen_labels(constraints, labels):
        hint = f'did you mean "{near}"?' if near else "properties about it say nothing here"
        say(f'numbat: {constraints.construction} names "{name}", {which}\n  {hint}')


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


@verb(
    "learn penalties",
    "numbat learn penalties -g roles.pg roles.jsonl",
    "numbat learn penalties -g roles.pg --epochs 5 roles.jsonl -o costs.tsv --write-grammar priced.pg",
)
@SEQUENCES
@with_options(CONSTRAINT_OPTIONS)
@FORM
@option(
    LEARNING,
    "--epochs",
    "rounds",
    formerly={"--rounds": None},
    default=0,
    show_default=True,
    type=click.IntRange(min=0),
    help="Passes of a perceptron that begins with the log odds of violation; 0: the log odds.",
)
@option(LEARNING, "--rewards", is_flag=True, help="With --epochs: costs may fall below 0.", advanced=True)
@option(OUTPUT, "-o", "--output", type=Output(), help="File for the table of costs (default: standard output).")
@SPREADSHEETS_OPTION
@option(OUTPUT, "--write-grammar", type=Output(), help="Write the grammar with the learned costs to this file.")
@seed_option("the order of sequences")
@QUIET_OPTION
@takes(PenaltyOptions)
def penalties(asked: PenaltyOptions) -> None:
    """Learn what violated constraints cost from the right labels of LATTICES ("gold"): smoothed log odds of violation,
    or a perceptron."""
    from numbat.commands.sequences import constraints_for, learn_penalties, with_penalties
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
