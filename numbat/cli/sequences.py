"""Verbs for label sequences: tag train, tag run, tag score, decode, learn penalties."""

from __future__ import annotations

import sys
from typing import Final

import click

from numbat.cli.options import (
    GRAMMAR,
    INPUT,
    LEARNING,
    NAMED_GRAMMAR_OPTION,
    OUTPUT,
    RUN_OPTIONS,
    SEARCH,
    SEPARATOR_OPTION,
    SPREADSHEETS_OPTION,
    format_option,
    option,
    options_of,
    seed_option,
    source_option,
    verb,
    with_options,
)
from numbat.cli.parsers import grammar_of
from numbat.cli.printing import (
    GRAMMAR_GIVEN,
    Input,
    Output,
    Progress,
    Text,
    Whole,
    end,
    end_run,
    record_of,
    say,
    tell,
    write_or_print,
    write_out,
)
from numbat.errors import DataError, counted
from numbat.files import as_table
from numbat.labels.settings import DecodeSettings, TrainSettings
from numbat.records import frozen
from numbat.runs.settings import RunSettings
from numbat.words.chunk_labels import SCHEMES

# decode, learn penalties

SCHEME_OPTION = option(
    INPUT,
    "--scheme",
    type=click.Choice(list(SCHEMES)),
    metavar="NAME",
    help=f"Scheme of chunk labels: {', '.join(SCHEMES)} (default: guessed from the labels).",
)
SEQUENCES = click.argument("path", metavar="LATTICES", type=Text())
FORM = source_option(("jsonl", "att"), "the file (default: by its ending)", default=None, field="form")
CONSTRUCTION = option(
    GRAMMAR, "--construction", metavar="NAME", help="Construction whose properties constrain the labels."
)
DAUGHTERS = option(
    GRAMMAR,
    "--daughters",
    default="labels",
    type=click.Choice(["labels", "runs", "chunks"]),
    metavar="WHAT",
    help="What a daughter is: a label, a run of equal labels, or a chunk.",
)
COUNTING, MAX_ITEMS = options_of(DecodeSettings, ("counting", "max_items"))
PENALTIES = option(GRAMMAR, "--penalties", type=Input(), help="Table of costs, made by numbat learn penalties.")
SOFT = option(
    GRAMMAR,
    "--soft/--hard",
    default=None,
    help="Whether violations have costs or are forbidden (default: as in the grammar).",
)
CONSTRAINT_OPTIONS: Final = (NAMED_GRAMMAR_OPTION, CONSTRUCTION, DAUGHTERS, SCHEME_OPTION, COUNTING)


@verb(
    "decode", "numbat decode -g roles.pg roles.jsonl", "numbat decode -g roles.pg --soft -f columns --stats roles.jsonl"
)
@SEQUENCES
@with_options(CONSTRAINT_OPTIONS)
@SOFT
@PENALTIES
@FORM
@format_option("text", "jsonl", "columns", "att", field="form_out")
@option(OUTPUT, "--stats", is_flag=True, help="Print violations and the effort of decoding on standard error.")
@MAX_ITEMS
def decode(path: str, grammar: str, form_out: str, stats: bool, settings: DecodeSettings) -> None:
    """Find the best labels for the sequences of LATTICES under the properties of a construction, with the labels as
    daughters. The output lists for each sequence the enforced properties, and violations with their costs.
    """
    from numbat.labels.decoding import decode_file
    from numbat.parses.formats import run_record_line

    loaded = grammar_of(grammar)
    closing = run_record_line(record_of({GRAMMAR_GIVEN: loaded})) if form_out == "jsonl" else ""
    run = decode_file(loaded, path, form_out, stats, settings, closing, Progress())
    end_run(run, run.failures, run.successes)


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
    default=0,
    type=Whole(0),
    help="Epochs of a perceptron that starts from the log odds; 0: only the log odds.",
)
@option(LEARNING, "--rewards", is_flag=True, help="With --epochs: costs may fall below 0.", advanced=True)
@option(OUTPUT, "-o", "--output", type=Output(), help="File for the table of costs (default: standard output).")
@SPREADSHEETS_OPTION
@option(OUTPUT, "--write-grammar", type=Output(), help="Write the grammar with the learned costs to this file.")
@seed_option("the order of sequences")
def penalties(
    path: str,
    grammar: str,
    rounds: int,
    rewards: bool,
    output: str | None,
    for_spreadsheets: bool,
    write_grammar: str | None,
    seed: int,
    settings: DecodeSettings,
) -> None:
    """Learn costs of violated constraints from the gold labels of LATTICES ("gold"): smoothed log odds of violation, or
    weights of a perceptron."""
    from numbat.labels.decoding import learn_penalties_of

    loaded = grammar_of(grammar)
    learned = learn_penalties_of(loaded, path, rounds, rewards, seed, settings, write_grammar, Progress())
    if output or not write_grammar:
        write_or_print(output, as_table(learned, for_spreadsheets))


FROM = source_option(("columns", "conllu", "text"), "the file (default: by its ending)", default=None)
FIELD = option(
    INPUT,
    "--label",
    "field",
    default="upos",
    metavar="FIELD",
    help="Field of CoNLL-U with the label, such as upos or xpos.",
)
MODEL = click.argument("model", metavar="MODEL", type=Input("tagger"))


