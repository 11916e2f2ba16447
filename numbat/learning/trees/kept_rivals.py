"""The rivals of an example that are kept, and its distribution over them in the dual of the structured hinge loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from numbat.learning.trees.structured import Rival

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEPT: Final = 8
"""Where more rivals of an example are kept, the oldest that has no share is forgotten."""
STEPS: Final = 50
"""So many pairs of rivals exchange shares in a row at most."""
ENOUGH: Final = 1e-4
"""A difference of margins, in natural logarithms, for which shares need not move."""


def right_one() -> Rival:
    """The right structure as a rival of itself: no difference, and no margin."""
    import numpy as np

    return Rival(np.zeros(0, np.int32), np.zeros(0, np.float32), 0.0, 0.0)


@dataclass(slots=True)
class KeptRivals:
    """Rivals of an example, the right one first, the share of each in its distribution, and for each two of them the
    scalar product of their differences of features (`products`)."""

    rivals: list[Rival] = field(default_factory=lambda: [right_one()])
    shares: list[float] = field(default_factory=lambda: [1.0])
    products: list[list[float]] = field(default_factory=lambda: [[0.0]])

    @property
    def margin(self) -> float:
        """The mean margin."""
        return sum(share * rival.margin for share, rival in zip(self.shares, self.rivals, strict=True))

    def keep(self, rival: Rival, table: NDArray[Any]) -> None:
        """Keep a rival that was found, without a share. `table` has a 0 for each feature, and is left so."""
        if any(_are_same(rival, each) for each in self.rivals):
            return
        while len(self.rivals) > KEPT and 0.0 in self.shares[1:]:
            self._forget(self.shares.index(0.0, 1))
        table[rival.ids] = rival.values
        row = [float(table[each.ids] @ each.values) for each in (*self.rivals, rival)]
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
        """The shares of the best distribution over the rivals that are kept, while those of other examples stay.

        `missed` is by how much the margin of each is missed now; weights are `scale` times the sum of differences by
        share. Pairs of rivals exchange what the dual gains most from, the rival that is missed most and the one with a
        share that is missed least, as in sequential minimal optimisation (Platt 1999; Taskar et al. 2004, section 5).
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
