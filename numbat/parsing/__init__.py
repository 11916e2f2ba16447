"""Parsing: from the lattice of a sentence to its parse.

Begin with `parser`, the main interface: a `Parser` finds the analysis that satisfies a grammar's properties best, with
one of two engines, `phases` (the eight phases of Prost 2006, literally) or `exact` (the optimum, by compiled
properties). `treebank_parser` is the other interface: it finds the tree that is likeliest by the counts from a treebank
(`treebank_grammar`), or best by learned weights (`tree_model`), and evaluates the properties in that tree. Both follow
the protocol in `sentence_parser` and return a `Parse` (`result`), which `explanation` formats as text, trees and
tables. `analysis` has the records of a parse, `preferences` chooses the parse that is meant among those that cost about
the same, `diagnoses` finds other reasons why a sentence is ill-formed; `queries` answers questions beyond the best
parse, `policies` has the settings and limits; `start_checks` warns about words and constructions that start no phrase.
"""

__all__ = [
    "analysis",
    "diagnoses",
    "explanation",
    "parser",
    "phases",
    "policies",
    "preferences",
    "queries",
    "result",
    "sentence_parser",
    "start_checks",
    "tree_model",
    "treebank_grammar",
    "treebank_parser",
]
