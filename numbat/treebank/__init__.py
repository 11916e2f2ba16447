"""The treebank room: trees in three formats are read, counted and scored; they become grammars, tags categories."""

__all__ = [
    "brackets",
    "conllu",
    "converting",
    "induce",
    "induced",
    "induced_printing",
    "labels",
    "observed",
    "parses",
    "reading",
    "refining",
    "relating",
    "score",
    "trees",
]
