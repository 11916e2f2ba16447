"""Importance of the parts of a model, on a suite or on a treebank."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from numbat.acceptability.fitted import TermsOfSecond, read_model
from numbat.acceptability.fitting import TermsJob, seen_before
from numbat.acceptability.models import scorer
from numbat.acceptability.runs import LostItems, notes_on_lost, run_suite
from numbat.acceptability.suite import Suite
from numbat.acceptability.summary import on_left_out
from numbat.errors import DataError, UsageError, counted, require_statistics
from numbat.files import shown
from numbat.learning import importance
from numbat.learning.importance import Importance, ImportanceReport
from numbat.parsing.parser import Parser
from numbat.parsing.tree_model.scoring import HEADER, SUFFIX, TreeModel, packaged_weights
from numbat.parsing.treebank_parser import TreebankParser
from numbat.runs.loop import BatchRun, Executor, Failure, in_this_process
from numbat.runs.record import name_of
from numbat.runs.sentences import InputSentence, Reader, plain
from numbat.statistics.intervals import affordable
from numbat.treebanks.converting import gold_parameters
from numbat.words.tag_maps import TagMap


def importance_of_fitted(
    path: str,
    suite: Suite,
    parser: Parser,
    seed: int = 0,
    read: Reader = plain,
    executor: Executor = in_this_process,
    lost: LostItems | None = None,
    by: str = "relation",
) -> ImportanceReport:
    """Return the importance of each relation in a model that `numbat learn costs` wrote, on a suite; `by` property:
    that of each property that is violated there.

    Raises the errors of `read_model`, DataError for a suite without judgements, MissingExtraError without numpy or
    scipy.
    """
    require_statistics("importance")
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
    terms = list(BatchRun(TermsJob(model.more), items, total=len(items)).values())
    found = importance.fitted_importance(model, suite, items, terms, seed, by == "property")
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
        name_of(path), suite.name, number, importance.RELATION_WEIGHT, importance.RELATION_LEFT_OUT, found, notes
    )


def is_weights(path: str) -> bool:
    """True if a model is one of `numbat learn weights`: by its suffix, its first line, or a packaged name."""
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
    """Return the importance of each relation and each group of features in learned weights, the parser's, on sentences
    with trees.

    `model` and `on` are the names of the files, `mapped` what the tags of the trees are in the grammar. A sentence that
    cannot be read or parsed is left out, and `complain` is told why. Raises UsageError for a parser without weights,
    DataError where no sentence is left, MissingExtraError without numpy or scipy.
    """
    require_statistics("importance")
    if parser.weights is None:
        raise UsageError("a parser without weights has no parts\n  give it weights of numbat learn weights")
    parts = importance.tree_parts(parser.weights, parser.grammar)
    tree_model = TreeModel(importance.own_copy(parser.weights), parser.evaluator, parser.passes.fine)
    job = importance.TreeOutcomeJob(parser.passes, tree_model, parts, parser.prune, gold_parameters(mapped))
    outcomes, failures = [], []
    for record in BatchRun(job, _judged(sentences), executor=executor).whole():
        if isinstance(record, Failure):
            failures.append(record)
            complain(record.as_error())
        else:
            outcomes.append(record.value)
    if not outcomes:
        raise DataError(f"{shown(on)}: no tree to measure on\n  give a file of trees, with --from if need be")
    found = importance.tree_importance(parts, outcomes, seed)
    notes = [f"{counted(len(failures), 'sentence')} left out, which could not be read or parsed"] * bool(failures)
    notes += _notes(found)
    number = counted(len(outcomes), "tree")
    return ImportanceReport(
        name_of(model),
        shown(name_of(on)),
        number,
        importance.TEMPLATE_WEIGHT,
        importance.TEMPLATE_LEFT_OUT,
        found,
        tuple(notes),
    )


def _judged(sentences: Iterable[InputSentence | DataError]) -> Iterator[importance.JudgedSentence | DataError]:
    """Return the sentences that have a tree; one whose branches cross is an error."""
    from numbat.treebanks.crossing import CrossingTree
    from numbat.treebanks.notes import CROSSING, UnfitTreeError

    for each in sentences:
        if isinstance(each, DataError):
            yield each
        elif isinstance(each.gold, CrossingTree):
            yield UnfitTreeError(CROSSING, each.id)
        elif each.gold is not None:
            yield importance.JudgedSentence(each.id, each.lattice, each.gold)


def _notes(found: Importance) -> Iterator[str]:
    if found.whole.value is None:
        yield f"{found.measure} has no value here: scores or judgements are all the same"
    elif not affordable(found.whole.number, found.groups):
        alone = "pair" if found.measure == "pair accuracy" else "item"
        what = "group" if found.groups < found.whole.number else alone
        yield f"{counted(found.groups, what)} only: too few for intervals"
