"""Verbs for treebanks: trees, expansions, score, induce."""

from __future__ import annotations

import sys
from itertools import chain
from typing import Final

import click

from numbat.cli.options import (
    INPUT,
    LEARNING,
    OUTPUT,
    RUN_OPTIONS,
    SPREADSHEETS_OPTION,
    TREES_OPTION,
    format_option,
    option,
    options_of,
    seed_option,
    source_option,
    typed,
    verb,
    with_options,
)
from numbat.cli.printing import (
    Input,
    Output,
    Progress,
    Text,
    Whole,
    complain_of_one,
    end,
    end_trees,
    record_of,
    say,
    write_in_form,
    write_or_print,
    write_out,
)
from numbat.files import write
from numbat.languages.settings import InduceAsked
from numbat.runs.settings import TAGGED_FILES, RunSettings
from numbat.structure.settings import DrawSettings


@verb(
    "trees",
    "numbat trees trees.mrg",
    "numbat trees --bare -f conllu trees.mrg -o bare.conllu",
    "numbat trees --from conllu -f jsonl trees.conllu",
    "numbat trees -f html trees.conllu -o trees.html",
)
@click.argument("path", metavar="TREES", type=Text())
@TREES_OPTION
@format_option("ptb", "discbracket", "export", "conllu", "jsonl", "html", default="ptb")
@option(OUTPUT, "--bare", is_flag=True, help="Leave out empty elements, functions, indexes and wrappers.")
@option(OUTPUT, "-o", "--output", type=Output(), help="File (default: standard output).")
def trees(path: str, source: str, form: str, bare: bool, output: str | None) -> None:
    """Convert TREES, a file of any treebank format, to brackets, CoNLL-U or JSON, or draw dependencies on a page
    (html); - reads standard input.
    """
    from numbat.parses.formats import run_record_line
    from numbat.treebanks.tree_reader import TreeReader
    from numbat.treebanks.verbs import convert_trees

    reader = TreeReader(complain_of_one)
    pieces = convert_trees(path, source, form, bare, reader)
    if form == "jsonl":
        pieces = chain(pieces, (run_record_line(record_of({})),))
    if form == "html":
        from numbat.reports.pages import closing
        from numbat.treebanks.arcs import page_opening

        pieces = chain((page_opening(),), pieces, (closing(None),))
    if output is None:
        for piece in pieces:
            write_out(piece, end="")
    else:
        write(output, "".join(pieces))
    end_trees(reader)


@verb(
    "expansions", "numbat expansions trees.mrg -o small.exp", "numbat expansions --min-count 1 --frequent 5 trees.mrg"
)
@click.argument("paths", metavar="TREES...", nargs=-1, required=True, type=Text())
@TREES_OPTION
@option(OUTPUT, "-o", "--output", type=Output(), help="File (default: standard output).")
@option(LEARNING, "--punctuation", is_flag=True, help="Keep punctuation.")
@option(
    LEARNING,
    "--frequent",
    type=Whole(1),
    default=20,
    help="Make a word with its tag a category if they occur together at least N times.",
    advanced=True,
)
@option(
    LEARNING,
    "--min-count",
    "least",
    type=Whole(1),
    default=5,
    help="Simplify refined phrases that occur fewer than N times.",
)
@option(OUTPUT, "--note", multiple=True, help="Comment line at the top of the file; may be repeated.", advanced=True)
def expansions(
    paths: tuple[str, ...],
    source: str,
    output: str | None,
    punctuation: bool,
    frequent: int,
    least: int,
    note: tuple[str, ...],
) -> None:
    """Count refined expansions in one or several files of TREES, for numbat parse --expansions."""
    from numbat.parsing.treebank_grammar.expansions import expansion_lines
    from numbat.treebanks.report import expansion_sizes
    from numbat.treebanks.tree_reader import TreeReader
    from numbat.treebanks.verbs import count_refined

    with Progress("trees") as progress:
        reader = TreeReader(progress.complain, progress.advance)
        counts = count_refined(paths, source, reader, punctuation, frequent, least)
    write_or_print(output, "".join(f"{line}\n" for line in expansion_lines(counts, note)))
    if output is not None:
        say(f"{output}: {expansion_sizes(counts)}")
    end_trees(reader)


