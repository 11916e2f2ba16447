"""Treebanks: trees as annotators drew them, read from three formats, scored, judged, and made into grammars.

`reading` reads a file as a stream of sentences, each with a `Tree` (`trees`, from `brackets` or `sinica`) or a
`DependencyTree` (`conllu`); `converting` goes from one kind to the other, `dependencies` by the heads of phrases.
`tagged_sentences` reads words and tags of any file, `punctuation` leaves marks out. `labels` and `heads` know what
labels mean. `bracket_scores` compares a predicted tree with a gold tree, `scores` adds up; `parses` does so for parses,
and judges trees by a grammar. `induction` makes a Property Grammar of a treebank, `refined_expansions` the counted
expansions of the treebank parser. Begin with `reading.read_treebank`.
"""

__all__ = [
    "brackets",
    "conllu",
    "converting",
    "heads",
    "induce",
    "induced",
    "reading",
    "rule_counts",
    "scores",
    "tagged_sentences",
    "trees",
]
