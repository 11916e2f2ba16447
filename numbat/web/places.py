"""Places in the files of a grammar, as a page names them: mistakes and doubts, and where a property stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numbat.errors import Problem
from numbat.grammar.properties import Property


def problem_view(problem: Problem) -> dict[str, Any]:
    """A mistake or a doubt with its place; lines and columns count from 1, line 0 is the file as a whole."""
    span = problem.span
    return {
        "file": file_name(span.path),
        "line": span.line,
        "column": span.column,
        "end_column": max(span.end_column, span.column + 1),
        "severity": problem.severity,
        "message": problem.message,
        "expected": problem.expected,
        "found": problem.found,
        "hint": problem.hint,
    }


def place_of(prop: Property) -> dict[str, Any] | None:
    """The file and line of a property, null where it has none."""
    if prop.span is None:
        return None
    return {"file": file_name(prop.span.path), "line": prop.span.line, "column": prop.span.column}


def file_name(path: str) -> str:
    """The name that a page has of a file: that of a packaged one is without its folder."""
    return Path(path).name if Path(path).is_absolute() else path
