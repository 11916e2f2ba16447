"""The report of a suite for a terminal, and as one JSON value."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from numbat.gradience.models.scores import figure
from numbat.gradience.suites.scored_items import ScoredItem
from numbat.gradience.suites.statistics import Estimate
from numbat.gradience.suites.summary import Experiment
from numbat.parsing.explanation.fields import number
from numbat.parsing.explanation.labels import aligned
from numbat.parsing.explanation.wording import on_one_line
from numbat.source import counted

SCHEMA: Final = "numbat.report/1"
SHOWN_RESIDUALS: Final = 5
LEAST_RESIDUAL: Final = 0.25
"""Smaller differences of ranks come from ties and are not shown."""


def report_text(experiment: Experiment, form: str = "text") -> str:
    """The report as `text` or `json`."""
    if form == "json":
        return json.dumps(to_json(experiment), ensure_ascii=False, indent=2)
    return "\n".join(text_lines(experiment))


def text_lines(experiment: Experiment) -> Iterator[str]:
    """What the report says, in lines of text."""
    items = experiment.items
    yield f"{experiment.suite.path}: {counted(len(items), 'sentence')}, {experiment.suite.kind}{experiment.suite.means}"
    yield f"grammar {experiment.grammar}, model {experiment.model}, weights {experiment.weights}"
    yield f"{counted(experiment.full, 'full parse')}, {experiment.well_formed:,} of them well formed"
    yield from (f"! {note}" for note in experiment.notes)
    compared = max((e.number for line in experiment.lines for e in line.statistics.values()), default=0)
    if compared:
        yield ""
        yield from statistics_lines(experiment)
    if experiment.phenomena:
        yield ""
        yield from _phenomena_lines(experiment)
    worst = [each for each in experiment.residuals if abs(each.value) > LEAST_RESIDUAL][:SHOWN_RESIDUALS]
    if worst:
        yield ""
        yield "furthest from the judgements (rank of the score minus rank of the rating, of 1)"
        for residual in worst:
            yield f"  {residual.value:+.2f}  {marked(residual.scored)}"
            yield from (f"         {sentence}" for sentence in residual.scored.parse.explain())


def _phenomena_lines(experiment: Experiment) -> Iterator[str]:
    """The phenomena with more than one sentence as a table, and how many others there are."""
    several = [each for each in experiment.phenomena if each.number > 1]
    if several:
        rows = [["phenomenon", "items", "mean rating", "mean score", experiment.main]]
        rows += [
            [p.name, str(p.number), figure_or_dash(p.rating), figure_or_dash(p.score), str(p.estimate)] for p in several
        ]
        yield from aligned(rows)
    if single := len(experiment.phenomena) - len(several):
        yield f"{counted(single, 'phenomenon', 'phenomena')} with one sentence each"


def statistics_lines(experiment: Experiment) -> Iterator[str]:
    """The table of statistics, the model above its baselines; intervals hold 95 % of the resamples."""
    names = list(experiment.lines[0].statistics)
    rows = [["", *names]]
    rows += [[line.predictor, *(str(line.statistics[name]) for name in names)] for line in experiment.lines]
    yield from aligned(rows)


def figure_or_dash(value: float | None) -> str:
    """Three decimals at most; a dash where there is no value."""
    return "-" if value is None else figure(value)


def marked(scored: ScoredItem) -> str:
    """The sentence with its sign or rating, and its score."""
    item = scored.item
    rating = f", rated {figure_or_dash(item.rating)}" if item.judgement is None else ""
    return f"{item.id}: {item.star}{on_one_line(item.sentence)} (score {figure_or_dash(scored.value)}{rating})"


def to_json(experiment: Experiment) -> dict[str, Any]:
    """The report as a value for `json.dumps`, by the schema `numbat.report/1`; no value is null."""
    return {
        "schema": SCHEMA,
        "suite": experiment.suite.path,
        "kind": experiment.suite.kind,
        "grammar": experiment.grammar,
        "model": experiment.model,
        "weights": experiment.weights,
        "sentences": len(experiment.items),
        "full": experiment.full,
        "well_formed": experiment.well_formed,
        "stopped": experiment.stopped,
        "notes": list(experiment.notes),
        "main": experiment.main,
        "statistics": {
            line.predictor: {name: _estimate(e) for name, e in line.statistics.items()} for line in experiment.lines
        },
        "phenomena": [
            {
                "name": p.name,
                "items": p.number,
                "rating": p.rating,
                "score": p.score,
                experiment.main: _estimate(p.estimate),
            }
            for p in experiment.phenomena
        ],
        "residuals": [{"id": r.scored.item.id, "residual": r.value} for r in experiment.residuals],
        "properties": [
            {"construction": t.construction, "relation": t.relation, "satisfied": t.satisfied, "violated": t.violated}
            for t in experiment.tallies
        ],
        "items": [_item(each) for each in experiment.items],
    }


def _estimate(found: Estimate) -> dict[str, float | int | None]:
    return {"value": found.value, "low": found.low, "high": found.high, "items": found.number}


def _item(each: ScoredItem) -> dict[str, Any]:
    item, parse = each.item, each.parse
    return {
        "id": item.id,
        "sentence": item.sentence,
        "judgement": item.judgement,
        "rating": item.rating,
        "phenomenon": item.phenomenon,
        "pair": item.pair,
        "score": each.value,
        "cost": number(each.cost),
        "full": parse.is_full,
        "well_formed": parse.is_well_formed,
        "stopped_by": parse.stopped_by,
        "length": each.length,
        "unknown": each.unknown,
        "tree": parse.to_brackets(),
        "violated": list(parse.explain()),
    }
