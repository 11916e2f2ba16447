"""The report of a suite as one HTML page that needs no network: data that `assets/suite.js` draws.

Trees are drawn in the browser when a sentence is clicked, so that a page of thousands of sentences opens at once.
"""

from __future__ import annotations

from typing import Any

from numbat.errors import counted, visible
from numbat.evaluation.constituents import Constituent
from numbat.gradience.statistics import Estimate
from numbat.gradience.summary import Experiment, residuals, split
from numbat.gradience.verdicts import ScoredItem, comparable, is_undecided, unknown_words
from numbat.grammar.properties import format_bundle, format_named
from numbat.parsing.explanation.json_format import number
from numbat.report.pages.template import scripted_page
from numbat.report.suite_text import ceiling_line, resampling
from numbat.runs.record import RunRecord

MOST_POINTS = 400
"""Of a longer ROC curve every so many points are drawn."""
DEEPEST = 200
"""So many phrases below each other are drawn; nobody reads more, and JSON cannot be nested without end."""


def suite_page(experiment: Experiment, record: RunRecord | None = None) -> str:
    """The page as text, with the record of the run at its end."""
    return scripted_page(f"Numbat: {experiment.suite.name}", "suite", _content(experiment), record)


def _content(experiment: Experiment) -> dict[str, Any]:
    properties: dict[str, int] = {}
    compared = comparable(experiment.items)
    beside = {each.scored.item.id: round(each.value, 3) for each in residuals(compared)}
    step = max(1, len(experiment.curve) // MOST_POINTS)
    points = [*experiment.curve[::step], *experiment.curve[-1:]]
    any_rated = bool(compared)
    return {
        "title": experiment.suite.name,
        "about": (
            f"{counted(len(experiment.items), 'sentence')}{experiment.suite.means}; "
            f"{counted(experiment.full, 'full parse')}, {experiment.well_formed:,} of them well formed. "
            f"Grammar {experiment.grammar}, model {experiment.model}, weights {experiment.weights}."
        ),
        "model": experiment.model,
        "main": experiment.main,
        "resampling": resampling(experiment),
        "split": split(compared)[1] if compared else "",
        "notes": [*experiment.foremost, *experiment.notes],
        "ceiling": "" if experiment.ceiling is None else ceiling_line(experiment.ceiling),
        "lines": [
            [line.predictor, {name: _estimate(found) for name, found in line.statistics.items()}, line.is_baseline]
            for line in experiment.lines
            if any_rated
        ],
        "phenomena": [
            [p.name, p.number, _rounded(p.rating), _rounded(p.score), _estimate(p.estimate)]
            for p in experiment.phenomena
        ],
        "tallies": [[t.construction, t.relation, t.satisfied, t.violated] for t in experiment.tallies],
        "curve": [[round(x, 4), round(y, 4)] for x, y in points],
        "items": [_item(each, beside.get(each.item.id), properties) for each in experiment.items],
        "properties": list(properties),
    }


def _estimate(found: Estimate) -> list[float | None]:
    return [_rounded(found.value), _rounded(found.low), _rounded(found.high)]


def _rounded(value: float | None) -> float | None:
    """A number with as many decimals as the page shows: one that is rounded twice may differ from other reports."""
    return None if value is None else round(value, 3)


def _item(each: ScoredItem, residual: float | None, properties: dict[str, int]) -> list[Any]:
    item, parse = each.item, each.parse
    return [
        item.id,
        visible(item.sentence),
        item.judgement,
        item.rating,
        _rounded(each.value),
        number(each.cost),
        item.phenomenon,
        2 if parse.is_well_formed else int(parse.is_full),
        residual,
        " ".join((*each.faults, *(("undecided",) if is_undecided(each) else ()))),
        [*parse.explain(), *filter(None, (unknown_words(parse),))],
        [tree(top, properties) for top in parse.constituents],
    ]


def tree(node: Constituent, properties: dict[str, int], depth: int = 0) -> list[Any]:
    """A constituent as the page reads it; `properties` numbers the violated ones.

    What lies deeper than `DEEPEST` is its words alone.
    """
    name = visible(node.construction)
    if node.is_word:
        return [name, visible(node.form), node.start, int(node.guessed)]
    violated = dict.fromkeys(format_named(instance.property) for instance in node.characterization.violated)
    numbers = [properties.setdefault(text, len(properties)) for text in violated]
    if depth == DEEPEST:
        words = sorted(node.words(), key=lambda word: word.start)
        daughters: list[Any] = [["…", visible(" ".join(word.form for word in words)), node.start, 0]]
    else:
        daughters = [tree(daughter, properties, depth + 1) for daughter in node.daughters]
    return [name, daughters, numbers, format_bundle(node.features)]
