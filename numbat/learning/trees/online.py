"""Learners that look at one example at a time: the averaged perceptron (Collins 2002), and AdaGrad (Duchi, Hazan &
Singer 2011) on the structured hinge loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numbat.learning.trees.columns import column, sizes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from numbat.learning.trees.columns import Columns, Read
    from numbat.learning.trees.frank_wolfe import Signs
    from numbat.learning.trees.structured import Rival, Weights


class Perceptron:
    """Adds `rate` times the difference of features where a rival is ahead and wrong."""

    def __init__(self, features: int, rate: float, signs: Signs | None = None) -> None:
        import numpy as np

        self.rate, self.signs = rate, signs
        self.weights: Weights = np.zeros(features, np.float32)
        self._late = np.zeros(features)
        self._steps = 0

    def learn(self, example: int, rival: Rival) -> None:
        """Learn of a rival."""
        self._steps += 1
        if rival.loss > 0 and rival.margin > float(rival.values @ self.weights[rival.ids]):
            self._move(rival, self._change(rival))

    def averaged(self) -> Weights:
        """The mean of the weights after each step."""
        import numpy as np

        return (self.weights - self._late / max(1, self._steps)).astype(np.float32)

    def columns(self) -> Columns:
        """As `Learner.columns`."""
        import numpy as np

        return {"weights": [self.weights], "late": [self._late], "steps": [np.array([self._steps], np.int64)]}

    def restore(self, read: Read) -> None:
        """As `Learner.restore`."""
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


class AdaGrad(Perceptron):
    """A step for each weight of its own, smaller the more it was moved before."""

    def __init__(self, features: int, rate: float, signs: Signs | None = None) -> None:
        import numpy as np

        super().__init__(features, rate, signs)
        self._squares = np.zeros(features)

    def columns(self) -> Columns:
        """As `Learner.columns`."""
        return {**super().columns(), "squares": [self._squares]}

    def restore(self, read: Read) -> None:
        """As `Learner.restore`."""
        import numpy as np

        super().restore(read)
        self._squares = column(read, "squares", np.float64, len(self.weights))

    def _change(self, rival: Rival) -> NDArray[np.float64]:
        import numpy as np

        self._squares[rival.ids] += rival.values**2
        return self.rate * rival.values / np.sqrt(self._squares[rival.ids])
