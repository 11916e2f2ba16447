"""The verbs on treebanks: trees, expansions, score."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from numbat.cli.options import (
    QUIET_OPTION,
    RUN_OPTIONS,
    TREES_OPTION,
    format_option,
    seed_option,
    takes,
    with_options,
)
from numbat.cli.printing import Input, Output, complain, end, end_trees, say, write, write_or_print, write_out
from numbat.cli.progress import Progress
from numbat.cli.verbs import INPUT, LEARNING, OUTPUT, option, verb
from numbat.commands.settings import RunSettings
from numbat.records import frozen

if TYPE_CHECKING:
    pass


@frozen
class TreesOptions:
    """What `numbat trees` is asked for."""

    path: str
    source: str
    form: str
    bare: bool
    output: str | None


@verb(
    "trees",
    "numbat trees trees.mrg",
    "numbat trees --bare -f conllu trees.mrg -o trees.conllu",
    "numbat trees --from conllu -f jsonl trees.conllu",
)
@click.argument("path", metavar="TREES", type=Input())
@TREES_OPTION
@format_option("ptb", "conllu", "jsonl", default="ptb", formerly={"--to": None})
@option(OUTPUT, "--bare", is_flag=True, help="Leave out empty elements, functions, indexes and wrappers.")
@option(OUTPUT, "-o", "--output", type=Output(), help="A file; default: standard output.")
@takes(TreesOptions)
def trees(asked: TreesOptions) -> None:
    """Convert TREES, a file of any treebank format, to brackets, CoNLL-U or JSON; - reads standard input."""
    from numbat.commands.treebanks import convert_trees
    from numbat.runs.jobs import TreeReader

    reader = TreeReader(complain)
    found = convert_trees(asked.path, asked.source, asked.form, asked.bare, reader)
    if asked.output is None:
        for piece in found:
            write_out(piece, end="")
    else:
        write(asked.output, "".join(found))
    end_trees(reader)


@frozen
class ExpansionsOptions:
    """What `numbat expansions` is asked for."""

    paths: tuple[str, ...]
    source: str
    output: str | None
    punctuation: bool
    frequent: int
    least: int
    note: tuple[str, ...]
    quiet: bool


@verb(
    "expansions",
    "numbat expansions trees.mrg -o small.exp",
    "numbat expansions --min-count 1 --frequent 5 trees.mrg",
)
@click.argument("paths", metavar="TREES...", nargs=-1, required=True, type=Input())
@TREES_OPTION
@option(OUTPUT, "-o", "--output", type=Output(), help="A file; default: standard output.")
@option(LEARNING, "--punctuation", is_flag=True, help="Keep punctuation.")
@option(
    LEARNING,
    "--frequent",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Forms that occur so often with a tag are categories of their own.",
    advanced=True,
)
@option(
    LEARNING,
    "--min-count",
    "least",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    formerly={"--least": None},
    help="Refined phrases that occur less often lose their detail.",
)
@option(
    OUTPUT, "--note", multiple=True, help="A line of comment for the top of the file; may be repeated.", advanced=True
)
@QUIET_OPTION
@takes(ExpansionsOptions)
def expansions(asked: ExpansionsOptions) -> None:
    """Count refined expansions in TREES, one or several files, by which numbat parse --expansions finds trees."""
    from numbat.commands.treebanks import count_refined
    from numbat.parsing.treebank_grammar.expansions import expansion_lines
    from numbat.report.treebanks import expansion_sizes
    from numbat.runs.jobs import TreeReader

    with Progress("trees", asked.quiet) as progress:
        reader = TreeReader(progress.complain, progress.advance)
        found = count_refined(asked.paths, asked.source, reader, asked.punctuation, asked.frequent, asked.least)
    write_or_print(asked.output, "".join(f"{line}\n" for line in expansion_lines(found, asked.note)))
    if asked.output is not None:
        say(f"{asked.output}: {expansion_sizes(found)}")
    end(reader.bad, reader.good)


@frozen
class ScoreOptions:
    """What `numbat score` is asked for."""

    gold: str
    predicted: str
    source: str
    params: str | None
    delete: tuple[str, ...]
    equal: tuple[str, ...]
    form: str
    seed: int
    samples: int
    run: RunSettings


@verb(
    "score",
    "numbat score gold.mrg parsed.mrg",
    "numbat score --equal ADVP=PRT --delete PUNCT gold.mrg parsed.mrg",
    "numbat score -f json --seed 7 gold.mrg parsed.mrg",
)
@click.argument("gold", type=Input())
@click.argument("predicted", type=Input())
@TREES_OPTION
@option(INPUT, "--params", type=Input(), help="An evalb parameter file; default: as COLLINS.prm.", advanced=True)
@option(INPUT, "--delete", multiple=True, metavar="LABEL", help="Leave this label or tag out; may be repeated.")
@option(INPUT, "--equal", multiple=True, metavar="A=B", help="Count two labels as the same; may be repeated.")
@format_option("text", "json")
@seed_option("the resamples for intervals", OUTPUT)
@option(
    OUTPUT,
    "--resamples",
    "samples",
    default=1_000,
    show_default=True,
    type=click.IntRange(2, 100_000),
    advanced=True,
    formerly={"--samples": None},
    help="Number of resamples for intervals.",
)
@with_options(RUN_OPTIONS)
@takes(ScoreOptions)
def score(asked: ScoreOptions) -> None:
    """Score the trees of PREDICTED against those of GOLD, in their order: labelled brackets, as evalb counts them."""
    from numbat.commands.parsing import executor_of
    from numbat.commands.treebanks import parameters, score_files
    from numbat.report.treebanks import lost_json, lost_lines, score_json, score_lines
    from numbat.runs.jobs import TreeReader

    chosen = parameters(asked.params, asked.delete, asked.equal)
    progress = Progress("trees", asked.run.quiet)
    reader = TreeReader(progress.complain)
    executor = progress.over(executor_of(asked.run))
    scores = score_files(asked.gold, asked.predicted, asked.source, chosen, reader, executor)
    if asked.form == "json":
        found = score_json(scores, chosen.longest, asked.seed, asked.samples)
        found |= {"lost": lost_json(reader.lost)} if reader.lost else {}
        write_out(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        lines = score_lines(scores, chosen.longest, asked.seed, asked.samples)
        write_out("\n".join([*lines, *lost_lines(reader.lost)]))
    end(reader.bad, len(scores.scored))
