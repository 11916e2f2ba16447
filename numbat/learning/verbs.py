"""Functions of learn structure, parse --structure, induce --structure and learn weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from hashlib import sha256
from typing import Final, cast

from numbat.errors import (
    DataError,
    NumbatError,
    Problem,
    UsageError,
    counted,
    data_error,
    first_of,
    require_numpy,
    require_scipy,
)
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.matching import build_table
from numbat.files import as_table, check_spreadsheets, shown, table_row, write, write_bytes
from numbat.grammar.model import Grammar
from numbat.learning.settings import StructureFiles, WeightFiles, WeightSettings
from numbat.learning.state_files import GridState, StateFile
from numbat.learning.tree_learners import TreeLearner
from numbat.learning.tree_training import (
    ExampleJob,
    NamedTree,
    TrainingProgress,
    TreeExample,
    TreeExamples,
    learned_brackets,
    svmlight_lines,
    train,
)
from numbat.parses.formats import FORMATS
from numbat.parses.settings import ParseSettings
from numbat.parsing.tree_model.scoring import TreeModel, TreeWeights, as_in_file, no_weights
from numbat.parsing.tree_model.templates import GROUPS, GrammarKeys, property_names
from numbat.parsing.treebank_grammar.expansions import Expansions
from numbat.parsing.treebank_grammar.likeliest import check_names
from numbat.parsing.treebank_grammar.search import CoarseToFine
from numbat.records import frozen
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
from numbat.structure.model import MAX_TAGS, Column, DependencyModel
from numbat.structure.proposals import ProposedGrammar, can_be_drawn, draw, propose
from numbat.structure.settings import DrawSettings, StructureSettings
from numbat.treebanks.induce import Thresholds
from numbat.treebanks.rule_counts import count_expansions
from numbat.treebanks.tagged_sentences import (
    TaggedFile,
    TaggedSentence,
    bare_sentences,
    read_by_tags,
    read_tagged_sentences,
    share_known,
    tagged_text,
    without_punctuation,
)
from numbat.treebanks.tree_reader import TreeReader
from numbat.treebanks.trees import CODES, PHRASE, PUNCTUATION, Tree, cleaned
from numbat.treebanks.verbs import InduceSettings, source_of, trees_of

HELD_OUT: Final = 10
"""Where no trees are given one sentence of so many is held out, to say how likely it is."""
MAX_CONTRASTED: Final = 14
"""Sums over all sentences of a length are in the range of floating point up to here."""


@dataclass(frozen=True, eq=False)
class Grid:
    """The settings to try, on which sentences, and who judges; `about` tells one grid's state from another's."""

    conditions: tuple[Condition, ...]
    sentences: TagSentences
    judges: TreeJudges
    column: Column
    about: dict[str, object]


def conditions_for(settings: StructureSettings) -> list[Condition]:
    """Return the settings to try. Raises UsageError for settings that do not fit together."""
    initialisers = tuple(cast(Initialiser, each) for each in settings.initialisers) or INITIALISERS
    for each in initialisers:
        if each not in INITIALISERS:
            raise UsageError(f'no initialiser is called "{each}"\n  there are {", ".join(INITIALISERS)}')
    schedules = _schedules(settings)
    if settings.neighbourhood is None:
        if settings.variance:
            raise UsageError("--variance is of contrastive estimation\n  add --neighbourhood, or leave it out")
        return conditions_of(schedules, settings.smoothing or SMOOTHINGS, initialisers)
    if settings.neighbourhood not in NEIGHBOURHOODS:
        raise UsageError(
            f'no neighbourhood is called "{settings.neighbourhood}"\n  there are {", ".join(NEIGHBOURHOODS)}'
        )
    if settings.smoothing:
        raise UsageError("--smoothing is of EM\n  with --neighbourhood there is --variance")
    if settings.neighbourhood == "length" and settings.max_length > MAX_CONTRASTED:
        raise UsageError(f"--neighbourhood length is for up to {MAX_CONTRASTED} words\n  lower --max-length")
    near: Neighbourhood = settings.neighbourhood
    return contrastive_conditions((near,), schedules, settings.variance or VARIANCES, initialisers)


def _schedules(settings: StructureSettings) -> tuple[Schedule, ...]:
    if settings.bias == "none":
        if settings.anneal or settings.fixed:
            raise UsageError("--bias none has no values\n  leave --anneal and --fixed out")
        return (NO_BIAS,)
    annealed = tuple(Schedule(settings.bias, _values(text)) for text in settings.anneal)
    fixed = tuple(Schedule(settings.bias, (value,)) for value in settings.fixed)
    if settings.neighbourhood is not None and not fixed:
        raise UsageError("contrastive estimation has a bias that is fixed\n  add --fixed -0.2, or --bias none")
    return annealed + fixed or ANNEALED[settings.bias]


def _values(text: str) -> tuple[float, ...]:
    try:
        start, stop, step = map(float, text.split(":"))
        return steps(start, stop, step)
    except (ValueError, OverflowError):
        raise UsageError(f'no schedule: "{text}"\n  write START:STOP:STEP, as -1:3:0.1') from None


def grid_of(material: TagMaterial, trees: Sequence[TaggedSentence], conditions: Sequence[Condition]) -> Grid:
    """Return the grid over sentences; those of `trees` judge, or, where there are none, a tenth of the others by
    likelihood.

    Raises MissingExtraError without numpy or scipy, DataError for too many tags or too few sentences.
    """
    require_numpy("learning structure")
    if any(each.neighbourhood is not None for each in conditions):
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
        learned = [each for place, each in enumerate(learned) if place % HELD_OUT != HELD_OUT - 1]
    more = sorted({tag for sentence in others for tag in sentence.tags})
    sentences = counted_sentences((sentence.tags for sentence in learned), more)
    if len(sentences.tags) > MAX_TAGS:
        raise DataError(
            f"{len(sentences.tags):,} different tags with those of the trees that choose, of which up to {MAX_TAGS:,} "
            "can be learned from\n  give trees with the same tags"
        )
    number = {tag: place for place, tag in enumerate(sentences.tags)}
    judged = [[number[tag] for tag in each.tags] for each in others]
    judge = Judge(judged, [each.heads or () for each in trees] if trees else None)
    digest = sha256(repr((sentences.tags, sentences.sequences, judge.sentences, judge.heads)).encode()).hexdigest()
    about: dict[str, object] = {"sentences": digest}
    return Grid(tuple(conditions), sentences, TreeJudges(judge), material.column, about)


def search(
    grid: Grid,
    executor: Executor = in_this_process,
    state: GridState | None = None,
    advance: Callable[[], object] = lambda: None,
) -> StructureSearch:
    """Learns under all conditions, and chooses. Raises DataError where a process ends for want of time or memory."""
    found: dict[str, Tried] = {}
    if state is not None:
        found.update((each.id, tried) for each in grid.conditions if (tried := state.found(each)) is not None)
        for _ in found:
            advance()
    left = (condition for condition in grid.conditions if condition.id not in found)
    for record in BatchRun(GridJob(grid.sentences, grid.judges), left, executor=executor).whole():
        if isinstance(record, Failure):
            hint = "learn with fewer sentences, or with shorter ones; --resume goes on with the other conditions"
            raise DataError(f"{record.id}: {record.reason}\n  {hint}")
        found[record.id] = record.value
        if state is not None:
            state.add(record.value)
        advance()
    whole = [found[condition.id] for condition in grid.conditions]
    return choice(whole, grid.sentences.tags, grid.column, len(grid.judges.selection.sentences))


# parse --structure: tagged sentences

NAMED: Final = 5
"""So many tags are named in a message."""
TYPED: Final = "<arguments>"
"""Where sentences stand that are arguments."""


def tagged_arguments(model: DependencyModel, texts: Iterable[str]) -> TaggedFile:
    """Tagged sentences as they were typed, `The/DET cat/NOUN`. Raises DataError where the model knows no tag."""
    both = list(tagged_text(texts, TYPED))
    problems = tuple(each for each in both if isinstance(each, Problem))
    sentences = tuple(each for each in both if isinstance(each, TaggedSentence))
    return _checked(model, TaggedFile(sentences, problems, "text", "tags"), TYPED)


def tagged_for(model: DependencyModel, path: str, form: str) -> TaggedFile:
    """Return the sentences of a file with the tags that a model was learned from.

    Of CoNLL-U a model of tagged text takes the column whose tags it knows better. Raises MissingFileError, and
    DataError for a file without sentences, or with none of the model's tags.
    """
    if model.column == "tags":
        return _checked(model, read_by_tags(path, model.index, form), shown(path))
    remedy = f"the model was learned from {model.column.upper()}"
    return _checked(model, read_tagged_sentences(path, form, model.column, remedy=remedy), shown(path))


def _checked(model: DependencyModel, found: TaggedFile, name: str) -> TaggedFile:
    if found.sentences and not share_known(found, model.index):
        tags = sorted({tag for sentence in found.sentences for tag in sentence.tags})
        raise DataError(
            f"{name}: the model knows none of the tags\n"
            f"  the file has tags such as {first_of(tags, NAMED)}, the model others such as "
            f"{first_of(model.tags, NAMED)}"
        )
    return found


def words_of(sentence: TaggedSentence) -> int:
    """Return the number of words of a sentence, without its punctuation."""
    return len(without_punctuation(sentence)[1])


# induce --structure: proposed properties

LEAST = Thresholds(w0=0.9)
"""What a proposal needs: learned structure is never as regular as trees that somebody drew."""
NAMED_TAGS = 5


@dataclass
class Material:
    """The sentences of which trees are drawn, and what was left out.

    `too_long` are the sentences of more words than asked for, `empty` those without words, `strange` those with a tag
    that the model does not know, and `unknown` such tags.
    """

    sentences: list[TaggedSentence] = field(default_factory=list)
    too_long: int = 0
    empty: int = 0
    strange: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)


def material_for(model: DependencyModel, paths: Sequence[str], form: str, max_length: int) -> Material:
    """Return the sentences of files, without punctuation.

    Raises MissingFileError, and DataError where nothing is left.
    """
    twice = [tag for tag in model.tags if tag + PHRASE in model.index]
    if twice:
        raise DataError(
            f'the tags "{twice[0]}" and "{twice[0]}{PHRASE}": the second is the name of the phrases of the first\n'
            "  rename one of them, and learn the model again"
        )
    found = Material()
    for path in paths:
        read = tagged_for(model, path, form)
        found.problems += read.problems
        bare = bare_sentences(read.sentences, max_length)
        known = [each for each in bare.sentences if can_be_drawn(model, each)]
        found.sentences += known
        found.too_long, found.empty = found.too_long + bare.too_long, found.empty + bare.empty
        found.strange += len(bare.sentences) - len(known)
        found.unknown.update(tag for each in bare.sentences for tag in each.tags if tag not in model.index)
    if not found.sentences:
        left_out = "; ".join(told_of(found)) or "none could be read"
        raise DataError(f"{shown(paths[0])}: no sentence to learn from\n  {left_out}")
    return found


def told_of(material: Material) -> list[str]:
    """Report what was left out."""
    told = []
    if material.too_long:
        told.append(f"{material.too_long:,} left out that are longer than --max-length")
    if material.strange:
        tags = first_of([tag for tag, _ in material.unknown.most_common()], NAMED_TAGS)
        told.append(f"{material.strange:,} left out with tags that the model does not know: {tags}")
    if material.empty:
        told.append(f"{material.empty:,} left out that have no words")
    return told


def propose_grammar(
    model: DependencyModel,
    material: Material,
    paths: Sequence[str],
    settings: InduceSettings,
    drawing: DrawSettings,
    advance: Callable[[], object] = lambda: None,
) -> ProposedGrammar:
    """Return the properties that hold in sampled trees of the sentences, and the grammar of them."""
    choices = settings.choices(f"proposed from {source_of(paths)}")
    return propose(draw(model, material.sentences, drawing.samples, drawing.seed, advance), choices)


def opening_of(found: ProposedGrammar, paths: Sequence[str], model_file: str) -> list[str]:
    """Lines for the top of the grammar: where it comes from, and what stands behind its properties."""
    remarked = sum(bool(each.remark) for each in found.proposals)
    return [
        f"Proposed by numbat from {source_of(paths)}: {counted(found.induced.sentences, 'sentence')}, "
        f"{counted(found.samples, 'tree')} of each, drawn by {source_of([model_file])}.",
        f"{len(found.proposals) - remarked} properties, and {remarked} in comments that tell little. Strike out what "
        "is wrong with a # before it.",
        "Behind each: occurrences that validate it and that violate it, in numbers of sentences; w0 = validating among",
        "both; w1 = w0 * validating among all; rank; the lower end of the 95 % interval of w0. Below: an example.",
    ]


# learn weights: forests by folds, training, a penalty chosen on held-out sentences

BLOCK: Final = 50
"""So many sentences that follow each other are in one fold: neighbours share words."""
PENALTIES: Final = (0.005, 0.02, 0.08)
"""What `tune` tries."""
Told = Callable[[str], None]


@frozen
class Forests:
    """The examples of all folds, with the keys of the grammar of each; how many trees the expansions cannot make."""

    examples: list[TreeExample]
    keys: list[GrammarKeys]
    unreachable: int
    start: TreeWeights
    """The model without weights that the examples are for, its classifier of spans learned from all trees."""


def trees_for(paths: Sequence[str], form: str, reader: TreeReader, expansions: Expansions) -> list[Tree]:
    """Return the trees of files as the expansions have them: with the same punctuation, without functions and empty
    elements.

    Raises DataError where there is none.
    """
    tags = {leaf.label for leaf in expansions.leaves}
    dropped = CODES | (PUNCTUATION - tags)
    every = (tree for path in paths for _, tree in filter(None, trees_of(path, form, reader)))
    found = [tree for tree in (cleaned(tree, dropped=dropped) for tree in every) if tree is not None]
    if not found:
        raise DataError(f"{shown(paths[0])}: no tree to learn from\n  give a file of trees, with --from if need be")
    return found


def other_counts(trees: Sequence[Tree], expansions: Expansions) -> str:
    """Return the message that the expansions are not those of these trees, empty if they are."""
    if count_expansions(trees).digest == expansions.digest:
        return ""
    return (
        "the expansions were counted on other trees, or with other options\n"
        "  the forests are made with counts of these trees: count expansions again without --frequent and --min-count"
    )


def forests_of(
    trees: Sequence[Tree],
    grammar: Grammar,
    settings: WeightSettings,
    start: TreeWeights,
    executor: Executor = in_this_process,
    advance: Callable[[], object] = lambda: None,
    lose: Callable[[Failure], object] | None = None,
) -> Forests:
    """Return the forest of each tree, made by the expansions of the other folds.

    `lose` is told of a sentence that took too much time or memory, which is left out; without it the first ends all.
    Raises DataError for too few trees and for one of which no forest can be made, UsageError for a grammar of others.
    """
    if len(trees) < 2 * settings.folds:
        raise DataError(
            f"{len(trees)} trees are too few for {settings.folds} folds\n  give more trees, or fewer --folds"
        )
    size = max(1, min(BLOCK, len(trees) // (2 * settings.folds)))
    fold_of = [number // size % settings.folds for number in range(len(trees))]
    evaluator = Evaluator(build_table(grammar))
    found = Forests([], [], 0, start)
    unreachable = 0
    for fold in range(settings.folds):
        others = [tree for tree, its in zip(trees, fold_of, strict=True) if its != fold]
        counted = count_expansions(others)
        check_names(counted, evaluator)
        passes = CoarseToFine(counted, grammar.unary_limit)
        model = TreeModel(_with_brackets(start, others, settings), evaluator, passes.fine)
        found.keys.append(model.keys)
        inputs = (
            NamedTree(str(number + 1), tree)
            for number, tree in enumerate(trees)
            if fold_of[number] == fold and sum(1 for _ in tree.words()) <= settings.max_length
        )
        job = ExampleJob(passes, model, settings.prune, settings.slack, fold)
        for record in BatchRun(job, inputs, executor=executor).whole():
            if isinstance(record, Failure):
                if lose is None or not record.lost:
                    raise DataError(f"sentence {record.id}: {record.reason}\n  its forest cannot be made: leave it out")
                lose(record)
            elif record.value is None:
                unreachable += 1
            else:
                found.examples.append(record.value)
            advance()
    return replace(found, unreachable=unreachable, start=_with_brackets(start, trees, settings))


def _with_brackets(start: TreeWeights, trees: Sequence[Tree], settings: WeightSettings) -> TreeWeights:
    """Return the same groups with a classifier of spans, if they have the group of auxiliary features."""
    if "auxiliary" not in start.groups:
        return start
    return replace(start, brackets=learned_brackets(trees, settings.max_length, settings.seed))


def start_of(grammar: Grammar, expansions: Expansions, settings: WeightSettings) -> TreeWeights:
    """Return a model without weights, as the settings have it.

    Raises MissingExtraError without numpy, UsageError for a group of features that is not known.
    """
    require_numpy("learning weights of trees")
    strange = [group for group in settings.groups() if group not in GROUPS]
    if strange:
        raise UsageError(f'no group of features is called "{strange[0]}"\n  there are {", ".join(GROUPS)}')
    names = property_names(grammar) if "properties" in settings.groups() else ()
    nothing = no_weights(settings.groups(), names, settings.bits)
    return replace(
        nothing,
        likelihood=settings.likelihood,
        slack=settings.slack,
        expansions=expansions.digest,
        about=f"learned for {grammar.name or 'a grammar'} by {settings.learner}, penalty {settings.penalty:g}",
    )


def learn(
    forests: Forests,
    start: TreeWeights,
    settings: WeightSettings,
    jobs: int,
    tell: Callable[[TrainingProgress, TreeLearner], None],
    said: Told,
    state: StateFile | None = None,
) -> TreeWeights:
    """Return the weights learned from forests. With `tune` a held-out tenth of them chooses the penalty first.

    `state` holds what was learned after each pass, and what an earlier run has learned. Raises DataError where the
    expansions make no tree, and for a state of other learning.
    """
    training = settings
    if not forests.examples:
        raise DataError("no tree to learn from\n  the expansions make none of them: count them on the same trees")
    if settings.tune and state is not None and state.about.get("penalty") in PENALTIES:
        training = replace(training, penalty=state.about["penalty"])
    elif settings.tune:
        training = replace(training, penalty=_tuned(forests, start, settings, jobs, said))
    examples = TreeExamples(forests.examples, forests.keys, start, training.loss, jobs)
    return train(examples, training, tell, state)


def state_of(path: str, settings: WeightSettings, resume: bool, complain: Callable[[NumbatError], object]) -> StateFile:
    """Return the state of learning by such settings. Raises DataError for a file that is none."""
    named = ("folds", "max_length", "slack", "prune", "tune")
    more = {name.replace("_", " "): getattr(settings, name) for name in named}
    defaults = {each.name: each.default for each in fields(settings)}
    defaults |= {name.replace("_", " "): defaults[name] for name in named}
    return StateFile(path, resume, more, complain, defaults)


def dumped(forests: Forests, settings: WeightSettings) -> Iterator[bytes]:
    """Return the features of the right tree of each sentence and of its rival, as lines of SVMlight."""
    examples = TreeExamples(forests.examples, forests.keys, forests.start, settings.loss, 1)
    return (line.encode("utf-8", "replace") for line in svmlight_lines(examples))


def _tuned(forests: Forests, start: TreeWeights, settings: WeightSettings, jobs: int, said: Told) -> float:
    """Return the penalty whose weights make the fewest errors on the held-out part, as their file has them."""
    if settings.learner != "frank-wolfe":
        raise UsageError(f"--tune chooses the penalty, which {settings.learner} does not have\n  leave --tune out")
    blocks = [number // BLOCK % HELD_OUT == HELD_OUT - 1 for number in range(len(forests.examples))]
    rest = [each for each, held in zip(forests.examples, blocks, strict=True) if not held]
    held = [each for each, is_held in zip(forests.examples, blocks, strict=True) if is_held]
    if not held:
        raise DataError("too few trees to hold a tenth of them out\n  leave --tune out")
    losses: dict[float, float] = {}
    for penalty in PENALTIES:
        training = replace(settings, penalty=penalty, passes=min(8, settings.passes))
        learned = train(TreeExamples(rest, forests.keys, start, training.loss, jobs), training, _silent)
        losses[penalty] = TreeExamples(held, forests.keys, as_in_file(learned), 1.0, jobs).errors()
        said(f"penalty {penalty:g}: {losses[penalty]:,.0f} wrong or missing spans in {len(held):,} held-out sentences")
    return min(losses, key=lambda penalty: (losses[penalty], penalty))


def _silent(progress: TrainingProgress, learner: TreeLearner) -> None:
    pass


# Parsing by structure


def parse_by_structure(
    options: ParseSettings, put: Callable[[Iterator[str]], object], console: Console
) -> tuple[int, int]:
    """Parse tagged sentences by the dependency model that is named, and `put` what is written of them.

    Return how many could not be parsed, and how many were.
    """
    from numbat.structure import report
    from numbat.structure.model import read_model
    from numbat.structure.parsing import StructureTally, parse_structure

    assert options.structure is not None
    model = read_model(options.structure)
    if options.file is None:
        found = tagged_arguments(model, options.sentences)
    else:
        found = tagged_for(model, options.file, options.reading.source or "text")
    for problem in found.problems:
        console.complain(data_error(problem))
    longest = options.reading.max_length
    sentences = [each for each in found.sentences if longest is None or words_of(each) <= longest]
    if len(sentences) < len(found.sentences):
        console.say(f"numbat: {len(found.sentences) - len(sentences):,} left out that are longer than --max-length")
    write = FORMATS[options.form].dependencies
    assert write is not None, "the settings are checked before"
    tally = StructureTally()
    put(write(each) for each in parse_structure(model, sentences, tally, console.advance))
    for line in report.told_of(tally):
        console.say(f"numbat: {line}")
    return len(found.problems) + len(tally.too_long), tally.parsed


# Learning with files


SLOW_LENGTH, SLOW_BIAS = 25, 0.5
"""Words from which on sums over trees may be beyond floating point, where the bias is greater."""


def learn_structure(
    paths: Sequence[str],
    files: StructureFiles,
    run: RunSettings,
    settings: StructureSettings,
    complain: Callable[[NumbatError], object],
    console: Console,
) -> tuple[int, int]:
    """Learn structure from tagged sentences, and write the model; `complain` is told what is wrong with the state.

    Return how many sentences could not be read, and how many were.
    """
    from numbat.structure.grid import known_trees, material_of, rows
    from numbat.structure.model import packed_model
    from numbat.structure.report import material_notes, search_notes

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
    if longest > SLOW_LENGTH and any(max(each.schedule.values) > SLOW_BIAS for each in grid.conditions):
        console.say(
            f"numbat: learning is slow for more than {SLOW_LENGTH} words where the bias is above {SLOW_BIAS:g}\n"
            "  sums over trees leave the range of floating point: end --anneal earlier, or lower --max-length"
        )
    path = files.state or f"{files.output}.state"
    kept = GridState(path, grid.about, len(grid.sentences.tags), files.resume, complain)
    console.begin("conditions", total=len(grid.conditions))
    try:
        found = search(grid, executor_of(run, many=2), kept, console.advance)
    except KeyboardInterrupt:
        console.tell(f"numbat: what was learned is in {path}\n  the same command with --resume goes on")
        raise
    console.clear()
    write_bytes(files.output, packed_model(found.chosen.model))
    if files.table is not None:
        write(files.table, as_table("".join(f"{table_row(row)}\n" for row in rows(found)), files.for_spreadsheets))
    kept.remove()
    for line in search_notes(found):
        console.say(line)
    return len(problems), len(material.sentences)


def learn_weights(
    paths: Sequence[str],
    source: str,
    grammar: Grammar,
    expansions: Expansions,
    files: WeightFiles,
    run: RunSettings,
    settings: WeightSettings,
    complain: Callable[[NumbatError], object],
    console: Console,
) -> TreeReader:
    """Learn weights from trees, and write what the files ask for; `complain` is told what is wrong with the state."""
    from numbat.parsing.tree_model.scoring import packed_weights
    from numbat.runs.loop import cores

    start = start_of(grammar, expansions, settings)
    kept = None
    if files.output is not None:
        path = files.state or f"{files.output}.state"
        kept = state_of(path, settings, files.resume, complain)
    reader = TreeReader(console.complain, console.advance)
    trees = trees_for(paths, source, reader, expansions)
    console.clear()
    different = other_counts(trees, expansions)
    if different:
        console.say(f"numbat: {different}")
    console.begin("forests", total=len(trees))
    executor = executor_of(run)
    forests = forests_of(trees, grammar, settings, start, executor, console.advance)
    console.say(_told_of(forests))

    def told(progress: TrainingProgress, learner: TreeLearner) -> None:
        console.say(_told(progress))

    if files.dump is not None:
        write_bytes(files.dump, dumped(forests, settings))
    if files.output is not None and kept is not None:
        jobs = run.jobs or cores()
        try:
            learned = learn(forests, forests.start, settings, jobs, told, console.say, kept)
        except KeyboardInterrupt:
            if kept.is_there:
                console.tell(f"numbat: what was learned is in {kept.path}\n  the same command with --resume goes on")
            raise
        write_bytes(files.output, packed_weights(learned))
        kept.remove()
    return reader


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
