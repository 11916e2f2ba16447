"""What the file of a fitted model says of itself: what it was trained on, and how well it did."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from numbat.gradience.fitting.fitted import Fit, Fitted
from numbat.gradience.suites.scored_items import ScoredItem, comparable
from numbat.gradience.suites.suite import Suite
from numbat.gradience.suites.summary import Experiment

FITTED_ON: Final = re.compile(r"suite (.+): (\d+) rated sentences")
OUT_OF_FOLD: Final = re.compile(r"out of fold: pearson ([^;]+)")
"""Of what `about_fit` says: the suite of a model with its size, and how well it did out of its folds."""


def about_fit(found: Fit, suite: Suite, report: Experiment, folds: int, seed: int) -> tuple[str, ...]:
    """What is to be said of a model that was fitted on a suite; `report` is on the scores out of the folds."""
    statistics = "; ".join(f"{name} {value}" for name, value in report.lines[0].statistics.items())
    name = "AUC" if report.main == "AUC" else "pearson"
    beside = [f"{line.predictor} {name} {line.statistics[name]}" for line in report.lines[1:]]
    alike = "the same words" if found.variants is None else f"{found.variants:.0%} of the words by their rarity"
    return (
        f"suite {suite.name}: {len(report.items)} rated sentences",
        f"ridge regression, penalty {found.penalty:g}, {folds} folds, seed {seed}; in one fold: groups, pairs, {alike}",
        f"out of fold: {statistics}",
        f"on the same folds: {'; '.join(beside)}",
        "score = intercept + sum of weight * (value - mean) / scale, each quotient from -3 to 3; counts are per word",
    )


def seen_before(name: str, model: Fitted, judged: Suite, items: Sequence[ScoredItem]) -> Iterator[str]:
    """A note where a model is judged by the very suite that it was fitted on, by the suite's name and size."""
    suite = next(filter(None, map(FITTED_ON.fullmatch, model.about)), None)
    size = str(len(comparable(items)))
    if suite is None or (Path(suite[1]).name, suite[2]) != (Path(judged.path).name, size):
        return
    apart = next(filter(None, map(OUT_OF_FOLD.match, model.about)), None)
    figure = f"; out of fold its pearson was {apart[1]}" if apart is not None else ""
    yield f"{name} was fitted on this suite, so that its figures here are too good{figure}"
