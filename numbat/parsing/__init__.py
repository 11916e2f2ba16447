"""Parsing: from the lattice of a sentence to its parse.

Begin with `parser`, the main interface: a `Parser` finds the analysis that satisfies a grammar's properties best, with
one of two engines, `phases` (the eight phases of Prost 2006, literally) or `exact` (the optimum, by compiled
properties). `treebank_parser` is the other interface: it finds the likeliest tree by the counts of a treebank
(`treebank_grammar`), or the best by learned weights (`tree_model`), and evaluates the properties in it. Both follow the
protocol of `sentence_parser` and return a `Parse` (`result`), which `explanation` formats as text, trees and tables.
`analysis` has the records, `queries` questions beyond the best parse, `policies` the settings and limits;
`start_checks` warns about words and constructions that start no phrase.
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
