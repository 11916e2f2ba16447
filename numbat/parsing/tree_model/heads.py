"""Head words: the links between the words of a tree, and forests in which each phrase has one word as its head.

The head of a phrase is the first word among its daughters; in trees made from dependencies there is exactly one. A
phrase without a word among its daughters has no head and no links. Any other phrase has a link from its head to the
head of each other daughter; the score of a link depends on both words (McDonald, Crammer and Pereira 2005). So a split
forest has a node for each possible head of a phrase, and for the beginning of a phrase a node for each head that may
follow. (Eisner 1996 avoids this by processing the two sides of a head separately, which is impossible if phrases are
daughters.)
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from numbat.parsing.treebank_grammar.items import EdgeKind, Forest

OF_ROOT: Final = -1
"""Instead of the head in a link: the dependent is the head of the whole tree."""
Link = tuple[int, int]
"""Token positions of a head and its dependent."""
NO_LINK: Final = -2, -2
"""Instead of a link: the edge does not make one."""


class Split(NamedTuple):
    """A forest split by the heads of its phrases.

    `nodes` has, for each node, the original node. The other columns have, for each edge: the node that it builds
    (`heads`), its two parts (`lefts`, `rights`, -1 for none), the original edge (`origins`) and its link. Nodes and
    edges are in the order of the original forest.
    """

    nodes: array[int]
    heads: array[int]
    lefts: array[int]
    rights: array[int]
    origins: array[int]
    links: list[Link]

    def forest(self, of: Forest) -> Forest:
        """Return the split forest as a `Forest`, given the original forest."""
        columns = {name: array("i", map(getattr(of, name).__getitem__, self.nodes)) for name in OF_NODES}
        columns |= {name: array("i", map(getattr(of, name).__getitem__, self.origins)) for name in OF_EDGES}
        return of._replace(heads=self.heads, lefts=self.lefts, rights=self.rights, **columns)


OF_NODES: Final = ("starts", "ends", "symbols")
OF_EDGES: Final = ("costs", "kinds", "states", "daughters", "sequences")
"""Columns of a forest that copies of nodes (`OF_NODES`) and of edges take over from their originals."""


def split_by_heads(forest: Forest, tokens: int) -> Split:
    """Split a forest by heads; `_tree_model.c` does the same."""
    return _Splitting(forest, tokens).split()


class _Splitting:
    def __init__(self, forest: Forest, tokens: int) -> None:
        self.forest, self.none = forest, tokens
        """`none` is the position that stands for no head."""
        nodes = len(forest.starts)
        self.is_open, self.is_leaf = [False] * nodes, [False] * nodes
        """For each node: whether its head word may only follow yet; whether it is a word."""
        self.places: list[set[int]] = [set() for _ in range(nodes)]
        """For each node: the positions of the words that may be the head of its phrase."""
        self._of_nodes_below()
        self._to_come()
        self.copies: list[dict[int, int]] = []
        self.nodes = array("i")
        for node, places in enumerate(self.places):
            self.copies.append({place: len(self.nodes) + i for i, place in enumerate(sorted(places))})
            self.nodes.extend([node] * len(places))

    def _of_nodes_below(self) -> None:
        """Collect, for each node, the possible heads that are among its words."""
        places, is_open, is_leaf = self.places, self.is_open, self.is_leaf
        for node, left, right, kind in self._edges():
            if kind == EdgeKind.WORD:
                is_leaf[node] = True
                places[node].add(self.forest.starts[node])
            elif kind == EdgeKind.ROOT:
                places[node].add(self.none)
            elif kind == EdgeKind.COMBINE:
                if not is_open[left]:
                    places[node] |= places[left]
                elif is_leaf[right]:
                    places[node] |= places[right]
                else:
                    is_open[node] = True
            elif kind in (EdgeKind.START, EdgeKind.UNARY) and not is_leaf[left]:
                is_open[node] |= kind == EdgeKind.START
                places[node] |= {self.none} if kind == EdgeKind.UNARY else set()
            elif kind == EdgeKind.ACCEPT and is_open[left]:
                places[node].add(self.none)
            else:
                places[node] |= places[left]
                is_leaf[node] |= kind == EdgeKind.SAME and is_leaf[left]

    def _to_come(self) -> None:
        """Collect, for each beginning of a phrase without a head, the heads that may follow."""
        for node, left, right, kind in reversed(list(self._edges())):
            if left >= 0 and self.is_open[left]:
                if kind == EdgeKind.ACCEPT:
                    self.places[left].add(self.none)
                elif kind == EdgeKind.COMBINE:
                    self.places[left] |= self.places[right if self.is_leaf[right] else node]

    def _edges(self) -> Iterator[tuple[int, int, int, int]]:
        return zip(self.forest.heads, self.forest.lefts, self.forest.rights, self.forest.kinds, strict=True)

    def split(self) -> Split:
        """Return the split forest."""
        made = Split(self.nodes, array("i"), array("i"), array("i"), array("i"), [])
        below: list[list[int]] = [[] for _ in self.copies]
        for edge, node in enumerate(self.forest.heads):
            below[node].append(edge)
        for node, copies in enumerate(self.copies):
            for place, copy in copies.items():
                for edge in below[node]:
                    for left, right, link in self._copies(edge, place):
                        made.heads.append(copy)
                        made.lefts.append(left)
                        made.rights.append(right)
                        made.origins.append(edge)
                        made.links.append(link)
        return made

    def _copies(self, edge: int, place: int) -> Iterator[tuple[int, int, Link]]:
        """Yield copies of an edge, for the phrase with the head at `place`: one per possible head of the daughter."""
        forest = self.forest
        left, right, kind = forest.lefts[edge], forest.rights[edge], forest.kinds[edge]
        if kind == EdgeKind.WORD:
            yield -1, -1, NO_LINK
        elif kind in (EdgeKind.ACCEPT, EdgeKind.SAME):
            if place in self.copies[left]:
                yield self.copies[left][place], -1, NO_LINK
        elif kind == EdgeKind.COMBINE:
            begun = self.copies[left].get(place)
            is_head = self.is_open[left] and self.is_leaf[right]
            if begun is None or (is_head and place != forest.starts[right]):
                return
            for dependent, copy in self.copies[right].items():
                yield begun, copy, NO_LINK if is_head else self._link(place, dependent)
        elif kind == EdgeKind.ROOT:
            for dependent, copy in self.copies[left].items():
                yield copy, -1, self._link(OF_ROOT, dependent)
        elif self.is_leaf[left]:
            if place == forest.starts[left]:
                yield self.copies[left][place], -1, NO_LINK
        elif kind == EdgeKind.START or place == self.none:
            for dependent, copy in self.copies[left].items():
                yield copy, -1, self._link(place, dependent)

    def _link(self, head: int, dependent: int) -> Link:
        return NO_LINK if self.none in (head, dependent) else (head, dependent)


def links_of(forest: Forest, edges: Sequence[int]) -> list[Link]:
    """Return the links between the words of a tree, given its edges in pre-order (left parts first)."""
    links: list[Link] = []
    built: list[tuple[int | None, list[int], bool]] = []  # head, dependents that wait for it, True for a word
    for edge in reversed(edges):
        kind = forest.kinds[edge]
        if kind == EdgeKind.WORD:
            built.append((forest.starts[forest.heads[edge]], [], True))
            continue
        if kind == EdgeKind.COMBINE:
            head, waiting, _ = built.pop()
            built.append(_with(links, head, waiting, *built.pop()))
        elif kind in (EdgeKind.START, EdgeKind.UNARY):
            built.append(_with(links, None, [], *built.pop()))
        elif kind == EdgeKind.ROOT and built[-1][0] is not None:
            links.append((OF_ROOT, built[-1][0]))
        if kind in (EdgeKind.ACCEPT, EdgeKind.UNARY):
            built.append((built.pop()[0], [], False))
    return links


def _with(
    links: list[Link], head: int | None, waiting: list[int], daughter: int | None, _: object, is_word: bool
) -> tuple[int | None, list[int], bool]:
    """Return the head of a beginning extended by a daughter, and the words that still have no head; extend `links`."""
    if daughter is None:
        return head, waiting, False
    if head is not None:
        links.append((head, daughter))
    elif is_word:
        links += [(daughter, word) for word in waiting]
        return daughter, [], False
    else:
        waiting = [*waiting, daughter]
    return head, waiting, False
