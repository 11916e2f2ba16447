"""What each part of a model matters, as a table for a terminal, as TSV and as one JSON value."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from numbat.gradience.statistics import Estimate
from numbat.learning.importance import ImportanceReport, ImportanceRow
from numbat.parsing.explanation.violations import aligned, on_one_line
from numbat.report.run_text import run_json, run_lines
from numbat.runs.record import RunRecord

SCHEMA: Final = "numbat.importance/1"
WHOLE: Final = "(whole model)"
COLUMNS: Final = ("part", "terms", "weight", "value", "value_low", "value_high", "lost", "lost_low", "lost_high")
"""Of the TSV: the value is that of the whole model in the first row, and in the others that without the part."""


def importance_text(report: ImportanceReport, form: str = "text", record: RunRecord | None = None) -> str:
    """The report as `text`, `tsv` or `json`, the first and the last with the record of the run."""
    if form == "json":
        return json.dumps(to_json(report) | run_json(record), ensure_ascii=False, indent=2)
    return "\n".join(tsv_lines(report) if form == "tsv" else [*text_lines(report), *run_lines(record)])


def text_lines(report: ImportanceReport) -> Iterator[str]:
    """What was measured in lines, then the table."""
    found = report.importance
    yield f"{on_one_line(report.model)} on {on_one_line(report.on)}: {report.items}"
    yield f"{found.measure} of the whole model: {found.whole}"
    yield from (f"! {note}" for note in report.notes)
    yield ""
    rows = [["part", "terms", "weight", "without", "lost"]]
    rows += [
        [row.name, str(row.count), f"{row.weight:.3f}", _value(row.without), _signed(row.lost)] for row in found.rows
    ]
    yield from aligned(rows)
    yield ""
    yield from legend(report)


def legend(report: ImportanceReport) -> Iterator[str]:
    """What the columns mean."""
    yield f"weight: {report.weight}"
    yield f"without: {report.importance.measure} with {report.left_out}"
    yield f"lost: the whole model less that; in brackets 95 % intervals of the difference, over {_drawn(report)}"


def _drawn(report: ImportanceReport) -> str:
    found = report.importance
    if found.groups < found.whole.number:
        return "resampled groups"
    return "resampled pairs" if found.measure == "pair accuracy" else "resampled items"


def _value(found: Estimate) -> str:
    return "none" if found.value is None else f"{found.value:.3f}"


def _signed(found: Estimate) -> str:
    if found.value is None:
        return "none"
    interval = f" [{signed(found.low)}, {signed(found.high)}]" if found.low is not None else ""
    return f"{signed(found.value)}{interval}"


def signed(difference: float | None) -> str:
    """A difference with its sign; nothing where there is none."""
    return "" if difference is None else f"{round(difference, 4) + 0:+.4f}"  # + 0, for what is rounded to -0


def tsv_lines(report: ImportanceReport) -> Iterator[str]:
    """A row for the whole model and one for each part; a value that does not exist is an empty cell."""
    found = report.importance
    yield "\t".join(COLUMNS)
    yield _tsv_row(WHOLE, sum(row.count for row in found.rows), sum(row.weight for row in found.rows), found.whole)
    yield from (_tsv_row(row.name, row.count, row.weight, row.without, row.lost) for row in found.rows)


def _tsv_row(name: str, terms: int, weight: float, value: Estimate, lost: Estimate | None = None) -> str:
    numbers = [weight, value.value, value.low, value.high]
    numbers += [None] * 3 if lost is None else [lost.value, lost.low, lost.high]
    return "\t".join([on_one_line(name), str(terms), *map(_cell, numbers)])


def _cell(number: float | None) -> str:
    return "" if number is None else f"{round(number, 9) + 0:.6g}"


def to_json(report: ImportanceReport) -> dict[str, Any]:
    """The report as a value for `json.dumps`, by the schema `numbat.importance/1`."""
    found = report.importance
    return {
        "schema": SCHEMA,
        "model": report.model,
        "on": report.on,
        "items": found.whole.number,
        "groups": found.groups,
        "measure": found.measure,
        "weight": report.weight,
        "left_out": report.left_out,
        "notes": list(report.notes),
        "whole": _estimate(found.whole),
        "parts": [_row(row) for row in found.rows],
    }


def _row(row: ImportanceRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "terms": row.count,
        "weight": row.weight,
        "without": _estimate(row.without),
        "lost": _estimate(row.lost),
    }


def _estimate(found: Estimate) -> dict[str, float | None]:
    return {"value": found.value, "low": found.low, "high": found.high}