@verb(
    "tag train",
    "numbat tag train tagged.conllu -o pos.model",
    "numbat tag train --learner memory -k 3 tagged.txt -o pos.model",
)
@click.argument("path", metavar="FILE", type=Text())
@option(OUTPUT, "-o", "--output", required=True, type=Output(), help="File for the model.")
@FROM
@FIELD
@SEPARATOR_OPTION
@with_options(options_of(TrainSettings, ("learner", "unit")))
@SCHEME_OPTION
@with_options(
    options_of(
        TrainSettings,
        ("epochs", "margin", "least", "seed", "k", "search", "metric", "weighting", "voting", "decay", "budget"),
    )
)
def train(path: str, output: str, source: str | None, settings: TrainSettings) -> None:
    """Train a tagger on the labelled sentences of FILE and write it to a model file."""
    from numbat.labels.verbs import train_tagger

    tagger = train_tagger(path, source, settings, say)
    size = tagger.save(output)
    sizes = {"sentence": tagger.sentences, "token": tagger.tokens, "label": len(tagger.labels), "byte": size}
    write_out(f"{output}: {', '.join(counted(number, what) for what, number in sizes.items())}")


@frozen
class LabelOptions:
    """Options of `numbat tag run`."""

    model: str
    path: str
    source: str | None
    field: str
    inference: str
    grammar: str | None
    constraints: DecodeSettings
    run: RunSettings


@verb(
    "tag run",
    "numbat tag run --from text pos.model plain.txt",
    "echo 'the cat sleeps' | numbat tag run --from text penn",
    "numbat tag run --inference vote --from text penn plain.txt",
)
@MODEL
@click.argument("path", metavar="[FILE]", default="-", type=Text())
@FROM
@FIELD
@option(
    SEARCH,
    "--inference",
    default="csi",
    type=click.Choice(["unigram", "vote", "csi"]),
    metavar="NAME",
    help="Method of inference: unigram, vote or csi (constraint satisfaction).",
)
@option(
    GRAMMAR,
    "-g",
    "--grammar",
    type=Input("grammar"),
    help="Grammar whose properties constrain the labels.",
)
@with_options((CONSTRUCTION, DAUGHTERS, SCHEME_OPTION, SOFT, PENALTIES))
@with_options(RUN_OPTIONS)
def run(options: LabelOptions) -> None:
    """Label the sentences of FILE, or of standard input, with a MODEL."""
    from numbat.labels.decoding import constraints_of_tagger, tell_unseen
    from numbat.labels.tagger import Tagger
    from numbat.labels.verbs import BATCH, MANY_BATCHES, LabelJob, label_file
    from numbat.runs.executors import executor_of

    lost: list[DataError] = []
    progress = Progress(f"batches of {BATCH} sentences", quiet=sys.stdout.isatty())

    def lose(error: DataError) -> None:
        progress.complain(error)
        lost.append(error)

    tagger = Tagger.load(options.model)
    grammar = None if options.grammar is None else grammar_of(options.grammar)
    scheme, constraints = constraints_of_tagger(tagger, options.constraints, options.inference, grammar, progress)
    job = LabelJob(tagger, options.inference, constraints, options.constraints.soft, scheme)
    if constraints is not None:
        tell_unseen(constraints, job.tagger.labels, progress, "which is not a label of the model")
    executor = progress.over(executor_of(options.run, many=MANY_BATCHES))
    for piece in label_file(job, options.path, options.source, options.field, executor, lose):
        write_out(piece, end="")
    if lost:
        tell(f"numbat: {counted(len(lost), 'sentence')} lost; their labels are written as _")
    end(len(lost), 1)


@verb(
    "tag score",
    "numbat tag score pos.model tagged.conllu",
    "numbat tag score --label upos --unseen count pos.model tagged.conllu",
)
@MODEL
@click.argument("path", metavar="FILE", type=Text())
@FROM
@FIELD
@SEPARATOR_OPTION
@option(
    INPUT,
    "--unseen",
    default="error",
    type=click.Choice(["error", "count"]),
    metavar="WHAT",
    help="Labels not seen in training: error, or count them as mistakes.",
    advanced=True,
)
@SCHEME_OPTION
@option(
    INPUT,
    "--whole-chunks",
    is_flag=True,
    help="Count only chunks that follow the scheme, like strict mode of seqeval.",
)
@SPREADSHEETS_OPTION
def score(
    model: str,
    path: str,
    source: str | None,
    field: str,
    separator: str,
    unseen: str,
    scheme: str | None,
    whole_chunks: bool,
    for_spreadsheets: bool,
) -> None:
    """Score a MODEL on the labelled sentences of FILE, with each method of inference and the oracle."""
    from numbat.labels.tagger import Tagger
    from numbat.labels.token_files import tagger_lines
    from numbat.labels.verbs import score_tagger, told_of

    tagger, only_known = Tagger.load(model), unseen == "error"
    scores = score_tagger(tagger, path, source, field, only_known, scheme, whole_chunks, separator)
    if scores.scheme is not None and scheme is None and tagger.scheme is None:
        say(f"numbat: {told_of(scores.scheme)}")
    lines = tagger_lines(scores.by_inference, scores.scheme is not None)
    write_out(as_table("\n".join(lines), for_spreadsheets))
