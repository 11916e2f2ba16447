"""A flat classifier of spans: whether a span is a phrase, whatever else is; an averaged perceptron (Collins 2002)."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from random import Random
from typing import TYPE_CHECKING, Final

from numbat.parsing.tree_model.scoring import BITS, spans
from numbat.parsing.tree_model.templates import token_attributes
from numbat.treebank.trees import Tree, spans_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PASSES: Final = 3


def learned_brackets(trees: Sequence[Tree], longest: int, seed: int = 0) -> array[float]:
    """Weights of a classifier, learned from the trees of up to so many words."""
    import numpy as np

    short = [tree for tree in trees if sum(1 for _ in tree.words()) <= longest]
    weights, late, step = np.zeros(1 << BITS), np.zeros(1 << BITS), 0
    order, rng = list(range(len(short))), Random(seed)
    for _ in range(PASSES):
        rng.shuffle(order)
        for number in order:
            places, right = _spans_of(short[number])
            wrong = np.flatnonzero((weights[places].sum(axis=1) > 0) != right)
            moved = np.where(right[wrong], 1.0, -1.0)[:, None]
            np.add.at(weights, places[wrong], moved)
            np.add.at(late, places[wrong], moved * step)
            step += 1
    return array("f", (weights - late / max(1, step)).astype(np.float32).tobytes())


def _spans_of(tree: Tree) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The features of each span of two words or more, and whether it is a phrase."""
    import numpy as np

    tokens = list(tree.words())
    phrases = {(start, end) for _, start, end in spans_of(tree)}
    right = np.fromiter(_in_order(len(tokens), phrases), np.bool_)
    places = np.frombuffer(spans(token_attributes(tokens), len(tokens), BITS, None), np.uint32).astype(np.int64)
    return places.reshape(len(right), -1) if len(right) else places.reshape(0, 1), right


def _in_order(tokens: int, phrases: set[tuple[int, int]]) -> Iterator[bool]:
    for start in range(tokens):
        for end in range(start + 2, tokens + 1):
            yield (start, end) in phrases
