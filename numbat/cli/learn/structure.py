"""The verb learn structure: a dependency model from tagged sentences."""

from __future__ import annotations

from dataclasses import replace

import click

from numbat.cli.options import RUN_OPTIONS, TAGGED_FILES, source_option, takes, with_options
from numbat.cli.printing import Input, Output, complain, end, say, write, write_bytes
from numbat.cli.progress import Progress
from numbat.cli.suite_options import SPREADSHEETS_OPTION, as_table, check_spreadsheets
from numbat.cli.verbs import INPUT, LEARNING, MANY, OUTPUT, is_given, option, verb
from numbat.commands.settings import RunSettings, StructureSettings
from numbat.errors import Problem, data_error
from numbat.parsing.dependency_model.model import LONGEST
from numbat.records import frozen

DEFAULTS = StructureSettings()
SLOW_LENGTH, SLOW_BIAS = 25, 0.5
"""Words from which on sums over trees may be beyond floating point, where the bias is greater."""


@frozen
class StructureOptions:
    """What `numbat learn structure` is asked for: `select` is a file of trees that choose, `table` for candidates."""

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
    "numbat learn structure --bias none --smoothing 1 tagged.conllu -o tags.model --candidates tried.tsv",
)
@click.argument("paths", metavar="TAGS...", nargs=-1, required=True, type=Input())
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
    default=DEFAULTS.column,
    show_default=True,
    help="Column of CoNLL-U that has the tags: upos or xpos.",
)
@option(
    INPUT,
    "--max-length",
    type=click.IntRange(2, LONGEST),
    default=DEFAULTS.max_length,
    show_default=True,
    help="Leave out longer sentences (without punctuation).",
)
@option(
    LEARNING,
    "--bias",
    type=click.Choice(["locality", "segments", "none"]),
    default=DEFAULTS.bias,
    show_default=True,
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
def structure(asked: StructureOptions) -> None:
    """Learn dependency structure from TAGS: sentences whose words have tags, without trees. A grid of conditions is
    tried, and the model is kept that has the most links of --select right.
    """
    from numbat.commands import learn as learning
    from numbat.commands.parsing import executor_of
    from numbat.learning.grid import known_trees, material_of, rows
    from numbat.learning.state_files import GridState
    from numbat.parsing.dependency_model.model import packed_model
    from numbat.report.structure import told_of_material, told_of_search

    check_spreadsheets(asked.for_spreadsheets, asked.table is not None, "add --candidates FILE, or leave it out")
    problems: list[Problem] = []

    def wrong(problem: Problem) -> None:
        problems.append(problem)
        complain(data_error(problem))

    settings = asked.settings
    conditions = learning.conditions_for(settings)
    longest = settings.max_length
    material = material_of(asked.paths, settings.source, settings.column, longest, wrong)
    say(told_of_material(material, longest))
    trees = known_trees(asked.select, material, longest, wrong) if asked.select else []
    grid = learning.grid_of(material, trees, conditions)
    if longest > SLOW_LENGTH and any(max(each.schedule.values) > SLOW_BIAS for each in grid.conditions):
        say(
            f"numbat: learning is slow for more than {SLOW_LENGTH} words where the bias is above {SLOW_BIAS:g}\n"
            "  sums over trees leave the range of floating point: end --anneal earlier, or lower --max-length"
        )
    path = asked.state or f"{asked.output}.state"
    state = GridState(path, grid.about, len(grid.sentences.tags), asked.resume, complain)
    with Progress("conditions", asked.run.quiet, len(grid.conditions)) as bar:
        try:
            # A condition may take long: only who asks for it has a limit.
            run = asked.run if is_given("kill_after") else replace(asked.run, kill_after=0.0)
            found = learning.search(grid, executor_of(run, many=2), state, bar.advance)
        except KeyboardInterrupt:
            bar.clear()
            say(f"numbat: what was learned is in {path}\n  the same command with --resume goes on")
            raise
    write_bytes(asked.output, packed_model(found.chosen.model))
    if asked.table is not None:
        write(asked.table, as_table("".join("\t".join(row) + "\n" for row in rows(found)), asked.for_spreadsheets))
    state.remove()
    for line in told_of_search(found):
        say(line)
    end(len(problems), len(material.sentences))
