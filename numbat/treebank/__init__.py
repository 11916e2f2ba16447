"""Treebanks: annotated trees, read from three formats, scored, judged, and turned into grammars.

- `reading`: `read_treebank` (begin here) streams the sentences of a file, each with a tree.
- `trees`, `brackets`, `conllu`: phrase structure and dependency trees with their formats and labels.
- `converting`, `heads`: conversions between trees, parses and JSON; head tables and dependencies.
- `tagged_sentences`: words and tags of any file, with or without punctuation.
- `dependencies`, `ud_maps`: dependencies of a parse in CoNLL-U, and the maps from grammars to Universal Dependencies.
- `scores`: bracket scores (evalb) and scores of dependencies (CoNLL 2018).
- `rule_counts`, `induce`, `induced`: counts of a treebank, and the Property Grammar induced from them.
"""

__all__ = [
    "brackets",
    "conllu",
    "converting",
    "dependencies",
    "heads",
    "induce",
    "induced",
    "reading",
    "rule_counts",
    "scores",
    "tagged_sentences",
    "trees",
    "ud_maps",
]
