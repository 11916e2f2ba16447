"""The tree of a treebank: labels over words, as an annotator drew it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from numbat.records import frozen

EMPTY_TAG: Final = "-NONE-"
"""The tag of an empty element: a trace or a pronoun that is not spoken."""


@frozen
class Tree:
    """A node with its daughters, or a leaf: a tag with its `form`. The outer bracket of `( (S ...))` has label "".

    `line` and `column` are where the node starts in its file, 0 where that is not known; they do not count when two
    trees are compared. Nothing here recurses: a tree may be deeper than Python's stack.
    """

    label: str
    daughters: tuple[Tree, ...] = ()
    form: str | None = None
    line: int = 0
    column: int = 0

    def walk(self) -> Iterator[Tree]:
        """The nodes, each before its daughters, from the left."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.daughters)

    def words(self, empty: bool = True) -> Iterator[tuple[str, str]]:
        """The leaves as pairs (form, tag); without the empty elements if `empty` is False."""
        for node in self.walk():
            if node.form is not None and (empty or node.label != EMPTY_TAG):
                yield node.form, node.label

    def _preorder(self) -> tuple[tuple[str, str | None, int], ...]:
        return tuple((node.label, node.form, len(node.daughters)) for node in self.walk())

    def __reduce__(self) -> tuple[Any, ...]:
        nodes = ((node.label, node.form, node.line, node.column, len(node.daughters)) for node in self.walk())
        return _tree_of, (tuple(nodes),)

    def __eq__(self, other: object) -> bool:
        return self._preorder() == other._preorder() if isinstance(other, Tree) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._preorder())

    def __repr__(self) -> str:
        words = " ".join(form for form, _ in self.words())
        return f"<Tree {self.label!r} over {words!r}, line {self.line}>"


def spans_of(tree: Tree) -> list[tuple[Tree, int, int]]:
    """The phrases of a tree with their first word and one past their last, each after those below it."""
    found: list[tuple[Tree, int, int]] = []
    spans: list[tuple[int, int]] = []
    position = sum(1 for _ in tree.words())
    for node in reversed(list(tree.walk())):
        if node.form is not None:
            spans.append((position - 1, position))
            position -= 1
            continue
        below = spans[: -len(node.daughters) - 1 : -1]
        del spans[-len(node.daughters) :]
        spans.append((below[0][0], below[-1][1]))
        found.append((node, *spans[-1]))
    return found


def _tree_of(nodes: tuple[tuple[str, str | None, int, int, int], ...]) -> Tree:
    """The tree of its nodes from the top and from the left, each with the number of its daughters."""
    built: list[Tree] = []
    for label, form, line, column, daughters in reversed(nodes):
        built.append(Tree(label, tuple([built.pop() for _ in range(daughters)]), form, line, column))
    return built.pop()
