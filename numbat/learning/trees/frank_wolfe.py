"""Block-coordinate Frank-Wolfe for the structured hinge loss (Lacoste-Julien, Jaggi, Schmidt & Pletscher 2013).

The primal is r/2 |w|^2 + 1/n sum of H_i(w), H_i(w) the largest margin(y) - <w, psi_i(y)> over the structures y of
example i, psi_i(y) = phi(right) - phi(y). In the dual each example has a distribution over structures, and w is 1/(r n)
of the sum over examples of the mean of psi_i. Where signs are asked for, w is that sum with the wrong signs set to 0,
which is the solution under these constraints.

The structures that were found are kept (`KeptRivals`), and looked at again between two passes over the examples: that
costs no search (Shah, Kolmogorov & Lampert 2015). Where their step moves the distribution of an example towards one
structure, here it becomes the best one over those that are kept: fewer searches are needed for the same gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from numbat.learning.trees.columns import column, places, rows, sizes
from numbat.learning.trees.kept_rivals import KeptRivals, right_one
from numbat.learning.trees.structured import Rival

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from numbat.learning.trees.columns import Columns, Read
    from numbat.learning.trees.structured import StructuredExamples, Weights

    Signs = NDArray[np.int8]


class Certificate(NamedTuple):
    """The objective under some weights, and that of the dual: the optimum is between the two."""

    primal: float
    dual: float
    loss: float
    """The mean loss of the rivals."""

    @property
    def gap(self) -> float:
        """The duality gap as a share of the objective."""
        return (self.primal - self.dual) / self.primal if self.primal > 0 else 0.0


class FrankWolfe:
    """The dual solution: a distribution for each of `examples` examples, and weights of so many `features`.

    `regularisation` is r above. `signs` has 1 where a weight may not be below 0, -1 where not above.
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
        """Learn of a rival that was found, and keep it."""
        self._hinges[example] = missed_by(rival, self.weights)
        self._kept[example].keep(rival, self._zeros)
        self.update(example)

    def revisit(self, order: Sequence[int]) -> None:
        """Learn of the rivals that are kept, example by example."""
        for example in order:
            if len(self._kept[example].rivals) > 1:
                self.update(example)

    def update(self, example: int) -> None:
        """Give an example the distribution over its rivals for which the dual is greatest.

        With signs it grows at least as much as is reckoned with.
        """
        kept, scale = self._kept[example], 1.0 / (self.regularisation * self.examples)
        missed = [each.margin - float(each.values @ self._projected(each.ids)) for each in kept.rivals]
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
        """The mean of the weights, those after k steps counted k times."""
        import numpy as np

        steps = self._steps
        mean = self._sum - self._late / (steps * (steps + 1)) if steps else self._sum
        return _signed(mean, self.signs).astype(np.float32)

    def estimate(self) -> Certificate:
        """What a certificate may come to: each margin is missed as it was when the example was learned of last."""
        return self._certified(self.weights, self._hinges, [])

    def certificate(
        self, examples: StructuredExamples, batch: Sequence[Sequence[int]], weights: Weights | None = None
    ) -> Certificate:
        """The objective of some weights, or of the present ones, and how far it is from the optimum at most."""
        weights = self.weights if weights is None else weights
        missed, losses = [], []
        for which in batch:
            for rival in examples.rivals(weights, which):
                missed.append(missed_by(rival, weights))
                losses.append(rival.loss)
        return self._certified(weights, missed, losses)

    def _certified(self, weights: Weights, missed: Sequence[float], losses: Sequence[float]) -> Certificate:
        primal = self._norm(weights.astype(float)) + sum(max(0.0, each) for each in missed) / self.examples
        dual = sum(kept.margin for kept in self._kept) / self.examples - self._norm(_signed(self._sum, self.signs))
        return Certificate(primal, dual, sum(losses) / self.examples)

    def _norm(self, weights: NDArray[np.float64]) -> float:
        return self.regularisation / 2 * float(weights @ weights)

    def columns(self) -> Columns:
        """As `Learner.columns`."""
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
        """As `Learner.restore`."""
        import numpy as np

        size = len(self.weights)
        self._sum = column(read, "sum", np.float64, size)
        self._late = column(read, "late", np.float64, size)
        self._steps = int(sizes(read, "steps", 1)[0])
        kept = sizes(read, "kept", self.examples)
        if (kept < 1).any():
            raise ValueError("it has an example without its right structure")
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
            KeptRivals([right_one(), *islice(rivals, each - 1)], own.tolist(), square.reshape(each, each).tolist())
            for each, own, square in zip(kept.tolist(), shares, products, strict=True)
        ]
        self.weights = _signed(self._sum, self.signs).astype(np.float32)

    def _projected(self, ids: NDArray[np.int32]) -> NDArray[np.float64]:
        return _signed(self._sum[ids], None if self.signs is None else self.signs[ids])


def missed_by(rival: Rival, weights: Weights) -> float:
    """By how much the margin of a rival is missed."""
    return rival.margin - float(rival.values.astype(float) @ weights[rival.ids])


def _signed(weights: NDArray[np.float64], signs: Signs | None) -> NDArray[np.float64]:
    """The weights, those of the wrong sign as 0."""
    if signs is None:
        return weights
    import numpy as np

    return np.where(weights * signs < 0, 0.0, weights)
