"""Test cases for continuous integration (JUnit XML, GitHub annotations), from the results of verbs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from numbat.acceptability.comparison import GrammarComparison
from numbat.acceptability.coverage import Coverage
from numbat.acceptability.suite import Suite
from numbat.acceptability.verdicts import NO_SUCCESS, LostItem, OutcomeChange, ScoredItem, TestedItem
from numbat.errors import Span
from numbat.grammar.properties import format_property
from numbat.parsing.explanation.violations import on_one_line
from numbat.reports.pipelines import Case, Result

# The cases of each verb


def cases_of_test(
    suite: Suite,
    tested: Sequence[TestedItem],
    lost: Sequence[LostItem] = (),
    changes: Sequence[OutcomeChange] | None = None,
) -> list[Case]:
    """Return a test case for each sentence; it fails if the sentence makes `numbat test` fail.

    If `changes` since accepted outcomes are given, only the changed sentences fail.
    """
    changed = {change.id: change for change in changes or ()}
    cases = []
    for judged in tested:
        scored, item, verdict = judged.scored, judged.scored.item, judged.outcome.verdict
        is_bad = verdict in NO_SUCCESS if changes is None else item.id in changed
        result: Result = "failed" if is_bad else "skipped" if verdict == "-" else "passed"
        message = judged.reason or ("without a clear judgement" if verdict == "-" else "")
        if item.id in changed:
            message = f"changed since accepted: {changed.pop(item.id)}" + (f"; {message}" if message else "")
        details = scored.parse.explain() if is_bad else ()
        cases.append(Case(_name(scored), result, _place(suite, scored), message, verdict, tuple(details)))
    gone = [Case(change.id, "failed", Span(suite.path, 0), str(change), "change") for change in changed.values()]
    return [*cases, *gone, *_lost(suite, lost)]


def cases_of_comparison(suite: Suite, compared: GrammarComparison) -> list[Case]:
    """Return a test case for each sentence; it fails if the newer grammar scores it further from its judgement."""
    changed = {change.item.id: change for change in compared.changes}
    cases = []
    for item in compared.after:
        change = changed.get(item.id)
        if change is None:
            cases.append(Case(_name(item), "passed", _place(suite, item)))
            continue
        details = (*(f"violated: {name}" for name in change.gained), *(f"no longer: {name}" for name in change.lost))
        result: Result = "failed" if change.is_better is False else "passed"
        message = f"score {change.before.value} -> {change.after.value}"
        cases.append(Case(_name(item), result, _place(suite, item), message, "worse", tuple(details)))
    return [*cases, *_lost(suite, compared.lost)]


def cases_of_coverage(suite: Suite, covered: Coverage, lost: Sequence[LostItem] = ()) -> list[Case]:
    """Return a test case for each property; it is skipped if no sentence of the suite evaluates the property."""
    cases = []
    for coverage in covered.properties:
        prop, number = coverage.property, coverage.satisfied + coverage.violated + coverage.undecided
        where = prop.span or Span(suite.path, 0)
        message = f"satisfied {coverage.satisfied}, violated {coverage.violated}" if number else "no sentence tests it"
        name = f"{prop.construction}: {format_property(prop)}"
        cases.append(Case(name, "passed" if number else "skipped", where, message))
    return [*cases, *_lost(suite, lost)]


def _name(item: ScoredItem) -> str:
    return f"{item.id}: {on_one_line(item.item.sentence)}"


def _place(suite: Suite, item: ScoredItem) -> Span:
    return Span(item.item.path or suite.path, item.item.line)


def _lost(suite: Suite, lost: Iterable[LostItem]) -> list[Case]:
    return [
        Case(item.item.id, "error", Span(item.item.path or suite.path, item.item.line), item.reason, "lost")
        for item in lost
    ]
