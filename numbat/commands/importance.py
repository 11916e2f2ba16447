"""What the verb importance does: parse a suite, and measure what each relation of a model matters on it."""

from __future__ import annotations

from collections.abc import Iterator

from numbat.commands.fitting import TermsOfSecond, read_model
from numbat.commands.suites import notes_on_lost
from numbat.errors import DataError
from numbat.gradience.fitting.about import seen_before
from numbat.gradience.fitting.fitted import TermsJob
from numbat.gradience.models.scores import scorer
from numbat.gradience.suites.suite import Suite
from numbat.learning.fitted_importance import LEFT_OUT, WEIGHT, fitted_importance
from numbat.learning.importance import Importance, ImportanceReport
from numbat.parsing.parser import Parser
from numbat.runs.loop import BatchRun, Executor, in_this_process
from numbat.runs.suites import LostItems, Reader, plain, run_suite
from numbat.source import counted

FEWEST_ITEMS = 30
"""Intervals over fewer items or groups are too narrow."""


def importance_of_fitted(
    path: str,
    suite: Suite,
    parser: Parser,
    seed: int = 0,
    read: Reader = plain,
    executor: Executor = in_this_process,
    lost: LostItems | None = None,
) -> ImportanceReport:
    """What each relation matters in a model that `numbat fit` wrote, on a suite.

    Raises the errors of `read_model`, and DataError for a suite without judgements.
    """
    model = read_model(path, parser.grammar)
    if not suite.rated and not suite.pairs:
        raise DataError(
            f"{suite.path}: no item is judged or rated, so that nothing can be lost{suite.lacking('rating')}\n"
            "  give a suite with judgements, ratings or pairs"
        )
    items = [each for each in run_suite(suite, parser, scorer("cost"), read, executor, lost) if each.score is not None]
    if isinstance(model.more, TermsOfSecond):
        items = list(model.more.ready_for(items, executor, lost))
    terms = list(BatchRun(TermsJob(model.more), items).values())
    found = fitted_importance(model, suite, items, terms, seed)
    notes = (*notes_on_lost(lost), *seen_before(path, model, suite, items), *_notes(found))
    kind = "pair" if found.measure == "pair accuracy" else "sentence"
    number = counted(found.whole.number, kind)
    if found.groups < found.whole.number:
        number += f" in {counted(found.groups, 'group')}"
    return ImportanceReport(path, suite.path, number, WEIGHT, LEFT_OUT, found, notes)


def _notes(found: Importance) -> Iterator[str]:
    if found.whole.value is None:
        yield f"{found.measure} has no value here: scores or judgements are all the same"
    elif found.groups < FEWEST_ITEMS:
        what = "groups" if found.groups < found.whole.number else "items"
        yield f"{found.groups} {what} only: the intervals are too narrow to be trusted"
