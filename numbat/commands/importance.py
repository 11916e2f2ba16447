"""What the verb importance does: parse a suite or a treebank, and measure what each part of a model matters on it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from numbat.commands.fitting import TermsOfSecond, read_model
from numbat.commands.suites import notes_on_lost
from numbat.errors import DataError, UsageError, counted
from numbat.files import shown
from numbat.gradience.fitting import TermsJob, seen_before
from numbat.gradience.models import scorer
from numbat.gradience.suite import ENOUGH, Suite
from numbat.gradience.summary import on_left_out
from numbat.learning import importance as of_fitted
from numbat.learning import importance as of_trees
from numbat.learning.importance import Importance, ImportanceReport
from numbat.parsing.parser import Parser
from numbat.parsing.tree_model.scoring import HEADER, SUFFIX, TreeModel, packaged_weights
from numbat.parsing.treebank_parser import TreebankParser
from numbat.runs.jobs import LostItems, Reader, plain, run_suite
from numbat.runs.loop import BatchRun, Executor, Failure, in_this_process
from numbat.runs.record import name_of
from numbat.runs.sources import InputSentence
from numbat.treebank.converting import gold_parameters
from numbat.words.tag_maps import TagMap


def importance_of_fitted(
    path: str,
    suite: Suite,
    parser: Parser,
    seed: int = 0,
    read: Reader = plain,
    executor: Executor = in_this_process,
    lost: LostItems | None = None,
) -> ImportanceReport:
    """What each relation matters in a model that `numbat learn costs` wrote, on a suite.

    Raises the errors of `read_model`, and DataError for a suite without judgements.
    """
    model = read_model(path, parser.grammar)
    if not suite.rated and not suite.pairs:
        raise DataError(
            f"{suite.path}: no item is judged or rated, so that nothing can be lost{suite.lacking('rating')}\n"
            "  give a suite with judgements, ratings or pairs"
        )
    every = list(run_suite(suite, parser, scorer("cost"), read, executor, lost))
    items = [each for each in every if each.score is not None]
    if isinstance(model.more, TermsOfSecond):
        items = list(model.more.ready_for(items, executor, lost))
    terms = list(BatchRun(TermsJob(model.more), items).values())
    found = of_fitted.fitted_importance(model, suite, items, terms, seed)
    kind = "pair" if found.measure == "pair accuracy" else "sentence"
    seen = seen_before(name_of(path), model, suite, items)
    notes = (
        *notes_on_lost(lost),
        *on_left_out(suite, every),
        *seen,
        *_notes(found),
    )
    number = counted(found.whole.number, kind)
    if found.groups < found.whole.number:
        number += f" in {counted(found.groups, 'group')}"
    return ImportanceReport(
        name_of(path), suite.name, number, of_fitted.RELATION_WEIGHT, of_fitted.RELATION_LEFT_OUT, found, notes
    )


def is_weights(path: str) -> bool:
    """Whether a model is one of `numbat learn weights`: by its suffix, its first line, or a packaged name."""
    if path.endswith(SUFFIX) or packaged_weights(path) is not None:
        return True
    if not os.path.isfile(path):
        return False
    with suppress(OSError), open(path, "rb") as file:
        return file.read(len(HEADER)) == HEADER
    return False


def importance_of_weights(
    model: str,
    on: str,
    parser: TreebankParser,
    sentences: Iterable[InputSentence | DataError],
    mapped: TagMap,
    seed: int = 0,
    executor: Executor = in_this_process,
    complain: Callable[[DataError], object] = lambda error: None,
) -> ImportanceReport:
    """What each relation and each group of features matters in learned weights, the parser's, on sentences with trees.

    `model` and `on` are the names of the files, `mapped` what the tags of the trees are in the grammar. A sentence that
    cannot be read or parsed is left out, and `complain` is told why. Raises UsageError for a parser without weights,
    DataError where no sentence is left.
    """
    if parser.weights is None:
        raise UsageError("a parser without weights has no parts\n  give it weights of numbat learn weights")
    parts = of_trees.tree_parts(parser.weights, parser.grammar)
    tree_model = TreeModel(of_trees.own_copy(parser.weights), parser.evaluator, parser.passes.fine)
    job = of_trees.TreeOutcomeJob(parser.passes, tree_model, parts, parser.prune, gold_parameters(mapped))
    outcomes, failures = [], []
    for record in BatchRun(job, _judged(sentences), executor=executor).whole():
        if isinstance(record, Failure):
            failures.append(record)
            complain(record.as_error())
        else:
            outcomes.append(record.value)
    if not outcomes:
        raise DataError(f"{shown(on)}: no tree to measure on\n  give a file of trees, with --from if need be")
    found = of_trees.tree_importance(parts, outcomes, seed)
    notes = [f"{counted(len(failures), 'sentence')} left out, which could not be read or parsed"] * bool(failures)
    notes += _notes(found)
    number = counted(len(outcomes), "tree")
    return ImportanceReport(
        name_of(model),
        shown(name_of(on)),
        number,
        of_trees.TEMPLATE_WEIGHT,
        of_trees.TEMPLATE_LEFT_OUT,
        found,
        tuple(notes),
    )


def _judged(sentences: Iterable[InputSentence | DataError]) -> Iterator[of_trees.JudgedSentence | DataError]:
    """The sentences that have a tree."""
    for each in sentences:
        if isinstance(each, DataError):
            yield each
        elif each.gold is not None:
            yield of_trees.JudgedSentence(each.id, each.lattice, each.gold)


def _notes(found: Importance) -> Iterator[str]:
    if found.whole.value is None:
        yield f"{found.measure} has no value here: scores or judgements are all the same"
    elif found.groups < ENOUGH:
        alone = "pair" if found.measure == "pair accuracy" else "item"
        what = "group" if found.groups < found.whole.number else alone
        yield f"{counted(found.groups, what)} only: the intervals are too narrow to be trusted"
