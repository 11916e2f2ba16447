"""Training a linear model over trees: passes over examples, a certificate after each, weights at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from numbat.grammar.properties import UNIT
from numbat.learning.trees.examples import TreeExample
from numbat.learning.trees.frank_wolfe import FrankWolfe
from numbat.learning.trees.online import AdaGrad, Perceptron
from numbat.learning.trees.structured import Learner, Rival
from numbat.parsing.tree_model.attributes import GrammarKeys, token_attributes
from numbat.parsing.tree_model.scoring import Table, Task, best, features
from numbat.parsing.tree_model.weights import TreeWeights

if TYPE_CHECKING:
    from array import array

    from numbat.learning.trees.frank_wolfe import Signs
    from numbat.learning.trees.structured import Weights

BATCH: Final = 32
"""So many examples are looked at under the same weights, whatever the number of threads."""
LEARNERS: Final = ("frank-wolfe", "perceptron", "adagrad")


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How weights are learned: by which learner, in how many passes at most; Frank-Wolfe until its gap is below `gap`.

    `penalty` is C: what a unit of loss counts beside half the square of the weights, for each example; `rate` the
    step of the other learners. `loss` is what a wrong or missing span counts in natural logarithms of likelihood.
    """

    learner: str = "frank-wolfe"
    passes: int = 20
    gap: float = 0.03
    penalty: float = 0.02
    rate: float = 0.03
    loss: float = 1.0
    signs: bool = False
    seed: int = 0


class Progress(NamedTuple):
    """What there is to say after a pass: its number, the mean loss of the best trees with their loss added, and of
    Frank-Wolfe the objective with the duality gap as a share of it."""

    number: int
    loss: float
    objective: float | None = None
    gap: float | None = None


class TreeExamples:
    """Examples as learners see them: a search in the forest of each under some weights, in `jobs` threads.

    `keys` are those of the grammar of each fold.
    """

    def __init__(
        self, examples: Sequence[TreeExample], keys: Sequence[GrammarKeys], start: TreeWeights, loss: float, jobs: int
    ) -> None:
        self.examples, self.keys, self.start, self.loss = examples, keys, start, loss
        self._threads = ThreadPoolExecutor(jobs) if jobs > 1 else None

    def __len__(self) -> int:
        return len(self.examples)

    def rivals(self, weights: Weights, which: Sequence[int], augmented: bool = True) -> list[Rival]:
        """The best tree of each of these examples, its loss added to its score."""

        def rival(number: int) -> Rival:
            return self._rival(self.examples[number], weights, augmented)

        return list(map(rival, which) if self._threads is None else self._threads.map(rival, which))

    def best(self, number: int, weights: Weights) -> array[int]:
        """The edges of the best tree of an example."""
        return best(self._task(self.examples[number], weights, False)).edges

    def _task(self, example: TreeExample, weights: Weights, augmented: bool) -> Task:
        import numpy as np

        start = self.start
        table = Table(weights, len(start.names), start.bits)  # type: ignore[arg-type]
        losses = (self.loss * np.frombuffer(example.losses)) if augmented else None
        return Task(
            example.forest,
            len(example.tokens),
            token_attributes(example.tokens),
            None,
            self.keys[example.fold],
            start.hashed_groups,
            table,
            example.features,
            losses,  # type: ignore[arg-type]
            start.likelihood / UNIT,
        )

    def _rival(self, example: TreeExample, weights: Weights, augmented: bool) -> Rival:
        import numpy as np

        task = self._task(example, weights, augmented)
        edges = best(task).edges
        right, wrong = set(example.right), set(edges)
        ahead, behind = sorted(right - wrong), sorted(wrong - right)
        parts = [
            (np.asarray(features(task, side), np.int64), np.float64(sign)) for side, sign in ((ahead, 1), (behind, -1))
        ]
        ids = [part for part, _ in parts]
        values = [np.full(len(part), sign) for part, sign in parts]
        if example.features is not None:
            at, named, counts = example.features
            for side, sign in ((ahead, 1.0), (behind, -1.0)):
                for edge in side:
                    ids.append(np.asarray(named[at[edge] : at[edge + 1]], np.int64))
                    values.append(sign * np.asarray(counts[at[edge] : at[edge + 1]], np.float64))
        places, inverse = np.unique(np.concatenate(ids), return_inverse=True)
        sums = np.bincount(inverse, np.concatenate(values), len(places))
        kept = sums != 0.0
        loss = self.loss * example.loss(edges)
        ahead_by = self.start.likelihood * (example.cost(ahead) - example.cost(behind))
        return Rival(places[kept], sums[kept], loss, loss + ahead_by)


def train(
    examples: TreeExamples, settings: TrainingSettings, tell: Callable[[Progress, Learner], None], signs: Signs | None
) -> TreeWeights:
    """The weights learned from examples, `tell` being told of each pass. The same for a seed whatever the threads."""
    from array import array

    size = len(examples.start.names) + (1 << examples.start.bits)
    learner = _learner(settings, len(examples), size, signs)
    order, rng = list(range(len(examples))), Random(settings.seed)
    for number in range(1, settings.passes + 1):
        rng.shuffle(order)
        loss = 0.0
        for which in _batches(order):
            for example, rival in zip(which, examples.rivals(learner.weights, which), strict=True):
                learner.update(example, rival)
                loss += rival.loss
        if isinstance(learner, FrankWolfe):
            found = learner.certificate(examples, list(_batches(order)))
            tell(Progress(number, found.loss, found.primal, found.gap), learner)
            if found.gap <= settings.gap:
                break
        else:
            tell(Progress(number, loss / len(examples)), learner)
    return replace(examples.start, numbers=array("f", learner.averaged().tobytes()))


def _learner(settings: TrainingSettings, examples: int, size: int, signs: Signs | None) -> Learner:
    if settings.learner == "frank-wolfe":
        return FrankWolfe(examples, size, 1 / (settings.penalty * examples), signs)
    kind = AdaGrad if settings.learner == "adagrad" else Perceptron
    return kind(size, settings.rate, signs)


def _batches(order: Sequence[int]) -> Iterator[Sequence[int]]:
    for at in range(0, len(order), BATCH):
        yield order[at : at + BATCH]
