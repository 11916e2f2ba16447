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
    """Word over a span: its symbol in the grammar, its cost, and its number among the words of the sentence."""

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
    """Beginning of a phrase over a span, in a state of the grammar; `around` is its least outside cost."""

    start: int
    end: int
    state: int
    around: int


class Viable(NamedTuple):
    """Items that occur in trees whose cost exceeds the cost of the best tree by no more than the slack.

    `active` are the active items that may be extended by another daughter; `combined` those with several daughters,
    which may be extended or accepted as a phrase. An item may be in both.
    """

    passive: Sequence[PassiveItem] = ()
    active: Sequence[ActiveItem] = ()
    combined: Sequence[ActiveItem] = ()

    def and_others(self, others: Viable) -> Viable:
        """Return these items together with others."""
        passive = (*self.passive, *others.passive)
        return Viable(passive, (*self.active, *others.active), (*self.combined, *others.combined))


class Stage(NamedTuple):
    """One pass of the search: a grammar, the words as symbols of this grammar, and the pruning threshold.

    A label over a span is kept for the next pass if the best tree with it costs at most `threshold` more than the best
    tree.
    """

    grammar: MarkovGrammar
    words: list[ScoredWord]
    threshold: int = 0


class SearchResult(NamedTuple):
    """Result of a search: a tree or, if there is none, the cheapest sequence of fragments.

    `nodes` are in pre-order; `items` is the number of items built in all passes; `viable` has items only if a slack was
    given; `stopped_by` names the limit that was met, if any.
    """

    cost: int
    is_tree: bool
    nodes: list[TreeNode]
    items: int
    viable: Viable = Viable()
    stopped_by: Literal["items", "seconds"] | None = None


# Packed forests: all trees of a sentence that cost little more than the best one, as nodes and edges in flat arrays.
#
# A node is a word, a phrase, or the beginning of a phrase. Beginnings with different daughters are different nodes, so
# that the daughters of a phrase are known when it is completed. `search.forest_of` builds forests.


class EdgeKind(IntEnum):
    """Kinds of edges, by what they build.

    In this order: a word, the beginning of a phrase by a first daughter, its extension by another daughter, a phrase of
    several daughters, a phrase of one daughter, one node for an item at any depth, the root.
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
"""Maximum number of edges, each building the beginning of a phrase, that are examined for a forest.

Flat phrases, as in lists and addresses, have millions of sequences of daughters.
"""


class Forest(NamedTuple):
    """Packed forest: nodes from the smallest spans to the largest, the root last; edges in the order of their nodes.

    Columns by node: `starts`, `ends`, and `symbols` (-1 unless the node is a complete word or phrase). Columns by edge:
    the node that it builds (`heads`), its parts (`lefts`, `rights`, -1 for none), `costs` and `kinds`. `states` has the
    state after `START`, before `COMBINE` and before `ACCEPT`, and the symbol that `UNARY` or `ROOT` has; `daughters`
    has the symbol that `START`, `COMBINE` or `UNARY` adds, the phrase that `ACCEPT` completes, and the number of the
    word for `WORD`; `sequences` has the daughters of phrases built by `ACCEPT` and `UNARY`, as an index into `befores`
    (the sequence without its last daughter, -1 for none) and `lasts` (the category of the last daughter, numbered by
    `categories`).
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
    """Return the labels and tags in a grammar, and for each symbol the index of its label or tag."""
    known = _categories.get(grammar)
    if known is None:
        bare = list(dict.fromkeys(coarse(symbol) for symbol in grammar.symbols))
        number = {symbol: i for i, symbol in enumerate(bare)}
        of_symbol = array("i", [number[coarse(symbol)] for symbol in grammar.symbols])
        known = _categories[grammar] = tuple(symbol.label for symbol in bare), of_symbol
    return known
