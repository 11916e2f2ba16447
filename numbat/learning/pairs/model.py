"""What was learned of costs as a fitted model (`numbat.gradience.fitting`): a table that can be read, and a scorer."""

from __future__ import annotations

from typing import Final

from numbat.gradience.fitting import Feature, Fitted
from numbat.gradience.terms import OF_ALL, totals_of
from numbat.grammar.model import Grammar
from numbat.grammar.properties import UNIT
from numbat.learning.pairs.rounds import Learned
from numbat.learning.pairs.tying import Tying

SCALE: Final = 1e6
"""A fitted model cuts a term off at some times its scale, costs are never cut off."""


def model_of(learned: Learned, tying: Tying, name: str, about: tuple[str, ...]) -> Fitted:
    """The model for parses under the grammar's own costs: minus the cost that the grammar gives, of violations and of
    fragments, minus what was learned beside it, by relation, by relation in a construction and by property."""
    grammar: Grammar = tying.grammar
    parts = [
        _feature(f"{part}{OF_ALL}", -value * tying.usual / UNIT)
        for part, value in zip(tying.names, learned.values, strict=True)
        if value
    ]
    own = [_feature(f"cost{OF_ALL}", -1.0), _feature("fragments", -grammar.fragment_cost / UNIT)]
    return Fitted(name, grammar.name, 0.0, (*own, *parts), about, more=totals_of)


def _feature(name: str, weight: float) -> Feature:
    return Feature(name, weight * SCALE, 0.0, SCALE, 0)
