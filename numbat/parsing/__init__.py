"""The parsing room: the eight phases of Prost (2006), the loop that wires them, and the parse that comes out."""

__all__ = [
    "analysis",
    "explanation",
    "limits",
    "parser",
    "phases",
    "policies",
    "queries",
    "result",
    "sentence_parser",
    "treebank_grammar",
    "treebank_parser",
]
