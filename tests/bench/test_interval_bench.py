"""Coverage of 95 % intervals in simulated experiments: `python -m pytest tests/bench/test_interval_bench.py -n0 -s`.

Ratings are whole numbers from 1 to 7, scores whole numbers that are often 0 (nothing violated), so both have many ties;
24 people with individual intercepts and slopes rate one condition of each item (a Latin square) or all single items. An
interval should contain the statistic of 40,000 sentences of such experiments. NUMBAT_EXPERIMENTS (2,000) is the number
of experiments in a row; 2,000 have a standard error of half a point. Takes two minutes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from math import exp, sqrt
from random import Random
from typing import NamedTuple

import pytest

from numbat.statistics import correlations
from numbat.statistics.correlations import Statistic
from numbat.statistics.intervals import Estimate, difference, estimate

EXPERIMENTS = int(os.environ.get("NUMBAT_EXPERIMENTS", "2000"))
POPULATION = 40_000
PEOPLE = 24
DESIGNS = {
    "8 groups of 4": (8, 4),
    "16 groups of 4": (16, 4),
    "16 groups of 2": (16, 2),
    "20 items": (20, 1),
    "40 items": (40, 1),
}
LEAST, MOST = 0.93, 0.97
NEAR_1 = 0.995
"""Upper bound if the truth is near 1: many samples are then 1, and intervals contain the truth more often."""


class Sentences(NamedTuple):
    """The sentences of an experiment: two rows of scores, ratings, 1 for good and 0 for bad, the group of each."""

    scores: list[float]
    others: list[float]
    ratings: list[float]
    good: list[float]
    groups: list[int]


def experiment(random: Random, groups: int, conditions: int) -> Sentences:
    """Return the sentences of one experiment, with the mean ratings of those people who saw them."""
    made = Sentences([], [], [], [], [])
    gauss = random.gauss
    people = [(gauss(0, 0.8), exp(gauss(0, 0.25))) for _ in range(PEOPLE)]
    for group in range(groups):
        lexical, difficulty = gauss(0, 0.5), gauss(0, 0.5)
        for condition in range(conditions):
            single = conditions == 1
            effect = (group % 2) * 2.0 - 1 if single else 2.0 * condition / (conditions - 1) - 1
            worth = 0.9 * effect + gauss(0, 0.4) + lexical
            score = min(0, round(0.5 + effect + difficulty + 0.4 * worth + gauss(0, 0.8)))
            seen = [
                each for i, each in enumerate(people) if single or i % conditions == (group + condition) % conditions
            ]
            rated = [min(7, max(1, round(4 + own + slope * worth + gauss(0, 1)))) for own, slope in seen]
            made.scores.append(score)
            made.others.append(min(0, round(0.6 * effect + gauss(0, 1))))
            made.ratings.append(sum(rated) / len(rated))
            made.good.append(float(effect > 0))
            made.groups.append(group)
    return made


def population(groups: int, conditions: int) -> Sentences:
    random, whole = Random(0), Sentences([], [], [], [], [])
    while len(whole.scores) < POPULATION:
        more = experiment(random, groups, conditions)
        more = more._replace(groups=[len(whole.groups) + group for group in more.groups])
        for name in Sentences._fields:
            getattr(whole, name).extend(getattr(more, name))
    return whole


Interval = Callable[[Sentences], Estimate]


def of(statistic: Statistic, by: str = "ratings") -> Interval:
    return lambda made: estimate(statistic, made.scores, getattr(made, by), units=made.groups)


def advantage(made: Sentences) -> Estimate:
    return difference(correlations.pearson, made.scores, made.others, made.ratings, units=made.groups)


def sharpened(made: Sentences) -> Estimate:
    """The AUC of scores that distinguish nearly all good sentences from bad ones."""
    scores = [score + good for score, good in zip(made.scores, made.good, strict=True)]
    return estimate(correlations.auc, scores, made.good, units=made.groups)


def accuracy(share: float) -> Interval:
    """The accuracy of pairs if some items are harder than others."""

    def found(made: Sentences) -> Estimate:
        random = Random(str(made.scores))
        hard = {group: random.betavariate(8 * share, 8 * (1 - share)) for group in made.groups}
        won = [random.choices((1.0, 0.0, 0.5), (hard[g] * 0.9, 0.9 - hard[g] * 0.9, 0.1))[0] for g in made.groups]
        return estimate(correlations.mean, won, won, units=made.groups)

    return found


INTERVALS: dict[str, Interval] = {
    "pearson": of(correlations.pearson),
    "spearman": of(correlations.spearman),
    "kendall": of(correlations.kendall),
    "AUC": of(correlations.auc, "good"),
    "AUC near 1": sharpened,
    "pair accuracy .75": accuracy(0.75),
    "pair accuracy .95": accuracy(0.95),
    "difference of pearson": advantage,
}


def coverage(interval: Interval, truth: float, made: Sequence[Sentences]) -> tuple[float, float]:
    """Return the share of intervals that contain the truth, and of experiments that have an interval."""
    found = [interval(each) for each in made]
    held = [each.low <= truth <= each.high for each in found if each.low is not None and each.high is not None]
    return sum(held) / max(1, len(held)), len(held) / len(found)


@pytest.mark.parametrize("design", DESIGNS)
def test_intervals_hold_what_they_should(design: str) -> None:
    groups, conditions = DESIGNS[design]
    whole = population(groups, conditions)
    random = Random(design)
    made = [experiment(random, groups, conditions) for _ in range(EXPERIMENTS)]
    print(f"\n{design}")
    wrong = []
    for name, interval in INTERVALS.items():
        truth = interval(whole).value
        assert truth is not None
        share, given = coverage(interval, truth, made)
        print(f"  {name:<24}{truth:7.3f}  coverage {share:.4f}  with an interval {given:.3f}", flush=True)
        error = sqrt(0.05 * 0.95 / EXPERIMENTS)
        if not LEAST - error <= share <= (NEAR_1 if truth > 0.9 else MOST + error):
            wrong.append(name)
    assert not wrong
