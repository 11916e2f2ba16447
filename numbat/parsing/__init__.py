"""Parsing: from the lattice of a sentence to its parse.

Begin with `parser`, the main interface: a `Parser` finds what satisfies a grammar's properties best, by one of two
engines, `phases` (the eight phases of Prost 2006, literally) or `exact` (the optimum, by compiled properties).
`treebank_parser` is the other interface: the likeliest tree by the counts of a treebank (`treebank_grammar`) or by
learned weights (`tree_model`), which the properties judge. Both follow the protocol of `sentence_parser` and return a
`Parse` (`result`), which `explanation` puts into words, trees and tables. `analysis` has the records, `queries`
questions beyond the best parse, `policies` the settings and limits; `start_checks` tries a grammar before a run.
"""

__all__ = [
    "analysis",
    "explanation",
    "parser",
    "phases",
    "policies",
    "queries",
    "result",
    "sentence_parser",
    "start_checks",
    "tree_model",
    "treebank_grammar",
    "treebank_parser",
]
