"""Implementation of `learn structure`: a grid of settings, tried on tagged sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, cast

from numbat.errors import DataError, NumbatError, Problem, UsageError, counted, data_error, require_numpy, require_scipy
from numbat.files import as_table, check_spreadsheets, table_row, write, write_bytes
from numbat.reports.answers import Console
from numbat.runs.executors import executor_of
from numbat.runs.loop import BatchRun, Executor, Failure, in_this_process
from numbat.runs.settings import RunSettings
from numbat.structure.contrastive import NEIGHBOURHOODS, Neighbourhood
from numbat.structure.estimation import (
    ANNEALED,
    INITIALISERS,
    NO_BIAS,
    Initialiser,
    Schedule,
    TagSentences,
    counted_sentences,
    steps,
)
from numbat.structure.grid import (
    SMOOTHINGS,
    VARIANCES,
    Chosen,
    Condition,
    GridJob,
    Judge,
    StructureSearch,
    TagMaterial,
    TreeJudges,
    Tried,
    choice,
    conditions_of,
    contrastive_conditions,
)
from numbat.structure.model import MAX_TAGS, Column
from numbat.structure.settings import StructureFiles, StructureSettings
from numbat.structure.state_files import GridState
from numbat.treebanks.tagged_sentences import TaggedSentence

HELD_OUT: Final = 10
"""Without trees, one sentence in this many is held out to measure the likelihood."""
MAX_CONTRASTED: Final = 14
"""Maximum length for which sums over all sentences of a length are in the range of floating point."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Conditions to try, sentences to learn from, and judges; `about` identifies the grid in its state file."""

    conditions: tuple[Condition, ...]
    sentences: TagSentences
    judges: TreeJudges
    column: Column
    about: dict[str, object]


def conditions_for(settings: StructureSettings) -> list[Condition]:
    """Return the conditions to try. Raises UsageError for settings that do not fit together."""
    initialisers = tuple(cast(Initialiser, initialiser) for initialiser in settings.initialisers) or INITIALISERS
    for name in initialisers:
        if name not in INITIALISERS:
            raise UsageError(f'no initialiser is called "{name}"\n  choose from {", ".join(INITIALISERS)}')
    schedules = _schedules(settings)
    if settings.neighbourhood is None:
        if settings.variance:
            raise UsageError("--variance needs contrastive estimation\n  add --neighbourhood, or leave --variance out")
        return conditions_of(schedules, settings.smoothing or SMOOTHINGS, initialisers)
    if settings.neighbourhood not in NEIGHBOURHOODS:
        raise UsageError(
            f'no neighbourhood is called "{settings.neighbourhood}"\n  choose from {", ".join(NEIGHBOURHOODS)}'
        )
    if settings.smoothing:
        raise UsageError("--smoothing is only for EM\n  with --neighbourhood use --variance")
    if settings.neighbourhood == "length" and settings.max_length > MAX_CONTRASTED:
        raise UsageError(f"--neighbourhood length allows up to {MAX_CONTRASTED} words\n  lower --max-length")
    near: Neighbourhood = settings.neighbourhood
    return contrastive_conditions((near,), schedules, settings.variance or VARIANCES, initialisers)


def _schedules(settings: StructureSettings) -> tuple[Schedule, ...]:
    if settings.bias == "none":
        if settings.anneal or settings.fixed:
            raise UsageError("--bias none takes no values\n  leave out --anneal and --fixed")
        return (NO_BIAS,)
    annealed = tuple(Schedule(settings.bias, _values(text)) for text in settings.anneal)
    fixed = tuple(Schedule(settings.bias, (value,)) for value in settings.fixed)
    if settings.neighbourhood is not None and not fixed:
        raise UsageError("contrastive estimation needs a fixed bias\n  add --fixed -0.2, or --bias none")
    return annealed + fixed or ANNEALED[settings.bias]


def _values(text: str) -> tuple[float, ...]:
    try:
        start, stop, step = map(float, text.split(":"))
        return steps(start, stop, step)
    except (ValueError, OverflowError):
        raise UsageError(f'"{text}" is not a schedule\n  write START:STOP:STEP, such as -1:3:0.1') from None


def grid_of(material: TagMaterial, trees: Sequence[TaggedSentence], conditions: Sequence[Condition]) -> Grid:
    """Return the grid over sentences, judged by `trees` or, without trees, by the likelihood of a held-out tenth.

    Raises MissingExtraError without numpy or scipy, DataError for too many tags or too few sentences.
    """
    require_numpy("learning structure")
    if any(condition.neighbourhood is not None for condition in conditions):
        require_scipy("contrastive estimation")
    learned: Sequence[TaggedSentence] = material.sentences
    others: Sequence[TaggedSentence] = trees
    if not trees and len(learned) < HELD_OUT:
        raise DataError(
            f"{len(learned)} sentences are too few to hold some of them out\n"
            f"  give {HELD_OUT} or more, or annotate some and add --select FILE"
        )
    if not trees:
        others = learned[HELD_OUT - 1 :: HELD_OUT]
        learned = [sentence for place, sentence in enumerate(learned) if place % HELD_OUT != HELD_OUT - 1]
    more = sorted({tag for sentence in others for tag in sentence.tags})
    sentences = counted_sentences((sentence.tags for sentence in learned), more)
    if len(sentences.tags) > MAX_TAGS:
        raise DataError(
            f"{len(sentences.tags):,} different tags, with those of --select, but a model has at most {MAX_TAGS:,}\n"
            "  give trees with the same tags"
        )
    number = {tag: place for place, tag in enumerate(sentences.tags)}
    judged = [[number[tag] for tag in sentence.tags] for sentence in others]
    judge = Judge(judged, [tree.heads or () for tree in trees] if trees else None)
    digest = sha256(repr((sentences.tags, sentences.sequences, judge.sentences, judge.heads)).encode()).hexdigest()
    about: dict[str, object] = {"sentences": digest}
    return Grid(tuple(conditions), sentences, TreeJudges(judge), material.column, about)


