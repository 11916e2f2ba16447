"""Sums over the trees of all sentences of a length: the neighbourhood LENGTH of contrastive estimation.

A half of a head is known by its tag and by how many words it reaches; where it is does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from numbat.parsing.dependency_model.model import HAS_CHILD, LEFT, NO_CHILD, RIGHT, Bias, Weights

if TYPE_CHECKING:
    from numbat.parsing.dependency_model.model import Numbers

OTHER = {LEFT: RIGHT, RIGHT: LEFT}


def sums_of_lengths(lengths: Mapping[int, float], weights: Weights, bias: Bias, slope: Weights) -> float:
    """The logarithm of the sum over all sentences of each length, times how often that length counts.

    Its slope by the logarithm of weights is subtracted from `slope`.
    """
    import numpy as np

    longest = max(lengths)
    link = np.exp(bias.locality * np.arange(longest))
    half, goes, links = _inside(longest, weights, link)
    breaks = None if bias.breaks is None else float(np.exp(bias.breaks))
    # Trees of each number of words, 0 for none.
    trees = np.zeros(longest + 1)
    for size in range(1, longest + 1):
        trees[size] = sum(float(weights.root @ (half[LEFT][k] * half[RIGHT][size - 1 - k])) for k in range(size))
    found, on_trees = _totals(lengths, trees, breaks)
    d_half = [np.zeros_like(each) for each in half]
    for size in range(1, longest + 1):
        for k in range(size):
            left, right = half[LEFT][k], half[RIGHT][size - 1 - k]
            share = on_trees[size] * weights.root
            d_half[LEFT][k] += share * right
            d_half[RIGHT][size - 1 - k] += share * left
            slope.root[:] -= share * left * right
    _outside(weights, link, half, goes, links, d_half, slope)
    return found


def _inside(longest: int, weights: Weights, link: Numbers) -> tuple[list[Numbers], list[Numbers], list[Numbers]]:
    """By side: halves (words beyond the head, tag), halves that are about to go on, links (distance, head, child)."""
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
    """The weighted logarithm of the sums of lengths, and its slope by the sums over trees."""
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
    weights: Weights,
    link: Numbers,
    half: list[Numbers],
    goes: list[Numbers],
    links: list[Numbers],
    d_half: list[Numbers],
    slope: Weights,
) -> None:
    import numpy as np

    longest = len(link)
    d_goes = [np.zeros_like(each) for each in goes]
    d_links = [np.zeros_like(each) for each in links]
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
