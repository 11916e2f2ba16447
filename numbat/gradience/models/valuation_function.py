"""A gradience model as the valuation function of the election `best-combination`: what one constituent gives to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from numbat.gradience.models.counting import GRAMMAR, Weights
from numbat.gradience.models.scores import ByModel, scorer
from numbat.records import frozen

if TYPE_CHECKING:
    from numbat.parsing.result import Parse

SUMS: Final = ("cost", "net")
"""The models that add up costs, so that a combination is worth the sum of its members (`net`: for each word)."""


@frozen
class ValuationFunction:
    """What a constituent, given as a parse of it alone, gives to the worth of a combination that spans the input.

    The combination with the greatest sum has the greatest score (ruling 12): the mean over the words, times a factor
    where it is not one root over the whole input. Since the factor is the same for all others, the score of such a
    root is divided by it here.
    """

    by: ByModel

    def __call__(self, parse: Parse) -> float:
        scored = self.by(parse)
        words = sum(top.cover.bit_count() for top in parse.constituents)
        if self.by.model in SUMS:
            return scored.value if self.by.model == "cost" else scored.value * words
        value = scored.value / scored.factor
        if parse.is_full and value > 0:
            value /= self.by.weights.partial or 1e-6
        return value * words


def valuation_function(model: str, weights: Weights = GRAMMAR) -> ValuationFunction:
    """The valuation function of a gradience model. Raises UsageError for an unknown one."""
    return ValuationFunction(scorer(model, weights))