def search(
    grid: Grid,
    executor: Executor = in_this_process,
    state: GridState | None = None,
    advance: Callable[[], object] = lambda: None,
) -> StructureSearch:
    """Learn under all conditions and choose a model. Raises DataError if a process runs out of time or memory."""
    outcomes: dict[str, Tried] = {}
    if state is not None:
        outcomes.update(
            (condition.id, tried) for condition in grid.conditions if (tried := state.found(condition)) is not None
        )
        for _ in outcomes:
            advance()
    left = (condition for condition in grid.conditions if condition.id not in outcomes)
    for record in BatchRun(GridJob(grid.sentences, grid.judges), left, executor=executor).whole():
        if isinstance(record, Failure):
            hint = "use fewer or shorter sentences; --resume continues with the other conditions"
            raise DataError(f"{record.id}: {record.reason}\n  {hint}")
        outcomes[record.id] = record.value
        if state is not None:
            state.add(record.value)
        advance()
    whole = [outcomes[condition.id] for condition in grid.conditions]
    return choice(whole, grid.sentences.tags, grid.column, len(grid.judges.selection.sentences))


def material_notes(material: TagMaterial, most: int) -> str:
    """Return a note on the number of sentences to learn from and of those left out."""
    tags = {tag for sentence in material.sentences for tag in sentence.tags}
    note = f"{counted(len(material.sentences), 'sentence')} of up to {most} words, {counted(len(tags), 'tag')}"
    left_out = [f"{material.too_long:,} longer"] * bool(material.too_long)
    left_out += [f"{material.empty:,} without words"] * bool(material.empty)
    return note + (f"; {' and '.join(left_out)} left out" if left_out else "")


def search_notes(search: StructureSearch) -> Iterator[str]:
    """Yield notes on the chosen model, and on the one that the other criterion would have chosen."""
    yield f"{counted(len(search.candidates), 'model')} learned"
    if search.by_trees is not None:
        yield f"by the trees of {counted(search.judges, 'sentence')}: {_summary(search.by_trees)}"
    of = counted(search.judges, "held-out sentence") if search.by_trees is None else "these sentences"
    yield f"by the likelihood of {of}: {_summary(search.by_likelihood)}"
    if search.by_trees is None:
        yield (
            "chosen by likelihood alone, which is not a reliable judge of structure: look at the trees before\n"
            "  you use them, or annotate some 100 sentences and add --select FILE"
        )


def _summary(chosen: Chosen) -> str:
    condition, judged = chosen.candidate.condition, chosen.candidate.judged[0]
    at = "" if len(condition.schedule.values) == 1 else f", at {chosen.candidate.value:g}"
    result = f"{condition.id}{at}; mean log-likelihood {judged.likelihood:.2f}"
    links = judged.attachments
    return result if links is None else f"{result}, F {links.f1:.3f}, undirected {links.undirected:.3f}"


SLOW_LENGTH, SLOW_BIAS = 25, 0.5
"""Above both this length and this bias, sums over trees may leave the range of floating point."""


def learn_structure(
    paths: Sequence[str],
    files: StructureFiles,
    run: RunSettings,
    settings: StructureSettings,
    complain: Callable[[NumbatError], object],
    console: Console,
) -> tuple[int, int]:
    """Learn structure from tagged sentences and write the model; problems with the state go to `complain`.

    Returns the numbers of sentences that could not be read and of those that were.
    """
    from numbat.structure.grid import known_trees, material_of, rows
    from numbat.structure.model import packed_model

    check_spreadsheets(files.for_spreadsheets, files.table is not None, "add --candidates FILE, or leave it out")
    problems: list[Problem] = []

    def wrong(problem: Problem) -> None:
        problems.append(problem)
        console.complain(data_error(problem))

    conditions = conditions_for(settings)
    longest = settings.max_length
    material = material_of(paths, settings.source, settings.column, longest, wrong)
    console.say(material_notes(material, longest))
    trees = known_trees(files.select, material, longest, wrong) if files.select else []
    grid = grid_of(material, trees, conditions)
    if longest > SLOW_LENGTH and any(max(condition.schedule.values) > SLOW_BIAS for condition in grid.conditions):
        console.say(
            f"numbat: learning is slow for more than {SLOW_LENGTH} words if the bias is above {SLOW_BIAS:g}\n"
            "  sums over trees leave the range of floating point: end --anneal earlier, or lower --max-length"
        )
    path = files.state or f"{files.output}.state"
    kept = GridState(path, grid.about, len(grid.sentences.tags), files.resume, complain)
    console.begin("conditions", total=len(grid.conditions))
    try:
        outcome = search(grid, executor_of(run, many=2), kept, console.advance)
    except KeyboardInterrupt:
        console.tell(f"numbat: results so far are in {path}\n  the same command with --resume continues")
        raise
    console.clear()
    write_bytes(files.output, packed_model(outcome.chosen.model))
    if files.table is not None:
        table = "".join(f"{table_row(row)}\n" for row in rows(outcome))
        write(files.table, as_table(table, files.for_spreadsheets))
    kept.remove()
    for line in search_notes(outcome):
        console.say(line)
    return len(problems), len(material.sentences)
