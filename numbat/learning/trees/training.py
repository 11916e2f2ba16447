"""Training a linear model over trees: passes over examples, a certificate after each, weights at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from zlib import crc32

from numbat.grammar.properties import UNIT
from numbat.learning.trees.examples import TreeExample
from numbat.learning.trees.frank_wolfe import FrankWolfe
from numbat.learning.trees.online import AdaGrad, Perceptron
from numbat.learning.trees.settings import TrainingSettings
from numbat.learning.trees.state_file import StateFile
from numbat.learning.trees.structured import Learner, Rival
from numbat.parsing.tree_model.scoring import TreeWeights, best, features
from numbat.parsing.tree_model.templates import VERSION, EdgeFeatures, GrammarKeys, Table, Task, token_attributes

if TYPE_CHECKING:
    from array import array

    import numpy as np
    from numpy.typing import NDArray

    from numbat.learning.trees.frank_wolfe import Signs
    from numbat.learning.trees.structured import Ids, Values, Weights

BATCH: Final = 32
"""So many examples are looked at under the same weights, whatever the number of threads."""
REVISITS: Final = 2
"""So often the rivals of Frank-Wolfe that are kept are looked at again after a pass."""
LOOSE: Final = 2.0
"""How far estimates of the gap are above it: weights are better after a pass than they were in it."""


class Progress(NamedTuple):
    """What there is to say after a pass: its number, the mean loss of the best trees with their loss added, and of
    Frank-Wolfe the objective with the duality gap as a share of it, under the last weights. They are estimates until
    the gap may be small enough. After the last pass the same is said of the mean of the weights, which was learned."""

    number: int
    loss: float
    objective: float | None = None
    gap: float | None = None
    is_estimate: bool = False
    is_of_mean: bool = False


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

    def rivals(self, weights: Weights, which: Sequence[int]) -> list[Rival]:
        """Of each of these examples the tree whose score and loss together are most."""

        def made(number: int) -> Rival:
            return self._rival(self.examples[number], weights)

        return list(map(made, which) if self._threads is None else self._threads.map(made, which))

    def best(self, number: int, weights: Weights) -> array[int]:
        """The edges of the best tree of an example."""
        return best(self._task(self.examples[number], weights, False)).edges

    def rival(self, number: int, weights: Weights) -> array[int]:
        """The edges of the tree of an example whose score and loss together are most."""
        return best(self._task(self.examples[number], weights, True)).edges

    def features(self, number: int, edges: Sequence[int]) -> tuple[Ids, Values]:
        """All features of a tree of an example, in order, with how often they are there."""
        import numpy as np

        nothing = np.zeros(self.size, np.float32)
        return sparse_sum(*_features(self._task(self.examples[number], nothing, False), edges))

    @property
    def digest(self) -> int:
        """A number that marks the examples and the names of features."""
        found = crc32("\n".join(self.start.names).encode("utf-8", "surrogatepass"))
        for example in self.examples:
            words = " ".join(form for form, _ in example.tokens).encode("utf-8", "surrogatepass")
            for part in (words, example.right.tobytes(), example.forest.costs.tobytes()):
                found = crc32(part, found)
        return found

    @property
    def size(self) -> int:
        """The number of weights."""
        return len(self.start.names) + (1 << self.start.bits)

    def errors(self) -> float:
        """How many labelled spans are wrong or missing under the weights that the examples start with."""
        import numpy as np

        weights = np.frombuffer(self.start.numbers, np.float32)
        losses = (example.loss(self.best(number, weights)) for number, example in enumerate(self.examples))
        return sum(max(0.0, loss) for loss in losses)

    def _task(self, example: TreeExample, weights: Weights, augmented: bool) -> Task:
        import numpy as np

        start = self.start
        table = Table(weights, len(start.names), start.bits)  # type: ignore[arg-type]
        losses = (self.loss * np.frombuffer(example.losses)) if augmented else None
        return Task(
            example.forest,
            len(example.tokens),
            token_attributes(example.tokens),
            example.marks,
            self.keys[example.fold],
            start.hashed_groups,
            table,
            example.features,
            losses,  # type: ignore[arg-type]
            start.likelihood / UNIT,
        )

    def _rival(self, example: TreeExample, weights: Weights) -> Rival:
        import numpy as np

        task = self._task(example, weights, True)
        edges = best(task).edges
        right, wrong = set(example.right), set(edges)
        missed, found = sorted(right - wrong), sorted(wrong - right)
        (ids, values), (other_ids, others) = _features(task, missed), _features(task, found)
        loss = self.loss * example.loss(edges)
        ahead = self.start.likelihood * (example.cost(missed) - example.cost(found))
        difference = sparse_sum(np.concatenate((ids, other_ids)), np.concatenate((values, -others)))
        return Rival(*difference, loss, loss + ahead)


def _features(task: Task, edges: Sequence[int]) -> tuple[Ids, NDArray[np.float64]]:
    """The features of edges, one that is there twice coming twice, with how often they are there."""
    import numpy as np

    ids = np.frombuffer(features(task, edges), np.uint32).astype(np.int32)
    values = np.ones(len(ids))
    if task.extra is None:
        return ids, values
    named, counts = _named(task.extra, edges)
    return np.concatenate((ids, named)), np.concatenate((values, counts.astype(np.float64)))


def _named(named: EdgeFeatures, edges: Sequence[int]) -> tuple[Ids, Values]:
    """The features of edges that are not hashed, with how often they are there."""
    import numpy as np

    at, ids, counts = named
    places = [k for edge in edges for k in range(at[edge], at[edge + 1])]
    return np.array([ids[k] for k in places], np.int32), np.array([counts[k] for k in places], np.float32)


def sparse_sum(ids: Ids, values: NDArray[np.float64]) -> tuple[Ids, Values]:
    """A sparse vector with each place once, in order, and without zeros."""
    import numpy as np

    # Places and positions in one number sort faster than a stable order of the places.
    keys = (ids.astype(np.int64) << 32) + np.arange(len(ids))
    keys.sort()
    ids, values = (keys >> 32).astype(np.int32), values[keys & 0xFFFFFFFF]
    first = np.flatnonzero(np.diff(ids, prepend=-1))
    if not len(first):
        return ids, values.astype(np.float32)
    sums = np.add.reduceat(values, first)
    kept = sums != 0.0
    return ids[first][kept], sums[kept].astype(np.float32)


def train(
    examples: TreeExamples,
    settings: TrainingSettings,
    tell: Callable[[Progress, Learner], None],
    state: StateFile | None = None,
) -> TreeWeights:
    """The weights learned from examples, `tell` being told of each pass. The same for a seed whatever the threads.

    A run goes on from its `state`, and writes it after each pass; what is learned is the same as in one go.
    """
    from array import array

    signs = _signs_of(examples.start) if settings.signs else None
    learner = _learner(settings, len(examples), examples.size, signs)
    about = {} if state is None else _about(examples, settings)
    done, whole = (0, False) if state is None else state.restore(learner, about)
    while not whole and done < settings.passes:
        done += 1
        progress = _pass(learner, examples, settings, done)
        whole = progress.gap is not None and not progress.is_estimate and progress.gap <= settings.gap
        tell(progress, learner)
        if state is not None:
            state.write(learner, about, done, whole)
    if isinstance(learner, FrankWolfe):
        tell(_certified(learner, examples, done, learner.averaged()), learner)
    return replace(examples.start, numbers=array("f", learner.averaged().tobytes()))


def _pass(learner: Learner, examples: TreeExamples, settings: TrainingSettings, number: int) -> Progress:
    """Look at each example once, in an order of its own for each pass."""
    order = list(range(len(examples)))
    Random(f"{settings.seed} {number}").shuffle(order)
    loss = 0.0
    for which in _batches(order):
        for example, rival in zip(which, examples.rivals(learner.weights, which), strict=True):
            learner.learn(example, rival)
            loss += rival.loss
    if not isinstance(learner, FrankWolfe):
        return Progress(number, loss / len(examples))
    for _ in range(REVISITS):
        learner.revisit(order)
    found = learner.estimate()
    progress = Progress(number, loss / len(examples), found.primal, found.gap, is_estimate=True)
    return (
        progress
        if found.gap > LOOSE * settings.gap and number < settings.passes
        else _certified(learner, examples, number)
    )


def _certified(learner: FrankWolfe, examples: TreeExamples, number: int, weights: Weights | None = None) -> Progress:
    """What a search under some weights, or under the present ones, says of them."""
    found = learner.certificate(examples, list(_batches(range(len(examples)))), weights)
    return Progress(number, found.loss, found.primal, found.gap, is_of_mean=weights is not None)


def _about(examples: TreeExamples, settings: TrainingSettings) -> dict[str, Any]:
    """What a state of learning is of, as it is called in messages."""
    start = examples.start
    about = {each.name: getattr(settings, each.name) for each in fields(TrainingSettings)}
    del about["passes"], about["gap"]
    about["templates"] = VERSION
    about |= {"features": ",".join(start.groups), "bits": start.bits, "likelihood": start.likelihood}
    about |= {"number of examples": len(examples), "digest of the examples": examples.digest}
    return about


def _signs_of(start: TreeWeights) -> Signs:
    """That what is satisfied never counts against a tree, and what is violated never for it."""
    import numpy as np

    named = [1 if name.startswith("satisfied ") else -1 for name in start.names]
    return np.array(named + [0] * (1 << start.bits), np.int8)


def _learner(settings: TrainingSettings, examples: int, size: int, signs: Signs | None) -> Learner:
    if settings.learner == "frank-wolfe":
        return FrankWolfe(examples, size, 1 / (settings.penalty * examples), signs)
    kind = AdaGrad if settings.learner == "adagrad" else Perceptron
    return kind(size, settings.rate, signs)


def _batches(order: Sequence[int]) -> Iterator[Sequence[int]]:
    for at in range(0, len(order), BATCH):
        yield order[at : at + BATCH]
