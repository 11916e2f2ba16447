"""Functions behind the command `learn weights`: forests by folds, training, a penalty chosen on held-out trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from typing import Final

from numbat.errors import (
    DataError,
    NumbatError,
    UsageError,
    require_numpy,
)
from numbat.evaluation.evaluator import Evaluator
from numbat.evaluation.matching import build_table
from numbat.files import shown, write_bytes
from numbat.grammar.model import Grammar
from numbat.learning.settings import WeightFiles, WeightSettings
from numbat.learning.state_files import StateFile
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
from numbat.treebanks.rule_counts import count_expansions
from numbat.treebanks.tree_reader import TreeReader
from numbat.treebanks.trees import Tree, cleaned
from numbat.treebanks.verbs import trees_of
from numbat.words.tag_maps import CODES, PUNCTUATION

# learn weights: forests by folds, training, a penalty chosen on held-out sentences

HELD_OUT: Final = 10
"""Every tenth block of trees is held out to choose a penalty."""
BLOCK: Final = 50
"""Number of consecutive sentences that share a fold, because neighbours share words."""
PENALTIES: Final = (0.005, 0.02, 0.08)
"""Penalties that `tune` tries."""
Say = Callable[[str], None]


@frozen
class Forests:
    """The examples of all folds, the grammar keys of each fold, and how many trees the expansions cannot build."""

    examples: list[TreeExample]
    keys: list[GrammarKeys]
    unreachable: int
    start: TreeWeights
    """The model without weights for the examples, with a classifier of spans learned from all trees."""


def trees_for(paths: Sequence[str], form: str, reader: TreeReader, expansions: Expansions) -> list[Tree]:
    """Return the trees of files without functions, empty elements, and punctuation that the expansions lack.

    Raises DataError for files without a tree.
    """
    tags = {leaf.label for leaf in expansions.leaves}
    dropped = CODES | (PUNCTUATION - tags)
    read = (tree for path in paths for _, tree in filter(None, trees_of(path, form, reader)))
    trees = [tree for tree in (cleaned(tree, dropped=dropped) for tree in read) if tree is not None]
    if not trees:
        raise DataError(f"{shown(paths[0])}: no tree to learn from\n  give a file of trees, with --from if need be")
    return trees


def other_counts(trees: Sequence[Tree], expansions: Expansions) -> str:
    """Return the message that the expansions were not counted on these trees; empty if they were."""
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

    `lose` is called for a sentence that took too much time or memory, which is left out; without it the first one ends
    the run. Raises DataError if there are too few trees or a forest cannot be made, UsageError if the grammar
    does not fit the expansions.
    """
    if len(trees) < 2 * settings.folds:
        raise DataError(
            f"{len(trees)} trees are too few for {settings.folds} folds\n  give more trees, or fewer --folds"
        )
    size = max(1, min(BLOCK, len(trees) // (2 * settings.folds)))
    fold_of = [number // size % settings.folds for number in range(len(trees))]
    evaluator = Evaluator(build_table(grammar))
    forests = Forests([], [], 0, start)
    unreachable = 0
    for fold in range(settings.folds):
        others = [tree for tree, number in zip(trees, fold_of, strict=True) if number != fold]
        counted = count_expansions(others)
        check_names(counted, evaluator)
        passes = CoarseToFine(counted, grammar.unary_limit)
        model = TreeModel(_with_brackets(start, others, settings), evaluator, passes.fine)
        forests.keys.append(model.keys)
        inputs = (
            NamedTree(str(number + 1), tree)
            for number, tree in enumerate(trees)
            if fold_of[number] == fold and sum(1 for _ in tree.words()) <= settings.max_length
        )
        job = ExampleJob(passes, model, settings.prune, settings.slack, fold)
        for record in BatchRun(job, inputs, executor=executor).whole():
            if isinstance(record, Failure):
                if lose is None or not record.lost:
                    raise DataError(
                        f"sentence {record.id}: {record.reason}\n  its forest cannot be made: leave the sentence out"
                    )
                lose(record)
            elif record.value is None:
                unreachable += 1
            else:
                forests.examples.append(record.value)
            advance()
    return replace(forests, unreachable=unreachable, start=_with_brackets(start, trees, settings))


def _with_brackets(start: TreeWeights, trees: Sequence[Tree], settings: WeightSettings) -> TreeWeights:
    """Return the same groups with a classifier of spans, if they include auxiliary features."""
    if "auxiliary" not in start.groups:
        return start
    return replace(start, brackets=learned_brackets(trees, settings.max_length, settings.seed))


def start_of(grammar: Grammar, expansions: Expansions, settings: WeightSettings) -> TreeWeights:
    """Return a model without weights for the settings.

    Raises MissingExtraError without numpy, UsageError for an unknown group of features.
    """
    require_numpy("learning weights of trees")
    strange = [group for group in settings.groups() if group not in GROUPS]
    if strange:
        raise UsageError(f'no group of features is called "{strange[0]}"\n  the groups are {", ".join(GROUPS)}')
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
    report: Callable[[TrainingProgress, TreeLearner], None],
    say: Say,
    state: StateFile | None = None,
) -> TreeWeights:
    """Return the weights learned from forests. With `tune` a held-out tenth of them chooses the penalty first.

    `state` is written after each pass, and may continue an earlier run. Raises DataError if the expansions make no
    tree, and for the state of another run.
    """
    training = settings
    if not forests.examples:
        raise DataError("none of the trees can be built with these expansions\n  count expansions on the same trees")
    if settings.tune and state is not None and state.about.get("penalty") in PENALTIES:
        training = replace(training, penalty=state.about["penalty"])
    elif settings.tune:
        training = replace(training, penalty=_tuned(forests, start, settings, jobs, say))
    examples = TreeExamples(forests.examples, forests.keys, start, training.loss, jobs)
    return train(examples, training, report, state)


def state_of(path: str, settings: WeightSettings, resume: bool, complain: Callable[[NumbatError], object]) -> StateFile:
    """Return the state of learning with these settings. Raises DataError for a file that is not a state."""
    named = ("folds", "max_length", "slack", "prune", "tune")
    more = {name.replace("_", " "): getattr(settings, name) for name in named}
    defaults = {field.name: field.default for field in fields(settings)}
    defaults |= {name.replace("_", " "): defaults[name] for name in named}
    return StateFile(path, resume, more, complain, defaults)


def dumped(forests: Forests, settings: WeightSettings) -> Iterator[bytes]:
    """Yield the features of the right tree and the rival of each sentence, as lines of SVMlight."""
    examples = TreeExamples(forests.examples, forests.keys, forests.start, settings.loss, 1)
    return (line.encode("utf-8", "replace") for line in svmlight_lines(examples))


def _tuned(forests: Forests, start: TreeWeights, settings: WeightSettings, jobs: int, say: Say) -> float:
    """Return the penalty with the fewest errors on the held-out part, with weights as rounded in their file."""
    if settings.learner != "frank-wolfe":
        raise UsageError(f"--tune chooses the penalty, which {settings.learner} does not have\n  leave --tune out")
    blocks = [number // BLOCK % HELD_OUT == HELD_OUT - 1 for number in range(len(forests.examples))]
    rest = [example for example, is_held in zip(forests.examples, blocks, strict=True) if not is_held]
    held = [example for example, is_held in zip(forests.examples, blocks, strict=True) if is_held]
    if not held:
        raise DataError("too few trees to hold out a tenth\n  leave --tune out")
    losses: dict[float, float] = {}
    for penalty in PENALTIES:
        training = replace(settings, penalty=penalty, passes=min(8, settings.passes))
        learned = train(TreeExamples(rest, forests.keys, start, training.loss, jobs), training, _silent)
        losses[penalty] = TreeExamples(held, forests.keys, as_in_file(learned), 1.0, jobs).errors()
        say(f"penalty {penalty:g}: {losses[penalty]:,.0f} wrong or missing spans in {len(held):,} held-out sentences")
    return min(losses, key=lambda penalty: (losses[penalty], penalty))


def _silent(progress: TrainingProgress, learner: TreeLearner) -> None:
    pass


# Learning with files


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
    """Learn weights from trees and write the files; `complain` is called for faults of the state."""
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
    console.say(_forests_text(forests))

    def report(progress: TrainingProgress, learner: TreeLearner) -> None:
        console.say(_progress_text(progress))

    if files.dump is not None:
        write_bytes(files.dump, dumped(forests, settings))
    if files.output is not None and kept is not None:
        jobs = run.jobs or cores()
        try:
            learned = learn(forests, forests.start, settings, jobs, report, console.say, kept)
        except KeyboardInterrupt:
            if kept.is_there:
                console.tell(
                    f"numbat: the state of learning is in {kept.path}\n  the same command with --resume continues"
                )
            raise
        write_bytes(files.output, packed_weights(learned))
        kept.remove()
    return reader


def _forests_text(forests: Forests) -> str:
    made, missed = len(forests.examples), forests.unreachable
    if not missed:
        return f"{made:,} forests, each with its right tree"
    return f"{made:,} forests; the expansions cannot make {missed:,} trees ({missed / (made + missed):.1%})"


def _progress_text(progress: TrainingProgress) -> str:
    of = "the mean of the weights, which is the result" if progress.is_of_mean else f"pass {progress.number}"
    text = f"{of}: loss {progress.loss:.3f}"
    if progress.objective is not None and progress.gap is not None:
        about = "about " if progress.is_estimate else ""
        text += f", objective {about}{progress.objective:.4f}, duality gap {about}{progress.gap:.2%}"
    return text
