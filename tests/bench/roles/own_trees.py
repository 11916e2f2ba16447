"""Propositions with trees by Numbat's treebank parser instead of those of the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numbat
from numbat.parsing.treebank_grammar.expansions import read_expansions
from numbat.treebanks.converting import tree_of
from numbat.treebanks.trees import Tree
from numbat.words.lattice import Lattice
from tests.bench.roles.reading import Node, Proposition

TRUST: Final = 2.0
"""Exponent of the confidences of the tagger when combined with expansions, as in `numbat parse`."""


def with_own_trees(propositions: Sequence[Proposition]) -> Iterator[Proposition]:
    """Return the propositions with new trees, by tagging and parsing the words of each sentence."""
    parser = numbat.TreebankParser(numbat.load_grammar("ewt"), read_expansions("ewt"))
    tagger = numbat.Tagger.load("penn")
    words: tuple[str, ...] = ()
    tree = Tree("")
    for each in propositions:
        if each.tokens != words:
            words = each.tokens
            tree = tree_of(parser.parse(trusted(tagger.lattice([(word,) for word in words]))))
        yield replace(each, tree=node_of(tree), tags=tuple(tag for _, tag in tree.words()))


def trusted(lattice: Lattice) -> Lattice:
    """The lattice with confidences to the power TRUST."""
    return replace(lattice, arcs=tuple([arc._replace(log_weight=TRUST * arc.log_weight) for arc in lattice.arcs]))


def node_of(tree: Tree) -> Node:
    """The tree below a node TOP, as the files have it."""
    top, at = Node("", 0, 0), 0
    open_nodes = [(top, iter((Tree("TOP", (tree,) if tree.label else tree.daughters),)))]
    while open_nodes:
        node, daughters = open_nodes[-1]
        daughter = next(daughters, None)
        if daughter is None:
            node.end = at
            open_nodes.pop()
            continue
        below = Node(daughter.label, at, at + 1, node)
        node.children.append(below)
        if daughter.form is None:
            open_nodes.append((below, iter(daughter.daughters)))
        else:
            at += 1
    return top
