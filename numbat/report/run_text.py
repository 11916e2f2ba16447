"""The record of a run, as reports have it: a line of text, a key of JSON, a comment."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from numbat.runs.record import RunRecord, run_line


def run_lines(record: RunRecord | None) -> Iterator[str]:
    """An empty line, and one with what the result was made with; nothing where that is not known."""
    if record is not None:
        yield ""
        yield f"run: {run_line(record)}"


def run_json(record: RunRecord | None) -> dict[str, Any]:
    """The record under its key, to be joined with another value."""
    return {} if record is None else {"run": record.as_json()}


def run_comment(record: RunRecord) -> str:
    """The whole record on one line, for a comment in a file."""
    return f"run: {json.dumps(record.as_json(), ensure_ascii=False)}"
