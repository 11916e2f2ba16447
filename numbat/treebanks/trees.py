"""Phrase structure trees of treebanks, their labels, and cleaning: removal of empty elements and other leaves."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterator
from dataclasses import replace
from typing import Any, Final

from numbat.grammar.names import WRAPPERS
from numbat.records import frozen
from numbat.words.tag_maps import CODES, EMPTY_TAG


@frozen
class WordFacts:
    """Lemma and morphology of a word in some treebanks; `position` counts from 0 if branches cross, else it is -1."""

    lemma: str = ""
    morph: str = ""
    position: int = -1


@frozen
class Tree:
    """A node with its daughters, or a leaf: a tag with its `form`. The outer bracket of `( (S ...))` has label "".

    `line` and `column` are the start of the node in its file, 0 if unknown; comparisons ignore them. `word` has further
    facts about a leaf. No method is recursive, as a tree may be deeper than Python's stack.
    """

    label: str
    daughters: tuple[Tree, ...] = ()
    form: str | None = None
    line: int = 0
    column: int = 0
    word: WordFacts | None = None

    def walk(self) -> Iterator[Tree]:
        """Yield the nodes in preorder."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.daughters)

    def words(self, empty: bool = True) -> Iterator[tuple[str, str]]:
        """Yield the leaves as pairs (form, tag); without empty elements if `empty` is False."""
        for node in self.walk():
            if node.form is not None and (empty or node.label != EMPTY_TAG):
                yield node.form, node.label

    def _preorder(self) -> tuple[tuple[str, str | None, int, WordFacts | None], ...]:
        return tuple((node.label, node.form, len(node.daughters), node.word) for node in self.walk())

    def __reduce__(self) -> tuple[Any, ...]:
        nodes = (
            (node.label, node.form, node.line, node.column, len(node.daughters), node.word) for node in self.walk()
        )
        return _tree_of, (tuple(nodes),)

    def __eq__(self, other: object) -> bool:
        return self._preorder() == other._preorder() if isinstance(other, Tree) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._preorder())

    def __repr__(self) -> str:
        words = " ".join(form for form, _ in self.words())
        return f"<Tree {self.label!r} over {words!r}, line {self.line}>"


def spans_of(tree: Tree) -> list[tuple[Tree, int, int]]:
    """Return the phrases in postorder, each with its first word and one past its last."""
    phrases: list[tuple[Tree, int, int]] = []
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
        phrases.append((node, *spans[-1]))
    return phrases


def _tree_of(nodes: tuple[tuple[str, str | None, int, int, int, WordFacts | None], ...]) -> Tree:
    """Rebuild a tree from its nodes in preorder, each with its number of daughters."""
    built: list[Tree] = []
    for label, form, line, column, daughters, word in reversed(nodes):
        built.append(Tree(label, tuple([built.pop() for _ in range(daughters)]), form, line, column, word))
    return built.pop()


def _with_daughters(node: Tree, daughters: list[Tree]) -> Tree:
    return Tree(node.label, tuple(daughters), None, node.line, node.column)


def with_leaves(
    tree: Tree, leaf: Callable[[Tree], Tree], phrase: Callable[[Tree, list[Tree]], Tree] = _with_daughters
) -> Tree:
    """Rebuild a tree with new leaves and phrases; leaves are visited in preorder."""
    built: list[list[Tree]] = [[]]
    waiting: list[tuple[Tree, bool]] = [(tree, False)]
    while waiting:
        node, is_done = waiting.pop()
        if node.form is not None:
            built[-1].append(leaf(node))
        elif not is_done:
            built.append([])
            waiting.append((node, True))
            waiting += ((daughter, False) for daughter in reversed(node.daughters))
        else:
            daughters = built.pop()
            built[-1].append(phrase(node, daughters))
    return built[0][0]


# Labels and cleaning

PHRASE: Final = "-P"
"""Suffix added to the label of a phrase if it is also a tag of words."""
BARE: Final = re.compile(rf"-[A-Z]+-|[^-=|]+(?:{PHRASE}(?![^-=|]))?")


def bare_label(label: str) -> str:
    """Strip functions, indexes and alternatives: NP from NP-SBJ-1, ADVP from ADVP|PRT; -LRB- and NOUN-P stay."""
    match = BARE.match(label)
    return match[0] if match else label


def name_of(node: Tree, tags: Container[str]) -> str:
    """Return the tag of a word, or the label of a phrase, with `-P` if words have this label as a tag."""
    return node.label + PHRASE if node.form is None and node.label in tags else node.label


def function_of(label: str) -> str:
    """Return the functions after the bare label, or "": SBJ-1 for NP-SBJ-1."""
    return label[len(bare_label(label)) :].lstrip("-=|")


def unwrapped(tree: Tree) -> Tree:
    """Remove outermost brackets whose label names no phrase (`WRAPPERS`)."""
    while tree.label in WRAPPERS and len(tree.daughters) == 1:
        (tree,) = tree.daughters
    return tree


def cleaned(
    tree: Tree, *, functions: bool = False, dropped: Collection[str] = CODES, joined: bool = True
) -> Tree | None:
    """Remove leaves with `dropped` tags and phrases that become empty; None if nothing is left.

    Labels are bare unless `functions` are kept. Outermost brackets whose label names no phrase are removed and, if
    `joined`, phrases whose only daughter is a phrase of the same label, which no parse has (ruling 4). Gold trees are
    scored without joining, as both brackets count.
    """
    outer = unwrapped(tree)
    built: list[list[Tree]] = [[]]
    waiting: list[Tree | None] = [outer]
    open_nodes: list[Tree] = []
    while waiting:
        node = waiting.pop()
        if node is None:
            whole = _phrase(open_nodes.pop(), tuple(built.pop()), functions, joined)
            built[-1] += [whole] if whole else []
        elif node.form is None:
            open_nodes.append(node)
            built.append([])
            waiting += (None, *reversed(node.daughters))
        elif node.label not in dropped and bare_label(node.label) not in dropped:
            built[-1].append(node if functions else replace(node, label=bare_label(node.label)))
    (trees,) = built
    return unwrapped(trees[0]) if trees else None


def repeats_its_daughter(node: Tree) -> bool:
    """Return True if the only daughter is a phrase of the same label."""
    return len(node.daughters) == 1 and node.daughters[0].form is None and node.daughters[0].label == node.label


def _phrase(node: Tree, daughters: tuple[Tree, ...], functions: bool, joined: bool) -> Tree | None:
    label = node.label if functions else bare_label(node.label)
    whole = Tree(label, daughters, None, node.line)
    if joined and repeats_its_daughter(whole):
        return daughters[0]
    return whole if daughters else None
