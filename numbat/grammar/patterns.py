"""Finds shell patterns that never apply because an earlier pattern covers them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

ANY_OF: Final = re.compile(r"\[!?\]?[^\]]*\]|\?")
"""A part of a pattern that matches one letter."""
MAX_STEPS: Final = 5_000_000
"""Maximum number of steps of all comparisons, which patterns with many stars may need by the million."""


@dataclass(slots=True)
class _Node:
    """Node of a tree of patterns, which stands for a beginning that several patterns share.

    At a node after a star any letters may follow. `first` is the number of the first pattern that ends here, or -1.
    """

    letters: dict[str, _Node] = field(default_factory=dict)
    star: _Node | None = None
    is_star: bool = False
    first: int = -1


@dataclass
class Coverings:
    """Pairs of a covered pattern and the first pattern that covers it; both are numbers, in the order of patterns.

    `steps` counts the work; after `MAX_STEPS` it ends. The first `compared` patterns have been compared.
    """

    pairs: list[tuple[int, int]] = field(default_factory=list)
    steps: int = 0
    compared: int = 0


def coverings(patterns: Sequence[str]) -> Coverings:
    """Find, for each pattern, the first earlier pattern that covers it, so that the later one never applies.

    A pattern covers another one if both are equal, or if it has only stars and letters and matches every word that the
    other one matches. Each pattern is read once, along a tree of the earlier ones.
    """
    covered, root, same = Coverings(), _Node(), dict[str, int]()
    for number, pattern in enumerate(patterns):
        covers = [same.setdefault(pattern, number)]
        for end in _ends(root, ANY_OF.sub("\0", pattern), covered):
            covers.append(end)
        if covered.steps > MAX_STEPS:
            return covered
        if (first := min(covers)) < number:
            covered.pairs.append((number, first))
        _add(root, pattern, number)
        covered.compared = number + 1
    return covered


def _add(root: _Node, pattern: str, number: int) -> None:
    """Add a pattern to the tree if it has only stars and letters; an equivalent earlier pattern stays."""
    if not {*"?["}.isdisjoint(pattern):
        return
    node = root
    for sign in pattern:
        if sign == "*":
            if node.is_star:
                continue
            node.star = node.star or _Node(is_star=True)
            node = node.star
        else:
            node = node.letters.setdefault(sign, _Node())
    if node.first < 0:
        node.first = number


def _ends(root: _Node, text: str, covered: Coverings) -> Iterator[int]:
    """Yield the number of the first pattern at each node that the whole text reaches; count the steps in `covered`."""
    places = _with_stars([root])
    for sign in text:
        covered.steps += len(places) + 1
        if covered.steps > MAX_STEPS:
            return
        after = [node for node in places if node.is_star]
        after += [node.letters[sign] for node in places if sign in node.letters]
        places = _with_stars(after)
    yield from (node.first for node in places if node.first >= 0)


def _with_stars(nodes: list[_Node]) -> list[_Node]:
    """Return the distinct nodes and, since a star may match nothing, the nodes that a star leads to from them."""
    every = {id(node): node for node in nodes}
    every |= {id(node.star): node.star for node in nodes if node.star is not None}
    return list(every.values())
