"""Answers for pipelines: each verb's findings as cases, written as JUnit's XML or as annotations of GitHub."""

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
    """Return each sentence as a case; it fails where the exit code of `numbat test` says so.

    Where outcomes were accepted, `changes` fail and nothing else.
    """
    changed = {each.id: each for each in changes or ()}
    found = []
    for each in tested:
        verdict, item = each.outcome.verdict, each.scored.item
        is_bad = verdict in NO_SUCCESS if changes is None else item.id in changed
        result: Result = "failed" if is_bad else "skipped" if verdict == "-" else "passed"
        message = each.reason or ("without a clear judgement" if verdict == "-" else "")
        if item.id in changed:
            message = f"changed since accepted: {changed.pop(item.id)}" + (f"; {message}" if message else "")
        details = each.scored.parse.explain() if is_bad else ()
        found.append(Case(_name(each.scored), result, _place(suite, each.scored), message, verdict, tuple(details)))
    gone = [Case(each.id, "failed", Span(suite.path, 0), str(each), "change") for each in changed.values()]
    return [*found, *gone, *_lost(suite, lost)]


def cases_of_comparison(suite: Suite, compared: GrammarComparison) -> list[Case]:
    """Return each sentence as a case, which fails where the new grammar is further from the judgement."""
    changed = {each.item.id: each for each in compared.changes}
    found = []
    for each in compared.after:
        change = changed.get(each.id)
        if change is None:
            found.append(Case(_name(each), "passed", _place(suite, each)))
            continue
        told = (*(f"violated: {name}" for name in change.gained), *(f"no longer: {name}" for name in change.lost))
        result: Result = "failed" if change.is_better is False else "passed"
        message = f"score {change.before.value} -> {change.after.value}"
        found.append(Case(_name(each), result, _place(suite, each), message, "worse", tuple(told)))
    return [*found, *_lost(suite, compared.lost)]


def cases_of_coverage(suite: Suite, covered: Coverage, lost: Sequence[LostItem] = ()) -> list[Case]:
    """Return each property as a case, skipped where no sentence of the suite evaluates it."""
    found = []
    for each in covered.properties:
        prop, number = each.property, each.satisfied + each.violated + each.undecided
        where = prop.span or Span(suite.path, 0)
        message = f"satisfied {each.satisfied}, violated {each.violated}" if number else "no sentence tests it"
        name = f"{prop.construction}: {format_property(prop)}"
        found.append(Case(name, "passed" if number else "skipped", where, message))
    return [*found, *_lost(suite, lost)]


def _name(each: ScoredItem) -> str:
    return f"{each.id}: {on_one_line(each.item.sentence)}"


def _place(suite: Suite, each: ScoredItem) -> Span:
    return Span(each.item.path or suite.path, each.item.line)


def _lost(suite: Suite, lost: Iterable[LostItem]) -> list[Case]:
    return [
        Case(each.item.id, "error", Span(each.item.path or suite.path, each.item.line), each.reason, "lost")
        for each in lost
    ]
