"""Wrapped progressive sampling: a search for the best settings of a learner.

All settings are tried on little material, the better ones on more, and so on (van den Bosch 2004, "Wrapped progressive
sampling search for optimizing learning algorithm parameters").
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from random import Random
from typing import Any, Final

from numbat.errors import DataError
from numbat.sequence import memory, perceptron
from numbat.sequence.token_files import Sample
from numbat.sequence.weighting import WEIGHTINGS

ScoreSettings = Callable[[Sequence[Sample], Sequence[Sample], Any], float]
"""The score of settings after training on the first samples, on the second; more is better."""
SMALLEST: Final = 200
"""Sentences of the first step."""
GROWTH: Final = 2
"""Each step has so many times the sentences of the one before."""
LARGEST_SHARE: Final = 0.8
"""The share of all sentences after which the search ends."""
SEED: Final = 1
"""The seed of the order in which samples are drawn."""


def progressive_sampling(
    samples: Sequence[Sample],
    every: Sequence[Any],
    score_settings: ScoreSettings,
    budget: int,
    told: Callable[[str], None] = lambda _: None,
) -> Any:
    """The best of the settings, or the best so far when `budget` trainings are spent.

    `every` has the settings in order of preference. At each step they are trained on a sample and scored on a fourth as
    much other material; those in the best of ten equal ranges between the worst and the best score go on, at most half
    of all. Raises DataError for fewer than ten sentences.
    """
    if len(samples) < 10:
        raise DataError(f"{len(samples)} sentences are too few to choose settings by\n  give at least 10")
    order = list(samples)
    Random(SEED).shuffle(order)
    judged = order[: max(2, len(order) // 5)]
    pool, left, size = list(every), budget, min(SMALLEST, len(order) - len(judged))
    while len(pool) > 1 and left >= len(pool):
        trained = order[len(judged) : len(judged) + size]
        scores = [score_settings(trained, judged[: max(2, size // 4)], one) for one in pool]
        left -= len(pool)
        best, worst = max(scores), min(scores)
        leading = sum(score >= best - (best - worst) / 10 for score in scores)
        kept = sorted(range(len(pool)), key=lambda i: (-scores[i], i))[: max(1, min(leading, (len(pool) + 1) // 2))]
        told(f"search: {len(pool)} settings on {size} sentences, best {best:.4f}: {pool[kept[0]]}")
        pool = [pool[i] for i in kept]
        if size >= LARGEST_SHARE * len(order) - 1:
            break
        size = min(size * GROWTH, len(order) - len(judged))
    return pool[0]


def settings_to_try(learner: str) -> list[Any]:
    """The settings that are tried for a learner, the more usual ones first."""
    if learner == "perceptron":
        return [
            perceptron.Settings(epochs=epochs, margin=margin, least=least)
            for epochs, margin, least in product((10, 5, 20), (1.0, 0.0, 4.0), (2, 1, 3))
        ]
    return [
        memory.Settings(k=k, metric=metric, weighting=weighting, voting=voting)
        for metric, weighting, k, voting in product(_METRICS, WEIGHTINGS, (5, 1, 11, 25), _VOTINGS)
        if k > 1 or voting == "majority"
    ]


_METRICS: Final[tuple[memory.Metric, ...]] = ("mvdm", "overlap")
_VOTINGS: Final[tuple[memory.Voting, ...]] = ("il", "id", "ed", "majority")
