"""Block-coordinate Frank-Wolfe for the structured hinge loss (Lacoste-Julien, Jaggi, Schmidt & Pletscher 2013).

The primal is r/2 |w|^2 + 1/n sum of H_i(w), H_i(w) the largest margin(y) - <w, psi_i(y)> over the structures y of
example i, psi_i(y) = phi(right) - phi(y). In the dual each example has a distribution over structures; of it is kept
w_i = 1/(r n) of the mean of psi_i and l_i = 1/n of the mean margin, and w is the sum of the w_i (their algorithm 3).
Where signs are asked for, w is that sum with the wrong signs set to 0, which is the solution under these constraints.

The last rivals of each example are kept, and looked at again between two passes over the examples: that costs no search
(Shah, Kolmogorov & Lampert 2015).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from numbat.learning.trees.columns import column, places, rows, sizes
from numbat.learning.trees.structured import Rival

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from numbat.learning.trees.columns import Columns, Read
    from numbat.learning.trees.structured import StructuredExamples, Weights

    Signs = NDArray[np.int8]


KEPT: Final = 3
"""So many rivals of an example are kept."""


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
    """The dual solution: a vector and a number for each of `examples` examples, over so many `features`.

    `regularisation` is r above. `signs` has 1 where a weight may not be below 0, -1 where not above.
    """

    def __init__(self, examples: int, features: int, regularisation: float, signs: Signs | None = None) -> None:
        import numpy as np

        self.examples, self.regularisation, self.signs = examples, regularisation, signs
        self.weights: Weights = np.zeros(features, np.float32)
        self._sum = np.zeros(features)
        self._late = np.zeros(features)
        self._steps = 0
        nothing = np.zeros(0, np.int32), np.zeros(0)
        self._blocks = [nothing] * examples
        self._margins = [0.0] * examples
        self._rivals: list[list[Rival]] = [[] for _ in range(examples)]

    def learn(self, example: int, rival: Rival) -> None:
        """Learn of a rival that was found, and keep it."""
        self._rivals[example] = [*self._rivals[example][1 - KEPT :], rival]
        self.update(example, rival)

    def revisit(self, order: Sequence[int]) -> None:
        """Learn of the best of the rivals that are kept, example by example."""
        for example in order:
            if self._rivals[example]:
                self.update(example, max(self._rivals[example], key=self.hinge))

    def hinge(self, rival: Rival) -> float:
        """By how much a rival's margin is missed under the present weights."""
        return rival.margin - float(rival.values @ self.weights[rival.ids])

    def update(self, example: int, rival: Rival) -> None:
        """Move the distribution of an example towards a rival, as far as the dual grows most.

        With signs it grows at least as much as is reckoned with.
        """
        import numpy as np

        scale = 1.0 / (self.regularisation * self.examples)
        ids, before, corner = _aligned(self._blocks[example], (rival.ids, rival.values.astype(np.float64) * scale))
        towards = before - corner
        gain = self.regularisation * float(towards @ self._projected(ids))
        gain += rival.margin / self.examples - self._margins[example]
        length = self.regularisation * float(towards @ towards)
        step = min(1.0, max(0.0, gain / length)) if length > 0 else float(gain > 0)
        self._steps += 1
        if not step:
            return
        change = -step * towards
        after = before + change
        kept = after != 0.0
        self._blocks[example] = ids[kept], after[kept]
        self._margins[example] += step * (rival.margin / self.examples - self._margins[example])
        self._sum[ids] += change
        self._late[ids] += change * float(self._steps * (self._steps - 1))
        self.weights[ids] = self._projected(ids).astype(np.float32)

    def averaged(self) -> Weights:
        """The mean of the weights, those after k steps counted k times."""
        import numpy as np

        steps = self._steps
        mean = self._sum - self._late / (steps * (steps + 1)) if steps else self._sum
        return _signed(mean, self.signs).astype(np.float32)

    def certificate(self, examples: StructuredExamples, batch: Sequence[Sequence[int]]) -> Certificate:
        """The objective of the present weights, not of their mean, and how far it is from the optimum at most."""
        import numpy as np

        hinge = loss = 0.0
        for which in batch:
            for missed, lost in examples.hinges(self.weights, which):
                hinge += max(0.0, missed)
                loss += lost
        weights = self.weights.astype(np.float64)
        norm = self.regularisation / 2 * float(weights @ weights)
        return Certificate(norm + hinge / self.examples, sum(self._margins) - norm, loss / self.examples)

    def columns(self) -> Columns:
        """As `Learner.columns`."""
        import numpy as np

        ids, values = [np.zeros(0, np.int32)], [np.zeros(0)]
        for block_ids, block_values in self._blocks:
            ids.append(block_ids)
            values.append(block_values)
        rivals = [rival for kept in self._rivals for rival in kept]
        return {
            "sum": [self._sum],
            "late": [self._late],
            "steps": [np.array([self._steps], np.int64)],
            "margins": [np.array(self._margins)],
            "block_sizes": [np.array([len(each) for each, _ in self._blocks], np.int64)],
            "block_ids": ids,
            "block_values": values,
            "kept": [np.array([len(kept) for kept in self._rivals], np.int64)],
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
        self._margins = column(read, "margins", np.float64, self.examples).tolist()
        lengths = sizes(read, "block_sizes", self.examples)
        ids = rows(places(read, "block_ids", lengths.sum(), size), lengths)
        self._blocks = list(
            zip(ids, rows(column(read, "block_values", np.float64, lengths.sum()), lengths), strict=True)
        )
        kept = sizes(read, "kept", self.examples)
        lengths = sizes(read, "rival_sizes", kept.sum())
        ids = rows(places(read, "rival_ids", lengths.sum(), size), lengths)
        values = rows(column(read, "rival_values", np.float32, lengths.sum()), lengths)
        losses = column(read, "rival_losses", np.float64, kept.sum()).tolist()
        margins = column(read, "rival_margins", np.float64, kept.sum()).tolist()
        rivals = map(Rival, ids, values, losses, margins)
        self._rivals = [list(islice(rivals, number)) for number in kept.tolist()]
        self.weights = _signed(self._sum, self.signs).astype(np.float32)

    def _projected(self, ids: NDArray[np.int32]) -> NDArray[np.float64]:
        return _signed(self._sum[ids], None if self.signs is None else self.signs[ids])


def _signed(weights: NDArray[np.float64], signs: Signs | None) -> NDArray[np.float64]:
    """The weights, those of the wrong sign as 0."""
    if signs is None:
        return weights
    import numpy as np

    return np.where(weights * signs < 0, 0.0, weights)


def _aligned(
    one: tuple[NDArray[np.int32], NDArray[np.float64]], other: tuple[NDArray[np.int32], NDArray[np.float64]]
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]]:
    """The places of two sparse vectors, and the values of both at all of them."""
    import numpy as np

    both = np.concatenate((one[0], other[0]))
    both.sort(kind="stable")  # two sorted rows: a merge
    ids = both[np.flatnonzero(np.diff(both, prepend=-1))]
    first, second = np.zeros(len(ids)), np.zeros(len(ids))
    first[np.searchsorted(ids, one[0])] = one[1]
    second[np.searchsorted(ids, other[0])] = other[1]
    return ids, first, second
