"""Expectation maximisation for the dependency model with valence, with add-lambda smoothing and a structural bias.

Also: initial weights, schedules of the bias (Smith & Eisner 2006), and the sentences of tags that learners read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from numbat.errors import UsageError
from numbat.records import frozen
from numbat.structure.inference import sums, sums_with
from numbat.structure.model import HAS_CHILD, LEFT, NO_CHILD, RIGHT, Batch, Bias, EventWeights, batches_of, no_counts

if TYPE_CHECKING:
    from numbat.structure.model import Numbers


MAX_ITERATIONS: Final = 100
TOLERANCE: Final = 1e-5
"""Relative change of the objective at convergence."""


@dataclass(frozen=True, eq=False)
class EstimatedWeights:
    """Probabilities, the log objective before the last step, and the number of steps."""

    weights: EventWeights
    objective: float
    iterations: int


def expectation(sentences: TagSentences, weights: EventWeights, bias: Bias) -> tuple[float, EventWeights]:
    """Return the log likelihood of all sentences and the expected counts of events (E step)."""
    counts = no_counts(len(sentences.tags))
    likelihood = 0.0
    for batch in sentences.batches:
        likelihood += float(batch.shares @ sums(batch, weights, bias, counts))
    return likelihood, counts


def maximized(counts: EventWeights, smoothing: float) -> EventWeights:
    """Return the maximum likelihood probabilities for counts plus `smoothing` (lambda) (M step).

    Distributions without any count are uniform.
    """
    stop = shares_of(_joined(counts.stop, counts.go), smoothing)[..., 0]
    return EventWeights(stop, 1.0 - stop, shares_of(counts.child, smoothing), shares_of(counts.root, smoothing))


def em(
    sentences: TagSentences, start: EventWeights, smoothing: float, bias: Bias, most: int = MAX_ITERATIONS
) -> EstimatedWeights:
    """Run EM until the relative change of the objective is below `TOLERANCE`, or for `most` steps.

    The objective is the log likelihood under the bias plus the log prior of the smoothing; it never falls.
    """
    weights, before, steps = start, None, 0
    while steps < most:
        steps += 1
        likelihood, counts = expectation(sentences, weights, bias)
        objective = likelihood + prior(weights, smoothing)
        weights = maximized(counts, smoothing)
        if before is not None and abs(objective - before) < TOLERANCE * abs(before):
            break
        before = objective
    return EstimatedWeights(weights, objective, steps)


def prior(weights: EventWeights, smoothing: float) -> float:
    """Return the log prior that corresponds to `smoothing`, up to a constant."""
    import numpy as np

    if not smoothing:
        return 0.0
    return smoothing * sum(float(np.log(weight).sum()) for weight in weights)


def shares_of(counts: Numbers, smoothing: float) -> Numbers:
    """Add `smoothing` to counts, and normalise them over the last axis; rows without any count become uniform."""
    import numpy as np

    added = counts + smoothing
    total = added.sum(axis=-1, keepdims=True)
    size = counts.shape[-1]
    return np.where(total > 0, added / np.where(total > 0, total, 1.0), 1.0 / size)


def _joined(first: Numbers, second: Numbers) -> Numbers:
    import numpy as np

    return np.stack([first, second], axis=-1)


# Initialisers (appendix of the paper)

Initialiser = Literal["trees", "distances", "uniform"]
INITIALISERS: Final[tuple[Initialiser, ...]] = ("trees", "distances", "uniform")


def initial_weights(sentences: TagSentences, initialiser: Initialiser, smoothing: float) -> EventWeights:
    """Return initial probabilities, from one M step on counts.

    `trees`: expected counts over trees in which a link over `k` words counts 1 + 1/k. `uniform`: expected counts over
    equally weighted trees. `distances`: each other word is a child's head with a probability proportional to 1/k.
    """
    counts = no_counts(len(sentences.tags))
    for batch in sentences.batches:
        if initialiser == "distances":
            _count_distances(batch, counts)
        else:
            _count_trees(batch, initialiser == "trees", counts)
    return maximized(counts, smoothing)


def _count_trees(batch: Batch, near: bool, counts: EventWeights) -> None:
    import numpy as np

    # A factor per word changes no share, and keeps sums over many trees in the range of the compiled inference.
    ones = EventWeights(*(np.ones(count.shape) for count in counts))
    ones = ones._replace(child=ones.child / 64, root=ones.root / 64)
    distances = np.arange(batch.tags.shape[1], dtype=float)
    link = np.log1p(1.0 / np.maximum(distances, 1.0)) if near else np.zeros(len(distances))
    sums_with(batch, ones, link, None, counts)


def _count_distances(batch: Batch, counts: EventWeights) -> None:
    """Give each word the weight 1/n as root, and share the rest among the other words as heads, by 1/distance.

    If `c` < 1 children are expected on a side of a word, it counts as childless with 1 - c; each side stops once.
    """
    import numpy as np

    n = batch.tags.shape[1]
    place = np.arange(n)
    distance = np.abs(place[:, None] - place[None, :])
    near = np.where(distance > 0, 1.0 / np.maximum(distance, 1), 0.0)
    link = near / np.maximum(near.sum(axis=0, keepdims=True), 1e-300) * (1.0 - 1.0 / n)
    for word in range(n):
        tags = batch.tags[:, word]
        np.add.at(counts.root, tags, batch.shares / n)
        for side in (LEFT, RIGHT):
            others = place[:word] if side == LEFT else place[word + 1 :]
            children = float(link[word, others].sum())
            first = min(1.0, children)
            for to, has, much in (
                (counts.go, NO_CHILD, first),
                (counts.stop, NO_CHILD, 1.0 - first),
                (counts.go, HAS_CHILD, children - first),
                (counts.stop, HAS_CHILD, first),
            ):
                np.add.at(to[:, side, has], tags, batch.shares * much)
            for other in others:
                np.add.at(counts.child[:, side], (tags, batch.tags[:, other]), batch.shares * link[word, other])


# Schedules of the bias: fixed, or annealed step by step (sections 3 to 5)

BiasKind = Literal["none", "locality", "segments"]
MAX_STEPS: Final = 1_000
MAX_STRENGTH: Final = 20.0
"""Maximum absolute strength of a bias, which multiplies by at most e^20 per word of a link or per tree."""


@frozen
class Schedule:
    """A kind of bias and its successive values; each step starts from the model of the previous one."""

    kind: BiasKind
    values: tuple[float, ...] = (0.0,)

    def bias(self, value: float) -> Bias:
        """Return the bias with this strength."""
        if self.kind == "locality":
            return Bias(locality=value)
        return Bias(breaks=value) if self.kind == "segments" else Bias()

    @property
    def name(self) -> str:
        """Short name for tables: `locality -1:3:0.1`, `segments 0.5`."""
        if self.kind == "none":
            return "none"
        first, last = self.values[0], self.values[-1]
        more = f":{last:.10g}:{round(self.values[1] - first, 10):.10g}" if len(self.values) > 1 else ""
        return f"{self.kind} {first:.10g}{more}"


NO_BIAS: Final = Schedule("none")


def steps(start: float, stop: float, step: float) -> tuple[float, ...]:
    """Return the values from start to stop, both included.

    Raises UsageError if the steps do not reach stop, and for values beyond MAX_STRENGTH.
    """
    if not max(abs(start), abs(stop)) <= MAX_STRENGTH:
        raise UsageError(
            f"the bias may not go from {start:g} to {stop:g}\n  use values from -{MAX_STRENGTH:g} to {MAX_STRENGTH:g}"
        )
    exact = (stop - start) / step if step else -1.0
    count = round(exact) if abs(exact) < MAX_STEPS else -1
    if count < 0 or abs(exact - count) > 1e-6:
        raise UsageError(
            f"up to {MAX_STEPS:,} steps of {step:g} from {start:g} do not reach {stop:g} exactly\n"
            "  write START:STOP:STEP, such as -1:3:0.1"
        )
    return tuple(round(start + number * step, 10) for number in range(count + 1))


ANNEALED: Final[dict[BiasKind, tuple[Schedule, ...]]] = {
    "none": (NO_BIAS,),
    "locality": tuple(
        Schedule("locality", steps(start, 3.0, step)) for start, step in ((-1.0, 0.1), (-0.4, 0.05), (-0.2, 0.05))
    ),
    "segments": tuple(Schedule("segments", steps(start, -3.0, -0.1)) for start in (-0.5, 0.0, 0.5)),
}
"""Schedules tried for an annealed bias."""


# Input of learners: distinct sentences of tag numbers with counts, batched by length


@dataclass(frozen=True, eq=False)
class TagSentences:
    """Tags sorted by name, and batches of distinct sentences of tag numbers, with counts."""

    tags: tuple[str, ...]
    batches: tuple[Batch, ...]

    @property
    def count(self) -> int:
        """Number of sentences."""
        return round(sum(float(batch.shares.sum()) for batch in self.batches))

    @property
    def sequences(self) -> list[tuple[tuple[int, ...], float]]:
        """Distinct sentences with counts."""
        return [
            (tuple(row), share)
            for batch in self.batches
            for row, share in zip(batch.tags.tolist(), batch.shares.tolist(), strict=True)
        ]


def counted_sentences(sentences: Iterable[Sequence[str]], tags: Sequence[str] = ()) -> TagSentences:
    """Number and count nonempty sentences; `tags` adds tags that do not occur in them."""
    counts = Counter(tuple(sentence) for sentence in sentences if sentence)
    names = tuple(sorted({tag for sentence in counts for tag in sentence} | set(tags)))
    number = {tag: place for place, tag in enumerate(names)}
    distinct = sorted(counts)
    numbered = [[number[tag] for tag in sentence] for sentence in distinct]
    shares = [float(counts[sentence]) for sentence in distinct]
    return TagSentences(names, tuple(batches_of(numbered, shares)))
