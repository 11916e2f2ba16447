"""The verbs on treebanks: trees, induce, score, check-trees."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from numbat.cli.options import GRAMMAR_OPTION, TREEBANKS, Finite, format_option, grammar_of, seed_option
from numbat.cli.printing import Input, Output, complain, end, write, write_or_print

if TYPE_CHECKING:
    from numbat.commands.treebanks import TreeReader

FROM = click.option(
    "--from",
    "source",
    type=click.Choice(TREEBANKS),
    default="auto",
    show_default=True,
    help="Format of the trees: brackets (ptb), Sinica's, CoNLL-U; auto looks at the first line.",
)


def _end(reader: TreeReader) -> None:
    if not reader.read:
        click.echo("numbat: no tree was given", err=True)
    end(reader.bad, reader.good)


@click.command()
@click.argument("path", metavar="TREES", type=Input())
@FROM
@click.option(
    "--to", type=click.Choice(["ptb", "conllu", "jsonl"]), default="ptb", show_default=True, help="The format."
)
@click.option("--bare", is_flag=True, help="Leave out empty elements, codes, functions, indexes and wrappers.")
@click.option("-o", "--output", type=Output(), help="A file; default: standard output.")
def trees(path: str, source: str, to: str, bare: bool, output: str | None) -> None:
    """Read TREES and write them in a format; - reads standard input."""
    from numbat.commands import treebanks

    reader = treebanks.TreeReader(complain)
    found = treebanks.convert(path, source, to, bare, reader)
    if output is None:
        for piece in found:
            click.echo(piece, nl=False)
    else:
        write(output, "".join(found))
    _end(reader)


@click.command()
@click.argument("paths", metavar="TREES...", nargs=-1, required=True, type=Input())
@FROM
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
def induce(
    paths: tuple[str, ...], source: str, output: str | None, lexicon: str | None, rules: str | None, **options: Any
) -> None:
    """Induce a grammar from TREES, one or several files, with the counts behind each property."""
    from numbat.commands import treebanks

    reader = treebanks.TreeReader(complain)
    files = treebanks.induce(paths, source, output, lexicon, options, reader)
    for name, text in ((lexicon, files.lexicon), (rules, files.rules)):
        if name is not None:
            write(name, text)
    write_or_print(output, files.grammar)
    if output is not None:
        click.echo(f"{output}: {treebanks.summary(files.induced)}", err=True)
    _end(reader)


@click.command()
@click.argument("gold", type=Input())
@click.argument("predicted", type=Input())
@FROM
@click.option("--params", type=Input(), help="An evalb parameter file; default: as COLLINS.prm.")
@click.option("--delete", multiple=True, metavar="LABEL", help="Leave this label or tag out; may be repeated.")
@click.option("--equal", multiple=True, metavar="A=B", help="Count two labels as the same; may be repeated.")
@format_option("comparison")
@seed_option("the resamples for intervals")
@click.option(
    "--samples", default=1_000, show_default=True, type=click.IntRange(min=2), help="How many resamples for intervals."
)
def score(gold: str, predicted: str, source: str, form: str, params: str | None, **options: Any) -> None:
    """Score the trees of PREDICTED against those of GOLD, in their order, as evalb does."""
    from numbat.commands import scoring
    from numbat.errors import DataError

    chosen = scoring.parameters(params, options["delete"], options["equal"])
    problems: list[DataError] = []
    try:
        scores = scoring.score_files(gold, predicted, source, chosen, problems)
    finally:  # a bad tree may be why the two do not have as many trees
        for problem in problems:
            complain(problem)
    asked = scores, chosen.longest, options["seed"], options["samples"]
    if form == "json":
        click.echo(json.dumps(scoring.to_json(*asked), ensure_ascii=False, indent=2))
    else:
        click.echo("\n".join(scoring.lines(*asked)))
    end(len(problems), len(scores.scored))


@click.command("check-trees")
@click.argument("path", metavar="TREES", type=Input())
@GRAMMAR_OPTION
@FROM
@format_option("verdict on each tree", "jsonl")
@click.option("--tag-map", type=Input(), help="A file that maps the labels to categories, or ptb.map, ftb.map.")
@click.option(
    "-n", "shown", default=10, show_default=True, type=click.IntRange(min=0), help="With -f text: how many to show."
)
def check_trees(path: str, name: str, source: str, form: str, tag_map: str | None, shown: int) -> None:
    """Judge each of TREES by a grammar: what it satisfies and what it violates, the worst first."""
    from numbat.commands import treebanks

    reader = treebanks.TreeReader(complain)
    grammar = grammar_of(name)
    verdicts = treebanks.check_trees(grammar, path, source, tag_map, reader)
    if form == "text":
        click.echo("\n".join(treebanks.verdict_lines(verdicts, shown)))
    elif form == "json":
        click.echo(json.dumps([verdict.to_json() for verdict in verdicts], ensure_ascii=False, indent=2))
    else:
        for verdict in verdicts:
            click.echo(json.dumps(verdict.to_json(), ensure_ascii=False))
    if hint := treebanks.tag_hint(verdicts, grammar):
        click.echo(f"numbat: {hint}", err=True)
    _end(reader)


COMMANDS = (trees, induce, score, check_trees)
