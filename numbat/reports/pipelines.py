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
    for each in cases:
        line = f' line="{each.where.line}"' if each.where.line else ""
        begun = (
            f"    <testcase classname={_quoted(suite)} name={_quoted(each.name)} file={_quoted(each.where.path)}{line}"
        )
        lines.append(f"{begun}>{_body(each)}</testcase>" if _body(each) else f"{begun}/>")
    return "\n".join([*lines, "  </testsuite>", "</testsuites>"]) + "\n"


def _body(each: Case) -> str:
    text = escape(visible_lines("\n".join(each.details)))
    told = f"message={_quoted(each.message)}"
    if each.result == "failed":
        return f"<failure type={_quoted(each.kind or 'failure')} {told}>{text}</failure>"
    if each.result == "error":
        return f"<error type={_quoted(each.kind or 'error')} {told}>{text}</error>"
    if each.result == "skipped":
        return f"<skipped {told}/>"
    said = escape(visible_lines("\n".join(filter(None, (each.message, *each.details)))))
    return f"<system-out>{said}</system-out>" if said else ""


def visible_lines(text: str) -> str:
    """Return a text without the characters that XML cannot have; ends of lines stay."""
    return "\n".join(map(visible, text.split("\n")))


def _quoted(text: str) -> str:
    return quoteattr(visible(on_one_line(text)))


def annotated_cases(cases: Iterable[Case]) -> str:
    """Return what is told of cases as lines that make a workflow on GitHub mark the lines of the file."""
    told = [each for each in cases if each.result in ("failed", "error") or each.kind == "warning"]
    return "".join(f"{annotation(_problem(each))}\n" for each in told)


def _problem(each: Case) -> Problem:
    severity: Severity = "warning" if each.kind == "warning" else SEVERITY[each.result]
    return Problem(f"{each.name}: {each.message}", each.where, severity, hint="\n".join(each.details))


def cases_of_check(path: str, problems: Sequence[Problem]) -> list[Case]:
    """Return mistakes as failures, and doubts as cases that have passed; a file without either is one case."""
    found: list[Case] = []
    for each in problems:
        told = (
            f"expected: {each.expected}" * bool(each.expected),
            f"found: {each.found}" * bool(each.found),
            each.hint,
        )
        result: Result = "failed" if each.severity == "error" else "passed"
        details = tuple(filter(None, told))
        found.append(Case(f"{each.span}: {each.message}", result, each.span, each.message, each.severity, details))
    return found or [Case(path, "passed", Span(path, 0))]
