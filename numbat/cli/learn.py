"""Verbs that learn from trees or tags: learn structure (a dependency model), learn weights (of trees)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import click

from numbat.cli.options import (
    GRAMMAR,
    INPUT,
    MANY,
    NAMED_GRAMMAR_OPTION,
    OUTPUT,
    RUN_OPTIONS,
    SPREADSHEETS_OPTION,
    TREES_OPTION,
    grammar_of,
    is_given,
    option,
    options_of,
    seed_option,
    source_option,
    verb,
    with_options,
)
from numbat.cli.printing import Input, Output, Progress, Text, complain, complain_of_one, end, end_trees, say, tell
from numbat.cli.printing import Progress as Bar
from numbat.errors import Problem, UsageError, data_error
from numbat.files import as_table, check_spreadsheets, table_row, write, write_bytes
from numbat.learning.settings import WeightSettings
from numbat.runs.settings import TAGGED_FILES, RunSettings
from numbat.structure.settings import StructureSettings

if TYPE_CHECKING:
    from numbat.learning.tree_learners import Learner
    from numbat.learning.tree_training import TrainingProgress
    from numbat.learning.verbs import Forests


STRUCTURE_DEFAULTS = StructureSettings()
SLOW_LENGTH, SLOW_BIAS = 25, 0.5
"""Words from which on sums over trees may be beyond floating point, where the bias is greater."""


@verb(
    "learn structure",
    "numbat learn structure tagged.conllu -o tags.model",
    "numbat learn structure --bias none --candidates tried.tsv tagged.conllu -o tags.model",
)
@click.argument("paths", metavar="TAGS...", nargs=-1, required=True, type=Text())
@option(OUTPUT, "-o", "--output", type=Output(), required=True, help="File for the model.")
@option(
    INPUT,
    "--select",
    type=Input(),
    metavar="TREES",
    help="Trees that choose the model (default: the likelihood of a tenth of TAGS).",
)
@source_option(TAGGED_FILES, "TAGS")
@with_options(
    options_of(
        StructureSettings,
        ("column", "max_length", "bias", "anneal", "fixed", "smoothing", "initialisers", "neighbourhood", "variance"),
    )
)
@option(
    OUTPUT,
    "--candidates",
    "table",
    formerly={"--table": None},
    type=Output(),
    help="A file for all candidate models, as TSV.",
)
@SPREADSHEETS_OPTION
@option(MANY, "--state", type=Output(), help="The file for what was tried, until all is done [OUTPUT.state].")
@option(MANY, "--resume", is_flag=True, help="Go on from the state of a run that was stopped.")
@with_options(RUN_OPTIONS)
def structure(
    paths: tuple[str, ...],
    output: str,
    select: str | None,
    table: str | None,
    for_spreadsheets: bool,
    state: str | None,
    resume: bool,
    working: RunSettings,
    settings: StructureSettings,
) -> None:
    """Learn dependency structure from TAGS: sentences whose words have tags, without trees. A grid of conditions is
    tried, and the model is kept that has the most links of --select right.
    """
    from numbat.learning import verbs as learn
    from numbat.learning.state_files import GridState
    from numbat.runs.executors import executor_of
    from numbat.structure.grid import known_trees, material_of, rows
    from numbat.structure.model import packed_model
    from numbat.structure.report import material_notes, search_notes

    check_spreadsheets(for_spreadsheets, table is not None, "add --candidates FILE, or leave it out")
    problems: list[Problem] = []

    def wrong(problem: Problem) -> None:
        problems.append(problem)
        complain_of_one(data_error(problem))

    conditions = learn.conditions_for(settings)
    longest = settings.max_length
    material = material_of(paths, settings.source, settings.column, longest, wrong)
    say(material_notes(material, longest))
    trees = known_trees(select, material, longest, wrong) if select else []
    grid = learn.grid_of(material, trees, conditions)
    if longest > SLOW_LENGTH and any(max(each.schedule.values) > SLOW_BIAS for each in grid.conditions):
        say(
            f"numbat: learning is slow for more than {SLOW_LENGTH} words where the bias is above {SLOW_BIAS:g}\n"
            "  sums over trees leave the range of floating point: end --anneal earlier, or lower --max-length"
        )
    path = state or f"{output}.state"
    kept = GridState(path, grid.about, len(grid.sentences.tags), resume, complain)
    with Progress("conditions", total=len(grid.conditions)) as bar:
        try:
            # A condition may take long: only who asks for it has a limit.
            run = working if is_given("kill_after") else replace(working, kill_after=0.0)
            found = learn.search(grid, executor_of(run, many=2), kept, bar.advance)
        except KeyboardInterrupt:
            bar.clear()
            tell(f"numbat: what was learned is in {path}\n  the same command with --resume goes on")
            raise
    write_bytes(output, packed_model(found.chosen.model))
    if table is not None:
        write(table, as_table("".join(f"{table_row(row)}\n" for row in rows(found)), for_spreadsheets))
    kept.remove()
    for line in search_notes(found):
        say(line)
    end(len(problems), len(material.sentences))


# learn weights

OF_WEIGHTS: Final = (
    *("features", "learner", "passes", "gap", "penalty", "rate", "loss", "likelihood", "signs", "tune", "folds"),
    *("max_length", "slack", "bits", "prune"),
)
"""The settings in the order of the help."""


@verb(
    "learn weights",
    "numbat learn weights -g small.pg --expansions small.exp trees.mrg -o small.weights",
    "numbat learn weights -g small.pg --expansions small.exp --epochs 5 trees.mrg -o small.weights",
)
@click.argument("paths", metavar="TREES...", nargs=-1, required=True, type=Text())
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
@with_options(options_of(WeightSettings, OF_WEIGHTS))
@with_options(RUN_OPTIONS)
@seed_option("the order of the trees")
def weights(
    paths: tuple[str, ...],
    grammar: str,
    expansions: str,
    source: str,
    output: str | None,
    dump: str | None,
    state: str | None,
    resume: bool,
    run: RunSettings,
    settings: WeightSettings,
) -> None:
    """Learn weights of expansions, properties and words from TREES, so that right trees win by a margin. They are for
    numbat parse --tree-weights."""
    from numbat.learning import verbs as learn
    from numbat.parsing.tree_model.scoring import packed_weights
    from numbat.parsing.treebank_grammar.expansions import read_expansions
    from numbat.runs.executors import executor_of
    from numbat.runs.loop import cores
    from numbat.treebanks.tree_reader import TreeReader

    if output is None and (dump is None or state or resume):
        raise UsageError("nowhere to write the weights\n  add -o FILE; or --dump FILE alone, for features")
    loaded, counts = grammar_of(grammar), read_expansions(expansions)
    start = learn.start_of(loaded, counts, settings)
    kept = None
    if output is not None:
        path = state or f"{output}.state"
        kept = learn.state_of(path, settings, resume, complain)
    with Bar("trees") as bar:
        reader = TreeReader(bar.complain, bar.advance)
        trees = learn.trees_for(paths, source, reader, counts)
    different = learn.other_counts(trees, counts)
    if different:
        say(f"numbat: {different}")
    with Bar("forests", total=len(trees)) as bar:
        executor = executor_of(run)
        forests = learn.forests_of(trees, loaded, settings, start, executor, bar.advance)
    say(_told_of(forests))

    def told(progress: TrainingProgress, learner: Learner) -> None:
        say(_told(progress))

    if dump is not None:
        write_bytes(dump, learn.dumped(forests, settings))
    if output is not None and kept is not None:
        jobs = run.jobs or cores()
        try:
            learned = learn.learn(forests, forests.start, settings, jobs, told, say, kept)
        except KeyboardInterrupt:
            if kept.is_there:
                tell(f"numbat: what was learned is in {kept.path}\n  the same command with --resume goes on")
            raise
        write_bytes(output, packed_weights(learned))
        kept.remove()
    end_trees(reader)


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
