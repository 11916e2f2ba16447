"""Dependencies of a tree of phrases: every daughter of a phrase depends on the head of the phrase.

Which daughter is the head is marked in the tree, as in the Sinica Treebank, or found by a table of heads (`heads`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from numbat.grammar.names import WRAPPERS
from numbat.treebank.conllu import DependencyTree, DependencyWord
from numbat.treebank.heads import PENN, HeadSearch, head_index
from numbat.treebank.labels import CODES, PUNCTUATION, bare_label, cleaned, function_of
from numbat.treebank.trees import Tree

HeadTable = Mapping[str, tuple[HeadSearch, ...]]
MARK: Final = "Head"
"""The function of a head in the Sinica Treebank."""


def dependencies_of(tree: Tree, heads: HeadTable = PENN) -> DependencyTree | None:
    """The words of a tree with their heads; tags stand in XPOS. Empty elements are left out; None if nothing is left.

    A daughter with the function `Head` is the head of its phrase, so the tables are not asked about the Sinica
    Treebank. Where two daughters have it the first is; `head` in small letters (what stands before 的) counts where
    there is no other mark. Without a mark the table decides, and where it finds none the daughter at which its last
    search begins, or the last daughter for labels that it does not know; punctuation only where there is nothing else.
    Several trees in an outer bracket without label have a root each.
    """
    whole = cleaned(tree, functions=True, dropped=CODES, joined=False)
    if whole is None:
        return None
    words: list[Tree] = []
    governors: list[int] = []
    built: list[list[int]] = [[]]
    waiting: list[tuple[Tree, bool]] = [(whole, False)]
    while waiting:
        node, is_done = waiting.pop()
        if node.form is not None:
            words.append(node)
            governors.append(0)
            built[-1].append(len(words))
        elif not is_done:
            built.append([])
            waiting.append((node, True))
            waiting += ((daughter, False) for daughter in reversed(node.daughters))
        else:
            below = built.pop()
            if node.label in WRAPPERS:
                built[-1] += below
                continue
            head = below[_head(node, heads)]
            for number in below:
                governors[number - 1] = head if number != head else 0
            built[-1].append(head)
    return DependencyTree(
        tuple(
            DependencyWord(word.form or "_", xpos=bare_label(word.label), head=head, deprel="dep" if head else "root")
            for word, head in zip(words, governors, strict=True)
        ),
        line=tree.line,
    )


def _head(node: Tree, table: HeadTable) -> int:
    """The index of the head among the daughters of a phrase."""
    labels = [daughter.label for daughter in node.daughters]
    for index, label in enumerate(labels):
        if function_of(label) == MARK:
            return index
    found = head_index(node.label, labels, table)
    return found if found is not None else _outermost(labels, table.get(bare_label(node.label), ()))


def _outermost(labels: Sequence[str], searches: Sequence[HeadSearch]) -> int:
    """The first or last daughter that is no punctuation, from where the last search of a table begins."""
    order = list(range(len(labels)))
    if not searches or searches[-1][0] == "right":
        order.reverse()
    return next((index for index in order if bare_label(labels[index]) not in PUNCTUATION), order[0])
