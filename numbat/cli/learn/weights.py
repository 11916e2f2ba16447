"""The verb learn weights: weights of trees from a treebank."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from numbat.cli.options import (
    NAMED_GRAMMAR_OPTION,
    RUN_OPTIONS,
    TREES_OPTION,
    Finite,
    grammar_of,
    seed_option,
    takes,
    with_options,
)
from numbat.cli.printing import Input, Output, complain, end, say, write_bytes
from numbat.cli.progress import Progress as Bar
from numbat.cli.verbs import GRAMMAR, INPUT, LEARNING, MANY, OUTPUT, SEARCH, option, verb
from numbat.commands.settings import RunSettings, WeightSettings
from numbat.errors import UsageError
from numbat.records import frozen

if TYPE_CHECKING:
    from numbat.commands.learn import Forests
    from numbat.learning.tree_learners import Learner
    from numbat.learning.tree_training import TrainingProgress

DEFAULTS = WeightSettings()


@frozen
class WeightOptions:
    """What `numbat learn weights` is asked for."""

    paths: tuple[str, ...]
    grammar: str
    expansions: str
    source: str
    output: str | None
    dump: str | None
    state: str | None
    resume: bool
    run: RunSettings
    settings: WeightSettings


@verb(
    "learn weights",
    "numbat learn weights -g small.pg --expansions small.exp trees.mrg -o small.weights",
    "numbat learn weights -g small.pg --expansions small.exp --epochs 5 trees.mrg -o small.weights",
)
@click.argument("paths", metavar="TREES...", nargs=-1, required=True, type=Input())
@NAMED_GRAMMAR_OPTION
@option(
    GRAMMAR,
    "--expansions",
    type=Input("expansions"),
    required=True,
    help="Expansions of the same trees, by numbat expansions.",
)
@TREES_OPTION
@option(OUTPUT, "-o", "--output", type=Output(), help="File for the weights.")
@option(
    OUTPUT,
    "--dump",
    type=Output(),
    help="A file for features as SVMlight text: a query for each sentence, its right tree with target 1, with target 0 "
    "the tree that is likeliest with its loss added; the last feature is the logarithm of the likelihood.",
    advanced=True,
)
@option(
    MANY,
    "--state",
    type=Output(),
    help="The file for what was learned after each pass, until all is done [OUTPUT.state].",
    advanced=True,
)
@option(MANY, "--resume", is_flag=True, help="Go on from the state of a run that was stopped.")
@option(
    LEARNING,
    "--features",
    default=DEFAULTS.features,
    show_default=True,
    metavar="GROUPS",
    help="Groups of features: expansions, properties, words, auxiliary.",
)
@option(
    LEARNING,
    "--learner",
    default=DEFAULTS.learner,
    show_default=True,
    type=click.Choice(["frank-wolfe", "perceptron", "adagrad"]),
    metavar="NAME",
    help="frank-wolfe, perceptron or adagrad.",
)
@option(
    LEARNING,
    "--epochs",
    "passes",
    formerly={"--passes": None},
    default=DEFAULTS.passes,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="Maximum number of passes over the trees.",
)
@option(
    LEARNING,
    "--gap",
    default=DEFAULTS.gap,
    show_default=True,
    type=Finite(min=0),
    help="Of frank-wolfe: stop when the duality gap is this share of the objective.",
    advanced=True,
)
@option(
    LEARNING,
    "--penalty",
    default=DEFAULTS.penalty,
    show_default=True,
    type=Finite(min=1e-9),
    help="Of frank-wolfe: C, what a unit of loss counts.",
)
@option(
    LEARNING,
    "--rate",
    default=DEFAULTS.rate,
    show_default=True,
    type=Finite(min=1e-9),
    help="The step of the other learners.",
    advanced=True,
)
@option(
    LEARNING,
    "--loss",
    default=DEFAULTS.loss,
    show_default=True,
    type=Finite(min=0),
    help="What a wrong or missing span counts, in natural logarithms of likelihood.",
    advanced=True,
)
@option(
    LEARNING,
    "--likelihood",
    default=DEFAULTS.likelihood,
    show_default=True,
    type=Finite(min=0),
    help="The weight of the likelihood of the expansions.",
    advanced=True,
)
@option(LEARNING, "--signs", is_flag=True, help="What is satisfied never counts against a tree.", advanced=True)
@option(LEARNING, "--tune", is_flag=True, help="Choose --penalty on a tenth of the trees that is held out.")
@option(
    LEARNING,
    "--folds",
    default=DEFAULTS.folds,
    show_default=True,
    type=click.IntRange(2, 100),
    advanced=True,
    help="Parts of the trees, each with likelihoods by the expansions of the others.",
)
@option(
    INPUT,
    "--max-length",
    default=DEFAULTS.max_length,
    show_default=True,
    type=click.IntRange(min=1),
    help="Leave out longer sentences.",
)
@option(
    LEARNING,
    "--slack",
    default=DEFAULTS.slack,
    show_default=True,
    type=Finite(min=0, max=100),
    help="How much less likely than the likeliest tree another may be, as a natural logarithm.",
    advanced=True,
)
@option(
    LEARNING,
    "--bits",
    default=DEFAULTS.bits,
    show_default=True,
    type=click.IntRange(10, 24),
    help="2^BITS weights at most.",
    advanced=True,
)
@option(
    SEARCH,
    "--prune",
    type=Finite(min=0),
    default=DEFAULTS.prune,
    show_default=True,
    help="Leave out of forests what is less likely by this natural logarithm.",
    advanced=True,
)
@with_options(RUN_OPTIONS)
@seed_option("the order of the trees")
@takes(WeightOptions)
def weights(asked: WeightOptions) -> None:
    """Learn weights of expansions, properties and words from TREES, so that right trees win by a margin. They are for
    numbat parse --tree-weights."""
    from numbat.commands import learn
    from numbat.commands.parsing import executor_of
    from numbat.parsing.tree_model.scoring import packed_weights
    from numbat.parsing.treebank_grammar.expansions import read_expansions
    from numbat.runs.jobs import TreeReader
    from numbat.runs.loop import cores

    if asked.output is None and (asked.dump is None or asked.state or asked.resume):
        raise UsageError("nowhere to write the weights\n  add -o FILE; or --dump FILE alone, for features")
    grammar, expansions = grammar_of(asked.grammar), read_expansions(asked.expansions)
    start = learn.start_of(grammar, expansions, asked.settings)
    state = None
    if asked.output is not None:
        path = asked.state or f"{asked.output}.state"
        state = learn.state_of(path, asked.settings, asked.resume, complain)
    with Bar("trees", asked.run.quiet) as bar:
        reader = TreeReader(bar.complain, bar.advance)
        trees = learn.trees_for(asked.paths, asked.source, reader, expansions)
    different = learn.other_counts(trees, expansions)
    if different:
        say(f"numbat: {different}")
    with Bar("forests", asked.run.quiet, len(trees)) as bar:
        executor = executor_of(asked.run)
        forests = learn.forests_of(trees, grammar, asked.settings, start, executor, bar.advance)
    say(_told_of(forests))

    def tell(progress: TrainingProgress, learner: Learner) -> None:
        if not asked.run.quiet:
            say(_told(progress))

    if asked.dump is not None:
        write_bytes(asked.dump, learn.dumped(forests, asked.settings))
    if asked.output is not None and state is not None:
        jobs = asked.run.jobs or cores()
        try:
            learned = learn.learn(forests, forests.start, asked.settings, jobs, tell, say, state)
        except KeyboardInterrupt:
            if state.is_there:
                say(f"numbat: what was learned is in {state.path}\n  the same command with --resume goes on")
            raise
        write_bytes(asked.output, packed_weights(learned))
        state.remove()
    end(reader.bad, reader.good)


def _told_of(forests: Forests) -> str:
    found, missed = len(forests.examples), forests.unreachable
    if not missed:
        return f"{found:,} forests, each with its right tree"
    return f"{found:,} forests; the expansions cannot make {missed:,} trees ({missed / (found + missed):.1%})"


def _told(progress: TrainingProgress) -> str:
    of = "the mean of the weights, which is written" if progress.is_of_mean else f"pass {progress.number}"
    told = f"{of}: loss {progress.loss:.3f}"
    if progress.objective is not None and progress.gap is not None:
        about = "about " if progress.is_estimate else ""
        told += f", objective {about}{progress.objective:.4f}, duality gap {about}{progress.gap:.2%}"
    return told
