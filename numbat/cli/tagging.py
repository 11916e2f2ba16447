"""The verb tag: train, run and score a tagger."""

from __future__ import annotations

from typing import Any

import click

from numbat.cli.options import Finite
from numbat.cli.printing import Input, Output

FROM = click.option(
    "--from",
    "source",
    type=click.Choice(["columns", "conllu", "text"]),
    help="The format of the file: columns has a token a line, text a sentence a line. Default: by its name.",
)
FIELD = click.option(
    "--label", "field", default="upos", show_default=True, help="CoNLL-U: the field that is the label, as upos or xpos."
)
MODEL = click.argument("model", metavar="MODEL")


@click.group()
def tag() -> None:
    """Label the tokens of sentences: parts of speech, chunks, names, sounds of letters."""


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
def train(
    path: str, output: str, source: str | None, field: str, learner: str, unit: Any, budget: int, **settings: Any
) -> None:
    """Train a tagger on the labelled sentences of FILE and write it to a model file."""
    from numbat.commands import tagging
    from numbat.source import counted

    chosen = {name: value for name, value in settings.items() if value is not None}
    tagger = tagging.train(path, source, field, learner, unit, chosen, budget, lambda line: click.echo(line, err=True))
    size = tagger.save(output)
    sizes = {"sentence": tagger.sentences, "token": tagger.tokens, "label": len(tagger.labels), "byte": size}
    click.echo(f"{output}: {', '.join(counted(number, what) for what, number in sizes.items())}")


@tag.command(short_help="Label sentences with a model.")
@MODEL
@click.argument("path", metavar="[FILE]", default="-", type=Input())
@FROM
@FIELD
@click.option(
    "--inference", default="csi", show_default=True, type=click.Choice(["unigram", "vote", "csi"]), help="How to infer."
)
def run(model: str, path: str, source: str | None, field: str, inference: str) -> None:
    """Label the sentences of FILE, or of the standard input, with a MODEL."""
    from numbat.commands import tagging
    from numbat.sequence.tagger import Tagger

    for piece in tagging.run(Tagger.load(model), path, source, field, inference):
        click.echo(piece, nl=False)


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
def score(model: str, path: str, source: str | None, field: str, unseen: str) -> None:
    """Score a MODEL on the labelled sentences of FILE, with every inference and the oracle."""
    from numbat.commands import tagging
    from numbat.sequence.scoring import has_chunks
    from numbat.sequence.tagger import Tagger

    tagger = Tagger.load(model)
    scores = tagging.score_model(tagger, path, source, field, unseen == "error")
    click.echo("\n".join(tagging.score_lines(scores, has_chunks(tagger.labels))))


COMMANDS = (tag,)
