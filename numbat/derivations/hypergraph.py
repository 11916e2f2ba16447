"""Packed forests as hypergraphs: nodes and the ways to derive each."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

Value = int
"""What is minimised; values add up over a derivation."""

Node = TypeVar("Node", bound=Hashable)
Label = TypeVar("Label")


class Hyperedge(NamedTuple, Generic[Node, Label]):
    """One way to derive a node: the nodes that it is made of, the value that is added to theirs, what it stands for."""

    parts: tuple[Node, ...]
    value: Value
    label: Label


class Hypergraph(Generic[Node, Label]):
    """A packed forest, given by the hyperedges of each node; no node may be below itself."""

    def __init__(self, hyperedges: Callable[[Node], Sequence[Hyperedge[Node, Label]]]) -> None:
        self._make = hyperedges
        self._hyperedges: dict[Node, Sequence[Hyperedge[Node, Label]]] = {}

    def hyperedges(self, node: Node) -> Sequence[Hyperedge[Node, Label]]:
        """The ways to derive a node, made when they are first asked for."""
        if node not in self._hyperedges:
            self._hyperedges[node] = self._make(node)
        return self._hyperedges[node]

    def bottom_up(self, root: Node) -> Iterator[Node]:
        """Every node below a root, parts before what is made of them; the root comes last."""
        seen: set[Node] = set()
        waiting = [(root, False)]
        while waiting:
            node, ready = waiting.pop()
            if ready:
                yield node
            elif node not in seen:
                seen.add(node)
                waiting.append((node, True))
                waiting += [(part, False) for edge in self.hyperedges(node) for part in edge.parts]
