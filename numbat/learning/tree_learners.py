"""Learners of structured weights: block-coordinate Frank-Wolfe, averaged perceptron, AdaGrad.

For each example a learner sees only a rival: the structure with the highest score plus loss, as a difference of
features.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ids = NDArray[np.int32]
    Values = NDArray[np.float32]
    Weights = NDArray[np.float32]


class Rival(NamedTuple):
    """A rival of the right structure: the features of the right one minus its own (`ids`, `values`), and its loss.

    `loss` is how wrong it is. `margin` is the loss plus the lead of the rival in the fixed part of the score: the
    learned part must prefer the right structure by that much.
    """

    ids: Ids
    values: Values
    loss: float
    margin: float


class StructuredExamples(Protocol):
    """Examples of structured prediction."""

    def __len__(self) -> int: ...

    def rivals(self, weights: Weights, which: Sequence[int]) -> list[Rival]:
        """Return, for each of the examples `which`, the structure with the highest score plus loss."""
        ...


class TreeLearner(Protocol):
    """Weights that are updated by one rival at a time."""

    weights: Weights

    def learn(self, example: int, rival: Rival) -> None:
        """Update the weights by the rival of an example."""
        ...

    def averaged(self) -> Weights:
        """Return the mean of the weights over all updates, which generalises better than the last weights."""
        ...

    def columns(self) -> Columns:
        """Return the state as columns of numbers."""
        ...

    def restore(self, read: Read) -> None:
        """Restore the state from columns. Raises ValueError if they do not fit."""
        ...


# Block-coordinate Frank-Wolfe for the structured hinge loss (Lacoste-Julien, Jaggi, Schmidt & Pletscher 2013).
#
# The primal is r/2 |w|^2 + 1/n sum of H_i(w), where H_i(w) is the largest margin(y) - <w, psi_i(y)> over the structures
# y of example i, and psi_i(y) = phi(right) - phi(y). In the dual each example has a distribution over structures, and w
# is 1/(r n) times the sum over examples of the mean of psi_i. With sign constraints, w is that sum with wrong signs set
# to 0, which is the solution under these constraints.
#
# The structures found are cached (`KeptRivals`) and revisited between two passes over the examples, without a search
# (Shah, Kolmogorov & Lampert 2015). Their step moves the distribution of an example towards one structure; here the
# distribution becomes the best one over the cached structures, so that the same gap takes fewer searches.

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Signs = NDArray[np.int8]


class Certificate(NamedTuple):
    """The objective under some weights and the dual objective; the optimum is between the two."""

    primal: float
    dual: float
    loss: float
    """The mean loss of the rivals."""

    @property
    def gap(self) -> float:
        """The duality gap as a share of the objective."""
        return (self.primal - self.dual) / self.primal if self.primal > 0 else 0.0


class FrankWolfe:
    """The dual solution: a distribution for each of `examples` examples, and `features` weights.

    `regularisation` is r above. `signs` is 1 for weights that must not be negative, -1 for those that must not be
    positive.
    """

    def __init__(self, examples: int, features: int, regularisation: float, signs: Signs | None = None) -> None:
        import numpy as np

        self.examples, self.regularisation, self.signs = examples, regularisation, signs
        self.weights: Weights = np.zeros(features, np.float32)
        self._sum = np.zeros(features)
        self._late = np.zeros(features)
        self._zeros = np.zeros(features)
        self._steps = 0
        self._kept = [KeptRivals() for _ in range(examples)]
        self._hinges = [0.0] * examples

    def learn(self, example: int, rival: Rival) -> None:
        """Cache a new rival and learn from it."""
        self._hinges[example] = missed_by(rival, self.weights)
        self._kept[example].keep(rival, self._zeros)
        self.update(example)

    def revisit(self, order: Sequence[int]) -> None:
        """Learn from the cached rivals, example by example."""
        for example in order:
            if len(self._kept[example].rivals) > 1:
                self.update(example)

    def update(self, example: int) -> None:
        """Give an example the distribution over its rivals that maximises the dual.

        With sign constraints the dual grows at least as much as the step assumes.
        """
        kept, scale = self._kept[example], 1.0 / (self.regularisation * self.examples)
        missed = [rival.margin - float(rival.values @ self._projected(rival.ids)) for rival in kept.rivals]
        before, kept.shares = kept.shares, kept.best_shares(missed, scale)
        self._steps += 1
        moved = [
            (rival, after - share)
            for rival, share, after in zip(kept.rivals, before, kept.shares, strict=True)
            if after != share
        ]
        for rival, more in moved:
            change = scale * more * rival.values.astype(float)
            self._sum[rival.ids] += change
            self._late[rival.ids] += change * float(self._steps * (self._steps - 1))
        for rival, _ in moved:
            self.weights[rival.ids] = self._projected(rival.ids)

    def averaged(self) -> Weights:
        """Return the mean of the weights, with those after k steps weighted by k."""
        import numpy as np

        steps = self._steps
        mean = self._sum - self._late / (steps * (steps + 1)) if steps else self._sum
        return _signed(mean, self.signs).astype(np.float32)

    def estimate(self) -> Certificate:
        """Return an estimate of the certificate, from the shortfall of each example at its last update."""
        return self._certified(self.weights, self._hinges, [])

    def certificate(
        self, examples: StructuredExamples, batch: Sequence[Sequence[int]], weights: Weights | None = None
    ) -> Certificate:
        """Return the certificate of some weights, by default the present ones, by searching the rivals of all examples.

        `batch` has the numbers of all examples, in groups that are searched together.
        """
        weights = self.weights if weights is None else weights
        missed, losses = [], []
        for which in batch:
            for rival in examples.rivals(weights, which):
                missed.append(missed_by(rival, weights))
                losses.append(rival.loss)
        return self._certified(weights, missed, losses)

    def _certified(self, weights: Weights, missed: Sequence[float], losses: Sequence[float]) -> Certificate:
        primal = self._norm(weights.astype(float)) + sum(max(0.0, short) for short in missed) / self.examples
        dual = sum(kept.margin for kept in self._kept) / self.examples - self._norm(_signed(self._sum, self.signs))
        return Certificate(primal, dual, sum(losses) / self.examples)

    def _norm(self, weights: NDArray[np.float64]) -> float:
        return self.regularisation / 2 * float(weights @ weights)

    def columns(self) -> Columns:
        """Return the state, see `TreeLearner.columns`."""
        import numpy as np

        rivals = [rival for kept in self._kept for rival in kept.rivals[1:]]
        return {
            "sum": [self._sum],
            "late": [self._late],
            "steps": [np.array([self._steps], np.int64)],
            "kept": [np.array([len(kept.rivals) for kept in self._kept], np.int64)],
            "shares": [np.array(kept.shares) for kept in self._kept],
            "products": [np.array(row) for kept in self._kept for row in kept.products],
            "rival_sizes": [np.array([len(rival.ids) for rival in rivals], np.int64)],
            "rival_ids": [np.zeros(0, np.int32), *(rival.ids for rival in rivals)],
            "rival_values": [np.zeros(0, np.float32), *(rival.values for rival in rivals)],
            "rival_losses": [np.array([rival.loss for rival in rivals], np.float64)],
            "rival_margins": [np.array([rival.margin for rival in rivals], np.float64)],
        }

    def restore(self, read: Read) -> None:
        """Restore the state, see `TreeLearner.restore`."""
        import numpy as np

        size = len(self.weights)
        self._sum = column(read, "sum", np.float64, size)
        self._late = column(read, "late", np.float64, size)
        self._steps = int(sizes(read, "steps", 1)[0])
        kept = sizes(read, "kept", self.examples)
        if (kept < 1).any():
            raise ValueError("an example lacks its right structure")
        number = kept.sum() - self.examples
        lengths = sizes(read, "rival_sizes", number)
        ids = rows(places(read, "rival_ids", lengths.sum(), size), lengths)
        values = rows(column(read, "rival_values", np.float32, lengths.sum()), lengths)
        losses = column(read, "rival_losses", np.float64, number).tolist()
        margins = column(read, "rival_margins", np.float64, number).tolist()
        shares = rows(column(read, "shares", np.float64, kept.sum()), kept)
        products = rows(column(read, "products", np.float64, (kept**2).sum()), kept**2)
        rivals = map(Rival, ids, values, losses, margins)
        self._kept = [
            KeptRivals([right_one(), *islice(rivals, size - 1)], row.tolist(), square.reshape(size, size).tolist())
            for size, row, square in zip(kept.tolist(), shares, products, strict=True)
        ]
        self.weights = _signed(self._sum, self.signs).astype(np.float32)

    def _projected(self, ids: NDArray[np.int32]) -> NDArray[np.float64]:
        return _signed(self._sum[ids], None if self.signs is None else self.signs[ids])


def missed_by(rival: Rival, weights: Weights) -> float:
    """Return the shortfall of a rival from its margin."""
    return rival.margin - float(rival.values.astype(float) @ weights[rival.ids])


def _signed(weights: NDArray[np.float64], signs: Signs | None) -> NDArray[np.float64]:
    """Return the weights, with 0 for those of the wrong sign."""
    if signs is None:
        return weights
    import numpy as np

    return np.where(weights * signs < 0, 0.0, weights)


# Cached rivals of an example, and its dual distribution over them

KEPT: Final = 8
"""Number of cached rivals of an example above which the oldest without a share is dropped."""
STEPS: Final = 50
"""Maximum number of successive exchanges of shares."""
ENOUGH: Final = 1e-4
"""Tolerance of margin differences, in natural logarithms."""


def right_one() -> Rival:
    """Return the right structure as a rival of itself, without difference or margin."""
    import numpy as np

    return Rival(np.zeros(0, np.int32), np.zeros(0, np.float32), 0.0, 0.0)


@dataclass(slots=True)
class KeptRivals:
    """Rivals of an example, the right one first, with their shares and the products of their feature differences."""

    rivals: list[Rival] = field(default_factory=lambda: [right_one()])
    shares: list[float] = field(default_factory=lambda: [1.0])
    products: list[list[float]] = field(default_factory=lambda: [[0.0]])

    @property
    def margin(self) -> float:
        """The mean margin under the distribution."""
        return sum(share * rival.margin for share, rival in zip(self.shares, self.rivals, strict=True))

    def keep(self, rival: Rival, table: NDArray[Any]) -> None:
        """Cache a rival, without a share. `table` has a 0 for each feature, and is all 0 again at the end."""
        if any(_are_same(rival, known) for known in self.rivals):
            return
        while len(self.rivals) > KEPT and 0.0 in self.shares[1:]:
            self._forget(self.shares.index(0.0, 1))
        table[rival.ids] = rival.values
        row = [float(table[known.ids] @ known.values) for known in (*self.rivals, rival)]
        table[rival.ids] = 0.0
        for products, product in zip(self.products, row, strict=False):
            products.append(product)
        self.products.append(row)
        self.rivals.append(rival)
        self.shares.append(0.0)

    def _forget(self, place: int) -> None:
        for row in (self.rivals, self.shares, self.products, *self.products):
            del row[place]  # type: ignore[attr-defined]

    def best_shares(self, missed: Sequence[float], scale: float) -> list[float]:
        """Return the distribution over the cached rivals that maximises the dual, with other examples fixed.

        `missed` is the present shortfall of each rival; weights are `scale` times the sum of differences by share. In
        each step the rival with the greatest shortfall takes share from the one with the least, as in sequential
        minimal optimisation (Platt 1999; Taskar et al. 2004, section 5).
        """
        missed, shares = list(missed), list(self.shares)
        places = range(len(shares))
        for _ in range(STEPS):
            more = max(places, key=missed.__getitem__)
            less = min((place for place in places if shares[place] > 0.0), key=missed.__getitem__)
            ahead = missed[more] - missed[less]
            if ahead <= ENOUGH:
                break
            of_more, of_less = self.products[more], self.products[less]
            length = scale * (of_more[more] + of_less[less] - 2 * of_more[less])
            step = min(shares[less], ahead / length) if length > 0 else shares[less]
            shares[more] += step
            shares[less] -= step
            for place in places:
                missed[place] -= scale * step * (of_more[place] - of_less[place])
        return shares


def _are_same(one: Rival, other: Rival) -> bool:
    if one.margin != other.margin or len(one.ids) != len(other.ids):
        return False
    return bool((one.ids == other.ids).all() and (one.values == other.values).all())


# Online learners: the averaged perceptron (Collins 2002), and AdaGrad (Duchi, Hazan & Singer 2011) on the structured
# hinge loss.


class TreePerceptron:
    """Averaged perceptron: adds `rate` times the feature difference when a wrong rival is ahead."""

    def __init__(self, features: int, rate: float, signs: Signs | None = None) -> None:
        import numpy as np

        self.rate, self.signs = rate, signs
        self.weights: Weights = np.zeros(features, np.float32)
        self._late = np.zeros(features)
        self._steps = 0

    def learn(self, example: int, rival: Rival) -> None:
        """Update the weights by a rival."""
        self._steps += 1
        if rival.loss > 0 and rival.margin > float(rival.values @ self.weights[rival.ids]):
            self._move(rival, self._change(rival))

    def averaged(self) -> Weights:
        """Return the mean of the weights after each step."""
        import numpy as np

        return (self.weights - self._late / max(1, self._steps)).astype(np.float32)

    def columns(self) -> Columns:
        """Return the state, see `TreeLearner.columns`."""
        import numpy as np

        return {"weights": [self.weights], "late": [self._late], "steps": [np.array([self._steps], np.int64)]}

    def restore(self, read: Read) -> None:
        """Restore the state, see `TreeLearner.restore`."""
        import numpy as np

        size = len(self.weights)
        self.weights = column(read, "weights", np.float32, size)
        self._late = column(read, "late", np.float64, size)
        self._steps = int(sizes(read, "steps", 1)[0])

    def _change(self, rival: Rival) -> NDArray[np.float64]:
        import numpy as np

        return self.rate * rival.values.astype(np.float64)

    def _move(self, rival: Rival, change: NDArray[np.float64]) -> None:
        import numpy as np

        before = self.weights[rival.ids].astype(np.float64)
        after = before + change
        if self.signs is not None:
            after = np.where(after * self.signs[rival.ids] < 0, 0.0, after)
        self.weights[rival.ids] = after.astype(np.float32)
        self._late[rival.ids] += (self._steps - 1) * (self.weights[rival.ids] - before)


class AdaGrad(TreePerceptron):
    """AdaGrad: a step size for each weight, which shrinks with its previous updates."""

    def __init__(self, features: int, rate: float, signs: Signs | None = None) -> None:
        import numpy as np

        super().__init__(features, rate, signs)
        self._squares = np.zeros(features)

    def columns(self) -> Columns:
        """Return the state, see `TreeLearner.columns`."""
        return {**super().columns(), "squares": [self._squares]}

    def restore(self, read: Read) -> None:
        """Restore the state, see `TreeLearner.restore`."""
        import numpy as np

        super().restore(read)
        self._squares = column(read, "squares", np.float64, len(self.weights))

    def _change(self, rival: Rival) -> NDArray[np.float64]:
        import numpy as np

        self._squares[rival.ids] += rival.values**2
        return self.rate * rival.values / np.sqrt(self._squares[rival.ids])


# Serialisation of the state as named columns of numbers, validated on reading

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike, NDArray

    Columns = dict[str, Sequence[NDArray[Any]]]
    """The parts of each column, in order, of one type of number."""
    Read = Mapping[str, NDArray[Any]]


def column(read: Read, name: str, kind: DTypeLike, length: int | None = None) -> NDArray[Any]:
    """Return a column that was read. Raises ValueError for another type or length, or numbers that are not finite."""
    import numpy as np

    if name not in read:
        raise ValueError(f"it has no {name}")
    values = read[name]
    if values.dtype != np.dtype(kind) or values.ndim != 1 or length not in (None, len(values)):
        raise ValueError(f"its {name} have another type or number")
    if not np.isfinite(values).all():
        raise ValueError(f"one of its {name} is not a number")
    return values


def sizes(read: Read, name: str, length: int) -> NDArray[np.int64]:
    """Return a column of sizes. Raises ValueError for a negative one."""
    import numpy as np

    values = column(read, name, np.int64, length)
    if (values < 0).any() or values.sum() > 1 << 40:
        raise ValueError(f"its {name} are not sizes")
    return values


def rows(values: NDArray[Any], lengths: NDArray[np.int64]) -> list[NDArray[Any]]:
    """Return a column cut into rows of these lengths, which add up to its length; each is a copy."""
    ends = lengths.cumsum().tolist()
    return [values[end - length : end].copy() for end, length in zip(ends, lengths.tolist(), strict=True)]


def places(read: Read, name: str, length: int, most: int) -> NDArray[np.int32]:
    """Return a column of indices into `most` weights. Raises ValueError for one out of range."""
    import numpy as np

    indices = column(read, name, np.int32, length)
    if len(indices) and not (indices.min() >= 0 and indices.max() < most):
        raise ValueError(f"one of its {name} is out of range for {most} weights")
    return indices
