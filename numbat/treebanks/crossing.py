"""Trees with crossing branches, whose phrases may be discontinuous, as in NEGRA and TIGER.

    (S (VP (PDS 0=das) (VVPP 2=gesehen)) (VAFIN 1=hat) (PPER 3=er))

The daughters of a phrase are in the order of their first words. A tree with crossing branches is a `CrossingTree`, and
any other one a `Tree`, so that types show which functions accept crossing branches.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from numbat.records import frozen
from numbat.treebanks.trees import Tree, WordFacts, cleaned, with_leaves
from numbat.words.tag_maps import CODES


@frozen
class CrossingTree:
    """A tree whose leaves have explicit positions in the sentence (`WordFacts.position`)."""

    tree: Tree

    @property
    def line(self) -> int:
        """Line where the tree begins."""
        return self.tree.line

    def words(self, empty: bool = True) -> Iterator[tuple[str, str]]:
        """Return the leaves in the order of the sentence, as pairs (form, tag)."""
        tree = Tree("", tuple(leaves_in_order(self.tree)))
        return tree.words(empty)


def leaves_in_order(tree: Tree) -> list[Tree]:
    """Return the leaves of a tree in the order of the sentence."""
    return sorted((node for node in tree.walk() if node.form is not None), key=position_of)


def position_of(leaf: Tree) -> int:
    """Return the position of a leaf of a crossing tree, or -1 for a leaf of any other tree."""
    return -1 if leaf.word is None else leaf.word.position


def positions_of(tree: Tree | CrossingTree) -> list[int]:
    """Return the position in the sentence of each leaf, in the order of `Tree.walk`."""
    if isinstance(tree, CrossingTree):
        return [position_of(node) for node in tree.tree.walk() if node.form is not None]
    return list(range(sum(node.form is not None for node in tree.walk())))


def inner(tree: Tree | CrossingTree) -> Tree:
    """Return the `Tree` inside a `CrossingTree`; a `Tree` is returned unchanged."""
    return tree.tree if isinstance(tree, CrossingTree) else tree


def cleaned_crossing(
    tree: Tree | CrossingTree, *, functions: bool = False, dropped: Collection[str] = CODES, joined: bool = True
) -> Tree | CrossingTree | None:
    """Clean a tree as `cleaned` does; the result is a `Tree` if no branches cross any longer."""
    kept = cleaned(inner(tree), functions=functions, dropped=dropped, joined=joined)
    return kept if kept is None or isinstance(tree, Tree) else settled(kept)


def settled(tree: Tree) -> Tree | CrossingTree:
    """Sort the daughters of phrases by their first words, and renumber positions from 0 without gaps.

    The leaves must have positions. If no branches cross, a `Tree` is returned, whose leaves have none.
    """
    place = {position_of(leaf): number for number, leaf in enumerate(leaves_in_order(tree))}
    first: dict[int, int] = {}

    def in_order(node: Tree, daughters: list[Tree]) -> Tree:
        daughters.sort(key=lambda daughter: first[id(daughter)])
        whole = Tree(node.label, tuple(daughters), None, node.line, node.column)
        first[id(whole)] = first[id(daughters[0])]
        return whole

    def placed(leaf: Tree) -> Tree:
        position = place[position_of(leaf)]
        facts = WordFacts(leaf.word.lemma, leaf.word.morph, position) if leaf.word else WordFacts(position=position)
        kept = Tree(leaf.label, (), leaf.form, leaf.line, leaf.column, facts)
        first[id(kept)] = position
        return kept

    whole = with_leaves(tree, placed, in_order)
    walked = [position_of(node) for node in whole.walk() if node.form is not None]
    return CrossingTree(whole) if walked != sorted(walked) else with_leaves(whole, without_position)


def without_position(leaf: Tree) -> Tree:
    facts = leaf.word
    kept = WordFacts(facts.lemma, facts.morph) if facts is not None and (facts.lemma or facts.morph) else None
    return Tree(leaf.label, (), leaf.form, leaf.line, leaf.column, kept)


# Trees from tables of nodes, as in export files and TIGER-XML


class Node(NamedTuple):
    """A row of a table: a word (with a form) or a phrase; `mother` is the name of the phrase above, "" for none."""

    name: str
    label: str
    mother: str
    line: int
    form: str | None = None
    lemma: str = ""
    morph: str = ""


class TableMistake(Exception):  # noqa: N818 (its message is part of a problem)
    """A mistake in a table of nodes, with its line."""

    def __init__(self, message: str, line: int, expected: str, actual: str) -> None:
        super().__init__(message)
        self.message, self.line, self.expected, self.found = message, line, expected, actual


def tree_of_table(nodes: Sequence[Node], line: int) -> Tree | CrossingTree:
    """Build the tree of a table whose words are in the order of the sentence. Raises TableMistake.

    Several nodes without mother get an outer bracket without label.
    """
    places: dict[str, int] = {}
    for at, node in enumerate(nodes):
        if places.setdefault(node.name, at) != at:
            raise TableMistake("a duplicate node", node.line, "each name once", node.name)
    below, tops = _mothers(nodes, places, line)
    order = list(tops)
    for at in order:
        order += below.get(at, ())
    if len(order) < len(nodes):
        lost = nodes[min(set(range(len(nodes))).difference(order))]
        raise TableMistake("a cycle of nodes", lost.line, "a tree", lost.name)
    built: dict[int, Tree] = {}
    for at in reversed(order):
        node = nodes[at]
        if node.form is not None:
            built[at] = Tree(node.label, (), node.form, node.line, 0, WordFacts(node.lemma, node.morph, at))
            continue
        if at not in below:
            raise TableMistake("a phrase without words", node.line, "a word or phrase below it", node.name)
        built[at] = Tree(node.label, tuple([built.pop(daughter) for daughter in below[at]]), None, node.line)
    whole = built[tops[0]] if len(tops) == 1 else Tree("", tuple([built[top] for top in tops]))
    return settled(replace(whole, line=line))


def _mothers(nodes: Sequence[Node], places: Mapping[str, int], line: int) -> tuple[dict[int, list[int]], list[int]]:
    """Return the daughters of each node and the nodes without mother, all as indexes. Raises TableMistake."""
    below: dict[int, list[int]] = {}
    tops: list[int] = []
    for at, node in enumerate(nodes):
        mother = places.get(node.mother) if node.mother else at
        if mother == at and not node.mother:
            tops.append(at)
        elif mother is None:
            raise TableMistake("an unknown mother", node.line, "the name of a phrase", node.mother)
        elif nodes[mother].form is not None:
            raise TableMistake("a word as the mother of a node", node.line, "the name of a phrase", node.mother)
        else:
            below.setdefault(mother, []).append(at)
    if all(node.form is None for node in nodes):
        raise TableMistake("a sentence without words", line, "words", "none")
    return below, tops
