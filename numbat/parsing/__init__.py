"""Parsing: from the lattice of a sentence to its parse.

Begin with `parser`, the front door: a `Parser` finds what satisfies the properties of a grammar best, by one of two
engines, `phases` (the eight phases of Prost 2006, literally) or `exact` (the optimum, by compiled properties).
`treebank_parser` is the other door: the likeliest tree by the counts of a treebank (`treebank_grammar`), which the
properties judge. Both have the protocol of `sentence_parser` and give a `Parse` (`result`), which `explanation` puts in
words, trees, tables, and whose `parse_record` can be kept and sent. `queries` ask more of a parser than its best
parses; `policies` and `limits` steer it.
"""

__all__ = [
    "analysis",
    "dependency_model",
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
