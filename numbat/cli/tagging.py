"""The verbs tag train, tag run and tag score."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from numbat.cli.decoding import CONSTRUCTION, DAUGHTERS, PENALTIES, SOFT, tell_unseen
from numbat.cli.options import QUIET_OPTION, RUN_OPTIONS, Finite, grammar_of, source_option, takes, with_options
from numbat.cli.printing import Input, Output, end, say, write_out
from numbat.cli.progress import Progress
from numbat.cli.suite_options import SPREADSHEETS_OPTION, as_table
from numbat.cli.verbs import GRAMMAR, INPUT, LEARNING, OUTPUT, SEARCH, option, verb
from numbat.commands.settings import DecodeSettings, RunSettings, TrainSettings
from numbat.errors import DataError, UsageError, counted
from numbat.records import frozen

if TYPE_CHECKING:
    from numbat.decoding.constraints import Constraints

FROM = source_option(("columns", "conllu", "text", "pronunciations"), "the file (default: by its name)", default=None)
FIELD = option(
    INPUT,
    "--label",
    "field",
    default="upos",
    show_default=True,
    metavar="FIELD",
    help="Field of CoNLL-U that is the label, as upos or xpos.",
)
MODEL = click.argument("model", metavar="MODEL", type=Input("tagger"))


@frozen
class TrainOptions:
    """What `numbat tag train` is asked for."""

    path: str
    output: str
    source: str | None
    settings: TrainSettings
    quiet: bool


@verb(
    "tag train",
    "numbat tag train tagged.conllu -o pos.model",
    "numbat tag train --learner memory -k 3 tagged.txt -o pos.model",
    "numbat tag train --from pronunciations said.tsv -o sounds.model",
)
@click.argument("path", metavar="FILE", type=Input())
@option(OUTPUT, "-o", "--output", required=True, type=Output(), help="The model file.")
@FROM
@FIELD
@option(
    LEARNING,
    "--learner",
    default="perceptron",
    show_default=True,
    type=click.Choice(["perceptron", "memory"]),
    metavar="NAME",
    help="perceptron or memory (nearest neighbours).",
)
@option(
    INPUT,
    "--unit",
    type=click.Choice(["words", "letters"]),
    metavar="UNIT",
    help="What a token is: words or letters (default: by the tokens).",
)
@option(LEARNING, "--epochs", type=click.IntRange(min=1), help="Perceptron: passes over the sentences.")
@option(
    LEARNING, "--margin", type=Finite(min=0), advanced=True, help="Perceptron: by how much the right class is to win."
)
@option(
    LEARNING,
    "--min-count",
    "least",
    formerly={"--least": None},
    type=click.IntRange(min=1),
    help="Leave out features and values that are seen less often.",
)
@option(LEARNING, "--seed", type=click.IntRange(min=0), help="Perceptron: random seed of the order of tokens.")
@option(LEARNING, "-k", "k", type=click.IntRange(min=1), help="Memory: number of nearest distances.")
@option(
    LEARNING,
    "--search-in",
    "search",
    metavar="NAME",
    type=click.Choice(["exact", "igtree", "tribl2"]),
    help="Memory: exact, igtree or tribl2.",
    advanced=True,
)
@option(
    LEARNING,
    "--metric",
    metavar="NAME",
    type=click.Choice(["overlap", "mvdm"]),
    help="Memory: distance of values, overlap or mvdm.",
    advanced=True,
)
@option(
    LEARNING,
    "--weighting",
    metavar="NAME",
    type=click.Choice(["gr", "ig", "x2", "none"]),
    help="Memory: weights of features, gr, ig, x2 or none.",
    advanced=True,
)
@option(
    LEARNING,
    "--voting",
    metavar="NAME",
    type=click.Choice(["majority", "id", "il", "ed"]),
    help="Memory: votes by distance, majority, id, il or ed.",
    advanced=True,
)
@option(LEARNING, "--decay", type=Finite(min=0), help="Memory: how fast votes decay with --voting ed.", advanced=True)
@option(
    LEARNING,
    "--budget",
    default=0,
    type=click.IntRange(min=0),
    help="Choose the other settings in so many trial trainings.",
)
@QUIET_OPTION
@takes(TrainOptions)
def train(asked: TrainOptions) -> None:
    """Train a tagger on the labelled sentences of FILE and write it to a model file."""
    from numbat.commands.sequences import train_tagger
    from numbat.errors import counted

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


@verb(
    "tag run",
    "numbat tag run pos.model plain.txt",
    "echo 'the cat sleeps' | numbat tag run pos.model",
    "numbat tag run penn --inference vote --from text plain.txt",
)
@MODEL
@click.argument("path", metavar="[FILE]", default="-", type=Input())
@FROM
@FIELD
@option(
    SEARCH,
    "--inference",
    default="csi",
    show_default=True,
    type=click.Choice(["unigram", "vote", "csi"]),
    metavar="NAME",
    help="unigram, vote or csi (constraint satisfaction).",
)
@option(
    GRAMMAR,
    "-g",
    "--grammar",
    type=Input("grammar"),
    help="Label under the properties of a construction of this grammar.",
)
@with_options((CONSTRUCTION, DAUGHTERS, SOFT, PENALTIES))
@with_options(RUN_OPTIONS)
@takes(LabelOptions)
def run(asked: LabelOptions) -> None:
    """Label the sentences of FILE, or of the standard input, with a MODEL."""
    from numbat.commands.parsing import executor_of
    from numbat.commands.sequences import BATCH, MANY_BATCHES, LabelJob, label_file
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
    from numbat.commands.sequences import constraints_for

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


@verb(
    "tag score",
    "numbat tag score pos.model tagged.conllu",
    "numbat tag score --label upos --unseen count pos.model tagged.conllu",
)
@MODEL
@click.argument("path", metavar="FILE", type=Input())
@FROM
@FIELD
@option(
    INPUT,
    "--unseen",
    default="error",
    show_default=True,
    type=click.Choice(["error", "count"]),
    metavar="WHAT",
    help="Labels that were not seen in training: error, or count them as mistakes.",
    advanced=True,
)
@SPREADSHEETS_OPTION
@takes(TagScoreOptions)
def score(asked: TagScoreOptions) -> None:
    """Score a MODEL on the labelled sentences of FILE, with each method of inference and the oracle."""
    from numbat.commands.sequences import PRONUNCIATIONS, score_pronunciations, score_tagger
    from numbat.report.treebanks import pronunciation_lines, tagger_lines
    from numbat.sequence.tagger import Tagger
    from numbat.sequence.token_files import has_chunks

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
