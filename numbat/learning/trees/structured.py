"""What a learner sees of an example: the structure that is most in its way, as a difference of features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from numbat.learning.trees.columns import Columns, Read

    Ids = NDArray[np.int32]
    Values = NDArray[np.float32]
    Weights = NDArray[np.float32]


class Rival(NamedTuple):
    """A structure beside the right one: features of the right one less its own (`ids`, `values`), and its loss.

    `loss` is how wrong it is; `margin` is that and by how much the fixed part of the score prefers it: the right one
    has to win by so much with what is learned.
    """

    ids: Ids
    values: Values
    loss: float
    margin: float


class StructuredExamples(Protocol):
    """Examples of structures to predict."""

    def __len__(self) -> int: ...

    def rivals(self, weights: Weights, which: Sequence[int]) -> list[Rival]:
        """Of each of these examples the structure whose score and loss together are most."""
        ...


class Learner(Protocol):
    """Weights that are moved by one rival after the other."""

    weights: Weights

    def learn(self, example: int, rival: Rival) -> None:
        """Learn of the rival of an example."""
        ...

    def averaged(self) -> Weights:
        """The mean of the weights over all updates, which generalises better than the last."""
        ...

    def columns(self) -> Columns:
        """All that it has learned, as columns of numbers."""
        ...

    def restore(self, read: Read) -> None:
        """Go on from columns that were read. Raises ValueError for others than those of such a learner."""
        ...
