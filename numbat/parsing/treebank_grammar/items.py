"""What the tabular search is given and what it finds: the same records for the compiled search and the one in Python.

In the words of chart parsing: over a span of the sentence an active item is the beginning of a phrase, in a state of a
Markov grammar; a passive item is a whole word or phrase, a symbol of that grammar. Costs are -log P in fixed-point
units (`UNIT` is 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from numbat.parsing.treebank_grammar.markov import MarkovGrammar


class ScoredWord(NamedTuple):
    """A word over a span, as a symbol of the grammar, with its cost and its number among the words of the sentence."""

    start: int
    end: int
    symbol: int
    cost: int
    number: int


class TreeNode(NamedTuple):
    """A node of a tree that was found: its symbol, the number of its word (-1 for a phrase), how many daughters."""

    symbol: int
    word: int
    daughters: int


class PassiveItem(NamedTuple):
    """A word or phrase over a span, by the depth of the chain of only daughters that it is made of (ruling 4)."""

    start: int
    end: int
    symbol: int
    depth: int


class ActiveItem(NamedTuple):
    """The beginning of a phrase over a span, in a state of the grammar; what is around it costs at least so much."""

    start: int
    end: int
    state: int
    around: int


class Viable(NamedTuple):
    """The items that occur in a tree which costs little more than the best.

    `active` are those that may be extended by further daughters, `combined` those of several daughters, which may be
    extended or accepted as a phrase: an item may be in both.
    """

    passive: Sequence[PassiveItem] = ()
    active: Sequence[ActiveItem] = ()
    combined: Sequence[ActiveItem] = ()


class Stage(NamedTuple):
    """One pass of the search: a grammar, the words in its symbols, and the threshold of pruning: a label stays for the
    next pass where the best tree with such an item costs at most so much more than the best of all."""

    grammar: MarkovGrammar
    words: list[ScoredWord]
    threshold: int = 0


class SearchResult(NamedTuple):
    """What a search found: a tree, or where there is none, the cheapest sequence of fragments.

    `nodes` come from the left, each before its daughters; `items` counts what all passes built; `viable` is filled
    where a slack was given; `stopped_by` names the limit that was met.
    """

    cost: int
    is_tree: bool
    nodes: list[TreeNode]
    items: int
    viable: Viable = Viable()
    stopped_by: Literal["items", "seconds"] | None = None
