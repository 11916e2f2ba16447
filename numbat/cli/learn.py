"""Verbs that learn from trees or tags: learn structure (a dependency model), learn weights (of trees)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import click

from numbat.cli.options import (
    GRAMMAR,
    INPUT,
    LEARNING,
    MANY,
    NAMED_GRAMMAR_OPTION,
    OUTPUT,
    RUN_OPTIONS,
    SPREADSHEETS_OPTION,
    TAGGED_FILES,
    TREES_OPTION,
    as_table,
    check_spreadsheets,
    grammar_of,
    is_given,
    option,
    options_of,
    seed_option,
    source_option,
    takes,
    verb,
    with_options,
)
from numbat.cli.printing import (
    Input,
    Output,
    Progress,
    Text,
    complain,
    complain_of_one,
    end,
    end_trees,
    say,
    tell,
    write,
    write_bytes,
)
from numbat.cli.printing import Progress as Bar
from numbat.errors import Problem, UsageError, data_error
from numbat.files import table_row
from numbat.learning.settings import WeightSettings
from numbat.records import frozen
from numbat.runs.settings import RunSettings
from numbat.structure.model import MAX_LENGTH
from numbat.structure.settings import StructureSettings

if TYPE_CHECKING:
    from numbat.learning.tree_learners import Learner
    from numbat.learning.tree_training import TrainingProgress
    from numbat.learning.verbs import Forests


STRUCTURE_DEFAULTS = StructureSettings()
SLOW_LENGTH, SLOW_BIAS = 25, 0.5
"""Words from which on sums over trees may be beyond floating point, where the bias is greater."""


@frozen
class StructureOptions:
    """Options of `numbat learn structure`: `select` is a file of trees that choose, `table` for candidates."""

    paths: tuple[str, ...]
    output: str
    select: str | None
    table: str | None
    for_spreadsheets: bool
    state: str | None
    resume: bool
    run: RunSettings
    settings: StructureSettings


def _numbers(context: click.Context, option: click.Parameter, text: str | None) -> tuple[float, ...]:
    try:
        found = tuple(float(each) for each in (text or "").split(",") if each.strip())
    except ValueError:
        raise click.BadParameter(f'"{text}" is no list of numbers, as 0.1,1,10', context, option) from None
    if text is not None and not found:
        raise click.BadParameter(f'"{text}" is no list of numbers, as 0.1,1,10', context, option)
    if any(not -20 <= number <= 20 for number in found):
        raise click.BadParameter("numbers from -20 to 20 are meant", context, option)
    return found


def _amounts(context: click.Context, option: click.Parameter, text: str | None) -> tuple[float, ...]:
    found = _numbers(context, option, text)
    if any(number < 1e-6 for number in found):
        raise click.BadParameter("numbers from 0.000001 to 20 are meant", context, option)
    return found


def _names(context: click.Context, option: click.Parameter, text: str | None) -> tuple[str, ...]:
    return tuple(each.strip() for each in (text or "").split(",") if each.strip())


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
@option(
    INPUT,
    "--tags",
    "column",
    metavar="COLUMN",
    formerly={"--column": None},
    type=click.Choice(["upos", "xpos"]),
    default=STRUCTURE_DEFAULTS.column,
    help="Column of CoNLL-U that has the tags: upos or xpos.",
)
@option(
    INPUT,
    "--max-length",
    type=click.IntRange(2, MAX_LENGTH),
    default=STRUCTURE_DEFAULTS.max_length,
    help="Leave out longer sentences (without punctuation).",
)
@option(
    LEARNING,
    "--bias",
    type=click.Choice(["locality", "segments", "none"]),
    default=STRUCTURE_DEFAULTS.bias,
    metavar="NAME",
    help="Towards short links (locality), many small trees (segments), or none.",
)
@option(
    LEARNING,
    "--anneal",
    multiple=True,
    metavar="START:STOP:STEP",
    help="Change the bias by steps, and learn at each; may be given several times "
    "[locality: -1:3:0.1, -0.4:3:0.05, -0.2:3:0.05; segments: -0.5:-3:-0.1, from 0, from 0.5].",
    advanced=True,
)
@option(
    LEARNING,
    "--fixed",
    callback=_numbers,
    metavar="VALUES",
    help="Values of a bias that stays, with commas between them.",
    advanced=True,
)
@option(
    LEARNING,
    "--smoothing",
    callback=_amounts,
    metavar="VALUES",
    help="What is added to counts (lambda), with commas between them [six from 0.2154 to 10].",
    advanced=True,
)
@option(
    LEARNING,
    "--initialisers",
    callback=_names,
    metavar="NAMES",
    help="Where learning begins: trees, distances, uniform [all three].",
    advanced=True,
)
@option(
    LEARNING,
    "--neighbourhood",
    metavar="KIND",
    formerly={"--neighbours": None},
    type=click.Choice(["delete", "transpose", "delete-or-transpose", "length"]),
    help="Contrastive estimation, against delete, transpose, delete-or-transpose or length.",
)
@option(
    LEARNING,
    "--variance",
    callback=_amounts,
    metavar="VALUES",
    help="Of the prior of contrastive estimation [0.1,0.3,1,3,10].",
    advanced=True,
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
@takes(StructureOptions)
def structure(options: StructureOptions) -> None:
    """Learn dependency structure from TAGS: sentences whose words have tags, without trees. A grid of conditions is
    tried, and the model is kept that has the most links of --select right.
    """
    from numbat.runs.executors import executor_of
    from numbat.structure import verbs as learn
    from numbat.structure.grid import known_trees, material_of, rows
    from numbat.structure.model import packed_model
    from numbat.structure.state_files import GridState
    from numbat.structure.verbs import material_notes, search_notes

    check_spreadsheets(options.for_spreadsheets, options.table is not None, "add --candidates FILE, or leave it out")
    problems: list[Problem] = []

    def wrong(problem: Problem) -> None:
        problems.append(problem)
        complain_of_one(data_error(problem))

    settings = options.settings
    conditions = learn.conditions_for(settings)
    longest = settings.max_length
    material = material_of(options.paths, settings.source, settings.column, longest, wrong)
    say(material_notes(material, longest))
    trees = known_trees(options.select, material, longest, wrong) if options.select else []
    grid = learn.grid_of(material, trees, conditions)
    if longest > SLOW_LENGTH and any(max(each.schedule.values) > SLOW_BIAS for each in grid.conditions):
        say(
            f"numbat: learning is slow for more than {SLOW_LENGTH} words where the bias is above {SLOW_BIAS:g}\n"
            "  sums over trees leave the range of floating point: end --anneal earlier, or lower --max-length"
        )
    path = options.state or f"{options.output}.state"
    state = GridState(path, grid.about, len(grid.sentences.tags), options.resume, complain)
    with Progress("conditions", total=len(grid.conditions)) as bar:
        try:
            # A condition may take long: only who asks for it has a limit.
            run = options.run if is_given("kill_after") else replace(options.run, kill_after=0.0)
            found = learn.search(grid, executor_of(run, many=2), state, bar.advance)
        except KeyboardInterrupt:
            bar.clear()
            tell(f"numbat: what was learned is in {path}\n  the same command with --resume goes on")
            raise
    write_bytes(options.output, packed_model(found.chosen.model))
    if options.table is not None:
        write(options.table, as_table("".join(f"{table_row(row)}\n" for row in rows(found)), options.for_spreadsheets))
    state.remove()
    for line in search_notes(found):
        say(line)
    end(len(problems), len(material.sentences))


# learn weights

OF_WEIGHTS: Final = (
    *("features", "learner", "passes", "gap", "penalty", "rate", "loss", "likelihood", "signs", "tune", "folds"),
    *("max_length", "slack", "bits", "prune"),
)
"""The settings in the order of the help."""


@frozen
class WeightOptions:
    """Options of `numbat learn weights`."""

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
@takes(WeightOptions)
def weights(options: WeightOptions) -> None:
    """Learn weights of expansions, properties and words from TREES, so that right trees win by a margin. They are for
    numbat parse --tree-weights."""
    from numbat.learning import verbs as learn
    from numbat.parsing.tree_model.scoring import packed_weights
    from numbat.parsing.treebank_grammar.expansions import read_expansions
    from numbat.runs.executors import executor_of
    from numbat.runs.loop import cores
    from numbat.treebanks.tree_reader import TreeReader

    if options.output is None and (options.dump is None or options.state or options.resume):
        raise UsageError("nowhere to write the weights\n  add -o FILE; or --dump FILE alone, for features")
    grammar, expansions = grammar_of(options.grammar), read_expansions(options.expansions)
    start = learn.start_of(grammar, expansions, options.settings)
    state = None
    if options.output is not None:
        path = options.state or f"{options.output}.state"
        state = learn.state_of(path, options.settings, options.resume, complain)
    with Bar("trees") as bar:
        reader = TreeReader(bar.complain, bar.advance)
        trees = learn.trees_for(options.paths, options.source, reader, expansions)
    different = learn.other_counts(trees, expansions)
    if different:
        say(f"numbat: {different}")
    with Bar("forests", total=len(trees)) as bar:
        executor = executor_of(options.run)
        forests = learn.forests_of(trees, grammar, options.settings, start, executor, bar.advance)
    say(_told_of(forests))

    def told(progress: TrainingProgress, learner: Learner) -> None:
        say(_told(progress))

    if options.dump is not None:
        write_bytes(options.dump, learn.dumped(forests, options.settings))
    if options.output is not None and state is not None:
        jobs = options.run.jobs or cores()
        try:
            learned = learn.learn(forests, forests.start, options.settings, jobs, told, say, state)
        except KeyboardInterrupt:
            if state.is_there:
                tell(f"numbat: what was learned is in {state.path}\n  the same command with --resume goes on")
            raise
        write_bytes(options.output, packed_weights(learned))
        state.remove()
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
