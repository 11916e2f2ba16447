"""Calls about a suite, that is about judged sentences in a list or a table: which pass, and what they test."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from numbat.commands.parsing import suite_of
from numbat.commands.settings import SuiteSettings
from numbat.commands.suites import judge_suite
from numbat.errors import DataError
from numbat.gradience.comparison import coverage as coverage_of
from numbat.gradience.suite import Suite
from numbat.grammar.properties import format_property
from numbat.report.suites import outcomes_to_json
from numbat.runs.jobs import run_suite
from numbat.runs.loop import Executor, Job, Record, in_this_process
from numbat.web.places import place_of
from numbat.web.requests import MOST_SENTENCES, SuiteText
from numbat.web.session import Session


def suite(session: Session, given: SuiteText) -> dict[str, Any]:
    """Which sentences of a suite the grammar judges as it is said there, by the schema `numbat.test/1`."""
    found = _suite(given)
    tested = judge_suite(found, session.parser, executor=_until_superseded(session))
    answer: dict[str, Any] = json.loads(outcomes_to_json(tested, session.parser.grammar, found))
    lines = {item.id: item.line for item in found.items}
    for item in answer["items"]:
        item["line"] = lines[item["id"]]
    return answer


def coverage(session: Session, given: SuiteText) -> dict[str, Any]:
    """Every property of the grammar, with how often the suite satisfies and violates it."""
    items = list(run_suite(_suite(given), session.parser, None, executor=_until_superseded(session)))
    covered = coverage_of(items, session.parser.grammar)
    return {
        "sentences": len(items),
        "never_evaluated": sum(not (each.satisfied or each.violated) for each in covered),
        "properties": [
            {
                "construction": each.property.construction,
                "property": format_property(each.property),
                "relation": each.property.relation,
                "place": place_of(each.property),
                "satisfied": each.satisfied,
                "violated": each.violated,
                "in_good": each.good,
                "in_bad": each.bad,
                "undecided": each.undecided,
            }
            for each in covered
        ],
    }


def _suite(given: SuiteText) -> Suite:
    """Raises DataError for a suite that cannot be read, or is too long for one request."""
    found = suite_of(SuiteSettings(given.name), given.text)
    if len(found.items) > MOST_SENTENCES:
        raise DataError(f"{given.name}: {len(found.items):,} sentences\n  give up to {MOST_SENTENCES:,} at once")
    return found


def _until_superseded(session: Session) -> Executor:
    """Works in this process; between two sentences it looks whether anybody waits for the answer, and at the time."""

    def run(job: Job[Any, Any], inputs: Iterator[Any], total: int | None = None) -> Iterator[Record[Any]]:
        for record in in_this_process(job, inputs, total):
            session.go_on()
            if session.is_overdue():
                raise DataError(
                    f"the suite takes more than {session.request.settings.seconds:g} seconds\n"
                    "  give settings.seconds more, or a part of the suite"
                )
            yield record

    return run
