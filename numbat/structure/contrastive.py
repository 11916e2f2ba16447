"""Contrastive estimation: weights that make sentences likely among their neighbours (Smith & Eisner 2005)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from numbat.errors import DataError, require_scipy
from numbat.structure.estimation import MAX_ITERATIONS, TOLERANCE, EstimatedWeights, TagSentences, shares_of
from numbat.structure.inference import sums
from numbat.structure.model import HAS_CHILD, LEFT, NO_CHILD, RIGHT, Batch, Bias, EventWeights, batches_of, no_counts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from numbat.structure.model import Numbers


MAX_LOG_WEIGHT: Final = 12.0
"""Bound on the absolute log weights."""


def contrastive(
    sentences: TagSentences, start: EventWeights, neighbourhood: Neighbourhood, variance: float, bias: Bias
) -> EstimatedWeights:
    """Maximise the log of the share that sentences have in their neighbourhoods, with a Gaussian prior, by L-BFGS.

    The prior has the mean 0; the bias applies to sentences and neighbours. Returns probabilities equivalent to the
    weights: the trees of a sentence keep their shares. Raises MissingExtraError without scipy, DataError if sums leave
    the range of floating point.
    """
    require_scipy("contrastive estimation")
    import numpy as np
    from scipy.optimize import minimize

    task = task_of(sentences, neighbourhood)
    shapes = [part.shape for part in start]

    def objective(flat: Numbers) -> tuple[float, Numbers]:
        logs = EventWeights(*_split(flat, shapes))
        value, slope = task.objective(EventWeights(*(np.exp(log) for log in logs)), bias)
        prior = float(flat @ flat) / (2 * variance)
        return prior - value, flat / variance - np.concatenate([part.ravel() for part in slope])

    begin = np.concatenate([np.log(np.maximum(part, 1e-6)).ravel() for part in start])
    options = {"maxiter": MAX_ITERATIONS, "ftol": TOLERANCE}
    bounds = [(-MAX_LOG_WEIGHT, MAX_LOG_WEIGHT)] * len(begin)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        result = minimize(objective, begin, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    if not np.isfinite(result.fun) or not np.isfinite(result.x).all():
        raise DataError(
            f"contrastive estimation overflows with a bias of {bias.locality or bias.breaks or 0:g} "
            f"and a variance of {variance:g}\n  use a weaker bias, or shorter sentences"
        )
    weights = EventWeights(*(np.exp(part) for part in _split(result.x, shapes)))
    return EstimatedWeights(as_probabilities(weights), -float(result.fun), int(result.nit))


@dataclass(frozen=True, eq=False)
class ContrastiveTask:
    """Distinct sentences with their neighbours.

    `batches` hold all of them. For each pair of a sentence and a neighbour, `owners` has the sentence, and `members`
    the neighbour's place in the batches. For each sentence, `own` has its place in the batches, and `shares` its count.
    With the neighbourhood LENGTH neighbours are not listed: `lengths` counts the sentences by length.
    """

    batches: list[Batch]
    owners: NDArray[np.int64]
    members: NDArray[np.int64]
    own: NDArray[np.int64]
    shares: Numbers
    lengths: dict[int, float]

    def objective(self, weights: EventWeights, bias: Bias) -> tuple[float, EventWeights]:
        """Return the log share of sentences in their neighbourhoods and its gradient with respect to log weights."""
        import numpy as np

        slope = no_counts(len(weights.root))
        values = np.zeros(sum(len(batch.places) for batch in self.batches))
        for batch in self.batches:
            values[list(batch.places)] = sums(batch, weights, bias)
        value = float(self.shares @ values[self.own])
        shares = np.zeros(len(values))
        np.add.at(shares, self.own, self.shares)
        if self.lengths:
            value -= sums_of_lengths(self.lengths, weights, bias, slope)
        else:
            most = np.full(len(self.own), -np.inf)
            np.maximum.at(most, self.owners, values[self.members])
            parts = np.exp(values[self.members] - most[self.owners])
            total = np.zeros(len(self.own))
            np.add.at(total, self.owners, parts)
            value -= float(self.shares @ (np.log(total) + most))
            np.add.at(shares, self.members, -parts / total[self.owners] * self.shares[self.owners])
        for batch in self.batches:
            sums(batch._replace(shares=shares[list(batch.places)]), weights, bias, slope)
        return value, slope


def task_of(sentences: TagSentences, neighbourhood: Neighbourhood) -> ContrastiveTask:
    import numpy as np

    number: dict[tuple[int, ...], int] = {}
    owners: list[int] = []
    members: list[int] = []
    places: list[int] = []
    shares: list[float] = []
    lengths: dict[int, float] = {}
    for sentence, share in sentences.sequences:
        if neighbourhood == "length":
            number.setdefault(sentence, len(number))
            lengths[len(sentence)] = lengths.get(len(sentence), 0.0) + share
        else:
            near = [number.setdefault(neighbour, len(number)) for neighbour in neighbours(sentence, neighbourhood)]
            owners += [len(places)] * len(near)
            members += near
        places.append(number[sentence])
        shares.append(share)
    return ContrastiveTask(
        batches_of(list(number)),
        np.array(owners, dtype=np.int64),
        np.array(members, dtype=np.int64),
        np.array(places, dtype=np.int64),
        np.array(shares),
        lengths,
    )


def _split(flat: Numbers, shapes: list[tuple[int, ...]]) -> list[Numbers]:
    import numpy as np

    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1]
    return [part.reshape(shape) for part, shape in zip(np.split(flat, ends), shapes, strict=True)]


# Neighbourhoods (Smith & Eisner 2005)

Neighbourhood = Literal["delete", "transpose", "delete-or-transpose", "length"]
NEIGHBOURHOODS: Final[tuple[Neighbourhood, ...]] = ("delete", "transpose", "delete-or-transpose", "length")
"""The paper's DELETE1, TRANSPOSE1, DELETEORTRANSPOSE1 and LENGTH."""


