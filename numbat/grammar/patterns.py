"""Shell patterns of rules beside each other: which of them an earlier one makes idle."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

ANY_OF: Final = re.compile(r"\[!?\]?[^\]]*\]|\?")
"""What stands for one letter, whichever."""
MAX_STEPS: Final = 5_000_000
"""Maximum of steps of a comparison of patterns: those with many stars are in many places of the tree at once."""


@dataclass(slots=True)
class _Node:
    """What patterns that begin alike have in common; behind a star any letters may come.

    `first` is the number of the first pattern that ends here, -1 for none.
    """

    letters: dict[str, _Node] = field(default_factory=dict)
    star: _Node | None = None
    is_star: bool = False
    first: int = -1


@dataclass
class Coverings:
    """Pairs of patterns of which the first covers the second: each number with the first one that covers it.

    `steps` tells what the comparison took. It ends before the pattern `compared` when that is beyond `MAX_STEPS`.
    """

    pairs: list[tuple[int, int]] = field(default_factory=list)
    steps: int = 0
    compared: int = 0


def coverings(patterns: Sequence[str]) -> Coverings:
    """Find for each pattern the first before it that fits all the words that it fits.

    A pattern covers another one if they are equal, or if it has only stars and letters and fits what the other one
    fits. Patterns are read along a tree of those before, so that each is read once, however many there are.
    """
    found, root, same = Coverings(), _Node(), dict[str, int]()
    for number, pattern in enumerate(patterns):
        covers = [same.setdefault(pattern, number)]
        for end in _ends(root, ANY_OF.sub("\0", pattern), found):
            covers.append(end)
        if found.steps > MAX_STEPS:
            return found
        if (first := min(covers)) < number:
            found.pairs.append((number, first))
        _add(root, pattern, number)
        found.compared = number + 1
    return found


def _add(root: _Node, pattern: str, number: int) -> None:
    """Add a pattern of stars and letters to the tree; one of equal words that came before it stays."""
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


def _ends(root: _Node, text: str, found: Coverings) -> Iterator[int]:
    """Yield the first of the patterns at each node at which they fit the whole text; counts the steps."""
    places = _with_stars([root])
    for sign in text:
        found.steps += len(places) + 1
        if found.steps > MAX_STEPS:
            return
        after = [node for node in places if node.is_star]
        after += [node.letters[sign] for node in places if sign in node.letters]
        places = _with_stars(after)
    yield from (node.first for node in places if node.first >= 0)


def _with_stars(nodes: list[_Node]) -> list[_Node]:
    """Return the nodes, each once, with those behind a star that may stand for no letter."""
    every = {id(node): node for node in nodes}
    every |= {id(node.star): node.star for node in nodes if node.star is not None}
    return list(every.values())
