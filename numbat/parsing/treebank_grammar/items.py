"""Input and output records of the tabular search, shared by the compiled search and the one in Python.

An active item is the beginning of a phrase over a span, in a state of a Markov grammar; a passive item is a complete
word or phrase, a symbol of that grammar. Costs are -log P in fixed-point units (`UNIT` is 1).
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from enum import IntEnum
from typing import Final, Literal, NamedTuple
from weakref import WeakKeyDictionary

from numbat.parsing.treebank_grammar.expansions import coarse
from numbat.parsing.treebank_grammar.markov import MarkovGrammar


class ScoredWord(NamedTuple):
    """Word over a span: its symbol in the grammar, its cost, its number among the words of the sentence."""

    start: int
    end: int
    symbol: int
    cost: int
    number: int


class TreeNode(NamedTuple):
    """Node of a result tree: its symbol, the number of its word (-1 for a phrase), the number of its daughters."""

    symbol: int
    word: int
    daughters: int


class PassiveItem(NamedTuple):
    """Word or phrase over a span, with the depth of its unary chain (ruling 4)."""

    start: int
    end: int
    symbol: int
    depth: int


class ActiveItem(NamedTuple):
    """Beginning of a phrase over a span, in a state of the grammar, with its least outside cost."""

    start: int
    end: int
    state: int
    around: int


class Viable(NamedTuple):
    """Items that occur in trees whose cost is within the slack of the best.

    `active` are those that may be extended by another daughter, `combined` those of several daughters, which may be
    extended or accepted as a phrase; an item may be in both.
    """

    passive: Sequence[PassiveItem] = ()
    active: Sequence[ActiveItem] = ()
    combined: Sequence[ActiveItem] = ()

    def and_others(self, others: Viable) -> Viable:
        """Return these items and others."""
        passive = (*self.passive, *others.passive)
        return Viable(passive, (*self.active, *others.active), (*self.combined, *others.combined))


class Stage(NamedTuple):
    """One pass of the search: a grammar, the words in its symbols, and the pruning threshold.

    A label over a span is kept for the next pass if the best tree with it is within the threshold of the best tree.
    """

    grammar: MarkovGrammar
    words: list[ScoredWord]
    threshold: int = 0


class SearchResult(NamedTuple):
    """Result of a search: a tree, or if there is none, the cheapest sequence of fragments.

    `nodes` are in pre-order; `items` is the number built in all passes; `viable` is filled if a slack was given;
    `stopped_by` names the limit that was met.
    """

    cost: int
    is_tree: bool
    nodes: list[TreeNode]
    items: int
    viable: Viable = Viable()
    stopped_by: Literal["items", "seconds"] | None = None


# Packed forests: all trees of a sentence that cost little more than the best, as nodes and hyperedges in flat arrays.
#
# A node is a word, a phrase, or the beginning of a phrase. Beginnings with different daughters are different nodes, so
# that the daughters of a phrase are known when it is completed. `search.forest_of` builds forests.


class EdgeKind(IntEnum):
    """Effect of an edge.

    In this order: a word, a first daughter, another daughter, the end of a phrase of several daughters, a phrase of one
    daughter, an item regardless of its depth, the root.
    """

    WORD = 0
    START = 1
    COMBINE = 2
    ACCEPT = 3
    UNARY = 4
    SAME = 5
    ROOT = 6


WHOLE: Final = (EdgeKind.ACCEPT, EdgeKind.UNARY)
"""Kinds of edges that complete a phrase."""


MAX_NOTED: Final = 1_000_000
"""Maximum number of edges of beginnings that are examined for a forest.

Flat phrases, as in lists and addresses, have millions of sequences of daughters.
"""


class Forest(NamedTuple):
    """Packed forest: nodes from the smallest spans to the largest, the root last; edges in the order of their heads.

    By node: `starts`, `ends`, and `symbols`, -1 for other nodes than complete words and phrases. By edge: the head node
    (`heads`), its parts (`lefts`, `rights`, -1 for none), `costs` and `kinds`. `states` has the state of `START` (after
    it), `COMBINE` (before it) and `ACCEPT`, the symbol of `UNARY` and `ROOT`; `daughters` the symbol that `START`,
    `COMBINE` or `UNARY` adds, the phrase of `ACCEPT`, the number of the word of `WORD`; `sequences` the daughters of
    `ACCEPT` and `UNARY`, as a number into `befores` (the sequence without the last daughter, -1 for none) and `lasts`
    (the category of the last, numbered by `categories`).
    """

    starts: array[int]
    ends: array[int]
    symbols: array[int]
    heads: array[int]
    lefts: array[int]
    rights: array[int]
    costs: array[int]
    kinds: array[int]
    states: array[int]
    daughters: array[int]
    sequences: array[int]
    befores: array[int]
    lasts: array[int]

    def daughters_of(self, sequence: int) -> tuple[int, ...]:
        """Return the categories of a sequence of daughters."""
        reversed_daughters: list[int] = []
        while sequence >= 0:
            reversed_daughters.append(self.lasts[sequence])
            sequence = self.befores[sequence]
        return tuple(reversed(reversed_daughters))


def nodes_of(forest: Forest, edges: Sequence[int]) -> list[TreeNode]:
    """Return the nodes of a tree in pre-order, given its edges."""
    nodes = []
    for edge in edges:
        kind, state, daughter = forest.kinds[edge], forest.states[edge], forest.daughters[edge]
        if kind == EdgeKind.WORD:
            nodes.append(TreeNode(state, daughter, 0))
        elif kind == EdgeKind.UNARY:
            nodes.append(TreeNode(state, -1, 1))
        elif kind == EdgeKind.ACCEPT:
            nodes.append(TreeNode(daughter, -1, len(forest.daughters_of(forest.sequences[edge]))))
    return nodes


_categories: WeakKeyDictionary[MarkovGrammar, tuple[tuple[str, ...], array[int]]] = WeakKeyDictionary()


def categories(grammar: MarkovGrammar) -> tuple[tuple[str, ...], array[int]]:
    """Return the labels and tags of a grammar, and the number of that of each symbol."""
    known = _categories.get(grammar)
    if known is None:
        bare = list(dict.fromkeys(coarse(symbol) for symbol in grammar.symbols))
        number = {symbol: i for i, symbol in enumerate(bare)}
        of_symbol = array("i", [number[coarse(symbol)] for symbol in grammar.symbols])
        known = _categories[grammar] = tuple(symbol.label for symbol in bare), of_symbol
    return known