@verb(
    "score",
    "numbat score gold.mrg parsed.mrg",
    "numbat score --equal ADVP=PRT --delete PUNCT gold.mrg parsed.mrg",
    "numbat score -f json --seed 7 gold.mrg parsed.mrg",
)
@click.argument("gold", type=Text())
@click.argument("predicted", type=Text())
@TREES_OPTION
@option(
    INPUT,
    "--params",
    type=Input(),
    help="Parameter file of evalb (default: parameters as in COLLINS.prm).",
    advanced=True,
)
@option(INPUT, "--delete", multiple=True, metavar="LABEL", help="Leave out a label or tag. May be repeated.")
@option(INPUT, "--equal", multiple=True, metavar="A=B", help="Treat two labels as equal. May be repeated.")
@format_option("text", "json")
@seed_option("the bootstrap", OUTPUT)
@option(
    OUTPUT,
    "--resamples",
    "samples",
    default=1_000,
    type=Whole(2, 100_000),
    advanced=True,
    help="Number of bootstrap samples for intervals.",
)
@with_options(RUN_OPTIONS)
def score(
    gold: str,
    predicted: str,
    source: str,
    params: str | None,
    delete: tuple[str, ...],
    equal: tuple[str, ...],
    form: str,
    seed: int,
    samples: int,
    run: RunSettings,
) -> None:
    """Score the trees of PREDICTED against those of GOLD, one by one in order: labelled brackets as evalb does, and for
    CoNLL-U also dependencies as in CoNLL 2018, where tokens may differ.
    """
    from numbat.reports.answers import Answer
    from numbat.runs.executors import executor_of
    from numbat.treebanks.report import score_report
    from numbat.treebanks.tree_reader import TreeReader
    from numbat.treebanks.verbs import parameters, score_files

    chosen = parameters(params, delete, equal)
    progress = Progress("trees")
    reader = TreeReader(progress.complain)
    executor = progress.over(executor_of(run))
    scores = score_files(gold, predicted, source, chosen, reader, executor)
    scored = score_report(scores, chosen.longest, seed, samples, reader.lost)
    write_in_form(form, Answer(scored))
    end_trees(reader, len(scores.compared))


# induce

DRAWING: Final = DrawSettings()


@verb(
    "induce",
    "numbat induce trees.mrg",
    "numbat induce --support 2 --lexicon small.tsv trees.mrg -o small.pg",
    "numbat induce --structure tags.model --support 2 tagged.conllu --html proposals.html",
)
@click.argument("paths", metavar="TREES...", nargs=-1, required=True, type=Text())
@source_option(TAGGED_FILES, "the trees or tagged sentences")
@with_options(
    options_of(
        InduceAsked,
        (
            "output",
            "lexicon",
            "rules",
            "name",
            "note",
            "support",
            "w0",
            "count",
            "expected",
            "hard",
            "weights",
            "heads",
            "functions",
            "punctuation",
            "tags",
            "structure",
        ),
    )
)
@with_options(options_of(DrawSettings, ("samples", "max_length")))
@format_option("text", "json", "tsv", "html")
@SPREADSHEETS_OPTION
@with_options(options_of(InduceAsked, ("shown", "page", "without", "keep_grammar", "force")))
@seed_option("sampling trees")
def induce(options: InduceAsked) -> None:
    """Induce a grammar from TREES, one or several files, with the counts behind each property. With -o FOLDER/ make a
    language: all parts for parsing raw text, with measurements. With --structure TREES are tagged sentences: the
    properties of the model's trees are printed by rank, as proposals, and -o writes them as a grammar whose lines can
    be deleted, or as a language.
    """
    from numbat.languages.inducing import induce as induce_by

    end(*induce_by(options, typed(), Progress("trees"), lambda: record_of({}), sys.argv[1:]))
