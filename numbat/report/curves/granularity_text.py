"""What granularities make of sentences, as a table for a terminal, as TSV and as one JSON value."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from numbat.errors import counted
from numbat.parsing.explanation.violations import aligned
from numbat.report.run_text import run_json, run_lines
from numbat.runs.curves import GranularityPoint
from numbat.runs.record import RunRecord

SCHEMA: Final = "numbat.granularity/1"
LEGEND: Final = (
    "granularity: times fragment_cost",
    "fragments: top-level constituents, of a word outside of phrases too",
    "whole: the share parsed as one root",
    "cost, violations: the total cost, and that of violated properties",
)
F1_LEGEND: Final = "F1: of labelled brackets, against the trees"


def granularity_text(
    points: Sequence[GranularityPoint], about: str, form: str = "text", record: RunRecord | None = None
) -> str:
    """The points as `text`, `tsv` or `json`; `about` says of what they are, and a table has no record of the run."""
    if form == "json":
        return json.dumps(to_json(points, about) | run_json(record), ensure_ascii=False, indent=2)
    rows = list(table(points))
    if form == "tsv":
        return "\n".join("\t".join(row) for row in rows)
    return "\n".join([heading(points, about), "", *aligned(rows), "", *legend(points), *run_lines(record)])


def heading(points: Sequence[GranularityPoint], about: str) -> str:
    """What was parsed: how many sentences by which grammar, and how many of them met a limit."""
    limited = max(point.limited for point in points)
    said = f"; up to {limited} met a limit" if limited else ""
    return f"{about}: {counted(points[0].sentences, 'sentence')}{said}; means a sentence"


def table(points: Sequence[GranularityPoint]) -> Iterator[list[str]]:
    """A row of names, then one for each granularity; F1 in percent, where there are gold trees."""
    has_gold = any(point.scores for point in points)
    yield ["granularity", "fragments", "whole", "cost", "violations", *(["F1"] if has_gold else [])]
    for point in points:
        row = [f"{point.granularity:g}", f"{point.fragments:.2f}", f"{100 * point.whole:.1f} %"]
        row += [f"{point.cost:.2f}", f"{point.violations:.2f}"]
        if has_gold:
            row.append(f"{100 * point.scores.labelled.f1:.2f}" if point.scores else "-")
        yield row


def legend(points: Sequence[GranularityPoint]) -> Iterator[str]:
    """What the columns mean."""
    yield from LEGEND
    if any(point.scores for point in points):
        yield F1_LEGEND


def to_json(points: Sequence[GranularityPoint], about: str) -> dict[str, Any]:
    """The points as a value for `json.dumps`; shares and F1 lie between 0 and 1."""
    return {"schema": SCHEMA, "about": about, "points": [_point(point) for point in points]}


def _point(point: GranularityPoint) -> dict[str, Any]:
    return {
        "granularity": point.granularity,
        "sentences": point.sentences,
        "fragments": point.fragments,
        "whole": point.whole,
        "cost": point.cost,
        "violations": point.violations,
        "limited": point.limited,
        "f1": None if point.scores is None else point.scores.labelled.f1,
    }