def neighbours(sentence: Sequence[int], neighbourhood: Neighbourhood) -> list[tuple[int, ...]]:
    """Return the sentence and its distinct neighbours: one word deleted, or two adjacent words transposed.

    The neighbours of `length` are not listed: see `sums_of_lengths`.
    """
    given = tuple(sentence)
    distinct = {given: None}
    if neighbourhood in ("delete", "delete-or-transpose") and len(given) > 1:
        distinct |= {given[:place] + given[place + 1 :]: None for place in range(len(given))}
    if neighbourhood in ("transpose", "delete-or-transpose"):
        distinct |= {
            (*given[:place], given[place + 1], given[place], *given[place + 2 :]): None
            for place in range(len(given) - 1)
        }
    return list(distinct)


# Neighbourhood LENGTH: sums over the trees of all sentences of a length.
#
# A half constituent is identified by the tag of its head and its number of words, not by its position.

OTHER = {LEFT: RIGHT, RIGHT: LEFT}


def sums_of_lengths(lengths: Mapping[int, float], weights: EventWeights, bias: Bias, slope: EventWeights) -> float:
    """Return the log sum over all sentences of each length, weighted by the count of that length.

    Subtracts its gradient with respect to log weights from `slope`.
    """
    import numpy as np

    longest = max(lengths)
    link = np.exp(bias.locality * np.arange(longest))
    half, goes, links = _inside(longest, weights, link)
    breaks = None if bias.breaks is None else float(np.exp(bias.breaks))
    # sums over trees, by number of words
    trees = np.zeros(longest + 1)
    for size in range(1, longest + 1):
        trees[size] = sum(float(weights.root @ (half[LEFT][k] * half[RIGHT][size - 1 - k])) for k in range(size))
    total, on_trees = _totals(lengths, trees, breaks)
    d_half = [np.zeros_like(part) for part in half]
    for size in range(1, longest + 1):
        for k in range(size):
            left, right = half[LEFT][k], half[RIGHT][size - 1 - k]
            share = on_trees[size] * weights.root
            d_half[LEFT][k] += share * right
            d_half[RIGHT][size - 1 - k] += share * left
            slope.root[:] -= share * left * right
    _outside(weights, link, half, goes, links, d_half, slope)
    return total


def _inside(longest: int, weights: EventWeights, link: Numbers) -> tuple[list[Numbers], list[Numbers], list[Numbers]]:
    """Return sums by side: over halves, over halves about to take another child, and over links.

    Halves are indexed by the number of words beyond the head and its tag, links by distance, head and child.
    """
    import numpy as np

    size = len(weights.root)
    half, goes = ([np.zeros((longest, size)) for _ in (LEFT, RIGHT)] for _ in range(2))
    links = [np.zeros((longest, size, size)) for _ in (LEFT, RIGHT)]
    for side in (LEFT, RIGHT):
        half[side][0] = weights.stop[:, side, NO_CHILD]
        goes[side][0] = weights.go[:, side, NO_CHILD]
    for width in range(1, longest):
        for side in (LEFT, RIGHT):
            meet = sum(np.outer(goes[side][k], half[OTHER[side]][width - 1 - k]) for k in range(width))
            links[side][width] = weights.child[:, side, :] * link[width] * meet
        for side in (LEFT, RIGHT):
            reached = sum(links[side][far] @ half[side][width - far] for far in range(1, width + 1))
            half[side][width] = reached * weights.stop[:, side, HAS_CHILD]
            goes[side][width] = reached * weights.go[:, side, HAS_CHILD]
    return half, goes, links


