"""Builds packed forests: compiled where that can be (`_forest.c`), else in `python_forest`, which says the same."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from numbat import native
from numbat.parsing.treebank_grammar import python_forest
from numbat.parsing.treebank_grammar.forest import Forest, categories
from numbat.parsing.treebank_grammar.items import ScoredWord, Viable
from numbat.parsing.treebank_grammar.markov import MarkovGrammar


def forest_of(grammar: MarkovGrammar, words: Sequence[ScoredWord], tokens: int, viable: Viable, most: int) -> Forest:
    """The forest of the viable items of a search, without what costs more than `most`, all around it counted."""
    if native.load(native.TREEBANK_SEARCH) is None:
        return python_forest.forest_of(grammar, words, tokens, viable, most)
    from numbat.parsing.treebank_grammar import _tabular
    from numbat.parsing.treebank_grammar.search import compiled

    found = _tabular.forest(
        (compiled(grammar), tokens, list(words), *map(list, viable), categories(grammar)[1].tobytes(), most)
    )
    return Forest(*(array("i", column) for column in found))
