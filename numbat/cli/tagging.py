"""The verb tag: train, run and score a tagger."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from numbat.cli.decoding import CONSTRUCTION, DAUGHTERS, PENALTIES, SOFT, tell_unseen
from numbat.cli.options import QUIET_OPTION, RUN_OPTIONS, Finite, grammar_of, takes, with_options
from numbat.cli.printing import Input, Output, end, say, write_out
from numbat.cli.progress import Progress
from numbat.cli.suite_options import SPREADSHEETS_OPTION, as_table
from numbat.commands.settings import DecodeSettings, RunSettings, TrainSettings
from numbat.errors import DataError, UsageError
from numbat.records import frozen
from numbat.source import counted

if TYPE_CHECKING:
    from numbat.decoding.constraints import Constraints

FROM = click.option(
    "--from",
    "source",
    type=click.Choice(["columns", "conllu", "text", "pronunciations"]),
    help="The format of the file: columns has a token a line, text a sentence a line, pronunciations a word and its "
    "sounds a line. Default: by its name, and pronunciations for a model of these.",
)
FIELD = click.option(
    "--label", "field", default="upos", show_default=True, help="CoNLL-U: the field that is the label, as upos or xpos."
)
MODEL = click.argument("model", metavar="MODEL")


@click.group()
def tag() -> None:
    """Label the tokens of sentences: parts of speech, chunks, names, sounds of letters."""


@frozen
class TrainOptions:
    """What `numbat tag train` is asked for."""

    path: str
    output: str
    source: str | None
    settings: TrainSettings
    quiet: bool


@tag.command(short_help="Train a tagger on labelled sentences.")
@click.argument("path", metavar="FILE", type=Input())
@click.option("-o", "--output", required=True, type=Output(), help="The model file.")
@FROM
@FIELD
@click.option(
    "--learner",
    default="perceptron",
    show_default=True,
    type=click.Choice(["perceptron", "memory"]),
    help="What learns.",
)
@click.option("--unit", type=click.Choice(["words", "letters"]), help="What a token is; default: by the tokens.")
@click.option("--epochs", type=click.IntRange(min=1), help="Perceptron: rounds over the material.")
@click.option("--margin", type=Finite(min=0), help="Perceptron: by how much the right class is to win.")
@click.option("--least", type=click.IntRange(min=1), help="How often a feature or value must be seen to count.")
@click.option("--seed", type=click.IntRange(min=0), help="Perceptron: the seed of the order of tokens.")
@click.option("-k", "k", type=click.IntRange(min=1), help="Memory: how many nearest distances.")
@click.option("--search-in", "search", type=click.Choice(["exact", "igtree", "tribl2"]), help="Memory: how to search.")
@click.option("--metric", type=click.Choice(["overlap", "mvdm"]), help="Memory: the distance of values.")
@click.option("--weighting", type=click.Choice(["gr", "ig", "x2", "none"]), help="Memory: the weights of features.")
@click.option("--voting", type=click.Choice(["majority", "id", "il", "ed"]), help="Memory: votes by distance.")
@click.option("--decay", type=Finite(min=0), help="Memory: how fast votes decay with --voting ed.")
@click.option("--budget", default=0, type=click.IntRange(min=0), help="Choose the other settings by so many trainings.")
@QUIET_OPTION
@takes(TrainOptions)
def train(asked: TrainOptions) -> None:
    """Train a tagger on the labelled sentences of FILE and write it to a model file."""
    from numbat.commands.tagging import train_tagger
    from numbat.source import counted

    def told(line: str) -> None:
        if not asked.quiet:
            say(line)

    tagger = train_tagger(asked.path, asked.source, asked.settings, told)
    size = tagger.save(asked.output)
    sentence, token = ("sentence", "token") if tagger.letter_counts is None else ("pronunciation", "letter")
    sizes = {sentence: tagger.sentences, token: tagger.tokens, "label": len(tagger.labels), "byte": size}
    write_out(f"{asked.output}: {', '.join(counted(number, what) for what, number in sizes.items())}")


@frozen
class LabelOptions:
    """What `numbat tag run` is asked for."""

    model: str
    path: str
    source: str | None
    field: str
    inference: str
    grammar: str | None
    constraints: DecodeSettings
    run: RunSettings


@tag.command(short_help="Label sentences with a model.")
@MODEL
@click.argument("path", metavar="[FILE]", default="-", type=Input())
@FROM
@FIELD
@click.option(
    "--inference", default="csi", show_default=True, type=click.Choice(["unigram", "vote", "csi"]), help="How to infer."
)
@click.option("-g", "--grammar", type=Input(), help="Label under the properties of a construction of this grammar.")
@with_options((CONSTRUCTION, DAUGHTERS, SOFT, PENALTIES))
@with_options(RUN_OPTIONS)
@takes(LabelOptions)
def run(asked: LabelOptions) -> None:
    """Label the sentences of FILE, or of the standard input, with a MODEL."""
    from numbat.commands.running import executor_of
    from numbat.commands.tagging import BATCH, MANY_BATCHES, LabelJob, label_file
    from numbat.sequence.tagger import Tagger

    lost: list[DataError] = []
    progress = Progress(f"batches of {BATCH} sentences", asked.run.quiet or sys.stdout.isatty())

    def lose(error: DataError) -> None:
        progress.complain(error)
        lost.append(error)

    constraints = _constraints(asked)
    job = LabelJob(Tagger.load(asked.model), asked.inference, constraints, asked.constraints.soft)
    if constraints is not None:
        tell_unseen(constraints, job.tagger.labels, "which is no label of the model")
    executor = progress.over(executor_of(asked.run, many=MANY_BATCHES))
    for piece in label_file(job, asked.path, asked.source, asked.field, executor, lose):
        write_out(piece, end="")
    if lost:
        say(f"numbat: {counted(len(lost), 'sentence')} lost: with _ in the place of each label")
    end(len(lost), 1)


def _constraints(asked: LabelOptions) -> Constraints | None:
    """What the labels are to satisfy. Raises UsageError for what goes only with a grammar, or not with it."""
    if asked.grammar is None:
        if asked.constraints != DecodeSettings():
            raise UsageError("constraints are the properties of a grammar\n  name it: -g roles.pg")
        return None
    if asked.inference != "csi":
        raise UsageError(f"--inference {asked.inference} and -g\n  constraints go with --inference csi")
    from numbat.commands.decoding import constraints_for

    return constraints_for(grammar_of(asked.grammar), asked.constraints)


@frozen
class TagScoreOptions:
    """What `numbat tag score` is asked for."""

    model: str
    path: str
    source: str | None
    field: str
    unseen: str
    for_spreadsheets: bool


@tag.command(short_help="Score a model on labelled sentences.")
@MODEL
@click.argument("path", metavar="FILE", type=Input())
@FROM
@FIELD
@click.option(
    "--unseen",
    default="error",
    show_default=True,
    type=click.Choice(["error", "count"]),
    help="Labels that were not seen in training: an error, or mistakes like others.",
)
@SPREADSHEETS_OPTION
@takes(TagScoreOptions)
def score(asked: TagScoreOptions) -> None:
    """Score a MODEL on the labelled sentences of FILE, with every inference and the oracle."""
    from numbat.commands.pronunciations import score_pronunciations
    from numbat.commands.tagging import PRONUNCIATIONS, score_tagger
    from numbat.report.score_text import pronunciation_lines, tagger_lines
    from numbat.sequence.scoring import has_chunks
    from numbat.sequence.tagger import Tagger

    tagger = Tagger.load(asked.model)
    if asked.source == PRONUNCIATIONS or (asked.source is None and tagger.letter_counts is not None):
        spoken = score_pronunciations(tagger, asked.path, asked.unseen == "error")
        for note in spoken.notes():
            say(f"numbat: {note}")
        lines = pronunciation_lines(spoken.by_inference)
    else:
        scores = score_tagger(tagger, asked.path, asked.source, asked.field, asked.unseen == "error")
        lines = tagger_lines(scores, has_chunks(tagger.labels))
    write_out(as_table("\n".join(lines), asked.for_spreadsheets))


COMMANDS = (tag,)