def _totals(lengths: Mapping[int, float], trees: Numbers, breaks: float | None) -> tuple[float, Numbers]:
    """Return the weighted log sum over lengths, and its gradient with respect to the sums over trees."""
    import numpy as np

    longest = len(trees) - 1
    on_trees = np.zeros(longest + 1)
    if breaks is None:
        for size, share in lengths.items():
            on_trees[size] += share / trees[size]
        return sum(share * float(np.log(trees[size])) for size, share in lengths.items()), on_trees
    rows = np.zeros(longest + 1)
    rows[0] = 1.0
    for size in range(1, longest + 1):
        rows[size] = sum(rows[size - last] * breaks * trees[last] for last in range(1, size + 1))
    on_rows = np.zeros(longest + 1)
    for size, share in lengths.items():
        on_rows[size] += share / rows[size]
    for size in range(longest, 0, -1):
        for last in range(1, size + 1):
            on_rows[size - last] += on_rows[size] * breaks * trees[last]
            on_trees[last] += on_rows[size] * breaks * rows[size - last]
    return sum(share * float(np.log(rows[size])) for size, share in lengths.items()), on_trees


def _outside(
    weights: EventWeights,
    link: Numbers,
    half: list[Numbers],
    goes: list[Numbers],
    links: list[Numbers],
    d_half: list[Numbers],
    slope: EventWeights,
) -> None:
    import numpy as np

    longest = len(link)
    d_goes = [np.zeros_like(go) for go in goes]
    d_links = [np.zeros_like(by_distance) for by_distance in links]
    for width in range(longest - 1, 0, -1):
        for side in (LEFT, RIGHT):
            slope.stop[:, side, HAS_CHILD] -= d_half[side][width] * half[side][width]
            slope.go[:, side, HAS_CHILD] -= d_goes[side][width] * goes[side][width]
            reached = d_half[side][width] * weights.stop[:, side, HAS_CHILD]
            reached += d_goes[side][width] * weights.go[:, side, HAS_CHILD]
            for far in range(1, width + 1):
                d_links[side][far] += np.outer(reached, half[side][width - far])
                d_half[side][width - far] += reached @ links[side][far]
        for side in (LEFT, RIGHT):
            slope.child[:, side, :] -= d_links[side][width] * links[side][width]
            meet = d_links[side][width] * weights.child[:, side, :] * link[width]
            for k in range(width):
                d_goes[side][k] += meet @ half[OTHER[side]][width - 1 - k]
                d_half[OTHER[side]][width - 1 - k] += goes[side][k] @ meet
    for side in (LEFT, RIGHT):
        slope.stop[:, side, NO_CHILD] -= d_half[side][0] * half[side][0]
        slope.go[:, side, NO_CHILD] -= d_goes[side][0] * goes[side][0]


# Normalisation of weights to equivalent probabilities (Smith & Johnson 2007)

CLOSE: Final = 1e-13
ROUNDS: Final = 1_000


def as_probabilities(weights: EventWeights) -> EventWeights:
    """Return probabilities under which the trees of each sentence keep their shares.

    A factor per word changes no share within a sentence; it is so small that the sums over all trees are finite.
    """
    import numpy as np

    factor = 1.0
    while True:
        sums = _sums(weights, factor)
        if sums is not None:
            break
        factor /= 2
    child = weights.child * (factor * sums)[None, None, :]
    more = child.sum(axis=2)
    one = weights.go * more[..., None]
    rest = weights.stop[..., HAS_CHILD] / (1.0 - one[..., HAS_CHILD])
    stop = np.empty_like(weights.stop)
    stop[..., HAS_CHILD] = 1.0 - one[..., HAS_CHILD]
    goes = one[..., NO_CHILD] * rest
    stop[..., NO_CHILD] = weights.stop[..., NO_CHILD] / (weights.stop[..., NO_CHILD] + goes)
    return EventWeights(stop, 1.0 - stop, shares_of(child, 0.0), shares_of(weights.root * sums, 0.0))


def _sums(weights: EventWeights, factor: float) -> Numbers | None:
    """Return, by tag, the sum over the trees below a word with it, times `factor` per other word; None if infinite."""
    import numpy as np

    total: Numbers = np.ones(len(weights.root))
    for _ in range(ROUNDS):
        more = (weights.child * (factor * total)[None, None, :]).sum(axis=2)
        one = weights.go * more[..., None]
        if (one[..., HAS_CHILD] > 0.9).any() or not np.isfinite(one).all():
            return None
        rest = weights.stop[..., HAS_CHILD] / (1.0 - one[..., HAS_CHILD])
        half = weights.stop[..., NO_CHILD] + one[..., NO_CHILD] * rest
        before, total = total, half.prod(axis=1)
        if (np.abs(total - before) <= CLOSE * total).all():
            return total
    return None
