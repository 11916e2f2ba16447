"""The report of a suite for a terminal, and as one JSON value."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

from numbat.errors import counted, first_of
from numbat.gradience.models import figure
from numbat.gradience.statistics import Estimate
from numbat.gradience.summary import SPLITS, Ceiling, Experiment
from numbat.gradience.verdicts import ScoredItem, forms_not_in_lexicon, is_undecided
from numbat.parsing.explanation.json_format import number
from numbat.parsing.explanation.violations import aligned, on_one_line
from numbat.report.run_text import run_json, run_lines
from numbat.runs.record import RunRecord

SCHEMA: Final = "numbat.report/2"
SHOWN_RESIDUALS: Final = 5
NAMED: Final = 6
"""So many statistics without an interval are named where more have none."""
LEAST_RESIDUAL: Final = 0.25
"""Smaller differences of ranks come from ties and are not shown."""


def report_text(experiment: Experiment, form: str = "text", record: RunRecord | None = None) -> str:
    """The report as `text` or `json`, with the record of the run."""
    if form == "json":
        return json.dumps(to_json(experiment) | run_json(record), ensure_ascii=False, indent=2)
    return "\n".join([*text_lines(experiment), *run_lines(record)])


def text_lines(experiment: Experiment) -> Iterator[str]:
    """What the report says, in lines of text."""
    items = experiment.items
    yield from (f"! {note}" for note in experiment.foremost)
    yield f"{experiment.suite.name}: {counted(len(items), 'sentence')}, {experiment.suite.kind}{experiment.suite.means}"
    yield f"grammar {experiment.grammar}, model {experiment.model}, weights {experiment.weights}"
    yield f"{counted(experiment.full, 'full parse')}, {experiment.well_formed:,} of them well formed"
    yield from (f"! {note}" for note in experiment.notes)
    compared = max((e.number for line in experiment.lines for e in line.statistics.values()), default=0)
    if compared:
        yield ""
        yield from statistics_lines(experiment)
    if experiment.ceiling is not None:
        yield ceiling_line(experiment.ceiling)
    if experiment.phenomena:
        yield ""
        yield from _phenomena_lines(experiment)
    if told := resampling(experiment):
        yield ""
        yield told
    yield from missing_intervals(experiment)
    worst = [each for each in experiment.residuals if abs(each.value) > LEAST_RESIDUAL][:SHOWN_RESIDUALS]
    if worst:
        yield ""
        yield "furthest from the judgements (rank of the rating minus rank of the score, of 1)"
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
    """The table of statistics, the model above its baselines."""
    names = list(experiment.lines[0].statistics)
    rows = [["", *names]]
    rows += [[line.predictor, *(str(line.statistics[name]) for name in names)] for line in experiment.lines]
    yield from aligned(rows)


def resampling(experiment: Experiment) -> str:
    """What the intervals are over, and how many resamples they are from; empty where there are none."""
    times: dict[int, list[str]] = {}
    for name, found in experiment.lines[0].statistics.items():
        times.setdefault(found.resamples, []).append(name)
    times.pop(0, None)
    for phenomenon in experiment.phenomena:
        if phenomenon.estimate.resamples and "phenomena" not in times.setdefault(phenomenon.estimate.resamples, []):
            times[phenomenon.estimate.resamples].append("phenomena")
    if not times:
        return ""
    first, *fewer = sorted(times, reverse=True)
    others = "".join(f"; {', '.join(times[number])}: {number:,}" for number in fewer)
    return f"95 % intervals from {first:,} resamples of {experiment.units}{others}"


def missing_intervals(experiment: Experiment) -> Iterator[str]:
    """Which statistics have no interval, and why: a line for each reason."""
    reasons: dict[str, list[str]] = {}
    for line in experiment.lines:
        for reason in dict.fromkeys(found.missing for found in line.statistics.values() if found.missing):
            reasons.setdefault(reason, []).append(line.predictor)
    for phenomenon in experiment.phenomena:
        if phenomenon.estimate.missing and phenomenon.number > 1:
            reasons.setdefault(phenomenon.estimate.missing, []).append(phenomenon.name)
    for reason, names in reasons.items():
        yield f"no interval: {first_of(names, NAMED)} ({reason})"


def ceiling_line(ceiling: Ceiling) -> str:
    """How well people predict each other: what no model can be expected to pass."""
    halves = f"halves of {ceiling.participants:,} participants" if ceiling.participants else "halves of the ratings"
    of_each = f"{counted(ceiling.items, 'item')} with a median of {ceiling.judges:g} ratings"
    return f"split-half ceiling of pearson: {ceiling.value:.3f} ({halves}, {of_each}; Spearman-Brown, {SPLITS} splits)"


def figure_or_dash(value: float | None) -> str:
    """Three decimals at most; a dash where there is no value."""
    return "-" if value is None else figure(value)


def marked(scored: ScoredItem) -> str:
    """The sentence with its sign or rating, and its score."""
    item = scored.item
    rating = f", rated {figure_or_dash(item.rating)}" if item.judgement is None else ""
    return f"{item.id}: {item.star}{on_one_line(item.sentence)} (score {figure_or_dash(scored.value)}{rating})"


def to_json(experiment: Experiment) -> dict[str, Any]:
    """The report as a value for `json.dumps`, by the schema `numbat.report/2`."""
    return {
        "schema": SCHEMA,
        "suite": experiment.suite.name,
        "kind": experiment.suite.kind,
        "grammar": experiment.grammar,
        "model": experiment.model,
        "weights": experiment.weights,
        "sentences": len(experiment.items),
        "full": experiment.full,
        "well_formed": experiment.well_formed,
        "stopped": experiment.stopped,
        "notes": [*experiment.foremost, *experiment.notes],
        "main": experiment.main,
        "resampled": experiment.units,
        "statistics": {
            line.predictor: {name: _estimate(e) for name, e in line.statistics.items()} for line in experiment.lines
        },
        "ceiling": None if experiment.ceiling is None else asdict(experiment.ceiling),
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
        "items": [_item(each, experiment) for each in experiment.items],
    }


def _estimate(found: Estimate) -> dict[str, float | int | None]:
    numbers = {"value": found.value, "low": found.low, "high": found.high}
    return numbers | {"items": found.number, "resamples": found.resamples}


def _item(each: ScoredItem, experiment: Experiment) -> dict[str, Any]:
    item, parse = each.item, each.parse
    others = {name: model(each) for name, model in experiment.others} if parse.constituents else {}
    return {
        "id": item.id,
        "sentence": item.sentence,
        "judgement": item.judgement,
        "rating": item.rating,
        "judges": item.judges,
        "error": item.error,
        "phenomenon": item.phenomenon,
        "pair": item.pair,
        "score": each.value,
        **({"scores": {experiment.model: each.value, **others}} if others else {}),
        "cost": number(each.cost),
        "full": parse.is_full,
        "well_formed": parse.is_well_formed,
        "stopped_by": parse.stopped_by,
        "length": each.length,
        "unknown": each.unknown,
        "guessed_words": forms_not_in_lexicon(parse, "guessed"),
        "unknown_words": forms_not_in_lexicon(parse, "unknown"),
        "undecided": is_undecided(each),
        "tree": parse.to_brackets(),
        "violated": list(parse.explain()),
    }
