"""The labels of treebanks without functions and indexes, and trees without empty elements and other leaves."""

from __future__ import annotations

import re
from collections.abc import Collection, Container
from dataclasses import replace
from typing import Final

from numbat.grammar.names import WRAPPERS
from numbat.treebank.trees import EMPTY_TAG, Tree

CODES: Final = frozenset({EMPTY_TAG, "CODE"})
"""Tags of what is no word: empty elements, and the codes of transcripts."""
PUNCTUATION: Final = frozenset({",", ":", ".", "``", "''", "-LRB-", "-RRB-", "NFP", "PONCT", "PUNCT"})
"""The tags of punctuation in the Penn, English Web, French and Universal Dependencies treebanks."""
PHRASE: Final = "-P"
"""What a label ends in that names a phrase where the bare label names words too."""
BARE: Final = re.compile(r"-[A-Z]+-|[^-=|]+")


def bare_label(label: str) -> str:
    """A label without functions, indexes and alternatives: NP of NP-SBJ-1, ADVP of ADVP|PRT; -LRB- stays."""
    match = BARE.match(label)
    return match[0] if match else label


def name_of(node: Tree, tags: Container[str]) -> str:
    """The construction of a phrase, as induction names it where these are the tags of words; the tag of a word."""
    return node.label + PHRASE if node.form is None and node.label in tags else node.label


def function_of(label: str) -> str:
    """What follows the bare label, empty where nothing does: SBJ-1 of NP-SBJ-1."""
    return label[len(bare_label(label)) :].lstrip("-=|")


def unwrapped(tree: Tree) -> Tree:
    """The tree without outermost brackets of a label that names no phrase (`WRAPPERS`)."""
    while tree.label in WRAPPERS and len(tree.daughters) == 1:
        (tree,) = tree.daughters
    return tree


def cleaned(
    tree: Tree, *, functions: bool = False, dropped: Collection[str] = CODES, joined: bool = True
) -> Tree | None:
    """The tree without the leaves of the `dropped` tags and phrases that are empty then; None where nothing is left.

    Labels are bare unless `functions` are kept. Outermost brackets of a label that names no phrase are removed, and so
    is, if `joined`, a phrase whose only daughter is a phrase of the same label: no parse has one (ruling 4). The gold
    tree of a score is not joined, for both brackets count there.
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
    (found,) = built
    return unwrapped(found[0]) if found else None


def repeats_its_daughter(node: Tree) -> bool:
    """Whether the only daughter of a phrase is a phrase of the same label."""
    return len(node.daughters) == 1 and node.daughters[0].form is None and node.daughters[0].label == node.label


def _phrase(node: Tree, daughters: tuple[Tree, ...], functions: bool, joined: bool) -> Tree | None:
    label = node.label if functions else bare_label(node.label)
    whole = Tree(label, daughters, None, node.line)
    if joined and repeats_its_daughter(whole):
        return daughters[0]
    return whole if daughters else None
