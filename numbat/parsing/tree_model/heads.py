"""Head words: the links of a tree between words, and forests in which each phrase has one word as its head.

The head of a phrase is the first word among its daughters, as in the trees of dependencies, where each phrase has just
one; a phrase without any has no head, and no links. A phrase whose head is known has a link to the head of each other
daughter, and what it adds depends on both words (McDonald, Crammer and Pereira 2005): so a forest in which to look for
the best tree has a node for each head that a phrase may have. What begins a phrase has one for each head that may
still come (Eisner 1996 avoids this by reading both sides of a head apart, which phrases as daughters do not allow).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from numbat.parsing.treebank_grammar.items import EdgeKind, Forest

OF_ROOT: Final = -1
"""In place of a head: the word is that of the whole."""
Arc = tuple[int, int]
"""The places of a head and of its dependent."""


def arcs_of(forest: Forest, edges: Sequence[int]) -> list[Arc]:
    """Return the links between words of a tree that is given by its edges, from the root, the left part first."""
    found: list[Arc] = []
    built: list[tuple[int | None, list[int], bool]] = []  # head, dependents without one yet, whether it is a word
    for edge in reversed(edges):
        kind = forest.kinds[edge]
        if kind == EdgeKind.WORD:
            built.append((forest.starts[forest.heads[edge]], [], True))
            continue
        if kind == EdgeKind.COMBINE:
            head, waiting, _ = built.pop()
            built.append(_with(found, head, waiting, *built.pop()))
        elif kind in (EdgeKind.START, EdgeKind.UNARY):
            built.append(_with(found, None, [], *built.pop()))
        elif kind == EdgeKind.ROOT and built[-1][0] is not None:
            found.append((OF_ROOT, built[-1][0]))
        if kind in (EdgeKind.ACCEPT, EdgeKind.UNARY):
            built.append((built.pop()[0], [], False))
    return found


def _with(
    found: list[Arc], head: int | None, waiting: list[int], daughter: int | None, _: object, is_word: bool
) -> tuple[int | None, list[int], bool]:
    """Return the head of a beginning with one daughter more, and the words that wait for it."""
    if daughter is None:
        return head, waiting, False
    if head is not None:
        found.append((head, daughter))
    elif is_word:
        found += [(daughter, each) for each in waiting]
        return daughter, [], False
    else:
        waiting = [*waiting, daughter]
    return head, waiting, False
