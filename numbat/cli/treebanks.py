"""The verbs on treebanks: trees, expansions, score, check-trees."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from numbat.cli.options import (
    GRAMMAR_OPTION,
    QUIET_OPTION,
    RUN_OPTIONS,
    TREES_OPTION,
    format_option,
    grammar_of,
    seed_option,
    takes,
    with_options,
)
from numbat.cli.printing import Input, Output, complain, end, say, write, write_or_print, write_out
from numbat.cli.progress import Progress
from numbat.commands.settings import RunSettings
from numbat.records import frozen

if TYPE_CHECKING:
    from numbat.runs.trees import TreeReader


def _end(reader: TreeReader) -> None:
    if not reader.read:
        say("numbat: no tree was given")
    end(reader.bad, reader.good)


@frozen
class TreesOptions:
    """What `numbat trees` is asked for."""

    path: str
    source: str
    to: str
    bare: bool
    output: str | None


@click.command()
@click.argument("path", metavar="TREES", type=Input())
@TREES_OPTION
@click.option(
    "--to", type=click.Choice(["ptb", "conllu", "jsonl"]), default="ptb", show_default=True, help="The format."
)
@click.option("--bare", is_flag=True, help="Leave out empty elements, codes, functions, indexes and wrappers.")
@click.option("-o", "--output", type=Output(), help="A file; default: standard output.")
@takes(TreesOptions)
def trees(asked: TreesOptions) -> None:
    """Read TREES and write them in a format; - reads standard input."""
    from numbat.commands.treebanks import convert_trees
    from numbat.runs.trees import TreeReader

    reader = TreeReader(complain)
    found = convert_trees(asked.path, asked.source, asked.to, asked.bare, reader)
    if asked.output is None:
        for piece in found:
            write_out(piece, end="")
    else:
        write(asked.output, "".join(found))
    _end(reader)


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


@click.command()
@click.argument("paths", metavar="TREES...", nargs=-1, required=True, type=Input())
@TREES_OPTION
@click.option("-o", "--output", type=Output(), help="A file; default: standard output.")
@click.option("--punctuation", is_flag=True, help="Keep punctuation.")
@click.option(
    "--frequent",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Forms that occur so often with a tag are categories of their own.",
)
@click.option(
    "--least",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Refined phrases that occur less often lose their detail.",
)
@click.option("--note", multiple=True, help="A line of comment for the top of the file; may be repeated.")
@QUIET_OPTION
@takes(ExpansionsOptions)
def expansions(asked: ExpansionsOptions) -> None:
    """Count refined expansions in TREES, one or several files, for numbat parse --expansions."""
    from numbat.commands.treebanks import count_refined
    from numbat.parsing.treebank_grammar.expansions import expansion_lines
    from numbat.report.treebank_text import expansion_sizes
    from numbat.runs.trees import TreeReader

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


@click.command()
@click.argument("gold", type=Input())
@click.argument("predicted", type=Input())
@TREES_OPTION
@click.option("--params", type=Input(), help="An evalb parameter file; default: as COLLINS.prm.")
@click.option("--delete", multiple=True, metavar="LABEL", help="Leave this label or tag out; may be repeated.")
@click.option("--equal", multiple=True, metavar="A=B", help="Count two labels as the same; may be repeated.")
@format_option("comparison")
@seed_option("the resamples for intervals")
@click.option(
    "--samples",
    default=1_000,
    show_default=True,
    type=click.IntRange(2, 100_000),
    help="How many resamples for intervals.",
)
@with_options(RUN_OPTIONS)
@takes(ScoreOptions)
def score(asked: ScoreOptions) -> None:
    """Score the trees of PREDICTED against those of GOLD, in their order, as evalb does."""
    from numbat.commands.running import executor_of
    from numbat.commands.treebanks import parameters, score_files
    from numbat.report.score_text import score_json, score_lines
    from numbat.report.treebank_text import lost_json, lost_lines
    from numbat.runs.trees import TreeReader

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


@frozen
class CheckTreesOptions:
    """What `numbat check-trees` is asked for."""

    path: str
    grammar: str
    source: str
    form: str
    tag_map: str | None
    shown: int
    run: RunSettings


@click.command("check-trees")
@click.argument("path", metavar="TREES", type=Input())
@GRAMMAR_OPTION
@TREES_OPTION
@format_option("verdict on each tree", "jsonl")
@click.option("--tag-map", type=Input(), help="A file that maps the labels to categories, or ptb.map, ftb.map.")
@click.option(
    "-n", "shown", default=10, show_default=True, type=click.IntRange(min=0), help="With -f text: how many to show."
)
@with_options(RUN_OPTIONS)
@takes(CheckTreesOptions)
def check_trees(asked: CheckTreesOptions) -> None:
    """Judge each of TREES by a grammar: what it satisfies and what it violates, the worst first."""
    from numbat.commands import treebanks
    from numbat.commands.running import executor_of
    from numbat.report.treebank_text import lost_json, lost_lines, tag_hint, verdict_json, verdict_lines
    from numbat.runs.trees import TreeReader

    progress = Progress("trees", asked.run.quiet)
    reader = TreeReader(progress.complain)
    grammar = grammar_of(asked.grammar)
    executor = progress.over(executor_of(asked.run))
    verdicts = treebanks.check_trees(grammar, asked.path, reader, asked.source, asked.tag_map, executor)
    if asked.form == "text":
        write_out("\n".join([*verdict_lines(verdicts, asked.shown), *lost_lines(reader.lost)]))
    else:
        values = [*map(verdict_json, verdicts), *lost_json(reader.lost)]
        if asked.form == "json":
            write_out(json.dumps(values, ensure_ascii=False, indent=2))
        for value in values if asked.form == "jsonl" else ():
            write_out(json.dumps(value, ensure_ascii=False))
    if hint := tag_hint(verdicts, grammar):
        say(f"numbat: {hint}")
    _end(reader)


COMMANDS = (trees, expansions, score, check_trees)
