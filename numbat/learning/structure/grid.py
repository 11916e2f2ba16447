"""A grid of conditions under which a dependency model is learned; each model on the way is a candidate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, NamedTuple

from numbat.learning.structure.contrastive import contrastive
from numbat.learning.structure.estimation import em
from numbat.learning.structure.initialisers import INITIALISERS, Initialiser, initial_weights
from numbat.learning.structure.neighbourhoods import Neighbourhood
from numbat.learning.structure.schedules import NO_BIAS, Schedule
from numbat.learning.structure.selection import Judged, Judges
from numbat.learning.structure.sentences import TagSentences
from numbat.parsing.dependency_model.model import Weights
from numbat.records import frozen

SMOOTHINGS: Final = tuple(round(10 ** (power / 3), 4) for power in (-2, -1, 0, 1, 2, 3))
"""Values of lambda, from .2154 to 10."""
VARIANCES: Final = (0.1, 0.3, 1.0, 3.0, 10.0)
"""Of the Gaussian prior of contrastive estimation."""
CONTRASTIVE_SMOOTHING: Final = 0.1
"""Added to the counts from which contrastive estimation begins, for the logarithm of 0 is no number."""


@frozen
class Condition:
    """How a model is learned: by EM with `smoothing` (lambda), or, with a neighbourhood, by contrastive estimation with
    a prior of that `variance`; from which initialiser, under which schedule of a bias."""

    initialiser: Initialiser
    schedule: Schedule = NO_BIAS
    smoothing: float = 0.0
    neighbourhood: Neighbourhood | None = None
    variance: float = 0.0

    @property
    def id(self) -> str:
        """It in a few words, as in tables and messages."""
        how = f"lambda {self.smoothing:g}" if self.neighbourhood is None else ""
        by = how or f"{self.neighbourhood}, variance {self.variance:g}"
        return f"{self.schedule.name}, {by}, from {self.initialiser}"


class Candidate(NamedTuple):
    """A model on the way: the strength of the bias under which it was learned, steps of learning, and judgements."""

    condition: Condition
    value: float
    iterations: int
    judged: tuple[Judged, ...]


class Tried(NamedTuple):
    """The candidates of a condition, and the weights of the best of them by each judgement that chooses.

    `best` has for each of these the number of the candidate and its weights.
    """

    candidates: tuple[Candidate, ...]
    best: tuple[tuple[int, Weights], ...]


def conditions_of(
    schedules: Sequence[Schedule],
    smoothings: Sequence[float] = SMOOTHINGS,
    initialisers: Sequence[Initialiser] = INITIALISERS,
) -> list[Condition]:
    """EM under each of these."""
    return [Condition(start, how, much) for how, start, much in product(schedules, initialisers, smoothings)]


def contrastive_conditions(
    neighbourhoods: Sequence[Neighbourhood],
    schedules: Sequence[Schedule] = (NO_BIAS,),
    variances: Sequence[float] = VARIANCES,
    initialisers: Sequence[Initialiser] = INITIALISERS,
) -> list[Condition]:
    """Contrastive estimation under each of these."""
    return [
        Condition(start, how, CONTRASTIVE_SMOOTHING, near, variance)
        for near, how, start, variance in product(neighbourhoods, schedules, initialisers, variances)
    ]


@dataclass(frozen=True, eq=False)
class GridJob:
    """Learns under a condition, and judges each model on the way."""

    sentences: TagSentences
    judges: Judges

    def __call__(self, condition: Condition) -> Tried:
        found: list[Candidate] = []
        best: list[tuple[int, Weights]] = []
        for value, weights, iterations in learned(self.sentences, condition):
            judged = self.judges.judged(weights)
            found.append(Candidate(condition, value, iterations, judged))
            for place, worth in enumerate(self.judges.worths):
                if place == len(best):
                    best.append((0, weights))
                elif worth(judged) > worth(found[best[place][0]].judged):
                    best[place] = len(found) - 1, weights
        return Tried(tuple(found), tuple(best))


def learned(sentences: TagSentences, condition: Condition) -> Iterator[tuple[float, Weights, int]]:
    """The models on the way: the strength of the bias, probabilities, steps of learning."""
    weights = initial_weights(sentences, condition.initialiser, condition.smoothing)
    for value in condition.schedule.values:
        bias = condition.schedule.bias(value)
        if condition.neighbourhood is None:
            estimate = em(sentences, weights, condition.smoothing, bias)
        else:
            estimate = contrastive(sentences, weights, condition.neighbourhood, condition.variance, bias)
        weights = estimate.weights
        yield value, weights, estimate.iterations
