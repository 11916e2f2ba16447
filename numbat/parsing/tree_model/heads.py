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
Link = tuple[int, int]
"""The places of a head and of its dependent."""
NO_LINK: Final = -2, -2
"""In place of a link, of an edge that makes none."""


class Split(NamedTuple):
    """A forest split by the heads of its phrases.

    By node, what it is a copy of: `nodes`. By edge: the `heads`, the nodes that it is made of (`lefts`, `rights`, -1
    for none), what it is a copy of (`origins`), and the link that it makes. Both are in the order of the forest.
    """

    nodes: array[int]
    heads: array[int]
    lefts: array[int]
    rights: array[int]
    origins: array[int]
    links: list[Link]

    def forest(self, of: Forest) -> Forest:
        """Return the split forest as one, of the forest that was split."""
        nodes, edges = self.nodes, self.origins
        return of._replace(
            starts=array("i", [of.starts[each] for each in nodes]),
            ends=array("i", [of.ends[node] for node in nodes]),
            symbols=array("i", [of.symbols[each] for each in nodes]),
            heads=self.heads,
            lefts=self.lefts,
            rights=self.rights,
            costs=array("i", [of.costs[each] for each in edges]),
            kinds=array("i", [of.kinds[each] for each in edges]),
            states=array("i", [of.states[each] for each in edges]),
            daughters=array("i", [of.daughters[each] for each in edges]),
            sequences=array("i", [of.sequences[edge] for edge in edges]),
        )


def split_by_heads(forest: Forest, tokens: int) -> Split:
    """Return a forest split by heads; `_tree_model.c` does the same."""
    return _Splitting(forest, tokens).split()


class _Splitting:
    def __init__(self, forest: Forest, tokens: int) -> None:
        self.forest, self.none = forest, tokens
        """`none` stands for no head."""
        nodes = len(forest.starts)
        self.is_open, self.is_leaf = [False] * nodes, [False] * nodes
        """By node: no head word is in it yet; it is a word."""
        self.places: list[set[int]] = [set() for _ in range(nodes)]
        """By node: the words that may be the head of its phrase."""
        self._of_nodes_below()
        self._to_come()
        self.copies: list[dict[int, int]] = []
        self.nodes = array("i")
        for node, places in enumerate(self.places):
            self.copies.append({place: len(self.nodes) + i for i, place in enumerate(sorted(places))})
            self.nodes.extend([node] * len(places))

    def _of_nodes_below(self) -> None:
        """Find the heads that stand in a node already."""
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
        """Find the heads that what begins a phrase is still to be given."""
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
        found = Split(self.nodes, array("i"), array("i"), array("i"), array("i"), [])
        below: list[list[int]] = [[] for _ in self.copies]
        for edge, node in enumerate(self.forest.heads):
            below[node].append(edge)
        for node, copies in enumerate(self.copies):
            for place, copy in copies.items():
                for edge in below[node]:
                    for left, right, link in self._copies(edge, place):
                        found.heads.append(copy)
                        found.lefts.append(left)
                        found.rights.append(right)
                        found.origins.append(edge)
                        found.links.append(link)
        return found

    def _copies(self, edge: int, place: int) -> Iterator[tuple[int, int, Link]]:
        """Yield the copies of an edge whose phrase has this head: one for each head that the daughter may have."""
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
            for each, copy in self.copies[right].items():
                yield begun, copy, NO_LINK if is_head else self._link(place, each)
        elif kind == EdgeKind.ROOT:
            for each, copy in self.copies[left].items():
                yield copy, -1, self._link(OF_ROOT, each)
        elif self.is_leaf[left]:
            if place == forest.starts[left]:
                yield self.copies[left][place], -1, NO_LINK
        elif kind == EdgeKind.START or place == self.none:
            for each, copy in self.copies[left].items():
                yield copy, -1, self._link(place, each)

    def _link(self, head: int, dependent: int) -> Link:
        return NO_LINK if self.none in (head, dependent) else (head, dependent)


def links_of(forest: Forest, edges: Sequence[int]) -> list[Link]:
    """Return the links between words of a tree that is given by its edges, from the root, the left part first."""
    found: list[Link] = []
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
    found: list[Link], head: int | None, waiting: list[int], daughter: int | None, _: object, is_word: bool
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
