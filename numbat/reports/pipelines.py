"""Findings of a verb (command) as test cases for continuous integration: JUnit XML, annotations for GitHub."""

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
"""The kind of annotation for each result of a case."""


@frozen
class Case:
    """A test case for continuous integration: a sentence, a property, or a mistake.

    `where` is its place in a file, with line 0 for the file as a whole; `details` are lines below the message.
    """

    name: str
    result: Result
    where: Span
    message: str = ""
    kind: str = ""
    details: tuple[str, ...] = ()


def junit(verb: str, suite: str, cases: Sequence[Case]) -> str:
    """Return cases as the text of a JUnit XML file, in which they are named after the verb and `suite`, its input."""
    number = {result: sum(case.result == result for case in cases) for result in ("failed", "skipped", "error")}
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
    message = f"message={_quoted(case.message)}"
    if case.result == "failed":
        return f"<failure type={_quoted(case.kind or 'failure')} {message}>{text}</failure>"
    if case.result == "error":
        return f"<error type={_quoted(case.kind or 'error')} {message}>{text}</error>"
    if case.result == "skipped":
        return f"<skipped {message}/>"
    said = escape(visible_lines("\n".join(filter(None, (case.message, *case.details)))))
    return f"<system-out>{said}</system-out>" if said else ""


def visible_lines(text: str) -> str:
    """Return a text with its lines, but with characters that XML forbids made visible."""
    return "\n".join(map(visible, text.split("\n")))


def _quoted(text: str) -> str:
    return quoteattr(visible(on_one_line(text)))


def annotated_cases(cases: Iterable[Case]) -> str:
    """Return the failed cases and the warnings as lines that make GitHub annotate their files."""
    annotated = [case for case in cases if case.result in ("failed", "error") or case.kind == "warning"]
    return "".join(f"{annotation(_problem(case))}\n" for case in annotated)


def _problem(case: Case) -> Problem:
    severity: Severity = "warning" if case.kind == "warning" else SEVERITY[case.result]
    return Problem(f"{case.name}: {case.message}", case.where, severity, hint="\n".join(case.details))


def cases_of_check(path: str, problems: Sequence[Problem]) -> list[Case]:
    """Return mistakes in a file as failed cases, and warnings as passed ones; a file without any is one passed case."""
    cases: list[Case] = []
    for problem in problems:
        lines = (
            f"expected: {problem.expected}" * bool(problem.expected),
            f"found: {problem.found}" * bool(problem.found),
            problem.hint,
        )
        result: Result = "failed" if problem.severity == "error" else "passed"
        details = tuple(filter(None, lines))
        cases.append(
            Case(f"{problem.span}: {problem.message}", result, problem.span, problem.message, problem.severity, details)
        )
    return cases or [Case(path, "passed", Span(path, 0))]
