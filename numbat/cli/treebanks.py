"""The verbs on treebanks: trees, induce, score, check-trees."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from numbat.cli.options import (
    GRAMMAR_OPTION,
    QUIET_OPTION,
    RUN_OPTIONS,
    TREES_OPTION,
    Finite,
    format_option,
    grammar_of,
    seed_option,
    takes,
    with_options,
)
from numbat.cli.printing import Input, Output, complain, end, write, write_or_print
from numbat.cli.progress import Progress
from numbat.commands.settings import RunSettings

if TYPE_CHECKING:
    from numbat.runs.trees import TreeReader


def _end(reader: TreeReader) -> None:
    if not reader.read:
        click.echo("numbat: no tree was given", err=True)
    end(reader.bad, reader.good)


@dataclass(frozen=True, slots=True)
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
            click.echo(piece, nl=False)
    else:
        write(asked.output, "".join(found))
    _end(reader)


@dataclass(frozen=True, slots=True)
class InduceOptions:
    """What `numbat induce` is asked for."""

    paths: tuple[str, ...]
    source: str
    output: str | None
    lexicon: str | None
    rules: str | None
    name: str | None
    note: tuple[str, ...]
    support: int
    w0: float
    count: int
    expected: float
    hard: int | None
    weights: str
    heads: str
    functions: bool
    punctuation: bool
    tags: str
    quiet: bool

    @property
    def lexicon_place(self) -> str:
        """The lexicon as it is named from the folder of the grammar; empty without one."""
        if not self.lexicon:
            return ""
        return os.path.relpath(self.lexicon, os.path.dirname(os.path.abspath(self.output)) if self.output else ".")


@click.command()
@click.argument("paths", metavar="TREES...", nargs=-1, required=True, type=Input())
@TREES_OPTION
@click.option("-o", "--output", type=Output(), help="The grammar file; default: standard output.")
@click.option("--lexicon", type=Output(), help="Write the lexicon to this file, and guess rules.")
@click.option("--rules", type=Output(), help="Write the implicit rules and their counts to this file.")
@click.option("--name", help="The grammar's name; default: that of the file.")
@click.option("--note", multiple=True, help="A line of comment for the top of the file; may be repeated.")
@click.option(
    "--support", default=5, show_default=True, type=click.IntRange(min=1), help="Least pertinent occurrences."
)
@click.option("--w0", default=0.95, show_default=True, type=Finite(0, 1), help="Least share that validates.")
@click.option(
    "--count", default=5, show_default=True, type=click.IntRange(min=1), help="Least occurrences of operands."
)
@click.option(
    "--expected",
    default=1.0,
    show_default=True,
    type=Finite(min=0),
    help="Exclusions and requirements that chance would violate less often are left out.",
)
@click.option(
    "--hard", type=click.IntRange(min=1), help="Make properties hard that are never violated in so many occurrences."
)
@click.option(
    "--weights",
    type=click.Choice(["odds", "w0", "w1", "none"]),
    default="odds",
    show_default=True,
    help="Strengths: weight w1 and cost log odds; w0 or w1 as both; none.",
)
@click.option(
    "--heads",
    type=click.Choice(["auto", "penn", "french", "cover"]),
    default="auto",
    show_default=True,
    help="Obligation from a table of heads, or from a greedy cover.",
)
@click.option("--functions", is_flag=True, help="Keep functions in the labels: NP-SBJ, NOUN-nsubj.")
@click.option("--punctuation", is_flag=True, help="Keep punctuation.")
@click.option(
    "--tags", type=click.Choice(["upos", "xpos"]), default="upos", show_default=True, help="Categories of CoNLL-U."
)
@QUIET_OPTION
@takes(InduceOptions)
def induce(asked: InduceOptions) -> None:
    """Induce a grammar from TREES, one or several files, with the counts behind each property."""
    from numbat.commands.treebanks import InduceSettings, induce_grammar, name_of, source_of
    from numbat.report.treebank_text import induced_sizes, induced_texts
    from numbat.runs.trees import TreeReader
    from numbat.treebank.induction.property_candidates import Thresholds

    settings = InduceSettings(
        name=asked.name or name_of(asked.paths, asked.output),
        thresholds=Thresholds(support=asked.support, w0=asked.w0, count=asked.count, expected=asked.expected),
        hard=asked.hard or 0,
        weights=asked.weights,
        heads=asked.heads,
        lexicon=asked.lexicon is not None,
        functions=asked.functions,
        punctuation=asked.punctuation,
        tags=asked.tags,
    )
    with Progress("trees", asked.quiet) as progress:
        reader = TreeReader(progress.complain, progress.advance)
        induced = induce_grammar(asked.paths, asked.source, settings, reader)
    notes = list(filter(None, "\n".join(asked.note).splitlines()))
    texts = induced_texts(induced, source_of(asked.paths), notes, asked.lexicon_place)
    for name, text in ((asked.lexicon, texts.lexicon), (asked.rules, texts.rules)):
        if name is not None:
            write(name, text)
    write_or_print(asked.output, texts.grammar)
    if asked.output is not None:
        click.echo(f"{asked.output}: {induced_sizes(induced)}", err=True)
    _end(reader)


@dataclass(frozen=True, slots=True)
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
    "--samples", default=1_000, show_default=True, type=click.IntRange(min=2), help="How many resamples for intervals."
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
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        lines = score_lines(scores, chosen.longest, asked.seed, asked.samples)
        click.echo("\n".join([*lines, *lost_lines(reader.lost)]))
    end(reader.bad, len(scores.scored))


@dataclass(frozen=True, slots=True)
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
        click.echo("\n".join([*verdict_lines(verdicts, asked.shown), *lost_lines(reader.lost)]))
    else:
        values = [*map(verdict_json, verdicts), *lost_json(reader.lost)]
        if asked.form == "json":
            click.echo(json.dumps(values, ensure_ascii=False, indent=2))
        for value in values if asked.form == "jsonl" else ():
            click.echo(json.dumps(value, ensure_ascii=False))
    if hint := tag_hint(verdicts, grammar):
        click.echo(f"numbat: {hint}", err=True)
    _end(reader)


COMMANDS = (trees, induce, score, check_trees)
