"""Findings of a verb as cases for pipelines: JUnit's XML, and annotations of GitHub."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal
from xml.sax.saxutils import escape, quoteattr

from numbat.errors import Problem, Severity, Span, visible
from numbat.parsing.explanation.violations import on_one_line
from numbat.records import frozen
from numbat.reports.answers import annotation

Result = Literal["passed", "failed", "skipped", "error"]


SEVERITY: Final[dict[Result, Severity]] = {"failed": "error", "error": "error", "skipped": "note", "passed": "note"}
"""The kinds of annotations of results."""


@frozen
class Case:
    """What a pipeline is told of one thing that was looked at: a sentence, a property, a mistake.

    `where` is its place, line 0 the file as a whole; `details` are lines below the message.
    """

    name: str
    result: Result
    where: Span
    message: str = ""
    kind: str = ""
    details: tuple[str, ...] = ()


def junit(verb: str, suite: str, cases: Sequence[Case]) -> str:
    """Return cases as a file of JUnit's XML, with the name of the verb and of what it looked at."""
    number = {result: sum(each.result == result for each in cases) for result in ("failed", "skipped", "error")}
    counts = f'tests="{len(cases)}" failures="{number["failed"]}" errors="{number["error"]}"'
    named = _quoted(f"numbat {verb} {suite}")
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites name={named} {counts}>",
        f'  <testsuite name={named} {counts} skipped="{number["skipped"]}">',
    ]
    for case in cases:
        line = f' line="{case.where.line}"' if case.where.line else ""
        begun = (
            f"    <testcase classname={_quoted(suite)} name={_quoted(case.name)} file={_quoted(case.where.path)}{line}"
        )
        lines.append(f"{begun}>{_body(case)}</testcase>" if _body(case) else f"{begun}/>")
    return "\n".join([*lines, "  </testsuite>", "</testsuites>"]) + "\n"


def _body(case: Case) -> str:
    text = escape(visible_lines("\n".join(case.details)))
    told = f"message={_quoted(case.message)}"
    if case.result == "failed":
        return f"<failure type={_quoted(case.kind or 'failure')} {told}>{text}</failure>"
    if case.result == "error":
        return f"<error type={_quoted(case.kind or 'error')} {told}>{text}</error>"
    if case.result == "skipped":
        return f"<skipped {told}/>"
    said = escape(visible_lines("\n".join(filter(None, (case.message, *case.details)))))
    return f"<system-out>{said}</system-out>" if said else ""


def visible_lines(text: str) -> str:
    """Return a text without the characters that XML cannot have; ends of lines stay."""
    return "\n".join(map(visible, text.split("\n")))


def _quoted(text: str) -> str:
    return quoteattr(visible(on_one_line(text)))


def annotated_cases(cases: Iterable[Case]) -> str:
    """Return what is told of cases as lines that make a workflow on GitHub mark the lines of the file."""
    told = [case for case in cases if case.result in ("failed", "error") or case.kind == "warning"]
    return "".join(f"{annotation(_problem(each))}\n" for each in told)


def _problem(case: Case) -> Problem:
    severity: Severity = "warning" if case.kind == "warning" else SEVERITY[case.result]
    return Problem(f"{case.name}: {case.message}", case.where, severity, hint="\n".join(case.details))


def cases_of_check(path: str, problems: Sequence[Problem]) -> list[Case]:
    """Return mistakes as failures, and doubts as cases that have passed; a file without either is one case."""
    cases: list[Case] = []
    for problem in problems:
        told = (
            f"expected: {problem.expected}" * bool(problem.expected),
            f"found: {problem.found}" * bool(problem.found),
            problem.hint,
        )
        result: Result = "failed" if problem.severity == "error" else "passed"
        details = tuple(filter(None, told))
        cases.append(
            Case(f"{problem.span}: {problem.message}", result, problem.span, problem.message, problem.severity, details)
        )
    return cases or [Case(path, "passed", Span(path, 0))]
